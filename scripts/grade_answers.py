#!/usr/bin/env python3
"""Grades what students guessed on the labs' pages.

    scripts/grade_answers.py PROGRAM [--csv] ANSWERS.json …

The files are what "Save them as a file" of the pages gives. What is right is worked out anew, by `PROGRAM compare
lab:NAME`; of a line that was marked, it is where the lab's file says. Prints a table with a student a row: ✓ right, ✗ wrong,
0 for who looked without a guess, and nothing where there is no answer; below it the answers. With --csv the table alone, with
1, 0 and nothing.
"""

import argparse
import csv
import json
import subprocess
import sys
import tomllib

from lab_right import right_of

FORMAT = "trainyard answers 1"


def asked(program, *words):
    made = subprocess.run([program, *words], capture_output=True, text=True)
    if made.returncode not in (0, 4):  # 4: somebody diverged
        raise SystemExit(f"{program} {' '.join(words)}: {made.stderr.strip()}")
    return made.stdout


def answers_in(file):
    """(student, {lab: guess})"""
    try:
        with open(file, encoding="utf-8") as opened:
            document = json.load(opened)
        if document.get("format") != FORMAT:
            raise ValueError(f"its format is {document.get('format')!r}; expected {FORMAT!r}")
        return " ".join(str(document["student"] or "").split()) or "nobody", {str(lab): str(guess) for lab, guess in document["answers"].items()}
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise SystemExit(f"{file}: no answers of a lab's page: {error}") from None


class Key:
    """What is right in a lab."""

    def __init__(self, program, name, titles):
        page = tomllib.loads(asked(program, "list", "labs", name))["page"]
        guess = page["guess"]
        self.title = f"{page['number']} {titles[name]}"
        self.number, self.question, self.drawn = page["number"], guess["question"], guess.get("drawn")
        if self.drawn:
            low, high = self.drawn["right"]
            self.words = f"{low} to {high} {self.drawn['units'][1]}"
            return
        runs = json.loads(asked(program, "compare", f"lab:{name}", "--json", "--quiet"))["runs"]
        self.right = right_of(runs, guess["figure"], guess["wanted"])
        self.words = " or ".join(self.right)

    def is_right(self, guess):
        if not self.drawn:
            return guess in self.right
        try:
            return self.drawn["right"][0] <= float(guess) <= self.drawn["right"][1]
        except ValueError:
            return False


def graded(answers, keys):
    """A row: right, wrong, looked, or None, by lab."""
    return {lab: None if lab not in answers else "looked" if answers[lab] == "none" else
            "right" if key.is_right(answers[lab]) else "wrong" for lab, key in keys.items()}


def table(rows, keys):
    signs = {"right": "✓", "wrong": "✗", "looked": "0", None: ""}
    lines = ["| student | right | of | " + " | ".join(str(key.number) for key in keys.values()) + " |",
             "|---|" + "---:|" * 2 + ":-:|" * len(keys)]
    for student, row in rows:
        right = sum(mark == "right" for mark in row.values())
        lines.append(f"| {student.replace('|', '&#124;')} | {right} | {sum(mark is not None for mark in row.values())} | "
                     + " | ".join(signs[mark] for mark in row.values()) + " |")
    lines += ["", *(f"- {key.title}: {key.question} **{key.words}**" for key in keys.values())]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], epilog="The files are what the labs' pages save.")
    parser.add_argument("program", help="trainyard")
    parser.add_argument("files", nargs="+", metavar="ANSWERS.json")
    parser.add_argument("--csv", action="store_true", help="the table alone, as CSV, with 1, 0 and nothing")
    given = parser.parse_args()
    students = sorted((answers_in(file) for file in given.files), key=lambda one: one[0].casefold())
    titles = {lab["name"]: lab["title"] for lab in json.loads(asked(given.program, "list", "labs", "--json"))["labs"]}
    answered = {lab for _, answers in students for lab in answers}
    for lab in sorted(answered - {*titles}):
        raise SystemExit(f"no lab named {lab!r}; these answers are of other pages than the labs of {given.program}")
    keys = {lab: Key(given.program, lab, titles) for lab in titles if lab in answered}
    rows = [(student, graded(answers, keys)) for student, answers in students]
    if not given.csv:
        print(table(rows, keys))
        return
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["student", *keys])
    marks = {"right": 1, "wrong": 0, "looked": 0, None: ""}
    out.writerows([student, *(marks[mark] for mark in row.values())] for student, row in rows)


if __name__ == "__main__":
    main()

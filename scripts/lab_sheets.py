#!/usr/bin/env python3
"""Writes sheets for a class, one page a lab, to be printed from a browser.

    scripts/lab_sheets.py PROGRAM STUDENTS.html TEACHERS.html [LAB …]

A student's sheet has what the lab's page says first, its question to tick an answer to, and a table to fill in, a
row for each place of its sliders; the teacher's has the same table as the program fills it, who is right, the
rest of the story, and the command of each row. All labs, or those that are named.
"""

import html
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from lab_right import right_of

LABS = Path(__file__).resolve().parent.parent / "docs/labs"
# What a guess is about, as a sheet calls it, and how its numbers are written.
FIGURES = {"seconds_to_target": ("time to target", "time", "never"), "train_loss": ("training loss", "number", "diverged"),
           "seconds": ("time of the run", "time", "–"), "bytes_sent": ("bytes sent", "bytes", "–"), "consensus_distance": ("consensus distance", "number", "–")}
UNITS = {"time": [(7200, 3600, "h"), (120, 60, "min"), (1, 1, "s"), (1e-3, 1e-3, "ms"), (0, 1e-6, "µs")],
         "bytes": [(1e9, 1e9, "GB"), (1e6, 1e6, "MB"), (1e3, 1e3, "kB"), (0, 1, "B")], "number": [(0, 1, "")]}
STYLE = """
body { font: 11pt/1.45 sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; }
section { break-after: page; } h1 { font-size: 1.4rem; break-after: avoid; } h2 { font-size: 1.1rem; break-after: avoid; }
table { border-collapse: collapse; font-size: 0.85rem; width: 100%; } th, td { border: 1px solid #888; padding: 0.25rem 0.4rem; }
td { min-width: 4.2rem; height: 1.6rem; text-align: right; white-space: nowrap; } th { text-align: left; font-weight: 600; overflow-wrap: anywhere; }
tr { break-inside: avoid; } .right { font-weight: 700; } .line { border-bottom: 1px solid #888; height: 1.7rem; } ul.ticks { list-style: none; padding: 0; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
"""


def lab_of(name):
    with open(LABS / f"{name}.toml", "rb") as file:
        lab = tomllib.load(file)
    page = lab.pop("page")
    page["settings"] = {option: str(value) for part in lab.values() if isinstance(part, dict) for option, value in part.items()}
    # A link moves a slider; on paper its words are left.
    page["story"] = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split())) for text in page["story"]]
    return page


def places_of(page):
    """[(words of the row, flags over the lab)]: as it is, and each other place of each slider."""
    moved = [(f"{slider['label']}: {text}", [f"--{slider['option']}", str(value)])
             for slider in page["slider"] for value, text in zip(slider["values"], slider["texts"])
             if str(value) != page["settings"].get(slider["option"], "none")]
    return [("as it is", [])] + moved


def runs_of(program, name, flags):
    """In the order of the lab."""
    made = subprocess.run([program, "compare", f"lab:{name}", *flags, "--json", "--quiet"], capture_output=True, text=True)
    if made.returncode not in (0, 4):  # 4: somebody diverged
        raise SystemExit(f"{name} {' '.join(flags)}: {made.stderr}")
    return json.loads(made.stdout)["runs"]


def figures_of(runs, figure):
    """{contestant: number, None where it has none or its run diverged}."""
    return {run["label"]: None if figure == "train_loss" and run["diverged"] else run[figure] for run in runs}


def targets_of(runs_of_places, figure):
    """{words of a row: its target}, where they are more than two percent apart: what all runs reach is another loss in each."""
    targets = {words: runs[0]["target_loss"] for words, runs in runs_of_places.items()}
    known = [target for target in targets.values() if target is not None]
    return targets if figure == "seconds_to_target" and known and max(known) > 1.02 * min(known) else {}


def written(value, kind, lacking):
    if value is None:
        return lacking
    for least, scale, unit in UNITS[kind]:
        if abs(value) >= least:
            return f"{value / scale:.4g} {unit}".strip()


def tasks_of(number):
    text = (LABS / "README.md").read_text(encoding="utf-8")
    section = re.search(rf"\n## {number} .*?(?=\n## |\Z)", text, re.S)[0]
    tasks = re.search(r"\nTasks?: (.*?)(?:\n\n|\Z)", section, re.S)
    if not tasks:
        return ""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(tasks[1].split()))
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(words[0].upper() + words[1:], quote=False))


def table(places, labels, cell, targets):
    def row(words):
        target = targets.get(words)
        return html.escape(words if target is None else f"{words} (to a loss of {target:.4g})")

    head = "".join(f"<th>{html.escape(label)}</th>" for label in labels)
    rows = "".join(f"<tr><th>{row(words)}</th>{''.join(cell(words, label) for label in labels)}</tr>" for words, _ in places)
    return f"<table><tr><th></th>{head}</tr>{rows}</table>"


def paragraphs(texts):
    return "".join(f"<p>{html.escape(text)}</p>" for text in texts)


def guess_of(page, labels):
    """Boxes to tick, or the line that the page has to be marked."""
    drawn = page["guess"].get("drawn")
    if drawn:
        return f"<p>A number from {drawn['from']} to {drawn['to']} {drawn['units'][1]}: ____________</p>"
    return f"<ul class=\"ticks\">{''.join(f'<li>☐ {html.escape(label)}</li>' for label in labels)}</ul>"


def students_sheet(name, page, labels, targets):
    what, *_ = FIGURES[page["guess"]["figure"]]
    tasks = tasks_of(page["number"])
    return (f"<section><h1>{page['number']} {html.escape(page['title'])}</h1><p>Name:</p>{paragraphs(page['story'][:1])}"
            f"<h2>First guess: {html.escape(page['guess']['question'])}</h2>{guess_of(page, labels)}<p>Because:</p>"
            f"<div class=\"line\"></div><h2>Then see</h2><p><code>trainyard lab {name}</code>, or <code>trainyard compare lab:{name}</code>. "
            f"Write down each one's {what}, and ring the best of each row.</p>{table(places_of(page), labels, lambda *_: '<td></td>', targets)}"
            f"<p>What I had not expected, and why it is so:</p><div class=\"line\"></div><div class=\"line\"></div>"
            f"{f'<h2>Tasks</h2><p>{tasks}</p>' if tasks else ''}</section>")


def teachers_sheet(name, page, runs, found, targets):
    what, kind, lacking = FIGURES[page["guess"]["figure"]]
    wanted, places = page["guess"]["wanted"], places_of(page)
    labels = list(found["as it is"])
    right = {words: right_of(of, page["guess"]["figure"], wanted) for words, of in runs.items()}

    def cell(words, label):
        best = ' class="right"' if label in right[words] else ""
        return f"<td{best}>{written(found[words].get(label), kind, lacking)}</td>"

    drawn = page["guess"].get("drawn")
    answer = (f"from {drawn['right'][0]} to {drawn['right'][1]} {drawn['units'][1]}; in the table {' or '.join(right['as it is'])}" if drawn
              else " or ".join(right["as it is"]))
    commands = "".join(f"<li>{html.escape(words)}: <code>trainyard compare lab:{name} {html.escape(' '.join(flags))}</code></li>"
                       for words, flags in places)
    tasks = tasks_of(page["number"])
    return (f"<section><h1>{page['number']} {html.escape(page['title'])}: for teachers</h1>"
            f"<p>{html.escape(page['guess']['question'])} <strong>{html.escape(answer)}</strong>.</p>"
            f"{paragraphs(page['story'][1:])}<h2>The table, {what}; bold: the best of each row, and what cannot be told from it</h2>{table(places, labels, cell, targets)}"
            f"<h2>Its rows</h2><ul>{commands}</ul>{f'<h2>Tasks</h2><p>{tasks}</p>' if tasks else ''}</section>")


def page_of(title, sheets):
    return (f"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head>\n"
            f"<body>{''.join(sheets)}</body></html>\n")


def main(program, students, teachers, *names):
    pages = {path.stem: lab_of(path.stem) for path in LABS.glob("*.toml")}
    unknown = [name for name in names if name not in pages]
    if unknown:
        raise SystemExit(f"there is no lab {unknown[0]!r}; there are: {', '.join(sorted(pages))}")
    chosen = sorted(names or pages, key=lambda name: pages[name]["number"])
    for_students, for_teachers = [], []
    for name in chosen:
        page = pages[name]
        figure = page["guess"]["figure"]
        runs = {words: runs_of(program, name, flags) for words, flags in places_of(page)}
        found, targets = {words: figures_of(of, figure) for words, of in runs.items()}, targets_of(runs, figure)
        for_students.append(students_sheet(name, page, list(found["as it is"]), targets))
        for_teachers.append(teachers_sheet(name, page, runs, found, targets))
    Path(students).write_text(page_of("Labs: sheets for students", for_students), encoding="utf-8")
    Path(teachers).write_text(page_of("Labs: sheets for teachers", for_teachers), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])

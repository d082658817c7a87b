#!/usr/bin/env python3
"""What scripts/grade_answers.py says of answers, against what the pages count as right: grade_answers_test.py PROGRAM."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/grade_answers.py"


class Grades(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="trainyard-grades-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, document):
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return path

    def answers(self, student, **answers):
        return self.file(f"{student}.json", {"format": "trainyard answers 1", "student": student,
                                             "answers": {lab.replace("_", "-"): guess for lab, guess in answers.items()}})

    def graded(self, *words):
        return subprocess.run([sys.executable, SCRIPT, PROGRAM, *words], capture_output=True, text=True, encoding="utf-8")

    def first_of(self, lab):
        made = subprocess.run([PROGRAM, "compare", f"lab:{lab}", "--json", "--quiet"], check=True, capture_output=True, text=True)
        runs = json.loads(made.stdout)["runs"]
        return min(runs, key=lambda run: run["seconds_to_target"])["label"]

    def test_a_row_a_student_and_a_column_a_lab(self):
        first = self.first_of("straggler")
        ada = self.answers("Ada", straggler=first, local_steps="9", who_talks="none")
        bob = self.answers("bob", straggler="ring", local_steps="64")
        done = self.graded(bob, ada)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "| student | right | of | 2 | 3 | 5 |")
        self.assertEqual(lines[2:4], ["| Ada | 2 | 3 | 0 | ✓ | ✓ |", "| bob | 0 | 2 |  | ✗ | ✗ |"])
        told = next(line for line in done.stdout.splitlines() if line.startswith("- 3 One slow worker: Who is first"))
        self.assertIn(first, told)
        self.assertIn("**6 to 33 steps**", done.stdout)
        table = self.graded("--csv", ada, bob)
        self.assertEqual(table.stdout, "student,who-talks,straggler,local-steps\nAda,0,1,1\nbob,,0,0\n")

    def test_a_mark_on_a_line_is_right_between_its_ends(self):
        marks = {"5": 0, "6": 1, "33": 1, "34": 0, "nine": 0}
        files = [self.answers(f"of {mark}", local_steps=mark) for mark in marks]
        rows = self.graded("--csv", *files).stdout.splitlines()[1:]
        self.assertEqual(dict(row.removeprefix("of ").split(",") for row in rows), {mark: str(one) for mark, one in marks.items()})

    def test_what_is_no_file_of_answers_is_said(self):
        for document in ("", "{", "[]", {}, {"format": "another"}, {"format": "trainyard answers 1"}):
            path = self.file("no.json", document)
            done = self.graded(path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{path}: no answers of a lab's page", done.stderr)
            self.assertNotIn("Traceback", done.stderr)
        done = self.graded(self.answers("Eve", stragler="ring"))
        self.assertIn("no lab named 'stragler'", done.stderr)


PROGRAM = sys.argv.pop(1)
unittest.main()

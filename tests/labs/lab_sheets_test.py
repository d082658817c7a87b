#!/usr/bin/env python3
"""What scripts/lab_sheets.py writes, against what the program prints: lab_sheets_test.py PROGRAM."""

import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import lab_right  # noqa: E402
import lab_sheets  # noqa: E402


def rows_of(page):
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in re.findall(r"<tr>(.*?)</tr>", page)]


class Sheets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-sheets-"))
        subprocess.run([sys.executable, ROOT / "scripts/lab_sheets.py", PROGRAM, folder / "students.html", folder / "teachers.html",
                        "straggler", "local-steps"], check=True)
        cls.students = (folder / "students.html").read_text()
        cls.teachers = (folder / "teachers.html").read_text()

    def test_a_row_has_what_the_program_prints_there(self):
        made = subprocess.run([PROGRAM, "compare", "lab:straggler", "--straggler", "0:2", "--json", "--quiet"], check=True,
                              capture_output=True, text=True)
        runs = json.loads(made.stdout)["runs"]
        row = next(row for row in rows_of(self.teachers) if row[0].endswith("worker 0 is: 2"))
        self.assertEqual(len(row), 1 + len(runs))
        for cell, run in zip(row[1:], runs):
            number, unit = cell.split()
            self.assertAlmostEqual(float(number) * {"s": 1, "ms": 1e-3}[unit], run["seconds_to_target"], delta=1e-3 * run["seconds_to_target"])

    def test_a_students_sheet_has_the_rows_without_the_answers(self):
        words = lambda page: [row[0] for row in rows_of(page)]
        self.assertEqual(words(self.students), words(self.teachers))
        self.assertIn("as it is", words(self.students))
        # The place at which a slider stands is that row.
        self.assertNotIn("how many times slower worker 0 is: 10", words(self.students))
        self.assertTrue(all(cell == "" for row in rows_of(self.students)[1:] if row[0] != "" for cell in row[1:]))
        told = lab_sheets.lab_of("straggler")["story"]
        self.assertIn(html.escape(told[0]), self.students)
        for paragraph in told[1:]:
            self.assertNotIn(html.escape(paragraph), self.students)
            self.assertIn(html.escape(paragraph), self.teachers)

    def test_a_line_is_marked_by_a_number_and_rows_say_their_targets(self):
        self.assertIn("A number from 1 to 128 steps: ", self.students)
        self.assertIn("from 6 to 33 steps; in the table local-sgd{period=4} or local-sgd{period=16}", self.teachers)
        self.assertNotIn("from 6 to 33", self.students)
        made = subprocess.run([PROGRAM, "compare", "lab:local-steps", "--partition", "iid", "--json", "--quiet"], check=True,
                              capture_output=True, text=True)
        target = json.loads(made.stdout)["runs"][0]["target_loss"]
        for sheet in (self.students, self.teachers):
            self.assertIn(f"the workers' rows: alike (to a loss of {target:.4g})", [row[0] for row in rows_of(sheet)])

    def test_who_is_right_is_who_has_the_best(self):
        def right(figures, wanted):
            runs = [{"label": label, "bytes_sent": value, "diverged": False} for label, value in figures.items()]
            return lab_right.right_of(runs, "bytes_sent", wanted)

        figures = {"a": 2.0, "b": 1.0, "c": 1.004, "d": None}
        self.assertEqual(right(figures, "least"), ["b", "c"])
        self.assertEqual(right(figures, "most"), ["d"])
        self.assertEqual(right({"a": 2.0, "b": 1.0, "c": 1.995}, "most"), ["a", "c"])
        self.assertEqual(right({"a": None}, "least"), [])

    def test_less_than_an_evaluation_apart_is_right_unless_the_curves_are_one(self):
        def right(passes):
            runs = [{"label": label, "seconds_to_target": value, "target_interval_s": 0.4, "epochs_to_target": its, "diverged": False}
                    for label, value, its in (("a", 2.0, 1.0), ("b", 2.3, passes), ("c", 2.45, passes))]
            return lab_right.right_of(runs, "seconds_to_target", "least")

        self.assertEqual(right(1.2), ["a", "b"])
        self.assertEqual(right(1.0005), ["a"])

    def test_every_lab_asks_for_a_figure_that_a_sheet_can_write(self):
        for path in lab_sheets.LABS.glob("*.toml"):
            page = lab_sheets.lab_of(path.stem)
            with self.subTest(lab=path.stem):
                self.assertIn(page["guess"]["figure"], lab_sheets.FIGURES)
                self.assertTrue(lab_sheets.tasks_of(page["number"]))
                self.assertFalse(any("](" in text for text in page["story"]))
                for _, flags in lab_sheets.places_of(page):
                    self.assertTrue(all(isinstance(flag, str) for flag in flags))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()

#!/usr/bin/env python3
"""bench/peers/common.py: what it remembers of settings that were tried out, and the ratio of a row."""

import argparse
import contextlib
import csv
import io
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"))
import common  # noqa: E402


class Remembered(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        build = unittest.mock.patch.object(common, "BUILD", pathlib.Path(folder.name) / "build")
        build.start()
        self.addCleanup(build.stop)
        self.times_tried = 0

    def found(self, *what):
        def find():
            self.times_tried += 1
            return {"setting": [self.times_tried, None]}
        return common.remembered(list(what), find)

    def test_is_tried_once(self):
        self.assertEqual(self.found("MPI 4", 2), {"setting": [1, None]})
        self.assertEqual(self.found("MPI 4", 2), {"setting": [1, None]})

    def test_is_tried_again_where_anything_differs(self):
        self.found("MPI 4", 2)
        self.assertEqual(self.found("MPI 4", 4), {"setting": [2, None]})
        self.assertEqual(self.found("MPI 5", 2), {"setting": [3, None]})
        with unittest.mock.patch.object(common, "processor", lambda: "another"):
            self.assertEqual(self.found("MPI 4", 2), {"setting": [4, None]})
        self.assertEqual(self.found("MPI 4", 2), {"setting": [1, None]})


class Ratio(unittest.TestCase):
    def ratio(self, unit, theirs, ours):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "rows.csv"
            table = common.Table(argparse.Namespace(csv=file, only=""))
            with contextlib.redirect_stdout(io.StringIO()):
                table.row("work", "peer", unit, theirs, ours, 1.0)
            with open(file, newline="") as rows:
                return float(next(csv.DictReader(rows))["ratio"])

    def test_is_the_median_of_those_of_the_turns(self):
        # The machine was four times as slow in some turns: the ratio of the medians would be 0.5 and 2.
        self.assertEqual(self.ratio("us", [4, 4, 1, 1, 1], [2, 2, 2, 0.5, 0.5]), 2)
        self.assertEqual(self.ratio("M/s", [4, 4, 1, 1, 1], [2, 2, 2, 0.5, 0.5]), 0.5)

    def test_of_times_is_the_peers_over_ours(self):
        self.assertEqual(self.ratio("us", [3], [2]), 1.5)
        self.assertEqual(self.ratio("ns/nonzero", [3], [2]), 1.5)
        self.assertEqual(self.ratio("samples/s", [3], [6]), 2)

    def test_needs_both_sides_of_each_turn(self):
        with self.assertRaises(ValueError):
            self.ratio("us", [1, 2], [1])


if __name__ == "__main__":
    unittest.main()

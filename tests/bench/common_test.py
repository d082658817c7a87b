#!/usr/bin/env python3
"""What bench/peers/common.py remembers of settings that were tried out: common_test.py."""

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


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""How bench/peers/openblas.py chooses, on times that are made up: openblas_test.py."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"))
import openblas  # noqa: E402


def chosen(times):
    """times: {core type, None for the own pick: (kernels, seconds of one turn after another)}"""
    turns = {candidate: iter(seconds) for candidate, (_, *seconds) in times.items() if seconds}

    def attempt(candidate):
        return (times[candidate][0], next(turns[candidate])) if candidate in turns else None

    rounds = max((len(entry) - 1 for entry in times.values()), default=0)
    return openblas.fastest([name for name in times if name], attempt, max(rounds, 1))


class Choice(unittest.TestCase):
    def test_a_faster_core_type(self):
        self.assertEqual(chosen({None: ("Prescott", 6.0), "Haswell": ("Haswell", 2.0),
                                 "SkylakeX": ("SkylakeX", 1.0)}), ("SkylakeX", "SkylakeX"))

    def test_the_own_pick_stays_within_noise(self):
        self.assertEqual(chosen({None: ("Zen", 1.02), "Haswell": ("Haswell", 1.0)}), (None, "Zen"))
        self.assertEqual(chosen({None: ("Zen", 1.05), "Haswell": ("Haswell", 1.0)}),
                         ("Haswell", "Haswell"))

    def test_the_same_kernels_are_no_choice(self):
        self.assertEqual(chosen({None: ("Cooperlake", 1.5), "Cooperlake": ("Cooperlake", 1.0)}),
                         (None, "Cooperlake"))
        self.assertEqual(chosen({None: ("Prescott", 6.0), "Cooperlake": ("Cooperlake", 1.1),
                                 "SapphireRapids": ("Cooperlake", 1.0)}),
                         ("Cooperlake", "Cooperlake"))

    def test_the_least_time_counts(self):
        self.assertEqual(chosen({None: ("Zen", 2.0, 2.0, 2.0), "Haswell": ("Haswell", 9.0, 1.0, 3.0)}),
                         ("Haswell", "Haswell"))

    def test_what_does_not_run(self):
        self.assertEqual(chosen({None: ("Zen", 2.0), "SkylakeX": ("SkylakeX",)}), (None, "Zen"))
        self.assertIsNone(chosen({None: ("Zen",)}))

    def test_only_core_types_with_their_instructions(self):
        for name in openblas.possible():
            self.assertIn(name, openblas.CORE_TYPES)


if __name__ == "__main__":
    unittest.main()

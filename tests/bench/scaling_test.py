#!/usr/bin/env python3
"""The fit of bench/scaling.py, and the limit by bench/copies.py: scaling_test.py [unittest's arguments]."""

import contextlib
import io
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import copies  # noqa: E402
import scaling  # noqa: E402


def points_of(law, workers):
    return [(n, law.throughput(n)) for n in workers]


def best_half(law):
    """N at which the efficiency is one half, by bisection."""
    low, high = 1.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        efficiency = law.throughput(middle) / (middle * law.throughput(1))
        low, high = (middle, high) if efficiency > 0.5 else (low, middle)
    return low


class Fit(unittest.TestCase):
    def test_amdahl_comes_back(self):
        for sigma in (0.0, 0.01, 0.3, 1.0):
            law = scaling.fitted(points_of(scaling.Law(2.5e5, sigma, 0.0), (1, 2, 4, 8)), False)
            self.assertAlmostEqual(law.sigma, sigma, places=9)
            self.assertAlmostEqual(law.one / 2.5e5, 1, places=9)
            self.assertEqual(law.kappa, 0)

    def test_gunther_comes_back(self):
        for sigma, kappa in ((0.0, 0.0), (0.1, 0.0), (0.0, 0.01), (0.05, 0.002), (0.5, 1e-5)):
            for workers in ((1, 2, 4), (1, 2, 4, 8, 16, 32, 64)):
                law = scaling.fitted(points_of(scaling.Law(7e6, sigma, kappa), workers), True)
                self.assertAlmostEqual(law.sigma, sigma, places=8)
                self.assertAlmostEqual(law.kappa, kappa, places=8)

    def test_noise_moves_little(self):
        """±2 % on each point: sigma and kappa stay within a quarter, and Gunther is no further off."""
        true = scaling.Law(1e5, 0.05, 0.005)
        points = [(n, x * (1 + 0.02 * (-1) ** k))
                  for k, (n, x) in enumerate(points_of(true, (1, 2, 4, 8, 16, 32)))]
        gunther, amdahl = scaling.fitted(points, True), scaling.fitted(points, False)
        self.assertLess(abs(gunther.kappa / true.kappa - 1), 0.25)
        self.assertLess(gunther.error(points), 0.03)
        self.assertLess(gunther.error(points), amdahl.error(points))

    def test_relative_errors_are_what_is_least(self):
        """No law nearby has a smaller sum of squared relative errors."""
        points = [(1, 100.0), (2, 170.0), (4, 330.0), (8, 420.0)]
        best = scaling.fitted(points, True)

        def left(law):
            return sum((x / law.throughput(n) - 1) ** 2 for n, x in points)

        for change in (0.99, 1.01):
            for law in (scaling.Law(best.one * change, best.sigma, best.kappa),
                        scaling.Law(best.one, best.sigma * change, best.kappa),
                        scaling.Law(best.one, best.sigma, best.kappa * change)):
                self.assertGreaterEqual(left(law), left(best))

    def test_bounds_hold(self):
        faster_than_linear = scaling.fitted([(1, 1.0), (2, 2.4), (4, 5.0)], True)
        self.assertEqual((faster_than_linear.sigma, faster_than_linear.kappa), (0, 0))
        slower_together = scaling.fitted([(1, 1.0), (2, 0.5)], False)
        self.assertEqual(slower_together.sigma, 1)
        slower_and_slower = scaling.fitted([(1, 1.0), (2, 0.5), (4, 0.2)], True)
        self.assertLessEqual(slower_and_slower.sigma, 1)
        self.assertEqual(slower_and_slower.peak(), 1)

    def test_too_few_points(self):
        self.assertIsNone(scaling.fitted([(1, 1.0)], False))
        self.assertIsNone(scaling.fitted([(2, 1.0), (2, 1.1), (2, 1.2)], True))
        self.assertIsNone(scaling.fitted([(1, 1.0), (2, 1.8)], True))
        self.assertIsNotNone(scaling.fitted([(1, 1.0), (2, 1.8)], False))


class Numbers(unittest.TestCase):
    def test_half_of_the_efficiency(self):
        for sigma, kappa in ((0.1, 0.0), (0.0, 0.01), (0.05, 0.002), (1.0, 0.5)):
            law = scaling.Law(3e5, sigma, kappa)
            self.assertAlmostEqual(law.half() / best_half(law), 1, places=9)
        self.assertEqual(scaling.Law(1, 0.25, 0).half(), 5)
        self.assertEqual(scaling.Law(1, 0, 0).half(), math.inf)

    def test_peak(self):
        law = scaling.Law(1e5, 0.04, 0.0015)
        self.assertAlmostEqual(law.peak(), math.sqrt(0.96 / 0.0015))
        for workers in (law.peak() - 1, law.peak() + 1):
            self.assertLess(law.throughput(workers), law.limit())
        self.assertEqual(scaling.Law(1, 0.5, 0).peak(), math.inf)
        self.assertEqual(scaling.Law(3, 0.5, 0).limit(), 6)
        self.assertEqual(scaling.Law(3, 0, 0).limit(), math.inf)


def summary(scheme, workers, speed, servers=0, seed=1, loss=0.25):
    return {"scheme": scheme, "label": scheme, "workers": workers, "servers": servers, "seed": seed,
            "machine": "Some processor, 4 cores, 8 hardware threads, 1 NUMA node",
            "samples_per_second": speed, "train_loss": loss}


class Copies(unittest.TestCase):
    def test_flags_of_a_copy(self):
        flags = ["--dataset", "a9a", "--seeds", "5", "--lr=0.5", "--target-loss=0.3", "--tune-lr", "--epochs",
                 "4", "--vary", "batch=1,2", "--json", "--out", "x", "--replacement"]
        self.assertEqual(copies.kept(flags),
                         ["--dataset", "a9a", "--lr=0.5", "--epochs", "4", "--replacement"])

    def test_what_copies_come_to(self):
        self.assertEqual(copies.total([(0.0, 10.0, 100.0)]), (100.0, 1.0, 100.0))
        self.assertEqual(copies.total([(0.0, 10.0, 100.0), (2.0, 11.0, 50.0)]), (150.0, 0.8, 100.0))
        self.assertEqual(copies.total([(0.0, 1.0, 100.0), (2.0, 3.0, 50.0)]), (150.0, 0.0, 100.0))
        self.assertEqual(copies.middle([(3.0, 0.1, 9.0), (1.0, 0.2, 8.0), (2.0, 0.3, 7.0)]), (2.0, 0.3, 7.0))


class Runs(unittest.TestCase):
    def written(self, runs):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for k, run in enumerate(runs):
            place = pathlib.Path(folder.name) / f"seed-{run['seed']}" / str(k)
            place.mkdir(parents=True)
            (place / "summary.json").write_text(json.dumps(run))
        return folder.name

    def test_shared_cores_are_not_fitted(self):
        runs = [summary("ring", n, 100.0 * n) for n in (1, 2, 4)] + [summary("ring", 8, 50.0)]
        runs += [summary("ps-sync", n, 10.0 * n, servers=1) for n in (1, 2, 4)]
        runs += [summary("sequential", 1, 100.0)]
        figures, cores = scaling.read(self.written(runs))
        self.assertEqual(cores, 4)
        self.assertEqual(list(figures), ["ring", "ps-sync"])
        self.assertEqual(figures["ring"][8], (50.0, False, 0.25))
        self.assertEqual(figures["ring"][4], (400.0, True, 0.25))
        self.assertEqual(figures["ps-sync"][4], (40.0, False, 0.25))  # the fifth rank is the server
        laws, notes = scaling.laws_of(figures)
        self.assertEqual([n for n, _ in laws["ring"][1]], [1, 2, 4])
        self.assertEqual(laws["ring"][0]["Gunther"].sigma, 0)
        self.assertEqual(notes, ["ps-sync: Gunther cannot be fitted: 2 points have a core for each rank"])

    def test_what_no_law_describes_is_said(self):
        """Two workers slower than one: Amdahl's law has its worst, sigma 1, and is far off."""
        figures, _ = scaling.read(self.written([summary("hogwild", 1, 100.0), summary("hogwild", 2, 20.0)]))
        laws, notes = scaling.laws_of(figures)
        self.assertEqual(laws["hogwild"][0]["Amdahl"].sigma, 1)
        self.assertEqual(notes[1], "hogwild: more workers are slower, which Amdahl's law cannot say")

    def test_median_of_seeds(self):
        runs = [summary("ring", 2, speed, seed=k, loss=loss)
                for k, (speed, loss) in enumerate(((90.0, 0.3), (100.0, 0.1), (500.0, 0.2)))]
        figures, _ = scaling.read(self.written(runs))
        self.assertEqual(figures["ring"][2], (100.0, True, 0.2))

    def printed(self, folder):
        printed = io.StringIO()
        arguments, sys.argv = sys.argv, ["scaling.py", folder]
        try:
            with contextlib.redirect_stdout(printed):
                scaling.main()
        finally:
            sys.argv = arguments
        return [line.split() for line in printed.getvalue().splitlines()]

    def test_share_of_the_limit(self):
        """Three quarters of what copies do; none where ranks share cores, or no copies ran."""
        runs = [summary("ring", n, 75.0 * n) for n in (2, 3, 8)]
        folder = self.written(runs)
        self.assertEqual(scaling.read_limit(folder), ({}, []))
        limit = {"1": {"samples_per_second": 110.0, "overlap": 1.0, "even": 110.0},
                 "2": {"samples_per_second": 200.0, "overlap": 0.5, "even": 160.0},
                 "8": {"samples_per_second": 200.0, "overlap": 0.95, "even": 200.0}}
        (pathlib.Path(folder) / "limit.json").write_text(json.dumps(limit))
        lines = self.printed(folder)
        self.assertIn(["independent", "copies:", "the", "limit", "1", "110", "1.00", "1.00", "-"], lines)
        self.assertIn(["ring", "2", "150", "0.75", "0.94", "0.25"], lines)
        self.assertIn(["ring", "3", "225", "-", "-", "0.25"], lines)
        self.assertIn(["ring", "8", "600", "-", "-", "0.25"], lines)
        said = [" ".join(line) for line in lines if line[:2] == ["note:", "limit:"]]
        self.assertEqual(len(said), 1)
        self.assertIn("2 copies trained together for 50% of", said[0])

    def test_what_is_printed(self):
        law = scaling.Law(1e5, 0.05, 0.002)
        runs = [summary("ring", n, law.throughput(n)) for n in (1, 2, 4)]
        lines = self.printed(self.written(runs))
        gunther = next(line for line in lines if "Gunther" in line)
        self.assertEqual(gunther, ["ring", "Gunther", "1,", "2,", "4", "0.050", "0.002", "0.0", "%",
                                   "13.9", "21.8", "740", "k"])


if __name__ == "__main__":
    unittest.main()

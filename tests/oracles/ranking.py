#!/usr/bin/env python3
"""What scikit-learn says of seeded rankings of one class against the others, for ranking.json.

    ranking.py > ranking.json

Twenty-four cases: ties in every second, weights in every third, some of them 0. Nothing of Trainyard's.
"""

import json

import numpy
from sklearn import metrics

SEED = 20261128


def case(random, number):
    rows = int(random.integers(4, 40))
    is_own = numpy.zeros(rows, dtype=bool)
    is_own[: int(random.integers(1, rows))] = True
    values = random.integers(-5, 6, size=rows) / 8 if number % 2 == 0 else random.normal(size=rows)
    weights = None
    if number % 3 == 0:
        weights = (random.integers(0, 5, size=rows) / 2).astype(float)
        weights[[0, -1]] = 1.5
    by = {"sample_weight": weights}
    # Every threshold, and the point at which no row is above it.
    false_rate, true_rate, thresholds = metrics.roc_curve(is_own, values, drop_intermediate=False, **by)
    precision, recall, upwards = metrics.precision_recall_curve(is_own, values, **by)
    assert numpy.array_equal(upwards[::-1], thresholds[1:]) and numpy.allclose(recall[::-1], true_rate)
    return {
        "own": values[is_own].tolist(),
        "others": values[~is_own].tolist(),
        "own_weights": None if weights is None else weights[is_own].tolist(),
        "other_weights": None if weights is None else weights[~is_own].tolist(),
        "roc_auc": float(metrics.roc_auc_score(is_own, values, **by)),
        "average_precision": float(metrics.average_precision_score(is_own, values, **by)),
        "threshold": thresholds[1:].tolist(),
        "recall": true_rate[1:].tolist(),
        "false_positive_rate": false_rate[1:].tolist(),
        "precision": precision[::-1][1:].tolist(),
    }


def main():
    random = numpy.random.default_rng(SEED)
    print(json.dumps([case(random, number) for number in range(24)]))


main()

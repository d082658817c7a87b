#!/usr/bin/env python3
"""The sizes of scikit-learn's GroupKFold for seeded groups, for group_folds.json.

    group_folds.py > group_folds.json

Groups are numbered as they first occur. Nothing of Trainyard's.
"""

import json

import numpy
from sklearn.model_selection import GroupKFold

SEED = 20261127


def case(random, rows, groups, folds):
    # Of very unequal sizes, as users are.
    chances = random.pareto(1.2, groups) + 0.05
    drawn = random.choice(groups, size=rows, p=chances / chances.sum())
    first = {}
    numbers = [first.setdefault(group, len(first)) for group in drawn.tolist()]
    held_out = [rows for _, rows in GroupKFold(folds).split(drawn, groups=numbers)]
    return {"groups": numbers, "folds": folds, "sizes": [len(rows) for rows in held_out]}


random = numpy.random.default_rng(SEED)
shapes = [(200, 40, 2), (200, 40, 5), (300, 60, 8), (120, 12, 4), (500, 200, 16), (90, 30, 3), (64, 6, 2)]
print(json.dumps([case(random, *shape) for shape in shapes]))

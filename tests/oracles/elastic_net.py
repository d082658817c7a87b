#!/usr/bin/env python3
"""Optima of logistic regression with an elastic net on the sets of tests/data_sets, for elastic_net.json.

    elastic_net.py > elastic_net.json

F(w) = (1/n) Σ log(1 + exp(−y_i w·x_i)) + (λ/2)|w|² + μ|w|₁, no intercept: scikit-learn's
LogisticRegression with C = 1/(n(λ + μ)) and l1_ratio = μ/(λ + μ), by SAGA to a tolerance of 1e-10.
"""

import json
import pathlib
import warnings

import numpy
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

warnings.filterwarnings("error")  # no convergence


def optimum(file, l2, l1):
    x, y = load_svmlight_file(str(file))
    x, n = x.toarray(), len(y)
    solver = LogisticRegression(
        penalty="elasticnet",
        solver="saga",
        C=1 / (n * (l2 + l1)),
        l1_ratio=l1 / (l2 + l1),
        fit_intercept=False,
        tol=1e-10,
        max_iter=1_000_000,
        random_state=0,
    )
    w = solver.fit(x, y).coef_[0]
    loss = numpy.logaddexp(0, -y * (x @ w)).mean()
    return {
        "rows": n,
        "features": x.shape[1],
        "l2": l2,
        "l1": l1,
        "objective": loss + l2 / 2 * (w @ w) + l1 * abs(w).sum(),
        "nonzero": int((w != 0).sum()),
    }


folder = pathlib.Path(__file__).resolve().parent.parent / "data_sets"
cases = [
    {"file": name, **optimum(folder / name, l2, l1)}
    for name, l2, l1 in [
        ("heart_scale/heart_scale.gz", 1e-3, 1e-2),
        ("heart_scale/heart_scale.gz", 1e-2, 5e-2),
        ("a9a-2000.gz", 1e-3, 1e-3),
        ("a9a-2000.gz", 0.0, 1e-2),
    ]
]
print(json.dumps({"logistic": cases}, indent=1))

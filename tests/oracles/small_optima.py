#!/usr/bin/env python3
"""Optima of regularised logistic regression on the sets of tests/data_sets, for small_optima.json.

    small_optima.py > small_optima.json     computes them anew
    small_optima.py FILE.gz L2              one line for any LIBSVM file with labels -1 and +1

F(w) = (1/n) Σ log(1 + exp(−y_i w·x_i)) + (λ/2)|w|², no intercept. Newton's method with exact Hessian
and Cholesky factor, sums by math.fsum, until the gradient's norm is below 1e-13; then
F(w) − F(w*) <= |∇F|²/2λ is below 1e-21. Nothing but Python's standard library, and nothing of Trainyard's.
"""

import gzip
import json
import math
import pathlib
import struct
import sys


def read(file):
    """Rows of (label, [(column, value)…]) and the number of columns."""
    rows = []
    with gzip.open(file, "rt") as lines:
        for line in lines:
            label, *pairs = line.split()
            pairs = [pair.split(":") for pair in pairs]
            rows.append((float(label), [(int(i) - 1, float(x)) for i, x in pairs]))
    return rows, 1 + max(column for _, row in rows for column, _ in row)


def in_single(rows):
    """The same with values rounded to floats, as programs keep them."""
    return [(label, [(j, struct.unpack("f", struct.pack("f", x))[0]) for j, x in row]) for label, row in rows]


def margins(rows, w):
    return [label * math.fsum(w[j] * x for j, x in row) for label, row in rows]


def objective(rows, w, l2):
    loss = math.fsum(
        math.log1p(math.exp(-abs(m))) + max(-m, 0.0) for m in margins(rows, w)
    )
    return loss / len(rows) + l2 / 2 * math.fsum(x * x for x in w)


def derivatives(rows, w, l2):
    n, d = len(rows), len(w)
    terms = [[l2 * x] for x in w]
    hessian = [[0.0] * d for _ in range(d)]
    for (label, row), m in zip(rows, margins(rows, w)):
        p = 1 / (1 + math.exp(m)) if m < 700 else 0.0
        for j, x in row:
            terms[j].append(-label * p * x / n)
        weight = p * (1 - p) / n
        for j, x in row:
            line = hessian[j]
            for k, y in row:
                line[k] += weight * x * y
    for j in range(d):
        hessian[j][j] += l2
    return [math.fsum(t) for t in terms], hessian


def solve(a, b):
    """a x = b for a symmetric positive definite a."""
    d = len(b)
    factor = [[0.0] * d for _ in range(d)]
    for i in range(d):
        for j in range(i + 1):
            rest = a[i][j] - math.fsum(factor[i][k] * factor[j][k] for k in range(j))
            factor[i][j] = math.sqrt(rest) if i == j else rest / factor[j][j]
    x = list(b)
    for i in range(d):
        x[i] = (x[i] - math.fsum(factor[i][k] * x[k] for k in range(i))) / factor[i][i]
    for i in reversed(range(d)):
        x[i] = (x[i] - math.fsum(factor[k][i] * x[k] for k in range(i + 1, d))) / factor[i][i]
    return x


def optimum(file, l2):
    rows, features = read(file)
    w, norm = minimum(rows, features, l2)
    rounded = in_single(rows)
    return {
        "rows": len(rows),
        "features": features,
        "l2": l2,
        "objective": objective(rows, w, l2),
        "objective_of_floats": objective(rounded, minimum(rounded, features, l2)[0], l2),
        "norm": math.sqrt(math.fsum(x * x for x in w)),
        "accuracy": sum(m > 0 for m in margins(rows, w)) / len(rows),
        "gradient_norm": norm,
    }


def minimum(rows, features, l2):
    """The weights, and the length of the gradient that is left."""
    w = [0.0] * features
    for _ in range(100):
        gradient, hessian = derivatives(rows, w, l2)
        norm = math.sqrt(math.fsum(g * g for g in gradient))
        if norm < 1e-13:
            break
        step = solve(hessian, gradient)
        length, now = 1.0, objective(rows, w, l2)
        slope = math.fsum(g * s for g, s in zip(gradient, step))
        while length > 1e-6 and slope * length > 1e-12 and (
            objective(rows, [x - length * s for x, s in zip(w, step)], l2)
            > now - 1e-4 * length * slope
        ):
            length /= 2
        w = [x - length * s for x, s in zip(w, step)]
    else:
        sys.exit("no convergence")
    return w, norm


def main():
    if len(sys.argv) == 3:
        print(json.dumps(optimum(sys.argv[1], float(sys.argv[2]))))
        return
    folder = pathlib.Path(__file__).resolve().parent.parent / "data_sets"
    cases = []
    for name, l2 in [
        ("heart_scale/heart_scale.gz", 1e-2),
        ("heart_scale/heart_scale.gz", 1e-4),
        ("a9a-2000.gz", 1e-2),
        ("a9a-2000.gz", 1e-3),
        ("a9a-2000.gz", 1e-4),
    ]:
        cases.append({"file": name, **optimum(folder / name, l2)})
    print(json.dumps({"logistic": cases}, indent=1))


main()

#!/usr/bin/env python3
"""Robust aggregation rules from their definitions, with NumPy's long doubles, for robust_aggregation.json.

    robust_aggregation.py > robust_aggregation.json

SEVEN and BYZFL were not worked out here: the first are seven vectors in the plane, the last two of them lies,
with what another hand computed of them; the second are the examples in the documentation of ByzFL's classes at
0393b669 (preaggregators: 2bada518, attacks: 16cd795b). What differs from them is an error of this script, which
stops. Nothing of Trainyard's.
"""

import itertools
import json
import statistics

import numpy

REAL = numpy.longdouble

SEVEN = {
    "vectors": [[1, 2], [1.5, 1], [0.5, 2.5], [2, 2], [1, 1.5], [10, -8], [9, -9]],
    "results": {
        "mean": [3.5714285714285716, -1.1428571428571428],
        "median": [1.5, 1.5],
        "trimmed-mean:2": [1.5, 1.5],
        "mean-around-median:2": [1.2, 1.8],
        "krum:2": [1.0, 2.0],
        "multi-krum:2": [1.2, 1.8],
        "multi-krum:2:5": [1.2, 1.8],
        "geometric-median:0.1:3": [1.4842342507106652, 1.2589971015744683],
        "geometric-median:0.1:8": [1.427109926546419, 1.3819267002782833],
        "geometric-median:1e-6:1000": [1.4104331902889475, 1.4063900089986008],
        "centered-clip:1": [0.6035946561453344, 0.37672332995706925],
        "centered-clip:1:3": [1.3560640699803375, 1.09588925465362],
        "centered-clip:1e300": [3.5714285714285716, -1.1428571428571428],
        "nnm:2+mean": [2.1999999999999997, 0.5714285714285714],
        "nnm:2+trimmed-mean:2": [1.2, 1.8],
    },
    # Buckets of two of the vectors as they stand.
    "buckets": [[1.25, 1.5], [1.25, 2.25], [5.5, -3.25], [9, -9]],
    "median of buckets": [3.375, -0.875],
    "attacks": {
        "ipm:0.1": [-0.12, -0.18000000000000002],
        "alie:1.5": [0.3448684311756465, 0.9448684311756466],
    },
    # Of workers and liars.
    "z": [
        [25, 5, 0.2533471031357998],
        [20, 5, 0.2533471031357998],
        [50, 12, 0.336038140371823],
        [51, 24, 1.4461035929181751],
    ],
}

BYZFL = {
    "vectors": [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
    "digits": 8,
    "results": {
        "mean": [4, 5, 6],
        "median": [4, 5, 6],
        "trimmed-mean:1": [4, 5, 6],
        "geometric-median:0.1:3": [3.78788764, 4.78788764, 5.78788764],
        "krum:1": [1, 2, 3],
        "multi-krum:1": [2.5, 3.5, 4.5],
        "centered-clip:100:1": [4, 5, 6],
        "mda:1": [2.5, 3.5, 4.5],
        "mean-around-median:1": [2.5, 3.5, 4.5],
    },
    "steps": {
        "nnm:1": [[2.5, 3.5, 4.5], [2.5, 3.5, 4.5], [5.5, 6.5, 7.5]],
        "clip:2": [
            [0.53452248, 1.06904497, 1.60356745],
            [0.91168461, 1.13960576, 1.36752692],
            [1.00514142, 1.14873305, 1.29232469],
        ],
        "arc:1": [[1, 2, 3], [4, 5, 6], [4.41004009, 5.04004582, 5.67005155]],
    },
}


def norms(v):
    return numpy.sqrt((v * v).sum(axis=-1))


def squared_distances(v):
    return ((v[:, None, :] - v[None, :, :]) ** 2).sum(axis=2)


def mean_near_median(v, kept):
    gaps = numpy.abs(v - numpy.median(v, axis=0))
    order = numpy.argsort(gaps, axis=0, kind="stable")[:kept]
    return numpy.take_along_axis(v, order, axis=0).mean(axis=0)


def krum_scores(distances, left, f):
    scores = []
    for i in left:
        others = sorted(distances[i, j] for j in left if j != i)
        scores.append(sum(others[: max(1, len(left) - f - 2)]))
    return scores


def multi_krum(v, f, m):
    scores = krum_scores(squared_distances(v), range(len(v)), f)
    return v[numpy.argsort(numpy.array(scores), kind="stable")[:m]].mean(axis=0)


def bulyan(v, f):
    distances, left, picked = squared_distances(v), list(range(len(v))), []
    while len(picked) < len(v) - 2 * f:
        scores = krum_scores(distances, left, f)
        picked.append(left.pop(scores.index(min(scores))))
    return mean_near_median(v[sorted(picked)], len(v) - 4 * f)


def geometric_median(v, nu, steps):
    z = numpy.zeros_like(v[0])
    for _ in range(steps):
        w = 1 / numpy.maximum(REAL(nu), norms(v - z))
        z = (w[:, None] * v).sum(axis=0) / w.sum()
    return z


def centered_clip(v, tau, steps):
    z = numpy.zeros_like(v[0])
    for _ in range(steps):
        far = norms(v - z)
        factor = numpy.where(far > tau, tau / numpy.where(far > 0, far, 1), 1)
        z = z + (factor[:, None] * (v - z)).mean(axis=0)
    return z


def mda(v, f):
    distances = squared_distances(v)
    sets = itertools.combinations(range(len(v)), len(v) - f)
    return v[list(min(sets, key=lambda s: max(distances[i, j] for i in s for j in s)))].mean(axis=0)


def shortened(v, most):
    length = norms(v)
    return numpy.where(length > most, most / numpy.where(length > 0, length, 1), 1)[:, None] * v


def nnm(v, f):
    nearest = numpy.argsort(squared_distances(v), axis=1, kind="stable")[:, : len(v) - f]
    return numpy.array([v[row].mean(axis=0) for row in nearest])


def arc(v, f):
    n = len(v)
    return shortened(v, numpy.sort(norms(v))[n - 1 - (2 * f * (n - f)) // n])


RULES = {
    "mean": lambda v: v.mean(axis=0),
    "median": lambda v: numpy.median(v, axis=0),
    "trimmed-mean": lambda v, f: numpy.sort(v, axis=0)[f : len(v) - f].mean(axis=0),
    "mean-around-median": lambda v, f: mean_near_median(v, len(v) - f),
    "krum": lambda v, f: multi_krum(v, f, 1),
    "multi-krum": lambda v, f, m=None: multi_krum(v, f, len(v) - f if m is None else m),
    "bulyan": bulyan,
    "geometric-median": geometric_median,
    "centered-clip": lambda v, tau, steps=1: centered_clip(v, tau, steps),
    "mda": mda,
    "nnm": nnm,
    "arc": arc,
    "clip": shortened,
}
OF_NUMBERS = {"geometric-median", "centered-clip", "clip"}


def applied(text, v):
    for part in text.split("+"):
        name, *arguments = part.split(":")
        if name in OF_NUMBERS:
            arguments = [REAL(arguments[0])] + [int(a) for a in arguments[1:]]
        else:
            arguments = [int(a) for a in arguments]
        v = RULES[name](v, *arguments)
    return v


def check(sample, tolerance):
    v = numpy.array(sample["vectors"], dtype=REAL)
    for text, expected in {**sample["results"], **sample.get("steps", {})}.items():
        error = numpy.abs(applied(text, v) - numpy.array(expected, dtype=REAL)).max()
        assert error <= tolerance, (text, error)


def number(value):
    return f"{value:g}".replace("e+", "e")  # + joins steps


def texts(n, f, scale):
    rules = ["mean", "median", f"trimmed-mean:{f}", f"mean-around-median:{f}", f"mda:{f}"]
    rules += ["trimmed-mean:0", "mean-around-median:0", "mda:0"]
    if n >= 2 * f + 3:
        rules += [f"krum:{f}", f"multi-krum:{f}", f"multi-krum:{f}:2", f"multi-krum:{f}:{n}"]
    if n >= 4 * f + 3:
        rules += [f"bulyan:{f}", "bulyan:1"]
    for nu, steps in [(0.1, 1), (0.1, 3), (0.1, 8), (1e-3, 40)]:
        rules.append(f"geometric-median:{number(nu * scale)}:{steps}")
    for tau, steps in [(0.5, 1), (2, 1), (1, 3), (1e6, 2)]:
        rules.append(f"centered-clip:{number(tau * scale)}:{steps}")
    rules += [f"nnm:{f}+trimmed-mean:{f}", f"arc:{f}+nnm:{f}+median", f"clip:{number(scale)}+mean"]
    return rules, [f"nnm:{f}", "nnm:0", f"arc:{f}", f"clip:{number(scale)}", f"clip:{number(2 * scale)}"]


def case(name, vectors, f, scale=1.0, without=()):
    """`scale`: of the honest vectors, for tolerances. `without`: beginnings of texts left out."""
    v = numpy.array(vectors, dtype=float)
    rules, steps = ([t for t in all if not t.startswith(tuple(without))] for all in texts(len(v), f, scale))
    return {
        "name": name,
        "vectors": v.tolist(),
        "scale": scale,
        "results": {t: [float(x) for x in applied(t, v.astype(REAL))] for t in rules},
        "steps": {t: applied(t, v.astype(REAL)).astype(float).tolist() for t in steps},
    }


def cases():
    random = numpy.random.default_rng(3)
    yield case("random, odd", random.normal(size=(11, 5)), 2)
    yield case("random, even", random.normal(size=(12, 3)), 2)
    yield case("n = 2f + 3", random.normal(size=(9, 4)) + 1, 3)
    yield case("n = 2f + 1", random.normal(size=(7, 2)), 3)
    yield case("one number", random.normal(size=(10, 1)), 2)
    yield case("two vectors", random.normal(size=(2, 3)), 0)
    yield case("one vector", random.normal(size=(1, 3)), 0)
    # Whole numbers, whose distances and gaps are the same in any precision, and often equal; what ARC makes of them is not whole.
    tie = ["arc:2+", "arc:3+"]
    yield case("ties", random.integers(-2, 3, size=(11, 4)), 2, without=tie)
    yield case("ties, even", random.integers(-2, 3, size=(12, 4)), 2, without=tie)
    yield case("ties, n = 2f + 3", random.integers(0, 2, size=(9, 3)), 3, without=tie)
    yield case("equal", numpy.tile([0.1, -0.7, 1 / 3], (11, 1)), 2)
    far = random.normal(size=(11, 3))
    far[3] *= 1e9
    yield case("one far away", far, 2)
    lies = random.normal(size=(11, 3))
    lies[0] = 1e200
    lies[7] = -1e250
    # To a lie all others are as far in double; lies cut to 1e6 leave what their difference is rounded to.
    yield case("longer than squares can be", lies, 2, without=["nnm:2", "centered-clip:1e06", "nnm:0"])
    yield case("large", random.normal(size=(11, 3)) * 1e100, 2, scale=1e100)
    yield case("small", random.normal(size=(11, 3)) * 1e-100, 2, scale=1e-100)
    near = random.normal(size=(11, 6))
    near[9:] = near[:9].mean(axis=0) - 1.5 * near[:9].std(axis=0, ddof=1)
    yield case("a little is enough", near, 2)
    yield case("many", random.normal(size=(33, 2)), 3)


def main():
    check(SEVEN, 1e-12)
    check(BYZFL, 0.6e-8)
    normal = statistics.NormalDist()
    for n, f, z in SEVEN["z"]:
        s = n // 2 + 1 - f
        assert abs(normal.inv_cdf((n - f - s) / (n - f)) - z) < 1e-12
    result = {"seven": SEVEN, "byzfl": BYZFL, "cases": list(cases())}
    print(json.dumps(result, ensure_ascii=False))


if __name__ == "__main__":
    main()

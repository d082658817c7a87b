#!/usr/bin/env python3
"""Gradient noise from its definitions, row by row with NumPy, for gradient_noise.json.

    gradient_noise.py > gradient_noise.json

Two small problems, all of whose numbers are multiples of 1/64 and so the same in any precision: quadratics
f_r(x) = ½ Σ h_j (x_j − b_j)², and logistic regression with a regulariser, at a given point, with rows divided
unequally among workers. Nothing of Trainyard's.
"""

import json

import numpy

STEP = 64


def rounded(values):
    return numpy.round(values * STEP) / STEP


def measures(gradients, parts, weights):
    """gradients: [rows, d]; parts: rows of each worker; weights p_i of the workers."""
    n = len(gradients)
    own = [gradients[part].mean(axis=0) for part in parts]
    minimised = sum(p * g for p, g in zip(weights, own))
    row_variance = sum(
        p * numpy.mean(numpy.sum((gradients[part] - g) ** 2, axis=1))
        for p, g, part in zip(weights, own, parts)
    )
    worker_variance = sum(
        p * numpy.sum((g - minimised) ** 2) for p, g in zip(weights, own)
    )
    squares = numpy.sum(gradients**2)
    diversity = squares / numpy.sum(gradients.sum(axis=0) ** 2)
    # McCandlish et al. 2018, appendix A.1, with b = 1 and B = n.
    small, large = squares / n, numpy.sum(gradients.mean(axis=0) ** 2)
    signal = (n * large - 1 * small) / (n - 1)
    noise = (small - large) / (1 / 1 - 1 / n)
    return {
        "row_variance": row_variance,
        "worker_variance": worker_variance,
        "gradient_diversity": diversity,
        "batch_bound": 1 + n * diversity,
        "noise_scale_signal": signal,
        "noise_scale_noise": noise,
        "noise_scale": noise / signal if signal > 0 else None,
    }


def case(features, labels, l2, point, parts, gradients):
    n = len(features)
    return {
        "features": features.tolist(),
        "labels": [int(y) for y in labels],
        "l2": l2,
        "point": point.tolist(),
        "parts": [part.tolist() for part in parts],
        "workers": measures(gradients, parts, [1 / len(parts)] * len(parts)),
        "rows": measures(gradients, parts, [len(part) / n for part in parts]),
    }


def divide(n, sizes, generator):
    order = generator.permutation(n)
    return numpy.split(order, numpy.cumsum(sizes)[:-1])


def quadratic(generator):
    h = rounded(generator.uniform(0.25, 2.0, (24, 3)))
    b = rounded(generator.normal(size=(24, 3)))
    point = rounded(generator.normal(size=3))
    parts = divide(24, [12, 7, 5], generator)
    features = numpy.hstack([h, b])
    return case(features, numpy.zeros(24), 0.0, point, parts, h * (point - b))


def logistic(generator):
    x = rounded(generator.normal(size=(60, 5)))
    truth = generator.normal(size=5)
    y = numpy.where(x @ truth + generator.logistic(size=60) > 0, 1, 0)
    point = rounded(0.5 * generator.normal(size=5))
    l2 = 0.0625
    sign = 2.0 * y - 1.0
    slopes = -sign / (1.0 + numpy.exp(sign * (x @ point)))
    gradients = slopes[:, None] * x + l2 * point
    # Sorted by label, so that workers are unlike.
    order = numpy.argsort(y, kind="stable")
    parts = numpy.split(order, [30, 45])
    return case(x, y, l2, point, parts, gradients)


def main():
    generator = numpy.random.default_rng(7)
    cases = {"quadratic": quadratic(generator), "logistic": logistic(generator)}
    print(json.dumps(cases, separators=(",", ":")))


main()

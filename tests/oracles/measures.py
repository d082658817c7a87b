#!/usr/bin/env python3
"""What scikit-learn says of seeded predictions, for measures.json.

    measures.py > measures.json

Fifty cases of classes, with ties among probabilities and classes that no row has or no row is said to be; ten of real
labels; thirty more with weights of rows, some of them 0. Nothing of Trainyard's.
"""

import json
import warnings

import numpy
from sklearn import metrics
from sklearn.calibration import calibration_curve

warnings.simplefilter("ignore")
SEED = 20261127


def drawn_probabilities(random, rows, classes, tied):
    weights = random.integers(1, 5 if tied else 1000, size=(rows, classes)).astype(float)
    return weights / weights.sum(axis=1, keepdims=True)


def area(function, labels, scores, of, weights=None):
    own = labels == of
    counts = numpy.ones(len(labels)) if weights is None else weights
    if counts[own].sum() == 0 or counts[~own].sum() == 0:
        return None
    return float(function(own, scores, sample_weight=weights))


def calibration(labels, p):
    bins = numpy.linspace(0.0, 1.0, 11)
    fraction, mean = calibration_curve(labels == 1, p, n_bins=10)
    rows = numpy.histogram(numpy.searchsorted(bins[1:-1], p), bins=numpy.arange(11))[0]
    return {"rows": rows.tolist(), "fraction": fraction.tolist(), "mean": mean.tolist()}


def class_case(random, number):
    classes = int(random.integers(2, 6))
    rows = int(random.integers(4, 60))
    present = classes if number % 5 else max(1, classes - 1)
    labels = random.integers(0, present, size=rows)
    p = drawn_probabilities(random, rows, classes, tied=number % 2 == 0)
    predicted = p.argmax(axis=1)
    names = list(range(classes))
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        labels, predicted, labels=names, zero_division=0
    )
    macro = metrics.precision_recall_fscore_support(labels, predicted, average="macro", zero_division=0)
    onehot = numpy.eye(classes)[labels]
    squares = ((p - onehot) ** 2).sum(axis=1).mean()
    case = {
        "classes": classes,
        "labels": labels.tolist(),
        "predicted": predicted.tolist(),
        "probabilities": p.ravel().tolist(),
        "accuracy": metrics.accuracy_score(labels, predicted),
        "loss": metrics.log_loss(labels, p, labels=names),
        "brier": metrics.brier_score_loss(labels, p[:, 1], pos_label=1) if classes == 2 else squares,
        "confusion": metrics.confusion_matrix(labels, predicted, labels=names).ravel().tolist(),
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "f1": f1.tolist(),
        "support": support.tolist(),
        "macro": [float(value) for value in macro[:3]],
        "roc_auc": [area(metrics.roc_auc_score, labels, p[:, k], k) for k in names],
        "average_precision": [area(metrics.average_precision_score, labels, p[:, k], k) for k in names],
        "macro_auc": metrics.roc_auc_score(labels, p, multi_class="ovr")
        if classes > 2 and len(set(labels.tolist())) == classes
        else None,
    }
    if classes == 2 and len(set(labels.tolist())) == 2:
        case["calibration"] = calibration(labels, p[:, 1])
    return case


def drawn_weights(random, rows, number):
    """Every third case has weights 0 and 1 alone; the first weight is never 0."""
    if number % 3 == 0:
        weights = random.integers(0, 2, size=rows).astype(float)
    else:
        weights = random.exponential(size=rows) * (random.random(size=rows) > 0.2)
    weights[0] = 1.5
    return weights.astype(numpy.float32).astype(float)


def weighted_calibration(labels, p, weights):
    """scikit-learn's calibration_curve, which takes no weights, with its bins."""
    places = numpy.searchsorted(numpy.linspace(0.0, 1.0, 11)[1:-1], p)
    sums = [numpy.bincount(places, weights=weights * of, minlength=10) for of in (numpy.ones(len(p)), labels == 1, p)]
    filled = sums[0] > 0
    return {
        "weight": sums[0].tolist(),
        "fraction": (sums[1][filled] / sums[0][filled]).tolist(),
        "mean": (sums[2][filled] / sums[0][filled]).tolist(),
    }


def weighted_case(random, number):
    classes = int(random.integers(2, 5))
    rows = int(random.integers(4, 60))
    # Some with a single class.
    present = 1 if number % 7 == 6 else classes
    labels = random.integers(0, present, size=rows)
    p = drawn_probabilities(random, rows, classes, tied=number % 2 == 0)
    weights = drawn_weights(random, rows, number)
    predicted = p.argmax(axis=1)
    names = list(range(classes))
    by = {"sample_weight": weights}
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        labels, predicted, labels=names, zero_division=0, **by
    )
    macro = metrics.precision_recall_fscore_support(labels, predicted, average="macro", zero_division=0, **by)
    squares = numpy.average(((p - numpy.eye(classes)[labels]) ** 2).sum(axis=1), weights=weights)
    areas = [area(metrics.roc_auc_score, labels, p[:, k], k, weights) for k in names]
    case = {
        "classes": classes,
        "labels": labels.tolist(),
        "predicted": predicted.tolist(),
        "probabilities": p.ravel().tolist(),
        "weights": weights.tolist(),
        "accuracy": metrics.accuracy_score(labels, predicted, **by),
        "loss": metrics.log_loss(labels, p, labels=names, **by),
        "brier": metrics.brier_score_loss(labels, p[:, 1], pos_label=1, **by) if classes == 2 else squares,
        "confusion": metrics.confusion_matrix(labels, predicted, labels=names, **by).ravel().tolist(),
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "f1": f1.tolist(),
        "support": support.tolist(),
        "macro": [float(value) for value in macro[:3]],
        "roc_auc": areas,
        "average_precision": [area(metrics.average_precision_score, labels, p[:, k], k, weights) for k in names],
        "macro_auc": float(metrics.roc_auc_score(labels, p, multi_class="ovr", **by))
        if classes > 2 and None not in areas
        else None,
    }
    if classes == 2:
        case["calibration"] = weighted_calibration(labels, p[:, 1], weights)
    return case


def weighted_real_case(random, number):
    rows = int(random.integers(2, 50))
    labels = (random.normal(size=rows) * 3 + 1e4).astype(numpy.float32).astype(float)
    predictions = labels + random.normal(size=rows)
    weights = drawn_weights(random, rows, number)
    weights[1] = 0.25
    by = {"sample_weight": weights}
    return {
        "labels": labels.tolist(),
        "predictions": predictions.tolist(),
        "weights": weights.tolist(),
        "mse": metrics.mean_squared_error(labels, predictions, **by),
        "mae": metrics.mean_absolute_error(labels, predictions, **by),
        "r2": metrics.r2_score(labels, predictions, **by),
    }


def real_case(random):
    rows = int(random.integers(2, 50))
    labels = (random.normal(size=rows) * 3 + 1e4).astype(numpy.float32).astype(float)
    predictions = labels + random.normal(size=rows)
    return {
        "labels": labels.tolist(),
        "predictions": predictions.tolist(),
        "mse": metrics.mean_squared_error(labels, predictions),
        "mae": metrics.mean_absolute_error(labels, predictions),
        "r2": metrics.r2_score(labels, predictions),
    }


random = numpy.random.default_rng(SEED)
cases = {"classes": [class_case(random, i) for i in range(50)], "real": [real_case(random) for _ in range(10)]}
cases["weighted"] = [weighted_case(random, i) for i in range(20)]
cases["weighted_real"] = [weighted_real_case(random, i) for i in range(10)]
print(json.dumps(cases))

#!/usr/bin/env python3
"""Optima of regularised logistic and softmax regression with weights of rows, for weighted_optima.json.

    weighted_optima.py > weighted_optima.json

F(w, b) = (1/n) Σ ω_i loss_i + (λ/2)|w|², the ω divided by their mean, the intercept b not regularised: scikit-learn's
objective with C = 1/(λ Σ ω). A twelfth and less of the rows is of the rarest class. Nothing of Trainyard's.
"""

import json

import numpy
from sklearn import metrics
from sklearn.linear_model import LogisticRegression

SEED = 20261127
ROWS, FEATURES, L2 = 360, 5, 1e-2


def drawn_rows(random, shares):
    labels = random.choice(len(shares), size=ROWS, p=shares)
    centres = random.normal(size=(len(shares), FEATURES)) * 0.8
    return numpy.round(centres[labels] + random.normal(size=(ROWS, FEATURES)), 3), labels


def objective(model, rows, labels, weights):
    scores = model.decision_function(rows)
    if scores.ndim == 1:
        losses = numpy.logaddexp(0, numpy.where(labels == 1, -scores, scores))
    else:
        losses = numpy.logaddexp.reduce(scores, axis=1) - scores[numpy.arange(len(labels)), labels]
    return numpy.average(losses, weights=weights) + L2 / 2 * (model.coef_**2).sum()


def case(random, classes, class_weight):
    shares = [0.93, 0.07] if classes == 2 else [0.75, 0.17, 0.08]
    rows, labels = drawn_rows(random, shares)
    weights = numpy.round(random.exponential(size=ROWS), 3) if class_weight is None else numpy.ones(ROWS)
    counts = numpy.bincount(labels)
    if class_weight == "balanced":
        by_class = ROWS / (classes * counts)
    else:
        by_class = numpy.array([(class_weight or {}).get(k, 1) for k in range(classes)], dtype=float)
    all_weights = weights * by_class[labels]
    model = LogisticRegression(C=1 / (L2 * all_weights.sum()), class_weight=class_weight, tol=1e-12, max_iter=10000)
    model.fit(rows, labels, sample_weight=weights)
    said = model.predict(rows)
    return {
        "classes": classes,
        "class_weight": class_weight
        if isinstance(class_weight, (str, type(None)))
        else ",".join(f"{k}:{w}" for k, w in class_weight.items()),
        "l2": L2,
        "rows": rows.ravel().tolist(),
        "labels": labels.tolist(),
        "weights": weights.tolist() if class_weight is None else [],
        "objective": objective(model, rows, labels, all_weights),
        "recall": metrics.recall_score(labels, said, average=None).tolist(),
        "balanced_accuracy": metrics.balanced_accuracy_score(labels, said),
        "weighted_accuracy": metrics.accuracy_score(labels, said, sample_weight=all_weights),
    }


random = numpy.random.default_rng(SEED)
cases = [
    case(random, 2, "balanced"),
    case(random, 3, "balanced"),
    case(random, 2, None),
    case(random, 3, None),
    case(random, 2, {0: 1, 1: 5}),
]
print(json.dumps({"features": FEATURES, "cases": cases}))

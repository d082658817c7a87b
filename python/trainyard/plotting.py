"""Curves by matplotlib."""

import numpy as np

from .errors import UsageError

#: Other words for the axes.
SYNONYMS = {"time": "seconds", "epochs": "epoch", "steps": "step", "bytes": "bytes_sent"}

LABELS = {"seconds": "time of the run, s", "epoch": "passes over the data", "step": "steps of a worker",
          "bytes_sent": "bytes sent, all ranks", "train_loss": "training loss", "test_loss": "test loss",
          "test_accuracy": "test accuracy", "consensus_distance": "consensus distance"}


def _groups(comparison, chosen):
    """The runs that differ in their seeds alone, by what they are called; `chosen`: at one value of what varies."""
    groups = {}
    for run in comparison.select(**chosen) if chosen else comparison.runs:
        point = ", ".join(f"{name} {text}" for name, text in run.varied.items() if name.replace("-", "_") not in chosen)
        groups.setdefault(f"{run.label}, {point}" if point else run.label, []).append(run.curves)
    return groups


def _column(curves, name):
    name = SYNONYMS.get(name, name)
    if name not in curves or curves[name].isna().all():
        known = [column for column in curves.columns if not curves[column].isna().all()]
        raise UsageError(f"plot: no curve has '{name}'; these have: {', '.join(known)}", option="plot", found=name)
    return curves[name].to_numpy(dtype=float)


def plot_curves(comparison, figure, against, ax, lines):
    import matplotlib.pyplot as plt

    if not comparison.runs:
        raise UsageError("plot: there is no run", option="plot")
    if ax is None:
        ax = plt.gca()
    varied = {name.replace("-", "_") for run in comparison.runs for name in run.varied}
    chosen = {name: lines.pop(name) for name in [*lines] if name in varied}
    for name, curves in _groups(comparison, chosen).items():
        xs = [_column(one, against) for one in curves]
        ys = [_column(one, figure) for one in curves]
        if len(curves) == 1:
            ax.plot(xs[0], ys[0], label=name, **lines)
            continue
        # Where all seeds have come to, on one line of points.
        ends = max(x[0] for x in xs), min(x[-1] for x in xs)
        points = np.linspace(*ends, 200)
        values = np.array([np.interp(points, x, y) for x, y in zip(xs, ys)])
        line = ax.plot(points, values.mean(axis=0), label=name, **lines)[0]
        ax.fill_between(points, values.min(axis=0), values.max(axis=0), color=line.get_color(), alpha=0.2)
    across, up = (SYNONYMS.get(name, name) for name in (against, figure))
    ax.set_xlabel(LABELS.get(across, across))
    ax.set_ylabel(LABELS.get(up, up))
    ax.legend()
    return ax

"""How near the optimum SGD ends by the order of its rows: Trainyard's orders against a full reshuffle.

    bench/minibatch_order.py [--data-dir DIR] [--seeds 20] [--program build/release/trainyard]

Each seed is a run with a step size that decays as 1 / (1 + 0.1 passes). A line shows by how much the
last loss lies above the optimum, which truncated Newton has found. The reference, in NumPy and
float32, draws one permutation of all rows for each pass.

rcv1-small has 1,000 rows and 47,117 features, so few rows share a direction, a pass takes all of them
a small part of the way, and what one order makes of that stays. a9a at this step size has the
opposite: directions so stiff that a few minibatches decide where they are, and any order leaves the
noise of drawing at random.

Needs python3-numpy and scripts/fetch_datasets.sh a9a rcv1-small.
"""

import argparse
import gzip
import json
import pathlib
import statistics
import subprocess
import typing

import numpy

TOP = pathlib.Path(__file__).resolve().parent.parent
DECAY = 0.1


class Setting(typing.NamedTuple):
    dataset: str
    file: str
    features: int
    l2: float
    optimum: float
    batch: int  # rows of all workers together
    step: float
    epochs: int

    def contestants(self):
        return {
            "sequential": ("--scheme", "sequential", "--workers", 1, "--batch", self.batch),
            "ring, 8 workers": ("--scheme", "ring", "--workers", 8, "--batch", self.batch // 8),
            "hogwild, 1 worker": ("--scheme", "hogwild", "--workers", 1, "--batch", self.batch),
        }


SETTINGS = (
    Setting("rcv1-small", "rcv1_small.train.gz", 47117, 1e-3, 0.4768138337, 8, 4.0, 100),
    Setting("a9a", "a9a.gz", 123, 1e-4, 0.3245069247, 128, 2.0, 150),
)


def read_rows(file, features):
    """(rows, labels -1 or +1) of a LIBSVM file."""
    with gzip.open(file, "rt") as lines:
        split = [line.split() for line in lines]
    rows = numpy.zeros((len(split), features), dtype=numpy.float32)
    for i, (_, *entries) in enumerate(split):
        for entry in entries:
            index, value = entry.split(":")
            rows[i, int(index) - 1] = float(value)
    return rows, numpy.array([float(line[0]) for line in split], dtype=numpy.float32)


def full_reshuffle(setting, rows, labels, seed):
    batch, l2 = setting.batch, setting.l2
    random = numpy.random.default_rng(seed)
    count = len(labels)
    weights = numpy.zeros(rows.shape[1], dtype=numpy.float32)
    order = numpy.empty(0, dtype=numpy.int64)
    for step in range(setting.epochs * count // batch):
        if len(order) < batch:
            order = numpy.concatenate([order, random.permutation(count)])
        chosen, order = order[:batch], order[batch:]
        x, y = rows[chosen], labels[chosen]
        residual = -y / (1 + numpy.exp(y * (x @ weights)))
        gradient = x.T @ residual / batch + numpy.float32(l2) * weights
        weights -= numpy.float32(setting.step / (1 + DECAY * step * batch / count)) * gradient
    exact = weights.astype(numpy.float64)
    loss = numpy.logaddexp(0, -labels * (rows.astype(numpy.float64) @ exact)).mean()
    return loss + l2 / 2 * exact @ exact


def run(options, setting, seed, order, flags):
    command = [options.program, "run", "--dataset", setting.dataset, "--data-dir", options.data_dir,
               "--seed", seed, "--order", order, *flags, "--lr", setting.step, "--lr-decay", DECAY,
               "--l2", setting.l2, "--epochs", setting.epochs, "--evaluate-every", setting.epochs,
               "--time", "virtual", "--compute-time", "1ms", "--json", "--quiet"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["train_loss"]


def line(who, losses, optimum, reference=None):
    gaps = [loss - optimum for loss in losses]
    figures = statistics.median(gaps), max(gaps)
    ratios = "" if reference is None else "   {:5.2f}  {:5.2f}".format(
        *(own / other for own, other in zip(figures, reference)))
    print(f"{who:32} {figures[0]:9.2e} {figures[1]:9.2e}{ratios}", flush=True)
    return figures


def compare(options, setting):
    seeds = range(1, options.seeds + 1)
    file = options.data_dir / setting.dataset / setting.file
    rows, labels = read_rows(file, setting.features)
    print(f"{setting.dataset}, {setting.epochs} passes, {options.seeds} seeds\n"
          "loss above optimum                  median   largest   of a full reshuffle's")
    reference = line("full reshuffle (NumPy)",
                     [full_reshuffle(setting, rows, labels, seed) for seed in seeds],
                     setting.optimum)
    for order in ("reshuffle", "once"):
        for who, flags in setting.contestants().items():
            losses = [run(options, setting, seed, order, flags) for seed in seeds]
            line(f"{who}, {order}", losses, setting.optimum, reference)


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, default=TOP / "data")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--program", type=pathlib.Path, default=TOP / "build/release/trainyard")
    options = parser.parse_args()
    for setting in SETTINGS:
        compare(options, setting)


if __name__ == "__main__":
    main()

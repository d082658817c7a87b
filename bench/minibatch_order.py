"""How near the optimum SGD ends by the order of its rows: Trainyard's orders against a full reshuffle.

    bench/minibatch_order.py [--data-dir DIR] [--seeds 20] [--program build/release/trainyard]

Each seed is a run of 150 passes over a9a, minibatches of 128 rows in all, step size 2 / (1 + 0.1
passes), l2 1e-4. A line shows by how much the last loss lies above the optimum, 0.3245069247
(truncated Newton, tests/model/convergence_test.cpp). The reference, in NumPy and float32, draws one
permutation of all rows for each pass. Needs python3-numpy and scripts/fetch_datasets.sh a9a.
"""

import argparse
import concurrent.futures
import gzip
import json
import pathlib
import statistics
import subprocess

import numpy

TOP = pathlib.Path(__file__).resolve().parent.parent
OPTIMUM, L2, STEP, DECAY, EPOCHS, BATCH = 0.3245069247, 1e-4, 2.0, 0.1, 150, 128

CONTESTANTS = {
    "sequential": ("--scheme", "sequential", "--workers", 1, "--batch", BATCH),
    "ring, 8 workers": ("--scheme", "ring", "--workers", 8, "--batch", BATCH // 8),
    "hogwild, 1 worker": ("--scheme", "hogwild", "--workers", 1, "--batch", BATCH),
}


def read_rows(file):
    """(rows, labels -1 or +1) of a LIBSVM file with 123 features."""
    with gzip.open(file, "rt") as lines:
        split = [line.split() for line in lines]
    rows = numpy.zeros((len(split), 123), dtype=numpy.float32)
    for i, (_, *entries) in enumerate(split):
        for entry in entries:
            index, value = entry.split(":")
            rows[i, int(index) - 1] = float(value)
    return rows, numpy.array([float(line[0]) for line in split], dtype=numpy.float32)


def full_reshuffle(rows, labels, seed):
    random = numpy.random.default_rng(seed)
    count = len(labels)
    weights = numpy.zeros(rows.shape[1], dtype=numpy.float32)
    order = numpy.empty(0, dtype=numpy.int64)
    for step in range(EPOCHS * count // BATCH):
        if len(order) < BATCH:
            order = numpy.concatenate([order, random.permutation(count)])
        chosen, order = order[:BATCH], order[BATCH:]
        x, y = rows[chosen], labels[chosen]
        residual = -y / (1 + numpy.exp(y * (x @ weights)))
        gradient = x.T @ residual / BATCH + numpy.float32(L2) * weights
        weights -= numpy.float32(STEP / (1 + DECAY * step * BATCH / count)) * gradient
    exact = weights.astype(numpy.float64)
    loss = numpy.logaddexp(0, -labels * (rows.astype(numpy.float64) @ exact)).mean()
    return loss + L2 / 2 * exact @ exact


def run(program, data_dir, seed, order, flags):
    command = [program, "run", "--dataset", "a9a", "--data-dir", data_dir, "--seed", seed, "--order",
               order, *flags, "--lr", STEP, "--lr-decay", DECAY, "--l2", L2, "--epochs", EPOCHS,
               "--evaluate-every", EPOCHS, "--time", "virtual", "--compute-time", "1ms", "--json",
               "--quiet"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["train_loss"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, default=TOP / "data")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--program", type=pathlib.Path, default=TOP / "build/release/trainyard")
    options = parser.parse_args()
    seeds = range(1, options.seeds + 1)
    rows, labels = read_rows(options.data_dir / "a9a" / "a9a.gz")

    def line(who, losses, reference=None):
        gaps = [loss - OPTIMUM for loss in losses]
        figures = statistics.median(gaps), max(gaps)
        ratios = "" if reference is None else "   {:5.2f}  {:5.2f}".format(
            *(own / other for own, other in zip(figures, reference)))
        print(f"{who:32} {figures[0]:9.2e} {figures[1]:9.2e}{ratios}", flush=True)
        return figures

    print(f"{options.seeds} seeds: loss above optimum  median   largest   of a full reshuffle's")
    with concurrent.futures.ProcessPoolExecutor() as pool:
        reference = line("full reshuffle (NumPy)", pool.map(
            full_reshuffle, [rows] * options.seeds, [labels] * options.seeds, seeds))
    for order in ("reshuffle", "once"):
        for who, flags in CONTESTANTS.items():
            losses = [run(options.program, options.data_dir, seed, order, flags) for seed in seeds]
            line(f"{who}, {order}", losses, reference)


if __name__ == "__main__":
    main()

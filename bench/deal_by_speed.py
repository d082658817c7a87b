#!/usr/bin/env python3
"""What --deal speed brings where one core is slower than the others, on the machine's clock.

    bench/deal_by_speed.py [--rounds 5] [--epochs 4] [--program build/release/trainyard]

The last worker is slow in two ways. With --straggler it takes twice as long for each minibatch, as a slower
core would: equal portions of a step are through when it is, and the best division makes n cores do n - 1/2
in place of n / 2. And with a neighbour, a loop that never ends, on its core: then the system gives the core
to one or the other for milliseconds, in which steps that are shorter go on as ever or not at all, and no
division of a step is better than equal ones.

Of each work: samples a second with equal portions and by speed, their ratio (the median of the rounds'), and
the training loss of both. Both take turns. A table in Markdown.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
WORK = (
    ("mlp:256,128, batch 64", ["--dataset", "blobs:20000", "--model", "mlp:256,128", "--batch", "64", "--lr", "0.05"]),
    ("mlp:512,512, batch 128", ["--dataset", "blobs:20000", "--model", "mlp:512,512", "--batch", "128", "--lr", "0.05"]),
    ("dense-logistic:500000, batch 4096", ["--dataset", "dense-logistic:500000", "--batch", "4096", "--lr", "4"]),
)


def run(options, flags, workers, deal):
    command = [options.program, "run", "--scheme", "all-reduce", "--time", "wall", "--workers", str(workers),
               "--latency", "0us", "--bandwidth", "infinite", "--deal", deal, "--epochs", str(options.epochs),
               "--evaluate-every", str(options.epochs), *flags, "--json", "--quiet"]
    done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return done["samples_per_second"], done["train_loss"]


def measure(options, flags, cores):
    rates = {deal: [] for deal in ("once", "speed")}
    losses = {}
    for _ in range(options.rounds):
        for deal, so_far in rates.items():
            rate, losses[deal] = run(options, flags, len(cores), deal)
            so_far.append(rate)
    ratio = statistics.median(b / a for a, b in zip(rates["once"], rates["speed"]))
    return {deal: statistics.median(values) for deal, values in rates.items()}, ratio, losses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--program", default=str(TOP / "build/release/trainyard"))
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("deal_by_speed.py: needs two cores, and may use one")
    print("| work | slow core | equal portions, samples/s | by speed | ratio | losses |")
    print("|---|---|---:|---:|---:|---|")
    straggler = ["--straggler", f"{len(cores) - 1}:2"]
    for slow, more in (("none", []), ("twice as slow", straggler), ("neighbour", [])):
        loop = subprocess.Popen(["sh", "-c", "while :; do :; done"]) if slow == "neighbour" else None
        try:
            if loop:
                os.sched_setaffinity(loop.pid, {cores[-1]})
            for name, flags in WORK:
                rates, ratio, losses = measure(options, flags + more, cores)
                print(f"| {name} | {slow} | {rates['once']:,.0f} | {rates['speed']:,.0f} "
                      f"| {ratio:.2f} | {losses['once']:.4f}, {losses['speed']:.4f} |", flush=True)
        finally:
            if loop:
                loop.kill()


if __name__ == "__main__":
    main()

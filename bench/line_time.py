#!/usr/bin/env python3
"""Simulated workers on a shared model against threads: is the model of cache lines like a machine?

    bench/line_time.py [--data-dir DIR] [--line-time 115ns] [--program build/release/trainyard]
    bench/line_time.py --here [--rounds 5]

Samples a second in simulated time (src/run/line_time.cpp, include/trainyard/runtime/shared_lines.hpp),
with what one rank took in `wall` for --compute-time, over those that as many threads did, as a table in
Markdown. Without --here the threads are those of 16 cores of an Intel Xeon (one socket, a line from
core to core 76 ns where nobody else wants one; November 2026), kept below. With it they are this machine's, one rank and two in
turn, --line-time auto; rounds in which other programs took more than a tenth of a rank's processor
time (compute_stretch) are left out, and figures are medians.

Needs scripts/fetch_datasets.sh rcv1-small fashion-mnist.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

TOP = pathlib.Path(__file__).resolve().parent.parent
SPARSE = ("--dataset", "sparse-logistic:300000", "--batch", 1)
DENSE = ("--dataset", "dense-logistic:500000", "--batch", 16)
RCV1 = ("--dataset", "rcv1-small", "--batch", 1)
IMAGES = ("--dataset", "fashion-mnist")
RANKS = (2, 4, 8, 16)
# Scheme and its flags; data, model and minibatch; minibatches of all ranks; samples/s of one rank, and
# of 2, 4, 8, 16. Of a range, with one rank the most and with more its nearer end.
ROWS = (
    ("hogwild", (), SPARSE, 1, 40_000, 8.5e6, (11.4e6, 2.2e6, 2.6e6, 3.1e6)),
    ("hogwild++", ("--groups", 1), SPARSE, 1, 40_000, 6.0e6, (11.1e6, 2.2e6, 2.7e6, 2.8e6)),
    ("hogwild-split", ("--exchange-uses", 64), SPARSE, 1, 40_000, 7.9e6, (6.6e6, 11.5e6, 21.5e6, 33.2e6)),
    ("hogwild", (), RCV1, 1, 40_000, 4.7e6, (1.5e6, 1.5e6, 1.8e6, 2.3e6)),
    ("hogwild", (), DENSE, 16, 8_000, 23e6, (30e6, 48e6, 61e6, 68e6)),
    ("hogwild", (), IMAGES + ("--model", "mlp:256,128", "--batch", 32), 32, 160, 112e3,
     (156e3, 278e3, 451e3, 332e3)),
    ("hogwild", (), IMAGES + ("--model", "mlp:512,512", "--batch", 128), 128, 64, 33e3,
     (59e3, 96e3, 202e3, 404e3)),
)
MET = 1.5
UNDISTURBED = 1.1


def run(options, *flags):
    command = [options.program, "run", "--data-dir", options.data_dir, "--evaluate-every", 1000,
               "--json", "--quiet", *flags]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def name_of(scheme, data):
    words = [str(word) for word in data]
    model = f", {words[words.index('--model') + 1]}" if "--model" in words else ""
    return f"`{scheme}`, {words[1]}{model}, batch {words[words.index('--batch') + 1]}"


def simulated(options, scheme, flags, data, batch, alone, ranks, minibatches, line_time):
    result = run(options, "--scheme", scheme, *flags, *data, "--workers", ranks, "--time", "virtual",
                 "--compute-time", f"{1e12 * batch / alone:.0f}ps", "--line-time", line_time, "--lr", 0.01,
                 "--steps", max(2, minibatches // ranks))
    return result["samples_per_second"]


def against_xeon(options):
    met = cells = 0
    print("| simulated/threads, ranks | " + " | ".join(map(str, RANKS)) + " |")
    print("|---|" + "---|" * len(RANKS))
    for scheme, flags, data, batch, minibatches, alone, together in ROWS:
        texts = []
        for ranks, rate in zip(RANKS, together):
            ratio = simulated(options, scheme, flags, data, batch, alone, ranks, minibatches,
                              options.line_time) / rate
            is_met = 1 / MET <= ratio <= MET
            met, cells = met + is_met, cells + 1
            texts.append(f"{ratio:.2f}" if is_met else f"**{ratio:.2f}**")
        print(f"| {name_of(scheme, data)} | " + " | ".join(texts) + " |", flush=True)
    print(f"\nwithin a factor of {MET}: {met} of {cells} cells, with --line-time {options.line_time}")


def threads(options, scheme, flags, data, ranks, seed):
    result = run(options, "--scheme", scheme, *flags, *data, "--workers", ranks, "--time", "wall", "--lr",
                 0.01, "--seconds", "400ms", "--seed", seed)
    return result["samples_per_second"] if (result["compute_stretch"] or 1) <= UNDISTURBED else None


def against_here(options):
    print("| here | one thread | two | simulated/threads | rounds |")
    print("|---|---|---|---|---|")
    for scheme, flags, data, batch, minibatches, _, _ in ROWS:
        rates = {1: [], 2: []}
        for seed in range(1, options.rounds + 1):
            for ranks in rates:
                rates[ranks].append(threads(options, scheme, flags, data, ranks, seed))
        clear = {ranks: [rate for rate in found if rate] for ranks, found in rates.items()}
        if not all(clear.values()):
            print(f"| {name_of(scheme, data)} | disturbed | | | 0 |", flush=True)
            continue
        alone, both = (statistics.median(clear[ranks]) for ranks in (1, 2))
        ratio = simulated(options, scheme, flags, data, batch, alone, 2, minibatches, "auto") / both
        print(f"| {name_of(scheme, data)} | {alone:.3g} | {both:.3g} | {ratio:.2f} | {len(clear[2])} |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", default=TOP / "data")
    parser.add_argument("--line-time", default="115ns")
    parser.add_argument("--program", default=TOP / "build/release/trainyard")
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    (against_here if options.here else against_xeon)(options)


if __name__ == "__main__":
    main()

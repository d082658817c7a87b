"""Two ranks on one model where every row has the same few features: hogwild against hogwild-split.

    bench/hot_coordinates.py [--data-dir DIR] [--rounds 15] [--seconds 220] [--passes 10]
                             [--program build/release/trainyard]

By Zipf's law two ranks of hogwild meet at the same cache lines at every step. hogwild-split gives each
a slice of those. Of each data set and contestant, on the machine's clock and with minibatches of one
row: samples a second, how many times those of one rank of hogwild, and the training loss with its time
after the first pass, the third and the last, as a table in Markdown. No round of a data set begins once
its share of the seconds is over; each has one at least. (hogwild-split with one rank is hogwild.)

Contestants take turns, so that all meet the same neighbours. A round in which other programs took more
than a tenth of a rank's processor time (compute_stretch) says nothing about two ranks that run at the
same time and is left out of the times, not of the losses; figures are medians of the others.

uniform: 20,000 rows of 74 of 47,000 features, any as likely as any other: nothing is to be lost there.
Needs scripts/fetch_datasets.sh rcv1-small news20-binary.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
CONTESTANTS = (("hogwild", 1), ("hogwild", 2), ("hogwild-split", 2))
LOOKS = (1, 3)  # passes, and the last one
UNDISTURBED = 1.1


def write_uniform(file, rows=20_000, features=47_000, nonzeros=74):
    draw = random.Random(1)
    weights = [draw.gauss(0, 1) for _ in range(features)]
    with open(file, "w", encoding="ascii") as out:
        for _ in range(rows):
            columns = sorted(draw.sample(range(features), nonzeros))
            values = [draw.gauss(0, 1) / nonzeros**0.5 for _ in columns]
            margin = 24 * sum(weights[j] * value for j, value in zip(columns, values))
            label = 1 if margin + draw.gauss(0, 1) > 0 else -1
            entries = " ".join(f"{j + 1}:{value:.6g}" for j, value in zip(columns, values))
            out.write(f"{label} {entries}\n")


def run(options, dataset, scheme, workers, lr, seed):
    command = [options.program, "run", "--dataset", dataset, "--data-dir", options.data_dir,
               "--scheme", scheme, "--workers", workers, "--time", "wall", "--batch", 1, "--lr", lr,
               "--seed", seed, "--epochs", options.passes, "--evaluate-every", 1, "--json", "--quiet"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def look_at(runs, clear, epoch):
    """Loss and milliseconds at the first evaluation from there on."""
    def place(result):
        epochs = result["evaluations"]["epoch"]
        return next((i for i, e in enumerate(epochs) if e >= epoch - 0.01), len(epochs) - 1)
    loss = statistics.median(r["evaluations"]["train_loss"][place(r)] for r in runs)
    if not clear:
        return f"{loss:.4f}"
    seconds = statistics.median(r["evaluations"]["seconds"][place(r)] for r in clear)
    return f"{loss:.4f} at {1e3 * seconds:.1f} ms"


def compare(options, title, dataset, lr, seconds):
    runs = {contestant: [] for contestant in CONTESTANTS}
    end = time.monotonic() + seconds
    for seed in range(1, options.rounds + 1):
        if seed > 1 and time.monotonic() > end:
            break
        for contestant in CONTESTANTS:
            runs[contestant].append(run(options, dataset, *contestant, lr, seed))
    base = None
    for (scheme, workers), results in runs.items():
        clear = [r for r in results if (r["compute_stretch"] or 1) <= UNDISTURBED]
        rate, times = "disturbed", ""
        if clear:
            speed = statistics.median(r["samples_per_second"] for r in clear)
            base = base or speed
            rate, times = f"{speed / 1e6:.2f} M", f"{speed / base:.2f}"
        looks = " | ".join(look_at(results, clear, e) for e in (*LOOKS, options.passes))
        print(f"| {title} | `{scheme}`, {workers} | {rate} | {times} | {looks} | {len(clear)} |",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--data-dir", type=pathlib.Path, default=TOP / "data")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=220)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--program", type=pathlib.Path, default=TOP / "build/release/trainyard")
    options = parser.parse_args()
    head = ["rows", "ranks", "samples/s", "× one rank",
            *(f"loss after pass {e}" for e in (*LOOKS, options.passes)), "rounds"]
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        uniform = pathlib.Path(folder) / "uniform.svm"
        write_uniform(uniform)
        rows = (("rcv1-small", "rcv1-small"), ("by Zipf's law", "sparse-logistic"),
                ("uniform", uniform), ("news20-binary", "news20-binary"))
        for i, (title, dataset) in enumerate(rows):
            share = (end - time.monotonic()) / (len(rows) - i)
            compare(options, title, dataset, 0.5, share)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Does tuning find the step size that a full grid finds, and at what cost?

    bench/tuning.py [--data-dir DIR] [--program build/release/trainyard] [CASE...]

For each case `compare` tunes a contestant; then every step size of its grid, and two beyond at either end, runs to the
whole budget. A line says what the tuned one ends at over the best of the grid (of a loss; of the time to the target where
there is one), and what tuning cost, in steps of the run that follows; MISSED where that is more than 1 % of the loss or 5 %
of the time. Needs scripts/fetch_datasets.sh a9a w8a letter optdigits rcv1-small news20-binary fashion-mnist heart_scale.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
CASES = {
    "fashion-mnist softmax, 20 epochs, cosine": "ring --dataset fashion-mnist --model softmax --epochs 20 --lr-schedule cosine",
    "a9a, 5 epochs": "ring --dataset a9a --epochs 5",
    "letter mlp:64": "ring --dataset letter --model mlp:64 --epochs 5",
    "news20-binary": "ring --dataset news20-binary --epochs 3",
    "a9a ps-async to 0.33": "ps-async --dataset a9a --l2 1e-4 --target-loss 0.33 --evaluate-every 0.1",
    "a9a local-sgd to 0.33": "local-sgd --dataset a9a --l2 1e-4 --target-loss 0.33 --evaluate-every 0.1",
    "w8a ps-async, 3 epochs": "ps-async --dataset w8a --epochs 3",
    "w8a gossip to 0.2": "gossip --dataset w8a --target-loss 0.2 --evaluate-every 0.1",
    "letter ssp, softmax, cosine": "ssp --dataset letter --model softmax --epochs 8 --lr-schedule cosine",
    "optdigits local-sgd mlp:32": "local-sgd --dataset optdigits --model mlp:32 --epochs 10",
    "optdigits easgd softmax": "easgd --dataset optdigits --model softmax --epochs 10",
    "rcv1-small hogwild": "hogwild --dataset rcv1-small --batch 1 --epochs 5",
    "blobs ring mlp:16, adam": "ring --dataset blobs --model mlp:16 --optimizer adam --epochs 5",
    "blobs fedavg softmax": "fedavg --dataset blobs --model softmax --epochs 20",
    "sparse-logistic hogwild": "hogwild --epochs 10",
    "heart_scale d-psgd, inverse time": "d-psgd --dataset heart_scale --batch 4 --lr-decay 0.5 --epochs 40",
}


def runs(program, contestants, options):
    done = subprocess.run([program, "compare", "--schemes", contestants, *options, "--time", "virtual", "--compute-time",
                           "1ms", "--json", "--quiet"], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def score(run, timed):
    if run["diverged"]:
        return float("inf")
    value = run["seconds_to_target"] if timed else run["train_loss"]
    return float("inf") if value is None else value


def held(run, target):
    """The time to the target where the next evaluation holds it too."""
    losses, seconds = run["evaluations"]["train_loss"], run["evaluations"]["seconds"]
    for at, loss in enumerate(losses):
        if loss is not None and loss <= target and (at + 1 == len(losses) or (losses[at + 1] or 9e9) <= target):
            if at == 0:
                return 0.0
            part = (losses[at - 1] - target) / (losses[at - 1] - loss)
            return seconds[at - 1] + part * (seconds[at] - seconds[at - 1])
    return float("inf")


def measure(program, case):
    scheme, *options = case.split()
    document = runs(program, scheme, options)
    tuned = document["runs"][0]
    note = next(note["text"] for note in document["notes"] if "step size that tuning found" in note["text"])
    cost = float(re.search(r"with ([\d.e+-]+) times", note)[1])
    timed = "--target-loss" in options
    base = 4.0 if "--dataset" not in options else 0.1
    grid = [base * 2.0**power for power in range(-6, 10)]
    found = {}
    if timed:  # the run ends at its target: what follows it is seen without one
        target = float(options[options.index("--target-loss") + 1])
        at = options.index("--target-loss")
        longer = options[:at] + options[at + 2:]
        epochs = 3.0 * max(1.0, tuned["epochs"])
        grid_runs = runs(program, ",".join(f"{scheme}{{lr={lr}}}" for lr in grid), longer + ["--epochs", f"{epochs}"])["runs"]
        found = {run["lr"]: held(run, target) for run in grid_runs}
        ours = found.get(tuned["lr"], score(tuned, True))
    else:
        grid_runs = runs(program, ",".join(f"{scheme}{{lr={lr}}}" for lr in grid), options)["runs"]
        found = {run["lr"]: score(run, False) for run in grid_runs}
        ours = score(tuned, False)
    best = min(found, key=found.get)
    return tuned["lr"], best, ours / found[best], cost, timed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--program", default=str(TOP / "build/release/trainyard"))
    parser.add_argument("case", nargs="*", help="those with this in their names")
    asked = parser.parse_args()
    program, chosen = asked.program, asked.case
    for name, case in CASES.items():
        if chosen and not any(part in name for part in chosen):
            continue
        if asked.data_dir and "--dataset" in case:
            case += f" --data-dir {asked.data_dir}"
        lr, best, ratio, cost, timed = measure(program, case)
        kept = ratio <= (1.05 if timed else 1.01)
        print(f"{name:42} tuned {lr:<10g} grid {best:<10g} {'time' if timed else 'loss'} x {ratio:.4f} "
              f"cost {cost:<5g}{'' if kept else '  MISSED'}", flush=True)


main()

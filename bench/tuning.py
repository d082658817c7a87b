#!/usr/bin/env python3
"""Does tuning find the step size that a full grid finds, and at what cost?

    bench/tuning.py [--data-dir DIR] [--program build/release/trainyard] [CASE...]
    bench/tuning.py --targets [--data-dir DIR] [--program build/release/trainyard]

For each case `compare` tunes a contestant; then every step size of its grid, and two beyond at either end, runs to the
whole budget. A line says what the tuned one ends at over the best of the grid (of a loss; of the time to the target where
there is one), and what tuning cost, in steps of the run that follows; MISSED where that is more than 1 % of the loss or 5 %
of the time. With a target there is a second cost: in steps of the run until its next evaluation holds the target too, by
which tuning counts; the run itself ends at the first evaluation that is there.

With --targets: 8 schemes on 7 problems, each to three targets, as low as the best of the grid comes in 0.3, 1 and 3 epochs
(more on small sets). Only those count of which the best is 60 steps or more away. Needs scripts/fetch_datasets.sh a9a w8a letter optdigits rcv1-small news20-binary fashion-mnist heart_scale.
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
    """The time to the target where the next evaluation holds it too, and the step of that one."""
    losses, seconds, steps = (run["evaluations"][name] for name in ("train_loss", "seconds", "step"))
    for at, loss in enumerate(losses):
        if loss is not None and loss <= target and (at + 1 == len(losses) or (losses[at + 1] or 9e9) <= target):
            if at == 0:
                return 0.0, steps[min(1, len(steps) - 1)]
            part = (losses[at - 1] - target) / (losses[at - 1] - loss)
            return seconds[at - 1] + part * (seconds[at] - seconds[at - 1]), steps[min(at + 1, len(steps) - 1)]
    return float("inf"), float("inf")


def tuned_run(program, scheme, options):
    """The run at the step size that tuning found, and how many times its steps that took."""
    document = runs(program, scheme, options)
    note = next((note["text"] for note in document["notes"] if "step size that tuning found" in note["text"]), None)
    return document["runs"][0], float(re.search(r"with ([\d.e+-]+) times", note)[1]) if note else 0.0


def grid_of(options):
    base = 4.0 if "--dataset" not in options else 0.1
    return [base * 2.0**power for power in range(-6, 11)]


def measure(program, case):
    scheme, *options = case.split()
    tuned, cost = tuned_run(program, scheme, options)
    timed = "--target-loss" in options
    contestants = ",".join(f"{scheme}{{lr={lr}}}" for lr in grid_of(options)[:-1])
    if not timed:
        found = {run["lr"]: score(run, False) for run in runs(program, contestants, options)["runs"]}
        best = min(found, key=found.get)
        return tuned["lr"], best, score(tuned, False) / found[best], [cost]
    # The run ends at its target: what follows it is seen without one.
    at = options.index("--target-loss")
    target = float(options[at + 1])
    longer = options[:at] + options[at + 2:] + ["--epochs", f"{3.0 * max(1.0, tuned['epochs'])}"]
    found = {run["lr"]: held(run, target) for run in runs(program, contestants, longer)["runs"]}
    best = min(found, key=found.get)
    seconds, steps = found[tuned["lr"]]
    return tuned["lr"], best, seconds / found[best][0], [cost, cost * tuned["steps"] / steps]


def measure_targets(program, extra):
    problems = {"--dataset a9a --l2 1e-4": 3, "--dataset w8a": 3, "--dataset letter --model softmax": 3,
                "--dataset optdigits --model mlp:32": 6, "--dataset blobs --model softmax": 3, "": 3,
                "--dataset heart_scale --batch 4": 20}
    costs, ratios = [], []
    for problem, epochs in problems.items():
        for scheme in "ring ps-async local-sgd gossip hogwild easgd ssp sequential".split():
            options = problem.split() + (extra if problem else []) + ["--evaluate-every", "0.1"]
            contestants = ",".join(f"{scheme}{{lr={lr}}}" for lr in grid_of(options))
            grid = runs(program, contestants, options + ["--epochs", str(2 * epochs)])["runs"]
            for part in (0.1, 0.3, 1.0):
                lowest = min(loss for run in grid for loss, epoch in zip(run["evaluations"]["train_loss"],
                                                                         run["evaluations"]["epoch"])
                             if loss is not None and epoch <= part * epochs + 0.05)
                target = float(f"{1.002 * lowest:.3g}")
                if target < lowest:
                    target = float(f"{1.01 * lowest:.3g}")
                found = {run["lr"]: held(run, target) for run in grid}
                best = min(found, key=found.get)
                if not 60 <= found[best][1] < float("inf"):
                    continue
                tuned, cost = tuned_run(program, scheme, options + ["--target-loss", str(target)])
                seconds, steps = found.get(tuned["lr"], (float("inf"), tuned["steps"]))
                costs.append(cost * tuned["steps"] / steps)
                ratios.append(seconds / found[best][0])
                print(f"{problem:34} {scheme:10} to {target:<6g} {found[best][1]:4.0f} steps  tuned {tuned['lr']:<8g} "
                      f"grid {best:<8g} time x {ratios[-1]:.4f} cost {cost:<4g} until held {costs[-1]:.2f}", flush=True)
    print(f"{len(costs)} targets: cost until held {sum(costs) / len(costs):.2f} on average, {max(costs):.2f} at most, above 4 in "
          f"{sum(cost > 4.0 for cost in costs)}; time x {sum(ratios) / len(ratios):.4f} on average, {max(ratios):.2f} at most, "
          f"above 1.05 in {sum(ratio > 1.05 for ratio in ratios)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", default=None)
    parser.add_argument("--program", default=str(TOP / "build/release/trainyard"))
    parser.add_argument("--targets", action="store_true", help="many targets instead of the cases")
    parser.add_argument("case", nargs="*", help="those with this in their names")
    asked = parser.parse_args()
    program, chosen = asked.program, asked.case
    if asked.targets:
        measure_targets(program, ["--data-dir", asked.data_dir] if asked.data_dir else [])
        return
    for name, case in CASES.items():
        if chosen and not any(part in name for part in chosen):
            continue
        if asked.data_dir and "--dataset" in case:
            case += f" --data-dir {asked.data_dir}"
        lr, best, ratio, costs = measure(program, case)
        timed = len(costs) > 1
        kept = ratio <= (1.05 if timed else 1.01)
        held_cost = f" until held {costs[1]:.2g}" if timed else ""
        print(f"{name:42} tuned {lr:<10g} grid {best:<10g} {'time' if timed else 'loss'} x {ratio:.4f} "
              f"cost {costs[0]:<5g}{held_cost}{'' if kept else '  MISSED'}", flush=True)


main()

#!/usr/bin/env python3
"""What `advise` lists, against runs: the ways to talk tuned and run to one loss, over drawn settings.

    bench/advice.py PROGRAM [--settings N] [--seed S] [--first F] [--ten] [--seeds K] [--everyone]

A setting is a data set made for it (dense-logistic, blobs), 2 to 16 workers, and times drawn by their logarithms: 0.2 to 20 ms a
minibatch, 10 us to 5 ms a message, 1 Mbps to 1 Gbps; in a quarter of them one worker is two to four times as slow. The target
is 2 % above the loss that one worker reaches in 20 passes. `compare` tunes each step size for the time to it, in simulated time.

Printed are the shares of settings in which what `advise` with that target lists first, by the time to it, is within 5 % and 20 % of
the fastest of the first ten, run with K other seeds, and those that are at most half as slow again as the fastest with 3K. With
--ten that is all. Else also the same by rate, without a target; the same among those that learn as one; of all others, in how many
it holds that one is faster where it needs fewer passes than `advise` says that it may; and how far the rates of runs are from
those that it says.

With --everyone all schemes that talk are tuned and run, on a thousand rows, beside what `advise` with the target lists first, with
other seeds: who of the others is more than 20 % faster than that.
"""

import argparse
import json
import math
import random
import subprocess
import sys
import tempfile
import time


def answer(program, *words):
    done = subprocess.run([program, *words, "--json", "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def draw(rng):
    def by_logarithm(low, high):
        return math.exp(rng.uniform(math.log(low), math.log(high)))

    workers = rng.choice([2, 3, 4, 6, 8, 12, 16])
    machines = ["--workers", str(workers), "--batch", rng.choice(["8", "32"]),
                "--compute-time", f"{by_logarithm(200, 20000):.0f}us", "--latency", f"{by_logarithm(10, 5000):.0f}us",
                "--bandwidth", f"{by_logarithm(1000, 1e6):.0f}kbps"]
    if rng.random() < 0.25:
        machines += ["--straggler", f"0:{rng.uniform(2, 4):.2f}"]
    return rng.choice(["dense-logistic:4000", "blobs:4000"]), rng.randrange(1000), machines


def target_of(program, data):
    runs = answer(program, "compare", *data, "--schemes", "sequential", "--compute-time", "1ms", "--epochs", "20")["runs"]
    return runs[0]["train_loss"] * 1.02, runs[0]["model"]["parameters"]


def run_by(program, data, machines, target, labels, seeds):
    """Means of runs with other seeds than those that advice had, each label's step size tuned for all of them."""
    runs = answer(program, "compare", *data, *machines, "--schemes", ",".join(labels), "--tune-lr", "--seed", "101", "--seeds", str(seeds),
                  "--target-loss", f"{target:.6f}", "--evaluate-every", "0.05", "--epochs", "100")["runs"]
    figures = {}
    for run in runs:
        of = figures.setdefault(run["label"], {"seconds_to_target": 0.0, "epochs_to_target": 0.0, "samples_per_second": 0.0})
        for figure in of:
            of[figure] += (run[figure] if run[figure] is not None else math.inf) / seeds
    return figures


def look_at(program, rng, ten_alone, seeds):
    name, seed, machines = draw(rng)
    data = ["--dataset", name, "--data-seed", str(seed)]
    target, parameters = target_of(program, data)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(f'[data]\ndataset = "{name}"\ndata-seed = {seed}\n[run]\nepochs = 100\n')
        file.flush()
        began = time.monotonic()
        advice = answer(program, "advise", file.name, *machines, "--size", f"{4 * parameters}B", "--target-loss", f"{target:.6f}")
        took = time.monotonic() - began
    soonest = [way["label"] for way in advice["target"]["ways"] if way["seconds"] is not None][:10]
    listed = [scheme for scheme in advice["schemes"] if not ten_alone or scheme["label"] in soonest]
    figures = run_by(program, data, machines, target, [scheme["label"] for scheme in listed], seeds)
    # Passes are heavy-tailed: at some step sizes one seed in ten takes seven times as long as the others.
    fastest = min(of["seconds_to_target"] for of in figures.values())
    near = [label for label, of in figures.items() if of["seconds_to_target"] <= 1.5 * fastest]
    if math.isfinite(fastest):
        figures |= run_by(program, data, machines, target, near, 3 * seeds)
    rows = []
    for scheme in listed:
        run = figures[scheme["label"]]
        rows.append({"label": scheme["label"], "as_one": scheme["as_one"], "step_s": scheme["step_s"],
                     "rate": scheme["rows_per_s"], "seconds": run["seconds_to_target"] or math.inf,
                     "passes": run["epochs_to_target"] or math.inf, "ran_at": run["samples_per_second"]})
    return machines, rows, soonest, took


def beside_everyone(program, rng):
    """What advice says first, its time, and of all others the times of those that are more than 20 % faster."""
    name, seed, machines = draw(rng)
    data = ["--dataset", name.replace("4000", "1000"), "--data-seed", str(seed)]
    target, parameters = target_of(program, data)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(f'[data]\ndataset = "{data[1]}"\ndata-seed = {seed}\n[run]\nepochs = 40\n')
        file.flush()
        advice = answer(program, "advise", file.name, *machines, "--size", f"{4 * parameters}B", "--target-loss", f"{target:.6f}")
    first = advice["target"]["ways"][0]["label"]
    runs = answer(program, "compare", *data, *machines, "--schemes", f"{first},all", "--tune-lr", "--seed", "101", "--seeds", "3",
                  "--target-loss", f"{target:.6f}", "--evaluate-every", "0.05", "--epochs", "40")["runs"]
    times = {}
    for run in runs:
        if run["messages"] > 0:  # the others share memory
            times.setdefault(run["label"], []).append(run["seconds_to_target"] or math.inf)
    means = {label: sum(of) / len(of) for label, of in times.items()}
    faster = sorted((time, label) for label, time in means.items() if time < means[first] / 1.2)
    return machines, first, means[first], faster


def settings_beside_everyone(arguments):
    rng = random.Random(arguments.seed)
    beaten = 0
    for number in range(arguments.settings):
        machines, first, seconds, faster = beside_everyone(arguments.program, rng)
        beaten += bool(faster)
        others = ", ".join(f"{label} {time:.4g} s" for time, label in faster[:4])
        print(f"{number + 1}: {' '.join(machines)}: {first} {seconds:.4g} s; faster: {others or 'nobody'}", flush=True)
    print(f"somebody else is more than 20 % faster: in {beaten} of {arguments.settings}")
    return 0


def summed_up(settings):
    figures = {"by time, within 5 %": 0, "by time, within 20 %": 0, "by rate, within 5 %": 0, "by rate, within 20 %": 0,
               "by rate, of those as one, within 5 %": 0}
    right = ways = 0
    off = []
    for _, rows, soonest in settings:
        ten = [row for row in rows if row["label"] in soonest]
        first, fastest = rows[0], min(row["seconds"] for row in rows[:10])
        of_one = min((row["seconds"] for row in rows if row["as_one"]), default=math.inf)
        chosen = next((row["seconds"] for label in soonest for row in rows if row["label"] == label), math.inf)
        best_of_ten = min((row["seconds"] for row in ten), default=math.inf)
        figures["by time, within 5 %"] += chosen <= 1.05 * best_of_ten
        figures["by time, within 20 %"] += chosen <= 1.2 * best_of_ten
        figures["by rate, within 5 %"] += first["seconds"] <= 1.05 * fastest
        figures["by rate, within 20 %"] += first["seconds"] <= 1.2 * fastest
        figures["by rate, of those as one, within 5 %"] += first["seconds"] <= 1.05 * of_one
        for row in rows:
            off.append(abs(row["ran_at"] / row["rate"] - 1))
            if row["as_one"] or math.isinf(first["seconds"]):
                continue
            ways += 1
            pays = row["passes"] < row["rate"] / first["rate"] * first["passes"]
            is_near = abs(math.log(min(row["seconds"], 1e9) / first["seconds"])) < math.log(1.05)
            right += is_near or pays == (row["seconds"] < first["seconds"])
    return figures, right, ways, sorted(off)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--settings", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="of the drawn settings the first that is looked at")
    parser.add_argument("--ten", action="store_true", help="the first ten by time alone; nothing is said of rates then")
    parser.add_argument("--seeds", type=int, default=10, help="of the runs that advice is held against")
    parser.add_argument("--everyone", action="store_true")
    arguments = parser.parse_args()
    if arguments.everyone:
        return settings_beside_everyone(arguments)
    rng = random.Random(arguments.seed)
    for _ in range(arguments.first - 1):
        draw(rng)
    settings = []
    for number in range(arguments.first, arguments.first + arguments.settings):
        try:
            machines, rows, soonest, took = look_at(arguments.program, rng, arguments.ten, arguments.seeds)
        except KeyboardInterrupt:  # what there is
            break
        settings.append((machines, rows, soonest))
        best = min(rows, key=lambda row: row["seconds"])
        said = next((row for label in soonest for row in rows if row["label"] == label), best)
        print(f"{number}: {' '.join(machines)}: by rate {rows[0]['label']} {rows[0]['seconds']:.4g} s; by time {said['label']} "
              f"{said['seconds']:.4g} s; fastest {best['label']} {best['seconds']:.4g} s; advice took {took:.1f} s", file=sys.stderr)
    figures, right, ways, off = summed_up(settings)
    for name, count in figures.items():
        if not arguments.ten or name.startswith("by time"):
            print(f"{name}: {count} of {len(settings)}")
    if not arguments.ten:
        print(f"whether it pays: right about {right} of {ways}")
        print(f"rates: {off[len(off) // 2]:.2%} off in the middle, {off[int(0.9 * len(off))]:.2%} in nine of ten, {off[-1]:.2%} at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())

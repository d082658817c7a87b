#!/usr/bin/env python3
"""What a simulated worker costs, in processor time and in memory, from 64 workers to 100,000.

    bench/many_workers.py [--program build/release/trainyard] [--largest 100000]

Gossip on the one-peer exponential graph, two models: 10,000 parameters on the built-in sparse rows (up
to 10,000 workers) and 100 parameters on 200,000 dense rows. Of each number of workers a table in
Markdown says, with both cores counted together: µs of processor time a worker and step, kB of memory a
worker, and both of the whole run. A step's time is the difference between a run of few steps and one of
few more, so that reading data and starting ranks are not in it; memory is the peak of the longer run
less that of a run of two workers.
"""

import argparse
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parent.parent
SIZES = (64, 256, 1024, 4096, 10_000, 30_000, 100_000)
MODELS = (("10,000 parameters", "sparse-logistic", 10_000),
          ("100 parameters", "dense-logistic:200000", 100_000))


def run(program, dataset, workers, steps):
    """Seconds of processor time and the largest resident memory, in bytes."""
    command = [program, "run", "--scheme", "gossip", "--topology", "one-peer-exp", "--time", "virtual",
               "--compute-time", "1ms", "--dataset", dataset, "--workers", str(workers), "--steps",
               str(steps), "--evaluate-every", "1000000", "--quiet", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise SystemExit("failed: " + " ".join(command))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def steps_of(workers):
    """Enough that they outweigh starting, few enough for minutes."""
    return max(10, min(2000, 500_000 // workers))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=str(TOP / "build/release/trainyard"))
    parser.add_argument("--largest", type=int, default=100_000)
    options = parser.parse_args()
    print("| model | workers | µs a worker and step | kB a worker | whole run: steps | processor time | memory |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, dataset, most in MODELS:
        base = run(options.program, dataset, 2, 2)[1]
        for workers in SIZES:
            if workers > min(most, options.largest):
                continue
            steps = steps_of(workers)
            begun, _ = run(options.program, dataset, workers, 2)
            took, memory = run(options.program, dataset, workers, 2 + steps)
            step = (took - begun) / steps / workers
            print(f"| {name} | {workers:,} | {step * 1e6:.1f} | {(memory - base) / workers / 1e3:.0f} | "
                  f"{steps + 2} | {took:.1f} s | {memory / 1e6:,.0f} MB |", flush=True)


if __name__ == "__main__":
    main()

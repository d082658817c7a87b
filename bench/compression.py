#!/usr/bin/env python3
"""Does compression pay? Time to a target on three real data sets, and where it breaks even.

    bench/compression.py DATA_DIR [--program build/release/trainyard]

prints the tables of docs/limits.md. Simulated: 8 workers, one server, messages of 100 us; each
scheme at the step size that --tune-lr finds for it (where times are simulated and all workers keep
pace, the network does not change the steps, so it is looked for once). A minibatch takes what it
took on one core of the machine of the table; coding takes what `list codecs` says.

The second table compares the bandwidth below which `predict --break-even` says that a codec pays
with that at which runs of ps-sync and of the scheme take equally long, found by bisection.
"""

import argparse
import json
import subprocess

BANDWIDTHS = ("10Mbps", "100Mbps", "1Gbps", "10Gbps")
PLAIN = ("ps-sync", "ring", "tree", "gossip", "local-sgd{period=4}")
CODED = (
    "csgd{codec=qsgd:127}",
    "csgd{codec=qsgd:127,direction=both}",
    "coded-all-reduce{codec=fp16}",
    "ec-sgd{codec=top-k:1%}",
    "double-squeeze{codec=top-k:1%}",
    "double-squeeze{codec=sign}",
    "qsparse-local-sgd{codec=top-k:1%,period=4}",
)
# What codecs are compared with are whole vectors, also where rows are sparse.
COMMON = ("--workers", "8", "--time", "virtual", "--latency", "100us", "--sparse-wire", "off",
          "--quiet", "--json")
# Data set, parameters, and its flags.
PROBLEMS = {
    "a9a": (123, ("--l2", "1e-4", "--batch", "32", "--compute-time", "10us", "--epochs", "20",
                  "--target-loss", "0.3255", "--evaluate-every", "0.1")),
    "rcv1-small": (47117, ("--l2", "1e-3", "--batch", "4", "--compute-time", "20us",
                           "--epochs", "60", "--target-loss", "0.478")),
    "fashion-mnist": (101770, ("--model", "mlp:128", "--batch", "32", "--compute-time", "250us",
                               "--epochs", "5", "--target-accuracy", "0.84",
                               "--evaluate-every", "0.1")),
}


def contestant(name):
    """What --schemes takes: 'tree' is ring's other collective."""
    return "all-reduce{collective=tree}" if name == "tree" else name


def with_setting(name, setting):
    name = contestant(name)
    return f"{name[:-1]},{setting}}}" if name.endswith("}") else f"{name}{{{setting}}}"


class Program:
    def __init__(self, options):
        self.options = options

    def json(self, *arguments):
        command = [self.options.program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 4):
            raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
        return json.loads(done.stdout)

    def compare(self, dataset, schemes, *flags):
        return self.json("compare", "--data-dir", self.options.data, "--dataset", dataset,
                         "--schemes", ",".join(schemes), *COMMON, *flags)["runs"]


def text(seconds):
    if seconds is None:
        return "never"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"


def times_to_target(program, dataset, flags):
    """{scheme: (step size, [seconds at each bandwidth])}"""
    names = PLAIN + CODED
    tuned = program.compare(dataset, map(contestant, names), *flags, "--tune-lr")
    sizes = {name: run["lr"] for name, run in zip(names, tuned)}
    found = {name: (size, []) for name, size in sizes.items()}
    for bandwidth in BANDWIDTHS:
        runs = program.compare(dataset,
                               [with_setting(name, f"lr={sizes[name]}") for name in names],
                               *flags, "--bandwidth", bandwidth)
        for name, run in zip(names, runs):
            found[name][1].append(run["seconds_to_target"])
    return found


def print_times(dataset, found):
    print(f"\n| {dataset} | step size | " + " | ".join(BANDWIDTHS) + " |")
    print("|---|" + "---|" * (len(BANDWIDTHS) + 1))
    never = float("inf")
    best = [min(found[name][1][i] or never for name in PLAIN) for i in range(len(BANDWIDTHS))]
    for name, (size, seconds) in found.items():
        cells = [text(time) + (f" ({plain / time:.2g}×)" if time and name in CODED else "")
                 for time, plain in zip(seconds, best)]
        print(f"| `{name}` | {size:g} | " + " | ".join(cells) + " |")


def seconds_of_a_step(program, dataset, scheme, flags, bandwidth):
    """A step in the long run, in which one begins before the one before has ended."""
    few, many = (program.compare(dataset, [scheme], *flags, "--steps", steps, "--bandwidth",
                                 f"{bandwidth / 1e6}Mbps")[0]["seconds"] for steps in (8, 16))
    return (many - few) / 8


def measured_break_even(program, dataset, scheme, flags):
    """The bandwidth at which a step of ps-sync takes as long: in bits a second."""
    low, high = 1e5, 1e13
    while high / low > 1.002:
        middle = (low * high) ** 0.5
        plain, coded = (seconds_of_a_step(program, dataset, name, flags, middle)
                        for name in ("ps-sync", scheme))
        low, high = (middle, high) if coded < plain else (low, middle)
    return (low * high) ** 0.5


def print_break_even(program, dataset, parameters, flags):
    flags = [flag for flag in flags]
    for unused in ("--epochs", "--target-loss", "--target-accuracy", "--evaluate-every"):
        if unused in flags:
            del flags[flags.index(unused) : flags.index(unused) + 2]
    compute = flags[flags.index("--compute-time") + 1]
    for scheme, codec in (("csgd", "qsgd:127"), ("ec-sgd", "top-k:1%"), ("double-squeeze", "sign")):
        rows = program.json("predict", "--break-even", "--json", "--schemes", scheme, "--codec",
                            codec, "--size", 4 * parameters, "--workers", 8, "--latency", "100us",
                            "--compute-time", compute)
        predicted = 8 * rows["rows"][0]["break_even_bytes_per_s"]
        measured = measured_break_even(program, dataset, f"{scheme}{{codec={codec}}}", flags)
        print(f"| {dataset} | `{scheme}`, {codec} | {predicted / 1e9:.4g} Gbps | "
              f"{measured / 1e9:.4g} Gbps | {abs(100 * (measured / predicted - 1)):.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="folder of the data sets")
    parser.add_argument("--program", default="build/release/trainyard")
    parser.add_argument("--break-even", action="store_true", help="the second table alone")
    options = parser.parse_args()
    program = Program(options)
    for dataset, (_, flags) in PROBLEMS.items():
        if not options.break_even:
            print_times(dataset, times_to_target(program, dataset, flags))
    print("\n| | | predicted | measured | |\n|---|---|---|---|---|")
    for dataset, (parameters, flags) in PROBLEMS.items():
        print_break_even(program, dataset, parameters, flags)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Outer optimizers side by side on Fashion-MNIST: which is first at a training loss, over which network.

    bench/outer_optimizers.py OUT [--program build/release/trainyard] [--data-dir data] [--seeds 5]

Eight workers train mlp:256,128, 32 rows a step of 2 ms. First each scheme gets its best settings, at 100 Mbps
and 1 ms with seed 1: an outer step size of a grid, and with each of them its best inner step size as
`compare --tune-lr` finds it. Then a map of bandwidth and latency says with each seed when every scheme is at
the loss. Who keeps pace trains once for all cells, the others in each. What has been computed lies in OUT, so
that a run goes on where an earlier one was stopped. Prints tables in Markdown.
"""

import statistics

from kept_runs import answer, arguments

TARGET = 0.28
BANDWIDTHS = ("10Mbps", "100Mbps", "1Gbps", "10Gbps")
LATENCIES = ("1ms", "20ms")
TUNED_AT = ("1ms", "100Mbps")
PERIOD = 16

# Each scheme, and the settings of which the best is taken.
GRIDS = {
    "ring": [""],
    "ring with momentum": ["optimizer=nesterov,momentum=0.9"],
    "local-sgd": [""],
    "local-sgd with momentum": ["momentum=0.9"],
    "slowmo": [f"slow-momentum={m},slow-lr={a}" for m, a in ((0.5, 1), (0.7, 1), (0.9, 0.7), (0.9, 1), (0.9, 1.4))],
    "diloco": [f"outer-lr={eta}" for eta in (0.4, 0.7, 1, 1.4)],
    "streaming-diloco": [f"outer-lr={eta}" for eta in (0.4, 0.7, 1, 1.4)],
    "eager-diloco": [f"outer-lr={eta}" for eta in (0.2, 0.4, 0.7, 0.1)],
    "coded-diloco": [f"codec=e3m0,outer-lr={eta}" for eta in (0.4, 0.7, 1, 1.4)],
    "palsgd": [f"outer-lr={eta}" for eta in (0.4, 0.7, 1, 1.4)],
    "noloco": [f"outer-lr={eta},outer-momentum={m}" for eta, m in ((0.7, 0.3), (0.7, 0.6), (1, 0.3), (0.7, 0.8), (1, 0.6))],
    "async-local-sgd": [f"outer-lr={eta}" for eta in (0.4, 0.7, 0.1, 0.2)],
    "decoupled-diloco": [f"outer-lr={eta}" for eta in (0.4, 0.7, 0.05, 0.1, 0.2)],
    "halos": [f"region-lr={eta}" for eta in (0.8, 1.6, 0.2, 0.4)],
    "sparse-loco": [f"loco-lr={alpha}" for alpha in (0.7, 1, 1.4, 2, 2.8, 4, 5.6, 8)],
}
COMMON = ["--workers", "8", "--time", "virtual", "--epochs", "20", "--target-loss", str(TARGET), "--evaluate-every", "0.5",
          "--dataset", "fashion-mnist", "--model", "mlp:256,128", "--batch", "32", "--latency", "1ms", "--bandwidth",
          "100Mbps", "--compute-time", "2ms", "--encode-time", "1ns", "--decode-time", "1ns"]


def contestant(name, settings):
    """As the program takes it: scheme{settings}."""
    scheme = name.split()[0]
    own = [] if scheme == "ring" else [f"period={PERIOD}"]
    all_of_them = own + [s for s in (settings,) if s]
    return scheme + ("{" + ",".join(all_of_them) + "}" if all_of_them else "")


def compared(options, name, words):
    """None where the run does not come to the loss where it is tuned."""
    return answer(options.out, name, options.program, ["compare", *COMMON, "--data-dir", options.data_dir, *words],
                  "no contestant reached the target")


def tuned(options, name):
    """The contestant with its best settings and step size, and the run that had them."""
    best = None
    for number, settings in enumerate(GRIDS[name]):
        text = contestant(name, settings)
        run, = compared(options, f"tune-{name.replace(' ', '-')}-{number}", ["--schemes", text, "--tune-lr"])["runs"]
        reached = run["seconds_to_target"]
        if reached is not None and (best is None or reached < best[1]["seconds_to_target"]):
            found = [f"{option}={value}" for option, value in run["tuned"].items()]  # a second step size, too
            best = (contestant(name, ",".join([s for s in (settings,) if s] + found)), run)
    return best


def spread(values, form):
    """Mean and standard deviation; of runs of which some do not come to the loss, how many do."""
    if not values:
        return "-"
    reached = sum(value is not None for value in values)
    if reached < len(values):
        return f"{reached} of {len(values)}"
    return f"{statistics.mean(values):{form}} ± {statistics.stdev(values) if len(values) > 1 else 0:{form}}"


def main():
    options = arguments(__doc__).parse_args()
    chosen = {}
    for name in GRIDS:
        best = tuned(options, name)
        if best is None:
            print(f"{name} is at {TARGET} with no setting")
            continue
        chosen[name] = best[0]
    cells = [(latency, bandwidth) for latency in LATENCIES for bandwidth in BANDWIDTHS]
    times = {name: {cell: [] for cell in cells} for name in chosen}
    for seed in range(1, options.seeds + 1):
        for name, text in chosen.items():
            mapped = compared(options, f"map-{name.replace(' ', '-')}-{seed}", [
                "--schemes", text, "--seed", str(seed), "--map",
                f"latency={','.join(LATENCIES)},bandwidth={','.join(BANDWIDTHS)}"])
            if mapped is None:  # nor was any other network tried
                times[name][TUNED_AT].append(None)
            for cell in mapped["cells"] if mapped else ():
                times[name][cell["latency"], cell["bandwidth"]].append(cell["seconds_to_target"][0])
    print("| scheme | " + " | ".join(f"{b}, {l}" for l, b in cells) + " |")
    print("|---|" + "---:|" * len(cells))
    for name, text in chosen.items():
        print(f"| `{text}` | " +
              " | ".join(spread(times[name][cell], ".3g") for cell in cells) + " |")


if __name__ == "__main__":
    main()

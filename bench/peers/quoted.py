"""Sparse logistic regression by two ranks against figures of peers that no distribution packages.

DimmWitted, xLearn and Vowpal Wabbit (from its cache file) were built and measured by hand, once, on
the 2-core virtual machine of docs/performance.md, on data of the same sizes. Their figures stand
here as constants: on another machine these rows tell little, and they are marked `quoted`.
"""

from common import Table, arguments, take_turns, trainyard
import data

TWO = ("--scheme", "hogwild", "--workers", 2, "--batch", 1)
# Peer, ms an epoch in cache and the floor, ns a nonzero at a million rows and the floor.
PEERS = [
    ("DimmWitted, 2 threads", 3.1, 1.3, 2.1, 1.8),
    ("xLearn, 2 threads", 6.1, 2.5, 5.4, 4),
    ("Vowpal Wabbit", 12, 5, 7.0, 5),
]


def epoch_seconds(size, step_size, epochs):
    summary = trainyard("--dataset", data.sparse_file(size), *TWO, "--epochs", epochs,
                        "--evaluate-every", 1e6, "--lr", step_size)
    return summary["seconds"] / epochs


def main():
    options = arguments(__doc__)
    table = Table(options)
    in_cache = "sparse logistic 20 k rows in cache, an epoch, 2 ranks"
    streamed = "sparse logistic 1 M rows, an epoch, 2 ranks"
    if table.wants(in_cache):
        (ours,) = take_turns(options.pairs, lambda: epoch_seconds("small", 1.0, 20) * 1e3)
        for peer, milliseconds, floor, _, _ in PEERS:
            table.row(in_cache, peer, "ms", [milliseconds], ours, floor, remark="quoted")
    if table.wants(streamed):
        per_nonzero = 1e9 / data.sparse_nonzeros("large")
        (ours,) = take_turns(options.pairs, lambda: epoch_seconds("large", 1.0, 2) * per_nonzero)
        for peer, _, _, nanoseconds, floor in PEERS:
            table.row(streamed, peer, "ns/nonzero", [nanoseconds], ours, floor, remark="quoted")


if __name__ == "__main__":
    main()

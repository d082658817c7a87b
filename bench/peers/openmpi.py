"""All-reduce between the ranks of one machine: Trainyard against OpenMPI.

Fair because: the same vectors of floats are summed in place between the same number of ranks, and
both sides time it alike (bench/collectives.cpp, openmpi.cpp: so many in a row, the slowest rank's
mean, the median of five). OpenMPI is run with and without its ranks bound to cores, and the faster
counts; its single-copy mechanism is off, for it needs a system call that containers forbid (where
they do, it warns and goes the same way). With more ranks than cores it yields while it waits.
"""

import functools
import re
import subprocess
import sys

from common import CORES, Table, arguments, compiled, google_benchmark, need, skip, take_turns

KIB, MIB = 1024, 1024 * 1024
# Ranks, sizes, floor of the best way and of the ring.
CASES = [
    (2, (4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB), 2.0, 1.5),
    (4, (64 * KIB, MIB, 4 * MIB), 1.8, None),
    (8, (64 * KIB, MIB, 4 * MIB), 1.8, None),
]
WAYS = ("ring", "tree", "recursive-doubling", "rabenseifner", "ps-colocated")  # no extra ranks


def text(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


def openmpi(ranks, sizes, bound):
    """{size: microseconds}"""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to",
               "core" if bound else "none", "--mca", "btl_vader_single_copy_mechanism", "none",
               "-n", ranks, compiled("openmpi.cpp", "mpicxx"), *sizes]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    lines = map(str.split, done.stdout.splitlines())
    return {int(size): float(seconds) * 1e6 for size, seconds in lines}


def trainyard(ranks, sizes):
    """{size: {way: microseconds}}"""
    ways, lengths = "|".join(WAYS), "|".join(map(str, sizes))
    found = google_benchmark(f"^all_reduce/({ways})/n:{ranks}/bytes:({lengths})/", "µs")
    if not found:
        skip("OpenMPI", "this trainyard_bench has no benchmarks all_reduce/...")
    results = {size: {} for size in sizes}
    for name, microseconds in found.items():
        way, size = re.match(r"all_reduce/([^/]+)/n:\d+/bytes:(\d+)/", name).groups()
        results[int(size)][way] = microseconds
    return results


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def main():
    options = arguments(__doc__)
    need("mpirun", "OpenMPI", "openmpi-bin")
    need("mpicxx", "OpenMPI", "libopenmpi-dev")
    table = Table(options)
    for ranks, sizes, floor, ring_floor in CASES:
        works = {size: f"all-reduce, {ranks} ranks, {text(size)}" for size in sizes}
        sizes = [size for size in sizes if table.wants(works[size])]
        if not sizes:
            continue
        # More ranks than cores cannot be bound to one each.
        bindings = [False, True] if ranks <= CORES else [False]
        sides = [functools.partial(openmpi, ranks, sizes, bound) for bound in bindings]
        *peers, ours = take_turns(options.pairs, *sides,
                                  functools.partial(trainyard, ranks, sizes))
        for size in sizes:
            theirs = min(([turn[size] for turn in peer] for peer in peers), key=median)
            by_way = {way: [turn[size][way] for turn in ours] for way in ours[0][size]}
            best = min(by_way, key=lambda way: median(by_way[way]))
            table.row(works[size], "OpenMPI", "us", theirs, by_way[best], floor,
                      remark=f"ours: {best}")
            if ring_floor is not None:
                table.row(works[size] + ", ring", "OpenMPI", "us", theirs, by_way["ring"],
                          ring_floor)


if __name__ == "__main__":
    main()

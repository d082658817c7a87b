"""All-reduce between the ranks of one machine: Trainyard against OpenMPI.

Fair because: the same vectors of floats are summed in place between the same number of ranks, and
both time one all-reduce after a barrier from the first rank's beginning to the last one's end, and
take the median. OpenMPI is run with and without its ranks bound to cores, and the faster counts; its
single-copy mechanism is off, for it needs system calls that containers forbid (where they do, it
warns and does the same). With more ranks than cores it yields while it waits, as it should.
"""

import functools
import json
import subprocess
import sys

from common import BUILD, CORES, Table, arguments, compiled, need, take_turns

KIB, MIB = 1024, 1024 * 1024
REPETITIONS = 1000
# Ranks, sizes, floor of the best way and of the ring.
CASES = [
    (2, (4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB), 2.0, 1.5),
    (4, (64 * KIB, MIB, 4 * MIB), 1.8, None),
    (8, (64 * KIB, MIB, 4 * MIB), 1.8, None),
]
WAYS = "ring,tree,recursive-doubling,rabenseifner,ps-colocated"  # those without ranks of their own


def text(size):
    return f"{size // MIB}MiB" if size >= MIB else f"{size // KIB}KiB"


def openmpi(ranks, sizes, repetitions, bound):
    """{size: seconds}"""
    program = compiled("openmpi.cpp", "mpicxx")
    binding = ["--bind-to", "core" if bound else "none"]
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", *binding, "--mca",
               "btl_vader_single_copy_mechanism", "none", "-n", ranks, program, repetitions, *sizes]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return {int(size): float(seconds) for size, seconds in map(str.split, done.stdout.splitlines())}


def trainyard(ranks, sizes, repetitions):
    """{size: {way: seconds}}"""
    results = {}
    for size in sizes:
        count = max(20, min(repetitions, 2_000_000_000 // size // 5))
        command = [BUILD / "trainyard", "netcheck", "--time", "wall", "--latency", 0, "--bandwidth",
                   "infinite", "--json", "--workers", ranks, "--size", text(size), "--repetitions",
                   count, "--collectives", WAYS]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        rows = json.loads(done.stdout)["rows"]
        results[size] = {row["collective"]: row["measured_s"] for row in rows}
    return results


def median(numbers):
    return sorted(numbers)[len(numbers) // 2]


def main():
    options = arguments(__doc__)
    need("mpirun", "OpenMPI", "openmpi-bin")
    need("mpicxx", "OpenMPI", "libopenmpi-dev")
    table = Table(options)
    repetitions = REPETITIONS // 5 if options.quick else REPETITIONS
    for ranks, sizes, floor, ring_floor in CASES:
        works = {size: f"all-reduce, {ranks} ranks, {text(size)}" for size in sizes}
        sizes = [size for size in sizes if table.wants(works[size])]
        if not sizes:
            continue
        # More ranks than cores cannot be bound to one each.
        bindings = [False, True] if ranks <= CORES else [False]
        sides = [functools.partial(openmpi, ranks, sizes, repetitions, bound) for bound in bindings]
        *peers, ours = take_turns(options.pairs, *sides,
                                  functools.partial(trainyard, ranks, sizes, repetitions))
        for size in sizes:
            theirs = min(([turn[size] * 1e6 for turn in peer] for peer in peers), key=median)
            by_way = {way: [turn[size][way] * 1e6 for turn in ours] for way in ours[0][size]}
            best = min(by_way, key=lambda way: median(by_way[way]))
            table.row(works[size], "OpenMPI", "us", theirs, by_way[best], floor,
                      remark=f"ours: {best}")
            if ring_floor is not None:
                table.row(works[size] + ", ring", "OpenMPI", "us", theirs, by_way["ring"],
                          ring_floor)


if __name__ == "__main__":
    main()

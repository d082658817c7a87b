"""All-reduce between the ranks of one machine: Trainyard against OpenMPI.

Fair because: the same vectors of floats are summed in place between the same number of ranks, and
both sides time it alike (bench/collectives.cpp, openmpi.cpp: so many in a row, the slowest rank's
mean, the median of five). For each number of ranks and each size OpenMPI gets the fastest of its
settings, found by one short run of each: ranks bound to cores or not (with more ranks than cores: not, but
yielding while they wait), its own choice of an algorithm or one of those meant for one machine
(coll_tuned_allreduce_algorithm), its way of copying between processes by itself where the system
allows it (containers forbid it) or by shared memory. The winners then take turns with ours. A row
says which it was.
"""

import functools
import itertools
import re
import subprocess
import sys

from common import (CORES, Table, arguments, compiled, google_benchmark, need, remembered, skip,
                    take_turns)

KIB, MIB = 1024, 1024 * 1024
# Ranks, sizes, floor of the best way and of the ring.
CASES = [
    (2, (4 * KIB, 64 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB), 2.0, 1.5),
    (4, (4 * KIB, 64 * KIB, MIB, 4 * MIB), 2.5, None),
    (8, (4 * KIB, 64 * KIB, MIB, 4 * MIB), 2.5, None),
]
WAYS = ("ring", "tree", "recursive-doubling", "rabenseifner", "ps-colocated")  # no extra ranks


def text(size):
    return f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB"


# OpenMPI 4's numbers of its algorithms.
ALGORITHMS = {"": None, "recursive doubling": 3, "ring": 4, "Rabenseifner": 6}
# Copies in the kernel (cma) where a process may read another's memory, and by shared memory.
COPIES = {"": "none", "single copy": "cma"}


def settings(ranks):
    """{what a row says: arguments of mpirun}"""
    if ranks <= CORES:
        waits = {"": ["--bind-to", "none"], "bound to cores": ["--bind-to", "core"]}
    else:  # more ranks than cores cannot be bound to one each
        waits = {"yielding": ["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]}
    found = {}
    for wait, copy, algorithm in itertools.product(waits, COPIES, ALGORITHMS):
        chosen = ALGORITHMS[algorithm]
        found[", ".join(filter(None, (wait, copy, algorithm)))] = [
            *waits[wait], "--mca", "btl_vader_single_copy_mechanism", COPIES[copy],
            *(["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca",
               "coll_tuned_allreduce_algorithm", chosen] if chosen else [])]
    return found


def printed_times(ranks, flags, program, *given):
    """{size: microseconds} that a program prints between so many processes: a line a size, of bytes and
    seconds"""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", *flags, "-n", ranks, program, *given]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    lines = map(str.split, done.stdout.splitlines())
    return {int(size): float(seconds) * 1e6 for size, seconds in lines}


def openmpi(ranks, sizes, flags, times=3, call="waited"):
    """{size: microseconds}, the median of so many times 50 ms; call: or polled (openmpi.cpp)"""
    return printed_times(ranks, flags, compiled("openmpi.cpp", "mpicxx"), call, times, *sizes)


@functools.cache
def version():
    done = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def fastest_settings(what, ranks, sizes, flags, run=openmpi):
    """{setting: sizes for which one short run of each found it to be the fastest}. Tried once for each
    version (common.remembered); what: names the program that runs.
    """
    def find():
        tried = {setting: run(ranks, sizes, flags[setting], 1) for setting in flags}
        best = {}
        for size in sizes:
            best.setdefault(min(tried, key=lambda setting: tried[setting][size]), []).append(size)
        return best

    return remembered([version(), what, ranks, sizes, list(flags)], find)


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
        flags = settings(ranks)
        winners = fastest_settings("MPI_Allreduce", ranks, sizes, flags)

        def peer():
            """{size: (microseconds, setting)}"""
            return {size: (figure, setting) for setting, its_sizes in winners.items()
                    for size, figure in openmpi(ranks, its_sizes, flags[setting]).items()}

        theirs, ours = take_turns(options.pairs, peer, lambda: trainyard(ranks, sizes))
        for size in sizes:
            figures, setting = [turn[size][0] for turn in theirs], theirs[0][size][1]
            by_way = {way: [turn[size][way] for turn in ours] for way in ours[0][size]}
            best = min(by_way, key=lambda way: median(by_way[way]))
            table.row(works[size], "OpenMPI", "us", figures, by_way[best], floor,
                      remark=f"ours: {best}", setting=setting)
            if ring_floor is not None:
                table.row(works[size] + ", ring", "OpenMPI", "us", figures, by_way["ring"],
                          ring_floor, setting=setting)


if __name__ == "__main__":
    main()

"""All-reduce between processes: Trainyard's ring over MPI's messages against MPI_Allreduce.

Fair because: the same vectors of floats are summed in place between the same processes on one machine,
and both sides time it alike (bench/mpi/all_reduce.cpp, openmpi.cpp). MPI_Allreduce gets the fastest of
its settings (openmpi.py says which there are), and so does the ring of the ways in which processes wait
and copy; then the winners take turns. What a scheme pays for talking through Trainyard, and not to the
library itself, is the distance of the ratio from 1.
"""

import subprocess
import sys

from common import BUILD, Table, arguments, need, skip, take_turns
from openmpi import ALGORITHMS, KIB, MIB, fastest_settings, openmpi, settings, text

SIZES = (64 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB)
FLOOR = 0.9
PROGRAM = BUILD / "bench" / "trainyard_mpi_all_reduce"


def ring(ranks, sizes, flags, times=5):
    """{size: microseconds}, as openmpi() has it"""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", *flags, "-n", ranks, PROGRAM,
               "ring", times, *sizes]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    lines = map(str.split, done.stdout.splitlines())
    return {int(size): float(seconds) * 1e6 for size, seconds in lines}


def by_setting(run, ranks, winners, flags):
    """{size: (microseconds, setting)}"""
    return {size: (figure, setting) for setting, sizes in winners.items()
            for size, figure in run(ranks, sizes, flags[setting]).items()}


def main():
    options = arguments(__doc__)
    need("mpirun", "OpenMPI", "openmpi-bin")
    need("mpicxx", "OpenMPI", "libopenmpi-dev")
    if not PROGRAM.exists():
        skip("OpenMPI", "no trainyard_mpi_all_reduce: the build found no MPI")
    table = Table(options)
    for ranks in (2, 4):
        works = {size: f"ring over MPI, {ranks} ranks, {text(size)}" for size in SIZES}
        sizes = [size for size in SIZES if table.wants(works[size])]
        if not sizes:
            continue
        flags = settings(ranks)
        # The algorithms are those of MPI_Allreduce alone.
        own = {name: given for name, given in flags.items()
               if not any(name.endswith(algorithm) for algorithm in ALGORITHMS if algorithm)}
        theirs_at, ours_at = (fastest_settings(ranks, sizes, flags),
                              fastest_settings(ranks, sizes, own, ring))
        theirs, ours = take_turns(options.pairs,
                                  lambda: by_setting(openmpi, ranks, theirs_at, flags),
                                  lambda: by_setting(ring, ranks, ours_at, own))
        for size in sizes:
            table.row(works[size], "OpenMPI", "us", [turn[size][0] for turn in theirs],
                      [turn[size][0] for turn in ours], FLOOR, setting=theirs[0][size][1],
                      remark=f"ours: {ours[0][size][1] or 'as it is'}")


if __name__ == "__main__":
    main()

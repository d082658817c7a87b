"""All-reduce between processes: Trainyard's collectives over MPI's messages against MPI_Allreduce.

Fair because: the same vectors of floats are summed in place between the same processes on one machine,
and both sides time it alike (bench/mpi/all_reduce.cpp, openmpi.cpp). MPI_Allreduce gets the fastest of
its settings (openmpi.py says which there are), and so does Trainyard of the ways in which processes wait
and copy; then the winners take turns, size by size.

The ring stands against whatever algorithm MPI is fastest with. For short vectors that is not a ring, and
two more rows keep the algorithm apart from the messages: MPI's own ring against ours, and our recursive
doubling against its best. What a scheme pays for talking through Trainyard, and not to the library
itself, is the distance of these from 1. `--collective mpi` calls the library's MPI_Iallreduce and polls
it, and so does its peer.
"""

import functools
from dataclasses import dataclass

from common import BUILD, Table, arguments, need, skip, take_turns
from openmpi import ALGORITHMS, KIB, MIB, fastest_settings, openmpi, printed_times, settings, text

FLOOR = 0.9
PROGRAM = BUILD / "bench" / "trainyard_mpi_all_reduce"


@dataclass
class Comparison:
    work: str
    way: str  # of Trainyard's, bench/mpi/all_reduce.cpp
    sizes: tuple
    algorithms: tuple = tuple(ALGORITHMS)  # that the library may choose from
    call: str = "waited"


COMPARISONS = [
    Comparison("ring over MPI", "ring", (64 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * MIB)),
    Comparison("ring over MPI, and MPI's", "ring", (64 * KIB,), algorithms=("ring",)),
    Comparison("doubling over MPI", "recursive-doubling", (64 * KIB,)),
    Comparison("--collective mpi", "mpi", (64 * KIB, MIB, 16 * MIB), algorithms=("",), call="polled"),
]


def trainyard(ranks, sizes, flags, times=3, *, way):
    """{size: microseconds}, as openmpi() has it"""
    return printed_times(ranks, flags, PROGRAM, way, times, *sizes)


def winner(winners, size):
    return next(setting for setting, sizes in winners.items() if size in sizes)


def with_algorithms(flags, algorithms):
    """Those settings whose algorithm is one of these; "" is the library's choice."""
    def algorithm(setting):
        return next((name for name in ALGORITHMS if name and setting.endswith(name)), "")
    return {setting: given for setting, given in flags.items() if algorithm(setting) in algorithms}


def compare(table, pairs, ranks, comparison):
    works = {size: f"{comparison.work}, {ranks} ranks, {text(size)}" for size in comparison.sizes}
    sizes = [size for size in comparison.sizes if table.wants(works[size])]
    if not sizes:
        return
    library = functools.partial(openmpi, call=comparison.call)
    own = functools.partial(trainyard, way=comparison.way)
    their_flags = with_algorithms(settings(ranks), comparison.algorithms)
    # The algorithms are those of MPI_Allreduce alone.
    our_flags = with_algorithms(settings(ranks), ("",))
    theirs_at = fastest_settings(f"MPI_Allreduce, {comparison.call}", ranks, sizes, their_flags, library)
    ours_at = fastest_settings(f"Trainyard, {comparison.way}", ranks, sizes, our_flags, own)
    for size in sizes:  # by itself, so that both sides of a turn are seconds apart
        their_setting, our_setting = winner(theirs_at, size), winner(ours_at, size)
        theirs, ours = take_turns(pairs, lambda: library(ranks, [size], their_flags[their_setting])[size],
                                  lambda: own(ranks, [size], our_flags[our_setting])[size])
        table.row(works[size], "OpenMPI", "us", theirs, ours, FLOOR, setting=their_setting,
                  remark=f"ours: {our_setting or 'as it is'}")


def main():
    options = arguments(__doc__)
    need("mpirun", "OpenMPI", "openmpi-bin")
    need("mpicxx", "OpenMPI", "libopenmpi-dev")
    if not PROGRAM.exists():
        skip("OpenMPI", "no trainyard_mpi_all_reduce: the build found no MPI")
    table = Table(options)
    for comparison in COMPARISONS:
        for ranks in (2, 4):
            compare(table, options.pairs, ranks, comparison)


if __name__ == "__main__":
    main()

"""Simulated messages a second in a ring all-reduce: Trainyard's virtual time against SimGrid S4U.

Fair because: both simulate the same program (every rank sends one float to its right neighbour and
receives one from its left, 2(n-1) times a round) on ranks whose ports have a latency and a bandwidth,
on one core, and both run the ranks on stacks of their own. SimGrid shares the bandwidth of a link
between flows, Trainyard queues messages at ports: not the same model, but the same question put to
each. SimGrid gets its fastest context factory (raw) and its cheaper network model (CM02) where these
are faster than the defaults, which is tried once.
"""

import ctypes.util
import subprocess
import sys

from common import Table, arguments, compiled, google_benchmark, remembered, skip, take_turns

MESSAGES = 200_000
FLOOR = 20
CONFIGURATIONS = ([], ["--cfg=contexts/factory:raw", "--cfg=network/model:CM02"])


def simgrid(ranks, configuration):
    program = compiled("simgrid.cpp", "g++", "-std=c++17", "-lsimgrid")
    done = subprocess.run([program, str(ranks), str(MESSAGES), "--log=root.thres:error",
                           *configuration], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    messages, seconds = done.stdout.split()
    return int(messages) / float(seconds) / 1e6


def fastest_configuration(ranks):
    version = ctypes.util.find_library("simgrid")  # libsimgrid.so.3.32

    def find():
        tried = take_turns(3, *(lambda configuration=configuration: simgrid(ranks, configuration)
                                for configuration in CONFIGURATIONS))
        medians = [sorted(rates)[1] for rates in tried]
        return CONFIGURATIONS[medians.index(max(medians))]

    return remembered([version, "ring all-reduce", ranks, MESSAGES, CONFIGURATIONS], find)


def trainyard(ranks):
    found = google_benchmark(f"^simulated_ring/{ranks}$", "messages/s")
    return found.popitem()[1] / 1e6


def main():
    options = arguments(__doc__)
    try:
        compiled("simgrid.cpp", "g++", "-std=c++17", "-lsimgrid")
    except subprocess.CalledProcessError:
        skip("SimGrid", "scripts/install_dependencies.sh --peers installs libsimgrid-dev")
    table = Table(options)
    for ranks in (8, 64, 256, 1024):
        work = f"simulated messages, ring all-reduce of {ranks} ranks"
        if not table.wants(work):
            continue
        configuration = fastest_configuration(ranks)
        theirs, ours = take_turns(options.pairs, lambda: simgrid(ranks, configuration),
                                  lambda: trainyard(ranks))
        table.row(work, "SimGrid S4U", "M/s", theirs, ours, FLOOR, setting=" ".join(configuration))


if __name__ == "__main__":
    main()

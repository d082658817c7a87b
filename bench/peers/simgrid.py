"""Simulated messages a second in a ring all-reduce: Trainyard's virtual time against SimGrid S4U.

Fair because: both simulate the same program (every rank sends one float to its right neighbour and
receives one from its left, 2(n-1) times a round) on ranks whose ports have a latency and a bandwidth,
on one core, and both run the ranks on stacks of their own. SimGrid shares the bandwidth of a link
between flows, Trainyard queues messages at ports: not the same model, but the same question put to
each. SimGrid gets its fastest context factory (raw) and its cheaper network model (CM02) where these
are faster than the defaults.
"""

import subprocess
import sys

from common import Table, arguments, compiled, google_benchmark, skip, take_turns

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
        sides = [lambda configuration=configuration: simgrid(ranks, configuration)
                 for configuration in CONFIGURATIONS]
        *theirs, ours = take_turns(options.pairs, *sides, lambda: trainyard(ranks))
        best = max(theirs, key=lambda rates: sorted(rates)[len(rates) // 2])
        table.row(work, "SimGrid S4U", "M/s", best, ours, FLOOR)


if __name__ == "__main__":
    main()

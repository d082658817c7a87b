"""The simulated network against SimGrid: the same messages, simulated by both.

  simgrid.py TRAINYARD [--short]

TRAINYARD is the program. skeletons.cpp has what collectives and schemes send, as an MPI program, which
SimGrid's smpirun runs on a star of hosts: a link up and one down for each, which are its ports, half
the latency on each. What SMPI corrects to look like TCP or a real MPI is neutral.

SimGrid's links are shared by all that is under way, in equal parts; ports of Trainyard take one
message after the other. So two questions are asked. Where a rank sends one message at a time, waiting
until it has arrived, a link has nothing to share, and SimGrid is a switch of circuits: --ports
circuit. Where it sends all that it has at once, it is --ports cutthrough, as far as it does not matter
who is served first.

Prints for each kind of work the largest difference over all numbers of workers, relative to SimGrid's
time ("equal": below 1e-12), and some of them where it is more than 1e-6. Exit status 1: they differ
by more than 1e-6 where the rows say that they agree; 77: no SimGrid.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).parent
LATENCY_S, BYTES_PER_SECOND, COMPUTE_S = 1e-3, 12.5e6, 2e-3
NUMBERS = 65536       # of a vector that is summed once: parts are uneven where n is 3, 5 or 12
STEP_NUMBERS = 61440  # of one that is summed in step after step: even parts, as in predict
STEPS = 7             # the first of which is not counted in what is sustained
TOLERANCE = 1e-6
SKIPPED = 77
SIZES = (2, 3, 4, 5, 8, 12, 16, 32, 64, 128, 256)
SHOWN = (2, 3, 12, 16, 64, 256)  # differences, of these numbers of workers
PORTS = {"circuit": "`circuit`, one message at a time", "cutthrough": "`cutthrough`, all at once"}

NEUTRAL = [
    "smpi/simulate-computation:no", "smpi/wtime:0", "smpi/os:0:0:0", "smpi/or:0:0:0", "smpi/ois:0:0:0",
    "smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:no", "network/weight-S:0",
    "network/TCP-gamma:1e18", "surf/precision:1e-12", "maxmin/precision:1e-12",
]


def groups(n):
    return min(n, 4)


def is_power_of_two(n):
    return n & (n - 1) == 0


@dataclass
class Work:
    """A line of the table, named as Trainyard does."""
    name: str
    servers: object = lambda n: 0        # of n workers
    skeleton: str = ""                   # the name in skeletons.cpp, if another
    agrees: tuple = (True, True)         # with circuit, with cutthrough; None: not asked
    takes: object = lambda n: True       # which numbers of workers
    most_at_once: int = 256              # SimGrid's time grows with the square of what is under way
    label: str = ""

    def columns(self, n):
        """Which ports it is compared for."""
        asked = self.takes(n)
        return [column for column, agrees in enumerate(self.agrees)
                if asked and agrees is not None and (column == 0 or n <= self.most_at_once)]


def at_powers_of_two(name, **more):
    """Two lines: other numbers of workers fold, and while some do the others' messages are on their way."""
    return [Work(name, takes=is_power_of_two, label=f"{name}, n = 2^q", **more),
            Work(name, takes=lambda n: not is_power_of_two(n), agrees=(True, False),
                 label=f"{name}, other n", **more)]


# One all-reduce from lockstep, as netcheck has it.
COLLECTIVES = [
    Work("ring"),
    Work("ring-unpartitioned"),
    *at_powers_of_two("recursive-doubling"),
    *at_powers_of_two("rabenseifner"),
    Work("hierarchical-ring"),
    Work("ps", lambda n: 1),
    Work("ps-sharded", groups),
    Work("ps-colocated", most_at_once=64),
    Work("hierarchical", lambda n: groups(n) + 1),
    Work("tree", agrees=(True, False)),
    Work("tree-root", lambda n: 1, agrees=(True, False)),
]

# A step of a long run, as predict has it.
SCHEMES = [
    Work("ring"),
    Work("all-reduce:recursive-doubling", skeleton="recursive-doubling", takes=is_power_of_two),
    Work("all-reduce:ps-colocated", skeleton="ps-colocated", most_at_once=64),
    Work("gossip:ring"),
    Work("gossip:one-peer-exp"),
    Work("gossip:static-exp"),
    Work("ps-sync", lambda n: 1, skeleton="ps", agrees=(None, False)),
    Work("ps-async", lambda n: 1, agrees=(None, False)),
]


class SimGrid:
    def __init__(self, folder):
        self.folder = folder
        self.program = folder / "skeletons"
        subprocess.run(["smpicxx", "-std=c++17", "-O2", "-o", self.program, HERE / "skeletons.cpp"],
                       check=True)

    def platform(self, ranks):
        path = self.folder / f"star-{ranks}.xml"
        path.write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="star" prefix="host-" suffix="" radical="0-{ranks - 1}" speed="1Gf"
           bw="{BYTES_PER_SECOND}Bps" lat="{LATENCY_S / 2}s" sharing_policy="SPLITDUPLEX"/>
</platform>
""")
        hosts = self.folder / f"hosts-{ranks}"
        hosts.write_text("".join(f"host-{rank}\n" for rank in range(ranks)))
        return ["-np", str(ranks), "-platform", str(path), "-hostfile", str(hosts)]

    def seconds(self, work, workers, at_once, numbers=NUMBERS, steps=1, compute=0.0):
        """When the first and when the last step was over on all workers."""
        servers = work.servers(workers)
        # Up to so many bytes a message leaves when it is sent, and its sender goes on.
        eager = 2**31 - 1 if at_once else 0
        settings = NEUTRAL + [f"smpi/send-is-detached-thresh:{eager}", f"smpi/async-small-thresh:{eager}"]
        command = ["smpirun", *self.platform(workers + servers), "-no-privatize", "--log=root.thres:error",
                   *(f"--cfg={setting}" for setting in settings), self.program,
                   work.skeleton or work.name, workers, servers, numbers, steps, compute,
                   "at-once" if at_once else "one-by-one"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        if done.returncode != 0 or len(lines) != workers:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return tuple(max(float(line[column]) for line in lines) for column in (0, 1))


class Trainyard:
    """Asks for all rows of a number of workers together."""

    def __init__(self, program):
        self.program = program

    def ask(self, command, workers, ports, numbers, *flags):
        done = subprocess.run(
            [self.program, command, "--json", "--workers", str(workers), "--size", f"{4 * numbers}B",
             "--latency", f"{LATENCY_S}s", "--bandwidth", f"{8 * BYTES_PER_SECOND:.0f}bps",
             "--ports", ports, *flags], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return json.loads(done.stdout)["rows"]

    def collectives(self, workers, ports, names):
        rows = self.ask("netcheck", workers, ports, NUMBERS, "--servers", str(groups(workers)),
                        "--collectives", ",".join(names))
        return {row["collective"]: row["measured_s"] for row in rows}

    def schemes(self, workers, ports, names):
        rows = self.ask("predict", workers, ports, STEP_NUMBERS, "--compute-time", f"{COMPUTE_S}s",
                        "--schemes", ",".join(names))
        return {row["scheme"] + (f":{row['way']}" if row["way"] else ""): row["step_s"] for row in rows}


@dataclass
class Difference:
    """Of one kind of work under one kind of ports."""
    workers: int
    simgrid: float
    ours: float

    @property
    def relative(self):
        """Positive where Trainyard takes longer."""
        return self.ours / self.simgrid - 1.0


def compare(works, ours_of, simgrid_of, sizes):
    """A dictionary for each work: {column: [Difference, …]}, of each number of workers."""
    found = [{} for _ in works]
    for workers in sizes:
        for column, ports in enumerate(PORTS):
            asked = [at for at, work in enumerate(works) if column in work.columns(workers)]
            ours = ours_of(workers, ports, [works[at].name for at in asked])
            for at in asked:
                theirs = simgrid_of(works[at], workers, column == 1)
                difference = Difference(workers, theirs, ours[works[at].name])
                found[at].setdefault(column, []).append(difference)
    return found


def text_of(differences):
    largest = max(abs(d.relative) for d in differences)
    if largest <= TOLERANCE:
        return "equal" if largest < 1e-12 else f"{largest:.0e}"
    of = {d.workers: "0" if abs(d.relative) <= TOLERANCE else f"{100 * d.relative:+.1f}"
          for d in differences}
    shown = [n for n in SHOWN if n in of]
    return f"{', '.join(of[n] for n in shown)} % (n = {', '.join(map(str, shown))})"


def report(title, works, found):
    """Prints lines of a table in Markdown; returns whether all agree that should."""
    print(f"\n| {title} | n | {' | '.join(PORTS.values())} |\n|---|---|---|---|")
    fine = True
    for work, columns in zip(works, found):
        cells = ["-", "-"]
        for column, differences in columns.items():
            cells[column] = text_of(differences)
            if work.agrees[column] and any(abs(d.relative) > TOLERANCE for d in differences):
                cells[column] = f"DIFFERS: {cells[column]}"
                fine = False
        if not columns:
            continue
        workers = [d.workers for differences in columns.values() for d in differences]
        print(f"| {work.label or work.name} | {min(workers)} … {max(workers)} | {' | '.join(cells)} |")
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trainyard", help="the program")
    parser.add_argument("--short", action="store_true", help="few workers: seconds")
    options = parser.parse_args()
    if shutil.which("smpicxx") is None or shutil.which("smpirun") is None:
        print("skipped: no smpirun; Debian's package is libsimgrid-dev")
        sys.exit(SKIPPED)
    sizes = (3, 8) if options.short else SIZES
    trainyard = Trainyard(options.trainyard)
    with tempfile.TemporaryDirectory() as folder:
        simgrid = SimGrid(pathlib.Path(folder))

        def sustained(work, workers, at_once):
            first, last = simgrid.seconds(work, workers, at_once, STEP_NUMBERS, STEPS, COMPUTE_S)
            return (last - first) / (STEPS - 1)

        found = compare(COLLECTIVES, trainyard.collectives,
                        lambda *asked: simgrid.seconds(*asked)[0], sizes)
        fine = report("an all-reduce", COLLECTIVES, found)
        fine &= report("a step", SCHEMES, compare(SCHEMES, trainyard.schemes, sustained, sizes))
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()

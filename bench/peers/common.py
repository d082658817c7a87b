"""What all comparisons share: running the program, taking turns, and the rows of the table.

The two sides of a comparison take turns (A B A B ...), so that both meet the same neighbours, clock
and temperature. A row holds the medians, the ranges and the median of the turns' ratios.
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = TOP / "bench" / "peers"
BUILD = pathlib.Path(os.environ.get("TRAINYARD_BUILD", TOP / "build" / "bench"))
DATA = TOP / "build" / "bench-data"  # generated once, see data.py
CORES = len(os.sched_getaffinity(0))

COLUMNS = (
    "work,peer,unit,peer_figure,peer_min,peer_max,ours,ours_min,ours_max,ratio,floor,met,"
    "pairs,peer_loss,our_loss,setting,remark"
).split(",")


def arguments(description):
    """--pairs and --csv, which scripts/bench.sh passes to every script."""
    parser = argparse.ArgumentParser(description=description.strip().splitlines()[0])
    parser.add_argument("--csv", type=pathlib.Path, help="append the rows to this file")
    parser.add_argument("--pairs", type=int, default=3, help="turns of each side [3]")
    parser.add_argument("--only", default="", help="only rows whose work contains this")
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error(f"--pairs: {options.pairs} turns; at least one is accepted")
    return options


def skip(peer, what):
    """A peer that is not there is said to be left out, and is no failure."""
    print(f"skipped: {peer}: {what}", flush=True)
    sys.exit(0)


def need(command, peer, package):
    if shutil.which(command) is None:
        skip(peer, f"no {command}; scripts/install_dependencies.sh --peers installs {package}")


def trainyard(*flags):
    """The summary of one run in wall time. Its clock leaves loading and evaluation out. Messages take
    as long as the machine does: no peer emulates a network."""
    command = [BUILD / "trainyard", "run", "--time", "wall", "--latency", "0us", "--bandwidth",
               "infinite", "--json", "--quiet", *flags]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout)


def google_benchmark(pattern, counter, environment=None):
    """{benchmark's name: its counter}, each run once."""
    command = [BUILD / "bench" / "trainyard_bench", f"--benchmark_filter={pattern}",
               "--benchmark_format=json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          env=dict(os.environ, **(environment or {})))
    if done.returncode != 0:
        sys.exit(done.stderr)
    results = json.loads(done.stdout)["benchmarks"]
    return {result["name"]: result[counter] for result in results}


def processor():
    """Its model's name."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(": ", 1)[1] for line in lines if line.startswith("model name")), "")


def remembered(what, find):
    """What find() gives, or has given here before: to try out all of a peer's settings takes a third of
    a pass. what: a list of all that it depends on. Both are values of JSON, kept with the build; without
    that file all is tried again.
    """
    path = BUILD / "settings.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    key = json.dumps([processor(), CORES, *what])
    if key not in known:
        known[key] = find()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(known, indent=1) + "\n")
    return known[key]


def compiled(source, *command):
    """Path of a program built from HERE/source, unless that has been done already."""
    program = DATA / pathlib.Path(source).stem
    source = HERE / source
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        DATA.mkdir(parents=True, exist_ok=True)
        compiler = command[:1] or ("g++",)
        subprocess.run([*compiler, "-O3", "-march=native", "-o", program, source, *command[1:]],
                       check=True)
    return program


def clocked(work):
    """Seconds that work() takes, and what it returns."""
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def take_turns(pairs, *sides):
    """pairs results of each side, one after another in turn. A side is a function of nothing."""
    results = [[] for _ in sides]
    for _ in range(pairs):
        for side, kept in zip(sides, results):
            kept.append(side())
    return results


class Table:
    """Prints a row as soon as it is there, and appends it to a file.

    setting: what the peer was given because trying found it to be the fastest, for all rows.
    """

    def __init__(self, options, setting=""):
        self.options, self.setting = options, setting

    def wants(self, work):
        return self.options.only in work

    def row(self, work, peer, unit, theirs, ours, floor, losses=None, tolerance=0.02, remark="",
            least=None, setting=""):
        """One row. theirs, ours: figures in `unit`, in which a slash means that more is better; those of
        one turn stand in the same place. The ratio is the median of the turns' ratios: where a machine is
        twice as slow in some minutes as in others, both sides of a turn mostly are.

        losses: (theirs, ours) at the end; flagged where they are further apart than `tolerance`,
        relative to the peer's. floor: of the ratio; least: of our figure itself. setting: of this
        row alone.
        """
        theirs, ours = [float(figure) for figure in theirs], [float(figure) for figure in ours]
        figure, our_figure = statistics.median(theirs), statistics.median(ours)
        more_is_better = "/" in unit and not unit.startswith("ns/")
        ratio = statistics.median(own / its if more_is_better else its / own
                                  for its, own in zip(theirs, ours, strict=True))
        remarks = [remark] if remark else []
        if losses and abs(losses[1] - losses[0]) > tolerance * abs(losses[0]):
            remarks.append(f"LOSSES DIFFER by more than {100 * tolerance:g} %")
        met = ""
        if floor is not None or least is not None:
            met = "yes" if (ratio >= floor if least is None else our_figure >= least) else "NO"
        bound = f"{least} {unit}" if least is not None else f"{floor}x" if floor is not None else ""
        row = dict(work=work, peer=peer, unit=unit, peer_figure=figure, peer_min=min(theirs),
                   peer_max=max(theirs), ours=our_figure, ours_min=min(ours), ours_max=max(ours),
                   ratio=ratio, floor=bound, met=met, pairs=len(ours),
                   peer_loss=losses[0] if losses else "", our_loss=losses[1] if losses else "",
                   setting=setting or self.setting, remark="; ".join(remarks))
        row = {key: f"{value:.4g}" if isinstance(value, float) else value
               for key, value in row.items()}
        print(f"  {work} | {peer} | {row['peer_figure']} [{row['peer_min']}..{row['peer_max']}]"
              f" | {row['ours']} [{row['ours_min']}..{row['ours_max']}] {unit} | {ratio:.2f}"
              f" | {row['floor']} | {met}"
              + (f" | loss {losses[0]:.4f} / {losses[1]:.4f}" if losses else "")
              + "".join(f" | {text}" for text in (row["setting"], row["remark"]) if text), flush=True)
        self.append(row)

    def append(self, row):
        path = self.options.csv
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if fresh:
                writer.writeheader()
            writer.writerow(row)

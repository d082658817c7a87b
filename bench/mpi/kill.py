#!/usr/bin/env python3
"""kill -9 of one process of a run over MPI, at random moments: do the others end, say who, and keep
what there is?

    bench/mpi/kill.py --program build/release/trainyard-mpi --kills 100 --seed 1

For each kill a scheme, a number of workers, a rank and a moment are drawn from the seed. The run has
begun (its first evaluation is written), and is killed up to 1.5 s later. Then it must hold that

- mpirun and all processes have ended within --within seconds of the kill;
- standard error names the rank and its host. Of rank 0, which speaks for the others, mpirun says it;
- the results folder has the metrics, the model and the summary of an interrupted run as of the last of
  its evaluations; of rank 0 the metrics, which are written as the run goes.

Prints a line for each kill, what failed with the options that repeat it, and then one for each scheme
and one for all. Exit status 1 where anything failed.
"""

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EMULATED = ["--latency", "1ms", "--bandwidth", "100Mbps"]  # with a process more, the switch
SCHEMES = [["ring"], ["all-reduce", "--collective", "mpi"], ["all-reduce", "--collective", "tree"],
           ["ps-sync"], ["ps-async"], ["gossip"], ["local-sgd"], ["easgd"], ["ad-psgd"], ["ssp"],
           ["ring", *EMULATED], ["ps-async", *EMULATED], ["gossip", *EMULATED],
           ["hogwild", "--lr", "0.001"], ["hogwild", "--access", "locked", "--lr", "0.001"]]
WORKERS = (2, 3, 4, 6)
LARGE = ["--model", "mlp:256", "--batch", "4"]  # messages of about 100 kB, sent in parts
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}


def ranks_of(program, flags, known):
    """Workers and servers, as the program says itself when it is started alone."""
    key = " ".join(flags)
    if key not in known:
        said = subprocess.run([program, "run", *flags, "--steps", "1"], capture_output=True, text=True,
                              env={**os.environ, **ENVIRONMENT})
        found = re.search(r"needs (\d+) processes", said.stderr)
        if not found:
            sys.exit(f"{key}: {said.stderr}")
        known[key] = int(found[1])
    return known[key]


def children(pid):
    """{rank: its process}"""
    found = {}
    for child in " ".join(f.read_text() for f in Path(f"/proc/{pid}/task").glob("*/children")).split():
        try:
            variables = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for variable in variables:
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = int(child)
    return found


def wait_for(condition, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return False


def lives(pid):
    """Not one that has ended and that nobody has asked for yet"""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wrong_with(folder, lost, errors, host):
    """What is missing, or None."""
    metrics = folder / "metrics.jsonl"
    metrics = metrics if metrics.exists() else next(folder.parent.rglob("metrics.jsonl*"), None)
    if metrics is None or not metrics.read_text().strip():
        return "no metrics"
    if lost == 0:
        return None if re.search(r"rank 0\b.*\bon (node )?" + re.escape(host), errors) else "not named"
    if not re.search(rf"rank {lost} on {re.escape(host)}(, the emulated switch,)? does not answer", errors):
        return "not named"
    try:
        summary = json.loads((folder / "summary.json").read_text())
    except (OSError, ValueError) as error:
        return f"no summary: {error}"
    last = json.loads(metrics.read_text().splitlines()[-1])
    if not summary.get("interrupted") or summary.get("samples") != last["samples"]:
        return "the summary is not that of an interrupted run as of its last evaluation"
    return None if list(folder.glob("model*")) else "no model"


def kill_one(program, flags, ranks, lost, after, within):
    """(seconds until all had ended, what is wrong or None)"""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        command = ["mpirun", "-np", str(ranks), program, "run", *flags, "--seconds", "60",
                   "--evaluate-every", "0.05", "--out", str(out)]
        with open(Path(place) / "errors", "w+") as errors:
            run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors,
                                   env={**os.environ, **ENVIRONMENT})
            try:
                begun = wait_for(lambda: any(f.stat().st_size for f in out.rglob("metrics.jsonl*")), 60)
                time.sleep(after)
                processes = children(run.pid) if begun and run.poll() is None else {}
                if lost not in processes:
                    errors.seek(0)
                    return 0.0, "it never began: " + errors.read()
                os.kill(processes[lost], signal.SIGKILL)
                killed = time.monotonic()
                wait_for(lambda: run.poll() is not None and not any(map(lives, processes.values())),
                         max(30.0, within))
                took = time.monotonic() - killed
                left = sum(map(lives, processes.values())) + (run.poll() is None)
            finally:
                run.kill()
                run.wait()
            errors.seek(0)
            said = errors.read()
        if took > within or left:
            return took, f"took {took:.1f} s, and {left} processes were left"
        if run.returncode == 0:
            return took, "exit status 0"
        wrong = wrong_with(out / flags[1], lost, said, os.uname().nodename)
        return took, wrong and f"{wrong}: {said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/trainyard-mpi")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="of those of the seed, this one")
    parser.add_argument("--within", type=float, default=5.0, help="seconds")
    options = parser.parse_args()
    if options.kills < 1:
        parser.error(f"--kills {options.kills}: one kill at least")
    program = str(Path(options.program).resolve())
    draw, known, times, failures = random.Random(options.seed), {}, {}, 0
    for kill in range(options.kills):
        scheme, workers = draw.choice(SCHEMES), draw.choice(WORKERS)
        large, place, after = draw.random() < 0.5, draw.random(), 1.5 * draw.random()
        if options.only not in (None, kill):
            continue
        flags = ["--scheme", *scheme, "--workers", str(workers), *(LARGE if large else [])]
        ranks = ranks_of(program, flags, known)
        lost = int(place * ranks)
        took, wrong = kill_one(program, flags, ranks, lost, after, options.within)
        name = " ".join(scheme)
        times.setdefault(name, []).append(took)
        failures += wrong is not None
        print(f"{kill}: {' '.join(flags)}: rank {lost} of {ranks} after {after:.2f} s: "
              + (f"FAILED (--seed {options.seed} --only {kill}): {wrong}" if wrong else f"{took:.2f} s"),
              flush=True)
    for name, seconds in sorted(times.items()):
        print(f"{name}: {len(seconds)} kills, median {statistics.median(seconds):.2f} s, "
              f"longest {max(seconds):.2f} s")
    of_all = [one for seconds in times.values() for one in seconds]
    print(f"all: {len(of_all)} kills, {failures} failed, median {statistics.median(of_all):.2f} s, "
          f"longest {max(of_all):.2f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

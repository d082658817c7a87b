#!/usr/bin/env python3
"""What the machine can do at all: copies of one rank, each on a core of its own, at the same time.

    copies.py PROGRAM OUT.json COUNT[,COUNT…] [FLAG…]

Runs as many copies of `PROGRAM run --scheme sequential --workers 1 --time wall FLAG…` as each COUNT says,
and adds up their samples a second. They share memory and caches, and nothing else: what n workers that
learn together are held to. FLAGs may be those of `trainyard compare`; what a copy has no use for (--seeds,
--vary, targets and the like) is left out.

Each COUNT is run three times, and the time in the middle counts. Copies read their data, and train when
they have: `overlap` is the share of the longest copy's time in which all of them trained. What is not
close to 1 is too high a limit, and is said; more --epochs make it better.

`even` is what the copies would do if none were faster than the slowest of them. Workers with equal shares
of the rows, who wait for one another or end when all have, are held to that: on a virtual machine whose
cores belong to others, too, one may take twice the time of another.
"""

import json
import os
import subprocess
import sys
import time

ROUNDS = 3
LEAST_OVERLAP = 0.9
# Of flags that only a comparison has, or that say when or where a run ends: whether they have a value.
LEFT_OUT = {"schemes": True, "scheme": True, "vary": True, "map": True, "seeds": True, "jobs": True,
            "workers": True, "time": True, "tune-lr": False, "target-loss": True, "target-accuracy": True,
            "target-gradient": True, "patience": True, "out": True, "format": True, "html": True,
            "trace": True, "json": False, "quiet": False, "progress": False, "force": False}


def kept(flags):
    """The flags that a copy takes."""
    flags, found = list(flags), []
    while flags:
        flag = flags.pop(0)
        name, equals, _ = flag.removeprefix("--").partition("=")
        if not flag.startswith("--") or name not in LEFT_OUT:
            found.append(flag)
        elif LEFT_OUT[name] and not equals and flags:
            flags.pop(0)
    return found


def total(copies):
    """(samples a second of all, overlap, even) of copies (began, ended, samples a second)."""
    began, ended, speeds = zip(*copies)
    longest = max(end - begin for begin, end in zip(began, ended))
    together = min(ended) - max(began)
    return sum(speeds), max(0.0, together / longest) if longest > 0 else 1.0, len(speeds) * min(speeds)


def middle(rounds):
    """Of (samples a second, overlap, even) that in the middle."""
    return sorted(rounds)[len(rounds) // 2]


def run(program, count, flags):
    """(began, ended, samples a second) of each of `count` copies, on a core of its own."""
    command = [program, "run", "--scheme", "sequential", "--workers", "1", "--time", "wall", "--json",
               "--quiet", *flags]
    cores = sorted(os.sched_getaffinity(0))
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                preexec_fn=lambda core=core: os.sched_setaffinity(0, {core}))
               for core in cores[:count]]
    waiting, copies = set(started), []
    while waiting:
        for process in [one for one in waiting if one.poll() is not None]:
            ended = time.monotonic()
            waiting.remove(process)
            output, errors = process.communicate()
            if process.returncode not in (0, 4):
                sys.exit(f"copies.py: {' '.join(command)}\n{errors}")
            summary = json.loads(output)
            copies.append((ended - summary["seconds"], ended, summary["samples_per_second"]))
        time.sleep(0.001)
    return copies


def main():
    if len(sys.argv) < 4:
        sys.exit("copies.py PROGRAM OUT.json COUNT[,COUNT…] [FLAG…]")
    program, out, counts, *flags = sys.argv[1:]
    flags, found = kept(flags), {}
    for count in sorted({int(count) for count in counts.split(",")}):
        if count > len(os.sched_getaffinity(0)):
            continue
        speed, overlap, even = middle([total(run(program, count, flags)) for _ in range(ROUNDS)])
        found[count] = {"samples_per_second": speed, "overlap": overlap, "even": even}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main()

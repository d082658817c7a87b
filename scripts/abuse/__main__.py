"""The work of scripts/abuse.sh."""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import files
import flags
import surroundings
from call import quoted
from judges import judge
from runner import Runner, keep
from surface import Surface

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
FINDINGS = TOP / "build" / "abuse" / "findings"
MOST_ALIKE = 5  # findings of a sort that are printed


def permitted(setup):
    """Whether this machine lets the caller do that."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(["bash", "-c", setup], cwd=folder, capture_output=True).returncode == 0


def whole_configuration(program):
    """A configuration with every key, as the program writes it."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "data.svm").write_bytes(flags.data_file(random.Random(1)))
        subprocess.run([program, *surroundings.QUICK, "--out", "out", "--quiet"], cwd=folder, check=True, capture_output=True)
        return next(pathlib.Path(folder).glob("out/*/config.toml")).read_bytes()


def calls(program, seed, count):
    """The calls of a seed, in an order of its own; more calls only add to those of each kind."""
    surface = Surface(program)
    can_change_user = permitted("setpriv --reuid=40000 --regid=40000 --clear-groups true")
    can_make_devices = permitted("mknod null c 1 3 && echo >null")
    for able, words in ((can_change_user, "limits of threads"), (can_make_devices, "device files")):
        if not able:
            print(f"skipped, for want of root's rights: {words}")
    configuration = whole_configuration(program)

    def draw(kind):
        return random.Random(f"{seed} {kind}")

    kinds = [
        (0.35, flags.single_flags(surface, draw("flags"))), (0.14, flags.combinations(surface, draw("combinations"))),
        (0.06, flags.repetitions(surface, draw("repetitions"))), (0.14, files.data_files(draw("data"))),
        (0.10, files.other_files(draw("files"), configuration)), (0.04, surroundings.signals(draw("signals"))),
        (0.05, surroundings.limits(draw("limits"), can_change_user)), (0.04, surroundings.streams(draw("streams"))),
        (0.03, surroundings.pressures(surface, draw("pressure"))),
        (0.04, surroundings.outputs(draw("outputs"), can_make_devices)), (0.01, surroundings.memories(draw("memory"))),
    ]
    chosen = []
    for share, source in kinds:
        chosen += itertools.islice(source, max(1, round(share * count)))
    draw("order").shuffle(chosen)
    return chosen


def described(call):
    """The command lines, cut: again.sh has them whole."""
    lines = []
    for command in call.commands:
        line = " ".join([command.limits, "trainyard", *map(quoted, command.arguments), command.redirect]).strip()
        line += "".join(f" [SIG{name} after {after:.3f} s]" for after, name in command.signals)
        lines.append(line if len(line) < 400 else line[:400] + "…")
    setup = [call.setup] if call.setup else []
    return "; ".join(setup + [(" & " if call.together else "; ").join(lines)])


class Campaign:
    """Runs calls, two at a time, and keeps what they break."""

    def __init__(self, runner, folder):
        self.runner = runner
        self.folder = folder
        self.findings = 0
        self.alike = collections.Counter()  # findings that differ in numbers only
        self.slowest = []
        self.kinds = collections.Counter()

    def one(self, number_and_call):
        number, call = number_and_call
        folder = os.path.join(self.folder, str(number))
        try:
            outcomes, before, after = self.runner.run(call, folder)
            words = judge(call, outcomes, before, after, os.path.join(folder, "house"))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return call, outcomes, words

    def report(self, call, outcomes, words):
        self.kinds[call.kind.split(":")[0]] += 1
        self.slowest.append((max(outcome.seconds for outcome in outcomes), described(call)))
        if not words:
            return
        self.findings += 1
        alike = re.sub(r"\d+", "", call.kind.split(":")[0] + words[0])
        self.alike[alike] += 1
        if self.alike[alike] > MOST_ALIKE:
            return
        name = FINDINGS / f"{self.findings:03}"
        keep(self.runner, call, name, words)
        print(f"\n{self.findings}. {call.kind}: {'; '.join(words)}\n   {described(call)}")
        for outcome in outcomes:
            if outcome.errors:
                print("   says: " + outcome.errors.decode(errors="replace").strip()[-300:].encode("unicode_escape").decode())
        print(f"   again: bash {name.relative_to(TOP)}/again.sh", flush=True)


def unignore_signals():
    """In the background or under nohup some are ignored, which children inherit; a handler they do not."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def main():
    parser = argparse.ArgumentParser(prog="abuse.sh", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--program", default=str(TOP / "build" / "release" / "trainyard"))
    parser.add_argument("--kind", default="", help="only calls whose kind begins like that")
    arguments = parser.parse_args()
    unignore_signals()
    program = os.path.abspath(arguments.program)
    sanitized = b"__asan_init" in pathlib.Path(program).read_bytes()
    chosen = [call for call in calls(program, arguments.seed, arguments.calls) if call.kind.startswith(arguments.kind)]
    print(f"seed {arguments.seed}, {len(chosen)} calls of {program}", flush=True)
    shutil.rmtree(FINDINGS, ignore_errors=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="abuse-") as folder:
        os.chmod(folder, 0o755)
        campaign = Campaign(Runner(program, sanitized), folder)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for result in pool.map(campaign.one, enumerate(chosen)):
                campaign.report(*result)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(campaign.kinds.items()))
    print(f"\n{kinds}; {time.monotonic() - started:.0f} s")
    for seconds, words in sorted(campaign.slowest)[-3:]:
        print(f"slowest: {seconds:.1f} s: {words}")
    for alike, count in campaign.alike.items():
        if count > MOST_ALIKE:
            print(f"not printed: {count - MOST_ALIKE} more like '{alike}'")
    print(f"{campaign.findings} broke" if campaign.findings else "nothing broke")
    sys.exit(1 if campaign.findings else 0)


main()

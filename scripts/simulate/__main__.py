"""The work of scripts/simulate.sh."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

from checks import ACCOUNTS, check_end, parsed
from offer import Offer
from repeats import REPEATS
from runner import Runner
from smaller import smaller
from worlds import make_world, make_world_of

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_ALIKE = 3  # findings of a sort that are made smaller and printed


class Judge:
    """Runs a world and says what is wrong with it."""

    def __init__(self, runner, offer, repeats):
        self.runner = runner
        self.offer = offer
        self.repeats = repeats  # name → when, check

    def findings(self, world, only=None):
        """Pairs (check, sentence), and what became of the run; `only` one check, where it is named."""
        outcome = self.runner.run(world.arguments())
        found = [("end", words) for words in check_end(outcome)]
        if found or outcome.status == 2:
            return found, outcome
        result = parsed(outcome.output)
        for name, check in ACCOUNTS.items():
            if only in (None, name):
                found += [(name, words) for words in check(world, result, self.offer.is_in_lockstep(world))]
        for name, (when, check) in self.repeats.items():
            if only in (None, name) and when(self.offer, world, outcome):
                outcome.made_again.append(name)
                found += [(name, words) for words in check(self.runner, self.offer, world, outcome)]
        return found, outcome


def sort_of(words):
    """Sentences of a sort differ in numbers only."""
    return re.sub(r"[\d.,e+-]*\d", "N", words)[:60]


class Campaign:
    def __init__(self, judge):
        self.judge = judge
        self.ran = self.diverged = self.broken = 0
        self.refused = collections.Counter()
        self.alike = collections.Counter()
        self.schemes = collections.Counter()
        self.repeated = collections.Counter()

    def count(self, seed, world, found, outcome):
        scheme = world.get("--scheme")
        if outcome.status == 2 and not found:
            self.refused[self.pattern(outcome.errors, scheme)] += 1
            return
        self.ran += 1
        self.schemes[scheme] += 1
        self.repeated.update(outcome.made_again)
        self.diverged += outcome.status == 4
        if found:
            self.broken += 1
            self.report(seed, world, outcome, *found[0])

    def pattern(self, message, scheme):
        """What was refused, without what differs from world to world."""
        line = message.strip().split("\n")[-1].removeprefix("trainyard: ")
        line = re.sub(rf"(?<![\w-]){re.escape(scheme)}(?![\w-])", "SCHEME", line)
        return re.sub(r"[\d.]*\d", "N", line)[:100]

    def report(self, seed, world, outcome, name, words):
        sort = f"{name}: {sort_of(words)}"
        self.alike[sort] += 1
        if self.alike[sort] > MOST_ALIKE:
            return
        print(f"\nseed {seed}, {name}: {words}\n   {world.command()}", flush=True)
        if name == "end" and outcome.hung:  # each try to make it smaller takes as long
            return

        def still(candidate):
            return any(kind == name and sort_of(said) == sort_of(words) for kind, said in self.judge.findings(candidate, name)[0])

        least = smaller(world, still)
        if least != world:
            again = [said for kind, said in self.judge.findings(least, name)[0] if kind == name]
            print(f"   smaller: {least.command()}\n   {'; '.join(again[:2])}", flush=True)

    def say(self, seconds):
        refused = sum(self.refused.values())
        print(f"\n{self.ran + refused} worlds in {seconds:.0f} s: {self.ran} ran, {self.diverged} of them diverged, {refused} were refused")
        print(f"{len(self.schemes)} of {len(self.judge.offer.schemes)} schemes ran")
        for name, count in self.repeated.items():
            print(f"{count:6} made again: {name}")
        for pattern, count in self.refused.most_common():
            print(f"{count:6} refused: {pattern}")
        for sort, count in self.alike.most_common():
            print(f"{count:6} found: {sort}")
        print(f"something was found in {self.broken}" if self.broken else "nothing was found")


def asked():
    parser = argparse.ArgumentParser(prog="simulate.sh", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--program", default=str(TOP / "build" / "release" / "trainyard"))
    parser.add_argument("--checks", choices=["all", "accounts"], default="all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scheme", default="", help="worlds of this one alone, which are others")
    parser.add_argument("--show", action="store_true", help="print the command of each seed, and run nothing")
    return parser.parse_args()


def repeats_of(arguments):
    if arguments.checks == "accounts":
        return {}
    if shutil.which("taskset"):
        return REPEATS
    print("skipped, for want of taskset: pinned")
    return {name: how for name, how in REPEATS.items() if name != "pinned"}


def main():
    arguments = asked()
    program = os.path.abspath(arguments.program)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="simulate-") as folder:
        runner = Runner(program, folder)
        offer = Offer(runner)
        judge = Judge(runner, offer, repeats_of(arguments))

        def one(seed):
            world = make_world_of(offer, arguments.scheme, seed) if arguments.scheme else make_world(offer, seed)
            return (seed, world, *(([], None) if arguments.show else judge.findings(world)))

        campaign = Campaign(judge)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for seed, world, found, outcome in pool.map(one, seeds):
                if arguments.show:
                    print(world.command())
                else:
                    campaign.count(seed, world, found, outcome)
        if not arguments.show:
            campaign.say(time.monotonic() - started)
    sys.exit(1 if campaign.broken else 0)


main()

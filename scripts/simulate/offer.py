"""What the program offers, from its own lists and messages."""

import json
import re
import threading
from dataclasses import dataclass


@dataclass
class Scheme:
    name: str
    family: str
    servers: bool  # --servers
    takes: list  # kinds of components
    hyperparameters: list  # dictionaries: name, argument, help, fallback
    any_optimizer: bool
    refused: set  # of l1, clip_norm, muon
    repeats: bool  # on threads it comes to the same as in simulated time
    shrinks: bool  # its members may change
    by_speed: bool  # it takes rows that are divided by speed
    datagrams: bool  # it goes on without messages that are lost for good

    def has(self, name):
        return any(hyperparameter["name"] == name for hyperparameter in self.hyperparameters)


@dataclass
class Component:
    name: str  # without arguments; of attacks what follows the number of liars
    arguments: str  # what stands behind its first colon
    optional: bool  # whether those may be left out
    about: str  # all that is said of it


@dataclass
class Range:
    """Of a hyperparameter: numbers, or words, or else a kind of unit."""

    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    words: tuple = ()
    unit: str = ""  # "size" or "duration"


class Offer:
    def __init__(self, runner):
        self.runner = runner
        self.schemes = [scheme_of(row) for row in self.listed("schemes")]
        # Replicas of 20 million parameters have no room in many a world, and a world takes seconds.
        self.datasets = [row["name"] for row in self.listed("datasets")
                         if row["origin"] == "generated" and not row["name"].startswith("wide-")]
        self.codecs = [component_of(row) for row in self.listed("codecs")]
        self.aggregates = [component_of(row) for row in self.listed("aggregates")]
        self.attacks = [component_of(row, before="F:") for row in self.listed("attacks")]
        self.collectives = [row["name"] for row in self.listed("collectives")]
        # Those of a file would need one.
        self.topologies = [each for each in map(component_of, self.listed("topologies")) if each.arguments != "PATH"]
        self.ranges = {}
        self.lock = threading.Lock()

    def listed(self, what):
        rows = json.loads(self.runner.run(["list", what, "--json"]).output)[what]
        if not rows:
            raise RuntimeError(f"the program lists no {what}")
        return rows

    def is_in_lockstep(self, world):
        """Nothing of it goes by the clock."""
        scheme = next(scheme for scheme in self.schemes if scheme.name == world.get("--scheme"))
        legs_by_clock = (world.get("--checkpoint-every") or "").endswith("s")
        return scheme.repeats and not world.has("--seconds") and not legs_by_clock and world.get("--local-steps") != "speed"

    def range_of(self, scheme, name):
        """The program has it in what it says to a value that is in none."""
        with self.lock:
            if name not in self.ranges:
                said = self.runner.run(["run", "--scheme", scheme.name, f"--{name}=-77"]).errors
                self.ranges[name] = range_in(said)
            return self.ranges[name]


def scheme_of(row):
    return Scheme(
        name=row["name"], family=row["family"], servers=row["takes_servers"], takes=row["takes"],
        hyperparameters=row["hyperparameters"], any_optimizer=row["optimizers"] == "any",
        refused={what for what, why in row["refuses"].items() if why}, repeats=row["repeats_on_threads"],
        shrinks=row["members_may_change"], by_speed=row["rows_by_speed"], datagrams=row["takes_datagrams"],
    )


def component_of(row, before=""):
    words = row["name"].removeprefix(before)
    name, _, arguments = words.partition(" ")[0].partition(":")
    return Component(name, arguments, "[" in words, json.dumps(row, ensure_ascii=False))


def range_in(said):
    """Of a message like: '-77' is not a whole number from 1 to 64."""
    numbers = re.search(r"is not a (whole )?number from (\S+) to (\S+)", said)
    if numbers:
        return Range(float(numbers.group(2)), float(numbers.group(3)), bool(numbers.group(1)))
    words = re.search(r"is not one of ([^;\n]+)", said)
    if words:
        return Range(words=tuple(words.group(1).split(", ")))
    for unit in ("size", "duration"):
        if unit in said:
            return Range(unit=unit)
    raise RuntimeError(f"the program does not say what it accepts: {said}")

"""What the program offers, read from its own help: commands, flags, schemes."""

import re
import subprocess
from dataclasses import dataclass


@dataclass
class Flag:
    name: str
    placeholder: str  # of its value; empty for a switch
    help: str

    def choices(self):
        """The words among which it chooses, of a placeholder like a|b|c."""
        words = self.placeholder.split("|")
        return words if len(words) > 1 and all(re.fullmatch(r"[a-z-]+", word) for word in words) else []

    def default(self):
        found = re.search(r"\[([^\]]+)\]$", self.help)
        return found.group(1) if found else None


@dataclass
class Scheme:
    name: str
    takes: list  # flags of its own


class Surface:
    def __init__(self, program):
        self.program = program
        listed = re.search(r"Subcommands:\n(.*?)\n\n", self.ask("--help"), re.DOTALL).group(1)
        self.commands = {name: self.flags_of(name) for name in re.findall(r"(?m)^  (\w+)  ", listed)}
        self.schemes = self.listed_schemes()
        self.topologies = re.findall(r"(?m)^([a-z0-9-]+)(?::[A-Z]+)?  ", self.ask("list", "topologies"))
        self.collectives = re.findall(r"(?m)^([a-z-]+)$", self.ask("list", "collectives"))
        for what in ("commands", "schemes", "topologies", "collectives"):
            if not getattr(self, what):
                raise RuntimeError(f"no {what} in the program's own lists: their form has changed, and surface.py has not")

    def ask(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, check=True).stdout

    def flags_of(self, command):
        """Name → flag. A help that does not fit beside a flag stands in the line below it."""
        flags = {}
        last = None
        help_text = self.ask(command, "--help")
        if "--help-all" in help_text:  # with the flags of every scheme's own rule
            help_text = self.ask(command, "--help-all")
        for line in help_text.split("\n"):
            found = re.match(r"  (?:-\w,)?--([a-z0-9-]+)(?: (\S+))?(?:  +(.*))?$", line)
            if found:
                last = Flag("--" + found.group(1), found.group(2) or "", found.group(3) or "")
                flags[last.name] = last
            elif last and re.match(r" {20,}\S", line):
                last.help = (last.help + " " + line.strip()).strip()
            else:
                last = None
        flags.pop("--help", None)
        flags.pop("--help-all", None)
        return flags

    def listed_schemes(self):
        """Names from the tables of schemes and presets; what each takes from its scheme's page."""
        names = [name for what in ("schemes", "presets") for name in re.findall(r"(?m)^([a-z0-9+-]+)  +\S", self.ask("list", what))]
        names.remove("name")  # the heading of presets
        return [Scheme(name, self.taken_by(name)) for name in names]

    def taken_by(self, scheme):
        found = re.search(r"(?m)^  takes: (.*)$", self.ask("list", "schemes", scheme))
        return found.group(1).split() if found else []

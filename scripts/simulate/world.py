"""A world: the options of one run."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class World:
    options: tuple  # pairs (flag, value); None for a switch

    def get(self, flag):
        """The value of a flag; None where it is not given."""
        return dict(self.options).get(flag)

    def has(self, flag):
        return any(name == flag for name, _ in self.options)

    def without(self, *flags):
        return World(tuple(option for option in self.options if option[0] not in flags))

    def having(self, flag, value):
        """With another value of a flag that is given."""
        return World(tuple((name, value if name == flag else old) for name, old in self.options))

    def words(self):
        return [word for option in self.options for word in option if word is not None]

    def arguments(self):
        return ["run", *self.words(), "--json", "--quiet"]

    def command(self):
        return "trainyard " + " ".join(map(shlex.quote, self.arguments()))

"""What trainyard raises. Each message says what was found and what is accepted."""

import re

#: A field of a struct, as C++ names it.
_FIELD = re.compile(r": \.([a-z_]+): ")
_TAKES = re.compile(r"\.takes = \{(\"[a-z]+\")\}")
_FLAG = re.compile(r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")


def in_python(text):
    """A sentence of the library, with the options that it names as Python writes them."""
    text = _TAKES.sub(r"takes=[\1]", text)
    return _FIELD.sub(r": \1: ", _FLAG.sub(lambda match: match.group(1).replace("-", "_"), text))


class TrainyardError(Exception):
    """All of the following."""

    def __init__(self, message):
        super().__init__(in_python(message))


class UsageError(TrainyardError, ValueError):
    """The question is wrong.

    option: the name of what is wrong, as it is given in Python, where there is one.
    found: its value, where it says more than the message.
    accepted: the fault, and what is accepted instead.
    """

    def __init__(self, message, option=None, found=None, accepted=None):
        super().__init__(message)
        if option is None:
            begins = _FLAG.match(message)
            option = begins.group(1) if begins else None
            if message.startswith("no scheme named"):
                option = "schemes"
        self.option = option.replace("-", "_") if option else None
        self.found = found
        self.accepted = in_python(accepted) if accepted else None

    def __reduce__(self):
        return (type(self), (self.args[0], self.option, self.found, self.accepted))


class DataError(TrainyardError, ValueError):
    """Rows cannot be read, or are not what a model can learn from."""


class RunError(TrainyardError, RuntimeError):
    """A run lacks something: memory, threads, room on the disk."""


class InternalError(TrainyardError, RuntimeError):
    """A defect of trainyard, or a scheme whose workers wait for each other in vain."""


class TrainyardWarning(UserWarning):
    """What changes the meaning of a result; also among its notes."""

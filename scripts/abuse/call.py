"""What one call is: the programs it starts, the files they find, and what they may do."""

import shlex
from dataclasses import dataclass, field

MIB = 1 << 20


@dataclass
class Command:
    """One start of the program."""

    arguments: list
    limits: str = ""  # shell, like "ulimit -v 300000;"
    redirect: str = ""  # shell, like "2>/dev/full"
    signals: tuple = ()  # pairs (seconds after the start, name without SIG)
    user: int = 0  # whose rights it has; 0: those of the caller

    def flag(self, name):
        """The value that follows a flag; None where it is not given."""
        for word, value in zip(self.arguments, self.arguments[1:]):
            if word == name:
                return value
        return None


@dataclass
class Call:
    kind: str
    commands: list
    files: dict = field(default_factory=dict)  # name → bytes, in the working folder
    setup: str = ""  # shell, run in the working folder before
    together: bool = False  # all commands at once, else one after the other
    outputs: tuple = ()  # paths where new files may appear, and below them
    replaceable: tuple = ()  # existing paths that may change
    accepted: tuple = (0, 2, 3, 4)  # exit statuses
    ends_within: float = 0.0  # seconds of its first signal; 0: as any call
    may_last: bool = False  # is interrupted after a while, if it has not ended by then
    same_bytes: bool = False  # the commands print and write the same
    memory: int = 1024 * MIB  # more than that at once is a finding


def quoted(word):
    """One word of the shell, whatever its bytes are."""
    if word.isprintable():
        return shlex.quote(word)
    data = word.encode("utf-8", "surrogateescape")
    return "$'" + "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in "'\\" else f"\\x{byte:02x}" for byte in data
    ) + "'"


def script(program, command, general_limits, with_signals):
    """The shell text that starts the command, in place of the shell: so its process is the program's."""
    lines = ["ulimit -c 0;" + general_limits]
    if with_signals and command.signals:
        moments = "".join(f"sleep {after:.4f}; kill -{name} $$; " for after, name in command.signals)
        lines.append(f"({moments}) 2>/dev/null &")
    words = []
    if command.user:
        words = ["setpriv", f"--reuid={command.user}", f"--regid={command.user}", "--clear-groups"]
    words += [program, *command.arguments]
    lines.append(f"{command.limits} exec {' '.join(map(quoted, words))} {command.redirect}".strip())
    return "\n".join(lines) + "\n"

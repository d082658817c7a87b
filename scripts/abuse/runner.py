"""Runs a call in a folder of its own, bounded in time, memory and file sizes."""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import time
from dataclasses import dataclass, field

from call import script

# Of each process: 3 GiB of address space, files of 64 MiB. Sanitizers reserve terabytes of addresses.
GENERAL_LIMITS = " ulimit -v 3145728; ulimit -f 65536;"
LIMITS_OF_SANITIZERS = " ulimit -f 65536;"
INTERRUPTED_AFTER = 1.5  # seconds, of a call that may last
TIME_OUT = 20.0  # seconds: see hangs()


@dataclass
class Outcome:
    """What became of one command."""

    command: object
    status: int = 0  # as the shell counts: 128 + signal
    signal: int = 0  # that ended it
    sent: list = field(default_factory=list)  # names of signals that were sent while it ran
    sent_at: float = 0.0  # seconds from its start to the first of them
    hung: bool = False
    seconds: float = 0.0
    memory: int = 0  # bytes, at most at once
    output: bytes = b""
    errors: bytes = b""


class Runner:
    def __init__(self, program, sanitized):
        self.program = program
        self.limits = LIMITS_OF_SANITIZERS if sanitized else GENERAL_LIMITS
        self.patience = 4.0 if sanitized else 1.0  # everything takes that many times as long

    def prepare(self, call, folder):
        """folder/house/work with the call's files; gives the working folder."""
        work = os.path.join(folder, "house", "work")
        os.makedirs(work)
        for name, data in call.files.items():
            with open(os.path.join(work, name), "wb") as file:
                file.write(data)
        if call.setup:
            subprocess.run(["bash", "-c", call.setup], cwd=work, check=True, stdin=subprocess.DEVNULL)
        if any(command.user for command in call.commands):
            for path in (folder, os.path.join(folder, "house"), work):
                os.chmod(path, 0o777)
        return work

    def run(self, call, folder):
        """Outcomes of the commands, and the house before and after them."""
        work = self.prepare(call, folder)
        house = os.path.dirname(work)
        before = snapshot(house)
        outcomes = []
        running = []
        for number, command in enumerate(call.commands):
            running.append(self.start(command, number, folder, work))
            if not call.together:
                outcomes.append(self.wait(call, *running.pop()))
        outcomes += [self.wait(call, *each) for each in running]
        return outcomes, before, snapshot(house)

    def start(self, command, number, folder, work):
        path = os.path.join(folder, f"{number}.sh")
        with open(path, "w", errors="surrogateescape") as file:
            file.write(script(self.program, command, self.limits, False))
        streams = [open(os.path.join(folder, f"{number}.{name}"), "w+b") for name in ("out", "err")]
        environment = {"PATH": os.environ["PATH"], "HOME": work, "LANG": "C.UTF-8"}
        process = subprocess.Popen(
            ["bash", path], cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=streams[0],
            stderr=streams[1], start_new_session=True,
        )
        return Outcome(command), process, streams, time.monotonic()

    def wait(self, call, outcome, process, streams, started):
        due = list(outcome.command.signals)
        if call.may_last:
            due.append((INTERRUPTED_AFTER * self.patience, "INT"))
        allowed = TIME_OUT * self.patience
        pause = 0.001
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            now = time.monotonic()
            if ended:
                break
            if due and now >= started + due[0][0]:
                name = due.pop(0)[1]
                outcome.sent_at = outcome.sent_at or now - started
                outcome.sent.append(name)
                process.send_signal(getattr(signal, "SIG" + name))
                allowed = now - started + TIME_OUT * self.patience / 2
            elif hangs(process.pid, now - started, allowed):
                outcome.hung = True
                os.killpg(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(pause)
            pause = min(2 * pause, 0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        outcome.signal = max(0, -process.returncode)
        outcome.status = process.returncode if process.returncode >= 0 else 128 + outcome.signal
        outcome.seconds = now - started
        outcome.memory = usage.ru_maxrss * 1024
        outcome.output, outcome.errors = (contents(stream) for stream in streams)
        return outcome


def hangs(pid, elapsed, allowed):
    """Whether it has had the seconds it may take: of the processor, which others may want too, or of
    the clock while it does nothing."""
    if elapsed < allowed:
        return False
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rsplit(b")", 1)[1].split()
    computed = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return computed >= allowed or computed < elapsed / 20 or elapsed > 5 * allowed


def contents(stream):
    with stream:
        stream.seek(0)
        return stream.read(64 << 20)


def snapshot(house):
    """Path below the house → kind, rights and what it holds."""
    found = {}
    for folder, folders, files in os.walk(house):
        for name in folders + files:
            path = os.path.join(folder, name)
            about = os.lstat(path)
            mode = about.st_mode
            what = [stat.filemode(mode)]
            if stat.S_ISLNK(mode):
                what.append(os.readlink(path))
            elif stat.S_ISREG(mode):
                with open(path, "rb") as file:
                    what.append(hashlib.sha256(file.read()).hexdigest())
            elif stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                what.append(about.st_rdev)
            found[os.path.relpath(path, house)] = tuple(what)
    return found


def keep(runner, call, folder, words):
    """Puts a finding's files and again.sh, which repeats it, into the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    runner.prepare(call, folder)
    lines = ["#!/usr/bin/env bash", *("# " + line for line in words)]
    lines += ['cd "$(dirname "$0")"', "rm -rf again", "cp -a house again", "cd again/work"]
    for number, command in enumerate(call.commands):
        name = f"{number}.sh"
        with open(os.path.join(folder, name), "w", errors="surrogateescape") as file:
            file.write(script(runner.program, command, runner.limits, True))
        lines.append(f"bash ../../{name}" + (" &" if call.together else '; echo "exit status $?"'))
    if call.together:
        lines.append("wait")
    with open(os.path.join(folder, "again.sh"), "w", errors="surrogateescape") as file:
        file.write("\n".join(lines) + "\n")

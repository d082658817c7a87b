"""Runs the program, bounded in time."""

import contextlib
import os
import resource
import signal
import subprocess
import time
from dataclasses import dataclass, field

# A usual run takes 0.1 s of the processor, which others may want too.
LONGEST_COMPUTING = 30  # seconds of the processor
LONGEST = 300.0  # seconds of the clock


@dataclass
class Outcome:
    status: int  # negative: ended by that signal
    output: str
    errors: str
    hung: bool = False
    made_again: list = field(default_factory=list)  # names of the checks for which it was made again


class Runner:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder  # of those that are started, so that nothing lies in their way

    def start(self, words):
        environment = {"PATH": os.environ["PATH"], "HOME": self.folder, "LANG": "C.UTF-8"}
        process = subprocess.Popen(
            words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        with contextlib.suppress(ProcessLookupError):  # it has ended
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (LONGEST_COMPUTING, LONGEST_COMPUTING + 5))
        return process

    def run_until(self, arguments, there):
        """Kills it as soon as `there` says so, unless it has ended before."""
        process = self.start([self.program, *arguments])
        while process.poll() is None and not there():
            time.sleep(0.001)
        process.kill()
        process.communicate()

    def run(self, arguments, core=None):
        words = [self.program, *arguments]
        if core is not None:
            words = ["taskset", "-c", str(core), *words]
        process = self.start(words)
        try:
            output, errors = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return Outcome(0, "", "", hung=True)
        hung = process.returncode == -signal.SIGXCPU
        return Outcome(process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"), hung)

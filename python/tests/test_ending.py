"""Code that never ends by itself, and scripts that end before their runs do: each in a process of its own."""

import os
import signal
import subprocess
import sys

import pytest

ENDLESS = """
import os, signal, sys, threading, time
import trainyard as ty

stuck = threading.Event()

@ty.scheme_of("endless", lockstep=False)
def endless(w):
    while (yield w.next_step()):
        while w.step == 3 and w.rank == 1:
            stuck.set()
            time.sleep(0.001)
        yield w.descend()
"""


def python(script, **options):
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONUNBUFFERED": "1"}, **options)


@pytest.mark.parametrize("time", ["virtual", "wall"])
def test_a_second_ctrl_c_ends_code_that_never_ends(time):
    done = python(ENDLESS + f"""
def press():
    stuck.wait()
    for pause in (0.3, 2):  # on a busy machine two that come close after each other are one
        time.sleep(pause)
        os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press).start()
try:
    ty.run("endless", workers=2, steps=5, time="{time}")
except KeyboardInterrupt:
    print("ended")
# What was raised there does not come up in what follows.
print(ty.run("ring", steps=3, time="{time}").gradients)
""")
    assert done.stdout == "ended\n24\n", done.stderr


@pytest.mark.parametrize("scheme", ["ring", "endless"])
def test_a_script_that_ends_takes_its_runs_along(scheme):
    done = python(ENDLESS + f"""
threading.Thread(target=lambda: ty.run("{scheme}", workers=2, epochs=100000, time="virtual", progress=lambda _: stuck.set()),
                 daemon=True).start()
stuck.wait()
print("the end")
""")
    assert done.stdout == "the end\n"
    assert done.returncode == 0, done.stderr
    assert "terminate" not in done.stderr


def test_a_script_that_has_forked_ends():
    done = python("""
import os, threading
import trainyard as ty
begun = threading.Event()
threading.Thread(target=lambda: ty.run("ring", epochs=100000, time="virtual", progress=lambda _: begun.set()),
                 daemon=True).start()
begun.wait()
child = os.fork()
if child:
    print(os.waitpid(child, 0)[1])
""")
    assert done.stdout == "0\n", done.stderr
    assert done.returncode == 0, done.stderr


def test_no_question_is_begun_when_the_interpreter_ends():
    done = python("""
import atexit
def late():
    try:
        ty.run("ring", steps=1)
    except ty.RunError as error:
        print(error)
atexit.register(late)
import trainyard as ty
""")
    assert done.stdout == "the interpreter ends, and with it all questions\n", done.stderr

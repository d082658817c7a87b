"""The module from where it was built (PYTHONPATH), and the program beside it."""

import os
import pathlib
import signal
import subprocess

import numpy as np
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TRAINYARD_PROGRAM", TOP / "build/python/trainyard"))


def pytest_configure(config):
    # Short runs are warned of; the tests of warnings catch theirs.
    config.addinivalue_line("filterwarnings", "ignore::trainyard.TrainyardWarning")
    # A shell has what it starts in the background ignore Ctrl-C, of which there are tests.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def program():
    """Runs the program, and returns what it prints."""
    if not PROGRAM.exists():
        pytest.skip(f"no program at {PROGRAM} to compare with; TRAINYARD_PROGRAM names one")

    def call(*words):
        quiet = [] if words[0] == "list" else ["--quiet"]
        done = subprocess.run([PROGRAM, *words, *quiet], capture_output=True, text=True, check=False, cwd=TOP)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


@pytest.fixture
def blobs():
    """Two classes of 400 rows with 5 features, apart by two standard deviations in each."""
    random = np.random.default_rng(1)
    y = np.repeat([0, 1], 200)
    x = random.normal(size=(400, 5)) + 2.0 * y[:, None]
    order = random.permutation(400)
    return x[order].astype(np.float32), y[order]

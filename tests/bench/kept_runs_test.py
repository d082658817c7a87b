"""bench/kept_runs.py: an answer is taken once for the same words, and anew for others."""

import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from kept_runs import answer  # noqa: E402


def program_in(folder):
    """Counts how often it is run, and fails where it is told to."""
    program = folder / "program"
    program.write_text('#!/bin/sh\n[ "$1" != fail ] || { echo "no answer" >&2; exit 3; }\necho x >>"$(dirname "$0")/runs"\n'
                       'printf \'{"first": "%s", "run": %d}\' "$1" "$(wc -l <"$(dirname "$0")/runs")"\n')
    program.chmod(0o755)
    return str(program)


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    program, out = program_in(folder), folder / "deep" / "out"
    assert answer(out, "one", program, ["a"]) == {"first": "a", "run": 1}
    assert answer(out, "one", program, ["a"]) == {"first": "a", "run": 1}
    assert answer(out, "two", program, ["a"]) == {"first": "a", "run": 2}
    assert answer(out, "one", program, ["b"]) == {"first": "b", "run": 3}
    try:
        answer(out, "one", program, ["fail"])
        raise SystemExit("a program that fails has no answer")
    except subprocess.CalledProcessError:
        pass
    assert answer(out, "one", program, ["b"]) == {"first": "b", "run": 3}, "what was kept is still there"
    assert answer(out, "three", program, ["fail"], "no answer") is None
    (folder / "program").unlink()
    assert answer(out, "three", program, ["fail"], "no answer") is None, "that there is none is kept"
    assert sorted(file.name for file in out.iterdir()) == ["one.json", "three.json", "two.json"]

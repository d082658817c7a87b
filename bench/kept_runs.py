"""Answers of a program that is run for an hour or more, kept in a folder, so that a run goes on where an
earlier one was stopped. An answer is taken again only for the same words."""

import argparse
import json
import pathlib
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent


def arguments(description):
    """A parser that knows what such experiments have in common."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path, help="folder of what has been computed")
    parser.add_argument("--program", default=str(TOP / "build/release/trainyard"))
    parser.add_argument("--data-dir", default=str(TOP / "data"))
    parser.add_argument("--seeds", type=int, default=5)
    return parser


def answer(out, name, program, words, nothing=None):
    """The JSON that `program WORDS --quiet --json` prints, from OUT/NAME.json if it stands there.

    None, which is kept as well, where the program ends with an error that has the text `nothing`."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / (name + ".json")
    if file.exists():
        kept = json.loads(file.read_text())
        if kept["words"] == words:
            return kept["answer"]
    done = subprocess.run([program, *words, "--quiet", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0 and (nothing is None or nothing not in done.stderr):
        sys.stderr.write(done.stderr)
        done.check_returncode()
    kept = {"words": words, "answer": json.loads(done.stdout) if done.returncode == 0 else None}
    beside = file.with_suffix(".part")
    beside.write_text(json.dumps(kept))
    beside.replace(file)  # whole, or not there
    return kept["answer"]

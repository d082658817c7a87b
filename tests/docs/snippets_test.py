"""The Python of docs/data.md and docs/results.md runs on what their commands leave.

    snippets_test.py PROGRAM

Says "skipped" and ends with status 77 where NumPy is missing; snippets that need pandas or onnxruntime are left out
where these are.
"""

import importlib.util
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

if importlib.util.find_spec("numpy") is None:
    print("skipped: no NumPy")
    sys.exit(77)

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
PROGRAM = str(Path(sys.argv[1]).resolve())


def run_page(page, folder):
    """Runs what `page` has as commands with --out, and then its snippets."""
    (folder / "docs").symlink_to(DOCS)
    text = (DOCS / page).read_text(encoding="utf-8")
    for command in re.findall(r"^    trainyard ((?:run|score|export) .*--out .*)$", text, re.M):
        quiet = ["--quiet"] if command.startswith("run ") else []
        subprocess.run([PROGRAM, *shlex.split(command), *quiet], cwd=folder, check=True, capture_output=True)
    ran = 0
    for snippet in re.findall(r"^```python\n(.*?)^```", text, re.S | re.M):
        lacking = [name for name in ("pandas", "onnxruntime") if name in snippet and importlib.util.find_spec(name) is None]
        if lacking:
            print(f"{page}: left out, as there is no {lacking[0]}")
            continue
        done = subprocess.run([sys.executable, "-c", snippet], cwd=folder, check=True, capture_output=True, text=True)
        print(f"{page}:\n{done.stdout}")
        check_weights(text, done.stdout)
        ran += 1
    return ran


def check_weights(text, printed):
    """What the page says of a weight, as "Complaints (+1.25)", is what is printed."""
    for name, weight in re.findall(r"(\w+) \(([+−]\d\.\d\d)\)", text):
        line = re.search(rf"^{name} +(\S+)$", printed, re.M)
        if line and abs(float(line[1]) - float(weight.replace("−", "-"))) > 0.02:
            sys.exit(f"the weight of {name} is {line[1]}, and the page has {weight}")


def main():
    for page in ("data.md", "results.md"):
        with tempfile.TemporaryDirectory() as folder:
            if run_page(page, Path(folder)) == 0:
                sys.exit(f"{page} has no snippet that ran")


main()

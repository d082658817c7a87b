#!/usr/bin/env python3
"""Writes students' versions of the notebooks: without answers, and without outputs.

    scripts/student_notebooks.py FOLDER [NOTEBOOK …]

Cells with the tag `answer` are left out; in the place of those of an exercise stands one empty cell to write in. All
notebooks of docs/notebooks, or those that are named, as files or by their names (`stragglers`). A file that is in FOLDER
already, with what somebody wrote into it maybe, is not overwritten.
"""

import json
import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parent.parent / "docs/notebooks"
TAG = "answer"


def is_answer(cell):
    return TAG in cell.get("metadata", {}).get("tags", [])


def without_answers(cells):
    """The students' cells, with new names."""
    kept = []
    for before, cell in zip([{}, *cells], cells):
        if is_answer(cell):
            if is_answer(before):
                continue
            cell = {"cell_type": "code", "id": "", "metadata": {}, "source": [], "execution_count": None, "outputs": []}
        elif cell["cell_type"] == "code":
            cell = {**cell, "execution_count": None, "outputs": []}
        kept.append({**cell, "id": f"cell-{len(kept)}"})
    return kept


def students_version(text):
    """The notebook for students, as text, of the teacher's."""
    notebook = json.loads(text)
    notebook["cells"] = without_answers(notebook["cells"])
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def file_of(name):
    """A notebook that is named by its file, or as docs/notebooks has it."""
    for file in (Path(name), NOTEBOOKS / f"{name}.ipynb"):
        if file.is_file():
            return file
    known = ", ".join(sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb")))
    raise SystemExit(f"student_notebooks.py: no notebook '{name}'; a file, or one of {known}, is accepted")


def main(folder, *names):
    files = [file_of(name) for name in names] or sorted(NOTEBOOKS.glob("*.ipynb"))
    made = {Path(folder) / file.name: students_version(file.read_text(encoding="utf-8")) for file in files}
    there = [str(file) for file in made if file.exists()]
    if there:
        raise SystemExit(f"student_notebooks.py: there already, and not overwritten: {', '.join(there)}")
    Path(folder).mkdir(parents=True, exist_ok=True)
    for file, text in made.items():
        file.write_text(text, encoding="utf-8")
        print(file)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__.strip())
    main(*sys.argv[1:])

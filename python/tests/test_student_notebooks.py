"""What scripts/student_notebooks.py writes has the questions, and no answer."""

import json
import subprocess
import sys

import pytest
from conftest import TOP

SCRIPT = TOP / "scripts/student_notebooks.py"
NOTEBOOKS = sorted((TOP / "docs/notebooks").glob("*.ipynb"))
TEACHERS = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in NOTEBOOKS}


def written(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, check=False)


def is_answer(cell):
    return "answer" in cell["metadata"].get("tags", [])


@pytest.fixture(scope="module")
def students(tmp_path_factory):
    folder = tmp_path_factory.mktemp("students") / "notebooks"
    done = written(folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(folder / file.name) for file in NOTEBOOKS]
    return {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in folder.iterdir()}


@pytest.mark.parametrize("name", TEACHERS)
def test_a_notebook_has_two_to_four_exercises_with_answers(name):
    exercises, answered = 0, True
    for cell in TEACHERS[name]["cells"]:
        if "**Exercise" in "".join(cell["source"]):
            assert answered and not is_answer(cell)
            exercises, answered = exercises + 1, False
        answered |= is_answer(cell)
    assert 2 <= exercises <= 4 and answered


@pytest.mark.parametrize("name", TEACHERS)
def test_no_question_needs_an_answer_to_run(name):
    codes = [cell for cell in TEACHERS[name]["cells"] if cell["cell_type"] == "code"]
    first = [is_answer(cell) for cell in codes].index(True)
    assert all(is_answer(cell) for cell in codes[first:])


@pytest.mark.parametrize("name", TEACHERS)
def test_no_answer_remains(students, name):
    assert '"answer"' not in json.dumps(students[name])
    lines = {line.strip() for cell in students[name]["cells"] for line in cell["source"]}
    asked = {line.strip() for cell in TEACHERS[name]["cells"] if not is_answer(cell) for line in cell["source"]}
    for cell in filter(is_answer, TEACHERS[name]["cells"]):
        # A line that a question has, too, like a label of an axis, gives nothing away.
        answer = {line.strip() for line in cell["source"]} - asked
        assert answer and not answer & lines


@pytest.mark.parametrize("name", TEACHERS)
def test_all_else_remains_with_a_cell_to_write_in_for_each_exercise(students, name):
    cells = students[name]["cells"]
    teachers = TEACHERS[name]["cells"]
    kept = [cell["source"] for cell in teachers if not is_answer(cell)]
    assert [cell["source"] for cell in cells if cell["source"]] == kept
    empty = [number for number, cell in enumerate(cells) if not cell["source"]]
    assert len(empty) == sum("**Exercise" in "".join(source) for source in kept)
    for number in empty:
        assert cells[number]["cell_type"] == "code" and number > 0 and cells[number - 1]["source"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert {**students[name], "cells": 0} == {**TEACHERS[name], "cells": 0}


def test_outputs_are_left_out_and_answers_of_a_file_of_ones_own(tmp_path):
    run = {"cell_type": "code", "id": "a", "metadata": {}, "source": ["1 + 1"], "execution_count": 3,
           "outputs": [{"output_type": "execute_result", "data": {"text/plain": ["2"]}}]}
    answer = {"cell_type": "markdown", "id": "b", "metadata": {"tags": ["hard", "answer"]}, "source": ["Two."]}
    file = tmp_path / "mine.ipynb"
    file.write_text(json.dumps({"cells": [run, answer, {**answer, "id": "c"}], "metadata": {}, "nbformat": 4}))
    assert written(tmp_path / "students", file).returncode == 0
    cells = json.loads((tmp_path / "students/mine.ipynb").read_text())["cells"]
    assert [cell["source"] for cell in cells] == [["1 + 1"], []]
    assert [(cell["outputs"], cell["execution_count"]) for cell in cells] == [([], None)] * 2


def test_a_student_s_work_and_the_teacher_s_are_not_overwritten(tmp_path):
    assert written(tmp_path, "stragglers").returncode == 0
    work = tmp_path / "stragglers.ipynb"
    work.write_text("what a student wrote")
    again = written(tmp_path)
    assert again.returncode == 1 and f"not overwritten: {work}" in again.stderr
    assert work.read_text() == "what a student wrote" and [*tmp_path.iterdir()] == [work]
    before = NOTEBOOKS[0].read_bytes()
    assert written(NOTEBOOKS[0].parent).returncode == 1 and NOTEBOOKS[0].read_bytes() == before


def test_a_name_that_is_no_notebook_s_is_refused_with_those_there_are(tmp_path):
    done = written(tmp_path / "students", "straggler")
    assert done.returncode == 1 and "no notebook 'straggler'" in done.stderr and "stragglers" in done.stderr
    assert not (tmp_path / "students").exists()
    assert written().returncode == 1 and written("--help").returncode == 1

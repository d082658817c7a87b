"""The cells of the notebooks run, one after the other, and what a cell ends with has a text for people."""

import ast
import json
import re
import tomllib

import numpy as np
import pytest
from conftest import TOP

pytest.importorskip("sklearn")
matplotlib = pytest.importorskip("matplotlib")

NOTEBOOKS = sorted((TOP / "docs/notebooks").glob("*.ipynb"))
#: What a class has who has the module and what docs/python.md says of it.
INSTALLED = {"trainyard", "numpy", "pandas", "matplotlib", "sklearn", "warnings"}


def show(value):
    if value is not None:
        assert repr(value)
        assert getattr(value, "_repr_html_", lambda: "<p>")()


def codes_of(file):
    """(a name to be told by, the code) of each cell with code."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    return [(f"{file.name}, cell {number}", "".join(cell["source"])) for number, cell in enumerate(cells)
            if cell["cell_type"] == "code"]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=[file.stem for file in NOTEBOOKS])
def test_a_notebook_imports_what_a_class_has(file):
    for name, code in codes_of(file):
        for node in ast.walk(ast.parse(code, name)):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            imported += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert {module.split(".")[0] for module in imported} <= INSTALLED, name
        assert not re.search(r"\._[a-z]", code), f"{name}: only what is public"


@pytest.mark.parametrize("file", NOTEBOOKS, ids=[file.stem for file in NOTEBOOKS])
def test_a_page_lists_the_notebook(file):
    assert f"(notebooks/{file.name})" in (TOP / "docs/python.md").read_text(encoding="utf-8")


def test_published_numbers_are_those_of_the_published_page():
    names = {}
    for _, code in codes_of(TOP / "docs/notebooks/reproduce_a_figure.ipynb")[:1]:
        exec(code, names)
    with open(TOP / "docs/published/tc-cluster.toml", "rb") as file:
        page = tomllib.load(file)
    assert page["source"] == "BinhangYuan/tc_cluster_setting, results/Simulate_DP.md"
    rows = {row["label"]: row["published"] for table in page["table"] for row in table["row"]}
    for column in names["published"]:
        label = column.removeprefix("256MiB, ").replace("1GiB", "1 GiB")
        ours = [seconds for seconds in names["published"][column] if not np.isnan(seconds)]
        assert ours == [float(seconds) for seconds in rows[label][:len(ours)]] and len(ours) >= 3, column


@pytest.mark.parametrize("file", NOTEBOOKS, ids=[file.stem for file in NOTEBOOKS])
@pytest.mark.filterwarnings("ignore")
def test_a_notebook_runs(file):
    matplotlib.use("Agg")
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        body = ast.parse("".join(cell["source"]), f"{file.name}, cell {number}").body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), f"{file.name}, cell {number}", "exec"), names)
        if last is not None:
            show(eval(compile(ast.Expression(last.value), f"{file.name}, cell {number}", "eval"), names))
    matplotlib.pyplot.close("all")

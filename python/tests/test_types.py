"""The stubs are current, say what is there, and let mypy find a mistyped option."""

import inspect
import os
import re
import subprocess
import sys

import pytest
from conftest import TOP

import trainyard as ty

STUBS = TOP / "python/trainyard/__init__.pyi"


def test_stubs_are_current():
    done = subprocess.run([sys.executable, TOP / "scripts/python_stubs.py", "--check"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr


def test_what_is_exported_has_a_type():
    text = STUBS.read_text(encoding="utf-8")
    for name in ty.__all__:
        assert re.search(rf"^(def|class) {name}\b|^from .* import .*\b{name}$", text, re.MULTILINE), name
    for of in (ty.Worker, ty.Server, ty.Run, ty.Comparison, ty.Advice):
        body = re.search(rf"^class {of.__name__}\(?.*?:\n(.*?)^\S", text, re.MULTILINE | re.DOTALL).group(1)
        body += re.search(r"^class _Rank:\n(.*?)^\S", text, re.MULTILINE | re.DOTALL).group(1)
        body += re.search(r"^class _WithPage:\n(.*?)^\S", text, re.MULTILINE | re.DOTALL).group(1)
        for name, _ in inspect.getmembers(of):
            if not name.startswith("_"):
                assert re.search(rf"\b{name}\b[(:]", body), f"{of.__name__}.{name}"


RIGHT = '''
import numpy as np
import trainyard as ty

cmp = ty.compare(["ring", ty.scheme("local-sgd", period=8)], workers=8, latency="1ms", time="virtual", vary={"latency": [1, 2]})
loss: float = cmp["ring"].train_loss
model = cmp["ring"].model[0] + 1

def serve(s: ty.Server):  # type: ignore[no-untyped-def]
    while push := (yield from s.receive_any()):
        s.apply(push[1])
        yield s.answer(push[0], s.version)

@ty.scheme_of("mine", server=serve, family="asynchronous")
async def work(w: ty.Worker) -> None:
    while await w.next_step():
        await w.push(await w.gradient())
        tags: list[int] = await w.pull()
'''
WRONG = {"ty.run(latensy=1)": "latensy", "ty.run(time='fast')": "time", "ty.run(workers=object())": "workers",
         "ty.compare(3)": "compare", "ty.scheme_of('mine', family='none')": "family"}


def said_by_mypy(tmp_path, text):
    file = tmp_path / "asked.py"
    file.write_text(text, encoding="utf-8")
    package = os.path.dirname(os.path.dirname(ty.__file__))
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-error-summary",
                           "--cache-dir", tmp_path / "cache", file], capture_output=True, text=True, check=False,
                          env={**os.environ, "MYPYPATH": package}).stdout


def test_mypy_finds_what_is_mistyped(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not there: install python3-mypy")
    said = said_by_mypy(tmp_path, RIGHT)
    assert "asked.py" not in said and "__init__.pyi" not in said, said
    for call, about in WRONG.items():
        said = said_by_mypy(tmp_path, f"import trainyard as ty\n{call}\n")
        assert "asked.py:2: error" in said and about in said, f"{call}: {said}"

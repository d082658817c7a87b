#!/usr/bin/env python3
"""Writes python/trainyard/__init__.pyi anew, the types of the module: scripts/python_stubs.py [--check], with PYTHONPATH as
docs/python.md has it. Options are those of the library; the rest stands below. --check: only says whether it is current."""

import keyword
import pathlib
import re
import sys

import trainyard as ty

FILE = pathlib.Path(__file__).resolve().parent.parent / "python/trainyard/__init__.pyi"

#: Names of compare() and run() that are no options there.
NAMED = ("scheme", "data", "test", "validation", "sample_weight", "vary", "seeds", "tune_lr", "jobs", "config",
         "keep_models", "progress")

TEXT = '''# Written by scripts/python_stubs.py.
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, Generic, Literal, TypeVar, overload

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from . import errors as errors
from .errors import DataError as DataError
from .errors import InternalError as InternalError
from .errors import RunError as RunError
from .errors import TrainyardError as TrainyardError
from .errors import TrainyardWarning as TrainyardWarning
from .errors import UsageError as UsageError

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
_C = TypeVar("_C", bound=Callable[..., Any])
_Single = str | float | bool | timedelta | os.PathLike[str]
_Value = _Single | Mapping[Any, Any] | Iterable[Any] | None
_Rows = str | os.PathLike[str] | tuple[Any, Any] | None
_Vector = NDArray[np.floating[Any]]
_Schemes = str | Contestant | Iterable[str | Contestant] | None
_Progress = bool | Callable[[Any], object] | None
_Family = Literal["synchronous", "asynchronous", "bounded", "local_updates", "shared_memory", "decentralised"]

__version__: str
__all__: list[str]

class Contestant:
    name: str
    label: str | None
    settings: list[tuple[str, str]]
    def __init__(self, name: str, label: str | None, settings: list[tuple[str, str]]) -> None: ...
    def asked(self) -> Any: ...

class _WithPage:
    def page(self) -> str: ...
    def save_page(self, file: str | os.PathLike[str], overwrite: bool = False) -> None: ...

class Run(_WithPage):
    label: str
    seed: int
    diverged: bool
    interrupted: bool
    configuration: str
    command: str
    settings: Any
    varied: Any
    tuned: Any
    def __init__(self, handle: Any, rows: Any = None) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    @property
    def figures(self) -> dict[str, Any]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def curves(self) -> pd.DataFrame: ...
    @property
    def ranks(self) -> pd.DataFrame: ...
    @property
    def staleness(self) -> Any: ...
    @property
    def model(self) -> _Vector: ...
    @property
    def classes(self) -> Any: ...
    @property
    def feature_names(self) -> Any: ...
    def messages(self, steps: int = 3) -> pd.DataFrame: ...
    def predict(self, features: Any) -> NDArray[Any]: ...
    def predict_proba(self, features: Any) -> NDArray[np.floating[Any]] | None: ...
    def json(self) -> dict[str, Any]: ...

class Comparison(_WithPage):
    runs: list[Run]
    def __init__(self, outcome: Any, rows: Any = None) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Run]: ...
    def __getitem__(self, label: str | int) -> Run: ...
    def select(self, label: str | None = None, seed: int | None = None, **varied: _Single) -> Run: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def lacking(self) -> list[str]: ...
    @property
    def failures(self) -> list[str]: ...
    @property
    def interrupted(self) -> bool: ...
    @property
    def summary(self) -> pd.DataFrame: ...
    @property
    def curves(self) -> pd.DataFrame: ...
    @property
    def ranks(self) -> pd.DataFrame: ...
    def messages(self, steps: int = 3) -> pd.DataFrame: ...
    def plot(self, figure: str = "train_loss", against: str = "seconds", ax: Any = None, **lines: Any) -> Any: ...
    def json(self) -> dict[str, Any]: ...
    def markdown(self, columns: Iterable[str] | None = None) -> str: ...
    def latex(self, columns: Iterable[str] | None = None) -> str: ...
    def save(self, file: str | os.PathLike[str], overwrite: bool = False) -> None: ...

class _Answer:
    json: dict[str, Any]
    text: str
    interrupted: bool
    def __init__(self, document: str, text: str, interrupted: bool = False) -> None: ...

class Advice(_Answer):
    @property
    def best(self) -> Any: ...
    @property
    def winner(self) -> Contestant | None: ...
    @property
    def schemes(self) -> pd.DataFrame: ...
    @property
    def limits(self) -> pd.DataFrame: ...
    @property
    def levers(self) -> pd.DataFrame: ...
    @property
    def ways(self) -> pd.DataFrame: ...
    @property
    def explanations(self) -> Any: ...

class ThreadAdvice(_Answer):
    @property
    def best(self) -> str | None: ...
    @property
    def threads(self) -> int | None: ...
    @property
    def ways(self) -> pd.DataFrame: ...

class Wait(Generic[_T]):
    def __iter__(self) -> Generator[Any, Any, _T]: ...
    def __await__(self) -> Generator[Any, Any, _T]: ...

class _Rank:
    @property
    def rank(self) -> int: ...
    @property
    def workers(self) -> int: ...
    @property
    def servers(self) -> int: ...
    @property
    def step_size(self) -> float: ...
    def server(self, index: int = 0) -> int: ...
    def hyperparameter(self, name: str) -> float: ...
    def send(self, to: int, vector: ArrayLike, tag: int = 0) -> Wait[None]: ...
    def receive_any(self) -> Wait[tuple[int, _Vector, int] | None]: ...
    def poll_any(self) -> Wait[tuple[int, _Vector, int] | None]: ...
    def poll(self, rank: int) -> Wait[tuple[_Vector, int] | None]: ...

class Worker(_Rank):
    replica: Any
    @property
    def step(self) -> int: ...
    @property
    def epochs(self) -> float: ...
    def receive(self, rank: int) -> Wait[tuple[_Vector, int]]: ...
    def apply(self, gradient: ArrayLike, scale: float = 1.0, stretch: float = 1.0) -> None: ...
    def record_staleness(self, updates: int) -> None: ...
    def remark(self, text: str) -> None: ...
    def look_ahead(self, minibatches: int) -> None: ...
    def next_step(self) -> Wait[bool]: ...
    def gradient(self) -> Wait[_Vector]: ...
    def descend(self) -> Wait[None]: ...
    def barrier(self) -> Wait[None]: ...
    def all_reduce(self, vector: ArrayLike, collective: str = "") -> Wait[_Vector]: ...
    def average(self, collective: str = "") -> Wait[None]: ...
    def neighbour_average(self, vector: ArrayLike | None = None) -> Wait[_Vector | None]: ...
    def push(self, vector: ArrayLike, tag: int | list[int] = 0, pull_follows: bool = True) -> Wait[None]: ...
    def pull(self) -> Wait[list[int]]: ...
    def rest(self, minibatches: float) -> Wait[None]: ...

class Server(_Rank):
    @property
    def shard(self) -> _Vector: ...
    @property
    def version(self) -> int: ...
    def receive(self, worker: int) -> Wait[tuple[_Vector, int]]: ...
    def apply(self, gradient: ArrayLike, minibatches: int = 1, scale: float = 1.0, stretch: float = 1.0) -> None: ...
    def set_shard(self, values: ArrayLike, minibatches: int = 1) -> None: ...
    def record_staleness(self, version_read: int) -> int: ...
    def worker_stepped(self, worker: int, gradient: ArrayLike, step: int) -> None: ...
    def await_message(self) -> Wait[bool]: ...
    def sum_pushes(self) -> Wait[_Vector]: ...
    def answer(self, worker: int, tag: int = 0) -> Wait[None]: ...
    def answer_all(self) -> Wait[None]: ...

def axpy(a: float, x: ArrayLike, y: ArrayLike) -> _Vector: ...
class _Hyperparameter: ...

def hyperparameter(
    fallback: float, low: float, high: float, whole: bool = False, help: str | None = None
) -> _Hyperparameter: ...
def scheme_of(
    name: str,
    takes: Iterable[Literal["topology", "collective"]] = (),
    hyperparameters: Iterable[str] | Mapping[str, float | str | _Hyperparameter | None] = (),
    summary: str | None = None,
    family: _Family = "synchronous",
    lockstep: bool | None = None,
    server: Callable[[Server], Any] | None = None,
    model: Literal["servers", "workers"] = "servers",
    by_keys: bool = False,
) -> Callable[[_C], _C]: ...
def model_of(
    name: str,
    parameters: int | Callable[[int, int], int],
    initial: Callable[[int, int], ArrayLike] | None = None,
    scores: Callable[[_Vector, Any], ArrayLike] | None = None,
    real_labels: bool = False,
    summary: str | None = None,
) -> Callable[[_F], _F]: ...
def topology_of(name: str, matrix: ArrayLike | None = None, period: int = 1, summary: str | None = None) -> Any: ...
def codec_of(
    name: str,
    encode: Callable[..., Any],
    decode: Callable[[bytes, int], ArrayLike],
    most_bytes: Callable[[int], int],
    fixed: bool = True,
    draws: bool = False,
    unbiased: bool = False,
    error: float | None = None,
    summary: str | None = None,
) -> None: ...
def compare(
    schemes: _Schemes = None,
    *,
@DATA@    vary: Mapping[str, str | Iterable[_Single]] | None = None,
    seeds: int = 1,
    tune_lr: bool | None = None,
    jobs: int = 0,
    config: str | os.PathLike[str] | None = None,
    keep_models: bool = False,
    progress: _Progress = None,
@OPTIONS@) -> Comparison: ...
def run(
    scheme: str | Contestant | None = None,
    *,
@DATA@    config: str | os.PathLike[str] | None = None,
    progress: _Progress = None,
@OPTIONS@) -> Run: ...
def scheme(
    name: str,
    label: str | None = None,
    *,
@OPTIONS@) -> Contestant: ...
def options(search: str = "") -> pd.DataFrame: ...
def list(what: str = "schemes") -> pd.DataFrame: ...
def predict(
    schemes: _Schemes = None, *, rows: int | None = None, density: float | None = None, **options: _Value
) -> pd.DataFrame: ...
def break_even(
    schemes: _Schemes = None, codec: str | Iterable[str] | None = None, **options: _Value
) -> pd.DataFrame: ...
def topology(
    names: str | Iterable[str], workers: int | Iterable[int] = 8, *, seed: int = 1, size: str = "1MiB"
) -> pd.DataFrame: ...
def mixing_matrices(name: str, workers: int = 8, *, seed: int = 1) -> NDArray[np.float64]: ...
@overload
def advise(
    *,
@DATA@    config: str | os.PathLike[str] | None = None,
    machines: Literal["separate"] = "separate",
@ADVICE@) -> Advice: ...
@overload
def advise(
    *,
@DATA@    config: str | os.PathLike[str] | None = None,
    machines: Literal["shared"],
@ADVICE@) -> ThreadAdvice: ...

class _Trained:
    parameters_: _Vector
    history_: pd.DataFrame
    notes_: list[str]
    lr_: float
    n_iter_: int
    n_features_in_: int
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self: _T, **params: Any) -> _T: ...

class Classifier(_Trained):
    classes_: NDArray[Any]
    def __init__(
        self,
        scheme: str | Contestant = "ring",
        workers: int = 4,
        *,
        epochs: float = 20,
        batch: int | None = None,
        lr: float | None = None,
        l2: float = 0.0001,
        model: str | None = None,
        scale: str = "standard",
        fit_intercept: bool = True,
        warm_start: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        random_state: Any = None,
        **options: _Value,
    ) -> None: ...
    def fit(self: _T, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> _T: ...
    def partial_fit(
        self: _T, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> _T: ...
    def predict(self, X: Any) -> NDArray[Any]: ...
    def predict_proba(self, X: Any) -> NDArray[np.floating[Any]]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float: ...

class Regressor(_Trained):
    def __init__(
        self,
        scheme: str | Contestant = "ring",
        workers: int = 4,
        *,
        epochs: float = 20,
        batch: int | None = None,
        lr: float | None = None,
        l2: float = 0.0001,
        model: str | None = None,
        scale: str = "standard",
        fit_intercept: bool = True,
        warm_start: bool = False,
        random_state: Any = None,
        **options: _Value,
    ) -> None: ...
    def fit(self: _T, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> _T: ...
    def partial_fit(self: _T, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> _T: ...
    def predict(self, X: Any) -> NDArray[np.floating[Any]]: ...
    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float: ...
'''


#: What several functions take.
SHARED = {"@DATA@": """\
    data: _Rows = None,
    test: _Rows | float = None,
    validation: _Rows | float = None,
    sample_weight: ArrayLike | None = None,
""", "@ADVICE@": """\
    measured: float | None = None,
    scheme: str | Contestant | None = None,
    noise_scale: float | Literal["measured"] | None = None,
    memory: str | int | None = None,
    seeds: int | None = None,
    progress: _Progress = None,
    **options: _Value,
"""}


def type_of(argument):
    """Of an option, from how its value is written."""
    if not argument:
        return "bool | None"
    words = argument.split("|")
    if len(words) > 1 and all(re.fullmatch("[a-z][a-z0-9-]*", word) for word in words):
        return f"Literal[{', '.join(repr(word) for word in words)}] | None".replace("'", '"')
    return "_Value"


def written():
    rows = [(name, row) for name, row in ty._options.OPTIONS.items() if row["taken"] and not keyword.iskeyword(name)]
    lines = "".join(f"    {name}: {type_of(row['argument'])} = None,\n" for name, row in rows if name not in NAMED)
    # list is a function here, which its name stands for below it.
    text = TEXT.replace("@OPTIONS@", lines).replace("list[", "builtins.list[")
    for place, parameters in SHARED.items():
        text = text.replace(place, parameters)
    return text.replace("import os\n", "import builtins\nimport os\n", 1)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        is_current = FILE.exists() and FILE.read_text(encoding="utf-8") == written()
        sys.exit(0 if is_current else f"{FILE} is not current; run {sys.argv[0]}")
    FILE.write_text(written(), encoding="utf-8")

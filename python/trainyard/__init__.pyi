# Written by scripts/python_stubs.py.
import builtins
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
__all__: builtins.list[str]

class Contestant:
    name: str
    label: str | None
    settings: builtins.list[tuple[str, str]]
    def __init__(self, name: str, label: str | None, settings: builtins.list[tuple[str, str]]) -> None: ...
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
    def notes(self) -> builtins.list[str]: ...
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
    runs: builtins.list[Run]
    def __init__(self, outcome: Any, rows: Any = None) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Run]: ...
    def __getitem__(self, label: str | int) -> Run: ...
    def select(self, label: str | None = None, seed: int | None = None, **varied: _Single) -> Run: ...
    @property
    def labels(self) -> builtins.list[str]: ...
    @property
    def notes(self) -> builtins.list[str]: ...
    @property
    def lacking(self) -> builtins.list[str]: ...
    @property
    def failures(self) -> builtins.list[str]: ...
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
    def push(self, vector: ArrayLike, tag: int | builtins.list[int] = 0, pull_follows: bool = True) -> Wait[None]: ...
    def pull(self) -> Wait[builtins.list[int]]: ...
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
    data: _Rows = None,
    test: _Rows | float = None,
    validation: _Rows | float = None,
    sample_weight: ArrayLike | None = None,
    vary: Mapping[str, str | Iterable[_Single]] | None = None,
    seeds: int = 1,
    tune_lr: bool | None = None,
    jobs: int = 0,
    config: str | os.PathLike[str] | None = None,
    keep_models: bool = False,
    progress: _Progress = None,
    workers: _Value = None,
    split: _Value = None,
    servers: _Value = None,
    time: Literal["auto", "wall", "virtual"] | None = None,
    epochs: _Value = None,
    steps: _Value = None,
    seconds: _Value = None,
    target_loss: _Value = None,
    target_accuracy: _Value = None,
    target_gradient: _Value = None,
    patience: _Value = None,
    metric: Literal["loss", "accuracy", "balanced-accuracy", "f1", "auc", "average-precision", "mae", "r2"] | None = None,
    checkpoint_every: _Value = None,
    checkpoint_time: _Value = None,
    seed: _Value = None,
    evaluate_every: _Value = None,
    gradient_norm: bool | None = None,
    gradient_noise: bool | None = None,
    optimum: _Value = None,
    topology: _Value = None,
    collective: _Value = None,
    codec: _Value = None,
    aggregate: _Value = None,
    byzantine: _Value = None,
    worker_momentum: _Value = None,
    bucket: _Value = None,
    wire: Literal["float32", "fp16"] | None = None,
    cycle_time: _Value = None,
    fusion_buffer: _Value = None,
    tensor_size: _Value = None,
    direction: Literal["up", "both"] | None = None,
    coded_form: Literal["all-gather", "all-to-all", "ring"] | None = None,
    clip_deviations: _Value = None,
    rank: _Value = None,
    power_memory: Literal["averaged", "local"] | None = None,
    freeze_step: _Value = None,
    demo_decay: _Value = None,
    demo_chunk: _Value = None,
    demo_kept: _Value = None,
    demo_transform: Literal["cosine", "none"] | None = None,
    demo_step: Literal["sign", "mean"] | None = None,
    stages: _Value = None,
    microbatches: _Value = None,
    backups: _Value = None,
    stragglers: _Value = None,
    copies: _Value = None,
    distinct: _Value = None,
    queue: Literal["arrival", "staleness"] | None = None,
    lambda0: _Value = None,
    mean_square: _Value = None,
    delay_threshold: _Value = None,
    gradients: _Value = None,
    fetch_period: _Value = None,
    push_period: _Value = None,
    warm_start: _Value = None,
    staleness: _Value = None,
    significance: _Value = None,
    proxies: _Value = None,
    value_bound: _Value = None,
    epoch_share: _Value = None,
    push: Literal["gradients", "activations"] | None = None,
    machine_threads: _Value = None,
    history: _Value = None,
    period: _Value = None,
    added: _Value = None,
    turns: _Value = None,
    switch_epoch: _Value = None,
    outer_lr: _Value = None,
    outer_momentum: _Value = None,
    outer_optimizer: Literal["nesterov", "sgd"] | None = None,
    fragments: _Value = None,
    fragment_delay: _Value = None,
    local_share: _Value = None,
    error_feedback: Literal["off", "on"] | None = None,
    outer_gradient: Literal["eager", "delayed"] | None = None,
    pull_probability: _Value = None,
    pull_rate: _Value = None,
    slow_lr: _Value = None,
    slow_momentum: _Value = None,
    mixing_group: _Value = None,
    momentum_delay: _Value = None,
    momentum_activation: _Value = None,
    local_updates: Literal["fixed", "dynamic"] | None = None,
    quorum: _Value = None,
    grace: _Value = None,
    merge: Literal["rda", "mean"] | None = None,
    region_momentum_delay: _Value = None,
    region_lr: _Value = None,
    region_momentum: _Value = None,
    merge_period: _Value = None,
    global_share: _Value = None,
    root_momentum_delay: _Value = None,
    root_lr: _Value = None,
    root_momentum: _Value = None,
    first_moment_period: _Value = None,
    second_moment_period: _Value = None,
    averaged_share: _Value = None,
    loco_lr: _Value = None,
    loco_decay: _Value = None,
    loco_chunk: _Value = None,
    loco_kept: _Value = None,
    loco_values: Literal["two-bits", "whole"] | None = None,
    participation: _Value = None,
    local_steps: Literal["equal", "epoch", "speed", "drawn"] | None = None,
    mixing_probability: _Value = None,
    proximal_mu: _Value = None,
    global_lr: _Value = None,
    dynamic_alpha: _Value = None,
    proximal_step: _Value = None,
    skip_probability: _Value = None,
    fairness: _Value = None,
    server_beta1: _Value = None,
    server_optimizer: Literal["adam", "yogi", "adagrad", "momentum"] | None = None,
    server_lr: _Value = None,
    server_beta2: _Value = None,
    adaptivity: _Value = None,
    mixing_alpha: _Value = None,
    staleness_power: _Value = None,
    buffer_size: _Value = None,
    moving_rate: _Value = None,
    worker_rate: _Value = None,
    exchange: Literal["overlapped", "blocking"] | None = None,
    delta: _Value = None,
    fan_out: _Value = None,
    period_up: _Value = None,
    period_down: _Value = None,
    period_growth: _Value = None,
    penalty: _Value = None,
    extrapolation: _Value = None,
    access: Literal["racy", "cas-add", "locked"] | None = None,
    model_bits: _Value = None,
    model_range: _Value = None,
    exchange_uses: _Value = None,
    groups: _Value = None,
    token_updates: _Value = None,
    tolerance: _Value = None,
    group_size: _Value = None,
    clip_radius: _Value = None,
    tolerated: _Value = None,
    snapshot_probability: _Value = None,
    snapshot_period: _Value = None,
    mixing_share: _Value = None,
    step_spread: _Value = None,
    correction_rate: _Value = None,
    communication_step: _Value = None,
    consensus_penalty: _Value = None,
    relaxation: _Value = None,
    push_sum: Literal["shares", "running-sums"] | None = None,
    global_period: _Value = None,
    quasi_momentum: _Value = None,
    quasi_memory: _Value = None,
    budget: _Value = None,
    send_probability: _Value = None,
    consensus_rate: _Value = None,
    choco_order: Literal["encode-first", "mix-first"] | None = None,
    dataset: _Value = None,
    data_format: Literal["libsvm", "csv", "tsv", "idx", "npy", "npz"] | None = None,
    data_dir: _Value = None,
    data_seed: _Value = None,
    labels: _Value = None,
    test_labels: _Value = None,
    header: Literal["auto", "yes", "no"] | None = None,
    label_column: _Value = None,
    weight_column: _Value = None,
    columns: _Value = None,
    drop_columns: _Value = None,
    missing: Literal["error", "mean", "drop"] | None = None,
    missing_words: _Value = None,
    categorical: _Value = None,
    numeric: _Value = None,
    date: _Value = None,
    hash: _Value = None,
    delimiter: _Value = None,
    decimal: _Value = None,
    first_index: _Value = None,
    scale: Literal["none", "standard", "minmax", "unit-rows"] | None = None,
    scale_columns: _Value = None,
    intercept: bool | None = None,
    class_weight: _Value = None,
    partition: _Value = None,
    weights: Literal["workers", "rows"] | None = None,
    order: Literal["reshuffle", "once", "file"] | None = None,
    deal: Literal["once", "pass", "speed"] | None = None,
    replacement: bool | None = None,
    data_source: Literal["partitioned", "server"] | None = None,
    model: _Value = None,
    l2: _Value = None,
    l1: _Value = None,
    start: _Value = None,
    batch: _Value = None,
    global_batch: _Value = None,
    optimizer: Literal["sgd", "nesterov", "adagrad", "adam", "adamw", "lion", "muon"] | None = None,
    lr: _Value = None,
    lr_schedule: _Value = None,
    lr_decay: _Value = None,
    warmup: _Value = None,
    momentum: _Value = None,
    beta1: _Value = None,
    beta2: _Value = None,
    weight_decay: _Value = None,
    clip_norm: _Value = None,
    latency: _Value = None,
    bandwidth: _Value = None,
    up_bandwidth: _Value = None,
    down_bandwidth: _Value = None,
    tcp_window: _Value = None,
    ports: Literal["circuit", "cutthrough"] | None = None,
    server_placement: Literal["dedicated", "colocated"] | None = None,
    sparse_wire: Literal["auto", "off"] | None = None,
    racks: _Value = None,
    between_latency: _Value = None,
    between_bandwidth: _Value = None,
    links: _Value = None,
    jitter: _Value = None,
    fault: _Value = None,
    retransmit: _Value = None,
    on_failure: Literal["wait", "stop", "restart", "shrink"] | None = None,
    detection: _Value = None,
    charge_control: bool | None = None,
    compute_time: _Value = None,
    encode_time: _Value = None,
    decode_time: _Value = None,
    aggregate_time: _Value = None,
    line_time: _Value = None,
    straggler: _Value = None,
    compute_noise: _Value = None,
    pause: _Value = None,
    placement: Literal["compact", "scatter", "none"] | None = None,
    counters: bool | None = None,
    force_memory: bool | None = None,
) -> Comparison: ...
def run(
    scheme: str | Contestant | None = None,
    *,
    data: _Rows = None,
    test: _Rows | float = None,
    validation: _Rows | float = None,
    sample_weight: ArrayLike | None = None,
    config: str | os.PathLike[str] | None = None,
    progress: _Progress = None,
    workers: _Value = None,
    split: _Value = None,
    servers: _Value = None,
    time: Literal["auto", "wall", "virtual"] | None = None,
    epochs: _Value = None,
    steps: _Value = None,
    seconds: _Value = None,
    target_loss: _Value = None,
    target_accuracy: _Value = None,
    target_gradient: _Value = None,
    patience: _Value = None,
    metric: Literal["loss", "accuracy", "balanced-accuracy", "f1", "auc", "average-precision", "mae", "r2"] | None = None,
    checkpoint_every: _Value = None,
    checkpoint_time: _Value = None,
    seed: _Value = None,
    evaluate_every: _Value = None,
    gradient_norm: bool | None = None,
    gradient_noise: bool | None = None,
    optimum: _Value = None,
    topology: _Value = None,
    collective: _Value = None,
    codec: _Value = None,
    aggregate: _Value = None,
    byzantine: _Value = None,
    worker_momentum: _Value = None,
    bucket: _Value = None,
    wire: Literal["float32", "fp16"] | None = None,
    cycle_time: _Value = None,
    fusion_buffer: _Value = None,
    tensor_size: _Value = None,
    direction: Literal["up", "both"] | None = None,
    coded_form: Literal["all-gather", "all-to-all", "ring"] | None = None,
    clip_deviations: _Value = None,
    rank: _Value = None,
    power_memory: Literal["averaged", "local"] | None = None,
    freeze_step: _Value = None,
    demo_decay: _Value = None,
    demo_chunk: _Value = None,
    demo_kept: _Value = None,
    demo_transform: Literal["cosine", "none"] | None = None,
    demo_step: Literal["sign", "mean"] | None = None,
    stages: _Value = None,
    microbatches: _Value = None,
    backups: _Value = None,
    stragglers: _Value = None,
    copies: _Value = None,
    distinct: _Value = None,
    queue: Literal["arrival", "staleness"] | None = None,
    lambda0: _Value = None,
    mean_square: _Value = None,
    delay_threshold: _Value = None,
    gradients: _Value = None,
    fetch_period: _Value = None,
    push_period: _Value = None,
    warm_start: _Value = None,
    staleness: _Value = None,
    significance: _Value = None,
    proxies: _Value = None,
    value_bound: _Value = None,
    epoch_share: _Value = None,
    push: Literal["gradients", "activations"] | None = None,
    machine_threads: _Value = None,
    history: _Value = None,
    period: _Value = None,
    added: _Value = None,
    turns: _Value = None,
    switch_epoch: _Value = None,
    outer_lr: _Value = None,
    outer_momentum: _Value = None,
    outer_optimizer: Literal["nesterov", "sgd"] | None = None,
    fragments: _Value = None,
    fragment_delay: _Value = None,
    local_share: _Value = None,
    error_feedback: Literal["off", "on"] | None = None,
    outer_gradient: Literal["eager", "delayed"] | None = None,
    pull_probability: _Value = None,
    pull_rate: _Value = None,
    slow_lr: _Value = None,
    slow_momentum: _Value = None,
    mixing_group: _Value = None,
    momentum_delay: _Value = None,
    momentum_activation: _Value = None,
    local_updates: Literal["fixed", "dynamic"] | None = None,
    quorum: _Value = None,
    grace: _Value = None,
    merge: Literal["rda", "mean"] | None = None,
    region_momentum_delay: _Value = None,
    region_lr: _Value = None,
    region_momentum: _Value = None,
    merge_period: _Value = None,
    global_share: _Value = None,
    root_momentum_delay: _Value = None,
    root_lr: _Value = None,
    root_momentum: _Value = None,
    first_moment_period: _Value = None,
    second_moment_period: _Value = None,
    averaged_share: _Value = None,
    loco_lr: _Value = None,
    loco_decay: _Value = None,
    loco_chunk: _Value = None,
    loco_kept: _Value = None,
    loco_values: Literal["two-bits", "whole"] | None = None,
    participation: _Value = None,
    local_steps: Literal["equal", "epoch", "speed", "drawn"] | None = None,
    mixing_probability: _Value = None,
    proximal_mu: _Value = None,
    global_lr: _Value = None,
    dynamic_alpha: _Value = None,
    proximal_step: _Value = None,
    skip_probability: _Value = None,
    fairness: _Value = None,
    server_beta1: _Value = None,
    server_optimizer: Literal["adam", "yogi", "adagrad", "momentum"] | None = None,
    server_lr: _Value = None,
    server_beta2: _Value = None,
    adaptivity: _Value = None,
    mixing_alpha: _Value = None,
    staleness_power: _Value = None,
    buffer_size: _Value = None,
    moving_rate: _Value = None,
    worker_rate: _Value = None,
    exchange: Literal["overlapped", "blocking"] | None = None,
    delta: _Value = None,
    fan_out: _Value = None,
    period_up: _Value = None,
    period_down: _Value = None,
    period_growth: _Value = None,
    penalty: _Value = None,
    extrapolation: _Value = None,
    access: Literal["racy", "cas-add", "locked"] | None = None,
    model_bits: _Value = None,
    model_range: _Value = None,
    exchange_uses: _Value = None,
    groups: _Value = None,
    token_updates: _Value = None,
    tolerance: _Value = None,
    group_size: _Value = None,
    clip_radius: _Value = None,
    tolerated: _Value = None,
    snapshot_probability: _Value = None,
    snapshot_period: _Value = None,
    mixing_share: _Value = None,
    step_spread: _Value = None,
    correction_rate: _Value = None,
    communication_step: _Value = None,
    consensus_penalty: _Value = None,
    relaxation: _Value = None,
    push_sum: Literal["shares", "running-sums"] | None = None,
    global_period: _Value = None,
    quasi_momentum: _Value = None,
    quasi_memory: _Value = None,
    budget: _Value = None,
    send_probability: _Value = None,
    consensus_rate: _Value = None,
    choco_order: Literal["encode-first", "mix-first"] | None = None,
    dataset: _Value = None,
    data_format: Literal["libsvm", "csv", "tsv", "idx", "npy", "npz"] | None = None,
    data_dir: _Value = None,
    data_seed: _Value = None,
    labels: _Value = None,
    test_labels: _Value = None,
    header: Literal["auto", "yes", "no"] | None = None,
    label_column: _Value = None,
    weight_column: _Value = None,
    columns: _Value = None,
    drop_columns: _Value = None,
    missing: Literal["error", "mean", "drop"] | None = None,
    missing_words: _Value = None,
    categorical: _Value = None,
    numeric: _Value = None,
    date: _Value = None,
    hash: _Value = None,
    delimiter: _Value = None,
    decimal: _Value = None,
    first_index: _Value = None,
    scale: Literal["none", "standard", "minmax", "unit-rows"] | None = None,
    scale_columns: _Value = None,
    intercept: bool | None = None,
    class_weight: _Value = None,
    partition: _Value = None,
    weights: Literal["workers", "rows"] | None = None,
    order: Literal["reshuffle", "once", "file"] | None = None,
    deal: Literal["once", "pass", "speed"] | None = None,
    replacement: bool | None = None,
    data_source: Literal["partitioned", "server"] | None = None,
    model: _Value = None,
    l2: _Value = None,
    l1: _Value = None,
    start: _Value = None,
    batch: _Value = None,
    global_batch: _Value = None,
    optimizer: Literal["sgd", "nesterov", "adagrad", "adam", "adamw", "lion", "muon"] | None = None,
    lr: _Value = None,
    lr_schedule: _Value = None,
    lr_decay: _Value = None,
    warmup: _Value = None,
    momentum: _Value = None,
    beta1: _Value = None,
    beta2: _Value = None,
    weight_decay: _Value = None,
    clip_norm: _Value = None,
    latency: _Value = None,
    bandwidth: _Value = None,
    up_bandwidth: _Value = None,
    down_bandwidth: _Value = None,
    tcp_window: _Value = None,
    ports: Literal["circuit", "cutthrough"] | None = None,
    server_placement: Literal["dedicated", "colocated"] | None = None,
    sparse_wire: Literal["auto", "off"] | None = None,
    racks: _Value = None,
    between_latency: _Value = None,
    between_bandwidth: _Value = None,
    links: _Value = None,
    jitter: _Value = None,
    fault: _Value = None,
    retransmit: _Value = None,
    on_failure: Literal["wait", "stop", "restart", "shrink"] | None = None,
    detection: _Value = None,
    charge_control: bool | None = None,
    compute_time: _Value = None,
    encode_time: _Value = None,
    decode_time: _Value = None,
    aggregate_time: _Value = None,
    line_time: _Value = None,
    straggler: _Value = None,
    compute_noise: _Value = None,
    pause: _Value = None,
    placement: Literal["compact", "scatter", "none"] | None = None,
    counters: bool | None = None,
    force_memory: bool | None = None,
) -> Run: ...
def scheme(
    name: str,
    label: str | None = None,
    *,
    workers: _Value = None,
    split: _Value = None,
    servers: _Value = None,
    time: Literal["auto", "wall", "virtual"] | None = None,
    epochs: _Value = None,
    steps: _Value = None,
    seconds: _Value = None,
    target_loss: _Value = None,
    target_accuracy: _Value = None,
    target_gradient: _Value = None,
    patience: _Value = None,
    metric: Literal["loss", "accuracy", "balanced-accuracy", "f1", "auc", "average-precision", "mae", "r2"] | None = None,
    checkpoint_every: _Value = None,
    checkpoint_time: _Value = None,
    seed: _Value = None,
    evaluate_every: _Value = None,
    gradient_norm: bool | None = None,
    gradient_noise: bool | None = None,
    optimum: _Value = None,
    topology: _Value = None,
    collective: _Value = None,
    codec: _Value = None,
    aggregate: _Value = None,
    byzantine: _Value = None,
    worker_momentum: _Value = None,
    bucket: _Value = None,
    wire: Literal["float32", "fp16"] | None = None,
    cycle_time: _Value = None,
    fusion_buffer: _Value = None,
    tensor_size: _Value = None,
    direction: Literal["up", "both"] | None = None,
    coded_form: Literal["all-gather", "all-to-all", "ring"] | None = None,
    clip_deviations: _Value = None,
    rank: _Value = None,
    power_memory: Literal["averaged", "local"] | None = None,
    freeze_step: _Value = None,
    demo_decay: _Value = None,
    demo_chunk: _Value = None,
    demo_kept: _Value = None,
    demo_transform: Literal["cosine", "none"] | None = None,
    demo_step: Literal["sign", "mean"] | None = None,
    stages: _Value = None,
    microbatches: _Value = None,
    backups: _Value = None,
    stragglers: _Value = None,
    copies: _Value = None,
    distinct: _Value = None,
    queue: Literal["arrival", "staleness"] | None = None,
    lambda0: _Value = None,
    mean_square: _Value = None,
    delay_threshold: _Value = None,
    gradients: _Value = None,
    fetch_period: _Value = None,
    push_period: _Value = None,
    warm_start: _Value = None,
    staleness: _Value = None,
    significance: _Value = None,
    proxies: _Value = None,
    value_bound: _Value = None,
    epoch_share: _Value = None,
    push: Literal["gradients", "activations"] | None = None,
    machine_threads: _Value = None,
    history: _Value = None,
    period: _Value = None,
    added: _Value = None,
    turns: _Value = None,
    switch_epoch: _Value = None,
    outer_lr: _Value = None,
    outer_momentum: _Value = None,
    outer_optimizer: Literal["nesterov", "sgd"] | None = None,
    fragments: _Value = None,
    fragment_delay: _Value = None,
    local_share: _Value = None,
    error_feedback: Literal["off", "on"] | None = None,
    outer_gradient: Literal["eager", "delayed"] | None = None,
    pull_probability: _Value = None,
    pull_rate: _Value = None,
    slow_lr: _Value = None,
    slow_momentum: _Value = None,
    mixing_group: _Value = None,
    momentum_delay: _Value = None,
    momentum_activation: _Value = None,
    local_updates: Literal["fixed", "dynamic"] | None = None,
    quorum: _Value = None,
    grace: _Value = None,
    merge: Literal["rda", "mean"] | None = None,
    region_momentum_delay: _Value = None,
    region_lr: _Value = None,
    region_momentum: _Value = None,
    merge_period: _Value = None,
    global_share: _Value = None,
    root_momentum_delay: _Value = None,
    root_lr: _Value = None,
    root_momentum: _Value = None,
    first_moment_period: _Value = None,
    second_moment_period: _Value = None,
    averaged_share: _Value = None,
    loco_lr: _Value = None,
    loco_decay: _Value = None,
    loco_chunk: _Value = None,
    loco_kept: _Value = None,
    loco_values: Literal["two-bits", "whole"] | None = None,
    participation: _Value = None,
    local_steps: Literal["equal", "epoch", "speed", "drawn"] | None = None,
    mixing_probability: _Value = None,
    proximal_mu: _Value = None,
    global_lr: _Value = None,
    dynamic_alpha: _Value = None,
    proximal_step: _Value = None,
    skip_probability: _Value = None,
    fairness: _Value = None,
    server_beta1: _Value = None,
    server_optimizer: Literal["adam", "yogi", "adagrad", "momentum"] | None = None,
    server_lr: _Value = None,
    server_beta2: _Value = None,
    adaptivity: _Value = None,
    mixing_alpha: _Value = None,
    staleness_power: _Value = None,
    buffer_size: _Value = None,
    moving_rate: _Value = None,
    worker_rate: _Value = None,
    exchange: Literal["overlapped", "blocking"] | None = None,
    delta: _Value = None,
    fan_out: _Value = None,
    period_up: _Value = None,
    period_down: _Value = None,
    period_growth: _Value = None,
    penalty: _Value = None,
    extrapolation: _Value = None,
    access: Literal["racy", "cas-add", "locked"] | None = None,
    model_bits: _Value = None,
    model_range: _Value = None,
    exchange_uses: _Value = None,
    groups: _Value = None,
    token_updates: _Value = None,
    tolerance: _Value = None,
    group_size: _Value = None,
    clip_radius: _Value = None,
    tolerated: _Value = None,
    snapshot_probability: _Value = None,
    snapshot_period: _Value = None,
    mixing_share: _Value = None,
    step_spread: _Value = None,
    correction_rate: _Value = None,
    communication_step: _Value = None,
    consensus_penalty: _Value = None,
    relaxation: _Value = None,
    push_sum: Literal["shares", "running-sums"] | None = None,
    global_period: _Value = None,
    quasi_momentum: _Value = None,
    quasi_memory: _Value = None,
    budget: _Value = None,
    send_probability: _Value = None,
    consensus_rate: _Value = None,
    choco_order: Literal["encode-first", "mix-first"] | None = None,
    dataset: _Value = None,
    data_format: Literal["libsvm", "csv", "tsv", "idx", "npy", "npz"] | None = None,
    data_dir: _Value = None,
    data_seed: _Value = None,
    labels: _Value = None,
    test_labels: _Value = None,
    header: Literal["auto", "yes", "no"] | None = None,
    label_column: _Value = None,
    weight_column: _Value = None,
    columns: _Value = None,
    drop_columns: _Value = None,
    missing: Literal["error", "mean", "drop"] | None = None,
    missing_words: _Value = None,
    categorical: _Value = None,
    numeric: _Value = None,
    date: _Value = None,
    hash: _Value = None,
    delimiter: _Value = None,
    decimal: _Value = None,
    first_index: _Value = None,
    scale: Literal["none", "standard", "minmax", "unit-rows"] | None = None,
    scale_columns: _Value = None,
    intercept: bool | None = None,
    class_weight: _Value = None,
    partition: _Value = None,
    weights: Literal["workers", "rows"] | None = None,
    order: Literal["reshuffle", "once", "file"] | None = None,
    deal: Literal["once", "pass", "speed"] | None = None,
    replacement: bool | None = None,
    data_source: Literal["partitioned", "server"] | None = None,
    model: _Value = None,
    l2: _Value = None,
    l1: _Value = None,
    start: _Value = None,
    batch: _Value = None,
    global_batch: _Value = None,
    optimizer: Literal["sgd", "nesterov", "adagrad", "adam", "adamw", "lion", "muon"] | None = None,
    lr: _Value = None,
    lr_schedule: _Value = None,
    lr_decay: _Value = None,
    warmup: _Value = None,
    momentum: _Value = None,
    beta1: _Value = None,
    beta2: _Value = None,
    weight_decay: _Value = None,
    clip_norm: _Value = None,
    latency: _Value = None,
    bandwidth: _Value = None,
    up_bandwidth: _Value = None,
    down_bandwidth: _Value = None,
    tcp_window: _Value = None,
    ports: Literal["circuit", "cutthrough"] | None = None,
    server_placement: Literal["dedicated", "colocated"] | None = None,
    sparse_wire: Literal["auto", "off"] | None = None,
    racks: _Value = None,
    between_latency: _Value = None,
    between_bandwidth: _Value = None,
    links: _Value = None,
    jitter: _Value = None,
    fault: _Value = None,
    retransmit: _Value = None,
    on_failure: Literal["wait", "stop", "restart", "shrink"] | None = None,
    detection: _Value = None,
    charge_control: bool | None = None,
    compute_time: _Value = None,
    encode_time: _Value = None,
    decode_time: _Value = None,
    aggregate_time: _Value = None,
    line_time: _Value = None,
    straggler: _Value = None,
    compute_noise: _Value = None,
    pause: _Value = None,
    placement: Literal["compact", "scatter", "none"] | None = None,
    counters: bool | None = None,
    force_memory: bool | None = None,
) -> Contestant: ...
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
    data: _Rows = None,
    test: _Rows | float = None,
    validation: _Rows | float = None,
    sample_weight: ArrayLike | None = None,
    config: str | os.PathLike[str] | None = None,
    machines: Literal["separate"] = "separate",
    measured: float | None = None,
    scheme: str | Contestant | None = None,
    noise_scale: float | Literal["measured"] | None = None,
    memory: str | int | None = None,
    seeds: int | None = None,
    progress: _Progress = None,
    **options: _Value,
) -> Advice: ...
@overload
def advise(
    *,
    data: _Rows = None,
    test: _Rows | float = None,
    validation: _Rows | float = None,
    sample_weight: ArrayLike | None = None,
    config: str | os.PathLike[str] | None = None,
    machines: Literal["shared"],
    measured: float | None = None,
    scheme: str | Contestant | None = None,
    noise_scale: float | Literal["measured"] | None = None,
    memory: str | int | None = None,
    seeds: int | None = None,
    progress: _Progress = None,
    **options: _Value,
) -> ThreadAdvice: ...

class _Trained:
    parameters_: _Vector
    history_: pd.DataFrame
    notes_: builtins.list[str]
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

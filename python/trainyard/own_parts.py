"""Models, topologies and codecs in Python: model_of(), topology_of(), codec_of()."""

import math

import numpy as np

from . import _trainyard
from ._options import text_of, whole
from .errors import UsageError


def _function(value, name, optional=False):
    if (value is None and optional) or callable(value):
        return value
    raise UsageError(f"{name}: found a {type(value).__name__}; expected a function", option=name,
                     found=type(value).__name__)


def _summary(summary, function, what):
    if summary is not None:
        return text_of(summary, "summary")
    return (getattr(function, "__doc__", None) or "").strip().partition("\n")[0] or f"a {what} in Python"


def model_of(name, parameters, initial=None, scores=None, real_labels=False, summary=None):
    """A decorator: makes a loss and its gradient a model, which compare() and run() then know by model=name.

        @ty.model_of("huber", parameters=lambda features, classes: features, real_labels=True)
        def huber(w, X, y):
            off = X @ w - y
            small = np.abs(off) <= 1
            loss = np.where(small, off**2 / 2, np.abs(off) - 0.5)
            return loss.mean(), X.T @ np.where(small, off, np.sign(off)) / len(y)

    The function gets the parameters, a float32 vector; rows, float32 [rows, features], or SciPy's CSR matrix where the
    data are sparse; and their labels, int32 classes from 0, or float32 numbers. It returns the mean loss over the rows and
    its gradient. The library adds l2 and l1, of all parameters. Arrays are copies, which it may keep.

    parameters: how many there are: a number, or a function of (features, classes).
    initial: where training begins, a function of (how many, seed); zeros without one.
    scores: a function of (parameters, X), by which rows are predicted, and counted as right: one number a row of two
        classes, above 0 for class 1, or of numbers; else one for each class.
    real_labels: whether labels are real numbers.

    Any scheme trains it, under both clocks; in virtual time a run is repeated to the bit if the function is. Minibatches
    are computed one at a time, as they share the interpreter. Rows have no weights, and no intercept but what the function
    adds. A name that was added before gets the new function.
    """
    asked = _trainyard.AskedModel()
    asked.name, asked.real_labels = text_of(name, "name"), bool(real_labels)
    if callable(parameters):
        asked.parameters = parameters
    else:
        count = whole(parameters, "parameters", 1, 2**40)
        asked.parameters = lambda features, classes: count
    asked.initial, asked.scores = _function(initial, "initial", True), _function(scores, "scores", True)

    def decorate(loss):
        asked.loss = _function(loss, "model_of")
        asked.summary = _summary(summary, loss, "model")
        _trainyard.add_model(asked)
        return loss

    return decorate


def _rounds(name, matrices, workers):
    made = np.ascontiguousarray(matrices, dtype=np.float64)
    made = made[None] if made.ndim == 2 else made
    if made.ndim != 3 or made.shape[0] == 0 or made.shape[1:] != (workers, workers):
        raise UsageError(f"topology '{name}': found an array of shape {np.shape(matrices)}; expected "
                         f"({workers}, {workers}) for {workers} workers, or several of them", option="topology")
    return made


def topology_of(name, matrix=None, period=1, summary=None):
    """Makes a mixing matrix a graph, which gossip takes by its name, "gossip:office", as topology="office" does.

        ty.topology_of("office", W)                  # W[i, j]: what worker i gives to what it receives from j

        @ty.topology_of("shift", period=2)           # or a function of the round
        def shift(round, workers):
            return (np.eye(workers) + np.roll(np.eye(workers), round + 1, axis=1)) / 2

    matrix: [workers, workers], or [rounds, workers, workers], which are taken one after the other and then again. Rows
        and columns add up to 1, and no entry is negative.
    period: after how many rounds a function's matrices begin again.

    A name that was added before gets the new one.
    """
    known = text_of(name, "name")
    rounds = whole(period, "period", 1, 100000)
    if matrix is not None:
        try:
            kept = np.array(matrix, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise UsageError(f"topology '{known}': {error}; expected a matrix of numbers", option="matrix") from None
        said = _summary(summary, None, f"matrix of {kept.shape[-1] if kept.ndim else 0} workers")
        _trainyard.add_topology(known, said, lambda workers: _rounds(known, kept, workers))
        return None

    def decorate(function):
        _function(function, "topology_of")

        def made(workers):
            return _rounds(known, np.stack([np.asarray(function(round, workers)) for round in range(rounds)]), workers)

        _trainyard.add_topology(known, _summary(summary, function, "topology"), made)
        return function

    return decorate


def codec_of(name, encode, decode, most_bytes, fixed=True, draws=False, unbiased=False, error=None, summary=None):
    """Makes a pair of functions a codec, which schemes that encode take by codec=name.

        ty.codec_of("halves", encode=lambda x: x.astype(np.float16), most_bytes=lambda length: 2 * length,
                    decode=lambda wire, length: np.frombuffer(wire, np.float16))

    encode: of a float32 vector the bytes that are sent, or an array whose bytes these are.
    decode: of those bytes and the vector's length the vector that is received.
    most_bytes: of a length the bytes that encode makes of so many numbers at most, and exactly where `fixed`.
    fixed: whether a message is as long whatever the numbers are.
    draws: whether encode takes a NumPy Generator behind the vector; what it draws repeats with the seed.
    unbiased: whether what is received is on average what was sent.
    error: the least c for which the squared error is at most c times the squared length; None: not known. Schemes that
        keep what a codec leaves out (ec-sgd, choco) need it, shrink what an unbiased codec sends by 1/(1 + c), and warn
        where it is not known.

    In simulated time coding takes as long as the options say, and without them none. A name that was added before gets
    the new functions.
    """
    asked = _trainyard.AskedCodec()
    asked.name, asked.summary = text_of(name, "name"), _summary(summary, encode, "codec")
    asked.encode, asked.decode = _function(encode, "encode"), _function(decode, "decode")
    asked.most_bytes = _function(most_bytes, "most_bytes")
    asked.fixed_size, asked.draws, asked.unbiased = bool(fixed), bool(draws), bool(unbiased)
    if error is not None and (isinstance(error, (str, bytes)) or not error >= 0):
        raise UsageError(f"error: found {error!r}; expected a number, 0 or more", option="error", found=repr(error))
    asked.error = math.inf if error is None else float(error)
    _trainyard.add_codec(asked)

"""Schemes in Python: scheme_of(), and the library's arithmetic for them."""

import difflib
import numbers

from . import _trainyard
from ._options import OPTIONS, is_several, read_options, text_of
from .errors import UsageError


def _once(wait):
    value = yield wait
    return value


# So that `yield from w.gradient()` and `await w.gradient()` are what `yield w.gradient()` is.
_trainyard.Wait.__iter__ = _once
_trainyard.Wait.__await__ = _once

#: Where the model lies that is evaluated, of a scheme with servers.
_HOMES = ("servers", "workers")


def _names(values, name):
    if isinstance(values, str) or not is_several(values):
        raise UsageError(f"{name}: found {values!r}; expected a list of names", option=name, found=repr(values))
    return [text_of(value, name).replace("_", "-") for value in values]


def hyperparameter(fallback, low, high, whole=False, help=None):
    """A number that a scheme of one's own leaves open: what it is where nobody says it, the least and the largest value
    that is accepted, whether only whole numbers are, and a sentence for scheme_of()'s hyperparameters= and options()."""
    for value, what in ((fallback, "fallback"), (low, "low"), (high, "high")):
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise UsageError(f"hyperparameter: {what}: found {value!r}; expected a number", option=what, found=repr(value))
    if not low <= fallback <= high:
        raise UsageError(f"hyperparameter: fallback {fallback}: expected {low} to {high}", option="fallback", found=repr(fallback))
    made = _trainyard.AskedHyperparameter()
    made.own, made.whole = True, bool(whole)
    made.fallback, made.low, made.high = float(fallback), float(low), float(high)
    made.help = help or "as its program in Python says"
    return made


def _hyperparameter(name, value):
    name = text_of(name, "hyperparameters").replace("_", "-")
    asked = _trainyard.AskedHyperparameter()
    asked.name = name
    if value is None:
        return asked
    if isinstance(value, _trainyard.AskedHyperparameter):  # which may have several names
        for field in ("own", "fallback", "low", "high", "whole", "help"):
            setattr(asked, field, getattr(value, field))
    elif isinstance(value, str):
        asked.choice = value
    elif isinstance(value, numbers.Real) and not isinstance(value, bool):
        asked.fallback = float(value)
    else:
        raise UsageError(f"hyperparameters: {name}: found {value!r}; expected a number, a word of its choices, "
                         "trainyard.hyperparameter(…), or None", option="hyperparameters", found=repr(value))
    return asked


def _hyperparameters(values):
    if isinstance(values, dict):
        return [_hyperparameter(name, value) for name, value in values.items()]
    return [_hyperparameter(name, None) for name in _names(values, "hyperparameters")]


def _check_servers(server, model, by_keys):
    if server is not None and not callable(server):
        raise UsageError(f"server: found a {type(server).__name__}; expected a function of a server", option="server")
    if server is None and by_keys:
        raise UsageError("by_keys: without server= nobody answers what workers push", option="by_keys")
    if model not in _HOMES:
        raise UsageError(f"model: found {model!r}; expected \"servers\" or \"workers\"", option="model",
                         found=repr(model), accepted=", ".join(_HOMES))


def axpy(a, x, y):
    """a x + y, a new array, in the library's arithmetic: rounded once where the processor can (NumPy rounds twice). In
    double where one of them is, else in float32."""
    return _trainyard.axpy(a, x, y)


def scheme_of(name, takes=(), hyperparameters=(), summary=None, family="synchronous", lockstep=None, server=None,
              model="servers", by_keys=False):
    """A decorator: makes the program of a worker a scheme, which compare(), run() and predict() then know by its name.

        @ty.scheme_of("mine")
        def work(w):
            while (yield w.next_step()):
                total = yield w.all_reduce((yield w.gradient()), "ring")
                w.apply(total, 1 / w.workers)

    The program is a generator, or an `async def` that awaits. Each yield is a wait: what it is about is done by the
    library, without the interpreter's lock, and in simulated time others go on meanwhile. What stands between two of
    them takes no simulated time; w.rest(0.5) lets as much pass as half a minibatch takes.

    w.rank, w.workers, w.step, w.epochs, w.step_size, w.hyperparameter("period"); w.replica is read, and set as a whole;
    w.apply(gradient, scale, stretch) is a step of the optimizer. Waits: w.next_step(), w.gradient(), w.descend(),
    w.all_reduce(vector, collective), w.average(collective), w.neighbour_average(vector), w.send(to, vector, tag),
    w.receive(rank), w.poll(rank), w.receive_any(), w.poll_any(), w.barrier(), w.rest(minibatches).

    takes: "topology", for w.neighbour_average(), and "collective", for averages that name none.
    hyperparameters: names of options of the published schemes, like "period"; or a dictionary, in which a name has what
        it is for this scheme where nobody says it, or is new: {"period": 4, "pull": ty.hyperparameter(0.5, 0, 1)}.
    family: for whom workers wait: synchronous, asynchronous, bounded, local_updates or decentralised.
    lockstep: whether all of them take the same number of steps; None: unless the family is asynchronous.

    server: the program of a parameter server, with which the scheme has as many as the option `servers` says; each holds
        an equal part of the model. Workers then have w.push(vector, tag, pull_follows), w.pull(), which puts what the
        servers answer into the replica and gives the list of their tags, w.servers, w.server(index) and
        w.record_staleness(updates). It is a generator as well:

        def serve(s):
            while (push := (yield s.receive_any())) is not None:
                worker, gradient, version = push
                s.record_staleness(version)
                s.apply(gradient)
                yield s.answer(worker, s.version)

        s.shard is read; s.apply(gradient, minibatches, scale, stretch) and s.set_shard(values, minibatches) change it,
        and s.version counts how often. s.rank, s.workers, s.servers, s.step_size, s.hyperparameter(),
        s.record_staleness(version_read). Waits: s.receive_any(), s.poll_any(), s.receive(worker), s.await_message(),
        s.sum_pushes(), s.answer(worker, tag), s.answer_all(), s.send(to, vector, tag), s.poll(rank).
    model: of which the loss is taken, with servers: of "servers", or of "workers" that keep a replica in step.
    by_keys: where data are sparse and the model linear, workers push and pull the weights of their own minibatches'
        features alone. For schemes that push what w.gradient() gave; w.look_ahead(n) says for how many minibatches a pull
        is, and s.worker_stepped(worker, gradient, step) that the worker moved what it had pulled.

    A name that is there already, of a scheme that was made so, gets the new program.
    """
    asked = _trainyard.AskedScheme()
    asked.takes, asked.hyperparameters = _names(takes, "takes"), _hyperparameters(hyperparameters)
    asked.lockstep = family != "asynchronous" if lockstep is None else bool(lockstep)
    _check_servers(server, model, by_keys)
    asked.by_keys, asked.model_at_servers = bool(by_keys), model == "servers"

    def decorate(work):
        if not callable(work):
            raise UsageError(f"scheme_of: found a {type(work).__name__}; expected a function of a worker")
        unknown = [one.name for one in asked.hyperparameters if not one.own and one.name.replace("-", "_") not in OPTIONS]
        if unknown:
            near = difflib.get_close_matches(unknown[0].replace("-", "_"), OPTIONS, n=1, cutoff=0.75)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise UsageError(f"hyperparameters: no published scheme has one named '{unknown[0]}'; {hint}"
                             "trainyard.hyperparameter(fallback, low, high) makes a new one", option="hyperparameters",
                             found=unknown[0])
        asked.name, asked.family = text_of(name, "name"), text_of(family, "family")
        asked.summary = summary or (work.__doc__ or "").strip().partition("\n")[0] or "a scheme in Python"
        _trainyard.add_scheme(work, server, asked)
        read_options()
        return work

    return decorate

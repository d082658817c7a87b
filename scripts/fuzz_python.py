#!/usr/bin/env python3
"""Hostile calls of the Python module: scripts/fuzz_python.py [--calls N] [--seed S], with PYTHONPATH as docs/python.md has it.

Draws functions, options, values and rows, good ones and bad ones in any mixture. A call may return, or raise what
trainyard.errors has, TypeError or KeyError; whatever else it does is broken, and is printed. Of a process that dies the
number of the call stands last on standard error, and faulthandler says where it was.
"""

import argparse
import faulthandler
import random
import sys
import threading
import time
import traceback
import warnings
from datetime import timedelta

import numpy as np

import trainyard as ty

ACCEPTED = (ty.TrainyardError, TypeError, KeyError)

TEXTS = ["", " ", "0", "-1", "1", "1e999", "nan", "inf", "1ms", "10us", "1Gbps", "4MB", "true", "auto", "none", "ring", "all",
         "ring,ring", "gossip:torus", "gossip:", ":ring", "local-sgd{period=8}", "local-sgd{period=8", "x" * 5000, "\0", "é",
         "\ud800", "../..", "/dev/null", "lab:straggler", "0:4", "1,2", "qsgd:127", "top-k:10%", "mlp:4", "mlp:0", "1:2:3",
         "{}", "--steps", "a=b", "2^70", "18446744073709551616"]
NUMBERS = [0, 1, -1, 2, 3, 7, 10**9, 2**63, 2**70, 0.5, -0.5, 1e-300, 1e300, float("nan"), float("inf"), True, False, 1 + 2j]


def value(draw):
    return draw.choice([
        lambda: draw.choice(TEXTS), lambda: draw.choice(NUMBERS), lambda: None, lambda: b"bytes", object,
        lambda: [value(draw) for _ in range(draw.randrange(3))], lambda: {draw.choice(TEXTS): draw.choice(NUMBERS)},
        lambda: np.float32(draw.random()), lambda: np.int8(draw.randrange(128)), lambda: np.arange(draw.randrange(4)),
        lambda: timedelta(seconds=draw.random()), lambda: range(draw.randrange(3)), lambda: (x for x in "ab"),
        lambda: print, lambda: ty, lambda: {1, 2}, lambda: frozenset(), lambda: np.array("ring"), lambda: np.array(None),
    ])()


def array(draw):
    """Rows, mostly of numbers, of any type, shape and layout."""
    shape = draw.choice([(40, 3), (12, 2), (5, 1), (1, 4), (0, 3), (7, 0), (6,), (2, 3, 4), ()])
    kind = draw.choice(["f4", "f4", "f4", "f8", ">f4", "i4", "u1", "i8", "?", "f2", "c8", "U3", "O", "M8[s]", "V4"])
    made = np.asarray(np.random.default_rng(draw.randrange(1000)).normal(size=shape))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = np.zeros(shape, dtype=kind) if kind in ("V4", "M8[s]") else np.asarray(100 * made).astype(kind)
    if made.size and draw.random() < 0.15 and made.dtype.kind == "f":
        made.flat[draw.randrange(made.size)] = draw.choice([np.nan, np.inf, -np.inf])
    layout = draw.randrange(6)
    if layout == 0:
        made = np.asfortranarray(made)
    elif layout == 1 and made.ndim:
        made = made[::-1]
    elif layout == 2 and made.ndim and made.shape[0]:
        made = np.broadcast_to(made[:1], made.shape)
    elif layout == 3 and made.ndim:
        made.flags.writeable = False
    elif layout == 4 and made.ndim == 2:
        return made.tolist()
    return made


def sparse(draw):
    from scipy.sparse import csr_matrix, random as random_matrix

    made = random_matrix(20, 6, density=0.3, random_state=draw.randrange(100), format=draw.choice(["csr", "coo", "csc", "lil"]))
    if draw.random() < 0.5:
        made = csr_matrix(made)
        part = draw.choice([made.data, made.indices, made.indptr])
        if len(part):
            part[draw.randrange(len(part))] = draw.choice([-1, 0, 5, 6, 2**31 - 1, 3])
        made.has_sorted_indices = made.has_canonical_format = draw.random() < 0.7
    return made


def labels(draw):
    count = draw.choice([40, 40, 12, 5, 20, 1, 0])
    return draw.choice([
        lambda: np.arange(count) % 2, lambda: np.arange(count) % 3 + 1, lambda: np.where(np.arange(count) % 2, "a", "b"),
        lambda: np.random.default_rng(1).normal(size=count), lambda: [None] * count, lambda: np.zeros(count),
        lambda: np.arange(count), lambda: ["a", 1] * (count // 2), lambda: np.arange(count) % 2 * 2**40, lambda: value(draw),
        lambda: (np.arange(count) % 2)[:, None], lambda: np.arange(count)[::-1] % 2 == 0,
    ])()


def rows(draw):
    if draw.random() < 0.1:
        return value(draw)
    return (sparse(draw) if draw.random() < 0.25 else array(draw)), labels(draw)


def good_rows():
    made = np.random.default_rng(1).normal(size=(40, 3)).astype(np.float32)
    return made, (made[:, 0] > 0).astype(int)


def options(draw, names):
    return {draw.choice(names): value(draw) for _ in range(draw.randrange(4))}


def safe(asked):
    """Without what would take long, or reads and writes files that are none of ours."""
    for name in ("workers", "servers", "racks", "seeds", "jobs", "epochs", "seconds", "dataset", "config", "force_memory",
                 "model", "global_batch", "tune_lr", "data_dir", "split", "optimum", "evaluate_every", "period",
                 "microbatches", "gradient_noise", "lr", "time"):
        asked.pop(name, None)
    return {**asked, "time": "virtual", "steps": 2, "workers": 2, "lr": 0.1}


def served(draw):
    """A scheme with servers, both of whose programs do what they like."""
    def work(w):
        while (yield w.next_step()):
            yield draw.choice([w.gradient, w.pull, lambda: w.push(w.replica), lambda: w.push(w.replica, value(draw)),
                               lambda: w.push(w.replica, 1, False), lambda: w.push(array(draw)), lambda: w.look_ahead(value(draw)),
                               lambda: w.send(w.server(draw.randrange(-1, 3)), w.replica), lambda: w.receive_any(),
                               lambda: w.poll_any(), lambda: w.record_staleness(value(draw))])()

    def serve(s):
        while push := (yield s.receive_any()):
            yield draw.choice([lambda: s.answer(push[0], s.version), lambda: s.answer(push[0]), lambda: s.answer(value(draw)),
                               s.answer_all, s.sum_pushes, s.poll_any, s.await_message, lambda: s.apply(push[1]) or s.answer_all(),
                               lambda: s.apply(array(draw)), lambda: s.set_shard(value(draw)), lambda: s.receive(value(draw)),
                               lambda: s.worker_stepped(push[0], push[1], 0) or s.poll_any(),
                               lambda: s.record_staleness(value(draw)), lambda: s.send(push[0], push[1])])()

    ty.scheme_of("fuzzed-served", server=serve, by_keys=draw.random() < 0.5, family=draw.choice(["asynchronous", "synchronous"]),
                 model=draw.choice(["servers", "workers"]))(work)
    rows = (sparse(draw), np.arange(20) % 2) if draw.random() < 0.3 else good_rows()
    ty.run("fuzzed-served", data=rows, servers=draw.randrange(1, 5), **small_run())


def small_run():
    return {"steps": 3, "workers": 3, "time": "virtual", "compute_time": "1ms", "lr": 0.1}


def modelled(draw):
    """A model whose functions give anything."""
    def loss(w, X, y):
        return draw.choice([lambda: (1.0, w), lambda: (value(draw), w), lambda: (0.5, array(draw)), lambda: value(draw),
                            lambda: (float("nan"), w * np.nan)])()

    ty.model_of("fuzzed", parameters=draw.choice([3, 3, lambda f, c: f, lambda f, c: value(draw)]), real_labels=draw.random() < 0.5,
                initial=draw.choice([None, lambda count, seed: np.ones(count), lambda count, seed: value(draw)]),
                scores=draw.choice([None, lambda w, X: X @ w, lambda w, X: value(draw)]))(loss)
    run = ty.run(draw.choice(["ring", "ps-async", "hogwild"]), model="fuzzed", data=rows(draw) if draw.random() < 0.3 else good_rows(),
                 **small_run())
    run.predict(good_rows()[0])


def graphed(draw):
    if draw.random() < 0.5:
        ty.topology_of("fuzzed", draw.choice([np.eye(3), np.ones((3, 3)) / 3, array(draw), value(draw)]))
    else:
        ty.topology_of("fuzzed", period=value(draw) if draw.random() < 0.3 else 2)(
            lambda round, workers: np.eye(workers) if draw.random() < 0.7 else value(draw))
    ty.run("gossip:fuzzed", data=good_rows(), **small_run())


def coded(draw):
    ty.codec_of("fuzzed", draw.choice([lambda x: x.astype(np.float16), lambda x: x, lambda x: value(draw), lambda x: b""]),
                draw.choice([lambda wire, length: np.frombuffer(wire, np.float16)[:length], lambda wire, length: np.zeros(length),
                             lambda wire, length: value(draw), lambda wire, length: np.full(length, np.nan)]),
                draw.choice([lambda length: 2 * length, lambda length: 4 * length, lambda length: value(draw)]),
                fixed=draw.random() < 0.5, draws=draw.random() < 0.2, error=value(draw) if draw.random() < 0.2 else None)
    ty.run(draw.choice(["ec-sgd", "choco"]), codec="fuzzed", data=good_rows(), **small_run())


def passed(draw):
    clf = draw.choice([ty.Classifier, ty.Regressor])(lr=0.1, workers=2)
    for _ in range(2):
        given = rows(draw) if draw.random() < 0.5 else good_rows()
        if isinstance(given, tuple):
            clf.partial_fit(*given, **({"classes": [0, 1]} if isinstance(clf, ty.Classifier) else {}))


def call(draw, names):
    """A function without arguments, and its description. None of them trains for more than some milliseconds."""
    kind = draw.randrange(17)
    if kind >= 12:
        part = [served, modelled, graphed, coded, passed][kind - 12]

        def of_ones_own():
            try:
                part(draw)
            except (ValueError, OverflowError, RuntimeError, AttributeError, ArithmeticError, MemoryError):  # of its own functions
                pass

        return of_ones_own, (part.__name__,)
    asked = options(draw, names)
    if kind < 4:
        asked = safe(asked)
        asked["data"] = rows(draw) if draw.random() < 0.8 else good_rows()
        if draw.random() < 0.3:
            asked["test"] = rows(draw)
        if draw.random() < 0.2:
            asked["sample_weight"] = draw.choice([np.ones(40), array(draw), value(draw)])
        return lambda: ty.run(draw.choice(["ring", "ps-sync", "gossip", "hogwild"]), **asked), ("run", asked)
    if kind == 4:
        asked = {**safe(asked), "data": good_rows()}
        schemes = [value(draw) for _ in range(draw.randrange(3))] if draw.random() < 0.5 else ["ring", "sequential"]
        vary = draw.choice([None, {draw.choice(names): value(draw)}, {"latency": ["1ms", "2ms"]}, value(draw)])
        return lambda: ty.compare(schemes, vary=vary, **asked), ("compare", schemes, vary, asked)
    if kind == 5:
        return lambda: ty.scheme(value(draw), label=value(draw), **asked), ("scheme", asked)
    if kind == 6:
        small = {name: of for name, of in asked.items() if name not in ("workers", "servers", "period", "racks")}
        several = [value(draw) for _ in range(draw.randrange(3))]
        counts = draw.choice([3, [2, 3], value(draw) if draw.random() < 0.3 else 4])
        ask = draw.choice([lambda: ty.predict("ring", workers=3, size=value(draw), rows=value(draw), **small),
                           lambda: ty.break_even("csgd", draw.choice([value(draw), several]), workers=3, size="4kB", **small),
                           lambda: ty.topology(draw.choice([value(draw), several, "ring"]), counts, seed=value(draw), size=value(draw)),
                           lambda: ty.mixing_matrices(draw.choice([value(draw), "one-peer-exp"]), counts, seed=value(draw))])
        return ask, ("predict", small, several, counts)
    if kind == 7:
        small = {name: of for name, of in asked.items() if name != "workers"}
        return lambda: ty.advise(workers=2, measured=value(draw), scheme=value(draw), **small), ("advise", small)
    if kind == 8:
        what = value(draw)
        return lambda: ty.list(what), ("list", what)
    if kind == 9:
        features, classes = rows(draw) if draw.random() < 0.5 else (array(draw), labels(draw)), None
        clf = draw.choice([ty.Classifier, ty.Regressor])

        def fit():
            given = features if isinstance(features, tuple) else (features, classes)
            try:
                clf(epochs=1, lr=0.1, workers=2).fit(*given).predict(array(draw))
            except (ValueError, RuntimeError, MemoryError):  # as scikit-learn has it, and SciPy of a matrix that is none
                pass

        return fit, ("fit", features)
    if kind == 10:
        step = value(draw)

        def odd(w):
            while (yield w.next_step()):
                yield draw.choice([w.gradient, w.barrier, w.descend, w.average, lambda: w.send(value(draw), value(draw)),
                                   lambda: w.receive(draw.randrange(-1, 3)), lambda: w.all_reduce(value(draw)),
                                   lambda: w.rest(value(draw)), lambda: w.apply(value(draw), 1.0), lambda: step,
                                   lambda: setattr(w, "replica", array(draw)), lambda: w.neighbour_average(array(draw))])()

        async def mixed(w):
            while await w.next_step():
                yield w.gradient()

        async def awaits(w):
            while await w.next_step():
                await draw.choice([w.gradient, w.barrier, w.descend])()

        program = draw.choice([odd, odd, odd, mixed, awaits, lambda w: step, lambda w: [w.next_step()]])

        def own():
            try:
                ty.scheme_of("fuzzed", takes=["topology", "collective"])(program)
                ty.run("fuzzed", data=good_rows(), steps=3, workers=3, time="virtual", compute_time="1ms", lr=0.1)
            except (ValueError, OverflowError, RuntimeError):  # of NumPy, and of what is sent to nobody
                pass

        return own, ("scheme_of", step)
    run = ty.run("ring", data=good_rows(), steps=2, workers=2, time="virtual", lr=0.1, compute_time="1ms")
    other = draw.choice([array, array, sparse, value])(draw)
    ask = draw.choice([lambda: run.predict(other), lambda: run.messages(value(draw)), lambda: run.predict_proba(array(draw))])
    return ask, ("results", other)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--calls", type=int, default=1000)
    arguments.add_argument("--seed", type=int, default=1)
    asked = arguments.parse_args()
    faulthandler.enable()
    names = list(ty._options.OPTIONS) + ["latensy", "x", "class", "data", "progress"]
    broken = raised = 0
    for number in range(asked.calls):
        draw = random.Random(f"{asked.seed} {number}")
        print(f"\r{number}", end="", file=sys.stderr, flush=True)  # a process that dies has said where
        watch = threading.Timer(60, faulthandler.dump_traceback)
        watch.start()
        began = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function, what = call(draw, names)
                function()
        except ACCEPTED:
            raised += 1
        except Exception:
            broken += 1
            print(f"seed {asked.seed}, call {number}: {str(what)[:300]}")
            traceback.print_exc()
        watch.cancel()
        if time.monotonic() - began > 20:
            print(f"seed {asked.seed}, call {number} took {time.monotonic() - began:.0f} s")
    print(f"{asked.calls} calls: {raised} raised what they should, {broken} broke")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

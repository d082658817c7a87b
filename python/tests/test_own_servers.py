"""Schemes in Python whose ranks are workers and servers, and outer optimizers: to the bits of the same in C++."""

import numpy as np
import pytest

import trainyard as ty


def serve_sync(s):
    while (yield s.await_message()):
        total = yield s.sum_pushes()
        s.apply(total, s.workers, 1 / s.workers)
        yield s.answer_all()


@ty.scheme_of("python-ps-sync", server=serve_sync, model="workers", by_keys=True)
def sync(w):
    while (yield w.next_step()):
        yield w.push((yield w.gradient()))
        yield w.pull()


async def serve_async(s):
    while push := await s.receive_any():
        worker, gradient, version = push
        s.record_staleness(version)
        s.apply(gradient)
        await s.answer(worker, s.version)


@ty.scheme_of("python-ps-async", server=serve_async, family="asynchronous", by_keys=True)
async def without_waiting(w):
    versions = [0] * w.servers
    while await w.next_step():
        await w.push(await w.gradient(), versions)
        versions = await w.pull()


def serve_bounded(s):
    """Ho et al. 2013: who is too far ahead is answered when the slowest worker has caught up."""
    bound = int(s.hyperparameter("staleness"))
    clock, read, since, waiting = [0] * s.workers, [0] * s.workers, [0] * s.workers, set()

    def take(worker, gradient, tag):
        clock[worker] = (tag >> 1) + 1
        if tag & 1:
            waiting.add(worker)
        s.worker_stepped(worker, gradient, tag >> 1)
        s.record_staleness(read[worker] + since[worker])
        since[worker] += 1
        s.apply(gradient)

    while push := (yield s.receive_any()):
        take(*push)
        for _ in range(s.workers - 1):
            if not (push := (yield s.poll_any())):
                break
            take(*push)
        for worker in range(s.workers):
            if worker in waiting and clock[worker] <= min(clock) + bound:
                waiting.remove(worker)
                read[worker], since[worker] = s.version, 0
                yield s.answer(worker, min(clock))


@ty.scheme_of("python-ssp", server=serve_bounded, hyperparameters=["staleness"], family="bounded", by_keys=True)
def bounded(w):
    bound = int(w.hyperparameter("staleness"))
    w.look_ahead(bound + 1)
    clock = 0
    while (yield w.next_step()):
        gradient = yield w.gradient()
        pulls = clock + bound < w.step + 1
        yield w.push(gradient, w.step << 1 | pulls, pull_follows=pulls)
        w.apply(gradient)
        if pulls:
            clock = min((yield w.pull()))


@ty.scheme_of("python-diloco", takes=["collective"], family="local_updates",
              hyperparameters=["period", "outer-lr", "outer-momentum"])
def diloco(w):
    period, eta, mu = int(w.hyperparameter("period")), w.hyperparameter("outer-lr"), w.hyperparameter("outer-momentum")
    x = w.replica.copy()
    v = np.zeros_like(x)
    while (yield w.next_step()):
        yield w.descend()
        if (w.step + 1) % period == 0:
            delta = (yield w.all_reduce(x - w.replica)) * np.float32(1 / w.workers)
            v = ty.axpy(mu, v, delta)
            x = ty.axpy(-eta, ty.axpy(mu, v, delta), x)
            w.replica = x


PAIRS = [("ps-sync", {"servers": 2}), ("ps-async", {"straggler": "1:3"}), ("ps-async", {"servers": 3, "latency": "1ms"}),
         ("ssp{staleness=2}", {"straggler": "0:4"}), ("ssp{staleness=0}", {"servers": 2, "latency": "2ms"}),
         ("ssp", {"straggler": "2:3", "servers": 5, "compute_noise": "memoryless"}), ("diloco{period=4}", {}),
         ("diloco{period=3,outer-momentum=0.5,outer-lr=0.9}", {"optimizer": "adamw", "lr": 0.01})]


@pytest.mark.parametrize("rows", ["dense", "sparse"])
@pytest.mark.parametrize(("scheme", "options"), PAIRS, ids=[f"{scheme} {options}" for scheme, options in PAIRS])
def test_bits_and_times_are_those_of_the_scheme_in_cpp(scheme, options, rows, sparse_rows):
    asked = {"steps": 25, "lr": 0.5, "time": "virtual", "workers": 4, "compute_time": "1ms", "evaluate_every": 0.2, **options}
    if rows == "sparse":
        asked = {"data": sparse_rows, "batch": 2, "l2": 1e-3, **asked}
    cmp = ty.compare([f"python-{scheme}", scheme], **asked)
    mine, theirs = cmp.runs
    assert mine.model_hash == theirs.model_hash
    assert mine.curves.equals(theirs.curves)
    for figure in ("messages", "bytes_sent", "staleness_mean", "seconds"):
        assert mine.figures.get(figure) == theirs.figures.get(figure), figure
    assert mine.figures["messages"] > 0


@pytest.fixture
def sparse_rows():
    from scipy.sparse import random as random_matrix

    made = random_matrix(200, 300, density=0.02, random_state=1, format="csr", dtype=np.float32)
    return made, np.asarray(made.sum(axis=1)).ravel() > 0.25


def test_keys_make_messages_shorter(sparse_rows):
    asked = {"data": sparse_rows, "batch": 1, "steps": 10, "lr": 0.1, "time": "virtual", "workers": 3, "compute_time": "1ms"}
    whole = ty.run("python-ssp", sparse_wire="off", **asked)
    assert ty.run("python-ssp", **asked).bytes_sent < whole.bytes_sent / 3


def test_servers_run_in_wall_too(blobs):
    asked = {"data": blobs, "workers": 2, "steps": 20, "lr": 0.1}
    in_wall = ty.run("python-ps-sync", time="wall", **asked)
    assert in_wall.model_hash == ty.run("ps-sync", time="virtual", compute_time="1ms", **asked).model_hash


def test_a_rule_of_the_servers_own():
    """Elastic: the shard moves towards what each worker has, by messages that are no gradients."""
    def serve(s):
        while push := (yield s.receive_any()):
            worker, model, _ = push
            assert push[0] < s.workers <= s.rank
            s.set_shard(s.shard + 0.5 * (model - s.shard))
            yield s.answer(worker, s.version)

    @ty.scheme_of("python-elastic", server=serve, family="asynchronous")
    def work(w):
        while (yield w.next_step()):
            yield w.push(w.replica + 1)
            assert (yield w.pull()) == [w.step + 1]

    run = ty.run("python-elastic", steps=3, workers=1, lr=1, time="virtual", compute_time="1ms")
    np.testing.assert_allclose(run.model, np.full(run.model.size, 1.5), rtol=1e-6)
    assert run.figures["messages"] == 6


def broken(name, work, serve, error, message):
    ty.scheme_of(name, server=serve)(work)
    with pytest.raises(error, match=message):
        ty.run(name, steps=3, workers=3, time="virtual", compute_time="1ms")


def test_what_programs_do_wrong_is_raised():
    def pushes(w):
        while (yield w.next_step()):
            yield w.push((yield w.gradient()))
            yield w.pull()

    def pushes_short(w):
        while (yield w.next_step()):
            yield w.push([1.0])

    def pushes_early(w):
        yield w.push(w.replica)

    def tags_wrong(w):
        while (yield w.next_step()):
            yield w.push(w.replica, [1, 2])

    def looks_late(w):
        yield w.next_step()
        w.look_ahead(2)

    def no_such_server(w):
        yield w.next_step()
        yield w.send(w.server(1), [1.0])

    def applies_short(s):
        while push := (yield s.receive_any()):
            s.apply(push[1][:-1])
            yield s.answer(push[0])

    def answers_itself(s):
        while (yield s.receive_any()):
            yield s.answer(s.rank)

    def answers_nobody(s):
        while (yield s.receive_any()):
            pass

    def waits_not(s):
        return None

    waits = {}

    def of_another(w):
        yield w.next_step()
        waits[w.rank] = w.gradient()
        yield w.barrier()
        yield waits[(w.rank + 1) % w.workers]

    broken("python-push-short", pushes_short, serve_async, ty.UsageError, "pushes a gradient of 1 numbers")
    broken("python-push-early", pushes_early, serve_async, ty.UsageError, "before the first step")
    broken("python-tags", tags_wrong, serve_async, ty.UsageError, "2 tags for 1 servers")
    broken("python-look-late", looks_late, serve_async, ty.UsageError, "before the first step")
    broken("python-no-server-1", no_such_server, serve_async, ty.UsageError, "server 1 of 1")
    broken("python-no-servers", pushes, None, ty.UsageError, "has no servers")
    broken("python-apply-short", pushes, applies_short, ty.UsageError, "is given a gradient of 63")
    broken("python-answers-itself", pushes, answers_itself, ty.UsageError, "deals with worker 3; they are 0 to 2")
    broken("python-answers-nobody", pushes, answers_nobody, ty.InternalError, "waits for")
    broken("python-server-waits-not", pushes, waits_not, ty.UsageError, "waits for nothing")
    broken("python-of-another", of_another, None, ty.UsageError, "another rank than its own")
    for row, message in (({"server": 3}, "expected a function of a server"), ({"by_keys": True}, "nobody answers"),
                         ({"model": "x"}, "expected \"servers\" or \"workers\""),
                         ({"server": serve_async, "takes": ["collective"]}, "does not have the servers that")):
        with pytest.raises(ty.UsageError, match=message):
            ty.scheme_of("python-wrong", **row)(pushes)


def test_axpy_rounds_once_and_numpy_twice():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(2, 1000)).astype(np.float32)
    exact = (np.float64(np.float32(0.3)) * x.astype(np.float64) + y.astype(np.float64)).astype(np.float32)
    made = ty.axpy(0.3, x, y)
    assert made.dtype == np.float32
    assert np.count_nonzero(made != exact) <= np.count_nonzero(np.float32(0.3) * x + y != exact)
    np.testing.assert_allclose(made, exact, rtol=3e-7, atol=1e-7)
    assert ty.axpy(2, x.astype(np.float64), y).dtype == np.float64
    with pytest.raises(ty.UsageError, match="vectors of 1000 and 2 numbers"):
        ty.axpy(1, x, [1, 2])

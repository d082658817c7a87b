"""Schemes in Python train to the bits of the same schemes in C++."""

import threading

import numpy as np
import pytest

import trainyard as ty


@ty.scheme_of("python-ring")
def ring(w):
    while (yield w.next_step()):
        total = yield from w.all_reduce((yield from w.gradient()), "ring")
        w.apply(total, 1 / w.workers)


@ty.scheme_of("python-gossip", takes=["topology"], family="decentralised")
async def gossip(w):
    while await w.next_step():
        w.apply(await w.gradient())
        await w.neighbour_average()


@ty.scheme_of("python-local-sgd", takes=["collective"], hyperparameters=["period"], family="local_updates")
def local_sgd(w):
    period = int(w.hyperparameter("period"))
    while (yield w.next_step()):
        yield w.descend()
        if (w.step + 1) % period == 0:
            yield w.average()


def at_master(workers):
    return range(1, workers)


@ty.scheme_of("python-master")
def master(w):
    """Gradients go to worker 0, and their sum comes back: by messages of the program's own."""
    while (yield w.next_step()):
        total = yield w.gradient()
        if w.rank == 0:
            for other in at_master(w.workers):
                received, tag = yield w.receive(other)
                assert tag == w.step
                total += received
            for other in at_master(w.workers):
                yield w.send(other, total)
        else:
            yield w.send(0, total, tag=w.step)
            total, _ = yield w.receive(0)
        w.apply(total, 1 / w.workers)


PAIRS = [("python-ring", "ring", {}), ("python-gossip:torus", "gossip:torus", {"workers": 9}),
         ("python-gossip:one-peer-exp", "gossip:one-peer-exp", {"straggler": "1:3"}),
         ("python-local-sgd{period=3}", "local-sgd{period=3}", {"latency": "1ms"})]


@pytest.mark.parametrize(("mine", "theirs", "options"), PAIRS, ids=[mine for mine, _, _ in PAIRS])
def test_bits_and_times_are_those_of_the_scheme_in_cpp(mine, theirs, options):
    cmp = ty.compare([mine, theirs], steps=25, lr=2, time="virtual", evaluate_every=0.05, **options)
    first, second = cmp.runs
    assert first.model_hash == second.model_hash
    assert first.curves.equals(second.curves)
    assert first.figures["messages"] == second.figures["messages"] > 0


def test_rows_of_ones_own_run_in_wall_as_in_virtual(blobs):
    asked = {"data": blobs, "workers": 2, "steps": 20, "lr": 0.1}
    in_wall = ty.run("python-ring", time="wall", **asked)
    assert in_wall.time == "wall"
    assert in_wall.model_hash == ty.run("ring", time="virtual", compute_time="1ms", **asked).model_hash


def test_messages_of_ones_own_add_up_to_the_mean():
    cmp = ty.compare(["python-master", "ring"], steps=10, lr=1, workers=5, time="virtual")
    np.testing.assert_allclose(cmp[0].model, cmp[1].model, rtol=1e-5, atol=1e-6)
    # To the master and back, whole models one after the other: c + 2 (n - 1)(α + t).
    alpha, transfer = 1e-4, 10000 * 4 * 8 / 1e9
    step = 1e-3 + 2 * 4 * (alpha + transfer)
    one = ty.run("python-master", steps=1, lr=1, workers=5, time="virtual")
    assert one.seconds == pytest.approx(step, rel=1e-6)
    assert "python-master" in ty.list("schemes").index
    # In the long run those who are served first compute while others are served.
    assert 1e-3 < ty.predict("python-master", workers=5, size="40kB")["step_s"][0] < step


def test_a_replica_is_read_and_set():
    seen = []

    @ty.scheme_of("python-set")
    def halved(w):
        while (yield w.next_step()):
            with pytest.raises(ValueError, match="read-only"):
                w.replica[0] = 1
            w.replica = np.full(w.replica.size, w.step + 1.0)
            with pytest.raises(ty.UsageError, match="sets a replica of [0-9]+ numbers to 3"):
                w.replica = [1, 2, 3]
            seen.append((w.rank, w.step, w.workers, w.step_size))

    run = ty.run("python-set", steps=3, workers=2, lr=0.5, time="virtual")
    np.testing.assert_array_equal(run.model, np.full(10000, 3.0, dtype=np.float32))
    assert {(0, 2, 2, 0.5), (1, 2, 2, 0.5)} <= {*seen}


def test_time_passes_while_it_rests():
    @ty.scheme_of("python-rest")
    def rest(w):
        while (yield w.next_step()):
            yield w.rest(2.5)

    assert ty.run("python-rest", steps=4, workers=2, time="virtual").seconds == pytest.approx(4 * 2.5e-3)


def broken(name, body, error, message):
    ty.scheme_of(name)(body)
    with pytest.raises(error, match=message):
        ty.run(name, steps=3, workers=3, time="virtual")


def test_what_a_program_does_wrong_is_raised():
    def raises(w):
        yield w.next_step()
        yield w.gradient()
        raise LookupError("its own")

    def no_wait(w):
        while w.next_step():
            yield w.gradient()

    def nested(w):
        while (yield w.next_step()):
            yield w.all_reduce(w.gradient(), "ring")

    def foreign(w):
        yield 3

    def twice(w):
        yield w.next_step()
        wait = w.gradient()
        yield wait
        yield wait

    def forgotten(w):
        while (yield w.next_step()):
            yield w.descend()
            w.barrier()

    def forgotten_at_the_end(w):
        while (yield w.next_step()):
            yield w.descend()
        w.average()

    def itself(w):
        yield w.next_step()
        yield w.send(w.rank, [1.0])

    def short(w):
        while (yield w.next_step()):
            w.apply([1.0])
            yield w.barrier()

    def unlike(w):
        while (yield w.next_step()):
            yield w.all_reduce(np.ones(3 + w.rank), "ring")

    def in_vain(w):
        while (yield w.next_step()):
            yield w.receive((w.rank + 1) % w.workers)

    def asks(w):
        yield w.next_step()
        ty.run("ring", steps=1)

    def deep(w):
        yield w.next_step()
        sorted([2, 1], key=lambda x: deep_calls(x))

    def deep_calls(x):
        return sorted([2, 1], key=lambda y: deep_calls(y))

    async def mixed(w):
        while await w.next_step():
            yield w.descend()

    async def forgotten_await(w):
        while await w.next_step():
            w.descend()

    def no_program(w):
        return [1, 2]

    def nothing(w):
        pass

    def endless(w):
        yield w.next_step()
        while True:
            yield w.rest(0)

    def past_the_end(w):
        while True:
            yield w.next_step()

    def without_collective(w):
        while (yield w.next_step()):
            yield w.average()

    broken("python-mixed", mixed, ty.UsageError, "write `await` in its place")
    broken("python-forgotten-await", forgotten_await, ty.UsageError, "write `await` before it")
    broken("python-no-program", no_program, ty.UsageError, "waits for nothing")
    broken("python-nothing", nothing, ty.UsageError, "waits for nothing")
    broken("python-endless", endless, ty.UsageError, "waited 100000 times")
    broken("python-past-the-end", past_the_end, ty.UsageError, "waited 100000 times")
    broken("python-without-collective", without_collective, ty.UsageError, r'needs takes=\["collective"\]')
    broken("python-raises", raises, LookupError, "its own")
    broken("python-no-wait", no_wait, TypeError, "this is a wait, and has no value yet")
    broken("python-nested", nested, TypeError, "this is a wait, and has no value yet")
    broken("python-foreign", foreign, ty.UsageError, "a scheme yielded 3")
    broken("python-twice", twice, ty.UsageError, "waits twice for the same")
    broken("python-forgotten", forgotten, ty.UsageError, r"calls barrier\(\) and does not wait for it")
    broken("python-forgotten-at-the-end", forgotten_at_the_end, ty.UsageError, r"calls average\(\) and does not wait")
    broken("python-itself", itself, ty.UsageError, "expected another one below 3")
    broken("python-short", short, ty.UsageError, "applies a gradient of 1 numbers")
    broken("python-unlike", unlike, Exception, ".")
    broken("python-in-vain", in_vain, ty.InternalError, "waits for")
    broken("python-asks", asks, ty.UsageError, "while another one of this thread")
    broken("python-deep", deep, RecursionError, "recursion")
    broken("python-no-generator", lambda w: 3, ty.UsageError, "waits for nothing")
    broken("python-no-topology", gossip, ty.UsageError, "takes")
    assert ty.run("python-ring", steps=3, time="virtual").steps == 3


def test_a_worker_is_of_no_use_after_its_run():
    kept = []

    @ty.scheme_of("python-kept")
    def keeps(w):
        kept.append(w)
        try:
            while (yield w.next_step()):
                kept.append((yield w.gradient()))
        finally:
            kept.append("closed")

    ty.run("python-kept", steps=2, workers=1, time="virtual")
    assert any(isinstance(one, str) for one in kept)
    with pytest.raises(ty.UsageError, match="run has ended"):
        kept[0].replica
    assert all(np.isfinite(array).all() for array in kept if isinstance(array, np.ndarray))


def _with(parameter, name="python-pull"):
    return ty.scheme_of("mine", hyperparameters={name: parameter})(ring)


def test_a_scheme_has_hyperparameters_and_fallbacks_of_its_own():
    seen = []

    @ty.scheme_of("python-own-numbers", takes=["collective"], family="local_updates",
                  hyperparameters={"period": 4, "python-pull": ty.hyperparameter(0.5, 0, 1, help="how far to go")})
    def work(w):
        seen.append((w.hyperparameter("period"), w.hyperparameter("python-pull")))
        while (yield w.next_step()):
            yield w.descend()
            if (w.step + 1) % int(w.hyperparameter("period")) == 0:
                mean = yield w.all_reduce(w.replica / w.workers)
                pull = w.hyperparameter("python-pull")
                w.replica = (1 - pull) * w.replica + pull * mean

    seen.clear()  # of the rehearsal
    ty.run("python-own-numbers", workers=2, steps=8, lr=1)
    assert set(seen) == {(4.0, 0.5)}
    seen.clear()
    whole = ty.run("python-own-numbers", workers=2, steps=8, lr=1, python_pull=1.0, period=2)
    assert set(seen) == {(2.0, 1.0)}
    published = ty.run("local-sgd", workers=2, steps=8, lr=1, period=2)
    assert whole.train_loss == pytest.approx(published.train_loss, rel=1e-6)
    varied = ty.compare(["python-own-numbers"], workers=2, steps=8, lr=1, vary={"python_pull": [0.25, 0.75]})
    assert len(varied.summary) == 2
    with pytest.raises(ty.UsageError, match="python_pull"):
        ty.run("python-own-numbers", workers=2, steps=8, lr=1, python_pull=2)
    assert "how far to go [0.5]" in ty.options("python_pull").loc["python_pull", "help"]
    share = ty.hyperparameter(0.5, 0, 1)
    ty.scheme_of("python-two-shares", hyperparameters={"python-one": share, "python-two": share})(ring)
    assert {"python_one", "python_two"} <= set(ty.options().index)
    # Others have the period that they had.
    assert "python-own-numbers: 4" in ty.options("period").loc["period", "help"]
    assert "period = 10" in ty.run("local-sgd", workers=2, steps=8, lr=1).configuration


def test_wrong_rows_are_refused():
    for how, message in ((lambda: ty.scheme_of("ring")(ring), "name already"),
                         (lambda: ty.scheme_of("Mine")(ring), "lower-case letters"),
                         (lambda: ty.scheme_of("mine", takes="topology"), "expected a list of names"),
                         (lambda: ty.scheme_of("mine", takes=["topologies"])(ring), "topologies"),
                         (lambda: ty.scheme_of("mine", hyperparameters=["perod"])(ring), "period"),
                         (lambda: ty.scheme_of("mine", hyperparameters={"perod": 3})(ring), "period"),
                         (lambda: ty.scheme_of("mine", hyperparameters={"period": -3})(ring), "fallback"),
                         (lambda: ty.scheme_of("mine", hyperparameters={"period": [3]})(ring), "expected a number"),
                         (lambda: ty.scheme_of("mine", hyperparameters={"period": "often"})(ring), "expected a number"),
                         (lambda: ty.hyperparameter("1", 0, 2), "expected a number"),
                         (lambda: _with(ty.hyperparameter(3, 0, 2)), "fallback"),
                         (lambda: _with(ty.hyperparameter(1, 0, 2), name="workers"), "option of every run already"),
                         (lambda: ty.scheme_of("mine", family="none")(ring), "synchronous"),
                         (lambda: ty.scheme_of("mine")(3), "expected a function")):
        with pytest.raises(ty.UsageError, match=message):
            how()


def test_a_program_may_be_written_anew():
    def steps(count):
        @ty.scheme_of("python-anew")
        def work(w):
            while (yield w.next_step()):
                for _ in range(count):
                    yield w.descend()

    steps(1)
    once = ty.run("python-anew", steps=4, workers=1, time="virtual")
    steps(2)
    assert ty.run("python-anew", steps=4, workers=1, time="virtual").seconds == pytest.approx(2 * once.seconds)


def test_programs_of_several_runs_at_once_do_not_meet():
    asked = {"steps": 20, "lr": 1, "time": "virtual", "vary": {"workers": [2, 3, 5]}, "seeds": 3}
    many = ty.compare(["python-ring"], jobs=4, **asked)
    plain = ty.compare(["ring"], jobs=1, **asked)
    assert [run.model_hash for run in many] == [run.model_hash for run in plain]
    assert threading.active_count() == 1

"""What is wrong is said in Python's words: which option, what was found, what is accepted."""

import os
import pathlib
import pickle
import signal
import threading
import time
from datetime import timedelta

import numpy as np
import pytest

import trainyard as ty


def refused(call, option, message, found=None):
    with pytest.raises(ty.UsageError, match=message) as caught:
        call()
    assert caught.value.option == option
    assert "--" not in str(caught.value)
    if found is not None:
        assert caught.value.found == found
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.option) == (str(caught.value), option)


def test_unknown_names_get_the_nearest_known_one():
    refused(lambda: ty.run(latensy="1ms"), "latensy", "no option named 'latensy'; did you mean 'latency'?")
    refused(lambda: ty.run("rign"), "scheme", "did you mean 'ring'?")
    refused(lambda: ty.compare(["gosip"]), "schemes", "did you mean 'gossip'?")
    refused(lambda: ty.compare(["ring"], vary={"steeps": [1]}), "steeps", "did you mean 'steps'?")
    refused(lambda: ty.predict("ring", dataset="a9a"), "dataset", "no option named 'dataset'")
    refused(lambda: ty.advise(codec="sign"), "codec", "no option named 'codec'")
    refused(lambda: ty.predict("ring", lr=0.1), "lr", r"run\(\) and compare\(\) take it, and not predict\(\)")
    refused(lambda: ty.run(learning_rate=0.1), "learning_rate", "did you mean 'lr'?")
    refused(lambda: ty.advise(model_size="4MB"), "model_size", "did you mean 'size'?")
    refused(lambda: ty.run(seeds=3), "seeds", r"compare\(\) takes it")
    refused(lambda: ty.compare("ring", scheme="ssp"), "scheme", r"run\(\) takes one")
    with pytest.raises(ty.UsageError, match="list"):
        ty.list("schemas")


def test_a_list_of_faults_is_several_faults():
    notes = ty.run("ring", dataset="dense-logistic", fault=["loss:0.1", "slow-link:0,1:10@0s-1s"], workers=4, steps=5, lr=0.1,
                   time="virtual").configuration
    assert "loss:0.1+slow-link:" in notes


def test_values_are_refused_by_name():
    refused(lambda: ty.run(fault="crash@100ms"), "fault", "like crash:3@2s")
    refused(lambda: ty.run(data=(np.ones((20, 2), np.float32), np.arange(20) % 2), test=0.25), "test", "every-fifth")
    refused(lambda: ty.hyperparameter(5, 0, 1), "fallback", "expected 0 to 1")
    refused(lambda: ty.scheme_of("own-foo", hyperparameters={"foo": 3})(lambda w: None), "hyperparameters", r"trainyard.hyperparameter\(")
    refused(lambda: ty.run(workers=0), "workers", "workers")
    refused(lambda: ty.run(lr=float("nan")), "lr", "expected a finite number")
    refused(lambda: ty.run(latency=object()), "latency", "found a object", "object")
    refused(lambda: ty.run(latency=""), "latency", "empty text")
    refused(lambda: ty.run(latency="1\0ms"), "latency", "cannot hold")
    refused(lambda: ty.run(lr_schedule="cosines"), "lr_schedule", "cosine")
    refused(lambda: ty.run(out="results"), "out", "is for the program")
    refused(lambda: ty.run(config="nowhere.toml"), None, "nowhere.toml")
    refused(lambda: ty.compare(seeds=0), "seeds", "expected 1 to 1000", "0")
    refused(lambda: ty.compare(seeds=True), "seeds", "expected a whole number")
    refused(lambda: ty.compare(["ring"], vary={"lr": [0.1, "0.10"]}), "vary", "is there twice", "lr")
    refused(lambda: ty.compare(["ring"], vary=["lr"]), "vary", "expected a dict")
    refused(lambda: ty.compare([3]), "schemes", "expected names", "3")
    refused(lambda: ty.compare([ty.scheme("ring", label="a"), ty.scheme("ps-sync", label="a")]), "schemes",
            "is there twice", "a")
    refused(lambda: ty.run(progress=3), "progress", "expected True or a function")
    refused(lambda: ty.predict("ring", rows=0), "rows", "expected 1 to", "0")
    refused(lambda: ty.predict("ring", density=2), "density", "at most 1")
    refused(lambda: ty.predict("ring", size="3B"), "size", "size")


def test_what_arrays_cannot_have_is_refused(blobs):
    x, y = blobs
    for name, value in (("dataset", "a9a"), ("label_column", 3), ("missing", "mean"), ("start", "somewhere"),
                        ("test", "rows.svm"), ("validation", "rows.svm")):
        refused(lambda name=name, value=value: ty.run("ring", data=(x, y), **{name: value}), name, ".")
    refused(lambda: ty.compare(["ring"], data=(x, y), vary={"scale": ["none", "standard"]}), "data",
            "made in another way")


def test_python_values_are_texts_of_options():
    asked = {"steps": 12, "workers": np.int64(3), "lr": np.float32(0.5), "gradient_norm": True,
             "latency": timedelta(milliseconds=2), "straggler": {0: 2, 1: 1.5}, "intercept": None}
    run = ty.run("ring", time="virtual", **asked)
    for line in ("workers = 3", "lr = 0.5", "gradient-norm = true", 'latency = "2ms"', 'straggler = "0:2,1:1.5"'):
        assert line in run.configuration
    text = ty._options.text_of
    assert [text(value, "x") for value in (True, 8, 8.0, 1e-5, "1ms", pathlib.Path("a/b"), [1, "b"])] == [
        "true", "8", "8", "1e-05", "1ms", "a/b", "1,b"]


def test_a_diverged_run_is_a_result_with_a_warning(blobs):
    x, y = blobs
    with pytest.warns(ty.TrainyardWarning):
        run = ty.run("ring", data=(1e18 * x, y), model="mlp:4", lr=1e30, steps=50, time="virtual", compute_time="1ms")
    assert run.diverged and run.notes


def test_progress_hears_every_evaluation_and_may_end_the_run():
    heard = []
    run = ty.run("ring", epochs=2, progress=heard.append)
    losses = [news["train_loss"] for news in heard if isinstance(news, dict)]
    assert losses == [*run.curves["train_loss"]]
    assert any(isinstance(news, str) for news in heard)

    def stop(news):
        if isinstance(news, dict) and news["epoch"] >= 1:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        ty.run("ring", epochs=5000, time="virtual", progress=stop)


def test_ctrl_c_ends_a_prediction():
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ty.predict("all", size="1MB", workers=range(2, 500))


class Interrupting:
    """Sends this process a Ctrl-C, so many times, from the first pass over the data on."""

    def __init__(self, times=1):
        self.left = times

    def __call__(self, news):
        if self.left > 0 and isinstance(news, dict) and news["epoch"] >= 1:
            self.left -= 1
            os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_ends_a_run_and_keeps_its_results():
    with pytest.warns(ty.TrainyardWarning, match="interrupted"):
        run = ty.run("ring", epochs=5000, time="virtual", progress=Interrupting())
    assert run.interrupted and 1 <= run.epochs < 5000
    with pytest.warns(ty.TrainyardWarning, match="interrupted"):
        cmp = ty.compare(["ring", "ps-sync"], epochs=5000, lr=1, jobs=1, time="virtual", progress=Interrupting())
    assert cmp.interrupted and cmp.labels == ["ring"] and len(cmp.lacking) == 1
    assert ty.run("ring", steps=3, time="virtual").steps == 3


def test_the_interpreter_goes_on_while_a_run_is_made():
    counted = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    ty.run("ring", epochs=5, time="virtual", model="mlp:16")
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 0


def test_threads_take_turns_and_get_what_they_asked_for():
    results = {}

    def ask(seed):
        results[seed] = ty.run("ring", steps=20, seed=seed, time="virtual").model_hash

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {seed: ty.run("ring", steps=20, seed=seed, time="virtual").model_hash for seed in (1, 2, 3)}


def test_a_question_within_a_question_is_refused():
    with pytest.raises(ty.UsageError, match="while another one of this thread"):
        ty.run("ring", steps=5, time="virtual", progress=lambda news: ty.run("ring", steps=1))


def test_a_forked_process_says_that_it_cannot_train():
    ty.run("ring", steps=1, time="virtual")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            ty.run("ring", steps=1, time="virtual")
            os.write(writing, b"trained")
        except ty.RunError as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert b"forked" in os.read(reading, 1000)


def test_an_option_in_vain_is_a_warning():
    vain = {"byzantine": "1:ipm:15", "workers": 8, "steps": 4, "lr": 1}
    with pytest.warns(ty.TrainyardWarning, match="byzantine has no effect: ring has no rule for liars"):
        ty.run("ring", **vain)
    with pytest.warns(ty.TrainyardWarning, match="byzantine has no effect"):
        ty.compare(["ring", "gossip"], **vain)

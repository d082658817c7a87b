"""Models, topologies and codecs in Python: against the library's own, and what is wrong with them is said."""

import numpy as np
import pytest

import trainyard as ty

TIMED = {"time": "virtual", "compute_time": "1ms", "workers": 4}


def squares(w, X, y):
    """Half the mean of squares."""
    off = X @ w - y
    return (off @ off) / (2 * len(y)), X.T @ off / np.float32(len(y))


@pytest.fixture
def numbers():
    random = np.random.default_rng(3)
    X = random.normal(size=(160, 6)).astype(np.float32)
    return X, (X @ np.arange(6) + random.normal(size=160)).astype(np.float32)


@pytest.mark.parametrize("scheme", ["ring", "ssp", "gossip", "hogwild", "local-sgd"])
def test_a_model_is_trained_as_the_librarys_of_the_same_loss(numbers, scheme):
    ty.model_of("python-squares", parameters=lambda features, classes: features, real_labels=True,
                scores=lambda w, X: X @ w)(squares)
    asked = {"data": numbers, "test": numbers, "steps": 40, "lr": 0.05, "l2": 0.1, "scale": "none", **TIMED}
    mine = ty.run(scheme, model="python-squares", **asked)
    theirs = ty.run(scheme, model="least-squares", **asked)
    np.testing.assert_allclose(mine.model, theirs.model, rtol=2e-4, atol=2e-5)
    assert mine.train_loss == pytest.approx(theirs.train_loss, rel=1e-4)
    assert mine.seconds == theirs.seconds and mine.figures["messages"] == theirs.figures["messages"]
    np.testing.assert_allclose(mine.predict(numbers[0]), theirs.predict(numbers[0]), rtol=1e-3, atol=1e-3)
    assert mine.model_hash == ty.run(scheme, model="python-squares", **asked).model_hash


def test_classes_are_counted_as_right(blobs):
    def logistic(w, X, y):
        X = np.asarray(X.todense()) if hasattr(X, "todense") else X
        margins = X @ w
        signs = 2 * y - 1
        return np.log1p(np.exp(-signs * margins)).mean(), X.T @ (-signs / (1 + np.exp(signs * margins))) / len(y)

    ty.model_of("python-logistic", parameters=lambda features, classes: features, scores=lambda w, X: X @ w)(logistic)
    asked = {"data": blobs, "test": blobs, "steps": 30, "lr": 0.2, **TIMED}
    mine, theirs = (ty.run("ring", model=model, **asked) for model in ("python-logistic", "logistic"))
    assert mine.test_accuracy == theirs.test_accuracy > 0.7
    np.testing.assert_array_equal(mine.predict(blobs[0]), theirs.predict(blobs[0]))
    np.testing.assert_allclose(mine.predict_proba(blobs[0]), theirs.predict_proba(blobs[0]), rtol=1e-3)
    csr = pytest.importorskip("scipy.sparse").csr_matrix
    sparse = {**asked, "data": (csr(blobs[0]), blobs[1]), "test": (csr(blobs[0]), blobs[1])}
    np.testing.assert_allclose(ty.run("ring", model="python-logistic", **sparse).model, mine.model, rtol=1e-4, atol=1e-6)


def test_a_starting_point_of_ones_own_and_in_wall(numbers):
    asked_of = []

    def begin(count, seed):
        asked_of.append((count, seed))
        return np.full(count, 2.0)

    ty.model_of("python-flat", parameters=3, initial=begin, real_labels=True)(lambda w, X, y: (w.sum(), np.zeros_like(w)))
    run = ty.run("ring", model="python-flat", data=numbers, steps=3, workers=2, lr=1, time="wall", seed=5)
    np.testing.assert_array_equal(run.model, [2, 2, 2])
    assert run.train_loss == pytest.approx(6) and (3, 5) in asked_of
    with pytest.raises(ty.UsageError, match="predicts nothing"):
        run.predict(numbers[0])


def test_what_a_model_does_wrong_is_raised(numbers):
    def fails(message, error=ty.UsageError, loss=squares, data=numbers, **row):
        ty.model_of("python-wrong", **{"parameters": 6, "real_labels": True, **row})(loss)
        with pytest.raises(error, match=message):
            ty.run("ring", model="python-wrong", data=data, steps=3, lr=0.1, **TIMED)

    def raises(w, X, y):
        raise LookupError("its own")

    fails("its own", LookupError, raises)
    fails(r"gave float; expected \(loss, gradient\)", loss=lambda w, X, y: 1.0)
    fails("sets a gradient of 6 numbers to 2", loss=lambda w, X, y: (1.0, [1, 2]))
    fails("`parameters` gave -1", parameters=lambda features, classes: -1)
    fails("sets a starting point of 6 numbers to 1", initial=lambda count, seed: [1.0])
    fails("while another one of this thread", loss=lambda w, X, y: ty.run("ring", steps=1))
    with pytest.raises(ty.UsageError, match="count alike"):
        ty.run("ring", model="python-wrong", data=numbers, sample_weight=np.arange(160), steps=1, lr=0.1, **TIMED)
    for wrong, message in ((lambda: ty.model_of("softmax", parameters=1)(squares), "of this name already"),
                           (lambda: ty.model_of("Mine", parameters=1)(squares), "lower-case letters"),
                           (lambda: ty.model_of("mine", parameters="x"), "expected a whole number"),
                           (lambda: ty.model_of("mine", parameters=1)(3), "expected a function"),
                           (lambda: ty.model_of("mine", parameters=1, scores=3), "expected a function")):
        with pytest.raises(ty.UsageError, match=message):
            wrong()
    assert "python-wrong" in ty.list("models").index


def ring_weights(workers):
    one = np.eye(workers)
    return (one + np.roll(one, 1, axis=1) + np.roll(one, -1, axis=1)) / 3


def test_a_matrix_is_a_graph():
    ty.topology_of("python-ring-of-5", ring_weights(5))
    cmp = ty.compare(["gossip:python-ring-of-5", "gossip:ring"], workers=5, steps=10, lr=1, time="virtual")
    np.testing.assert_allclose(cmp[0].model, cmp[1].model, rtol=1e-5, atol=1e-7)
    assert cmp[0].seconds == cmp[1].seconds and cmp[0].figures["messages"] == cmp[1].figures["messages"]
    assert "python-ring-of-5" in ty.list("topologies").index


def test_a_function_of_the_round_is_a_graph():
    @ty.topology_of("python-shift", period=2)
    def shift(round, workers):
        return (np.eye(workers) + np.roll(np.eye(workers), 2**round, axis=1)) / 2

    cmp = ty.compare(["gossip:python-shift", "gossip:one-peer-exp"], workers=4, steps=9, lr=1, time="virtual")
    assert cmp[0].model_hash == cmp[1].model_hash
    assert cmp[0].seconds == cmp[1].seconds


def test_wrong_matrices_are_refused():
    for matrix, message in ((ring_weights(4), r"\(4, 4\); expected\s+\(3, 3\)"), (np.eye(3) * 0.5, "adds up to 0.5"),
                            ([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]], "column 0 of the matrix adds up to 1.5"),
                            ([[2, -1, 0], [-1, 2, 0], [0, 0, 1]], "has -1 in row 0, column 1"),
                            (np.full((3, 3), np.nan), "has nan"), (np.zeros(3), "an array of shape")):
        ty.topology_of("python-odd", matrix)
        with pytest.raises(ty.UsageError, match=message):
            ty.run("gossip:python-odd", workers=3, steps=1, lr=1, time="virtual")
    for wrong, message in ((lambda: ty.topology_of("ring", np.eye(2)), "of this name already"),
                           (lambda: ty.topology_of("mine", [["x"]]), "expected a matrix"),
                           (lambda: ty.topology_of("mine", period=0), "expected 1 to"),
                           (lambda: ty.topology_of("mine")(3), "expected a function")):
        with pytest.raises(ty.UsageError, match=message):
            wrong()


HALVES = {"encode": lambda x: x.astype(np.float16), "decode": lambda wire, length: np.frombuffer(wire, np.float16),
          "most_bytes": lambda length: 2 * length}


def test_a_codec_is_the_librarys_of_the_same_rule():
    ty.codec_of("python-halves", **HALVES)
    asked = {"workers": 3, "steps": 12, "lr": 1, "time": "virtual", "encode_time": "0s", "decode_time": "0s"}
    for scheme in ("ec-sgd", "choco"):
        mine, theirs = (ty.run(scheme, codec=codec, **asked) for codec in ("python-halves", "fp16"))
        assert mine.model_hash == theirs.model_hash
        assert mine.figures["bytes_sent"] == theirs.figures["bytes_sent"] > 0
        assert mine.seconds == theirs.seconds


def test_an_unbiased_codec_whose_error_nobody_knows_sends_all_the_same():
    ty.codec_of("python-unbiased", unbiased=True, **HALVES)
    asked = {"workers": 3, "steps": 12, "lr": 1, "time": "virtual", "encode_time": "0s", "decode_time": "0s"}
    with pytest.warns(ty.TrainyardWarning, match="nobody has said of python-unbiased"):
        mine = ty.run("ec-sgd", codec="python-unbiased", **asked)
    assert mine.model_hash == ty.run("ec-sgd", codec="fp16", **asked).model_hash


def test_what_a_codec_draws_repeats_with_the_seed():
    def signs(x, random):
        chance = (1 + x / np.abs(x).max()) / 2 if x.any() else np.full(x.size, 0.5)
        return np.float32(np.abs(x).max()).tobytes() + np.packbits(random.random(x.size) < chance).tobytes()

    def decode(wire, length):
        return np.frombuffer(wire, np.float32, 1) * (2.0 * np.unpackbits(np.frombuffer(wire[4:], np.uint8))[:length] - 1)

    ty.codec_of("python-signs", signs, decode, lambda length: 4 + (length + 7) // 8, draws=True, unbiased=True)
    hashes = [ty.run("csgd", codec="python-signs", steps=5, workers=3, lr=0.1, time="virtual", seed=seed).model_hash
              for seed in (1, 1, 2)]
    assert hashes[0] == hashes[1] != hashes[2]


def test_what_a_codec_does_wrong_is_raised():
    for change, error, message in (({"encode": lambda x: b""}, ty.UsageError, "in 0 bytes; its most_bytes says"),
                                   ({"encode": lambda x: [1]}, TypeError, "bytes"),
                                   ({"decode": lambda wire, length: [1.0]}, ty.UsageError, "decoded 1 numbers of"),
                                   ({"most_bytes": lambda length: "x"}, ty.UsageError, "gave most_bytes = 'x'"),
                                   ({"most_bytes": lambda length: 1 / 0}, ZeroDivisionError, "division")):
        ty.codec_of("python-faulty", **{**HALVES, **change})
        with pytest.raises(error, match=message):
            ty.run("ec-sgd", codec="python-faulty", steps=2, workers=2, lr=0.1, time="virtual")
    for wrong, message in ((lambda: ty.codec_of("fp16", **HALVES), "of this name already"),
                           (lambda: ty.codec_of("mine", **{**HALVES, "decode": 3}), "expected a function"),
                           (lambda: ty.codec_of("mine", error=-1, **HALVES), "0 or more")):
        with pytest.raises(ty.UsageError, match=message):
            wrong()

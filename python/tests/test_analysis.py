"""What is worked out and not trained: predictions, break-evens, graphs, advice."""

import json
import warnings

import numpy as np
import pytest

import trainyard as ty


def test_what_predict_varies_has_whole_numbers_where_they_were_and_units():
    sizes = ty.predict("ring", size="4MB", latency="10us", workers=[4, 8])
    assert [*sizes["workers"]] == [4, 8] and sizes["workers"].dtype == int
    assert "workers" not in sizes.attrs["units"] and sizes.attrs["units"]["step_s"] == "s"
    links = ty.predict("ring", size="4MB", bandwidth=["1Gbps", "10Gbps"])
    assert [*links["bandwidth"]] == [125e6, 1250e6] and links.attrs["units"]["bandwidth"] == "B/s"
    assert [*ty.predict("ring", bandwidth=["1Gbps", "infinite"])["bandwidth"]] == [125e6, np.inf]
    graphs = ty.predict("gossip", topology=["ring", "full"], workers=[4, 8])
    assert [*graphs["topology"]] == ["ring", "ring", "full", "full"] and [*graphs["workers"]] == [4, 8] * 2
    both = ty.predict("ring", size="4MB", bandwidth=["1Gbps", "10Gbps"], compute_time=["1ms", "2.5ms"])
    assert [*both["bandwidth"]] == [125e6, 125e6, 1250e6, 1250e6] and both.attrs["units"]["bandwidth"] == "B/s"
    assert [*both["compute_time"]] == [0.001, 0.0025] * 2 and both.attrs["units"]["compute_time"] == "s"


def test_advice_and_predictions_are_frames():
    frame = ty.predict("ring", size="4MB", workers=range(2, 9), latency=["10us", "1ms"])
    assert len(frame) == 14 and {"workers", "latency"} <= {*frame.columns}
    # c + 2(n-1)(α + t/n)
    for _, row in frame.iterrows():
        n, alpha = row["workers"], row["latency"]
        transfer = 4e6 * 8 / 1e9
        assert row["closed_form_s"] == pytest.approx(1e-3 + 2 * (n - 1) * (alpha + transfer / n), rel=1e-4)
    advice = ty.advise(size="59MB", compute_time="250ms", bandwidth="625Mbps", workers=6)
    assert {"name", "seconds"} <= {*advice.limits.columns} and "what" in advice.levers
    assert advice.best in repr(advice)


def test_advice_to_a_target_is_the_programs(program, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('[data]\ndataset = "dense-logistic:400"\n[network]\nlatency = "1ms"\nfault = "loss:0.01"\n'
                    '[compute]\ncompute-time = "2ms"\n')
    printed = json.loads(program("advise", str(mine), "--workers", "3", "--target-loss", "0.5", "--seeds", "2", "--json"))
    with pytest.warns(ty.TrainyardWarning, match="fault has no effect: advice does not look at it"):
        advice = ty.advise(config=mine, workers=3, target_loss=0.5, seeds=2)
    assert advice.json == {key: value for key, value in printed.items() if key != "notes"}
    assert advice.best == advice.ways["label"][0] == printed["target"]["ways"][0]["label"]
    assert [*advice.ways["seconds"].dropna()] == sorted(advice.ways["seconds"].dropna())
    assert f"{advice.best} is first at a training loss 0.5" in repr(advice)


def test_advice_takes_rows_of_ones_own(blobs):
    X, y = blobs
    heard = []
    advice = ty.advise(data=(X, y), compute_time="1ms", workers=2, target_loss=0.4, seeds=1, epochs=4, progress=heard.append)
    assert advice.json["parameters"] == X.shape[1] and advice.json["target"]["rows"] == len(y)
    assert advice.json["target"]["most_passes"] == 4 and any(isinstance(news, dict) for news in heard)
    # The winner runs as it did there: one seed, one look each twentieth of a pass.
    again = ty.run(advice.winner, data=(X, y), compute_time="1ms", workers=2, target_loss=0.4, epochs=4, evaluate_every=0.05)
    assert again.epochs_to_target == advice.ways["passes"][0]
    nowhere = ty.advise(data=(X, y), compute_time="1ms", workers=2, target_loss=1e-9, seeds=1, epochs=0.5)
    assert nowhere.best is None and nowhere.winner is None and len(nowhere.ways) > 5
    untrained = ty.advise(data=(X, y), compute_time="1ms", workers=2)
    assert untrained.json["target"] is None and untrained.ways.empty
    assert untrained.best == untrained.schemes["label"][0]
    # A minibatch is measured where nobody says what it takes.
    assert 0 < ty.advise(data=(X, y), workers=2).json["compute_s"] < 0.1


def test_advice_takes_real_labels_and_measures_their_noise():
    random = np.random.default_rng(3)
    X = random.normal(size=(400, 10)).astype(np.float32)
    y = X @ random.normal(size=10) + random.normal(size=400)
    with pytest.warns(ty.TrainyardWarning, match="the noise scale is"):
        advice = ty.advise(data=(X, y), model="least-squares", workers=4, compute_time="1ms", lr=0.01, noise_scale="measured")
    assert advice.json["parameters"] == 10 and advice.json["worker_counts"]
    with pytest.raises(ty.UsageError, match="real labels have no accuracy"):
        ty.advise(data=(X, y), model="least-squares", validation=0.2, workers=4, target_accuracy=0.5)


def test_advice_leaves_aside_a_files_schemes_and_target(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('[run]\nworkers = 3\ntarget-loss = 0.3\n[data]\ndataset = "dense-logistic:400"\n'
                    '[compute]\ncompute-time = "1ms"\n[[contestant]]\nscheme = "ring"\n')
    advice = ty.advise(config=mine)
    assert advice.json["target"] is None and advice.json["workers"] == 3
    other = ty.advise(config=mine, target_accuracy=0.6, seeds=1, epochs=2)
    assert other.json["target"]["what"].startswith("test accuracy")
    assert ty.advise(config="lab:straggler").json["target"] is None


def test_advice_says_what_is_given_in_vain(blobs):
    X, y = blobs

    def said(**asked):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ty.advise(data=(X, y), compute_time="1ms", workers=2, **asked)
        return {str(one.message).split(" has no effect")[0] for one in caught}

    assert said(scheme="ring", seeds=5, epochs=2) == {"scheme", "seeds", "epochs"}
    assert said(on_failure="stop", steps=10, time="wall") == {"on_failure", "steps", "time"}
    shared = said(machines="shared", target_loss=0.5, seeds=1, epochs=1, latency="1ms", memory="1GiB", measured=5)
    assert shared == {"latency", "memory", "measured", "compute_time"}


def test_advice_says_beforehand_how_long(blobs, capfd):
    X, y = blobs
    ty.advise(data=(X, y), compute_time="1ms", workers=2, target_loss=0.5, seeds=1, epochs=1, progress=True)
    assert "ways to talk are trained in simulated time, each at its own best step size, with 1 seed: up to some" in (
        capfd.readouterr().err)


def test_advice_for_one_machine_trains_on_it(blobs):
    X, y = blobs
    advice = ty.advise(data=(X, y), machines="shared", workers=2, target_loss=0.3, seeds=1, intercept=True)
    assert {*advice.ways["threads"]} == {1, 2} and advice.json["cores"] == 2
    assert (advice.best, advice.threads) == (advice.ways["way"][0], advice.ways["threads"][0])
    assert "machine: " in repr(advice)


def test_advice_refuses_what_it_cannot_train(blobs):
    X, y = blobs

    def refused(why, **asked):
        with pytest.raises(ty.UsageError, match=why):
            ty.advise(**asked)

    refused("target_loss: of which data?", target_loss=0.5)
    refused("validation: of which data?", validation=0.2)
    refused("another target is given, too", data=(X, y), validation=0.2, workers=2, target_loss=0.5, target_accuracy=0.9)
    refused("target_gradient: advice is of the way to a target loss", data=(X, y), target_gradient=0.1)
    refused("noise_scale measured: of which data?", noise_scale="measured")
    refused("rows are more than the|a minibatch of 1000 rows is more than the 400 training rows of arrays", data=(X, y),
            batch=1000, workers=2, compute_time="1ms")
    refused("machines: found 'both'", machines="both")
    refused("trains each way on this machine until a target", machines="shared", data=(X, y))
    refused("neither validation nor test rows", data=(X, y), target_accuracy=0.9, workers=2)
    refused("each of 500 needs a training row", data=(X[:50], y[:50]), machines="shared", workers=500, batch=1, target_loss=0.5)
    refused("a minibatch of 51 rows is more", data=(X[:50], y[:50]), batch=51, workers=2, target_loss=0.5, compute_time="1ms")


def test_a_break_even_is_the_programs(program):
    found = ty.break_even(["csgd:sign", "choco"], codec=["fp16", "qsgd:127"], size="4MB", latency="50us")
    assert [*zip(found["label"], found["codec"])] == [
        ("csgd:sign", "sign"), ("choco:ring", "fp16"), ("choco:ring", "qsgd:127")]
    row = json.loads(program("predict", "--break-even", "--schemes", "choco", "--codec", "fp16", "--size", "4MB",
                             "--latency", "50us", "--json"))["rows"][0]
    assert {name: value for name, value in found.iloc[1].items() if value is not None} == {
        name: value for name, value in row.items() if value is not None}
    assert found.attrs["units"]["break_even_bytes_per_s"] == "B/s" and found.attrs["units"]["plain_bytes_per_step"] == "B"
    # Below it a step with the codec is shorter, above it longer.
    at = found["break_even_bytes_per_s"][2]
    for share, pays in ((0.9, True), (1.1, False)):
        there = ty.break_even("choco", "qsgd:127", size="4MB", latency="50us", bandwidth=f"{share * at:.0f}B/s").iloc[0]
        assert (there["step_s"] < there["plain_step_s"]) == pays
    assert len(ty.break_even("csgd")) > 5
    with pytest.raises(ty.UsageError, match="ring takes no codec"):
        ty.break_even("ring")
    with pytest.raises(ty.UsageError, match="codec fp16: each of schemes says a codec itself"):
        ty.break_even("csgd:sign", "fp16")
    with pytest.raises(ty.UsageError, match="workers: found several values") as raised:
        ty.break_even("csgd", workers=[4, 8])
    assert raised.value.option == "workers"


def test_graphs_have_their_figures_and_matrices(tmp_path):
    found = ty.topology(["ring", "full"], workers=[4, 16])
    assert [*zip(found["topology"], found["workers"])] == [("ring", 4), ("ring", 16), ("full", 4), ("full", 16)]
    for _, row in found.iterrows():
        matrices = ty.mixing_matrices(row["topology"], int(row["workers"]))
        values = np.sort(np.abs(np.linalg.eigvals(matrices[0])))
        assert row["rho"] == pytest.approx(values[-2], abs=1e-12)
    rounds = ty.mixing_matrices("one-peer-exp", 8)
    assert rounds.shape == (3, 8, 8)
    assert np.allclose(np.linalg.multi_dot([*rounds]), 1 / 8)
    links = tmp_path / "links"
    links.write_text("0 1\n1 2\n2 0\n2 1\n")
    columns = ty.mixing_matrices(f"digraph:{links}", 3)[0]  # of push-sum: what a worker has is shared out
    assert np.allclose(columns, np.array([[1 / 2, 1 / 3, 0], [0, 1 / 3, 1 / 2], [1 / 2, 1 / 3, 1 / 2]]))


def test_graphs_of_ones_own_have_them_too():
    w = np.array([[0.6, 0.4, 0.0], [0.4, 0.3, 0.3], [0.0, 0.3, 0.7]])
    ty.topology_of("three-offices", w)
    assert np.array_equal(ty.mixing_matrices("three-offices", 3), w[None])
    row = ty.topology("three-offices", 3).iloc[0]
    assert row["rho"] == pytest.approx(np.sort(np.abs(np.linalg.eigvalsh(w)))[-2]) and row["doubly_stochastic"]
    for call in (lambda: ty.topology("rign"), lambda: ty.mixing_matrices("rign"), lambda: ty.topology("ring", 0),
                 lambda: ty.topology("three-offices", 4), lambda: ty.topology("ring", size="-1"),
                 lambda: ty.mixing_matrices("ring", 10**9), lambda: ty.topology("ring", seed=-1), lambda: ty.topology("ring", workers=[]),
                 lambda: ty.mixing_matrices(["ring"]), lambda: ty.topology(7)):
        with pytest.raises(ty.UsageError):
            call()

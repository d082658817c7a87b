"""Frames, models, messages and pages of results."""

import json

import numpy as np
import pytest

import trainyard as ty


@pytest.fixture(scope="module")
def comparison():
    return ty.compare(["ring", ty.scheme("local-sgd", period=4)], steps=20, workers=4, time="virtual")


def test_frames_have_jsons_names(comparison):
    document = comparison.json()
    assert [*comparison.summary["label"]] == ["ring", "local-sgd{period=4}"]
    assert [*comparison.summary["train_loss"]] == [run["train_loss"] for run in document["runs"]]
    first = comparison.curves[comparison.curves["label"] == "ring"]
    for name, values in document["runs"][0]["evaluations"].items():
        if values is not None:
            assert [*first[name]] == values
    ranks = comparison.ranks[comparison.ranks["label"] == "ring"]
    assert [*ranks["messages_sent"]] == document["runs"][0]["ranks"]["messages_sent"]
    assert comparison.summary.attrs["units"]["seconds"] == "s"
    assert comparison.summary.attrs["units"]["bandwidth_bps"] == "bit/s"
    assert comparison.curves.attrs["units"]["bytes_sent"] == "B"


def test_a_run_is_found_by_its_label_and_has_its_figures(comparison):
    run = comparison["local-sgd{period=4}"]
    assert run.settings == {"period": "4"}
    assert run.train_loss == comparison.summary["train_loss"][1]
    assert comparison[0].label == "ring"
    with pytest.raises(KeyError, match="the labels are ring, local-sgd"):
        comparison["rign"]
    with pytest.raises(AttributeError, match="no 'losses'"):
        run.losses


def test_a_model_is_a_view_that_nobody_writes_to(comparison):
    model = comparison["ring"].model
    assert model.dtype == np.float32 and model.shape == (10000,)
    assert not model.flags.writeable and not model.flags.owndata
    copy = model.copy()
    del comparison
    np.testing.assert_array_equal(model, copy)


def test_messages_of_a_ring_are_two_rounds_to_the_neighbour(comparison):
    messages = comparison["ring"].messages(steps=2)
    workers = 4
    assert len(messages) == 2 * workers * 2 * (workers - 1)
    assert ((messages["to"] - messages["from"]) % workers == 1).all()
    assert (messages["end"] >= messages["start"]).all()
    # All of a step's messages carry a part of the model: a quarter, in floats.
    assert (messages["bytes"] == 10000 // workers * 4).all()
    assert not messages.attrs["cut"]
    both = comparison.messages(steps=2)
    assert [*both.columns] == ["label", "seed", *messages.columns]
    assert (both["label"] == "ring").sum() == len(messages)


def test_seeds_and_points_have_columns_and_no_models_unless_kept():
    asked = {"steps": 10, "vary": {"batch": [8, 16]}, "seeds": 2, "tune_lr": False, "lr": 1}
    many = ty.compare(["ring"], **asked)
    assert [*many.summary["batch"]] == [8, 16] * 2
    assert [*many.summary["asked_batch"]] == ["8", "16"] * 2
    assert [*many.summary["seed"]] == [1, 1, 2, 2]
    assert set(many.curves["batch"]) == {"8", "16"}
    assert many.runs[0].model is None
    assert len(many.select("ring", seed=2, batch=16)) == 1
    kept = ty.compare(["ring"], keep_models=True, **asked)
    assert all(run.model.shape == (10000,) for run in kept)
    again = ty.run("ring", steps=10, batch=8, lr=1, time="virtual")
    np.testing.assert_array_equal(kept.select(seed=1, batch=8)[0].model, again.model)


def test_what_is_varied_does_not_hide_a_figure():
    cmp = ty.compare(["ring"], vary={"seconds": ["10ms", "20ms"], "latency": ["1ms"]}, lr=1, tune_lr=False)
    assert [*cmp.summary["asked_seconds"]] == ["10ms", "20ms"]
    assert cmp.summary["seconds"].iloc[1] > cmp.summary["seconds"].iloc[0] > 0
    assert set(cmp.curves["asked_seconds"]) == {"10ms", "20ms"} and cmp.curves["seconds"].dtype == float
    assert [*cmp.summary["latency"]] == ["1ms"] * 2


def test_a_run_predicts_what_was_evaluated(blobs):
    x, y = blobs
    run = ty.run("ring", data=(x[:300], y[:300]), test=(x[300:], y[300:]), epochs=3, scale="standard", intercept=True,
                 time="virtual", compute_time="1ms")
    assert np.mean(run.predict(x[300:]) == y[300:]) == pytest.approx(run.test_accuracy)
    probabilities = run.predict_proba(x[300:])
    assert probabilities.shape == (100, 2)
    chosen = np.clip(probabilities[np.arange(100), y[300:]], 1e-300, None)
    assert np.mean(-np.log(chosen)) == pytest.approx(run.test_loss, rel=1e-5)


def test_a_page_is_one_file_with_the_runs(comparison, tmp_path):
    page = comparison.page()
    assert "local-sgd{period=4}" in page and page.startswith("<!doctype html>")
    assert comparison._repr_html_().startswith("<iframe srcdoc=")
    comparison.save_page(tmp_path / "page.html")
    with pytest.raises(FileExistsError):
        comparison.save_page(tmp_path / "page.html")
    comparison.save(tmp_path / "all.json")
    assert json.loads((tmp_path / "all.json").read_text())["runs"][0]["label"] == "ring"
    assert "ring" in comparison.latex() and "ring" in comparison.markdown() and "ring" in repr(comparison)


def test_curves_are_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.figure()
    many = ty.compare(["ring", "ps-sync"], steps=400, seeds=2, tune_lr=False, lr=1, vary={"batch": [8, 16]})
    axes = many.plot("train_loss", against="time")
    lines = axes.get_lines()
    assert [line.get_label() for line in lines] == [
        "ring, batch 8", "ps-sync, batch 8", "ring, batch 16", "ps-sync, batch 16"]
    assert axes.get_xlabel() == "time of the run, s"
    curves = many.select("ring", seed=1, batch=8)[0].curves
    assert lines[0].get_ydata()[0] == pytest.approx(curves["train_loss"].iloc[0])
    with pytest.raises(ty.UsageError, match="no curve has 'loss'"):
        many.plot("loss")
    plt.close("all")


def test_curves_of_one_point_are_drawn_and_what_is_printed_has_the_notes():
    import matplotlib.pyplot as plt

    many = ty.compare(["ring", "ps-sync"], steps=20, workers=4, time="virtual", lr=0.5, vary={"bandwidth": ["1Mbps", "1Gbps"]})
    axes = many.plot(bandwidth="1Gbps", linewidth=2)
    assert [line.get_label() for line in axes.get_lines()] == ["ring", "ps-sync"]
    assert axes.get_lines()[0].get_linewidth() == 2
    plt.close("all")
    assert many.notes and all(note in repr(many) for note in many.notes)
    with pytest.raises(ty.UsageError, match="^columns") as raised:
        many.latex(columns=["time"])
    assert raised.value.option == "columns"


def test_everything_has_a_docstring_with_the_options():
    for name, row in ty._options.OPTIONS.items():
        assert not row["taken"] or f"\n  {name}: " in ty.compare.__doc__
    assert ty.options("staleness").index.tolist() != []

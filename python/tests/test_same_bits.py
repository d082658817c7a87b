"""What the module computes is what the program computes, to the bit."""

import json

import numpy as np
import pytest

import trainyard as ty

# Names of options as the program has them, and values as Python has them.
QUESTIONS = [
    ("ring", {"steps": 40}),
    ("ps-async", {"steps": 40, "workers": 5, "lr": 0.5}),
    ("gossip:one-peer-exp", {"steps": 40, "latency": "1ms", "bandwidth": "10Mbps"}),
    ("local-sgd{period=8}", {"steps": 48, "momentum": 0.9, "lr": 0.1}),
    ("ssp", {"steps": 40, "straggler": "0:4", "staleness": 2}),
    ("hogwild", {"steps": 40, "workers": 4}),
    ("choco", {"steps": 40, "codec": "top-k:10%", "topology": "torus", "workers": 9}),
    ("diloco", {"steps": 60, "optimizer": "adam", "lr": 0.01, "model": "mlp:8"}),
    ("all-reduce:tree", {"epochs": 0.2, "partition": "dirichlet:0.3", "seed": 7}),
    ("ring,ps-sync", {"target_loss": 0.55, "epochs": 1, "global_batch": 64, "lr_schedule": "cosine"}),
]


def flags(options):
    for name, value in options.items():
        yield f"--{name.replace('_', '-')}"
        yield str(value)


def without_output(document):
    """The program was asked for JSON in silence, which nobody has to ask the module for."""
    for run in document.get("runs", [document]):
        run["configuration"] = run["configuration"].replace('format = "json"', 'format = "table"').replace(
            "quiet = true", "quiet = false")
    return document


@pytest.mark.parametrize(("schemes", "options"), QUESTIONS, ids=[schemes for schemes, _ in QUESTIONS])
def test_a_comparison_has_the_bits_of_the_programs(program, schemes, options):
    printed = json.loads(program("compare", "--schemes", schemes, "--json", "--time", "virtual", *flags(options)))
    asked = ty.compare(schemes, time="virtual", **options)
    told = asked.json()
    assert len(told["runs"]) == len(printed["runs"]) > 0
    for mine, theirs in zip(told["runs"], printed["runs"]):
        assert mine["model_hash"] == theirs["model_hash"]
        assert mine["evaluations"] == theirs["evaluations"]
    assert told == without_output(printed)


def test_a_run_has_the_bits_of_the_programs(program):
    options = {"steps": 30, "workers": 6, "staleness": 2}
    printed = json.loads(program("run", "--scheme", "ssp", "--json", "--time", "virtual", *flags(options)))
    told = ty.run("ssp", time="virtual", **options).json()
    assert told == without_output(printed)


def test_a_grid_with_seeds_has_the_bits_of_the_programs(program):
    printed = json.loads(program("compare", "--schemes", "ring,ps-sync", "--json", "--steps", "20", "--vary",
                                 "latency=10us,1ms", "--seeds", "2"))
    told = ty.compare(["ring", "ps-sync"], steps=20, vary={"latency": ["10us", "1ms"]}, seeds=2).json()
    assert told == without_output(printed)


def test_arrays_have_the_bits_of_a_file_of_them(program, tmp_path, blobs):
    x, y = blobs
    np.save(tmp_path / "X.npy", x)
    np.save(tmp_path / "y.npy", y)
    printed = json.loads(program("compare", "--schemes", "ring,gossip", "--json", "--time", "virtual", "--compute-time",
                                 "1ms", "--dataset", str(tmp_path / "X.npy"), "--scale", "standard", "--intercept",
                                 "--validation", "0.2", "--steps", "50"))
    told = ty.compare(["ring", "gossip"], data=(x, y), time="virtual", compute_time="1ms", scale="standard",
                      intercept=True, validation=0.2, steps=50).json()
    for mine, theirs in zip(told["runs"], printed["runs"], strict=True):
        assert mine["evaluations"] == theirs["evaluations"]
        assert mine["model_hash"] == theirs["model_hash"]
        assert mine["tuned"] == theirs["tuned"]


def test_predictions_are_the_programs(program):
    printed = json.loads(program("predict", "--schemes", "ring,ps-sync", "--size", "4MB", "--workers", "12", "--json"))
    frame = ty.predict(["ring", "ps-sync"], size="4MB", workers=12)
    assert [*frame["step_s"]] == [row["step_s"] for row in printed["rows"]]
    assert [*frame.columns] == [*printed["rows"][0]]


def test_sweeps_are_the_programs(program):
    printed = json.loads(program("predict", "--schemes", "ring,all-reduce:tree", "--vary", "workers=2,4,8", "--json"))
    frame = ty.predict("ring,all-reduce:tree", workers=[2, 4, 8])
    rows = [row["step_s"] for point in printed["points"] for row in point["rows"]]
    assert [*frame["step_s"]] == rows
    assert frame.attrs["crossings"] == printed["crossings"]


def test_advice_is_the_programs(program):
    flags_given = ["--size", "59MB", "--compute-time", "250ms", "--bandwidth", "625Mbps", "--workers", "6"]
    printed = json.loads(program("advise", *flags_given, "--json"))
    advice = ty.advise(size="59MB", compute_time="250ms", bandwidth="625Mbps", workers=6)
    assert advice.json == {key: value for key, value in printed.items() if key != "notes"}
    assert advice.best == printed["schemes"][0]["label"]


@pytest.mark.parametrize("what", ["schemes", "presets", "topologies", "codecs", "models", "datasets", "labs"])
def test_lists_are_the_programs(program, what):
    printed = json.loads(program("list", what, "--json"))[what]
    # Behind them may be schemes that other tests have added.
    assert [*ty.list(what).index][:len(printed)] == [row["name"] for row in printed]

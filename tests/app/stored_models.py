"""What a run reports is what it stores: random configurations of all schemes, seeded, whose losses,
accuracy and hash are computed again in NumPy, from the stored model and the data.

    stored_models.py PROGRAM [RUNS [SEED]] [--time=virtual|wall]

Says "skipped" and ends with status 77 where NumPy is missing; 1, and each of them, where figures
differ by more than float's rounding.
"""

import json
import math
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

ROWS, TEST_ROWS, FEATURES = 90, 30, 7

# What a scheme's own options are drawn from; others stay as they are.
CHOICES = {
    "period": [1, 2, 3, 5],
    "participation": [0.1, 0.3, 0.5, 1],
    "push-period": [1, 2, 3, 7],
    "fetch-period": [1, 2, 3, 7, 1000],
    "staleness": [0, 1, 3],
    "send-probability": [0.02, 0.5, 1],
    "exchange": ["overlapped", "blocking"],
    "delta": [0.5],
    "moving-rate": [0.3, 0.9],
    "backups": [0, 1],
    "warm-start": [0, 2],
    "groups": [1, 2],
    "access": ["racy", "cas-add", "locked"],
    "period-up": [1, 3],
    "period-down": [2, 6],
    "token-updates": [1, 8],
    "exchange-uses": [2, 64],
    "global-period": [1, 3],
    "group-size": [1, 2],
    "switch-epoch": [1],
    "budget": [0.4, 1],
}


# In wall time somebody waits for it.
LATENCIES = {"virtual": ["0us", "10us", "1ms", "20ms"], "wall": ["0us", "0us", "10us", "1ms"]}
BANDWIDTHS = {"virtual": ["infinite", "1Gbps", "1Mbps"], "wall": ["infinite", "1Gbps", "20Mbps"]}


def write_data(folder, kind, classes, numbers):
    """LIBSVM files of rows around a centre for each class, or of a linear function's values."""
    centres = numbers.normal(size=(classes, FEATURES))
    slope = numbers.normal(size=FEATURES)
    made = []
    for name, rows in (("train", ROWS), ("test", TEST_ROWS)):
        labels = numbers.integers(classes, size=rows)
        labels[:classes] = numpy.arange(classes)
        x = numpy.round(centres[labels] + numbers.normal(size=(rows, FEATURES)), 3)
        x[:, -1] = numpy.where(x[:, -1] == 0, 0.001, x[:, -1])  # so that all features are named
        y = labels
        if kind == "least-squares":
            y = numpy.round(x @ slope + 0.1 * numbers.normal(size=rows), 3)
        with open(folder / f"{name}.svm", "w", encoding="ascii") as file:
            for label, row in zip(y, x):
                cells = " ".join(f"{j + 1}:{v:.3f}" for j, v in enumerate(row) if v != 0)
                file.write(f"{label} {cells}\n")
        made.append((numpy.float32(x).astype(float), y))
    return made


def cross_entropy(scores, labels):
    top = scores.max(axis=1, keepdims=True)
    sums = numpy.log(numpy.exp(scores - top).sum(axis=1)) + top[:, 0]
    return sums - scores[numpy.arange(len(labels)), labels]


def scores_of(model, kind, x, classes):
    """And the weights that the regulariser is about."""
    if kind in ("logistic", "least-squares"):
        return x @ model, model
    if kind == "softmax":
        return x @ model.reshape(FEATURES, classes), model
    widths = [FEATURES, *map(int, kind[4:].split(",")), classes]
    place, weights, units = 0, [], x
    for inputs, outputs in zip(widths, widths[1:]):
        weight = model[place:place + inputs * outputs].reshape(inputs, outputs)
        place += inputs * outputs
        units = units @ weight + model[place:place + outputs]
        place += outputs
        weights.append(weight.ravel())
        if place < len(model):
            units = numpy.maximum(units, 0)
    return units, numpy.concatenate(weights)


def evaluate(model, kind, l2, data, classes):
    """The mean loss, with the regulariser and without, and the share of rows that are right."""
    x, y = data
    scores, weights = scores_of(model, kind, x, classes)
    if kind == "logistic":
        losses = numpy.logaddexp(0, numpy.where(y == 1, -scores, scores))
        right = (scores > 0) == (y == 1)
    elif kind == "least-squares":
        losses, right = 0.5 * (scores - numpy.float32(y)) ** 2, None
    else:
        losses, right = cross_entropy(scores, y), scores.argmax(axis=1) == y
    mean = losses.mean()
    return mean + 0.5 * l2 * (weights ** 2).sum(), mean, None if right is None else right.mean()


def fingerprint(content):
    """FNV-1a"""
    value = 14695981039346656037
    for byte in content:
        value = ((value ^ byte) * 1099511628211) % 2 ** 64
    return f"{value:016x}"


class Program:
    def __init__(self, path):
        self.path = path
        listed = self.run("list", "schemes").stdout
        self.schemes = re.findall(r"^([a-z0-9][a-z0-9+-]*)  ", listed, re.M)
        self.options = {scheme: [] for scheme in self.schemes}
        text = re.sub(r"\n {30}", " ", self.run("run", "--help").stdout)
        for flag, schemes in re.findall(r"^  --([a-z0-9-]+)(?: +\S+)? {1,}([a-z0-9+, -]+):", text, re.M):
            for scheme in schemes.split(", "):
                if scheme in self.options and flag in CHOICES:
                    self.options[scheme].append(flag)

    def run(self, *words):
        return subprocess.run([self.path, *map(str, words)], capture_output=True, text=True,
                              check=False, timeout=300)


def drawn(program, scheme, kind, time, rng):
    """The words of a run."""
    workers = rng.choice([1, 2, 3, 4, 4, 6, 8])
    batch = rng.choice([1, 2, 5, 8])
    words = ["--scheme", scheme, "--model", kind, "--workers", workers, "--batch", batch,
             "--lr", rng.choice([0.01, 0.1, 0.5]), "--seed", rng.randrange(1000),
             "--latency", rng.choice(LATENCIES[time]),
             "--bandwidth", rng.choice(BANDWIDTHS[time]),
             "--l2", rng.choice([0, 0.01]), "--evaluate-every", rng.choice([0.1, 0.7, 3]),
             "--time", time]
    if time == "virtual":
        words += ["--compute-time", rng.choice(["0ms", "1ms", "1ms", "3ms"])]
        if rng.random() < 0.3:
            words += ["--compute-noise", "exponential:1"]
    if rng.random() < 0.2:
        words += ["--servers", 2]
    if rng.random() < 0.2:
        words += ["--straggler", f"0:{rng.choice([2, 5])}"]
    ending = rng.choice(["steps", "epochs", "epochs", "seconds", "target"])
    if ending == "steps":
        words += ["--steps", rng.choice([1, 2, 3, 7, 20])]
    elif ending == "seconds":
        words += ["--seconds", rng.choice(["5ms", "50ms"]), "--steps", 300]
    elif ending == "epochs":
        words += ["--epochs", rng.choice([0.5, 2, 3])]
    else:
        words += ["--epochs", 3, "--target-loss", rng.choice([0.3, 0.6, 0.69, 1.2, 50])]
    for flag in program.options[scheme]:
        if rng.random() < 0.6:
            words += [f"--{flag}", rng.choice(CHOICES[flag])]
    return words


def differences(folder, printed, kind, l2, data, classes):
    """What is not as it should be, as texts."""
    stored = next(folder.glob("*/summary.json")).parent
    summary = json.loads((stored / "summary.json").read_text())
    last = json.loads((stored / "metrics.jsonl").read_text().splitlines()[-1])
    model = numpy.load(stored / "model.npy")
    found = []

    def compare(name, said, is_so):
        if said is None or not math.isfinite(said):
            return  # diverged
        if abs(said - is_so) > 2e-5 * max(1.0, abs(is_so)):
            found.append(f"{name}: said {said!r}, is {is_so!r}")

    if printed["model_hash"] != fingerprint(model.tobytes()):
        found.append("the model's hash")
    for key in ("train_loss", "test_loss", "test_accuracy", "consensus_distance"):
        if summary[key] != printed[key] or summary[key] != last[key]:
            found.append(f"{key}: {printed[key]}, {summary[key]} and {last[key]}")
    with numpy.errstate(all="ignore"):
        train = evaluate(model.astype(float), kind, l2, data[0], classes)
        test = evaluate(model.astype(float), kind, l2, data[1], classes)
    compare("train_loss", printed["train_loss"], train[0])
    compare("test_loss", printed["test_loss"], test[1])
    if printed["test_accuracy"] is not None and math.isfinite(printed["test_loss"] or math.nan):
        off = abs(printed["test_accuracy"] - test[2]) * TEST_ROWS
        if off > 1.5:  # a row on the border
            found.append(f"test_accuracy: said {printed['test_accuracy']}, is {test[2]}")
    if abs(printed["epochs"] - printed["samples"] / ROWS) > 1e-9:
        found.append(f"epochs: {printed['epochs']}, of {printed['samples']} samples")
    target = printed["target_loss"]
    if target is not None:
        losses = [json.loads(line)["train_loss"]
                  for line in (stored / "metrics.jsonl").read_text().splitlines()]
        # That of a model that diverged is null.
        if any(loss is not None and loss <= target for loss in losses[:-1]):
            found.append("it went on beyond its target")
    return found


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    time = "wall" if "--time=wall" in sys.argv else "virtual"
    program = Program(words[0])
    runs = int(words[1]) if len(words) > 1 else 100
    seed = int(words[2]) if len(words) > 2 else 1
    rng = random.Random(seed)
    wrong, checked, refused = 0, {scheme: 0 for scheme in program.schemes}, 0
    while sum(checked.values()) < runs and refused < 3 * runs:
        least = min(checked.values())
        scheme = rng.choice([s for s in program.schemes if checked[s] == least])
        kind = rng.choice(["logistic", "softmax", "mlp:5", "mlp:8,6", "least-squares"])
        classes = 2 if kind in ("logistic", "least-squares") else 3
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            data = write_data(folder, kind, classes, numpy.random.default_rng(rng.randrange(10**6)))
            options = drawn(program, scheme, kind, time, rng)
            done = program.run("run", "--dataset", folder / "train.svm", "--test", folder / "test.svm",
                               *options, "--out", folder / "out", "--json", "--quiet")
            line = " ".join(map(str, options))
            if done.returncode == 2:
                refused += 1
                continue
            checked[scheme] += 1
            if done.returncode not in (0, 4):
                found = [f"status {done.returncode}: {done.stderr.strip()[-300:]}"]
            else:
                found = differences(folder / "out", json.loads(done.stdout), kind,
                                    float(options[options.index("--l2") + 1]), data, classes)
        if found:
            wrong += 1
            print(f"{line}\n    " + "\n    ".join(found), flush=True)
    print(f"{sum(checked.values())} runs of {len(checked)} schemes (seed {seed}, {refused} refused): "
          f"{wrong} say what they have not stored")
    return 1 if wrong or sum(checked.values()) < runs else 0


if __name__ == "__main__":
    sys.exit(main())

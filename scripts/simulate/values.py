"""Values for hyperparameters and components, within what the program accepts of each."""

import math

PICOSECONDS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}

# Numbers of workers, or of groups of them; those of FACTORS divide them.
COUNTS = {"backups", "stragglers", "copies", "distinct", "quorum", "buffer-size", "gradients", "groups", "proxies", "mixing-group"}
FACTORS = {"stages", "tensor-size", "group-size", "machine-threads"}
# Of what the arguments of components are called in the program's lists.
ARGUMENTS = {
    "S": ["1", "4", "15", "127"], "none|C": ["none", "2.5"], "P%|k=K": ["1%", "10%", "50%", "k=1", "k=7"], "V": ["0.001", "0.1"],
    "C": ["0.1", "1", "10"], "T": ["0.001", "0.1"], "B": ["2", "3", "4"], "P": ["0.5", "0.9"], "D": ["2", "3", "4"], "M": ["1", "2"],
    "NU:T": ["0.1:8", "1:2"], "TAU[:L]": ["10:1", "1:3", "0.5"], "SIGMA": ["1", "10"], "Z": ["auto", "1.5"],
    "EPS": ["0.1", "1", "6"], "R": ["0.7", "1"],
}


def duration(seconds):
    """Text of a time, to the picosecond."""
    count = round(seconds * PICOSECONDS["s"])
    for unit, length in PICOSECONDS.items():
        if count and count % length == 0:
            return f"{count // length}{unit}"
    return "0s"


def divisors(number):
    return [each for each in range(1, number + 1) if number % each == 0]


def number_near(limits, fallback, draw):
    """Mostly of the fallback's size; now and then the least that is accepted."""
    if draw.random() < 0.1 and limits.low > -1e9:
        return limits.low
    if not fallback:
        return draw.uniform(limits.low, min(limits.high, limits.low + 1))
    return min(limits.high, max(limits.low, fallback * 10 ** draw.uniform(-1, 0.5)))


def number_text(number):
    return f"{number:.12g}"


def whole_near(limits, fallback, draw):
    if draw.random() < 0.5:
        return max(int(limits.low), min(int(limits.high), int(limits.low) + draw.randint(0, 4)))
    return max(int(limits.low), min(int(limits.high), round((fallback or 2) * 10 ** draw.uniform(-1, 0.3))))


def hyperparameter(row, limits, workers, draw):
    """A value for one of a scheme's own."""
    name, fallback = row["name"], row["fallback"]
    if limits.words:
        return draw.choice(limits.words)
    if limits.unit == "size":
        return draw.choice(["4", "64", "100", "1kB", "25MiB"])
    if limits.unit == "duration":
        return draw.choice(["0s", "1us", "1ms", "5ms", "12345678ps"])
    if name in FACTORS:
        return str(max(int(limits.low), draw.choice(divisors(workers))))
    if name in COUNTS:
        return str(draw.randint(int(limits.low), max(int(limits.low), workers - 1)))
    if limits.whole:
        return str(whole_near(limits, fallback, draw))
    return number_text(number_near(limits, fallback, draw))


def component(each, draw):
    """A name with its argument, like qsgd:4."""
    if not each.arguments or (each.optional and draw.random() < 0.5):
        return each.name
    return f"{each.name}:{draw.choice(ARGUMENTS[each.arguments])}"


def aggregate(offer, workers, liars, draw):
    """A robust rule, told of as many liars as there are, with something before it now and then."""

    def text(each):
        if each.arguments.startswith("F"):
            return f"{each.name}:{liars}"
        return component(each, draw)

    def bounded(each):
        return "2F + 1" in each.about or "n ≥ 1" in each.about or workers >= 4 * liars + 3

    # Who goes before another is no rule by itself.
    before = [each for each in offer.aggregates if each.name in ("bucketing", "nnm", "clip", "arc")]
    rules = [each for each in offer.aggregates if each not in before and bounded(each)]
    words = [text(draw.choice(before))] if draw.random() < 0.3 else []
    return "+".join([*words, text(draw.choice(rules))])


def attack(offer, liars, over_a_graph, draw):
    each = draw.choice([each for each in offer.attacks if over_a_graph or each.name != "dissensus"])
    if each.name == "mimic":
        return f"{liars}:mimic:0"
    return f"{liars}:{component(each, draw)}"


def topology_fits(each, workers):
    if "hypercube" in each.name:
        return workers & (workers - 1) == 0
    if each.name == "margulis":
        return math.isqrt(workers) ** 2 == workers
    if each.name == "random-regular":
        return workers >= 6 and workers % 2 == 0
    return True

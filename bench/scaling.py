#!/usr/bin/env python3
"""What more ranks bring: fits Amdahl's and Gunther's laws to runs that differ in --workers.

    scaling.py DIR [FIGURE.svg]

DIR is what `trainyard compare --time wall --vary workers=… --out DIR` wrote.

With X(N) the throughput of N workers in samples a second,

    X(N) = N X(1) / (1 + sigma (N - 1) + kappa N (N - 1))

sigma is the share of the work that is done one after another, or waits for what others hold; kappa is
what each pair of workers costs. Amdahl's law (AFIPS 1967) has kappa = 0, Gunther's universal scalability
law (Guerrilla Capacity Planning, 2007, chapter 4) has both. X(1), sigma and kappa are those with the
least sum of squares of the relative errors X measured / X fitted - 1, with 0 <= sigma <= 1 and
kappa >= 0: N / X is linear in X(1)^-1, sigma / X(1) and kappa / X(1). Of several seeds the median counts.

    N1/2     workers beyond which the efficiency X(N) / (N X(1)) is below one half
    peak     N* = sqrt((1 - sigma) / kappa), beyond which more workers are slower; none where kappa = 0

Only points with a core for each rank, servers included, are fitted: ranks that share a core say what
sharing costs, and the laws say nothing of that. Amdahl's law needs two points, Gunther's three; with no
more than these a law goes through all of them, and their noise is in its numbers. `sequential` is left
out: it is one rank, whatever the number of workers.

Where DIR has limit.json, by copies.py, each figure is also told as a share of the limit: what as many
copies of one rank do that only share the machine; and of what they would do if none were faster than the
slowest, which workers are held to that wait for one another over equal shares. A throughput says nothing
without what was learnt in it, so the loss at the end of the run stands beside.
"""

import itertools
import json
import math
import pathlib
import re
import statistics
import sys
import typing

import copies


class Law:
    """A fitted law: throughput of one worker, sigma and kappa."""

    def __init__(self, one, sigma, kappa):
        self.one, self.sigma, self.kappa = one, sigma, kappa

    def throughput(self, workers):
        others = workers - 1
        return workers * self.one / (1 + self.sigma * others + self.kappa * workers * others)

    def half(self):
        """Workers at which the efficiency is one half: sigma (N - 1) + kappa N (N - 1) = 1."""
        if self.kappa == 0:
            return 1 + 1 / self.sigma if self.sigma > 0 else math.inf
        middle = self.sigma - self.kappa
        return ((math.sqrt(middle**2 + 4 * self.kappa * (1 + self.sigma)) - middle)
                / (2 * self.kappa))

    def peak(self):
        """Workers with the largest throughput, not below one; infinite where more are never slower."""
        if self.kappa == 0:
            return math.inf
        return max(1.0, math.sqrt((1 - self.sigma) / self.kappa))

    def limit(self):
        """Throughput at the peak, or what any number of workers stays below."""
        if self.kappa > 0:
            return self.throughput(self.peak())
        return self.one / self.sigma if self.sigma > 0 else math.inf

    def error(self, points):
        """The largest relative distance of a point from the law."""
        return max(abs(figure / self.throughput(workers) - 1) for workers, figure in points)


def solved(matrix, right):
    """The solution of a small system, by elimination with pivots; None where there is no single one."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    size = len(rows)
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        if abs(rows[pivot][k]) < 1e-14 * max(map(abs, matrix[k])):
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(size):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k])]
    return [row[-1] / row[k] for k, row in enumerate(rows)]


def least_squares(columns):
    """Coefficients with which the sum of the columns is nearest to 1, and the sum of squares left."""
    matrix = [[sum(map(float.__mul__, a, b)) for b in columns] for a in columns]
    found = solved(matrix, [sum(column) for column in columns])
    if found is None:
        return None
    rest = [1 - sum(c * value for c, value in zip(found, row)) for row in zip(*columns)]
    return found, sum(value**2 for value in rest)


def fitted(points, with_kappa):
    """The law nearest to points (workers, throughput); None: too few of them, or none that differ.

    The bounds are met by trying: sigma free, 0 or 1, kappa free or 0, and of the results within the
    bounds the nearest.
    """
    if len({workers for workers, _ in points}) < (3 if with_kappa else 2):
        return None
    largest = max(figure for _, figure in points)
    scaled = [(float(workers), figure / largest) for workers, figure in points]
    ones = [x / n for n, x in scaled]
    others = [(n - 1) * x / n for n, x in scaled]
    pairs = [(n - 1) * x for n, x in scaled]
    best = None
    for sigma_is, kappa_is_free in itertools.product((0, 1, None), (False, True)[: 1 + with_kappa]):
        first = [a + b for a, b in zip(ones, others)] if sigma_is == 1 else ones
        columns = [first, *([others] if sigma_is is None else []), *([pairs] if kappa_is_free else [])]
        result = least_squares(columns)
        if result is None or result[0][0] <= 0:
            continue
        inverse, *ratios = result[0]
        ratios = [ratio / inverse for ratio in ratios]
        kappa = ratios.pop() if kappa_is_free else 0.0
        sigma = ratios.pop() if sigma_is is None else float(sigma_is)
        # Simpler ones come first, so that rounding alone does not prefer the others.
        within = 0 <= sigma <= 1 and kappa >= 0
        if within and (best is None or result[1] < best[0] - 1e-18):
            best = result[1], Law(largest / inverse, sigma, kappa)
    return best and best[1]


class Point(typing.NamedTuple):
    """What so many workers came to, medians over seeds."""

    speed: float  # samples a second
    has_cores: bool  # one for each rank
    loss: float


def read(folder):
    """({contestant: {workers: Point}}, cores)"""
    figures, cores = {}, 0
    for path in sorted(pathlib.Path(folder).rglob("summary.json")):
        run = json.loads(path.read_text())
        if run["scheme"] == "sequential" or run["samples_per_second"] is None:
            continue
        cores = int(re.search(r"(\d+) cores?", run["machine"]).group(1))
        others = [f"{name} {value}" for name, value in run.get("varied", {}).items()
                  if name != "workers"]
        who = ", ".join([run["label"], *others])
        ranks = run["workers"] + run["servers"]
        at = figures.setdefault(who, {}).setdefault(run["workers"], (ranks <= cores, [], []))
        at[1].append(run["samples_per_second"])
        at[2].append(math.nan if run["train_loss"] is None else run["train_loss"])
    return {who: {workers: Point(statistics.median(speeds), has_cores, statistics.median(losses))
                  for workers, (has_cores, speeds, losses) in sorted(by_workers.items())}
            for who, by_workers in figures.items()}, cores


def read_limit(folder):
    """({workers: (samples a second of as many copies, the same if none were faster than the slowest)}, notes)"""
    path = pathlib.Path(folder) / "limit.json"
    if not path.exists():
        return {}, []
    found = {int(count): entry for count, entry in json.loads(path.read_text()).items()}
    notes = [f"limit: {count} copies trained together for {entry['overlap']:.0%} of the longest one's time, "
             "so that it is too high; more --epochs make it better"
             for count, entry in found.items() if entry["overlap"] < copies.LEAST_OVERLAP]
    return {count: (entry["samples_per_second"], entry.get("even", entry["samples_per_second"])) for count, entry in found.items()}, notes


def number(value, missing="none"):
    if math.isinf(value):
        return missing
    for size, suffix in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"


def described(who, law, name, points):
    workers = ", ".join(str(count) for count, _ in points)
    has_peak = not math.isinf(law.peak())
    limit = number(law.limit())
    return (who, name, workers, f"{law.sigma:.3f}", f"{law.kappa:.2g}" if name == "Gunther" else "-",
            f"{100 * law.error(points):.1f} %", number(law.half()),
            number(law.peak()) if has_peak else "none",
            limit if has_peak or limit == "none" else f"below {limit}")


HEADINGS = ("scheme", "law", "fitted to", "sigma", "kappa", "off by", "N1/2", "peak", "samples/s there")


SHARE_HEADINGS = ("scheme", "workers", "samples/s", "of the limit", "of even shares", "train loss")


def share_lines(figures, limit):
    """A line for each point, the limit's first."""
    lines = [("independent copies: the limit", str(workers), number(speed), "1.00", f"{speed / even:.2f}", "-")
             for workers, (speed, even) in limit.items()]
    for who, by_workers in figures.items():
        for workers, point in by_workers.items():
            known = workers in limit and point.has_cores
            shares = [f"{point.speed / most:.2f}" for most in limit[workers]] if known else ["-", "-"]
            lines.append((who, str(workers), number(point.speed), *shares, f"{point.loss:.4g}"))
    return lines


def table(lines, headings=HEADINGS):
    lines = [headings, *lines]
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def laws_of(figures):
    """{contestant: ({name of a law: Law}, points fitted)}, and what is to be said of the others."""
    laws, notes = {}, []
    for who, by_workers in figures.items():
        points = [(workers, point.speed) for workers, point in by_workers.items() if point.has_cores]
        found = {"Amdahl": fitted(points, False), "Gunther": fitted(points, True)}
        laws[who] = {name: law for name, law in found.items() if law}, points
        missing = [name for name, law in found.items() if not law]
        if missing:
            notes.append(f"{who}: {' and '.join(missing)} cannot be fitted: "
                         f"{len(points)} {'point has' if len(points) == 1 else 'points have'} a core"
                         " for each rank")
        if found["Amdahl"] and not found["Gunther"] and found["Amdahl"].error(points) > 0.1:
            notes.append(f"{who}: more workers are slower, which Amdahl's law cannot say")
    return laws, notes


def draw(path, figures, laws, limit):
    """Measured throughput as points, hollow where ranks share cores, the richest law of each, and what as
    many independent copies do."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "trainyard"  # the same bytes for the same figures
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    most = max(max(by_workers) for by_workers in figures.values())
    if limit:
        for label, style, speeds in zip(("independent copies: the limit", "none faster than the slowest"),
                                        ("k--", "k:"), zip(*limit.values())):
            axes.plot(list(limit), speeds, style, label=label)
    for k, (who, by_workers) in enumerate(figures.items()):
        colour = f"C{k % 10}"
        for workers, point in by_workers.items():
            axes.plot(workers, point.speed, "o", color=colour,
                      fillstyle="full" if point.has_cores else "none")
        found = laws[who][0]
        law = found.get("Gunther") or found.get("Amdahl")
        label = who
        if law:
            label = f"{who}: σ {law.sigma:.2f}" + (f", κ {law.kappa:.2g}" if "Gunther" in found else "")
            steps = [1 + (most - 1) * i / 100 for i in range(101)]
            axes.plot(steps, [law.throughput(n) for n in steps], color=colour)
        axes.plot([], [], "o-", color=colour, label=label)
    axes.set(xlabel="workers (hollow: ranks share cores, not fitted)", ylabel="samples/s", ylim=(0, None))
    axes.legend()
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("scaling.py DIR [FIGURE.svg]")
    figures, cores = read(sys.argv[1])
    if not figures:
        sys.exit(f"scaling.py: {sys.argv[1]} has no run of a scheme whose workers could be more")
    limit, limit_notes = read_limit(sys.argv[1])
    laws, notes = laws_of(figures)
    notes += limit_notes
    lines = [described(who, law, name, points)
             for who, (found, points) in laws.items() for name, law in found.items()]
    print(f"Fitted to the points with a core for each rank (cores: {cores}); N1/2: workers beyond which the"
          "\nefficiency is below one half; peak: beyond it more workers are slower")
    print(table(lines) if lines else "nothing to fit")
    print("\nThroughput, its share of what as many independent copies of one rank do, and what was learnt")
    print(table(share_lines(figures, limit), SHARE_HEADINGS))
    print(*(f"note: {note}" for note in notes), sep="\n")
    if len(sys.argv) == 3:
        try:
            draw(sys.argv[2], figures, laws, limit)
            print(f"figure: {sys.argv[2]}")
        except ImportError:
            print("no figure: scripts/install_dependencies.sh --peers installs python3-matplotlib")


if __name__ == "__main__":
    main()

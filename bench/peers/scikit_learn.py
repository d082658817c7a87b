"""Logistic regression, one row a step, and reading LIBSVM text: Trainyard against scikit-learn.

Fair because: both read the same file and take the same steps: constant step size, no regulariser,
no intercept. Both draw the order of the rows anew for each epoch, which is scikit-learn's default
and makes each of its rows a jump in memory; Trainyard orders blocks of rows. scikit-learn
without shuffling, which streams, stands beside it. The floors are for the default, as users run it.
Of the text it reads a quarter, which is no slower a byte than all of it, and all would take 24 s.
scikit-learn 1.2 computes in float64 and has no float32; its SGDClassifier has one thread, so that
a row which gives Trainyard two ranks says so. Checks that fit() makes of its input are on its clock
and are below 5 % of it. OpenBLAS has the kernels that openblas.py finds the fastest.
"""

import openblas

SETTING = openblas.use_fastest()  # before anything imports NumPy

from common import Table, arguments, clocked, google_benchmark, skip, take_turns, trainyard  # noqa: E402
import data  # noqa: E402

ALONE = ("--scheme", "sequential", "--workers", 1)
TWO = ("--scheme", "hogwild", "--workers", 2)


def classifier(step_size, epochs, shuffle):
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="log_loss", penalty=None, learning_rate="constant", eta0=step_size,
                         max_iter=epochs, tol=None, shuffle=shuffle, random_state=1,
                         fit_intercept=False)


def loss_of(weights, rows, labels):
    import numpy

    return numpy.logaddexp(0, -labels * (rows @ weights)).mean()


def fit(rows, labels, step_size, epochs, shuffle):
    """(seconds an epoch, loss)"""
    model = classifier(step_size, epochs, shuffle)
    seconds, _ = clocked(lambda: model.fit(rows, labels))
    return seconds / epochs, loss_of(model.coef_.ravel(), rows, labels)


def run(file, who, step_size, epochs):
    """(seconds an epoch, loss)"""
    summary = trainyard("--dataset", file, *who, "--batch", 1, "--epochs", epochs,
                        "--evaluate-every", 1e6, "--lr", step_size)
    return summary["seconds"] / epochs, summary["train_loss"]


def to_target(rows, labels, step_size, target, shuffle):
    """Seconds until the loss is at `target`, looked at off the clock after each tenth of an epoch."""
    model, seconds, tenth = classifier(step_size, 1, shuffle), 0.0, rows.shape[0] // 10
    while True:
        for first in range(0, rows.shape[0], tenth):
            part, part_labels = rows[first : first + tenth], labels[first : first + tenth]
            seconds += clocked(lambda: model.partial_fit(part, part_labels, classes=(-1, 1)))[0]
            loss = loss_of(model.coef_.ravel(), rows, labels)
            if loss <= target:
                return seconds, loss


def run_to_target(file, who, step_size, target):
    summary = trainyard("--dataset", file, *who, "--batch", 1, "--evaluate-every", 0.1, "--lr",
                        step_size, "--target-loss", target)
    return summary["seconds_to_target"], summary["train_loss"]


def compare(table, pairs, work, unit, scale, theirs, ours, floor, tolerance=0.02):
    """theirs: a function of whether to shuffle. One row for each, the floor for the default."""
    results = take_turns(pairs, lambda: theirs(True), lambda: theirs(False), ours)
    default, streamed, own = results
    for peer, name, least in ((default, "SGDClassifier", floor),
                              (streamed, "SGDClassifier(shuffle=False)", None)):
        table.row(work, f"scikit-learn {name}", unit, (scale(seconds) for seconds, _ in peer),
                  (scale(seconds) for seconds, _ in own), least, (peer[0][1], own[0][1]), tolerance)


def sparse(table, pairs, size, works, step_size, epochs):
    """works: (what, who of ours, floor)"""
    works = [work for work in works if table.wants(work[0])]
    if not works:
        return
    rows, labels = data.sparse_arrays(size)
    for work, who, floor in works:
        compare(table, pairs, work, "ns/nonzero", lambda seconds: seconds / rows.nnz * 1e9,
                lambda shuffle: fit(rows, labels, step_size, epochs, shuffle),
                lambda: run(data.sparse_file(size), who, step_size, epochs), floor,
                0.1 if who is TWO else 0.02)


def sparse_to_target(table, pairs):
    work = "sparse logistic 1 M rows, to logloss 0.20, ours with 2 ranks"
    if not table.wants(work):
        return
    rows, labels = data.sparse_arrays("large")
    compare(table, pairs, work, "s", lambda seconds: seconds,
            lambda shuffle: to_target(rows, labels, 1.0, 0.20, shuffle),
            lambda: run_to_target(data.sparse_file("large"), TWO, 1.0, 0.20), 7)


def dense(table, pairs):
    work = "dense logistic 581 k x 54, batch 1"
    if not table.wants(work):
        return
    rows, labels = data.dense_arrays()
    rows, labels = rows.astype("float64"), 2 * labels.astype("float64") - 1
    compare(table, pairs, work, "samples/s", lambda seconds: len(labels) / seconds,
            lambda shuffle: fit(rows, labels, 0.01, 3, shuffle),
            lambda: run(data.dense_file(), ALONE, 0.01, 3), 9)


def reading(table, pairs):
    work = "reading a LIBSVM file of 1.1 GB"
    if not table.wants(work):
        return
    from sklearn.datasets import load_svmlight_file

    file, quarter = data.sparse_file("large"), data.first_rows_of_large(250_000)

    def theirs():
        return quarter.stat().st_size / clocked(lambda: load_svmlight_file(str(quarter)))[0] / 1e9

    def ours():
        """(one thread, all cores), in bytes a second"""
        speeds = google_benchmark("read_file", "B/s", {"TRAINYARD_BENCH_FILE": str(file)})
        return [speed / 1e9 for speed in speeds.values()]

    peer, own = take_turns(pairs, theirs, ours)
    one, all_cores = zip(*own)
    table.row(work + ", 1 thread", "scikit-learn load_svmlight_file", "GB/s", peer, one, None,
              least=1.0, remark="of the peer its first quarter")
    table.row(work + ", ours with all cores", "scikit-learn load_svmlight_file", "GB/s", peer,
              all_cores, None, remark="of the peer its first quarter")


def main():
    options = arguments(__doc__)
    try:
        import sklearn  # noqa: F401
    except ImportError:
        skip("scikit-learn", "scripts/install_dependencies.sh --peers installs python3-sklearn")
    table = Table(options, SETTING)
    sparse(table, options.pairs, "small",
           [("sparse logistic 20 k rows in cache, batch 1, 1 thread", ALONE, 2.7)], 1.0, 60)
    sparse(table, options.pairs, "words",
           [("sparse logistic 20 k rows by Zipf's law, batch 1, 1 thread", ALONE, None),
            ("sparse logistic 20 k rows by Zipf's law, batch 1, ours with 2 ranks", TWO, None)],
           1.0, 60)
    sparse(table, options.pairs, "large",
           [("sparse logistic 1 M rows, an epoch, ours with 2 ranks", TWO, 7)], 1.0, 2)
    sparse_to_target(table, options.pairs)
    dense(table, options.pairs)
    reading(table, options.pairs)


if __name__ == "__main__":
    main()

"""Logistic regression to within 1e-3 of the optimum: Trainyard against LIBLINEAR and scikit-learn.

Fair because: all minimise the same objective, (1/n) sum log(1 + exp(-y w.x)) + (lambda/2) |w|^2
without intercept, on the same file, and the time is that of training alone, text already parsed.
Each peer gets the loosest of a row of tolerances with which it comes that close, and Trainyard a
fixed configuration, stopped as soon as it is there. LIBLINEAR is called through its library, as
liblinear-train -s 7 (dual coordinate descent) and -s 0 (trust region Newton) would be. Of
scikit-learn's solvers the fastest counts. OpenBLAS has the kernels that openblas.py finds the
fastest.

Also how fast LIBLINEAR reads text: liblinear-train with a tolerance at which it stops after the
first gradient. It reads a quarter of the file, which is no slower a byte than all of it.
"""

import ctypes
import ctypes.util
import gzip
import subprocess

import openblas

SETTING = openblas.use_fastest()  # before anything imports NumPy

from common import (  # noqa: E402
    DATA, Table, arguments, clocked, google_benchmark, need, skip, take_turns, trainyard)
import data  # noqa: E402

CLOSE = 1e-3
LAMBDA = 1e-4
# Optimum as in the tests' reference figures, and our step size, decay and ranks.
SETS = {
    "a9a": ("a9a.gz", 0.3245069247, ("--scheme", "sequential", "--workers", 1, "--batch", 1,
                                     "--lr", 0.05, "--lr-decay", 3)),
    "news20-binary": ("news20_binary.train.gz", 0.2980668167,
                      ("--scheme", "sequential", "--workers", 1, "--batch", 1, "--lr", 4,
                       "--lr-decay", 3)),
}


class Problem(ctypes.Structure):
    _fields_ = [("l", ctypes.c_int), ("n", ctypes.c_int), ("y", ctypes.c_void_p),
                ("x", ctypes.c_void_p), ("bias", ctypes.c_double)]


class Parameter(ctypes.Structure):
    """Of version 2.30; later ones have more at the end, for which zeros are right."""

    _fields_ = [("solver_type", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double),
                ("nr_weight", ctypes.c_int), ("weight_label", ctypes.c_void_p),
                ("weight", ctypes.c_void_p), ("p", ctypes.c_double), ("more", ctypes.c_void_p * 8)]


class Liblinear:
    def __init__(self, rows, labels):
        import numpy

        self.library = ctypes.CDLL("liblinear.so.4")
        self.library.train.restype = ctypes.c_void_p
        self.library.get_decfun_coef.restype = ctypes.c_double
        quiet = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
        self.library.set_print_string_function(quiet)
        self.quiet = quiet
        # Each row is a list of (index from 1, value) that ends with index -1.
        ends = rows.indptr[1:] + numpy.arange(1, rows.shape[0] + 1)
        self.nodes = numpy.zeros(rows.nnz + rows.shape[0],
                                 numpy.dtype([("index", "i4"), ("value", "f8")], align=True))
        kept = numpy.ones(len(self.nodes), bool)
        kept[ends - 1] = False
        self.nodes["index"][kept], self.nodes["index"][~kept] = rows.indices + 1, -1
        self.nodes["value"][kept] = rows.data
        begins = numpy.concatenate(([0], ends[:-1])) * self.nodes.itemsize
        self.pointers = (self.nodes.ctypes.data + begins).astype("u8")
        self.labels = labels.astype("f8")
        self.problem = Problem(rows.shape[0], rows.shape[1], self.labels.ctypes.data,
                               self.pointers.ctypes.data, -1.0)

    def train(self, solver, tolerance):
        """(seconds, weights). C multiplies the sum of losses, hence 1 / (lambda n)."""
        import numpy

        parameter = Parameter(solver, tolerance, 1 / (LAMBDA * self.problem.l))
        self.library.srand(1)
        seconds, model = clocked(lambda: self.library.train(ctypes.byref(self.problem),
                                                            ctypes.byref(parameter)))
        weights = numpy.array([
            self.library.get_decfun_coef(ctypes.c_void_p(model), j + 1, 0)
            for j in range(self.problem.n)])
        self.library.free_and_destroy_model(ctypes.byref(ctypes.c_void_p(model)))
        return seconds, weights


def objective(weights, rows, labels):
    import numpy

    return (numpy.logaddexp(0, -labels * (rows @ weights)).mean()
            + LAMBDA / 2 * numpy.dot(weights, weights))


def loosest(train, value, optimum):
    """The loosest tolerance with which train(tolerance) ends close to the optimum; None: none."""
    for tolerance in (3, 1, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5):
        if value(train(tolerance)[1]) <= optimum + CLOSE:
            return tolerance
    return None


def scikit_learn_solvers(rows, labels):
    """Functions of a tolerance."""
    from sklearn.linear_model import LogisticRegression

    def with_solver(solver):
        def train(tolerance):
            model = LogisticRegression(C=1 / (LAMBDA * rows.shape[0]), solver=solver, tol=tolerance,
                                       fit_intercept=False, max_iter=1000, random_state=1)
            seconds, _ = clocked(lambda: model.fit(rows, labels))
            return seconds, model.coef_.ravel()

        return train

    solvers = ("lbfgs", "newton-cg", "sag", "saga")
    return {f"scikit-learn LogisticRegression({solver})": with_solver(solver) for solver in solvers}


def scikit_learn_sgd(rows, labels):
    """The classifier in its default, `optimal`, schedule; a tolerance of 1/E stands for E epochs."""
    from sklearn.linear_model import SGDClassifier

    def train(tolerance):
        epochs = max(1, round(3 / tolerance))
        model = SGDClassifier(loss="log_loss", alpha=LAMBDA, fit_intercept=False, tol=None,
                              max_iter=min(epochs, 1000), random_state=1)
        seconds, _ = clocked(lambda: model.fit(rows, labels))
        return seconds, model.coef_.ravel()

    return {"scikit-learn SGDClassifier": train}


def peers_of(rows, labels):
    """{name: function of a tolerance that returns (seconds, weights)}"""
    peers = {}
    try:
        library = Liblinear(rows, labels)
        peers["LIBLINEAR -s 7"] = lambda tolerance: library.train(7, tolerance)
        peers["LIBLINEAR -s 0"] = lambda tolerance: library.train(0, tolerance)
    except OSError:
        print("skipped: LIBLINEAR: no liblinear.so.4; scripts/install_dependencies.sh --peers")
    peers.update(scikit_learn_solvers(rows, labels))
    peers.update(scikit_learn_sgd(rows, labels))
    return peers


def to_optimum(table, pairs, name):
    work = f"logistic regression to 1e-3 of the optimum, {name}"
    if not table.wants(work):
        return
    file_name, optimum, flags = SETS[name]
    file = data.reference_set(name, file_name)
    if file is None:
        print(f"skipped: {work}: no data; scripts/fetch_datasets.sh {name}")
        return
    from sklearn.datasets import load_svmlight_file

    rows, labels = load_svmlight_file(gzip.open(file))

    def ours():
        summary = trainyard("--dataset", file, "--model", "logistic", "--l2", LAMBDA, *flags,
                            "--target-loss", optimum + CLOSE, "--evaluate-every", 0.1)
        if summary["seconds_to_target"] is None:
            return float("inf"), summary["train_loss"]
        return summary["seconds_to_target"], summary["train_loss"]

    def value(weights):
        return objective(weights, rows, labels)

    sides = {}
    for peer, train in peers_of(rows, labels).items():
        tolerance = loosest(train, value, optimum)
        if tolerance is None:
            print(f"  {peer} does not come within {CLOSE} of the optimum of {name}")
        else:
            sides[peer] = lambda train=train, tolerance=tolerance: train(tolerance)
    *theirs, own = take_turns(pairs, *sides.values(), ours)
    table_rows = sorted(zip(sides, theirs), key=lambda side: sorted(side[1])[len(side[1]) // 2][0])
    kinds = ("LIBLINEAR", "scikit-learn")
    for kind in kinds:  # of each kind the fastest
        for peer, results in [side for side in table_rows if side[0].startswith(kind)][:1]:
            table.row(work, peer, "s", (seconds for seconds, _ in results),
                      (seconds for seconds, _ in own), 1, (value(results[0][1]), own[0][1]), 0.004)


def reading(table, pairs):
    work = "reading a LIBSVM file of 1.1 GB, 1 thread"
    if not table.wants(work):
        return
    need("liblinear-train", "LIBLINEAR", "liblinear-tools")
    file, quarter = data.sparse_file("large"), data.first_rows_of_large(250_000)
    command = ["liblinear-train", "-q", "-s", "0", "-e", "1e9", quarter, DATA / "liblinear.model"]

    def theirs():
        return quarter.stat().st_size / clocked(lambda: subprocess.run(command, check=True))[0] / 1e9

    def ours():
        environment = {"TRAINYARD_BENCH_FILE": str(file)}
        return google_benchmark("read_file/1/", "B/s", environment).popitem()[1] / 1e9

    peer, own = take_turns(pairs, theirs, ours)
    table.row(work, "LIBLINEAR (with one gradient)", "GB/s", peer, own, None, least=1.0,
              remark="of the peer its first quarter")


def main():
    options = arguments(__doc__)
    try:
        import sklearn  # noqa: F401
    except ImportError:
        skip("LIBLINEAR and scikit-learn",
             "scripts/install_dependencies.sh --peers installs python3-sklearn, liblinear-tools")
    table = Table(options, SETTING)
    for name in SETS:
        to_optimum(table, options.pairs, name)
    reading(table, options.pairs)


if __name__ == "__main__":
    main()

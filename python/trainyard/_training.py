"""compare() and run(): training, by one scheme or by several."""

import sys
import warnings

from . import _trainyard
from ._options import OPTIONS, WRITTEN, described, option_named, settings_of, text_of, variation_of, whole
from ._rows import Rows
from .comparison import Comparison, Run
from .errors import DataError, TrainyardWarning, UsageError, in_python


class Contestant:
    """A scheme with settings of its own, for compare(): made by scheme()."""

    def __init__(self, name, label, settings):
        self.name, self.label, self.settings = name, label, settings

    def __str__(self):
        if not self.settings:
            return self.name
        return f"{self.name}{{{','.join(f'{option}={text}' for option, text in self.settings)}}}"

    def __repr__(self):
        return f"<scheme {self.label or self}>"

    def asked(self):
        """As the library takes it: as typed, unless it has a label or what a typed list cannot hold."""
        made = _trainyard.AskedContestant()
        if self.label is None and not any(set(text) & set(",;{}") for _, text in self.settings):
            made.text = str(self)
        else:
            made.label, made.scheme, made.settings = self.label or str(self), self.name, self.settings
        return made


def scheme(name, label=None, **options):
    """A scheme with settings of its own: scheme("local-sgd", period=8).

    name: a scheme, or a system; perhaps with its way, "gossip:torus". trainyard.list("schemes") has them.
    label: by which it is called in results; without one it is called as the program would.
    options: of this contestant alone; any option of compare() in which contestants may differ.
    """
    if not isinstance(name, str) or not name:
        raise UsageError(f"scheme: found {name!r}; expected a name, like \"ring\"", option="schemes")
    return Contestant(name, None if label is None else text_of(label, "label"), settings_of(options))


def _contestants(schemes):
    if schemes is None:
        return []
    if isinstance(schemes, (str, Contestant)):
        schemes = [schemes]
    asked = []
    for one in schemes:
        if isinstance(one, str) and one:
            one_asked = _trainyard.AskedContestant()
            one_asked.text = text_of(one, "schemes")
        elif hasattr(one, "asked"):
            one_asked = one.asked()
        else:
            raise UsageError(f"schemes: found {one!r}; expected names, or what scheme() makes",
                             option="schemes", found=repr(one))
        asked.append(one_asked)
    if not asked:
        raise UsageError("schemes: found none; expected at least one, or None for the usual six", option="schemes",
                         found=repr(schemes))
    return asked


def asked_of(config, options, data, test, validation, sample_weight, classes=None, start=None):
    """The library's question, and the rows where they come as arrays."""
    asked = _trainyard.Asked()
    asked.file = "" if config is None else text_of(config, "config")
    is_name = isinstance(data, (str,)) or hasattr(data, "__fspath__")
    if data is not None and is_name:
        options = {"dataset": data, **options}
    for name, rows in (("test", test), ("validation", validation)):
        if rows is not None and (isinstance(rows, (str, float, int)) or hasattr(rows, "__fspath__")):
            options = {**options, name: rows}
    asked.settings = settings_of(options)
    if data is None or is_name:
        for name, rows in (("test", test), ("validation", validation), ("sample_weight", sample_weight)):
            if rows is not None and name not in options:
                raise DataError(f"{name}: arrays go with data=(X, y), which is not given")
        return asked, None
    asked.has_arrays = True
    of_arrays = {name: None if name in options else rows
                 for name, rows in (("test", test), ("validation", validation))}
    return asked, Rows(data, of_arrays["test"], of_arrays["validation"], sample_weight, classes, start)


class Teller:
    """Gives what happens to `progress`, and warnings to Python's."""

    def __init__(self, progress):
        if progress is True:
            progress = Line()
        elif progress is False:
            progress = None
        if progress is not None and not callable(progress):
            raise UsageError(f"progress: found a {type(progress).__name__}; expected True or a function",
                             option="progress")
        self.progress = progress

    def __call__(self, news):
        if self.progress is not None:
            self.progress(in_python(news) if isinstance(news, str) else news)

    def close(self):
        if isinstance(self.progress, Line):
            self.progress.close()


class Line:
    """One line that says how far each run is: on a terminal, and in a notebook."""

    def __init__(self):
        self.longest = 0

    def __call__(self, news):
        if isinstance(news, str):
            return
        text = f"{news['run']}: epoch {news['epoch']:.4g}, {news['seconds']:.4g} s, loss {news['train_loss']:.6g}"
        self.longest = max(self.longest, len(text))
        print("\r" + text.ljust(self.longest), end="", file=sys.stderr, flush=True)

    def close(self):
        if self.longest:
            print("\r" + " " * self.longest + "\r", end="", file=sys.stderr, flush=True)


def _warn(outcome):
    """Warnings, each once, and what was given in vain; other notes stay with the results."""
    said = set()
    for about, text in outcome.notes:
        in_vain = text.startswith("note: ") and " has no effect: " in text
        if (in_vain or text.startswith("warning: ")) and text not in said:
            said.add(text)
            about = f"{about}: " if about else ""
            text = text.removeprefix("warning: ").removeprefix("note: ")
            warnings.warn(about + in_python(text), TrainyardWarning, stacklevel=3)
    for failure in outcome.failures:
        warnings.warn("failed: " + in_python(failure), TrainyardWarning, stacklevel=3)


def compared(contestants, asked, rows, variations=(), seeds=1, tune_lr=None, jobs=0, keep_models=False,
             progress=None):
    """The library's outcome of a comparison."""
    question = _trainyard.AskedComparison()
    question.asked = asked
    question.contestants = contestants
    question.variations = list(variations)
    ways = question.options
    ways.seeds = whole(seeds, "seeds", 1, 1000)
    ways.jobs = whole(jobs, "jobs", 0, 4096)
    sizes = _trainyard.StepSizes
    ways.step_sizes = sizes.tuned_where_unsaid if tune_lr is None else sizes.tuned if tune_lr else sizes.as_given
    question.options = ways
    question.keeps_models = bool(keep_models)
    teller = Teller(progress)
    try:
        return _trainyard.compare(question, rows and rows.handle, teller if teller.progress else None)
    finally:
        teller.close()


def compare(schemes=None, *, data=None, test=None, validation=None, sample_weight=None, vary=None, seeds=1,
            tune_lr=None, jobs=0, config=None, keep_models=False, progress=None, **options):
    if vary is not None and not hasattr(vary, "items"):
        raise UsageError(f"vary: found a {type(vary).__name__}; expected a dict of options and their values",
                         option="vary")
    if "scheme" in options:
        raise UsageError("scheme: run() takes one; compare() takes schemes, one or several", option="scheme")
    asked, rows = asked_of(config, options, data, test, validation, sample_weight)
    variations = [variation_of(name, values) for name, values in (vary or {}).items()]
    outcome = compared(_contestants(schemes), asked, rows, variations, seeds, tune_lr, jobs, keep_models, progress)
    _warn(outcome)
    return Comparison(outcome, rows)


def run(scheme=None, *, data=None, test=None, validation=None, sample_weight=None, config=None, progress=None,
        **options):
    if scheme is not None:
        if isinstance(scheme, Contestant):
            options = {**{name.replace("-", "_"): text for name, text in scheme.settings}, **options}
            scheme = scheme.name
        name, colon, way = scheme.partition(":") if isinstance(scheme, str) else (scheme, "", "")
        options["scheme"] = getattr(name, "name", name)
        if colon:
            options[_way_of(name)] = way
    for name in ("seeds", "vary", "schemes"):
        if name in options:
            raise UsageError(f"{name}: compare() takes it; run() is one run", option=name)
    asked, rows = asked_of(config, options, data, test, validation, sample_weight)
    teller = Teller(progress)
    try:
        outcome = _trainyard.run(asked, rows and rows.handle, teller if teller.progress else None)
    finally:
        teller.close()
    _warn(outcome)
    return Run(outcome.runs[0], rows)


def _way_of(name):
    """The option that the way of "gossip:torus" is of."""
    from .analysis import listed

    for row in listed("schemes"):
        if row["name"] == name:
            ways = [kind for kind in ("topology", "collective") if kind in row["takes"]]
            if ways:
                return ways[0]
    raise UsageError(f"scheme: '{name}' takes no way of communicating behind a colon", option="scheme")


_ROWS = """
    data: a data set by its name, a file, or (X, y): rows and a label for each. X is a NumPy array (float32 in C order is
        used where it lies, and must not change meanwhile; others are copied), a SciPy sparse matrix, or a pandas
        DataFrame, whose columns of words become a feature for each word. y has classes, whole numbers or words; or real
        numbers for model="least-squares".
    test, validation: rows to be evaluated on, (X, y) as data; or a file; test="every-fifth" takes a fifth of the training
        rows, and validation=0.25 such a share of each class, as in the program.
    sample_weight: of each training row, 0 or more.
    config: a TOML file of the program, or "lab:NAME"; options win.
    progress: True writes a line; a function is called with a dict for each evaluation and with a str for each remark.
        What it raises ends the question.
    options: as below, a `_` for each `-` of the program's. A value is a number, True or False, or the text that the
        program takes, like "1ms".

    Ctrl-C ends the runs under way, and what they have is returned, with a warning; a second one raises KeyboardInterrupt.

    Raises UsageError, DataError or RunError."""


def _write_docstrings():
    compare.__doc__ = f"""Trains by each of several schemes, and returns a Comparison.

    schemes: names, or what scheme() makes, in a list; without any, the six basic ones. A str has several with commas.
    vary: options and their values, {{"latency": ["10us", "1ms"]}}: each scheme at each point of their grid.
    seeds: so many repetitions, with seeds seed, seed + 1, …
    tune_lr: True: each scheme at its own best step size; None: where nobody says one; False: at lr.
    jobs: runs at once in simulated time; 0: one for each core.
    keep_models: also with several seeds or points, where models are dropped else.{_ROWS}

Options:

{described()}
"""
    run.__doc__ = f"""Trains once, by one scheme, and returns a Run.

    scheme: its name, or what scheme() makes; "ring" without one.{_ROWS}

Options:

{described()}
"""


_write_docstrings()
WRITTEN.append(_write_docstrings)


def options(search=""):
    """The options of compare() and run(), as a DataFrame; those alone whose name or help has `search`."""
    import pandas as pd

    rows = [{"option": name, "section": row["section"], "takes": row["argument"] or "True or False",
             "default": row["fallback"], "help": row["help"]}
            for name, row in OPTIONS.items() if row["taken"]]
    frame = pd.DataFrame(rows).set_index("option")
    has = frame.index.str.contains(search, regex=False) | frame["help"].str.contains(search, regex=False)
    return frame[has]


__all__ = ["compare", "run", "scheme", "options", "Contestant", "option_named"]

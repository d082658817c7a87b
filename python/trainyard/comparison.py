"""Results: Run and Comparison."""

import html
import json
import os

import numpy as np

from . import _trainyard
from ._options import text_of, whole
from ._rows import feature_set
from .errors import UsageError, in_python

_UNITS_OF_CURVES = {"seconds": "s", "bytes_sent": "B"}


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise ImportError("this is a pandas DataFrame, and pandas is not installed") from error
    return pandas


def _notes(notes):
    return [(f"{about}: " if about else "") + in_python(text) for about, text in notes]


def _frame(columns, units):
    frame = _pandas().DataFrame(columns)
    frame.attrs["units"] = {name: unit for name, unit in units.items() if name in frame.columns}
    return frame


def _units_of(columns):
    units = {name: "s" for name in columns if name.endswith("_s")}
    units.update({name: "B" for name in columns if name.startswith("bytes_")})
    return units


class _WithPage:
    """What has a report: a page with all figures, curves and messages, which asks nobody for another file."""

    def page(self):
        """The report as HTML."""
        return self._handle.page(self._title())

    def save_page(self, file, overwrite=False):
        """Writes the report to a file, to look at in a browser and to send."""
        with open(file, "w" if overwrite else "x", encoding="utf-8") as out:
            out.write(self.page())

    def _repr_html_(self):
        page = html.escape(self.page(), quote=True)
        return (f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" width="100%" height="620" '
                'style="border: 1px solid #ccc"></iframe>')

    def __repr__(self):
        return "\n".join([self._handle.table().rstrip(), *([""] if self.notes else []), *self.notes])


class Run(_WithPage):
    """One run: its figures, curves and model.

    label, seed, varied: of which run of a comparison it is.
    settings, tuned: options of its own, and the step sizes that were found for it.
    diverged, interrupted: whether it ended so.
    notes: warnings, and what changes the meaning of its figures.
    configuration: the TOML that repeats it; `command` as a command of the program.
    """

    def __init__(self, handle, rows=None):
        self._handle, self._rows = handle, rows

    def __getattr__(self, name):
        if name in ("label", "seed", "diverged", "interrupted", "settings", "varied", "tuned", "configuration",
                    "command"):
            return getattr(self._handle, name)
        if name.startswith("_"):
            raise AttributeError(name)
        figures = self.figures
        if name in figures:
            return figures[name]
        raise AttributeError(f"a run has no '{name}'")

    def __dir__(self):
        return sorted({*super().__dir__(), *self.figures})

    def _title(self):
        return f"{self.label}"

    @property
    def figures(self):
        """All figures of the run, by JSON's names: {"train_loss": 0.3, "seconds": 1.2, …}. Each is an attribute, too."""
        return self._handle.figures()

    @property
    def notes(self):
        return _notes(self._handle.notes)

    @property
    def curves(self):
        """One evaluation a row."""
        columns = self._handle.curves()
        return _frame({name: np.nan if column is None else column for name, column in columns.items()},
                      {**_units_of(columns), **_UNITS_OF_CURVES})

    @property
    def ranks(self):
        """One rank a row: where its time went, and what it sent."""
        columns = self._handle.ranks()
        return _frame(columns, _units_of(columns))

    @property
    def staleness(self):
        """How many updates were made of a model that was so many updates old."""
        return _frame(self._handle.staleness(), {})

    @property
    def model(self):
        """The parameters, a NumPy array that nobody may write to; None where they were not kept (keep_models)."""
        return self._handle.model

    @property
    def classes(self):
        """Of rows that were given as arrays: the classes, in the order of probabilities."""
        return None if self._rows is None else self._rows.labels.classes

    @property
    def feature_names(self):
        """In the order of the parameters of a linear model; empty where they have none."""
        return self._handle.kept_model().feature_names

    def messages(self, steps=3):
        """The messages of the first steps, one a row, in seconds. The run's first steps are made again for it, which
        in simulated time are the same."""
        columns = self._handle.messages(whole(steps, "steps", 1, 10**6))
        is_cut = columns.pop("cut")
        frame = _frame(columns, {"bytes": "B", "posted": "s", "start": "s", "first_bit": "s", "end": "s"})
        frame.attrs["cut"] = is_cut
        return frame

    def _predicted(self, features):
        columns = None if self._rows is None else self._rows.columns
        return self._handle.kept_model().predict(feature_set(features, "X", columns))

    def predict(self, features):
        """The class of each row, or its number of models of numbers."""
        labels, _, values = self._predicted(features)
        if labels is None:
            return values
        return labels if self.classes is None else self.classes[labels]

    def predict_proba(self, features):
        """[rows, classes]; None for models that have no probabilities."""
        return self._predicted(features)[1]

    def json(self):
        """All of it, as the program prints it with --json."""
        return json.loads(self._handle.json())


class Comparison(_WithPage):
    """The runs of compare().

    summary, curves, ranks: DataFrames; columns have JSON's names, units are in attrs["units"].
    cmp["ring"]: the run of that label; with seeds or points the first of them, select() finds others.
    notes: of all runs; lacking: those that were asked for and are not there.
    """

    def __init__(self, outcome, rows=None):
        self._handle, self._rows = outcome, rows
        self.runs = [Run(handle, rows) for handle in outcome.runs]

    def __len__(self):
        return len(self.runs)

    def __iter__(self):
        return iter(self.runs)

    def __getitem__(self, label):
        if isinstance(label, (int, np.integer)) and not isinstance(label, bool):
            return self.runs[label]
        return self.select(label)[0]

    def select(self, label=None, seed=None, **varied):
        """The runs of a label, a seed, and values of what is varied, as they were given."""
        wanted = {name.replace("_", "-"): text_of(value, name) for name, value in varied.items()}
        found = [run for run in self.runs
                 if (label is None or run.label == str(label)) and (seed is None or run.seed == seed)
                 and all(run.varied.get(name) == text for name, text in wanted.items())]
        if not found:
            labels = ", ".join(self.labels)
            raise KeyError(f"no run of {label!r}, seed {seed}, {varied}; the labels are {labels}")
        return found

    @property
    def labels(self):
        return list(dict.fromkeys(run.label for run in self.runs))

    @property
    def notes(self):
        return _notes(self._handle.notes)

    @property
    def lacking(self):
        return list(self._handle.lacking)

    @property
    def failures(self):
        return [in_python(text) for text in self._handle.failures]

    @property
    def interrupted(self):
        return self._handle.interrupted

    def _title(self):
        return "Schemes on " + (self.runs[0].dataset if self.runs else "nothing")

    @staticmethod
    def _varied(run, figures):
        """The point of the grid, as it was given; beside a figure of the same name as asked_NAME."""
        names = ((name.replace("-", "_"), text) for name, text in run.varied.items())
        return {f"asked_{name}" if name in figures else name: text for name, text in names}

    @property
    def summary(self):
        """One run a row; behind its figures the values of what is varied."""
        rows = []
        for run in self.runs:
            figures = run.figures
            rows.append({**figures, **self._varied(run, figures)})
        frame = _pandas().DataFrame(rows)
        frame.attrs["units"] = _trainyard.units()
        return frame

    def _long(self, frame_of):
        """The frames of all runs, one behind the other, with what tells the runs apart before them."""
        frames, attrs = [], {}
        for run in self.runs:
            frame = frame_of(run)
            attrs, frame.attrs = frame.attrs, {}
            before = {"label": run.label, "seed": run.seed, **self._varied(run, frame.columns)}
            for place, (name, value) in enumerate(before.items()):
                frame.insert(place, name, value)
            frames.append(frame)
        joined = _pandas().concat(frames, ignore_index=True) if frames else _pandas().DataFrame()
        joined.attrs.update(attrs)
        return joined

    @property
    def curves(self):
        """One evaluation of one run a row."""
        return self._long(lambda run: run.curves)

    @property
    def ranks(self):
        """One rank of one run a row."""
        return self._long(lambda run: run.ranks)

    def messages(self, steps=3):
        """The messages of the first steps of each run, one a row (Run.messages)."""
        return self._long(lambda run: run.messages(steps))

    def plot(self, figure="train_loss", against="seconds", ax=None, **lines):
        """Curves of one figure over another, a line for each label: mean over seeds, which a band spans. Returns
        matplotlib's axes. lines: values of what varies, bandwidth="1Gbps", of which alone curves are drawn; and what
        matplotlib's plot() takes."""
        from .plotting import plot_curves

        return plot_curves(self, figure, against, ax, lines)

    def json(self):
        """All of it, as the program prints it with --json."""
        return json.loads(self._handle.json())

    def markdown(self, columns=None):
        """The table for a document, with the notes. columns: names of numbers of a run, in their order; None: the usual
        ones."""
        return self._markup(False, columns)

    def latex(self, columns=None):
        """As markdown()."""
        return self._markup(True, columns)

    def _markup(self, is_latex, columns):
        text = "" if columns is None else text_of(columns, "columns")
        try:
            return self._handle.markup(is_latex, text)
        except UsageError as error:
            raise UsageError(str(error).replace("table_columns", "columns"), option="columns", found=text) from None

    def save(self, file, overwrite=False):
        """Writes json() to a file, which `trainyard report` and pandas read."""
        with open(os.fspath(file), "w" if overwrite else "x", encoding="utf-8") as out:
            out.write(self._handle.json())

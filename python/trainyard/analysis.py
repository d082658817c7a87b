"""What is worked out and not trained: predict(), break_even() and topology(); and list(), what there is to choose from."""

import itertools
import json
import math

from . import _trainyard
from ._options import is_several, option_named, settings_of, text_of, variation_of, whole
from .errors import UsageError, in_python

_UNITS = {"closed_form_s": "s", "step_s": "s", "step_error_s": "s", "epoch_s": "s", "bytes_per_step": "B"}

#: Of what is varied, by how its name ends.
_UNITS_OF_VARIED = {"bandwidth": "B/s", "latency": "s", "time": "s", "size": "B"}

_PREDICTED = {name.replace("-", "_"): None for name in [*_trainyard.predict_options(), "size"]}


def listed(what):
    """The rows of a table, as dicts."""
    return json.loads(_trainyard.list_json(what))[what]


def list(what="schemes"):
    """What there is to choose from, as a DataFrame: schemes, presets, topologies, collectives, codecs, aggregates,
    attacks, models, datasets or labs."""
    import pandas as pd

    return pd.DataFrame(listed(text_of(what, "what"))).set_index("name")


def schemes_text(schemes):
    if schemes is None:
        return None
    if isinstance(schemes, str):
        return text_of(schemes, "schemes")
    if hasattr(schemes, "asked"):
        return str(schemes)
    if not is_several(schemes):
        raise UsageError(f"schemes: found {schemes!r}; expected names, or what scheme() makes", option="schemes")
    return ",".join(str(one) if hasattr(one, "asked") else text_of(one, "schemes") for one in schemes)


def _asked(schemes, settings, rows, density):
    asked = _trainyard.AskedPrediction()
    asked.schemes = schemes
    asked.settings = settings
    if rows is not None:
        asked.rows = whole(rows, "rows", 1, 10**15)
    if density is not None:
        asked.density = number_of(density, "density")
    return asked


def predict(schemes=None, *, rows=None, density=None, **options):
    """What a step of each scheme takes, without training: a DataFrame with one scheme a row.

    schemes: as in compare(); without any, all of them, or with what is varied, four.
    size: of the model, like "4MB". rows: of an epoch. density: of the data, a share.
    options: those of a prediction, as the program's `predict` takes them. A list of values, or range(2, 65), varies the
        option; then there is a column for it, with numbers in the units of attrs["units"] where it has any. With one such
        option attrs["crossings"] says between which values the cheapest scheme changes.
    """
    text = schemes_text(schemes)
    varied = {name: values for name, values in options.items() if is_several(values)}
    for name in options:
        option_named(name, _PREDICTED, "predict()")
    plain = settings_of({name: value for name, value in options.items() if name not in varied}, _PREDICTED)
    if text is None:
        text = "ps-sync,ring,all-reduce:tree,gossip:ring" if varied else "all"
    *outer, last = varied.items() if varied else [None]
    frames, notes, crossings = [], {}, []
    measured = [dict(zip(values, _measured(name, values))) for name, values in outer]
    for point in itertools.product(*(values for _, values in outer)):
        fixed = dict(zip((name for name, _ in outer), point))
        shown = {name: values[fixed[name]] for (name, _), values in zip(outer, measured)}
        asked = _asked(text, plain + settings_of(fixed, _PREDICTED), rows, density)
        if last is not None:
            asked.varied = variation_of(*last, _PREDICTED)
        document, said = _trainyard.predict(asked)
        document = json.loads(document)
        notes.update(dict.fromkeys(in_python(note) for note in said))
        crossings = document.get("crossings", [])
        for part in document.get("points", [document]):
            columns = dict(shown)
            if last is not None:
                columns[last[0]] = math.inf if part["value"] is None else _as_whole(part["value"])
            frames += [{**columns, **row} for row in part["rows"]]
    return _predictions(frames, [*notes], crossings if len(varied) == 1 else [])


def _measured(name, values):
    """Of what is varied: numbers, or the texts of what has none."""
    return [_as_whole(value) for value in _trainyard.measured_values(variation_of(name, values, _PREDICTED))]


def _as_whole(value):
    """7 of 7.0: a number of workers, or of bytes."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _predictions(rows, notes, crossings):
    import pandas as pd

    frame = pd.DataFrame(rows)
    units = {name: unit for name, unit in _UNITS.items() if name in frame}
    units.update({name: unit for name in frame for end, unit in _UNITS_OF_VARIED.items()
                  if (name == end or name.endswith("_" + end)) and pd.api.types.is_numeric_dtype(frame[name])})
    frame.attrs.update(units=units, notes=notes, crossings=crossings)
    return frame


def break_even(schemes=None, codec=None, **options):
    """The bandwidth below which a step with encoded vectors is shorter than one without: a DataFrame with a scheme and a
    codec a row, and what a step takes with and without at the bandwidth of the options.

    schemes: those that encode; "csgd:sign" with that codec alone. Without any, one of each way to send.
    codec: the name of one, or a list of them; without any, all whose messages have one length.
    size, options: as in predict(), without lists.

    `pays` says "below" where there is such a bandwidth, break_even_bytes_per_s, or that it is always, or never. What a
    codec does to the number of steps is not in it.
    """
    for name, value in options.items():
        if is_several(value):
            raise UsageError(f"{name}: found several values; a break-even is for one", option=name)
    asked = _asked(schemes_text(schemes) or "", settings_of(options, _PREDICTED, "break_even()"), None, None)
    codecs = [] if codec is None else [text_of(one, "codec") for one in (codec if is_several(codec) else [codec])]
    document, notes = _trainyard.break_even(asked, codecs)
    import pandas as pd

    frame = pd.DataFrame(json.loads(document)["rows"])
    frame["break_even_bytes_per_s"] = frame["break_even_bytes_per_s"].astype(float)
    frame.attrs.update(units={**{name: "s" for name in frame if name.endswith("_s") and "bytes" not in name},
                              **{name: "B" for name in frame if name.endswith("bytes_per_step")},
                              "break_even_bytes_per_s": "B/s"}, notes=[*notes])
    return frame


def _seed(seed):
    return whole(seed, "seed", 0, 2**64 - 1)


def topology(names, workers=8, *, seed=1, size="1MiB"):
    """What a gossip graph is like: a DataFrame with a graph and a number of workers a row. How fast it mixes (rho, of the
    period; rounds to 1e-3 and 1e-6), whether its matrix is doubly stochastic, and what a step sends of a model of that size.

    names: one or several, as list("topologies") has them, and one's own of topology_of().
    workers: how many, 1 to 2048, or a list.
    """
    import pandas as pd

    counts = [whole(one, "workers", 1, 2048) for one in (workers if is_several(workers) else [workers])]
    if not counts:
        raise UsageError("workers: found none; expected a number, or a list of them", option="workers", found="[]")
    rows = []
    for name in names if is_several(names) else [names]:
        document = json.loads(_trainyard.topology(text_of(name, "topology"), counts, _seed(seed), text_of(size, "size")))
        rows += [{"topology": document["topology"], **{key: value for key, value in row.items() if key != "W"}}
                 for row in document["rows"]]
    frame = pd.DataFrame(rows)
    frame.attrs.update(units={"bytes_per_step": "B"}, notes=[])
    return frame


def mixing_matrices(name, workers=8, *, seed=1):
    """W of each round of a gossip graph, after which it begins again: [rounds, workers, workers]. W[k, i, j] is what worker
    i gives in round k to what it receives from worker j; of push-sum's graphs columns, not rows, add up to 1."""
    if not isinstance(name, str):
        raise UsageError(f"topology: found {name!r}; expected a name", option="topology", found=repr(name))
    return _trainyard.mixing_matrices(text_of(name, "topology"), whole(workers, "workers", 1, 4096), _seed(seed))


def number_of(value, name):
    """As a float; None stays so."""
    if value is None:
        return None
    try:
        if isinstance(value, bool):
            raise TypeError
        return value.__float__()  # which a text has not
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise UsageError(f"{name}: found {value!r}; expected a number", option=name, found=repr(value)) from None

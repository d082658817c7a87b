"""The table of options: their names in Python, and their values as text."""

import difflib
import math
import numbers
import os
from datetime import timedelta

import numpy as np

from . import _trainyard
from .errors import UsageError

#: By their names in Python: {"name", "section", "argument", "help", "fallback", "taken"}.
OPTIONS = {}
#: What is written from them, and anew when there are more.
WRITTEN = []


def read_options():
    """Again, after a scheme of one's own has brought more."""
    OPTIONS.update((row["name"].replace("-", "_"), row) for row in _trainyard.option_table())
    for write in WRITTEN:
        write()


read_options()


def _habit(name, known):
    """The known option that other programs call so."""
    words = (flag for word, flag in _trainyard.synonyms() if word == f"--{name.replace('_', '-')}")
    return next((option for option in (flag[2:].replace("-", "_") for flag in words) if option in known), None)


def option_named(name, known=OPTIONS, of="run() and compare()"):
    """The library's name of an option. Raises UsageError with the nearest known one; `of` takes those that are known."""
    if name in known:
        return name.replace("_", "-")
    habit = _habit(name, known)
    near = [habit] if habit else difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    if near:
        hint = f"; did you mean '{near[0]}'?"
    elif name in OPTIONS:
        hint = f"; run() and compare() take it, and not {of}"
    else:
        hint = " (trainyard.options() lists those of training)"
    where = "" if known is OPTIONS else f" of {of}"
    raise UsageError(f"no option named '{name}'{where}{hint}", option=name)


def text_of(value, name):
    """A value as an option's text: True, 8, 0.5, "1ms", a path, a duration, a list of them."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, (bool, np.bool_)):
        text = "true" if value else "false"
    elif isinstance(value, numbers.Integral):
        text = str(int(value))
    elif isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise UsageError(f"{name} {value}: expected a finite number", option=name, found=str(value))
        text = str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    elif isinstance(value, os.PathLike):
        text = os.fspath(value)
    elif isinstance(value, timedelta):
        text = f"{value.total_seconds()!r}s"
    elif isinstance(value, dict):
        text = ",".join(f"{text_of(key, name)}:{text_of(of, name)}" for key, of in value.items())
    elif isinstance(value, (list, tuple)):
        # Several faults are one option's value, with another sign between them.
        text = ("+" if name == "fault" else ",").join(text_of(one, name) for one in value)
    else:
        raise UsageError(
            f"{name}: found a {type(value).__name__}; expected a text, a number, True or False",
            option=name, found=type(value).__name__)
    if not isinstance(text, str) or "\0" in text:
        raise UsageError(f"{name}: a text cannot hold this", option=name)
    if not text:
        raise UsageError(f"{name}: found an empty text", option=name, found="")
    return text


def whole(value, name, low, high):
    """A whole number between these."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = value.__index__()
    except (AttributeError, TypeError):
        raise UsageError(f"{name}: found {value!r}; expected a whole number", option=name,
                         found=repr(value)) from None
    if not low <= number <= high:
        raise UsageError(f"{name} {number}: expected {low} to {high}", option=name, found=str(number))
    return number


def settings_of(options, known=OPTIONS, of="run() and compare()"):
    """[(name, text)] of keyword arguments; None: as if it was not given."""
    settings = []
    for name, value in options.items():
        option = option_named(name, known, of)
        if value is not None:
            settings.append((option, text_of(value, name)))
    return settings


def is_several(value):
    """Whether it is a list of values, to be varied."""
    return isinstance(value, (list, tuple, range, set, frozenset, np.ndarray)) or (
        hasattr(value, "__iter__") and not isinstance(value, (str, bytes, dict, os.PathLike)))


def variation_of(name, values, known=OPTIONS):
    """What is varied, as the library takes it."""
    asked = _trainyard.AskedVariation()
    asked.option = option_named(name, known)
    if isinstance(values, str):
        asked.range = text_of(values, name)
    elif is_several(values):
        asked.values = [text_of(value, name) for value in values]
    else:
        raise UsageError(f"vary: {name}: found a {type(values).__name__}; expected a list of values, "
                         "or a text like \"10us:1ms\"", option="vary", found=name)
    return asked


def described(names=None):
    """Lines of a docstring: every option, what it takes and what it is if it is not given."""
    lines = []
    section = None
    for name, row in OPTIONS.items():
        if not row["taken"] or (names is not None and name not in names):
            continue
        if row["section"] != section:
            section = row["section"]
            lines.append(f"[{section}]")
        takes = row["argument"] or "True or False"
        fallback = f" [{row['fallback']}]" if row["fallback"] and row["argument"] else ""
        lines.append(f"  {name}: {takes}")
        lines.append(f"      {row['help']}{fallback}")
    return "\n".join(lines)

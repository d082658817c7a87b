"""Rows and labels, as NumPy, SciPy and pandas have them, for the library.

Dense rows that are float32 in C order are used where they lie, and SciPy's values likewise if they are float32. Whatever
else is given is converted, which makes a copy.
"""

import numpy as np

from . import _trainyard
from .errors import DataError

_LARGEST = float(np.finfo(np.float32).max)


def _refuse(name, what):
    raise DataError(f"{name}: {what}")


def _is_frame(rows):
    return hasattr(rows, "iloc") and hasattr(rows, "columns")


def _array(values, name):
    try:
        return np.asarray(values)
    except ValueError:
        _refuse(name, "lists of unlike lengths; expected rows of one length")


def _numbers(array, name):
    """As float32 in C order, itself where it is that."""
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64) if array.dtype.kind in "OSU" else None
        except (TypeError, ValueError):
            array = None
        if array is None:
            _refuse(name, "it holds what is no number; a pandas DataFrame may have columns of words")
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


class Columns:
    """What features are made of the columns of a DataFrame: those of words have one for each word."""

    def __init__(self, frame):
        import pandas as pd

        if not frame.columns.is_unique:
            _refuse("data", "two columns have the same name")
        self.columns = list(frame.columns)
        self.words = {}
        for column in self.columns:
            values = frame[column]
            if isinstance(values.dtype, pd.CategoricalDtype):
                self.words[column] = [str(word) for word in values.cat.categories]
            elif values.dtype == object or pd.api.types.is_string_dtype(values.dtype):
                self.words[column] = sorted({str(word) for word in values.dropna()})
        self.names = []
        for column in self.columns:
            of_words = [f"{column}={word}" for word in self.words.get(column, [])]
            self.names += of_words if column in self.words else [str(column)]

    def features(self, frame, name):
        if not _is_frame(frame) or len(frame.columns) != len(self.columns) or {*frame.columns} != {*self.columns}:
            _refuse(name, f"expected a DataFrame with the columns {', '.join(map(str, self.columns))}")
        rows = np.zeros((len(frame), len(self.names)), dtype=np.float32)
        at = 0
        for column in self.columns:
            values = frame[column]
            if values.isna().any():
                row = int(np.flatnonzero(values.isna().to_numpy())[0])
                _refuse(name, f"column '{column}' has no value in row {row}; expected one in every row")
            if column not in self.words:
                rows[:, at] = _numbers(values.to_numpy(), f"{name}: column '{column}'")
                at += 1
                continue
            places = {word: place for place, word in enumerate(self.words[column])}
            for row, word in enumerate(values.astype(str)):
                if word not in places:
                    _refuse(name, f"column '{column}', row {row}: '{word}' is no word of the training rows")
                rows[row, at + places[word]] = 1.0
            at += len(places)
        return rows


def _check_structure(rows, name):
    """Before SciPy reads by it, which trusts what it finds."""
    begins, columns = np.asarray(rows.indptr), np.asarray(rows.indices)
    if (len(begins) != rows.shape[0] + 1 or begins[0] != 0 or np.any(begins[1:] < begins[:-1])
            or begins[-1] != len(columns) or len(columns) != len(rows.data)):
        _refuse(name, "its rows do not lie one behind the other, as indptr says")
    wrong = np.flatnonzero((columns < 0) | (columns >= rows.shape[1]))
    if len(wrong):
        row = int(np.searchsorted(begins, wrong[0], side="right")) - 1
        _refuse(name, f"row {row} has column {columns[wrong[0]]}; expected columns from 0 to {rows.shape[1] - 1}")


def feature_set(rows, name="data", columns=None):
    """An ArraySet with the features of rows; `columns`: of the training rows' DataFrame."""
    made = _trainyard.ArraySet()
    if columns is not None:
        rows = columns.features(rows, name)
    if hasattr(rows, "tocsr"):  # SciPy's sparse matrices and arrays
        if np.iscomplexobj(rows.data if hasattr(rows, "data") else np.zeros(1)):
            _refuse(name, "it holds complex numbers")
        rows = rows.tocsr()
        _check_structure(rows, name)
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        if rows.shape[1] >= 2**31:
            _refuse(name, f"{rows.shape[1]} features; less than 2^31 are accepted")
        made.row_begin = np.ascontiguousarray(rows.indptr, dtype=np.int64)
        made.columns = np.ascontiguousarray(rows.indices, dtype=np.int32)
        made.values = _numbers(rows.data, name)
        made.features = rows.shape[1]
        return made
    array = _array(rows, name)
    if array.ndim != 2:
        _refuse(name, f"X has {array.ndim} dimension{'s' if array.ndim != 1 else ''}; expected 2, rows and "
                      "features (reshape(-1, 1) makes rows of one feature)")
    made.dense = _numbers(array, name)
    return made


def _label_array(labels, name):
    array = _array(labels, f"{name}: y")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        _refuse(name, f"y has {array.ndim} dimensions; expected a label for each row")
    if array.dtype.kind == "c":
        _refuse(name, "y holds complex numbers")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        _refuse(name, "y holds NaN or infinity; expected a label for each row")
    if array.dtype.kind == "O":
        missing = [label is None or label != label for label in array]
        if any(missing):
            _refuse(name, f"row {missing.index(True)} has no label")
    return array


class Labels:
    """The classes of training labels: whole numbers or words, in increasing order; all there are, where somebody knows."""

    def __init__(self, labels, classes=None):
        array = _label_array(labels, "data")
        if array.size == 0:
            _refuse("data", "there are 0 rows; expected some")
        self.is_real = array.dtype.kind == "f" and not (array == np.round(array)).all()
        self.classes = None
        if self.is_real:
            return
        try:
            self.classes = np.unique(array) if classes is None else classes
        except TypeError:
            _refuse("data", "y mixes words with numbers")

    def names(self, names):
        """Puts them into an ArrayNames."""
        if self.classes is None:
            return
        names.classes = len(self.classes)
        is_small = self.classes.dtype.kind in "iuf" and np.abs(self.classes.astype(np.float64)).max() < 2**31
        if is_small:
            names.class_values = [int(value) for value in self.classes]
        else:
            names.class_names = [str(value) for value in self.classes]

    def put(self, labels, made, name):
        array = _label_array(labels, name)
        if array.dtype.kind in "fiub":
            with np.errstate(over="ignore"):
                made.numbers = np.ascontiguousarray(array, dtype=np.float32)
        if self.classes is None:
            return
        if array.size == 0:
            _refuse(name, "there are 0 rows; expected some")
        if (array.dtype.kind in "fiub") != (self.classes.dtype.kind in "fiub"):
            _refuse(name, "y mixes words with numbers")
        try:
            codes = np.minimum(np.searchsorted(self.classes, array), len(self.classes) - 1)
            unknown = self.classes[codes] != array
        except TypeError:
            _refuse(name, "y mixes words with numbers")
        if np.any(unknown):
            row = int(np.flatnonzero(unknown)[0])
            _refuse(name, f"row {row}: the label {array[row:row + 1].tolist()[0]!r} is none of the training rows'")
        made.codes = np.ascontiguousarray(codes, dtype=np.int32)


def _pair(data, name):
    if isinstance(data, (tuple, list)) and len(data) == 2:
        return data
    _refuse(name, f"found a {type(data).__name__}; expected (X, y), rows and a label for each")


class Rows:
    """Training, test and validation rows that are given as arrays."""

    def __init__(self, data, test=None, validation=None, sample_weight=None, classes=None, start=None):
        features, labels = _pair(data, "data")
        self.columns = Columns(features) if _is_frame(features) else None
        self.labels = Labels(labels, classes)
        names = _trainyard.ArrayNames()
        self.labels.names(names)
        if self.columns is not None:
            names.features = self.columns.names
        train = self._set(features, labels, "data")
        if sample_weight is not None:
            train.weights = _numbers(_array(sample_weight, "sample_weight"), "sample_weight")
        others = [None if pair is None else self._set(*_pair(pair, name), name)
                  for pair, name in ((test, "test"), (validation, "validation"))]
        self.handle = _trainyard.ArrayRows(train, *others, names)
        if start is not None:
            self.handle.begin_with(start)

    def _set(self, features, labels, name):
        made = feature_set(features, name, self.columns)
        self.labels.put(labels, made, name)
        return made

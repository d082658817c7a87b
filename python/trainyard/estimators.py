"""Classifier and Regressor, which keep scikit-learn's contract."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from . import _training
from ._options import OPTIONS, option_named
from ._rows import feature_set
from .comparison import Run
from .errors import UsageError

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6 it is a method

    def validate_data(estimator, *rows, **how):
        return estimator._validate_data(*rows, **how)


_ZERO_WEIGHTS = "a row of weight 0 is drawn like any other, and does not count: minibatches are others without it"


#: Rows of a minibatch where nobody says how many, or as many as a worker has.
_BATCH = 16


def _refuse_words(features):
    """Of a DataFrame; what scikit-learn says of them names no column."""
    if not (hasattr(features, "iloc") and hasattr(features, "columns")):
        return
    kinds = [getattr(dtype, "kind", "O") for dtype in features.dtypes]
    words = [str(name) for place, (name, kind) in enumerate(zip(features.columns, kinds))
             if kind not in "fiub" and any(isinstance(value, str) for value in features.iloc[:, place])]
    if words:
        raise UsageError(f"X: {', '.join(words)}: found words; expected numbers (scikit-learn's OneHotEncoder makes some of "
                         "them, and compare() and run() by themselves)", option="X", found=words[0])


class _Trained(BaseEstimator):
    """What both have in common."""

    def __init__(self, scheme="ring", workers=4, *, epochs=20, batch=None, lr=None, l2=1e-4, model=None,
                 scale="standard", fit_intercept=True, warm_start=False, random_state=None, **options):
        self.scheme = scheme
        self.workers = workers
        self.epochs = epochs
        self.batch = batch
        self.lr = lr
        self.l2 = l2
        self.model = model
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.random_state = random_state
        for name, value in options.items():
            option_named(name)
            setattr(self, name, value)

    def _further(self):
        """The options that were given beside the parameters of the constructor."""
        named = set(self._get_param_names())
        return [name for name in OPTIONS if name in vars(self) and name not in named]

    def get_params(self, deep=True):
        return {**super().get_params(deep), **{name: getattr(self, name) for name in self._further()}}

    def set_params(self, **params):
        own = set(self._get_param_names())
        for name in [name for name in params if name.partition("__")[0] not in own and name in OPTIONS]:
            setattr(self, name, params.pop(name))
        return super().set_params(**params)

    def _contestant(self):
        if not isinstance(self.scheme, (str, _training.Contestant)):
            raise UsageError(f"scheme: found {self.scheme!r}; expected the name of one, or what scheme() makes",
                             option="scheme", found=repr(self.scheme))
        return _training._contestants(self.scheme)[0]

    def _seed(self):
        """None is the same in every fit, as it is for the program."""
        if self.random_state is None:
            return 1
        return int(check_random_state(self.random_state).randint(1, 2**31 - 1))

    def _start(self):
        """The model that fit() begins with."""
        return getattr(self, "kept_", None) if self.warm_start else None

    def _one_pass(self):
        """What a call of partial_fit() has of its own: a pass over its rows, from the model as it is."""
        kept = getattr(self, "kept_", None)
        lr = self.lr if self.lr is not None or kept is None else self.lr_
        return {"start": kept, "epochs": 1, "lr": lr}

    def _train(self, features, labels, sample_weight, start=None, classes=None, **options):
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, features, dtype=np.float32, only_non_negative=True)
        rows = features.shape[0]
        batch = self.batch if self.batch is not None else min(_BATCH, max(1, rows // max(1, int(self.workers))))
        is_network = isinstance(self.model, str) and self.model.startswith("mlp")  # which has biases
        asked_for = {"time": "virtual", "compute_time": "1ms", "workers": self.workers, "epochs": self.epochs,
                     "batch": batch, "lr": self.lr, "l2": self.l2, "scale": self.scale,
                     "intercept": bool(self.fit_intercept) and not is_network, "seed": self._seed(), **options,
                     **{name: getattr(self, name) for name in self._further()}}
        asked, rows = _training.asked_of(None, asked_for, (features, labels), None, None, sample_weight, classes, start)
        outcome = _training.compared([self._contestant()], asked, rows, jobs=1)
        if len(outcome.runs) > 1:
            raise UsageError(f"scheme: found {self.scheme!r}, which is several; an estimator trains by one", option="scheme",
                             found=repr(self.scheme))
        run = Run(outcome.runs[0], rows)
        self.notes_ = run.notes
        self.kept_ = outcome.runs[0].kept_model()
        self.parameters_ = self.kept_.parameters
        self.history_ = run.curves
        self.n_iter_ = max(1, int(run.steps))
        self.lr_ = run.lr
        if run.diverged:
            warnings.warn("the training loss grew beyond all bounds; a smaller lr may help", ConvergenceWarning,
                          stacklevel=3)
        return self

    def _said(self, features):
        check_is_fitted(self, "kept_")
        features = validate_data(self, features, accept_sparse="csr", dtype=np.float32, reset=False)
        is_sparse = hasattr(features, "tocsr")
        if is_sparse and not self.sparse_:
            features = features.toarray()
        elif self.sparse_ and not is_sparse:
            from scipy.sparse import csr_matrix

            features = csr_matrix(features)
        return self.kept_.predict(feature_set(features, "X"))

    def _rows(self, features, labels, **how):
        _refuse_words(features)
        features, labels = validate_data(self, features, labels, accept_sparse="csr", dtype=np.float32,
                                         **{"ensure_min_samples": 2, **how})
        self.sparse_ = hasattr(features, "tocsr")
        return features, column_or_1d(labels)

    def _more_tags(self):
        return {"poor_score": False, "_xfail_checks": {
            "check_sample_weights_invariance": _ZERO_WEIGHTS,
            "check_sample_weight_equivalence": _ZERO_WEIGHTS,
        }}


_DOC = """

    scheme: how workers communicate, as in compare(): a name, or what trainyard.scheme() makes.
    workers, epochs, l2: options of compare(). batch: the same; None: 16, or all rows of a worker that has fewer. lr: None: the best step size for these rows, found by trials.
    model: of compare(); None: {model}.
    scale: how features are made alike; what is subtracted and divided by is kept, and used to predict.
    fit_intercept: whether a weight of its own belongs to no feature.
    warm_start: whether fit() goes on from the model of the fit before, whose features are scaled as its were.
    random_state: None is the same in every fit.
    Others: every option of compare() by its name, staleness=3. Time is simulated, and so is what a minibatch takes
        (compute_time, 1 ms): a fit is repeated to the bit.

    After fit(): {fitted}history_ (a DataFrame, one evaluation a row), parameters_, lr_, n_iter_ (steps of a worker),
    notes_, n_features_in_."""


class Classifier(ClassifierMixin, _Trained):
    def __init__(self, scheme="ring", workers=4, *, epochs=20, batch=None, lr=None, l2=1e-4, model=None,
                 scale="standard", fit_intercept=True, warm_start=False, class_weight=None, random_state=None, **options):
        super().__init__(scheme, workers, epochs=epochs, batch=batch, lr=lr, l2=l2, model=model, scale=scale,
                         fit_intercept=fit_intercept, warm_start=warm_start, random_state=random_state, **options)
        self.class_weight = class_weight

    def fit(self, X, y, sample_weight=None):
        features, labels = self._rows(X, y)
        check_classification_targets(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        start = self._start()
        if start is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(f"warm_start: found classes {list(classes)}; the fit before had {list(self.classes_)}")
        self.classes_ = classes
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, features, dtype=np.float32, only_non_negative=True)
        counted = codes if sample_weight is None else codes[sample_weight > 0]
        if len(np.unique(counted)) < 2:
            raise ValueError("all rows that count are of one class; expected two classes or more")
        weight = self.class_weight
        if isinstance(weight, dict):
            weight = {place: weight[label] for place, label in enumerate(self.classes_.tolist()) if label in weight}
        return self._train(features, codes, sample_weight, start, model=self.model, class_weight=weight or None)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One pass over these rows, from the model as it is.

        classes: all there are, in the first call. That call also finds the step size, where lr is None, and how features
        are scaled; both stay.
        """
        is_first = not hasattr(self, "kept_")
        features, labels = self._rows(X, y, reset=is_first, ensure_min_samples=1)
        check_classification_targets(labels)
        if is_first and classes is None:
            raise ValueError("classes: the first call of partial_fit() takes all of them")
        known = self.classes_ if classes is None else np.unique(classes)
        if not is_first and not np.array_equal(known, self.classes_):
            raise ValueError(f"classes: found {known.tolist()}; the first call had {self.classes_.tolist()}")
        if len(known) < 2:
            raise ValueError("classes: found one class; expected two classes or more")
        strange = ~np.isin(labels, known)
        if strange.any():
            raise ValueError(f"y: found {labels[strange].tolist()[0]!r}; expected one of {known.tolist()}")
        if self.class_weight == "balanced":
            raise ValueError("class_weight: \"balanced\" wants all rows, and partial_fit() has some; give a dict")
        self.classes_ = known
        codes = np.searchsorted(known, labels)
        weight = {place: self.class_weight[label] for place, label in enumerate(known.tolist())
                  if self.class_weight and label in self.class_weight and np.any(codes == place)}
        return self._train(features, codes, sample_weight, classes=np.arange(len(known)), model=self.model,
                           class_weight=weight or None, **self._one_pass())

    def predict_proba(self, X):
        """[rows, classes], in the order of classes_."""
        probabilities = self._said(X)[1]
        if probabilities is None:
            raise AttributeError(f"{self.kept_.name} gives no probabilities")
        return probabilities

    def predict(self, X):
        codes = self._said(X)[0]
        if codes is None:
            raise UsageError(f"model: {self.kept_.name} learns numbers, and no classes; Regressor takes it", option="model")
        return self.classes_[codes]


class Regressor(RegressorMixin, _Trained):
    def fit(self, X, y, sample_weight=None):
        features, numbers = self._rows(X, y, y_numeric=True)
        return self._fitted(features, numbers, sample_weight, start=self._start())

    def partial_fit(self, X, y, sample_weight=None):
        """One pass over these rows, from the model as it is. The first call finds the step size, where lr is None, and how
        features are scaled; both stay."""
        features, numbers = self._rows(X, y, reset=not hasattr(self, "kept_"), ensure_min_samples=1, y_numeric=True)
        return self._fitted(features, numbers, sample_weight, **self._one_pass())

    def _fitted(self, features, numbers, sample_weight, **options):
        return self._train(features, np.asarray(numbers, dtype=np.float64), sample_weight,
                           model=self.model or "least-squares", **options)

    def predict(self, X):
        return self._said(X)[2]


Classifier.__doc__ = "Logistic regression, softmax regression or a network, trained by many workers." + _DOC.format(
    model="logistic regression for two classes and softmax for more", fitted="classes_, ") + """
    class_weight: "balanced", or a dict of classes and their weights."""
Regressor.__doc__ = "Least squares, trained by many workers." + _DOC.format(model="least squares", fitted="")

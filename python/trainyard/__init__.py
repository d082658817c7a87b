"""Trainyard: one model, many workers, and what each way of making them talk costs.

    import trainyard as ty
    cmp = ty.compare(["ring", "gossip:one-peer-exp"], workers=8, latency="1ms")
    cmp.summary

compare() and run() train; predict(), break_even() and topology() work out; advise() does both; list() and options() say what
there is to choose from;
Classifier and Regressor are scikit-learn's.
"""

from . import _trainyard, errors
from ._trainyard import Server, Wait, Worker
from ._training import Contestant, compare, options, run, scheme
from .advice import Advice, ThreadAdvice, advise
from .analysis import break_even, list, mixing_matrices, predict, topology
from .comparison import Comparison, Run
from .errors import DataError, InternalError, RunError, TrainyardError, TrainyardWarning, UsageError
from .own_parts import codec_of, model_of, topology_of
from .own_scheme import axpy, hyperparameter, scheme_of

__version__ = _trainyard.version


def __getattr__(name):
    # scikit-learn takes a second to import, and not everybody has it.
    if name in ("Classifier", "Regressor"):
        from . import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'trainyard' has no attribute '{name}'")


# Without list(), which a `from trainyard import *` would put in the place of Python's own.
__all__ = ["Advice", "Classifier", "Comparison", "Contestant", "DataError", "InternalError", "Regressor", "Run", "RunError",
           "Server", "ThreadAdvice", "TrainyardError", "TrainyardWarning", "UsageError", "Wait", "Worker", "advise", "axpy",
           "break_even", "codec_of", "compare", "errors", "hyperparameter", "mixing_matrices", "model_of", "options",
           "predict", "run", "scheme", "scheme_of", "topology", "topology_of"]

"""advise(): what limits workers and what would change that; with data and a target, who is there first."""

import json
import warnings

from . import _trainyard
from ._options import settings_of, text_of, whole
from ._training import Teller, asked_of
from .analysis import number_of, schemes_text
from .errors import TrainyardWarning, UsageError, in_python

_ADVISED = {name.replace("-", "_"): None for name in [*_trainyard.advise_options(), "size"]}


class Advice:
    """What advise() found: `best`, `limits`, `levers`, `schemes`, `explanations`, `ways` and all of `json`."""

    def __init__(self, document, text):
        self.json = json.loads(document)
        self.text = text

    def _table(self, key):
        import pandas as pd

        return pd.DataFrame(self.json[key])

    @property
    def best(self):
        """The label of the scheme that is first at the target (None: nobody came there); without one, that is fastest."""
        target = self.json["target"]
        return self.json["schemes"][0]["label"] if target is None else _first(target["ways"], "label")

    @property
    def schemes(self):
        return self._table("schemes")

    @property
    def limits(self):
        """By how much a step of the best scheme would be shorter without each limit."""
        return self._table("limits")

    @property
    def levers(self):
        """What could be otherwise, and what that gains."""
        return self._table("levers")

    @property
    def ways(self):
        """Ways to talk by the time to the target, the soonest first, with their passes and step sizes."""
        import pandas as pd

        return pd.DataFrame((self.json["target"] or {"ways": []})["ways"])

    @property
    def explanations(self):
        """What alone would explain the measured rate."""
        measured = self.json["measured"] or {"explanations": []}
        import pandas as pd

        return pd.DataFrame(measured["explanations"])

    def __repr__(self):
        return self.text.rstrip()


class ThreadAdvice:
    """What advise(machines="shared") found: `best`, `threads`, `ways` and all of `json`."""

    def __init__(self, document, text):
        self.json = json.loads(document)
        self.text = text

    @property
    def best(self):
        """The way to share memory that is first at the target, or "sequential"; None: nobody came there."""
        return _first(self.json["ways"], "way")

    @property
    def threads(self):
        """With how many threads it is."""
        return _first(self.json["ways"], "threads")

    @property
    def ways(self):
        """Ways to share memory by the time to the target, the soonest first, each with its threads."""
        import pandas as pd

        return pd.DataFrame(self.json["ways"])

    def __repr__(self):
        return self.text.rstrip()


def _first(ways, key):
    return ways[0][key] if ways and ways[0]["seconds"] is not None else None


def _question(options, data, config):
    """(the library's settings but for the size, the size)."""
    size = options.pop("size", None)
    has_data = data is not None or config is not None or options.get("dataset") is not None
    if not has_data:
        for target in ("target_loss", "target_accuracy", "target_gradient"):
            if options.get(target) is not None:
                raise UsageError(f"{target}: of which data? expected data or config beside it", option=target)
        settings_of(options, _ADVISED, "advise()")  # refuses what is of training
    return has_data, "" if size is None else text_of(size, "size")


def advise(*, data=None, test=None, validation=None, sample_weight=None, config=None, machines="separate", measured=None,
           scheme=None, noise_scale=None, memory=None, seeds=3, progress=None, **options):
    """What limits workers of a given speed on links of a given speed, what would change that, and by how much.

    size: of the model, like "59MB". compute_time, bandwidth, workers, …: as the program's `advise` takes them.
    data, test, validation, sample_weight, config: as in compare(); the model is theirs then, and a minibatch is measured
        where nothing says what it takes. With target_loss=… or target_accuracy=… each way to talk trains to it, at its own
        best step size, and they are ranked by the time that they need; epochs=… bounds the passes [20].
    machines: "shared": the workers are threads of this machine; each way to share memory trains on its clock. Returns a
        ThreadAdvice.
    measured: rows a second of all workers, as somebody has measured it, of `scheme`: what would explain it.
    noise_scale: of the gradient, in rows: how many workers are worth having.
    memory: of each worker, like "16GiB": schemes that need more are left out.
    seeds: of runs to a target. progress: as in compare().
    """
    if machines not in ("separate", "shared"):
        raise UsageError(f"machines: found {machines!r}; expected 'separate' or 'shared'", option="machines",
                         found=repr(machines))
    question = _trainyard.AskedAdvice()
    question.has_data, question.size = _question(options, data, config)
    question.asked, rows = asked_of(config, options, data, test, validation, sample_weight)
    question.memory = "" if memory is None else text_of(memory, "memory")
    question.measured = number_of(measured, "measured")
    question.scheme = "" if scheme is None else schemes_text(scheme)
    question.noise_scale = number_of(noise_scale, "noise_scale")
    question.shared = machines == "shared"
    question.seeds = whole(seeds, "seeds", 1, 100)
    teller = Teller(progress)
    try:
        document, text, notes = _trainyard.advise(question, rows and rows.handle, teller if teller.progress else None)
    finally:
        teller.close()
    for note in notes:
        warnings.warn(in_python(note.removeprefix("note: ")), TrainyardWarning, stacklevel=2)
    return (ThreadAdvice if question.shared else Advice)(document, text)

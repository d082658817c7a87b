"""advise(): what limits workers and what would change that; with data and a target, who is there first."""

import json
import sys
import warnings

from . import _trainyard
from ._options import settings_of, text_of, whole
from ._training import Line, Teller, asked_of
from ._training import scheme as scheme_of_way
from .analysis import number_of, schemes_text
from .errors import TrainyardWarning, UsageError, in_python

_ADVISED = {name.replace("-", "_"): None for name in [*_trainyard.advise_options(), "size"]}


class _Answer:
    def __init__(self, document, text, interrupted=False):
        self.json = json.loads(document)
        self.text = text
        self.interrupted = interrupted

    def __repr__(self):
        return self.text.rstrip()


class Advice(_Answer):
    """What advise() found: `best`, `limits`, `levers`, `schemes`, `explanations`, `ways`, `winner`, `interrupted`
    and all of `json`."""

    def _table(self, key):
        import pandas as pd

        return pd.DataFrame(self.json[key])

    @property
    def best(self):
        """The label of the scheme that is first at the target (None: nobody came there); without one, that is fastest."""
        target = self.json["target"]
        return self.json["schemes"][0]["label"] if target is None else _first(target["ways"], "label")

    @property
    def winner(self):
        """What scheme() makes of the way that is first at the target, with its step sizes, for run() and compare();
        None: nobody came there, or no target was named."""
        ways = (self.json["target"] or {"ways": []})["ways"]
        if _first(ways, "scheme") is None:
            return None
        return scheme_of_way(ways[0]["scheme"], **{name.replace("-", "_"): text for name, text in ways[0]["settings"].items()})

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


class ThreadAdvice(_Answer):
    """What advise(machines="shared") found: `best`, `threads`, `ways`, `interrupted` and all of `json`."""

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


def _first(ways, key):
    return ways[0][key] if ways and ways[0]["seconds"] is not None else None


def _has_data(options, data, config, **beside):
    """Whether there is anything to train on. Refuses what goes with data alone, where there is none."""
    if data is not None or config is not None or options.get("dataset") is not None:
        return True
    targets = {name: options.get(name) for name in ("target_loss", "target_accuracy", "target_gradient")}
    for name, value in {**targets, **beside}.items():
        if value is not None:
            raise UsageError(f"{name}: of which data? expected data or config beside it", option=name)
    settings_of(options, _ADVISED, "advise()")  # refuses what is of training
    return False


class _Announcing(Line):
    """Says beforehand what is trained, and how long it may take; then how far each run is."""

    def __call__(self, news):
        if isinstance(news, str) and " trained " in news and news.startswith("note: "):
            print(news.removeprefix("note: "), file=sys.stderr)
        super().__call__(news)


def advise(*, data=None, test=None, validation=None, sample_weight=None, config=None, machines="separate", measured=None,
           scheme=None, noise_scale=None, memory=None, seeds=None, progress=None, **options):
    """What limits workers of a given speed on links of a given speed, what would change that, and by how much.

    size: of the model, like "59MB". compute_time, bandwidth, workers, …: as the program's `advise` takes them.
    data, test, validation, sample_weight, config: as in compare(), but that a file's schemes and target are left aside;
        the model is theirs then, and a minibatch is measured where nothing says what it takes. With target_loss=… or target_accuracy=… each way to talk trains to it, at its own
        best step size, and they are ranked by the time that they need; epochs=… bounds the passes [20].
    machines: "shared": the workers are threads of this machine; each way to share memory trains on its clock. Returns a
        ThreadAdvice.
    measured: rows a second of all workers, as somebody has measured it, of `scheme`: what would explain it.
    noise_scale: of the gradient, in rows, or "measured", in a pass over the data: how many workers are worth having.
    memory: of each worker, like "16GiB": schemes that need more are left out.
    seeds: of runs to a target [3, and 10 or 30 of who may be first; of threads 3]. progress: as in compare(); True says beforehand, too, how long it may take.

    Ctrl-C while runs are under way leaves what has ended, with a warning and `interrupted`.
    """
    if machines not in ("separate", "shared"):
        raise UsageError(f"machines: found {machines!r}; expected 'separate' or 'shared'", option="machines",
                         found=repr(machines))
    question = _trainyard.AskedAdvice()
    size = options.pop("size", None)
    question.size = "" if size is None else text_of(size, "size")
    question.has_data = _has_data(options, data, config, test=test, validation=validation, sample_weight=sample_weight)
    question.asked, rows = asked_of(config, options, data, test, validation, sample_weight)
    question.memory = "" if memory is None else text_of(memory, "memory")
    question.measured = number_of(measured, "measured")
    question.scheme = "" if scheme is None else schemes_text(scheme)
    question.measures_noise = isinstance(noise_scale, str) and noise_scale == "measured"
    question.noise_scale = None if question.measures_noise else number_of(noise_scale, "noise_scale")
    question.shared = machines == "shared"
    question.seeds = None if seeds is None else whole(seeds, "seeds", 1, 100)
    teller = Teller(_Announcing() if progress is True else progress)
    try:
        document, text, notes, interrupted = _trainyard.advise(question, rows and rows.handle, teller if teller.progress else None)
    finally:
        teller.close()
    for note in notes:
        warnings.warn(in_python(note.removeprefix("note: ")), TrainyardWarning, stacklevel=2)
    if interrupted:
        warnings.warn("interrupted: what has ended is there", TrainyardWarning, stacklevel=2)
    return (ThreadAdvice if question.shared else Advice)(document, text, interrupted)

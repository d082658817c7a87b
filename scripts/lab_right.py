"""Who is right in a lab, as its page has it (src/web/page/lab_guess.js): for sheets and grades."""

import math


def right_of(runs, figure, wanted):
    """Labels of the runs with the least or the most of a figure, and of those within half a percent of it, or less than one
    evaluation from it, where the curves are not the same. What is lacking, as a run's that diverged, is more than any number."""
    def value_of(run):
        is_lost = (figure == "train_loss" and run["diverged"]) or run[figure] is None
        return math.inf if is_lost else run[figure]

    values = [value_of(run) for run in runs]
    best = (max if wanted == "most" else min)(values)
    if math.isinf(best):
        return [run["label"] for run, value in zip(runs, values) if value == best] if wanted == "most" else []
    first = runs[values.index(best)]

    def is_near(run, value):
        ours = [one.get(key) for one in (first, run) for key in ("target_interval_s", "epochs_to_target")]
        if figure != "seconds_to_target" or math.isinf(value) or not all(ours):
            return False
        return abs(ours[1] / ours[3] - 1) >= 1e-3 and abs(value - best) < min(ours[0], ours[2])

    return [run["label"] for run, value in zip(runs, values)
            if value == best or abs(value - best) <= 0.005 * min(value, best) or is_near(run, value)]

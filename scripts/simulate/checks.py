"""What is wrong with one run, by its own accounts. Each check gives sentences, none where all is well."""

import json
import math
import re
from decimal import Decimal

NOT_FOR_USERS = re.compile(r"(?<!or a )defect|InternalError|terminate called|std::|bad_alloc|Assertion|Sanitizer|runtime error:")
# Up to here the nearest double of a time says which picosecond it is.
EXACT_SECONDS = 4000.0


def parsed(text):
    """Raises ValueError for what is no JSON, NaN and Infinity included."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def check_end(outcome):
    """How the process ended, and what it said."""
    if outcome.hung:
        yield "it did not end"
        return
    found = NOT_FOR_USERS.search(outcome.errors)
    if found:
        yield f"it says '{found.group()}'"
    if outcome.status not in (0, 2, 4):
        yield f"exit status {outcome.status}: {outcome.errors.strip()[-300:]}"
    if outcome.status == 2:
        lines = [line for line in outcome.errors.strip().split("\n") if not line.startswith(("note: ", "warning: "))]
        if outcome.output or len(lines) != 1 or not lines[0].startswith("trainyard: "):
            yield f"refused in {len(lines)} lines, with {len(outcome.output)} characters of output"
    if outcome.status in (0, 4):
        try:
            diverged = parsed(outcome.output)["diverged"]
        except ValueError as error:
            yield f"standard output is no JSON: {error}"
            return
        if diverged != (outcome.status == 4):
            yield f"diverged: {diverged}, exit status {outcome.status}"


def picoseconds(seconds):
    return round(Decimal(repr(seconds)).scaleb(12))


def near(a, b, share=1e-9):
    return math.isclose(a, b, rel_tol=share, abs_tol=1e-15)


def rows_of(result):
    """The ranks' accounts, a dictionary each."""
    ranks = result["ranks"]
    return [dict(zip(ranks, row)) for row in zip(*ranks.values())]


def accounts_are_lost(result):
    """A codec that was given a NaN ends a run without them."""
    return result["messages_dropped"] is None and result["diverged"]


def may_crash_for_good(world):
    """Some rank, or the run with it, or not with so few; or so often that it gets nowhere. Or the run is another one."""
    crashes = [word for word in (world.get("--fault") or "").split("+") if word.startswith("crash:")]
    rule = world.get("--on-failure") or "wait"
    never_back = any("-" not in word for word in crashes)
    return bool(crashes) and (rule in ("stop", "shrink") or never_back or (rule == "restart" and any("mtbf" in word for word in crashes)))


def check_time(world, result, in_lockstep):
    if accounts_are_lost(result):
        return
    rows = rows_of(result)
    total = result["seconds"]
    parts = ("compute_s", "transfer_s", "wait_s")
    for row in rows:
        times = [row[part] for part in parts]
        off = sum(map(picoseconds, times)) - picoseconds(total)
        if off and (total < EXACT_SECONDS or not near(sum(times), total, 1e-13)):
            yield f"rank {row['rank']}, a {row['role']}: {' + '.join(map(str, times))} is {off} ps more than {total}"
        if min(times) < 0:
            yield f"rank {row['rank']} has a negative time: {times}"
    workers = [row for row in rows if row["role"] == "worker"]
    if len(rows) - len(workers) != result["servers"]:
        yield f"{len(rows)} ranks, of which {len(workers)} are workers and {result['servers']} servers"
    for part in parts:
        mean = sum(row[part] for row in workers) / len(workers)
        if not near(mean, result["time_split"][part.removesuffix("_s")]):
            yield f"{part}: workers' mean is {mean}, the summary has {result['time_split']}"


def check_messages(world, result, in_lockstep):
    if accounts_are_lost(result):
        return
    sums = {name: sum(values) for name, values in result["ranks"].items() if name.startswith(("messages", "bytes"))}
    dropped = result["messages_dropped"]
    for key, name in (("messages", "messages_sent"), ("bytes_sent", "bytes_sent")):
        if sums[name] != result[key]:
            yield f"ranks have {name} {sums[name]}, the summary {result[key]}"
    if not 0 <= dropped <= result["messages"]:
        yield f"{dropped} of {result['messages']} messages were dropped"
    if sums["messages_received"] + dropped != sums["messages_sent"]:
        yield f"{sums['messages_sent']} messages sent, {sums['messages_received']} received, {dropped} dropped"
    if sums["bytes_received"] > sums["bytes_sent"] or (dropped == 0 and sums["bytes_received"] != sums["bytes_sent"]):
        yield f"{sums['bytes_sent']} bytes sent, {sums['bytes_received']} received, {dropped} messages dropped"
    loses = re.search("loss|partition", world.get("--fault") or "")
    if result["tries_lost"] is None or (result["tries_lost"] > 0 and not loses):
        yield f"tries lost: {result['tries_lost']}"


def check_course(world, result, in_lockstep):
    """Evaluations, and what the summary has of the last one."""
    looks = result["evaluations"]
    for name in ("step", "epoch", "seconds", "samples", "bytes_sent"):
        values = looks[name]
        if any(later < earlier for earlier, later in zip(values, values[1:])):
            yield f"{name} goes back: {values}"
        if values[0] != 0:
            yield f"{name} begins with {values[0]}"
    for key, name in (("steps", "step"), ("epochs", "epoch"), ("samples", "samples")):
        if looks[name][-1] != result[key]:
            yield f"{key}: {result[key]}, at the last evaluation {looks[name][-1]}"
    for key in ("seconds", "bytes_sent"):
        if looks[key][-1] > result[key]:
            yield f"{key}: {result[key]}, at the last evaluation {looks[key][-1]}"
    for samples, epoch in zip(looks["samples"], looks["epoch"]):
        if samples % result["batch"] or not near(samples / result["dataset"]["rows"], epoch):
            yield f"{samples} samples are {epoch} epochs of {result['dataset']['rows']} rows, {result['batch']} at a time"
    if result["samples"] > result["samples_computed"] or result["gradients"] != result["samples_computed"] // result["batch"]:
        yield f"samples {result['samples']}, computed {result['samples_computed']}, gradients {result['gradients']}"
    if any(loss is None for loss in looks["train_loss"]) and not result["diverged"]:
        yield f"a loss is not finite, and the run has not diverged: {looks['train_loss']}"
    yield from check_budget(world, result, in_lockstep)


def check_budget(world, result, in_lockstep):
    """Who is not ended by anything else does all the steps; who ends by a target is there."""
    target = world.get("--target-loss")
    losses = result["evaluations"]["train_loss"]
    reached = target is not None and any(loss is not None and loss <= float(target) for loss in losses)
    if target is not None and (result["seconds_to_target"] is not None) != reached:
        yield f"losses {losses}, target {target}, reached after {result['seconds_to_target']}"
    others = ("--epochs", "--seconds", "--patience", "--target-loss", "--target-gradient")
    steps = world.get("--steps")
    if steps is None or result["diverged"] or any(world.has(flag) for flag in others) or may_crash_for_good(world):
        return
    # Where nobody waits for all, work may be called off that others have made needless. Federated rounds may be a deadline.
    least = float(steps) if in_lockstep else float(steps) - 1
    if world.get("--local-steps") not in (None, "equal"):
        least = 0.0
    if not least <= result["steps"] <= float(steps):
        yield f"{result['steps']} steps of {steps}"


def check_figures(world, result, in_lockstep):
    def between(name, value, low, high):
        if value is not None and not low <= value <= high:
            yield f"{name}: {value} is not from {low} to {high}"

    looks = result["evaluations"]
    for name in ("consensus_distance", "squared_gradient_norm", "row_variance", "worker_variance"):
        for value in [result.get(name), *(looks[name] or [])]:
            if not isinstance(value, (dict, str)):
                yield from between(name, value, 0.0, math.inf)
    for name in ("test_accuracy", "validation_accuracy"):
        for value in [result[name], *(looks[name] or [])]:
            yield from between(name, value, 0.0, 1.0)
    for name in () if accounts_are_lost(result) else ("coding_s", "lines_s"):
        yield from between(name, result[name], 0.0, result["time_split"]["compute"] * (1 + 1e-9))
    yield from between("compression", result["compression"], 0.0, math.inf)
    yield from between("coding_error", result["coding_error"], 0.0, math.inf)
    if result["seconds"] > 0 and not near(result["samples_per_second"], result["samples"] / result["seconds"]):
        yield f"samples_per_second: {result['samples_per_second']}"
    yield from check_staleness(result)


def check_staleness(result):
    stale, counted = result["staleness"], result["updates_by_staleness"]
    if (stale is None) != (counted is None):
        yield f"staleness: {stale}, updates by staleness: {counted}"
    if stale is None or counted is None:
        return
    if not 0 <= stale["p50"] <= stale["p99"] <= stale["max"] or not 0 <= stale["mean"] <= stale["max"]:
        yield f"staleness: {stale}"
    updates = sum(counted["updates"])
    mean = sum(a * b for a, b in zip(counted["staleness"], counted["updates"])) / updates
    if max(counted["staleness"]) != stale["max"] or not near(mean, stale["mean"]):
        yield f"staleness: {stale}, by updates {mean}, at most {max(counted['staleness'])}"


# Of (world, result, whether nothing of it goes by the clock).
ACCOUNTS = {"time": check_time, "messages": check_messages, "course": check_course, "figures": check_figures}

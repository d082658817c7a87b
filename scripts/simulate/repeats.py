"""What is wrong with a run when it is made again, in ways that should change nothing."""

import os
import pathlib
import shutil
import threading

from checks import accounts_are_lost, may_crash_for_good, parsed

# Longer ones, of more ranks, take longer on threads than they tell.
LONGEST_ON_THREADS = 0.3  # seconds
MOST_RANKS_ON_THREADS = 10
MOST_LEGS = 400


def differences(once, again, but=()):
    """The first few keys of two results that differ."""
    keys = [key for key in once if key not in but and once[key] != again.get(key)]
    return "; ".join(f"{key}: {shortened(once[key])}, then {shortened(again.get(key))}" for key in keys[:3])


def shortened(value):
    text = str(value)
    return text if len(text) < 100 else text[:97] + "…"


def other_end(once, again, how):
    if again.hung:
        yield f"{how} it did not end"
    elif once.status != again.status:
        yield f"{how} exit status {again.status}, before {once.status}: {again.errors.strip()[-300:]}"


def same_output(once, again, how):
    """Bit for bit, what it said included."""
    ends = list(other_end(once, again, how))
    if ends:
        yield from ends
    elif once.output != again.output:
        yield f"{how} another result: {differences(parsed(once.output), parsed(again.output))}"
    elif once.errors != again.errors:
        yield f"{how} it says something else: {shortened(again.errors)}"


def check_again(runner, offer, world, outcome):
    yield from same_output(outcome, runner.run(world.arguments()), "the second time")


def check_pinned(runner, offer, world, outcome):
    core = min(os.sched_getaffinity(0))
    yield from same_output(outcome, runner.run(world.arguments(), core), "on one core")


def check_file(runner, offer, world, outcome):
    """The configuration that a result has makes the same result."""
    once = parsed(outcome.output)
    name = f"{threading.get_ident()}.toml"  # others run at the same time
    path = pathlib.Path(runner.folder) / name
    path.write_text(once["configuration"])
    again = runner.run(["run", name, "--json", "--quiet"])
    path.unlink()
    ends = list(other_end(outcome, again, "from its configuration"))
    if ends:
        yield from ends
        return
    # Of what was worked out and stands there as given there is no note any more.
    found = differences(once, parsed(again.output), but=("command", "notes"))
    if found:
        yield f"from its configuration another result: {found}"


def has_faults(offer, world, outcome):
    is_ended_by_nan = accounts_are_lost(parsed(outcome.output))
    comes_in_the_end = world.get("--retransmit") != "never" and not may_crash_for_good(world)
    return world.has("--fault") and offer.is_in_lockstep(world) and comes_in_the_end and not is_ended_by_nan


def check_faults(runner, offer, world, outcome):
    """Who waits for all learns the same without faults."""
    again = runner.run(world.without("--fault", "--retransmit", "--on-failure").arguments())
    ends = list(other_end(outcome, again, "without faults"))
    if ends:
        yield from ends
        return
    once, whole = parsed(outcome.output), parsed(again.output)
    yield from same_model(world, once, whole, "without faults")


def same_model(world, once, again, how, more=()):
    """And what was sent for it, where no look ends the run: then the clock says how much more was sent meanwhile."""
    keys = ["model_hash", "steps", "samples"]
    if not once["diverged"] and not once["crashes"] and not any(world.has(flag) for flag in ("--target-loss", "--target-gradient", "--patience")):
        keys += ["messages", "bytes_sent", *more]
    for key in keys:
        if once[key] != again[key]:
            yield f"{how} {key} {again[key]}, before {once[key]}"


def is_for_threads(offer, world, outcome):
    once = parsed(outcome.output)
    ranks = once["workers"] + once["servers"]
    if accounts_are_lost(once):
        return False  # how far the others are when a codec meets a NaN, the clock says
    if world.get("--retransmit") == "never" and "@" in world.get("--fault"):
        return False  # and so it does of what is lost for good
    return offer.is_in_lockstep(world) and ranks <= MOST_RANKS_ON_THREADS and once["seconds"] <= LONGEST_ON_THREADS


def check_threads(runner, offer, world, outcome):
    """In wall the bits of virtual."""
    once = parsed(outcome.output)
    again = runner.run(world.having("--time", "wall").arguments())
    ends = list(other_end(outcome, again, "on threads"))
    if ends:
        yield from ends if again.status != 2 else ()  # what threads cannot do is refused
        return
    # With a stretch of time the clock says which messages meet a fault.
    more = () if "@" in (world.get("--fault") or "") else ("tries_lost",)
    yield from same_model(world, once, parsed(again.output), "on threads", more)


def is_in_legs(offer, world, outcome):
    """A few hundred legs at most, each of which waits for the disk."""
    every = world.get("--checkpoint-every")
    if every is None or every.endswith("s"):  # a duration is a part of the run
        return every is not None
    return parsed(outcome.output)["epochs"] <= MOST_LEGS * float(every)


def check_killed(runner, offer, world, outcome):
    """Killed when it has made a checkpoint, and resumed from it, it is the run that was not."""
    folder = pathlib.Path(runner.folder) / f"{threading.get_ident()}-checkpoints"
    is_there = lambda: any(folder.glob("checkpoint-*.npz"))
    runner.run_until([*world.arguments(), "--checkpoint", folder.name], is_there)
    if not is_there():
        shutil.rmtree(folder, ignore_errors=True)
        return  # it is shorter than a leg
    again = runner.run(["run", "--resume", folder.name, "--json", "--quiet"])
    shutil.rmtree(folder)
    ends = list(other_end(outcome, again, "killed and resumed"))
    if ends:
        yield from ends
        return
    found = differences(parsed(outcome.output), parsed(again.output), but=("command", "notes"))
    if found:
        yield f"killed and resumed another result: {found}"


def always(offer, world, outcome):
    return True


# Of each name when it is looked at, and how.
REPEATS = {
    "again": (always, check_again), "pinned": (always, check_pinned), "file": (always, check_file),
    "killed": (is_in_legs, check_killed), "faults": (has_faults, check_faults), "threads": (is_for_threads, check_threads),
}

"""What is wrong with what became of a call. Each judge gives sentences, none where all is well."""

import json
import os
import re
import signal
import tomllib
import xml.etree.ElementTree

RESULTS = {"config.toml", "metrics.jsonl", "model.npy", "ranks.csv", "summary.json"}
NOT_FOR_USERS = re.compile(
    rb"(?<!or a )defect|InternalError|terminate called|basic_string|vector::|std::|bad_alloc|invalid argument: sto"
    rb"|filesystem error|Assertion|core dumped|pthread_create|json\.exception"
)
STEERS_A_TERMINAL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c")
OF_SANITIZERS = re.compile(rb"(Address|Thread|Leak|Memory|UndefinedBehavior)Sanitizer|runtime error:")
LONGEST_MESSAGE = 2000
MIB = 1 << 20


def parse_json(text):
    """The value; raises ValueError for what is no JSON, NaN and Infinity included."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


def judge_end(call, outcome):
    """How the process ended."""
    if outcome.hung:
        after = f" after {', '.join(outcome.sent)}" if outcome.sent else ""
        yield f"hangs{after}: still there after {outcome.seconds:.0f} s"
        return
    took = outcome.seconds - outcome.sent_at
    if call.ends_within and outcome.sent and took > call.ends_within:
        yield f"ends {took:.1f} s after SIG{outcome.sent[0]}"
    if outcome.signal:
        asked = [f"SIG{name}" for name in outcome.sent]
        reader_left = ">(" in outcome.command.redirect
        name = signal.Signals(outcome.signal).name
        if name not in asked and not (name == "SIGPIPE" and reader_left):
            yield f"ended by {name}"
        return
    accepted = set(call.accepted) | ({130} if outcome.sent else set())
    if outcome.status not in accepted:
        yield f"exit status {outcome.status}, not one of {sorted(accepted)}"


def judge_messages(call, outcome):
    """What it said on standard error."""
    for pattern in (NOT_FOR_USERS, OF_SANITIZERS):
        found = pattern.search(outcome.errors)
        if found:
            yield f"says '{found.group().decode()}'"
    for stream, text in (("error", outcome.errors), ("output", outcome.output if is_for_people(outcome) else b"")):
        found = STEERS_A_TERMINAL.search(text)
        if found:
            yield f"standard {stream} steers the terminal: {found.group()!r}"
    if outcome.hung or outcome.signal:
        return
    heard = not re.search(r"2>|>\(", outcome.command.redirect) and "ulimit -f" not in outcome.command.limits
    if outcome.status in (1, 2, 3, 4) and heard:
        if b"trainyard" not in outcome.errors:
            yield f"exit status {outcome.status} without a message"
        for line in outcome.errors.split(b"\n"):
            if len(line) > LONGEST_MESSAGE:
                yield f"a message of {len(line)} characters"


def is_for_people(outcome):
    """Tables: JSON, CSV and figures have the names as they are."""
    files = ("--json", "--format", "/dev/stdout", "-")
    words = outcome.command.arguments
    return not outcome.output.startswith(b"{") and not any(word == file or word.startswith(file + "=") for word in words for file in files)


def judge_memory(call, outcome):
    if outcome.memory > call.memory:
        yield f"took {outcome.memory // MIB} MiB of memory, more than {call.memory // MIB}"


def judge_output(call, outcome):
    """JSON on standard output."""
    command = outcome.command
    wanted = "--json" in command.arguments or command.flag("--format") == "json"
    to_us = not re.search("(^| )1?>", command.redirect)
    if not wanted or not to_us or outcome.signal or outcome.hung or "ulimit -f" in command.limits:
        return
    if outcome.status not in (0, 4) and not outcome.output:
        return
    try:
        parse_json(outcome.output)
    except ValueError as error:
        yield f"standard output is no JSON: {error}"


def judge_files(call, outcomes, before, after):
    """Nothing but the outputs is new, and what was there stays as it was."""
    outputs = [os.path.normpath(os.path.join("work", path)) for path in call.outputs]
    replaceable = [os.path.normpath(os.path.join("work", path)) for path in call.replaceable]
    died = any(outcome.signal or outcome.hung for outcome in outcomes)
    for path, what in before.items():
        if after.get(path) != what and path not in replaceable:
            yield f"{'removed' if path not in after else 'changed'} {path}"
    for path in after.keys() - before.keys():
        below = any(path == output or path.startswith(output + "/") for output in outputs)
        below = below or any(path.startswith(os.path.splitext(output)[0] + "-") for output in outputs)  # traces of compare
        # Who is killed cannot clean up what it was writing beside the output.
        beside = died and any(path.startswith(output + ".") for output in outputs)
        above = any(output.startswith(path + "/") and output in after for output in outputs)  # made on the way to one
        if not below and not beside and not above:
            yield f"new file {path}"


def judge_leavings(call, outcomes, house):
    """Who is interrupted before there are results leaves nothing that looks like some."""
    if not outcomes or any(outcome.status != 130 or outcome.signal or outcome.hung for outcome in outcomes):
        return
    for folder, folders, files in os.walk(house):
        for name in folders + files:
            if name.endswith(".probe") or (name.endswith(".partial") and name in files):
                yield f"left {name} when interrupted"
        if folder.endswith(".partial") and os.path.getsize(os.path.join(folder, "metrics.jsonl") if "metrics.jsonl" in files else os.devnull) == 0:
            yield f"left {os.path.basename(folder)} without an evaluation when interrupted"


def judge_results(call, outcomes, house):
    """Results folders are whole; who ends well leaves one for each scheme."""
    for outcome in outcomes:
        command = outcome.command
        verb = command.arguments[0] if command.arguments else ""
        for name, check in (("--svg", check_svg), ("--trace", check_trace)):
            value = command.flag(name)
            path = os.path.join(house, "work", value) if value else ""
            if value and outcome.status == 0 and verb != "compare":
                yield from check(path, value)
        out = command.flag("--out")
        if verb not in ("run", "compare") or not out or call.kind == "outputs: devices":
            continue
        folder = os.path.join(house, "work", out)
        # Who is ended because a reader left has computed everything, as far as it knew.
        ended_well = outcome.status == 0 or signal.SIGPIPE == outcome.signal
        names = schemes_of(command) if ended_well else found_in(folder)
        if outcome.status == 130 and not found_in(folder) and b"results so far" in outcome.errors:
            yield f"{out} holds nothing after an interrupt"
        for name in names:
            yield from whole(os.path.join(folder, name), name)


def schemes_of(command):
    if command.arguments[0] == "run":
        scheme = command.flag("--scheme")
        configured = any(word.endswith(".toml") for word in command.arguments)
        return [scheme or "ring"] if scheme or not configured else []
    return (command.flag("--schemes") or "").split(",") if "all" not in (command.flag("--schemes") or "all") else []


def found_in(out):
    """Folders that claim to be results: not those under way, nor what lay there before."""
    if not os.path.isdir(out):
        return []
    return [
        name for name in sorted(os.listdir(out))
        if os.path.isfile(os.path.join(out, name, "summary.json")) and "partial" not in name
        and not os.path.exists(os.path.join(out, name, "notes.txt"))
    ]


def whole(folder, name):
    """What is missing or broken in a results folder."""
    if not os.path.isdir(folder):
        yield f"no results folder of {name}"
        return
    missing = RESULTS - set(os.listdir(folder))
    if missing:
        yield f"results of {name} without {', '.join(sorted(missing))}"
        return
    try:
        with open(os.path.join(folder, "config.toml"), "rb") as file:
            configuration = tomllib.load(file)
        with open(os.path.join(folder, "summary.json"), "rb") as file:
            summary = parse_json(file.read())
        with open(os.path.join(folder, "metrics.jsonl"), "rb") as file:
            for line in file:
                parse_json(line)
    except ValueError as error:  # of TOML and JSON alike
        yield f"results of {name} cannot be read: {error}"
        return
    for key in ("seed", "workers", "scheme"):
        if configuration["run"][key] != summary[key]:
            yield f"results of {name} mix {key} {configuration['run'][key]} and {summary[key]}"


def check_svg(path, name):
    if not os.path.isfile(path):
        return
    try:
        xml.etree.ElementTree.parse(path)
    except xml.etree.ElementTree.ParseError as error:
        yield f"{name} is no XML: {error}"


def check_trace(path, name):
    if not os.path.isfile(path):
        return
    try:
        with open(path, "rb") as file:
            parse_json(file.read())
    except ValueError as error:
        yield f"{name} is no JSON: {error}"


def judge_same(call, outcomes, after):
    """Two commands of the same meaning print and write the same."""
    if not call.same_bytes:
        return
    first, second = outcomes
    if (first.status, first.output) != (second.status, second.output):
        yield f"prints something else the second time (exit statuses {first.status}, {second.status})"
    trees = [{}, {}]
    for path, what in after.items():
        for tree, outcome in zip(trees, outcomes):
            out = "work/" + outcome.command.flag("--out") + "/"
            if path.startswith(out):
                tree[path[len(out):]] = what
    for name in sorted(trees[0].keys() | trees[1].keys()):
        if trees[0].get(name) != trees[1].get(name):
            yield f"writes another {name} the second time"


def judge(call, outcomes, before, after, house):
    """All that is wrong with a call."""
    found = []
    for outcome in outcomes:
        for single in (judge_end, judge_messages, judge_memory, judge_output):
            found += single(call, outcome)
    found += judge_files(call, outcomes, before, after)
    found += judge_leavings(call, outcomes, house)
    found += judge_results(call, outcomes, house)
    found += judge_same(call, outcomes, after)
    return found

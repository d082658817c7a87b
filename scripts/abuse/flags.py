"""Calls about the command line: each flag with bad values, and good flags in strange company."""

from call import Call, Command
from values import LASTING, WRITTEN, bad_values, good_value

# What each command does without harm, in a few milliseconds.
BASE = {
    "run": {"--dataset": "data.svm", "--time": "virtual", "--compute-time": "1ms", "--steps": "4", "--workers": "3"},
    "compare": {"--dataset": "data.svm", "--time": "virtual", "--compute-time": "1ms", "--steps": "3", "--workers": "2",
                "--schemes": "ring,ps-async"},
    "predict": {"--workers": "4", "--schemes": "ring,ps-async,gossip:ring"}, "netcheck": {"--workers": "3", "--size": "1kB"}, "timeline": {"": "ring"},
    "topology": {"": "ring"}, "list": {"": "schemes"},
    "split": {"--dataset": "data.svm", "--workers": "3", "--out": "rows.split"},
}
POSITIONAL = {"run": "x.toml", "compare": "x.toml", "timeline": "gossip", "topology": "torus", "list": "models"}


def words_of(command, options):
    """The command line; the option '' is the positional argument, None the value of a switch."""
    words = [command]
    for name, value in options.items():
        words += [name] * bool(name) + ([] if value is None else [value])
    return words


def data_file(draw, rows=40, features=6):
    """A small data set of two classes."""
    lines = []
    for _ in range(rows):
        values = " ".join(f"{i + 1}:{draw.uniform(-1, 1):.4f}" for i in range(features) if draw.random() < 0.7)
        lines.append(f"{draw.choice(['+1', '-1'])} {values}".rstrip())
    return ("\n".join(lines) + "\n").encode()


def owner_of(flag, surface):
    """A scheme that takes the flag; None for flags of all."""
    return next((scheme.name for scheme in surface.schemes if flag.name in scheme.takes), None)


def flag_call(command, flag, surface, draw):
    options = dict(BASE.get(command, {}))
    owner = owner_of(flag, surface)
    if owner and draw.random() < 0.7 and "--scheme" in surface.commands[command]:
        options["--scheme"] = owner
    if not flag.placeholder:
        options[flag.name] = None
    else:
        options[flag.name] = draw.choice(bad_values(flag))
    words = words_of(command, options)
    if flag.placeholder and draw.random() < 0.1:  # --flag=VALUE, the same flag twice, or no value
        place = words.index(flag.name)
        words[place:place + 2] = draw.choice([
            [flag.name + "=" + words[place + 1]], [flag.name], words[place:place + 2] * 2,
        ])
    outputs = tuple(value for name, value in options.items() if name in WRITTEN and value)
    if flag.name == "--chakra" and options[flag.name]:  # a file for each rank
        outputs += tuple(f"{options[flag.name]}.{rank}.et" for rank in range(64))
    lasts = flag.name in LASTING or command == "lab"  # whose good values make a server, which ends when it is told to
    return Call(
        f"flags: {command} {flag.name}", [Command(words)], {"data.svm": data_file(draw)}, outputs=outputs,
        may_last=lasts, accepted=(0, 1, 2, 3, 4) if lasts or flag.name in WRITTEN else (0, 2, 3, 4),
    )


def positional_call(command, draw):
    options = dict(BASE.get(command, {}))
    options[""] = draw.choice(bad_values(type("Any", (), {"name": ""})))
    return Call(f"flags: {command}", [Command(words_of(command, options))], {"data.svm": data_file(draw)}, may_last=True)


def single_flags(surface, draw):
    """Endless: each flag of each command in turn, with a value of the pool."""
    while True:
        for command, flags in surface.commands.items():
            for flag in flags.values():
                yield flag_call(command, flag, surface, draw)
            if command in POSITIONAL:
                yield positional_call(command, draw)


def budget(draw):
    """All of these end soon, on small data."""
    return draw.choice([{"--steps": "5"}, {"--epochs": "1"}, {"--seconds": "10ms"}, {"--steps": "30"}])


def combinations(surface, draw):
    """Endless: several good flags at once. All of these end by themselves."""
    while True:
        command = draw.choice(["run"] * 5 + ["compare"] * 2 + ["predict", "timeline", "topology", "netcheck", "consensus"])
        options = {key: value for key, value in BASE.get(command, {}).items() if key != "--steps"}
        scheme = draw.choice(surface.schemes)
        names = [name for name in surface.commands[command] if name not in WRITTEN | {"--dataset", "--schemes"}]
        names = draw.sample(names, min(len(names), draw.randint(1, 6)))
        if command == "run":
            options["--scheme"] = scheme.name
        if command == "predict":
            options |= {"--schemes": scheme.name, "--size": "96kB"}  # --break-even rehearses every codec
        if command == "compare":
            options["--schemes"] = ",".join(sorted({scheme.name, draw.choice(surface.schemes).name, "hogwild"}))
        if command in ("run", "compare"):
            options.update(budget(draw))
            names += scheme.takes
        for name in names:
            flag = surface.commands[command].get(name)
            if not flag or name in ("--seconds", "--steps", "--epochs", "--scheme", "--tune-lr", "--continue"):
                continue
            value = good_value(flag, surface, draw) if flag.placeholder else None
            if value is not None or not flag.placeholder:
                options[name] = value
        if command in ("run", "compare") and draw.random() < 0.15:  # does the clock get anywhere?
            options = {key: value for key, value in options.items() if key not in ("--steps", "--epochs")}
            options |= {"--compute-time": "0s", "--seconds": "1ms"}  # short: where only a codec takes time, steps take 5 ns
            options |= draw.choice([{}, {"--latency": "10us"}, {"--bandwidth": "1Gbps"}, {"--workers": "1", "--latency": "10us"}])
        yield Call(f"combination: {command}", [Command(words_of(command, options))], {"data.svm": data_file(draw)},
                   accepted=(0, 1, 2, 3, 4))


def repetitions(surface, draw):
    """Endless: every scheme in turn, twice, in simulated time."""
    network = ["--latency", "--bandwidth", "--ports", "--jitter", "--charge-control", "--straggler", "--compute-noise",
               "--pause", "--batch", "--lr", "--order", "--partition", "--replacement", "--momentum", "--model"]
    while True:
        for scheme in surface.schemes:
            flags = surface.commands["run"]
            options = dict(BASE["run"]) | {"--scheme": scheme.name, "--steps": str(draw.randint(3, 20)), "--json": None}
            options["--workers"] = draw.choice(["2", "3", "4", "5", "8"])
            for name in scheme.takes + draw.sample(network, 3):
                if name in flags:
                    value = good_value(flags[name], surface, draw) if flags[name].placeholder else None
                    if value is not None or not flags[name].placeholder:
                        options[name] = value
            if options["--compute-time"] == "0s":
                options["--compute-time"] = "1ms"
            commands = [Command(words_of("run", options | {"--out": out})) for out in ("first", "second")]
            yield Call(f"twice: {scheme.name}", commands, {"data.svm": data_file(draw)}, outputs=("first", "second"),
                       same_bytes=True)

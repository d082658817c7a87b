"""Calls in hostile surroundings: signals, limits, broken streams, outputs where something lies."""

from call import MIB, Call, Command
from flags import data_file

QUICK = ["run", "--dataset", "data.svm", "--time", "virtual", "--compute-time", "1ms", "--workers", "3", "--steps", "5"]


def moment(draw):
    """Seconds from the start: as often a millisecond as half a second."""
    return 10 ** draw.uniform(-3, -0.2)


def signal_call(draw):
    words = ["run", "--scheme", draw.choice(["ring", "ps-sync", "ps-async", "gossip", "hogwild", "local-sgd", "ad-psgd", "ssp"])]
    if draw.random() < 0.3:
        words = ["compare", "--schemes", "ring,ps-async,gossip"]
    words += ["--workers", draw.choice(["1", "2", "5"]), "--epochs", "1000000000", "--evaluate-every", draw.choice(["1", "100"])]
    words += draw.choice([["--time", "wall"], ["--time", "virtual", "--compute-time", "1ms"]])
    words += draw.choice([["--dataset", "data.svm"], ["--dataset", "data.svm", "--model", "mlp:20"], []])
    words += draw.choice([["--out", "out"], ["--out", "out"], ["--json"], ["--out", "out", "--trace", "trace.json"]])
    if draw.random() < 0.1 and words[0] == "compare":
        words += ["--tune-lr"]
    signals = [(moment(draw), draw.choice(["INT", "INT", "TERM", "HUP"]))]
    if draw.random() < 0.3:
        signals.append((signals[0][0] + 10 ** draw.uniform(-3, -1), draw.choice(["INT", "TERM"])))
    outputs = ("out", "trace.json", "trace-ring.json", "trace-ps-async.json", "trace-gossip.json")
    return Call("signals", [Command(words, signals=tuple(signals))], {"data.svm": data_file(draw)}, outputs=outputs,
                accepted=())


def pressure_call(surface, draw):
    """More messages than a network takes, on threads; most are interrupted, and end at once, whatever they wait for."""
    scheme = draw.choice(surface.schemes)
    options = {"--send-probability": "1", "--period": "1", "--push-period": "1", "--fetch-period": "1000000", "--staleness": "50"}
    words = ["run", "--scheme", scheme.name, "--time", "wall", "--dataset", "data.svm", "--batch", "1", "--lr", "0.001", "--out", "out", "--evaluate-every", "1000"]
    for name, value in options.items():
        if name in scheme.takes and draw.random() < 0.7:
            words += [name, value]
    if {"--stages", "--tensor-size"} & set(scheme.takes):
        words += ["--model", "mlp:12"]
    words += ["--workers", draw.choice(["2", "3", "4", "6"]), "--latency", draw.choice(["0us", "1ms", "1ms", "20ms", "20ms"])]
    words += draw.choice([[], [], ["--bandwidth", "1Mbps"], ["--straggler", "0:1000"], ["--straggler", "1:1000000"], ["--pause", "0.5:10s"]])
    if draw.random() < 0.2 and "--straggler" not in words and "--pause" not in words:
        return Call("pressure", [Command([*words, "--steps", "10"])], {"data.svm": data_file(draw)}, outputs=("out",), accepted=(0, 2, 4))
    signals = ((10 ** draw.uniform(-1.5, 0.3), draw.choice(["INT", "TERM"])),)
    return Call("pressure", [Command([*words, "--steps", "1000000000"], signals=signals)], {"data.svm": data_file(draw)},
                outputs=("out",), accepted=(0, 2, 4), ends_within=2.0)


def limit_call(draw, can_change_user):
    time = draw.choice([["--time", "wall"], ["--time", "wall"], ["--time", "virtual", "--compute-time", "1ms"]])
    workers = draw.choice(["2", "8", "64", "64"])
    words = ["run", "--dataset", "data.svm", *time, "--workers", workers, "--steps", "5", "--out", "out"]
    words += draw.choice([[], ["--scheme", draw.choice(["gossip", "ps-async", "hogwild", "local-sgd", "tree-easgd"])]])
    if draw.random() < 0.2:
        words = draw.choice([
            ["netcheck", "--time", "wall", "--workers", workers, "--repetitions", "2"], ["predict", "--workers", "64", "--schemes", "ring,gossip"],
            ["topology", "static-exp", "--workers", "256", "--svg", "out.svg"], ["compare", *time, "--workers", workers, "--steps", "5",
                                                                             "--out", "out", "--dataset", "data.svm"],
        ])
    user = 0
    kind = draw.choice(["-v", "-v", "-u", "-f", "-n"])
    if kind == "-u" and not can_change_user:
        kind = "-v"
    if kind == "-u":
        user = 40000 + draw.randrange(20000)
    value = {
        "-v": lambda: int(10 ** draw.uniform(4.2, 6.0)),  # 16 MB to 1 GB, in kB; with less than the program's own 12 the kernel ends it
        "-u": lambda: draw.randint(1, 40), "-f": lambda: draw.choice([0, 1, 1, 2, 4]), "-n": lambda: draw.randint(4, 12),
    }[kind]()
    limits = f"ulimit {kind} {value};"
    accepted = (0, 1) if kind in ("-u", "-f") else (0, 1, 2, 3)
    if kind == "-v" and value < 30000:
        accepted = (0, 1, 2, 3, 127)  # too little even for the dynamic linker
    return Call(f"limits: ulimit {kind}", [Command(words, limits=limits, user=user)], {"data.svm": data_file(draw, 100)},
                outputs=("out", "out.svg"), accepted=accepted)


ENVIRONMENTS = [
    "HWLOC_COMPONENTS=-all,stop", "HWLOC_COMPONENTS=stop", "HWLOC_XMLFILE=/missing", "HWLOC_SYNTHETIC=pack:2", "TMPDIR=/missing",
    "HOME=", "PATH=", "LC_ALL=missing", "LANG=C", "TERM=missing", "COLUMNS=1", "TBB_VERSION=1", "OMP_NUM_THREADS=0",
]


def environment_call(draw):
    """Variables that some library reads, and that say nothing useful."""
    words = draw.choice([
        QUICK, [*QUICK, "--out", "out"], ["machine"], ["machine", "--workers", "3"], ["predict", "--schemes", "ring,gossip"],
        ["run", "--dataset", "data.svm", "--time", "wall", "--workers", "2", "--steps", "5"], ["netcheck", "--workers", "2", "--time", "wall"],
    ])
    return Call("limits: environment", [Command(words, limits=f"export {draw.choice(ENVIRONMENTS)};")], {"data.svm": data_file(draw)},
                outputs=("out",), accepted=(0,))


NAMES = ["bad\udcff.svm", "\x1b[31mred.svm", "\u202emvs.svm", "two words.svm", "a'b\"c.svm", "100%.svm", "caf\u00e9.svm", "%FF.svm", "$HOME.svm"]


def name_call(draw):
    """A data set of an odd name: what config.toml says of it repeats the run."""
    name = draw.choice(NAMES)
    first = ["run", "--dataset", f"./{name}", *QUICK[3:], "--out", "out"]
    again = ["run", "out/ring/config.toml", "--out", "again"]
    return Call("outputs: names", [Command(first), Command(again)], {name: data_file(draw)}, outputs=("out", "again"), accepted=(0,),
                same_bytes=True)


STREAMS = [
    "<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">&- 2>&-", "<&- 2>&-", ">/dev/full", "2>/dev/full", ">/dev/full 2>&1", ">/dev/full 2>&-",
    "> >(exec 0<&-)", "> >(head -c 30 >/dev/null)", "2> >(exec 0<&-)", "2> >(head -c 30 >/dev/null)", "</dev/full",
]


def stream_call(draw):
    redirect = draw.choice(STREAMS)
    words = draw.choice([
        QUICK, [*QUICK, "--out", "out"], [*QUICK, "--out", "out"], [*QUICK, "--nosuch"], [*QUICK, "--json", "--trace", "trace.json"],
        ["compare", *QUICK[1:], "--schemes", "ring,gossip", "--out", "out"], ["--help"], ["run", "--help"], ["list", "schemes"],
        ["topology", "torus", "--workers", "64", "--json"], ["timeline", "ring", "--svg", "figure.svg"], ["nosuch"], [],
        ["predict", "--schemes", "ring"], ["--version"], ["machine"], ["consensus", "--json"], ["run", "--dataset", "missing"], ["netcheck"],
    ])
    return Call(f"streams: {redirect}", [Command(words, redirect=redirect)], {"data.svm": data_file(draw)},
                outputs=("out", "trace.json", "figure.svg"), accepted=(0, 1, 2, 3, 4))


# Shell that lays something at PATH.
OCCUPANTS = [
    "echo mine >PATH", "mkdir PATH; echo mine >PATH/notes.txt", "mkdir PATH; echo {} >PATH/summary.json; echo mine >PATH/notes.txt", "ln -s elsewhere PATH",
    "mkdir elsewhere; echo mine >elsewhere/notes.txt; ln -s elsewhere PATH", "echo mine >elsewhere; ln -s elsewhere PATH",
    "ln -s PATH PATH", "mkfifo PATH; timeout 10 cat PATH >/dev/null 2>&1 &", "mkdir PATH; echo mine >PATH/notes.txt; chmod 000 PATH", ": >PATH", "echo mine >elsewhere; ln elsewhere PATH",
]
DEVICE = "mknod PATH c 1 DEVICE"  # 3: null, 5: zero, 7: full


def occupied_call(draw, can_make_devices):
    """Something of somebody else's lies where an output goes; with --force or without."""
    flag = draw.choice(["--out", "--out", "--out", "--trace", "--svg"])
    target = {"--out": draw.choice(["out", "out/ring", "out/ring", "out/ring.partial"]), "--trace": "trace.json", "--svg": "figure.svg"}[flag]
    occupant = draw.choice(OCCUPANTS)
    kind = "outputs"
    if can_make_devices and draw.random() < 0.25:
        occupant, kind = DEVICE.replace("DEVICE", draw.choice("357")), "outputs: devices"
    setup = ("mkdir out; " if "/" in target else "") + occupant.replace("PATH", target)
    output = target.split("/")[0]
    words = [*QUICK, "--scheme", "ring"] if flag != "--svg" else draw.choice([["timeline", "ring"], ["topology", "torus"]])
    words = [*words, flag, output, *draw.choice([[], ["--force"], ["--force"]])]
    # A plain file, or a link, that the flag itself names is replaced at the user's wish; nothing else is.
    named = kind == "outputs" and "mk" not in occupant and flag != "--out" and "--force" in words
    replaceable = (target, "elsewhere") if named else ()
    return Call(kind, [Command(words)], {"data.svm": data_file(draw)}, setup=setup,
                outputs=(output, "elsewhere"), replaceable=replaceable, accepted=(0, 1, 2))


def odd_place_call(draw):
    """Places that are no place, or hard to write."""
    place = draw.choice(["missing/deeper/out", "out/", "./out", "a/../out", "x\ny", " ", "-", "é" * 100, "o" * 255, "o" * 300, "out//b/",
                         ".", "*", "data.svm", "data.svm/out", "bad\udcff"])
    flag = draw.choice(["--out", "--trace"])
    words = [*QUICK, flag, place, *draw.choice([[], ["--force"]])]
    outputs = (place, place.split("/")[0]) if not place.startswith("data.svm") else ()
    return Call("outputs: places", [Command(words)], {"data.svm": data_file(draw)}, outputs=outputs, accepted=(0, 1, 2),
                replaceable=("data.svm",) if place == "data.svm" and flag == "--trace" and "--force" in words else ())


def rivals_call(draw):
    """Two runs into one folder, at once."""
    commands = []
    for seed in ("1", "2"):
        steps = draw.choice(["5", "200", "1000"])
        words = ["run", "--scheme", "ring", "--dataset", "data.svm", "--time", "virtual", "--compute-time", "1ms", "--workers",
                 "3", "--steps", steps, "--seed", seed, "--evaluate-every", "1", "--out", "out"]
        commands.append(Command(words + ["--force"] * (draw.random() < 0.8)))
    return Call("outputs: two at once", commands, {"data.svm": data_file(draw)}, together=True, outputs=("out",), accepted=(0, 1, 2))


def memory_call(draw):
    """Asks for more memory than a careful program takes without a word."""
    words = draw.choice([
        ["--dataset", "large.svm", "--workers", "2"], ["--dataset", "long.svm", "--workers", "10000", "--scheme", "hogwild"],
        ["--dataset", "long.svm", "--workers", "20000", "--scheme", "gossip", "--topology", "full"],
        ["--dataset", "data.svm", "--workers", "2", "--model", "mlp:20000,20000"], ["--dataset", "sparse-logistic", "--workers", "32000"],
        ["--dataset", "large.svm", "--workers", "8", "--scheme", "dc-asgd-a"],
    ])
    large = f"+1 1:1\n-1 {draw.choice([1000000000, 2147483647, 300000000])}:1\n".encode()
    words = ["run", *words, "--time", "virtual", "--compute-time", "1ms", "--steps", "2"]
    files = {"data.svm": data_file(draw), "large.svm": large, "long.svm": b"+1 1:1 2:0.5\n-1 1:0.3 3:-1\n" * 16000}
    return Call("memory", [Command(words)], files, accepted=(0, 1, 2, 3), may_last=True,
                memory=(1024 if "long.svm" in words else 3072) * MIB)


def signals(draw):
    while True:
        yield signal_call(draw)


def pressures(surface, draw):
    while True:
        yield pressure_call(surface, draw)


def limits(draw, can_change_user):
    while True:
        yield limit_call(draw, can_change_user)
        yield draw.choice([environment_call(draw), limit_call(draw, can_change_user)])


def streams(draw):
    while True:
        yield stream_call(draw)


def outputs(draw, can_make_devices):
    while True:
        yield occupied_call(draw, can_make_devices)
        yield draw.choice([occupied_call(draw, can_make_devices), odd_place_call(draw)])
        yield rivals_call(draw)
        yield name_call(draw)


def memories(draw):
    while True:
        yield memory_call(draw)

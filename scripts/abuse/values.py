"""Values for flags: bad ones and borderline ones for any, good ones for those that are known."""

BAD = [
    "", " ", "  7", "7 ", "\t", "\n", "-", "--", "-1", "-0", "0", "-0.0", "+5", "5x", "x", "0x10", "1e3", "1.5",
    "nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e308", "1e309", "-1e308", "1e-320", "4.9e-324", "0.1e",
    "2147483647", "2147483648", "-2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "18446744073709551616", "1" * 400, "0." + "0" * 400 + "1", "1_000", "1,000", "1'000",
    "ms", "s", "GB", "1ms1", "1 ms", "1e300s", "1e-300s", "-1ms", "1ns", "1e9h", "9e18B", "1e30GB", "0Gbps", "-5MB/s",
    "1/0", ",", ",,", "1,", ",1", "1,,2", ":", "1:", ":1", "1:2:3", "0:0", "5:1", "1:nan", "0:1e300", "-1:2",
    "1:2," * 2000, "é", "ring\u200b", "\u202ering", "日本", "\udcff\udcfe", "\x1b[31mred", "\x01", "\x7f", "%s%s%n", "%", "{}",
    "{0}{1}", "{:x}", "'", '"', "\\", "$(id)", "`id`", ";", "|", "*", "?", "~", "=", "a=b", "#", "[run]", "true", "null", "none",
    "auto", "all", "RING", "ring ", "rin", "a" * 300, "a" * 5000, "é" * 3000, "9" * 60000, "mlp:", "mlp:0", "mlp:1,", "mlp:1e9",
    "mlp:99999,99999", "quadratic", "base:1", "base:2147483647", "random-regular:0", "random-regular:1e9", "erdos-renyi:2",
    "geometric:nan", "geometric:1e-9", "dirichlet:0", "size:0", "label-quantity:0", "label-quantity:1e99", "by:", "by:\x1b", "dirichlet:1e-300", "dirichlet:inf", "step:0:0", "step:1e-9:2",
    "exponential:1e300", "lognormal:-1", "uniform:nan", "0:1e308", "99:2", "0.5:1e300s", "1:1h", "file:", "file:missing",
    "digraph:.", "missing", "missing/deeper", ".", "..", "./", "/", "a/" * 2100, "data.svm/x",
]
# Never for what is written to: run as root, --force would replace the machine's own devices.
DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/proc/self/mem", "/dev/tty"]
WRITTEN = {"--out", "--trace", "--svg", "--html", "--export", "--checkpoint", "--goal", "--chakra"}
NEVER_WRITTEN = {"/", "..", "~"}

# Flags that may ask for more work than anybody waits for, or for more memory than there is.
LASTING = {
    "--epochs", "--steps", "--seconds", "--workers", "--servers", "--repetitions", "--rounds", "--size", "--seeds", "--latency",
    "--batch", "--compute-time", "--vary", "--rows", "--schemes", "--scheme", "--bandwidth", "--model", "--pause", "--straggler",
    "--jitter", "--fault", "--retransmit", "--compute-noise", "--dataset", "--between-latency", "--between-bandwidth", "--topology", "--test", "--steps",
}

GOOD = {
    "--workers": ["1", "2", "3", "4", "7", "8"], "--servers": ["1", "2", "3"], "--time": ["virtual", "virtual", "auto"],
    "--seed": ["0", "1", "7", "18446744073709551615"], "--evaluate-every": ["0.1", "0.5", "1", "100"], "--backups": ["0", "1", "2"],
    "--stragglers": ["0", "1", "2"], "--lambda": ["0", "0.04", "1"], "--lambda0": ["0", "2"], "--mean-square": ["0", "0.5", "0.95"],
    "--fetch-period": ["1", "2", "1000000000"], "--push-period": ["1", "3", "1000000000"], "--staleness": ["0", "1", "3", "1000"],
    "--value-bound": ["0.001", "1", "1e9"], "--epoch-share": ["0.1", "0.75", "1"], "--period": ["1", "2", "10", "2000000000"],
    "--switch-epoch": ["0", "1", "5"], "--participation": ["0.01", "0.5", "1"], "--moving-rate": ["0.1", "0.9"],
    "--worker-rate": ["0.01", "0.1"], "--delta": ["0", "0.9", "0.99"], "--fan-out": ["1", "2", "5"], "--period-up": ["1", "8"],
    "--period-down": ["1", "80"], "--period-growth": ["1", "2"], "--groups": ["1", "2"], "--token-updates": ["1", "64"],
    "--tolerance": ["0", "0.0001", "1"], "--mixing-share": ["0.1", "0.5", "1"], "--step-spread": ["1", "2"],
    "--mixing-probability": ["0.05", "0.5", "1"],
    "--communication-step": ["0.5", "1", "2"],
    "--consensus-penalty": ["0.01", "0.1", "10"],
    "--snapshot-probability": ["0", "0.1", "1"],
    "--snapshot-period": ["1", "3", "100"],
    "--correction-rate": ["0.05", "0.5", "1"],
    "--global-period": ["1", "2", "6"], "--quasi-momentum": ["0", "0.9"], "--quasi-memory": ["0", "0.9"], "--budget": ["0.1", "0.5", "1"],
    "--send-probability": ["0", "0.02", "0.5", "1"], "--partition": ["iid", "contiguous", "shards", "dirichlet:0.5", "dirichlet:100", "split", "label-quantity:1", "label-quantity:2", "size:0.1", "size:100", "by:0", "by:-1", "by:user"],
    "--l2": ["0", "0.001", "1"], "--batch": ["1", "4", "32"], "--lr": ["0", "0.01", "1", "1e9"],
    "--lr-schedule": ["constant", "inverse-time", "cosine", "step:1:0.5"], "--lr-decay": ["0", "0.5"], "--warmup": ["0", "0.5"],
    "--momentum": ["0", "0.9"], "--beta1": ["0.5", "0.9"], "--beta2": ["0.9", "0.999"], "--model": ["auto", "logistic", "least-squares", "softmax", "mlp:3"],
    "--latency": ["0s", "1us", "1ms"], "--bandwidth": ["infinite", "1Gbps", "10MB/s"], "--racks": ["1", "2"],
    "--between-latency": ["inside", "0s", "2ms"], "--between-bandwidth": ["inside", "1Mbps"],
    "--fault": ["none", "loss:0.1", "loss:gilbert:0.05,0.25,0.8,0.01@0s-1s", "slow-link:0:10+stall:0@1ms-2ms", "crash:1@1ms", "crash:0@1ms-2ms+loss:0.1", "crash:worker-mtbf=1s,repair=1ms"],
    "--retransmit": ["1us", "10us:double", "never"],
    "--checkpoint-every": ["0.01", "0.5", "1"], "--checkpoint-time": ["0s", "1ms", "1s"], "--on-failure": ["wait", "stop", "restart", "shrink"], "--detection": ["0s", "1ms", "5s"], "--up-bandwidth": ["same", "10Mbps", "0"], "--down-bandwidth": ["same", "1Gbps", "infinite"], "--memory": ["1B", "100MB", "16GiB"], "--tcp-window": ["none", "64KiB", "1B", "0", "1GB"], "--force-resume": ["lr", "program,data"],
    "--jitter": ["none", "uniform:1ms", "exponential:10us", "lognormal:1us"], "--compute-time": ["0s", "10us", "1ms"],
    "--straggler": ["0:2", "0:1.5,1:3"], "--compute-noise": ["none", "exponential:0.5", "memoryless"],
    "--pause": ["none", "0.1:1ms", "1:1us"], "--trace-steps": ["0:1", "1:2", "0:1000"], "--seeds": ["1", "2"], "--label-column": ["0", "-1"],
    "--columns": ["0", "1,-1"], "--drop-columns": ["2", "-2"], "--data-seed": ["0", "2"],
    "--size": ["1B", "1MiB", "96kB"], "--rows": ["1", "60000"], "--rounds": ["0", "1", "20"], "--repetitions": ["1", "3"],
    "--vary": ["workers=2,4,8", "latency=0.1ms:10ms", "size=1kB:1MB", "bandwidth=1Mbps,1Gbps"], "--reduce-rate": ["10GiB/s"],
    "--update-rate": ["2GiB/s"], "--target-loss": ["0", "0.3"],
}


def bad_values(flag):
    """The pool for a flag: devices only where they are read."""
    if flag.name in WRITTEN:
        return [value for value in BAD if value not in NEVER_WRITTEN and not value.startswith("/")]
    return BAD + DEVICES


def good_value(flag, surface, draw):
    """A value that is accepted, alone at least; None where none is known."""
    if flag.name == "--topology":
        return draw.choice([name for name in surface.topologies if name not in ("file", "digraph")])
    if flag.name == "--collective":
        return draw.choice(surface.collectives)
    if flag.name in GOOD:
        return draw.choice(GOOD[flag.name])
    return draw.choice(flag.choices()) if flag.choices() else None

"""What lies between the workers of a world, and what goes wrong there."""

from values import duration


class Clock:
    """How long things take in a world, roughly: what its stretches of time are drawn by."""

    def __init__(self, compute, latency, bandwidth, steps):
        self.latency = latency
        self.compute = compute
        self.step = compute + 6 * latency + 6 * 2000 / bandwidth
        self.run = steps * self.step


def network_options(workers, draw):
    """Options, and a latency and a bandwidth in seconds and bytes a second."""
    latency = draw.choice([0.0, 1e-6, 2e-5, 1e-4, 1e-4, 1e-3, draw.randint(1, 10**9) * 1e-12])
    megabytes = draw.choice([0.1, 1, 10, 125, 125, 1250, None])
    options = [("--latency", duration(latency)), ("--bandwidth", f"{megabytes}MB/s" if megabytes else "infinite")]
    if draw.random() < 0.3:
        options.append(("--ports", draw.choice(["circuit", "cutthrough"])))
    if workers > 1 and draw.random() < 0.2:
        options.append(("--racks", str(draw.randint(2, min(4, workers)))))
        options.append(("--between-latency", duration(latency * 3 + 1e-5)))
        options.append(("--between-bandwidth", draw.choice(["1MB/s", "10MB/s", "inside"])))
    if draw.random() < 0.3:
        kind = draw.choice(["uniform", "exponential", "lognormal"])
        options.append(("--jitter", f"{kind}:{duration(draw.choice([1e-6, 1e-5, latency / 2 or 1e-6]))}"))
    if draw.random() < 0.2:
        options.append(("--charge-control", None))
    return options, latency, megabytes * 1e6 if megabytes else 1e12


def slow_workers(workers, compute, draw):
    options = []
    if draw.random() < 0.25:
        ranks = draw.sample(range(workers), min(workers, draw.randint(1, 2)))
        options.append(("--straggler", ",".join(f"{rank}:{draw.choice(['1.5', '2', '3', '10'])}" for rank in ranks)))
    if draw.random() < 0.25:
        options.append(("--compute-noise", draw.choice(["exponential:0.3", "exponential:2", "memoryless"])))
    if draw.random() < 0.2:
        pause = duration(draw.choice([compute, 10 * compute, 1e-4]))
        options.append(("--pause", f"{draw.choice(['0.01', '0.2', '1'])}:{pause}"))
    return options


def stretch(clock, draw):
    """@FROM-TO, somewhere in the run."""
    begin = draw.choice([0.0, draw.random()]) * clock.run
    length = draw.choice([0.1, 0.5, 3]) * clock.step + draw.random() * clock.run / 4 + 1e-9
    return f"@{duration(begin)}-{duration(begin + length)}"


def one_fault(kind, ranks, workers, clock, draw):
    now_and_then = stretch(clock, draw) if draw.random() < 0.5 else ""
    if kind == "loss":
        return f"loss:{draw.choice(['0.001', '0.05', '0.2', '0.2', '0.8'])}{now_and_then}"
    if kind == "bursts":
        return f"loss:gilbert:{draw.choice(['0.05,0.25,0.8,0.01', '0.2,0.5,1,0', '0.01,0.1,0.5,0'])}{now_and_then}"
    if kind == "slow-link":
        ends = draw.sample(range(ranks), min(ranks, draw.randint(1, 2)))
        return f"slow-link:{','.join(map(str, ends))}:{draw.choice(['1.5', '4', '30'])}{now_and_then}"
    if kind == "partition" and ranks > 1:
        order = list(range(ranks))
        draw.shuffle(order)
        left_out = draw.choice([0, 0, 1]) if ranks > 2 else 0
        order = order[left_out:]
        cut = draw.randint(1, len(order) - 1)
        sides = "|".join(",".join(map(str, sorted(side))) for side in (order[:cut], order[cut:]))
        return f"partition:{sides}{stretch(clock, draw)}"
    return f"stall:{draw.randrange(workers)}{stretch(clock, draw)}"


def crash(ranks, clock, draw):
    """Now and then for good."""
    when = stretch(clock, draw)
    return f"crash:{draw.randrange(ranks)}{when.split('-')[0] if draw.random() < 0.3 else when}"


def drawn_crashes(clock, draw):
    mean, repair = (duration(max(1e-9, share * clock.run)) for share in (draw.choice([0.3, 1, 3]), draw.choice([1e-3, 0.1])))
    return f"crash:worker-mtbf={mean},repair={repair}"


def faults(workers, servers, clock, draw):
    """Servers: those that are there for sure, whose ranks come after the workers'."""
    if draw.random() < 0.5:
        return []
    kinds = ["loss", "bursts", "slow-link", "partition", "stall"]
    chosen = draw.choices(kinds, k=draw.choice([0, 1, 1, 1, 2, 3]))
    words = [one_fault(kind, workers + servers, workers, clock, draw) for kind in chosen]
    options = []
    if draw.random() < 0.4 or not words:
        words += [crash(workers + servers, clock, draw) for _ in range(draw.choice([0, 1, 1, 2]))]
        if draw.random() < 0.4 or not words:
            words.append(drawn_crashes(clock, draw))
        returns = all("-" in word or "mtbf" in word for word in words if word.startswith("crash"))
        options.append(("--on-failure", draw.choice(["wait", "stop", "restart", "restart"] if returns else ["wait", "stop"])))
    options.append(("--fault", "+".join(words)))
    if draw.random() < 0.8:
        doubles = draw.random() < 0.3 and not any(word.startswith("loss:0.8") or "gilbert" in word for word in words)
        after = draw.choice([3 * clock.latency + 1e-6, clock.step, 1e-3])
        options.append(("--retransmit", duration(after) + (":double" if doubles else "")))
    return options

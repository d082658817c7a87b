"""Codecs in cache on one core: Trainyard against PyTorch, and against a copy.

Fair because: both compress the same number of floats (65,536 normal ones, 256 KiB: in the
second-level cache) on one thread, PyTorch with results written to tensors that exist already
wherever its functions can, no gradients recorded, thousands of calls timed together. Ours writes
the bytes that are sent. PyTorch has no codecs; it does what people write with it:

    fp16, bf16    copy into a tensor of that type
    top-k 1 %     topk of the magnitudes and the numbers at its places (as DGC and GRACE do; ours
                  packs the places as well)
    sign          norm(1)/d and signbit: a byte a number, not a bit
    terngrad      bernoulli(|x| / max |x|) times the sign, as int8: a byte a number, not two bits
    qsgd, 8 bit   GRACE's: norm, level, rand, comparison, sign, as int8

Rows against a copy say how near a codec comes to the speed of memory: the goal is half of it,
where the rule lets it.
"""

import time

from common import Table, arguments, google_benchmark, skip, take_turns

LENGTH = 65536
GIGABYTES = 4 * LENGTH / 1e9
# Ours, the floor against PyTorch and that against a copy.
CASES = [
    ("fp16", 2.0, 0.5),
    ("bf16", 2.0, 0.5),
    ("sign", 2.0, 0.5),
    ("plain-sign", 2.0, 0.5),
    ("terngrad", 2.0, 0.5),
    ("qsgd", 2.0, 0.5),
    ("top-k", 5.0, 0.15),
    ("random-k", None, None),
    ("natural", None, None),
    ("two-bit:1", None, None),
]


def pytorch_ways():
    """{codec: a function that encodes once}"""
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(LENGTH, generator=generator)
    halves, brains = torch.empty(LENGTH, dtype=torch.half), torch.empty(LENGTH, dtype=torch.bfloat16)
    numbers, signs = torch.empty(LENGTH), torch.empty(LENGTH, dtype=torch.bool)
    coins, bytes_ = torch.empty(LENGTH), torch.empty(LENGTH, dtype=torch.int8)

    def top_k():
        torch.abs(x, out=numbers)
        places = torch.topk(numbers, LENGTH // 100, sorted=False).indices
        return x[places], places

    def terngrad():
        torch.abs(x, out=numbers)
        numbers.div_(numbers.max())
        torch.bernoulli(numbers, out=coins)
        bytes_.copy_(coins.mul_(torch.sign(x, out=numbers)))

    def qsgd():
        torch.abs(x, out=numbers)
        numbers.mul_(127.0 / x.norm())
        floor = numbers.floor()
        coins.uniform_()
        floor.add_(coins < numbers.sub_(floor))
        bytes_.copy_(floor.mul_(torch.sign(x, out=numbers)))

    return {
        "fp16": lambda: halves.copy_(x),
        "bf16": lambda: brains.copy_(x),
        "sign": lambda: (x.norm(1) / LENGTH, torch.signbit(x, out=signs)),
        "plain-sign": lambda: torch.signbit(x, out=signs),
        "terngrad": terngrad,
        "qsgd": qsgd,
        "top-k": top_k,
    }


def speed(work):
    """GB/s of floats: the fastest of five times as many calls as take about 10 ms."""
    begin = time.perf_counter()
    for _ in range(20):
        work()
    calls = max(1, int(0.01 / ((time.perf_counter() - begin) / 20)))
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (time.perf_counter() - begin) / calls)
    return GIGABYTES / best


def ours():
    """{codec or "copy": GB/s}"""
    names = "|".join(name for name, _, _ in CASES)
    found = google_benchmark(f"^codec/(copy|encode/({names}))$", "bytes_per_second")
    if not found:
        skip("PyTorch", "this trainyard_bench has no benchmarks codec/...")
    return {name.split("/")[-1]: speed / 1e9 for name, speed in found.items()}


def main():
    options = arguments(__doc__)
    table = Table(options)
    try:
        ways = pytorch_ways()
    except ImportError:
        ways = {}
        print("skipped: PyTorch: scripts/install_dependencies.sh --peers installs it", flush=True)
    sides = take_turns(options.pairs, ours,
                       lambda: {name: speed(way) for name, way in ways.items()})
    for name, floor, floor_of_copy in CASES:
        own = [side[name] for side in sides[0]]
        work = f"encoding 65 k floats with {name}, 1 thread"
        if not table.wants(work):
            continue
        if name in ways:
            table.row(work, "PyTorch by hand", "GB/s", [side[name] for side in sides[1]], own, floor)
        table.row(work, "a copy of them", "GB/s", [side["copy"] for side in sides[0]], own,
                  floor_of_copy)


if __name__ == "__main__":
    main()

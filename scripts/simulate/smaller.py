"""Makes a world smaller in which something was found, while it is still found."""

import re

MOST_TRIES = 150
KEPT = {"--scheme", "--time"}
BUDGETS = {"--steps", "--epochs", "--seconds"}


def halved(text):
    """With each of its numbers half as large, one at a time."""
    for found in re.finditer(r"\d+(?:\.\d+)?", text):
        word = found.group()
        half = str(int(word) // 2) if "." not in word else f"{float(word) / 2:.3g}"
        if half != word and "e" not in half:
            yield text[: found.start()] + half + text[found.end():]


def with_less(value):
    """Simpler values, the simplest first."""
    parts = value.split("+")
    if len(parts) > 1:
        for number in range(len(parts)):
            yield "+".join(parts[:number] + parts[number + 1:])
    yield from halved(value)


def candidates(world):
    """Worlds that are smaller: without half of what may go, a quarter, or one option; then with smaller numbers."""
    budgets = [flag for flag, _ in world.options if flag in BUDGETS]
    flags = [flag for flag, _ in world.options if flag not in KEPT and flag not in budgets[:1]]
    if len(budgets) > 1:
        yield world.without(budgets[0])
    for size in sorted({len(flags) // 2, len(flags) // 4, 1} - {0}, reverse=True):
        for begin in range(0, len(flags), size):
            yield world.without(*flags[begin:begin + size])
    for flag, value in world.options:
        if flag not in KEPT and value is not None:
            for less in with_less(value):
                yield world.having(flag, less)


def smaller(world, still):
    """`still`: whether what was found is found in a world, too."""
    tries = 0
    shrunk = True
    while shrunk:
        shrunk = False
        for candidate in candidates(world):
            if tries == MOST_TRIES:
                return world
            tries += 1
            if still(candidate):
                world, shrunk = candidate, True
                break
    return world

#!/usr/bin/env python3
"""How long a page of the lab takes from a slider's move to the drawn curves, in a real browser.

    bench/lab.py PROGRAM [MOVES]     a line for each lab: median and 95th percentile of so many moves [20]

Of each lab, every slider is moved in turn, to values that were not the last. Measured by the page itself: from
the slider's event to the moment at which the curves of the whole answer are in the document.
"""

import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "web" / "browser"))
from browser import Browser, require_browser  # noqa: E402
from lab_test import SET_SLIDER  # noqa: E402
from labs import labs_of  # noqa: E402


def wait(browser, condition):
    while not browser.run(condition):
        time.sleep(0.005)


def moves_of(browser, lab, count, chance):
    """Seconds of each move."""
    taken = []
    places = [slider["values"].index(slider["value"]) for slider in lab["sliders"]]
    for move in range(count):
        at = move % len(places)
        places[at] = chance.choice([p for p in range(len(lab["sliders"][at]["values"])) if p != places[at]])
        before = browser.run("return document.documentElement.dataset.drawn")
        browser.run(SET_SLIDER, at, places[at])
        wait(browser, f"return document.documentElement.dataset.state === 'ready' && "
                      f"document.documentElement.dataset.drawn !== {json.dumps(before)}")
        taken.append(browser.run("return performance.getEntriesByName('slider-to-curve').pop().duration") / 1000)
    return taken


def main(program, count=20):
    require_browser()
    server = subprocess.Popen([program, "lab"], stdout=subprocess.PIPE, text=True)
    address = server.stdout.readline().strip().rstrip("/")
    browser = Browser()
    print("lab                  median ms    95 % ms")
    for name, lab in labs_of(address).items():
        browser.open(f"{address}/lab/{name}")
        wait(browser, "return document.documentElement.dataset.state === 'ready'")
        taken = sorted(moves_of(browser, lab, int(count), random.Random(1)))
        print(f"{name:<20} {1000 * statistics.median(taken):>9.0f} {1000 * taken[int(0.95 * (len(taken) - 1))]:>10.0f}")
    browser.close()
    server.send_signal(2)


if __name__ == "__main__":
    main(*sys.argv[1:])

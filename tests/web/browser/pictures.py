#!/usr/bin/env python3
"""The documentation's pictures: pictures.py PROGRAM DIR."""

import pathlib
import subprocess
import sys
import tempfile
import time

from browser import Browser, require_browser

# Of each page, from the top to the end of one element.
PICTURES = {
    "comparison": (["compare"], "#time"),
    "map": (["compare", "--schemes", "ring,ps-sync,gossip:one-peer-exp,local-sgd", "--map",
             "latency=10us:100ms,bandwidth=1Mbps:100Gbps"], "figure"),
}
# Rounds of schemes, on the network that `timeline` has.
TIMELINES = {
    "diloco": ["diloco", "--latency", "1ms"],
    "streaming-diloco": ["streaming-diloco", "--fragment-delay", "4", "--latency", "1ms"],
}
WIDTH = 900


def take(browser, address, last, file):
    """Of the page, from its top to the end of its element `last`, once that is drawn."""
    browser.set_width(WIDTH)
    browser.open(address)
    while not browser.run("return document.querySelector(`${arguments[0]} .mark`) !== null", last):
        time.sleep(0.05)
    height = browser.run("""
      document.documentElement.style.overflow = "hidden";  // no scroll bar
      return Math.ceil(document.querySelector(arguments[0]).getBoundingClientRect().bottom)""", last)
    browser.set_width(WIDTH, height)
    time.sleep(0.3)
    browser.driver.save_screenshot(str(file))


def main(program, folder):
    folder = pathlib.Path(folder)
    for name, arguments in TIMELINES.items():
        subprocess.run([program, "timeline", *arguments, "--quiet", "--force", "--svg", str(folder / f"{name}.svg")],
                       check=True, stdout=subprocess.DEVNULL)
    require_browser()
    browser = Browser(WIDTH)
    with tempfile.TemporaryDirectory() as place:
        for name, (arguments, last) in PICTURES.items():
            page = pathlib.Path(place) / f"{name}.html"
            subprocess.run([program, *arguments, "--quiet", "--html", str(page)], check=True,
                           stdout=subprocess.DEVNULL)
            take(browser, page.as_uri(), last, folder / f"{name}.png")
    server = subprocess.Popen([program, "lab", "straggler"], stdout=subprocess.PIPE, text=True)
    take(browser, server.stdout.readline().strip() + "#guess=none", "#curves", folder / "lab.png")
    server.send_signal(2)
    browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

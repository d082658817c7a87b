#!/usr/bin/env python3
"""The lab as a browser shows it: lab_test.py PROGRAM [unittest's arguments].

With SCREENSHOTS=DIR pictures of all pages are left there, to be looked at.
"""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

from browser import Browser, require_browser
from guesses import Guesses
from labs import CURVES, document_of, labs_of

SET_SLIDER = """
  const slider = document.querySelectorAll('input[type="range"]')[arguments[0]];
  slider.value = arguments[1];
  slider.dispatchEvent(new Event("input", {bubbles: true}));
  slider.dispatchEvent(new Event("change", {bubbles: true}));
"""
# How far a curve is from its ghost, in heights or widths of the plot, whichever is more.
MOVED = """
  const spots = (path) => path.getAttribute("d").slice(1).split("L").map((spot) => spot.split(",").map(Number));
  const find = (kind, name) => document.querySelector(`#curves [data-${kind}="${name}"]`);
  const series = find("series", arguments[0])?.querySelector(".line"), ghost = find("ghost", arguments[0]);
  if (!series || !ghost) return null;
  const plot = document.querySelector("#curves .brush .overlay");
  const wide = Number(plot.getAttribute("width")), high = Number(plot.getAttribute("height"));
  const now = spots(series), before = spots(ghost);
  const height = (line, x) => {
    const at = line.findIndex((spot) => spot[0] >= x);
    if (at < 0 || line[at][0] > x && at === 0) return null;
    if (at === 0) return line[0][1];
    const [a, b] = [line[at - 1], line[at]];
    return a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0] || 1);
  };
  const [end, old] = [now[now.length - 1], before[before.length - 1]];
  const apart = [Math.abs(end[0] - old[0]) / wide, Math.abs(end[1] - old[1]) / high];
  for (const [x, y] of before) {
    const here = height(now, x);
    if (here !== null) apart.push(Math.abs(here - y) / high);
  }
  return Math.max(...apart);
"""


def points(document, shown):
    """What the curves of a comparison are, where every number is there and can be drawn."""
    minimum = shown.get("minimum")
    height = (lambda run: run["evaluations"][shown["y"]]) if minimum is None else \
        (lambda run: [loss and loss - minimum for loss in run["evaluations"]["train_loss"]])
    return {run["label"]: [[a, b] for a, b in zip(run["evaluations"][shown["x"]], height(run))
                           if a is not None and b is not None and (b > 0 or "log" not in shown)]
            for run in document["runs"]}


class Lab(Guesses, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([PROGRAM, "lab"], stdout=subprocess.PIPE, text=True)
        cls.address = cls.server.stdout.readline().strip().rstrip("/")
        cls.labs = labs_of(cls.address)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.send_signal(2)
        assert cls.server.wait(60) == 0

    def open(self, address, browser=None):
        browser = browser or self.browser
        browser.open(address)
        self.wait_until_ready(browser)
        browser.run("document.querySelector('.no-guess')?.click()")

    def wait_until_ready(self, browser=None):
        self.wait_for("return document.documentElement.dataset.state === 'ready'", browser)

    def wait_for(self, condition, browser=None):
        browser = browser or self.browser
        end = time.monotonic() + 120
        while not browser.run(condition):
            self.assertLess(time.monotonic(), end, condition)
            time.sleep(0.02)

    def move(self, slider, place, browser=None):
        """And waits for what is drawn then: the whole answer, not the first quarter."""
        browser = browser or self.browser
        browser.run(SET_SLIDER, slider, place)
        self.wait_until_ready(browser)

    def asked(self, lab, moved):
        """What the server says of it, without the page."""
        options = {**lab["options"], **{s["option"]: s["value"] for s in lab["sliders"]}, **moved}
        question = {"lab": lab["name"], "options": options}
        request = urllib.request.Request(f"{self.address}/api/compare", json.dumps(question).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def test_pages_open_without_a_complaint(self):
        for width in (1100, 400):
            for name in ["", "free", *(f"lab/{lab}" for lab in self.labs)]:
                with self.subTest(page=name, width=width):
                    self.browser.set_width(width)
                    self.browser.open(f"{self.address}/{name}")
                    if name:
                        self.wait_until_ready()
                    wide = self.browser.run("return document.documentElement.scrollWidth")
                    self.assertLessEqual(wide, width, "the page is wider than its window")
                    self.assertEqual(self.browser.complaints(), [])
                    for asked in self.browser.requests():
                        self.assertTrue(asked.startswith((self.address, "data:")), asked)
                    self.browser.screenshot(f"lab-{name.replace('/', '-')}-{width}")
        self.browser.set_width(1100)

    def test_curves_follow_each_slider(self):
        for name, lab in self.labs.items():
            changed = 0
            for at, slider in enumerate(lab["sliders"]):
                with self.subTest(lab=name, slider=slider["option"]):
                    place = 0 if slider["value"] != slider["values"][0] else len(slider["values"]) - 1
                    for _ in range(20):
                        self.open(f"{self.address}/lab/{name}")
                        before = self.browser.run(CURVES)
                        self.move(at, place)
                        drawn = dict(self.browser.run(CURVES))
                        answer = self.asked(lab, {slider["option"]: slider["values"][place]})
                        seen = self.browser.run("return document.querySelector('main').innerText")
                        # On a busy machine the lab's two seconds may end either of them early.
                        if "results so far" not in json.dumps(answer) + seen:
                            break
                    self.assertEqual(drawn, points(answer, lab["show"]))
                    changed += drawn != dict(before)
            # Over passes of the data, say, a curve does not depend on the latency.
            self.assertGreater(changed, 0, name)

    def test_the_first_picture_is_seen_without_scrolling(self):
        bottom = "return document.querySelector('#curves svg').getBoundingClientRect().bottom"
        for name in self.labs:
            with self.subTest(lab=name):
                self.browser.set_width(1280, 720)
                self.browser.open(f"{self.address}/lab/{name}")
                self.wait_until_ready()
                self.assertLessEqual(self.browser.run(bottom), 720)
                card = "return document.querySelector('.guess').getBoundingClientRect().bottom"
                self.assertLessEqual(self.browser.run(card), 720)
                self.browser.run("document.querySelector('.no-guess').click()")
                self.assertLessEqual(self.browser.run(bottom), 720)
        self.browser.set_width(1100)

    def test_sentences_move_the_sliders(self):
        for name, lab in self.labs.items():
            with self.subTest(lab=name):
                self.open(f"{self.address}/lab/{name}")
                self.browser.run("window.drawn = document.documentElement.dataset.drawn")
                places = self.browser.run("return [...document.querySelectorAll('.story a.task')].map((one) => one.getAttribute('href'))")
                self.assertGreater(len(places), 0)
                before = self.browser.run(CURVES)
                self.browser.run("document.querySelectorAll('.story a.task')[0].click()")
                self.wait_for("return document.documentElement.dataset.drawn !== window.drawn")
                self.wait_until_ready()
                moved = dict(pair.split("=", 1) for pair in urllib.parse.unquote(places[0][1:]).split("&"))
                drawn = self.browser.run(CURVES)
                self.assertNotEqual(drawn, before)
                answer = self.asked(lab, moved)
                # On a busy machine the lab's two seconds may end either of them early.
                if "results so far" not in json.dumps(answer) + self.browser.run("return document.querySelector('main').innerText"):
                    self.assertEqual(dict(drawn), points(answer, lab["show"]))

    def test_a_terminal_prints_what_the_page_shows(self):
        for name in ("straggler", "when-to-checkpoint"):
            lab = self.labs[name]
            self.open(f"{self.address}/lab/{name}")
            self.move(0, 0)
            command = shlex.split(self.browser.run("return document.getElementById('command').textContent"))
            self.assertEqual(command[:3], ["trainyard", "compare", f"lab:{name}"])
            self.assertEqual(command[3:], [f"--{lab['sliders'][0]['option']}", lab["sliders"][0]["values"][0]])
            printed = subprocess.run([PROGRAM, *command[1:], "--json", "--quiet"], check=True, capture_output=True, text=True).stdout
            self.assertEqual(dict(self.browser.run(CURVES)), points(json.loads(printed), lab["show"]))

    def test_one_goes_on_from_a_lab_on_the_free_page(self):
        for name in ("who-talks", "how-many-workers"):
            lab = self.labs[name]
            self.open(f"{self.address}/lab/{name}")
            self.move(0, 0)
            drawn = self.browser.run(CURVES)
            link = self.browser.run("return document.getElementById('further').href")
            self.assertTrue(link.startswith(f"{self.address}/free#"), link)
            self.browser.open(link)
            self.wait_for("return document.documentElement.dataset.drawn > 0")
            self.wait_until_ready()
            self.assertEqual(self.browser.run(CURVES), drawn)
            command = self.browser.run("return document.getElementById('command').textContent")
            self.assertIn(f"--{lab['sliders'][0]['option']} {lab['sliders'][0]['values'][0]}", command)
            self.assertEqual(self.browser.complaints(), [])

    def test_log_axes_and_hidden_curves_are_in_the_address(self):
        self.open(f"{self.address}/lab/straggler")
        self.browser.run("document.querySelectorAll('#curves .controls input[type=checkbox]')[0].click()")
        self.browser.run("document.querySelectorAll('#curves .legend button')[1].click()")
        link, drawn = self.browser.driver.current_url, self.browser.run(CURVES)
        self.assertNotIn("ring", dict(drawn))
        self.browser.open("about:blank")
        self.open(link)
        self.assertEqual(self.browser.run(CURVES), drawn)
        self.assertTrue(self.browser.run("return document.querySelectorAll('#curves .controls input[type=checkbox]')[0].checked"))

    def test_three_settings_differ_to_the_eye(self):
        for name, lab in self.labs.items():
            watch = lab["watch"]
            at = [slider["option"] for slider in lab["sliders"]].index(watch["slider"])
            last = len(lab["sliders"][at]["values"]) - 1
            self.open(f"{self.address}/lab/{name}")
            places = [0, (last + 1) // 2, last]
            self.move(at, places[0])
            for place in places[1:]:
                with self.subTest(lab=name, place=place):
                    self.move(at, place)
                    moved = self.browser.run(MOVED, watch["curve"])
                    self.assertGreater(moved, 0.1, f"{watch['curve']} moves by {moved} of the picture")

    def test_the_back_button_restores_the_state(self):
        lab = self.labs["straggler"]
        self.open(f"{self.address}/lab/straggler")
        first, address = self.browser.run(CURVES), self.browser.driver.current_url
        self.move(0, 0 if lab["sliders"][0]["value"] != lab["sliders"][0]["values"][0] else 1)
        moved = self.browser.run(CURVES)
        self.assertNotEqual(moved, first)
        link = self.browser.driver.current_url
        self.assertIn("#", link)
        self.browser.driver.back()
        self.wait_for(f"return location.href === {json.dumps(address)}")
        self.wait_until_ready()
        self.wait_for(f"return JSON.stringify((() => {{{CURVES}}})()) === JSON.stringify({json.dumps(first)})")
        self.browser.open("about:blank")
        self.open(link)
        self.wait_for(f"return JSON.stringify((() => {{{CURVES}}})()) === JSON.stringify({json.dumps(moved)})")

    def test_a_second_window_does_not_disturb_the_first(self):
        second = Browser()
        try:
            self.open(f"{self.address}/lab/straggler")
            self.open(f"{self.address}/lab/staleness", second)
            for place in (0, 1, 2, 0):
                self.browser.run(SET_SLIDER, 0, place)
                second.run(SET_SLIDER, 0, place)
            self.wait_until_ready()
            self.wait_until_ready(second)
            for browser, name in ((self.browser, "straggler"), (second, "staleness")):
                slider = self.labs[name]["sliders"][0]
                answer = self.asked(self.labs[name], {slider["option"]: slider["values"][0]})
                self.assertEqual(dict(browser.run(CURVES)), points(answer, self.labs[name]["show"]))
        finally:
            second.close()

    def test_messages_can_be_played(self):
        self.open(f"{self.address}/lab/ports-and-latency")
        buttons = self.browser.run("return [...document.querySelectorAll('button')].map((one) => one.textContent)")
        self.assertIn("Play", buttons)
        self.assertIn("Step", buttons)
        self.browser.run("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Step').click()")
        self.assertEqual(self.browser.complaints(), [])

    def test_a_wrong_option_is_said_beside_it(self):
        self.browser.open(f"{self.address}/free#latency=never")
        self.wait_for("return document.documentElement.dataset.state === 'refused'")
        self.assertIn("latency", self.browser.run("return document.body.innerText"))

    def test_memory_does_not_grow_with_moves(self):
        lab = self.labs["staleness"]
        places = len(lab["sliders"][0]["values"])
        self.open(f"{self.address}/lab/staleness")
        sizes = []
        for move in range(90):
            self.move(0, move % places)
            if move % 30 == 29:
                self.browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
                counters = self.browser.driver.execute_cdp_cmd("Memory.getDOMCounters", {})
                sizes.append((counters["nodes"], counters["jsEventListeners"]))
        self.assertLess(sizes[-1][0], 1.2 * sizes[0][0] + 100, f"nodes and listeners: {sizes}")
        self.assertLess(sizes[-1][1], 1.2 * sizes[0][1] + 50, f"nodes and listeners: {sizes}")


class Export(unittest.TestCase):
    def test_exported_pages_show_what_the_live_ones_do(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "lab", "--export", folder], check=True, capture_output=True)
            browser = Browser()
            try:
                pages = sorted(page.stem for page in pathlib.Path(folder).glob("*.html"))
                self.assertGreater(len(pages), 15)
                for name in pages:
                    browser.open((pathlib.Path(folder) / f"{name}.html").as_uri())
                    time.sleep(0.3)
                    self.assertEqual(browser.complaints(), [], name)
                    others = [one for one in browser.requests() if not one.startswith(("data:", "file:"))]
                    self.assertEqual(others, [], name)
                browser.open((pathlib.Path(folder) / "straggler.html").as_uri())
                time.sleep(0.5)
                document = json.loads(browser.run("return document.getElementById('document').textContent"))
                sliders = document["lab"]["sliders"]
                browser.run(SET_SLIDER, 0, 0)
                time.sleep(1)
                values = {one["option"]: one["value"] for one in sliders}
                values[sliders[0]["option"]] = sliders[0]["values"][0]
                key = "&".join(f"{one['option']}={values[one['option']]}" for one in sliders)
                self.assertEqual(dict(browser.run(CURVES)), points(document["grid"][key], document["lab"]["show"]))
            finally:
                browser.close()

    def test_a_lab_alone_leads_nowhere_else(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "lab", "bubble", "--export", folder], check=True, capture_output=True)
            browser = Browser()
            try:
                browser.open((pathlib.Path(folder) / "bubble.html").as_uri())
                time.sleep(0.3)
                self.assertEqual(browser.complaints(), [])
                self.assertEqual(browser.run("return [...document.querySelectorAll('nav a')].length"), 0)
                self.assertEqual(browser.run("return document.querySelector('nav').textContent"), "14: The bubble")
                self.assertIsNone(browser.run("return document.getElementById('further')"))
            finally:
                browser.close()


if __name__ == "__main__":
    require_browser()
    PROGRAM = sys.argv.pop(1)
    unittest.main()

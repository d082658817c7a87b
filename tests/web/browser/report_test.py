#!/usr/bin/env python3
"""Reports as a browser shows them: report_test.py PROGRAM [unittest's arguments].

Each page is made by the program, which also prints the same document with --json; what the page
draws is compared with that. With SCREENSHOTS=DIR pictures of all pages are left there, to be looked at.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from browser import Browser, require_browser

CUSTOMERS = pathlib.Path(__file__).parents[3] / "docs/data/customers.csv"
COMPARE = ["compare", "--quiet", "--epochs", "3"]
PAGES = {
    "comparison": COMPARE,
    "seeds": COMPARE + ["--schemes", "ring,ps-async,gossip", "--seeds", "3"],
    "grid": COMPARE + ["--schemes", "ring,ps-sync", "--vary", "latency=100us,1ms"],
    "objectives": COMPARE + ["--schemes", "ring,ps-sync", "--vary", "l2=0,1e-3"],
    "many": ["compare", "--quiet", "--epochs", "2", "--steps", "40", "--lr", "0.05", "--schemes",
             "ring,ps-sync,all-reduce,ps-async,ssp,local-sgd,diloco,gossip,d-psgd,choco,hogwild,"
             "gossip{{topology=torus,lr=0.05,partition=shards,latency=123us,bandwidth=123Mbps,compute-time=1.25ms}}"],
    "run": ["run", "--quiet", "--scheme", "ps-async", "--epochs", "3"],
    "map": COMPARE + ["--schemes", "ring,ps-sync", "--map", "latency=10us:1ms,bandwidth=10Mbps:1Gbps"],
    "prediction": ["predict", "--schemes", "ring,ps-sync,gossip"],
    "sweep": ["predict", "--vary", "latency=10us:10ms", "--size", "40kB"],
    "break-even": ["predict", "--break-even", "--schemes", "csgd", "--size", "40kB"],
    "advice": ["advise", "--size", "59MB", "--compute-time", "250ms", "--workers", "6", "--bandwidth", "625Mbps"],
    "advice-target": ["advise", "{folder}/advised.toml", "--target-loss", "0.45", "--compute-time", "1ms", "--workers", "4", "--seeds", "2"],
    "netcheck": ["netcheck", "--workers", "4"],
    "topology": ["topology", "one-peer-exp", "--workers", "8"],
    "topologies": ["topology", "ring", "--workers", "4,8,16"],
    "consensus": ["consensus", "--topology", "one-peer-exp", "--rounds", "6"],
    "timeline": ["timeline", "ring", "--workers", "4"],
    "published": ["reproduce", "daly"],
    "score": ["score", "{folder}/leaving", f"{CUSTOMERS}", "--out", "{folder}/said.csv"],
    "score-classes": ["score", "{folder}/plans", f"{CUSTOMERS}", "--out", "{folder}/plans.csv"],
}
# Of two classes, and of more.
MODELS = {"leaving": "left", "plans": "plan"}

DRAWN = """
  const [figure, container] = arguments;
  return [...document.querySelectorAll(`#${figure} ${container}`)].map((group) => ({
    name: group.dataset.series ?? group.dataset.row,
    marks: [...group.querySelectorAll(".mark")].map((mark) => ({
      datum: mark.__data__, x: Number(mark.getAttribute("cx") ?? mark.getAttribute("x")),
      y: Number(mark.getAttribute("cy") ?? mark.getAttribute("y")),
      width: Number(mark.getAttribute("width")), part: mark.dataset.part}))}));
"""
TICKS = """
  return [...document.querySelectorAll(`#${arguments[0]} .axis.${arguments[1]} .tick`)].map((tick) => ({
    value: tick.__data__, at: tick.transform.baseVal.getItem(0).matrix[arguments[1] === "x" ? "e" : "f"]}));
"""


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-reports-"))
        cls.documents = {}
        (cls.folder / "advised.toml").write_text('[data]\ndataset = "dense-logistic:500"\n')
        for name, label in MODELS.items():
            subprocess.run([PROGRAM, "run", "--quiet", "--dataset", CUSTOMERS, "--label-column", label, "--drop-columns", "id",
                            "--missing", "mean", "--scale", "standard", "--intercept", "--epochs", "3", "--lr", "0.1",
                            "--compute-time", "1ms", "--out", cls.folder / name], check=True, capture_output=True)
        for name, arguments in PAGES.items():
            arguments = [word.format(folder=cls.folder) for word in arguments]
            made = subprocess.run([PROGRAM, *arguments, "--json", "--html", str(cls.page(name))], check=True,
                                  capture_output=True, text=True)
            cls.documents[name] = json.loads(made.stdout)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    @classmethod
    def page(cls, name):
        return cls.folder / f"{name}.html"

    def open(self, name, width=1100):
        self.browser.set_width(width)
        self.browser.open(self.page(name).as_uri())
        self.wait_for("return document.querySelector('figure svg .mark') !== null")

    def wait_for(self, condition, *arguments):
        """Figures are drawn when their width is known, after the page was read."""
        end = time.monotonic() + 60
        while not self.browser.run(condition, *arguments):
            self.assertLess(time.monotonic(), end, condition)
            time.sleep(0.05)

    def find(self, selector):
        return self.browser.driver.find_element("css selector", selector)

    def test_pages_open_without_a_complaint_or_a_request(self):
        for name in PAGES:
            for width in (1100, 400):
                with self.subTest(page=name, width=width):
                    self.open(name, width)
                    wide = self.browser.run("return document.documentElement.scrollWidth")
                    self.assertLessEqual(wide, width, "the page is wider than its window")
                    self.assertEqual(self.browser.complaints(), [])
                    others = [one for one in self.browser.requests() if not one.startswith("data:")]
                    self.assertEqual(others, [self.page(name).as_uri()])
                    self.browser.screenshot(f"{name}-{width}")

    def test_a_page_holds_the_document_that_json_prints(self):
        for name, document in self.documents.items():
            with self.subTest(page=name):
                self.open(name)
                held = self.browser.run("return document.getElementById('document').textContent")
                self.assertEqual(json.loads(held), document)
                self.assertLess(self.page(name).stat().st_size - len(held), 1_000_000)

    def test_every_figure_draws_and_has_its_data_behind_it(self):
        for name in PAGES:
            self.open(name)
            for figure in self.browser.run("return [...document.querySelectorAll('figure')].map((f) => f.id)"):
                with self.subTest(page=name, figure=figure):
                    self.wait_for("return document.querySelector(`#${arguments[0]} .mark`) !== null", figure)
                    self.browser.run("document.querySelector(`#${arguments[0]} details`).open = true", figure)
                    self.wait_for("return document.querySelector(`#${arguments[0]} td`) !== null", figure)

    def expected_points(self, run, x, y):
        columns = run["evaluations"]
        return [(a, b) for a, b in zip(columns[x], columns[y]) if a is not None and b is not None]

    def assert_on_axes(self, figure, marks, log_y=False):
        """Where a mark is, against where the ticks are: by values, not by the page's own scales."""
        measure = {"x": lambda value: value, "y": math.log if log_y else lambda value: value}
        for axis in ("x", "y"):
            ticks = self.browser.run(TICKS, figure, axis)
            self.assertGreaterEqual(len(ticks), 2)
            a, b = ticks[0], ticks[-1]
            of = measure[axis]
            pixels = (b["at"] - a["at"]) / (of(b["value"]) - of(a["value"]))
            for mark in marks:
                expected = a["at"] + (of(mark["datum"][axis]) - of(a["value"])) * pixels
                self.assertAlmostEqual(mark[axis], expected, delta=0.6)

    def test_curves_are_the_evaluations(self):
        self.open("comparison")
        runs = self.documents["comparison"]["runs"]
        for log_y in (False, True):
            drawn = {one["name"]: one["marks"] for one in self.browser.run(DRAWN, "curves", ".series")}
            self.assertEqual(set(drawn), {run["label"] for run in runs})
            for run in runs:
                marks = drawn[run["label"]]
                self.assertEqual([(m["datum"]["x"], m["datum"]["y"]) for m in marks],
                                 self.expected_points(run, "seconds", "train_loss"))
                self.assert_on_axes("curves", marks, log_y)
            self.browser.run("document.querySelectorAll('#curves input')[1].click()")

    def test_a_choice_draws_another_figure_of_the_run(self):
        self.open("comparison")
        self.browser.run("""
          for (const [at, value] of [[0, "test_accuracy"], [1, "bytes_sent"]]) {
            const select = document.querySelectorAll("#curves select")[at];
            select.value = value;
            select.dispatchEvent(new Event("change"));
          }""")
        drawn = {one["name"]: one["marks"] for one in self.browser.run(DRAWN, "curves", ".series")}
        for run in self.documents["comparison"]["runs"]:
            self.assertEqual([(m["datum"]["x"], m["datum"]["y"]) for m in drawn[run["label"]]],
                             self.expected_points(run, "bytes_sent", "test_accuracy"))

    def test_bars_are_the_time_split(self):
        self.open("comparison")
        drawn = self.browser.run(DRAWN, "time", ".row")
        ticks = self.browser.run(TICKS, "time", "x")
        pixels = (ticks[-1]["at"] - ticks[0]["at"]) / (ticks[-1]["value"] - ticks[0]["value"])
        for row, run in zip(drawn, self.documents["comparison"]["runs"]):
            self.assertEqual(row["name"], run["label"])
            self.assertEqual([m["part"] for m in row["marks"]], ["compute", "transfer", "wait"])
            for mark in row["marks"]:
                share = run["time_split"][mark["part"]] / run["seconds"]
                self.assertAlmostEqual(mark["datum"], share, places=12)
                self.assertAlmostEqual(mark["width"], share * pixels, delta=0.6)

    def test_ranks_and_sent_bytes_are_those_of_the_document(self):
        self.open("comparison")
        runs = self.documents["comparison"]["runs"]
        ranks = runs[0]["ranks"]
        drawn = self.browser.run(DRAWN, "ranks", ".row")
        self.assertEqual([[m["datum"] for m in row["marks"]] for row in drawn],
                         [list(row) for row in zip(ranks["compute_s"], ranks["transfer_s"], ranks["wait_s"])])
        drawn = self.browser.run(DRAWN, "sent", ".row")
        self.assertEqual([row["marks"][0]["datum"] for row in drawn], [run["bytes_sent"] for run in runs])

    def test_staleness_is_the_histogram(self):
        self.open("run")
        [series] = self.browser.run(DRAWN, "staleness", ".series")
        columns = self.documents["run"]["updates_by_staleness"]
        self.assertEqual([(m["datum"]["x"], m["datum"]["y"]) for m in series["marks"]],
                         list(zip(columns["staleness"], columns["updates"])))

    def test_every_recorded_message_is_drawn(self):
        self.open("comparison")
        steps = next(run["first_steps"] for run in self.documents["comparison"]["runs"] if run["messages"] > 0)
        messages, spans = steps["messages"], steps["spans"]
        marks = self.browser.run("return document.querySelectorAll('#first-steps .mark').length")
        self.assertEqual(marks, len(messages["from"]) + len(spans["rank"]))

    def test_every_seed_has_its_curve(self):
        self.open("seeds")
        drawn = self.browser.run(DRAWN, "curves", ".series")
        runs = self.documents["seeds"]["runs"]
        marked = [one for one in drawn if one["marks"]]
        self.assertEqual(sorted((one["name"], len(one["marks"])) for one in marked),
                         sorted((run["label"], len(run["evaluations"]["seconds"])) for run in runs))
        self.assertEqual(self.browser.run("return document.querySelectorAll('#curves .band').length"), 3)

    def test_different_objectives_are_not_drawn_together(self):
        self.open("objectives")
        self.assertEqual(len(self.browser.run(DRAWN, "curves", ".series")), 2)
        self.browser.run("""
          const select = document.querySelector("main select");
          select.selectedIndex = 1;
          select.dispatchEvent(new Event("change"));""")
        self.wait_for("return document.querySelector('#curves .mark') !== null")
        names = [one["name"] for one in self.browser.run(DRAWN, "curves", ".series")]
        self.assertEqual(names, ["ring, l2 1e-3", "ps-sync, l2 1e-3"])

    def test_many_are_told_by_family_and_found_by_words(self):
        self.open("many")
        runs = self.documents["many"]["runs"]
        # One small chart for each family, the first of each by its name, and everybody in one of them.
        drawn = self.browser.run("""
          return [...document.querySelectorAll("#curves .panel")].map((panel) => ({
            part: panel.dataset.part, names: [...panel.querySelectorAll(".series")].map((one) => one.dataset.series)}))""")
        self.assertEqual([one["part"] for one in drawn],
                         ["synchronous", "asynchronous", "bounded", "local updates", "shared memory", "decentralised"])
        self.assertEqual(sorted(sum((one["names"] for one in drawn), [])), sorted(run["label"] for run in runs))
        # The first few and the last are told, the others folded.
        told = "return [...document.querySelectorAll('.verdicts li')].filter((li) => li.checkVisibility()).length"
        self.assertEqual(self.browser.run(told), 4)
        shown = """return {
          curves: [...document.querySelectorAll("#curves .series")].map((one) => one.dataset.series),
          bars: [...document.querySelectorAll("#time .row")].map((one) => one.dataset.row),
          rows: [...document.querySelectorAll("#all-figures tbody tr")].map((one) => one.cells[0].textContent),
          said: document.querySelector("#found").textContent}"""
        self.browser.run("document.querySelector('.filter button[data-part=decentralised]').click()")
        self.wait_for("return document.querySelectorAll('#curves .panel').length === 0 && document.querySelector('#time .row') !== null")
        expected = [run["label"] for run in runs if run["scheme"] in ("gossip", "d-psgd", "choco")]
        found = self.browser.run(shown)
        self.assertEqual((found["curves"], found["bars"], found["rows"]), (expected, expected, expected))
        self.assertEqual(found["said"], f"{len(expected)} of {len(runs)}")
        self.find(".filter input").send_keys("psgd, choco")
        self.wait_for("return document.querySelectorAll('#time .row').length === 2")
        self.assertEqual(self.browser.run(shown)["rows"], ["d-psgd", "choco"])
        self.find(".filter input").clear()
        self.find(".filter input").send_keys("nowhere")
        self.wait_for("return document.querySelector('#curves') === null")

    def test_the_legend_hides_and_shows(self):
        self.open("comparison")
        count = "return document.querySelectorAll('#curves .series').length"
        before = self.browser.run(count)
        self.find("#curves .legend button").click()
        self.assertEqual(self.browser.run(count), before - 1)
        self.assertEqual(self.find("#curves .legend button").get_attribute("aria-pressed"), "false")
        self.find("#curves .legend button").click()
        self.assertEqual(self.browser.run(count), before)

    def test_dragging_zooms_and_whole_comes_back(self):
        from selenium.webdriver.common.action_chains import ActionChains
        self.open("comparison")
        before = self.browser.run(TICKS, "curves", "x")
        plot = self.find("#curves .brush .overlay")
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", plot)
        ActionChains(self.browser.driver).move_to_element_with_offset(plot, 40, 20).click_and_hold() \
            .move_by_offset(200, 100).release().perform()
        after = self.browser.run(TICKS, "curves", "x")
        self.assertLess(after[-1]["value"] - after[0]["value"], before[-1]["value"] - before[0]["value"])
        self.find("#curves .whole").click()
        self.assertEqual(self.browser.run(TICKS, "curves", "x"), before)

    def test_values_are_under_the_pointer(self):
        from selenium.webdriver.common.action_chains import ActionChains
        self.open("comparison")
        mark = self.browser.run("return document.querySelectorAll('#curves .series .mark')[1]")
        self.browser.run("arguments[0].scrollIntoView({block: 'center'})", mark)
        ActionChains(self.browser.driver).move_to_element(mark).perform()
        tip = self.find("#curves .tip")
        self.assertTrue(tip.is_displayed())
        head, *rows = tip.text.split("\n")
        self.assertRegex(head, r"^[\w ]+: [\d.]+")
        read = dict(row.split(": ") for row in rows)
        curves = {one["name"]: [mark["datum"]["y"] for mark in one["marks"]] for one in self.browser.run(DRAWN, "curves", ".series")}
        self.assertGreater(len(read), 1)
        self.assertLessEqual(set(read), set(curves))
        first = next(iter(curves))
        self.assertAlmostEqual(float(read[first]), curves[first][1], delta=0.02 * abs(curves[first][0]))

    def test_a_heading_sorts_the_table(self):
        self.open("comparison")
        headings = self.browser.run(
            "return [...document.querySelectorAll('#all-figures th')].map((th) => th.textContent)")
        at = headings.index("seconds_to_target")
        runs = self.documents["comparison"]["runs"]
        labels = "return [...document.querySelectorAll('#all-figures tbody tr')].map((r) => r.cells[0].textContent)"
        for down in (False, True):
            self.browser.run("document.querySelectorAll('#all-figures th button')[arguments[0]].click()", at)
            ordered = sorted(runs, key=lambda run: run["seconds_to_target"], reverse=down)
            self.assertEqual(self.browser.run(labels), [run["label"] for run in ordered])

    def test_a_figure_is_saved_as_svg_and_csv(self):
        self.open("comparison")
        for button in self.browser.driver.find_elements("css selector", "#curves .save button"):
            button.click()
        folder = pathlib.Path(self.browser.downloads)
        end = time.monotonic() + 30
        while not ((folder / "curves.svg").exists() and (folder / "curves.csv").exists()):
            self.assertLess(time.monotonic(), end, "nothing was saved")
            time.sleep(0.05)
        rows = (folder / "curves.csv").read_text().splitlines()
        runs = self.documents["comparison"]["runs"]
        self.assertEqual(len(rows) - 1, sum(len(run["evaluations"]["seconds"]) for run in runs))
        svg = (folder / "curves.svg").read_text()
        self.assertEqual(svg.count("<circle"), len(rows) - 1)
        self.assertFalse("var(" in svg, "a colour of the page's style sheet")

    def test_a_map_has_a_cell_for_each_cell(self):
        self.open("map")
        cells = self.documents["map"]["cells"]
        marks = self.browser.run("return document.querySelector('figure').querySelectorAll('.mark').length")
        self.assertEqual(marks, len(cells))

    def test_confusions_and_curves_are_those_of_the_document(self):
        for name, classes in {"score": 2, "score-classes": 3}.items():
            self.open(name)
            measures = self.documents[name]["measures"]
            self.assertEqual(len(measures["classes"]), classes)
            cells = self.browser.run("return [...document.querySelectorAll('#confusion .cell')].map((c) => c.ariaLabel)")
            self.assertEqual([int(text.split(" ")[0]) for text in cells], [n for n in sum(measures["confusion"], []) if n > 0])
            curves = [one for one in measures["classes"] if one["curve"]]
            self.assertEqual(len(curves), 1 if classes == 2 else classes)
            for figure, x, y in (("roc", "false_positive_rate", "recall"), ("precision-recall", "recall", "precision")):
                drawn = {one["name"]: one["marks"] for one in self.browser.run(DRAWN, figure, ".series")}
                for one in curves:
                    marks = drawn[one["class"]]
                    points = list(zip(one["curve"][x], one["curve"][y]))
                    if figure == "precision-recall":  # as far down as the first row that is said to be of the class
                        points[0] = (0, points[1][1])
                    self.assertEqual([(m["datum"]["x"], m["datum"]["y"]) for m in marks], points)
                    self.assert_on_axes(figure, marks)
        self.open("score")
        drawn = self.browser.run(DRAWN, "threshold", ".series")
        self.assertEqual([one["name"] for one in drawn], ["recall", "precision", "false positive rate"])

    def test_the_command_on_the_page_repeats_the_run(self):
        run = self.documents["comparison"]["runs"][0]
        self.open("comparison")
        command = self.find("#again pre").text
        self.assertEqual(command, run["command"])
        words = ["P" if word == "trainyard" else word for word in command.split()][1:]
        again = subprocess.run([PROGRAM, *words, "--json", "--quiet"], check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(again.stdout)["model_hash"], run["model_hash"])


if __name__ == "__main__":
    require_browser()
    PROGRAM = sys.argv.pop(1)
    unittest.main()

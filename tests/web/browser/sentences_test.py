#!/usr/bin/env python3
"""Every sentence of every kind of page, against the JSON beneath it: sentences_test.py PROGRAM
[unittest's arguments].

In runs that diverge, in seeds that are cut off, of one run, of all schemes, of messages that begin
late, with a target and without. With SCREENSHOTS=DIR pictures of the pages are left there.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from browser import Browser, require_browser
from labs import labs_of
from sentences import DURATION, NUMBER, check_comparison, check_notes, duration, near

SMALL = ["--quiet", "--time", "virtual", "--compute-time", "1ms", "--dataset", "blobs", "--model", "softmax", "--workers", "4"]
TINY = ["--quiet", "--time", "virtual", "--compute-time", "1ms", "--dataset", "two-scales", "--model", "quadratic", "--batch", "1"]
# Each with its exit status where that is not 0.
COMPARISONS = {
    "one run": ["run", "--scheme", "ring", "--epochs", "1", *SMALL],
    "one run at its target": ["run", "--scheme", "ring", "--target-loss", "1", *SMALL],
    "one run short of its target": ["run", "--scheme", "ring", "--epochs", "1", "--target-accuracy", "0.999", *SMALL],
    "one run that rises": ["run", "--scheme", "ring", "--epochs", "1", "--lr", "40", *SMALL],
    "one run that diverges": (4, ["run", "--scheme", "ps-async", "--steps", "20", "--lr", "1000", *TINY]),
    "one contestant": ["compare", "--schemes", "ring", "--epochs", "1", *SMALL],
    "all diverge": (4, ["compare", "--schemes", "ring,ps-async", "--steps", "20", "--lr", "1000", *TINY]),
    "some diverge": (4, ["compare", "--schemes", "ring,ps-sync,ring{lr=1000}", "--steps", "40", "--lr", "0.05", *TINY]),
    "some seeds": ["compare", "--schemes", "ring,gossip,local-sgd{period=64}", "--seeds", "3", "--epochs", "2", "--target-loss", "0.45", *SMALL],
    "seeds": ["compare", "--schemes", "ring,ps-async,gossip", "--seeds", "2", "--epochs", "2", *SMALL],
    "ties": ["compare", "--schemes", "ring,all-reduce{collective=ps-colocated}", "--epochs", "1", "--latency", "1ms", *SMALL],
    "from the start": ["compare", "--schemes", "ring,ps-sync", "--epochs", "1", "--target-loss", "10", *SMALL],
    "grid": ["compare", "--schemes", "ring,ps-sync", "--vary", "latency=100us,10ms", "--epochs", "1", *SMALL],
    "racks": ["compare", "--schemes", "ring,ps-sync", "--racks", "2", "--between-latency", "10ms", "--epochs", "1", *SMALL],
    "all schemes": ["compare", "--schemes", "all", "--steps", "30", *SMALL],
}
ANSWER = """
  const lines_of = (list) => [...list.children].map((line) => [line.querySelector("strong").textContent,
    line.textContent.slice(line.querySelector("strong").textContent.length)]);
  const parts = [], tags = [];
  let heading = "", is_apart = false;
  for (const one of document.querySelectorAll(["circumstances", "apart", "verdicts"].map((name) => `${arguments[0]} .${name}`).join(", "))) {
    if (one.matches(".circumstances")) [heading, is_apart] = [one.textContent, false];
    else if (one.matches(".apart")) is_apart = true;
    else if (!is_apart) {
      // Of many the first few are a list, those that are folded one, and the last.
      if (parts.at(-1)?.[0] !== heading) parts.push([heading, []]);
      parts.at(-1)[1].push(...lines_of(one));
      tags.push(one.tagName);
    }
  }
  return {title: document.querySelector(arguments[1]).textContent,
    setting: document.querySelector(`${arguments[0]} .setting`).textContent,
    unranked: document.querySelector(`${arguments[0]} .unranked`)?.textContent ?? "",
    close: document.querySelector(`${arguments[0]} .close`)?.textContent ?? "",
    is_ordered: tags.every((tag) => tag === "OL"),
    notes: [...document.querySelectorAll(`${arguments[0]} .notes li`)].map((one) => one.textContent),
    parts};
"""
SENTENCES = "return [...document.querySelectorAll('.answer, main > ul > li')].map((one) => one.textContent)"


class Sentences(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-sentences-"))
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def made(self, name, arguments, status=0):
        """The document, and the page of it, which is opened."""
        page = self.folder / f"{name.replace(' ', '-')}.html"
        done = subprocess.run([PROGRAM, *arguments, "--json", "--html", str(page)], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.show(page)
        return json.loads(done.stdout), page

    def show(self, page):
        self.browser.open(page.as_uri())
        self.wait_for("return document.querySelector('main h1') !== null")
        self.assertEqual(self.browser.complaints(), [])
        self.browser.screenshot(f"sentences-{page.stem}")
        self.browser.set_width(1100)

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not self.browser.run(condition):
            self.assertLess(time.monotonic(), end, condition)
            time.sleep(0.05)

    def sentences(self):
        return " ".join(self.browser.run(SENTENCES))

    def check_answer(self, document):
        check_comparison(self, document=document, **self.browser.run(ANSWER, "main", "h1"))

    def test_a_comparison_says_what_its_runs_did(self):
        for name, given in COMPARISONS.items():
            with self.subTest(page=name):
                status, arguments = given if isinstance(given, tuple) else (0, given)
                document, _ = self.made(name, arguments, status)
                self.check_answer(document)

    def test_seeds_that_were_cut_off_turn_no_ranking_round(self):
        document, page = self.made("cut", COMPARISONS["seeds"])
        _, later = [run for run in document["runs"] if run["label"] == "ring"]
        cut = {"interrupted": True, "seconds_to_target": None, "epochs_to_target": None}
        for name, runs, lacking in (("under way", [{**later, **cut}], []), ("not begun", [], ["ring, seed 2"]), ("other seeds", [], [])):
            changed = {**document, "runs": [run for run in document["runs"] if run is not later] + runs, "lacking": lacking}
            # As where the time was over before its second seed had come to its end, or begun.
            text = re.sub(r'(<script type="application/json"[^>]*>).*?(</script>)',
                          lambda found: found[1] + json.dumps(changed).replace("<", "\\u003c") + found[2],
                          page.read_text(), count=1, flags=re.S)
            other = self.folder / f"cut {name}.html"
            other.write_text(text)
            self.show(other)
            self.check_answer(changed)
            self.assertNotIn("first", self.browser.run(ANSWER, "main", "h1")["title"])

    def test_messages_are_told_from_the_first_to_the_last(self):
        files = {"at once": "0 0 1 1MB\n", "late": "100 0 1 1kB\n100.5 1 2 1kB\n101 2 0 2MB\n",
                 "very late": "100000 0 1 1kB\n100000.5 1 2 1kB\n100001 2 0 2MB\n100001 1 0 1MB\n"}
        for name, text in files.items():
            (self.folder / name).write_text(text)
        cases = {"example-1.1": ["example-1.1"], "example-1.4": ["example-1.4"], "sgp-overlap": ["sgp-overlap"], "ps-sync": ["ps-sync"],
                 "hogwild": ["hogwild"], **{name: [str(self.folder / name)] for name in files}}
        for name, arguments in cases.items():
            with self.subTest(page=name):
                document, _ = self.made(f"timeline {name}", ["timeline", *arguments])
                self.check_timeline(document)

    def check_timeline(self, document):
        messages, begins = document["messages"], document["from"]
        ends = begins + document["makespan"]
        said = self.sentences()
        if not messages:
            self.assertIn("There are no messages", said)
            return
        first, last = min(one["posted"] for one in messages), max(one["end"] for one in messages)
        digits = 1e-3 * document["makespan"] + 1e-9
        count, ranks = re.search(r"(\d+) messages? between (\d+) ranks", said).groups()
        self.assertEqual((int(count), int(ranks)), (len(messages), len(document["ranks"])))
        found = re.search(rf"from ({DURATION}), when .* to ({DURATION}), when [a-z ]+, ({DURATION})\.", said)
        self.assertAlmostEqual(duration(found[1]), first, delta=digits)
        self.assertAlmostEqual(duration(found[2]), last, delta=digits)
        self.assertAlmostEqual(duration(found[3]), last - first, delta=digits)
        waiting = sum(one["start"] > one["posted"] for one in messages)
        wait = re.search(r"(\d+|It|None)(?: of them)? (?:has|have|does not have) to wait", said)[1]
        self.assertEqual({"It": waiting, "None": 0}.get(wait, int(wait) if wait.isdigit() else -1), waiting)
        # The axis has all of it.
        self.assertGreaterEqual(first, begins - digits)
        self.assertLessEqual(last, ends + digits)
        # A figure is drawn once its width is known: an instant after the page's words.
        self.wait_for("return document.querySelector('#timeline clipPath rect') !== null")
        drawn = self.browser.run("""
          const plot = document.querySelector("#timeline clipPath rect").getBBox();
          const texts = [...document.querySelectorAll("#timeline .axis.x .tick text")].map((one) => one.textContent);
          return {texts, left: plot.x, right: plot.x + plot.width, arrows: [...document.querySelectorAll("#timeline .message .arrow")].map((one) =>
            [Number(one.getAttribute("x1")), Number(one.getAttribute("x2"))])};""")
        self.assertEqual(len(drawn["arrows"]), len(messages))
        pixels = (drawn["right"] - drawn["left"]) / document["makespan"]
        for (x1, x2), one in zip(drawn["arrows"], messages):
            self.assertAlmostEqual(x1, drawn["left"] + (one["start"] - begins) * pixels, delta=0.6)
            self.assertAlmostEqual(x2, drawn["left"] + (one["end"] - begins) * pixels, delta=0.6)
        self.assertEqual(len(set(drawn["texts"])), len(drawn["texts"]), drawn["texts"])

    def test_predictions_name_those_with_the_shortest_step(self):
        for name, arguments in {"all": ["--schemes", "all"], "one": ["--schemes", "ring"], "none": ["--schemes", "hogwild"],
                                "few": ["--schemes", "ring,ps-sync,gossip,sequential"]}.items():
            with self.subTest(page=name):
                document, _ = self.made(f"predict {name}", ["predict", *arguments])
                self.check_prediction(document["rows"])

    def check_prediction(self, rows):
        said = self.sentences()
        names = {row["label"]: row for row in rows}
        sending = {name: row for name, row in names.items() if row["messages_per_step"] > 0}
        if not sending:
            self.assertIn("None of these schemes sends a message", said)
        for who, takes in re.findall(rf"[Aa] step of ([^ ,]+)[^.]*? takes ({DURATION})", said):
            self.assertTrue(near(duration(takes), names[who]["step_s"]), said)
        if found := re.search(rf"Of (\d+) (?:schemes?|ways of (\d+) schemes?) that sends? messages (.*?) takes? the shortest step among .*?, ({DURATION})", said):
            self.assertEqual(int(found[1]), len(sending))
            self.assertEqual(int(found[2] or found[1]), len({row["scheme"] for row in sending.values()}))
            least = min(row["step_s"] for row in sending.values())
            best = [name for name, row in sending.items() if row["step_s"] <= 1.005 * least]
            self.assertTrue(near(duration(found[4]), least), said)
            others = re.search(r"and (\d+) others", found[3])
            self.assertEqual(len(best), 1 + int(others[1]) if others else len(re.split(", | and ", found[3])))
            self.assertIn(re.split(", | and ", found[3])[0], best)
        if found := re.search(rf"no step is longer than that of (\S+), ({DURATION})", said):
            self.assertEqual(names[found[1]]["step_s"], max(row["step_s"] for row in sending.values()))
        if found := re.search(rf"Of ([^.]*?), which average all gradients in every step, (\S+) takes the shortest: ({DURATION})", said):
            schemes = re.split(", | and ", found[1])
            least = min(row["step_s"] for row in rows if row["scheme"] in schemes)
            self.assertEqual(names[found[2]]["step_s"], least)
        if found := re.search(rf"One machine by itself \(sequential\) takes ({DURATION})", said):
            self.assertTrue(near(duration(found[1]), names["sequential"]["step_s"]))

    def test_sweeps_and_break_evens_are_counted(self):
        document, _ = self.made("sweep", ["predict", "--vary", "latency=10us:10ms"])
        said = self.sentences()
        self.assertIn(document["points"][0]["cheapest"], said)
        self.assertIn(document["points"][-1]["cheapest"], said)
        changes = re.findall(r"the shortest step changes from (\S+) to (\S+)\.", said)
        self.assertEqual(changes, [(one["before"], one["after"]) for one in document["crossings"]])
        for schemes in ("csgd", "csgd,choco,ec-sgd"):
            document, _ = self.made(f"break-even {schemes}", ["predict", "--break-even", "--schemes", schemes, "--size", "40kB"])
            rows, said = document["rows"], self.sentences()
            pays = sum(row["step_s"] < row["plain_step_s"] for row in rows)
            self.assertRegex(said, rf"\b{pays} of {len(rows)} pairs? of scheme and codec")
            for word in ("never", "always"):
                count = sum(row["pays"] == word for row in rows)
                self.assertEqual(re.search(rf"(\d+) {word} pays?, at any bandwidth", said) is not None, count > 0)
                if count > 0:
                    self.assertRegex(said, rf"\b{count} {word} pays?, at any bandwidth")

    def test_netcheck_names_all_of_the_fastest(self):
        for name, arguments in {"few": ["--workers", "4"], "one": ["--collectives", "ring"], "alone": ["--workers", "1"],
                                "no latency": ["--workers", "4", "--latency", "0us"]}.items():
            with self.subTest(page=name):
                rows = self.made(f"netcheck {name}", ["netcheck", *arguments])[0]["rows"]
                said = self.sentences()
                exact = all(abs(row["ratio"] - 1) < 1e-6 for row in rows)
                self.assertEqual("to six digits" in said, exact)
                if len(rows) == 1:
                    continue
                least = min(row["measured_s"] for row in rows)
                fastest = [row["collective"] for row in rows if row["measured_s"] <= 1.005 * least]
                found = re.search(rf"digits\. (.*) (?:is|are) the fastest among (\d+) workers?: ({DURATION})\.", said)
                self.assertEqual(re.split(", | and ", found[1]), fastest)
                self.assertEqual(int(found[2]), rows[0]["workers"])
                self.assertTrue(near(duration(found[3]), least), said)

    def test_graphs_are_as_their_figures_say(self):
        apart = self.folder / "apart.txt"
        apart.write_text("0 1\n2 3\n")
        for name, arguments in {"ring": ["ring", "--workers", "8"], "exact": ["one-peer-exp", "--workers", "8"], "alone": ["ring", "--workers", "1"],
                                "star": ["star", "--workers", "5"], "apart": [f"file:{apart}", "--workers", "4"]}.items():
            with self.subTest(page=name):
                [row] = self.made(f"topology {name}", ["topology", *arguments])[0]["rows"]
                self.check_topology(row)
        for name, arguments in {"ring": ["ring", "--rounds", "6"], "exact": ["one-peer-exp", "--workers", "8", "--rounds", "6"],
                                "apart": [f"file:{apart}", "--workers", "4", "--rounds", "6"], "alone": ["ring", "--workers", "1", "--rounds", "2"]}.items():
            with self.subTest(page=f"consensus {name}"):
                self.check_consensus(self.made(f"consensus {name}", ["consensus", "--topology", *arguments])[0])

    def check_topology(self, row):
        said = self.sentences()
        if row["workers"] == 1:
            self.assertIn("nobody to agree with", said)
            return
        self.assertTrue(near(float(re.search(rf"workers sends ({NUMBER}) message", said)[1]), row["messages_per_step"]), said)
        self.assertTrue(near(float(re.search(rf"round leaves (?:at most )?({NUMBER}) of", said)[1]), row["rms_contraction"]), said)
        self.assertEqual("at most" in said, row["doubly_stochastic"])
        rounds = re.search(r"a thousandth of it is left after (\d+) round", said)
        self.assertEqual(int(rounds[1]) if rounds else None, row["rounds_to_1e-3"])
        exact = re.search(r"exact mean after (\d+) round", said)
        self.assertEqual(int(exact[1]) if exact else None, row["rounds_to_exact"])

    def check_consensus(self, document):
        rounds, mean, said = document["rounds"], document["mean"], self.sentences()
        distances = [one["consensus_distance"] for one in rounds]
        self.assertTrue(near(float(re.search(rf"is ({NUMBER}) at first", said)[1]), distances[0]), said)
        if found := re.search(r"exactly 0 after (\d+) round", said):
            self.assertEqual(int(found[1]), distances.index(0))
        if found := re.search(rf"and ({NUMBER}) after (\d+) rounds", said):
            self.assertTrue(near(float(found[1]), distances[-1]) and int(found[2]) == len(rounds) - 1, said)
        closer = [abs(last - mean) < abs(first - mean) or abs(last - mean) < 1e-3 for first, last in zip(rounds[0]["x"], rounds[-1]["x"])]
        if "come closer" in said:
            self.assertTrue(all(closer), said)

    def test_a_map_counts_its_cells(self):
        document, _ = self.made("map", ["compare", "--schemes", "ring,ps-sync,gossip", "--epochs", "2", "--map",
                                        "latency=10us:10ms,bandwidth=1Mbps:1Gbps", *SMALL])
        cells, said = document["cells"], self.sentences()
        won = {one["label"]: sum(cell["first"] == one["label"] for cell in cells) for one in document["contestants"]}
        best = max(won, key=won.get)
        self.assertRegex(said, rf"{best} is the first to reach .* in {won[best]} of {len(cells)} cells")
        for name, count in won.items():
            if 0 < count and name != best:
                self.assertIn(f"{name} in {count}", said)
        never = [name for name, count in won.items() if count == 0]
        self.assertEqual(f"Nowhere first: {', '.join(never)}." in said, bool(never))
        found = re.search(rf"there (\S+) is ({NUMBER}) times as fast as the next", said)
        widest = max((cell for cell in cells if cell["ahead"] is not None), key=lambda cell: cell["ahead"])
        self.assertEqual(found[1], widest["first"])
        self.assertTrue(near(float(found[2]), widest["ahead"], 0.01), said)
        check_notes(self, self.browser.run("return [...document.querySelectorAll('.notes li')].map((one) => one.textContent)"), document)


class LabSentences(unittest.TestCase):
    """The same list on the lab's pages, which compute while one looks."""

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

    def wait_until(self, state):
        end = time.monotonic() + 120
        while self.browser.run("return document.documentElement.dataset.state") != state:
            self.assertLess(time.monotonic(), end, state)
            time.sleep(0.05)

    def answer(self, document):
        said = self.browser.run(ANSWER, "#answer", "#answer h2")
        check_comparison(self, document=document, **said)
        return said

    def first(self):
        return json.loads(self.browser.run("return document.getElementById('document').textContent"))["first"]

    def test_a_lab_says_what_its_runs_did(self):
        for name in self.labs:
            with self.subTest(lab=name):
                self.browser.open(f"{self.address}/lab/{name}#guess=none")
                self.wait_until("ready")
                self.answer(self.first())

    def test_where_data_differ_gossip_is_behind(self):
        """What the lab's story says."""
        self.browser.open(f"{self.address}/lab/label-skew#guess=none")
        self.wait_until("ready")
        order = [name for name, _ in self.answer(self.first())["parts"][0][1]]
        self.assertEqual((order[0], order[-1]), ("ring", "gossip"))

    def test_the_list_of_labs_names_each(self):
        self.browser.open(self.address)
        self.assertEqual(len(self.browser.run("return [...document.querySelectorAll('.lab-list a')]")), len(self.labs))

    def ask(self, schemes, seeds, options):
        """On the free page; the answer as it came."""
        self.browser.open(f"{self.address}/free")
        self.wait_until("ready")
        self.browser.run("""
          const asked = window.fetch;
          window.fetch = async (...all) => {
            const answer = await asked(...all);
            if (String(all[0]).includes("/api/compare")) window.answered = await answer.clone().json();
            return answer;
          };
          const [schemes, seeds, options] = arguments;
          const words = [`schemes=${schemes}`, `seeds=${seeds}`, ...Object.entries(options).map(([name, value]) => `${name}=${value}`)];
          location.hash = words.join("&");""", schemes, seeds, options)
        end = time.monotonic() + 120
        while not self.browser.run("return window.answered !== undefined && document.documentElement.dataset.state === 'ready'"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        return self.browser.run("return window.answered")

    def test_the_free_page_ranks_nobody_over_unequal_seeds(self):
        # Far more than two seconds of any machine.
        document = self.ask("ring,gossip", 5, {"epochs": "4000", "evaluate-every": "20", "target-loss": "0.001"})
        self.assertTrue(document["lacking"] or any(run["interrupted"] for run in document["runs"]))
        said = self.answer(document)
        self.assertNotIn("first", said["title"])
        self.browser.screenshot("sentences-free-cut")
        self.browser.set_width(1100)

    def test_the_free_page_says_who_diverged(self):
        document = self.ask("ring,gossip", 1, {"dataset": "two-scales", "model": "quadratic", "batch": "1", "lr": "1000", "steps": "20"})
        self.assertTrue(all(run["diverged"] for run in document["runs"]))
        self.answer(document)


if __name__ == "__main__":
    require_browser()
    PROGRAM = sys.argv.pop(1)
    unittest.main()

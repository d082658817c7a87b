"""What a lab asks before it shows, and what becomes of the answers: tests of lab_test.py."""

import json
import math
import subprocess

from labs import CURVES, document_of


def near(runs, size, best):
    """Those that are less than one evaluation from the best, on another curve."""
    of = {run["label"]: (run["target_interval_s"], run["epochs_to_target"]) for run in runs}
    first = next(label for label, value in size.items() if value == best)
    return {label for label, value in size.items() if None not in of[label] + of[first]
            and abs(of[label][1] / of[first][1] - 1) >= 1e-3 and abs(value - best) < min(of[label][0], of[first][0])}


class Guesses:
    def test_a_guess_comes_before_the_picture_and_is_answered(self):
        for name, lab in self.labs.items():
            guess, runs = lab["guess"], document_of(f"{self.address}/lab/{name}")["first"]["runs"]
            if "drawn" in guess:
                continue
            values = {run["label"]: run[guess["figure"]] if not run["diverged"] else None for run in runs}
            size = {label: float("inf") if value is None else value for label, value in values.items()}
            best = (max if guess["most"] else min)(size.values())
            right = {label for label, value in size.items() if value == best or abs(value - best) <= 0.005 * abs(min(value, best))}
            if guess["figure"] == "seconds_to_target":
                right |= near(runs, size, best)
            self.assertLess(len(right), len(runs), name)
            for chosen in (sorted(right)[0], sorted(set(size) - right)[0]):
                with self.subTest(lab=name, guess=chosen):
                    self.browser.open("about:blank")
                    self.browser.open(f"{self.address}/lab/{name}")
                    self.wait_until_ready()
                    self.assertEqual(self.browser.run(CURVES), [])
                    self.assertTrue(self.browser.run("return document.querySelector('.sliders').inert"))
                    self.assertFalse(self.browser.driver.find_element("css selector", "#curves .save").is_displayed())
                    self.assertFalse(self.browser.driver.find_element("css selector", "#answer").is_displayed())
                    buttons = self.browser.driver.find_elements("css selector", ".guess-choice")
                    self.assertEqual([one.find_element("css selector", "strong").text for one in buttons], list(size))
                    buttons[list(size).index(chosen)].click()
                    told = self.browser.driver.find_element("css selector", ".told").text
                    self.assertEqual("that is right" in told, chosen in right, told)
                    for label in right:
                        self.assertIn(label, told)
                    self.assertEqual(len(self.browser.run(CURVES)), len(runs))
                    self.assertIn("guess=", self.browser.driver.current_url)
                    self.assertTrue(self.browser.driver.find_element("css selector", "#answer").is_displayed())
                    self.assertFalse(self.browser.run("return document.querySelector('.sliders').inert"))
                    self.assertTrue(self.browser.driver.find_element("css selector", "#curves .save").is_displayed())

    def test_a_mark_on_a_line_is_a_guess(self):
        drawn = {name: lab["guess"]["drawn"] for name, lab in self.labs.items() if "drawn" in lab["guess"]}
        self.assertEqual(sorted(drawn), ["how-many-workers", "local-steps", "when-to-checkpoint"])
        for name, line in drawn.items():
            low, high = (math.log(end / line["from"]) / math.log(line["to"] / line["from"]) for end in line["right"])
            for share, right in ((0.02, False), ((low + high) / 2, True), (0.98, False)):
                with self.subTest(lab=name, share=share):
                    self.browser.open("about:blank")
                    self.browser.open(f"{self.address}/lab/{name}")
                    self.wait_until_ready()
                    self.assertEqual(self.browser.run(CURVES), [])
                    self.assertFalse(self.browser.driver.find_element("css selector", ".mark-it").is_enabled())
                    self.browser.run("const mark = document.querySelector('.drawn-line input');"
                                     "mark.value = Math.round(arguments[0] * mark.max); mark.dispatchEvent(new Event('input'))", share)
                    marked = self.browser.driver.find_element("css selector", ".mark").text
                    self.browser.driver.find_element("css selector", ".mark-it").click()
                    told = self.browser.driver.find_element("css selector", ".told").text
                    self.assertTrue(told.startswith(f"You marked {marked}"), told)
                    self.assertEqual("that is right" in told, right, told)
                    self.assertGreater(len(self.browser.run(CURVES)), 0)

    def test_answers_go_from_page_to_page_and_home(self):
        self.browser.open("about:blank")
        self.browser.open(f"{self.address}/lab/straggler")
        self.wait_until_ready()
        answers = self.browser.driver.find_element("css selector", "#answers")
        self.assertFalse(answers.is_displayed())
        self.browser.driver.find_elements("css selector", ".guess-choice")[1].click()
        self.assertTrue(answers.is_displayed())
        self.browser.run("document.querySelector('nav a[rel=next]').click()")
        self.wait_for("return location.pathname.endsWith('/staleness') && document.documentElement.dataset.state === 'ready'")
        # This lab has not been answered yet, and its picture is not seen.
        self.assertEqual(self.browser.run(CURVES), [])
        self.browser.driver.find_element("css selector", ".no-guess").click()
        self.browser.run("document.querySelector('nav a').click()")
        self.wait_for("return location.pathname === '/'")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.answered')].map((one) => one.parentNode.querySelector('code').textContent)"),
                         ["straggler", "staleness"])
        saved = self.browser.run("""
          let saved = '';
          const Whole = Blob;
          window.Blob = function(parts, how) { saved = parts.join(''); return new Whole(parts, how); };
          document.querySelector('#answers input').value = 'Ada';
          document.querySelector('#answers button').click();
          window.Blob = Whole;
          return saved;""")
        self.assertEqual(json.loads(saved), {"format": "trainyard answers 1", "student": "Ada", "answers": {"straggler": "ring", "staleness": "none"}})
        # Who comes back sees what was guessed, and cannot guess again.
        self.browser.run("[...document.querySelectorAll('.lab-list a')].find((one) => one.textContent === 'One slow worker').click()")
        self.wait_for("return location.pathname.endsWith('/straggler') && document.documentElement.dataset.state === 'ready'")
        self.assertIn("You guessed ring", self.browser.driver.find_element("css selector", ".told").text)
        self.assertEqual(self.browser.driver.find_elements("css selector", ".guess"), [])

    def test_pages_for_students_tell_no_answers(self):
        server = subprocess.Popen([self.server.args[0], "lab", "--without-answers"], stdout=subprocess.PIPE, text=True)
        address = server.stdout.readline().strip().rstrip("/")
        try:
            for name in ("straggler", "local-steps"):
                self.browser.open(f"{address}/lab/{name}")
                self.wait_until_ready()
                source, lab = self.browser.run("return document.documentElement.innerHTML"), self.labs[name]
                for paragraph in lab["story"][1:]:
                    self.assertNotIn(json.dumps(paragraph, ensure_ascii=False)[1:60], source)
                self.assertNotIn('"right"', source)
                self.browser.run("const mark = document.querySelector('.drawn-line input'); if (mark) { mark.value = 40; mark.dispatchEvent(new Event('input')); }"
                                 "(document.querySelector('.guess-choice') ?? document.querySelector('.mark-it')).click()")
                told = self.browser.driver.find_element("css selector", ".told").text
                self.assertTrue(told.startswith("Your guess is kept: "), told)
                self.assertFalse(self.browser.driver.find_element("css selector", "#answer").is_displayed())
                self.assertGreater(len(self.browser.run(CURVES)), 1)
        finally:
            server.send_signal(2)
            self.assertEqual(server.wait(60), 0)

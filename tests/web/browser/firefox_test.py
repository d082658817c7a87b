#!/usr/bin/env python3
"""The lab in Firefox: firefox_test.py PROGRAM [unittest's arguments]. What Chromium is asked is in lab_test.py."""

import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from firefox import Firefox, require_firefox
from lab_test import CURVES, SET_SLIDER, points
from labs import MARK, document_of, labs_of


class InFirefox(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([PROGRAM, "lab"], stdout=subprocess.PIPE, text=True)
        cls.address = cls.server.stdout.readline().strip().rstrip("/")
        cls.browser = Firefox(1280, 720)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.server.send_signal(2)
        assert cls.server.wait(60) == 0

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not self.browser.run(condition):
            self.assertLess(time.monotonic(), end, condition)
            time.sleep(0.05)

    def wait_until_ready(self):
        self.wait_for("return document.documentElement.dataset.state === 'ready'")

    def open(self, address):
        self.browser.open("about:blank")
        self.browser.open(address)

    def test_each_lab_asks_shows_and_is_silent(self):
        for name, lab in labs_of(self.address).items():
            with self.subTest(lab=name):
                self.open(f"{self.address}/lab/{name}")
                self.wait_until_ready()
                self.assertEqual(self.browser.run(CURVES), [])
                self.assertLessEqual(self.browser.run("return document.querySelector('.guess').getBoundingClientRect().bottom"), 720)
                drawn = "drawn" in lab["guess"]
                self.browser.run(MARK if drawn else "document.querySelector('.guess-choice').click()")
                self.assertIn("You marked" if drawn else "You guessed", self.browser.run("return document.querySelector('.told').textContent"))
                first = document_of(f"{self.address}/lab/{name}")["first"]
                self.assertEqual(dict(self.browser.run(CURVES)), points(first, lab["show"]))
                self.assertLessEqual(self.browser.run("return document.querySelector('#curves svg').getBoundingClientRect().bottom"), 720)
                wide = self.browser.run("return [document.documentElement.scrollWidth, innerWidth]")
                self.assertLessEqual(wide[0], wide[1])
                self.assertEqual(self.browser.complaints(), [])

    def test_curves_follow_a_slider_and_leave_ghosts(self):
        self.open(f"{self.address}/lab/straggler#guess=none")
        self.wait_until_ready()
        before = self.browser.run(CURVES)
        self.browser.run("window.drawn = document.documentElement.dataset.drawn")
        self.browser.run(SET_SLIDER, 0, 0)
        self.wait_for("return document.documentElement.dataset.drawn !== window.drawn")
        self.wait_until_ready()
        self.assertNotEqual(self.browser.run(CURVES), before)
        self.assertEqual(self.browser.run("return document.querySelectorAll('#curves [data-ghost]').length"), len(before))
        self.assertEqual(self.browser.complaints(), [])

    def test_other_pages_open_without_a_complaint(self):
        for page in ("", "free"):
            self.open(f"{self.address}/{page}")
            self.wait_for("return document.querySelector('main h1') !== null")
            self.assertEqual(self.browser.complaints(), [])
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.html"
            subprocess.run([PROGRAM, "compare", "--schemes", "ring,ps-async", "--epochs", "1", "--html", report], check=True, capture_output=True)
            self.open(report.as_uri())
            self.wait_for("return document.querySelectorAll('#curves .series').length === 2")
            self.assertEqual(self.browser.complaints(), [])

    def test_an_export_opens_from_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "lab", "--export", folder], check=True, capture_output=True)
            self.open((pathlib.Path(folder) / "straggler.html").as_uri() + "#guess=none")
            self.wait_until_ready()
            before = self.browser.run(CURVES)
            self.assertEqual(len(before), 5)
            self.browser.run(SET_SLIDER, 0, 0)
            self.wait_until_ready()
            self.assertNotEqual(self.browser.run(CURVES), before)
            self.assertEqual(self.browser.complaints(), [])


if __name__ == "__main__":
    require_firefox()
    PROGRAM = sys.argv.pop(1)
    unittest.main()

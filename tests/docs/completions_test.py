#!/usr/bin/env python3
"""What the completions offer in bash, and whether groff takes the manual page. Nothing but bash is needed for the first."""
import pathlib
import shutil
import subprocess
import unittest

SHARE = pathlib.Path(__file__).resolve().parents[2] / "share"


def offered(*words):
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _trainyard; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "bash", SHARE / "trainyard.bash", "trainyard", *words], capture_output=True,
                          text=True, check=True)
    return done.stdout.split()


class Completions(unittest.TestCase):
    def test_commands(self):
        self.assertEqual(offered("com"), ["compare"])
        self.assertIn("netcheck", offered(""))

    def test_flags_of_the_command(self):
        self.assertEqual(offered("compare", "--tune"), ["--tune-lr"])
        self.assertEqual(offered("run", "--tune"), [])
        self.assertIn("--latency", offered("run", "--scheme", "ring", "--lat"))

    def test_names(self):
        self.assertEqual(offered("run", "--scheme", "extr"), ["extra"])
        self.assertIn("torus", offered("run", "--topology", ""))
        self.assertEqual(offered("run", "ri"), [], "files")

    def test_no_words_of_sentences_around_the_names(self):
        """They offered --codec wire and --topology shows, which begin lines below the rows."""
        self.assertEqual(offered("run", "--codec", "w") + offered("run", "--codec", "that"), [])
        self.assertEqual(offered("run", "--topology", "sh"), [])
        self.assertEqual(offered("run", "--codec", "random-k-u"), ["random-k-unscaled"])
        self.assertEqual(offered("run", "--dataset", "made"), [])

    def test_manual_page(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        done = subprocess.run(["groff", "-K", "utf8", "-man", "-Tutf8", "-ww", "-z", SHARE / "trainyard.1"], capture_output=True, text=True,
                              check=True)
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()

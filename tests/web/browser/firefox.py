"""Firefox, headless, by the protocol that it speaks itself (Marionette): Debian has no geckodriver.

A message is its length, a colon, and JSON: [0, number, command, parameters] to it, [1, number, error,
result] from it.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

from browser import SKIPPED, find

PREFERENCES = {
    "devtools.console.stdout.content": True,  # what pages say in the console goes to standard output
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "app.update.auto": False,
    "app.normandy.enabled": False,
    "marionette.port": 0,  # any that is free; it is left in the profile's MarionetteActivePort
}


def require_firefox():
    """Ends the test as skipped, saying what is missing."""
    if not find(["firefox-esr", "firefox"]):
        print("skipped: no firefox-esr (scripts/install_dependencies.sh --developer)")
        raise SystemExit(SKIPPED)


class Firefox:
    """One window."""

    def __init__(self, width=1100, height=900):
        self.profile = tempfile.mkdtemp(prefix="trainyard-firefox-")
        with open(os.path.join(self.profile, "user.js"), "w", encoding="utf-8") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        self.said = open(os.path.join(self.profile, "said"), "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [find(["firefox-esr", "firefox"]), "--headless", "--no-remote", "--marionette", "--profile", self.profile],
            stdout=self.said, stderr=subprocess.STDOUT, env={**os.environ, "HOME": self.profile, "MOZ_DISABLE_CONTENT_SANDBOX": "1"})
        self.connection = self.connect()
        self.number, self.heard = 0, b""
        self.message()  # who it is
        self.command("WebDriver:NewSession")
        self.set_width(width, height)

    def connect(self):
        port_file = os.path.join(self.profile, "MarionetteActivePort")
        end = time.monotonic() + 120
        while time.monotonic() < end:
            try:
                with open(port_file, encoding="utf-8") as file:
                    return socket.create_connection(("127.0.0.1", int(file.read())), timeout=120)
            except (OSError, ValueError):
                time.sleep(0.1)
        raise RuntimeError("Firefox does not listen")

    def message(self):
        while b":" not in self.heard:
            self.heard += self.connection.recv(65536)
        length, _, rest = self.heard.partition(b":")
        while len(rest) < int(length):
            rest += self.connection.recv(65536)
        self.heard = rest[int(length):]
        return json.loads(rest[:int(length)])

    def command(self, name, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, name, parameters]).encode()
        self.connection.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, result = self.message()
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return result.get("value") if isinstance(result, dict) and set(result) == {"value"} else result

    def set_width(self, width, height=900):
        """Of the page, whose window has a frame."""
        self.command("WebDriver:SetWindowRect", width=width, height=height)
        inner = self.run("return [innerWidth, innerHeight]")
        self.command("WebDriver:SetWindowRect", width=2 * width - inner[0], height=2 * height - inner[1])

    def open(self, address):
        self.said.seek(0, os.SEEK_END)
        self.since = self.said.tell()
        self.command("WebDriver:Navigate", url=address)

    def run(self, script, *arguments):
        return self.command("WebDriver:ExecuteScript", script=script, args=list(arguments), sandbox=None)

    def complaints(self):
        """What the console said since the page was opened."""
        self.said.flush()
        self.said.seek(self.since)
        return [line.strip() for line in self.said.read().splitlines() if re.search(r"^(JavaScript (error|warning)|console\.error).*(http|file)://", line)]

    def close(self):
        try:
            self.command("Marionette:Quit", flags=["eForceQuit"])
        except (RuntimeError, OSError, ValueError):
            pass
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.connection.close()
        self.said.close()
        shutil.rmtree(self.profile, ignore_errors=True)

"""A real browser for the tests of the program's pages: Chromium, headless, through its driver."""

import json
import os
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

SKIPPED = 77  # what CTest takes for "skipped"


def find(names):
    for name in names:
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            if os.access(os.path.join(folder, name), os.X_OK):
                return os.path.join(folder, name)
    return None


def require_browser():
    """Ends the test as skipped, saying what is missing."""
    lacking = []
    if webdriver is None:
        lacking.append("python3-selenium")
    if not find(["chromium", "chromium-browser"]):
        lacking.append("chromium")
    if not find(["chromedriver"]):
        lacking.append("chromium-driver")
    if lacking:
        print("skipped: no " + ", no ".join(lacking) + " (scripts/install_dependencies.sh --developer)")
        sys.exit(SKIPPED)


class Browser:
    """One window. Downloads go to `downloads`."""

    def __init__(self, width=1100, height=900):
        self.downloads = tempfile.mkdtemp(prefix="trainyard-downloads-")
        options = webdriver.ChromeOptions()
        options.binary_location = find(["chromium", "chromium-browser"])
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
            options.add_argument(flag)
        options.add_argument(f"--window-size={width},{height}")
        options.add_experimental_option("prefs", {"download.default_directory": self.downloads})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(find(["chromedriver"])), options=options)
        self.set_width(width, height)

    def set_width(self, width, height=900):
        """Of the page, however narrow: a window has a least width."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def open(self, address):
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def complaints(self):
        """What the console said since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """The addresses that were asked for since then."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]

    def screenshot(self, name):
        """The whole page, where SCREENSHOTS names a folder for pictures to be looked at."""
        if "SCREENSHOTS" not in os.environ:
            return
        height = self.run("return document.documentElement.scrollHeight")
        width = self.run("return document.documentElement.clientWidth")
        self.set_width(width, min(height, 6000))
        time.sleep(0.3)
        self.driver.save_screenshot(os.path.join(os.environ["SCREENSHOTS"], f"{name}.png"))

    def close(self):
        self.driver.quit()

"""The labs as a server's pages have them."""

import json
import re
import urllib.request

# What the curves are of: the points of each, by its name.
CURVES = """
  return [...document.querySelectorAll("#curves .series")].map((series) => [series.dataset.series,
    [...series.querySelectorAll(".mark")].map((mark) => [mark.__data__.x, mark.__data__.y])]);
"""
# A guess that is a mark on a line.
MARK = """
  const mark = document.querySelector(".drawn-line input");
  mark.value = 40;
  mark.dispatchEvent(new Event("input"));
  document.querySelector(".mark-it").click();
"""


def document_of(address):
    """The JSON that a page draws."""
    with urllib.request.urlopen(address) as answer:
        html = answer.read().decode()
    return json.loads(re.search(r'<script type="application/json" id="document"[^>]*>(.*?)</script>', html, re.DOTALL)[1])


def labs_of(address):
    """Name → what its page says, shows and lets one move."""
    return {lab["name"]: document_of(address + lab["href"])["lab"] for lab in document_of(f"{address}/")["labs"]}

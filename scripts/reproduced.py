#!/usr/bin/env python3
"""Writes docs/reproduced.md, published results and ours beside them, from what the program computes.

    scripts/reproduced.py PROGRAM                     computes all and writes the page
    scripts/reproduced.py PROGRAM --only exact,daly   computes those (kinds or names), and keeps what the page has of others
    scripts/reproduced.py PROGRAM --only exact --check  changes nothing; ends with status 1 where one of them differs

    --data-dir DIR    where the data sets lie [data]
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reproduced.md"
HEAD = """# Published, and here

<!-- Made by scripts/reproduced.py. -->

`trainyard reproduce` lists published results, and `trainyard reproduce NAME` computes one and prints ours beside theirs. Each is
a file of [published/](published), with its source, the numbers as they are printed there, the commands that ours come from, and
how far apart they may be. Exact ones are computed here as there; measured ones were measured by others on their machines; of a
shape factors are compared, of an order only what is more than what. ≠ marks what does not agree, with the reason where it is
known. Simulated times repeat bit for bit, so that this page does, too; a test says when it is stale.

With `--json` all numbers are there, each with its command and the place in that command's JSON; `--html FILE` draws ours over
theirs. The exit status is 0 where everything is as its page says, disagreements that it names included, 5 where something is
not, and 3 where a data set is missing.
"""


def answers(program, only, data_dir):
    """[result] of `reproduce --json`, of those that can be computed."""
    results = []
    for name in only:
        command = [program, "reproduce", name, "--json", "--quiet"] + (["--data-dir", data_dir] if data_dir else [])
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 3, 5):
            sys.exit(f"reproduce {name}: {done.stderr.strip()}")
        results += json.loads(done.stdout)["results"]
    return results


def number(value):
    if value is None:
        return "never"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e6 else f"{value:.4g}"


def cell(one):
    if one["published"] is None:
        return number(one["ours"])
    return f"{number(one['ours'])} ({one['published']})" + ("" if one["agrees"] else " ≠")


def wrapped(text, indent=""):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 128:
            lines.append(line)
            line = indent + word
        else:
            line += (" " if line.strip() else "") + word
    return "\n".join([*lines, line])


def table(of):
    heads = of["columns"]
    cells = {(one["row"], one["column"]): one for one in of["cells"]}
    has_theirs = any(one["published"] is not None for one in of["cells"])
    tolerance = of["tolerance"] if of["tolerance"] == "as printed" else f"within {of['tolerance']}"
    title = of["title"] + (f", in {of['unit']}" if of["unit"] else "") + (f": ours (theirs), {tolerance}" if has_theirs else "")
    lines = [wrapped(f"{title}:" if not has_theirs else f"{title}."), ""]
    lines += ["| | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    for row in of["rows"]:
        lines.append(f"| {row} | " + " | ".join(cell(cells[row, column]) for column in heads) + " |")
    lines.append("")
    for one in of["cells"]:
        if one["differs"]:
            lines += [wrapped(f"- ≠ {one['row']}, {one['column']}: {one['differs']}", "  ")]
    if any(one["differs"] for one in of["cells"]):
        lines.append("")
    commands = list(dict.fromkeys(one["command"] for one in of["cells"]))
    lines.append(f"By `{commands[0]}`" + (f", and {len(commands) - 1} like it." if len(commands) > 1 else "."))
    return "\n".join(lines) + "\n"


def claim(one):
    figures = "; ".join(f"{each['says']}: {each['figures']}" for each in one["inequalities"])
    verdict = "holds" if one["holds"] else "**does not hold**"
    reason = f" {one['fails']}" if one["fails"] else ""
    return wrapped(f"- {one['published']} This {verdict} here.{reason} ({figures})".replace(" * ", " × "), "  ")


def section(result):
    parts = [f"## {result['name']}\n", wrapped(f"**{result['title']}.** {result['source']} ({result['kind']}). {result['verdict']}.") + "\n"]
    parts.append(wrapped(result["computes"]) + "\n")
    parts += [table(of) for of in result["tables"]]
    if result["claims"]:
        parts.append("\n".join(claim(one) for one in result["claims"]) + "\n")
    parts.append(wrapped(f"Not comparable: {result['not_comparable']}") + "\n")
    return "\n".join(parts)


def row(result):
    name = result["name"]
    return f"| [{name}](#{name}) | {result['title']} | {result['source']} | {result['kind']} | {result['verdict']} | {result['takes']} |"


def parts_of(page):
    """({name: its row}, {name: its section}) of a page."""
    rows = {found[1]: found[0] for found in re.finditer(r"^\| \[([^]]+)\]\(#.*$", page, re.M)}
    sections = {}
    for text in page.split("\n## ")[1:]:
        sections[text.split("\n", 1)[0]] = "## " + text.rstrip("\n") + "\n"
    return rows, sections


def page_of(names, rows, sections):
    lines = [HEAD, "| name | what | source | kind | verdict | takes |", "|---|---|---|---|---|---|"]
    lines += [rows[name] for name in names if name in rows]
    return "\n".join(lines) + "\n\n" + "\n".join(sections[name] for name in names if name in sections)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="all")
    parser.add_argument("--data-dir", default="")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    listed = json.loads(subprocess.run([options.program, "reproduce", "--json"], check=True, capture_output=True, text=True).stdout)
    names = [result["name"] for result in listed["results"]]
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    rows, sections = parts_of(before)
    for result in answers(options.program, options.only.split(","), options.data_dir):
        if result["skipped"]:
            print(f"{result['name']}: {result['verdict']}", file=sys.stderr)
            continue
        rows[result["name"]], sections[result["name"]] = row(result), section(result)
    page = page_of(names, rows, sections)
    if not options.check:
        PAGE.write_text(page, encoding="utf-8")
    elif page != before:
        sys.exit(f"docs/reproduced.md is stale: run scripts/reproduced.py {options.program} --only {options.only}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes what the documentation has from the program and the sources, or says what is stale.

    scripts/reference.py PROGRAM           writes the pages below, and the listings
    scripts/reference.py PROGRAM --check   changes nothing; ends with status 1 where a page differs

docs/commands.md comes from `PROGRAM … --help`, docs/schemes/, docs/components.md and docs/presets.md from
`PROGRAM list …`, and the code below "<!-- listing: FILE -->" in any page from that file. The manual page and the
completions for bash and zsh in share/, which are installed, come from the same helps and lists.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS, SHARE = ROOT / "docs", ROOT / "share"
MADE = "<!-- Made by scripts/reference.py. -->\n"

# What an example trains: layers, for schemes that divide them.
PLAIN, LAYERED = "--dataset dense-logistic", "--dataset blobs --model mlp:16,16"


def output_of(program, *words):
    text = subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    return re.sub(r"\[\d+ on this machine\]", "[as many as the machine has]", text)


def escaped(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


# ---- docs/commands.md

COLUMN = 30  # where the help's texts begin


def sections_of(help_text):
    """[(title, [(flag, what)])] of one command's help; titles as the program groups its flags."""
    sections = []
    for line in help_text.splitlines():
        heading = re.fullmatch(r"(\S.*):", line)
        row = re.match(r"  (\S.*?)(?: {2,}(\S.*))?$", line)
        if row and not row[2] and line[COLUMN - 1 : COLUMN] == " ":  # a flag that fills its column
            row = re.match(rf"  (.{{{COLUMN - 3}}}) (.*)$", line)
        if heading:
            sections.append((heading[1], []))
        elif line.startswith(" " * 20) and sections and sections[-1][1]:
            flag, what = sections[-1][1][-1]
            sections[-1][1][-1] = (flag, f"{what} {line.strip()}".strip())
        elif row and sections:
            sections[-1][1].append((row[1], row[2] or ""))
        elif line.strip() and sections:
            sections.append(("", [("", line.strip())]))
    return sections


def commands_of(program):
    """[(name, what)]"""
    return dict(sections_of(output_of(program, "--help")))["Subcommands"]


def help_of_all(program, command):
    """The help with the flags of every scheme's own rule, where the command has any."""
    short = output_of(program, command, "--help")
    return output_of(program, command, "--help-all") if "--help-all" in short else short


def flags_of(program, command):
    """[(flag, what)] of all that the command takes, as its help has them."""
    rows = [row for _, rows in sections_of(help_of_all(program, command)) for row in rows]
    return [(flag, what) for flag, what in rows if flag.startswith("--")]


def command_page(program):
    commands = commands_of(program)
    page = [
        "# Commands\n",
        MADE,
        "What `trainyard COMMAND --help` prints, command by command. In brackets stands what holds where a flag is not",
        "given. The flags of `run` and `compare` are keys of [configuration files](configuration.md) as well, in the",
        "section that stands above them.\n",
    ]
    for command, what in commands:
        help_text = output_of(program, command, "--help")
        usage = re.search(r"^Usage: (.*)$", help_text, re.M)[1]
        page += [f"## {command}\n", f"{what[:1].upper()}{what[1:]}. `{usage}`\n"]
        page += command_tables(sections_of(help_text))
    return "\n".join(page).rstrip("\n") + "\n"


def command_tables(sections):
    """What a command takes by itself in one table, and one for each section of configuration files."""
    tables = {"": []}
    for title, rows in sections:
        if title and not title.startswith("Examples"):
            of = tables.setdefault(title if title.startswith("[") else "", [])
            of += [row for row in rows if row[0] and not row[0].startswith("-h,")]
    lines = []
    for title, rows in tables.items():
        if title:
            lines.append(f"**`{title}`**\n")
        lines += ["| | |", "|---|---|"]
        lines += [f"| `{escaped(flag)}` | {escaped(what)} |" for flag, what in rows]
        lines.append("")
    return lines


# ---- docs/schemes/


def records_of(program, *what):
    """{name: [lines of its row]} of a list, in its order: a name, and what is indented below it."""
    records = {}
    for line in output_of(program, "list", *what).split("\n\n")[0].splitlines():
        if line.startswith("  "):
            records[name].append(line[2:])
        else:
            name = line
            records[name] = []
    return records


def fields_of(lines):
    """"time: 2t" and the like; the first line is the summary."""
    return dict(line.split(": ", 1) for line in lines[1:] if not line.startswith(" "))


def checks():
    """{scheme: the test case that checks its rule}, which says so with the tag [rule:NAME]."""
    literal = r'"(?:[^"\\]|\\.)*"'
    case = re.compile(rf"TEST_CASE\(\s*((?:{literal}\s*)+),\s*((?:{literal}\s*)+)\)(.*?)(?=\nTEST_CASE|\Z)", re.S)
    found = {}
    for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
        for title, tags, body in case.findall(path.read_text(encoding="utf-8")):
            title, tags = ("".join(text[1:-1] for text in re.findall(literal, part)) for part in (title, tags))
            oracle = ", against `tests/oracles/golden_trajectories.json`" if "golden_trajectories()" in body else ""
            for name in re.findall(r"\[rule:([^]]+)]", tags):
                found.setdefault(name, f"the test “{title}”{oracle}")
    return found


def defaults(program):
    """{flag: what holds where it is not given}, as the help of `run` says it in brackets at its end."""
    found = {}
    for _, rows in sections_of(help_of_all(program, "run")):
        for flag, what in rows:
            default = re.search(r" \[([^][]*)\]$", what)
            if default:
                found[flag.split(" ")[0]] = default[1]
    return found


def scheme_page(name, lines, check, default):
    fields = fields_of(lines)
    own = [line.strip() for line in lines if line.startswith("  --")]
    page = [f"# {name}\n", MADE, f"{lines[0][:1].upper()}{lines[0][1:]}.\n", "| | |", "|---|---|"]
    titles = {"step": "a step is", "time": "it takes, from lock-step", "rate": "iterations to ε"}
    for key, value in fields.items():
        page.append(f"| {titles.get(key, key)} | {escaped(value)} |")
    page.append(f"| checked by | {escaped(check)} |\n")
    if own:
        page.append("Settings of its own:\n")
        for flag, what in (line.split(": ", 1) for line in own):
            usual = default.get(flag.split(" ")[0])
            own_usual = re.match(r"(\S+) unless it is given", what)
            if own_usual and own_usual[1] != usual:  # the row's, which goes before that of the flag
                usual = None
            page.append(f"- `{flag}`: {what}" + (f" (default {usual})" if usual else ""))
        page.append("")
    closing = ["The letters are those of [what a step takes](../predict.md#the-formulas).", "[All schemes](README.md)"]
    if "catalogue" in fields["source"]:
        closing = [
            "The letters are those of [what a step takes](../predict.md#the-formulas); the whole rule, and its traps, are in the",
            "[catalogue](../catalogue.md). [All schemes](README.md)",
        ]
    data = LAYERED if re.search(r"--(stages|tensor-size)", fields.get("takes", "")) else PLAIN
    page += [
        "An example:\n",
        f"    trainyard run --scheme {name} {data} --workers 8 --steps 20\n",
        *closing,
    ]
    return "\n".join(page) + "\n"


def scheme_index(rows):
    page = [
        "# Schemes\n",
        MADE,
        "A page for each, from the rows that `trainyard list schemes` prints. A step is one from lock-step; its letters are",
        "those of [what a step takes](../predict.md#the-formulas).",
    ]
    family = ""
    for name, lines in rows.items():
        fields = fields_of(lines)
        if fields["family"] != family:
            family = fields["family"]
            page += [f"\n## {family.split(':')[0][:1].upper()}{family.split(':')[0][1:]}\n"]
            if ":" in family:
                page.append(f"{family.split(': ', 1)[1][:1].upper()}{family.split(': ', 1)[1][1:]}.\n")
            page += ["| scheme | what it does | a step |", "|---|---|---|"]
        page.append(f"| [`{name}`]({name.replace('+', 'p')}.md) | {escaped(lines[0])} | {escaped(fields['time'])} |")
    return "\n".join(page) + "\n"


def scheme_pages(program):
    rows, checked, default = records_of(program, "schemes", "all"), checks(), defaults(program)
    pages = {DOCS / "schemes" / "README.md": scheme_index(rows)}
    for name, lines in rows.items():
        pages[DOCS / "schemes" / f"{name.replace('+', 'p')}.md"] = scheme_page(name, lines, checked[name], default)
    return pages


# ---- docs/components.md, docs/presets.md


def component_page(program):
    page = [
        "# Topologies, collectives, codecs, robust rules\n",
        MADE,
        "What `trainyard list topologies`, `collectives`, `codecs`, `aggregates` and `attacks` print. In brackets stands what holds",
        "where `:` and what follows it are left out. [Topologies](topologies.md), [compression](compression.md) and",
        "[liars](liars.md) say more; n is the number of workers, α the latency, t the transfer of the whole vector, d its length.\n",
        "## Topologies\n",
        "| `--topology` | |",
        "|---|---|",
    ]
    for line in output_of(program, "list", "topologies").split("\n\n")[0].splitlines():
        name, what = re.match(r"(\S+) +(.*)", line).groups()
        page.append(f"| `{name}` | {escaped(what)} |")
    page += ["\n## Collectives\n", "| `--collective` | | takes | source |", "|---|---|---|---|"]
    for name, lines in records_of(program, "collectives").items():
        fields = fields_of(lines)
        page.append(row_of(name, lines[0], fields.get("time", "–"), fields.get("source", "–")))
    page += ["\n## Codecs\n", "| `--codec` | | bits | error | coding a parameter | source |", "|---|---|---|---|---|---|"]
    for name, lines in records_of(program, "codecs").items():
        fields = fields_of(lines)
        page.append(row_of(name, lines[0], *(fields[key] for key in ("wire", "error", "time", "source"))))
    page += ["", "bits: of a vector of d floats. error: E‖C(x) − x‖². coding: round figures "
             "([how they were taken](compression.md#what-coding-costs))."]
    page += ["\n## Robust rules, and what goes before them\n", "| `--aggregate` | | bound | source |", "|---|---|---|---|"]
    for name, lines in records_of(program, "aggregates").items():
        fields = fields_of(lines)
        page.append(row_of(name, lines[0], fields["bound"], fields["source"]))
    page += ["\n## Attacks\n", "| `--byzantine` | | source |", "|---|---|---|"]
    for name, lines in records_of(program, "attacks").items():
        page.append(row_of(name, lines[0], fields_of(lines)["source"]))
    return "\n".join(page) + "\n"


def row_of(name, *cells):
    return f"| `{name}` | " + " | ".join(escaped(cell) for cell in cells) + " |"


def preset_page(program):
    page = [
        "# Presets\n",
        MADE,
        "Systems by their names, as `trainyard list presets` has them ([what a preset is](systems.md)).\n",
        "| preset | system | is | emulated | not emulated |",
        "|---|---|---|---|---|",
    ]
    for preset in json.loads(output_of(program, "list", "presets", "--json"))["presets"]:
        system = f"{preset['system']}: {preset['source']}"
        page.append(
            f"| `{preset['name']}` | {escaped(system)} | `{preset['spelt_out']}` | {escaped(preset['emulated'])} "
            f"| {escaped(preset['not_emulated'])} |"
        )
    return "\n".join(page) + "\n"


# ---- share/: the manual page and completions


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def manual_page(program):
    lines = [
        f'.TH TRAINYARD 1 "" "{roff(output_of(program, "--version").strip())}" "User Commands"',
        ".SH NAME",
        "trainyard \\- trains one model with many workers, and shows what each way of making them talk costs",
        ".SH SYNOPSIS",
        ".B trainyard",
        "COMMAND [OPTIONS]",
        ".SH COMMANDS",
    ]
    for command, what in commands_of(program):
        lines += [f".SS {roff(command)}", f"{roff(what[:1].upper() + what[1:])}."]
        for flag, text in flags_of(program, command):
            name, _, argument = flag.partition(" ")
            lines += [".TP", f"\\fB{roff(name)}\\fR {roff(argument)}".rstrip(), roff(text)]
    return "\n".join(lines) + "\n"


def values_of(program):
    """{flag: what may follow it}: names that the program lists, each a line's first word before its settings."""

    def names(*what):
        # A name stands alone or in a column of its own; sentences around the rows have single spaces.
        rows = re.findall(r"^([a-z0-9][a-z0-9+._-]*)(?::\S*)?(?: \[[^\]]*\])?(?:  .*)?$", output_of(program, "list", *what), re.M)
        return [word for word in dict.fromkeys(rows) if word != "name"]

    schemes = names("schemes")
    return {
        "--scheme": schemes,
        "--schemes": schemes,
        "--topology": names("topologies"),
        "--codec": names("codecs"),
        "--collective": names("collectives"),
        "--aggregate": names("aggregates"),
        "--dataset": names("datasets"),
    }


def bash_completion(program):
    lines = [
        "# bash completion for trainyard, made by scripts/reference.py",
        "_trainyard() {",
        '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} flags=""',
        "  COMPREPLY=()",
        "  case $before in",
    ]
    for flag, names in values_of(program).items():
        lines += [f"    {flag})", f'      COMPREPLY=($(compgen -W "{" ".join(names)}" -- "$word"))', "      return ;;"]
    lines += [
        "  esac",
        "  if ((COMP_CWORD == 1)); then",
        f'    COMPREPLY=($(compgen -W "{" ".join(name for name, _ in commands_of(program))}" -- "$word"))',
        "    return",
        "  fi",
        "  [[ $word == -* ]] || return",
        "  case ${COMP_WORDS[1]} in",
    ]
    for command, _ in commands_of(program):
        flags = " ".join(flag.split(" ")[0] for flag, _ in flags_of(program, command))
        lines.append(f'    {command}) flags="{flags}" ;;')
    return "\n".join(lines + ["  esac", '  COMPREPLY=($(compgen -W "$flags" -- "$word"))', "}",
                              "complete -o default -F _trainyard trainyard"]) + "\n"


def zsh_completion(program):
    def quoted(text):
        return "'" + text.replace("'", "'\\''") + "'"

    lines = ["#compdef trainyard", "# made by scripts/reference.py", "local -a commands flags", "commands=("]
    lines += [f"  {quoted(name + ':' + what)}" for name, what in commands_of(program)]
    lines += [")", "if ((CURRENT == 2)); then", "  _describe command commands", "  return", "fi", "case $words[CURRENT-1] in"]
    for flag, names in values_of(program).items():
        lines.append(f"  {flag}) compadd -- {' '.join(names)}; return ;;")
    lines += ["esac", "case $words[2] in"]
    for command, _ in commands_of(program):
        rows = [quoted(flag.split(" ")[0].replace(":", "\\:") + ":" + what) for flag, what in flags_of(program, command)]
        lines.append(f"  {command}) flags=({' '.join(rows)}) ;;")
    return "\n".join(lines + ["esac", "if [[ $PREFIX == -* ]]; then _describe flag flags; else _files; fi"]) + "\n"


# ---- listings


def with_listings(text):
    def listing(found):
        code = (ROOT / found[1]).read_text(encoding="utf-8")
        return f"<!-- listing: {found[1]} -->\n```{found[2]}\n{code}```\n"

    return re.sub(r"<!-- listing: (\S+) -->\n```(\w*)\n.*?^```\n", listing, text, flags=re.S | re.M)


def main():
    program, check = sys.argv[1], sys.argv[2:] == ["--check"]
    pages = {
        DOCS / "commands.md": command_page(program),
        DOCS / "components.md": component_page(program),
        DOCS / "presets.md": preset_page(program),
        **scheme_pages(program),
        SHARE / "trainyard.1": manual_page(program),
        SHARE / "trainyard.bash": bash_completion(program),
        SHARE / "_trainyard": zsh_completion(program),
    }
    for page in sorted(DOCS.glob("*.md")):
        if page not in pages:
            pages[page] = with_listings(page.read_text(encoding="utf-8"))
    stale = [p for p, text in pages.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    gone = [p for p in (DOCS / "schemes").glob("*.md") if p not in pages]
    if check:
        for page in stale + gone:
            print(f"{page.relative_to(ROOT)}: not what scripts/reference.py makes", file=sys.stderr)
        sys.exit(1 if stale + gone else 0)
    for page in stale:
        page.parent.mkdir(exist_ok=True)
        page.write_text(pages[page], encoding="utf-8")
    for page in gone:
        page.unlink()


main()

"""Prints files of results as one table.

    table.py RESULTS.csv                 for the terminal
    table.py RESULTS.csv… DOCUMENT.md    side by side into DOCUMENT instead, between its lines
                                         <!-- table --> and <!-- end of table -->

Side by side, rows of the same work and peer stand on one line, each file under the name of its folder,
which is that of the processor. Floors are those of the last file that has the row, for all of them. A
row says so where one processor has Trainyard faster than the peer, and another slower.
"""

import csv
import pathlib
import sys

HEADINGS = ("work", "peer", "peer's figure", "ours", "ratio", "floor", "met?", "losses", "setting", "remark")
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def readable(figure):
    value = float(figure)
    for size, suffix in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"


def figures(row):
    return [f"{readable(row[name])} {row['unit']}" for name in ("peer_figure", "ours")]


def cells(row):
    losses = f"{row['peer_loss']} / {row['our_loss']}" if row["our_loss"] else ""
    return (row["work"], row["peer"], *figures(row), row["ratio"], row["floor"], row["met"], losses,
            row.get("setting") or "", row["remark"])


def met(row, floor):
    """Against a floor of the ratio, like 2.0x, or of our figure, like 1.0 GB/s."""
    if not floor:
        return ""
    reached = (float(row["ratio"]) >= float(floor[:-1]) if floor.endswith("x")
               else float(row["ours"]) >= float(floor.split()[0]))
    return "yes" if reached else "NO"


def lines_of(table):
    """A table of texts in Markdown."""
    widths = [max(map(len, column)) for column in zip(*table)]
    table = [table[0], ["-" * width for width in widths], *table[1:]]
    return "".join("| " + " | ".join(map(str.ljust, line, widths)) + " |\n" for line in table)


def side_by_side(results):
    """results: {processor: rows}. The lines of one table."""
    by_key = {}
    for processor, rows in results.items():
        for row in rows:
            by_key.setdefault((row["work"], row["peer"]), {})[processor] = row
    # In the order of the last file, works that it lacks at the end.
    order = list(dict.fromkeys((row["work"], row["peer"])
                               for rows in reversed(results.values()) for row in rows))
    works = list(dict.fromkeys(work for work, _ in order))
    order.sort(key=lambda key: works.index(key[0]))
    headings = ["work", "peer", "floor"]
    for processor in results:
        headings += [f"{processor}: peer's", "ours", "ratio", "met?"]
    table = [[*headings, "remark"]]
    for key in order:
        found = by_key[key]
        floor = next(row["floor"] for processor, row in reversed(found.items()))
        line = [*key, floor]
        for processor in results:
            row = found.get(processor)
            line += [*figures(row), row["ratio"], met(row, floor)] if row else [""] * 4
        ratios = [float(row["ratio"]) for row in found.values()]
        line.append("who is faster depends on the processor" if min(ratios) < 1 < max(ratios) else "")
        table.append(line)
    return table


def sources(paths, results):
    """A line a file: where it comes from, and which kernels OpenBLAS had."""
    lines = []
    for path, rows in zip(paths, results.values()):
        kernels = sorted({row["setting"] for row in rows
                          if (row.get("setting") or "").startswith("OpenBLAS")})
        lines.append(f"- `{path.parent.name}`: {path.name}; {', '.join(kernels) or 'OpenBLAS as it was'}\n")
    return "".join(lines)


def main():
    paths = [pathlib.Path(argument) for argument in sys.argv[1:]]
    document = paths.pop() if paths[-1].suffix == ".md" else None
    if document is None and len(paths) != 1:
        sys.exit("table.py: without a document one file of results")
    folders = [path.parent.name for path in paths]
    if len(set(folders)) < len(folders):
        sys.exit("table.py: one file of results from each folder, which is a processor")
    results = {path.parent.name: read(path) for path in paths}
    if document is None:
        rows = results.popitem()[1]
        floors = [row["met"] for row in rows if row["met"]]
        print(lines_of([HEADINGS, *map(cells, rows)])
              + f"\n{floors.count('yes')} of {len(floors)} floors are met.")
        return
    before, rest = document.read_text().split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    document.write_text(before + BEGIN + sources(paths, results) + "\n" + lines_of(side_by_side(results))
                        + END + after)


if __name__ == "__main__":
    main()

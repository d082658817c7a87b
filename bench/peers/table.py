"""Prints a file of results as one table.

    table.py RESULTS.csv            for the terminal
    table.py RESULTS.csv DOCUMENT   into DOCUMENT instead, between its lines <!-- table --> and
                                    <!-- end of table -->
"""

import csv
import pathlib
import sys

HEADINGS = ("work", "peer", "peer's figure", "ours", "ratio", "floor", "met?", "losses", "remark")
IN_DOCUMENT = slice(0, 7)
BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def cells(row):
    figures = [f"{readable(row[name])} {row['unit']}" for name in ("peer_figure", "ours")]
    losses = f"{row['peer_loss']} / {row['our_loss']}" if row["our_loss"] else ""
    return (row["work"], row["peer"], *figures, row["ratio"], row["floor"], row["met"], losses,
            row["remark"])


def readable(figure):
    value = float(figure)
    for size, suffix in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"


def table(rows, columns=slice(None)):
    lines = [line[columns] for line in (HEADINGS, *map(cells, rows))]
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, ["-" * width for width in widths])
    return "".join("| " + " | ".join(map(str.ljust, line, widths)) + " |\n" for line in lines)


def main():
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.DictReader(file))
    floors = [row["met"] for row in rows if row["met"]]
    verdict = f"{floors.count('yes')} of {len(floors)} floors are met."
    if len(sys.argv) == 2:
        print(table(rows) + "\n" + verdict)
        return
    document = pathlib.Path(sys.argv[2])
    text = document.read_text()
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    document.write_text(before + BEGIN + table(rows, IN_DOCUMENT) + END + after)


if __name__ == "__main__":
    main()

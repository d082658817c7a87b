"""Prints a file of results as one table: table.py RESULTS.csv"""

import csv
import sys

HEADINGS = ("work", "peer", "peer's figure", "ours", "ratio", "floor", "met?", "losses", "remark")


def cells(row):
    figures = [f"{row[name]} {row['unit']}" for name in ("peer_figure", "ours")]
    losses = f"{row['peer_loss']} / {row['our_loss']}" if row["our_loss"] else ""
    return (row["work"], row["peer"], *figures, row["ratio"], row["floor"], row["met"], losses,
            row["remark"])


def main():
    with open(sys.argv[1], newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [HEADINGS, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
    floors = [row["met"] for row in rows if row["met"]]
    print(f"\n{floors.count('yes')} of {len(floors)} floors are met.")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""bench/peers/table.py on rows that are made up: table_test.py [unittest's arguments]."""

import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
PEERS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"
sys.path.insert(0, str(PEERS))
import table  # noqa: E402

COLUMNS = ("work,peer,unit,peer_figure,ours,ratio,floor,met,peer_loss,our_loss,setting,remark").split(",")


def row(work, peer, ratio, floor="", **others):
    return dict(dict.fromkeys(COLUMNS, ""), work=work, peer=peer, unit="samples/s", peer_figure="1e5",
                ours=str(1e5 * ratio), ratio=str(ratio), floor=floor, **others)


class SideBySide(unittest.TestCase):
    def test_rows_meet_and_floors_are_the_last_ones(self):
        headings, *lines = table.side_by_side({
            "old": [row("a", "P", 1.9, "1.5x"), row("gone", "P", 3.0), row("b", "P", 2.0)],
            "new": [row("a", "P", 2.5, "2x"), row("a", "Q", 1.5), row("b", "P", 0.5)]})
        self.assertEqual(headings, ["work", "peer", "floor", "old: peer's", "ours", "ratio", "met?",
                                    "new: peer's", "ours", "ratio", "met?", "remark"])
        self.assertEqual(lines, [
            ["a", "P", "2x", "100 k samples/s", "190 k samples/s", "1.9", "NO",
             "100 k samples/s", "250 k samples/s", "2.5", "yes", ""],
            ["a", "Q", "", "", "", "", "", "100 k samples/s", "150 k samples/s", "1.5", "", ""],
            ["b", "P", "", "100 k samples/s", "200 k samples/s", "2.0", "",
             "100 k samples/s", "50 k samples/s", "0.5", "", "who is faster depends on the processor"],
            ["gone", "P", "", "100 k samples/s", "300 k samples/s", "3.0", "", "", "", "", "", ""]])

    def test_floors(self):
        self.assertEqual(table.met(row("a", "P", 2.0), "2.0x"), "yes")
        self.assertEqual(table.met(row("a", "P", 1.99), "2.0x"), "NO")
        self.assertEqual(table.met(dict(row("a", "P", 9.0), ours="0.9"), "1.0 GB/s"), "NO")
        self.assertEqual(table.met(row("a", "P", 2.0), ""), "")

    def test_a_document_keeps_what_stands_around(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for processor, ratio in (("one-2", 2.0), ("two-4", 0.5)):
                files.append(pathlib.Path(folder) / processor / "2026-01-02-0304.csv")
                files[-1].parent.mkdir()
                with files[-1].open("w", newline="") as file:
                    writer = csv.DictWriter(file, COLUMNS)
                    writer.writeheader()
                    writer.writerow(row("a", "P", ratio, "1x", setting="OpenBLAS Zen"))
            document = pathlib.Path(folder) / "page.md"
            document.write_text("before\n<!-- table -->\nold\n<!-- end of table -->\nafter\n")
            subprocess.run([sys.executable, "-B", PEERS / "table.py", *files, document], check=True)
            lines = document.read_text().splitlines()
        self.assertEqual(lines[:4], ["before", "<!-- table -->",
                                     "- `one-2`: 2026-01-02-0304.csv; OpenBLAS Zen",
                                     "- `two-4`: 2026-01-02-0304.csv; OpenBLAS Zen"])
        self.assertIn("depends on the processor", lines[7])
        self.assertEqual(lines[8:], ["<!-- end of table -->", "after"])


if __name__ == "__main__":
    unittest.main()

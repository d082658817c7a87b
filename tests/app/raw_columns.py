"""Writes train.csv and test.csv: a table as people have it. Raw columns whose scales differ by a
thousand, a header line, words, quotes, commas in fields, missing values, rows sorted by class.

    python3 raw_columns.py FOLDER

And regression.csv, whose last column is a real number.
"""

import csv
import pathlib
import random
import sys

TOWNS = {"Köln": 0.8, "St. Gallen, CH": -0.9, 'the "old" town': 0.1, "Bern": -0.2}


def make_rows():
    random.seed(7)
    rows = []
    for _ in range(3000):
        age = random.gauss(45, 12)
        income = random.lognormvariate(10.5, 0.6)
        town = random.choice(list(TOWNS))
        married = random.choice(["yes", "no"])
        hours = random.uniform(0, 60)
        z = 0.06 * (age - 45) + 1.2 * (income - 40000) / 30000 + TOWNS[town]
        z += (0.5 if married == "yes" else -0.5) - 0.02 * (hours - 30) + random.gauss(0, 1)
        label = "buys" if z > 0.3 else "leaves"
        row = [f"{age:.1f}", f"{income:.2f}", town, married, f"{hours:.2f}", label]
        for column in (0, 1, 4):
            if random.random() < 0.03:
                row[column] = random.choice(["", "NA", "?"])
        rows.append(row)
    return rows


def write(file, rows):
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["age", "income", "town", "married", "hours", "class"])
        writer.writerows(sorted(rows, key=lambda row: row[-1]))


def write_regression(file):
    random.seed(8)
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["rooms", "area", "town", "price"])
        for _ in range(500):
            rooms = random.randint(1, 6)
            area = 25.0 * rooms + random.uniform(-10, 30)
            town = random.choice(list(TOWNS))
            price = 10 + 2 * rooms + 0.15 * area + 3 * TOWNS[town] + random.gauss(0, 1)
            writer.writerow([rooms, f"{area:.1f}", town, f"{price:.3f}"])


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    everything = make_rows()
    write(folder / "train.csv", everything[:2400])
    write(folder / "test.csv", everything[2400:])
    write_regression(folder / "regression.csv")

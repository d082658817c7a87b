#!/usr/bin/env python3
"""The best interval between checkpoints, to 60 digits by bisection, for checkpoints.json.

    checkpoints.py > checkpoints.json

Minutes. Daly's three figures, then failures from very rare to more often than checkpoints can be written. Nothing of
Trainyard's, and neither Newton's method nor Lambert's function: the zero of the derivative of T_w/T_s =
M e^(R/M) (e^((t+d)/M) - 1)/t, which is e^((t+d)/M) (1 - t/M) = 1.
"""

import json
import random
from decimal import Decimal, getcontext

SEED = 20270301
getcontext().prec = 160


def factor(d, r, m, t):
    return m * (r / m).exp() * (((t + d) / m).exp() - 1) / t


def interval(d, m):
    low, high = Decimal(0), m  # the derivative is below 0 at 0, and above it at M
    for _ in range(360):
        t = (low + high) / 2
        if ((t + d) / m).exp() * (1 - t / m) > 1:
            low = t
        else:
            high = t
    return low


def case(d, r, m):
    exact = [Decimal(number) for number in (d, r, m)]
    t = interval(exact[0], exact[2])
    return {
        "checkpoint": d,
        "restart": r,
        "mtbf": m,
        "interval": float(t),
        "factor": float(factor(*exact, t)),
        "factor_at_7_tenths": float(factor(*exact, t * 7 / 10)),
        "factor_at_14_tenths": float(factor(*exact, t * 14 / 10)),
    }


def main():
    draw = random.Random(SEED)
    cases = [case(5.0, 10.0, m) for m in (1440.0, 360.0, 15.0)]
    for exponent in range(-40, 3):
        mtbf = 10.0 ** draw.uniform(-3, 9)
        checkpoint = mtbf * 10.0 ** (exponent + draw.uniform(-0.5, 0.5))
        cases.append(case(checkpoint, mtbf * draw.uniform(0, 3), mtbf))
    for ratio in (0.03, 0.0381, 0.4, 0.41, 0.99, 1.0, 1.01, 1.9, 2.0, 2.1, 37.0):  # where methods change
        cases.append(case(ratio, 0.0, 1.0))
    print("[" + ",\n ".join(json.dumps(row) for row in cases) + "]")


main()

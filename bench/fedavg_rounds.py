#!/usr/bin/env python3
"""Table 1 of McMahan et al. 2017 on Fashion-MNIST: rounds of FedAvg until a test accuracy.

    bench/fedavg_rounds.py OUT [--program build/release/trainyard] [--data-dir data] [--dataset fashion-mnist]
                               [--target-iid 0.85] [--target-shards 0.75] [--seeds 5]

The paper's "2NN" (mlp:200,200), 100 clients with 600 rows each, one pass over them a round (E = 1), in
minibatches of B = 10 or all 600 at once (B = inf), of a fraction C of the clients (C = 0: one). Rows are dealt at
random (iid) or each client has two shards of rows sorted by class. The paper's best step size of each cell is
here the best of three for each B and division, with C = 0.1 and seed 1. Rounds lie on the straight line between
evaluations, as in the paper. On MNIST itself: --dataset, with the paper's 97 % for both targets. What has been
computed lies in OUT, so that a run goes on where an earlier one was stopped. Prints a table in Markdown.
"""

import statistics

from kept_runs import answer, arguments

ROWS = 600          # a client's
FRACTIONS = (0, 0.1, 0.2, 0.5, 1)
# Published rounds to 97 % on MNIST, by division and B; none for the cells that the paper leaves empty.
PUBLISHED = {("iid", ROWS): (1455, 1474, 1658, None, None), ("iid", 10): (316, 87, 77, 75, 70),
             ("shards", ROWS): (4278, 1796, 1528, None, None), ("shards", 10): (3275, 664, 619, 443, 380)}
STEP_SIZES = {("iid", ROWS): (0.2, 0.4, 0.8), ("iid", 10): (0.05, 0.1, 0.2),
              ("shards", ROWS): (0.1, 0.2, 0.4), ("shards", 10): (0.025, 0.05, 0.1)}
EVALUATED = {("iid", ROWS): 0.5, ("iid", 10): 0.5, ("shards", ROWS): 2, ("shards", 10): 1}  # so many passes apart
MOST_PASSES = {("iid", ROWS): 300, ("iid", 10): 100, ("shards", ROWS): 600, ("shards", 10): 300}


class Table:
    def __init__(self, options):
        self.options = options
        self.target = {"iid": options.target_iid, "shards": options.target_shards}

    def rounds(self, division, batch, fraction, lr, seed):
        """Until the target; none where it is not reached."""
        share = max(fraction, 0.01)  # of the clients
        run = answer(self.options.out, f"{division}-{batch}-{fraction}-{lr}-{seed}", self.options.program, [
            "run", "--dataset", self.options.dataset, "--data-dir", self.options.data_dir, "--model", "mlp:200,200",
            "--scheme", "fedavg", "--workers", "100", "--partition", division, "--batch", str(batch), "--period",
            str(ROWS // batch), "--participation", str(share), "--lr", str(lr), "--seed", str(seed), "--time", "virtual",
            "--compute-time", "1ms", "--epochs", str(MOST_PASSES[division, batch]), "--evaluate-every",
            str(max(share, EVALUATED[division, batch])), "--target-accuracy", str(self.target[division])])
        passes = run["epochs_to_target"]
        return None if passes is None else passes / share

    def best_step_size(self, division, batch):
        reached = {lr: self.rounds(division, batch, 0.1, lr, 1) for lr in STEP_SIZES[division, batch]}
        return min((lr for lr in reached if reached[lr] is not None), key=reached.get)


def cell(values):
    """The median, and all that there are."""
    if any(value is None for value in values):
        return "not by all seeds"
    return f"{statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f})"


def main():
    parser = arguments(__doc__)
    parser.add_argument("--dataset", default="fashion-mnist")
    parser.add_argument("--target-iid", type=float, default=0.85)
    parser.add_argument("--target-shards", type=float, default=0.75)
    table = Table(parser.parse_args())
    print("| division | B | step size | " + " | ".join(f"C = {c}" for c in FRACTIONS) + " | published |")
    print("|---|---:|---:|" + "---:|" * len(FRACTIONS) + "---|")
    for (division, batch), published in PUBLISHED.items():
        lr = table.best_step_size(division, batch)
        rounds = {fraction: [] for fraction, known in zip(FRACTIONS, published) if known is not None}
        for seed in range(1, table.options.seeds + 1):
            for fraction, found in rounds.items():
                found.append(table.rounds(division, batch, fraction, lr, seed))
        cells = [cell(rounds[fraction]) if fraction in rounds else "-" for fraction in FRACTIONS]
        name = "all" if batch == ROWS else str(batch)
        print(f"| {division} | {name} | {lr} | " + " | ".join(cells) + " | " +
              ", ".join("-" if known is None else str(known) for known in published) + " |", flush=True)


if __name__ == "__main__":
    main()

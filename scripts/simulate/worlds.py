"""The world that a seed makes."""

import random
import re

import network
import values
from world import World

ROWS = [40, 100, 200, 500]
# Of the size of the run they add the most to its time.
LARGE = {"sparse-logistic", "power-law", "spread-logistic"}
LAYERS = {"stages", "tensor-size"}  # hyperparameters of who divides a model into layers


def make_world(offer, seed):
    draw = random.Random(f"world {seed}")
    scheme = draw.choice(offer.schemes)
    return Making(offer, scheme, draw).world()


def make_world_of(offer, name, seed):
    """Of one scheme."""
    scheme = next(scheme for scheme in offer.schemes if scheme.name == name)
    return Making(offer, scheme, random.Random(f"world {seed}")).world()


class Making:
    def __init__(self, offer, scheme, draw):
        self.offer = offer
        self.scheme = scheme
        self.draw = draw
        self.options = [("--scheme", scheme.name)]
        self.rows = 0

    def often(self, share):
        return self.draw.random() < share

    def given(self, flag):
        return dict(self.options).get(flag)

    def add(self, flag, value=None):
        self.options.append((flag, value))

    def world(self):
        self.add("--time", "virtual")
        self.workers_and_graph()
        self.data()
        self.components()
        self.own_hyperparameters()
        self.optimizer()
        self.batch = min(self.rows // 2, self.draw.choice([1, 2, 4, 8, 8, 16]))
        self.add("--batch", str(self.batch))
        compute = self.draw.choice([1e-6, 1e-4, 1e-3, 1e-3, self.draw.randint(1, 3 * 10**9) * 1e-12])
        if self.often(0.03):
            compute = 0.0
        self.add("--compute-time", values.duration(compute))
        more, latency, bandwidth = network.network_options(self.workers, self.draw)
        if self.given("--deal") == "speed":  # what workers say of it costs nothing
            more = [option for option in more if option[0] != "--charge-control"]
        self.options += more
        self.options += network.slow_workers(self.workers, compute, self.draw)
        steps = self.draw.choice([1, 2, 5, 10, 20, 40])
        clock = network.Clock(compute, latency, bandwidth, steps)
        self.options += network.faults(self.workers, self.servers, clock, self.draw)
        self.shrink(clock)
        self.datagrams()
        self.budget(steps, clock)
        self.looks(clock)
        self.add("--seed", str(self.draw.choice([1, 1, self.draw.randrange(1 << 32)])))
        return World(tuple(self.options))

    def workers_and_graph(self):
        """Some graphs are there for some numbers of workers only."""
        counts = [1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9, 12, 16]
        if "topology" in self.scheme.takes:
            counts = [n for n in counts if n > 1]
        self.workers = self.draw.choice(counts)
        self.add("--workers", str(self.workers))
        self.servers = 0
        if self.scheme.servers and self.often(0.6):
            number = self.draw.choice([1, 1, 2, 3])
            self.add("--servers", str(number))
            if not self.scheme.takes and not self.scheme.has("proxies"):
                self.servers = number
        if self.servers and self.often(0.1):
            self.add("--server-placement", "colocated")
        if "topology" in self.scheme.takes and self.often(0.8):
            plain = {"ring", "path", "star", "full", "grid", "torus", "hypercube"}
            fitting = [each for each in self.offer.topologies if values.topology_fits(each, self.workers)]
            if self.often(0.7):  # the others are not for every scheme
                fitting = [each for each in fitting if each.name in plain]
            self.add("--topology", values.component(self.draw.choice(fitting), self.draw))

    def data(self):
        names = [name for name in self.offer.datasets for _ in range(1 if name in LARGE else 6)]
        if any(self.scheme.has(name) for name in LAYERS):
            names = ["blobs"]
        elif self.scheme.family == "shared memory":  # in floats; quadratic is in doubles
            names = [name for name in names if not name.startswith("two-")]
        name = self.draw.choice(names)
        self.rows = 16
        if not name.startswith("two-"):
            self.rows = self.draw.choice(ROWS)
            name += f":{self.rows}"
        self.add("--dataset", name)
        self.model(name.partition(":")[0])
        self.rows_of_workers()

    def model(self, data):
        if data.startswith("two-"):
            self.add("--model", "quadratic")
            return
        perceptrons = ["mlp:3", "mlp:8", "mlp:6,4"]
        if any(self.scheme.has(name) for name in LAYERS):
            self.add("--model", self.draw.choice(["mlp:12,12,12", "mlp:12", "mlp:12,12"]))
        elif data in LARGE:
            self.add("--model", "logistic")
        else:
            linear = ["softmax"] if data == "blobs" else ["logistic", "least-squares"]
            self.add("--model", self.draw.choice(linear + linear + perceptrons))
        if self.often(0.3):
            self.add("--l2", self.draw.choice(["0.0001", "0.01"]))
        if self.often(0.1) and "l1" not in self.scheme.refused:
            self.add("--l1", "0.001")

    def rows_of_workers(self):
        """Which rows there are, and who has them."""
        if self.often(0.3):
            kinds = ["iid", "contiguous", "shards", "dirichlet:0.5", "size:1", "label-quantity:2"]
            self.add("--partition", self.draw.choice(kinds if self.rows > 16 else kinds[:2]))
        elif self.often(0.1) and "byzantine" not in self.scheme.takes:
            self.add("--deal", "speed" if self.scheme.by_speed and self.often(0.5) else "pass")
            return
        if self.often(0.1):
            self.add("--replacement")
        elif self.often(0.1):
            self.add("--order", self.draw.choice(["once", "file"]))
        if self.often(0.08):
            self.add("--data-source", "server")
        if self.often(0.1) and self.rows >= 100:
            self.add("--validation", "0.2")
            self.rows = self.rows * 4 // 5
        if self.often(0.05) and self.rows > 16:
            self.add("--class-weight", "balanced")
        if self.often(0.1) and self.rows > 16:
            self.add("--scale", self.draw.choice(["standard", "minmax", "unit-rows"]))

    def components(self):
        takes = self.scheme.takes
        if "collective" in takes and self.often(0.7):
            self.add("--collective", self.draw.choice(self.offer.collectives))
        if "codec" in takes and self.often(0.8):
            self.add("--codec", values.component(self.draw.choice(self.offer.codecs), self.draw))
        liars = self.draw.randint(1, max(1, (self.workers - 1) // 3))
        lied = "byzantine" in takes and self.workers >= 3 and self.often(0.5)
        if lied:
            self.add("--byzantine", values.attack(self.offer, liars, "topology" in takes, self.draw))
        if "aggregate" in takes and self.workers >= 3 and self.often(0.8 if lied else 0.3):
            self.add("--aggregate", values.aggregate(self.offer, self.workers, liars, self.draw))

    def own_hyperparameters(self):
        for row in self.scheme.hyperparameters:
            if self.often(0.5):
                limits = self.offer.range_of(self.scheme, row["name"])
                self.add(f"--{row['name']}", values.hyperparameter(row, limits, self.workers, self.draw))

    def optimizer(self):
        # What is far too large makes runs that diverge.
        self.add("--lr", self.draw.choice(["0.001", "0.01", "0.05", "0.05", "0.2", "0.2", "1000"]))
        if self.scheme.any_optimizer and self.often(0.4):
            kinds = ["nesterov", "adagrad", "adam", "adamw", "lion"] + ([] if "muon" in self.scheme.refused else ["muon"])
            if self.given("--l1"):
                kinds = ["adagrad"]
            elif not re.match(r"mlp:\d+,", self.given("--model")):  # Muon steps matrices between hidden layers
                kinds = kinds[:5]
            kind = self.draw.choice(kinds)
            self.add("--optimizer", kind)
            if kind == "nesterov":
                self.add("--momentum", "0.9")
        if self.often(0.1) and "clip_norm" not in self.scheme.refused and self.given("--deal") != "speed":
            self.add("--clip-norm", "1")
        if self.often(0.2):
            self.add("--lr-schedule", self.draw.choice(["constant", "inverse-sqrt", "step:1:0.5", "inverse-time"]))
        if self.often(0.1):
            self.add("--warmup", "0.5")

    def budget(self, steps, clock):
        """So many steps, in one way or another, and what may end the run before."""
        kind = self.draw.choice(["steps", "steps", "epochs", "seconds", "both"])
        if kind == "seconds" and self.workers == 1 and clock.compute == 0:
            kind = "steps"  # of steps that take no more than coding a few numbers a run has a million
        if kind in ("steps", "both"):
            self.add("--steps", str(steps))
        if kind == "epochs":
            self.add("--epochs", values.number_text(round(min(20, steps * self.workers * self.batch / self.rows), 3) or 0.1))
        if kind in ("seconds", "both"):
            # Who waits for nobody takes a step in each of its computations.
            longest = min(clock.run, 200 * clock.compute or clock.run)
            self.add("--seconds", values.duration(max(1e-9, longest * self.draw.choice([0.1, 0.5, 0.9]))))
        if self.often(0.15):
            target = self.draw.choice([("--target-loss", "0.5"), ("--target-loss", "1.5"), ("--target-gradient", "0.01")])
            self.add(*target)

    def shrink(self, clock):
        """Who crashes is gone, and comes back with nothing; now and then instead of what was drawn."""
        if self.given("--on-failure") is None or not self.scheme.shrinks or not self.often(0.5):
            return
        if self.given("--deal") == "speed":
            return
        self.options = [(flag, value) for flag, value in self.options if flag not in ("--on-failure", "--charge-control")]
        self.add("--on-failure", "shrink")
        self.add("--detection", values.duration(self.draw.choice([0.0, clock.step / 2, 5 * clock.step])))

    def datagrams(self):
        """What is lost is lost for good."""
        if self.given("--fault") is None or not self.scheme.datagrams or not self.often(0.5):
            return
        self.options = [(flag, value) for flag, value in self.options if flag != "--retransmit"]
        self.add("--retransmit", "never")

    def looks(self, clock):
        self.add("--evaluate-every", self.draw.choice(["0.1", "0.5", "1", "3"]))
        if self.often(0.1):
            self.add("--gradient-norm")
        if self.often(0.05):
            self.add("--gradient-noise")
        if self.often(0.05) and self.given("--validation"):
            self.add("--patience", "1")
        if self.often(0.3) and self.given("--on-failure") != "shrink":
            by_the_clock = values.duration(max(1e-9, self.draw.choice([0.05, 0.3]) * clock.run))
            self.add("--checkpoint-every", self.draw.choice(["0.05", "0.3", "1", by_the_clock]))

"""A model split over two ranks: Trainyard's pipeline and tensor split against PyTorch's by hand.

The perceptron 784-4096-4096-10, whose 20 million parameters are worth splitting, minibatches of 64 rows,
one thread a rank. Fair because: PyTorch's side is the split that its users write, over Gloo, without
anything that a wrapper would add:

    pipeline      first layer | the others, the cut that balances best; 4 microbatches; activations
                  sent while the next one is computed, the last stage goes back at once (1F1B)
    tensor split  Megatron's: the first layer by columns, the second by rows, one all-reduce a step

Both sides start from the same parameters and take the same minibatches of plain SGD; their losses must
agree. The clock runs between two barriers, after two steps of length 0. Each split is also measured
against one rank of ours: what a second core is worth. The cut's limit is what its larger stage takes of
a step: 5/6 here, as the second layer has most of the weights and cannot be cut by layers.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time

import openblas

SETTING = openblas.use_fastest()  # before anything imports NumPy

from common import BUILD, Table, arguments, skip, take_turns, trainyard  # noqa: E402
import data  # noqa: E402

STEP_SIZE = 0.05
HIDDEN = 4096
BATCH, STEPS, MICROBATCHES, WARM_UP = 64, 12, 4, 2
MODEL = ["--model", f"mlp:{HIDDEN},{HIDDEN}"]
SCHEMES = {
    "pipeline": [["--scheme", name, "--stages", 2, "--microbatches", MICROBATCHES]
                 for name in ("gpipe", "1f1b")],
    "tensor split": [["--scheme", "tensor-split", "--tensor-size", 2, "--collective", name]
                     for name in ("ring", "recursive-doubling")],
}


def layers_of(initial):
    """[(weights, outputs by inputs; biases)] of the three layers."""
    import torch

    sizes, used, layers = (784, HIDDEN, HIDDEN, 10), 0, []
    for inputs, outputs in zip(sizes, sizes[1:]):
        weights = initial[used : used + inputs * outputs].reshape(inputs, outputs)
        used += inputs * outputs
        layers.append((torch.from_numpy(weights.T.copy()),
                       torch.from_numpy(initial[used : used + outputs].copy())))
        used += outputs
    return layers


def linear(weights, biases):
    import torch

    layer = torch.nn.Linear(weights.shape[1], weights.shape[0])
    with torch.no_grad():
        layer.weight.copy_(weights)
        layer.bias.copy_(biases)
    return layer


def send_each(stage, parts):
    """Outputs of a stage for each part, each on its way while the next one is computed."""
    import torch

    outputs, under_way = [], []
    for part in parts:
        outputs.append(stage(part))
        under_way.append((outputs[-1].detach(), torch.distributed.isend(outputs[-1].detach(), 1)))
    for _, message in under_way:
        message.wait()
    return outputs


class Pipeline:
    """One of two stages."""

    def __init__(self, rank, layers):
        import torch

        relu = torch.nn.ReLU
        first, second, third = (linear(*layer) for layer in layers)
        self.rank = rank
        self.stage = torch.nn.Sequential(
            *((first, relu()) if rank == 0 else (second, relu(), third)))

    def step(self, pixels, labels):
        """The loss, of the last stage."""
        import torch

        rows = len(labels) // MICROBATCHES
        if self.rank == 0:
            for output in send_each(self.stage, pixels.split(rows)):
                gradient = torch.empty_like(output)
                torch.distributed.recv(gradient, 1)
                output.backward(gradient)
            return None
        loss, total, under_way = torch.nn.CrossEntropyLoss(), 0.0, []
        for part in labels.split(rows):
            entering = torch.empty(rows, HIDDEN)
            torch.distributed.recv(entering, 0)
            value = loss(self.stage(entering.requires_grad_()), part) / MICROBATCHES
            value.backward()
            under_way.append(torch.distributed.isend(entering.grad, 0))
            total += value.item()
        for message in under_way:
            message.wait()
        return total

    def parameters(self):
        return self.stage.parameters()


class TensorSplit:
    """Half of the first layer's columns and of the second's rows; the small last layer whole."""

    def __init__(self, rank, layers):
        import torch

        half = slice(rank * HIDDEN // 2, (rank + 1) * HIDDEN // 2)
        (first, first_bias), (second, second_bias), last = layers
        nothing = torch.zeros_like(second_bias)
        self.first = linear(first[half], first_bias[half])
        self.second = linear(second[:, half], second_bias if rank == 0 else nothing)
        self.second.bias.requires_grad_(rank == 0)
        self.last = linear(*last)

        class AllReduce(torch.autograd.Function):
            """The sum forward; backward each half has the whole gradient already."""

            @staticmethod
            def forward(context, terms):
                torch.distributed.all_reduce(terms)
                return terms

            @staticmethod
            def backward(context, gradient):
                return gradient

        self.sum = AllReduce.apply

    def step(self, pixels, labels):
        import torch

        hidden = self.second(torch.relu(self.first(pixels)))
        value = torch.nn.functional.cross_entropy(self.last(torch.relu(self.sum(hidden))), labels)
        value.backward()
        return value.item()

    def parameters(self):
        return [*self.first.parameters(), self.second.weight, self.second.bias,
                *self.last.parameters()]


WAYS = {"pipeline": Pipeline, "tensor split": TensorSplit}


def rank_main(rank, task, port, results):
    """Reports the seconds of the steps, and the loss over all rows after them."""
    import numpy
    import torch

    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    split = WAYS[task["way"]](rank, layers_of(numpy.load(task["initial"])))
    optimizer = torch.optim.SGD([p for p in split.parameters() if p.requires_grad], lr=STEP_SIZE)
    pixels, labels = map(torch.from_numpy, minibatches())

    def steps(count, length):
        optimizer.param_groups[0]["lr"] = length
        for i in range(count):
            optimizer.zero_grad(set_to_none=True)
            split.step(pixels[i], labels[i])
            optimizer.step()

    steps(WARM_UP, 0.0)
    torch.distributed.barrier()
    started = time.perf_counter()
    steps(STEPS, STEP_SIZE)
    torch.distributed.barrier()
    seconds = time.perf_counter() - started
    losses = [split.step(pixels[i], labels[i]) for i in range(STEPS)]
    if losses[0] is not None and (task["way"] == "pipeline" or rank == 0):
        results.put((seconds, sum(losses) / STEPS))
    torch.distributed.barrier()


def minibatches():
    """Of each step: 32 rows of the first half of the pictures, 32 of the second, as two workers take
    them."""
    import numpy

    pixels, labels = data.pictures_arrays()
    rows, half = STEPS * BATCH, BATCH // 2
    both = [array[:rows].reshape(2, STEPS, half, *array.shape[1:]) for array in (pixels, labels)]
    return [numpy.concatenate((array[0], array[1]), axis=1) for array in both]


def peer_main(task):
    import torch.multiprocessing as processes

    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    context = processes.get_context("spawn")
    results = context.Queue()
    ranks = [context.Process(target=rank_main, args=(rank, task, port, results))
             for rank in range(2)]
    for rank in ranks:
        rank.start()
    seconds, loss = results.get()
    for rank in ranks:
        rank.join()
    print(json.dumps({"rate": STEPS * BATCH / seconds, "loss": loss}))


def by_hand(way, initial):
    done = subprocess.run(
        [sys.executable, __file__, "peer", json.dumps({"way": way, "initial": initial})],
        capture_output=True, text=True, env=dict(os.environ, OPENBLAS_NUM_THREADS="1",
                                                 OMP_NUM_THREADS="1"))
    if done.returncode != 0:
        sys.exit(done.stderr)
    result = json.loads(done.stdout.splitlines()[-1])
    return result["rate"], result["loss"]


def ours(pictures, batch, *flags):
    summary = trainyard("--dataset", pictures, *MODEL, "--batch", batch, "--steps", STEPS,
                        "--evaluate-every", 1e6, "--lr", STEP_SIZE, "--order", "file",
                        "--partition", "contiguous", *flags)
    return summary["samples_per_second"], summary["train_loss"]


def fastest(sides):
    return max(sides, key=lambda side: sorted(rate for rate, _ in side)[len(side) // 2])


def compare(table, pairs, way, pictures, initial):
    work = f"{way} of MLP 784-{HIDDEN}-{HIDDEN}-10 over 2 ranks, batch {BATCH}"
    if not table.wants(work):
        return
    theirs, alone, *split = take_turns(
        pairs, lambda: by_hand(way, initial),
        lambda: ours(pictures, BATCH, "--scheme", "sequential", "--workers", 1),
        *(lambda flags=flags: ours(pictures, BATCH // 2, *flags, "--workers", 2)
          for flags in SCHEMES[way]))
    best = fastest(split)
    for peer, turns in (("PyTorch by hand", theirs), ("ours, one rank", alone)):
        table.row(work, peer, "samples/s", (rate for rate, _ in turns), (rate for rate, _ in best),
                  None, (turns[0][1], best[0][1]),
                  remark="minibatches of other rows" if turns is alone else "",
                  tolerance=0.2 if turns is alone else 0.02)


def main():
    options = arguments(__doc__)
    try:
        import torch  # noqa: F401
    except ImportError:
        skip("PyTorch", "scripts/install_dependencies.sh --peers installs python3-torch")
    if not (BUILD / "trainyard").exists():
        skip("Trainyard", "scripts/build.sh bench builds it")
    table = Table(options, SETTING)
    pictures = data.first_pictures_file(STEPS * BATCH)
    with tempfile.TemporaryDirectory() as folder:
        trainyard("--dataset", pictures, *MODEL, "--scheme", "sequential", "--workers", 1, "--steps",
                  1, "--lr", 1e-30, "--evaluate-every", 1e6, "--out", folder, "--force")
        for way in WAYS:
            compare(table, options.pairs, way, pictures, f"{folder}/sequential/model.npy")


if __name__ == "__main__":
    if sys.argv[1:2] == ["peer"]:
        peer_main(json.loads(sys.argv[2]))
    else:
        main()

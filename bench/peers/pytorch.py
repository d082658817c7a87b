"""Multilayer perceptrons and dense logistic regression: Trainyard against PyTorch.

Fair because: both start from the same parameters (Trainyard's initial model is loaded into
PyTorch), read the same pictures, and take the same number of steps of plain SGD with the same
minibatch and step size. PyTorch's loop slices contiguous batches out of a tensor in stored order:
no DataLoader, no copy, and gradients are dropped between steps rather than zeroed. Its clock runs
over the training loop alone, after 20 steps to warm up, on the OpenBLAS kernels that openblas.py
finds the fastest. Worker processes are timed between two barriers.

    DDP      torch.nn.parallel.DistributedDataParallel over Gloo, one process a rank
    Hogwild  torch.multiprocessing and share_memory(), as in pytorch/examples/mnist_hogwild
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import openblas

SETTING = openblas.use_fastest()  # before anything imports NumPy

from common import CORES, Table, arguments, skip, take_turns, trainyard  # noqa: E402
import data  # noqa: E402

STEP_SIZE = 0.05
HIDDEN = {"784-256-128-10": (256, 128), "784-512-512-10": (512, 512)}


def network(hidden, initial):
    """The perceptron with the given parameters: for each layer weights, inputs by outputs; biases."""
    import torch

    sizes = (784, *hidden, 10)
    layers, used = [], 0
    for inputs, outputs in zip(sizes, sizes[1:]):
        layer = torch.nn.Linear(inputs, outputs)
        with torch.no_grad():
            weights = initial[used : used + inputs * outputs]
            layer.weight.copy_(torch.from_numpy(weights.reshape(inputs, outputs).T.copy()))
            layer.bias.zero_()
        used += (inputs + 1) * outputs
        layers += [layer, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def train(model, pixels, labels, batch, epochs, begin=lambda: None, end=lambda: None):
    """Seconds for `epochs` passes in stored order."""
    import torch

    loss = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=STEP_SIZE)

    def step(first):
        optimizer.zero_grad(set_to_none=True)
        loss(model(pixels[first : first + batch]), labels[first : first + batch]).backward()
        optimizer.step()

    for group in optimizer.param_groups:
        group["lr"] = 0.0
    for i in range(20):
        step(i * batch)
    for group in optimizer.param_groups:
        group["lr"] = STEP_SIZE
    begin()
    started = time.perf_counter()
    for _ in range(epochs):
        for first in range(0, len(labels), batch):
            step(first)
    end()
    return time.perf_counter() - started


def one_process(task, pixels, labels, model):
    return train(model, pixels, labels, task["batch"], task["epochs"])


def ddp_rank(rank, task, pixels, labels, model, port, results):
    import torch

    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    torch.distributed.init_process_group("gloo", rank=rank, world_size=task["workers"])
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    barrier = torch.distributed.barrier
    seconds = train(parallel, pixels, labels, task["batch"], task["epochs"], barrier, barrier)
    if rank == 0:
        results.put((seconds, [parameter.detach().numpy() for parameter in model.parameters()]))
    barrier()


def hogwild_rank(rank, task, pixels, labels, model, barrier, results):
    import torch

    torch.set_num_threads(1)
    seconds = train(model, pixels, labels, task["batch"], task["epochs"], barrier.wait, barrier.wait)
    if rank == 0:
        results.put((seconds, None))


def several_processes(task, pixels, labels, model):
    """Each process takes one block of the rows."""
    import socket

    import torch
    import torch.multiprocessing as processes

    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    context = processes.get_context("spawn")
    results = context.Queue()
    program, shared = ddp_rank, port
    if task["way"] == "hogwild":
        model.share_memory()
        program, shared = hogwild_rank, context.Barrier(task["workers"])
    rows = len(labels) // task["workers"]
    ranks = [
        context.Process(target=program, args=(
            rank, task, pixels[rank * rows : (rank + 1) * rows],
            labels[rank * rows : (rank + 1) * rows], model, shared, results))
        for rank in range(task["workers"])
    ]
    for rank in ranks:
        rank.start()
    seconds, parameters = results.get()
    for rank in ranks:
        rank.join()
    if parameters is not None:
        with torch.no_grad():
            for parameter, value in zip(model.parameters(), parameters):
                parameter.copy_(torch.from_numpy(value))
    return seconds


def peer_main(task):
    """The peer's side, in a process of its own: prints samples a second and the final loss."""
    import numpy
    import torch

    torch.set_num_threads(task["threads"])
    pixels, labels = (torch.from_numpy(array) for array in data.pictures_arrays())
    model = network(task["hidden"], numpy.load(task["initial"]))
    run = one_process if task["workers"] == 1 else several_processes
    seconds = run(task, pixels, labels, model)
    with torch.no_grad():
        loss = torch.nn.CrossEntropyLoss()(model(pixels), labels).item()
    print(json.dumps({"rate": task["epochs"] * len(labels) / seconds, "loss": loss}))


def pytorch(task):
    """Both ATen and BLAS get the threads that the task says."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS=str(task["blas_threads"]),
                       OMP_NUM_THREADS=str(task["threads"]))
    done = subprocess.run([sys.executable, __file__, "peer", json.dumps(task)],
                          capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


class Perceptron:
    """One network with its initial parameters, taken from the model after a step of length 0."""

    def __init__(self, name, folder):
        self.name, self.hidden = name, HIDDEN[name]
        self.flags = ["--dataset", data.pictures_file(), "--model",
                      "mlp:" + ",".join(map(str, self.hidden))]
        trainyard(*self.flags, "--scheme", "sequential", "--workers", 1, "--steps", 1, "--lr",
                  1e-30, "--evaluate-every", 1e6, "--out", f"{folder}/{name}", "--force")
        self.initial = f"{folder}/{name}/sequential/model.npy"

    def ours(self, batch, epochs, scheme, workers):
        summary = trainyard(*self.flags, "--batch", batch, "--epochs", epochs, "--evaluate-every",
                            1e6, "--lr", STEP_SIZE, *scheme, "--workers", workers)
        return summary["samples_per_second"], summary["train_loss"]

    def theirs(self, batch, epochs, way="one", workers=1, threads=1, blas_threads=1):
        result = pytorch({"hidden": self.hidden, "initial": self.initial, "batch": batch,
                          "epochs": epochs, "way": way, "workers": workers, "threads": threads,
                          "blas_threads": blas_threads})
        return result["rate"], result["loss"]


def compare(table, pairs, work, peer, theirs, ours, floor, tolerance=0.02, remark=""):
    """The best of several ways on either side counts.

    All of them take a first turn; those that it shows a fifth slower than the best of their side are
    left at that, and the others go on taking turns.
    """
    if not table.wants(work):
        return
    first = take_turns(1, *theirs, *ours)

    def contenders(results, ways):
        best = max(turns[0][0] for turns in results)
        return [(turns, way) for turns, way in zip(results, ways) if turns[0][0] >= 0.8 * best]

    peers, own = contenders(first[: len(theirs)], theirs), contenders(first[len(theirs) :], ours)
    later = take_turns(pairs - 1, *(way for _, way in (*peers, *own)))
    results = [turns + more for (turns, _), more in zip((*peers, *own), later)]

    def best(sides):
        return max(sides, key=lambda side: sorted(rate for rate, _ in side)[len(side) // 2])

    their_best, our_best = best(results[: len(peers)]), best(results[len(peers) :])
    table.row(work, peer, "samples/s", (rate for rate, _ in their_best),
              (rate for rate, _ in our_best), floor, (their_best[0][1], our_best[0][1]),
              tolerance, remark)


def perceptrons(table, pairs, folder):
    small, large = (Perceptron(name, folder) for name in HIDDEN)
    alone = ["--scheme", "sequential"]
    # Ways of a synchronous step between two ranks; the fastest counts.
    synchronous = [["--scheme", "ring"], ["--scheme", "all-reduce", "--collective",
                                          "recursive-doubling"]]

    for net, batch, epochs, floor in ((small, 32, 2, 2), (large, 128, 1, 1.2)):
        compare(table, pairs, f"MLP {net.name}, batch {batch}, 1 thread", "PyTorch",
                [lambda: net.theirs(batch, epochs)], [lambda: net.ours(batch, epochs, alone, 1)], floor)
    for net, batch, floor in ((small, 32, 12), (large, 128, 3)):
        compare(table, pairs, f"MLP {net.name}, 2 workers synchronous, batch {batch} a rank",
                "PyTorch DDP over Gloo", [lambda: net.theirs(batch, 1, "ddp", 2)],
                [lambda way=way: net.ours(batch, 1, way, 2) for way in synchronous], floor)
    for net, epochs in ((small, 2), (large, 1)):
        compare(table, pairs, f"MLP {net.name}, one model on 2 cores, batch 128",
                "PyTorch, best of 3 settings",
                [lambda blas=blas, aten=aten: net.theirs(128, epochs, threads=aten, blas_threads=blas)
                 for blas, aten in ((1, 2), (2, 1), (2, 2))],
                [lambda way=way: net.ours(64, epochs, way, 2) for way in synchronous], 1.5,
                remark="ours: 2 ranks of 64 rows")
    for net, batch, epochs, floor in ((small, 32, 2, 2), (large, 128, 1, 1.3)):
        compare(table, pairs, f"MLP {net.name}, 2 workers Hogwild, batch {batch}",
                "PyTorch Hogwild", [lambda: net.theirs(batch, epochs, "hogwild", 2)],
                [lambda: net.ours(batch, epochs, ["--scheme", "hogwild"], 2)], floor, 0.1)


def logistic(table, pairs):
    """Batch 64 by hand: two products and a sigmoid, without autograd, which would be slower."""
    work = "dense logistic 581 k x 54, batch 64"
    if not table.wants(work):
        return
    import numpy
    import torch
    from threadpoolctl import threadpool_limits

    rows, labels = (torch.from_numpy(array) for array in data.dense_arrays())
    rows, labels = rows[: len(rows) // 64 * 64], labels[: len(rows) // 64 * 64]
    step_size, epochs = 0.5, 3
    torch.set_num_threads(1)

    def theirs():
        weights = torch.zeros(data.DENSE_FEATURES)
        begin = time.perf_counter()
        for _ in range(epochs):
            for x, y in zip(rows.split(64), labels.split(64)):
                weights.addmv_(x.t(), torch.sigmoid_(x.mv(weights)).sub_(y), alpha=-step_size / 64)
        seconds = time.perf_counter() - begin
        signs = 2 * labels.numpy() - 1
        return (epochs * len(rows) / seconds,
                numpy.logaddexp(0, -signs * (rows @ weights).numpy()).mean())

    def ours():
        summary = trainyard("--dataset", data.dense_file(), "--scheme", "sequential", "--workers",
                            1, "--batch", 64, "--epochs", epochs, "--evaluate-every", 1e6, "--lr",
                            step_size)
        return summary["samples_per_second"], summary["train_loss"]

    with torch.no_grad(), threadpool_limits(1):
        compare(table, pairs, work, "PyTorch by hand", [theirs], [ours], 4)


def main():
    options = arguments(__doc__)
    try:
        import torch  # noqa: F401
    except ImportError:
        skip("PyTorch", "scripts/install_dependencies.sh --peers installs python3-torch")
    table = Table(options, SETTING)
    if CORES < 2:
        print("note: one core here; the rows for two workers share it")
    with tempfile.TemporaryDirectory() as folder:
        perceptrons(table, options.pairs, folder)
    logistic(table, options.pairs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["peer"]:
        peer_main(json.loads(sys.argv[2]))
    else:
        main()

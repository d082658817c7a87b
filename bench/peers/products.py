"""Matrix products of training, one thread: Trainyard against the faster of OpenBLAS and oneDNN.

Fair because: the three take turns on the same matrices in one process (products.cpp), with the same
transposes, beta 0 and nothing packed in advance, and the fastest slice of each counts. OpenBLAS
has whichever of its kernels are fastest here (openblas.py). A ratio is against whichever library is
faster at that shape.
"""

import functools
import subprocess

import openblas

from common import BUILD, Table, arguments, skip, take_turns

FLOOR = 0.85
# Layers and minibatches.
NETWORKS = (
    ((784, 256, 128, 10), (16, 32, 128, 512)),
    ((784, 512, 512, 10), (32, 128, 512)),
    ((100, 512, 1024, 2048, 10), (16, 128)),
)


def shapes():
    """FORM:M:N:K of every product of a step, once each. The first layer passes nothing back."""
    found = {}
    for layers, batches in NETWORKS:
        for batch in batches:
            for layer, (inputs, outputs) in enumerate(zip(layers, layers[1:])):
                found[f"forward:{batch}:{outputs}:{inputs}"] = None
                found[f"weights:{inputs}:{outputs}:{batch}"] = None
                if layer > 0:
                    found[f"back:{batch}:{inputs}:{outputs}"] = None
    return list(found)


def run(chosen):
    """{shape: (ours, OpenBLAS, oneDNN)}, with "peak"."""
    done = subprocess.run([BUILD / "bench" / "trainyard_products", *chosen], capture_output=True,
                          text=True, check=True)
    lines = map(str.split, done.stdout.splitlines())
    return {shape: tuple(map(float, figures)) for shape, *figures in lines}


def main():
    options = arguments(__doc__)
    if not (BUILD / "bench" / "trainyard_products").exists():
        skip("OpenBLAS and oneDNN", "no trainyard_products; scripts/build.sh bench builds it")
    table = Table(options)
    works = {shape: "product " + shape.replace(":", " ", 1).replace(":", "x") for shape in shapes()}
    chosen = [shape for shape in works if table.wants(works[shape])]
    if not chosen:
        return
    kernels = openblas.use_fastest()
    turns, = take_turns(options.pairs, functools.partial(run, chosen))
    print(f"peak of the core {max(turn['peak'][0] for turn in turns):.0f} GFLOP/s, {kernels}",
          flush=True)
    for shape in chosen:
        ours, blas, onednn = zip(*(turn[shape] for turn in turns))
        if max(blas + onednn) == 0.0:
            skip("OpenBLAS and oneDNN", "neither is there; scripts/install_dependencies.sh --peers")
        peer, theirs = max((("OpenBLAS", blas), ("oneDNN", onednn)),
                           key=lambda side: sorted(side[1])[len(side[1]) // 2])
        table.row(works[shape], peer, "GFLOP/s", theirs, ours, FLOOR, setting=kernels)


if __name__ == "__main__":
    main()

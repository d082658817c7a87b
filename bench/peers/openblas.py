"""The fastest kernels that the peers' OpenBLAS has for this processor, found by trying.

OpenBLAS picks its kernels by the processor's model number, and takes slow ones for a model that is
newer than it. An expert sets OPENBLAS_CORETYPE then. So the products of the perceptrons below (a
layer's forward and both backward ones, one thread) are timed with OpenBLAS's own pick and with each
core type whose instructions the processor has, each in a fresh process, in turn, three times; the
least time of each counts. The own pick stays unless another is 3 % faster, which noise is not.

use_fastest() must come before anything imports NumPy, which loads OpenBLAS. A table row says what
was chosen, in its column `setting`. It is tried once for each version of OpenBLAS (common.remembered).
"""

import os
import pathlib
import platform
import subprocess
import sys

from common import remembered

AVX2 = {"avx2", "fma"}
AVX512 = AVX2 | {"avx512f", "avx512dq", "avx512bw", "avx512vl", "avx512cd"}
# Core types of x86-64 and the flags of /proc/cpuinfo that their kernels need.
CORE_TYPES = {
    "Haswell": AVX2,
    "Zen": AVX2,
    "SkylakeX": AVX512,
    "Cooperlake": AVX512 | {"avx512_bf16"},
    "SapphireRapids": AVX512 | {"avx512_bf16", "amx_tile", "amx_bf16"},
}
# Rows of a minibatch, inputs and outputs of its largest layer.
LAYERS = ((32, 784, 256), (128, 784, 512))
TURNS = 3
WORTH = 0.97
FOUND = "TRAINYARD_OPENBLAS"  # tells the processes that this one starts, which have the variable too


def installed():
    """The library's file, with the version in its name."""
    return os.path.realpath(f"/usr/lib/{platform.machine()}-linux-gnu/libopenblas.so.0")


def possible():
    """Core types that this processor can run."""
    information = pathlib.Path("/proc/cpuinfo").read_text()
    flags = next((set(line.split()) for line in information.splitlines()
                  if line.startswith("flags")), set())
    return [name for name, needed in CORE_TYPES.items() if needed <= flags]


def measure():
    """Prints the kernels' name and the seconds of the products, in the process that is asked."""
    import ctypes
    import time

    import numpy

    library = ctypes.CDLL("libopenblas.so.0")
    library.openblas_get_corename.restype = ctypes.c_char_p
    library.openblas_set_num_threads(1)

    def product(transposed, first, second, result):
        """result = first second, either of them transposed where told (C order throughout)."""
        rows, columns = result.shape
        inner = first.shape[0] if transposed[0] else first.shape[1]
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (first, second, result)]
        library.cblas_sgemm(101, *(112 if turned else 111 for turned in transposed), rows, columns,
                            inner, ctypes.c_float(1), pointers[0], first.shape[1], pointers[1],
                            second.shape[1], ctypes.c_float(0), pointers[2], columns)

    seconds = 0.0
    for rows, inputs, outputs in LAYERS:
        x, weights, y = (numpy.ones(shape, "float32")
                         for shape in ((rows, inputs), (outputs, inputs), (rows, outputs)))
        for work in (lambda: product((False, True), x, weights, y),
                     lambda: product((True, False), y, x, weights),
                     lambda: product((False, False), y, weights, x)):
            least = float("inf")
            for _ in range(20):
                begin = time.perf_counter()
                work()
                least = min(least, time.perf_counter() - begin)
            seconds += least
    print(library.openblas_get_corename().decode(), seconds)


def tried(core_type):
    """(name of the kernels, seconds) with OPENBLAS_CORETYPE=core_type; None: it does not run."""
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    if core_type:
        environment["OPENBLAS_CORETYPE"] = core_type
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        return None
    name, seconds = done.stdout.split()
    return name, float(seconds)


def fastest(candidates, attempt=tried, turns=TURNS):
    """(core type or None for OpenBLAS's own pick, name of its kernels); None: there is no OpenBLAS.

    A core type that this OpenBLAS was built without falls back to another one's kernels; of several
    that come to the same the first counts, the own pick before all.
    """
    names, least = {}, {}
    for _ in range(turns):
        for candidate in (None, *candidates):
            result = attempt(candidate)
            if result is not None:
                names[candidate] = result[0]
                least[candidate] = min(result[1], least.get(candidate, float("inf")))
    if not least:
        return None
    quickest = min(least, key=least.get)
    if least[quickest] > WORTH * least.get(None, float("inf")):
        quickest = None
    first = next(candidate for candidate in least if names[candidate] == names[quickest])
    return first, names[quickest]


def use_fastest():
    """Sets OPENBLAS_CORETYPE for this process and those it starts; returns what a row says of it."""
    if FOUND in os.environ:
        return os.environ[FOUND]
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(name, None)
    found = remembered(["OpenBLAS", installed(), possible()], lambda: fastest(possible()))
    core_type, kernels = found or (None, "")
    if core_type:
        os.environ["OPENBLAS_CORETYPE"] = core_type
    setting = f"OpenBLAS {kernels}" + ("" if core_type else ", its own pick") if kernels else ""
    os.environ[FOUND] = setting
    return setting


if __name__ == "__main__":
    measure()

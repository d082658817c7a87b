"""The data that both sides of a comparison read, written once into build/bench-data.

Peers that would take long to parse text get the same numbers from a copy in NumPy's format, which
is made from the text file.
"""

import itertools
import subprocess

import numpy

from common import DATA, TOP, compiled

NONZEROS = 74  # in a row of the sparse sets, the mean of RCV1
FEATURES = 47_000
# small and large: any feature as likely as any other. words: by Zipf's law, so that every row has the
# same few dozen features and two ranks always meet there.
SPARSE_ROWS = {"small": 20_000, "words": 20_000, "large": 1_000_000}
DENSE_ROWS, DENSE_FEATURES = 581_012, 54  # the size of covtype
PICTURES = 59_904  # 1872 batches of 32, 468 of 128: no batch is cut short on either side


def generated(name, *what):
    """The file build/bench-data/name, made by generate.cpp unless it is there."""
    path = DATA / name
    if not path.exists():
        print(f"  writing {path.relative_to(TOP)} ...", flush=True)
        program = compiled("generate.cpp", "g++", "-std=c++20")
        unfinished = path.with_suffix(".unfinished")
        subprocess.run([program, *map(str, what), unfinished], check=True)
        unfinished.rename(path)
    return path


def sparse_file(size):
    law = "words" if size == "words" else "uniform"
    return generated(f"sparse-{size}.libsvm", law, SPARSE_ROWS[size], FEATURES, NONZEROS)


def first_rows_of_large(rows):
    """The first of them, for peers that would read the whole file for half a minute."""
    head = DATA / f"sparse-large-{rows}.libsvm"
    if not head.exists():
        unfinished = head.with_suffix(".unfinished")
        with sparse_file("large").open("rb") as whole, unfinished.open("wb") as out:
            out.writelines(itertools.islice(whole, rows))
        unfinished.rename(head)
    return head


def sparse_nonzeros(size):
    return SPARSE_ROWS[size] * NONZEROS


def sparse_arrays(size):
    """X as CSR in float64, which is what scikit-learn 1.2 computes in, and y in {-1, +1}."""
    import scipy.sparse

    path = sparse_file(size)
    parts = [path.with_suffix(f".{part}.npy") for part in ("values", "columns", "starts", "labels")]
    if not all(part.exists() for part in parts):
        from sklearn.datasets import load_svmlight_file

        matrix, labels = load_svmlight_file(str(path), n_features=FEATURES)
        for part, array in zip(parts, (matrix.data, matrix.indices, matrix.indptr, labels)):
            numpy.save(part, array)
    values, columns, starts, labels = (numpy.load(part) for part in parts)
    matrix = scipy.sparse.csr_matrix((values, columns.astype("int32"), starts.astype("int32")),
                                     shape=(len(labels), FEATURES))
    return matrix, labels


def dense_file():
    return generated("dense.csv", "dense", DENSE_ROWS, DENSE_FEATURES)


def dense_arrays():
    """X in float32, y in {0, 1}."""
    path = dense_file()
    cache = path.with_suffix(".npy")
    if not cache.exists():
        numpy.save(cache, numpy.loadtxt(path, "float32", delimiter=","))
    table = numpy.load(cache)
    return numpy.ascontiguousarray(table[:, 1:]), table[:, 0]


def pictures_file():
    """IDX: pictures of 784 pixels, 0 or 255, which both sides read as 0 and 1. Ten prototypes, of which
    3 in 10 pixels are redrawn."""
    images = DATA / "pictures" / "train-images-idx3-ubyte"
    if not images.exists():
        images.parent.mkdir(parents=True, exist_ok=True)
        random = numpy.random.default_rng(1)
        prototypes = random.integers(0, 2, (10, 784), dtype=numpy.uint8)
        labels = random.integers(0, 10, PICTURES, dtype=numpy.uint8)
        noise = random.random((PICTURES, 784), dtype=numpy.float32)
        pixels = numpy.where(noise < 0.3, noise < 0.15, prototypes[labels]).astype(numpy.uint8)
        # A tenth of the labels is wrong, so that the loss does not go to zero.
        wrong = random.random(PICTURES) < 0.1
        labels[wrong] = random.integers(0, 10, wrong.sum(), dtype=numpy.uint8)
        header = numpy.array([0x801, PICTURES], ">i4").tobytes()
        images.with_name("train-labels-idx1-ubyte").write_bytes(header + labels.tobytes())
        header = numpy.array([0x803, PICTURES, 28, 28], ">i4").tobytes()
        images.write_bytes(header + (255 * pixels).tobytes())
    return images


def first_pictures_file(rows):
    """The first of them, in IDX."""
    images = pictures_file()
    few = DATA / f"pictures-{rows}" / images.name
    if not few.exists():
        few.parent.mkdir(parents=True, exist_ok=True)
        labels = images.with_name("train-labels-idx1-ubyte")
        begin = numpy.array([0x801, rows], ">i4").tobytes()
        few.with_name(labels.name).write_bytes(begin + labels.read_bytes()[8 : 8 + rows])
        begin = numpy.array([0x803, rows, 28, 28], ">i4").tobytes()
        few.write_bytes(begin + images.read_bytes()[16 : 16 + 784 * rows])
    return few


def pictures_arrays():
    """Pixels in float32, labels in int64."""
    images = pictures_file()
    pixels = numpy.fromfile(images, numpy.uint8, offset=16).reshape(PICTURES, 784)
    labels = numpy.fromfile(images.with_name("train-labels-idx1-ubyte"), numpy.uint8, offset=8)
    return pixels.astype("float32") / 255, labels.astype("int64")


def reference_set(name, file):
    """A file of a known set: in data/, or beside the checkout. None where there is neither."""
    for folder in (TOP / "data", TOP.parent / "shared" / "data"):
        if (folder / name / file).exists():
            return folder / name / file
    return None

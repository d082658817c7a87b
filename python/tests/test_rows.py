"""Rows as NumPy, SciPy and pandas have them."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import trainyard as ty

SHORT = {"steps": 20, "workers": 3, "time": "virtual", "compute_time": "1ms", "lr": 0.1}


def bits(x, y, **options):
    return ty.run("ring", data=(x, y), **{**SHORT, **options}).model_hash


def test_layout_and_type_change_no_bit(blobs):
    x, y = blobs
    expected = bits(x, y)
    assert bits(np.asfortranarray(x), y) == expected
    assert bits(np.repeat(x, 2, axis=0)[::2], y) == expected
    assert bits(x.astype(np.float64), y) == expected
    assert bits(x.astype(">f4"), y) == expected
    assert bits(x.tolist(), y.tolist()) == expected
    assert bits(x, y.astype(np.float32)) == expected
    assert bits(x, np.where(y == 1, "yes", "no")) == expected
    assert bits(x, 2 * y - 1) == expected
    x.flags.writeable = False
    assert bits(x, y) == expected


def test_rows_are_not_written_to(blobs):
    x, y = blobs
    before = x.copy()
    for options in ({}, {"scale": "standard"}, {"scale": "unit-rows"}, {"intercept": True}, {"validation": 0.2},
                    {"test": "every-fifth"}):
        bits(x, y, **options)
        np.testing.assert_array_equal(x, before)


def test_sparse_rows_train_like_a_file_of_them(program, tmp_path):
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(2)
    x = sparse.random(300, 40, density=0.1, random_state=3, dtype=np.float32, format="csr")
    y = random.integers(0, 2, 300)
    for row in range(300):
        y[row] = int(x[row].sum() > 1.5)
    lines = [f"{2 * y[r] - 1} " + " ".join(f"{c + 1}:{v!r}" for c, v in zip(x[r].indices, x[r].data.tolist()))
             for r in range(300)]
    # The last feature is in some row, so that the file has as many.
    assert x.indices.max() == 39
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    printed = program("run", "--json", "--dataset", str(tmp_path / "rows.svm"), "--steps", "20", "--workers", "3",
                      "--time", "virtual", "--compute-time", "1ms", "--lr", "0.1")
    assert f'"{bits(x, y)}"' in printed
    assert bits(x.tocoo(), y) == bits(x, y) == bits(x.astype(np.float64), y)
    unsorted = x.copy()
    for row in range(300):
        begin, end = unsorted.indptr[row:row + 2]
        unsorted.indices[begin:end] = unsorted.indices[begin:end][::-1].copy()
        unsorted.data[begin:end] = unsorted.data[begin:end][::-1].copy()
    unsorted.has_sorted_indices = False
    unsorted.has_canonical_format = False
    assert bits(unsorted, y) == bits(x, y)


def test_columns_of_words_become_features():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [30.0, 40.0, 50.0, 60.0] * 10,
                          "town": pd.Categorical(["Kiel", "Bonn", "Kiel", "Ulm"] * 10)})
    y = ["no", "yes", "no", "yes"] * 10
    run = ty.run("ring", data=(frame, y), **{**SHORT, "steps": 60}, scale="standard")
    assert run.features == 4 and run.parameters == 4
    assert [*run.classes] == ["no", "yes"]
    assert run.feature_names == ["age", "town=Bonn", "town=Kiel", "town=Ulm"]
    assert [*run.predict(frame)] == y
    # The same by hand.
    words = np.array([[word == town for town in ("Bonn", "Kiel", "Ulm")] for word in frame["town"]], dtype=np.float32)
    by_hand = np.column_stack([frame["age"].to_numpy(np.float32), words])
    assert run.model_hash == bits(by_hand, y, steps=60, scale="standard")
    with pytest.raises(ty.DataError, match="row 0: 'Jena' is no word of the training rows"):
        run.predict(frame.assign(town="Jena"))
    with pytest.raises(ty.DataError, match="expected a DataFrame with the columns age, town"):
        run.predict(by_hand)
    with pytest.raises(ty.DataError, match="'age' has no value in row 2"):
        ty.run("ring", data=(frame.replace({"age": {50.0: np.nan}}), y))


def test_real_labels_are_fitted_by_least_squares():
    random = np.random.default_rng(5)
    x = random.normal(size=(200, 3)).astype(np.float32)
    y = x @ [1.0, -2.0, 0.5] + 0.25
    run = ty.run("ring", data=(x, y), model="least-squares", intercept=True, epochs=60, lr=0.2, batch=10, workers=2,
                 time="virtual", compute_time="1ms")
    np.testing.assert_allclose(run.model, [1.0, -2.0, 0.5, 0.25], atol=1e-4)
    np.testing.assert_allclose(run.predict(x), y, atol=1e-3)
    with pytest.raises(ty.DataError, match='expected classes: whole numbers or words; model="least-squares"'):
        ty.run("ring", data=(x, y))


def test_weights_of_rows_count(blobs):
    x, y = blobs
    twice = np.where(np.arange(400) < 100, 2.0, 1.0)
    assert bits(x, y, sample_weight=twice) != bits(x, y)
    assert bits(x, y, sample_weight=np.ones(400)) != ""
    with pytest.raises(ty.DataError, match="sample_weight has 3 in 1 dimensions, and X has 400 rows"):
        bits(x, y, sample_weight=[1, 2, 3])
    with pytest.raises(ty.DataError, match="a row's weight is -1"):
        bits(x, y, sample_weight=-np.ones(400))


def test_wrong_rows_are_refused_with_their_place(blobs):
    x, y = blobs
    for value, word in ((np.nan, "NaN"), (np.inf, "infinite"), (1e300, "infinite")):
        wrong = x.astype(np.float64)
        wrong[7, 3] = value
        with pytest.raises(ty.DataError, match=f"row 7, column 3 is {word}"):
            bits(wrong, y)
    for rows, labels, message in (
            (x, y[:-1], "y has 399 in 1 dimensions, and X has 400 rows"),
            (x[0], y, r"X has 1 dimension; expected 2"),
            (x[None], y, "X has 3 dimensions"),
            (x[:0], y[:0], "there are 0 rows"),
            (x[:, :0], y, "400 rows of 0 features"),
            (x + 1j, y, "it holds what is no number"),
            (np.full((400, 5), "a"), y, "it holds what is no number"),
            (x, np.zeros(400), "is the same in all 400 rows"),
            (x, [None] * 400, "row 0 has no label"),
            (x, np.where(y == 0, np.nan, 1.0), "y holds NaN"),
            (x, np.stack([y, y], axis=1), "y has 2 dimensions"),
            (x, y + 1j, "complex"),
            ([[1, 2], [3]], [0, 1], "lists of unlike lengths"),
            (x, [[0], 1] * 200, "y: lists of unlike lengths"),
    ):
        with pytest.raises(ty.DataError, match=message):
            bits(rows, labels)
    with pytest.raises(ty.DataError, match="expected \\(X, y\\)"):
        ty.run(data=x, **SHORT)
    with pytest.raises(ty.DataError, match="test: it has 4 features, and the training rows have 5"):
        bits(x, y, test=(x[:, :4], y))
    with pytest.raises(ty.DataError, match="the label 7 is none of the training rows'"):
        bits(x, y, test=(x, np.full(400, 7)))
    with pytest.raises(ty.DataError, match="test: arrays go with data"):
        ty.run(test=(x, y), **SHORT)


def test_a_wrong_sparse_matrix_is_refused():
    sparse = pytest.importorskip("scipy.sparse")
    y = [0, 1, 0, 1]
    x = sparse.csr_matrix(np.eye(4, dtype=np.float32))
    x.indices[2] = 77
    with pytest.raises(ty.DataError, match="row 2 has column 77"):
        bits(x, y)
    x = sparse.csr_matrix(np.eye(4, dtype=np.float32))
    x.indptr = np.array([0, 3, 1, 3, 4], dtype=np.int32)
    x.has_canonical_format = True
    with pytest.raises(ty.DataError, match="as indptr says"):
        bits(x, y)


def grown_by_training(made):
    """By how many MiB a process grows that trains on 128 MiB of rows."""
    script = textwrap.dedent(f"""
        import numpy as np
        import trainyard as ty

        def most_held():
            return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]) // 1024

        rows, features = 1 << 17, 1 << 8
        x = {made}
        for column in range(features):
            x[:, column] = column / features
        y = np.arange(rows) % 2
        asked = dict(steps=2, workers=2, time="virtual", compute_time="1ms")
        ty.run("ring", data=(x[:1000], y[:1000]), **asked)
        before = most_held()
        ty.run("ring", data=(x, y), **asked)
        print(most_held() - before)
    """)
    return int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout)


def test_float32_rows_are_used_where_they_lie():
    # The workers' shares, each in its worker's memory, are of any data as long as all rows once more.
    assert 100 < grown_by_training("np.empty((rows, features), dtype=np.float32)") < 128 + 64
    assert grown_by_training("np.empty((rows, features), dtype=np.float32, order='F')") > 2 * 128

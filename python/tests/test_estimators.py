"""Classifier and Regressor keep scikit-learn's contract."""

import pickle

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn import datasets
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import trainyard as ty


@parametrize_with_checks([ty.Classifier(), ty.Regressor()])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("load", [datasets.load_breast_cancer, datasets.load_iris, datasets.load_wine,
                                  datasets.load_digits])
def test_accuracy_is_that_of_sgd_classifier(load):
    x, y = load(return_X_y=True)
    theirs = cross_val_score(make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss", random_state=1)), x, y)
    ours = cross_val_score(ty.Classifier(), x, y)
    print(f"{load.__name__}: {ours.mean():.4f}, SGDClassifier {theirs.mean():.4f}")
    assert ours.mean() > theirs.mean() - 0.01


def test_options_are_parameters(blobs):
    x, y = blobs
    clf = ty.Classifier(scheme="ssp", workers=8, staleness=3, latency="1ms").fit(x, y)
    assert clf.get_params()["staleness"] == 3
    again = clone(clf).set_params(staleness=1)
    assert again.get_params() == {**clf.get_params(), "staleness": 1}
    assert clf.predict_proba(x).shape == (400, 2)
    assert clf.score(x, y) > 0.95
    assert clf.history_["seconds"].iloc[-1] > 0
    with pytest.raises(ty.UsageError, match="did you mean 'staleness'"):
        ty.Classifier(stalenes=3)
    with pytest.raises(ValueError, match="Invalid parameter"):
        clf.set_params(stalenes=3)


def test_a_pickled_model_predicts_the_same(blobs):
    x, y = blobs
    names = np.where(y == 1, "yes", "no")
    clf = ty.Classifier(model="mlp:5", epochs=5).fit(x, names)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict_proba(x), clf.predict_proba(x))
    assert set(again.predict(x)) == {"yes", "no"}


def test_pipelines_and_grids(blobs):
    x, y = blobs
    grid = GridSearchCV(make_pipeline(StandardScaler(), ty.Classifier(epochs=3, lr=0.5)),
                        {"classifier__workers": [1, 4], "classifier__l2": [0.0, 10.0]}, cv=2).fit(x, y)
    assert grid.best_params_["classifier__l2"] == 0.0 and grid.best_score_ > 0.95


def test_weights_of_classes_move_the_border(blobs):
    x, y = blobs
    shares = [ty.Classifier(class_weight=weights, epochs=5).fit(x, y).predict(x).mean()
              for weights in ({0: 20, 1: 1}, None, {0: 1, 1: 20})]
    assert shares[0] < shares[1] < shares[2]
    balanced = ty.Classifier(class_weight="balanced", epochs=5).fit(x[:250], y[:250])
    assert balanced.score(x, y) > 0.9


def test_sparse_and_dense_rows_predict_alike():
    sparse = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(1)
    x = sparse.random(200, 30, density=0.2, random_state=1, format="csr")
    y = (x @ random.normal(size=30) > 0).astype(int)
    clf = ty.Classifier(epochs=5).fit(x, y)
    np.testing.assert_array_equal(clf.predict_proba(x), clf.predict_proba(x.toarray()))
    assert clf.score(x, y) > 0.85


def test_a_regressor_finds_the_line():
    x, y = datasets.make_regression(300, 6, noise=1.0, random_state=1, bias=7.0)
    assert ty.Regressor(epochs=40).fit(x, y).score(x, y) > 0.99


@pytest.fixture
def many(blobs):
    features, labels = blobs
    return features, np.where(labels, "yes", "no")


def test_passes_over_parts_come_to_what_a_fit_does(many):
    features, labels = many
    clf = ty.Classifier(workers=2, lr=0.1)
    with pytest.raises(ValueError, match="takes all of them"):
        clf.partial_fit(features, labels)
    for epoch in range(3):
        for part in range(4):
            clf.partial_fit(features[part::4], labels[part::4], classes=["no", "yes"])
    fitted = ty.Classifier(workers=2, lr=0.1, epochs=3).fit(features, labels)
    assert clf.score(features, labels) > fitted.score(features, labels) - 0.02
    one_class = features[labels == "no"]
    before = clf.predict_proba(one_class)[:, 0].mean()
    clf.partial_fit(one_class, ["no"] * len(one_class))
    assert clf.predict_proba(one_class)[:, 0].mean() > before
    for wrong, message in ((dict(y=["perhaps"] * 400), "perhaps"), (dict(classes=["a", "b"]), "the first call had")):
        with pytest.raises(ValueError, match=message):
            clf.partial_fit(**{"X": features, "y": labels, **wrong})
    with pytest.raises(ValueError, match="features"):
        clf.partial_fit(features[:, :2], labels)


def test_a_pass_goes_on_from_the_model_as_it_is(many):
    """Plain SGD by one worker over all rows in their minibatches: two passes from where the first ended."""
    features, labels = many
    first = ty.Classifier(workers=1, lr=0.05, batch=400).partial_fit(features, labels, classes=np.unique(labels))
    once = first.parameters_.copy()
    first.partial_fit(features, labels)
    two = ty.Classifier(workers=1, lr=0.05, batch=400, epochs=2).fit(features, labels)
    np.testing.assert_allclose(first.parameters_, two.parameters_, rtol=1e-5)
    assert not np.allclose(once, two.parameters_)
    warm = ty.Classifier(workers=1, lr=0.05, batch=400, epochs=1, warm_start=True).fit(features, labels)
    np.testing.assert_array_equal(warm.fit(features, labels).parameters_, first.parameters_)
    with pytest.raises(ValueError, match="the fit before had"):
        warm.fit(features, np.where(labels == "no", "a", "b"))


def test_numbers_are_fitted_by_parts(blobs):
    features = blobs[0]
    numbers = features @ np.arange(1, 6) + 3
    reg = ty.Regressor(workers=2, lr=0.1)
    for _ in range(15):
        reg.partial_fit(features[::2], numbers[::2]).partial_fit(features[1::2], numbers[1::2])
    assert reg.score(features, numbers) > 0.99


def test_what_an_estimator_cannot_train_by_is_said(blobs):
    x, y = blobs
    for scheme in (["ring", "ssp"], "ring,ssp", 3, "all-systems"):
        with pytest.raises(ty.UsageError, match="scheme: found"):
            ty.Classifier(scheme, epochs=1, lr=0.1).fit(x, y)
    with pytest.raises(ty.UsageError, match="batch"):
        ty.Classifier(batch=0, epochs=1, lr=0.1).fit(x, y)
    with pytest.raises(ty.UsageError, match="least-squares learns numbers"):
        ty.Classifier(model="least-squares", epochs=1, lr=0.1).fit(x, y).predict(x)


def test_columns_of_words_are_named():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0] * 5, "town": pd.Categorical(["Kiel", "Bonn"] * 10), "job": ["a", "b"] * 10})
    with pytest.raises(ty.UsageError, match="^X: town, job: found words; expected numbers"):
        ty.Classifier(epochs=1, lr=0.1).fit(frame, [0, 1] * 10)
    whole = frame[["age"]].assign(year=pd.Series([1, 2] * 10, dtype="Int32"), other=pd.Series([1.0, 2.0] * 10, dtype=object))
    assert ty.Classifier(epochs=1, lr=0.1).fit(whole, [0, 1] * 10).predict(whole).shape == (20,)

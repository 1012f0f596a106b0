"""Probabilities: calibrated on objects left out, consistent with the labels, better than a
temperature alone.
"""

import numpy as np
import pytest
from families import class_name, every_classifier
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import wideberth as wb
from wideberth.estimators.calibration import Calibrator, calibrated_on

UNCALIBRATED = every_classifier("vectors", cv=3, calibrate=None)
MODELS = [
    wb.NeighborsClassifier(n_neighbors=5),
    *(
        each if each.calibrate is not None else each.set_params(calibrate=3)
        for each in every_classifier("vectors", cv=3, random_state=0)
    ),
]


def blobs(n, seed=0, classes=3):
    random = np.random.default_rng(seed)
    codes = random.choice(
        classes, n, p=[0.6, 0.3, 0.1][:classes] / np.sum([0.6, 0.3, 0.1][:classes])
    )
    return random.normal(size=(n, 2)) + 2 * np.eye(3)[codes][:, :2], np.array(
        ["ale", "rum", "tea"]
    )[codes]


def drawn(seed, n=400, k=3):
    """Scores whose true probabilities are a softmax with a temperature and offsets, and codes drawn
    by these.
    """
    random = np.random.default_rng(seed)
    scores, offsets = random.normal(size=(n, k)), np.array([0.0, 1.0, -1.0])[:k]
    truth = softmax(3 * scores + offsets, axis=1)
    codes = (truth.cumsum(axis=1) < random.random(n)[:, None]).sum(axis=1)
    return scores, codes, offsets


@pytest.mark.few(4)
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_classifier_has_probabilities_and_its_label_is_the_most_probable(model, classes):
    X, y = blobs(200, classes=classes)
    queries, truth = blobs(300, seed=1, classes=classes)
    fitted = clone(model).fit(X, y)
    probabilities = fitted.predict_proba(queries)
    assert probabilities.shape == (300, classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-9)
    assert (probabilities >= 0).all()
    np.testing.assert_array_equal(
        fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(queries)
    )
    shares = (truth[:, None] == fitted.classes_).mean(axis=0)
    constant = log_loss(truth, np.tile(shares, (300, 1)), labels=fitted.classes_)
    assert (
        log_loss(
            truth, probabilities / probabilities.sum(axis=1, keepdims=True), labels=fitted.classes_
        )
        < 0.9 * constant
    )


@pytest.mark.few(4)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_probabilities_stay_the_same_in_a_model_file(model, tmp_path):
    X, y = blobs(60)
    fitted = clone(model).fit(X, y)
    wb.save(fitted, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wb.load(tmp_path / "model.wb").predict_proba(X), fitted.predict_proba(X)
    )


@pytest.mark.parametrize("model", UNCALIBRATED, ids=class_name)
def test_without_calibration_the_error_says_how_to_get_probabilities(model):
    advice = "calibrate='loo'" if isinstance(model, wb.NeighborsClassifier) else "calibrate=5"
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError) as found:
        model.predict_proba
    assert advice in str(found.value.__cause__)


@pytest.mark.parametrize("given_value", [5, "folds", True])
def test_neighbours_are_calibrated_by_leaving_one_out_alone(given_value):
    with pytest.raises(wb.errors.InvalidInput, match="Pass 'loo', or None"):
        wb.NeighborsClassifier(calibrate=given_value).fit([[0.0], [1.0]], [0, 1])


def test_neighbours_are_calibrated_on_the_votes_of_the_others():
    X, y = blobs(150)
    model = wb.NeighborsClassifier(n_neighbors=3).fit(X, y)
    codes = np.unique(y, return_inverse=True)[1]
    shares = np.empty((150, 3))
    for row in range(150):
        others = np.delete(np.arange(150), row)
        alone = wb.NeighborsClassifier(n_neighbors=3, calibrate=None).fit(X[others], y[others])
        shares[row] = alone.decision_function(X[row : row + 1])
    expected = calibrated_on(shares, codes)
    assert model.calibration_.inverse == pytest.approx(expected.inverse, rel=1e-4)
    np.testing.assert_allclose(model.calibration_.offsets, expected.offsets, atol=1e-4)
    free = wb.NeighborsClassifier(n_neighbors="loo").fit(X, y)
    fixed = wb.NeighborsClassifier(n_neighbors=free.n_neighbors_).fit(X, y)
    np.testing.assert_array_equal(free.predict_proba(X), fixed.predict_proba(X))


def test_of_many_neighbours_a_thousand_calibrate():
    X, y = blobs(3000)
    queries, truth = blobs(1000, seed=1)
    model = wb.NeighborsClassifier(n_neighbors=15).fit(X, y)
    confidence = model.predict_proba(queries).max(axis=1)
    assert confidence.mean() == pytest.approx((model.predict(queries) == truth).mean(), abs=0.04)


def test_temperature_and_offsets_are_found():
    scores, codes, offsets = drawn(0, n=20_000)
    found = calibrated_on(scores, codes)
    assert found.inverse == pytest.approx(3.0, rel=0.05)
    np.testing.assert_allclose(found.offsets, offsets - offsets.mean(), atol=0.1)


@pytest.mark.few(2)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [2, 3])
def test_no_other_parameters_have_a_smaller_loss(seed, k):
    scores, codes, _ = drawn(seed, n=60, k=k)
    weights = np.random.default_rng(seed).uniform(1, 3, 60)
    found = calibrated_on(scores, codes, weights)

    def loss(parameters):
        logs = log_softmax(parameters[0] * scores + parameters[1:], axis=1)
        random = 1 / (weights.sum() + 1)
        targets = np.eye(k)[codes] * (1 - random) + random / k
        return -weights @ (targets * logs).sum(axis=1) + 0.5 * (parameters[1:] ** 2).sum()

    best = minimize(
        loss,
        np.ones(k + 1),
        method="Nelder-Mead",
        options={"maxiter": 20_000, "fatol": 1e-12, "xatol": 1e-9},
    )
    assert loss(np.r_[found.inverse, found.offsets]) <= best.fun + 1e-6


def test_the_scale_of_scores_and_of_weights_does_not_matter():
    scores, codes, _ = drawn(1)
    plain = calibrated_on(scores, codes).probabilities(scores)
    for factor in (0.37, 1e-150, 1e150):
        np.testing.assert_allclose(
            calibrated_on(scores * factor, codes).probabilities(scores * factor), plain, atol=1e-9
        )
    lighter = calibrated_on(scores, codes, np.full(len(codes), 1e-6))
    np.testing.assert_allclose(lighter.probabilities(scores), plain, atol=1e-6)


def test_an_object_of_weight_two_counts_as_two():
    scores, codes, _ = drawn(2, n=300)
    weights = np.random.default_rng(0).integers(1, 4, 300)
    repeated = calibrated_on(np.repeat(scores, weights, axis=0), np.repeat(codes, weights))
    weighted = calibrated_on(scores, codes, weights.astype(float))
    np.testing.assert_allclose(
        weighted.probabilities(scores), repeated.probabilities(scores), atol=1e-9
    )


def test_classes_unknown_to_a_model_are_impossible():
    scores, codes, _ = drawn(3)
    scores[:50, 2] = -np.inf
    known = np.isfinite(scores[np.arange(len(codes)), codes])
    found, expected = calibrated_on(scores, codes), calibrated_on(scores[known], codes[known])
    assert found.inverse == pytest.approx(expected.inverse)
    probabilities = found.probabilities(scores)
    assert (probabilities[:50, 2] == 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("scores", "codes"),
    [
        (np.zeros((4, 1)), np.zeros(4, dtype=int)),
        (np.zeros((4, 2)), np.array([0, 0, 1, 1])),
        (np.array([[0.0, -np.inf]]), np.array([1])),
        (np.array([[5.0, 0.0], [0.0, 5.0]]), np.array([1, 0])),
        (np.array([[5.0, 0.0], [0.0, 5.0]]), np.array([0, 1])),
    ],
    ids=["one class", "equal scores", "nothing known", "always wrong", "always right"],
)
def test_scores_that_say_little_give_finite_probabilities(scores, codes):
    found = calibrated_on(scores, codes)
    probabilities = found.probabilities(scores)
    assert np.isfinite(found.inverse)
    assert np.isfinite(found.offsets).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@given(
    st.lists(st.lists(st.floats(-5, 5), min_size=4, max_size=4), min_size=1, max_size=10),
    st.lists(st.floats(-5, 5), min_size=4, max_size=4),
    st.floats(0.01, 5),
)
def test_the_largest_score_has_the_largest_probability_and_nothing_is_nearer(
    scores, offsets, inverse
):
    scores, calibrator = np.array(scores), Calibrator(inverse, np.array(offsets))
    free, found = calibrator.free_probabilities(scores), calibrator.probabilities(scores)
    np.testing.assert_array_equal(found.argmax(axis=1), scores.argmax(axis=1))
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
    rows, labels = np.arange(len(scores)), scores.argmax(axis=1)
    unchanged = free.argmax(axis=1) == labels
    np.testing.assert_allclose(found[unchanged], free[unchanged], atol=1e-9)
    for row in rows[~unchanged]:  # the projection: what is left points away from everything allowed
        allowed = np.vstack(
            [
                np.full(4, 0.25),
                np.eye(4)[labels[row]],
                *(np.eye(4)[labels[row]] / 2 + np.eye(4) / 2),
            ]
        )
        assert ((free[row] - found[row]) @ (allowed - found[row]).T <= 1e-9).all()


@pytest.mark.slow
def test_digits_are_calibrated_better_than_by_a_temperature_alone():
    X, y = load_digits(return_X_y=True)
    model = wb.HilbertSVC(C=1.0)
    scores = np.empty((600, 10))
    for known, left_out in StratifiedKFold(5).split(X[:600], y[:600]):
        scores[left_out] = clone(model).fit(X[known], y[known]).decision_function(X[left_out])
    tested = model.fit(X[:600], y[:600]).decision_function(X[600:])
    found = calibrated_on(scores, y[:600])
    temperature = minimize(
        lambda b: -log_softmax(b * scores, axis=1)[np.arange(600), y[:600]].mean(), 1.0
    ).x
    assert (
        log_loss(y[600:], found.probabilities(tested))
        < log_loss(y[600:], softmax(temperature * tested, axis=1)) + 0.005
    )


# ---- Many classes: the bend


def votes(n=600, k=12, seed=0):
    """Scores that are votes between pairs of classes: a lead of one vote says a lot, and how far the
    others are behind nothing.
    """
    random = np.random.default_rng(seed)
    codes = random.integers(0, k, n)
    strength = random.normal(size=(n, k)) + 2.0 * np.eye(k)[codes]
    return strength.argsort(axis=1).argsort(axis=1).astype(float), codes


def test_temperature_bend_and_offsets_are_those_of_the_smallest_loss():
    scores, codes = votes(200, k=5)
    found = calibrated_on(scores, codes)
    leads = scores.max(axis=1, keepdims=True) - scores
    random = 1 / 201
    targets = (1 - random) * np.eye(5)[codes] + random / 5

    def loss(point):
        sums = point[2:] - point[0] * leads - point[1] * np.log1p(leads / found.unit)
        return -(targets * log_softmax(sums, axis=1)).sum() + 0.5 * (point[1:] @ point[1:])

    bounds = [(1e-3, None), (0, None), *[(None, None)] * 5]
    best = minimize(loss, np.r_[1.0, np.zeros(6)], method="L-BFGS-B", bounds=bounds)
    assert found.bend > 0.1
    assert loss(np.r_[found.inverse, found.bend, found.offsets]) <= best.fun + 1e-6
    assert found.unit == pytest.approx(np.sort(leads, axis=1)[:, 1].mean())


@pytest.mark.parametrize("k", [12, 100])
def test_many_classes_are_calibrated_better_with_a_bend(k):
    scores, codes = votes(2000, k)
    bent, straight = (
        calibrated_on(scores[:1000], codes[:1000], bent=bent).probabilities(scores[1000:])
        for bent in (True, False)
    )
    told = np.arange(1000), codes[1000:]
    assert -np.log(bent[told]).mean() < -np.log(straight[told]).mean() - 0.02

    def off(found):
        return abs(found.max(axis=1).mean() - (found.argmax(axis=1) == codes[1000:]).mean())

    assert off(bent) < min(0.03, 0.6 * off(straight))


def test_scores_of_a_softmax_need_no_bend_and_few_classes_have_none():
    scores, codes, _ = drawn(0, n=4000)
    assert calibrated_on(scores, codes).bend == 0
    random = np.random.default_rng(0)
    scores = random.normal(size=(4000, 6))
    truth = softmax(3 * scores, axis=1)
    codes = (truth.cumsum(axis=1) < random.random(4000)[:, None]).sum(axis=1)
    found = calibrated_on(scores, codes)
    assert found.bend < 0.3
    expected = softmax(3 * scores, axis=1)
    assert np.abs(found.free_probabilities(scores) - expected).mean() < 0.01


def test_with_a_bend_the_unit_of_the_scores_does_not_matter_and_weights_are_copies():
    scores, codes = votes(150)
    found, scaled = calibrated_on(scores, codes), calibrated_on(0.37 * scores, codes)
    np.testing.assert_allclose(
        found.probabilities(scores), scaled.probabilities(0.37 * scores), atol=1e-7
    )
    twice = np.r_[np.arange(150), np.arange(40)]
    weights = np.where(np.arange(150) < 40, 2.0, 1.0)
    weighted, copied = (
        calibrated_on(scores, codes, weights),
        calibrated_on(scores[twice], codes[twice]),
    )
    np.testing.assert_allclose(
        weighted.probabilities(scores), copied.probabilities(scores), atol=1e-7
    )


def test_a_bend_is_saved(tmp_path):
    random = np.random.default_rng(0)
    codes = random.integers(0, 12, 240)
    X = random.normal(size=(12, 4))[codes] * 1.5 + random.normal(size=(240, 4))
    model = wb.HilbertSVC("euclidean", calibrate=4, random_state=0).fit(X, codes)
    assert model.calibration_.bend > 0
    wb.save(model, tmp_path / "model.wb")
    np.testing.assert_array_equal(
        wb.load(tmp_path / "model.wb").predict_proba(X), model.predict_proba(X)
    )
    model.calibration_ = Calibrator(1.0, np.zeros(12), 1.0, 0.0)
    wb.save(model, tmp_path / "model.wb")
    with pytest.raises(wb.errors.InvalidFile, match="bend"):
        wb.load(tmp_path / "model.wb")

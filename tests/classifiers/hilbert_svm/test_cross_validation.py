"""The SVM's kernel and C chosen by cross-validation: the same choice as by hand, on any X, with
each distance measured once.
"""

import pickle
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import wideberth
from wideberth import HilbertSVC, HilbertSVCCV, MetricSpace
from wideberth.checks import check_classifier
from wideberth.errors import InvalidInput, NotCertified

NAMES, SEXES = (column[::60] for column in wideberth.datasets.load_first_names())
GRID = [0.3, 3.0, 30.0]


class KernelChoice(NamedTuple):
    kernel: str
    width: float | str


def moons(n=80):
    return make_moons(n, noise=0.3, random_state=3)


def scores(model, n_values):
    """The score of each candidate, of shape (folds, kernels, values)."""
    folds = [name for name in model.cv_results_ if name.startswith("split")]
    return np.array([model.cv_results_[name] for name in folds]).reshape(len(folds), -1, n_values)


def kernels(model):
    """The kernels that were compared."""
    return list(
        dict.fromkeys(
            KernelChoice(params["kernel"], params["width"])
            for params in model.cv_results_["params"]
        )
    )


@pytest.mark.slow
@parametrize_with_checks([HilbertSVCCV(C=[1, 10], width="100%", cv=2)])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


def test_our_checks_pass_on_strings():
    model = HilbertSVCCV(
        "levenshtein", C=[1, 10], width=["100%", "50%"], repair="clip", cv=3, random_state=0
    )
    check_classifier(model, NAMES[:40], SEXES[:40])


@pytest.mark.few(1)
@pytest.mark.parametrize("landmarks", [None, 25])
def test_the_choice_is_the_one_made_by_hand(landmarks):
    X, y = moons()
    model = HilbertSVCCV(
        C=GRID,
        kernel=["distance", "gaussian", "laplace"],
        width=["100%", 0.4],
        landmarks=landmarks,
        cv=4,
        random_state=7,
    ).fit(X, y)
    median = np.median(wideberth.pairwise_distances(X)[np.triu_indices(80, 1)])
    assert [choice.kernel for choice in kernels(model)] == [
        "distance",
        "gaussian",
        "gaussian",
        "laplace",
        "laplace",
    ]
    assert [choice.width for choice in kernels(model)][1:] == pytest.approx(
        [median, 0.4] * 2, rel=0.01
    )
    expected = np.array(
        [
            [
                [
                    HilbertSVC(C=C, landmarks=landmarks, **choice._asdict())
                    .fit(X[known], y[known])
                    .score(X[left_out], y[left_out])
                    for C in GRID
                ]
                for choice in kernels(model)
            ]
            for known, left_out in StratifiedKFold(4, shuffle=True, random_state=7).split(X, y)
        ]
    )
    found = scores(model, len(GRID))
    tried = ~np.isnan(found)  # the others were out of the race
    np.testing.assert_allclose(found[tried], expected[tried])
    means = expected.mean(axis=0)
    assert (
        means.ravel()[model.best_index_]
        == pytest.approx(means.max())
        == pytest.approx(model.best_score_)
    )
    assert model.best_params_ == {
        name: getattr(model.best_estimator_, name) for name in ("C", "kernel", "width")
    }
    assert model.best_params_ == model.cv_results_["params"][model.best_index_]
    alone = HilbertSVC(**model.best_params_, landmarks=landmarks).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(model.certified_radius(X), alone.certified_radius(X))
    np.testing.assert_array_equal(model.hilbert_radius(X), alone.hilbert_radius(X))
    assert model.C_ == alone.C_
    assert model.explain(X[:2]) == alone.explain(X[:2])


def test_what_a_metric_promises_is_tried_unless_told_otherwise():
    X, y = moons(40)
    plain = HilbertSVCCV(cv=2, random_state=0).fit(X, y)
    assert scores(plain, 7).shape == (2, 4, 7)
    assert {choice.kernel for choice in kernels(plain)} == {"gaussian"}
    sets = HilbertSVCCV("jaccard", cv=2, random_state=0).fit(
        [set(name) for name in NAMES[:40]], SEXES[:40]
    )
    assert {choice.kernel for choice in kernels(sets)} == {"laplace"}
    words = HilbertSVCCV("levenshtein", cv=2, random_state=0, repair="clip", C=[1.0]).fit(
        NAMES[:40], SEXES[:40]
    )
    assert [choice.kernel for choice in kernels(words)] == ["gaussian"] * 4 + ["laplace"] * 4


def test_kernels_that_the_distance_does_not_allow_are_left_out():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settings = {
            "cv": 3,
            "random_state": 0,
            "C": [1.0],
            "width": ["100%", "20%"],
            "repair": "error",
        }
        model = HilbertSVCCV("levenshtein", **settings).fit(NAMES, SEXES)
    assert 0 < len(kernels(model)) < 4
    assert KernelChoice("gaussian", 7.0) not in kernels(model)
    with pytest.raises(InvalidInput, match="gives no valid kernel") as caught:
        HilbertSVCCV("levenshtein", cv=3, kernel="distance").fit(NAMES, SEXES)
    assert "repair='clip'" in str(caught.value)
    repaired = HilbertSVCCV("levenshtein", cv=3, kernel="distance", repair="clip", C=[1.0]).fit(
        NAMES, SEXES
    )
    assert kernels(repaired) == [("distance", "auto")]
    assert (repaired.certified_radius(NAMES) > 0).any()  # by the triangle inequality
    with pytest.raises(NotCertified, match="repaired"):
        repaired.best_estimator_.hilbert_radius(NAMES)


def test_where_no_repair_is_named_the_gaussian_and_the_laplace_kernel_take_part_and_are_clipped():
    settings = {"cv": 3, "random_state": 0, "C": [1.0, 10.0], "width": ["100%", "50%"]}
    plain = HilbertSVCCV("levenshtein", **settings).fit(NAMES, SEXES)
    clipped = HilbertSVCCV("levenshtein", repair="clip", **settings).fit(NAMES, SEXES)
    assert kernels(plain) == kernels(clipped)
    assert plain.best_params_ == clipped.best_params_
    assert plain.best_estimator_.kernel_report_.repair == "clip"
    np.testing.assert_array_equal(plain.predict(NAMES), clipped.predict(NAMES))
    np.testing.assert_array_equal(plain.certified_radius(NAMES), clipped.certified_radius(NAMES))
    with pytest.raises(NotCertified, match="repaired"):
        plain.best_estimator_.hilbert_radius(NAMES)


def test_where_no_repair_is_named_other_kernels_and_landmarks_are_refused():
    settings = {"cv": 3, "random_state": 0, "C": [1.0], "width": ["100%"]}
    model = HilbertSVCCV("levenshtein", kernel=["laplace"], **settings).fit(NAMES, SEXES)
    both = HilbertSVCCV("levenshtein", kernel=["distance", "laplace"], **settings).fit(NAMES, SEXES)
    assert kernels(both) == kernels(model)
    assert {choice.kernel for choice in kernels(both)} == {"laplace"}
    with pytest.raises(InvalidInput, match="gives no valid kernel"):
        HilbertSVCCV("levenshtein", kernel=["gaussian"], landmarks=60, **settings).fit(NAMES, SEXES)


@pytest.mark.few(1)
@pytest.mark.parametrize("precomputed", [False, True])
@pytest.mark.parametrize("repair", ["auto", "clip", "flip", "shift"])
def test_folds_measure_the_model_that_is_fitted(repair, precomputed):
    """The score of each candidate in each fold is that of a classifier with its parameters, fitted
    on the known objects.
    """
    names, kinds = np.array(NAMES, dtype=object), np.array([min(name[-1], "o") for name in NAMES])
    distances = wideberth.pairwise_distances(list(names), metric="levenshtein")
    folds = list(StratifiedKFold(3, shuffle=True, random_state=1).split(names, kinds))
    settings = {
        "C": [0.3, 3.0, 30.0],
        "width": [2.5, 7.0],
        "cv": folds,
        "tol": 1e-6,
        "scoring": "accuracy",
    }
    metric, given = ("precomputed", distances) if precomputed else ("levenshtein", list(names))
    with warnings.catch_warnings(action="ignore"):
        model = HilbertSVCCV(metric, repair=repair, **settings).fit(given, kinds)
        different, repaired = [], 0
        for place, params in enumerate(model.cv_results_["params"]):
            for number, (known, asked) in enumerate(folds):
                single = HilbertSVC(
                    metric, repair="clip" if repair == "auto" else repair, tol=1e-6, **params
                )
                rows = (
                    distances[np.ix_(part, known)] if precomputed else list(names[part])
                    for part in (known, asked)
                )
                learned, queries = rows
                answers = single.fit(learned, kinds[known]).predict(queries)
                score = model.cv_results_[f"split{number}_test_score"][
                    place
                ]  # nan once it was clearly behind
                different.append(abs(score - np.mean(answers == kinds[asked])) * len(asked))
                repaired += single.kernel_report_.repair is not None
    assert repaired > 0
    assert model.best_estimator_.kernel_report_.repair in (
        None,
        "clip" if repair == "auto" else repair,
    )
    # folds are solved to ten times the tolerance, in single precision: an object whose votes are
    # equal may differ
    assert np.nanmax(different) < 1.5
    assert np.nanmean(different) < 0.2


def test_where_no_repair_is_named_certificates_stay():
    sets = [frozenset(name) for name in NAMES[:40]]
    model = HilbertSVCCV("jaccard", cv=2, random_state=0, C=[1.0]).fit(sets, SEXES[:40])
    assert model.best_estimator_.kernel_report_.promised
    assert np.all(model.certified_radius(sets) >= 0)


def test_objects_a_space_and_a_matrix_agree_and_distances_are_shared():
    settings = {"C": GRID, "cv": 3, "random_state": 2, "repair": "clip", "width": ["100%", "50%"]}
    plain = HilbertSVCCV("levenshtein", **settings).fit(NAMES, SEXES)
    space = MetricSpace(NAMES, "levenshtein")
    indexed = HilbertSVCCV(space.metric, **settings).fit(space.index, SEXES)
    assert space.distance_calls <= len(NAMES) * (len(NAMES) - 1) // 2
    distances = wideberth.pairwise_distances(NAMES, None, "levenshtein")
    table = HilbertSVCCV("precomputed", **settings).fit(distances, SEXES)
    for other in (indexed, table):
        np.testing.assert_array_equal(scores(other, 3), scores(plain, 3))
        assert (other.best_index_, other.best_params_) == (plain.best_index_, plain.best_params_)
    new = ["ANNABEL", "TOBIAS", "JO"]
    np.testing.assert_allclose(
        plain.decision_function(new), indexed.decision_function(space.append(new)), atol=1e-9
    )
    calls = 0

    def distance(one, other):
        nonlocal calls
        calls += 1
        return float(abs(len(one) - len(other)) + (one[0] != other[0]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        HilbertSVCCV(distance, **settings, n_jobs=1).fit(NAMES[:40], SEXES[:40])
    assert calls <= 4 * 40**2, "choosing measures all distances once, and so does fitting the best"


def test_weights_count_and_probabilities_come_with_folds():
    X, y = moons(60)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    model = HilbertSVCCV(C=[1, 10], width="100%", cv=3, random_state=0, calibrate=3).fit(
        X, y, sample_weight=weights
    )
    assert model.predict_proba(X).shape == (60, 2)
    assert not hasattr(HilbertSVCCV(), "predict_proba")
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(thawed.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"C": []}, r"C=\[\] is not a list of values"),
        ({"C": 3.0}, "HilbertSVC takes a single one"),
        ({"kernel": []}, "no kernel to choose from"),
        ({"width": []}, "no kernel to choose from"),
        ({"kernel": ["cubic"]}, "kernel='cubic'"),
        ({"width": ["wide"]}, "width='wide'"),
        ({"repair": "glue"}, "repair='glue'"),
        ({"cv": 1}, "cv=1"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, problem):
    X, y = moons(20)
    with pytest.raises(InvalidInput, match=problem):
        HilbertSVCCV(**parameters).fit(X, y)

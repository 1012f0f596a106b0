"""Objects, a space of them, a matrix of their distances: the SVM on a metric learns the same from
each, and changes nothing.
"""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import wideberth
from wideberth import HilbertSVC, MetricSpace
from wideberth.classifiers.hilbert_svm.problem import first_at_zero
from wideberth.errors import BrokenAxiom, InvalidInput

NAMES, SEXES = (np.array(column[::60]) for column in wideberth.datasets.load_first_names())
#: Points in no order, some of them twice.
POINTS, LABELS = (
    np.concatenate([column, column[:10]]) for column in make_moons(80, noise=0.3, random_state=0)
)
MATRIX = wideberth.pairwise_distances(POINTS)


def promised(distances):
    return wideberth.metric("precomputed", distances=distances, hilbertian=True)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"kernel": "distance"},
        {"landmarks": 12},
        {"class_weight": "balanced"},
        {"C": np.inf, "width": "20%"},
        {"C": 300},
    ],
)
def test_a_space_of_vectors_is_as_good_as_the_vectors(options):
    space = MetricSpace(POINTS)
    some = np.random.default_rng(0).permutation(len(POINTS))[:60]
    for chosen in (np.arange(len(POINTS)), some):
        plain = HilbertSVC(**options).fit(POINTS[chosen], LABELS[chosen])
        known = HilbertSVC(space.metric, **options).fit(space.index[chosen], LABELS[chosen])
        np.testing.assert_array_equal(known.references_, plain.references_)
        np.testing.assert_array_equal(
            known.decision_function(space.index), plain.decision_function(POINTS)
        )
        np.testing.assert_array_equal(
            known.certified_radius(space.index), plain.certified_radius(POINTS)
        )


@pytest.mark.parametrize(
    "options",
    [{}, {"kernel": "distance"}, {"C": np.inf, "width": "20%"}, {"class_weight": "balanced"}],
)
def test_a_matrix_is_as_good_as_the_vectors_and_stays_as_it_is(options):
    matrix = MATRIX.copy()
    some = np.random.default_rng(0).permutation(len(POINTS))[:60]
    for chosen in (np.arange(len(POINTS)), some):
        plain = HilbertSVC(tol=1e-8, **options).fit(POINTS[chosen], LABELS[chosen])
        known = HilbertSVC(promised(matrix), tol=1e-8, **options).fit(chosen, LABELS[chosen])
        examined = HilbertSVC("precomputed", tol=1e-8, **options).fit(
            matrix[np.ix_(chosen, chosen)], LABELS[chosen]
        )
        expected = plain.decision_function(POINTS)
        np.testing.assert_allclose(
            known.decision_function(np.arange(len(POINTS))), expected, atol=1e-4
        )
        np.testing.assert_array_equal(
            known.decision_function(matrix), known.decision_function(np.arange(len(POINTS)))
        )
        np.testing.assert_allclose(
            examined.decision_function(matrix[:, chosen]), expected, atol=1e-4
        )
        np.testing.assert_array_equal(matrix, MATRIX)


@pytest.mark.parametrize(
    "options", [{"repair": "clip"}, {"repair": "shift"}, {"repair": "flip", "kernel": "distance"}]
)
def test_a_space_of_words_is_as_good_as_the_words(options):
    words, sexes = np.concatenate([NAMES, NAMES[:20]]), np.concatenate([SEXES, SEXES[:20]])
    space = MetricSpace(words, "levenshtein")
    plain = HilbertSVC("levenshtein", **options).fit(words, sexes)
    known = HilbertSVC(space.metric, **options).fit(space.index, sexes)
    np.testing.assert_array_equal(
        known.decision_function(space.index), plain.decision_function(words)
    )


@pytest.mark.parametrize("how", ["space", "matrix", "vectors"])
def test_small_caches_change_nothing(how, monkeypatch):
    metric, objects = {
        "space": lambda: (lambda space: (space.metric, space.index))(MetricSpace(POINTS)),
        "matrix": lambda: (promised(MATRIX), np.arange(len(POINTS))),
        "vectors": lambda: ("euclidean", POINTS),
    }[how]()
    classes = LABELS + (POINTS[:, 0] > 1)
    usual = HilbertSVC(metric).fit(objects, classes)
    expected = usual.decision_function(objects)
    monkeypatch.setattr("wideberth.classifiers.hilbert_svm.solving._AT_ONCE", 300)
    monkeypatch.setattr("wideberth.classifiers.hilbert_svm.kernel._AT_ONCE", 300)
    monkeypatch.setattr("wideberth.estimators.radial_expansions._IN_CACHE", 2000)
    monkeypatch.setattr("wideberth.estimators.radial_expansions._LOOKED_UP", 5000)
    np.testing.assert_array_equal(usual.decision_function(objects), expected)
    few = HilbertSVC(metric).fit(objects, classes)
    np.testing.assert_array_equal(few.decision_function(objects), expected)
    np.testing.assert_allclose(few.margin_, usual.margin_, rtol=1e-9)


def test_equal_objects_are_found_beyond_a_cache(monkeypatch):
    distances = wideberth.pairwise_distances(
        np.random.default_rng(0).integers(4, size=(60, 2)).astype(float)
    )
    expected = first_at_zero(distances)
    np.testing.assert_array_equal(expected, (distances == 0).argmax(axis=1))
    monkeypatch.setattr("wideberth.classifiers.hilbert_svm.solving._AT_ONCE", 1)
    np.testing.assert_array_equal(first_at_zero(distances), expected)


@pytest.mark.parametrize("missing", [np.nan, np.inf])
def test_promises_are_not_about_what_is_missing(missing):
    spoiled = MATRIX.copy()
    spoiled[3, 5] = spoiled[5, 3] = missing
    with pytest.raises(BrokenAxiom, match=r"is (nan|inf) between objects 3 and 5") as caught:
        HilbertSVC(promised(spoiled)).fit(np.arange(len(POINTS)), LABELS)
    assert caught.value.witness == (3, 5)
    queries = MATRIX[:2].copy()
    queries[0] = np.nan
    with pytest.raises(BrokenAxiom, match="is nan between"):
        HilbertSVC(promised(MATRIX)).fit(np.arange(len(POINTS)), LABELS).certified_radius(queries)


def test_what_is_missing_beyond_landmarks_is_found():
    spoiled = MATRIX.copy()
    landmarks = (
        HilbertSVC(promised(MATRIX), landmarks=5).fit(np.arange(80), LABELS[:80]).references_
    )
    other = next(row for row in range(80) if row not in landmarks)
    spoiled[other, landmarks[2]] = np.nan
    with pytest.raises(BrokenAxiom, match=f"is nan between objects {other} and {landmarks[2]}"):
        HilbertSVC(promised(spoiled), landmarks=5).fit(np.arange(80), LABELS[:80])


def test_squares_that_overflow_are_refused():
    with np.errstate(over="ignore"), pytest.raises(InvalidInput, match="overflow"):
        HilbertSVC(promised(1e200 * MATRIX), kernel="distance").fit(np.arange(len(POINTS)), LABELS)
    scaled = HilbertSVC(promised(1e200 * MATRIX)).fit(
        np.arange(len(POINTS)), LABELS
    )  # the other kernels need none
    plain = HilbertSVC(promised(MATRIX)).fit(np.arange(len(POINTS)), LABELS)
    np.testing.assert_allclose(
        scaled.decision_function(MATRIX * 1e200), plain.decision_function(MATRIX), atol=1e-6
    )

"""Kernels of a distance: the metrics that they induce, their inverses, their promises, and repairs
of their spectra.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices, vectors

import wideberth
from wideberth.classifiers.hilbert_svm.function import ClassPairs, certified_radii, scores_of_votes
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel, is_positive
from wideberth.classifiers.hilbert_svm.problem import first_at_zero
from wideberth.classifiers.hilbert_svm.solving import SpectralMap, squared_distances
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.shape.gram import Spectrum, centred

KERNELS = [
    HilbertKernel("distance"),
    *(HilbertKernel(name, 1.7) for name in ("gaussian", "laplace", "bounded")),
]
TEXTBOOK = {
    "distance": lambda t: -(t**2) / 2,
    "gaussian": lambda t: np.exp(-((t / 1.7) ** 2)),
    "laplace": lambda t: np.exp(-t / 1.7),
    "bounded": lambda t: -((t / (1.7 + t)) ** 2) / 2,
}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_the_induced_metric_is_that_of_the_kernel(kernel):
    distances = np.linspace(0, 9, 50)
    values = TEXTBOOK[kernel.name](distances)
    np.testing.assert_allclose(kernel.metric(distances) ** 2, 2 * (values[0] - values), atol=1e-12)
    np.testing.assert_allclose(
        kernel.values(distances), -(kernel.metric(distances) ** 2) / 2, atol=1e-12
    )
    np.testing.assert_allclose(kernel.inverse(kernel.metric(distances)), distances, rtol=1e-4)
    assert np.all(np.diff(kernel.metric(distances)) > 0)
    assert kernel.metric(distances).max() < kernel.supremum
    in_place = distances.copy()
    assert kernel.values(in_place, out=in_place) is in_place
    np.testing.assert_array_equal(in_place, kernel.values(distances))
    assert np.isnan(kernel.inverse(np.array([np.nan]))).all()
    assert np.isinf(kernel.inverse(np.array([kernel.supremum, 2 * kernel.supremum]))).all()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_short_distances_keep_their_digits(kernel):
    tiny = np.array([1e-9, 2e-9])
    ratio = kernel.metric(tiny)[1] / kernel.metric(tiny)[0]
    assert ratio == pytest.approx(np.sqrt(2) if kernel.name == "laplace" else 2, rel=1e-6)


@given(vectors(), st.sampled_from(KERNELS))
@settings(max_examples=40, deadline=None)
def test_what_a_kernel_needs_makes_it_positive(points, kernel):
    metric = "manhattan" if kernel.needs == "negative_type" else "euclidean"
    assert is_positive(
        centred(kernel.metric(wideberth.pairwise_distances(points, None, metric)) ** 2)
    )


@given(metric_matrices(), st.sampled_from(KERNELS))
@settings(max_examples=40, deadline=None)
def test_positive_means_no_negative_eigenvalue(distances, kernel):
    gram = centred(kernel.metric(distances) ** 2)
    spectrum = Spectrum.of(gram)
    if abs(spectrum.smallest) > 1e-6 * spectrum.largest:
        assert is_positive(gram) != spectrum.violated


@given(metric_matrices(), st.sampled_from(KERNELS), st.booleans())
@settings(max_examples=40, deadline=None)
def test_repaired_points_have_the_repaired_spectrum(distances, kernel, flip):
    values = kernel.values(distances)
    through = SpectralMap.of(values, flip=flip)
    points = through.coordinates(values)
    eigenvalues, axes = np.linalg.eigh(centred(-2 * values))
    repaired = (axes * (abs(eigenvalues) if flip else np.maximum(eigenvalues, 0))) @ axes.T
    np.testing.assert_allclose(
        points @ points.T, repaired, atol=1e-6 * max(1, abs(eigenvalues).max())
    )
    weights = np.random.default_rng(0).normal(size=(2, points.shape[1]))
    coefficients, constants = through.expanded(weights)
    np.testing.assert_allclose(values @ coefficients.T + constants, points @ weights.T, atol=1e-6)
    np.testing.assert_allclose(
        coefficients.sum(axis=1), 0, atol=1e-9 * (1 + abs(coefficients).max())
    )


def test_a_jump_adds_to_the_diagonal():
    distances = np.array([[0.0, 1.0], [1.0, 0.0]])
    plain, jumping = HilbertKernel("gaussian", 1.0), HilbertKernel("gaussian", 1.0, jump=0.3)
    added = jumping.values(distances) - plain.values(distances)
    np.testing.assert_allclose(added - added[0, 1], 0.3 * np.eye(2), atol=1e-12)
    np.testing.assert_allclose(
        squared_distances(jumping.values(distances)),
        squared_distances(plain.values(distances)) + 0.6 * (1 - np.eye(2)),
    )


@given(metric_matrices())
@settings(max_examples=40, deadline=None)
def test_equal_objects_are_found_in_a_matrix(distances):
    groups = group_equal(
        np.arange(len(distances)), wideberth.metric("precomputed", distances=distances)
    )
    np.testing.assert_array_equal(first_at_zero(distances), groups.representatives[groups.group_of])


def test_equality_that_is_none_is_decided_in_order():
    chain = np.array(
        [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    )  # 0 = 1 and 1 = 2, but not 0 = 2
    assert first_at_zero(chain).tolist() == [0, 0, 2]


# ---- votes ----


def votes_by_hand(row, n_classes):
    votes = np.zeros(n_classes, dtype=int)
    for value, first, second in zip(row, *ClassPairs.of(n_classes), strict=True):
        votes[second if value >= 0 else first] += 1
    return votes


@given(st.integers(3, 5), st.data())
@settings(max_examples=60, deadline=None)
def test_the_first_class_with_most_votes_wins(n_classes, data):
    count = n_classes * (n_classes - 1) // 2
    row = np.array(
        data.draw(
            st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0]), min_size=count, max_size=count)
        )
    )
    scores = scores_of_votes(row[None], n_classes)[0]
    votes = votes_by_hand(row, n_classes)
    assert scores.argmax() == votes.argmax()
    for one, other in zip(*np.nonzero(votes[:, None] > votes), strict=True):
        assert scores[one] > scores[other]


@given(st.integers(2, 5), st.data())
@settings(max_examples=100, deadline=None)
def test_no_change_below_the_radius_changes_the_winner(n_classes, data):
    count = n_classes * (n_classes - 1) // 2
    numbers = st.lists(st.floats(-3, 3), min_size=count, max_size=count)
    row, moves = np.array(data.draw(numbers)), np.array(data.draw(numbers))
    slopes = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=count, max_size=count))
    )
    (radius,) = certified_radii(row[None], slopes, np.zeros((1, count)), n_classes)
    reach = min(radius, 100.0) * 0.999
    moved = row + np.clip(moves, -1, 1) * slopes * reach
    if radius > 1e-9:
        before, after = (
            scores_of_votes(values[None], n_classes)[0].argmax() for values in (row, moved)
        )
        assert before == after


def test_errors_make_radii_smaller():
    row, slopes = np.array([[2.0]]), np.array([4.0])
    assert certified_radii(row, slopes, np.array([[0.4]]), 2)[0] == pytest.approx(0.4)
    assert certified_radii(row, slopes, np.array([[3.6]]), 2)[0] == 0
    assert np.isinf(certified_radii(np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1)), 2)[0])

"""Repairs are tested to work: after one, the same examination finds nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import metric_matrices

import wideberth
from wideberth.doctor import repair
from wideberth.doctor.repairs import REPAIRS, additive_constant, cap_level, closure
from wideberth.errors import BrokenAxiom, InvalidInput, UnknownName
from wideberth.metrics.axioms import find_violations


@st.composite
def dissimilarities(draw, smallest=1):
    n = draw(st.integers(3, 7))
    values = draw(
        st.lists(st.integers(smallest, 40), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)
    )
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = values
    return matrix + matrix.T


@pytest.mark.parametrize("name", ["closure", "additive_constant", "cap", "spectrum_clip"])
@given(dissimilarities())
@settings(max_examples=40, deadline=None)
def test_repairs_mend_every_dissimilarity(name, matrix):
    assert find_violations(repair(matrix, name)) == []


@given(dissimilarities(smallest=0))
@settings(max_examples=60, deadline=None)
def test_a_repair_mends_or_says_that_it_does_not(matrix):
    for name in REPAIRS:
        try:
            mended = repair(matrix, name)
        except InvalidInput:
            assert name != "closure"
        else:
            assert find_violations(mended) == []


@given(metric_matrices())
@settings(max_examples=40, deadline=None)
def test_what_is_whole_stays_as_it_is(matrix):
    for name in ("closure", "additive_constant", "cap"):
        np.testing.assert_allclose(repair(matrix, name), matrix, rtol=1e-12)


@given(dissimilarities(smallest=0))
@settings(max_examples=40, deadline=None)
def test_the_closure_is_the_largest_metric_below(matrix):
    slow = matrix.copy()
    for _ in range(len(matrix)):
        slow = np.minimum(slow, (slow[:, :, None] + slow[None, :, :]).min(axis=1))
    np.testing.assert_allclose(closure(matrix), slow)


def test_square_root_and_clip_bring_points_back():
    points = np.random.default_rng(1).normal(size=(30, 3))
    distances = wideberth.pairwise_distances(points, None, "euclidean")
    np.testing.assert_allclose(repair(distances**2, "square_root"), distances, rtol=1e-12)
    np.testing.assert_allclose(repair(distances, "spectrum_clip"), distances, rtol=1e-6)
    mended = wideberth.diagnose(repair(distances**2, "spectrum_clip"), "precomputed")
    assert not mended.spectrum[0].violated


def test_the_constant_and_the_level_are_the_smallest_and_the_largest_that_work():
    matrix = np.array([[0.0, 10.0, 2.0], [10.0, 0.0, 3.0], [2.0, 3.0, 0.0]])
    assert additive_constant(matrix)[0, 2] == 2 + 5
    assert cap_level(matrix) == 5


def test_both_directions_are_averaged():
    assert repair([[0, 1], [3, 0]], "closure").tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    ("matrix", "method", "error", "message"),
    [
        (
            [[0, 1, 100], [1, 0, 1], [100, 1, 0]],
            "square_root",
            BrokenAxiom,
            "does not mend this matrix.*'closure' mends every",
        ),
        ([[0, 0, 1], [0, 0, 0], [1, 0, 0]], "cap", InvalidInput, "all distances 0"),
        ([[0, np.nan], [np.nan, 0]], "closure", InvalidInput, "objects 0 and 1 is nan"),
        ([[0, -1], [-1, 0]], "closure", InvalidInput, "is -1.0: no repair"),
        ([[0, 1], [1, 0]], "glue", UnknownName, "Known: square_root"),
        ([[0, 1]], "closure", InvalidInput, "square"),
    ],
)
def test_what_cannot_be_repaired_is_said(matrix, method, error, message):
    with pytest.raises(error, match=message):
        repair(matrix, method)


def test_repairs_say_how_far_they_stretch():
    squares = [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    offers = {offer.name: offer for offer in wideberth.diagnose(squares, "precomputed").repairs}
    root = offers["square_root"]
    assert (root.lower, root.upper, root.distortion, root.local_distortion) == (0.5, 1.0, 2.0, 2.0)
    assert (offers["additive_constant"].lower, offers["additive_constant"].upper) == (1.5, 3.0)
    assert "by factors from 0.5 to 1" in str(wideberth.diagnose(squares, "precomputed"))

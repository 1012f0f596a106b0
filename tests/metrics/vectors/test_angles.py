"""Angles between vectors and between places: accurate at every scale, lawful, clear about what they
refuse.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.vectors import angular, haversine
from sklearn.metrics.pairwise import haversine_distances
from strategies import objects_of, places

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.vectors.angles import Angular, Haversine

#: Around the dateline, across the pole, opposite each other, and the same.
PLACES = np.array(
    [[0.1, 3.1], [0.1, -3.1], [1.5, 0.0], [1.5, 3.0], [-0.1, 0.04], [0.1, 3.1], [-1.5, 2.0]]
)

COMPASS, EQUATOR = Angular.counterexamples["hilbertian"], Haversine.counterexamples["hilbertian"]


@pytest.mark.kernels
def test_blocks_equal_their_definitions():
    vectors = [[1.0, 2.0], [-3.0, 0.5], [0.0, -1.0]]
    expected = [[angular(one, other) for other in COMPASS] for one in vectors]
    np.testing.assert_allclose(Angular().block(vectors, COMPASS), expected, atol=1e-12)
    expected = [[haversine(one, other) for other in PLACES] for one in PLACES]
    np.testing.assert_allclose(
        Haversine().block(PLACES, PLACES), expected, atol=2e-8
    )  # acos near 1 is worse than ours
    near = PLACES + np.array([0, 1e-5])
    np.testing.assert_allclose(
        Haversine().block(PLACES, near), haversine_distances(PLACES, near), atol=1e-8
    )


@given(rows=objects_of["angular"], other=objects_of["angular"])
@settings(deadline=None, max_examples=40)
def test_random_angles_equal_the_definition(rows, other):
    other = other[:, : rows.shape[1]] if other.shape[1] >= rows.shape[1] else rows[:1]
    other = other[other.any(axis=1)]
    expected = np.array([[angular(x, y) for y in other] for x in rows]).reshape(
        len(rows), len(other)
    )
    np.testing.assert_allclose(Angular().block(rows, other), expected, atol=3e-8)
    np.testing.assert_allclose(Angular().block(rows * 1e-3, other * 0.37), expected, atol=3e-8)


@given(points=places())
@settings(deadline=None, max_examples=60)
def test_places_equal_scikit_learns(points):
    distances = Haversine(radius=2).block(points, points)
    np.testing.assert_allclose(
        distances, 2 * haversine_distances(points, points), rtol=1e-9, atol=5e-8
    )
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diag(distances), 0)


@pytest.mark.parametrize("exponent", range(0, 150, 3))
def test_tiny_angles_keep_all_their_digits(exponent):
    tiny = 10.0**-exponent
    assert Angular()([1.0, 0.0], [1.0, tiny]) == pytest.approx(math.atan(tiny), rel=1e-15)
    assert Angular()([-1.0, 0.0], [1.0, tiny]) == pytest.approx(
        math.pi - math.atan(tiny), rel=1e-15
    )
    assert Haversine()([tiny, 0.5], [0.0, 0.5]) == pytest.approx(tiny, rel=1e-14)
    assert Haversine()([0.0, tiny], [0.0, 0.0]) == pytest.approx(tiny, rel=1e-14)


def test_neighbours_across_the_dateline_keep_their_digits():
    """In exact arithmetic on a circle of circumference 2 pi."""
    east, west = math.pi - 1e-9, -math.pi + 3e-9
    gap = 2 * Fraction(math.pi) - (Fraction(east) - Fraction(west))
    for shift in (0, 2 * math.pi):
        assert Haversine()([0.0, east], [0.0, west + shift]) == pytest.approx(
            float(gap), rel=1e-6 if shift else 1e-13
        )
    assert Haversine()([0.3, 0.0], [0.3, 2 * math.pi]) == 0
    assert Haversine()([0.3, -math.pi], [0.3, math.pi]) == 0


def test_opposite_places_are_half_a_turn_apart():
    for latitude in np.linspace(-1.5, 1.5, 7):
        for tiny in (0.0, 1e-12, 1e-9, 1e-6):
            assert Haversine()([latitude, 0.2], [tiny - latitude, 0.2 - math.pi]) == pytest.approx(
                math.pi - tiny, abs=1e-15
            )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_lengths_that_overflow_do_not_matter(scale):
    rows = np.array([[3.0, 4.0], [4.0, -3.0]])
    np.testing.assert_allclose(
        Angular().block(rows * scale, rows), Angular().block(rows, rows), rtol=1e-15
    )


def test_rows_and_blocks_give_the_same_bits():
    rows = np.random.default_rng(0).normal(size=(30, 17))
    whole = Angular().block(rows, rows)
    np.testing.assert_array_equal(
        np.vstack([Angular().block(rows[i : i + 1], rows) for i in range(30)]), whole
    )
    np.testing.assert_array_equal(Angular().block(np.asfortranarray(rows), rows), whole)
    np.testing.assert_array_equal(whole, whole.T)


@pytest.mark.parametrize(
    ("metric", "quarters"), [(Angular(), COMPASS), (Haversine(), EQUATOR)], ids=repr
)
def test_opposite_objects_have_two_midpoints(metric, quarters):
    """So they do not embed in a Hilbert space, but their square roots do."""
    found = wideberth.diagnose(quarters, metric)
    assert {fact.promise: fact.violated for fact in found.spectrum} == {
        "hilbertian": True,
        "negative_type": False,
    }
    assert found.broken_promises == ()


@given(points=places())
@settings(deadline=None, max_examples=20)
def test_places_are_angles_of_vectors(points):
    latitude, longitude = points.T
    vectors = np.column_stack(
        [
            np.cos(latitude) * np.cos(longitude),
            np.cos(latitude) * np.sin(longitude),
            np.sin(latitude),
        ]
    )
    np.testing.assert_allclose(
        Haversine().block(points, points), Angular().block(vectors, vectors), atol=1e-14
    )


def test_zero_vectors_are_refused_by_their_index():
    rows = np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    with pytest.raises(InvalidInput, match=r"Object 1 is the zero vector.*\(2 such\)") as refused:
        wideberth.metric("angular").block(rows, rows)
    assert refused.value.witness == 1
    assert Angular().block(rows[rows.any(axis=1)], rows[:1]).tolist() == [[0.0]]


DEGREES = np.array([[48.86, 2.35], [35.68, 139.65]])


@pytest.mark.parametrize(
    ("rows", "message", "mended"),
    [
        (
            DEGREES,
            r"Object 0 has the latitude 48.86, outside \[-pi/2, pi/2\]\. They look like degrees",
            np.radians(DEGREES),
        ),
        (
            np.radians(DEGREES)[:, ::-1],
            r"Object 1 has the latitude 2.43735.*swap the columns",
            np.radians(DEGREES),
        ),
        (
            DEGREES[:, ::-1],
            r"latitude 139.65.*numpy.radians\(rows\[:, ::-1\]\)",
            np.radians(DEGREES),
        ),
        (
            [[1.35, 103.82]],
            r"Object 0 has the longitude 103.82, outside \[-2 pi, 2 pi\].*radians",
            np.radians([[1.35, 103.82]]),
        ),
        ([[0.0, 7.0]], r"longitude % \(2 \* numpy.pi\)", [[0.0, 7.0 % (2 * np.pi)]]),
        ([[0.0, 1.0, 2.0]], r"these have 3 numbers\. Keep the two columns", [[0.0, 1.0]]),
    ],
)
def test_what_cannot_be_radians_is_refused_and_the_advice_works(rows, message, mended):
    with pytest.raises(InvalidInput, match=message):
        Haversine().prepare(rows)
    assert len(Haversine().prepare(mended))


def test_kilometres_on_the_earth():
    paris, tokyo = np.radians(DEGREES)
    assert Haversine(radius=6371)(paris, tokyo) == pytest.approx(6371 * haversine(paris, tokyo))
    assert Haversine().prepare(np.empty((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("radius", [0, -1.0, math.nan, math.inf, "6371", None])
def test_the_radius_is_positive(radius):
    with pytest.raises(InvalidInput, match="radius of 'haversine' must be a positive number"):
        Haversine(radius=radius)


@given(scale=st.floats(0.01, 100))
@settings(deadline=None, max_examples=10)
def test_the_radius_scales(scale):
    np.testing.assert_allclose(
        Haversine(scale).block(PLACES, PLACES),
        scale * Haversine().block(PLACES, PLACES),
        rtol=1e-15,
    )

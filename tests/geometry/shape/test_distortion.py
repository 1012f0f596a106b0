"""Bi-Lipschitz constants and local distortion: HBS, section 2.1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.geometry import embeddings as oracle
from strategies import metric_matrices

from wideberth.errors import InvalidInput
from wideberth.geometry.shape.distortion import distortion


@given(
    metric_matrices(max_size=12),
    st.sampled_from([np.sqrt, lambda t: t / (1 + t), lambda t: np.minimum(t, 2), lambda t: t**2]),
)
@settings(max_examples=60, deadline=None)
def test_it_equals_the_definition_pair_by_pair(distances, change):
    changed = change(distances)
    found = distortion(distances, changed)
    assert (found.lower, found.upper, found.local) == pytest.approx(
        oracle.distortion(distances, changed)
    )
    assert found.pairs == np.count_nonzero(np.triu(distances))
    for pair, factor in ((found.lower_pair, found.lower), (found.upper_pair, found.upper)):
        if pair is not None:
            assert changed[pair] == pytest.approx(factor * distances[pair])
    assert found.bilipschitz >= 1
    assert found.total >= max(1, found.local, found.local_median) - 1e-12


@given(metric_matrices(), st.permutations(range(3)), st.floats(0.1, 10))
@settings(max_examples=30, deadline=None)
def test_order_and_scale_do_not_matter(distances, first_three, scale):
    order = np.array([*first_three, *range(3, len(distances))])
    square = np.ix_(order, order)
    one, other = (
        distortion(distances, np.sqrt(distances)),
        distortion(distances[square], scale * np.sqrt(distances[square])),
    )
    assert scale * one.upper == pytest.approx(other.upper)
    assert one.total == pytest.approx(other.total)
    assert (one.local, one.local_median) == pytest.approx((other.local, other.local_median))


def test_only_neighbours_count_locally():
    """Distances up to 1 are kept, the long ones are cut: a local isometry, but for the objects that
    have no near neighbours.
    """
    places = np.concatenate([np.linspace(0, 1, 8), 100 + np.linspace(0, 1, 8)])
    distances = np.abs(places[:, None] - places)
    found = distortion(distances, np.minimum(distances, 1.0))
    assert found.local == found.local_median == 1.0
    assert found.lower == pytest.approx(1 / 101)
    assert found.lower_pair == (0, 15)
    moved = found.at(np.arange(16) * 10)
    assert moved.lower_pair == (0, 150)
    assert moved.local_object == found.local_object * 10


def test_objects_that_fall_together_or_are_torn_apart():
    line = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    fallen = line * np.array([[1, 0, 1], [0, 1, 1], [1, 1, 1]])
    found = distortion(line, fallen)
    assert (found.lower, found.lower_pair, found.bilipschitz, found.total, found.local) == (
        0,
        (0, 1),
        np.inf,
        np.inf,
        np.inf,
    )
    torn = distortion(fallen, line)
    assert (torn.upper, torn.upper_pair, torn.bilipschitz, torn.local) == (
        np.inf,
        (0, 1),
        np.inf,
        np.inf,
    )
    rounded = distortion(fallen, fallen + 1e-12)
    assert rounded.bilipschitz == pytest.approx(1)


def test_without_two_places_there_is_nothing_to_distort():
    for matrix in (np.zeros((1, 1)), np.zeros((3, 3))):
        found = distortion(matrix, matrix)
        assert (found.lower, found.upper, found.local, found.pairs) == (1, 1, 1, 0)
        assert found.lower_pair is found.upper_pair is found.local_object is None
        assert found.at([7, 8, 9]).lower_pair is None
    far = np.array([[0.0, np.inf], [np.inf, 0.0]])
    assert distortion(far, 1 - np.eye(2)).pairs == 0


def test_matrices_of_different_objects_are_refused():
    with pytest.raises(InvalidInput, match=r"shapes \(2, 2\) and \(3, 3\).*same objects") as error:
        distortion(np.zeros((2, 2)), np.zeros((3, 3)))
    assert error.value.value == ((2, 2), (3, 3))

"""Bounds of covering and packing numbers hold, and nothing is claimed that was not proved."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.geometry.nets import covering_number, packing_number
from strategies import metric_matrices

import wideberth
from wideberth.papers.dimension import packing_curve

fast = settings(deadline=None, max_examples=40)


@fast
@given(
    metric_matrices(max_size=7),
    st.sampled_from([0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 6.0]),
    st.sampled_from([None, 3]),
)
def test_the_numbers_lie_between_their_bounds(distances, scale, count):
    metric = wideberth.metric("precomputed", distances=distances, obeys_triangle=True)
    curve = packing_curve(np.arange(len(distances)), metric, count=count)
    lower, upper = curve.covering_bounds(scale)
    assert lower <= covering_number(distances, scale) <= upper
    lower, upper = curve.packing_bounds(scale)
    assert lower <= packing_number(distances, scale) <= upper


@fast
@given(metric_matrices(max_size=7))
def test_each_prefix_certifies_what_the_curve_says(distances):
    curve = packing_curve(
        np.arange(len(distances)), wideberth.metric("precomputed", distances=distances)
    )
    assert curve.sizes.tolist() == list(range(1, len(curve.sizes) + 1))
    assert curve.separations[0] == np.inf
    assert curve.covering_radii[-1] == 0.0
    assert (np.diff(curve.covering_radii) <= 0).all()


def test_without_the_triangle_inequality_only_trivial_bounds_are_left():
    squared = (np.arange(5.0)[:, None] - np.arange(5.0)) ** 2
    curve = packing_curve(np.arange(5), wideberth.metric("precomputed", distances=squared))
    assert curve.covering_bounds(0.1) == (1, 5)
    assert curve.packing_bounds(1.0) == (5, 5)
    assert curve.packing_bounds(16.0) == (2, 5)


def test_a_short_traversal_bounds_by_all_objects():
    curve = packing_curve(np.arange(10.0).reshape(-1, 1), count=3)
    assert curve.covering_bounds(0.1)[1] == 10
    assert curve.distance_calls >= 10

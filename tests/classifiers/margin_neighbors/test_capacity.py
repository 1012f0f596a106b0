"""Capacities by cells: never below the true complexity, whatever the Lipschitz constant."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds.bounds import rademacher_of_two_classes
from strategies import metric_matrices

from wideberth.bounds.margin import quantised_rademacher
from wideberth.classifiers.margin_neighbors.quantisation import (
    quantise,
    quantised_capacity,
)

slopes = st.sampled_from([0.01, 0.1, 0.37, 1.0, 4.0])


@settings(deadline=None, max_examples=12)
@given(metric_matrices(min_size=4, max_size=4), slopes)
def test_it_is_above_the_true_complexity(distances, slope):
    codes = np.arange(len(distances)) % 2
    true = rademacher_of_two_classes(distances, codes, slope)
    assert (
        true
        <= quantised_capacity(distances, codes, "precomputed", count=len(distances))(slope) + 1e-9
    )


@settings(deadline=None, max_examples=40)
@given(metric_matrices(max_size=9), slopes)
def test_it_is_the_smallest_bound_over_the_numbers_of_centres(distances, slope):
    labels = np.arange(len(distances)) % 3
    capacity = quantised_capacity(
        distances, labels, "precomputed", count=9
    )  # up to 9 centres no number is left out
    found = quantise(distances, labels, "precomputed", count=9)
    sizes = range(1, len(found) + 1)
    assert capacity.sizes.tolist() == list(sizes)
    tables = zip(found.displacements, found.counts(sizes), strict=True)
    bounds = [quantised_rademacher(displacement, counts, slope) for displacement, counts in tables]
    assert capacity(slope) == pytest.approx(min(bounds))
    assert bounds[capacity.centres(slope) - 1] == pytest.approx(min(bounds))


def test_units_do_not_matter():
    points, labels = np.random.default_rng(0).random((300, 3)), np.arange(300) % 2
    ours, scaled = quantised_capacity(points, labels), quantised_capacity(0.37 * points, labels)
    for slope in (0.1, 0.5, 2.0):
        assert ours(slope) == pytest.approx(scaled(slope / 0.37))


def test_it_grows_with_the_slope_and_falls_with_the_sample():
    generator = np.random.default_rng(0)
    points, labels = generator.random((2000, 2)), generator.integers(0, 2, 2000)
    large, small = (
        quantised_capacity(points, labels),
        quantised_capacity(points[:200], labels[:200]),
    )
    assert len(large.sizes) < 100
    assert large.sizes[-1] == 1000
    assert (np.diff(large.displacements) <= 0).all()
    for slope in (0.5, 2.0, 8.0):
        assert large(slope) < small(slope) <= small(2 * slope)
        assert large.centres(slope) <= large.centres(2 * slope)
    assert (large(1e9), large(0.0), large.centres(0.0)) == (1.0, large.noises[0], 1)

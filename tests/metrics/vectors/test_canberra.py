"""Canberra distance: equal to its definition, of negative type although not Hilbertian."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.metrics.vectors import canberra
from strategies import vectors

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.vectors.minkowski import Canberra


@given(rows=vectors())
@settings(deadline=None, max_examples=50)
def test_blocks_equal_the_definition(rows):
    rows = np.concatenate([rows, np.zeros_like(rows[:1])])  # 0/0 = 0
    distances = Canberra().block(rows, rows)
    np.testing.assert_allclose(
        distances,
        [[canberra(one, other) for other in rows] for one in rows],
        rtol=1e-12,
        atol=1e-15,
    )
    np.testing.assert_array_equal(distances, distances.T)


def test_numbers_of_one_sign_are_a_transform_of_their_logarithms():
    """The step of the proof that it is of negative type."""
    for one, other in ((0.1, 7.0), (-3.0, -3.5), (1e-8, 1e8)):
        assert Canberra()([one], [other]) == pytest.approx(
            math.tanh(abs(math.log(one / other)) / 2), rel=1e-14
        )
    assert Canberra()([0.0], [1e-300]) == Canberra()([-1.0], [5.0]) == 1


def test_two_midpoints_show_that_it_is_not_hilbertian():
    corner, one, other, opposite = [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert (
        Canberra()(corner, opposite)
        == 2 * Canberra()(corner, one)
        == 2 * Canberra()(other, opposite)
    )
    found = wideberth.diagnose([corner, one, other, opposite], "canberra")
    assert [(fact.promise, fact.violated) for fact in found.spectrum] == [
        ("hilbertian", True),
        ("negative_type", False),
    ]


def test_series_of_unequal_lengths_are_sent_to_elastic_distances():
    series = [[1.0, 2.0, 3.0], [1.0, 2.0]]
    with pytest.raises(
        InvalidInput, match=r"unequal lengths choose an elastic distance: 'msm', 'erp' or 'twe'"
    ):
        wideberth.metric("euclidean").block(series, series)
    for name in ("msm", "erp", "twe"):
        assert wideberth.metric(name).block(series, series).shape == (2, 2)

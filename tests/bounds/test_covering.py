"""Covering numbers of spaces and entropies of the margin functions on them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideberth.bounds.covering import covering_number, external_entropy, lemma_2_entropy

SCALES = st.floats(1e-6, 1)
CONSTANTS = st.floats(0.01, 100)
DIMENSIONS = st.floats(0.1, 50)
CLASSES = st.integers(2, 10_000)


@given(st.floats(1e-3, 2))
def test_an_interval_needs_no_more(radius):
    """The interval [0, 1] has doubling dimension 1, and 1 / (2 r) balls, rounded up, cover it."""
    assert math.ceil(1 / (2 * radius)) <= covering_number(radius, 1.0)


def test_one_ball_is_the_least():
    assert covering_number(1.0, 7.0) == covering_number(5.0, 7.0) == 1.0


def test_numbers_beyond_floats_are_infinite():
    assert covering_number(1e-6, 1000.0) == math.inf
    assert lemma_2_entropy(1e-6, 1e6, 1000.0, 2) == external_entropy(1e-6, 1e6, 1000.0, 2) == math.inf


@given(SCALES, CONSTANTS, DIMENSIONS, CLASSES)
def test_the_external_cover_is_no_larger_than_that_of_lemma_2(eps, L, D, k):
    assert external_entropy(eps, L, D, k) <= lemma_2_entropy(eps, L, D, k)


@pytest.mark.parametrize("entropy", [lemma_2_entropy, external_entropy])
@given(eps=SCALES, L=CONSTANTS, D=DIMENSIONS, k=CLASSES)
def test_entropy_grows_with_all_but_the_scale(entropy, eps, L, D, k):
    value = entropy(eps, L, D, k)
    assert value >= math.log(k)
    assert entropy(0.9 * eps, L, D, k) >= value
    assert entropy(eps, 1.1 * L, D, k) >= value
    assert entropy(eps, L, D + 1, k) >= value
    assert entropy(eps, L, D, k + 1) >= value


def test_an_even_split_saves_four_to_the_dimension():
    ratio = lemma_2_entropy(0.01, 1.0, 3.0, 10) / external_entropy(0.01, 1.0, 3.0, 10)
    assert ratio > 4**3

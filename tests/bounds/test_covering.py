"""Covering numbers of spaces and entropies of the margin functions on them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wideberth.bounds.margin import covering_number, external_entropy
from wideberth.papers.margin_bounds import (
    connected_entropy,
    lemma_2_entropy,
    lemma_3_entropy,
    perturbed_entropy,
)

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
    assert (
        lemma_2_entropy(1e-6, 1e6, 1000.0, 2) == external_entropy(1e-6, 1e6, 1000.0, 2) == math.inf
    )


@given(SCALES, CONSTANTS, DIMENSIONS, CLASSES)
def test_the_external_cover_is_no_larger_than_that_of_lemma_2(eps, L, D, k):
    assert external_entropy(eps, L, D, k) <= lemma_2_entropy(eps, L, D, k)


@given(SCALES, CONSTANTS, st.floats(0.1, 3), CLASSES)
def test_the_external_cover_is_the_best_split_of_its_formula(eps, L, D, k):
    """Cells of radius r and values rounded to q: of the splits L r + q / 2 = eps that give each
    at least 5 %, the best one, almost.
    """
    best = min(
        (1.0 if r >= 1 else (2 / r) ** D) * math.log(k * math.ceil(1 / q) + 1)
        for part in range(50, 951)
        for r, q in [(part / 1000 * eps / L, 2 * (1 - part / 1000) * eps)]
    )
    # a step of the numbers of balls and of values may lie between two splits that are tried
    assert best / 1.01 <= external_entropy(eps, L, D, k) <= 2 * 2**D * best


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_external_cover_of_one_cell_has_the_hub_and_all_arms(k):
    """Rounded to 1 there are the hub and the ends of the arms, rounded to 1/2 their middles too."""
    assert external_entropy(1.0, 0.05, 7.0, k) == pytest.approx(math.log(k + 1))
    assert external_entropy(0.45, 0.01, 7.0, k) == pytest.approx(math.log(2 * k + 1))


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


@given(SCALES, CONSTANTS, DIMENSIONS, CLASSES)
def test_a_connected_space_has_fewer_functions(eps, L, D, k):
    printed = lemma_3_entropy(eps, L, D, k)
    assert (
        connected_entropy(eps, L, D, k)
        <= connected_entropy(eps / 2, L, D, k)
        <= printed * (1 + 1e-12)
    )
    assert lemma_3_entropy(eps, 1.1 * L, D, k) >= printed
    assert lemma_3_entropy(eps, L, D, k + 1) >= printed


def test_lemma_3_by_hand():
    assert lemma_3_entropy(0.5, 1.0, 1.0, 2) == pytest.approx(math.log(17) + 31 * math.log(5))
    assert connected_entropy(0.5, 1.0, 1.0, 2) == pytest.approx(math.log(5) + 7 * math.log(3))


def test_lemma_3_has_no_logarithm_of_the_scale_in_each_ball():
    by_scale = [
        lemma_2_entropy(eps, 1.0, 2.0, 2) / lemma_3_entropy(eps, 1.0, 2.0, 2)
        for eps in (0.1, 0.001)
    ]
    assert by_scale[1] > 1.5 * by_scale[0]


@pytest.mark.parametrize("entropy", [lemma_2_entropy, external_entropy, connected_entropy])
def test_perturbed_functions_take_the_rest_of_the_scale(entropy):
    """Lemma 6."""
    assert perturbed_entropy(0.5, 2.0, 1.5, 3, eta=0.1, entropy=entropy) == entropy(
        0.3, 2.0, 1.5, 3
    )
    assert perturbed_entropy(0.5, 2.0, 1.5, 3, eta=0.0, entropy=entropy) == entropy(
        0.5, 2.0, 1.5, 3
    )
    assert perturbed_entropy(0.2, 2.0, 1.5, 3, eta=0.1, entropy=entropy) == math.inf

"""Capacities of a sample: what the definitions say, and limits that hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds.bounds import rademacher_of_two_classes
from oracles.geometry.nets import covering_number
from oracles.papers import capacities as oracle
from oracles.papers.transport import transport_cost
from strategies import hilbertian_matrices, metric_matrices, vectors

import wideberth
from wideberth.errors import BrokenAxiom, InvalidInput
from wideberth.papers import measured_capacities
from wideberth.papers.capacities import kuratowski_floor, tree_rademacher
from wideberth.papers.dimension import covering_numbers
from wideberth.papers.measured_capacities import (
    hilbert_capacity,
    kuratowski_capacity,
    lipschitz_capacity,
    maximum_discrepancy,
)

MEASURES = [lipschitz_capacity, kuratowski_capacity, hilbert_capacity]
heights = st.sampled_from([0.1, 0.37, 1.0, 2.5, 9.0])
POINTS = np.random.default_rng(0).random((60, 2))


def lipschitz_average(distances, height):
    """By a linear program for each sign vector: all objects of one class, and functions that are 1
    / height times as large.
    """
    return height * rademacher_of_two_classes(
        distances, np.zeros(len(distances), dtype=int), 1 / height
    )


@settings(deadline=None, max_examples=15)
@given(metric_matrices(min_size=3, max_size=4), heights)
def test_the_lipschitz_ball_is_that_of_the_linear_program(distances, height):
    found = lipschitz_capacity(distances, "precomputed", height=height)
    assert (
        found.value
        == found.low
        == found.high
        == pytest.approx(lipschitz_average(distances, height), abs=1e-8)
    )
    assert found.confidence is None
    assert lipschitz_capacity(distances, "precomputed").value == pytest.approx(
        lipschitz_average(distances, float(distances.max())), abs=1e-8
    )


@settings(deadline=None, max_examples=15)
@given(metric_matrices(min_size=5, max_size=6), heights, st.integers(1, 6))
def test_centres_bring_limits_that_hold_without_chance(distances, height, centres):
    true = lipschitz_capacity(distances, "precomputed", height=height).value
    moved = lipschitz_capacity(distances, "precomputed", height=height, centres=centres)
    assert moved.low - 1e-9 <= true <= moved.high + 1e-9
    assert moved.high - moved.low <= 2 * moved.displacement + 1e-12
    every = lipschitz_capacity(distances, "precomputed", height=height, centres=len(distances))
    assert (every.value, every.displacement) == (pytest.approx(true), 0.0)
    widest = lipschitz_capacity(distances, "precomputed", centres=centres)
    assert lipschitz_capacity(distances, "precomputed").value <= widest.high + 1e-9


@settings(deadline=None, max_examples=30)
@given(metric_matrices(max_size=6), st.data())
def test_the_kuratowski_ball_is_the_best_reference_and_lies_in_the_lipschitz_ball(distances, data):
    base = data.draw(st.integers(0, len(distances) - 1))
    references = data.draw(st.lists(st.integers(0, len(distances) - 1), min_size=1))
    whole = kuratowski_capacity(distances, "precomputed", base=base)
    some = kuratowski_capacity(distances, "precomputed", base=base, references=references)
    assert whole.value == pytest.approx(
        oracle.kuratowski_average(distances, base, range(len(distances)))
    )
    assert some.value == pytest.approx(oracle.kuratowski_average(distances, base, references))
    assert some.value <= whole.value <= lipschitz_capacity(distances, "precomputed").value + 1e-9


@settings(deadline=None, max_examples=20)
@given(vectors(max_size=7), st.data())
def test_the_hilbert_ball_is_the_length_of_a_signed_sum(points, data):
    base = data.draw(st.integers(0, len(points) - 1))
    assert hilbert_capacity(points, base=base).value == pytest.approx(
        oracle.hilbert_average(points, base), rel=1e-6, abs=1e-4
    )


@settings(deadline=None, max_examples=40)
@given(hilbertian_matrices(), st.data())
def test_theorem_7_of_hein_bousquet_and_schoelkopf(distances, data):
    base = data.draw(st.integers(0, len(distances) - 1))
    hilbert, kuratowski = (
        measure(distances, "precomputed", base=base).value
        for measure in (hilbert_capacity, kuratowski_capacity)
    )
    theorem_6 = np.sqrt((distances[base] ** 2).sum()) / len(distances)
    assert theorem_6 / np.sqrt(2) - 1e-9 <= hilbert <= theorem_6 + 1e-9
    assert theorem_6 <= np.sqrt(2) * kuratowski + 1e-9
    floor = kuratowski_floor(distances[base], B=1.0)
    assert floor <= kuratowski + 1e-9
    assert hilbert <= np.sqrt(2) * floor + 1e-9


def test_theorem_7_is_sharp():
    """Two objects away from the base, and references that tell no more than the base: the ratio is
    the square root of 2.
    """
    points = np.array([[0.0], [1.0], [1.0]])
    theorem_6 = np.sqrt(2) / 3
    assert theorem_6 / kuratowski_capacity(points).value == pytest.approx(np.sqrt(2))
    assert kuratowski_floor([0.0, 1.0, 1.0], B=1.0) == pytest.approx(
        kuratowski_capacity(points).value
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_units_and_order_do_not_matter(measure):
    few = POINTS[:12]
    order = np.r_[0, np.random.default_rng(1).permutation(np.arange(1, 12))]
    found = measure(few).value
    assert measure(0.37 * few).value == pytest.approx(0.37 * found)
    assert measure(few[order]).value == pytest.approx(found)


@pytest.mark.few(1)
@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_drawn_is_near_what_is_true(measure):
    often = measure(POINTS, draws=3000, random_state=5)
    for seed in range(5):
        found = measure(POINTS, draws=50, random_state=seed)
        assert found.low <= often.low <= often.high <= found.high
        assert (found.confidence, found.draws) == (0.99, 50)
    assert (
        measure(POINTS, random_state=3)
        == measure(POINTS, random_state=3)
        != measure(POINTS, random_state=4)
    )
    assert measure(POINTS[:13], draws=3000).value == pytest.approx(
        measure(POINTS[:12]).value, rel=0.25
    )


def test_a_small_height_leaves_nothing_but_signs_to_follow():
    found = lipschitz_capacity(POINTS[:12], height=1e-6)
    assert found.value == pytest.approx(1e-6)  # far apart in this unit: every sign can be followed


def test_blocks_change_nothing(monkeypatch):
    before = [measure(POINTS).value for measure in MEASURES[1:]]
    monkeypatch.setattr(measured_capacities, "BLOCK", 7 * len(POINTS))
    assert [measure(POINTS).value for measure in MEASURES[1:]] == pytest.approx(before)


def test_memory_decides_whether_objects_are_moved(monkeypatch):
    exact = lipschitz_capacity(POINTS, height=0.5, max_memory=20 * 60**2)
    assert exact.displacement == 0.0
    monkeypatch.setattr(measured_capacities, "CENTRES", 20)
    moved = lipschitz_capacity(POINTS, height=0.5, max_memory=20 * 60**2 - 1)
    assert moved.displacement > 0
    assert moved == lipschitz_capacity(POINTS, height=0.5, centres=20)
    assert moved.low <= exact.value <= moved.high
    monkeypatch.setattr(measured_capacities, "MOST_MATCHED", 59)
    assert lipschitz_capacity(POINTS, height=0.5) == moved


@settings(deadline=None, max_examples=30)
@given(metric_matrices(), st.data())
def test_the_discrepancy_is_the_cost_of_transport(distances, data):
    half = len(distances) // 2
    order = data.draw(st.permutations(range(len(distances))))
    left, right = order[:half], order[half : 2 * half]
    amounts = np.zeros(len(distances))
    amounts[left], amounts[right] = 1, -1
    table = wideberth.metric("precomputed", distances=distances)
    found = maximum_discrepancy(left, right, table)
    assert found == pytest.approx(transport_cost(distances, amounts) / half, abs=1e-7)
    assert found == pytest.approx(maximum_discrepancy(right, left, table))
    assert maximum_discrepancy(left, left, table) == 0


@settings(deadline=None, max_examples=30)
@given(metric_matrices(max_size=6), st.integers(1, 5))
def test_covering_numbers_lie_between_their_bounds(distances, count):
    for found in (
        covering_numbers(distances, "precomputed"),
        covering_numbers(distances, "precomputed", count=count),
    ):
        assert (np.diff(found.scales) < 0).all()
        assert (np.diff(found.upper) > 0).all()
        for scale, lower, upper in zip(found.scales, found.lower, found.upper, strict=True):
            assert lower <= covering_number(distances, scale) <= upper


@settings(deadline=None, max_examples=30)
@given(metric_matrices(min_size=5, max_size=8), heights)
def test_covering_numbers_bound_the_lipschitz_ball_without_chance(distances, height):
    covers = covering_numbers(distances, "precomputed")
    bound = tree_rademacher(covers.scales, covers.upper, len(distances), reach=height)
    assert lipschitz_capacity(distances, "precomputed", height=height).value <= bound + 1e-9


def test_lower_covering_bounds_need_the_triangle_inequality():
    squares = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    assert covering_numbers(squares, "precomputed").lower.tolist() == [1, 1, 1]


def test_other_objects_than_vectors():
    words = ["tea", "tee", "toffee", "coffee", "coffees"]
    assert (
        lipschitz_capacity(words, "levenshtein").value
        > kuratowski_capacity(words, "levenshtein").value
        > 0
    )
    assert maximum_discrepancy(["tea", "coffee"], ["toffee", "tee"], "levenshtein") == 1.0
    assert kuratowski_capacity(words, "levenshtein", references=["tea"]).value == pytest.approx(
        kuratowski_capacity(words, "levenshtein", references=["tea", "tea"]).value
    )


def test_a_broken_triangle_is_refused_with_its_witness():
    squares = (np.arange(4.0)[:, None] - np.arange(4.0)) ** 2
    for measure in (lipschitz_capacity, kuratowski_capacity):
        with pytest.raises(
            BrokenAxiom,
            match=r"breaks the triangle inequality at objects 0, 1, 3.* take its square root",
        ):
            measure(squares, "precomputed")
        assert measure(np.sqrt(squares), "precomputed").value > 0
    table = wideberth.metric("precomputed", distances=squares)
    with pytest.raises(BrokenAxiom, match="breaks the triangle inequality"):
        maximum_discrepancy([0, 1, 2, 3], [3, 1, 0, 2], table)


def test_no_hilbert_ball_for_what_embeds_in_no_hilbert_space():
    star = np.array([[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]], dtype=float)
    with pytest.raises(
        InvalidInput,
        match=r"embeds in no Hilbert space on these objects: .* down to -0\.25.* lipschitz_capacity",
    ):
        hilbert_capacity(star, "precomputed")
    assert hilbert_capacity(np.sqrt(star), "precomputed").value > 0
    assert lipschitz_capacity(star, "precomputed").value > 0
    with pytest.raises(
        InvalidInput,
        match=r"To see whether 'levenshtein' is Hilbertian, the distances of 3 objects need 288 bytes",
    ):
        hilbert_capacity(["a", "b", "c"], "levenshtein", max_memory=200)
    assert hilbert_capacity(["a", "b", "c"], "levenshtein").value > 0


def test_what_makes_no_sense_is_refused():
    for height in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(
            InvalidInput, match=r"positive and finite, not .*None for the diameter"
        ) as error:
            lipschitz_capacity(POINTS, height=height)
        assert error.value.value is height
    for measure in (kuratowski_capacity, hilbert_capacity):
        with pytest.raises(
            InvalidInput, match=r"The base 60 is not one of the 60 objects\. 0 is the first one"
        ):
            measure(POINTS, base=60)
    for measure in MEASURES:
        with pytest.raises(InvalidInput, match="nothing to measure: no objects"):
            measure(np.zeros((0, 2)))
    with pytest.raises(
        InvalidInput, match=r"samples of equal size; these have 3 and 2 objects\. Leave out"
    ):
        maximum_discrepancy(POINTS[:3], POINTS[:2])
    with pytest.raises(
        InvalidInput,
        match=r"twice 60 objects need 57\.6 kB, more than max_memory, 57\.6 kB\. Compare fewer",
    ):
        maximum_discrepancy(POINTS, POINTS, max_memory=57_599)
    assert maximum_discrepancy(POINTS, POINTS, max_memory=57_600) == 0
    with pytest.raises(
        InvalidInput, match=r"of 50 centres need 50 kB, more than max_memory, 10 kB\. Take fewer"
    ):
        lipschitz_capacity(POINTS, centres=50, max_memory="10kB")
    assert lipschitz_capacity(POINTS, centres=20, max_memory="10kB").displacement > 0

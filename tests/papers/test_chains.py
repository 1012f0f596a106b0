"""Chains of cells: above the true complexity, as good as the best of all chains, and better than
cells of one size.
"""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.bounds import bounds as oracle
from sklearn.datasets import make_moons
from strategies import metric_matrices

from wideberth import MarginNeighborsClassifier
from wideberth.classifiers.margin_neighbors.quantisation import quantised_capacity
from wideberth.errors import InvalidInput
from wideberth.papers import chains
from wideberth.papers.chains import (
    Level,
    adaptive_capacity,
    adaptive_separation,
    chained_capacity,
    greedy_medians,
)

slopes = st.sampled_from([0.01, 0.1, 0.37, 1.0, 4.0])


def level(distances, places):
    places = np.asarray(places)
    return Level(places, float(distances[np.arange(len(places)), places].mean()))


def drawn_levels(data, n):
    """Any places for any objects: levels need not come from nearest centres."""
    return data.draw(
        st.lists(st.lists(st.integers(0, n - 1), min_size=n, max_size=n), min_size=1, max_size=4)
    )


@settings(deadline=None, max_examples=15)
@given(metric_matrices(min_size=5, max_size=5), slopes, st.data())
def test_two_classes_are_above_the_true_complexity(distances, slope, data):
    distances, codes = distances[:5, :5], np.arange(5) % 2
    capacity = chained_capacity(
        distances, codes, [level(distances, each) for each in drawn_levels(data, 5)], "precomputed"
    )
    assert capacity(slope) >= oracle.rademacher_of_two_classes(distances, codes, slope) - 1e-9


@pytest.mark.slow
@settings(deadline=None, max_examples=4)
@given(metric_matrices(min_size=3, max_size=3), slopes, st.data())
def test_three_classes_are_above_the_true_complexity(distances, slope, data):
    distances, codes = distances[:3, :3], np.array([0, 1, 2])
    capacity = chained_capacity(
        distances, codes, [level(distances, each) for each in drawn_levels(data, 3)], "precomputed"
    )
    assert (
        capacity(slope) >= oracle.rademacher_of_margin_functions(distances, codes, 3, slope) - 1e-9
    )


def test_both_slow_complexities_agree_on_two_classes():
    distances, codes = np.array([[0.0, 1, 2], [1, 0, 2], [2, 2, 0]]), np.array([0, 1, 1])
    for slope in (0.1, 0.6, 2.0):
        both = oracle.rademacher_of_two_classes(distances, codes, slope)
        assert oracle.rademacher_of_margin_functions(distances, codes, 2, slope) == pytest.approx(
            both
        )


@settings(deadline=None, max_examples=40)
@given(metric_matrices(min_size=6, max_size=8), slopes, st.integers(2, 4), st.data())
def test_it_is_the_best_of_all_chains(distances, slope, k, data):
    codes = np.arange(len(distances)) % k
    places = [np.array(each) for each in drawn_levels(data, len(distances))]
    capacity = chained_capacity(
        distances, codes, [level(distances, each) for each in places], "precomputed"
    )
    assert capacity(slope) == pytest.approx(oracle.best_chain(distances, codes, k, places, slope))
    sizes = [len(capacity.levels[each]) for each in capacity.chain(slope)]
    assert all(finer >= 2 * coarser for coarser, finer in pairwise(sizes))


@settings(deadline=None, max_examples=40)
@given(metric_matrices(min_size=1, max_size=9))
def test_medians_are_those_of_measuring_everything_anew(distances):
    order, nearest = [], np.full(len(distances), np.inf)
    while not len(order) or nearest.max() > 0:
        totals = np.minimum(nearest, distances).sum(axis=1)
        order.append(int(totals.argmin()))
        nearest = np.minimum(nearest, distances[order[-1]])
    found = greedy_medians(distances)
    assert len(set(found.tolist())) == len(found)
    assert np.min(distances[found], axis=0).max() == 0
    for size in range(
        1, min(len(order), len(found)) + 1
    ):  # rounding may break ties in another way, at no loss
        if found[:size].tolist() != order[:size]:
            assert distances[found[:size]].min(axis=0).sum() == pytest.approx(
                distances[order[:size]].min(axis=0).sum()
            )
            break


@pytest.mark.slow
def test_it_adapts_to_a_curve_in_many_dimensions_and_units_do_not_matter():
    curve = np.random.default_rng(0).random(3000)
    points, labels = np.sin(np.outer(curve, np.arange(1.0, 21.0))), curve > 0.5
    capacity, cells = (
        adaptive_capacity(points, labels),
        quantised_capacity(points, labels, count=1024),
    )
    scaled = adaptive_capacity(0.37 * points, labels)
    for slope in (0.1, 0.3, 1.0):
        assert capacity(slope) < 0.8 * cells(slope)
        assert capacity(slope) == pytest.approx(
            scaled(slope / 0.37), rel=1e-3
        )  # rounding may break ties between medians
        assert capacity(slope) <= capacity(2 * slope) <= 1.0
    assert len(capacity.chain(0.1)) >= 3


def test_perturbations_are_levels_of_small_samples_in_metric_spaces(monkeypatch):
    points, labels = make_moons(60, noise=0.1, random_state=0)
    capacity = adaptive_capacity(points, labels)
    kinds = {each.kind for each in capacity.levels}
    assert {"farthest first", "medians", "perturbation, b = 0.5"} <= kinds
    assert capacity(0.3) == chained_capacity(points, labels, capacity.levels)(0.3)
    assert not any(
        "perturbation" in each.kind for each in adaptive_capacity(points, labels, "dtw").levels
    )
    monkeypatch.setattr(chains, "MOST_OBJECTS", 59)
    assert {each.kind for each in adaptive_capacity(points, labels).levels} == {
        "farthest first",
        "medians",
    }


@pytest.mark.slow
def test_structural_risk_keeps_a_smaller_separation_and_proves_more():
    random = np.random.default_rng(0)
    curve = random.random(4000)
    points = np.sin(np.outer(curve, np.arange(1.0, 21.0))) / 20
    labels = (curve > 0.5) ^ (random.random(4000) < 0.02)
    plain = MarginNeighborsClassifier(separation="theory").fit(points, labels)
    adapted = adaptive_separation(points, labels)
    proved = adapted.certificate
    assert proved.value < plain.risk_bound_.value
    assert adapted.separation <= plain.separation_
    assert proved.kind == plain.risk_bound_.kind
    assert not any("dimension" in assumption for assumption in proved.assumptions)
    assert proved.at(delta=0.05) == proved


def test_strings_in_a_list_and_functions_without_slope_have_a_bound():
    words, labels = ["tea", "teas", "rum", "rums", "gin", "tee"], [0, 0, 1, 1, 1, 0]
    found = adaptive_capacity(words, labels, "levenshtein", n_jobs=1)
    with np.errstate(all="raise"):
        flat = found(0.0)
    assert 0 < flat <= found(0.1) <= found(1.0) <= 1


def test_no_objects_are_refused():
    with pytest.raises(InvalidInput, match="no objects"):
        adaptive_capacity([], [], "levenshtein")

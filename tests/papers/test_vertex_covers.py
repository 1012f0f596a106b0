"""Covers within a memory budget: valid at every threshold, and clear about where they stop being
exact.
"""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.covers import conflicts, is_cover, smallest_cover
from oracles.classifiers.matching import greedy_matching
from scipy.spatial.distance import cdist
from strategies import metric_matrices

import wideberth
from wideberth.classifiers.margin_neighbors.vertex_cover import Matching
from wideberth.errors import InvalidInput
from wideberth.papers.vertex_covers import HeldPairs, cover_path, covers, greedy_cover

module = import_module(
    "wideberth.papers.vertex_covers"
)  # the package exports the function of this name

fast = settings(deadline=None, max_examples=30)


@st.composite
def labelled_spaces(draw):
    distances = draw(metric_matrices(max_size=7))
    n = len(distances)
    codes = draw(st.lists(st.integers(0, draw(st.integers(1, 3))), min_size=n, max_size=n))
    return distances, np.array(codes)


def matching_of(distances, codes):
    pairs = greedy_matching(distances, codes)
    gaps, first, second = (
        (np.array(column) for column in zip(*pairs, strict=True))
        if pairs
        else 3 * (np.empty(0, dtype=int),)
    )
    return Matching(first, second, gaps.astype(float), len(codes), 0, np.ones(len(gaps)))


def neighbors_below(distances, codes, threshold):
    def search(searched):
        rows, found = np.nonzero(
            (distances[searched] < threshold) & (codes[searched][:, None] != codes)
        )
        return np.searchsorted(rows, np.arange(len(searched) + 1)), found

    return search


@fast
@given(labelled_spaces(), st.integers(1, 20))
def test_a_greedy_cover_covers_with_and_without_its_idle_objects(space, at_once):
    distances, codes = space
    matching = matching_of(distances, codes)
    first, second, gaps = conflicts(distances, codes)
    for threshold in (0.5, 2.0, 3.5, np.inf):
        near = gaps < threshold
        optimum = smallest_cover(len(codes), first[near], second[near])
        whole = greedy_cover(matching, threshold)
        lesser = greedy_cover(
            matching, threshold, neighbors_below(distances, codes, threshold), at_once=at_once
        )
        assert is_cover(whole.point, first[near], second[near])
        assert is_cover(lesser.point, first[near], second[near])
        assert (
            whole.lower_bound
            == lesser.lower_bound
            <= optimum
            <= lesser.value
            <= whole.value
            == 2 * whole.lower_bound
        )
        assert lesser.value == lesser.point.sum()
        for removed in np.flatnonzero(lesser.point):
            assert not is_cover(
                lesser.point & (np.arange(len(codes)) != removed), first[near], second[near]
            )


@fast
@given(labelled_spaces())
def test_memory_changes_the_proof_but_never_the_promise(space):
    distances, codes = space
    metric = wideberth.metric("precomputed", distances=distances, obeys_triangle=True)
    first, second, gaps = conflicts(distances, codes)
    thresholds = [0.5, 1.0, 2.0, 3.5, 20.0]
    for max_memory in ("1MB", 600):
        found = covers(np.arange(len(codes)), codes, metric, thresholds, max_memory=max_memory)
        for threshold, solution in zip(thresholds, found.solutions, strict=True):
            near = gaps < threshold
            optimum = smallest_cover(len(codes), first[near], second[near])
            assert is_cover(solution.point, first[near], second[near])
            assert solution.lower_bound <= optimum <= solution.value == solution.point.sum()
            if threshold <= found.held_up_to and len(set(codes)) <= 2:
                assert solution.value == optimum
            assert (solution.status == "optimal") == (solution.value == solution.lower_bound)


def clouds(n=300, n_classes=2):
    rng = np.random.default_rng(0)
    codes = rng.integers(n_classes, size=n)
    points = rng.normal(size=(n, 2))
    points[:, 0] += 1.2 * codes
    return points, codes


THRESHOLDS = np.array([0.02, 0.1, 0.3, 0.8])


@pytest.mark.slow
def test_it_says_where_it_switched():
    points, codes = clouds()
    first, second, gaps = conflicts(cdist(points, points), codes)
    path = cover_path(len(codes), codes, first, second, gaps)
    ample = covers(points, codes, "euclidean", THRESHOLDS)
    assert ample.held_up_to == 0.8
    np.testing.assert_array_equal(ample.sizes, path.value(THRESHOLDS))
    np.testing.assert_array_equal(ample.ratios, 1.0)
    max_memory = int((gaps < 0.1).sum()) * module.BYTES_PER_PAIR * 4 // 3 + module.BYTES_PER_PAIR
    tight = covers(points, codes, "euclidean", THRESHOLDS, max_memory=max_memory)
    assert tight.held_up_to == 0.1
    assert tight.note.startswith(
        "All pairs closer than 0.1 were held in memory. At 0.3 there are more than"
    )
    np.testing.assert_array_equal(tight.sizes[:2], ample.sizes[:2])
    assert (tight.sizes >= ample.sizes).all()
    assert (tight.lower_bounds <= ample.sizes).all()
    assert (np.diff(tight.lower_bounds) >= 0).all()
    assert (tight.ratios <= 2).all()


def test_a_wrong_guess_of_how_many_pairs_there_are_is_put_right(monkeypatch):
    points, codes = clouds()
    ample = covers(points, codes, "euclidean", THRESHOLDS)
    monkeypatch.setattr(module, "_likely_counts", lambda *_: np.full(len(THRESHOLDS), np.inf))
    guessed = covers(points, codes, "euclidean", THRESHOLDS)
    assert guessed.held_up_to == ample.held_up_to
    np.testing.assert_array_equal(guessed.sizes, ample.sizes)


def test_of_few_objects_pairs_are_counted_not_estimated():
    points, codes = clouds(40)
    metric = wideberth.metric("euclidean")
    counted = module._likely_counts(metric.prepare(points), codes, metric, THRESHOLDS)
    pairs = cdist(points, points)[codes[:, None] < codes]
    assert counted == pytest.approx([(pairs < scale).sum() for scale in THRESHOLDS])


def test_scaling_the_metric_scales_the_thresholds():
    points, codes = clouds(n_classes=4)
    plain = covers(points, codes, "euclidean", THRESHOLDS, max_memory="50kB")
    shorter = covers(0.37 * points, codes, "euclidean", 0.37 * THRESHOLDS, max_memory="50kB")
    assert shorter.held_up_to == 0.37 * plain.held_up_to < 0.37 * 0.8
    np.testing.assert_array_equal(plain.sizes, shorter.sizes)
    np.testing.assert_array_equal(plain.lower_bounds, shorter.lower_bounds)


def test_words_and_their_labels():
    words = ["tea", "tee", "rum", "rye", "sea", "ruin"]
    found = covers(words, ["hot", "cold", "cold", "cold", "salt", "old"], "levenshtein", [1.0, 1.5])
    assert found.sizes.tolist() == [0.0, 1.0]
    assert found.solutions[1].point.tolist() == [True, False, False, False, False, False]


@pytest.mark.parametrize("thresholds", [[], [2.0, 1.0], [-1.0, 1.0], [np.nan], 3.0])
def test_thresholds_increase(thresholds):
    with pytest.raises(InvalidInput, match="increasing numbers that are at least 0"):
        covers([[0.0], [1.0]], [0, 1], "euclidean", thresholds)


def test_pairs_are_held_up_to_the_largest_threshold_that_fits():
    rng = np.random.default_rng(0)
    gaps = rng.integers(0, 9, size=200).astype(float)
    ends = rng.integers(0, 50, size=(2, 200))
    thresholds = np.array([1.0, 2.5, 3.0, 7.0, 9.0])
    counts = (gaps[:, None] < thresholds).sum(axis=0)
    for capacity in (0, counts[0] - 1, counts[0], counts[2], counts[3] - 1, 500):
        held = HeldPairs(thresholds, int(capacity))
        held.add(
            [
                (ends[0][part], ends[1][part], gaps[part])
                for part in np.array_split(np.arange(200), 17)
            ]
        )
        expected = int((counts <= capacity).sum())
        assert held.n_held == expected
        first, second, distances = held.sorted()
        below = gaps < (thresholds[expected - 1] if expected else -1.0)
        order = np.argsort(gaps[below], kind="stable")
        np.testing.assert_array_equal(distances, gaps[below][order])
        np.testing.assert_array_equal(first, ends[0][below][order])
        np.testing.assert_array_equal(second, ends[1][below][order])

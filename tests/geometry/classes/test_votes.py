"""Votes of the nearest objects: ties are shared, the next shell decides, and compiled and plain
loops agree.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers import votes
from strategies import metric_matrices

from wideberth.classifiers.neighbors.kernels import flipping, shortest_flips
from wideberth.geometry.classes.kernels import elect, electing
from wideberth.geometry.classes.votes import Electorate
from wideberth.geometry.search.index import Index
from wideberth.metrics.precomputed import Precomputed


@pytest.mark.kernels
def test_votes_are_counted_by_weight():
    starts, distances = np.array([0, 3, 4]), np.array([1.0, 2.0, 2.0, 0.0])
    voters, weights = np.array([0, 1, 0, 1]), np.array([0.5, 1.0, 2.0, 1.0])
    shares, winners = np.empty((2, 2, 2)), np.empty((2, 2), dtype=np.int64)
    elect(starts, distances, voters, weights, np.array([1.0, 3.5]), 1e-12, True, shares, winners)
    np.testing.assert_allclose(shares[0], [[0.5 + 1 / 3, 1 / 6], [2.5 / 3.5, 1 / 3.5]])
    np.testing.assert_allclose(shares[1], [[0, 1], [0, 1]])
    np.testing.assert_array_equal(winners, [[0, 0], [1, 1]])


@pytest.mark.kernels
def test_tied_classes_are_told_apart_by_the_next_shell_or_left_open():
    starts, distances, voters = (
        np.array([0, 3, 5]),
        np.array([1.0, 1.0, 2.0, 1.0, 1.0]),
        np.array([1, 0, 1, 1, 0]),
    )
    shares, winners = np.empty((2, 1, 2)), np.empty((2, 1), dtype=np.int64)
    for complete, expected in ((False, -1), (True, 0)):
        elect(starts, distances, voters, np.ones(5), np.ones(1), 0.0, complete, shares, winners)
        assert winners.ravel().tolist() == [1, expected]
    assert (shares[0, 0].argmax(), shares[1, 0].argmax()) == (1, 0)


@given(metric_matrices(min_size=6, max_size=14), st.data())
@settings(max_examples=80, deadline=None)
def test_shells_far_beyond_the_neighbours_decide(matrix, data):
    n = len(matrix)
    codes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    index = Index(np.arange(n), Precomputed(matrix, obeys_triangle=True))
    shares = Electorate(index, codes, np.ones(n), 2).shares(np.arange(n), np.array([1.0, 3.0]))
    for query in range(n):
        for place, k in enumerate((1, 3)):
            assert shares[query, place].argmax() == votes.elected(matrix[query], codes, k)


def test_where_there_are_fewer_than_vote_all_have_their_weight():
    voters = Electorate(Index([[0.0], [2.0], [3.0]]), np.zeros(3, dtype=np.intp), np.ones(3), 1)
    shares = voters.votes(np.arange(3), np.array([1.0, 2.0, 2.0]), 9.0)
    np.testing.assert_allclose(shares, np.full(3, 1 / 3))


@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans())
@settings(max_examples=60, deadline=None)
def test_plain_and_compiled_loops_give_the_same_numbers(seed, n_classes, complete):
    random = np.random.default_rng(seed)
    counts = random.integers(1, 7, 5)
    starts = np.concatenate([[0], np.cumsum(counts)])
    distances = np.concatenate([np.sort(random.integers(0, 3, count)) for count in counts]).astype(
        float
    )
    voters, weights = (
        random.integers(0, n_classes, starts[-1]),
        random.choice([0.3, 1.0, 2.0], starts[-1]),
    )
    sizes, results = np.array([1.0, 2.0, 9.0]), []
    for loop in (elect, elect.in_python):
        results.append((np.empty((5, 3, n_classes)), np.empty((5, 3), dtype=np.int64)))
        loop(starts, distances, voters, weights, sizes, 1e-12, complete, *results[-1])
    for compiled, plain in zip(*results, strict=True):
        np.testing.assert_array_equal(plain, compiled)
    rows = np.sort(random.integers(0, 5, (4, 6)), axis=1).astype(float)
    about = (
        rows,
        random.integers(0, n_classes, (4, 6)),
        np.ones((4, 6)),
        random.integers(0, n_classes, 4),
        n_classes,
        3.0,
        0.5,
        True,
    )
    np.testing.assert_array_equal(shortest_flips.in_python(*about), shortest_flips(*about))


def test_many_operations_are_compiled():
    assert electing(10**9) is elect
    assert flipping(10**9) is shortest_flips

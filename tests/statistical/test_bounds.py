"""Bounds hold in 300 simulated runs as often as they say: no more failures than the 99.9 % quantile
of Binomial(300, delta).
"""

import math

import numpy as np
import pytest
from failures import DELTAS, RUNS, assert_rarely, assert_too_often
from scipy.stats import binom

from wideberth.bounds.binomial import binomial_inversion, holdout_bound
from wideberth.bounds.compression import preferent_bound
from wideberth.bounds.margin import quantised_rademacher
from wideberth.papers.compression_bounds import block_bound, index_bound, prototype_bound
from wideberth.papers.margin_bounds import cells_bound, empirical_penalty


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("n", "error"), [(50, 0.02), (200, 0.3), (1000, 0.1)])
def test_the_inversion_of_the_binomial_tail(n, error, delta):
    random = np.random.default_rng(0)
    bounds = [
        binomial_inversion(errors, n, log_delta=math.log(delta))
        for errors in random.binomial(n, error, RUNS)
    ]
    assert_rarely(np.array(bounds) < error, delta)


def test_the_inversion_is_tight():
    """Without slack: with many objects it fails about as often as allowed."""
    random = np.random.default_rng(1)
    bounds = [
        binomial_inversion(errors, 10_000, log_delta=math.log(0.3))
        for errors in random.binomial(10_000, 0.3, RUNS)
    ]
    assert np.sum(np.array(bounds) < 0.3) >= binom.ppf(0.001, RUNS, 0.28)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_best_of_many_on_held_out_objects(delta):
    random = np.random.default_rng(2)
    n, candidates, error = 100, 40, 0.2
    fewest = random.binomial(n, error, (RUNS, candidates)).min(axis=1)
    unpaid, paid = (
        np.array(
            [
                holdout_bound(errors, n, log_delta=math.log(delta), candidates=each)
                for errors in fewest
            ]
        )
        for each in (1, candidates)
    )
    assert_rarely(paid < error, delta)
    assert_too_often(unpaid < error, delta)  # the price has a reason


def nondominated(points):
    """The points with no other above and to the right; nobody else has a say in it."""
    by_first = points[np.argsort(-points[:, 0])]
    best = np.maximum.accumulate(np.r_[-np.inf, by_first[:-1, 1]])
    return by_first[by_first[:, 1] > best]


def area_beyond(front):
    """The probability that a new point of the unit square is dominated by none."""
    widths = -np.diff(np.r_[front[:, 0], 0.0])
    return 1.0 - float(widths @ front[:, 1])


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", [5, 100])
def test_the_preferent_bound_on_the_front_of_a_sample(n, delta):
    """A compression to about ln n points whose number is known only afterwards."""
    random = np.random.default_rng(3)
    failures = []
    for _ in range(RUNS):
        front = nondominated(random.uniform(size=(n, 2)))
        failures.append(
            area_beyond(front) > preferent_bound(len(front), n, log_delta=math.log(delta))
        )
    assert_rarely(failures, delta)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("n", [1, 2, 50])
def test_the_preferent_bound_on_the_largest_of_a_sample(n, delta):
    largest = np.random.default_rng(4).uniform(size=(RUNS, n)).max(axis=1)
    assert_rarely(1 - largest > preferent_bound(1, n, log_delta=math.log(delta)), delta)


@pytest.mark.parametrize("delta", DELTAS)
def test_the_preferent_bound_on_an_interval_with_its_errors(delta):
    """The smallest interval of the positive points, where 0.3 to 0.6 is positive up to noise: its
    two ends and its errors.
    """
    random = np.random.default_rng(5)
    n, noise = 200, 0.05
    failures = []
    for _ in range(RUNS):
        points = random.uniform(size=n)
        inside = (points >= 0.3) & (points <= 0.6)
        positive = inside & (random.uniform(size=n) > noise)
        low, high = (
            (points[positive].min(), points[positive].max()) if positive.any() else (1.0, 0.0)
        )
        within = (points >= low) & (points <= high)
        kept = min(2, positive.sum()) + np.sum(within & ~positive)
        length = max(high - low, 0.0)
        error = noise * length + (1 - noise) * (0.3 - length)
        failures.append(error > preferent_bound(int(kept), n, log_delta=math.log(delta)))
    assert_rarely(failures, delta)


NOISE, STRIPES = 0.1, 4


def stripes(random, n):
    """Points of the unit interval; the class changes at every quarter, and a tenth of the labels is
    wrong.
    """
    points = random.uniform(size=n)
    clean = (STRIPES * points).astype(int) % 2
    return points, clean ^ (random.uniform(size=n) < NOISE)


GRID = (np.arange(4000) + 0.5) / 4000


def nearest(points, prototypes):
    order = np.argsort(prototypes)
    midpoints = (prototypes[order][1:] + prototypes[order][:-1]) / 2
    return order[np.searchsorted(midpoints, points)]


def error_of(prototypes, labels):
    clean = (STRIPES * GRID).astype(int) % 2
    wrong = np.mean(labels[nearest(GRID, prototypes)] != clean)
    return wrong * (1 - NOISE) + (1 - wrong) * NOISE


def majority(cells, labels, count):
    votes = np.bincount(cells, weights=2 * labels - 1, minlength=count)
    return (votes > 0).astype(int)


@pytest.mark.parametrize("delta", DELTAS)
def test_prototypes_with_majority_labels(delta):
    random = np.random.default_rng(6)
    n, m = 300, 20
    failures = []
    for _ in range(RUNS):
        points, labels = stripes(random, n)
        cells = nearest(points[m:], points[:m])
        chosen = majority(cells, labels[m:], m)
        errors = int(np.sum(chosen[cells] != labels[m:]))
        bound = prototype_bound(m, errors, n, log_delta=math.log(delta), classes=2)
        failures.append(error_of(points[:m], chosen) > bound)
    assert_rarely(failures, delta)


@pytest.mark.slow
@pytest.mark.parametrize("bound", [index_bound, block_bound])
@pytest.mark.parametrize("delta", DELTAS)
def test_a_net_with_majority_labels(delta, bound):
    """The greedy net in the order of the sample is preferent: a point that is near an earlier one
    has no say in it.
    """
    random = np.random.default_rng(7)
    n, radius = 300, 0.05
    failures = []
    for _ in range(RUNS):
        points, labels = stripes(random, n)
        net: list[int] = []
        for i in range(n):
            if not net or np.abs(points[net] - points[i]).min() >= radius:
                net.append(i)
        cells = nearest(points, points[net])
        chosen = majority(cells, labels, len(net))
        wrong = chosen[cells] != labels
        wrong[net] = False
        value = bound(len(net), int(wrong.sum()), n, log_delta=math.log(delta), classes=2)
        failures.append(error_of(points[net], chosen) > value)
    assert_rarely(failures, delta)


def separated(points, labels, separation):
    """A part of the sample without conflicts: the points of either class that lead the vote in
    cells of this width, apart.
    """
    cells = (points / separation).astype(int)
    chosen = majority(cells, labels, cells.max() + 1)
    kept = chosen[cells] == labels
    order = np.flatnonzero(kept)[np.argsort(points[kept])]
    while True:
        close = (np.diff(points[order]) < separation) & (labels[order][1:] != labels[order][:-1])
        if not close.any():
            return order
        order = np.delete(order, np.flatnonzero(close)[0])


@pytest.mark.slow
@pytest.mark.parametrize("delta", DELTAS)
def test_margin_bounds_on_separated_samples(delta):
    """Nearest neighbours in what is left of a sample once it has no conflicts; the interval has
    diameter 1 and dimension 1.
    """
    random = np.random.default_rng(8)
    n, separation = 400, 0.1
    L, log_delta = 2 / separation, math.log(delta)
    by_cells, by_partition = [], []
    for _ in range(RUNS):
        points, labels = stripes(random, n)
        kept = separated(points, labels, separation)
        error, removed = error_of(points[kept], labels[kept]), n - len(kept)
        by_cells.append(error > cells_bound(removed, n, L, 1.0, 2, log_delta=log_delta))
        bins = (16 * points).astype(int)
        displacement = np.abs(points - (bins + 0.5) / 16).mean()
        counts = np.zeros((16, 2))
        np.add.at(counts, (bins, labels), 1)
        penalty = empirical_penalty(
            n,
            L,
            lambda L, d=displacement, c=counts: quantised_rademacher(d, c, L),
            log_delta=log_delta,
        )
        by_partition.append(error > removed / n + penalty)
    assert_rarely(by_cells, delta)
    assert_rarely(by_partition, delta)

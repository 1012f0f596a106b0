"""Risks of functions from balls, Lipschitz, Hilbert and Kuratowski, on sources whose risks are
known exactly.

In each run one function follows the sample as closely as it can and one is smooth. The mean ramp
loss is bounded, errors and all.
"""

import math
from functools import cache

import numpy as np
import pytest
from failures import DELTAS, RUNS, assert_rarely, assert_too_often
from sources import NAMES, covers, ramp, source
from threadpoolctl import threadpool_limits

from wideberth.bounds.balls import (
    hilbert_rademacher,
    measured_ball_risk,
    offset_hilbert_rademacher,
    offset_price,
)
from wideberth.papers.capacities import (
    fixed_ball_risk,
    kuratowski_rademacher,
    lemma_14_risk,
    stratified_ball_risk,
    tree_rademacher,
)

N = 600
SOURCES = [
    name if name == "network" else pytest.param(name, marks=pytest.mark.slow) for name in NAMES
]


@pytest.fixture(autouse=True)
def one_thread():
    """Threads for matrices this small wait for each other, for minutes where other processes are at
    work.
    """
    with threadpool_limits(1):
        yield


def runs(name, seed):
    random, where = np.random.default_rng(seed), source(name)
    for _ in range(RUNS):
        objects, labels = where.sample(random, N)
        yield where, objects, np.where(labels == 0, -1, 1)


def steep_and_smooth(where, objects, y, L):
    """Two L-Lipschitz functions on all objects: half the lead of the nearest, and the largest below
    the votes of many.
    """
    nearest = [where.distances[:, objects[y == side]].min(axis=1) for side in (-1, 1)]
    kinds = np.unique(objects)
    nearby = where.distances[np.ix_(kinds, objects)] < 0.2
    votes = 1.5 * (nearby @ y) / nearby.sum(axis=1)
    return L / 2 * (nearest[0] - nearest[1]), (votes + L * where.distances[:, kinds]).min(axis=1)


def capacity(radii, numbers):
    """A constant to a bound of the complexity of the functions with values in [-1, 1] that have
    it.
    """
    return cache(lambda L: L * tree_rademacher(*thinned(radii, numbers), N, reach=1 / L))


def thinned(radii, numbers):
    some = np.unique(np.geomspace(1, len(numbers), 24).astype(int)) - 1
    return radii[some], numbers[some]


def check(found):
    """For each fixed norm, and for the norm with the smallest bound: risk, mean loss on the sample,
    norm, complexity by norm.
    """
    for delta in DELTAS:
        log_delta = math.log(delta)
        for same_norm in zip(*found, strict=True):
            fails = [
                true > measured_ball_risk(seen, by_norm(B), N, log_delta=log_delta)
                for true, seen, B, by_norm in same_norm
            ]
            assert_rarely(fails, delta)
        smallest = [
            min(
                (stratified_ball_risk(seen, B, by_norm, N, log_delta=log_delta), true)
                for true, seen, B, by_norm in run
            )
            for run in found
        ]
        assert_rarely([true > bound for bound, true in smallest], delta)


def check_that_chance_alone_is_not_enough(found, delta):
    """A function that follows the sample closely has a risk beyond what a function fixed in advance
    could have.
    """
    term = math.sqrt(-math.log(delta) / (2 * N))
    assert_too_often([true > seen + term for true, seen, _, _ in found], delta)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_lipschitz_functions(name):
    found = []
    for where, objects, y in runs(name, 0):
        on_sample = capacity(*covers(where.distances[np.ix_(objects, objects)]))
        found.append(
            [
                (where.ramp(values), ramp(y * values[objects]).mean(), L, on_sample)
                for L in (1.0, 3.0, 200.0)
                for values in steep_and_smooth(where, objects, y, L)
            ]
        )
    check(found)
    everywhere = capacity(*source(name).covers())
    for delta in DELTAS:
        for same in zip(*found, strict=True):
            for risk in (fixed_ball_risk, lemma_14_risk):
                fails = [
                    true > risk(seen, everywhere(L), N, log_delta=math.log(delta))
                    for true, seen, L, _ in same
                ]
                assert_rarely(fails, delta)
    check_that_chance_alone_is_not_enough([run[4] for run in found], 0.05)
    assert_too_often(
        [true > seen for true, seen, _, _ in (run[1] for run in found)], 0.3
    )  # nor is the mean on the sample


def with_best_offset(values, objects, y):
    offsets = np.r_[np.linspace(-2, 2, 41), -np.quantile(values[objects], np.linspace(0, 1, 41))]
    losses = ramp(y * (values[objects] + offsets[:, None])).mean(axis=1)
    return values + offsets[losses.argmin()], losses.min()


def mean_labels(objects, y):
    """The different objects of a sample, and the mean of the labels of each."""
    kinds, place = np.unique(objects, return_inverse=True)
    return kinds, np.bincount(place, weights=y) / np.bincount(place)


def fixed_kernel(distances):
    """exp(-5 d), with its negative eigenvalues cut off."""
    values, vectors = np.linalg.eigh(np.exp(-5 * distances))
    return (vectors * np.maximum(values, 0)) @ vectors.T


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_functions_in_a_hilbert_space(name):
    """Sums of a kernel at the objects, of several norms, without a constant and with the best
    one.
    """
    kernel = fixed_kernel(source(name).distances)
    without, with_one = [], []
    for where, objects, y in runs(name, 1):
        kinds, labels = mean_labels(objects, y)
        weights = np.linalg.solve(kernel[np.ix_(kinds, kinds)] + 1e-3 * np.eye(len(kinds)), labels)
        sums = kernel[:, kinds] @ weights
        norm = math.sqrt(weights @ sums[kinds])
        squares, inner = np.diag(kernel)[objects], kernel[np.ix_(objects, objects)]
        base, centred = (
            np.sqrt(squares),
            np.sqrt(np.maximum(squares - 2 * inner.mean(axis=1) + inner.mean(), 0)),
        )
        scaled = [(B, B / norm * sums) for B in (1.0, 4.0, 300.0)]
        without.append(
            [
                (
                    where.ramp(f),
                    ramp(y * f[objects]).mean(),
                    B,
                    lambda B, d=base: hilbert_rademacher(d, B),
                )
                for B, f in scaled
            ]
        )
        best = [(B, *with_best_offset(f, objects, y)) for B, f in scaled]
        with_one.append(
            [
                (where.ramp(f), seen, B, lambda B, d=centred: offset_hilbert_rademacher(d, B))
                for B, f, seen in best
            ]
        )
    check(without)
    check(with_one)
    check_that_chance_alone_is_not_enough([run[2] for run in with_one], 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_sums_of_distances(name):
    """As the LP machine has them, with a constant: to the mean of either class, and to single
    objects to follow the labels.
    """
    where = source(name)
    radii, numbers = thinned(*where.covers())
    found = []
    for _, objects, y in runs(name, 2):
        kinds, labels = mean_labels(objects, y)
        _, means = mean_labels(objects, -1.0 / np.where(y > 0, np.sum(y > 0), -np.sum(y < 0)))
        single = np.linalg.solve(
            where.distances[np.ix_(kinds, kinds)] - 1e-3 * np.eye(len(kinds)), labels
        )
        base, run = where.distances[objects, 0], []
        unit = kuratowski_rademacher(radii, numbers, base, 1.0)
        for weights, B in ((means, 2.0), (means, 10.0), (single, 1e7)):
            sums = (where.distances[:, kinds] - where.distances[0, kinds]) @ (
                weights * B / np.abs(weights).sum()
            )
            function, seen = with_best_offset(sums, objects, y)
            price = cache(
                lambda B, unit=unit, base=base: B * unit + offset_price(B * base.max(), N)
            )
            run.append((where.ramp(function), seen, B, price))
        found.append(run)
    check(found)
    check_that_chance_alone_is_not_enough([run[2] for run in found], 0.3)

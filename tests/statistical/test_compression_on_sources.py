"""Bounds for classifiers that are rebuilt from few objects, and by held-out ones, on sources whose
errors are known exactly.
"""

import math

import numpy as np
import pytest
from failures import DELTAS, RUNS, assert_rarely, assert_too_often
from oracles.bounds.support_vectors import kept_by, machine
from sources import NAMES, source

from wideberth.bounds.binomial import binomial_inversion, holdout_bound
from wideberth.bounds.compression import preferent_bound, support_vector_bound
from wideberth.papers.compression_bounds import (
    block_bound,
    explicit_preferent_bound,
    index_bound,
    prototype_bound,
)

N = 200
SOURCES = [
    name if name == "stripes" else pytest.param(name, marks=pytest.mark.slow) for name in NAMES
]


def runs(name, seed):
    random, where = np.random.default_rng(seed), source(name)
    return ((where, *where.sample(random, N)) for _ in range(RUNS))


def votes(where, objects, labels, k):
    """The label of most of the k nearest, for all objects of the source."""
    near = np.argpartition(where.distances[:, objects], k, axis=1)[:, :k]
    return np.eye(where.chances.shape[1])[labels[near]].sum(axis=1).argmax(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_held_out_objects(name):
    """One classifier, and the best of three for which the choice is paid."""
    held, errors, found = N // 2, [], []
    for where, objects, labels in runs(name, 0):
        candidates = [votes(where, objects[held:], labels[held:], k) for k in (1, 5, 15)]
        found.append([np.sum(each[objects[:held]] != labels[:held]) for each in candidates])
        errors.append([where.error(each) for each in candidates])
    found, errors = np.array(found), np.array(errors)
    best = found.argmin(axis=1)
    for delta in DELTAS:
        log_delta = math.log(delta)
        alone = [binomial_inversion(each, held, log_delta=log_delta) for each in found[:, 0]]
        assert_rarely(errors[:, 0] > alone, delta)
        chosen = [
            holdout_bound(each, held, log_delta=log_delta, candidates=3)
            for each in found.min(axis=1)
        ]
        assert_rarely(errors[np.arange(RUNS), best] > chosen, delta)
    assert_too_often(
        errors[:, 0] > found[:, 0] / held, 0.3
    )  # the share of errors itself bounds nothing


@pytest.mark.parametrize("name", SOURCES)
def test_prototypes_with_majority_labels(name):
    m, found = 8, []
    for where, objects, labels in runs(name, 1):
        cells = np.argmin(where.distances[:, objects[:m]], axis=1)
        chosen = _majority(cells[objects[m:]], labels[m:], m, where)
        found.append((where.error(chosen[cells]), np.sum(chosen[cells[objects[m:]]] != labels[m:])))
    errors, mistakes = np.array(found).T
    for delta in DELTAS:
        classes = source(name).chances.shape[1]
        bounds = [
            prototype_bound(m, int(e), N, log_delta=math.log(delta), classes=classes)
            for e in mistakes
        ]
        assert_rarely(errors > bounds, delta)
    assert_too_often(errors > mistakes / (N - m), 0.3)


def _majority(cells, labels, m, where):
    counts = np.zeros((m, where.chances.shape[1]))
    np.add.at(counts, (cells, labels), 1)
    return counts.argmax(axis=1)


def net(distances, radius):
    """The first objects of the sample that are at least so far from all before."""
    chosen = []
    for i in range(len(distances)):
        if not chosen or distances[i, chosen].min() >= radius:
            chosen.append(i)
    return np.array(chosen)


@pytest.mark.parametrize("name", SOURCES)
def test_a_net(name):
    """With majority labels: a compression with labels; with its own: a preferent one, together with
    its errors.
    """
    classes = source(name).chances.shape[1]
    found = []
    for where, objects, labels in runs(name, 2):
        chosen = net(where.distances[np.ix_(objects, objects)], 0.25)
        cells = np.argmin(where.distances[:, objects[chosen]], axis=1)
        own, voted = (
            labels[chosen][cells],
            _majority(cells[objects], labels, len(chosen), where)[cells],
        )
        outside = np.delete(np.arange(N), chosen)
        wrong = [int(np.sum(each[objects[outside]] != labels[outside])) for each in (own, voted)]
        found.append((len(chosen), *wrong, where.error(own), where.error(voted)))
    for delta in DELTAS:
        log_delta = math.log(delta)
        for bound in (index_bound, block_bound):
            values = [
                bound(m, e, N, log_delta=log_delta, classes=classes) for m, _, e, _, _ in found
            ]
            assert_rarely(np.array([error for *_, error in found]) > values, delta)
            values = [bound(m, e, N, log_delta=log_delta) for m, e, _, _, _ in found]
            assert_rarely(np.array([error for *_, error, _ in found]) > values, delta)
        for bound in (preferent_bound, explicit_preferent_bound):
            values = [bound(m + e, N, log_delta=log_delta) for m, e, _, _, _ in found]
            assert_rarely(np.array([error for *_, error, _ in found]) > values, delta)
    voted = np.array([error for *_, error in found])
    assert_too_often(
        voted > [e / (N - m) for m, _, e, _, _ in found], 0.3
    )  # what the kept objects learned from others is paid


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_support_vectors(name):
    """On distances to five objects of the source as coordinates, one class against the others; the
    price is fixed.
    """
    where = source(name)
    coordinates = where.distances[:, :5] - where.distances[:, :5].mean(axis=0)
    negative = where.chances[:, 0]
    found = []
    for _, objects, labels in runs(name, 3):
        y = np.where(labels == 0, -1, 1)
        solved = machine(coordinates[objects], y, price=10.0)
        values = solved.decision_function(coordinates)
        inside = np.mean(negative * (-values <= 1) + (1 - negative) * (values <= 1))
        found.append((len(kept_by(solved, coordinates[objects], y)), inside))
    sizes, inside = np.array(found).T
    for delta in DELTAS:
        bounds = [support_vector_bound(int(k), N, log_delta=math.log(delta)) for k in sizes]
        assert_rarely(inside > bounds, delta)
    assert_too_often(inside > sizes / N, 0.05)


def both_bounds(where, objects, labels, log_delta):
    """Nearest neighbours in a net: certified by all objects as a compression, and by a fifth that
    is held out.
    """
    chosen = net(where.distances[np.ix_(objects, objects)], 0.25)
    own = labels[chosen][np.argmin(where.distances[:, objects[chosen]], axis=1)]
    wrong = int(np.sum(np.delete(own[objects] != labels, chosen)))
    in_sample = preferent_bound(len(chosen) + wrong, N, log_delta=log_delta)
    first, held = objects[N // 5 :], N // 5
    fewer = net(where.distances[np.ix_(first, first)], 0.25)
    label = labels[held:][fewer][np.argmin(where.distances[:, first[fewer]], axis=1)]
    held_out = binomial_inversion(
        int(np.sum(label[objects[:held]] != labels[:held])), held, log_delta=log_delta
    )
    return in_sample, held_out


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_beside_held_out_objects(name):
    """Large nets have the smaller bound by objects held out, mostly; with a handful of centres it
    is about even.
    """
    sizes, wins = [], []
    for where, objects, labels in runs(name, 4):
        in_sample, held_out = both_bounds(where, objects, labels, math.log(0.05))
        sizes.append(len(net(where.distances[np.ix_(objects, objects)], 0.25)))
        wins.append(in_sample < held_out)
    if np.mean(sizes) < 10:
        assert 0.4 < np.mean(wins) < 0.75
    else:
        assert np.mean(wins) < 0.25

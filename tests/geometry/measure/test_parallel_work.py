"""Work that is divided into chunks returns its part: it can run in another process, where nothing
that it writes is seen.
"""

import importlib
import pickle
import pkgutil

import numpy as np
import pytest
from joblib.externals.loky.backend.reduction import dumps

import wideberth
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.geometry.classes.enemies import conflict_pairs
from wideberth.geometry.measure import parallel
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.weighted import WeightedNeighbors

RNG = np.random.default_rng(0)
POINTS, QUERIES = RNG.normal(size=(3000, 2)), RNG.normal(size=(5000, 2))
LABELS = (POINTS[:, 0] + 0.3 * RNG.normal(size=3000) > 0).astype(int)
#: Those that need distances alone.
CLASSES = sorted(
    {named.load() for named in CLASSIFIERS.values() if named.suits("euclidean")},
    key=lambda cls: cls.__name__,
)


def users_of_chunks():
    """All modules that divide work."""
    names = [
        found.name
        for found in pkgutil.walk_packages(wideberth.__path__, "wideberth.")
        if "__main__" not in found.name
    ]
    modules = [importlib.import_module(name) for name in names]
    return [
        module for module in modules if getattr(module, "over_chunks", None) is parallel.over_chunks
    ]


def elsewhere(work, chunks, **_):
    """As in other processes: every chunk meets a copy of the work, and its result is a copy."""
    sent = dumps(work)
    for chunk in chunks:
        yield pickle.loads(dumps(pickle.loads(sent)(pickle.loads(dumps(chunk)))))


@pytest.fixture
def other_processes(monkeypatch):
    def start():
        modules = users_of_chunks()
        assert modules
        for module in modules:
            monkeypatch.setattr(module, "over_chunks", elsewhere)

    return start


def assert_same(ask, other_processes):
    here = ask()
    other_processes()
    for one, other in zip(here, ask(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("power", "excluded"), [(1, None), (2, np.resize([0, 1, -1], 5000)), (0, None)]
)
def test_searches_in_a_kd_tree_can_run_anywhere(power, excluded, other_processes):
    tree = kdtree.build(POINTS, LABELS)

    def ask():
        near = kdtree.nearest(tree, QUERIES, 3, power, excluded=excluded)
        around = kdtree.within(tree, QUERIES, 0.05, power, excluded=excluded)
        return [
            *near,
            *around,
            *kdtree.nearest(tree, QUERIES[:0], 3, power),
            *kdtree.within(tree, QUERIES[:0], 1.0, power),
        ]

    assert_same(ask, other_processes)


@pytest.mark.parametrize("below", [None, RNG.uniform(0, 0.5, size=5000)])
def test_weighted_searches_can_run_anywhere(below, other_processes):
    offsets = RNG.random(3000)

    def ask():
        found = WeightedNeighbors(POINTS, wideberth.metric("euclidean"))
        return [*found.least(QUERIES, offsets, 0.7, k=2, below=below), found.distance_calls]

    assert_same(ask, other_processes)


def test_conflicts_can_be_found_anywhere(other_processes):
    def ask():
        found = list(conflict_pairs(POINTS, LABELS, "euclidean", 0.05))
        return [np.concatenate(part) for part in zip(*found, strict=True)]

    assert_same(ask, other_processes)


@pytest.mark.parametrize("metric", ["euclidean", "canberra"])
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_classifiers_can_work_anywhere(cls, metric, other_processes):
    def ask():
        model = cls(metric).fit(POINTS[:150], LABELS[:150])
        return [model.predict(QUERIES[:50]), model.decision_function(QUERIES[:50])]

    assert_same(ask, other_processes)


class Taking:
    """A runner that takes everything, and remembers what."""

    worth_starting, jobs = 0.0, 2

    def __init__(self):
        self.taken = []

    def results(self, work, chunks, seconds_a_chunk):
        self.taken += chunks
        return map(work, chunks)


@pytest.mark.parametrize(("how", "taken"), [(None, []), ("elsewhere", [1, 2]), ("threads", [1, 2])])
def test_a_runner_takes_the_work_of_all_workers_but_none_that_has_no_workers(how, taken):
    runner = Taking()
    with parallel.running_on(runner):
        assert list(parallel.over_chunks(float, [1, 2], how=how, expected=3600.0)) == [1.0, 2.0]
    assert runner.taken == taken
    assert list(parallel.over_chunks(float, [1, 2], how=how, expected=0.0)) == [1.0, 2.0]

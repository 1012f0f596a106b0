"""Distances that cannot be: whoever measures them with a metric of the user gets an error with the
objects, never a radius.
"""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth
from wideberth import transforms
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.errors import BrokenAxiom, BrokenAxiomWarning, InvalidInput, NotCertified
from wideberth.metrics.functions import unchecked
from wideberth.metrics.metric import refuse_impossible

IMPOSSIBLE = [math.nan, math.inf, -math.inf, -1.0, -5e-324]
WORDS = ["a", "bb", "ccc", "dddddd", "eeeeeee", "ffffffff"]
LABELS = [0, 0, 0, 1, 1, 1]
ODD = "?" * 20


def by_pairs(broken, **promises):
    def gap(one, other):
        return (
            broken(one, other)
            if ODD in (one, other) and one != other
            else float(abs(len(one) - len(other)))
        )

    return wideberth.metric(gap, name="gap", **promises)


def measured(left, right, broken):
    gap = by_pairs(broken)
    return np.array([[gap.function(one, other) for other in right] for one in left]).reshape(
        len(left), len(right)
    )


def by_blocks(broken, **promises):
    return wideberth.Metric(
        lambda left, right: measured(left, right, broken), name="gap", **promises
    )


class Gap(wideberth.Metric):
    """A metric of a class of its own, as the guide shows."""

    def __init__(self, broken, obeys_triangle=None):
        self.broken, self._promises = (
            broken,
            wideberth.metrics.Promises(obeys_triangle=obeys_triangle),
        )

    @property
    def name(self):
        return "gap"

    def _measure(self, left, right):
        return measured(left, right, self.broken)


def by_scale(broken, **promises):
    return transforms.scale(by_pairs(broken, **promises), 2)


def by_sum(broken, **promises):
    return transforms.total(by_blocks(broken, **promises), "levenshtein")


WAYS = [by_pairs, by_blocks, Gap, by_scale, by_sum]
#: Those that need distances alone.
CLASSES = sorted(
    {named.load() for named in CLASSIFIERS.values() if named.suits("euclidean")},
    key=lambda cls: cls.__name__,
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bad", IMPOSSIBLE)
def test_a_block_with_an_impossible_distance_names_the_two_objects(way, bad):
    metric = way(lambda one, other: bad)
    assert metric.block(WORDS, WORDS).shape == (6, 6)
    with pytest.raises(BrokenAxiom) as error:
        metric.block([*WORDS[:2], ODD], WORDS)
    assert error.value.witness == (ODD, "a") or metric.accepts == "strings"
    assert np.isnan(error.value.value) if np.isnan(bad) else error.value.value in (bad, 2 * bad)
    with pytest.raises(BrokenAxiom):
        metric(ODD, "bb")
    with pytest.raises(BrokenAxiom):
        wideberth.pairwise_distances([*WORDS * 6, ODD], None, metric, n_jobs=2)
    again = pickle.loads(pickle.dumps(error.value))  # errors come back from other processes
    assert again.witness == error.value.witness
    assert str(again) == str(error.value)


@settings(max_examples=60)
@given(
    shape=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    bad=st.sampled_from([*IMPOSSIBLE, 0.0, -0.0, 5e-324, 1.5, 1.7976931348623157e308]),
    infinite=st.booleans(),
    place=st.integers(0, 24),
)
def test_the_bits_tell_what_the_numbers_tell(shape, bad, infinite, place):
    distances = np.asfortranarray(np.ones(shape)) if place % 2 else np.ones((*shape, 2))[..., 0]
    if distances.size:
        distances[np.unravel_index(place % distances.size, shape)] = bad
    possible = not distances.size or (bad >= 0 and (infinite or bad < math.inf))
    left, right = list(range(shape[0])), list(range(shape[1]))
    if possible:
        refuse_impossible(distances, left, right, "gap", infinite=infinite)
    else:
        with pytest.raises(BrokenAxiom, match=r"'gap' is \S+ between objects"):
            refuse_impossible(distances, left, right, "gap", infinite=infinite)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0])
def test_no_classifier_learns_or_certifies_from_impossible_distances(cls, way, bad):
    metric = way(lambda one, other: bad, obeys_triangle=True)
    with pytest.raises(BrokenAxiom):
        cls(metric).fit([*WORDS, ODD], [*LABELS, 1])
    model = cls(metric).fit(WORDS, LABELS)
    for ask in (model.predict, model.decision_function, model.certified_radius):
        try:
            answer = ask([ODD, "gg"])
        except (BrokenAxiom, NotCertified):
            continue
        assert len(model.predict(["gg"])) == len(
            answer[1:]
        )  # it measures nothing, so it is a constant
        assert ask is not model.certified_radius or len(set(model.predict([*WORDS, "?"]))) == 1


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0])
def test_rows_of_a_matrix_are_checked_too(cls, bad):
    matrix = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    broken = matrix.copy()
    broken[2, 6] = broken[6, 2] = bad
    with pytest.raises(InvalidInput):
        cls("precomputed").fit(broken, np.arange(8) > 3).predict(broken)
    promised = wideberth.metric("precomputed", distances=matrix, obeys_triangle=True)
    model = cls(promised).fit(np.arange(8), np.arange(8) > 3)
    with pytest.raises((BrokenAxiom, NotCertified)):
        model.certified_radius(np.full((1, 8), bad))


FALSE_PROMISES = {
    "symmetric": lambda one, other: max(0.0, one - other) + 0.5 * max(0.0, other - one),
    "triangle": lambda one, other: (one - other) ** 2,
    "zero_self": lambda one, other: abs(one - other) + 1.0,
}


@settings(max_examples=5, deadline=None)
@pytest.mark.parametrize("axiom", FALSE_PROMISES)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@given(seed=st.integers(0, 2**32), n=st.integers(4, 80))
def test_a_false_promise_is_found_by_every_classifier(cls, axiom, seed, n):
    numbers = np.random.default_rng(seed).permutation(n).astype(float)
    distance = FALSE_PROMISES[axiom]
    metric = wideberth.metric(distance, name="odd", obeys_triangle=True)
    with pytest.raises(BrokenAxiom, match="refutes the promise obeys_triangle=True") as error:
        cls(metric).fit(numbers, np.arange(n) % 2)
    assert error.value.axiom == axiom
    where = [numbers[i] for i in error.value.witness]
    if axiom == "triangle":
        i, j, k = where
        assert error.value.value == (distance(i, j), distance(i, k), distance(k, j))
        assert distance(i, j) > distance(i, k) + distance(k, j)
    space = wideberth.MetricSpace(numbers, metric)
    with pytest.raises(BrokenAxiom, match="refutes"):
        cls(space.metric).fit(space.index, np.arange(n) % 2)
    with pytest.raises(BrokenAxiom, match="refutes"):
        cls(transforms.scale(metric, 0.37)).fit(numbers, np.arange(n) % 2)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_kernel_that_is_not_positive_definite_is_found(cls):
    fourth = transforms.metric_from_kernel(
        lambda one, other: -((one - other) ** 4) / 2
    )  # so the distance is a square
    with pytest.raises(BrokenAxiom, match="refutes"):
        cls(fourth).fit(np.arange(9.0), np.arange(9) % 2)


def test_rounding_is_no_broken_promise():
    points = np.random.default_rng(0).normal(size=(50, 1))
    single = wideberth.Metric(
        lambda left, right: np.abs(left - right.T).astype(np.float32), obeys_triangle=True
    )
    wideberth.NeighborsClassifier(single).fit(points, points[:, 0] > 0)
    coarse = wideberth.Metric(
        lambda left, right: np.round(np.abs(left - right.T), 3), name="coarse", obeys_triangle=True
    )
    with pytest.warns(
        BrokenAxiomWarning,
        match=r"'coarse' breaks the triangle inequality .* withdraw obeys_triangle=True",
    ):
        wideberth.NeighborsClassifier(coarse).fit(points, points[:, 0] > 0)


def test_a_space_is_tried_once():
    calls = []

    def gap(one, other):
        calls.append(None)
        return abs(one - other)

    space = wideberth.MetricSpace(np.arange(60.0), wideberth.metric(gap, obeys_triangle=True))
    for _ in range(3):
        wideberth.NeighborsClassifier(space.metric).fit(space.index, np.arange(60) > 30)
    assert len(calls) == space.distance_calls == 4 * 4 + 60 * 59 // 2


def test_what_is_built_in():
    user = wideberth.metric(lambda one, other: abs(one - other))
    assert all(
        wideberth.metric(name).built_in
        for name in wideberth.list_metrics()
        if name != "precomputed"
    )
    assert transforms.total("euclidean", "manhattan").built_in
    assert wideberth.MetricSpace([[1.0]]).metric.built_in
    made = [
        transforms.scale(user, 2),
        transforms.largest(user, user),
        transforms.product({"age": user}),
        Gap(None),
    ]
    assert not any(
        metric.built_in for metric in [user, *made, wideberth.MetricSpace([1.0], user).metric]
    )
    assert copy.copy(user).built_in is False


@pytest.mark.parametrize("way", WAYS[:-1])
def test_who_looks_for_broken_axioms_gets_all_of_them(way):
    metric = unchecked(way(lambda one, other: math.nan))
    assert np.isnan(metric.block([ODD], WORDS)).all()
    found = wideberth.diagnose([*WORDS, ODD], way(lambda one, other: -1.0))
    assert found.violations[0].axiom == "nonnegative"
    assert found.violations[0].broken == 12

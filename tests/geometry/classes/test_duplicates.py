"""Equal objects are those at distance 0, however they are found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.geometry import equal
from strategies import metric_matrices, objects_of

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.classes import duplicates
from wideberth.geometry.classes.duplicates import group_equal


def check(objects, metric, labels=None):
    """Groups as the oracle finds them, in the order of their first members."""
    metric = wideberth.metric(metric).fitted(objects)
    distances = metric.block(objects, objects)
    np.fill_diagonal(distances, 0.0)
    found = group_equal(objects, metric, labels=labels)
    assert found.group_of.tolist() == equal.groups(distances)
    assert found.group_of[found.representatives].tolist() == list(range(len(found)))
    assert all(
        found.members(group)[0] == first for group, first in enumerate(found.representatives)
    )
    np.testing.assert_array_equal(found.weights, np.bincount(found.group_of, minlength=len(found)))
    return found


@pytest.mark.few(12)
@pytest.mark.parametrize("name", [name for name in objects_of if name != "precomputed"])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_objects_of_every_kind(name, data):
    objects = data.draw(objects_of[name])
    again = data.draw(st.lists(st.integers(0, len(objects) - 1), max_size=6))
    repeated = (
        objects[again] if isinstance(objects, np.ndarray) else [objects[index] for index in again]
    )
    check(
        np.concatenate([objects, repeated])
        if isinstance(objects, np.ndarray)
        else [*objects, *repeated],
        name,
    )


@settings(max_examples=40, deadline=None)
@given(metric_matrices(), st.booleans(), st.randoms(use_true_random=False))
def test_any_metric_space(matrix, promised, random):
    order = random.sample(range(len(matrix)), len(matrix))
    matrix = matrix[np.ix_(order, order)] * 0.37
    check(
        list(range(len(matrix))),
        wideberth.metric("precomputed", distances=matrix, obeys_triangle=promised or None),
    )


def test_many_objects_are_compared_in_blocks(monkeypatch):
    monkeypatch.setattr(duplicates, "_ROWS", 3)
    monkeypatch.setattr(duplicates, "_COLUMNS", 4)
    rng = np.random.default_rng(0)
    numbers = list(rng.integers(0, 12, 40).tolist())
    for promised in (True, None):
        check(
            numbers, wideberth.metric(lambda one, other: abs(one - other), obeys_triangle=promised)
        )
    check(
        numbers, wideberth.metric(lambda one, other: max(0, abs(one - other) - 1))
    )  # no equivalence: still the first one


@pytest.mark.parametrize(
    ("metric", "objects", "groups"),
    [
        ("jaccard", [[1, 2, 2], [2, 1], {1, 2}, {3}, (3, 3)], [0, 0, 0, 1, 1]),
        ("jaccard", [{1}, {1.0}, {2}], [0, 0, 1]),
        ("levenshtein", [["a", "b"], ("a", "b"), ["ab"], ["a", "b"]], [0, 0, 1, 0]),
        ("levenshtein", [b"tea", b"tea", b"rum"], [0, 0, 1]),
        ("euclidean", [[0.0, -0.0], [-0.0, 0.0], [0.0, 1e-9]], [0, 0, 1]),
        (
            "euclidean",
            [[0.0], [1e-200], [1.0]],
            [0, 0, 1],
        ),  # the square is too small for a double: distance 0
        ("euclidean", [[0, 1], [0, 1], [1, 0]], [0, 0, 1]),
        (
            wideberth.metric("minkowski", p=40),
            [[1.0], [1.0 + 1e-15], [2.0]],
            [0, 1, 2],
        ),  # no power underflows
        ("hamming", np.array([[1, 2], [1, 2], [2, 1]], dtype=np.int8), [0, 0, 1]),
        ("dtw", [[1.0, 1.0, 2.0], [1.0, 2.0], [2.0]], [0, 0, 1]),
        ("levenshtein", [], []),
        ("euclidean", np.empty((0, 2)), []),
        ("euclidean", np.zeros((3, 1)), [0, 0, 0]),
    ],
)
def test_hashing_is_used_only_where_it_means_the_same(metric, objects, groups):
    if len(groups):
        assert (wideberth.metric(metric).block(objects, objects) == 0).tolist() == np.equal.outer(
            groups, groups
        ).tolist()
    assert group_equal(objects, metric).group_of.tolist() == groups


def test_rows_of_one_hash_are_told_apart(monkeypatch):
    rows = np.arange(6.0).repeat(2).reshape(6, 2)[[0, 1, 0, 2, 1, 0]]
    expected = duplicates._first_equal_row(rows)
    assert expected.tolist() == [0, 1, 0, 3, 1, 0]
    monkeypatch.setattr(
        np, "argsort", lambda hashes, kind: np.arange(len(hashes))
    )  # as if all hashes were equal
    monkeypatch.setattr(np, "diff", lambda hashes: np.zeros(len(hashes) - 1))
    assert duplicates._first_equal_row(rows).tolist() == expected.tolist()


def test_hashing_measures_nothing(monkeypatch):
    words = ["tea", "rum", "tea"]
    monkeypatch.setattr(wideberth.metrics.strings.edits.Levenshtein, "_measure", None)
    assert group_equal(words, "levenshtein").group_of.tolist() == [0, 1, 0]


def test_pivots_save_most_distances():
    calls = []

    def gap(left, right):
        calls.append(len(left) * len(right))
        return np.abs(np.subtract.outer(left, right))

    numbers = np.random.default_rng(0).random(3000).round(6)
    groups = group_equal(numbers, wideberth.Metric(gap, obeys_triangle=True))
    assert len(groups) == len(np.unique(numbers))
    assert sum(calls) < 6 * 3000


def test_weights_are_added_and_conflicts_named():
    objects = ["tea", "rum", "tea", "milk", "rum", "tea"]
    labels = ["leaf", "sugar", "drink", "cow", "sugar", "leaf"]
    groups = group_equal(objects, "levenshtein", labels=labels, weights=[1, 2, 0.5, 4, 8, 0])
    assert groups.representatives.tolist() == [0, 1, 3]
    assert groups.weights.tolist() == [1.5, 10.0, 4.0]
    (conflict,) = groups.conflicts
    assert conflict.group == 0
    assert conflict.members.tolist() == [0, 2, 5]
    assert conflict.labels.tolist() == ["leaf", "drink", "leaf"]
    assert "object 2 is 'drink'" in str(conflict)
    assert group_equal(objects, "levenshtein", labels=[1] * 6).conflicts == ()
    assert group_equal([], "levenshtein", labels=[]).conflicts == ()


def test_weights_and_labels_are_one_for_each_object():
    for wrong in ({"weights": [1.0]}, {"labels": ["a"]}):
        with pytest.raises(InvalidInput, match="3 objects"):
            group_equal(["a", "b", "c"], "levenshtein", **wrong)

"""The public check fails where an index finds something else than brute force."""

import numpy as np
import pytest

import wideberth
from wideberth.checks import check_index
from wideberth.geometry.search.index import Index, Neighborhoods, Neighbors

NUMBERS = np.array([[0.0], [1.0], [1.0], [2.0], [5.0], [6.0], [9.0]])


class Fickle:
    """An index that can be broken in many ways."""

    fault = None

    def __init__(self, objects, metric, *, labels):
        self.index = Index(objects, metric, labels=labels, engine="brute")

    @property
    def distance_calls(self):
        calls = self.index.distance_calls
        return -calls if self.fault == "calls" else calls

    def delete(self, indices):
        if self.fault != "deaf":
            self.index.delete(indices)

    def nearest(self, queries, k, excluding=None):
        indices, distances = self.index.nearest(
            queries, k, excluding=None if self.fault == "labels" else excluding
        )
        match self.fault:
            case "far":
                distances = distances + 1
            case "ties":
                last = self.index.nearest(queries, len(NUMBERS)).distances
                tied = (indices == 1) & (last[:, 1:2] > 0)
                indices = np.where(tied & ~(indices == 2).any(axis=1, keepdims=True), 2, indices)
            case "twice":
                indices, distances = indices[:, [0] * k], distances[:, [0] * k]
            case "flat":
                indices = indices[:, 0]
            case "short":
                indices = np.where(np.arange(k) >= 1, -1, indices)
            case "long":
                indices = np.where(indices < 0, 0, indices)
            case "near":
                distances = np.where(np.isinf(distances), 0, distances)
            case "none" if not len(indices):
                indices = indices.ravel()
            case "alone" if len(indices) == 1:
                distances = distances + 1
        return Neighbors(indices, distances)

    def within(self, queries, radius, excluding=None, strict=False):
        found = self.index.within(
            queries, radius, excluding=excluding, strict=strict and self.fault != "closed"
        )
        match self.fault:
            case "unsorted":
                return found._replace(indices=found.indices[::-1])
            case "measures":
                return found._replace(distances=found.distances + 1)
            case "no start" if not len(queries):
                return Neighborhoods(found.starts[:0], found.indices, found.distances)
        return found


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("calls", "distance_calls went down"),
        ("deaf", "deleted or excluded"),
        ("labels", "deleted or excluded"),
        ("far", "are not the distances"),
        ("ties", "by brute force"),
        ("twice", "an object twice"),
        ("flat", "shape"),
        ("short", "exist, but"),
        ("long", "must be -1"),
        ("near", "must be at infinity"),
        ("none", r"shape \(0, k\)"),
        ("alone", "alone is answered differently"),
        ("closed", "objects were found, by brute force"),
        ("unsorted", "by brute force"),
        ("measures", "are not the distances"),
        ("no start", r"starts is \[0\]"),
    ],
)
def test_a_faulty_index_is_found(fault, message):
    check_index(Fickle, NUMBERS)
    broken = type("Broken", (Fickle,), {"fault": fault})
    with pytest.raises(AssertionError, match=message):
        check_index(broken, NUMBERS)


def test_eta_allows_so_much_and_no_more():
    def approximate(objects, metric, labels):
        index = Fickle(objects, metric, labels=labels)
        index.nearest = lambda queries, k, excluding=None: _second_first(
            index.index, queries, k, excluding
        )
        return index

    numbers = np.array([[10.0], [11.0], [10.5]])
    check_index(approximate, numbers, queries=np.array([[0.0]]), labels=[0, 1, 2], eta=0.2)
    with pytest.raises(AssertionError, match=r"beyond 1 \+ eta = 1.01"):
        check_index(approximate, numbers, queries=np.array([[0.0]]), labels=[0, 1, 2], eta=0.01)


def _second_first(index, queries, k, excluding):
    """Leave out the nearest of three objects for k = 1."""
    found = index.nearest(queries, k + 1, excluding=excluding)
    if k == 1 and len(found.indices) and found.indices[0, 1] >= 0:
        return Neighbors(found.indices[:, 1:], found.distances[:, 1:])
    return Neighbors(found.indices[:, :k], found.distances[:, :k])


def test_a_matrix_and_a_metric_of_ones_own():
    check_index(Index, np.abs(NUMBERS - NUMBERS.T), "precomputed")
    check_index(
        Index, NUMBERS, wideberth.Metric(lambda left, right: abs(left - right.T), name="gap")
    )


def test_two_objects_are_needed():
    with pytest.raises(AssertionError, match="at least two"):
        check_index(Index, ["tea"], "levenshtein")

"""Functions of two objects and of two blocks as metrics."""

import warnings

import numpy as np
import pytest

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput, SlowMetricWarning


def length_gap(one, other):
    return abs(len(one) - len(other))


def length_gaps(left, right):
    return abs(np.array([len(each) for each in left])[:, None] - [len(each) for each in right])


WORDS = ["tea", "coffee", "milk", "water", "rum"]


def test_both_forms_measure_the_same_and_promise_what_they_are_told():
    by_pair = wideberth.metric(length_gap, obeys_triangle=True, separates=False, step=1)
    by_block = wideberth.Metric(
        length_gaps, obeys_triangle=True, hilbertian=True, negative_type=True, step=1
    )
    assert by_pair.name == "length_gap"
    assert by_pair.hilbertian is None
    assert (by_block.hilbertian, by_block.step, by_block.bounded) == (True, 1, None)
    np.testing.assert_array_equal(by_pair.block(WORDS, WORDS), by_block.block(WORDS, WORDS))
    check_metric(by_pair, WORDS)
    check_metric(by_block, WORDS)
    assert by_block("tea", "coffee") == 3


def test_any_object_will_do():
    class Thing:
        def __init__(self, size):
            self.size = size

    things = [Thing(size) for size in (1, 4, 6)]
    metric = wideberth.metric(lambda one, other: abs(one.size - other.size))
    assert metric.block(things, things)[0].tolist() == [0, 3, 5]


def test_lists_of_equal_length_stay_lists():
    metric = wideberth.metric(lambda one, other: float(one != other))
    assert metric.block([[1, 2], [1, 2], [3, 4]], [[1, 2]]).ravel().tolist() == [0, 0, 1]


def test_one_warning_about_speed():
    metric = wideberth.metric(length_gap)
    many = WORDS * 25
    with pytest.warns(SlowMetricWarning, match=r"'length_gap' is a Python function.*15,625 pairs"):
        metric.block(many, many)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.block(many, many)


def test_wrong_results_are_shown():
    with pytest.raises(InvalidInput, match="returned 'far' for 'tea' and 'tea'"):
        wideberth.metric(lambda one, other: "far", name="odd").block(WORDS, WORDS)
    with pytest.raises(InvalidInput, match=r"returned shape \(\) for blocks of 5 and 5"):
        wideberth.Metric(lambda left, right: 3.0).block(WORDS, WORDS)
    with pytest.raises(InvalidInput, match="needs a function of two blocks, not 'levenshtein'"):
        wideberth.Metric("levenshtein")


class Doubled(wideberth.Metric):
    """A metric made of another."""

    name = "doubled"

    def __init__(self, base):
        self.base = base

    def prepare(self, objects):
        return self.base.prepare(objects)

    def _measure(self, left, right):
        return 2 * self.base.block(left, right)


def test_nested_metrics_are_reached_by_name():
    doubled = Doubled(wideberth.metric("minkowski", p=3))
    assert doubled.get_params()["base__p"] == 3
    doubled.set_params(base__p=1)
    assert doubled([0, 0], [3, 4]) == 14

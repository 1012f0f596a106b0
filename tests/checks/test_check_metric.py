"""The public checks fail where a metric breaks its contract."""

import numpy as np
import pytest

import wideberth
from wideberth.checks import check_metric

NUMBERS = np.array([[0.0], [1.0], [2.0], [5.0]])


def gaps(left, right):
    return abs(left - right.T)


class Fickle(wideberth.Metric):
    """A metric that can be broken in many ways."""

    name = "fickle"

    def __init__(self, fault=None):
        self.fault = fault

    def prepare(self, objects):
        return np.asarray(objects, dtype=float)

    def _measure(self, left, right):
        out = gaps(left, right)
        match self.fault:
            case "float32":
                return out.astype(np.float32)
            case "flat":
                return out.ravel()
            case "alone":
                return out + (out.size == 1)
            case "order":
                return out + np.arange(len(left))[:, None]
        return out


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("float32", "float32"),
        ("flat", "shape"),
        ("alone", "alone and in a block"),
        ("order", "order of the objects"),
    ],
)
def test_a_faulty_block_is_found(fault, message):
    check_metric(Fickle(), NUMBERS)
    with pytest.raises(AssertionError, match=message):
        check_metric(Fickle(fault), NUMBERS)


@pytest.mark.parametrize(
    ("promises", "function", "message"),
    [
        ({"obeys_triangle": True}, lambda a, b: (a - b.T) ** 2, "triangle inequality"),
        ({"obeys_triangle": True}, lambda a, b: np.maximum(a - b.T, 0), "not symmetric"),
        ({"hilbertian": True}, lambda a, b: (a - b.T) ** 2, "promises hilbertian"),
        ({"negative_type": True}, lambda a, b: abs(a - b.T) ** 3, "promises negative_type"),
        ({"step": 2}, gaps, "promises steps of 2"),
        ({"separates": True}, lambda a, b: 0 * gaps(a, b), "promises to separate"),
    ],
)
def test_a_broken_promise_is_found(promises, function, message):
    check_metric(wideberth.Metric(function), NUMBERS)
    with pytest.raises(AssertionError, match=message):
        check_metric(wideberth.Metric(function, **promises), NUMBERS)


def test_parameters_must_come_back_as_given():
    class Forgetful(Fickle):
        def __init__(self, fault=None):
            self.fault = None

        def get_params(self, deep=True):
            return {"fault": object()}

    with pytest.raises(AssertionError, match="get_params must return what was given"):
        check_metric(Forgetful(), NUMBERS)


def test_an_unpicklable_metric_is_found():
    class Local(Fickle):
        pass

    with pytest.raises(AssertionError, match="cannot be pickled"):
        check_metric(Local(), NUMBERS)


def test_three_objects_are_needed():
    with pytest.raises(AssertionError, match="at least three"):
        check_metric("levenshtein", ["tea", "rum"])

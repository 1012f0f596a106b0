"""Axioms tried on some objects of a sample: witnesses are named by their positions in the whole
sample.
"""

import numpy as np
import pytest

import wideberth
from wideberth.errors import BrokenAxiom
from wideberth.geometry.measure.sampled_axioms import broken_axioms, broken_triangle

SQUARED = wideberth.Metric(
    lambda left, right: (left - right.T) ** 2, name="squared", obeys_triangle=True
)


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
def test_a_triangle_is_found_among_many_objects():
    def squared(one, other):
        return (one - other) ** 2

    metric = wideberth.metric(squared)
    found = broken_triangle(metric.prepare(list(range(400))), metric, random_state=3)
    i, j, k = found.objects
    assert squared(i, j) > squared(i, k) + squared(k, j)
    promised = wideberth.metric(squared, obeys_triangle=True)
    with pytest.raises(BrokenAxiom, match="refutes the promise"):
        broken_triangle(promised.prepare(list(range(400))), promised, random_state=3)
    line = wideberth.metric("precomputed", distances=np.abs(np.arange(5.0)[:, None] - np.arange(5)))
    assert broken_triangle(np.arange(5), line, random_state=None) is None


def test_promises_are_tried_too_and_witnesses_keep_their_positions():
    points = np.arange(1000.0)[:, None]
    (violation,) = broken_axioms(points, SQUARED, most=40, random_state=1)
    i, j, k = violation.objects
    assert violation.values == ((i - j) ** 2, (i - k) ** 2, (k - j) ** 2)
    assert max(violation.objects) > 40
    assert violation.tried == 40 * 39 * 38 // 6


@pytest.mark.parametrize("most", [None, 5, 9])
def test_small_samples_are_examined_whole(most):
    (violation,) = broken_axioms(np.arange(5.0)[:, None], SQUARED, most=most, random_state=None)
    assert violation.objects == (0, 4, 2)
    assert violation.tried == 10


def test_rows_of_distances_have_no_distances_to_each_other():
    table = wideberth.metric("precomputed", distances=[[0.0, 1.0], [1.0, 0.0]])
    assert broken_axioms(np.array([[5.0, 1.0], [0.5, 0.4]]), table, most=None, random_state=0) == []

"""What makes a metric doubtful: a witness, a denial, or no promise."""

import numpy as np
import pytest

import wideberth
from wideberth.guarantees.training_sample import TRIED, metric_doubts, violations_on_sample


def test_a_promise_that_is_kept_is_believed():
    assert metric_doubts(np.arange(200.0)[:, None], wideberth.metric("euclidean")) == ()


@pytest.mark.parametrize(
    ("metric", "said"), [("dtw", "does not obey"), (None, "does not promise to obey")]
)
def test_without_a_promise_there_is_a_doubt(metric, said):
    measure = (
        wideberth.metric(metric)
        if metric
        else wideberth.Metric(lambda a, b: np.abs(a - b.T), name="gaps")
    )
    objects = measure.prepare([[1.0], [1.0]]) if metric else np.array([[1.0], [2.0]])
    assert metric_doubts(objects, measure) == (
        f"{measure.name!r} {said} the triangle inequality, which this needs.",
    )


def test_the_witness_is_named_by_its_place_in_the_sample():
    squared = wideberth.Metric(lambda a, b: (a - b.T) ** 2, name="squared", obeys_triangle=True)
    points = np.arange(1000.0)[:, None]
    (violation,) = violations_on_sample(points, squared)
    i, j, k = violation.objects
    assert violation.values == ((i - j) ** 2, (i - k) ** 2, (k - j) ** 2)
    assert max(violation.objects) > TRIED
    assert f"d({i}, {j})" in metric_doubts(points, squared)[0]


def test_rows_of_distances_have_nothing_to_try():
    table = wideberth.metric("precomputed", distances=[[0.0, 1.0], [1.0, 0.0]], obeys_triangle=True)
    assert metric_doubts(np.array([[5.0, 1.0], [0.5, 0.4]]), table) == ()

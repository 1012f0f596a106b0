"""Schoenberg's functions of metrics: their values, what they keep, and what they do not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics import transforms as twins
from sklearn.model_selection import GridSearchCV
from strategies import hilbertian_matrices, metric_matrices, vectors

import wideberth
from wideberth import transforms
from wideberth.checks import check_metric
from wideberth.errors import BrokenAxiom, InvalidInput
from wideberth.metrics.metric import Metric, Promises
from wideberth.metrics.transforms.metric_preserving import Schoenberg

positive_numbers = st.floats(0.01, 100)
terms = st.lists(st.tuples(positive_numbers, positive_numbers), min_size=1, max_size=3)
linear_terms = st.sampled_from([0, 0.0, 0.37, 20])


def of(inner, pairs, linear=0.0):
    weights, rates = zip(*pairs, strict=True)
    return transforms.schoenberg(inner, list(weights), list(rates), linear)


def on_the_line(metric, distances):
    return metric.block([[0.0]], np.reshape(distances, (-1, 1)))[0]


@given(vectors(), terms, linear_terms)
@settings(max_examples=30, deadline=None)
def test_values_equal_the_formula(rows, pairs, linear):
    distances = wideberth.metric("manhattan").block(rows, rows)
    metric = of("manhattan", pairs, linear)
    twin = np.vectorize(
        lambda t: twins.schoenberg(t, metric.weights, metric.rates, linear), otypes=[float]
    )
    np.testing.assert_allclose(metric.block(rows, rows), twin(distances), rtol=1e-7, atol=1e-7)


@given(hilbertian_matrices(), terms, linear_terms)
@settings(max_examples=50, deadline=None)
def test_hilbertian_spaces_stay_hilbertian(matrix, pairs, linear):
    metric = of(wideberth.metric("precomputed", distances=matrix, hilbertian=True), pairs, linear)
    assert metric.hilbertian
    assert metric.negative_type
    check_metric(metric, np.arange(len(matrix)))
    assert not wideberth.diagnose(np.arange(len(matrix)), metric).broken_promises


@given(metric_matrices(), terms, linear_terms)
@settings(max_examples=50, deadline=None)
def test_any_metric_keeps_the_triangle_inequality(matrix, pairs, linear):
    metric = of(
        wideberth.metric("precomputed", distances=matrix, obeys_triangle=True), pairs, linear
    )
    assert metric.obeys_triangle
    assert metric.hilbertian is None
    check_metric(metric, np.arange(len(matrix)))


@given(terms, linear_terms, st.floats(0, 1e3), st.floats(0, 1e3))
@settings(max_examples=100, deadline=None)
def test_it_increases_and_is_subadditive(pairs, linear, one, other):
    f_one, f_other, f_both = on_the_line(of("euclidean", pairs, linear), [one, other, one + other])
    assert max(f_one, f_other) <= f_both <= (f_one + f_other) * (1 + 1e-12)


def test_it_need_not_be_concave():
    low, middle, high = on_the_line(
        transforms.schoenberg("euclidean", [1], [1], linear=0.01), [3, 10, 17]
    )
    assert middle < (low + high) / 2


def test_short_and_long_distances_keep_their_digits():
    bounded = transforms.schoenberg("chebyshev", [9, 16], [1, 4])  # which squares nothing itself
    tiny = on_the_line(bounded, [1e-300, 1e-100, 1e-20, 1e-8, 2e-8])
    np.testing.assert_allclose(
        tiny / [1e-300, 1e-100, 1e-20, 1e-8, 2e-8], math.sqrt(9 + 64), rtol=1e-12
    )
    assert on_the_line(bounded, [0, 1e100, 1e140]).tolist() == [0, 5, 5]
    matrix = wideberth.metric("precomputed", distances=[[0, np.inf], [np.inf, 0]])
    assert transforms.schoenberg(matrix, [9, 16], [1, 4])(0, 1) == 5
    with pytest.raises(BrokenAxiom, match="is inf between"):
        transforms.schoenberg(matrix, [9, 16], [1, 4], linear=0.1)(0, 1)
    unbounded = transforms.schoenberg("chebyshev", [9, 16], [1, 4], linear=4)
    np.testing.assert_allclose(
        on_the_line(unbounded, [1e-300, 1e140, 1e149]),
        [math.sqrt(77) * 1e-300, 2e140, 2e149],
        rtol=1e-12,
    )
    vast = wideberth.metric("precomputed", distances=[[0, 1e200], [1e200, 0]])
    assert transforms.schoenberg(vast, [9, 16], [1, 4], linear=4)(0, 1) == pytest.approx(2e200)
    near = np.nextafter(1e-8, [0, 1])  # where one formula takes over from the other
    assert np.diff(on_the_line(transforms.schoenberg("euclidean", [1], [1]), near)) >= 0


HILBERTIAN = Promises(
    obeys_triangle=True, hilbertian=True, negative_type=True, bounded=False, separates=True
)
NEGATIVE = Promises(
    obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False
)
NOTHING = Promises(
    obeys_triangle=False,
    hilbertian=False,
    negative_type=False,
    bounded=False,
    separates=False,
    step=1,
)


@pytest.mark.parametrize(
    ("inner", "linear", "expected"),
    [
        (
            HILBERTIAN,
            0,
            Promises(
                obeys_triangle=True,
                hilbertian=True,
                negative_type=True,
                bounded=True,
                separates=True,
            ),
        ),
        (HILBERTIAN, 2, HILBERTIAN),
        (
            Promises(hilbertian=True),
            0,
            Promises(obeys_triangle=True, hilbertian=True, negative_type=True, bounded=True),
        ),
        (NEGATIVE, 0, Promises(obeys_triangle=True, bounded=True, separates=False)),
        (NEGATIVE, 2, Promises(obeys_triangle=True, bounded=True, separates=False)),
        (NOTHING, 0, Promises(bounded=True, separates=False)),
        (NOTHING, 2, Promises(bounded=False, separates=False)),
        (Promises(), 0, Promises(bounded=True)),
        (Promises(), 2, Promises()),
    ],
)
def test_promises(inner, linear, expected):
    metric = Metric(lambda left, right: np.zeros((len(left), len(right))), **vars(inner))
    assert Schoenberg(metric, [1, 2], [3, 4], linear).promises == expected


def test_negative_type_is_not_enough_so_nothing_is_promised():
    """The corners of a cube in the Manhattan metric: of negative type, but exp(-d^2) is not
    positive definite on them.
    """
    corners = np.array(list(np.ndindex(2, 2, 2, 2)), dtype=float)
    inside, outside = wideberth.metric("manhattan"), transforms.schoenberg("manhattan", [1], [0.01])
    assert not wideberth.diagnose(corners, inside).spectrum[1].violated
    assert wideberth.diagnose(corners, outside).spectrum[0].violated
    assert outside.hilbertian is None
    rooted = transforms.schoenberg(
        transforms.power("manhattan", 0.5), [1], [0.01]
    )  # what the docstring advises
    assert rooted.hilbertian
    check_metric(rooted, corners)


@given(vectors(), st.floats(0.001, 1))
@settings(max_examples=30, deadline=None)
def test_gaussian_and_laplace_kernels_measure_it(rows, rate):
    for inner, kernel in (
        ("euclidean", lambda one, other: math.exp(-rate * np.sum((one - other) ** 2))),
        (
            transforms.power("manhattan", 0.5),
            lambda one, other: math.exp(-rate * np.abs(one - other).sum()),
        ),
    ):
        measured = transforms.schoenberg(inner, [2], [rate]).block(rows, rows)
        np.testing.assert_allclose(
            transforms.metric_from_kernel(kernel).block(rows, rows), measured, atol=1e-6
        )


def test_rates_and_weights_are_searched_and_named():
    cloud = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat(
        [[0.0, 0.0], [2.5, 0.0]], 30, axis=0
    )
    metric = transforms.schoenberg("euclidean", [1.0, 0.5], [0.25, 2])
    assert metric.name == "schoenberg(euclidean, [1, 0.5], [0.25, 2], 0)"
    grid = {"metric__rates": [[0.1, 1], [1, 10]], "metric__linear": [0, 1]}
    search = GridSearchCV(wideberth.NeighborsClassifier(metric, n_neighbors=3), grid, cv=3).fit(
        cloud, [0] * 30 + [1] * 30
    )
    assert search.best_score_ > 0.7
    assert metric.rates == [0.25, 2]
    assert transforms.schoenberg("euclidean", np.array([4.0]), (0.1,))([0.0], [300.0]) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: transforms.schoenberg("euclidean", 2, [1]),
            r"weights=2 are not .* Pass a list: weights=\[2.0\]",
        ),
        (lambda: transforms.schoenberg("euclidean", [], []), "weights=\\[\\] are not one or more"),
        (
            lambda: transforms.schoenberg("euclidean", [1], np.array(3.0)),
            "rates=array\\(3.\\) are not",
        ),
        (
            lambda: transforms.schoenberg("euclidean", [1], ["1"]),
            r"rates\[0\] must be a positive number, not '1'",
        ),
        (
            lambda: transforms.schoenberg("euclidean", [1, 0], [1, 1]),
            r"weights\[1\] must be a positive.*give it no weight",
        ),
        (
            lambda: transforms.schoenberg("euclidean", [[1], [2, 3]], [1, 1]),
            r"weights\[0\] must be a positive number, not \[1\]",
        ),
        (
            lambda: transforms.schoenberg("euclidean", [1, 2], [1]),
            "There are 2 weights and 1 rates.*Each weight needs its rate",
        ),
        (
            lambda: transforms.schoenberg("euclidean", [1], [1], linear=-1),
            "must be a nonnegative number, not -1",
        ),
        (
            lambda: transforms.schoenberg("euclidean", [1], [1], linear=True),
            "must be a nonnegative number, not True",
        ),
        (
            lambda: Schoenberg("euclidean", [1], [1]),
            "Schoenberg needs a Metric.*wideberth.transforms.schoenberg also takes",
        ),
    ],
)
def test_parameters_are_checked(wrong, message):
    with pytest.raises(InvalidInput, match=message):
        wrong()

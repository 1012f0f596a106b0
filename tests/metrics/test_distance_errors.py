"""Computed distances are as close to the exact ones as the metrics say
(`Metric.distance_errors`).
"""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from attacked_radii import COVARIANCE, square_kernel

import wideberth as wb

transforms = wb.transforms
random = np.random.default_rng(0)


def decimals(row):
    return [Decimal(float(number)) for number in row]


def euclidean(one, other):
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True)).sqrt()


def total_variation(one, other):
    return sum(abs(a / sum(one) - b / sum(other)) for a, b in zip(one, other, strict=True)) / 2


def hellinger(one, other):
    pairs = zip(one, other, strict=True)
    return (
        sum(((a / sum(one)).sqrt() - (b / sum(other)).sqrt()) ** 2 for a, b in pairs) / 2
    ).sqrt()


def chi2(one, other):
    shares = [(a / sum(one), b / sum(other)) for a, b in zip(one, other, strict=True)]
    return (sum((a - b) ** 2 / (a + b) for a, b in shares) / 2).sqrt()


def work(one, other):
    gaps = (a / sum(one) - b / sum(other) for a, b in zip(one, other, strict=True))
    moved, carried = Decimal(0), Decimal(0)
    for gap in gaps:
        carried += gap
        moved += abs(carried)
    return moved - abs(carried)


def angle(one, other):
    """Of vectors that are nearly parallel: the sine, and the first terms of its inverse."""
    cross = abs(one[0] * other[1] - one[1] * other[0])
    sine = cross / (sum(a * a for a in one).sqrt() * sum(b * b for b in other).sqrt())
    return sine + sine**3 / 6 + 3 * sine**5 / 40


def mahalanobis(one, other):
    whitening = wb.metric("mahalanobis", covariance=COVARIANCE)._whitening
    step = [a - b for a, b in zip(one, other, strict=True)]
    return sum(
        sum(step[i] * Decimal(float(whitening[i, k])) for i in range(2)) ** 2 for k in range(2)
    ).sqrt()


def of_square_kernel(one, other):
    def kernel(x, y):
        return sum(a * b for a, b in zip(x, y, strict=True)) ** 2

    return (kernel(one, one) + kernel(other, other) - 2 * kernel(one, other)).sqrt()


def ruzicka(one, other):
    pairs = list(zip(one, other, strict=True))
    return 1 - sum(min(pair) for pair in pairs) / sum(max(pair) for pair in pairs)


def minkowski(one, other):
    powers = sum(abs(a - b) ** 7 for a, b in zip(one, other, strict=True))
    return (powers.ln() / 7).exp() if powers else powers


def close_rows(offset, steps, columns=2):
    """Rows around an offset, at steps of very different sizes."""
    return offset + np.vstack([step * random.normal(size=(4, columns)) for step in steps])


def positive_rows():
    base = random.random((3, 5)) + 0.1
    return np.vstack(
        [
            base,
            base * (1 + 1e-9 * random.random((3, 5))),
            3.7 * base,
            base * (1 + 1e-14 * random.random((3, 5))),
        ]
    )


def linear(dtype=np.float64):
    def kernel(left, right):
        return (left.astype(dtype) @ right.astype(dtype).T).astype(dtype)

    return transforms.metric_from_kernel(kernel, blocks=True, accepts="vectors")


FAR = close_rows(1e6, [1e-3, 1.0, 1e3, 1e6])
#: The metric, objects, and the exact distance.
CASES = {
    "euclidean": (wb.metric("euclidean"), close_rows(1e12, [1e-3, 1.0, 1e9]), euclidean),
    "minkowski, large": (wb.metric("minkowski", p=7.0), close_rows(0.0, [1e60, 1e140]), minkowski),
    "minkowski, small": (
        wb.metric("minkowski", p=7.0),
        close_rows(0.0, [1e-60, 1e-140]),
        minkowski,
    ),
    "mahalanobis": (
        wb.metric("mahalanobis", covariance=COVARIANCE),
        close_rows(1e9, [1e-3, 1.0, 1e9]),
        mahalanobis,
    ),
    "angular": (wb.metric("angular"), close_rows(3.0, [1e-16, 1e-12, 1e-6, 1e-3]), angle),
    "total_variation": (wb.metric("total_variation"), positive_rows(), total_variation),
    "hellinger": (wb.metric("hellinger"), positive_rows(), hellinger),
    "chi2": (wb.metric("chi2"), positive_rows(), chi2),
    "wasserstein_1d": (wb.metric("wasserstein_1d"), positive_rows(), work),
    "ruzicka": (wb.metric("ruzicka"), positive_rows(), ruzicka),
    "kernel": (linear(), FAR, euclidean),
    "kernel in single precision": (
        linear(np.float32),
        close_rows(10, [1.0, 10.0]).astype(np.float32).astype(float),
        euclidean,
    ),
    "square kernel": (
        transforms.metric_from_kernel(square_kernel, blocks=True, accepts="vectors"),
        close_rows(100.0, [1e-2, 1.0, 1e3]),
        of_square_kernel,
    ),
    "scale": (transforms.scale(linear(), 3.0), FAR, lambda one, other: 3 * euclidean(one, other)),
    "cap": (
        transforms.cap(linear(), 10.0),
        FAR,
        lambda one, other: min(euclidean(one, other), Decimal(10)),
    ),
    "power": (
        transforms.power(linear(), 0.5),
        FAR,
        lambda one, other: euclidean(one, other).sqrt(),
    ),
    "saturate": (
        transforms.saturate(linear()),
        FAR,
        lambda one, other: (d := euclidean(one, other)) / (1 + d),
    ),
    "one_minus_exp": (
        transforms.one_minus_exp(linear()),
        FAR,
        lambda one, other: 1 - (-euclidean(one, other)).exp(),
    ),
    "schoenberg": (
        transforms.schoenberg(linear(), weights=[2.0], rates=[1.0]),
        FAR,
        lambda one, other: (2 - 2 * (-(euclidean(one, other) ** 2)).exp()).sqrt(),
    ),
    "total": (
        transforms.total(linear(), "euclidean"),
        FAR,
        lambda one, other: 2 * euclidean(one, other),
    ),
    "largest": (transforms.largest(linear(), "euclidean"), FAR, euclidean),
    "product": (
        transforms.product({0: linear(), 1: "euclidean"}, p=2),
        [(row, row[1]) for row in FAR],
        lambda one, other: (euclidean(one[0], other[0]) ** 2 + (one[1] - other[1]) ** 2).sqrt(),
    ),
}


def exact(objects, distance):
    with localcontext(prec=80):
        exactly = [
            (decimals(one[0]), Decimal(float(one[1]))) if isinstance(one, tuple) else decimals(one)
            for one in objects
        ]
        return [[distance(one, other) for other in exactly] for one in exactly]


@pytest.mark.parametrize("name", CASES)
def test_distances_are_as_close_as_the_metric_says(name):
    metric, objects, distance = CASES[name]
    prepared = metric.prepare(objects)
    relative, absolute = metric.distance_errors(prepared)
    computed, true = metric.block(prepared, prepared), exact(objects, distance)
    assert absolute.shape == (len(computed),)
    for i, row in enumerate(true):
        for j, d in enumerate(row):
            limit = Decimal(relative) * d + Decimal(min(absolute[i], absolute[j]))
            assert abs(Decimal(computed[i, j]) - d) <= limit, (i, j, computed[i, j], d)


@pytest.mark.parametrize("name", ["kernel", "mahalanobis", "product"])
def test_a_relative_error_alone_would_not_be_true(name):
    metric, objects, distance = CASES[name]
    computed, true = (
        metric.block(objects, objects),
        np.array(exact(objects, distance), dtype=np.float64),
    )
    assert (np.abs(computed - true) > 1e-11 * true).any()


def test_a_space_says_what_its_metric_says():
    space = wb.MetricSpace(FAR, linear())
    np.testing.assert_array_equal(
        space.metric.distance_errors(np.array([0, 3])).absolute,
        linear().distance_errors(linear().prepare(FAR[[0, 3]])).absolute,
    )

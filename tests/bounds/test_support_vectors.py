"""Support vectors are a preferent compression: objects beyond the margin have no say."""

import math

import numpy as np
import pytest
from oracles.bounds.support_vectors import best_constants, kept, machine

from wideberth.bounds.compression import preferent_bound, support_vector_bound


def two_clouds(random, n):
    y = np.where(random.uniform(size=n) < 0.5, 1, -1)
    return random.normal(size=(n, 2)) + 1.1 * y[:, None], y


@pytest.mark.parametrize("seed", range(6))
def test_objects_beyond_the_margin_may_leave(seed):
    random = np.random.default_rng(seed)
    points, y = two_clouds(random, 60)
    chosen = kept(points, y)
    others = np.delete(np.arange(60), chosen)
    assert len(others) > 10
    leave = random.choice(others, len(others) // 2, replace=False)
    stay = np.delete(np.arange(60), leave)
    np.testing.assert_array_equal(stay[kept(points[stay], y[stay])], chosen)
    before, after = machine(points, y), machine(points[chosen], y[chosen])
    np.testing.assert_allclose(before.coef_, after.coef_, atol=1e-4)
    np.testing.assert_allclose(before.intercept_, after.intercept_, atol=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_an_error_changes_the_compression_and_what_is_beyond_the_margin_does_not(seed):
    random = np.random.default_rng(seed)
    points, y = two_clouds(random, 40)
    chosen = kept(points, y)
    found = machine(points, y)
    ends = np.array(best_constants(found, points, y))
    seen = set()
    for new in random.normal(scale=2, size=(20, 2)):
        for label in (-1, 1):
            inside = bool((label * (new @ found.coef_[0] + ends)).min() <= 1)
            again = kept(np.r_[points[chosen], [new]], np.r_[y[chosen], label])
            assert (again.tolist() != list(range(len(chosen)))) == inside
            seen.add(inside)
    assert seen == {True, False}


def test_all_best_constants_count():
    """Two objects at -2 and 2, at a price of 1/8: the slope is 1/2 only if paid for, and many
    constants are as good.
    """
    points, y = np.array([[-2.0], [2.0], [6.0]]), np.array([-1, 1, 1])
    found = machine(points, y, price=1 / 16)
    low, high = best_constants(found, points, y)
    assert found.coef_[0, 0] == pytest.approx(1 / 4)
    assert (low, high) == pytest.approx((-0.5, 0.5))
    assert found.intercept_[0] == pytest.approx(0.0)
    np.testing.assert_array_equal(
        kept(points, y, price=1 / 16), [0, 1, 2]
    )  # the last is on the margin for the least constant


def test_it_is_the_preferent_bound_of_all_that_is_kept():
    assert support_vector_bound(30, 500, log_delta=math.log(0.05)) == preferent_bound(
        30, 500, log_delta=math.log(0.05)
    )
    assert support_vector_bound(500, 500, log_delta=math.log(0.05)) == 1.0

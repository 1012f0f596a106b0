"""A solution says how far from the optimum it can be."""

import math

from wideberth.optimize.solution import Solution


def test_a_proved_optimum_has_no_gap():
    found = Solution(point=None, value=3.0, lower_bound=3.0, status="optimal")
    assert (found.gap, found.relative_gap, found.ratio) == (0.0, 0.0, 1.0)


def test_nothing_to_pay_is_an_optimum():
    found = Solution(point=None, value=0.0, lower_bound=0.0, status="optimal")
    assert (found.gap, found.relative_gap, found.ratio) == (0.0, 0.0, 1.0)


def test_without_a_bound_the_ratio_is_infinite():
    assert Solution(point=None, value=3.0, lower_bound=0.0, status="rounded").ratio == math.inf
    assert (
        Solution(point=None, value=0.0, lower_bound=-1.0, status="rounded").relative_gap == math.inf
    )

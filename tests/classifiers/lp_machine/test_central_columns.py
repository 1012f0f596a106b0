"""Starts on the central path: the columns that the optimum needs, and the best multiple of a
smoothed function.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.classifiers.distance_programs import soft_margin

from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.classifiers.lp_machine.program import _best_multiple, smoothed_start
from wideberth.classifiers.lp_machine.smoothed_path import SmoothedPath
from wideberth.estimators.radial_expansions import Radial
from wideberth.metrics.named import metric

numbers = st.floats(-2, 2).filter(lambda x: abs(x) > 1e-3)


def value(multiple, norm, margins, upper):
    return multiple * norm + upper @ np.maximum(0.0, 1.0 - multiple * margins)


@given(st.floats(0.1, 10), st.lists(st.tuples(numbers, st.floats(0.1, 5)), min_size=1, max_size=8))
def test_no_other_multiple_that_puts_an_object_on_the_margin_is_better(norm, objects):
    margins, upper = np.array(objects).T
    found = _best_multiple(norm, margins, upper)
    others = [1.0 / margin for margin in margins if margin > 0]
    assert (
        value(found, norm, margins, upper)
        <= min([value(each, norm, margins, upper) for each in others], default=np.inf) + 1e-9
    )
    assert others or found == 1.0


def example(n, width):
    random = np.random.default_rng(0)
    points = random.normal(size=(n, 3))
    signs = np.where(points[:, 0] + 0.4 * random.normal(size=n) > 0, 1.0, -1.0)
    columns = RadialColumns(
        points, points, metric("euclidean"), [Radial("gaussian", width)], max_memory=10**8, n_jobs=1
    )
    return columns, signs


@pytest.mark.parametrize("width", [0.5, 2.0])
@pytest.mark.parametrize("multiple", [5.0, 200.0])
def test_the_start_is_near_the_optimum_and_its_columns_are_nearly_enough(width, multiple):
    columns, signs = example(200, width)
    path = SmoothedPath(columns, signs[None, :], np.ones(200), max_memory=10**8)
    upper = np.full(200, multiple * path.critical_prices[0])
    start, table = smoothed_start(path, 0, upper), columns.columns(np.arange(200))
    assert np.all(np.diff(start.indices) > 0)
    scores = table[:, start.indices] @ start.coefficients + start.intercept
    found = np.abs(start.coefficients).sum() + upper @ np.maximum(0.0, 1.0 - signs * scores)
    optimum = soft_margin(table, signs, upper)
    assert optimum * (1 - 1e-6) <= found <= 2.0 * optimum
    assert soft_margin(table[:, start.indices], signs, upper) <= 1.05 * optimum
    assert len(start.indices) == 200 or len(start.indices) <= 1.7 * start.n_used

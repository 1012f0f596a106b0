"""Which functions of a metric are uniform local isometries: those that stretch all short distances
by one factor.
"""

import math
from functools import partial

import numpy as np
import pytest

import wideberth
from wideberth import transforms
from wideberth.metrics.transforms import TRANSFORMS

#: By the function: the limit of F(t) / t at 0.
SLOPES = [
    (partial(transforms.scale, factor=0.37), 0.37),
    (partial(transforms.cap, at=0.8), 1),
    (partial(transforms.power, exponent=1), 1),
    (partial(transforms.power, exponent=0.5), math.inf),
    (partial(transforms.power, exponent=0.99), math.inf),
    (partial(transforms.power, exponent=1.01), 0),
    (partial(transforms.power, exponent=2), 0),
    (transforms.saturate, 1),
    (partial(transforms.one_minus_exp, rate=0.37), 0.37),
    (partial(transforms.schoenberg, weights=[2], rates=[8]), 4),
    (partial(transforms.schoenberg, weights=[2, 1], rates=[3, 1], linear=9), 4),
    (partial(transforms.schoenberg, weights=[1e200], rates=[1e200], linear=9), 1e200),
]


@pytest.mark.parametrize(("function", "slope"), SLOPES)
def test_slopes_are_limits(function, slope):
    metric = function("chebyshev")
    assert metric.slope_at_zero == pytest.approx(slope)
    assert metric.uniform_local_isometry is (0 < slope < math.inf)
    short = 1e-200 if slope == 1e200 else 1e-12
    if metric.uniform_local_isometry:
        assert metric([0.0], [short]) / short == pytest.approx(slope, rel=1e-9)
    else:
        ratios = [metric([0.0], [t]) / t for t in (1e-3, 1e-9, 1e-15)]
        assert (np.diff(ratios) > 0).all() if slope else (np.diff(ratios) < 0).all()


@pytest.mark.parametrize(("function", "slope"), SLOPES[:-1])
def test_local_distortion_is_one_where_promised(function, slope):
    """Of F(d) / d among ever closer neighbours, largest over smallest goes to 1."""
    metric = function("euclidean")
    distortions = []
    for reach in (1.0, 1e-2, 1e-4):
        neighbours = reach * np.linspace(0.01, 1, 50)[:, None]
        ratios = metric.block([[0.0]], neighbours)[0] / neighbours[:, 0]
        distortions.append(ratios.max() / ratios.min())
    if metric.uniform_local_isometry:
        assert distortions[-1] < 1 + 1e-3
        assert distortions[-1] <= distortions[0] + 1e-9
    else:
        assert min(distortions) > 1.01


def test_one_after_another():
    inner = transforms.one_minus_exp("euclidean", 3.0)
    both = transforms.schoenberg(inner, [4], [1])
    assert both.uniform_local_isometry
    assert both([0.0], [1e-12]) / 1e-12 == pytest.approx(both.slope_at_zero * inner.slope_at_zero)
    laplace = transforms.schoenberg(transforms.power("manhattan", 0.5), [2], [1.0])
    assert laplace.uniform_local_isometry  # of the root of the metric, which is its metric inside
    assert not laplace.metric.uniform_local_isometry


def test_every_function_of_one_metric_says_so():
    for call, kind in TRANSFORMS.items():
        asked = hasattr(kind, "uniform_local_isometry")
        assert asked is (
            call
            not in ("total", "largest", "product", "derivative", "znormalized", "geodesic", "sets")
        )
    assert not hasattr(wideberth.metric("euclidean"), "uniform_local_isometry")

"""Scales and the potential's constants."""

from math import log

import numpy as np
import pytest

from wideberth.classifiers.online.knowledge.knowledge_set import RESOLUTION, Scales


@pytest.mark.parametrize("radius", [0.5, 1.0, 2.0, 2.0616, 30.0])
def test_every_width_has_its_scale(radius):
    scales = Scales.for_ball(3, radius, 1.0)
    assert 2 * radius <= 2.0**-scales.coarsest < 4 * radius
    for width in np.geomspace(2 * RESOLUTION, 2 * radius, 50):
        scale = scales.active(width)
        assert width < 2.0 ** (1 - scale) * (1 + 1e-12)
        assert scale == scales.coarsest or 2.0**-scale <= width * (1 + 1e-12)


@pytest.mark.parametrize(("dimension", "expected"), [(2, 194), (5, 633), (10, 1497), (20, 3461), (50, 10204)])
def test_the_initial_potential_has_the_published_size(dimension, expected):
    scales = Scales.for_ball(dimension, 2.0, 1.0)
    assert scales.potential(scales.ball_excess(), kept=5 / 8) == pytest.approx(expected, abs=0.5)


def test_a_wrong_answer_pays_for_its_loss():
    for power in (0.25, 0.5, 1.0, 2.0):
        scales = Scales.for_ball(4, 2.0, power)
        for scale in (-2, 0, 7):
            assert scales.constant(0.75) * scales.weight(scale) * log(4 / 3) == pytest.approx((2.0 ** (1 - scale)) ** power)


def test_balls_exceed_balls_by_the_ratio_of_radii():
    scales = Scales(3, 2.0, 1.0, coarsest=-2, finest=4, share=16)
    assert scales.thickness(1) == scales.thicknesses[3] == 0.5 / 48
    unit = scales.log_small_balls() - 3 * np.log(scales.thicknesses)
    np.testing.assert_allclose(np.exp(unit), 4 / 3 * np.pi)
    np.testing.assert_allclose(scales.ball_excess(), 3 * np.log((2.0 + scales.thicknesses) / scales.thicknesses))

"""Scales and the potential's constants."""

from math import log

import numpy as np
import pytest

from wideberth.classifiers.online.knowledge_set import RESOLUTION, Scales


@pytest.mark.parametrize("radius", [0.5, 1.0, 2.0, 2.0616, 30.0])
def test_every_width_has_its_scale(radius):
    scales = Scales.for_ball(3, radius, 1.0)
    assert 2 * radius <= 2.0**-scales.coarsest < 4 * radius
    for width in np.geomspace(2 * RESOLUTION, 2 * radius, 50):
        scale = scales.active(width)
        assert width < 2.0 ** (1 - scale) * (1 + 1e-12)
        assert scale == scales.coarsest or 2.0**-scale <= width * (1 + 1e-12)


@pytest.mark.parametrize(
    ("dimension", "expected"), [(2, 64), (5, 289), (10, 748), (20, 1801), (50, 5415)]
)
def test_the_initial_potential_has_the_published_size(dimension, expected):
    scales = Scales.for_ball(dimension, 2.0, 1.0)
    assert scales.potential(scales.ball_excess(), kept=5 / 8) == pytest.approx(expected, abs=0.5)


def test_a_wrong_answer_pays_for_its_loss():
    for power in (0.25, 0.5, 1.0, 2.0):
        scales = Scales.for_ball(4, 2.0, power)
        for scale in (-2, 0, 7):
            assert scales.constant(0.75) * scales.weight(scale) * log(4 / 3) == pytest.approx(
                min(2.0 ** (1 - scale), 2.0) ** power
            )


def test_balls_exceed_balls_by_the_ratio_of_radii():
    scales = Scales(3, 2.0, 1.0, coarsest=-2, finest=4, share=16)
    assert scales.thickness(1) == scales.thicknesses[3] == 0.5 / 48
    unit = scales.log_small_balls() - 3 * np.log(scales.thicknesses)
    np.testing.assert_allclose(np.exp(unit), 4 / 3 * np.pi)
    np.testing.assert_allclose(
        scales.ball_excess(), 3 * np.log((2.0 + scales.thicknesses) / scales.thicknesses)
    )


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_no_body_is_smaller_than_a_fattened_ray(dimension):
    """By counting points: of the segment of length R, fattened by z."""
    scales = Scales.for_ball(dimension, 2.0, 1.0)
    position = 3
    thickness, generator = scales.thicknesses[position], np.random.default_rng(0)
    low, high = np.full(dimension, -thickness), np.full(dimension, thickness)
    high[0] += 2.0
    points = generator.uniform(low, high, size=(200_000, dimension))
    nearest = np.zeros_like(points)
    nearest[:, 0] = np.clip(points[:, 0], 0.0, 2.0)
    share = (np.linalg.norm(points - nearest, axis=1) <= thickness).mean()
    expected = scales.log_small_balls()[position] + scales.least_excess[position]
    assert log(share * np.prod(high - low)) == pytest.approx(expected, abs=0.01)

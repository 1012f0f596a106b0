"""Rates of theory, seen on data: what docs/benchmarks/capacity.md shows, on smaller samples."""

from importlib import import_module
from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest

from wideberth.papers.measured_capacities import hilbert_capacity, kuratowski_capacity

SIZES = (64, 128, 256, 512, 1024)


@pytest.fixture
def rates(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return import_module("benchmarks.guarantees.capacity_rates")


def test_a_power_and_a_logarithm_are_found_where_they_are(rates):
    sizes = np.array(SIZES, dtype=float)
    power = rates.Curve(sizes, 3 * sizes**-0.4, 0.01 * sizes**-0.4)
    assert rates.exponent(power).value == pytest.approx(-0.4)
    assert rates.exponent(power).error == pytest.approx(0.01 / 3 / np.log(sizes).std() / sqrt(5))
    rooted = rates.Curve(sizes, np.sqrt((2 + 0.5 * np.log(sizes)) / sizes), 0.01 / np.sqrt(sizes))
    assert rates.logarithm(rooted).value == pytest.approx(0.5)
    crooked = rates.Curve(
        sizes, 3 * sizes**-0.4 * np.array([1, 1.5, 1, 1.5, 1]), 0.01 * sizes**-0.4
    )
    assert rates.exponent(crooked).error > 10 * rates.exponent(power).error


def test_constants_reach_the_mean_surplus(rates):
    curve = rates.Curve(np.array([2.0, 10_000.0]), np.zeros(2), np.ones(2))
    assert rates.with_constants(curve, 4).means == pytest.approx(
        [2 * 0.5, 2 * sqrt(2 / (pi * 10_000))], rel=1e-4
    )


def test_covering_bounds_in_the_plane_fall_like_example_5(rates):
    """log n / sqrt n: times sqrt n a line in log n that rises, so neither n^(-1/2) nor another
    power.
    """
    for bounds in rates.bounds_in_the_plane().values():
        off_the_line, power = rates.growth_of_bounds(bounds)
        assert off_the_line < 0.01
        heights = bounds * np.sqrt(rates.BOUND_SIZES)
        assert heights[-1] > 3 * heights[0]
        line = np.polyfit(np.log(rates.BOUND_SIZES), np.log(bounds), 1)
        assert power == pytest.approx(line[0])
        assert np.abs(np.polyval(line, np.log(rates.BOUND_SIZES)) - np.log(bounds)).max() > 0.05
        assert -0.5 < power < -0.4


def test_theorem_7_is_never_broken_and_is_reached(rates):
    """Where signs were drawn, 2,000 of them leave an error of 3 % or so; the largest ratio seen is
    exact.
    """
    ratios = rates.theorem_7_ratios()
    assert all(ratio <= sqrt(2) + 1e-9 for _, _, ratio in ratios)
    assert max(ratio for _, _, ratio in ratios) == pytest.approx(sqrt(2))


@pytest.mark.slow
@pytest.mark.parametrize("d", [3, 4, 5])
def test_discrepancies_fall_like_the_dth_root(rates, d):
    """Theorem 15: n^(1/d) times the discrepancy tends to one limit from both sides, on the cube and
    without its border.
    """
    cube, torus = (
        rates.discrepancies(d, sizes=SIZES),
        rates.discrepancies(d, rates.TORUS, sizes=SIZES),
    )
    steep, flat = rates.exponent(cube), rates.exponent(torus)
    assert steep.value - 2 * steep.error < -1 / d < flat.value + 2 * flat.error
    assert max(steep.error, flat.error) < 0.01
    assert -1 / d - 0.04 < steep.value < flat.value < -1 / d + 0.04
    gaps = (cube.means - torus.means) * cube.sizes ** (1 / d)
    assert 0 < gaps[-1] < gaps[0]
    for other in (d - 1, d + 1):  # the rate of no other dimension fits both
        assert not steep.value - 2 * steep.error < -1 / max(other, 2) < flat.value + 2 * flat.error


@pytest.mark.slow
def test_a_logarithm_in_the_plane_and_none_on_the_line(rates):
    """Theorem 15: sqrt(log n / n) for d = 2; n^(-1/2) on the line."""
    curves = [rates.discrepancies(d, sizes=SIZES) for d in (1, 2)]
    line, plane = map(rates.logarithm, curves)
    assert plane.value > 5 * plane.error
    assert abs(line.value) < 3 * line.error
    assert line.value + 3 * line.error < plane.value
    on_the_line = rates.exponent(curves[0])
    assert abs(on_the_line.value + 1 / 2) < 3 * on_the_line.error < 0.1
    averages = [rates.logarithm(rates.lipschitz_averages(d, sizes=SIZES)) for d in (1, 2)]
    assert averages[1].value > 5 * averages[1].error
    assert abs(averages[0].value) < 3 * averages[0].error + 0.002


@pytest.mark.slow
@pytest.mark.parametrize("d", [3, 5])
def test_averages_of_the_lipschitz_ball_fall_like_discrepancies(rates, d):
    """The power of theory lies between that of the whole ball, whose constants fall faster, and
    that of the matched part.
    """
    matched = rates.lipschitz_averages(d, sizes=SIZES)
    whole, part = rates.exponent(rates.with_constants(matched, d)), rates.exponent(matched)
    assert whole.value - 2 * whole.error < -1 / d < part.value + 2 * part.error
    assert part.value - whole.value < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("measure", [kuratowski_capacity, hilbert_capacity])
def test_averages_of_the_other_balls_fall_like_a_root_in_every_dimension(rates, measure):
    for d in (2, 5):
        found = rates.exponent(rates.embedded_averages(measure, d, sizes=SIZES))
        assert found.value == pytest.approx(-1 / 2, abs=0.05)
        assert found.error < 0.02

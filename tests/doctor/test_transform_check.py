"""Functions of distances: which keep metrics metrics and Hilbertian metrics Hilbertian, beside
brute force on samples.
"""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wideberth.doctor import examine_transform
from wideberth.errors import InvalidInput

FUNCTIONS = {
    "same": (lambda t: t, True, True),
    "root": (np.sqrt, True, True),
    "capped": (lambda t: np.minimum(t, 1.0), True, False),
    "one_minus_exp": (lambda t: 1 - np.exp(-t), True, True),
    "schoenberg": (lambda t: np.sqrt(1 - np.exp(-t * t)), True, True),
    "steep": (lambda t: t**1.5, False, False),
    "squared": (np.square, False, False),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_verdicts_agree_with_samples(name):
    """What is refuted fails on some sample of points, and what is not refuted fails on none of
    many.
    """
    function, metric, hilbertian = FUNCTIONS[name]
    facts = examine_transform(function)
    assert (facts.metric, facts.hilbertian) == (metric, hilbertian)
    assert bool(facts.refuted.keys() & {"metric", "hilbertian"}) == (not (metric and hilbertian))
    assert all(facts.refuted.values())
    assert (facts.witness == "") == (not facts.refuted)
    generator, broken, least = np.random.default_rng(0), False, 0.0
    for _ in range(300):
        points = generator.uniform(
            0, generator.choice([1.0, 3.0]), size=(8, generator.integers(1, 4))
        )
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        changed = function(distances)
        broken |= bool(
            (changed[:, None, :] > changed[:, :, None] + changed[None, :, :] + 1e-9).any()
        )
        centring = np.eye(8) - 1 / 8
        least = min(least, float(np.linalg.eigvalsh(-centring @ changed**2 @ centring).min()))
    assert broken == (not metric)
    assert (least < -1e-6) == (not hilbertian)


@pytest.mark.parametrize(
    "function",
    [lambda t: t + 1, lambda t: -t, lambda t: t[:2], lambda t: np.where(t > 1, np.nan, t)],
)
def test_what_is_no_function_of_distances_is_refused(function):
    with pytest.raises(InvalidInput, match="gives"):
        examine_transform(function)


def test_what_vanishes_or_falls_is_no_metric():
    assert "vanishes" in examine_transform(lambda t: np.maximum(t - 1.0, 0.0)).refuted["metric"]
    falling = examine_transform(lambda t: t * np.exp(-t))
    assert "falls" in falling.refuted["concave"]
    assert not falling.metric


#: F; what is refuted up to the distance 10; the limit of F(t) / t at 0.
FAMILIES = {
    "t": (lambda t: t, "", 1.0),
    "t ** 0.5": (np.sqrt, "", np.inf),
    "t ** 0.01": (lambda t: t**0.01, "", np.inf),
    "t ** 1.01": (lambda t: t**1.01, "metric concave hilbertian", 0.0),
    "t ** 1.5": (lambda t: t**1.5, "metric concave hilbertian", 0.0),
    "t ** 2": (np.square, "metric concave hilbertian", 0.0),
    "log(1 + t)": (lambda t: np.log(1 + t), "", 1.0),
    "log1p": (np.log1p, "", 1.0),
    "1 - exp(-t)": (lambda t: 1 - np.exp(-t), "", 1.0),
    "-expm1(-3 t)": (lambda t: -np.expm1(-3 * t), "", 3.0),
    "t / (1 + t)": (lambda t: t / (1 + t), "", 1.0),
    "sqrt(2 - 2 exp(-t^2))": (lambda t: np.sqrt(2 - 2 * np.exp(-t * t)), "", np.sqrt(2)),
    "sqrt(t^2 + t)": (lambda t: np.sqrt(t * t + t), "", np.inf),
    "min(t, 1)": (lambda t: np.minimum(t, 1.0), "hilbertian", 1.0),
    "sin(t / 8)": (lambda t: np.sin(t / 8), "hilbertian", 0.125),
    "|sin t|": (lambda t: np.abs(np.sin(t)), "metric concave hilbertian uniform", 1.0),
    "t exp(-t)": (lambda t: t * np.exp(-t), "metric concave hilbertian", 1.0),
    "max(t - 1, 0)": (lambda t: np.maximum(t - 1, 0), "metric concave hilbertian uniform", np.nan),
    "constant": (lambda t: (t > 0) * 1.0, "uniform", np.inf),
    "constant + t": (lambda t: (t > 0) * (1.0 + t), "uniform", np.inf),
    "ceil": (np.ceil, "concave hilbertian uniform", np.inf),
    "zero": (lambda t: 0 * t, "metric uniform", np.nan),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", FAMILIES)
def test_known_families_and_their_multiples(name):
    """Multiples of the function, and of its argument, are judged alike; the slope changes by
    them.
    """
    function, refuted, slope = FAMILIES[name]
    for factor, share in [
        (1.0, 1.0),
        (1e-12, 1.0),
        (1e12, 1.0),
        (0.37, 1.0),
        (1.0, 1e-12),
        (1.0, 1e12),
        (1e-200, 1e50),
        (1e200, 1.0),
    ]:
        facts = examine_transform(
            lambda t, a=factor, c=share: a * function(c * t), largest=10 / share
        )
        assert set(facts.refuted) == set(refuted.split()), (factor, share, facts)
        assert facts.slope == pytest.approx(factor * share * slope, rel=1e-5, nan_ok=True)


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(sorted(FAMILIES)), st.floats(-20, 20), st.floats(-20, 20))
def test_no_verdict_depends_on_units(name, factor, share):
    function, refuted, _ = FAMILIES[name]
    facts = examine_transform(
        lambda t: 10**factor * function(10**share * t), largest=10 / 10**share
    )
    assert set(facts.refuted) == set(refuted.split()), facts


@pytest.mark.few(8)
@pytest.mark.parametrize("name", FAMILIES)
def test_what_refutes_can_be_checked(name):
    """No sample of points refutes what is not refuted; each refuted metric breaks a triangle of
    numbers on a line.
    """
    function, refuted, _ = FAMILIES[name]
    random = np.random.default_rng(1)
    broken, negative = False, False
    for _ in range(200):
        points = random.uniform(size=(12, random.integers(1, 4)))
        points *= random.choice([0.5, 2.0, 5.0]) / np.sqrt(points.shape[1])
        changed = function(np.linalg.norm(points[:, None] - points, axis=2))
        broken |= bool(
            (changed[:, None, :] > (changed[:, :, None] + changed[None, :, :]) * (1 + 1e-9)).any()
        )
        broken |= bool((changed[~np.eye(12, dtype=bool)] == 0).any())
        centring = np.eye(12) - 1 / 12
        eigenvalues = np.linalg.eigvalsh(-centring @ changed**2 @ centring)
        negative |= bool(eigenvalues[0] < -1e-6 * eigenvalues[-1])
    assert broken == ("metric" in refuted)
    assert not negative or "hilbertian" in refuted


@pytest.mark.slow
def test_few_true_digits_are_no_refutation():
    """1 - exp(-t) is computed to 1e-16: at distances of 1e-6 its curve is rough, and not convex."""
    for reach in (1e-2, 1e-4, 1e-6):
        assert not examine_transform(lambda t: 1 - np.exp(-t), largest=reach).refuted
        assert examine_transform(lambda t: 1 - np.exp(-t), largest=reach).slope == pytest.approx(
            1, rel=1e-5
        )
    assert not examine_transform(lambda t: -np.expm1(-t), largest=1e-200).refuted


def test_what_a_function_does_far_below_all_distances_is_no_error():
    """1 / t^2 overflows at distances of 1e-160, which nobody has."""
    facts = examine_transform(
        lambda t: np.where(t > 0, 1 / np.sqrt(1 + np.where(t > 0, t, 1) ** -2.0), 0.0)
    )
    assert facts.metric
    assert facts.slope == pytest.approx(1)


def test_conditions_2_to_4_of_proposition_3_have_witnesses():
    def witness(function):
        return examine_transform(function).refuted["uniform"]

    assert (
        witness(np.ceil)
        == "F jumps from 1 to 2 at 1: it is not continuous (Proposition 3, condition 2)."
    )
    assert witness(lambda t: np.abs(np.sin(t))).startswith("F(9.42478) = ")
    assert "condition 3" in witness(lambda t: np.abs(np.sin(t)))
    assert "condition 4" in witness(lambda t: (t > 0) * 0.5)


@pytest.mark.parametrize(
    "asked", [{"largest": 0.0}, {"largest": np.inf}, {"largest": np.nan}, {"points": 8}]
)
def test_ranges_that_cannot_be_looked_at_are_refused(asked):
    with pytest.raises(InvalidInput, match="at least 32"):
        examine_transform(np.sqrt, **asked)


def test_the_advice_to_look_less_far_can_be_followed():
    with pytest.raises(InvalidInput, match="largest"):
        examine_transform(np.sin)
    assert examine_transform(np.sin, largest=1.5).metric


@pytest.mark.parametrize("bend", [1e-3, 1e-5, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize("unit", [1.0, 1e-12, 0.37, 1e12])
def test_what_is_hardly_convex_is_no_metric(bend, unit):
    """Only flat triangles refute it, though by far more than rounding."""

    def function(t):
        return t + bend * t * (t / unit)

    witness = examine_transform(function, largest=10 * unit).refuted["metric"]
    c, a, b = map(float, re.findall(r"F\(([^)]*)\)", witness))
    assert c <= (a + b) * (1 + 1e-2)
    F_c, F_a, F_b = map(float, re.findall(r"= (\S+) > .* = (\S+) \+ (\S+)\.$", witness)[0])
    assert F_c > F_a + F_b


@pytest.mark.parametrize("last", [10.0, 9.99])
def test_the_largest_distance_is_looked_at(last):
    facts = examine_transform(lambda t: np.where(t >= last, 2 * t, np.minimum(t, 5)), largest=10.0)
    assert "F(10) = 20 > " in facts.refuted["metric"]
    assert not facts.concave
    assert not facts.uniform
    assert facts.largest == 20


def test_nothing_is_looked_at_beyond_the_largest_distance():
    seen = []
    examine_transform(lambda t: (seen.append(np.max(t)), np.sqrt(t))[1], largest=np.pi)
    assert max(seen) == np.pi

"""Functions of distances: which keep metrics metrics and Hilbertian metrics Hilbertian, beside brute force on samples."""

import numpy as np
import pytest

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


@pytest.mark.parametrize("name", FUNCTIONS)
def test_verdicts_agree_with_samples(name):
    """What is refuted fails on some sample of points, and what is not refuted fails on none of many."""
    function, metric, hilbertian = FUNCTIONS[name]
    facts = examine_transform(function)
    assert (facts.metric, facts.hilbertian) == (metric, hilbertian)
    assert bool(facts.witness) == (not (metric and hilbertian))
    generator, broken, least = np.random.default_rng(0), False, 0.0
    for _ in range(300):
        points = generator.uniform(0, generator.choice([1.0, 3.0]), size=(8, generator.integers(1, 4)))
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        changed = function(distances)
        broken |= bool((changed[:, None, :] > changed[:, :, None] + changed[None, :, :] + 1e-9).any())
        centring = np.eye(8) - 1 / 8
        least = min(least, float(np.linalg.eigvalsh(-centring @ changed**2 @ centring).min()))
    assert broken == (not metric)
    assert (least < -1e-6) == (not hilbertian)


@pytest.mark.parametrize("function", [lambda t: t + 1, lambda t: -t, lambda t: t[:2], lambda t: np.where(t > 1, np.nan, t)])
def test_what_is_no_function_of_distances_is_refused(function):
    with pytest.raises(InvalidInput, match="gives"):
        examine_transform(function)


def test_what_vanishes_or_falls_is_no_metric():
    assert "vanishes" in examine_transform(lambda t: np.maximum(t - 1.0, 0.0)).witness
    assert "falls" in examine_transform(lambda t: t * np.exp(-t)).witness

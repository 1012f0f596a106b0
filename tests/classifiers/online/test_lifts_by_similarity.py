"""Features of queries and back, and what their units are worth."""

import numpy as np
import pytest

from wideberth.classifiers.online.lifts_by_similarity import features_of

KINDS = [
    {"similarity": "inner"},
    {"similarity": "euclidean"},
    {"similarity": "lp", "p": 4},
    {"similarity": "lp", "p": 3, "degree": 5},
    {"similarity": "lp", "p": 5, "separation": 1.0, "resolution": 0.5},
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rows_lead_back_to_queries(kind):
    generator = np.random.default_rng(0)
    features = features_of(n_features=2, radius=3.0, **_stretched(kind, 3.0))
    queries = generator.uniform(-2, 2, size=(6, 2))
    scales, signs = generator.random(6) + 0.1, generator.choice([-1.0, 1.0], size=6)
    for index, lift in enumerate(features.lifts):
        rows = (scales * signs)[:, None] * lift.features(queries)
        queries_found, turned = features.preimages(rows, index)
        again = turned[:, None] * lift.features(queries_found)
        assert again / np.linalg.norm(again, axis=1, keepdims=True) == pytest.approx(
            rows / np.linalg.norm(rows, axis=1, keepdims=True)
        )
        if kind["similarity"] != "inner":
            assert queries_found == pytest.approx(queries)
            assert turned == pytest.approx(signs)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_losses_have_the_unit_of_the_queries(kind):
    """A stretched ball has stretched losses; inner products are stretched twice."""
    one, other = (
        features_of(n_features=2, radius=radius, **_stretched(kind, radius))
        for radius in (1.0, 7.0)
    )
    factor = 49 if kind["similarity"] == "inner" else 7
    assert other.loss_unit == pytest.approx(factor * one.loss_unit)
    assert other.loss_unit_at(np.array([7.0, 0.0])) == pytest.approx(
        factor * one.loss_unit_at(np.array([1.0, 0.0]))
    )
    assert one.resolution == other.resolution
    twice = features_of(n_features=2, radius=7.0, alpha=2.0, **_stretched(kind, 7.0))
    assert twice.loss_unit == pytest.approx(other.loss_unit**2)


def _stretched(kind, radius):
    return kind | {
        name: radius * kind[name] for name in ("separation", "resolution") if name in kind
    }

"""Radii in Euclidean space: their order, their definition, and attacks on them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from wideberth.geometry.classes.bisectors import (
    FRIENDS,
    LabelledPoints,
    bisector_radii,
    exact_radii,
)
from wideberth.geometry.search.index import Index


def labelled(points, codes) -> LabelledPoints:
    return LabelledPoints(points, codes, Index(points, labels=codes, engine="brute"))


def classes_of(points, codes, queries):
    return codes[np.linalg.norm(queries[:, None] - points, axis=2).argmin(axis=1)]


def half_leads(points, codes, queries):
    distances = np.linalg.norm(queries[:, None] - points, axis=2)
    own = codes[distances.argmin(axis=1)]
    rival = np.where(codes == own[:, None], np.inf, distances).min(axis=1)
    return (rival - distances.min(axis=1)) / 2


def plain_bisector(points, codes, x):
    own = codes[np.linalg.norm(points - x, axis=1).argmin()]
    friends, enemies = points[codes == own], points[codes != own]
    return min(
        max(((x - p) @ (x - p) - (x - q) @ (x - q)) / (2 * np.linalg.norm(p - q)) for q in friends)
        for p in enemies
    )


def sample(seed, n, dimension, n_classes):
    generator = np.random.default_rng(seed)
    points = generator.normal(size=(n, dimension))
    codes = np.concatenate([np.arange(n_classes), generator.integers(0, n_classes, n - n_classes)])
    return points, codes, generator.normal(size=(6, dimension)), generator


@pytest.mark.kernels
@given(st.integers(0, 10**6), st.integers(4, 30), st.integers(1, 4), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_half_the_lead_is_below_the_bisector_which_is_below_the_exact_radius(
    seed, n, dimension, n_classes
):
    points, codes, queries, generator = sample(seed, n, dimension, n_classes)
    space = labelled(points, codes)
    bisector, exact = bisector_radii(space, queries), exact_radii(space, queries)
    assert (half_leads(points, codes, queries) <= bisector + 1e-7).all()
    assert (bisector <= exact + 1e-9).all()
    if n <= FRIENDS:
        np.testing.assert_allclose(
            bisector, [plain_bisector(points, codes, x) for x in queries], rtol=1e-6, atol=1e-7
        )
    own = classes_of(points, codes, queries)
    for x, radius, code in zip(queries, exact, own, strict=True):
        moves = generator.normal(size=(200, dimension))
        moves *= (
            radius * generator.random(200) ** (1 / dimension) / np.linalg.norm(moves, axis=1)
        )[:, None]
        assert (classes_of(points, codes, x + moves) == code).all()


@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_just_outside_the_exact_radius_another_class_is_nearest(seed):
    points, codes, queries, _ = sample(seed, 12, 2, 3)
    space = labelled(points, codes)
    for x, radius, code in zip(
        queries, exact_radii(space, queries), classes_of(points, codes, queries), strict=True
    ):
        angles = np.linspace(0, 2 * np.pi, 20_001)
        ring = x + 1.001 * (radius + 1e-6) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        assert (classes_of(points, codes, ring) != code).any()


def test_the_exact_radius_is_what_a_general_solver_finds():
    points, codes, queries, _ = sample(3, 10, 3, 2)
    space = labelled(points, codes)
    for x, radius in zip(queries, exact_radii(space, queries), strict=True):
        own = classes_of(points, codes, x[None])[0]
        found = []
        for p in points[codes != own]:
            cell = [
                {
                    "type": "ineq",
                    "fun": lambda z, p=p, q=q, x=x: 2 * (p - q) @ (x + z) - p @ p + q @ q,
                }
                for q in points[codes == own]
            ]
            answer = minimize(
                lambda z: z @ z, p - x, constraints=cell, method="SLSQP", options={"ftol": 1e-14}
            )
            if answer.success:
                found.append(np.sqrt(answer.fun))
        assert radius == pytest.approx(min(found), rel=1e-4)


def test_one_class_never_changes():
    points = np.array([[0.0], [1.0]])
    space = labelled(points, np.array([0, 0]))
    assert np.isinf(bisector_radii(space, points)).all()
    assert np.isinf(exact_radii(space, points)).all()


def test_many_enemies_and_friends_are_looked_at():
    generator = np.random.default_rng(1)
    points = generator.normal(size=(400, 2))
    codes = (points[:, 0] > 0).astype(np.intp)
    queries = generator.normal(size=(40, 2)) * 3
    space = labelled(points, codes)
    bisector, exact = bisector_radii(space, queries), exact_radii(space, queries)
    assert (bisector <= exact + 1e-9).all()
    positive = exact > 1e-6
    assert (bisector[positive] / exact[positive]).mean() > 0.9


@pytest.mark.parametrize("apart", [1e-6, 1e-9, 1e-12, 1e-15])
def test_points_that_almost_coincide_prove_no_more_than_is_true(apart):
    space = labelled(np.array([[0.0, 0.0], [0.0, apart]]), np.array([0, 1]))
    queries = np.array([[1.0, -shift] for shift in (1e-2, 1e-3, 1e-5, 1e-7)])
    own = classes_of(space.points, space.codes, queries) == 0
    for radii in (bisector_radii(space, queries), exact_radii(space, queries)):
        assert (radii[own] <= apart / 2 - queries[own, 1]).all()
    if apart == 1e-6:
        np.testing.assert_allclose(
            bisector_radii(space, queries), apart / 2 - queries[:, 1], rtol=0.05
        )


def test_equal_points_of_different_classes_prove_nothing():
    space = labelled(np.array([[0.0], [0.0], [1.0]]), np.array([0, 1, 0]))
    for radii in (bisector_radii, exact_radii):
        assert radii(space, np.array([[0.0], [0.2]])).tolist() == [0.0, 0.0]


def test_radii_of_far_queries_take_little_room_and_stay_proved(monkeypatch):
    points, codes, _, generator = sample(4, 300, 2, 2)
    queries = generator.normal(size=(9, 2)) + np.array([30.0, 0.0])
    space = labelled(points, codes)
    bisector, exact = bisector_radii(space, queries), exact_radii(space, queries)
    monkeypatch.setattr("wideberth.geometry.classes.bisectors.MAX_ENEMIES_AT_ONCE", 100)
    np.testing.assert_array_equal(bisector_radii(space, queries), bisector)
    np.testing.assert_array_equal(exact_radii(space, queries), exact)
    monkeypatch.setattr("wideberth.geometry.classes.bisectors.MAX_ENEMIES", 16)
    few = bisector_radii(space, queries)
    assert (few <= bisector).all()
    assert (half_leads(points, codes, queries) <= few + 1e-7).all()

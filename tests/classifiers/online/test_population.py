"""Points that stay inside and spread evenly, compared with areas of polygons."""

import numpy as np
import pytest
from oracles.classifiers.knowledge import area, body, clip, hidden_vector

from wideberth.classifiers.online import sampled_bodies
from wideberth.classifiers.online.polytope_kernels import walk
from wideberth.classifiers.online.sampled_bodies import Body, confine, mix, uniform_in_ball


def rows_around(hidden, count, generator):
    rows = generator.normal(size=(count, len(hidden)))
    rows *= np.sign(rows @ hidden)[:, None]
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def is_inside(points, kept):
    gaps = points @ kept.directions.T + kept.offsets
    return gaps.min() >= -1e-12 and np.linalg.norm(points, axis=1).max() <= kept.radius + 1e-12


@pytest.mark.few(1)
@pytest.mark.parametrize("offset", [0.3, 1e-3, 1e-8])
def test_shares_of_a_population_are_shares_of_the_area(offset):
    generator = np.random.default_rng(3)
    deviations = []
    for _ in range(12):
        hidden = hidden_vector(2, generator)
        kept = Body(rows_around(hidden, 6, generator), np.full(6, offset), 2.0)
        points = confine(uniform_in_ball(400, 2, 2.0, generator), kept, 0, generator)
        assert is_inside(points, kept)
        polygon = body(kept.directions, kept.offsets, 2.0)
        for direction in generator.normal(size=(4, 2)):
            level = float(np.quantile(polygon @ direction, 0.5))
            share = area(clip(polygon, direction, -level)) / area(polygon)
            found = np.mean(points @ direction >= level)
            deviations.append((found - share) / np.sqrt(share * (1 - share) / len(points)))
    assert np.sqrt(np.mean(np.square(deviations))) < 1.5  # 1 for independent points


def test_a_cut_that_few_survive_is_made_in_steps():
    generator = np.random.default_rng(0)
    hidden = hidden_vector(4, generator)
    near = hidden + 1e-6 * generator.normal(size=4)
    rows = np.array([hidden, -near / np.linalg.norm(near)])
    points = uniform_in_ball(300, 4, 2.0, generator)
    kept = Body(rows, np.full(2, 1e-6), 2.0)
    confined = confine(points, kept, 0, generator)
    assert is_inside(confined, kept)
    assert confined.std(axis=0).max() > 0.3  # thin across, but as long as before
    assert np.unique(confined, axis=0).shape == points.shape


def test_nothing_happens_where_nothing_is_cut_off():
    generator = np.random.default_rng(0)
    points = uniform_in_ball(50, 3, 1.0, generator)
    assert confine(points, Body(np.eye(3), np.full(3, 1.0), 1.0), 0, generator) is points


def test_points_that_lose_all_their_steps_are_drawn_in(monkeypatch):
    monkeypatch.setattr(sampled_bodies, "STEPS", 1)
    generator = np.random.default_rng(0)
    kept = Body(np.vstack([np.eye(3), -np.eye(3)]), np.full(6, 1e-7), 1.0)
    points = confine(uniform_in_ball(100, 3, 2.0, generator), kept, 0, generator)
    assert is_inside(points, kept)
    assert points.std(axis=0).min() > 2e-8


def test_the_same_numbers_give_the_same_points():
    kept = Body(np.eye(3), np.full(3, 0.1), 2.0)
    one, two = (
        confine(uniform_in_ball(40, 3, 2.0, rng), kept, 0, rng)
        for rng in map(np.random.default_rng, (7, 7))
    )
    assert (one == two).all()


@pytest.mark.kernels
def test_a_walk_stays_inside_and_reaches_all_sides():
    generator = np.random.default_rng(1)
    kept = Body(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.1, 0.2]), 1.0)
    points = np.zeros((60, 2))
    walk(points, kept.directions, kept.offsets, kept.radius, np.eye(2), generator.random((60, 8)))
    assert is_inside(points, kept)
    assert (points.min(axis=0) < 0).all()
    assert (points.max(axis=0) > 0.7).all()
    alone = np.zeros((5, 2))
    walk(alone, np.empty((0, 2)), np.empty(0), 1.0, np.eye(2), generator.random((5, 4)))
    assert (np.linalg.norm(alone, axis=1) <= 1).all()
    mix(points, np.ones(len(points), dtype=bool), kept, 1, generator)
    assert is_inside(points, kept)

"""Labels that lie: the density is the right one, losses level off, and memory stays bounded."""

import numpy as np
import pytest
from oracles.classifiers.knowledge import hidden_vector, knowledge_set, near_stream, random_stream

from wideberth.classifiers.online import soft_knowledge
from wideberth.classifiers.online.engines import softened
from wideberth.classifiers.online.polytope_kernels import soft_walk


@pytest.mark.parametrize("noise", [0.3, 0.02])
def test_points_wander_under_the_density_that_counts_violated_rows(noise):
    generator = np.random.default_rng(4)
    rows = generator.normal(size=(5, 2))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    points = np.zeros((4000, 2)) + 0.1
    log_factor = np.log(noise / (1 - noise))
    turned = np.array([[0.8, 0.6], [-0.6, 0.8]])
    soft_walk(points, rows, 1.5, log_factor, turned, generator.random((4000, 40)))
    assert np.linalg.norm(points, axis=1).max() <= 1.5 + 1e-12
    grid = np.stack(np.meshgrid(*2 * [np.linspace(-1.5, 1.5, 601)]), axis=-1).reshape(-1, 2)
    grid = grid[np.linalg.norm(grid, axis=1) <= 1.5]
    density = np.exp(log_factor * (grid @ rows.T < 0).sum(axis=1))
    density /= density.sum()
    for direction in generator.normal(size=(8, 2)):
        share = density[grid @ direction > 0.2].sum()
        assert np.mean(points @ direction > 0.2) == pytest.approx(
            share, abs=4 * np.sqrt(0.25 / 4000) + 0.01
        )


@pytest.mark.few(1)
@pytest.mark.parametrize("noise", [0.02, 0.1, 0.25])
def test_losses_level_off_under_noise(noise):
    generator = np.random.default_rng(8)
    hidden = hidden_vector(3, generator)
    knowledge = knowledge_set(3, engine="soft", noise=noise, points=200, seed=1)
    losses = []
    for query in near_stream(hidden, 900, generator, smallest=1e-3):
        outlook, truth = knowledge.outlook(query), int(np.sign(query @ hidden))
        losses.append(abs(query @ hidden) * (outlook.answer != truth))
        announced = outlook.drop_minus if outlook.answer > 0 else outlook.drop_plus
        assert announced >= outlook.loss * (1 - 1e-12)
        sign = -truth if generator.random() < noise else truth
        lesson = knowledge.learn(query, sign)
        assert lesson.drop == (outlook.drop_plus if sign > 0 else outlook.drop_minus)
    assert sum(losses[450:]) <= 0.3 * sum(losses[:450]) + 0.1
    assert knowledge.potential() == knowledge.initial_potential == np.inf
    assert knowledge.reach(hidden) == pytest.approx((2.0, 2.0))


def test_points_that_deny_keep_the_odds_of_a_lie():
    """A quarter agrees; of the others one in nine stays, at a noise of one in ten."""
    knowledge = knowledge_set(2, engine="soft", noise=0.1, points=40)
    assert knowledge._mass_lost(0.25) == pytest.approx(-np.log(0.25 + 0.75 / 9))


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(soft_knowledge, "MOST_DISPUTED", 12)
    monkeypatch.setattr(soft_knowledge, "MOST_UNDISPUTED", 7)
    generator = np.random.default_rng(0)
    hidden = hidden_vector(3, generator)
    knowledge = knowledge_set(3, engine="soft", noise=0.1, points=60)
    for query in near_stream(hidden, 150, generator):
        knowledge.learn(query, int(np.sign(query @ hidden)))
    assert knowledge.n_rows == len(knowledge.directions) == 19


def test_points_in_the_wrong_place_move_when_they_deny_too_much():
    """After a change of the truth, all points deny; they find their way to the other side."""
    generator = np.random.default_rng(0)
    hidden = hidden_vector(2, generator)
    knowledge = knowledge_set(2, engine="soft", noise=0.1, points=150)
    for query in random_stream(hidden, 60, generator):
        knowledge.learn(query, 1 if query @ hidden > 0 else -1)
    assert knowledge.learn(hidden, -1).contradiction
    for query in random_stream(hidden, 400, generator):
        knowledge.learn(query, 1 if query @ hidden < 0 else -1)
    assert knowledge.outlook(hidden).vote < 0.5
    assert not knowledge.learn(hidden, -1).contradiction


def test_hard_knowledge_softens():
    generator = np.random.default_rng(3)
    hidden = hidden_vector(4, generator)
    hard = knowledge_set(4, seed=1)
    for query in random_stream(hidden, 150, generator):
        hard.learn(query, 1 if query @ hidden > 0 else -1)
    soft = softened(hard, noise=0.05, points=150)
    assert soft.n_rows == hard.n_rows
    agree = [
        soft.outlook(query).answer == np.sign(query @ hidden)
        for query in random_stream(hidden, 200, generator)
    ]
    assert np.mean(agree) > 0.9
    assert softened(knowledge_set(4, engine="ellipsoid"), noise=0.05).n_rows == 0


@pytest.mark.kernels
def test_a_soft_walk_on_a_segment():
    points = np.zeros((400, 1))
    chances = np.random.default_rng(0).random((400, 1))
    soft_walk(points, np.array([[1.0], [1.0]]), 1.0, np.log(1 / 3), np.eye(1), chances)
    assert np.mean(points < 0) == pytest.approx(
        0.1, abs=0.05
    )  # 1/9 to 1: two rows, each a third as likely when violated
    assert np.abs(points).max() <= 1
    free = np.zeros((3, 1))
    soft_walk(free, np.empty((0, 1)), 1.0, -1.0, np.eye(1), np.array([[0.0], [0.5], [0.999]]))
    np.testing.assert_allclose(free[:, 0], [-1.0, 0.0, 0.998])

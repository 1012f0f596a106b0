"""Knowledge of all centres at once, compared with linear programs over all duels."""

import numpy as np
import pytest
from scipy.optimize import linprog

from wideberth.classifiers.online.joint_partition import JointKnowledge


def fresh(labels, dimension, seed=0):
    knowledge = JointKnowledge(dimension, radius=2.0, seed=seed)
    for _ in range(labels):
        knowledge.add_label()
    return knowledge


def duels(label, labels):
    return [(label, other) for other in range(labels) if other != label]


def contrast(query, winner, loser, labels):
    row = np.zeros((labels, len(query)))
    row[winner], row[loser] = query, -query
    return row.ravel()


def can_all_win(rows, contrasts):
    """Whether some centres obey the rows and give every duel of a query a lead: the largest lead,
    by a linear program.
    """
    size = len(contrasts[0])
    leads = np.column_stack([-np.array(contrasts), np.ones(len(contrasts))])
    obeyed = np.column_stack([-np.reshape(rows, (-1, size)), np.zeros(len(rows))])
    found = linprog(
        np.append(np.zeros(size), -1.0),
        np.vstack([leads, obeyed]),
        np.zeros(len(leads) + len(obeyed)),
        bounds=(-1, 1),
    )
    return -found.fun > 1e-7


@pytest.mark.parametrize("seed", range(6))
def test_labels_are_denied_where_no_centres_agree(seed):
    """Labels at random: some agree with all earlier labels, some do not."""
    generator, labels, dimension = np.random.default_rng(seed), 3 + seed % 2, 2 + seed % 2
    knowledge, rows, verdicts = fresh(labels, dimension, seed), [], []
    for _ in range(25):
        query, label = generator.normal(size=dimension), int(generator.integers(labels))
        outcomes = duels(label, labels)
        contrasts = [contrast(query, *duel, labels) for duel in outcomes]
        possible = can_all_win(rows, contrasts)
        assert (knowledge.first_refuted(query, outcomes) is None) == possible
        verdicts.append(possible)
        if possible:
            kept = knowledge.learn(query, outcomes)
            rows += [contrast(query, *duel, labels) for duel in kept]
    assert True in verdicts
    assert False in verdicts


@pytest.mark.parametrize(("labels", "dimension"), [(2, 3), (3, 2), (5, 4)])
def test_reaches_hold_for_the_hidden_centres_and_end_where_nothing_is_open(labels, dimension):
    generator = np.random.default_rng(labels)
    centres = generator.normal(size=(labels, dimension))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    knowledge, implied = fresh(labels, dimension), 0
    for query in generator.normal(size=(80, dimension)):
        scores = centres @ query
        for winner, loser in duels(0, labels):
            reach = knowledge.reach(query, winner, loser)
            assert reach >= scores[winner] - scores[loser] - 1e-9
            rows = knowledge.rows.directions
            assert (reach > 1e-7) == can_all_win(rows, [contrast(query, winner, loser, labels)])
            implied += reach <= 1e-7
        knowledge.learn(query, duels(int(scores.argmax()), labels))
    assert implied > 20


def test_points_obey_all_rows_and_stay_spread():
    knowledge = fresh(4, 3)
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(4, 3))
    for query in generator.normal(size=(60, 3)):
        knowledge.learn(query, duels(int((centres @ query).argmax()), 4))
    points = knowledge.points.reshape(len(knowledge.points), -1)
    assert (points @ knowledge.rows.directions.T >= -1e-8).all()
    assert len(np.unique(points.round(12), axis=0)) == len(points)
    assert len(knowledge.rows) < 60 * 3


def test_a_new_label_leaves_the_others_as_they_were():
    knowledge = fresh(2, 2)
    knowledge.learn(np.array([1.0, 0.0]), [(0, 1)])
    knowledge.add_label()
    assert knowledge.reach(np.array([1.0, 0.0]), 1, 0) == pytest.approx(0.0, abs=1e-12)
    assert knowledge.reach(np.array([1.0, 0.0]), 2, 0) == pytest.approx(2.0)
    assert knowledge.points.shape[1:] == (3, 2)
    assert (knowledge.points[:, 0, 0] >= knowledge.points[:, 1, 0] - 1e-8).all()


def test_zero_says_nothing():
    knowledge = fresh(3, 2)
    zero = np.zeros(2)
    assert knowledge.first_refuted(zero, duels(0, 3)) is None
    assert knowledge.learn(zero, duels(0, 3), guess=1) == []
    assert knowledge.reach(zero, 0, 1) == 0.0

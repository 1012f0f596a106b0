"""The race between candidates: which ones are dropped, and that the best is found with fewer
trials.
"""

import numpy as np
import pytest

from wideberth.estimators.choosing.cross_validation import Race


def answers(random, chances, n):
    """Random answers of candidates that are right with these probabilities."""
    return random.uniform(size=(*np.shape(chances), n)) < np.asarray(chances)[..., None]


def test_candidates_that_are_clearly_behind_are_dropped_and_not_tried_again():
    race, random = Race((2, 2)), np.random.default_rng(0)
    chances = np.array([[0.9, 0.88], [0.6, 0.3]])
    race.record(answers(random, chances, 200), np.ones(200))
    np.testing.assert_array_equal(race.running, [[True, True], [False, False]])
    race.record(answers(random, [[0.9, 0.88], [0.0, 0.0]], 200), np.ones(200))
    assert race.scores.shape == (2, 2, 2)
    np.testing.assert_array_equal(np.isnan(race.scores[1]), [[False, False], [True, True]])
    assert race.best[0] == 0


def test_a_few_objects_drop_no_candidate():
    race = Race((2,))
    race.record(
        np.array([[True] * 6, [False] * 6]), np.ones(6)
    )  # six to nothing: 2.4 standard errors
    assert race.running.all()
    race.record(np.array([[True], [False]]), np.ones(1))
    np.testing.assert_array_equal(race.running, [True, False])


@pytest.mark.parametrize("factor", [0.01, 1.0, 100.0])
def test_the_unit_of_weights_changes_nothing_and_heavy_objects_count_more(factor):
    race = Race((2,))
    right = np.array([[True] * 5 + [False] * 5, [False] * 5 + [True] * 5])
    race.record(right, factor * np.r_[np.full(5, 3.0), np.ones(5)])
    assert race.running.all()
    assert race.best == (0,)
    np.testing.assert_allclose(race.scores, [[0.75, 0.25]])


def test_the_best_is_seldom_dropped_and_most_others_are():
    random, chances = np.random.default_rng(1), np.r_[0.8, np.full(10, 0.78), np.full(10, 0.6)]
    lost, kept = 0, []
    for _ in range(200):
        race = Race((21,))
        for _ in range(4):
            race.record(answers(random, chances, 100), np.ones(100))
        lost += not race.running[0]
        kept.append(race.running[11:].mean())
    assert (
        lost / 200 < 0.15
    )  # independent answers are the worst case: real candidates agree on most objects
    assert np.mean(kept) < 0.05

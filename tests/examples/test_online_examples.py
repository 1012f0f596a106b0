"""What the examples about online learning claim, on small streams."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import nnls

EXAMPLES = Path(__file__).parents[2] / "examples"


def loaded(name):
    specification = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def distance_to_hull(point, corners):
    """Least squares over convex combinations; the heavy row makes them add up to 1."""
    heavy = 1e4
    _, residual = nnls(
        np.vstack([corners.T, heavy * np.ones(len(corners))]), np.append(point, heavy)
    )
    return residual


def test_the_regions_of_the_adversary_are_convex_and_as_far_as_it_says():
    example = loaded("convex_regions")
    chance = np.random.default_rng(3)
    points, above = example.spread_points(4, 24, chance), chance.random(24) < 0.5
    heights, plane = example.consistent_heights(points, above)
    assert np.abs(heights).max() <= 1e-6
    levels = points @ plane[:-1] + plane[-1]
    assert ((heights > levels) == above).all()
    queries = np.column_stack([points, heights])
    for query, coin, cost in zip(queries, above, example.costs(points), strict=True):
        assert distance_to_hull(query, queries[above != coin]) >= cost - 1e-5


def test_the_loss_on_convex_regions_grows_as_theorem_4_says(capsys):
    example = loaded("convex_regions")
    exponents = example.main(dimensions=(5, 6), rounds=(100, 200, 400, 800))
    assert exponents[5] == pytest.approx(1 / 3, abs=0.06)
    assert exponents[6] == pytest.approx(1 / 2, abs=0.06)
    assert "Theorem 4" in capsys.readouterr().out


def test_majorities_need_rankings():
    example = loaded("majority_vote_on_rankings")
    stream = [3.0**-t for t in range(1, 301)]
    lost = {
        (rule, feedback): example.losses(example.Learner(rule, feedback), stream)
        for rule, feedback in [
            ("majority", "ranking"),
            ("majority", "label"),
            ("paper", "mistakes"),
            ("informative", "label"),
        ]
    }
    assert lost["majority", "label"][-1] > 15
    assert (
        lost["majority", "label"][-1] > 2.5 * lost["majority", "label"][99]
    )  # and it goes on like that
    for player in set(lost) - {("majority", "label")}:
        assert lost[player][-1] < 2
        assert lost[player][-1] == pytest.approx(lost[player][99], abs=1e-9)


@pytest.mark.parametrize(
    ("rule", "feedback", "price"),
    [("majority", "ranking", 1), ("paper", "mistakes", 2), ("informative", "label", 1)],
)
def test_potentials_pay_on_other_streams_too(rule, feedback, price):
    example = loaded("majority_vote_on_rankings")
    stream = 10 ** -np.random.default_rng(0).uniform(0, 8, size=300)
    learner = example.Learner(rule, feedback)
    initial = learner.potential()
    lost = example.losses(learner, stream)[-1]
    assert lost <= price * initial
    assert learner.potential() <= initial
    if price == 1:
        assert lost <= initial - learner.potential()


def test_the_table_of_rankings_is_printed(capsys):
    loaded("majority_vote_on_rankings").main(rounds=30)
    assert "at most 26" in capsys.readouterr().out


def test_words_are_learned_one_by_one(capsys):
    assert loaded("words_by_language").main(rounds=200, references=8) > 0.5
    assert "nearest-centre partition of the coordinates" in capsys.readouterr().out

"""What the engine that counts points claims of its bound: how likely it fails, what is noticed, and
what holds in any case.
"""

import numpy as np
import pytest
from oracles.classifiers.knowledge import area, body, clip, hidden_vector
from oracles.classifiers.partitions import centers_in_ball, distances, queries_near_borders

import wideberth as wb
from wideberth.classifiers.online import sampled_bodies
from wideberth.classifiers.online.knowledge_set import Scales
from wideberth.classifiers.online.polytopes import Rows
from wideberth.classifiers.online.sampled_bodies import SampledBodies
from wideberth.errors import InvalidInput

Online = wb.OnlinePartitionClassifier


def taught(rounds=60, labels=3, dimension=3, **options):
    generator = np.random.default_rng(labels)
    centers = centers_in_ball(labels, dimension, generator)
    queries = queries_near_borders(rounds, "inner", centers, generator)
    learner = Online("inner", random_state=0, **{"engine": "sampling"} | options)
    return learner.partial_fit(
        queries, [int(distances("inner", query, centers).argmin()) for query in queries]
    )


@pytest.mark.slow
def test_counts_fail_no_more_often_than_stated():
    """Few points, so that failures happen: shares by count beside areas of polygons, after some
    cuts.
    """
    generator, failures, trials = np.random.default_rng(0), 0, 0
    points, scales = 64, Scales.for_ball(2, 2.0, 1.0)
    for seed in range(150):
        hidden, rows = hidden_vector(2, generator), Rows(2)
        bodies = SampledBodies(scales, points=points, seed=seed)
        for _ in range(4):
            row = generator.normal(size=2)
            rows.add(row * np.sign(row @ hidden) / np.linalg.norm(row))
            bodies.points(rows, 0)  # each cut by itself, as in a stream
        thickness = scales.thickness(0)
        polygon = body(rows.directions, rows.slacks + thickness, 2.0 + thickness)
        for direction in generator.normal(size=(3, 2)):
            direction /= np.linalg.norm(direction)
            cut = bodies.cut(rows, 0, direction, thickness, 0.0)
            share = area(clip(polygon, direction, thickness)) / area(polygon)
            failures += share > cut.most_plus
            trials += 1
    assert failures <= 2 * np.exp(-points / 32) * trials
    assert np.exp(-points / 32) > 0.1  # a statement that could fail


@pytest.mark.slow
def test_points_that_do_not_walk_are_noticed(monkeypatch):
    right = taught(dimension=5)
    monkeypatch.setattr(sampled_bodies, "walk", lambda *arguments: None)
    still = taught(dimension=5)
    dispersions = [
        sum(
            (pair.knowledge.bodies.dispersion for pair in learner._stream.partition.pairs.values()),
            sampled_bodies.Dispersion(),
        )
        for learner in (right, still)
    ]
    assert dispersions[0].inflation(0.5) < 1.4
    assert dispersions[1].inflation(0.001) > 2
    assert right.failure_probability(1000) < 0.01 < still.failure_probability(1000)


def test_the_probability_grows_with_rounds_and_is_none_where_bounds_are_proved():
    learner = taught()
    few, many, most = (learner.failure_probability(rounds) for rounds in (10, 10_000, 10**12))
    assert 0 < few < many < most == 1
    for engine in ("exact", "ellipsoid"):
        assert taught(engine=engine, rounds=10).failure_probability() == 0
    assert Online().failure_probability() == 0
    with pytest.raises(InvalidInput, match="rounds=-1"):
        learner.failure_probability(-1)


def test_the_summary_says_how_sure_it_is():
    learner = taught()
    words = learner.summary()
    assert (
        f"at most {learner.remaining_loss_bound():.4g}, or more with a probability of at most 0.00"
        in words
    )
    assert (
        f"in any case all of them lose at most {learner.remaining_loss_bound(certain=True):.4g}."
        in words
    )
    assert "in any case" not in taught(engine="exact", rounds=10).summary()


@pytest.mark.parametrize("engine", ["exact", "ellipsoid"])
def test_other_engines_have_one_bound(engine):
    learner = taught(engine=engine, rounds=10)
    assert learner.remaining_loss_bound(certain=True) == learner.remaining_loss_bound()


def votes_turned_round(points, direction, thickness):
    above, plus, minus, spread = COUNT(points, direction, thickness)
    return len(points) - above, minus, plus, spread


COUNT = sampled_bodies.count_sides


def test_whatever_the_counts_are_the_certain_bound_holds(monkeypatch):
    """All votes turned round: the learner errs whenever it can, at queries that cut off slivers,
    until ellipsoids take over.
    """
    monkeypatch.setattr(sampled_bodies, "count_sides", votes_turned_round)
    learner, centers = (
        Online("inner", random_state=0, inconsistent="error"),
        np.array([[0.0, 1.0], [0.0, -1.0]]),
    )
    learner.partial_fit([[0.0, 1.0]], [0], classes=[0, 1])
    likely, certain = learner.remaining_loss_bound(), learner.remaining_loss_bound(certain=True)
    assert likely < certain < np.inf
    lost, engines = 0.0, []
    for angle in np.linspace(1.5, 0.1, 400):
        query = np.array([-np.cos(angle), np.sin(angle)])  # just not implied by those before
        scores = centers @ query
        label = int(scores.argmax())
        lost += scores[label] - scores[learner.predict_one(query)]
        learner.learn_one(query, label)
        engines.append(learner.engine_)
        assert lost <= certain
    assert lost > likely / 2
    assert (engines[0], engines[-1]) == ("sampling", "ellipsoid")
    assert learner.proved_


def test_costs_and_dispersions_come_back_from_a_file(tmp_path):
    learner = taught()
    assert learner._stream.cost > 0
    wb.save(learner, tmp_path / "learner.wb")
    copy = wb.load(tmp_path / "learner.wb")
    assert copy._stream.cost == learner._stream.cost
    assert copy.failure_probability() == learner.failure_probability()
    assert copy.remaining_loss_bound(certain=True) == learner.remaining_loss_bound(certain=True)

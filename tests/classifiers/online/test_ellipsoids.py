"""Ellipsoids that never lose what they must hold, and whose volumes are what the books say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.knowledge import hidden_vector, near_stream, random_stream

from wideberth.classifiers.online.ellipsoid_kernels import (
    assess_direction,
    cut_all,
    extent_along,
    log_loss,
    shrink,
)
from wideberth.classifiers.online.ellipsoid_knowledge import EllipsoidKnowledge
from wideberth.classifiers.online.knowledge_set import Scales

few = settings(deadline=None, max_examples=20)
seeds = st.integers(0, 10**6)


def logs_of_volumes(knowledge):
    """By scale reached, the logarithm of the volume over that of the ball z_i B."""
    count = len(knowledge._centres)
    return np.linalg.slogdet(knowledge._shapes)[1] - knowledge.scales.dimension * np.log(
        knowledge.scales.thicknesses[:count]
    )


@few
@given(seeds, st.integers(1, 6), st.floats(-0.9, 0.95))
def test_a_cut_holds_the_part_that_is_kept_and_loses_the_volume_it_says(seed, dimension, depth):
    depth = max(depth, -0.99 / dimension)
    generator = np.random.default_rng(seed)
    centre, shape = generator.normal(size=dimension), generator.normal(size=(dimension, dimension))
    direction = hidden_vector(dimension, generator)
    middle, half = extent_along(centre, shape, direction)
    inner = generator.normal(size=(500, dimension))
    points = centre + inner / np.linalg.norm(inner, axis=1)[:, None] @ shape
    assert (np.abs(points @ direction - middle) <= half * (1 + 1e-9)).all()
    kept = points[points @ direction >= middle + depth * half]
    before = np.linalg.slogdet(shape)[1]
    shrink(centre, shape, direction, depth)
    assert before - np.linalg.slogdet(shape)[1] == pytest.approx(
        log_loss(depth, dimension), abs=1e-9
    )
    assert (np.linalg.norm(np.linalg.solve(shape.T, (kept - centre).T), axis=0) <= 1 + 1e-7).all()


@few
@given(seeds, st.integers(1, 6), st.sampled_from([0.0, 1e-3]))
def test_the_truth_and_a_ball_around_it_stay_inside(seed, dimension, slack):
    """Also with signs that are wrong by less than the slack."""
    generator = np.random.default_rng(seed)
    hidden = hidden_vector(dimension, generator)
    knowledge = EllipsoidKnowledge(Scales.for_ball(dimension, 2.0, 1.0))
    for query in random_stream(hidden, 60, generator):
        sign = 1 if query @ hidden + generator.uniform(-slack, slack) > 0 else -1
        before = knowledge.potential()
        outlook = knowledge.outlook(query, slack=slack)
        assert knowledge.potential() == before  # scales that open change nothing
        lesson = knowledge.learn(query, sign, slack=slack)
        assert lesson.drop >= (outlook.drop_plus if sign > 0 else outlook.drop_minus) - 1e-9
        assert knowledge.potential() == pytest.approx(before - lesson.drop)
    around = generator.normal(size=(20, dimension))
    around /= np.linalg.norm(around, axis=1)[:, None]
    for centre, shape, thickness in zip(
        knowledge._centres, knowledge._shapes, knowledge.scales.thicknesses, strict=False
    ):
        for point in (np.zeros(dimension), hidden, 2 * hidden):
            if slack == 0 or (point == hidden).all():
                inner = np.linalg.solve(shape.T, (point + thickness * around - centre).T)
                assert (np.linalg.norm(inner, axis=0) <= 1 + 1e-6).all()
    count = len(knowledge._centres)
    np.testing.assert_allclose(logs_of_volumes(knowledge), knowledge._excess[:count], atol=1e-6)


@pytest.mark.parametrize("power", [0.5, 1.0])
@pytest.mark.parametrize("share", [8, 16])
def test_a_mistake_costs_the_potential_the_loss_also_with_slacks_within_the_thickness(power, share):
    generator = np.random.default_rng(1)
    scales = Scales(4, 2.0, power, coarsest=-2, finest=5, share=share)
    slack = scales.thickness(5) if share == 16 else 0.0
    hidden, knowledge = hidden_vector(4, generator), EllipsoidKnowledge(scales)
    undecided = 0
    for query in near_stream(hidden, 300, generator):
        outlook = knowledge.outlook(query, slack=slack)
        if sum(knowledge.reach(query)) >= 2.0**-5:
            undecided += 1
            assert not outlook.certain
            assert (
                outlook.drop_minus if outlook.answer > 0 else outlook.drop_plus
            ) >= outlook.loss * (1 - 1e-12)
        knowledge.learn(query, int(np.sign(query @ hidden)), slack=slack)
    assert undecided > 200


def test_a_needle_of_nine_magnitudes_stays_an_ellipsoid():
    generator = np.random.default_rng(0)
    hidden = hidden_vector(3, generator)
    knowledge = EllipsoidKnowledge(Scales.for_ball(3, 2.0, 1.0))
    for query in near_stream(hidden, 1500, generator, smallest=1e-10):
        knowledge.learn(query, int(np.sign(query @ hidden)))
    assert len(knowledge._centres) > 25
    count = len(knowledge._centres)
    np.testing.assert_allclose(logs_of_volumes(knowledge), knowledge._excess[:count], atol=1e-3)
    assert knowledge.reach(hidden)[0] >= 1.0
    across = np.cross(hidden, [1.0, 0.0, 0.0])
    assert max(knowledge.reach(across)) < 1e-4


@pytest.mark.kernels
def test_half_of_a_disc():
    centre, shape = np.zeros(2), np.eye(2)
    shrink(centre, shape, np.array([1.0, 0.0]), 0.0)
    assert extent_along(centre, shape, np.array([1.0, 0.0])) == pytest.approx((1 / 3, 2 / 3))
    assert shape[1, 1] == pytest.approx(2 / np.sqrt(3))
    interval, length = np.zeros(1), np.ones((1, 1))
    shrink(interval, length, np.array([-1.0]), 0.5)
    assert interval[0] == pytest.approx(-0.75)
    assert length[0, 0] == pytest.approx(0.25)
    assert log_loss(0.0, 1) == pytest.approx(np.log(2))


@pytest.mark.kernels
def test_two_discs_are_judged_and_cut():
    centres, shapes = np.zeros((2, 2)), np.array([4 * np.eye(2), np.eye(2)])
    direction, thicknesses, excess = (
        np.array([0.0, 1.0]),
        np.array([0.4, 0.2]),
        np.array([9.0, 9.0]),
    )
    widths, prices = np.array([8.0, 1.0]), np.array([1.0, 10.0])
    plus, minus, drop_plus, drop_minus, vote, active = assess_direction(
        centres, shapes, direction, thicknesses, widths, prices, 0.0
    )
    assert (plus, minus, vote, active) == (
        0.8,
        0.8,
        0.5,
        1,
    )  # the first disc is as wide as its scale asks, not wider
    losses = np.array([log_loss(-0.1, 2), log_loss(-0.2, 2)])
    assert drop_plus == drop_minus == pytest.approx(float(prices @ losses))
    assert (
        assess_direction(centres, shapes, direction, thicknesses, 9 * widths, prices, 0.0)[-1] == 2
    )
    assert not cut_all(centres + 10 * direction, shapes, direction, thicknesses, 0.0, excess)
    assert cut_all(centres, shapes, direction, thicknesses, 0.0, excess)
    np.testing.assert_allclose(9 - excess, losses)
    assert (centres[:, 1] > 0).all()

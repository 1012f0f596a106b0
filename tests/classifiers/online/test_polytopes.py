"""The lemma behind the guarantee, on bodies measured exactly; and sampled bodies beside them."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.knowledge import (
    area,
    body,
    clip,
    exact_corners,
    exact_volume,
    hidden_vector,
    knowledge_set,
    near_stream,
    random_stream,
)

from wideberth.classifiers.online.exact_bodies import ExactBodies, _log_volume
from wideberth.classifiers.online.knowledge_set import Scales
from wideberth.classifiers.online.polytopes import INFORMATIVE, Rows
from wideberth.classifiers.online.sampled_bodies import log_box_volume, share_upper_bounds

few = settings(deadline=None, max_examples=15)
seeds = st.integers(0, 10**6)


def contrary_sign(outlook):
    """What an opponent answers who makes every guess wrong, as long as the past allows it."""
    return outlook.certain or -outlook.answer


@few
@given(seeds, st.sampled_from([2, 3]), st.sampled_from([0.5, 1.0]))
def test_a_mistake_leaves_five_eighths_and_costs_the_potential_the_loss(seed, dimension, power):
    generator = np.random.default_rng(seed)
    knowledge = knowledge_set(dimension, engine="exact", power=power)
    for query in random_stream(np.ones(dimension), 8, generator):
        outlook, before = knowledge.outlook(query), knowledge.potential()
        sign = contrary_sign(outlook)
        scale = knowledge.scales.active(sum(knowledge.reach(query)) / np.linalg.norm(query))
        volume = knowledge.bodies._whole(knowledge.rows, scale)[0]
        lesson = knowledge.learn(query, sign, informative_only=False)
        if outlook.certain:
            continue
        left = exp(knowledge.bodies._whole(knowledge.rows, scale)[0] - volume)
        assert left <= 5 / 8 + 1e-9
        assert before - knowledge.potential() >= lesson.drop - 1e-9
        assert lesson.drop >= outlook.loss - 1e-12


@few
@given(seeds)
def test_exact_cuts_are_those_of_polygons(seed):
    generator = np.random.default_rng(seed)
    hidden, scales = hidden_vector(2, generator), Scales.for_ball(2, 2.0, 1.0)
    rows, bodies = Rows(2), ExactBodies(scales)
    for query in near_stream(hidden, 5, generator):
        rows.add(query * np.sign(query @ hidden))
    for scale in (-2, 3, 12):
        thickness, direction = scales.thickness(scale), hidden_vector(2, generator)
        side = scales.radius + thickness
        polygon = np.array([[side, side], [-side, side], [-side, -side], [side, -side]])
        for row in rows.directions:
            polygon = clip(polygon, row, thickness)
        cut = bodies.cut(rows, scale, direction, thickness, 0.0)
        assert cut.vote == pytest.approx(
            area(clip(polygon, direction, 0.0)) / area(polygon), abs=1e-6
        )
        assert cut.left_plus == pytest.approx(
            area(clip(polygon, direction, thickness)) / area(polygon), abs=1e-6
        )
        assert cut.left_minus == pytest.approx(
            area(clip(polygon, -direction, thickness)) / area(polygon), abs=1e-6
        )


def true_drops(knowledge, query):
    """What the active term of the potential would lose by either sign, from areas."""
    scales, rows = knowledge.scales, knowledge.rows
    direction = query / np.linalg.norm(query)
    scale = scales.active(sum(knowledge.reach(direction)))
    thickness = scales.thickness(scale)
    polygon = body(rows.directions, rows.slacks + thickness, scales.radius + thickness)
    unit = scales.constant(knowledge.bodies.kept) * scales.weight(scale)
    return [
        unit * log(area(polygon) / area(clip(polygon, sign * direction, thickness)))
        for sign in (1, -1)
    ]


@pytest.mark.slow
def test_sampled_drops_are_below_the_true_ones_and_pay_for_the_loss():
    generator = np.random.default_rng(5)
    announced = wrong = 0
    for seed in range(6):
        hidden = hidden_vector(2, generator)
        knowledge = knowledge_set(2, seed=seed)
        for query in near_stream(hidden, 25, generator):
            outlook = knowledge.outlook(query)
            if not outlook.certain:
                plus, minus = true_drops(knowledge, query)
                announced += 2
                wrong += (outlook.drop_plus > plus * (1 + 1e-4)) + (
                    outlook.drop_minus > minus * (1 + 1e-4)
                )
                assert (
                    outlook.drop_minus if outlook.answer > 0 else outlook.drop_plus
                ) >= outlook.loss
            knowledge.learn(query, int(np.sign(query @ hidden)))
    assert announced > 60
    assert wrong == 0  # each with probability below 0.0001, were all points independent


@few
@given(seeds)
def test_boxes_hold_their_bodies(seed):
    """The volumes behind the potential of the sampled engine are never below the true ones, nor
    above those of the balls.
    """
    generator = np.random.default_rng(seed)
    hidden, knowledge = hidden_vector(2, generator), knowledge_set(2, seed=seed, points=60)
    for query in near_stream(hidden, 6, generator):
        knowledge.learn(query, int(np.sign(query @ hidden)), informative_only=False)
    assert knowledge.potential() < knowledge.initial_potential
    scales, rows, found = knowledge.scales, knowledge.rows, knowledge.bodies.excess(knowledge.rows)
    assert (found <= knowledge.bodies.initial_excess + 1e-9).all()
    for position in range(0, len(found), 7):
        thickness = scales.thicknesses[position]
        polygon = body(rows.directions, rows.slacks + thickness, scales.radius + thickness)
        over = found[position] == pytest.approx(
            scales.least_excess[position]
        )  # will never be active again
        assert (
            over
            or log(area(polygon)) - scales.log_small_balls()[position] <= found[position] + 1e-5
        )


def test_a_box_along_any_axes_holds_the_points():
    generator = np.random.default_rng(1)
    hidden, knowledge = hidden_vector(5, generator), knowledge_set(5, points=80)
    for query in near_stream(hidden, 40, generator):
        knowledge.learn(query, int(np.sign(query @ hidden)))
    for scale in (-2, 1, 4):
        axes = np.linalg.qr(generator.normal(size=(5, 5)))[0]
        points = knowledge.bodies.points(knowledge.rows, scale) @ axes.T
        assert np.log(np.ptp(points, axis=0)).sum() <= log_box_volume(
            knowledge.bodies._body(knowledge.rows, scale), axes
        )


def test_counts_bound_shares_as_often_as_they_say():
    generator = np.random.default_rng(0)
    for points in (40, 320):
        most = share_upper_bounds(points)
        assert (
            most[: points // 2 + 1] <= np.arange(points // 2 + 1) / points + 1 / 8 + 1e-12
        ).all()
        assert (np.diff(most) >= 0).all()
        for share in (0.05, 0.5, 0.9):
            failures = np.mean(share > most[generator.binomial(points, share, size=20_000)])
            assert failures <= exp(-points / 32) + 0.005


def test_rows_that_take_little_are_left_out_if_asked():
    first, narrow = np.array([0.0, 1.0]), np.array([np.sin(-0.02), np.cos(-0.02)])
    for only, kept in ((True, 1), (False, 2)):
        knowledge = knowledge_set(2, engine="exact")
        knowledge.learn(first, 1)
        outlook = knowledge.outlook(narrow)
        lesson = knowledge.learn(narrow, 1, informative_only=only)
        assert lesson.stored is not only
        assert outlook.drop_plus == lesson.drop == 0.0
        assert knowledge.n_rows == kept
    assert INFORMATIVE < 1


def test_fewer_rows_than_the_bound_of_the_memory():
    generator = np.random.default_rng(2)
    hidden = hidden_vector(3, generator)
    knowledge = knowledge_set(3, engine="exact")
    finest = -2
    for query in near_stream(hidden, 60, generator):
        finest = max(finest, knowledge.scales.active(max(1e-9, sum(knowledge.reach(query)))))
        knowledge.learn(query, int(np.sign(query @ hidden)))
    reached = knowledge.bodies.initial_excess[: finest + 3]
    assert 5 < knowledge.n_rows <= reached.sum() / log(20 / 19)


@st.composite
def flat_polytopes(draw):
    """A cube and faces through it, some along axes, repeated or almost so, all at tiny or large
    distances from 0.
    """
    dimension = draw(st.integers(2, 3))
    axes = np.eye(dimension)
    thin = draw(st.sampled_from([1.0, 1e-3, 1e-9]))
    rows = []
    for _ in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["axis", "diagonal", "any", "again", "almost"]))
        if kind in ("again", "almost") and rows:
            row = (
                rows[-1]
                + (kind == "almost") * draw(st.sampled_from([1e-16, 1e-13, 1e-9])) * axes[0]
            )
        elif kind == "axis":
            row = draw(st.sampled_from([1.0, -1.0])) * axes[draw(st.integers(0, dimension - 1))]
        else:
            numbers = (
                st.integers(-2, 2)
                if kind == "diagonal"
                else st.floats(-1, 1).map(lambda value: round(value, 3))
            )
            row = np.array(
                draw(st.lists(numbers, min_size=dimension, max_size=dimension)), dtype=float
            )
        rows.append(row / np.linalg.norm(row) if row.any() else axes[0])
    directions = np.vstack([axes, -axes, *rows])
    return directions, np.r_[np.full(2 * dimension, 1.4 + thin), np.full(len(rows), thin)]


@settings(deadline=None, max_examples=40)
@given(flat_polytopes())
def test_volumes_of_flat_bodies_with_repeated_faces_are_those_in_fractions(polytope):
    directions, offsets = polytope
    log_volume, corners = _log_volume(directions, offsets)
    assert log_volume == pytest.approx(log(exact_volume(directions, offsets)), abs=1e-7)
    exact = np.array(exact_corners(directions, offsets), dtype=float)
    for direction in np.vstack([np.eye(directions.shape[1]), np.ones(directions.shape[1])]):
        assert (corners @ direction).max() == pytest.approx(
            (exact @ direction).max(), rel=1e-6, abs=1e-6 * offsets.min()
        )


def test_a_body_in_four_dimensions_has_its_volume_in_fractions():
    axes = np.eye(4)
    directions = np.vstack([axes, -axes, axes[:2], [[0.6, 0.8, 0.0, 0.0], [0.5, 0.5, 0.5, -0.5]]])
    offsets = np.r_[np.full(8, 1.5), np.full(4, 1e-8)]
    assert _log_volume(directions, offsets)[0] == pytest.approx(
        log(exact_volume(directions, offsets)), abs=1e-7
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("dimension", [2, 3, 4])
def test_axes_asked_again_and_again_are_cut_to_the_finest_scale(dimension):
    """Queries along axes leave boxes that are flat in some directions only, with many faces that
    touch.
    """
    knowledge = knowledge_set(dimension, engine="exact")
    for number in range(6 * dimension):
        query = (
            np.eye(dimension)[number % dimension]
            + 0.25 ** (number // dimension) * np.eye(dimension)[(number + 1) % dimension]
        )
        knowledge.learn(
            query / np.linalg.norm(query), 1 if number % 3 else -1, informative_only=False
        )
        assert 0 <= knowledge.potential() <= knowledge.initial_potential + 1e-9

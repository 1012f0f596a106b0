"""Nearest centres are signs of inner products, hidden vectors are as short and losses as small as
lifts say.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.lifts import chebyshev_hidden, euclidean_hidden

import wideberth as wb
from wideberth.classifiers.online.lifts import (
    LARGEST_POWER,
    ChebyshevLift,
    EuclideanLift,
    InnerLift,
    lift_of,
    steepness,
)
from wideberth.errors import InvalidInput

SEEDS = st.integers(0, 2**32 - 1)


def in_ball(generator, count, d, bound=1.0):
    """Points of a ball, many of them near its surface or near an axis."""
    points = generator.normal(size=(count, d)) * generator.choice([0.01, 1.0], size=(count, d))
    return (
        bound
        * points
        / np.linalg.norm(points, axis=1, keepdims=True)
        * generator.random((count, 1)) ** 0.2
    )


def check(lift, hidden, distance, seed, bound):
    """All that a lift promises, for random centres and queries; ``hidden`` takes centres in units
    of the bound.
    """
    generator = np.random.default_rng(seed)
    centers, queries = (
        in_ball(generator, 2, lift.n_features, bound),
        in_ball(generator, 20, lift.n_features, bound),
    )
    features = lift.features(queries)
    assert features.shape == (20, lift.dimension)
    assert np.linalg.norm(features, axis=1).max() <= 1 + 1e-12
    w = hidden(centers[0] / bound) - hidden(centers[1] / bound)
    assert np.linalg.norm(w) <= lift.radius * (1 + 1e-6)
    longest = w * lift.radius / max(np.linalg.norm(w), 1e-9)  # it bounds losses more sharply
    for query, row in zip(queries, features, strict=True):
        assert lift.features(query) == pytest.approx(row, abs=1e-12)
        near, far = (distance(query, center) for center in centers)
        product = row @ w
        if abs(product) > 1e-7:
            assert (product > 0) == (near < far)
        sharp = lift.loss_scale(query) * (abs(row @ longest) + 1e-7) ** lift.power
        plain = lift.bound * (abs(product) + 1e-7) ** lift.plain_power
        assert abs(far - near) <= sharp
        assert abs(far - near) <= plain or isinstance(lift, InnerLift)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 4), st.sampled_from([0.37, 1.0, 25.0]))
def test_the_inner_product(seed, d, bound):
    lift = InnerLift(d, bound)
    check(lift, lambda x: x, lambda q, x: -q @ x, seed, bound)
    query = 7 * bound * np.ones(d)
    assert np.linalg.norm(lift.features(query)) == pytest.approx(1)
    assert lift.features(np.zeros(d)).tolist() == [0] * d


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 4), st.sampled_from([0.37, 1.0, 25.0]))
def test_the_euclidean_distance(seed, d, bound):
    lift = EuclideanLift(d, bound)
    check(lift, euclidean_hidden, lambda q, x: np.linalg.norm(q - x), seed, bound)


def test_the_radius_of_the_euclidean_lift_is_reached():
    """By opposite centres on the sphere, and by no others on a fine grid of lengths."""
    lengths = np.linspace(0, 1, 501)
    longest, other = np.meshgrid(lengths, lengths)
    square = 40 / 9 * ((longest + other) ** 2 + 9 / 4 * (longest**2 - other**2) ** 2)
    assert np.sqrt(square.max()) == pytest.approx(EuclideanLift(2).radius)
    opposite = euclidean_hidden(np.array([1.0, 0.0])) - euclidean_hidden(np.array([-1.0, 0.0]))
    assert np.linalg.norm(opposite) == pytest.approx(EuclideanLift(2).radius)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 3), st.sampled_from([4, 6]), st.sampled_from([0.37, 1.0]))
def test_even_powers(seed, d, p, bound):
    lift = lift_of("lp", d, p=p, radius=bound)
    assert lift.dimension == d * (p - 1) + 1
    check(
        lift,
        lambda x: chebyshev_hidden(x, p, p - 1),
        lambda q, x: np.linalg.norm(q - x, p),
        seed,
        bound,
    )


@settings(deadline=None, max_examples=50)
@given(st.floats(1.5, 10), st.floats(-1, 1), st.floats(-1, 1))
def test_the_function_moves_no_faster_than_its_steepness(p, one, other):
    nodes = np.cos(np.pi * (np.arange(2000) + 0.5) / 2000)
    moved = np.abs(nodes - one) ** p - np.abs(nodes - other) ** p
    rounding = 1e-15 * 2**p
    assert np.sqrt(np.mean(moved**2)) <= steepness(p) * abs(one - other) * (1 + 1e-6) + rounding


@pytest.mark.few(1)
@pytest.mark.parametrize(("p", "d"), [(2, 1), (2, 2), (2, 4), (4, 1), (4, 2), (6, 3)])
def test_losses_of_near_centres_are_bounded_by_directions(p, d):
    """The sharper bound of losses by pairs, for centres at all distances; for p = 2 and d = 1 it is
    nearly reached.
    """
    generator = np.random.default_rng(3)
    lift, largest = lift_of("lp", d, p=p), 0.0
    hidden = euclidean_hidden if p == 2 else lambda x: chebyshev_hidden(x, p, p - 1)
    for _ in range(150):
        one, other = in_ball(generator, 2, d)
        other = one + generator.choice([0.01, 0.1, 1.0]) * (other - one)
        w = hidden(one) - hidden(other)
        w *= lift.radius / np.linalg.norm(w)
        queries = in_ball(generator, 40, d)
        losses = np.abs(
            np.linalg.norm(queries - one, p, axis=1) - np.linalg.norm(queries - other, p, axis=1)
        )
        bounds = lift.loss_scale(queries[0]) * np.abs(lift.features(queries) @ w) ** lift.power
        largest = max(largest, float((losses / (bounds + 1e-6)).max()))
    assert largest <= 1 + 1e-6
    assert largest > 0.8 or (p, d) != (2, 1)


@pytest.mark.parametrize(
    "lift", [InnerLift(2), EuclideanLift(2, 3.0), ChebyshevLift(2, 3.0, p=6.0, degree=5)]
)
def test_lifts_survive_a_pickle(lift):
    query = np.array([0.3, -0.4])
    before = lift.features(query), lift.radius
    again = pickle.loads(pickle.dumps(lift))
    assert again == lift
    assert (again.features(query) == before[0]).all()
    assert again.radius == before[1]


@pytest.mark.parametrize("p", [1, 1.99, 0, -3, np.inf, np.nan])
def test_powers_below_two_are_refused_with_the_reason(p):
    with pytest.raises(
        InvalidInput, match=r"outside of \[2, inf\).*proved for p >= 2 only.*Take p = 2"
    ) as refusal:
        lift_of("lp", 3, p=p)
    assert refusal.value.value is p
    assert lift_of("lp", 3, p=2).power == 1


def test_powers_beyond_rounding_are_refused():
    with pytest.raises(InvalidInput, match="Take p = 24"):
        lift_of("lp", 3, p=26)
    assert lift_of("lp", 3, p=LARGEST_POWER).dimension == 70


@pytest.mark.parametrize("p", [3, 2.5])
def test_powers_that_are_not_even_are_those_of_the_papers(p):
    with pytest.raises(InvalidInput, match=r"Take an even p, or wideberth\.papers"):
        lift_of("lp", 1, p=p)
    learner = wb.papers.PowerPartitionClassifier(p, separation=1.0, resolution=1.0, measured=True)
    assert learner.learn_one([0.5], "a").predict_one([0.4]) == "a"


@pytest.mark.parametrize("lift", [EuclideanLift(2), lift_of("lp", 2, p=4)])
def test_queries_outside_of_the_ball_are_refused(lift):
    far = np.array([[0.0, 0.0], [0.0, 1.5]])
    with pytest.raises(
        InvalidInput, match=r"size 1\.5 .* radius 1 .*Give a radius of 1\.5\d or more"
    ):
        lift.features(far)
    assert np.isfinite(type(lift)(**{**vars_of(lift), "bound": 1.52}).features(far)).all()
    assert np.isfinite(lift.features(np.array([0.0, 1 + 1e-12]))).all()
    with pytest.raises(InvalidInput):
        lift.features(np.array([0.0, np.nan]))


def vars_of(lift):
    return {name: getattr(lift, name) for name in lift.__dataclass_fields__}


@pytest.mark.parametrize("bound", [0, -1.0, np.inf, np.nan])
def test_a_radius_is_a_positive_number(bound):
    with pytest.raises(InvalidInput, match="not a positive number"):
        InnerLift(2, bound)


KINDS = [{"similarity": "inner"}, {"similarity": "euclidean"}, {"similarity": "lp", "p": 4}]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_rows_lead_back_to_queries(kind):
    generator = np.random.default_rng(0)
    lift = lift_of(n_features=2, radius=3.0, **kind)
    queries = generator.uniform(-2, 2, size=(6, 2))
    scales, signs = generator.random(6) + 0.1, generator.choice([-1.0, 1.0], size=6)
    rows = (scales * signs)[:, None] * lift.features(queries)
    queries_found, turned = lift.preimages(rows)
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
    one, other = (lift_of(n_features=2, radius=radius, **kind) for radius in (1.0, 7.0))
    factor = 49 if kind["similarity"] == "inner" else 7
    assert other.loss_unit == pytest.approx(factor * one.loss_unit)
    assert other.loss_unit_at(np.array([7.0, 0.0])) == pytest.approx(
        factor * one.loss_unit_at(np.array([1.0, 0.0]))
    )
    twice = lift_of(n_features=2, radius=7.0, alpha=2.0, **kind)
    assert twice.loss_unit == pytest.approx(other.loss_unit**2)

"""Nearest centres are signs of inner products, hidden vectors are as short and losses as small as
lifts say.
"""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.lifts import chebyshev_hidden, euclidean_hidden

from wideberth.classifiers.online.lifts import (
    LARGEST_POWER,
    ChebyshevLift,
    EuclideanLift,
    InnerLift,
    lp_lift,
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
    if (
        getattr(lift, "by_pairs", False) and lift.slack == 0
    ):  # the multiple that is as long as the radius bounds losses
        w *= lift.radius / max(np.linalg.norm(w), 1e-9)
    for query, row in zip(queries, features, strict=True):
        assert lift.features(query) == pytest.approx(row, abs=1e-12)
        near, far = (distance(query, center) for center in centers)
        product = row @ w
        if abs(product) > lift.slack + 1e-7:
            assert (product > 0) == (near < far)
        assert (
            abs(far - near)
            <= lift.loss_scale(query) * (abs(product) + lift.slack + 1e-7) ** lift.power
        )


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
    for by_pairs in (True, False):
        lift = EuclideanLift(d, bound, by_pairs)
        check(lift, euclidean_hidden, lambda q, x: np.linalg.norm(q - x), seed, bound)


def test_the_radius_of_the_euclidean_lift_is_reached():
    """By opposite centres on the sphere, and by no others on a fine grid of lengths."""
    lengths = np.linspace(0, 1, 501)
    longest, other = np.meshgrid(lengths, lengths)
    square = 40 / 9 * ((longest + other) ** 2 + 9 / 4 * (longest**2 - other**2) ** 2)
    assert np.sqrt(square.max()) == pytest.approx(EuclideanLift.radius)
    opposite = euclidean_hidden(np.array([1.0, 0.0])) - euclidean_hidden(np.array([-1.0, 0.0]))
    assert np.linalg.norm(opposite) == pytest.approx(EuclideanLift.radius)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 3), st.sampled_from([4, 6]), st.sampled_from([0.37, 1.0]))
def test_even_powers(seed, d, p, bound):
    lift = lp_lift(d, p, bound=bound)
    assert lift.dimension == d * (p - 1) + 1
    assert lift.slack == 0
    for each in (lift, lp_lift(d, p, bound=bound, by_pairs=False)):
        check(
            each,
            lambda x: chebyshev_hidden(x, p, p - 1),
            lambda q, x: np.linalg.norm(q - x, p),
            seed,
            bound,
        )


@settings(max_examples=25, deadline=None)
@given(
    SEEDS,
    st.integers(1, 3),
    st.floats(2.1, 7.9).filter(lambda p: abs(p - 2 * round(p / 2)) > 0.1),
    st.integers(2, 12),
)
def test_other_powers_err_within_their_slack(seed, d, p, degree):
    lift = lp_lift(d, p, degree=degree)
    assert not lift.guaranteed
    check(
        lift,
        lambda x: chebyshev_hidden(x, p, degree),
        lambda q, x: np.linalg.norm(q - x, p),
        seed,
        1.0,
    )


@pytest.mark.parametrize(("p", "d"), [(2, 1), (2, 2), (2, 4), (4, 1), (4, 2), (6, 3)])
def test_losses_of_near_centres_are_bounded_by_directions(p, d):
    """The sharper bound of losses by pairs, for centres at all distances; for p = 2 and d = 1 it is
    nearly reached.
    """
    generator = np.random.default_rng(3)
    lift, largest = lp_lift(d, p), 0.0
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


@pytest.mark.parametrize("lift", [InnerLift(2), EuclideanLift(2, 3.0), ChebyshevLift(2, 3.0, 5)])
def test_lifts_survive_a_pickle(lift):
    query = np.array([0.3, -0.4])
    before = lift.features(query), lift.radius, lift.slack
    again = pickle.loads(pickle.dumps(lift))
    assert again == lift
    assert (again.features(query) == before[0]).all()
    assert (again.radius, again.slack) == before[1:]


@pytest.mark.parametrize("p", [1, 1.99, 0, -3, np.inf, np.nan])
def test_powers_below_two_are_refused_with_the_reason(p):
    with pytest.raises(
        InvalidInput, match=r"outside of \[2, inf\).*proved for p >= 2 only.*Take p = 2"
    ) as refusal:
        lp_lift(3, p)
    assert refusal.value.value is p
    assert lp_lift(3, 2).power == 1


def test_powers_beyond_rounding_are_refused():
    with pytest.raises(InvalidInput, match="Take p = 24"):
        lp_lift(3, 26)
    assert lp_lift(3, LARGEST_POWER).slack == 0


def test_a_power_that_is_not_even_needs_a_degree():
    with pytest.raises(InvalidInput, match="Give a degree of at least 1"):
        lp_lift(3, 3)
    with pytest.raises(InvalidInput, match="degree=0"):
        lp_lift(3, 3, degree=0)
    assert lp_lift(3, 3, degree=8).dimension == 25


def test_an_even_power_has_its_degree():
    with pytest.raises(InvalidInput, match=r"exact with degree 3\. Leave the degree out"):
        lp_lift(3, 4, degree=3)


@pytest.mark.parametrize("lift", [EuclideanLift(2), lp_lift(2, 4)])
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

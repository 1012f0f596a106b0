"""Rungs for any power above 2: accurate enough for their losses, and a stream that never loses more
than they say.
"""

import numpy as np
import pytest
from oracles.classifiers.lifts import chebyshev_hidden

from wideberth.classifiers.online.engines import knowledge_set
from wideberth.classifiers.online.multiscale_lifts import Rung, active_rung, lp_ladder
from wideberth.errors import InvalidInput
from wideberth.papers.online_bounds import ellipsoid_kept, ladder_loss


def hidden(rung: Rung, center):
    lift = rung.chebyshev
    return chebyshev_hidden(center / lift.bound, lift.p, lift.degree) / rung.unit


@pytest.mark.parametrize(("d", "p", "bound"), [(1, 3.0, 1.0), (2, 5.0, 1.0), (1, 2.5, 4.0)])
def test_rungs_measure_within_their_slack(d, p, bound):
    generator = np.random.default_rng(2)
    ladder = lp_ladder(d, p, separation=0.8 * bound, resolution=0.2 * bound, bound=bound)
    assert [rung.threshold for rung in ladder] == [1, 0.5, 0.25, 0.125]
    for rung in ladder:
        assert rung.slack <= rung.threshold / (16 * rung.dimension)
        assert rung.scales().thickness(rung.scale) == rung.threshold / (16 * rung.dimension)
        for _ in range(5):
            one, other = bound * generator.uniform(-0.7, 0.7, (2, d))
            w = hidden(rung, one) - hidden(rung, other)
            assert np.linalg.norm(w) <= rung.radius
            queries = bound * generator.uniform(-1, 1, (30, d))
            powers = [
                (np.abs((queries - center) / bound) ** p).sum(axis=1) for center in (other, one)
            ]
            measured = rung.features(queries) @ w
            assert np.abs(measured - (powers[0] - powers[1]) / rung.unit).max() <= rung.slack + 1e-6


@pytest.mark.parametrize(("d", "p", "bound"), [(1, 3.0, 1.0), (2, 2.5, 3.0), (4, 3.0, 1.0)])
def test_measured_rungs_measure_within_their_slack(d, p, bound):
    generator = np.random.default_rng(2)
    ladder = lp_ladder(
        d, p, separation=0.8 * bound, resolution=0.2 * bound, bound=bound, measured=True
    )
    for rung in ladder:
        assert rung.slack <= rung.threshold / 8
        assert rung.raised().slack < rung.slack
        for _ in range(5):
            one, other = bound * generator.uniform(-1, 1, (2, d))
            queries = bound * generator.uniform(-1, 1, (200, d))
            queries[:50] = one + 0.02 * bound * generator.normal(
                size=(50, d)
            )  # near the kink of the power
            queries = np.clip(queries, -bound, bound)
            powers = [
                (np.abs((queries - center) / bound) ** p).sum(axis=1) for center in (other, one)
            ]
            measured = rung.features(queries) @ (hidden(rung, one) - hidden(rung, other))
            assert np.abs(measured - (powers[0] - powers[1]) / rung.unit).max() <= rung.slack + 1e-6


def test_measured_rungs_end_at_the_degree_of_the_worst_case():
    measured, worst = (
        lp_ladder(2, 5.0, separation=1.0, resolution=0.5, measured=measured)[0]
        for measured in (True, False)
    )
    while (higher := measured.raised()) != measured:
        assert higher.chebyshev.degree > measured.chebyshev.degree
        measured = higher
    assert (
        measured.chebyshev.degree <= 1.1 * worst.chebyshev.degree
    )  # not the same: the unit is that of a larger slack


@pytest.mark.parametrize("d", [2, 3, 4])
def test_measured_rungs_are_small_enough_for_some_coordinates(d):
    dimensions = [
        rung.dimension for rung in lp_ladder(d, 3.0, separation=1.0, resolution=0.1, measured=True)
    ]
    worst = [
        rung.dimension
        for rung in lp_ladder(d, 3.0, separation=1.0, resolution=0.1, max_dimension=2000)
    ]
    assert max(dimensions) < 100
    assert all(5 * few < many for few, many in zip(dimensions[1:], worst[1:], strict=True))


def test_degrees_are_the_smallest():
    for rung in lp_ladder(2, 5.0, separation=1.0, resolution=0.1):
        lift = rung.chebyshev
        smaller = type(lift)(lift.n_features, lift.p, lift.degree - 1)
        assert smaller.slack / rung.unit > rung.threshold / (16 * smaller.dimension)


def test_a_rung_that_is_not_active_has_nothing_to_lose_but_its_threshold():
    """If g is at most what a rung that is not active can leave, the loss is at most its threshold;
    the extreme case is a tie.
    """
    for rung in lp_ladder(1, 3.0, separation=1.0, resolution=0.1):
        largest = (rung.threshold + rung.slack) * rung.unit  # of g, in p-th powers
        losses = np.linspace(0, 2, 200_001)
        possible = losses * np.maximum(losses, 0.5) ** 2 <= largest
        assert losses[possible].max() <= rung.threshold


def test_the_coarsest_active_rung_decides():
    ladder = lp_ladder(1, 3.0, separation=1.0, resolution=0.1)
    widths = [0.9, 0.4, 0.3, 9.0, 9.0]
    assert active_rung(ladder, widths.__getitem__) == 2
    assert active_rung(ladder, lambda index: ladder[index].threshold) is None


def test_a_stream_loses_what_rungs_allow_and_no_more():
    """Two centres, p = 5, queries near the border: the truth is never ruled out, and mistakes are
    paid for.
    """
    generator = np.random.default_rng(1)
    p, centers = 5.0, np.array([[-0.6], [0.55]])
    ladder = lp_ladder(1, p, separation=1.0, resolution=0.25)
    knowledge = [
        knowledge_set(rung.dimension, engine="ellipsoid", scales=rung.scales()) for rung in ladder
    ]
    truths = [hidden(rung, centers[0]) - hidden(rung, centers[1]) for rung in ladder]
    start, total = sum(one.potential() for one in knowledge), 0.0
    for _ in range(300):
        query = np.array(
            [np.clip(-0.025 + generator.choice([-1, 1]) * 10 ** generator.uniform(-1.5, 0), -1, 1)]
        )
        features = [rung.features(query) for rung in ladder]
        reaches = [one.reach(row) for one, row in zip(knowledge, features, strict=True)]
        distances = np.abs(query - centers).ravel()
        sign, loss = (1 if distances[0] < distances[1] else -1), abs(distances[0] - distances[1])
        for row, truth, reach, rung in zip(features, truths, reaches, ladder, strict=True):
            assert -reach[1] - rung.slack <= row @ truth <= reach[0] + rung.slack
        index = active_rung(ladder, lambda index, reaches=reaches: sum(reaches[index]))
        if index is None:
            assert loss <= 0.25
            continue
        rung, row = ladder[index], features[index]
        outlook = knowledge[index].outlook(row, slack=rung.slack)
        assert loss <= rung.largest_loss(max(reaches[index]))
        lesson = knowledge[index].learn(row, sign, slack=rung.slack)
        if outlook.answer != sign:
            total += loss
            assert lesson.drop >= rung.largest_loss(max(reaches[index])) * (1 - 1e-9)
    assert 0 < total <= start
    kept = max(ellipsoid_kept(rung.dimension) for rung in ladder)
    assert total <= ladder_loss(
        [(rung.scale, rung.dimension, rung.radius) for rung in ladder], kept=kept
    )


def test_too_many_features_are_refused_with_their_number():
    with pytest.raises(
        InvalidInput,
        match=r"need 10,416 features, more than 400\. Give a resolution of 1 or more, or a degree",
    ) as refusal:
        lp_ladder(5, 3.0, separation=0.5, resolution=0.01)
    assert refusal.value.value == 10_416
    assert lp_ladder(5, 3.0, separation=0.5, resolution=1.0)[-1].dimension <= 400
    assert (
        lp_ladder(5, 3.0, separation=0.5, resolution=0.01, max_dimension=10_416)[-1].dimension
        == 10_416
    )


def test_where_not_even_the_first_rung_is_affordable_no_resolution_is_advised():
    with pytest.raises(
        InvalidInput,
        match=r"more than 400\. Give a degree, which comes without guarantee, or take an even p",
    ):
        lp_ladder(30, 2.1, separation=0.5, resolution=0.5)


def test_even_powers_need_no_ladder():
    with pytest.raises(InvalidInput, match="Leave separation and resolution out"):
        lp_ladder(2, 4, separation=0.5, resolution=0.1)


@pytest.mark.parametrize(
    ("separation", "resolution", "name"),
    [(0, 0.1, "separation"), (3, 0.1, "separation"), (1, 0, "resolution")],
)
def test_lengths_fit_the_ball(separation, resolution, name):
    with pytest.raises(
        InvalidInput,
        match=f"{name}=.* is not between 0 and 2, .*Give a {name} in the unit of the queries",
    ):
        lp_ladder(2, 3.0, separation=separation, resolution=resolution)

"""Rungs for any power above 2: errors of polynomials that are proved and near the truth, rungs that
are accurate enough for their losses, and streams that never lose more than they say.
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev
from oracles.classifiers.knowledge import knowledge_set
from oracles.classifiers.lifts import chebyshev_hidden
from oracles.classifiers.partitions import distances, queries_in_ball, queries_near_borders

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.papers import PowerPartitionClassifier, online_powers
from wideberth.papers.online_bounds import ellipsoid_kept, ladder_loss
from wideberth.papers.online_powers import (
    Ladder,
    Rung,
    active_rung,
    lp_ladder,
    measured_error,
    truncation_error,
)


def hidden(rung: Rung, center):
    lift = rung.chebyshev
    return chebyshev_hidden(center / lift.bound, lift.p, lift.degree) / rung.unit


@pytest.mark.few(1)
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
            measured = rung.chebyshev.features(queries) @ w
            assert np.abs(measured - (powers[0] - powers[1]) / rung.unit).max() <= rung.slack + 1e-6


@pytest.mark.few(1)
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
            measured = rung.chebyshev.features(queries) @ (hidden(rung, one) - hidden(rung, other))
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
        smaller = replace(rung, chebyshev=replace(lift, degree=lift.degree - 1))
        assert smaller.slack > rung.threshold / (16 * smaller.dimension)


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
        features = [rung.chebyshev.features(query) for rung in ladder]
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
        match=r"need 10,416 features, more than 400\. Give a resolution of 1 or more, or take an even p",
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
        match=r"more than 400\. Take an even p",
    ):
        lp_ladder(30, 2.1, separation=0.5, resolution=0.5)


def test_even_powers_need_no_ladder():
    with pytest.raises(InvalidInput, match=r"Use wideberth\.OnlinePartitionClassifier"):
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


def play(learner, centers, queries, *, p=2, alpha=1.0, resolution=0.0):
    """Total loss of a stream; no guess loses more than was announced, and nothing certain is
    wrong.
    """
    similarity, total = learner.similarity, 0.0
    for query in queries:
        far = distances(similarity, query, centers, p)
        label, guess = int(far.argmin()), learner.predict_one(query)
        loss = (far[guess] - far[label]) ** alpha
        assert loss <= learner.loss_bound(query) * (1 + 1e-9) + 1e-6
        assert guess == label or not learner.certain(query)
        total += loss if loss > resolution else 0.0
        learner.learn_one(query, label)
    return total


def begun(centers, p, **options):
    """A learner that knows how many labels there will be."""
    learner = PowerPartitionClassifier(p, random_state=1, **options)
    query = np.zeros(centers.shape[1])
    label = int(distances("lp", query, centers, p).argmin())
    return learner.partial_fit([query], [label], classes=range(len(centers)))


def test_other_powers_lose_what_rungs_allow_above_their_resolution():
    generator = np.random.default_rng(1)
    centers = np.array([[-0.6], [0.55]])
    learner = begun(
        centers,
        p=5,
        separation=1.0,
        resolution=0.25,
        radius=1.0,
        engine="ellipsoid",
    )
    assert (learner.engine_, learner.proved_) == ("ellipsoid", True)
    start = learner.potential()
    lost = play(learner, centers, queries_in_ball(150, 1, generator), p=5, resolution=0.25)
    assert 0 < lost <= start - learner.potential()
    assert learner.remaining_loss_bound() < np.inf
    assert learner.loss_bound([0.9]) >= 0.25  # never below the resolution


def test_below_the_resolution_the_finest_rung_votes_and_losses_count_as_nothing():
    """Both labels at one query: it is next to the border, as far as approximate features can tell,
    and no contradiction.
    """
    learner = PowerPartitionClassifier(
        3, separation=1.0, resolution=0.5, engine="sampling", random_state=0
    )
    for label in (0, 1, 0, 1):
        learner.learn_one([0.3], label)
    (pair,) = learner._stream.partition.pairs.values()
    assert pair.knowledge.outlook(pair.lift.features(np.array([0.3]))).loss == 0
    assert learner.loss_bound([0.3]) == 0.5
    assert learner.predict_one([0.3]) in (0, 1)
    rows = learner.n_rows_
    learner.learn_one([0.3], 0)
    assert learner.n_rows_ == rows
    assert learner.contradictions_ == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dimension", "labels", "resolution", "rounds"),
    [(2, 2, 0.25, 120), (2, 3, 0.25, 60), (3, 2, 0.25, 40)],
)
def test_degrees_found_by_queries_keep_the_bound(dimension, labels, resolution, rounds):
    """Two and three coordinates, p = 3: each loss is announced, and all above the resolution stay
    below the bound.
    """
    generator = np.random.default_rng(labels)
    centers = 0.8 * np.eye(dimension + 1)[:labels, :dimension] - 0.3
    learner = begun(
        centers,
        p=3,
        separation=0.8,
        resolution=resolution,
        measured=True,
        radius=1.0,
    )
    assert (learner.engine_, learner.contradictions_) == ("sampling", 0)
    start, lift = learner.remaining_loss_bound(), learner._stream.partition.lift
    queries = [
        *queries_near_borders(rounds // 2, "lp", centers, generator, p=3),
        *queries_in_ball(rounds // 2, dimension, generator),
    ]
    lost = play(learner, centers, queries, p=3, resolution=resolution)
    assert lost <= start < np.inf == learner.remaining_loss_bound(certain=True)
    assert learner._stream.cost <= start
    assert learner.remaining_loss_bound() <= start or learner._stream.partition.lift != lift
    assert learner.contradictions_ == 0
    assert learner.failure_probability(10**9) > 0  # points of all rungs are counted
    certificates = wb.certify(learner, queries[:3], learner.predict(queries[:3]))
    assumed = {each.kind: each.assumptions for each in certificates}
    assert {online_powers.APART, online_powers.COARSE} <= set(assumed["remaining loss"])
    assert online_powers.APART in assumed["loss of these queries"]


def test_a_rung_that_would_not_pay_is_raised_first(monkeypatch):
    """Features that are too coarse on purpose: asking leaves no trace, learning raises the degree,
    a file keeps it.
    """
    monkeypatch.setattr(online_powers, "MEASURED_SHARE", 0.5)
    generator, centers = np.random.default_rng(0), np.array([[-0.5], [0.5]])
    options = {
        "p": 3,
        "separation": 0.9,
        "resolution": 0.25,
        "measured": True,
        "radius": 1.0,
    }
    learner = begun(centers, **options)
    first, raised = learner._stream.partition.lift.degrees, []
    for query in generator.uniform(-0.3, 0.3, size=(150, 1)):
        before = learner._stream.partition.lift.degrees
        guess = learner.predict_one(query)
        assert learner._stream.partition.lift.degrees == before
        assert learner.predict_one(query) == guess
        learner.learn_one(query, int(distances("lp", query, centers, 3).argmin()))
        raised.append(learner._stream.partition.lift.degrees)
    assert raised[-1] > first
    assert raised == sorted(raised)
    assert learner.remaining_loss_bound() < np.inf


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("p", "dimension", "labels", "measured"), [(3, 3, 2, True), (3, 2, 3, True), (5, 1, 2, False)]
)
def test_with_other_powers_too_what_is_left_falls_by_what_was_lost(p, dimension, labels, measured):
    """Boxes around bodies of many dimensions are larger than the ball itself; the shares that rows
    leave lower the bound.
    """
    generator = np.random.default_rng([p, dimension])
    centers = 0.8 * np.eye(dimension + 2)[:labels, :dimension] - 0.3
    options = {
        "separation": 0.8,
        "resolution": 0.25,
        "measured": measured,
        "radius": 1.0,
        "engine": "sampling",
    }
    learner = begun(centers, p=p, **options)
    left, losses, degrees = (
        [learner.remaining_loss_bound()],
        [],
        learner._stream.partition.lift.degrees,
    )
    for _ in range(12):
        queries = [
            *queries_near_borders(6, "lp", centers, generator, p=p),
            *queries_in_ball(6, dimension, generator),
        ]
        far = [distances("lp", query, centers, p) for query in queries]
        costs = [
            each[learner.predict_one(query)] - each.min()
            for query, each in zip(queries, far, strict=True)
        ]
        worst = int(np.argmax(costs))
        losses.append(costs[worst] if costs[worst] > 0.25 else 0.0)
        learner.learn_one(queries[worst], int(far[worst].argmin()))
        left.append(learner.remaining_loss_bound())
    assert (
        learner._stream.partition.lift.degrees == degrees
    )  # so that bounds were never stated anew
    assert (-np.diff(left) >= np.array(losses) - 1e-9).all()
    assert left[-1] < left[0] - max(losses)
    assert (np.cumsum(losses[::-1])[::-1] <= left[:-1]).all()


OPTIONS = {"p": 3, "separation": 1.0, "resolution": 0.5, "radius": 1.0}


@pytest.mark.few(1)
@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("measured", [False, True])
def test_a_pickle_goes_on_and_wider_queries_too(measured, noise):
    """Rows of all rungs lead back to queries."""
    options = OPTIONS | {"p": 5, "engine": "auto" if noise else "sampling", "noise": noise}
    learner = begun(np.array([[-0.5], [0.5]]), **options, measured=measured)
    queries = np.random.default_rng(0).uniform(-0.9, 0.9, size=(30, 1))
    for query in queries:
        learner.learn_one(query, int(query[0] > 0))
    copy, answers = pickle.loads(pickle.dumps(learner)), learner.predict(queries)
    assert copy.loss_bound([0.1]) == learner.loss_bound([0.1])
    rows = copy.n_rows_
    copy.widen(2)
    assert 0 < copy.n_rows_ <= rows * len(copy._stream.partition.lift.rungs)
    assert (copy.predict(np.column_stack([queries, np.zeros(30)])) == answers).mean() > 0.8


def test_soft_knowledge_has_the_rows_of_all_rungs():
    learner = begun(np.array([[-0.5], [0.5]]), **OPTIONS, engine="sampling")
    for query in np.random.default_rng(0).uniform(-0.9, 0.9, size=(40, 1)):
        learner.learn_one(query, int(query[0] > 0))
    partition = learner._stream.partition
    soft = partition.softened(0.05)
    assert (soft.engine, soft.bounded) == ("soft", False)
    assert soft.n_rows == partition.n_rows > 0
    assert [soft.assess(np.array([x])).guess(0.5) for x in (-0.8, 0.8)] == [0, 1]
    assessment = partition.assess(np.array([0.1]))
    assert partition.rounds_implying(assessment, 1, 0, 41) == []


def test_rows_lead_back_to_queries():
    ladder = Ladder(2, 3.0, rungs=lp_ladder(2, 5.0, separation=3.0, resolution=1.5, bound=3.0))
    queries = np.random.default_rng(0).uniform(-2, 2, size=(6, 2))
    rows = -0.3 * ladder.features(queries)
    for found, signs in (ladder.preimages(rows), ladder.preimages(_on_last_rung(ladder, rows))):
        assert found == pytest.approx(queries)
        assert signs.tolist() == 6 * [-1.0]


def _on_last_rung(ladder, rows):
    kept = rows.copy()
    kept[:, : -ladder.rungs[-1].dimension] = 0.0
    return kept


@pytest.mark.parametrize(
    ("wrong", "match", "right"),
    [
        ({"p": 4}, "p = 4 is even", {}),
        ({"p": 1.5}, "1.5 is outside", {}),
        ({"separation": -1.0}, "separation=-1.0", {}),
        ({"radius": "auto"}, "radius='auto'", {}),
        ({"resolution": 1e-3}, "need 590 features", {"resolution": 0.004}),
        ({"measured": True, "engine": "ellipsoid"}, "does not measure", {"measured": True}),
    ],
)
def test_parameters_that_do_not_fit_are_refused_with_a_way_out(wrong, match, right):
    with pytest.raises(InvalidInput, match=match) as refusal:
        PowerPartitionClassifier(**OPTIONS | wrong).learn_one([0.5], "a")
    assert refusal.value.advice
    PowerPartitionClassifier(**OPTIONS | right).learn_one([0.5], "a").learn_one([-0.5], "b")


QUERIES = np.cos(np.linspace(0, np.pi, 1001))


def error_on_a_grid(p, n):
    """The largest error over a grid of centres; coefficients by the midpoint rule on many nodes."""
    angles = np.pi * (np.arange(4000) + 0.5) / 4000
    cosines = np.cos(np.arange(n + 1)[:, None] * angles)
    errors = []
    for center in np.linspace(0, 1, 11):
        series = 2 * cosines @ np.abs(np.cos(angles) - center) ** p / len(angles)
        series[0] /= 2
        errors.append(
            np.abs(chebyshev.chebval(QUERIES, series) - np.abs(QUERIES - center) ** p).max()
        )
    return max(errors)


@pytest.mark.parametrize("p", [2.2, 3.0, 3.9, 5.0, 6.5])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_the_bound_holds_and_is_at_most_some_times_the_error(p, n):
    error = error_on_a_grid(p, n)
    assert error <= truncation_error(p, n) <= 2.5 * error + 1e-12


@pytest.mark.parametrize("p", [2, 4, 6, 10])
def test_even_powers_are_polynomials(p):
    assert truncation_error(p, p) == truncation_error(p, 3 * p) == 0
    assert truncation_error(p, p - 1) == pytest.approx(
        2 * 2.0 ** (1 - p)
    )  # twice the last coefficient


@settings(deadline=None)
@given(st.floats(1.1, 20), st.integers(1, 10_000))
def test_errors_fall_with_the_degree(p, n):
    assert truncation_error(p, 2 * n) <= truncation_error(p, n)


def test_errors_fall_like_the_degree_to_the_power():
    for p in (2.5, 3.0, 7.0):
        assert truncation_error(p, 200_000) * 2**p == pytest.approx(
            truncation_error(p, 100_000), rel=1e-3
        )


@pytest.mark.few(3)
@pytest.mark.parametrize("p", [2.2, 3.0, 5.0, 6.5])
@pytest.mark.parametrize("n", [2, 5, 12, 40])
def test_the_measured_error_is_attacked_in_vain_and_sharper(p, n):
    """A dense search over centres and queries, denser where the first one finds the largest
    error.
    """
    angles = np.pi * (np.arange(8000) + 0.5) / 8000
    cosines = np.cos(np.arange(n + 1)[:, None] * angles)
    bound = measured_error(p, n)

    def error(center, queries):
        series = 2 * cosines @ np.abs(np.cos(angles) - center) ** p / len(angles)
        series[0] /= 2
        return np.abs(chebyshev.chebval(queries, series) - np.abs(queries - center) ** p).max()

    centers = np.cos(np.linspace(0, np.pi, 61))
    worst = max(centers, key=lambda center: error(center, QUERIES))
    near = np.clip(worst + np.linspace(-0.05, 0.05, 41), -1, 1)
    found = max(error(center, np.append(QUERIES, near)) for center in near)
    assert found <= bound <= 1.5 * found + 1e-12
    assert bound <= 0.9 * truncation_error(p, n)

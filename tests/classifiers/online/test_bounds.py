"""What the online classifier claims about losses, on streams whose centres are known here, and how
it bears wrong labels.
"""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.partitions import (
    centers_in_ball,
    distances,
    queries_in_ball,
    queries_near_borders,
)

import wideberth as wb
from wideberth.errors import InconsistentLabels, InvalidInput
from wideberth.papers.online_bounds import (
    euclidean_loss,
    even_power_loss,
    initial_potential,
    partition_loss,
)

Online = wb.OnlinePartitionClassifier

EXACT = [
    {"similarity": "inner", "engine": "ellipsoid"},
    {"similarity": "inner", "engine": "ellipsoid", "alpha": 0.5},
    {"similarity": "euclidean", "engine": "ellipsoid", "radius": 2.0},
    {"similarity": "euclidean", "engine": "exact"},
    {"similarity": "lp", "p": 4, "engine": "ellipsoid"},
]


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


def begun(centers, **options):
    """A learner that knows how many labels there will be."""
    learner = Online(random_state=1, **options)
    query = np.zeros(centers.shape[1])
    label = int(distances(learner.similarity, query, centers, options.get("p", 2)).argmin())
    return learner.partial_fit([query], [label], classes=range(len(centers)))


@pytest.mark.few(3)
@pytest.mark.parametrize("options", EXACT, ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize("labels", [2, 4])
def test_losses_are_paid_for_by_the_potential(options, labels):
    """Proved engines: what was lost is at most what the potential has fallen by, at any time."""
    generator = np.random.default_rng(labels)
    p, alpha = options.get("p", 2), options.get("alpha", 1.0)
    centers, rounds = (
        centers_in_ball(labels, 2, generator),
        30 if options["engine"] == "exact" else 150,
    )
    learner = begun(centers, **options)
    assert learner.proved_
    start = learner.potential()
    queries = [
        *queries_near_borders(rounds, options["similarity"], centers, generator, p),
        *queries_in_ball(20, 2, generator),
    ]
    lost, potentials = 0.0, [start]
    for part in np.array_split(np.array(queries), 3):
        lost += play(learner, centers, part, p=p, alpha=alpha)
        potentials.append(learner.potential())
        assert lost <= start - potentials[-1] + 1e-9
    assert (np.diff(potentials) <= 1e-9).all()
    assert learner.remaining_loss_bound() == learner.potential()
    assert learner.contradictions_ == 0


@pytest.mark.few(1)
@pytest.mark.parametrize("update", ["informative", "paper"])
@pytest.mark.parametrize("similarity", ["inner", "euclidean"])
def test_sampling_stays_far_below_its_bound(similarity, update):
    generator = np.random.default_rng(3)
    centers = centers_in_ball(3, 3, generator)
    learner = begun(centers, similarity=similarity, update=update)
    bound = learner.remaining_loss_bound()
    assert not learner.proved_
    assert bound == pytest.approx({"informative": 1, "paper": 2}[update] * learner.potential())
    assert (
        play(learner, centers, queries_near_borders(150, similarity, centers, generator))
        < bound / 20
    )
    assert learner.remaining_loss_bound() < bound


def test_the_bound_at_the_start_is_that_of_the_formulas():
    centers = np.eye(4)[:, :3] / 2
    kept = 3 / 4  # what a mistake leaves if votes are counted on points
    for options, potential in (
        ({"similarity": "inner"}, initial_potential(3, kept=kept)),
        ({"similarity": "inner", "radius": 5.0}, 25 * initial_potential(3, kept=kept)),
        ({"similarity": "euclidean"}, euclidean_loss(3, kept=kept)),
        (
            {"similarity": "euclidean", "alpha": 2.0, "radius": 3.0},
            9 * euclidean_loss(3, alpha=2.0, kept=kept),
        ),
        ({"similarity": "lp", "p": 4, "engine": "sampling"}, even_power_loss(4, 3, kept=kept)),
    ):
        learner = Online(random_state=0, **options).partial_fit(
            [[0.0, 0.0, 0.0]], [0], classes=range(len(centers))
        )
        rows = learner.n_rows_  # the first round may have stored a row already
        assert learner.remaining_loss_bound() <= partition_loss(potential, 4, price=1.0)
        if rows == 0:
            assert learner.remaining_loss_bound() == pytest.approx(
                partition_loss(potential, 4, price=1.0), rel=1e-3
            )


def quarter_plane():
    """Rounds 2 and 3 imply 'a' in the whole quarter plane."""
    learner = Online("inner", inconsistent="error", random_state=0)
    for query, label in (([-1.0, -1.0], "b"), ([1.0, 0.0], "a"), ([0.0, 1.0], "a")):
        learner.learn_one(query, label)
    return learner


def test_a_contradiction_is_an_error_that_names_the_rounds():
    learner = quarter_plane()
    with pytest.raises(
        InconsistentLabels, match=r"Round 4 says that 'b' .* rounds 2 and 3 imply the opposite"
    ) as refusal:
        learner.learn_one([0.5, 0.5], "b")
    assert (refusal.value.round, refusal.value.witness, refusal.value.value) == (4, (2, 3), "b")
    for way_out in ("noise=", "soften", "ignore"):
        assert way_out in refusal.value.advice
    assert (learner.rounds_, learner.contradictions_, learner.predict_one([0.5, 0.5])) == (
        3,
        0,
        "a",
    )
    learner.learn_one([0.5, 0.5], "a")  # the stream can go on
    with pytest.raises(InconsistentLabels, match="round 2 implies"):
        learner.learn_one([2.0, 0.0], "b")


def test_ellipsoids_notice_late_and_know_no_rounds():
    learner = Online("inner", inconsistent="error", engine="ellipsoid")
    queries = np.tile([0.6, 0.8], (400, 1))
    with pytest.raises(InconsistentLabels, match="the rounds before imply") as refusal:
        learner.fit(queries, ["a", "b"] * 200)
    assert refusal.value.witness == ()
    assert learner.rounds_ == refusal.value.round - 1 > 20


def test_a_ranking_can_contradict_too():
    learner = Online("inner", inconsistent="error", random_state=0).learn_one(
        [1.0, 0.0], ranking=list("abc")
    )
    with pytest.raises(InconsistentLabels, match="'c' is nearer than 'b'"):
        learner.learn_one([2.0, 0.0], ranking=list("acb"))


def wrong_labels(rounds, share, seed=0):
    generator = np.random.default_rng(seed)
    centers = centers_in_ball(3, 4, generator)
    queries = queries_in_ball(rounds, 4, generator)
    truth = np.array([distances("inner", query, centers).argmin() for query in queries])
    given = np.where(generator.random(rounds) < share, generator.integers(3, size=rounds), truth)
    return queries, truth, given


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [{"noise": 0.1}, {"inconsistent": "soften"}])
def test_wrong_labels_are_borne(options):
    queries, truth, given = wrong_labels(300, 0.1)
    learner = Online("inner", random_state=0, **options).partial_fit(queries, given)
    assert (learner.predict(queries) == truth).mean() > 0.9
    assert learner.engine_ == "soft"
    assert learner.remaining_loss_bound() == np.inf
    assert not learner.proved_
    assert not any(learner.certain(query) for query in queries[:20])
    assert np.isfinite([learner.loss_bound(query) for query in queries[:20]]).all()


def test_softening_says_when_it_began_and_from_then_on_counts_nothing():
    queries, _, given = wrong_labels(120, 0.2)
    learner = Online("inner", inconsistent="soften", random_state=0).partial_fit(queries, given)
    assert (learner.engine_, learner.contradictions_) == ("soft", 1)
    first = learner.first_contradiction_
    assert 1 < first.round < 120
    assert all(witness < first.round for witness in first.witnesses)
    assert f"Round {first.round} says" in first.describe()
    learner.learn_one(queries[0], 9)  # new labels are soft at once
    assert learner.rounds_ == 121


def test_labels_that_are_ignored_are_counted_and_change_nothing():
    learner = quarter_plane().set_params(inconsistent="ignore")
    learner._stream.inconsistent = "ignore"
    rows = learner.n_rows_
    learner.learn_one([0.5, 0.5], "b")
    assert (learner.contradictions_, learner.rounds_, learner.n_rows_) == (1, 4, rows)
    assert learner.first_contradiction_.witnesses == (2, 3)
    assert learner.predict_one([0.5, 0.5]) == "a"
    assert (
        learner.remaining_loss_bound() == np.inf
    )  # what was ignored was wrong, or else no centres explain it


@pytest.mark.few(2)
@pytest.mark.parametrize("inconsistent", ["ignore", "soften"])
@pytest.mark.parametrize("engine", ["sampling", "ellipsoid", "exact"])
def test_labels_at_random_never_stop_it(inconsistent, engine):
    generator = np.random.default_rng(5)
    queries = generator.normal(size=(12, 2))
    learner = Online("inner", engine=engine, inconsistent=inconsistent, random_state=0)
    for _ in range(120 if engine != "exact" else 40):
        query = queries[generator.integers(12)]
        learner.predict_one(query)
        learner.learn_one(query, int(generator.integers(3)))
    assert learner.rounds_ == (120 if engine != "exact" else 40)
    assert np.isfinite([learner.loss_bound(query) for query in queries]).all()
    assert learner.n_rows_ < 3 * 120


def test_memory_does_not_grow_with_the_stream():
    generator = np.random.default_rng(0)
    centers = centers_in_ball(2, 3, generator)
    learner = begun(centers, similarity="inner")
    rows = []
    for part in np.array_split(queries_near_borders(1200, "inner", centers, generator), 3):
        play(learner, centers, part)
        rows.append(learner.n_rows_)
    assert rows[2] < 80
    assert rows[2] - rows[1] < rows[0] / 3


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("similarity", "labels", "dimension"),
    [
        ("inner", 2, 2),
        pytest.param("inner", 3, 2, marks=pytest.mark.slow),
        ("euclidean", 2, 2),
        pytest.param("inner", 2, 3, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("engine", ["exact", "sampling", "ellipsoid"])
def test_what_is_left_is_at_least_what_an_opponent_gets_from_then_on(
    similarity, labels, dimension, engine
):
    """The bound from actual knowledge sets, round by round; the opponent asks what costs most of
    many queries.
    """
    generator = np.random.default_rng([labels, dimension])
    centers = centers_in_ball(labels, dimension, generator)
    learner = begun(centers, similarity=similarity, radius=1.0, engine=engine)
    left, losses = [], []
    for _ in range(25):
        queries = [
            *queries_near_borders(12, similarity, centers, generator),
            *queries_in_ball(12, dimension, generator),
        ]
        far = [distances(similarity, query, centers) for query in queries]
        costs = [
            each[learner.predict_one(query)] - each.min()
            for query, each in zip(queries, far, strict=True)
        ]
        worst = int(np.argmax(costs))
        left.append(learner.remaining_loss_bound())
        losses.append(costs[worst])
        learner.learn_one(queries[worst], int(far[worst].argmin()))
    to_come = np.cumsum(losses[::-1])[::-1]
    assert (to_come <= np.array(left) + 1e-12).all()
    assert left == sorted(left, reverse=True)


@st.composite
def hostile_streams(draw):
    """Queries along axes, repeated, tiny, huge and zero, in one to six dimensions, and labels that
    may contradict each other.
    """
    dimension = draw(st.integers(1, 6))
    axes, last, stream = np.eye(dimension), np.eye(dimension)[0], []
    for _ in range(draw(st.integers(3, 8))):
        kind = draw(st.sampled_from(["axis", "again", "tiny", "huge", "almost", "zero", "any"]))
        if kind == "axis":
            last = draw(st.sampled_from([1.0, -1.0])) * axes[draw(st.integers(0, dimension - 1))]
        elif kind == "almost":
            last = last + 1e-13 * np.arange(dimension)
        elif kind == "any":
            last = np.random.default_rng(draw(st.integers(0, 99))).normal(size=dimension)
        stream.append(
            (
                last * {"tiny": 1e-300, "huge": 1e150, "zero": 0.0}.get(kind, 1.0),
                draw(st.integers(0, 2)),
            )
        )
    return stream


@settings(deadline=None, max_examples=40)
@given(
    hostile_streams(),
    st.sampled_from([{"similarity": "inner"}, {}, {"radius": 1.5}, {"similarity": "lp", "p": 4}]),
    st.sampled_from(["sampling", "ellipsoid", "exact"]),
    st.sampled_from(["soften", "ignore", "error"]),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_hostile_queries_and_labels_are_borne_or_refused_by_name(
    stream, options, engine, inconsistent, alpha
):
    learner = Online(
        engine=engine, inconsistent=inconsistent, alpha=alpha, random_state=0, **options
    )
    for query, label in stream:
        with suppress(
            InvalidInput
        ):  # too many features for exact volumes, a contradiction, a query outside of the radius
            learner.learn_one(query, label)
            assert learner.predict_one(query) in (0, 1, 2)
            assert learner.loss_bound(query) >= 0
            assert learner.remaining_loss_bound() >= 0


def test_units_beyond_floating_point_numbers_are_refused_and_the_advice_helps():
    with pytest.raises(InvalidInput, match="in another unit"):
        Online(alpha=2.0).learn_one([1e200], 0)
    with pytest.raises(InvalidInput, match="in another unit"):
        Online().learn_one([1e-305], 0)
    with pytest.raises(InvalidInput, match="beyond the largest floating-point number"):
        Online("inner").learn_one([1.5e308, 1.5e308], 0)
    tiny, plain = Online(radius=3e-299, random_state=0), Online(radius=3.0, random_state=0)
    for query in np.random.default_rng(0).uniform(-1, 1, size=(20, 2)):
        label = int(query[0] > 0.2)
        tiny.learn_one(1e-299 * query, label)
        plain.learn_one(query, label)
        assert tiny.predict_one(1e-299 * query) == plain.predict_one(query)
    assert tiny.remaining_loss_bound() == pytest.approx(
        1e-299 * plain.remaining_loss_bound(), rel=1e-6
    )
    wide = Online().learn_one([1e-290], 0).learn_one([1e150], 1)
    assert wide.radius_ >= 1e150

"""Contextual search: what it guesses, what it loses, what it proves, and what it does about wrong
answers.
"""

import pickle
from contextlib import suppress
from copy import deepcopy
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wideberth as wb
from wideberth.classifiers.online.contextual_search import halve, lifted, total_loss
from wideberth.errors import InconsistentLabels, InvalidInput
from wideberth.papers import LabelsBySearch

Search = wb.ContextualSearch


def hidden(dimension, generator):
    vector = generator.normal(size=dimension)
    return vector / np.linalg.norm(vector) * generator.uniform(0.2, 1.0)


def queries(rounds, dimension, generator):
    found = generator.normal(size=(rounds, dimension))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def play(learner, vector, stream):
    """The losses, round by round."""
    losses = []
    for query in stream:
        guess = learner.guess_one(query)
        losses.append(abs(guess - query @ vector) ** learner.alpha)
        learner.learn_one(query, too_high=bool(guess > query @ vector))
    return np.array(losses)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("engine", "dimension"),
    [
        ("exact", 1),
        pytest.param("exact", 2, marks=pytest.mark.slow),
        ("sampling", 4),
        ("ellipsoid", 4),
    ],
)
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_losses_stop_growing_far_below_the_bound(engine, dimension, alpha):
    generator = np.random.default_rng(dimension)
    learner = Search(engine=engine, alpha=alpha, random_state=0)
    losses = play(
        learner,
        hidden(dimension, generator),
        queries(300 if engine != "exact" else 80, dimension, generator),
    )
    fresh = Search(engine=engine, alpha=alpha).learn_one(np.zeros(dimension), too_high=False)
    assert losses.sum() < fresh.remaining_loss_bound()
    assert losses[len(losses) * 3 // 4 :].sum() < 0.1 * losses.sum()
    assert learner.contradictions_ == 0


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6), dimension=st.integers(1, 2), alpha=st.sampled_from([0.5, 1.0, 2.0])
)
@settings(max_examples=12, deadline=None)
def test_both_answers_pay_for_the_loss(seed, dimension, alpha):
    """Definition 9 for values: whatever is told, the potential falls by what can have been lost, by
    exact volumes.
    """
    generator = np.random.default_rng(seed)
    learner, vector = (
        Search(engine="exact", alpha=alpha, random_state=0),
        hidden(dimension, generator),
    )
    learner.learn_one(np.zeros(dimension), too_high=False)
    for query in queries(6, dimension, generator):
        _assert_pays(learner._knowledge, query, alpha)
        guess = learner.guess_one(query)
        learner.learn_one(query, too_high=bool(guess > query @ vector))


@given(seed=st.integers(0, 10**6), dimension=st.integers(1, 6))
@settings(max_examples=10, deadline=None)
def test_both_answers_pay_with_ellipsoids(seed, dimension):
    generator = np.random.default_rng(seed)
    learner, vector = Search(engine="ellipsoid"), hidden(dimension, generator)
    learner.learn_one(np.zeros(dimension), too_high=False)
    for query in queries(25, dimension, generator):
        _assert_pays(learner._knowledge, query, 1.0)
        guess = learner.guess_one(query)
        learner.learn_one(query, too_high=bool(guess > query @ vector))


def _assert_pays(knowledge, query, alpha):
    before = total_loss(knowledge)
    value, after = halve(knowledge, query)
    most = max(np.sqrt(2) * reach for reach in after.reach(lifted(query, value))) ** alpha
    for sign in (1, -1):
        told = deepcopy(after)
        told.learn(lifted(query, value), sign, informative_only=False)
        assert before - total_loss(told) >= most * (1 - 1e-6)


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", ["sampling", "ellipsoid", "exact"])
def test_ranges_contain_all_values_that_agree_with_the_answers(engine):
    generator = np.random.default_rng(1)
    grid = np.linspace(-1, 1, 161)
    possible = np.array([(x, y) for x in grid for y in grid if x * x + y * y <= 1])
    vector, learner = np.array([0.31, -0.4]), Search(engine=engine, random_state=0)
    for query in queries(8, 2, generator):
        guess = learner.guess_one(query)
        learner.learn_one(query, too_high=bool(guess > query @ vector))
        possible = possible[(possible @ query < guess) == (vector @ query < guess)]
        for other in queries(5, 2, generator):
            low, high = learner.value_range(other)
            values = possible @ other
            assert low <= vector @ other <= high
            assert low - 1e-9 <= values.min(initial=1.0)
            assert values.max(initial=-1.0) <= high + 1e-9
            if engine != "ellipsoid" and len(values) > 20:
                assert high - low < values.max() - values.min() + 0.3
            assert (
                learner.loss_bound(other) >= abs(learner.guess_one(other) - vector @ other) - 1e-9
            )


def test_guessing_changes_nothing_and_pickles_go_on():
    generator = np.random.default_rng(0)
    vector, stream = hidden(3, generator), queries(40, 3, generator)
    silent, asked = Search(random_state=0), Search(random_state=0)
    for number, query in enumerate(stream):
        for other in stream[number % 5 :: 5]:
            asked.guess_one(other)
        told = bool(silent.guess_one(query) > query @ vector)
        assert asked.guess_one(query) == silent.guess_one(query)
        silent.learn_one(query, told)
        asked.learn_one(query, told)
    copy = pickle.loads(pickle.dumps(silent))
    more = queries(10, 3, generator)
    assert (
        play(copy, vector, more).tolist()
        == play(silent, vector, more).tolist()
        == play(asked, vector, more).tolist()
    )


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "options", [{}, {"engine": "ellipsoid"}, {"engine": "exact"}, {"noise": 0.1}]
)
def test_a_learner_from_a_file_goes_on_as_the_one_in_memory(tmp_path, options):
    generator = np.random.default_rng(2)
    vector, stream = hidden(2, generator), queries(30, 2, generator)
    learner = Search(radius=2.0, random_state=3, **options)
    play(learner, vector, stream[:15])
    wb.save(learner, tmp_path / "search.wb")
    copy = wb.load(tmp_path / "search.wb")
    assert copy.summary() == learner.summary()
    assert play(copy, vector, stream[15:]).tolist() == play(learner, vector, stream[15:]).tolist()
    assert (copy.rounds_, copy.n_rows_, copy.remaining_loss_bound()) == (
        30,
        learner.n_rows_,
        learner.remaining_loss_bound(),
    )
    with pytest.raises(InvalidInput, match="was changed"):
        wb.save(learner.set_params(alpha=2.0), tmp_path / "other.wb")


def test_units_scale_guesses_and_losses():
    generator = np.random.default_rng(4)
    vector, stream = hidden(3, generator), queries(30, 3, generator)
    one, large = Search(random_state=0), Search(radius=50.0, random_state=0)
    for query in stream:
        guess, larger = one.guess_one(query), large.guess_one(3 * query)
        assert larger == pytest.approx(150 * guess, abs=1e-9)
        one.learn_one(query, bool(guess > query @ vector))
        large.learn_one(3 * query, bool(larger > 150 * query @ vector))
    assert large.remaining_loss_bound() == pytest.approx(50 * one.remaining_loss_bound())


def test_another_price_teaches_too():
    learner = (
        Search(engine="exact")
        .learn_one([1.0], too_high=False, guess=0.25)
        .learn_one([1.0], too_high=True, guess=0.75)
    )
    low, high = learner.value_range([1.0])
    assert (low, high) == pytest.approx((0.25, 0.75), abs=1e-6)
    assert 0.25 < learner.guess_one([1.0]) < 0.75


@pytest.mark.slow
def test_wrong_answers_under_noise_do_little_harm():
    generator = np.random.default_rng(5)
    vector, stream = hidden(3, generator), queries(400, 3, generator)
    learner = Search(noise=0.1, random_state=0)
    losses = []
    for query in stream:
        guess = learner.guess_one(query)
        losses.append(abs(guess - query @ vector))
        learner.learn_one(query, bool((guess > query @ vector) != (generator.random() < 0.05)))
    assert learner.engine_ == "soft"
    assert learner.remaining_loss_bound() == np.inf
    assert np.mean(losses[200:]) < 0.1


def contradicted(**options):
    learner = Search(engine="exact", random_state=0, **options)
    return learner.learn_one([1.0, 0.0], too_high=True, guess=0.0)


def test_contradictions_are_softened_skipped_or_refused():
    soft = contradicted().learn_one([1.0, 0.0], too_high=False, guess=0.5)
    assert (soft.engine_, soft.contradictions_, soft.remaining_loss_bound()) == ("soft", 1, np.inf)
    skipped = contradicted(inconsistent="ignore").learn_one([1.0, 0.0], too_high=False, guess=0.5)
    assert (skipped.engine_, skipped.contradictions_, skipped.n_rows_) == ("exact", 1, 6)
    strict = contradicted(inconsistent="error")
    with pytest.raises(InconsistentLabels, match="Round 2 says that a value is above"):
        strict.learn_one([1.0, 0.0], too_high=False, guess=0.5)
    assert strict.rounds_ == 1


@pytest.mark.parametrize(
    ("options", "arguments", "match"),
    [
        ({"radius": 0}, ([1.0], True), "radius=0"),
        ({"alpha": -1.0}, ([1.0], True), "alpha"),
        ({"engine": "joint"}, ([1.0], True), "joint"),
        ({"engine": "exact", "noise": 0.1}, ([1.0], True), "cannot handle noise"),
        ({"engine": "exact"}, ([1.0] * 4, True), "5 dimensions"),
        ({"inconsistent": "skip"}, ([1.0], True), "skip"),
        ({}, ([1.0], "yes"), "neither True nor False"),
        ({}, ([np.nan], True), "finite"),
    ],
)
def test_what_does_not_fit_is_refused(options, arguments, match):
    with pytest.raises(InvalidInput, match=match):
        Search(**options).learn_one(*arguments)


def test_before_the_first_answer():
    learner = Search(radius=3.0)
    assert (
        learner.guess_one([1.0, 0.0]),
        learner.value_range([1.0, 0.0]),
        learner.loss_bound([1.0, 0.0]),
    ) == (0, (-3, 3), 3)
    assert not hasattr(learner, "engine_")
    with pytest.raises(InvalidInput, match="guess="):
        learner.learn_one([1.0, 0.0], True, guess="much")


@pytest.mark.slow
def test_labels_lose_at_most_what_the_search_loses():
    """Theorem 8, round by round, and beside the engine that learns labels directly."""
    generator = np.random.default_rng(6)
    vector, stream = hidden(3, generator), queries(300, 3, generator)
    stream = stream - 0.9 * (stream @ vector)[:, None] * vector / (
        vector @ vector
    )  # near the border
    search = Search(random_state=0)
    labels, direct = (
        LabelsBySearch(search, "up", "down"),
        wb.OnlinePartitionClassifier("inner", random_state=0),
    )
    lost = {"labels": 0.0, "search": 0.0, "direct": 0.0}
    for query in stream:
        truth = "up" if query @ vector > 0 else "down"
        guess, answer = search.guess_one(query), labels.predict_one(query)
        if answer != truth:
            assert abs(query @ vector) <= abs(guess - query @ vector)
            lost["labels"] += abs(query @ vector)
            lost["search"] += abs(guess - query @ vector)
        lost["direct"] += abs(query @ vector) * (direct.predict_one(query) != truth)
        labels.learn_one(query, truth)
        direct.learn_one(query, truth)
    assert lost["labels"] <= lost["search"]
    assert search.rounds_ == labels.mistakes
    assert lost["direct"] / 5 < lost["labels"] < 5 * lost["direct"] + 1


def test_any_search_will_do():
    class Fixed:
        told: tuple = ()

        def guess_one(self, query):
            return 0.5

        def learn_one(self, query, too_high):
            self.told += (too_high,)

    fixed = Fixed()
    labels = LabelsBySearch(fixed).learn_one([1.0], True).learn_one([1.0], False)
    assert (labels.mistakes, fixed.told) == (1, (True,))


def hostile_queries(draw, dimension):
    """Axes, the same again, tiny and huge multiples of it, almost the same, zero, and some
    others.
    """
    axes, last = np.eye(dimension), np.eye(dimension)[0]
    for _ in range(draw(st.integers(4, 14))):
        kind = draw(
            st.sampled_from(
                ["axis", "axis", "again", "tiny", "huge", "almost", "zero", "signs", "any"]
            )
        )
        if kind == "axis":
            last = draw(st.sampled_from([1.0, -1.0])) * axes[draw(st.integers(0, dimension - 1))]
        elif kind == "almost":
            last = last + 1e-13 * np.arange(dimension)
        elif kind == "signs":
            last = np.array(
                draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=dimension, max_size=dimension))
            )
        elif kind == "any":
            last = np.random.default_rng(draw(st.integers(0, 99))).normal(size=dimension)
        yield last * {"tiny": 1e-300, "huge": 1e150, "zero": 0.0}.get(kind, 1.0)


@st.composite
def hostile_games(draw):
    """Queries, and how they are answered: by a hidden vector, at random, or for guesses of somebody
    else.
    """
    dimension = draw(st.integers(1, 6))
    engine = draw(
        st.sampled_from(["sampling", "ellipsoid", "soft"] + 2 * ["exact"] * (dimension <= 3))
    )
    stream = list(hostile_queries(draw, dimension))
    return (
        engine,
        dimension,
        stream,
        draw(st.sampled_from(["true", "true", "random", "elsewhere"])),
        draw(st.integers(0, 99)),
    )


@given(
    hostile_games(),
    st.sampled_from(["soften", "ignore", "error"]),
    st.sampled_from([0.5, 1.0, 2.0]),
)
@settings(max_examples=60, deadline=None)
def test_hostile_queries_and_answers_are_borne_or_refused_by_name(game, inconsistent, alpha):
    engine, dimension, stream, answers, seed = game
    generator = np.random.default_rng(seed)
    vector = hidden(dimension, generator) if seed % 2 else np.eye(dimension)[-1] / 3
    options = {"noise": 0.1} if engine == "soft" else {"engine": engine}
    learner = Search(inconsistent=inconsistent, alpha=alpha, random_state=0, **options)
    for query in stream:
        value, guess, (low, high) = (
            query @ vector,
            learner.guess_one(query),
            learner.value_range(query),
        )
        assert np.isfinite([guess, low, high]).all()
        if answers == "true" and engine != "soft":
            assert low - 1e-9 * abs(value) <= value <= high + 1e-9 * abs(value)
        too_high = bool(guess > value) if answers != "random" else bool(generator.integers(2))
        told = (
            {"guess": float(generator.choice([0.0, 1e300, -1e300, value]))}
            if answers == "elsewhere"
            else {}
        )
        with suppress(InconsistentLabels):
            learner.learn_one(query, too_high=too_high, **told)
        assert learner.loss_bound(query) >= 0
        assert learner.remaining_loss_bound() >= 0
    assert answers != "true" or learner.contradictions_ == 0


@pytest.mark.few(1)
@pytest.mark.parametrize("dimension", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_axes_by_turns_are_searched_to_the_end(dimension):
    """What is left becomes a box that is flat in some directions; all values along axes are
    found.
    """
    vector = np.array([0.5, 0.3, -0.2])[:dimension]
    learner = Search(engine="exact", random_state=0)
    stream = np.eye(dimension)[np.arange(20 * dimension) % dimension]
    losses = play(learner, vector, stream)
    assert losses[-dimension:].max() < 1e-4
    assert learner.contradictions_ == 0


def test_queries_beyond_floating_point_numbers_are_refused():
    with pytest.raises(InvalidInput, match="beyond the largest floating-point number"):
        Search().learn_one([1.5e308, 1.5e308], too_high=True)
    with pytest.raises(InvalidInput, match="in another unit"):
        Search(radius=1e10).learn_one([1e300], too_high=True, guess=1.0)
    assert Search(radius=1.0).learn_one([1e300], too_high=True, guess=1.0).rounds_ == 1


@pytest.mark.few(3)
@pytest.mark.parametrize("engine", ["exact", "ellipsoid", "sampling"])
@pytest.mark.parametrize("size", [5e-324, 1e-322, 1e-310, 2.0**-1022, 1e-300])
@pytest.mark.parametrize("radius", [1.0, 1e5, 0.01])
def test_true_answers_to_tiny_queries_teach_nothing_false(engine, size, radius):
    """Where a guess would be rounded away, its query is refused and leaves the learner as it
    was.
    """
    learner, worth = Search(radius=radius, engine=engine, random_state=0), Fraction(radius) / 100
    if size * min(1.0, radius) < 2.0**-1022:
        for refused in (
            learner.guess_one,
            learner.value_range,
            lambda query: learner.learn_one(query, too_high=True),
        ):
            with pytest.raises(InvalidInput, match="in another unit"):
                refused([size, size])
        learner.learn_one([1.0], too_high=False)
        with pytest.raises(InvalidInput, match="in another unit"):
            learner.learn_one([size], too_high=False)
        assert learner.rounds_ == 1
        return
    for _ in range(12):
        guess = learner.guess_one([size])
        learner.learn_one([size], too_high=Fraction(guess) > worth * Fraction(size))
    low, high = learner.value_range([1.0])
    assert low <= worth <= high

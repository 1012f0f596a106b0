"""The online classifier as a learner of streams and as an estimator: what it answers, refuses and
remembers.
"""

import pickle

import numpy as np
import pytest
from oracles.classifiers.partitions import (
    centers_in_ball,
    distances,
    queries_in_ball,
    queries_near_borders,
)
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import wideberth as wb
from wideberth.errors import InvalidInput

Online = wb.OnlinePartitionClassifier


def stream(similarity="inner", labels=3, dimension=3, rounds=40, seed=0, p=2):
    """Queries and labels, half of the queries near borders."""
    generator = np.random.default_rng(seed)
    centers = centers_in_ball(labels, dimension, generator)
    near = queries_near_borders(rounds // 2, similarity, centers, generator, p)
    queries = generator.permutation(
        np.concatenate([near, queries_in_ball(rounds - len(near), dimension, generator)])
    )
    return queries, [int(distances(similarity, query, centers, p).argmin()) for query in queries]


def taught(learner, queries, labels):
    for query, label in zip(queries, labels, strict=True):
        learner.learn_one(query, label)
    return learner


def played(learner, queries, labels):
    """The guesses."""
    guesses = []
    for query, label in zip(queries, labels, strict=True):
        guesses.append(learner.predict_one(query))
        learner.learn_one(query, label)
    return guesses


def states_of(learner):
    return [pair.knowledge.state() for pair in learner._stream.partition.pairs.values()]


def same(one, two):
    """Two states, number by number."""
    return one.keys() == two.keys() and all(
        one[name] == two[name] if name == "scales" else np.array_equal(one[name], two[name])
        for name in one
    )


@parametrize_with_checks(
    [
        Online("inner", inconsistent="ignore"),
        Online(radius=1e4, engine="ellipsoid", inconsistent="soften"),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.few(1)
@pytest.mark.parametrize("similarity", ["inner", "euclidean"])
def test_few_mistakes_and_then_certainty(similarity):
    queries, labels = stream(similarity, rounds=300)
    learner = taught(Online(similarity, random_state=0), queries, labels)
    assert learner.rounds_ == 300
    assert learner.mistakes_ < 60
    assert (learner.predict(queries) == labels).mean() > 0.97
    sure = [learner.certain(query) for query in queries]
    assert np.mean(sure) > 0.8
    assert all(
        learner.predict_one(query) == label
        for query, label, known in zip(queries, labels, sure, strict=True)
        if known
    )
    assert {
        learner.loss_bound(query) for query, known in zip(queries, sure, strict=True) if known
    } == {0.0}


@pytest.mark.few(1)
@pytest.mark.parametrize("engine", ["sampling", "ellipsoid", "exact"])
@pytest.mark.parametrize("update", ["informative", "paper"])
def test_predicting_changes_nothing(engine, update):
    queries, labels = stream(rounds=30)
    silent, queried = (
        Online("inner", engine=engine, update=update, random_state=3) for _ in range(2)
    )
    for number, (query, label) in enumerate(zip(queries, labels, strict=True)):
        silent.learn_one(query, label)
        for other in queries[number % 7 :: 7]:
            queried.predict_one(other)
        queried.learn_one(query, label)
    assert silent.mistakes_ == queried.mistakes_
    assert silent.predict(queries).tolist() == queried.predict(queries).tolist()
    assert [silent.loss_bound(query) for query in queries] == [
        queried.loss_bound(query) for query in queries
    ]
    assert silent.potential() == queried.potential()


def test_guesses_of_one_round_do_not_change():
    queries, labels = stream(labels=5, rounds=25)
    learner = taught(Online("inner", update="paper", random_state=0), queries, labels)
    for query in queries:
        chances = learner.predict_proba_one(query)
        guess = learner.predict_one(query)
        assert chances[guess] > 0
        assert sum(chances.values()) == pytest.approx(1)
        assert set(chances) == set(labels)
        learner.predict_one(-query)
        assert learner.predict_one(query) == guess


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"update": "paper"},
        {"engine": "ellipsoid"},
        {"noise": 0.1},
        {"engine": "exact"},
        {"inconsistent": "soften"},
    ],
)
def test_a_pickle_goes_on_exactly_as_the_original(options):
    queries, labels = stream(rounds=40)
    if "inconsistent" in options:
        labels = [label if number % 6 else (label + 1) % 3 for number, label in enumerate(labels)]
    learner = taught(Online("inner", random_state=4, **options), queries[:20], labels[:20])
    learner.predict_one(queries[20])
    copy = pickle.loads(pickle.dumps(learner))
    assert played(copy, queries[20:], labels[20:]) == played(learner, queries[20:], labels[20:])
    assert all(same(*states) for states in zip(states_of(copy), states_of(learner), strict=True))
    assert copy.potential() == learner.potential()


def test_the_same_number_gives_the_same_guesses():
    queries, labels = stream(labels=4, dimension=5, rounds=40)
    runs = [
        played(Online("inner", update="paper", random_state=seed), queries, labels)
        for seed in (0, 0, 1, 2)
    ]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2] or runs[0] != runs[3]


def test_lengths_of_queries_change_no_guess_for_inner_products():
    queries, labels = stream(rounds=40)
    assert played(Online("inner", random_state=0), queries, labels) == played(
        Online("inner", random_state=0), 0.37 * queries, labels
    )
    far = taught(Online("inner", random_state=0), 100 * queries, labels)
    near = taught(
        Online("inner", random_state=0),
        queries / np.linalg.norm(queries, axis=1, keepdims=True),
        labels,
    )
    assert far.predict(queries).tolist() == near.predict(queries).tolist()


def test_units_change_no_guess_for_distances():
    queries, labels = stream("euclidean", dimension=2, rounds=40)
    one, other = Online(radius=1.0, random_state=0), Online(radius=37.0, random_state=0)
    assert played(one, queries, labels) == played(other, 37 * queries, labels)
    assert other.loss_bound(37 * queries[0] / 3) == pytest.approx(
        37 * one.loss_bound(queries[0] / 3)
    )
    assert other.remaining_loss_bound() == pytest.approx(37 * one.remaining_loss_bound())


def test_names_of_labels_do_not_matter_and_come_back():
    queries, labels = stream(rounds=60)
    names = np.array(["tea", "rum", "ale"])
    numbers, words = (
        played(Online("inner", random_state=0), queries, kind) for kind in (labels, names[labels])
    )
    assert words == [None if guess is None else names[guess] for guess in numbers]
    assert {type(word) for word in words[1:]} == {str}
    learner = taught(Online("inner", random_state=0), queries, names[labels])
    assert learner.classes_.tolist() == ["ale", "rum", "tea"]
    assert learner.predict(queries).dtype == np.array(["tea"]).dtype
    assert set(learner.predict_proba_one(queries[0])) == set(names)


def test_labels_may_be_new_at_any_time_and_are_counted_as_mistakes():
    queries, labels = stream(labels=4, rounds=80)
    order = np.argsort(np.array(labels) == 3, kind="stable")  # label 3 comes last
    learner = taught(Online("inner", random_state=0), queries[order], np.array(labels)[order])
    assert learner.classes_.tolist() == [0, 1, 2, 3]
    taught(learner, queries, labels)
    assert (learner.predict(queries) == labels).mean() > 0.9
    fresh = Online("inner", random_state=0)
    assert fresh.predict_one([1.0, 0.0]) is None
    assert fresh.predict_proba_one([1.0, 0.0]) == {}
    assert not fresh.certain([1.0, 0.0])
    assert (fresh.loss_bound([1.0, 0.0]), fresh.remaining_loss_bound(), fresh.potential()) == (
        0,
        0,
        0,
    )
    fresh.learn_one([1.0, 0.0], "a")
    assert (fresh.predict_one([0.0, 1.0]), fresh.certain([0.0, 1.0]), fresh.mistakes_) == (
        "a",
        False,
        1,
    )
    before = fresh.remaining_loss_bound()
    fresh.learn_one([0.0, 1.0], "b")
    assert fresh.mistakes_ == 2
    assert fresh.remaining_loss_bound() > before


def test_labels_to_come_can_be_named():
    learner = Online("inner", random_state=0).partial_fit(
        [[1.0, 0.0]], ["a"], classes=["a", "b", "c"]
    )
    assert learner.classes_.tolist() == ["a", "b", "c"]
    assert set(learner.predict_proba_one([0.0, 1.0])) == {"a", "b", "c"}
    assert learner.remaining_loss_bound() > 0


def test_batches_are_rounds():
    queries, labels = stream(rounds=40)
    one_by_one = taught(Online("inner", random_state=0), queries, labels)
    in_parts = (
        Online("inner", random_state=0)
        .partial_fit(queries[:15], labels[:15])
        .partial_fit(queries[15:], labels[15:])
    )
    at_once = Online("inner", random_state=0).fit(queries, labels)
    again = clone(at_once).fit(queries[:5], labels[:5]).fit(queries, labels)
    for other in (in_parts, at_once, again):
        assert (other.rounds_, other.mistakes_, other.n_rows_) == (
            40,
            one_by_one.mistakes_,
            one_by_one.n_rows_,
        )
        assert other.predict(queries).tolist() == one_by_one.predict(queries).tolist()


def test_it_can_be_cross_validated():
    queries, labels = stream("euclidean", labels=2, dimension=2, rounds=120)
    assert cross_val_score(Online(random_state=0), queries, labels, cv=3).mean() > 0.85


def test_a_zero_query_is_a_tie_of_inner_products():
    queries, labels = stream(rounds=20)
    learner = taught(Online("inner", random_state=0), queries, labels)
    rows, zero = learner.n_rows_, np.zeros(3)
    assert learner.predict_one(zero) in labels
    assert (learner.loss_bound(zero), learner.certain(zero)) == (0, False)
    learner.learn_one(zero, labels[0])
    assert learner.n_rows_ == rows


def test_rankings_teach_all_pairs():
    generator = np.random.default_rng(0)
    centers = centers_in_ball(5, 3, generator)
    queries = queries_near_borders(60, "inner", centers, generator)
    by_label, by_ranking = (Online("inner", random_state=0) for _ in range(2))
    for query in queries:
        order = np.argsort(distances("inner", query, centers)).tolist()
        by_label.learn_one(query, order[0])
        by_ranking.learn_one(query, ranking=order)
    assert by_ranking.mistakes_ < by_label.mistakes_
    assert by_ranking.remaining_loss_bound() == by_ranking.potential()
    twice = Online("inner", alpha=2.0, random_state=0).learn_one(queries[0], ranking=list("abc"))
    assert twice.remaining_loss_bound() == pytest.approx(2 * twice.potential())
    twice.learn_one(queries[1], "a")  # from now on majorities could be led in a circle
    assert twice.remaining_loss_bound() == twice.potential()


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({}, "label=None"),
        ({"label": "a", "ranking": ["a", "b"]}, "a label or a ranking"),
        ({"ranking": ["b", "c"]}, "leaves out 'a'"),
        ({"ranking": ["a", "b", "b"]}, "twice"),
    ],
)
def test_a_query_without_label_or_with_too_much_is_refused(arguments, match):
    learner = taught(Online("inner"), [[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    with pytest.raises(InvalidInput, match=match):
        learner.learn_one([1.0, 1.0], **arguments)
    assert learner.rounds_ == 2
    learner.learn_one([1.0, 1.0], ranking=["a", "b", "c"])


@pytest.mark.parametrize("query", [[1.0], [1.0, np.nan], [[1.0, 2.0]], 3.0, "ab", [1.0, None], []])
def test_what_is_no_query_is_refused(query):
    learner = taught(Online("inner"), [[1.0, 0.0]], ["a"])
    with pytest.raises(InvalidInput, match="vector of 2 finite numbers") as refusal:
        learner.predict_one(query)
    assert "one row" in refusal.value.advice
    with pytest.raises(InvalidInput, match="finite"):
        learner.learn_one(query, "a")


@pytest.mark.parametrize(
    ("options", "far"), [({}, [3.0, 4.0]), ({"similarity": "lp", "p": 4}, [5.0, 0.0])]
)
def test_queries_that_are_too_far_out_are_refused_with_the_radius_they_need(options, far):
    with pytest.raises(InvalidInput, match="size 5 is outside of the ball of radius 1") as refusal:
        Online(radius=1.0, **options).learn_one(far, "a")
    assert "5.05" in refusal.value.advice
    assert refusal.value.value == 5
    Online(radius=5.05, **options).learn_one(far, "a")
    Online("inner").learn_one(far, "a")


def test_nothing_is_there_before_the_first_lesson():
    for name in (
        "classes_",
        "rounds_",
        "mistakes_",
        "contradictions_",
        "first_contradiction_",
        "engine_",
        "proved_",
        "n_rows_",
    ):
        assert not hasattr(Online(), name)
    with pytest.raises(NotFittedError):
        Online().predict([[1.0]])


def test_labels_of_unlike_kinds_are_refused():
    learner = taught(Online("inner"), [[1.0, 0.0]], ["a"])
    with pytest.raises(InvalidInput, match="cannot be sorted"):
        learner.learn_one([1.0, 1.0], 3)
    with pytest.raises(InvalidInput, match="no label"):
        learner.learn_one([1.0, 1.0], np.nan)
    assert learner.classes_.tolist() == ["a"]


@pytest.mark.parametrize(
    ("wrong", "match", "right"),
    [
        ({"similarity": "cosine"}, "cosine", {"similarity": "inner"}),
        ({"p": 3}, "has no power", {"similarity": "lp", "p": 4}),
        ({"similarity": "lp", "p": 1.5}, "1.5 is outside", {"similarity": "lp", "p": 2}),
        ({"similarity": "lp", "p": 3}, "Take an even p", {"similarity": "lp", "p": 4}),
        ({"alpha": 0}, "alpha=0", {"alpha": 0.5}),
        ({"radius": -1.0}, "radius=-1.0", {"radius": 2.0}),
        ({"engine": "magic"}, "magic", {"engine": "ellipsoid"}),
        ({"engine": "ellipsoid", "noise": 0.1}, "cannot handle noise=0.1", {"noise": 0.1}),
        (
            {"engine": "exact", "similarity": "lp", "p": 6},
            "6 dimensions",
            {"similarity": "lp", "p": 6},
        ),
        ({"noise": 0.5}, "noise=0.5", {"noise": 0.49}),
        ({"update": "all"}, "update='all'", {"update": "paper"}),
        ({"inconsistent": "skip"}, "skip", {"inconsistent": "ignore"}),
    ],
)
def test_parameters_that_do_not_fit_are_refused_with_a_way_out(wrong, match, right):
    with pytest.raises(InvalidInput, match=match) as refusal:
        Online(**wrong).learn_one([0.5], "a")
    assert refusal.value.advice
    Online(**right).learn_one([0.5], "a").learn_one([-0.5], "b")


def test_engines_are_chosen_by_the_number_of_features():
    few, many = (Online("inner").learn_one(np.ones(d), "a") for d in (24, 25))
    assert (few.engine_, few.proved_) == ("sampling", False)
    assert (many.engine_, many.proved_) == ("ellipsoid", True)
    assert Online("inner", noise=0.1).learn_one([1.0], "a").engine_ == "soft"


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "options",
    [
        {"similarity": "inner"},
        {"similarity": "euclidean"},
        {"similarity": "lp", "p": 4},
        {"similarity": "inner", "engine": "exact"},
        {"similarity": "inner", "noise": 0.1},
    ],
)
def test_more_coordinates_keep_what_is_known(options):
    queries, labels = stream(options["similarity"], dimension=2, rounds=60, p=options.get("p", 2))
    learner = taught(Online(random_state=0, **options), queries, labels)
    sure = [query for query in queries if learner.certain(query)]
    answers = learner.predict(queries)
    learner.widen(3)
    wide = np.column_stack([queries, np.zeros(60)])
    assert learner.n_features_in_ == 3
    assert (learner.predict(wide) == answers).mean() > 0.9
    assert np.mean([learner.certain([*query, 0.0]) for query in sure] or [1]) > 0.9
    learner.learn_one([0.1, 0.2, 0.7], "new" if isinstance(labels[0], str) else 7)
    with pytest.raises(InvalidInput, match="vector of 3"):
        learner.predict_one([0.1, 0.2])


@pytest.mark.parametrize("options", [{}, {"engine": "exact"}, {"similarity": "lp", "p": 4}])
def test_the_ball_grows_with_the_queries_and_keeps_what_is_known(options):
    generator = np.random.default_rng(3)
    centers = 5 * centers_in_ball(2, 2, generator)
    queries = 4 * queries_in_ball(60, 2, generator)
    queries = queries[np.argsort(np.abs(queries).max(axis=1))]  # the small ones first
    labels = [
        int(distances(options.get("similarity", "euclidean"), query, centers, 4).argmin())
        for query in queries
    ]
    learner = taught(Online(random_state=0, **options), queries[:40], labels[:40])
    radius, sure = learner.radius_, [learner.certain(query) for query in queries[:40]]
    far = np.array([30.0, 1.0])
    asked = learner.predict_one(far)
    assert learner.radius_ == radius  # asking leaves no trace
    assert learner.loss_bound(far) > 0 or learner.certain(far)
    learner.learn_one(
        far, int(distances(options.get("similarity", "euclidean"), far, centers, 4).argmin())
    )
    assert learner.radius_ >= 30
    assert np.log2(learner.radius_ / radius) % 1 == 0
    assert asked in labels
    again = [learner.certain(query) for query in queries[:40]]
    assert np.mean(again) > 0.6 * np.mean(sure)
    assert all(
        learner.predict_one(query) == label
        for query, label, known in zip(queries, labels, again, strict=False)
        if known
    )


def test_a_ball_that_grew_comes_back_from_a_file(tmp_path):
    learner = taught(
        Online(random_state=0), [[0.1, 0.0], [-0.1, 0.0], [5.0, 1.0], [-3.0, 1.0]], list("abab")
    )
    wb.save(learner, tmp_path / "learner.wb")
    copy = wb.load(tmp_path / "learner.wb")
    assert copy.radius_ == learner.radius_ == 0.2 * 2**5
    assert copy.loss_bound([1.0, 3.0]) == learner.loss_bound([1.0, 3.0])
    assert copy.remaining_loss_bound() == learner.remaining_loss_bound()


def test_the_defaults_go_on_where_labels_contradict_each_other():
    learner = taught(
        Online(random_state=0), [[1.0], [-1.0], [0.5], [-0.5], [-0.9], [0.9]], list("ababab")
    )
    assert (learner.engine_, learner.contradictions_) == ("soft", 1)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "options",
    [
        {},
        *({"engine": name} for name in ("sampling", "ellipsoid", "exact")),
        {"noise": 0.1},
    ],
)
def test_streams_of_scikit_learn_can_be_learned_in_parts(options):
    queries, labels = stream("euclidean", labels=3, dimension=3, rounds=120)
    scaler, learner = StandardScaler(), Online(random_state=0, **options)
    for start in range(0, 120, 20):
        part = slice(start, start + 20)
        learner.partial_fit(
            scaler.partial_fit(queries[part]).transform(queries[part]),
            labels[part],
            classes=[0, 1, 2],
        )
    assert learner.score(scaler.transform(queries), labels) >= 0.7

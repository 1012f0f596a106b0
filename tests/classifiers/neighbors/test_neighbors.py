"""Nearest neighbours on any metric: the plain definition, the interface, and scikit-learn around
it.
"""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.classifiers import votes
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_wine
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import metric_matrices

import wideberth
from wideberth import MarginNeighborsClassifier, NeighborsClassifier
from wideberth.checks import check_classifier
from wideberth.classifiers.neighbors import classifier, leaving_out
from wideberth.errors import InvalidInput

NAMES, SEXES = (each[::60] for each in wideberth.datasets.load_first_names())


@parametrize_with_checks([NeighborsClassifier(), NeighborsClassifier("manhattan", n_neighbors=1)])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("metric", "objects"),
    [
        ("levenshtein", NAMES[:40]),
        ("jaccard", [set(name) for name in NAMES[:40]]),
        ("msm", [[ord(letter) for letter in name] for name in NAMES[:40]]),
        ("dtw", [[ord(letter) for letter in name] for name in NAMES[:40]]),
        ("euclidean", np.random.default_rng(0).normal(size=(40, 3))),
    ],
)
def test_our_checks_pass_on_objects(metric, objects):
    check_classifier(NeighborsClassifier(metric), objects, SEXES[:40])
    check_classifier(
        NeighborsClassifier(metric, n_neighbors=3), objects, [name[0] < "J" for name in NAMES[:40]]
    )


def plain_votes(distances, codes, k, weights=None):
    return np.array([votes.elected(row, codes, k, weights) for row in distances])


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=100, deadline=None)
def test_answers_equal_the_plain_count(distances, data):
    n = len(distances)
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    k = data.draw(st.integers(1, n))
    expected = plain_votes(distances, codes, k)
    model = NeighborsClassifier("precomputed", n_neighbors=k).fit(distances, codes)
    np.testing.assert_array_equal(model.predict(distances), expected)
    scaled = NeighborsClassifier("precomputed", n_neighbors=k).fit(0.37 * distances, codes)
    np.testing.assert_array_equal(scaled.predict(0.37 * distances), expected)


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_answers_with_weights_equal_the_plain_count(distances, data):
    n = len(distances)
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=n, max_size=n))
    )
    k = data.draw(st.integers(1, max(1, int(weights.sum()))))
    model = NeighborsClassifier("precomputed", n_neighbors=k).fit(distances, codes, weights)
    scores = model.decision_function(distances)
    for row, scored in zip(distances, scores, strict=True):
        share = votes.shares(row, codes, k, weights)
        expected = [float(share[code]) for code in sorted(share)]
        expected = expected[1] - expected[0] if len(expected) == 2 else expected
        np.testing.assert_allclose(scored, expected, atol=2e-9)
    np.testing.assert_array_equal(
        model.predict(distances), plain_votes(distances, codes, k, weights)
    )


@given(
    metric_matrices(min_size=5, max_size=9), st.randoms(use_true_random=False), st.integers(1, 4)
)
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_objects_does_not_matter(distances, random, k):
    order = list(range(len(distances)))
    random.shuffle(order)
    codes = np.arange(len(distances)) % 3
    one = NeighborsClassifier("precomputed", n_neighbors=k).fit(distances, codes)
    other = NeighborsClassifier("precomputed", n_neighbors=k).fit(
        distances[np.ix_(order, order)], codes[order]
    )
    np.testing.assert_array_equal(one.predict(distances), other.predict(distances[:, order]))


def test_the_majority_of_the_nearest_wins_then_the_next_shell():
    words, drinks = ["tea", "rum", "ten", "tin"], ["soft", "hard", "hard", "soft"]
    model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(words, drinks)
    # of "tee": "tea" and "ten" are one edit away, "tin" two, "rum" three
    assert model.predict(["tee"]).tolist() == ["soft"]
    assert NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        [*words, "tem"], [*drinks, "hard"]
    ).predict(["tee"]) == ["hard"]
    assert model.certified_radius(["tee"]) == [0.0]
    assert [push.label for push in model.explain(["tee"])[0].pushes] == ["soft", "hard"]
    assert NeighborsClassifier("levenshtein", n_neighbors=1).fit(["ab", "ac"], ["z", "a"]).predict(
        ["a"]
    ).tolist() == ["a"]


@given(metric_matrices(min_size=4), st.data())
@settings(max_examples=60, deadline=None)
def test_leaving_one_out_equals_doing_it(distances, data):
    n = len(distances)
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaving_out, "CHOOSING", data.draw(st.sampled_from([3, 5000])))
        model = NeighborsClassifier("precomputed").fit(distances, codes)
        counts = leaving_out.counted(np.ones(n), random_state=0)
    for k, error in model.loo_errors_.items():
        wrong = np.zeros(n, dtype=bool)
        for left_out in range(n):
            others = np.delete(np.arange(n), left_out)
            answer = plain_votes(distances[[left_out]][:, others], codes[others], k)
            wrong[left_out] = answer[0] != codes[left_out]
        assert error == pytest.approx(counts @ wrong / n)
    chosen, *fewer = [k for k in model.loo_errors_ if k <= model.n_neighbors_][::-1]
    assert model.loo_errors_[chosen] == pytest.approx(min(model.loo_errors_.values()))
    assert all(model.loo_errors_[k] > model.loo_errors_[chosen] + 1e-6 for k in fewer)


def test_objects_are_drawn_to_choose_k_so_that_sums_are_expected_to_be_those_of_all(monkeypatch):
    monkeypatch.setattr(leaving_out, "CHOOSING", 4)
    monkeypatch.setattr(classifier, "CHOOSING", 4)
    weights = np.array([0.1, 0.5, 0.5, 1.0, 3.0, 5.0])  # the last two are always drawn
    draws = np.array([leaving_out.counted(weights, seed) for seed in range(2000)])
    assert (draws[:, 4:] == weights[4:]).all()
    assert ((draws[:, :4] == 0) | (draws[:, :4] == weights.sum() / 4)).all()
    # the standard error of the mean of 2,000 draws is 0.03 at most
    np.testing.assert_allclose(draws.mean(axis=0), weights, atol=0.15)
    said = NeighborsClassifier().fit(weights[:, None], [0, 0, 0, 0, 1, 1]).in_words()
    assert "with each of 4 objects left out once" in said[0]


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8).filter(any), st.integers(1, 2))
@settings(max_examples=40, deadline=None)
def test_whole_weights_are_repetitions(weights, k):
    random = np.random.default_rng(5)
    points, labels = random.normal(size=(8, 2)), np.array([0, 1, 0, 1, 1, 0, 2, 2])
    if sum(weights) < k:
        return
    queries = random.normal(size=(30, 2))
    repeated = NeighborsClassifier(n_neighbors=k).fit(
        np.repeat(points, weights, axis=0), np.repeat(labels, weights)
    )
    weighted = NeighborsClassifier(n_neighbors=k).fit(points, labels, sample_weight=weights)
    np.testing.assert_array_equal(weighted.predict(queries), repeated.predict(queries))


@pytest.mark.parametrize("class_weight", ["balanced", {0: 2.0, 1: 0.5, 2: 1.5}])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_weights_of_classes_multiply_those_of_objects(class_weight, k):
    random = np.random.default_rng(5)
    points, labels = random.normal(size=(60, 2)), random.choice(3, 60, p=[0.7, 0.2, 0.1])
    weights, queries = random.integers(1, 3, 60), random.normal(size=(40, 2))
    of_classes = compute_class_weight(class_weight, classes=np.arange(3), y=labels)
    by_class = NeighborsClassifier(n_neighbors=k, class_weight=class_weight).fit(
        points, labels, sample_weight=weights
    )
    by_object = NeighborsClassifier(n_neighbors=k).fit(
        points, labels, sample_weight=weights * of_classes[labels]
    )
    np.testing.assert_array_equal(
        by_class.decision_function(queries), by_object.decision_function(queries)
    )
    np.testing.assert_array_equal(
        by_class.certified_radius(queries), by_object.certified_radius(queries)
    )


def test_balanced_votes_find_more_of_a_rare_class():
    random = np.random.default_rng(0)
    points, labels = (
        np.r_[random.normal(size=(380, 2)), random.normal(1.5, size=(20, 2))],
        np.repeat([0, 1], [380, 20]),
    )
    asked, truth = (
        np.r_[random.normal(size=(200, 2)), random.normal(1.5, size=(200, 2))],
        np.repeat([0, 1], 200),
    )
    plain, balanced = (
        NeighborsClassifier(class_weight=each).fit(points, labels) for each in (None, "balanced")
    )
    assert (
        recall_score(truth, balanced.predict(asked))
        > recall_score(truth, plain.predict(asked)) + 0.2
    )
    assert balanced.score(asked, truth) > plain.score(asked, truth) + 0.1


def test_an_object_left_out_has_no_vote_however_much_its_class_weighs():
    points, labels = np.array([[0.0], [1.0], [5.0], [6.0], [5.4]]), np.array([0, 0, 1, 1, 0])
    model = NeighborsClassifier(class_weight={0: 2.0}).fit(points, labels)
    assert model.loo_errors_[1] == pytest.approx(
        (2.0 + 1.0 + 1.0) / 8
    )  # the last one and its two neighbours are wrong


@pytest.mark.parametrize("weight", [0.0, -1.0, np.inf, np.nan])
@pytest.mark.parametrize("kind", [NeighborsClassifier, MarginNeighborsClassifier])
def test_a_class_without_weight_is_refused(kind, weight):
    with pytest.raises(InvalidInput, match="class_weight leaves no weight to the class 'b'"):
        kind("levenshtein", class_weight={"b": weight}).fit(["tea", "rum"], ["a", "b"])


def test_it_agrees_with_scikit_learn_where_nothing_ties():
    random = np.random.default_rng(2)
    points, labels = random.normal(size=(300, 4)), random.integers(0, 2, 300)
    queries = random.normal(size=(100, 4))
    for k in (1, 5, 15):
        ours, peer = NeighborsClassifier(n_neighbors=k), KNeighborsClassifier(k)
        np.testing.assert_array_equal(
            ours.fit(points, labels).predict(queries), peer.fit(points, labels).predict(queries)
        )


def test_real_data_are_learned():
    wine = load_wine()
    pipeline = make_pipeline(StandardScaler(), NeighborsClassifier())
    assert cross_val_score(pipeline, wine.data, wine.target, cv=5).mean() > 0.93


def test_strings_go_through_scikit_learns_tools():
    names, sexes = NAMES, np.array(SEXES)
    model = NeighborsClassifier("levenshtein", n_neighbors=3)
    answers = cross_val_predict(model, names, sexes, cv=3)
    assert (answers == sexes).mean() > 0.6
    search = GridSearchCV(
        model, {"n_neighbors": [1, 3], "metric": ["levenshtein", "normalized_levenshtein"]}, cv=3
    )
    assert search.fit(names, sexes).predict(["Mary"]) in sexes
    assert (
        GridSearchCV(model, {"n_neighbors": [1, 3]}, cv=3, n_jobs=2)
        .fit(pd.Series(names), sexes)
        .best_score_
        > 0.5
    )
    calibrated = CalibratedClassifierCV(model, cv=3).fit(names, sexes)
    assert calibrated.predict_proba(names[:4]).shape == (4, 2)
    voting = VotingClassifier(
        [("one", model), ("other", NeighborsClassifier("hamming", n_neighbors=1))]
    )
    with pytest.raises(InvalidInput, match="Hamming compares sequences of equal length"):
        voting.fit(names, sexes)
    stack = StackingClassifier([("one", model)], LogisticRegression(), cv=3).fit(names, sexes)
    assert stack.predict(names[:2]).shape == (2,)
    assert OneVsRestClassifier(model).fit(names, sexes).predict(names[:2]).shape == (2,)


def test_parameters_of_the_metric_can_be_searched():
    wine = load_wine()
    search = GridSearchCV(
        NeighborsClassifier(wideberth.metric("minkowski")), {"metric__p": [1, 2]}, cv=3
    )
    assert search.fit(wine.data, wine.target).best_params_["metric__p"] in (1, 2)


def test_an_answer_is_explained_by_its_neighbours():
    model = NeighborsClassifier("levenshtein", n_neighbors=2).fit(
        ["tea", "tee", "rum"], ["soft", "soft", "hard"]
    )
    (why,) = model.explain(["tean"])
    assert [(push.reference, push.distance, push.label, push.push) for push in why.pushes] == [
        (0, 1, "soft", 0.5),
        (1, 2, "soft", 0.5),
    ]
    assert (why.label, why.rival, why.score) == ("soft", "hard", 1.0)


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_pushes_of_voters_add_up_to_the_lead(data):
    n = data.draw(st.integers(2, 12))
    points = np.array(data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n)), dtype=float)[
        :, None
    ]
    labels = np.array(data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    weights = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    )
    assume(weights.sum() >= 1)
    k = data.draw(st.integers(1, int(weights.sum())))
    model = NeighborsClassifier(n_neighbors=k, calibrate=None).fit(points, labels, weights)
    queries = np.arange(7.0)[:, None]
    for query, told, why in zip(
        queries, model.answers(queries).leads, model.explain(queries), strict=True
    ):
        assert why.label == model.predict([query])[0]
        assert why.baseline + sum(push.push for push in why.pushes) == pytest.approx(why.score)
        assert why.score == pytest.approx(told)
        for push in why.pushes:  # positions count in the X of fit, with the objects of weight 0
            assert (labels[push.reference], abs(points[push.reference] - query)) == (
                push.label,
                push.distance,
            )
            assert weights[push.reference] > 0


def test_one_class_is_always_answered():
    model = NeighborsClassifier("levenshtein").fit(["tea", "tee"], ["soft", "soft"])
    assert model.predict(["rum"]).tolist() == ["soft"]
    assert NeighborsClassifier("levenshtein").fit(["tea"], ["soft"]).predict(["rum"]).tolist() == [
        "soft"
    ]


@pytest.mark.parametrize("number", [0, -1, 4, 2.5, "many", True])
def test_a_wrong_number_of_neighbours_is_refused(number):
    with pytest.raises(InvalidInput, match="n_neighbors="):
        NeighborsClassifier("levenshtein", n_neighbors=number).fit(
            ["tea", "tee", "rum"], ["a", "a", "b"]
        )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"sample_weight.shape == \(1,\)"),
        ([1.0, np.nan], "Object 1 has the weight nan"),
        ([0, 0], "All weights are zero"),
    ],
)
def test_wrong_weights_are_refused(weights, message):
    with pytest.raises(InvalidInput, match=message):
        NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["a", "b"], sample_weight=weights)


def test_continuous_targets_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        NeighborsClassifier("levenshtein").fit(["tea", "rum"], [0.5, 1.25])


def test_new_objects_of_a_matrix_are_rows_of_distances():
    matrix = np.array([[0, 2, 5], [2, 0, 4], [5, 4, 0]], dtype=float)
    model = NeighborsClassifier("precomputed", n_neighbors=1).fit(matrix, ["a", "a", "b"])
    assert model.predict([[3.0, 3.0, 1.0]]).tolist() == ["b"]
    with pytest.raises(InvalidInput, match="rows of 3 distances"):
        model.predict([[3.0, 3.0]])

"""C chosen by cross-validation: the same choice as by hand, on any X, with each distance measured
once.
"""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_moons
from sklearn.model_selection import GroupKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import wideberth
from wideberth import LipschitzClassifier, LipschitzClassifierCV, MetricSpace
from wideberth.checks import check_classifier
from wideberth.errors import BrokenAxiom, BrokenAxiomWarning, InvalidInput, NotCertified

NAMES, SEXES = (each[::60] for each in wideberth.datasets.load_first_names())
GRID = [1.5, 3.0, 8.0, 25.0]


def moons(n=90):
    return make_moons(n, noise=0.35, random_state=3)


def by_hand(X, y, values, folds, **parameters):
    """The accuracy of each model of a path on what its fold did not see."""
    return np.array(
        [
            [
                model.score(X[asked], y[asked])
                for model in LipschitzClassifier(**parameters).path(X[known], y[known], values)
            ]
            for known, asked in folds
        ]
    )


def scores(model):
    """The score in each fold (rows) of each candidate."""
    folds = [name for name in model.cv_results_ if name.startswith("split")]
    return np.array([model.cv_results_[name] for name in folds])


@parametrize_with_checks([LipschitzClassifierCV(C=[2, 10], cv=2)])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


def test_our_checks_pass_on_strings():
    check_classifier(
        LipschitzClassifierCV("levenshtein", C=[2, 10], cv=3, random_state=0),
        NAMES[:40],
        SEXES[:40],
    )
    initials = [name[0] for name in NAMES[:40]]
    several = [min(initial, "C") for initial in initials]
    check_classifier(
        LipschitzClassifierCV("levenshtein", C=[2, 10], cv=2, random_state=1), NAMES[:40], several
    )


def test_the_choice_is_the_one_made_by_hand():
    X, y = moons()
    folds = list(StratifiedKFold(4, shuffle=True, random_state=7).split(X, y))
    model = LipschitzClassifierCV(C=GRID, cv=4, tol=1e-8, random_state=7).fit(X, y)
    expected = by_hand(X, y, GRID, folds, tol=1e-8)
    for fold, found in zip(folds, scores(model), strict=True):
        tried = ~np.isnan(found)  # the others were out of the race
        np.testing.assert_allclose(
            found[tried], by_hand(X, y, np.array(GRID)[tried], [fold], tol=1e-8)[0]
        )
    assert model.best_index_ == expected.mean(axis=0).argmax()
    assert model.best_params_["C"] == GRID[model.best_index_] == model.best_estimator_.C
    assert model.C_ == model.best_estimator_.C_
    alone = LipschitzClassifier(C=model.best_params_["C"], tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    queries = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(
        model.decision_function(queries), alone.decision_function(queries), atol=1e-6
    )
    np.testing.assert_allclose(
        model.certified_radius(queries), alone.certified_radius(queries), atol=1e-6
    )


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("metric", "objects", "labels"),
    [("euclidean", *moons()), ("levenshtein", np.array(NAMES[:90]), np.array(SEXES[:90]))],
)
def test_a_path_reaches_the_values_of_separate_fits(metric, objects, labels):
    """Not their slacks: several points may be best, and where two objects share a loss, either may
    carry it.
    """
    for known, _ in StratifiedKFold(3).split(objects, labels):
        for model in LipschitzClassifier(metric, tol=1e-8).path(
            objects[known], labels[known], GRID
        ):
            alone = LipschitzClassifier(metric, C=model.C, tol=1e-8).fit(
                objects[known], labels[known]
            )
            assert model.solution_.value == pytest.approx(alone.solution_.value, rel=1e-6)


def test_of_equally_good_values_one_with_the_smallest_loss_is_taken():
    X = np.r_[np.zeros((6, 1)), np.full((6, 1), 9.0)] + np.linspace(0, 1, 12)[:, None]
    model = LipschitzClassifierCV(C=[25, 3, 9], cv=3, random_state=0).fit(X, np.repeat([0, 1], 6))
    losses = model.cv_results_["mean_test_loss"]
    assert (scores(model) == 1).all()
    best = np.flatnonzero(losses <= losses.min() + 1e-12)
    assert model.best_params_["C"] == np.array([25.0, 3.0, 9.0])[best].min()


def test_twelve_values_are_tried_unless_told_otherwise():
    X, y = moons(40)
    model = LipschitzClassifierCV(cv=2, random_state=0).fit(X, y)
    assert scores(model).shape == (2, 12)
    assert 1.5 - 1e-9 <= model.best_params_["C"] <= 50 + 1e-9


def test_objects_a_space_and_a_matrix_agree():
    names, sexes = NAMES[:80], np.array(SEXES[:80])
    settings = {"C": GRID, "cv": 3, "random_state": 2}
    plain = LipschitzClassifierCV("levenshtein", **settings).fit(names, sexes)
    space = MetricSpace(names, "levenshtein")
    indexed = LipschitzClassifierCV(space.metric, **settings).fit(space.index, sexes)
    distances = wideberth.pairwise_distances(names, None, "levenshtein")
    matrix = LipschitzClassifierCV("precomputed", **settings).fit(distances, sexes)
    for other in (indexed, matrix):
        np.testing.assert_array_equal(scores(other), scores(plain))
        assert other.best_index_ == plain.best_index_
    new = ["ANNABEL", "TOBIAS", "JO"]
    np.testing.assert_array_equal(plain.predict(new), indexed.predict(space.append(new)))
    rows = wideberth.pairwise_distances(new, names, "levenshtein")
    np.testing.assert_array_equal(plain.predict(new), matrix.predict(rows))
    np.testing.assert_allclose(
        plain.certified_radius(new), indexed.certified_radius(space.append(new))
    )
    with pytest.raises(NotCertified, match="promise"):
        matrix.certified_radius(rows)


def measured(fit):
    """How many distances a fit measures, with a metric that counts in how many places words
    differ.
    """
    sizes = []

    def block(left, right):
        sizes.append(len(left) * len(right))
        return np.array(
            [[float(sum(map(str.__ne__, one, other))) for other in right] for one in left]
        ).reshape(-1, len(right))

    fit(wideberth.Metric(block, name="places", obeys_triangle=True, separates=True))
    return sum(sizes)


def test_folds_share_their_distances_if_these_fit():
    words = [f"{number:06b}" for number in range(60)]
    labels = np.array([number % 3 == 0 for number in range(60)])
    pairs = 60 * 59 // 2

    def search(metric, max_memory):
        return LipschitzClassifierCV(
            metric, C=[2, 5, 25], cv=4, random_state=0, max_memory=max_memory
        ).fit(words, labels)

    chosen = search(wideberth.metric("hamming"), "2GB").best_params_["C"]
    once = measured(lambda metric: LipschitzClassifier(metric, C=chosen).fit(words, labels))
    tried = 40**2  # the promise of a metric that is not ours is looked at once more, on a sample
    assert measured(lambda metric: search(metric, "2GB")) <= once + pairs + tried
    small = 8 * 60 * 60 // 2
    assert measured(lambda metric: search(metric, small)) > once + pairs
    np.testing.assert_array_equal(
        scores(search("hamming", small)), scores(search("hamming", "2GB"))
    )


def test_folds_may_be_given():
    X, y = moons(60)
    folds = [(np.arange(0, 40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    listed = LipschitzClassifierCV(C=GRID, cv=folds, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(scores(listed), by_hand(X, y, GRID, folds, tol=1e-8))
    splitter = StratifiedKFold(3)
    split = LipschitzClassifierCV(C=GRID, cv=splitter, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(scores(split), by_hand(X, y, GRID, splitter.split(X, y), tol=1e-8))
    with pytest.raises(ValueError, match="groups"):
        LipschitzClassifierCV(cv=GroupKFold(3)).fit(X, y)


def test_given_folds_count_objects_of_weight_zero_but_do_not_use_them():
    X, y = moons(60)
    weights = np.ones(60)
    weights[[3, 44]] = 0
    kept = np.flatnonzero(weights)
    folds = [(np.arange(0, 40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    without = [
        (np.flatnonzero(np.isin(kept, known)), np.flatnonzero(np.isin(kept, asked)))
        for known, asked in folds
    ]
    weighted = LipschitzClassifierCV(C=GRID, cv=folds).fit(X, y, sample_weight=weights)
    dropped = LipschitzClassifierCV(C=GRID, cv=without).fit(X[kept], y[kept])
    np.testing.assert_array_equal(scores(weighted), scores(dropped))
    explained = weighted.explain(X[[50]])[0]
    assert explained.pushes[0].distance == pytest.approx(
        np.linalg.norm(X[50] - X[explained.pushes[0].reference])
    )


def test_what_the_chosen_classifier_says_is_passed_on():
    names, sexes = NAMES[:60], SEXES[:60]
    model = LipschitzClassifierCV("levenshtein", C=[5, 25], cv=2, calibrate=3, random_state=0).fit(
        names, sexes
    )
    chosen = model.best_estimator_
    assert model.explain(["ANNA"]) == chosen.explain(["ANNA"])
    np.testing.assert_array_equal(model.score_interval(["ANNA"]), chosen.score_interval(["ANNA"]))
    probabilities = model.predict_proba(["ANNA", "BOB"])
    np.testing.assert_array_equal(probabilities, chosen.predict_proba(["ANNA", "BOB"]))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert not hasattr(LipschitzClassifierCV(), "predict_proba")
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(thawed.predict(names), model.predict(names))


def test_it_learns_real_data_inside_scikit_learns_tools():
    wine = load_wine()
    model = make_pipeline(
        StandardScaler(), LipschitzClassifierCV(C=[2, 5, 25], cv=3, random_state=0)
    )
    assert cross_val_score(model, wine.data, wine.target, cv=3).mean() > 0.93


def test_scores_do_not_depend_on_the_unit_of_the_metric():
    distances = wideberth.pairwise_distances(*moons(60)[:1], None, "euclidean")
    y = moons(60)[1]
    settings = {"C": GRID, "cv": 3, "random_state": 0}
    found = [
        scores(LipschitzClassifierCV("precomputed", **settings).fit(scale * distances, y))
        for scale in (1, 0.37)
    ]
    np.testing.assert_array_equal(*found)


def test_a_broken_triangle_inequality_warns_once_and_with_the_right_objects():
    X, y = moons(40)
    squared = wideberth.pairwise_distances(X, None, "euclidean") ** 2
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        LipschitzClassifierCV("precomputed", C=[2, 10], cv=3, random_state=0).fit(squared, y)
    assert [each.category for each in warned] == [BrokenAxiomWarning]
    asymmetric = squared.copy()
    asymmetric[7, 39] += 1
    with pytest.raises(BrokenAxiom) as caught:
        LipschitzClassifierCV("precomputed").fit(asymmetric, y)
    assert {7, 39} <= set(caught.value.witness)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"C": []}, "is not a list of values"),
        ({"C": 5.0}, "is not a list of values"),
        ({"C": [2, -1]}, "is not a list of values"),
        ({"cv": 1}, "folds"),
        ({"cv": 31}, "folds"),
        ({"tol": 2}, "tol=2"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, problem):
    X, y = moons(60)
    with pytest.raises(InvalidInput, match=problem):
        LipschitzClassifierCV(**parameters).fit(X, y)


def test_a_class_that_a_fold_never_saw_counts_as_wrong():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0]])
    with pytest.warns(UserWarning, match="least populated class"):
        model = LipschitzClassifierCV(C=[10], cv=3, random_state=0).fit(X, list("aaabbbc"))
    assert scores(model).sum() < 3
    assert model.predict([[8.9]]) == "c"

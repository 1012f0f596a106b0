"""The LP machine's C chosen by cross-validation: the same choice as by hand, on any X, with each
distance measured once.
"""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_moons
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import wideberth
from wideberth import LPMachineClassifier, LPMachineClassifierCV, MetricSpace
from wideberth.checks import check_classifier
from wideberth.classifiers.lp_machine import cross_validation
from wideberth.errors import BrokenAxiomWarning, InvalidInput, NotCertified

NAMES, SEXES = (column[::60] for column in wideberth.datasets.load_first_names())
GRID = [3.0, 10.0, 100.0]


def moons(n=80):
    return make_moons(n, noise=0.35, random_state=3)


def scores(model, n_values):
    """The score of each candidate, of shape (folds, radials, values)."""
    folds = [name for name in model.cv_results_ if name.startswith("split")]
    return np.array([model.cv_results_[name] for name in folds]).reshape(len(folds), -1, n_values)


@pytest.mark.slow
@parametrize_with_checks([LPMachineClassifierCV(C=[3, 30], radial="distance", cv=2)])
def test_scikit_learns_checks_pass_on_vectors(estimator, check):
    check(estimator)


def test_our_checks_pass_on_strings():
    check_classifier(
        LPMachineClassifierCV("levenshtein", C=[5, 30], radial="distance", cv=3, random_state=0),
        NAMES[:40],
        SEXES[:40],
    )


RADIALS = ["distance", ("gaussian", "60%"), ["distance", "laplace"]]


def exact_accuracies(X, y, folds, radials, **settings):
    """The accuracy of exact machines in each fold, of shape (folds, radials, values)."""
    return np.array(
        [
            [
                [
                    model.score(X[left_out], y[left_out])
                    for model in machine.path(X[known], y[known], GRID)
                ]
                for machine in (
                    LPMachineClassifier(radial=radial, **settings) for radial in radials
                )
            ]
            for known, left_out in folds
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("radials", [RADIALS, [("gaussian", "30%"), "bounded"]])
def test_the_choice_is_as_good_as_that_of_exact_machines(radials):
    X, y = moons(200)
    folds = list(StratifiedKFold(4, shuffle=True, random_state=7).split(X, y))
    model = LPMachineClassifierCV(C=GRID, radial=radials, references=60, cv=4, random_state=7).fit(
        X, y
    )
    exact = exact_accuracies(X, y, folds, radials, references=60)
    found = scores(model, len(GRID))
    assert np.nanmax(np.abs(found - exact)) <= 0.1  # five objects of fifty
    assert np.nanmean(np.abs(found - exact)) <= 0.02
    means = exact.mean(axis=0).ravel()
    assert means[model.best_index_] >= means.max() - 0.02


def test_the_chosen_classifier_is_that_of_a_single_fit():
    X, y = moons()
    model = LPMachineClassifierCV(C=GRID, radial=RADIALS, references=30, cv=4, random_state=7).fit(
        X, y
    )
    assert model.best_params_ == {
        name: getattr(model.best_estimator_, name) for name in ("C", "radial")
    }
    assert model.best_params_ == model.cv_results_["params"][model.best_index_]
    np.testing.assert_array_equal(model.C_, model.best_estimator_.C_)
    alone = LPMachineClassifier(**model.best_params_, references=30).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(model.certified_radius(X), alone.certified_radius(X))


def test_with_a_hard_margin_among_the_values_all_machines_are_exact(monkeypatch):
    monkeypatch.setattr(cross_validation.SmoothedVariant, "_functions", None)
    X = np.r_[np.zeros((10, 1)), np.full((10, 1), 4.0)] + np.linspace(0, 2, 20)[:, None] % 1
    model = LPMachineClassifierCV(C=[3.0, np.inf], radial="distance", cv=3, random_state=0).fit(
        X, np.repeat([0, 1], 10)
    )
    assert (model.cv_results_["mean_test_score"] == 1).all()


def test_a_fold_that_knows_one_class_says_it():
    X, y = moons(20)
    ones, zeros = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    folds = [(ones, zeros), (np.r_[ones[:5], zeros[:5]], np.r_[ones[5:], zeros[5:]])]
    model = LPMachineClassifierCV(C=[3, 30], radial="distance", cv=folds).fit(X, y)
    np.testing.assert_array_equal(model.cv_results_["split0_test_score"], 0.0)


def test_weights_count_as_repetitions_do():
    X, y = moons(40)
    y[:6] = 2
    counts = 1 + np.arange(40) % 3
    repeated = np.repeat(np.arange(40), counts)
    folds = [
        (np.flatnonzero(np.arange(40) % 2 == part), np.flatnonzero(np.arange(40) % 2 != part))
        for part in (0, 1)
    ]
    many = [tuple(np.flatnonzero(np.isin(repeated, part)) for part in fold) for fold in folds]
    settings = {
        # smaller ones leave the race, in which repetitions count as more objects
        "C": [10.0, 30.0, 100.0],
        "radial": ["distance", "gaussian"],
        "class_weight": {0: 1.0, 1: 2.0, 2: 5.0},
    }
    weighted = LPMachineClassifierCV(cv=folds, **settings).fit(X, y, sample_weight=counts)
    plain = LPMachineClassifierCV(cv=many, **settings).fit(X[repeated], y[repeated])
    np.testing.assert_allclose(scores(weighted, 3), scores(plain, 3))
    np.testing.assert_allclose(
        weighted.cv_results_["mean_test_loss"], plain.cv_results_["mean_test_loss"]
    )


def test_a_finely_woven_pattern_wants_a_narrow_radial_function():
    X = np.random.default_rng(0).uniform(size=(300, 2))
    y = (np.floor(5 * X).sum(axis=1) % 2).astype(int)
    model = LPMachineClassifierCV(C=[10, 100], cv=3, random_state=0).fit(X, y)
    assert model.best_params_["radial"] == ("gaussian", "45%")
    assert scores(model, 2)[0, -1].max() > scores(model, 2)[0, 0].max()


def test_of_equally_good_values_that_with_the_smallest_loss_is_taken_wherever_it_stands():
    X = np.r_[np.zeros((6, 1)), np.full((6, 1), 9.0)] + np.linspace(0, 1, 12)[:, None]
    model = LPMachineClassifierCV(C=[30, 300, 10], radial="distance", cv=3, random_state=0).fit(
        X, np.repeat([0, 1], 6)
    )
    assert (model.cv_results_["mean_test_score"] == 1).all()
    losses = model.cv_results_["mean_test_loss"]
    assert losses[model.best_index_] <= losses.min() + 1e-12


def test_eight_values_and_four_radial_functions_are_tried_unless_told_otherwise():
    X, y = moons(40)
    model = LPMachineClassifierCV(cv=2, random_state=0).fit(X, y)
    assert scores(model, 8).shape == (2, 4, 8)
    assert 2 - 1e-9 <= model.best_params_["C"] <= 200 + 1e-9


@pytest.mark.few(1)
@pytest.mark.parametrize("transductive", [False, True])
def test_objects_a_space_and_a_matrix_agree(transductive):
    names, others, sexes = NAMES[:60], NAMES[60:], np.array(SEXES[:60])
    settings = {"C": GRID, "cv": 3, "random_state": 2}
    plain = LPMachineClassifierCV(
        "levenshtein", references=others if transductive else None, **settings
    ).fit(names, sexes)
    space = MetricSpace(names, "levenshtein")
    index = space.index
    given = space.append(others) if transductive else None
    indexed = LPMachineClassifierCV(space.metric, references=given, **settings).fit(index, sexes)
    distances = wideberth.pairwise_distances(NAMES, None, "levenshtein")
    known = np.arange(len(NAMES)) < 60
    numbers = np.flatnonzero(~known) if transductive else None
    matrix = LPMachineClassifierCV("precomputed", references=numbers, **settings).fit(
        distances, SEXES, sample_weight=known
    )
    for other in (indexed, matrix):
        np.testing.assert_array_equal(scores(other, 3), scores(plain, 3))
        assert other.best_index_ == plain.best_index_
    new = ["ANNABEL", "TOBIAS", "JO"]
    np.testing.assert_array_equal(
        plain.decision_function(new), indexed.decision_function(space.append(new))
    )
    rows = wideberth.pairwise_distances(new, NAMES, "levenshtein")
    np.testing.assert_array_equal(plain.decision_function(new), matrix.decision_function(rows))
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

    def search(metric, max_memory):
        return LPMachineClassifierCV(
            metric,
            C=[3, 30, 300],
            radial=["distance", ("laplace", "50%")],
            cv=4,
            random_state=0,
            max_memory=max_memory,
        ).fit(words, labels)

    chosen = search(wideberth.metric("hamming"), "2GB")
    once = measured(
        lambda metric: LPMachineClassifier(metric, **chosen.best_params_).fit(words, labels)
    )
    pairs = 60 * 59 // 2
    tried = 40**2  # the promise of a metric that is not ours is looked at once more, on a sample
    assert measured(lambda metric: search(metric, "2GB")) <= once + pairs + tried
    small = 8 * 60 * 60 // 2
    assert measured(lambda metric: search(metric, small)) > once + pairs
    np.testing.assert_array_equal(
        scores(search("hamming", small), 3), scores(search("hamming", "2GB"), 3)
    )


def test_what_the_chosen_classifier_says_is_passed_on():
    names, sexes = NAMES[:60], SEXES[:60]
    model = LPMachineClassifierCV("levenshtein", C=[5, 30], cv=2, calibrate=3, random_state=0).fit(
        names, sexes
    )
    chosen = model.best_estimator_
    assert model.explain(["ANNA"]) == chosen.explain(["ANNA"])
    np.testing.assert_array_equal(
        model.predict_proba(["ANNA", "BOB"]), chosen.predict_proba(["ANNA", "BOB"])
    )
    assert not hasattr(LPMachineClassifierCV(), "predict_proba")
    thawed = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(thawed.predict(names), model.predict(names))


def test_scores_do_not_depend_on_the_unit_of_the_metric():
    X, y = moons(60)
    settings = {"C": GRID, "cv": 3, "random_state": 0}
    found = [scores(LPMachineClassifierCV(**settings).fit(scale * X, y), 3) for scale in (1, 0.37)]
    np.testing.assert_array_equal(*found)


def test_a_broken_triangle_inequality_is_told_once():
    X, y = moons(40)
    squared = wideberth.pairwise_distances(X, None, "euclidean") ** 2
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        LPMachineClassifierCV("precomputed", C=[3, 10], cv=3, random_state=0).fit(squared, y)
    assert [warning.category for warning in told] == [BrokenAxiomWarning]


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"C": []}, "is not a list of values"),
        ({"C": 5.0}, "LPMachineClassifier takes a single one"),
        ({"C": [2, -1]}, "is not a list of values"),
        ({"cv": 1}, "folds"),
        ({"tol": 2}, "tol=2"),
        ({"references": 0}, "references=0"),
        ({"references": 0.5}, "references=0.5"),
        ({"radial": "cubic"}, "cubic"),
        ({"radial": []}, "nothing to choose"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, problem):
    X, y = moons(60)
    with pytest.raises(InvalidInput, match=problem):
        LPMachineClassifierCV(**parameters).fit(X, y)


@pytest.mark.slow
def test_it_learns_real_data():
    wine = load_wine()
    model = make_pipeline(StandardScaler(), LPMachineClassifierCV(C=GRID, cv=3, random_state=0))
    assert cross_val_score(model, wine.data, wine.target, cv=3).mean() > 0.94
    names, sexes = (
        np.array(column[:600]) for column in wideberth.datasets.load_first_names()
    )  # half of each sex
    machine = LPMachineClassifierCV("levenshtein", C=GRID, cv=3, random_state=0).fit(
        names[::2], sexes[::2]
    )
    asked, truth = names[1::2], sexes[1::2]
    assert (
        machine.score(asked, truth)
        >= np.unique(truth, return_counts=True)[1].max() / len(truth) + 0.1
    )

"""Classifiers that choose on folds, beside scikit-learn: the same table, the same scores, groups
that stay together.
"""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import accuracy_score, get_scorer, make_scorer, recall_score
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_val_score

import wideberth
from wideberth import (
    HilbertSVC,
    HilbertSVCCV,
    LipschitzClassifier,
    LipschitzClassifierCV,
    LPMachineClassifier,
    LPMachineClassifierCV,
)
from wideberth.errors import InvalidInput
from wideberth.estimators.choosing.cross_validation import Tried

NAMES, SEXES = (np.array(each[::100]) for each in wideberth.datasets.load_first_names())
FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)
#: A class that chooses, the class that it chooses among, and parameters of both with nothing left
#: to choose but C.
KINDS = [
    (LipschitzClassifierCV, partial(LipschitzClassifier, tol=1e-9), {"tol": 1e-9}, {}),
    (LPMachineClassifierCV, LPMachineClassifier, {"radial": "distance"}, {"radial": "distance"}),
    (
        HilbertSVCCV,
        partial(HilbertSVC, tol=1e-7),
        {"kernel": "laplace", "width": 2.0, "repair": "clip", "tol": 1e-7},
        {"kernel": "laplace", "width": 2.0, "repair": "clip"},
    ),
]
KINDS = [pytest.param(*each, id=each[0].__name__) for each in KINDS]
#: Some of the 30 objects of a fold may get another label: the LP machine is chosen by approximate
#: functions, and several Lipschitz functions reach one optimum, of which a path along C and a fit
#: that begins alone need not find the same.
APPROXIMATE = {LPMachineClassifierCV: 0.1, LipschitzClassifierCV: 0.1}


def moons(n=90):
    return make_moons(n, noise=0.35, random_state=3)


def three_classes():
    X, y = moons()
    return X, np.where(X[:, 0] > 1.3, 2, y)


def folds_of(model):
    return np.array(
        [model.cv_results_[f"split{fold}_test_score"] for fold in range(FOLDS.n_splits)]
    )


def assert_scores(chosen, found, expected, *, atol=1e-12):
    """The scores are as expected, or near them where folds are answered by approximate
    functions.
    """
    np.testing.assert_allclose(found, expected, atol=max(atol, APPROXIMATE.get(chosen, 0.0)))


def mean_margin(estimator, X, y):
    """A score of our own: how sure the right answers are."""
    assert len(X) == len(y)
    return float(np.abs(estimator.decision_function(X))[estimator.predict(X) == y].mean())


# ---- the table -----------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize(("chosen", "single", "parameters", "same"), KINDS)
def test_results_have_the_form_of_grid_search(chosen, single, parameters, same):
    X, y = moons()
    model = chosen(C=[30.0, 3.0], cv=FOLDS, scoring="balanced_accuracy", **parameters).fit(X, y)
    search = GridSearchCV(
        single(**same), {"C": [30.0, 3.0]}, cv=FOLDS, scoring="balanced_accuracy"
    ).fit(X, y)
    times = {"mean_fit_time", "std_fit_time", "mean_score_time", "std_score_time"}
    assert search.cv_results_.keys() - times <= model.cv_results_.keys()
    for name in search.cv_results_.keys() - times - {"params"}:
        assert_scores(chosen, model.cv_results_[name], search.cv_results_[name].astype(float))
        assert type(model.cv_results_[name]) is type(search.cv_results_[name])
    assert [each["C"] for each in model.cv_results_["params"]] == [30.0, 3.0]
    assert model.best_params_["C"] == model.best_estimator_.C
    assert_scores(chosen, model.best_score_, search.best_score_)
    assert model.best_score_ == model.cv_results_["mean_test_score"][model.best_index_]
    assert model.cv_results_["rank_test_score"][model.best_index_] == 1


def test_dropped_candidates_have_nan_the_mean_of_their_folds_and_a_lower_rank():
    X, y = moons(200)
    model = LipschitzClassifierCV(C=[1e-3, 5.0, 8.0], cv=4, random_state=0).fit(X, y)
    table = model.cv_results_
    assert np.isnan(table["split3_test_score"][0])
    ran = [table[f"split{fold}_test_score"][0] for fold in range(4)]
    assert table["mean_test_score"][0] == pytest.approx(np.nanmean(ran))
    assert table["std_test_score"][0] == pytest.approx(np.nanstd(ran))
    assert table["rank_test_score"][0] == 3
    lucky = Tried([{"C": 2.0}, {"C": 1.0}], np.array([[0.5, 1.0], [0.5, np.nan]]), np.zeros(2))
    assert (lucky.best, lucky.results()["rank_test_score"].tolist()) == (0, [1, 2])


def test_pairs_and_lists_stay_whole_in_a_column():
    X, y = moons(40)
    radials = ["distance", ("gaussian", "60%"), ["distance", "laplace"]]
    model = LPMachineClassifierCV(C=[10.0], radial=radials, cv=2, random_state=0).fit(X, y)
    assert list(model.cv_results_["param_radial"]) == radials
    assert model.cv_results_["param_C"].dtype == float


# ---- scores --------------------------------------------------------------------------------------


@pytest.mark.few(2)
@pytest.mark.parametrize(
    "scoring",
    ["balanced_accuracy", "roc_auc", "f1", mean_margin, make_scorer(recall_score, pos_label=0)],
)
@pytest.mark.parametrize(("chosen", "single", "parameters", "same"), KINDS)
def test_scores_are_those_of_the_single_classifier(chosen, single, parameters, same, scoring):
    if scoring is mean_margin and chosen in APPROXIMATE:
        pytest.skip("approximate functions have margins of their own")
    X, y = moons()
    for C in (3.0, 20.0):
        model = chosen(C=[C], cv=FOLDS, scoring=scoring, **parameters).fit(X, y)
        alone = cross_val_score(single(C=C, **same), X, y, cv=FOLDS, scoring=scoring)
        assert_scores(chosen, folds_of(model)[:, 0], alone, atol=1e-5)


@pytest.mark.few(1)
@pytest.mark.parametrize(("chosen", "single", "parameters", "same"), KINDS)
def test_scores_along_a_path_are_those_of_its_models(chosen, single, parameters, same):
    """Of several optima, the path may take another one than a classifier on its own."""
    X, y = moons()
    values, area = [3.0, 20.0], get_scorer("roc_auc")
    model = chosen(C=values, cv=FOLDS, scoring="roc_auc", **parameters).fit(X, y)
    paths = [
        (single(**same).path(X[known], y[known], values), asked)
        for known, asked in FOLDS.split(X, y)
    ]
    by_hand = [[area(each, X[asked], y[asked]) for each in path] for path, asked in paths]
    assert_scores(chosen, folds_of(model), by_hand, atol=1e-5)
    assert model.best_score_ == model.cv_results_["mean_test_score"].max()


@pytest.mark.few(1)
@pytest.mark.parametrize(("chosen", "single", "parameters", "same"), KINDS)
def test_probabilities_are_scored_if_they_are_calibrated(chosen, single, parameters, same):
    X, y = three_classes()
    about = {"calibrate": 3, "random_state": 0}
    model = chosen(C=[3.0, 20.0], cv=FOLDS, scoring="neg_log_loss", **about, **parameters).fit(X, y)
    alone = cross_val_score(single(C=20.0, **about, **same), X, y, cv=FOLDS, scoring="neg_log_loss")
    np.testing.assert_allclose(folds_of(model)[:, 1], alone, atol=1e-4)
    with pytest.raises(InvalidInput, match=r"needs predict_proba.*calibrate=5"):
        chosen(C=[3.0], cv=FOLDS, scoring="neg_log_loss", **parameters).fit(X, y)


def test_words_spaces_and_matrices_have_the_same_scores_and_scorers_see_what_was_given():
    seen = []

    def watched(estimator, X, y):
        seen.append(X)
        return get_scorer("roc_auc")(estimator, X, y)

    settings = {"C": [3.0, 20.0], "cv": FOLDS, "scoring": watched}
    words = LipschitzClassifierCV("levenshtein", **settings).fit(NAMES.tolist(), SEXES)
    assert isinstance(seen[0][0], str)
    matrix = wideberth.pairwise_distances(NAMES, None, "levenshtein")
    table = LipschitzClassifierCV("precomputed", **settings).fit(matrix, SEXES)
    known, asked = next(FOLDS.split(NAMES, SEXES))
    np.testing.assert_array_equal(seen[-len(settings["C"]) * 3], matrix[np.ix_(asked, known)])
    space = wideberth.MetricSpace(NAMES, "levenshtein")
    indexed = LipschitzClassifierCV(space.metric, **settings).fit(space.index, SEXES)
    np.testing.assert_array_equal(folds_of(words), folds_of(table))
    np.testing.assert_array_equal(folds_of(words), folds_of(indexed))
    alone = cross_val_score(
        LipschitzClassifier("levenshtein", C=20.0),
        NAMES.tolist(),
        SEXES,
        cv=FOLDS,
        scoring="roc_auc",
    )
    np.testing.assert_allclose(folds_of(words)[:, 1], alone, atol=0.01)


def test_a_scorer_may_ask_for_radii_but_not_for_other_objects():
    def certified(estimator, X, y):
        return float(np.mean((estimator.predict(X) == y) & (estimator.certified_radius(X) > 0.2)))

    X, y = moons()
    model = LipschitzClassifierCV(C=[5.0], cv=FOLDS, scoring=certified, tol=1e-9).fit(X, y)
    alone = cross_val_score(LipschitzClassifier(C=5.0, tol=1e-9), X, y, cv=FOLDS, scoring=certified)
    np.testing.assert_allclose(folds_of(model)[:, 0], alone, atol=0.04)
    with pytest.raises(InvalidInput, match="can only predict the objects that the fold leaves out"):
        LipschitzClassifierCV(
            C=[5.0], cv=FOLDS, scoring=lambda model, X, y: model.predict(X[:2]).mean()
        ).fit(X, y)


def test_accuracy_by_its_name_is_the_default_and_weights_count():
    X, y = moons()
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    plain = LipschitzClassifierCV(C=[3.0, 20.0], cv=3, random_state=0).fit(X, y, weights)
    for scoring in ("accuracy", make_scorer(accuracy_score)):
        named = LipschitzClassifierCV(C=[3.0, 20.0], cv=3, random_state=0, scoring=scoring).fit(
            X, y, weights
        )
        np.testing.assert_allclose(folds_of(named), folds_of(plain))


def test_a_fitted_search_scores_by_what_it_chose_by():
    X, y = moons()
    model = LipschitzClassifierCV(C=[5.0], cv=2, scoring="roc_auc", random_state=0).fit(X, y)
    assert model.score(X, y) == get_scorer("roc_auc")(model.best_estimator_, X, y)
    assert model.set_params(scoring=None).score(X, y) == model.best_estimator_.score(X, y)


@pytest.mark.parametrize("scoring", ["sharpness", accuracy_score, ["accuracy", "f1"], 3])
def test_what_is_no_score_is_refused(scoring):
    with pytest.raises(InvalidInput, match=r"is not a score.*get_scorer_names"):
        LipschitzClassifierCV(C=[5.0], scoring=scoring).fit(*moons())


def test_an_undefined_score_is_refused():
    X, y = np.linspace(0, 1, 12)[:, None], np.repeat([0, 1], 6)
    folds = [(np.r_[0:4, 6:12], np.arange(4, 6))]
    with (
        pytest.warns(UserWarning, match="one class"),
        pytest.raises(InvalidInput, match="nan on a fold with the labels"),
    ):
        LipschitzClassifierCV(C=[5.0], cv=folds, scoring="roc_auc").fit(X, y)


# ---- groups --------------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize(("chosen", "single", "parameters", "same"), KINDS)
def test_groups_stay_together(chosen, single, parameters, same):
    X, y = moons()
    groups = np.arange(len(y)) % 7
    model = chosen(C=[5.0], cv=GroupKFold(3), scoring="accuracy", **parameters).fit(
        X, y, groups=groups
    )
    alone = cross_val_score(single(C=5.0, **same), X, y, cv=GroupKFold(3), groups=groups)
    assert_scores(chosen, folds_of(model)[:, 0], alone)


def test_groups_of_objects_without_weight_are_left_out():
    X, y = moons()
    groups = [f"patient {number % 7}" for number in range(len(y))]
    weights = np.arange(len(y)) >= 10
    model = LipschitzClassifierCV(C=[5.0], cv=GroupKFold(3)).fit(X, y, weights, groups=groups)
    dropped = LipschitzClassifierCV(C=[5.0], cv=GroupKFold(3)).fit(
        X[10:], y[10:], groups=groups[10:]
    )
    np.testing.assert_array_equal(folds_of(model), folds_of(dropped))


def test_groups_that_a_cv_ignores_are_refused():
    X, y = moons()
    with pytest.raises(InvalidInput, match=r"cv=3 ignores groups.*GroupKFold"):
        LipschitzClassifierCV(C=[5.0], cv=3).fit(X, y, groups=np.arange(len(y)))
    with pytest.raises(InvalidInput, match="90 objects and 3 groups"):
        LipschitzClassifierCV(C=[5.0], cv=GroupKFold(3)).fit(X, y, groups=[1, 2, 3])


# ---- weights that a score does not take ----------------------------------------------------------


def unweighted_score(estimator, X, y):
    return float((estimator.predict(X) == y).mean())


@pytest.mark.parametrize("scoring", ["adjusted_rand_score", unweighted_score])
def test_a_score_that_takes_no_weights_warns_once(scoring):
    X, y = moons()
    model = LipschitzClassifierCV(C=[2, 5], cv=3, scoring=scoring)
    name = scoring if isinstance(scoring, str) else "unweighted_score"
    with pytest.warns(UserWarning, match=f"'{name}' takes no sample weights") as warned:
        model.fit(X, y, sample_weight=np.linspace(1, 2, len(y)))
    assert len(warned) == 1
    assert warned[0].filename == __file__


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("scoring", "weights"),
    [
        pytest.param(None, np.linspace(1, 2, 90), id="accuracy"),
        pytest.param("balanced_accuracy", np.linspace(1, 2, 90), id="takes weights"),
        pytest.param("adjusted_rand_score", None, id="no weights"),
        pytest.param("adjusted_rand_score", np.arange(90) % 3 > 0, id="equal weights, or 0"),
    ],
)
def test_there_is_no_warning_where_weights_count_or_do_not_differ(scoring, weights, recwarn):
    X, y = moons()
    LipschitzClassifierCV(C=[2, 5], cv=3, scoring=scoring).fit(X, y, sample_weight=weights)
    assert not recwarn.list

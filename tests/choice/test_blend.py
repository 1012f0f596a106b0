"""Weighted means of calibrated probabilities: their weights, whether they win, and the classifier
that answers by one.
"""

from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import clone

import wideberth as wb
from wideberth import AutoClassifier
from wideberth.choice import blend, blended, contest, mixing
from wideberth.choice.blend import Blend
from wideberth.choice.entries import Entry
from wideberth.errors import InvalidFile, InvalidInput, NotCertified
from wideberth.estimators.calibration import Calibrator

FAST = ["neighbors", "svm", "linear"]
GREEDY = mixing.greedy_weights


@pytest.fixture(scope="module")
def always():
    """A mean of three candidates is taken whatever it gains, after one cut into folds."""

    def some(own, weights):
        shares = np.array([0.5, 0.3, 0.2, *np.zeros(len(own))][: len(own)])
        return shares / shares.sum()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mixing, "greedy_weights", some)
        patched.setattr(contest, "_MOST_CUTS", 1)
        patched.setattr(blended, "_SURELY", -np.inf)
        patched.setattr(blended, "_AGAINST_THE_BEST", -np.inf)
        yield


def words(n=90, seed=0):
    """Strings of three classes, by letters that they begin with more often than not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    starts = np.where(rng.random(n) < 0.75, np.array(["tea", "rum", "ale"])[labels], "ell")
    rest = ["".join(rng.choice(list("aeiou"), 3)) for _ in range(n)]
    return [f"{start}{end}" for start, end in zip(starts, rest, strict=True)], labels


def points(n=120, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    return rng.normal(size=(n, 2)) + 1.5 * np.eye(3)[labels][:, :2], labels


def fitted(X, y, metrics, **parameters):
    usual = {"candidates": FAST, "max_time": None, "random_state": 0, "cv": 3}
    return AutoClassifier(metrics, **usual | parameters).fit(X, y)


@pytest.fixture(scope="module")
def of_words(always):
    X, y = words()
    model = fitted(X, y, ["ngrams", "levenshtein"])
    assert isinstance(model.best_estimator_, Blend)
    return model


# ---- Weights, and whether a mean wins


def test_greedy_weights_are_about_the_best_ones():
    rng = np.random.default_rng(1)
    own = rng.beta(2, 1, size=(3, 400))
    found = GREEDY(own, np.ones(400))
    grid = np.array(
        [(a, b, 1 - a - b) for a in np.arange(0, 1.01, 0.1) for b in np.arange(0, 1.01 - a, 0.1)]
    )
    losses = -np.log(np.maximum(grid, 0) @ own).mean(axis=1)
    assert -np.log(found @ own).mean() <= losses.min() + 2e-3
    assert found.sum() == pytest.approx(1)


def test_a_mean_has_no_more_parts_than_are_worth_their_cost():
    own = np.eye(8) * 0.9 + 0.05  # each is right about other objects
    assert np.count_nonzero(GREEDY(own, np.ones(8))) == mixing.MOST_PARTS


def scores_of(chances, rng, errors):
    """Scores that tell classes with independent errors."""
    return chances + rng.normal(0, errors, chances.shape)


def test_independent_errors_are_averaged_out_and_copies_gain_nothing():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 300)
    truth = 2.0 * np.eye(3)[codes]
    one, other = (scores_of(truth, rng, 1.5) for _ in range(2))
    told = {"codes": codes, "objects": np.arange(300), "weights": np.ones(300), "random_state": 0}
    assert mixing.mixed([one, other], 0, **told).wins(2.0)
    assert not mixing.mixed([one, one.copy()], 0, **told).wins(0.0)


def test_what_a_mean_gains_is_judged_on_answers_that_its_weights_have_not_seen():
    gains = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 2, 60)
        guesses = [rng.normal(size=(60, 2)) for _ in range(12)]
        told = {"codes": codes, "objects": np.arange(60), "weights": np.ones(60)}
        gains.append(mixing.mixed(guesses, 0, **told, random_state=0).gain[0])
    assert np.mean(gains) < 0.005  # on the answers themselves it is 0.03


def test_several_answers_about_an_object_stay_together():
    rng = np.random.default_rng(0)
    codes = np.tile(rng.integers(0, 2, 80), 4)
    objects = np.tile(np.arange(80), 4)
    # four times the same noise: a calibration that saw an object elsewhere would know its label
    one, other = (np.tile(scores_of(np.eye(2)[codes[:80]], rng, 1.0), (4, 1)) for _ in range(2))
    several = mixing.mixed([one, other], 0, codes, objects, np.ones(320), random_state=0)
    once = mixing.mixed(
        [one[:80], other[:80]], 0, codes[:80], objects[:80], np.ones(80), random_state=0
    )
    assert several.gain[1] == pytest.approx(once.gain[1], rel=0.3)
    assert len(several.right) == 80


# ---- The classifier


def test_probabilities_are_the_weighted_mean_of_those_of_the_parts(of_words):
    best, (new, _) = of_words.best_estimator_, words(seed=5)
    mean = 0.0
    for part in best.parts_:
        scores = part.model.scores(part.model.admit_queries(new))
        mean = mean + part.weight * part.calibrator.probabilities(scores)
    np.testing.assert_allclose(np.exp(best.scores(best.admit_queries(new))), mean, rtol=1e-9)
    np.testing.assert_array_equal(of_words.predict(new), best.classes_[mean.argmax(axis=1)])
    found = of_words.predict_proba(new)
    np.testing.assert_array_equal(of_words.classes_[found.argmax(axis=1)], of_words.predict(new))
    assert sum(part.weight for part in best.parts_) == pytest.approx(1)


def test_a_label_on_which_all_parts_agree_wins_ties_of_rounding():
    even, label = np.array([[0.25, 0.5, 0.5]]), np.array([2])
    logs = blend._logarithms([(even, label), (even, label)], np.array([0.3, 0.7]))
    assert logs.argmax() == 2
    # where they do not agree, the first of equals
    logs = blend._logarithms([(even, label), (even, label - 1)], np.array([0.3, 0.7]))
    assert logs.argmax() == 1


def test_each_label_is_explained_by_its_parts(of_words):
    new, _ = words(8, seed=5)
    for text, why in zip(new, of_words.explain(new), strict=True):
        assert why.label == of_words.predict([text])[0]
        assert why.score == pytest.approx(sum(push.push for push in why.pushes))
        assert why.score >= 0
        assert [push.feature for push in why.pushes] == [
            part.title for part in of_words.best_estimator_.parts_
        ]


def test_the_table_names_the_parts_and_the_best_single_one(of_words):
    first, second = of_words.leaderboard_[:2]
    assert (first["family"], second["why"]) == ("blend", "alone the best")
    assert first["settings"] == {
        part.title: pytest.approx(part.weight, abs=1e-3) for part in of_words.best_estimator_.parts_
    }
    assert "weighted mean" in of_words.choice_
    assert "alone" in of_words.choice_
    assert of_words.choice_ in of_words.summary()


@pytest.mark.parametrize(
    ("drawn", "metrics"),
    [
        (words, ["ngrams", "levenshtein"]),
        (words, ["words", "ngrams", "rare_ngrams"]),
        (points, ["euclidean", "standardized"]),
        (points, ["manhattan"]),
    ],
)
def test_it_is_saved_with_its_parts(drawn, metrics, always, tmp_path):
    X, y = drawn()
    model = fitted(X, y, metrics)
    assert isinstance(model.best_estimator_, Blend)
    wb.save(model, tmp_path / "blend.wb")
    again, new = wb.load(tmp_path / "blend.wb"), drawn(seed=3)[0]
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(again.certified_radius(new), model.certified_radius(new))
    assert again.leaderboard_ == model.leaderboard_
    assert again.summary() == model.summary()
    kept = model.kept()
    assert kept is None or list(again.kept().positions) == list(kept.positions)


def test_a_file_with_other_parts_is_refused(of_words, tmp_path):
    changed = deepcopy(of_words)
    changed.best_estimator_.parts_[0].calibrator.offsets[0] = np.nan
    wb.save(changed, tmp_path / "blend.wb")
    with pytest.raises(InvalidFile, match="offsets"):
        wb.load(tmp_path / "blend.wb")


def test_training_objects_are_known_by_their_positions(always):
    X, y = words(120)
    model = fitted(X, y, ["ngrams", "levenshtein"], holdout=0.25)
    kept = model.kept()
    np.testing.assert_array_equal(kept.labels, y[kept.positions])
    # new objects prove something, although a metric has learned from the others
    learned = fitted(X, y, ["rare_ngrams", "ngrams"], holdout=0.25)
    assert isinstance(learned.best_estimator_, Blend)
    assert not learned.certificate_.void
    assert learned.best_estimator_.learned_from_.metric_learned
    mine = model.metric_.prepare([X[place] for place in kept.positions])
    assert not model.metric_.block(mine, kept.objects).diagonal().any()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "parameters",
    [
        {"blend": False},
        {"prefer": "small"},
        {"scoring": "balanced_accuracy"},
        {"prefer": "certified", "radius": 1, "unit": "edit"},
    ],
)
def test_there_is_no_mean_where_none_is_wanted(parameters, always):
    X, y = words(60)
    model = fitted(X, y, ["ngrams", "levenshtein"], **parameters)
    assert not isinstance(model.best_estimator_, Blend)


def test_blend_is_true_or_false():
    with pytest.raises(InvalidInput, match="True or False"):
        AutoClassifier(blend=3).fit(*words(30))


def test_the_parts_have_to_be_fitted_in_time(always, monkeypatch):
    X, y = words(60)
    assert isinstance(fitted(X, y, "ngrams", max_time=60).best_estimator_, Blend)
    monkeypatch.setattr(Entry, "seconds_on_all", 50.0)
    monkeypatch.setattr(AutoClassifier, "_in_time", lambda *_: True)
    assert not isinstance(fitted(X, y, "ngrams", max_time=60).best_estimator_, Blend)


def test_copies_of_it_learn_from_other_objects(of_words, always, tmp_path):
    best, (X, y) = of_words.best_estimator_, words()
    again = clone(best).fit(X, y)
    new = words(seed=5)[0]
    np.testing.assert_allclose(again.decision_function(new), best.decision_function(new), atol=1e-9)
    fewer = np.flatnonzero(y != 2)
    without = clone(best).fit([X[place] for place in fewer], y[fewer])
    assert without.classes_.tolist() == [0, 1]
    assert (without.predict(["teaa", "ruma"]) == [0, 1]).all()
    with pytest.raises(InvalidInput, match="is new to the blend"):
        clone(best).fit(X, np.where(y == 2, 7, y))
    with pytest.raises(InvalidInput, match="nothing to blend"):
        Blend("ngrams").fit(X, y)
    wb.save(of_words, tmp_path / "blend.wb")
    loaded = clone(wb.load(tmp_path / "blend.wb").best_estimator_).fit(X, y)
    np.testing.assert_allclose(
        loaded.decision_function(new), best.decision_function(new), atol=1e-9
    )


def test_labels_that_are_doubtful_are_found_by_copies(always):
    X, y = words(60)
    model = fitted(X, y, ["ngrams", "levenshtein"])
    found = wb.label_issues(model, X, y, cv=3, random_state=0)
    assert len(found) == 60
    assert {each.predicted_label for each in found} <= {0, 1, 2}


# ---- Radii


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("sharp", [0.3, 3.0])
def test_differences_of_probabilities_are_no_less_than_their_bounds(n_classes, sharp):
    rng = np.random.default_rng(n_classes)
    for _ in range(300):
        bend, unit = rng.choice([0.0, 1.5]), rng.exponential()
        calibrator = Calibrator(sharp, rng.normal(0, 1.5, n_classes), bend, unit)
        lead, label, winner = rng.exponential(0.5), *rng.integers(0, n_classes, 2).tolist()
        bound = blend._least_differences(
            calibrator, np.array([label]), np.array([winner]), np.array([lead]), np.array([True])
        )[0]
        behind = lead + rng.exponential(rng.choice([1e-3, 1.0, 10.0]), (40, n_classes))
        behind[:10] = lead  # all others as near as they may be
        behind[:, label] = 0.0
        told = calibrator.probabilities(-behind)
        differences = told[:, [winner]] - told
        differences[:, winner] = bound[winner]
        assert (differences >= bound - 1e-12).all()
        # the bound is reached where only two classes are left
        if n_classes == 2 and winner == label and bound.max() > 0:
            assert differences[:10].min() == pytest.approx(bound[1 - winner], abs=1e-9)


def test_no_move_within_the_radius_changes_the_label(always):
    X, y = points()
    model, rng = fitted(X, y, ["euclidean", "manhattan"]), np.random.default_rng(0)
    assert isinstance(model.best_estimator_, Blend)
    new, _ = points(60, seed=9)
    radii = model.certified_radius(new)
    assert (radii > 0).mean() > 0.5
    measure = model.metric_
    for point, radius, label in zip(new, radii, model.predict(new), strict=True):
        moved = rng.normal(size=(40, 2))
        lengths = np.array([measure(point, point + step) for step in moved])
        moved = point + moved * (0.999 * radius / lengths)[:, None]
        assert (model.predict(moved) == label).all()


def test_no_edit_within_the_radius_changes_the_label(of_words):
    new, _ = words(25, seed=9)
    radii = of_words.certified_radius(new, "edit")
    for text, radius, label in zip(new, radii, of_words.predict(new), strict=True):
        if radius > 1:
            edited = [
                text[:i] + c + text[i + cut :]
                for i in range(len(text))
                for c in "aertz"
                for cut in (0, 1)
            ]
            assert (of_words.predict(edited) == label).all()


def test_where_all_parts_agree_the_radius_is_at_least_the_least_of_theirs(always):
    X, y = points()
    model = fitted(X, y, ["euclidean", "manhattan"], candidates="svm")
    new, _ = points(60, seed=9)
    parts = [part.model for part in model.best_estimator_.parts_]
    labels = np.array([part.predict(new) for part in parts])
    agree = (labels == labels[0]).all(axis=0)
    radii = np.array([part.certified_radius(new) for part in parts])
    found = model.certified_radius(new)
    assert (found[agree] >= radii.min(axis=0)[agree] * 0.999).all()
    # leads prove more than radii alone: beyond the radius of one part the others outweigh it
    assert (found[agree] > 1.01 * radii.min(axis=0)[agree]).any() or (found[~agree] > 0).any()


def test_lowest_leads_are_those_of_the_search(of_words):
    new, _ = words(20, seed=9)
    best = of_words.best_estimator_
    objects, radii = best.admit_queries(new), best.certified_radius(new)
    some = radii > 1e-6
    leads = best.lowest_leads(objects, np.where(some, radii * 0.99, 0.0))
    assert (leads[some] > 0).all()
    assert not (best.lowest_leads(objects, radii * 50 + 1e3) > 0).any()


def test_a_part_without_radii_is_named(always):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = [rng.normal(size=6) for _ in y]  # nobody is behind
    model = fitted(X, y, ["euclidean", wb.metric("dtw")], candidates="neighbors")
    assert isinstance(model.best_estimator_, Blend)
    with pytest.raises(
        NotCertified, match=r"nearest neighbours by .*dtw, has no radii: .*triangle"
    ):
        model.certified_radius(X[:2])
    assert "No radius is certified" in model.summary()

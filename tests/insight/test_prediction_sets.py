"""Prediction sets: equal to their definition, for every classifier, and calibrated by new objects
only.
"""

import numpy as np
import pytest
from families import class_name, every_classifier
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.insight import conformal as slow
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

import wideberth as wb
from wideberth.errors import InvalidInput

fast = settings(deadline=None, max_examples=20)


def drawn(seed, n, classes=2):
    random = np.random.default_rng(seed)
    codes = random.integers(classes, size=n)
    return random.normal(size=(n, 2)) + 2.5 * np.eye(3)[codes][:, :2], np.array(
        ["ale", "rum", "tea"]
    )[codes]


POINTS, DRINKS = drawn(0, 60)
NEW, TRUTH = drawn(1, 50)
ASKED = [[0.0, 0.0], [2.5, 0.0], [1.2, 1.2], [0.0, 9.0]]

MODELS = every_classifier("vectors")
names = {"ids": class_name}


def scores_of(model, X):
    found = model.decision_function(X)
    return np.c_[-found / 2, found / 2] if found.ndim == 1 else found


def split_twin(model, X, calibration, delta):
    """The labels of each object whose p-value is above delta, one by one."""
    known, truth = calibration
    own = [
        slow.leads(scores_of(model, known[i : i + 1]))[0, list(model.classes_).index(truth[i])]
        for i in range(len(known))
    ]
    leads = slow.leads(scores_of(model, X))
    return [
        [
            label
            for label, lead in zip(model.classes_, row, strict=True)
            if slow.p_value(own, lead) > delta
        ]
        for row in leads
    ]


@pytest.mark.few(4)
@pytest.mark.parametrize("model", MODELS, **names)
@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_split_conformal_sets_are_their_definition(model, delta):
    model = clone(model).fit(POINTS, DRINKS)
    sets = wb.predict_set(model, ASKED, delta, calibration=(NEW, TRUTH))
    assert [labels.tolist() for labels in sets] == split_twin(
        model, np.array(ASKED), (NEW, TRUTH), delta
    )
    assert (sets.method, sets.proved, sets.n_calibration, sets.too_few) == (
        "split conformal",
        1 - delta,
        50,
        False,
    )


def cross_twin(model, X, training, delta, cv):
    points, truth = training
    values = np.zeros((cv, len(X), len(np.unique(truth))))
    for number, (known, left_out) in enumerate(
        KFold(cv, shuffle=True, random_state=0).split(points)
    ):
        copy = clone(model).fit(points[known], truth[known])
        own = slow.leads(scores_of(copy, points[left_out]))
        own = [own[i, list(copy.classes_).index(label)] for i, label in enumerate(truth[left_out])]
        values[number] = [
            [float(slow.p_value(own, lead)) for lead in row]
            for row in slow.leads(scores_of(copy, X))
        ]
    return values.mean(axis=0) > delta - 1e-12


@pytest.mark.few(2)
@pytest.mark.parametrize("model", MODELS, **names)
def test_cross_conformal_sets_are_their_definition(model):
    model = clone(model).fit(POINTS, DRINKS)
    sets = wb.predict_set(model, ASKED, 0.15, training=(POINTS, DRINKS), cv=4)
    np.testing.assert_array_equal(
        sets.members, cross_twin(model, np.array(ASKED), (POINTS, DRINKS), 0.15, 4)
    )
    assert (sets.method, sets.proved, sets.n_calibration) == ("cross-conformal", 0.7, 60)


@fast
@given(st.integers(0, 2**32), st.integers(2, 3), st.sampled_from([0.1, 0.3]))
def test_order_and_company_mean_nothing(seed, classes, delta):
    (points, truth), (known, labels), (asked, _) = (
        drawn(seed + i, n, classes) for i, n in enumerate((20, 15, 6))
    )
    model = wb.NeighborsClassifier(n_neighbors=3).fit(points, truth)
    if not set(labels) <= set(truth):
        return
    order, rows = (
        np.random.default_rng(seed).permutation(15),
        np.random.default_rng(seed).permutation(6),
    )
    whole = wb.predict_set(model, asked, delta, calibration=(known, labels))
    again = wb.predict_set(model, asked[rows], delta, calibration=(known[order], labels[order]))
    np.testing.assert_array_equal(whole.p_values[rows], again.p_values)
    alone = [
        wb.predict_set(model, asked[i : i + 1], delta, calibration=(known, labels)).members[0]
        for i in range(6)
    ]
    np.testing.assert_array_equal(whole.members, alone)


@pytest.mark.slow
@fast
@given(st.integers(0, 2**32), st.sampled_from([0.1, 0.25, 0.5]))
def test_of_exchangeable_objects_a_share_delta_is_missed_at_most(seed, delta):
    """Whichever of n + 1 objects is the new one: the sets of at most a share delta of them miss the
    label.
    """
    points, truth = drawn(seed, 20)
    known, labels = drawn(seed + 1, 8)
    model = wb.NeighborsClassifier(n_neighbors=3).fit(points, truth)
    if not set(labels) <= set(truth):
        return
    missed = 0
    for i in range(8):
        rest = np.arange(8) != i
        missed += (
            labels[i]
            not in wb.predict_set(
                model, known[i : i + 1], delta, calibration=(known[rest], labels[rest])
            )[0]
        )
    assert missed <= delta * 8


def test_objects_of_any_kind_and_distances_measured_once():
    calls = []

    def gap(one, other):
        calls.append((one, other))
        return abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))

    names, sexes = wb.datasets.load_first_names()
    names, sexes = names[:400:10], np.array(sexes[:400:10])
    model = wb.NeighborsClassifier(
        wb.metric(gap, obeys_triangle=True), n_neighbors=3, n_jobs=1
    ).fit(names, sexes)
    calls.clear()
    sets = wb.predict_set(model, ["Marianne", "Bob"], 0.2, training=(names, sexes))
    assert len(sets) == 2
    assert (
        len(calls) <= 42 * 41 / 2 + 16
    )  # each pair once, whatever the number of folds, and a promise that is tried


def test_matrices_of_distances():
    apart = wb.pairwise_distances(np.r_[POINTS, NEW])
    by_points, by_matrix = (
        wb.NeighborsClassifier(n_neighbors=5),
        wb.NeighborsClassifier("precomputed", n_neighbors=5),
    )
    by_points.fit(POINTS, DRINKS), by_matrix.fit(apart[:60, :60], DRINKS)
    one = wb.predict_set(by_points, NEW[:5], 0.1, training=(POINTS, DRINKS))
    other = wb.predict_set(by_matrix, apart[60:65, :60], 0.1, training=(apart[:60, :60], DRINKS))
    np.testing.assert_array_equal(one.members, other.members)
    one = wb.predict_set(by_points, NEW[:5], 0.1, calibration=(NEW[5:], TRUTH[5:]))
    other = wb.predict_set(
        by_matrix, apart[60:65, :60], 0.1, calibration=(apart[65:, :60], TRUTH[5:])
    )
    np.testing.assert_array_equal(one.members, other.members)


def test_mixed_rows_teach_the_metric_fold_by_fold():
    rows = [{"strength": float(i), "cup": "ab"[i % 2]} for i in range(30)]
    model = wb.NeighborsClassifier("gower", n_neighbors=3).fit(
        rows, ["weak"] * 15 + ["strong"] * 15
    )
    sets = wb.predict_set(
        model,
        [{"strength": 1.0, "cup": "a"}],
        0.2,
        training=(rows, ["weak"] * 15 + ["strong"] * 15),
    )
    assert sets[0].tolist() == ["weak"]
    taught = wb.NeighborsClassifier(wb.metric("gower").fitted(rows), n_neighbors=3).fit(
        rows, ["weak"] * 15 + ["strong"] * 15
    )
    with pytest.raises(
        InvalidInput, match="'gower' took its parameters from training objects before fit"
    ):
        wb.predict_set(taught, rows[:1], 0.2, training=(rows, ["weak"] * 15 + ["strong"] * 15))


@pytest.mark.slow
def test_a_search_chooses_again_in_every_fold():
    search = GridSearchCV(wb.LipschitzClassifier(), {"C": [2, 5]}, cv=2).fit(POINTS, DRINKS)
    assert len(wb.predict_set(search, ASKED, 0.2, training=(POINTS, DRINKS))) == 4
    assert len(wb.predict_set(search, ASKED, 0.2, calibration=(NEW, TRUTH))) == 4
    chosen = (
        wb.LipschitzClassifierCV(C=[2, 5], cv=2, random_state=0).fit(POINTS, DRINKS).best_estimator_
    )
    with pytest.raises(InvalidInput, match="were chosen on all of its training objects"):
        wb.predict_set(chosen, ASKED, 0.2, training=(POINTS, DRINKS))


@pytest.mark.slow
def test_copies_learn_no_probabilities(monkeypatch):
    calibrated, plain = (
        wb.LipschitzClassifier(calibrate=folds).fit(POINTS, DRINKS) for folds in (3, None)
    )
    expected = wb.predict_set(plain, ASKED, 0.2, training=(POINTS, DRINKS))
    fits = []
    monkeypatch.setattr(
        wb.LipschitzClassifier,
        "learn",
        lambda model, training, learn=wb.LipschitzClassifier.learn: (
            fits.append(model),
            learn(model, training),
        ),
    )
    found = wb.predict_set(calibrated, ASKED, 0.2, training=(POINTS, DRINKS), cv=5)
    np.testing.assert_array_equal(found.members, expected.members)
    assert len(fits) == 5
    by_loss = wb.LipschitzClassifierCV(
        C=[2, 5], cv=2, calibrate=2, scoring="neg_log_loss", random_state=0
    ).fit(POINTS, DRINKS)
    assert len(wb.predict_set(by_loss, ASKED, 0.2, training=(POINTS, DRINKS))) == 4


def test_training_objects_calibrate_nothing():
    model = wb.LipschitzClassifier().fit(POINTS, DRINKS)
    with pytest.raises(
        InvalidInput,
        match=r"Calibration needs objects that are new to the model\. All 60 objects are among",
    ):
        wb.predict_set(model, ASKED, calibration=(POINTS, DRINKS))
    with pytest.raises(
        InvalidInput, match="10 of 60 objects are among those that the model learned from"
    ):
        wb.predict_set(
            model, ASKED, calibration=(np.r_[NEW, POINTS[:10]], np.r_[TRUTH, DRINKS[:10]])
        )
    with pytest.raises(InvalidInput, match="Copies are not independent"):
        wb.predict_set(model, ASKED, calibration=(np.repeat(NEW, 4, axis=0), np.repeat(TRUTH, 4)))


def test_other_objects_are_no_training_objects():
    model = wb.LipschitzClassifier().fit(POINTS, DRINKS)
    with pytest.raises(
        InvalidInput,
        match="These 50 objects are not the 60 that the model learned from, with their labels",
    ):
        wb.predict_set(model, ASKED, training=(NEW, TRUTH))
    with pytest.raises(InvalidInput, match="with their labels"):
        wb.predict_set(model, ASKED, training=(POINTS, DRINKS[::-1]))


def test_too_few_objects_leave_out_no_label():
    model = wb.NeighborsClassifier(n_neighbors=3).fit(POINTS, DRINKS)
    few = wb.predict_set(model, ASKED, 0.1, calibration=(NEW[:8], TRUTH[:8]))
    assert few.too_few
    assert few.n_full == 4
    assert "8 calibration objects are too few to leave out a label at delta=0.1" in str(few)
    assert not wb.predict_set(model, ASKED, 0.1, calibration=(NEW[:9], TRUTH[:9])).too_few
    crossed = wb.predict_set(model, ASKED, 0.01, training=(POINTS, DRINKS))
    assert crossed.too_few
    assert crossed.n_full == 4


def test_empty_sets_are_counted():
    points = np.r_[np.arange(30.0), 100 + np.arange(30.0)][:, None]
    model = wb.LipschitzClassifier().fit(points[::2], np.repeat(["ale", "tea"], 15))
    sets = wb.predict_set(
        model, [[65.0]], 0.2, calibration=(points[1::2], np.repeat(["ale", "tea"], 15))
    )
    assert (sets.n_empty, sets.sizes.tolist()) == (1, [0])
    assert "1 empty" in str(sets)
    assert sets[0].tolist() == []


def test_labels_must_be_known_and_pairs_be_pairs():
    model = wb.NeighborsClassifier(n_neighbors=3).fit(POINTS, DRINKS)
    labels = TRUTH.copy()
    labels[7] = "tea"
    with pytest.raises(InvalidInput, match="Calibration object 7 has the label 'tea'") as error:
        wb.predict_set(model, ASKED, calibration=(NEW, labels))
    assert error.value.witness == 7
    rest = np.arange(50) != 7  # the advice
    assert len(wb.predict_set(model, ASKED, calibration=(NEW[rest], labels[rest]))) == 4
    with pytest.raises(InvalidInput, match="is not a pair of objects and labels"):
        wb.predict_set(model, ASKED, calibration=NEW)
    for both in ({}, {"calibration": (NEW, TRUTH), "training": (POINTS, DRINKS)}):
        with pytest.raises(InvalidInput, match="either by objects that are new"):
            wb.predict_set(model, ASKED, **both)
    for cv in (1, 61, "5"):
        with pytest.raises(InvalidInput, match="folds do not fit"):
            wb.predict_set(model, ASKED, training=(POINTS, DRINKS), cv=cv)
    with pytest.raises(InvalidInput, match="delta"):
        wb.predict_set(model, ASKED, 1.5, calibration=(NEW, TRUTH))


def test_a_rare_label_may_be_missing_from_a_fold():
    labels = DRINKS.astype(object)
    labels[0] = "tea"
    model = wb.NeighborsClassifier(n_neighbors=3).fit(POINTS, labels.tolist())
    sets = wb.predict_set(model, ASKED, 0.1, training=(POINTS, labels.tolist()))
    assert sets.classes.tolist() == ["ale", "rum", "tea"]
    assert np.isfinite(sets.p_values).all()

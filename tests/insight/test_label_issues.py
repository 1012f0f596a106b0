"""Label issues: out-of-fold probabilities as defined, enemies by brute force, wrong labels found
far better than by chance.
"""

import dataclasses
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from families import class_name, every_classifier
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.insight.label_noise import LabelNoise

MODELS = [*every_classifier("vectors"), wb.LPMachineClassifier(calibrate=3)]


def moons(classes=2, n=90):
    random = np.random.default_rng(3)
    codes = np.arange(n) % classes
    labels = np.array(["ale", "rum", "tea"])[codes]
    return random.normal(size=(n, 2)) + 4 * np.eye(3)[codes][:, :2], labels


def flipped(labels, share, seed=0):
    random = np.random.default_rng(
        [seed, 99]
    )  # not the numbers by which a model draws the objects that it sets aside
    wrong = random.permutation(len(labels))[: int(share * len(labels))]
    changed = labels.copy()
    for position in wrong:
        changed[position] = random.choice(
            [label for label in np.unique(labels) if label != labels[position]]
        )
    return changed, wrong


def out_of_fold(model, X, labels):
    """The scores, by a loop over the folds."""
    classes = np.unique(labels)
    scores = np.empty((len(labels), len(classes)))
    for known, left_out in StratifiedKFold(5, shuffle=True, random_state=0).split(X, labels):
        found = clone(model).fit(X[known], labels[known]).decision_function(X[left_out])
        scores[left_out] = np.c_[-found / 2, found / 2] if found.ndim == 1 else found
    return scores


def right_twin(scores, codes):
    """The probability that each label is right, by the rule of Bayes, object by object."""
    noise, k = LabelNoise.of(scores, codes), scores.shape[1]
    found = []
    for row, code in zip(scores, codes, strict=True):
        heights = [
            math.exp(b - noise.steepness * ((max(row) - score) / noise.scale) ** noise.power)
            for score, b in zip(row, noise.offsets, strict=True)
        ]
        joint = [
            height * (1 - rate if j == code else rate / (k - 1))
            for j, (height, rate) in enumerate(zip(heights, noise.rates, strict=True))
        ]
        found.append(joint[code] / sum(joint))
    return np.array(found)


@pytest.mark.few(1)
@pytest.mark.parametrize("model", MODELS, ids=class_name)
@pytest.mark.parametrize("classes", [2, 3])
def test_the_quality_of_a_label_is_the_probability_that_it_is_right(model, classes):
    points, labels = moons(classes)
    changed, wrong = flipped(labels, 0.1)
    found = wb.label_issues(clone(model).fit(points, changed), points, changed)
    single = clone(
        clone(model).fit(points, changed).best_estimator_ if hasattr(model, "single") else model
    )
    if "calibrate" in single.get_params():
        single.set_params(calibrate=None)
    scores = out_of_fold(single, points, changed)
    classes_, codes = np.unique(changed, return_inverse=True)
    right = right_twin(scores, codes)
    for issue in found:
        assert issue.label_quality == pytest.approx(right[issue.index], rel=1e-4, abs=1e-9)
        assert issue.given_label == changed[issue.index]
        assert issue.predicted_label == classes_[scores[issue.index].argmax()]
        differs = issue.predicted_label != issue.given_label
        assert issue.is_label_issue == (differs and issue.label_quality < 0.5)
    qualities = [issue.label_quality for issue in found]
    assert qualities == sorted(qualities)
    assert sorted(issue.index for issue in found) == list(range(90))
    assert np.isin([issue.index for issue in found[: len(wrong)]], wrong).mean() > 0.7


def test_what_was_found_is_a_list_with_columns_for_a_frame():
    points, labels = moons(n=200)
    changed, wrong = flipped(labels, 0.2)
    found = wb.label_issues(
        wb.NeighborsClassifier(n_neighbors=5).fit(points, changed), points, changed
    )
    for frame in (pd.DataFrame(found.columns), pl.DataFrame(found.columns).to_pandas()):
        listed = frame[frame["is_label_issue"]]
        assert listed["index"].tolist() == [each.index for each in found if each.is_label_issue]
        assert frame["enemy_index"].tolist() == [each.enemies[0].index for each in found]
        assert frame["label_quality"].is_monotonic_increasing
        assert set(listed["given_label"]) <= set(labels)
    again = pickle.loads(pickle.dumps(found))
    assert (len(again), again.noise) == (len(found), found.noise)
    assert sorted(found.noise) == ["ale", "rum"]
    assert found[:3].noise == found.noise
    issues = [each for each in found if each.is_label_issue]
    assert found.expected_precision == np.mean([1 - each.label_quality for each in issues])
    assert np.isin([each.index for each in issues], wrong).mean() > 0.8


def test_enemies_are_the_nearest_objects_of_the_other_label():
    points, labels = moons(3)
    apart = wb.pairwise_distances(points)
    for issue in wb.label_issues(
        wb.NeighborsClassifier(n_neighbors=5).fit(points, labels), points, labels, n_enemies=4
    ):
        rival = {labels[enemy.index] for enemy in issue.enemies}
        assert len(rival) == 1
        assert rival != {issue.given_label}
        assert issue.predicted_label in rival | {issue.given_label}
        others = np.flatnonzero(labels == rival.pop())
        assert [enemy.distance for enemy in issue.enemies] == sorted(apart[issue.index, others])[:4]
        assert all(enemy.object.tolist() == points[enemy.index].tolist() for enemy in issue.enemies)


NAMES, SEXES = wb.datasets.load_first_names()


def precision(found, wrong):
    return np.isin(found[: len(wrong)], wrong).mean()


@pytest.mark.slow
def test_wrong_sexes_of_names_are_found_better_than_by_what_margin_neighbours_remove():
    names, sexes = NAMES[::3], np.array(SEXES[::3])
    changed, wrong = flipped(sexes, 0.1)
    model = wb.HilbertSVC("ngrams").fit(names, changed)
    found = precision([issue.index for issue in wb.label_issues(model, names, changed)], wrong)
    removed = np.isin(
        wb.MarginNeighborsClassifier("levenshtein").fit(names, changed).removed_, wrong
    ).mean()
    assert found >= 0.45
    assert found >= 2 * removed
    assert removed < 0.3


def test_each_distance_is_measured_once():
    calls = []

    def gap(one, other):
        calls.append((one, other))
        return abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))

    names, sexes = NAMES[:400:10], SEXES[:400:10]
    model = wb.NeighborsClassifier(
        wb.metric(gap, obeys_triangle=True), n_neighbors=3, n_jobs=1
    ).fit(names, sexes)
    calls.clear()
    found = wb.label_issues(model, names, sexes)
    assert len(calls) <= 40 * 39 / 2 + 16
    assert found[0].enemies[0].object in names


def test_tables_and_matrices():
    points, labels = moons(n=40)
    model = wb.NeighborsClassifier("precomputed", n_neighbors=3).fit(
        wb.pairwise_distances(points), labels
    )
    by_matrix = wb.label_issues(model, wb.pairwise_distances(points), labels)
    by_points = wb.label_issues(
        wb.NeighborsClassifier(n_neighbors=3).fit(points, labels), points, labels
    )
    assert [issue.index for issue in by_matrix] == [issue.index for issue in by_points]
    assert all(enemy.object == enemy.index for issue in by_matrix for enemy in issue.enemies)
    table = pd.DataFrame(by_points)
    wanted = [
        "index",
        "label_quality",
        "is_label_issue",
        "given_label",
        "predicted_label",
        "enemies",
        "certified_flips",
        "stays",
    ]
    assert (
        list(table.columns) == wanted == [field.name for field in dataclasses.fields(by_points[0])]
    )
    assert table["is_label_issue"].dtype == bool


def test_classifiers_with_references_and_spaces():
    names, sexes = NAMES[:60], SEXES[:60]
    model = wb.LPMachineClassifier("levenshtein", references=["Maria", "John"]).fit(names, sexes)
    assert len(wb.label_issues(model, names, sexes)) == 60
    space = wb.MetricSpace(names, "levenshtein")
    model = wb.NeighborsClassifier(space.metric, n_neighbors=3).fit(space.index, sexes)
    found = wb.label_issues(model, space.index, sexes)
    assert space.distance_calls <= 60 * 59 / 2
    assert len(found) == 60


class ReadsTexts(wb.NeighborsClassifier):
    """A classifier that looks at the texts themselves, and cannot do with their numbers in a
    space.
    """

    def fit(self, X, y, sample_weight=None):
        if not isinstance(X[0], str):
            raise InvalidInput("These are no texts.", advice="Pass texts.", value=X[0])
        return super().fit(X, y, sample_weight)


def test_classifiers_that_read_the_objects_get_them():
    names, sexes = NAMES[:60], SEXES[:60]
    reader, other = (
        kind("levenshtein", n_neighbors=3).fit(names, sexes)
        for kind in (ReadsTexts, wb.NeighborsClassifier)
    )
    assert wb.label_issues(reader, names, sexes) == wb.label_issues(other, names, sexes)


def test_a_label_that_only_one_object_has_cannot_be_judged():
    points, labels = moons(n=40)
    labels[5] = "tea"
    found = wb.label_issues(
        wb.NeighborsClassifier(n_neighbors=3).fit(points, labels), points, labels
    )
    assert found[-1].index == 5
    assert math.isnan(found[-1].label_quality)
    assert not found[-1].is_label_issue
    assert not any(math.isnan(issue.label_quality) for issue in found[:-1])


def test_what_cannot_be_judged_at_all():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "rum"], ["soft", "hard"]
    )
    with pytest.raises(InvalidInput, match="2 objects with 2 different labels"):
        wb.label_issues(model, ["tea", "rum"], ["soft", "hard"])
    with pytest.raises(InvalidInput, match="3 objects with 1 different labels"):
        wb.label_issues(model, ["tea", "rum", "ale"], ["soft", "soft", "soft"])
    with pytest.raises(InvalidInput, match="cv=1"):
        wb.label_issues(model, ["tea", "rum", "ale"], ["soft", "soft", "hard"], cv=1)
    with pytest.raises(InvalidInput, match="n_enemies=-1"):
        wb.label_issues(model, ["tea", "rum", "ale"], ["soft", "soft", "hard"], n_enemies=-1)


def test_without_enemies():
    points, labels = moons(n=40)
    found = wb.label_issues(
        wb.NeighborsClassifier(n_neighbors=3).fit(points, labels), points, labels, n_enemies=0
    )
    assert {issue.enemies for issue in found} == {()}


def test_an_answer_says_how_many_wrong_labels_it_withstands():
    points, labels = moons()
    changed, _ = flipped(labels, 0.03)
    nearest = wb.NeighborsClassifier(n_neighbors=15, calibrate=None).fit(points, changed)
    found = wb.label_issues(nearest, points, changed)
    doubt = {issue.index: 1 - issue.label_quality for issue in found}
    flips = {issue.index: issue.certified_flips for issue in found}
    for known, left_out in StratifiedKFold(5, shuffle=True, random_state=0).split(points, changed):
        copy = clone(nearest).fit(points[known], changed[known])
        assert [flips[place] for place in left_out] == copy.certified_flips(
            points[left_out]
        ).tolist()
        expected = sum(doubt[place] for place in known.tolist())
        for issue in found:
            if issue.index in left_out:
                assert issue.stays == (issue.certified_flips >= expected)
    assert {issue.stays for issue in found} == {True, False}


@pytest.mark.parametrize(
    "model",
    [
        wb.NeighborsClassifier(),  # chooses the number of neighbours by the labels
        wb.AutoClassifier("euclidean", candidates=["neighbors"]),
        wb.LipschitzClassifier(),
    ],
    ids=class_name,
)
def test_nothing_is_said_of_wrong_labels_where_nothing_is_proved(model):
    points, labels = moons()
    found = wb.label_issues(model.fit(points, labels), points, labels)
    assert {(issue.certified_flips, issue.stays) for issue in found} == {(None, None)}

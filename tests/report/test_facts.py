"""The facts of a report beside slow, obvious twins."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

import wideberth as wb
from wideberth.report import Report
from wideberth.report.report import gather_facts

DEFAULTS = {"names": None, "counted_from": 0, "title": None, "show_objects": True}


def points(n, *, noise=0.0, seed=0):
    """Points of three classes around three centres, some of them with a wrong label."""
    draw = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])[codes] + draw.normal(size=(n, 2))
    wrong = draw.random(n) < noise
    return X, np.array(["red", "green", "blue"])[np.where(wrong, (codes + 1) % 3, codes)], wrong


@pytest.fixture(scope="module")
def held_out():
    """A model, and the facts about objects that are new to it."""
    X, y, _ = points(160)
    model = wb.NeighborsClassifier(n_neighbors=3).fit(X[:100], y[:100])
    return model, X[100:], y[100:], gather_facts(model, X[100:], y[100:], **DEFAULTS)


def test_errors_on_new_objects_are_those_of_the_model(held_out):
    model, X, y, facts = held_out
    wrong = sum(told != label for told, label in zip(model.predict(X), y, strict=True))
    error = facts["error"]
    assert (error["how"], error["errors"], error["n"]) == ("new", wrong, len(y))
    # Clopper & Pearson: at either end of the interval what was seen has the probability delta / 2
    assert binom.cdf(wrong, len(y), error["high"]) == pytest.approx(0.025, rel=1e-3)
    assert binom.sf(wrong - 1, len(y), error["low"]) == pytest.approx(0.025, rel=1e-3)
    assert error["guessing"] == pytest.approx(1 - max(Counter(y).values()) / len(y), rel=1e-5)
    assert {row["name"]: row["wrong"] for row in error["by_class"]} == {
        label: int(np.sum((y == label) & (model.predict(X) != label))) for label in set(y)
    }


def test_confusions_are_counts_of_pairs(held_out):
    model, X, y, facts = held_out
    names = [each["name"] for each in facts["learned"]["classes"]]
    expected = Counter(zip(y.tolist(), model.predict(X).tolist(), strict=True))
    found = {
        (names[label], names[told]): count for label, told, count, _ in facts["confusion"]["cells"]
    }
    assert found == expected
    for label, told, count, listed in facts["confusion"]["cells"]:
        assert len(listed) == min(count, 30)
        assert all(
            y[place] == names[label] and model.predict(X[[place]])[0] == names[told]
            for place in listed
        )


def test_certified_accuracy_is_the_share_right_beyond_each_radius(held_out):
    model, X, y, facts = held_out
    radii, right = model.certified_radius(X), model.predict(X) == y
    certified = facts["certified"]
    for radius, share in zip(certified["radii"], certified["certified"], strict=True):
        assert share == pytest.approx(
            np.mean(right & ((radii > radius * (1 + 1e-5)) | (radius == 0))), abs=2.1 / len(y)
        )
    assert certified["certified"][0] == pytest.approx(np.mean(right), rel=1e-5)
    assert np.all(np.array(certified["attacked"]) >= np.array(certified["certified"]) - 1e-5)
    assert np.all(np.diff(certified["attacked"]) <= 1e-6)


def test_margins_count_each_object_once(held_out):
    model, X, y, facts = held_out
    margins = facts["margins"]
    assert sum(sum(counts) for _, counts in margins["counts"]) == margins["n"] == len(y)
    scores = model.decision_function(X)
    own = np.searchsorted(model.classes_, y)
    leads = [row[code] - max(np.delete(row, code)) for row, code in zip(scores, own, strict=True)]
    assert margins["below"] == sum(lead < 0 for lead in leads)
    assert 0.0 in margins["edges"]


def test_the_error_of_training_objects_is_never_that_of_their_own_model():
    draw = np.random.default_rng(3)
    X, y = draw.normal(size=(150, 2)), draw.choice(["a", "b"], 150)
    model = wb.NeighborsClassifier(n_neighbors=1).fit(X, y)
    assert np.mean(model.predict(X) != y) == 0.0  # it knows them by heart
    facts = gather_facts(model, X, y, **DEFAULTS)
    assert facts["error"]["how"] == "out of fold"
    assert 0.3 < facts["error"]["error"] < 0.7
    assert "flatter" in facts["error"]["sentence"]
    assert facts["certified"]["certified"][0] < 0.8
    assert any(step["title"] == "Do not use it yet" for step in facts["next"])
    assert any(step["title"] == "Measure the error on new objects" for step in facts["next"])


@pytest.mark.slow
def test_a_part_of_the_training_objects_is_not_new_either():
    X, y, _ = points(120)
    model = wb.NeighborsClassifier(n_neighbors=1).fit(X, y)
    facts = gather_facts(model, X[:60], y[:60], **DEFAULTS)
    assert facts["error"]["how"] == "out of fold"
    assert "learned from 60 of the 60" in facts["error"]["sentence"]


def test_of_a_file_that_shares_some_objects_the_answers_are_the_models_own():
    X, y, _ = points(120)
    model = wb.NeighborsClassifier(n_neighbors=1).fit(X[:60], y[:60])
    some = slice(20, 120)  # 40 of 100 are known
    facts = gather_facts(model, X[some], y[some], **DEFAULTS)
    error, wrong = facts["error"], model.predict(X[some]) != y[some]
    assert (error["how"], error["errors"], error["n"]) == ("partly new", wrong.sum(), 100)
    assert (error["others"]["errors"], error["others"]["n"]) == (wrong[40:].sum(), 60)
    assert error["low"] < error["others"]["error"] < error["high"]
    assert "learned from 40 of the 100" in error["sentence"]
    assert any("Of the 60 others" in sentence for sentence in facts["in_short"]["good"])
    assert facts["certified"]["certified"][0] == pytest.approx(1 - error["error"])
    assert "Leave out what it learned from" in [step["title"] for step in facts["next"]]


def test_wrong_labels_are_found_and_checked_first():
    X, y, wrong = points(200, noise=0.05, seed=4)
    model = wb.NeighborsClassifier(n_neighbors=5).fit(X, y)
    facts = gather_facts(model, X, y, **DEFAULTS)
    assert np.mean(wrong[facts["notable"]["mislabelled"]["index"]]) > 0.6
    assert [each["index"] for each in facts["check_first"]] == facts["notable"]["mislabelled"][
        "index"
    ][:3]
    assert "but objects like it are" in facts["check_first"][0]["why"]


def test_neighbours_are_the_nearest_objects_of_either_side():
    X, y, _ = points(60)
    facts = gather_facts(wb.NeighborsClassifier(n_neighbors=3).fit(X, y), X, y, **DEFAULTS)
    objects, names = facts["objects"], [each["name"] for each in facts["learned"]["classes"]]
    for place, (told, (friends, others)) in enumerate(
        zip(objects["told"], objects["near"], strict=True)
    ):
        distances = np.hypot(*(X - X[place]).T)
        same = np.flatnonzero((y == names[told]) & (np.arange(60) != place))
        different = np.flatnonzero((y != names[told]) & (np.arange(60) != place))
        for side, found in ((same, friends), (different, others)):
            assert [each[1] for each in found] == pytest.approx(
                np.sort(distances[side])[:3], rel=1e-4
            )
            assert {each[0] for each in found} <= set(side.tolist())
    assert facts["training"] is None


def test_new_objects_stand_beside_the_training_objects_that_the_model_keeps(held_out):
    _, X, y, facts = held_out
    learned = points(160)[0][:100]
    training, n = facts["training"], len(y)
    for place, (friends, _) in zip(
        facts["objects"]["index"], facts["objects"]["near"], strict=True
    ):
        nearest = np.hypot(*(learned - X[place]).T)
        number, distance = friends[0]
        assert number >= n
        assert distance == pytest.approx(nearest[number - n], rel=1e-4)
        assert number in training["number"]


def test_objects_unlike_all_others_are_novel():
    X, y, _ = points(40)
    X = np.concatenate([X, [[40.0, 40.0]]])
    y = np.append(y, "red")
    facts = gather_facts(wb.NeighborsClassifier(n_neighbors=3).fit(X, y), X, y, **DEFAULTS)
    assert facts["notable"]["novel"]["index"][0] == 40
    assert facts["notable"]["novel"]["p_value"][0] == pytest.approx(1 / 41, rel=1e-4)
    new = gather_facts(
        wb.NeighborsClassifier(n_neighbors=3).fit(X[:25], y[:25]), X[25:], y[25:], **DEFAULTS
    )
    assert new["notable"]["novel"]["index"][0] == 15
    assert new["notable"]["novel"]["among"] == "the training objects"


@pytest.mark.slow
def test_the_map_draws_near_objects_near_each_other():
    X, y, _ = points(90)
    drawn = gather_facts(wb.NeighborsClassifier(n_neighbors=3).fit(X, y), X, y, **DEFAULTS)["map"]
    places = np.column_stack([drawn["x"], drawn["y"]])
    true, shown = (
        np.hypot(*(each[:, None] - each[None]).transpose(2, 0, 1)) for each in (X, places)
    )
    assert np.corrcoef(true.ravel(), shown.ravel())[0, 1] > 0.98
    assert drawn["faithful"] > 0.98


def test_kept_and_removed_objects_are_known_in_the_order_of_fit_only():
    words, kinds = (
        ["tea", "tee", "ten", "rum", "rom", "ram", "tam"],
        ["soft"] * 3 + ["hard"] * 3 + ["soft"],
    )
    model = wb.MarginNeighborsClassifier("levenshtein", separation=2.0).fit(words, kinds)
    states = gather_facts(model, words, kinds, **DEFAULTS)["map"]["state"]
    assert np.flatnonzero(np.array(states) == 2).tolist() == model.removed_.tolist()
    assert np.flatnonzero(np.array(states) == 1).tolist() == model.kept_.tolist()
    turned = gather_facts(model, words[::-1], kinds[::-1], **DEFAULTS)["map"]["state"]
    assert set(turned) == {0}


def test_the_risk_is_shown_at_each_separation_and_price():
    X, y, _ = points(150)
    by_separation = gather_facts(wb.MarginNeighborsClassifier().fit(X, y), X, y, **DEFAULTS)[
        "settings"
    ]
    assert by_separation["setting"] == "separation between classes"
    assert len(by_separation["curves"][0]["settings"]) > 1
    search = wb.LipschitzClassifierCV(C=[2.0, 5.0, 20.0], cv=3).fit(X, y)
    by_price = gather_facts(search, X, y, **DEFAULTS)["settings"]
    assert by_price["curves"][0]["settings"] == [2.0, 5.0, 20.0]
    assert by_price["curves"][0]["risks"] == pytest.approx(
        1 - search.cv_results_["mean_test_score"], rel=1e-4, abs=1e-6
    )
    assert by_price["taken"] == search.C_ or by_price["taken"] in (2.0, 5.0, 20.0)


def test_facts_are_plain_and_the_same_in_every_run(held_out):
    model, X, y, facts = held_out
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    report = Report(model, X, y)
    assert report.facts == facts
    assert repr(report) == "Report(NeighborsClassifier, 60 objects)"


def test_names_must_be_as_many_as_objects(held_out):
    model, X, y, _ = held_out
    with pytest.raises(wb.errors.InvalidInput, match="60 objects and 2 names"):
        Report(model, X, y, names=["a", "b"])


def test_a_model_that_is_none_is_refused():
    with pytest.raises(wb.errors.InvalidInput, match="no metric to judge"):
        Report("model", ["tea"], ["soft"])


@pytest.mark.few(1)
@pytest.mark.parametrize("metric", ["levenshtein", "ngrams", "words"])
def test_the_map_marks_kept_objects_whatever_the_metric_keeps_of_them(metric):
    words, kinds = ["tea cup", "teas", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3
    model = wb.MarginNeighborsClassifier(metric, separation=0.5).fit(words, kinds)
    states = Report(model, words, kinds).facts["map"]["state"]
    assert sorted(np.flatnonzero(np.asarray(states) == 1)) == sorted(model.kept_)
    nearest = Report(wb.NeighborsClassifier(metric).fit(words, kinds), words, kinds).facts["map"][
        "state"
    ]
    assert not any(nearest)  # all are kept, so that nothing is to be marked


def test_training_objects_that_a_metric_forgets_are_called_by_their_names():
    drinks, kinds = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3
    model = wb.NeighborsClassifier("ngrams", n_neighbors=1).fit(drinks, kinds)
    names = [f"no. {each}" for each in drinks]

    def called(**given):
        return wb.Report(model, ["teas"], ["soft"], **given).facts["training"]["drawing"]

    by_place = [names[place] for place in model.kept().positions]
    assert {each["alt"] for each in called(kept_names=by_place)} <= set(names)
    assert called(kept_names=by_place)[0]["alt"] in names[:3]  # one that is like "teas"
    page = wb.Report(model, ["teas"], ["soft"], kept_names=by_place).html()
    assert "1 of the 1 objects themselves, and 6 training objects near them" in page
    assert called() == []
    assert called(kept_names=by_place, show_objects=False) is None
    with pytest.raises(wb.errors.InvalidInput, match="keeps 6 training objects"):
        called(kept_names=names[:5])

"""The training objects that speak for and against a label, beside a plain sort of all distances."""

import numpy as np
import pytest
from families import class_name, every_classifier, measures_distances
from rapidfuzz.distance import Levenshtein
from sklearn.model_selection import GridSearchCV

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.insight.witnesses import witnesses

WORDS = ["tea", "tee", "ten", "team", "rum", "rom", "ram", "rump", "milk", "mild", "mile", "mill"]
KINDS = np.repeat(["soft", "hard", "white"], 4)
QUERIES = ["teem", "rims", "silk", "tea"]
MODELS = [
    *every_classifier("strings", like=measures_distances),
    wb.LipschitzClassifier("levenshtein", calibrate=2, random_state=0),
    GridSearchCV(wb.NeighborsClassifier("levenshtein"), {"n_neighbors": [1, 3]}, cv=2),
]


@pytest.mark.parametrize("model", MODELS, ids=class_name)
def test_they_are_the_nearest_of_either_side(model):
    model.fit(WORDS, KINDS)
    answers = model.predict(QUERIES)
    found = witnesses(model, QUERIES, training=(WORDS, KINDS), k=2)
    for query, label, why in zip(QUERIES, answers, found, strict=True):
        ranked = sorted(
            range(len(WORDS)), key=lambda place: (Levenshtein.distance(query, WORDS[place]), place)
        )
        for side, wanted in ((why.supporters, True), (why.opponents, False)):
            expected = [place for place in ranked if (KINDS[place] == label) == wanted][:2]
            assert [each.index for each in side] == expected
            assert [each.object for each in side] == [WORDS[place] for place in expected]
            assert [each.label for each in side] == [KINDS[place] for place in expected]
            assert [each.distance for each in side] == [
                Levenshtein.distance(query, WORDS[place]) for place in expected
            ]
        assert why.label == label
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(
            [why.probability for why in found], model.predict_proba(QUERIES).max(axis=1)
        )
    else:
        assert {why.probability for why in found} == {None}


def test_label_and_probability_share_one_pass_over_the_distances():
    asked = []

    def edits(one, other):
        asked.append((one, other))
        return Levenshtein.distance(one, other)

    model = wb.NeighborsClassifier(edits, calibrate="loo", n_jobs=1)
    model.fit(WORDS, KINDS)
    asked.clear()
    model.answers(QUERIES, certified=False)
    answered = len(asked)
    asked.clear()
    witnesses(model, QUERIES, training=(WORDS, KINDS))
    assert 0 < answered < len(asked) <= answered + len(QUERIES) * len(WORDS)


def test_linear_scores_and_vectors_have_them_too():
    texts, kinds = (
        ["buy now", "buy it now", "see you", "see you soon"],
        ["spam", "spam", "ham", "ham"],
    )
    model = wb.LinearLipschitzClassifier("words").fit(texts, kinds)
    [why] = witnesses(model, ["buy"], training=(texts, kinds), k=1)
    assert (why.supporters[0].object, why.opponents[0].object) == ("buy now", "see you")
    points = np.arange(6.0)[:, None]
    [why] = witnesses(
        wb.NeighborsClassifier(n_neighbors=1).fit(points, [0, 0, 0, 1, 1, 1]),
        [[2.2]],
        training=(points, [0, 0, 0, 1, 1, 1]),
    )
    assert (
        why.label,
        [each.index for each in why.supporters],
        [each.index for each in why.opponents],
    ) == (
        0,
        [2, 1, 0],
        [3, 4, 5],
    )
    np.testing.assert_array_equal(why.supporters[0].object, [2.0])


def test_one_class_has_no_opponents_and_bad_numbers_are_refused():
    model = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ["tea", "tee"], ["soft", "soft"]
    )
    [why] = witnesses(model, ["ten"], training=(["tea", "tee"], ["soft", "soft"]))
    assert why.opponents == ()
    with pytest.raises(InvalidInput, match="k=0 is not a whole number"):
        witnesses(model, ["ten"], training=(["tea", "tee"], ["soft", "soft"]), k=0)
    with pytest.raises(InvalidInput):
        witnesses(model, ["ten"], training=(["tea", "tee"], ["soft"]))

"""Cross-validations on two workers: folds and settings of every family, with the answers of one
process.
"""

import numpy as np
import pytest
from families import choosers, class_name

import wideberth
from wideberth.estimators.choosing import fold_answers

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("abcd"), size=size)) for size in RNG.integers(1, 9, size=90)]
KINDS = np.array([word.count("a") > word.count("b") for word in WORDS]) ^ (
    RNG.uniform(size=90) < 0.1
)
LEARNED, ASKED = WORDS[:60], WORDS[60:]

CHOOSERS = choosers("strings", cv=3, radial=["distance", "laplace"], edits=[0, 1], width=["100%"])
SCORINGS = [
    {},
    {"scoring": "balanced_accuracy"},
    {"scoring": "certified", "radius": 1.0, "unit": "edit"},
]


@pytest.fixture
def answered_here(monkeypatch):
    """The places whose answers this process computes."""
    places, answers_here = [], fold_answers._answers_here

    def watched(*args):
        places.append(args[-1])
        return answers_here(*args)

    monkeypatch.setattr(fold_answers, "_answers_here", watched)
    return places


@pytest.mark.few(1)
@pytest.mark.parametrize("scoring", SCORINGS, ids=lambda each: each.get("scoring", "accuracy"))
@pytest.mark.parametrize("chooser", CHOOSERS, ids=class_name)
def test_a_choice_on_workers_is_that_of_one_process(
    chooser, scoring, client, everything_pays, answered_here
):
    def ask():
        model = chooser.set_params(**{"scoring": None, "radius": None, "unit": None} | scoring).fit(
            LEARNED, KINDS[:60]
        )
        scores = [
            column
            for name, column in model.cv_results_.items()
            if name.startswith(("split", "mean"))
        ]
        return model.best_params_, [*scores, model.decision_function(ASKED)]

    here = ask()
    answered_here.clear()
    with wideberth.scaleout.on(client):
        there = ask()
    assert here[0] == there[0]
    for one, other in zip(here[1], there[1], strict=True):
        np.testing.assert_array_equal(one, other)
    assert answered_here == [(0, 0)]  # it tells how long the others take


@pytest.mark.slow
def test_automatic_choice_on_workers_is_that_of_one_process(client, everything_pays, answered_here):
    model = wideberth.AutoClassifier("levenshtein", max_time=None, cv=3, random_state=0)

    def ask():
        fitted = model.fit(LEARNED, KINDS[:60])
        board = [
            [row[name] for name in ("metric", "family", "settings", "error")]
            for row in fitted.leaderboard_
        ]
        return board, fitted.decision_function(ASKED)

    here = ask()
    answered_here.clear()
    with wideberth.scaleout.on(client):
        there = ask()
    assert here[0] == there[0]
    np.testing.assert_array_equal(here[1], there[1])
    assert set(answered_here) == {(0, 0)}

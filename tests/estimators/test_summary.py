"""Every classifier says in words what it learned, also when it comes from a file."""

import numpy as np
import pytest
from families import choosers, families
from sklearn.exceptions import NotFittedError

import wideberth

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3
LEARNED = "distance, learned from 6 objects of 2 classes."

SAID = [
    (wideberth.NeighborsClassifier("levenshtein", n_neighbors=3), "The 3 nearest vote."),
    (
        wideberth.NeighborsClassifier("levenshtein"),
        "with each object left out once, 0.0% are classified wrongly",
    ),
    (
        wideberth.LipschitzClassifier("levenshtein"),
        "C = 5: Lipschitz constant 0.6667, margin 1.5 (classes are separated by 3 edits",
    ),
    (wideberth.LipschitzClassifier("levenshtein", C=0.01), "every object gets the label 'hard'"),
    (wideberth.LPMachineClassifier("levenshtein", C=100), "of 6 objects 6 are references"),
    (
        wideberth.LPMachineClassifier("levenshtein", C=100, references=["tea", "rum"]),
        "measured against 2 references",
    ),
    (wideberth.LPMachineClassifier("levenshtein", C=0.01), "With a larger C"),
    (
        wideberth.MarginNeighborsClassifier("levenshtein", separation=1.0),
        "1 edit apart at least.\nOf 6 objects 6 are kept.",
    ),
    (wideberth.MarginNeighborsClassifier("levenshtein"), "is at most 0.9875"),
    (
        wideberth.HilbertSVC("levenshtein", kernel="laplace", repair="clip"),
        "Their kernel is 'laplace' of width 3 edits.",
    ),
    (
        wideberth.HilbertSVC("levenshtein", kernel="distance", repair="clip"),
        "Their kernel is 'distance'.",
    ),
]


def named(model):
    return repr(model)


@pytest.mark.parametrize(("model", "words"), SAID, ids=named)
def test_a_classifier_says_what_it_learned_also_from_a_file(model, words, tmp_path):
    said = model.fit(WORDS, KINDS).summary()
    assert said.splitlines()[0] == f"{type(model).__name__} by {model.metric_.name} {LEARNED}"
    assert words in said
    wideberth.save(model, tmp_path / "model.wb")
    assert wideberth.load(tmp_path / "model.wb").summary() == said


@pytest.mark.parametrize("model", choosers("strings", cv=3), ids=named)
def test_a_search_says_what_it_chose(model):
    first, second, *rest = model.fit(WORDS, KINDS).summary().splitlines()
    assert first == f"{type(model).__name__} by {model.metric_.name} {LEARNED}"
    assert second == "Chosen by cross-validation:"
    assert rest == model.best_estimator_.summary().splitlines()[1:]


@pytest.mark.parametrize("model", [*(each for each, _ in SAID), *families("strings")], ids=named)
def test_of_one_class_there_is_little_to_say(model):
    said = model.fit(WORDS, ["tea"] * 6).summary()
    assert "of 1 class." in said
    assert "inf" not in said
    assert "With a larger C" not in said


def test_objects_that_are_not_remembered_are_not_counted():
    class Drink:
        __slots__ = ("strength",)

        def __init__(self, strength):
            self.strength = strength

    drinks = [Drink(each) for each in (0.0, 1.0, 40.0, 45.0)]
    model = wideberth.NeighborsClassifier(
        lambda one, other: abs(one.strength - other.strength), n_neighbors=1
    )
    assert (
        "learned from 2 classes." in model.fit(drinks, ["soft", "soft", "hard", "hard"]).summary()
    )


def test_an_online_learner_says_how_far_it_is():
    model = wideberth.OnlinePartitionClassifier(noise=0.1, random_state=0).fit(
        np.eye(3) / 2, ["a", "b", "b"]
    )
    assert "learned 3 labels of 2 classes" in model.summary()
    assert "not bounded" in model.summary()


@pytest.mark.parametrize(
    "model", [each for each, _ in SAID[:1]] + [wideberth.OnlinePartitionClassifier()], ids=named
)
def test_nothing_is_said_before_anything_is_learned(model):
    with pytest.raises(NotFittedError):
        type(model)().summary()

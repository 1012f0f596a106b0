"""The table of classifiers names them all, and its settings work."""

import pytest

import wideberth
from wideberth.classifiers.named import CLASSIFIERS
from wideberth.errors import InvalidInput
from wideberth.estimators.choosing.answers_of_best import AnswersOfBest
from wideberth.estimators.metric_classifier import MetricClassifier

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "rim"], ["soft"] * 3 + ["hard"] * 3


def test_every_public_classifier_on_a_metric_is_in_the_table():
    public = [getattr(wideberth, name) for name in wideberth._HOME]
    classifiers = [each for each in public if isinstance(each, type) and issubclass(each, MetricClassifier)]
    single = {each for each in classifiers if not issubclass(each, AnswersOfBest)}
    assert {entry.load() for entry in CLASSIFIERS.values()} == single


@pytest.mark.parametrize("name", [name for name, entry in CLASSIFIERS.items() if entry.suits("levenshtein")])
def test_the_usual_settings_learn_from_a_distance_that_is_not_hilbertian(name):
    entry = CLASSIFIERS[name]
    model = entry.set_up("levenshtein", len(WORDS))
    assert model.fit(WORDS, KINDS).predict(["tea", "rum"]).tolist() == ["soft", "hard"]
    assert model.get_params().get("C") == entry.C


def test_what_does_not_suit_a_metric_says_so_and_learns_by_another():
    unsuitable = {name for name, entry in CLASSIFIERS.items() if not entry.suits("levenshtein")}
    assert unsuitable == {"linear"}
    with pytest.raises(InvalidInput, match="Take metric='words' or 'ngrams'"):
        CLASSIFIERS["linear"].set_up("levenshtein", len(WORDS)).fit(WORDS, KINDS)
    model = CLASSIFIERS["linear"].set_up("ngrams", len(WORDS))
    assert model.fit(WORDS, KINDS).predict(["tea", "rum"]).tolist() == ["soft", "hard"]


@pytest.mark.parametrize("name", [name for name, entry in CLASSIFIERS.items() if entry.C is not None])
def test_a_price_may_be_told_and_the_usual_one_is_in_its_range(name):
    entry = CLASSIFIERS[name]
    assert entry.C_range[0] <= entry.C <= entry.C_range[1]
    assert entry.set_up("levenshtein", 6, C=7.0).C == 7.0

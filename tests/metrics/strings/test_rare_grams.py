"""N-grams weighed by how rare they are: the definition, what is learned, and what a file may not say."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.metrics.text_counts import ngrams
from strategies import texts

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.rare_grams import RareNGrams


def slow(one, other, learned, orders, at):
    """The definition, n-gram by n-gram."""
    texts_with = Counter(gram for text in learned for gram in ngrams(text, orders, at))
    counts = [ngrams(text, orders, at) for text in (one, other)]
    weight = {gram: (1 + log((1 + len(learned)) / (1 + texts_with[gram]))) ** 2 for gram in counts[0] | counts[1]}
    union = sum(weight[gram] * max(count[gram] for count in counts) for gram in weight)
    common = sum(weight[gram] * min(count[gram] for count in counts) for gram in weight)
    return 1 - common / union if union else 0.0


@pytest.mark.kernels
@pytest.mark.parametrize("at", ["words", "text"])
@given(learned=texts, asked=texts)
@settings(max_examples=40, deadline=None)
def test_it_equals_the_definition(at, learned, asked):
    orders = (1, 3)
    metric = RareNGrams(orders, at).fitted(learned)
    expected = [[slow(one, other, learned, orders, at) for other in learned] for one in asked]
    np.testing.assert_allclose(metric.block(metric.prepare(asked), metric.prepare(learned)), expected, atol=1e-12)


@given(texts)
@settings(max_examples=20, deadline=None)
def test_promises_hold(some):
    assert not wideberth.diagnose(some, "rare_ngrams").broken_promises


def test_topics_are_told_apart_by_rare_words():
    texts = ["the match was won", "the goal was late", "the court was full", "the judge was late", "the law was old"]
    new = "the judge was full"
    plain = wideberth.metric("ngrams", orders=(3, 4), form="ruzicka")
    rare = wideberth.metric("rare_ngrams", orders=(3, 4)).fitted([*texts, *["the day was long"] * 20])
    assert rare("the judge was late", new) > plain("the judge was late", new)  # "the" and "was" are in all texts


def test_weights_are_learned_once_and_need_a_sample():
    metric = RareNGrams()
    with pytest.raises(InvalidInput, match="has no weights yet"):
        metric("tea", "rum")
    fitted = metric.fitted(["tea", "rum"])
    assert fitted.fitted(["ale"]) is fitted
    assert len(fitted.taught_by) == 2
    assert "rarity=<" in repr(fitted)
    assert wideberth.NeighborsClassifier("rare_ngrams").fit(["tea", "rum"], [0, 1]).predict(["team"]) == [0]


@pytest.mark.parametrize(
    "rarity",
    [
        {},
        {"keys": np.array([1, 2]), "weights": np.array([1.0]), "others": 1.0},
        {"keys": np.array([2, 1]), "weights": np.array([1.0, 1.0]), "others": 1.0},
        {"keys": np.array([1]), "weights": np.array([-1.0]), "others": 1.0},
        {"keys": np.array([1]), "weights": np.array([np.inf]), "others": 1.0},
        {"keys": np.array([1]), "weights": np.array([1.0]), "others": 0.0},
        {"keys": np.array([1.5]), "weights": np.array([1.0]), "others": 1.0},
    ],
)
def test_other_weights_are_refused(rarity):
    with pytest.raises(InvalidInput, match="ascending keys"):
        RareNGrams(rarity=rarity)


def test_files_hold_what_was_learned(tmp_path):
    texts, labels = ["a cup of tea", "the tea", "a cask of rum", "the rum"], ["soft", "soft", "hard", "hard"]
    model = wideberth.HilbertSVC("rare_ngrams").fit(texts, labels)
    wideberth.save(model, tmp_path / "m.wb")
    again = wideberth.load(tmp_path / "m.wb")
    new = ["tea and rum", "old rum"]
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))

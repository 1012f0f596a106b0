"""N-grams weighed by how rare they are: the definition, what is learned, and what a file may not
say.
"""

from collections import Counter
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from oracles.metrics.text_counts import ngrams
from strategies import texts

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.words_and_grams import RareNGrams


def slow(one, other, learned, orders, at):
    """The definition, n-gram by n-gram."""
    texts_with = Counter(gram for text in learned for gram in ngrams(text, orders, at))
    unit = []
    for text in (one, other):
        counts = ngrams(text, orders, at)
        vector = {
            gram: (1 + log(n)) * (1 + log((1 + len(learned)) / (1 + texts_with[gram])))
            for gram, n in counts.items()
            if gram in texts_with
        }
        length = sqrt(sum(value**2 for value in vector.values())) or 1.0
        unit.append({gram: value / length for gram, value in vector.items()})
    return sqrt(
        sum((unit[0].get(gram, 0.0) - unit[1].get(gram, 0.0)) ** 2 for gram in unit[0] | unit[1])
    )


@pytest.mark.kernels
@pytest.mark.parametrize("at", ["words", "text"])
@given(learned=texts, asked=texts)
@settings(max_examples=40, deadline=None)
def test_it_equals_the_definition(at, learned, asked):
    orders = (1, 3)
    metric = RareNGrams(orders, at).fitted(learned)
    expected = [[slow(one, other, learned, orders, at) for other in learned] for one in asked]
    np.testing.assert_allclose(
        metric.block(metric.prepare(asked), metric.prepare(learned)), expected, atol=1e-12
    )


@given(texts)
@settings(max_examples=20, deadline=None)
def test_promises_hold(some):
    assert not wideberth.diagnose(some, "rare_ngrams").broken_promises


def test_common_words_say_little():
    texts = ["the match was won", "the judge was late", *["the day was long"] * 20]
    rare = wideberth.metric("rare_ngrams").fitted(texts)
    plain = wideberth.metric("ngrams", form="ruzicka")
    new, alike, other = "a judge is late", "the judge was late", "a day is long"
    assert rare(new, alike) < rare(new, other)
    assert rare(new, alike) / rare(new, other) < plain(new, alike) / plain(new, other)


def test_small_distances_are_exact():
    metric = wideberth.metric("rare_ngrams", orders=(1,)).fitted(["ab"])
    long = "ab" * 2000
    assert metric(long, long) == 0.0
    assert 0 < metric(long, long + "a") < 1e-3


def test_weights_are_learned_once_and_need_a_sample():
    metric = RareNGrams()
    with pytest.raises(InvalidInput, match="has no weights yet"):
        metric("tea", "rum")
    fitted = metric.fitted(["tea", "rum"])
    assert fitted.fitted(["ale"]) is fitted
    assert len(fitted.taught_by) == 2
    assert "rarity=<" in repr(fitted)
    assert wideberth.NeighborsClassifier("rare_ngrams").fit(["tea", "rum"], [0, 1]).predict(
        ["team"]
    ) == [0]


LETTERS = np.array([97, 97], dtype=np.uint32)


@pytest.mark.parametrize(
    "rarity",
    [
        {},
        {"letters": LETTERS, "starts": np.array([0, 2]), "weights": np.array([1.0, 1.0])},
        {
            "letters": LETTERS,
            "starts": np.array([0, 1, 2]),
            "weights": np.array([1.0, 1.0]),
        },  # one n-gram twice
        {"letters": LETTERS, "starts": np.array([0, 3]), "weights": np.array([1.0])},
        {"letters": LETTERS, "starts": np.array([0, 2]), "weights": np.array([-1.0])},
        {"letters": LETTERS, "starts": np.array([0, 2]), "weights": np.array([np.inf])},
        {"letters": LETTERS * 1.5, "starts": np.array([0, 2]), "weights": np.array([1.0])},
        {"keys": np.array([1]), "weights": np.array([1.0])},
    ],
)
def test_other_weights_are_refused(rarity):
    with pytest.raises(InvalidInput, match="different n-grams"):
        RareNGrams(rarity=rarity)


def test_files_hold_what_was_learned(tmp_path):
    texts, labels = (
        ["a cup of tea", "the tea", "a cask of rum", "the rum"],
        ["soft", "soft", "hard", "hard"],
    )
    model = wideberth.HilbertSVC("rare_ngrams").fit(texts, labels)
    wideberth.save(model, tmp_path / "m.wb")
    again = wideberth.load(tmp_path / "m.wb")
    new = ["tea and rum", "old rum"]
    np.testing.assert_allclose(
        again.decision_function(new), model.decision_function(new), rtol=1e-12
    )

"""CountedFeatures are what the metric counts: their matrix measures its distances, and their names
are what is in the texts.
"""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wideberth
from wideberth.classifiers.linear.features import (
    CountedFeatures,
    Vocabulary,
    counted_blocks,
    different_objects,
    texts_of,
    with_texts,
)
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.objects import sample

TEXTS = ["A cup of tea", "tea with milk, tea", "", "a  cup\tof rum", "Rum", "ale and rum"]
METRICS = [
    wideberth.metric("words"),
    wideberth.metric("ngrams"),
    wideberth.metric("ngrams", at="text", orders=(1, 3)),
    wideberth.metric("ngrams", at="words", orders=(2, 4)),
    wideberth.transforms.total("words", "ngrams"),
    wideberth.transforms.total(wideberth.transforms.scale("words", 0.5), "ngrams"),
    wideberth.transforms.scale("words", 3),
]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_the_distance_is_the_l1_distance_of_the_features(metric):
    prepared = with_texts(metric, TEXTS)
    matrix = CountedFeatures.of(metric, prepared, min_count=1).matrix(prepared).toarray()
    expected = np.abs(matrix[:, None, :] - matrix[None, :, :]).sum(axis=2)
    np.testing.assert_allclose(metric.block(TEXTS, TEXTS), expected)


@given(
    texts=st.lists(st.text("abA ", max_size=7), min_size=1, max_size=5, unique=True),
    order=st.integers(1, 4),
)
def test_names_of_ngrams_are_what_is_in_the_texts(texts, order):
    for at in ("words", "text"):
        metric = wideberth.metric("ngrams", orders=(order,), at=at)
        marks = 1 if at == "words" else order - 1
        spans = (
            [word for text in texts for word in text.lower().split()]
            if at == "words"
            else [t.lower() for t in texts if t]
        )
        padded = [[MARK] * marks + list(map(ord, span)) + [MARK] * marks for span in spans]
        grams = {
            tuple(each[start : start + order])
            for each in padded
            for start in range(len(each) - order + 1)
        }
        expected = {gram for gram in grams if set(gram) != {MARK}}
        if not expected:
            continue
        found = (
            CountedFeatures.of(metric, with_texts(metric, texts), min_count=1)
            .vocabularies[0]
            .tuples
        )
        assert found == sorted(expected)


def test_rare_words_are_left_out_and_unknown_ones_count_nothing():
    words = wideberth.metric("words")
    prepared = with_texts(words, TEXTS)
    features = CountedFeatures.of(words, prepared, min_count=2)
    counts = Counter(word for text in TEXTS for word in set(text.lower().split()))
    assert features.names == sorted(word for word, count in counts.items() if count >= 2)
    assert features.matrix(with_texts(words, ["no known one"])).nnz == 0
    with pytest.raises(
        InvalidInput, match=r"min_count=9 of 6 different texts.*min_count=1"
    ) as error:
        CountedFeatures.of(words, prepared, min_count=9)
    assert error.value.value == 9
    assert len(CountedFeatures.of(words, prepared, min_count=1)) == len(counts)


@pytest.mark.parametrize("metric", METRICS[:5], ids=lambda metric: metric.name)
def test_picked_texts_keep_their_counts(metric):
    prepared = with_texts(metric, TEXTS)
    features = CountedFeatures.of(metric, prepared, min_count=1)
    some = sample.pick(prepared, np.array([4, 0]))
    assert texts_of(some).tolist() == ["Rum", "A cup of tea"]
    np.testing.assert_array_equal(
        features.matrix(some).toarray(), features.matrix(prepared).toarray()[[4, 0]]
    )
    assert with_texts(metric, some) is some


def test_different_objects_do_not_depend_on_order_or_copies():
    words = wideberth.metric("words")
    distinct, numbers = different_objects(with_texts(words, ["tea", "rum", "tea"]))
    assert texts_of(distinct).tolist() == ["rum", "tea"]
    assert numbers.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "metric",
    [
        "levenshtein",
        "jaccard",
        wideberth.metric("ngrams", form="ruzicka"),
        wideberth.transforms.cap("words", 3),
        wideberth.transforms.total("words", "levenshtein"),
        wideberth.transforms.largest("words", "ngrams"),
    ],
)
def test_other_metrics_count_nothing(metric):
    assert counted_blocks(wideberth.metric(metric)) is None


def test_letters_and_starts_make_the_same_vocabulary():
    one = Vocabulary.of(["tea", "rum", "ale"])
    other = Vocabulary(one.letters, one.starts)
    counts = wideberth.metric("words").prepare(["rum tea", "gin"])
    for found, expected in zip(one.columns(counts), other.columns(counts), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert other.names == ["ale", "rum", "tea"]

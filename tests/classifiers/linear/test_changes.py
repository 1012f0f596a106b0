"""The listed changes of words and n-grams are those that all single edits make."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers import edited_texts as twins
from oracles.classifiers.linear_scores import changes_of_word, counts_of

from wideberth.classifiers.linear.changes import edited_words, gram_changes, tokens_of
from wideberth.classifiers.linear.features import CountedFeatures, Vocabulary, with_texts
from wideberth.metrics.strings.words_and_grams import NGrams

words = st.text("ab", min_size=1, max_size=4)


def listed(changes, site):
    part = slice(changes.starts[site], changes.starts[site + 1])
    return {tuple(row) for row in changes.deltas[part].toarray().astype(int).tolist()}


@given(word=words, vocabulary=st.sets(words, min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_the_changes_of_a_word_are_those_of_all_its_single_edits(word, vocabulary):
    known = Vocabulary.of(sorted(vocabulary))
    changes = edited_words([word], known, 1.0)
    assert (listed(changes, 0) if len(changes.sites) else set()) == changes_of_word(
        word, known.names
    )


def test_a_single_letter_can_go():
    changes = edited_words(["a"], Vocabulary.of(["a", "b"]), 1.0)
    assert listed(changes, 0) == {(-1, 0), (-1, 1)}


def test_neighbours_are_joined_once_for_each_pair_and_scaled():
    changes = edited_words(["rum or rum", "or rum"], Vocabulary.of(["or", "rum", "orrum"]), 0.5)
    joined = [
        tuple(row) for row in changes.deltas.toarray().tolist() if row[0] == -0.5 and row[2] == -0.5
    ]
    assert sorted(joined) == [
        (-0.5, 0.0, -0.5),
        (-0.5, 0.5, -0.5),
    ]  # rumor is unknown, orrum is not
    sites = np.split(changes.sites, changes.text_starts[1:-1])
    assert [len(each) for each in sites] == [5, 3]


@given(texts=st.lists(st.text("ab ", max_size=8), max_size=5))
def test_texts_are_cut_as_str_split_cuts_them(texts):
    tokens, ids, starts = tokens_of(texts)
    found = [[tokens[place] for place in ids[first:last]] for first, last in pairwise(starts)]
    assert found == [text.split() for text in texts]
    assert tokens == sorted({word for text in texts for word in text.split()})


@pytest.mark.parametrize("texts", [[""], ["", "tea"], ["   "]])
def test_empty_texts_have_no_changes(texts):
    changes = edited_words(texts, Vocabulary.of(["tea"]), 1.0)
    assert len(changes.text_starts) == len(texts) + 1
    assert counts_of(texts[0], ["tea"]).sum() == 0


#: White space, a letter that no n-gram has, and those of the n-grams.
LETTERS = "ab ?"


def changes_by_counting(features, metric, text):
    """What all single edits of a text add to its counts, but for those that add nothing."""
    others = twins.within_edits(text, 1, LETTERS)[1]
    counts = features.matrix(with_texts(metric, [text, *others])).toarray().astype(int)
    return {tuple(row) for row in (counts[1:] - counts[0]).tolist()} - {(0,) * len(features)}


@pytest.mark.parametrize("at", ["words", "text"])
@pytest.mark.parametrize("orders", [(1,), (2,), (1, 2, 3), (1, 4)])
@given(
    text=st.text("abA ?", max_size=6),
    known=st.lists(st.text("ab ", min_size=1, max_size=6), min_size=2, max_size=4),
)
@settings(max_examples=30, deadline=None)
def test_the_changes_of_a_text_are_those_of_all_its_single_edits(at, orders, text, known):
    metric = NGrams(orders, at=at)
    if not any(word.strip() for word in known):
        known = [*known, "ab"]
    features = CountedFeatures.of(metric, with_texts(metric, sorted({*known, "abab"})), min_count=1)
    changes = gram_changes([text], features.vocabularies[0], 1.0, metric)
    listed = {tuple(row) for row in changes.deltas.toarray().astype(int).tolist()}
    assert listed == changes_by_counting(features, metric, text)


def test_places_that_look_alike_are_one_site_and_counts_are_scaled():
    metric = NGrams((2,))
    features = CountedFeatures.of(metric, with_texts(metric, ["aa", "ab"]), min_count=1)
    changes = gram_changes(["aaaaa", "aaaaaa", ""], features.vocabularies[0], 0.5, metric)
    one, other, empty = np.split(changes.sites, changes.text_starts[1:-1])
    assert [len(one), len(other), len(empty)] == [6, 7, 1]  # the end is a place, too
    assert set(one.tolist()) == set(other.tolist())
    assert set(np.abs(changes.deltas.data).tolist()) <= {0.5, 1.0}

"""The listed changes of words are those that all single edits make."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers.linear_scores import changes_of_word, counts_of

from wideberth.classifiers.linear.features.changes import tokens_of, word_changes
from wideberth.classifiers.linear.features.features import Vocabulary

words = st.text("ab", min_size=1, max_size=4)


def listed(changes, site):
    part = slice(changes.starts[site], changes.starts[site + 1])
    return {tuple(row) for row in changes.deltas[part].toarray().astype(int).tolist()}


@given(word=words, vocabulary=st.sets(words, min_size=1, max_size=6))
@settings(max_examples=200)
def test_the_changes_of_a_word_are_those_of_all_its_single_edits(word, vocabulary):
    known = Vocabulary.of(sorted(vocabulary))
    changes = word_changes([word], known, 1.0)
    assert (listed(changes, 0) if len(changes.sites) else set()) == changes_of_word(
        word, known.names
    )


def test_a_single_letter_can_go():
    changes = word_changes(["a"], Vocabulary.of(["a", "b"]), 1.0)
    assert listed(changes, 0) == {(-1, 0), (-1, 1)}


def test_neighbours_are_joined_once_for_each_pair_and_scaled():
    changes = word_changes(["rum or rum", "or rum"], Vocabulary.of(["or", "rum", "orrum"]), 0.5)
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
    changes = word_changes(texts, Vocabulary.of(["tea"]), 1.0)
    assert len(changes.text_starts) == len(texts) + 1
    assert counts_of(texts[0], ["tea"]).sum() == 0

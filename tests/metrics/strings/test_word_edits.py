"""Edits of words, what a word is, and synonyms as steps."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import letters, odd_letters

import wideberth as wb
from wideberth.errors import InvalidInput
from wideberth.metrics.strings.text_counts import read_texts, spelled_words
from wideberth.metrics.strings.word_edits import Synonyms, SynonymSteps

texts = st.text(odd_letters + "a.'!", max_size=12) | st.text(letters, max_size=6)

short = st.text("ab .'Σ", max_size=6)


def cut(text, tokens):
    """The slow twin: letter by letter."""
    lowered = [each.lower() if len(each.lower()) == 1 else each for each in text]
    words, open_word = [], False
    for letter in lowered:
        if letter.isspace():
            open_word = False
        elif tokens == "spaces" or letter.isalnum() or letter in "_'’" or _is_mark(letter):
            words = [*words[:-1], words[-1] + letter] if open_word else [*words, letter]
            open_word = True
        else:
            words, open_word = [*words, letter], False
    return words


def fewest_edits(one, other):
    """The slow twin of the distance, by its definition."""
    if not one or not other:
        return len(one) + len(other)
    last = fewest_edits(one[:-1], other[:-1]) + (one[-1] != other[-1])
    return min(last, fewest_edits(one[:-1], other) + 1, fewest_edits(one, other[:-1]) + 1)


def _is_mark(letter):
    return unicodedata.category(letter).startswith("M")


@pytest.mark.parametrize("tokens", ["spaces", "punctuation"])
@given(st.lists(texts, min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_words_are_cut_as_the_slow_twin_does(tokens, several):
    expected = [cut(text, tokens) for text in several]
    assert spelled_words(read_texts(several), tokens) == expected
    counts = wb.metric("words", tokens=tokens).prepare(several)
    assert counts.totals.tolist() == [len(words) for words in expected]
    if tokens == "spaces":
        assert [len(text.split()) for text in several] == [len(words) for words in expected]


@pytest.mark.parametrize("tokens", ["spaces", "punctuation"])
@given(short, short)
@settings(max_examples=60, deadline=None)
def test_edits_of_words_are_levenshteins_of_the_words(tokens, one, other):
    expected = fewest_edits(cut(one, tokens), cut(other, tokens))
    metric = wb.metric("word_edit", tokens=tokens)
    assert metric(one, other) == expected
    assert metric(cut(one, tokens), other) == expected  # words that were cut before


def test_words_of_one_letter_are_no_numbers():
    assert wb.metric("word_edit")("a 97", "97 a") == 2.0
    with pytest.raises(InvalidInput, match="is not a string"):
        wb.metric("word_edit").prepare([3.5])


def test_steps_of_synonyms_go_one_way():
    steps = SynonymSteps(Synonyms.of({"a": ["b", "c"], "b": ["a"]}, "spaces"))
    assert steps.block(
        ["a b x"], ["a b x", "b a x", "c b x", "a c x", "a b", "A b x"]
    ).tolist() == [[0.0, 2.0, 1.0, np.inf, np.inf, 0.0]]

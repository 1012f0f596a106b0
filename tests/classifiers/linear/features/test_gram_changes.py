"""The listed changes of n-grams are those that all single edits make."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.classifiers import edited_texts as twins

from wideberth.classifiers.linear.features.changes import gram_changes
from wideberth.classifiers.linear.features.features import CountedFeatures, with_texts
from wideberth.metrics.strings.words_and_grams import NGrams

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

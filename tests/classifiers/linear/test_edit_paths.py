"""Bounds on leads of scores over words and n-grams: below those of all texts, and equal to them
without edits.
"""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.classifiers import edited_texts as twins
from oracles.metrics.distances import levenshtein

from wideberth.classifiers.linear.edit_paths import WordAndGramPaths
from wideberth.classifiers.linear.gram_paths import GramPaths
from wideberth.classifiers.linear.word_paths import WordPaths
from wideberth.metrics.strings.words_and_grams import NGrams, Words

WORDS = ["a", "ab", "ba", "bb"]
GRAMS = [(97,), (98,), (97, 98), (98, 97), (98, 98)]


@given(st.integers(0, 10**9), st.text("abA ?", max_size=6))
@example(
    105, "?AA ?A"
)  # what lowers the lead by words raises it by n-grams, and the other way round
@settings(max_examples=80, deadline=None)
def test_bounds_are_below_the_leads_of_all_texts(seed, text):
    rng = np.random.default_rng(seed)
    weights, intercepts = (
        rng.integers(-3, 4, (len(WORDS) + len(GRAMS), 3)).astype(float),
        np.array([1.0, 0.0, 2.0]),
    )
    grams = GramPaths(GRAMS, weights[len(WORDS) :], intercepts, at="words", orders=(1, 2))
    paths = WordAndGramPaths(WordPaths(WORDS, weights[: len(WORDS)], np.zeros(3)), grams)

    def scores_of(texts):
        features = [[tuple(map(ord, word)) for word in WORDS], GRAMS]
        return twins.scores(texts, [Words(), NGrams((1, 2))], features, weights, intercepts)

    leads = paths.lowest_leads([text], np.array([1]), 1)[0]
    exact = [twins.lowest_leads(scores_of(some), 1) for some in twins.within_edits(text, 1, "ab ?")]
    np.testing.assert_array_equal(leads[0], exact[0])
    assert np.all(leads[1] <= exact[1])
    worst = paths.worst_text(text, 1, 0, 1)
    reached = scores_of([worst])[0]
    assert leads[1, 0] <= reached[1] - reached[0] <= leads[0, 0]
    assert levenshtein(text, worst) <= 1
    assert not paths.exact
    assert grams.exact
    assert np.all(np.abs(reached) <= paths.sizes([text], 1)[0, 1])

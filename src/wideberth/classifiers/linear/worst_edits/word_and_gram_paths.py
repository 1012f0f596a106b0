r"""Lower bounds on leads of scores that add up over words and over the n-grams of words, among all
texts within some edits.

A lead is a sum of one over words and one over n-grams, so that

.. math:: \min_{x'} \bigl( f(x') + g(x') \bigr) \ge \min_{x'} f(x') + \min_{x'} g(x')

over the texts within e edits. Both minima are exact (`word_paths`, `gram_paths`); they need not be
attained by the same text, unless there are no edits or one of the two sums is constant.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.linear.worst_edits.edit_paths import EditPaths
from wideberth.classifiers.linear.worst_edits.gram_paths import GramPaths
from wideberth.classifiers.linear.worst_edits.word_paths import WordPaths
from wideberth.metrics.strings.text_counts import Texts


class WordAndGramPaths(EditPaths):
    r"""Scores that add up over words and n-grams, and lower bounds on their leads within a number
    of edits; see the module.

    .. math:: s_y(x) = b_y + \sum_{t \in x} w_{ty} + \sum_{g \in x} w_{gy}

    Parameters
    ----------
    words : WordPaths
        The scores over words.
    grams : GramPaths
        The scores over n-grams. The intercepts of both are added.

    Examples
    --------
    >>> words = WordPaths(["tea"], np.array([[1.0, 0.0]]), np.zeros(2))
    >>> grams = GramPaths(
    ...     [(ord("t"),)], np.array([[1.0, 0.0]]), np.zeros(2), at="words", orders=[1]
    ... )
    >>> WordAndGramPaths(words, grams).lowest_leads(["tea tea"], np.array([0]), 1)[0, :, 1]
    array([4., 1.])
    >>> WordAndGramPaths(words, grams).worst_text(
    ...     "tea tea", winner=0, rival=1, edits=1
    ... )  # two words and no t less
    'tea①tea'
    """

    exact: ClassVar[bool] = False

    def __init__(self, words: WordPaths, grams: GramPaths) -> None:
        self.words = words
        self.grams = grams
        self.intercepts = words.intercepts + grams.intercepts

    def worst_text(self, text: str, winner: int, rival: int, edits: int) -> str:
        """A text within some edits at which the lead is low: of the worst for words, the worst for
        n-grams, and the text itself.

        The bound may be lower still.
        """
        candidates = [
            text,
            *(paths.worst_text(text, winner, rival, edits) for paths in (self.words, self.grams)),
        ]
        winners = np.full(len(candidates), winner)
        return candidates[int(self.lowest_leads(candidates, winners, 0)[:, 0, rival].argmin())]

    def lowest_sums(self, texts: Texts, winner: int, edits: int) -> Floats:
        sums: Floats = self.words.lowest_sums(texts, winner, edits) + self.grams.lowest_sums(
            texts, winner, edits
        )
        return sums

    def absolute_terms(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        """Those of words and n-grams, added."""
        (one, one_added), (other, other_added) = (
            self.words.absolute_terms(texts),
            self.grams.absolute_terms(texts),
        )
        return one + other, one_added + other_added

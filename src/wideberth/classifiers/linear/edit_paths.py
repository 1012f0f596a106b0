r"""Exact worst cases of scores that add up over the words or n-grams of a text: the lowest lead
within a number of edits.

A linear function of counts is a sum over the tokens of a text, so that its minimum over all texts
within e edits, any character of Unicode written anywhere, is the length of a shortest path. The
path that attains it spells the text. What the paths have in common is here, whatever they add up
over; `word_paths` and `gram_paths` have their states and edges.

Texts are read as the metrics ``words`` and ``ngrams`` read them, in lower case letter by letter.
That loses nothing and adds nothing: what an edit of a text changes is at most one letter of it in
lower case, and each letter that occurs in lower case can be written, since it is its own lower
case. Where a letter of the text is kept, so is its capital.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from wideberth.array_types import Flags, Floats, Indices
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.metrics.strings.text_counts import Texts, read_texts

#: How many letters one chunk of work has, at least one text: some tens of milliseconds.
_LETTERS_AT_A_TIME = 20_000
#: Letters of no known word are looked for from here on: characters that are easy to see, are their
#: own lower case and no space.
_STRANGE_FROM = 0x2460


class EditPaths(ABC):
    """Scores that add up over what texts consist of, and their lowest leads within a number of
    edits; where they are not ``exact``, lower bounds of them.
    """

    exact: ClassVar[bool] = True
    intercepts: Floats

    def lowest_leads(
        self, texts: Sequence[str], winners: Indices, edits: int, *, n_jobs: int | None = None
    ) -> Floats:
        r"""The lowest leads of classes y over the others among all texts within some edits.

        .. math:: \min \{ s_y(x') - s_{y'}(x') : d(x, x') \le e \} \qquad e = 0, 1, \dots

        with the Levenshtein distance d over all characters of Unicode; ``winners`` are the y of
        each text. A label is stable under e edits if and only if all of these are above 0 (if,
        where they are bounds). They err by at most `RADIUS_ERROR` of what `sizes` says of both
        classes. The shape is (n, edits + 1, k), infinite over y itself.
        """
        n_classes = len(self.intercepts)
        leads = np.full((len(texts), edits + 1, n_classes), np.inf)
        parts = list(_chunks(texts, np.asarray(winners)))
        work = partial(_lowest_sums_of_chunk, self, texts, edits)
        for (winner, rows), sums in zip(
            parts, over_chunks(work, parts, n_jobs=n_jobs, what="lowest leads"), strict=True
        ):
            rivals = rivals_of(winner, n_classes)
            leads[np.ix_(rows, np.arange(edits + 1), rivals)] = sums + (
                self.intercepts[winner] - self.intercepts[rivals]
            )
        return leads

    def keep_label(
        self, texts: Sequence[str], winners: Indices, edits: int, slack: Floats, n_jobs: int | None
    ) -> Flags:
        """Which texts keep their label within some edits: those whose lowest leads are all above a
        slack, of shape (n, k).
        """
        kept = np.empty(len(texts), dtype=bool)
        parts = list(_chunks(texts, winners))
        work = partial(_kept_of_chunk, self, texts, edits, slack)
        found = over_chunks(work, parts, n_jobs=n_jobs, what="lowest leads")
        for (_, rows), some in zip(parts, found, strict=True):
            kept[rows] = some
        return kept

    def sizes(self, texts: Sequence[str], edits: int) -> Floats:
        r"""How large the absolute terms of scores may become within some edits, added up.

        .. math:: S_y(x, e) = |b_y| + \sum_t |w_{ty}| + m e \max_t |w_{ty}|

        over the tokens t of x, if an edit adds at most m of them. A computed lead of y over y' of
        any text within e edits errs by at most :math:`u` times the number of terms
        (`wideberth.rounding`) of :math:`S_y + S_{y'}`, so by `wideberth.rounding.RADIUS_ERROR` of
        it up to 90,000 tokens.
        """
        now, added = self.absolute_terms(texts)
        return np.abs(self.intercepts) + now[:, None, :] + np.arange(edits + 1)[:, None] * added

    @abstractmethod
    def worst_text(self, text: str, winner: int, rival: int, edits: int) -> str:
        """A text within some edits at which the lead of the winner over the rival is lowest."""

    @abstractmethod
    def lowest_sums(self, texts: Texts, winner: int, edits: int) -> Floats:
        """The lowest leads without intercepts, over all rivals of one winner: of shape (n, edits +
        1, k - 1).
        """

    def kept_of(
        self, texts: Texts, winner: int, edits: int, limits: Floats, slack: Floats
    ) -> Flags:
        """Which texts of one winner have no sums within some edits at the limits or below, of shape
        (n, k - 1), where twice what rounding does to sums is the slack.
        """
        return np.asarray((self.lowest_sums(texts, winner, edits)[:, edits] > limits).all(axis=1))

    @abstractmethod
    def absolute_terms(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        """The sums of absolute weights of each text, of shape (n, k), and the most that an edit
        adds to them, of shape (k,).
        """


def strange_letter(known: Iterable[Iterable[str]]) -> str:
    """A letter that occurs nowhere in what is known, is its own lower case and no white space.

    Examples
    --------
    >>> strange_letter(["tea", "①"])
    '②'
    """
    letters = {letter for each in known for letter in each}
    candidates = (chr(code) for code in range(_STRANGE_FROM, 0x110000))
    return next(
        each
        for each in candidates
        if each not in letters and each.lower() == each and not each.isspace()
    )


def rivals_of(winner: int, n_classes: int) -> Indices:
    """The numbers of the other classes.

    Examples
    --------
    >>> rivals_of(1, 3)
    array([0, 2])
    """
    return np.delete(np.arange(n_classes), winner)


def _lowest_sums_of_chunk(
    paths: EditPaths, texts: Sequence[str], edits: int, chunk: tuple[int, Indices]
) -> Floats:
    """The lowest leads, without intercepts, of some texts with the same winner."""
    winner, rows = chunk
    return paths.lowest_sums(read_texts([texts[row] for row in rows]), winner, edits)


def _kept_of_chunk(
    paths: EditPaths, texts: Sequence[str], edits: int, slack: Floats, chunk: tuple[int, Indices]
) -> Flags:
    """Which of some texts with the same winner keep it."""
    winner, rows = chunk
    rivals = rivals_of(winner, len(paths.intercepts))
    slack = slack[np.ix_(rows, rivals)]
    limits = slack - (paths.intercepts[winner] - paths.intercepts[rivals])
    return paths.kept_of(read_texts([texts[row] for row in rows]), winner, edits, limits, slack)


def _chunks(texts: Sequence[str], winners: Indices) -> Iterator[tuple[int, Indices]]:
    """Texts with the same winner, some letters at a time."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    for winner in np.unique(winners):
        rows = np.flatnonzero(winners == winner)
        parts = np.cumsum(lengths[rows]) // _LETTERS_AT_A_TIME
        for part in np.split(rows, np.flatnonzero(np.diff(parts)) + 1):
            yield int(winner), part


class WordAndGramPaths(EditPaths):
    r"""Scores that add up over words and n-grams, and lower bounds on their leads within a number
    of edits.

    A lead is a sum of one over words and one over n-grams, so that

    .. math:: \min_{x'} \bigl( f(x') + g(x') \bigr) \ge \min_{x'} f(x') + \min_{x'} g(x')

    over the texts within e edits. Both minima are exact; they need not be attained by the same
    text, unless there are no edits or one of the two sums is constant.

    Examples
    --------
    >>> from wideberth.classifiers.linear.gram_paths import GramPaths
    >>> from wideberth.classifiers.linear.word_paths import WordPaths
    >>> words = WordPaths(["tea"], np.array([[1.0, 0.0]]), np.zeros(2))
    >>> grams = GramPaths(
    ...     [(ord("t"),)], np.array([[1.0, 0.0]]), np.zeros(2), at="words", orders=[1]
    ... )
    >>> WordAndGramPaths(words, grams).lowest_leads(["tea tea"], np.array([0]), 1)[0, :, 1]
    array([4., 1.])
    >>> # two words and no t less
    >>> WordAndGramPaths(words, grams).worst_text("tea tea", winner=0, rival=1, edits=1)
    'tea①tea'
    """

    exact: ClassVar[bool] = False

    def __init__(self, words: EditPaths, grams: EditPaths) -> None:
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

r"""The lowest lead of linear scores of words after moves of whole words: word edits, and words
replaced by synonyms.

Let :math:`d_v = w_p^v - w_q^v` be what the word v adds to the lead of the winner p over q, 0 for
words that are no features.

**Word edits.** One puts a word in, takes one out or replaces one by any other. After r of them the
lowest lead is

.. math:: \text{lead} - \sum_{r \text{ largest}} \max\{0, d_v\} - r\,|m|, \qquad m = \min\{0, \min_v
    d_v\},

over the words of the text, each as often as it occurs; missing terms are 0.

*Proof.* An alignment of two texts with r edits takes at most r words out of the text, those that
are replaced among them, and puts at most r in. Those that go take at most the sum away, and each
that comes takes at most :math:`|m|`. It is attained: the words with the r largest positive
:math:`d_v` are replaced by a word with :math:`d_v = m`, which is put in where there are fewer such
words; if m = 0 they are taken out. Order does not matter to counts.

**Synonyms.** Of the words of a text, r may be replaced by one of their synonyms S(v). Each changes
the lead by its own :math:`d_u - d_v`, and no other word, so that the lowest lead is lead minus the
r largest losses :math:`d_v - \min\{d_v, \min_{u \in S(v)} d_u\}`; for all words at once, minus all
of them. A word that is no feature may have synonyms that are.

Both are minima of linear functions of w, which a hinge can be learned for.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from wideberth.array_types import Floats, Indices, Integers, Sample
from wideberth.classifiers.linear.edit_paths import rivals_of
from wideberth.classifiers.linear.features import Vocabulary, counted_parts, counts_of
from wideberth.classifiers.linear.word_move_kernels import moves_kept
from wideberth.metrics.strings.text_counts import Tokens, read_texts, spelled_words, word_spans
from wideberth.metrics.strings.word_edits import Synonyms
from wideberth.rounding import RADIUS_ERROR

#: How many texts are counted at a time.
_AT_A_TIME = 4096
#: How many more moves than are proved are tried until a label changes, as rounding may hide the
#: first; and from how many on no text is written.
_TRIED, _MANY = 3, 10_000


@dataclass(frozen=True, eq=False)
class WordMoves(ABC):
    """Scores of words, and what moves of whole words take from their leads; see the module."""

    #: The words, their weights for each class, shape (words, k), and the intercepts.
    vocabulary: Vocabulary
    weights: Floats
    intercepts: Floats
    #: What a word is.
    tokens: Tokens

    @abstractmethod
    def losses(self, winner: int, rival: int) -> Floats:
        """What a move of each word of the vocabulary takes from the lead at most, 0 or more."""

    @abstractmethod
    def replacement(self, word: str, winner: int, rival: int) -> str:
        """What the worst move puts in the place of a word; nothing if it is taken out."""

    def added(self, winner: int, rival: int) -> tuple[float, str]:
        """What each move can take from the lead beside that, and by which further word; nothing
        where there are no more moves than words.
        """
        return 0.0, ""

    def radii(self, objects: Sample, winners: Indices) -> Floats:
        """How far prepared texts are from another label in these moves: one more than those that
        certainly keep it, infinite where all do. Exact but for rounding, by which a lead has to be
        above 0.
        """
        (counts,) = counted_parts(objects)
        radii = np.full(len(counts), np.inf)
        for first in range(0, len(counts), _AT_A_TIME):
            part = slice(first, first + _AT_A_TIME)
            matrix, own = counts_of(counts.take(part), self.vocabulary), winners[part]
            for winner in np.unique(own).tolist():
                rows = np.flatnonzero(own == winner)
                for rival in rivals_of(winner, len(self.intercepts)).tolist():
                    kept = self._kept(matrix, rows, winner, rival)
                    radii[first + rows] = np.minimum(radii[first + rows], kept + 1.0)
        return radii

    def _kept(self, matrix: Any, rows: Indices, winner: int, rival: int) -> Floats:
        """How many moves keep the lead of the winner over a rival, whatever rounding does."""
        pair = [winner, rival]
        weights, intercepts = self.weights[:, pair], self.intercepts[pair]
        scores, some = np.array([1.0, -1.0]), matrix[rows]
        leads = (some @ weights + intercepts) @ scores
        sizes = (some @ np.abs(weights) + np.abs(intercepts)).sum(axis=1)
        slack, largest = 2.0 * RADIUS_ERROR, float(np.abs(weights).max(axis=0, initial=0.0).sum())
        each, word = self.added(winner, rival)
        kept = np.empty(len(rows))
        moves_kept(
            some.indptr.astype(np.int64),
            some.indices.astype(np.int64),
            some.data,
            self.losses(winner, rival),
            leads - slack * sizes,
            each + slack * largest,
            not word,
            kept,
        )
        return kept

    def nearest_change(
        self, text: str, objects: Sample, winner: int
    ) -> tuple[str | None, float] | None:
        """A text with another label, fewest moves away from one that is also prepared, and how
        many; none at an infinite distance if no moves lead to one, None if a tie hides it.
        """
        radius = float(self.radii(objects, np.array([winner]))[0])
        if np.isinf(radius):
            return None, radius
        for moves in range(int(radius), int(radius) + _TRIED) if radius < _MANY else ():
            for rival in rivals_of(winner, len(self.intercepts)).tolist():
                changed = self.worst_text(text, winner, rival, moves)
                if int(self.scores(changed).argmax()) != winner:
                    return changed, moves
        return None

    def worst_text(self, text: str, winner: int, rival: int, moves: int) -> str:
        """A text within some moves at which the lead of the winner over the rival is lowest. What
        stays keeps its capitals and the white space around it.
        """
        read = read_texts([text])
        (words,) = spelled_words(read, self.tokens)
        begins, ends = (each.tolist() for each in word_spans(read, self.tokens))
        losses = np.append(self.losses(winner, rival), 0.0)[self._places_of(words)]
        worst = np.argsort(-losses, kind="stable")[:moves]
        moved = np.sort(worst[losses[worst] > 0]).tolist()
        for at in reversed(moved):
            before, after = text[: begins[at]], text[ends[at] :]
            new = self.replacement(words[at], winner, rival)
            if before and not before[-1].isspace():
                before += " "
            if after and not after[0].isspace():
                after = " " + after
            text = before + new + after
        word = self.added(winner, rival)[1]
        return " ".join([text, *[word] * (moves - len(moved))]) if word else text

    def scores(self, text: str) -> Floats:
        """The scores of a text."""
        (words,) = spelled_words(read_texts([text]), self.tokens)
        places = self._places_of(words)
        return np.asarray(self.weights[places[places >= 0]].sum(axis=0) + self.intercepts)

    def _places_of(self, words: Sequence[str]) -> Indices:
        """The places of words in the vocabulary, -1 of those that are not in it."""
        return np.array([self._places.get(word, -1) for word in words], dtype=np.intp)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.vocabulary.names)}


class WordEdits(WordMoves):
    """Words put in, taken out or replaced by any others; see the module.

    Examples
    --------
    >>> words = Vocabulary.of(["ale", "rum", "tea"])
    >>> edits = WordEdits(words, np.array([[0.0, 2], [0, 1], [1, 0]]), np.zeros(2), "spaces")
    >>> edits.losses(0, 1), edits.added(0, 1)
    (array([0., 0., 1.]), (2.0, 'ale'))
    >>> edits.worst_text("Tea or tea", winner=0, rival=1, moves=1)
    'ale or tea'
    """

    def losses(self, winner: int, rival: int) -> Floats:
        return np.maximum(self.weights[:, winner] - self.weights[:, rival], 0.0)

    def replacement(self, word: str, winner: int, rival: int) -> str:
        return self.added(winner, rival)[1]

    def added(self, winner: int, rival: int) -> tuple[float, str]:
        """By the word that speaks most for the rival, if one does."""
        gains = self.weights[:, rival] - self.weights[:, winner]
        if gains.max(initial=0.0) <= 0.0:
            return 0.0, ""
        return float(gains.max()), self.vocabulary.names[int(gains.argmax())]


@dataclass(frozen=True, eq=False)
class SynonymMoves(WordMoves):
    """Words replaced by their synonyms; see the module. The vocabulary has words that are no
    features too, if they have synonyms that are.

    Examples
    --------
    >>> table = Synonyms.of({"tea": ["rum", "chai"], "cup": ["tea"]}, "spaces")
    >>> words = Vocabulary.of(["rum", "tea"])
    >>> moves = SynonymMoves.of(words, np.array([[0.0, 1], [1, 0]]), np.zeros(2), "spaces", table)
    >>> moves.vocabulary.names, moves.losses(0, 1), moves.losses(1, 0)
    (['cup', 'rum', 'tea'], array([0., 0., 2.]), array([1., 0., 0.]))
    """

    table: Synonyms
    #: The places of the word and its synonyms, one word after the other, -1 for words that are not
    #: in the vocabulary; and where those of each word begin.
    options: Integers
    starts: Integers

    @classmethod
    def of(
        cls,
        features: Vocabulary,
        weights: Floats,
        intercepts: Floats,
        tokens: Tokens,
        table: Synonyms,
    ) -> Self:
        """The moves that a table allows."""
        known = {word: row for row, word in enumerate(features.names)}
        more = [
            word
            for word, others in table.of_words.items()
            if word not in known and any(other in known for other in others)
        ]
        vocabulary = Vocabulary.of([*known, *more])
        names = vocabulary.names
        padded = np.vstack([weights, np.zeros((1, len(intercepts)))])
        places = {word: place for place, word in enumerate(names)}
        options = [
            [place, *(places.get(other, -1) for other in table.of_words.get(word, ()))]
            for place, word in enumerate(names)
        ]
        return cls(
            vocabulary,
            padded[[known.get(word, -1) for word in names]],
            intercepts,
            tokens,
            table,
            np.array([place for each in options for place in each], dtype=np.int64),
            np.cumsum([0, *map(len, options)], dtype=np.int64)[:-1],
        )

    def losses(self, winner: int, rival: int) -> Floats:
        pulls = np.append(self.weights[:, winner] - self.weights[:, rival], 0.0)
        if not len(self.starts):
            return pulls[:-1]
        return np.asarray(pulls[:-1] - np.minimum.reduceat(pulls[self.options], self.starts))

    def replacement(self, word: str, winner: int, rival: int) -> str:
        choices = [word, *self.table.of_words.get(word, ())]
        pulls = np.append(self.weights[:, winner] - self.weights[:, rival], 0.0)
        return choices[int(pulls[self._places_of(choices)].argmin())]

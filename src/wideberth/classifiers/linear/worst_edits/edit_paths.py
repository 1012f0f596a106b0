"""What shortest paths over the texts within some edits have in common, whatever they add up
over.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.metrics.strings.text_counts import Texts, read_texts

#: How many letters one chunk of work has, at least one text: some tens of milliseconds.
_LETTERS_AT_A_TIME = 20_000


class EditPaths(ABC):
    """Scores that add up over what texts consist of, and their lowest leads within a number of
    edits.

    Attributes
    ----------
    exact : bool
        Whether the lowest leads are attained; if not, they are lower bounds.
    intercepts : ndarray of shape (k,)
        What is added to the score of each class.
    """

    exact: ClassVar[bool] = True
    intercepts: Floats

    def lowest_leads(
        self, texts: Sequence[str], winners: Indices, edits: int, *, n_jobs: int | None = None
    ) -> Floats:
        r"""The lowest leads of classes over the others among all texts within some edits.

        .. math:: \min \{ s_y(x') - s_{y'}(x') : d(x, x') \le e \} \qquad e = 0, 1, \dots

        with the Levenshtein distance d over all characters of Unicode. A label is stable under e
        edits if and only if all of these are above 0 (if, where they are bounds). They err by at
        most `RADIUS_ERROR` of what `sizes` says of both classes.

        Parameters
        ----------
        texts : sequence of n str
            The texts x.
        winners : ndarray of shape (n,)
            The number of the class y of each text.
        edits : int
            The largest number e of edits.
        n_jobs : int, optional
            How many cores to use; all of them by default.

        Returns
        -------
        ndarray of shape (n, edits + 1, k)
            The lowest leads of the winner over each class y', within 0, 1, ... edits; infinite over
            itself.
        """
        n_classes = len(self.intercepts)
        leads = np.full((len(texts), edits + 1, n_classes), np.inf)
        chunks = list(_chunks(texts, np.asarray(winners)))
        work = partial(_lowest_sums_of_chunk, self, texts, edits)
        for (winner, rows), sums in zip(
            chunks, over_chunks(work, chunks, n_jobs=n_jobs, what="lowest leads"), strict=True
        ):
            rivals = rivals_of(winner, n_classes)
            leads[np.ix_(rows, np.arange(edits + 1), rivals)] = sums + (
                self.intercepts[winner] - self.intercepts[rivals]
            )
        return leads

    def sizes(self, texts: Sequence[str], edits: int) -> Floats:
        r"""How large the absolute terms of scores may become within some edits, added up.

        .. math:: S_y(x, e) = |b_y| + \sum_t |w_{ty}| + m e \max_t |w_{ty}|

        over the tokens t of x, if an edit adds at most m of them. A computed lead of y over y' of
        any text within e edits errs by at most :math:`u` times the number of terms
        (`wideberth.rounding`) of :math:`S_y + S_{y'}`, so by `wideberth.rounding.RADIUS_ERROR` of
        it up to 90,000 tokens.

        Returns
        -------
        ndarray of shape (n, edits + 1, k)
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

    @abstractmethod
    def absolute_terms(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        """The sums of absolute weights of each text, of shape (n, k), and the most that an edit
        adds to them, of shape (k,).
        """


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


def _chunks(texts: Sequence[str], winners: Indices) -> Iterator[tuple[int, Indices]]:
    """Texts with the same winner, some letters at a time."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    for winner in np.unique(winners):
        rows = np.flatnonzero(winners == winner)
        parts = np.cumsum(lengths[rows]) // _LETTERS_AT_A_TIME
        for part in np.split(rows, np.flatnonzero(np.diff(parts)) + 1):
            yield int(winner), part

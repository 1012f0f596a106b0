"""What a single edit does to the n-grams of a text: those over the place of the edit go, and others come."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack

from wideberth.array_types import Integers
from wideberth.classifiers.linear.features.edit_changes import ChangeEntries, EditChanges
from wideberth.classifiers.linear.features.vocabulary import Vocabulary
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import read_texts
from wideberth.metrics.strings.words_and_grams import NGrams

#: The codes of marks, and of all letters that no n-gram has; those of the n-grams follow.
_MARK, _STRANGE = 0, 1
#: How many sites are examined at once: each with every letter takes some tens of megabytes.
_AT_ONCE = 4096


def gram_changes(texts: Sequence[str], vocabulary: Vocabulary, factor: float, metric: NGrams) -> EditChanges:
    """What one edit can do to counts of n-grams.

    A site is a place in a text with the letters around it that n-grams over this place can have: n - 1 on either side. Its letter
    can be deleted or replaced, and letters can be inserted before it; at the end of a text it is the mark. Letters that no n-gram
    has are one. So there are about twice as many changes of a site as letters: many for long texts.

    Parameters
    ----------
    texts : sequence of str
        The texts.
    vocabulary : Vocabulary
        The n-grams that are counted.
    factor : float
        What counts are multiplied by.
    metric : NGrams
        Their orders, and where they are counted.

    Returns
    -------
    EditChanges
        A site for each different place.

    Examples
    --------
    >>> changes = gram_changes(["ab"], Vocabulary.of(["ab", "ba"]), 1.0, NGrams(orders=[2]))
    >>> np.unique(changes.deltas.toarray().astype(int), axis=0).tolist()  # such as "b"; "bab" or "aba"
    [[-1, 0], [0, 1]]
    """
    grams, in_words = _KnownGrams(vocabulary, metric.orders), metric.at == "words"
    places, text_starts = _places(texts, grams, in_words=in_words)
    windows, occurrences = np.unique(places, axis=0, return_inverse=True)
    written = np.arange(_MARK if in_words else _STRANGE, grams.n_codes)
    parts = [
        (first, _window_changes(grams, windows[first : first + _AT_ONCE], written)) for first in range(0, len(windows), _AT_ONCE)
    ]
    sites = np.concatenate([first + found for first, (found, _) in parts])
    deltas = vstack([changed for _, (_, changed) in parts]).tocoo()
    entries = ChangeEntries(sites, deltas.row.astype(np.int64), deltas.col.astype(np.int64), factor * deltas.data)
    return entries.collected(occurrences.reshape(-1).astype(np.int64), text_starts, len(windows), len(vocabulary))


def _window_changes(grams: "_KnownGrams", windows: Integers, written: Integers) -> tuple[Integers, csr_array]:
    """The changes of some sites: the number of the site of each, and what it adds to the counts.

    A window has as many letters before the place as behind it. Of what stands there and of what becomes of it, n-grams are
    compared that end at the place or behind it.
    """
    before, here, behind = windows[:, : grams.reach], windows[:, grams.reach : -1], windows[:, grams.reach + 1 :]
    once, often = np.arange(len(windows)), np.repeat(np.arange(len(windows)), len(written))
    letters = np.tile(written, len(windows))[:, None]
    kinds = (
        (often, windows, np.hstack([before[often], letters, behind[often]])),  # replaced
        (often, np.hstack([before, here]), np.hstack([before[often], letters, here[often]])),  # inserted
        (once, windows, np.hstack([before, behind])),  # deleted
    )
    changed = [grams.counts(new) - grams.counts(old)[sites] for sites, old, new in kinds]
    return np.concatenate([sites for sites, _, _ in kinds]), csr_array(vstack(changed))


class _KnownGrams:
    """The n-grams of a vocabulary as numbers, whose digits are the codes of their letters."""

    def __init__(self, vocabulary: Vocabulary, orders: Sequence[int]) -> None:
        self.orders, self.reach, self.n_grams = sorted(orders), max(orders) - 1, len(vocabulary)
        self._alphabet = np.setdiff1d(vocabulary.letters.astype(np.int64), [MARK])
        self.n_codes = len(self._alphabet) + 2
        letters, sizes = self.coded(vocabulary.letters.astype(np.int64)), np.diff(vocabulary.starts)
        self._columns = {order: np.flatnonzero(sizes == order) for order in self.orders}
        self._numbers = {
            order: self._number(letters[vocabulary.starts[columns][:, None] + np.arange(order)])
            for order, columns in self._columns.items()
        }
        for order, numbers in self._numbers.items():
            ascending = np.argsort(numbers)
            self._numbers[order], self._columns[order] = numbers[ascending], self._columns[order][ascending]

    def coded(self, letters: Integers) -> Integers:
        """The codes of letters."""
        places = np.searchsorted(self._alphabet, letters)
        return np.where(letters == MARK, _MARK, np.where(np.isin(letters, self._alphabet), places + 2, _STRANGE))

    def counts(self, pieces: Integers) -> csr_array:
        """How often each n-gram is in pieces of text, of those that end ``reach`` letters behind their beginning or later."""
        found = [self._found(pieces, order, end) for order in self.orders for end in range(self.reach, pieces.shape[1])]
        rows, columns = (np.concatenate([each[part] for each in found] or [np.empty(0, dtype=np.int64)]) for part in (0, 1))
        return csr_array(coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(pieces), self.n_grams)))

    def _found(self, pieces: Integers, order: int, end: int) -> tuple[Integers, Integers]:
        """The pieces of text that have a known n-gram of an order which ends at a place, and its column."""
        known = self._numbers[order]
        if not len(known):
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        numbers = self._number(pieces[:, end - order + 1 : end + 1])
        places = np.searchsorted(known, numbers).clip(max=len(known) - 1)
        rows = np.flatnonzero(known[places] == numbers)
        return rows, self._columns[order][places[rows]]

    def _number(self, letters: Integers) -> Integers:
        return np.asarray(letters.astype(np.int64) @ self.n_codes ** np.arange(letters.shape[1] - 1, -1, -1, dtype=np.int64))


def _places(texts: Sequence[str], grams: _KnownGrams, *, in_words: bool) -> tuple[Integers, Integers]:
    """The codes around each place of each text, its end among them, and where the places of each text begin."""
    read = read_texts(list(texts))
    codes = np.append(grams.coded(read.letters.astype(np.int64)), _MARK)  # the last one for texts without letters
    if in_words:
        codes[:-1][read.spaces] = _MARK
    sizes = read.ends - read.begins + 1
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    at = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
    around = at[:, None] + np.arange(-grams.reach, grams.reach + 1)
    inside = (around >= 0) & (around < np.repeat(sizes - 1, sizes)[:, None])
    where = np.where(inside, np.repeat(read.begins, sizes)[:, None] + around, 0)
    return np.where(inside, codes[where], _MARK), starts

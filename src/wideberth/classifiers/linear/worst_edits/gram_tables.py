"""N-grams of three letters at most in the arrays that compiled loops look them up in, and texts in their letters."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from wideberth.array_types import Floats, Indices, Integers
from wideberth.classifiers.linear.worst_edits.gram_kernels import Grams, Triples
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import Texts, read_texts

#: The codes of marks and of letters that no n-gram has.
_MARK, _STRANGE = 0, 1


class GramTables:
    """The letters, pairs and triples of known n-grams.

    Memory is linear in the number of n-grams and quadratic in that of letters, never cubic.

    Parameters
    ----------
    grams : sequence of tuple of int
        Different n-grams, as code points and marks.
    at : {"words", "text"}
        Where they are counted.
    orders : sequence of int
        Which are counted; none larger than 3.

    Attributes
    ----------
    kept : ndarray of intp
        Which n-grams a text can have.
    alphabet : ndarray of int64
        The code points of their letters in ascending order; their codes are 2, 3, ...
    """

    def __init__(self, grams: Sequence[tuple[int, ...]], at: Literal["words", "text"], orders: Sequence[int]) -> None:
        self.at, self.order = at, max(orders)
        letters = _letters_of_texts(grams, at)
        possible = [len(gram) in orders and _is_counted(gram, at, letters) for gram in grams]
        self.kept: Indices = np.flatnonzero(np.array(possible, dtype=bool))
        kept = [grams[gram] for gram in self.kept.tolist()]
        self.alphabet: Integers = np.unique([letter for gram in kept for letter in gram if letter != MARK]).astype(np.int64)
        self.n_letters = len(self.alphabet) + 2
        self._index([self._coded(np.array(gram, dtype=np.int64)) for gram in kept])

    def codes(self, texts: Texts) -> list[Integers]:
        """Each text in codes, with two marks before it and three behind.

        Examples
        --------
        >>> tables = GramTables([(97,), (98, MARK)], "words", [1, 2])
        >>> tables.codes(read_texts(["a b?"]))
        [array([0, 0, 2, 0, 3, 1, 0, 0, 0])]
        """
        codes = self._coded(texts.letters.astype(np.int64))
        if self.at == "words":
            codes[texts.spaces] = _MARK
        return [np.pad(codes[begin:end], (2, 3)) for begin, end in zip(texts.begins, texts.ends, strict=True)]

    def letter(self, code: int, strange: str) -> str:
        """The letter of a code: white space for a mark, the given one for letters that no n-gram has."""
        return {_MARK: " ", _STRANGE: strange}.get(code) or chr(self.alphabet[code - 2])

    def with_values(self, values: Floats) -> Grams:
        """What n-grams add, one row for each of those kept."""
        rivals = values.shape[1]
        singles, doubles = np.zeros((self.n_letters, rivals)), np.zeros((self.n_letters, self.n_letters, rivals))
        singles[self._of_one[:, 0]] = values[self._rows[0]]
        doubles[self._of_two[:, 0], self._of_two[:, 1]] = values[self._rows[1]]
        triples = values[self._rows[2]]
        least = 0 if self.at == "words" else 1
        low_doubles = np.minimum(doubles.min(axis=1), 0.0)
        lows = (_lowest(self._beginnings, triples), _lowest(self._frames, triples))
        by_letters = (self._beginnings, self._frames, self._ends)
        return Grams(self.order, least, doubles + singles, triples, *by_letters, singles, low_doubles, *lows)

    def _coded(self, letters: Integers) -> Integers:
        places = np.searchsorted(self.alphabet, letters)
        known = np.isin(letters, self.alphabet)
        return np.where(letters == MARK, _MARK, np.where(known, places + 2, _STRANGE))

    def _index(self, grams: list[Integers]) -> None:
        """Sort n-grams by their sizes, and the triples by any two of their letters."""
        sizes = np.array([len(gram) for gram in grams], dtype=np.int64)
        self._rows = [np.flatnonzero(sizes == size) for size in (1, 2, 3)]
        self._of_one, self._of_two, of_three = (
            np.array([grams[gram] for gram in rows], dtype=np.int64).reshape(-1, size)
            for size, rows in enumerate(self._rows, start=1)
        )
        self._beginnings, self._frames, self._ends = (
            self._by_letters(of_three[:, one], of_three[:, other], of_three[:, third])
            for one, other, third in ((0, 1, 2), (0, 2, 1), (1, 2, 0))
        )

    def _by_letters(self, one: Integers, other: Integers, third: Integers) -> Triples:
        """Triples by two of their letters."""
        keys, order = one * self.n_letters + other, np.lexsort((third, other, one))
        different = np.unique(keys)
        pairs = np.zeros(self.n_letters**2, dtype=np.int64)
        pairs[different] = np.arange(1, len(different) + 1)
        first = np.searchsorted(pairs[keys[order]], np.arange(len(different) + 2))
        return Triples(pairs.reshape(self.n_letters, self.n_letters), first, third[order], order)


def _lowest(triples: Triples, values: Floats) -> Floats:
    """The lowest value of the triples of each pair, 0 at most."""
    lowest = np.zeros((len(triples.first) - 1, values.shape[1]))
    np.minimum.at(lowest, np.repeat(np.arange(len(lowest)), np.diff(triples.first)), values[triples.numbers])
    return lowest


def _letters_of_texts(grams: Sequence[tuple[int, ...]], at: str) -> set[int]:
    """The letters of n-grams that a text can have where they are counted: in lower case, and no white space in words."""
    letters = sorted({letter for gram in grams for letter in gram} - {MARK})
    if not letters:
        return set()
    read = read_texts(["".join(map(chr, letters))])
    own = (read.letters == letters) & ~(read.spaces & (at == "words"))
    return set(np.array(letters)[own].tolist())


def _is_counted(gram: tuple[int, ...], at: str, letters: set[int]) -> bool:
    """Whether a text with these letters can have an n-gram: marks are around letters, in words one on each side at most."""
    before, behind = 0, len(gram)
    while before < behind and gram[before] == MARK:
        before += 1
    while before < behind and gram[behind - 1] == MARK:
        behind -= 1
    fits = at == "text" or max(before, len(gram) - behind) <= 1
    return before < behind and fits and all(letter in letters for letter in gram[before:behind])

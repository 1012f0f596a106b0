"""N-grams of three letters at most in the arrays that compiled loops look them up in, and texts in their letters."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from wideberth.array_types import Floats, Indices, Integers
from wideberth.classifiers.linear.worst_edits.gram_kernels import Grams
from wideberth.classifiers.linear.worst_edits.tries import can_occur
from wideberth.metrics.strings.count_kernels import MARK
from wideberth.metrics.strings.text_counts import Texts, read_texts

#: The codes of marks and of letters that no n-gram has.
_MARK, _STRANGE = 0, 1


class GramTables:
    """The letters, pairs and triples of known n-grams.

    Memory is linear in the number of n-grams, and quadratic in that of letters only by two tables of integers.

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
        possible = [len(gram) in orders and _is_counted(gram, at) for gram in grams]
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
        single, doubles = np.zeros((self.n_letters, rivals)), np.zeros((self._n_pairs, rivals))
        triples = np.zeros((len(self._thirds) + 1, rivals))
        single[self._singles[1]] = values[self._singles[0]]
        doubles[self._doubles[1]] = values[self._doubles[0]]
        triples[: len(self._thirds)] = values[self._triples]
        low_doubles, low_triples = np.zeros((self.n_letters, rivals)), np.zeros((self._n_pairs, rivals))
        low_around = np.zeros((int(self._around.max(initial=0)) + 1, rivals))
        np.minimum.at(low_doubles, self._doubles[2], doubles[self._doubles[1]])
        np.minimum.at(low_triples, np.repeat(np.arange(self._n_pairs), np.diff(self._first)), triples[:-1])
        np.minimum.at(low_around, self._around_triples, triples[:-1])
        least = 0 if self.at == "words" else 1
        known = (single, self._pairs, doubles, self._first, self._thirds, triples)
        return Grams(self.order, least, *known, self._around, low_doubles, low_triples, low_around)

    def _coded(self, letters: Integers) -> Integers:
        places = np.searchsorted(self.alphabet, letters)
        known = np.isin(letters, self.alphabet)
        return np.where(letters == MARK, _MARK, np.where(known, places + 2, _STRANGE))

    def _index(self, grams: list[Integers]) -> None:
        """Number the pairs, and sort the triples by their pairs."""
        sizes = np.array([len(gram) for gram in grams], dtype=np.int64)
        one, two, three = (np.flatnonzero(sizes == size) for size in (1, 2, 3))
        of_two = np.array([grams[gram] for gram in two], dtype=np.int64).reshape(-1, 2)
        of_three = np.array([grams[gram] for gram in three], dtype=np.int64).reshape(-1, 3)
        self._singles = one, np.array([grams[gram][0] for gram in one], dtype=np.int64)
        self._pairs, pairs = self._numbered(np.concatenate([of_two, of_three[:, :2]]))
        self._around, around = self._numbered(of_three[:, ::2])
        self._n_pairs = int(self._pairs.max(initial=0)) + 1
        self._doubles = two, pairs[: len(two)], of_two[:, 0]
        order = np.lexsort((of_three[:, 2], pairs[len(two) :]))
        self._triples, self._thirds, self._around_triples = three[order], of_three[order, 2], around[order]
        self._first = np.searchsorted(pairs[len(two) :][order], np.arange(self._n_pairs + 1))

    def _numbered(self, pairs: Integers) -> tuple[Integers, Integers]:
        """Number different pairs of letters from 1 on: the table of numbers, and the number of each pair."""
        keys = pairs[:, 0] * self.n_letters + pairs[:, 1]
        table = np.zeros(self.n_letters**2, dtype=np.int64)
        different = np.unique(keys)
        table[different] = np.arange(1, len(different) + 1)
        return table.reshape(self.n_letters, self.n_letters), table[keys]


def _is_counted(gram: tuple[int, ...], at: str) -> bool:
    """Whether a text can have an n-gram: marks are around letters, and letters in lower case."""
    letters = [letter for letter in gram if letter != MARK]
    marks_before = next((place for place, letter in enumerate(gram) if letter != MARK), 0)
    inside = list(gram[marks_before : marks_before + len(letters)])
    if not letters or inside != letters:
        return False
    written = "".join(map(chr, letters))
    if at == "words":
        return bool(can_occur([written])[0]) and max(marks_before, len(gram) - marks_before - len(letters)) <= 1
    return read_texts([written]).letters.tolist() == letters

"""The words and n-grams that are features, by their letters."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Integers
from wideberth.metrics.element_kernels import Letters
from wideberth.metrics.elements import Elements
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings.count_kernels import MARK

#: How the mark at the ends of words and texts is written in the names of n-grams.
SHOWN_MARK = "|"


class Vocabulary:
    """Different words or n-grams, sorted by their letters.

    Parameters
    ----------
    letters : ndarray of uint32
        Their code points, one after the other; `MARK` stands for an end of a word or text.
    starts : ndarray of int64, shape (n + 1,)
        Where each of them begins.

    Examples
    --------
    >>> drinks = Vocabulary.of(["tea", "rum"])
    >>> drinks.names, len(drinks), drinks.tuples[0] == tuple(map(ord, "rum"))
    (['rum', 'tea'], 2, True)
    """

    def __init__(self, letters: Letters, starts: Integers) -> None:
        self.letters, self.starts = letters, starts

    @classmethod
    def of(cls, entries: Sequence[Any]) -> "Vocabulary":
        """The vocabulary of words, or of tuples of code points."""
        tuples = sorted(tuple(map(ord, entry)) if isinstance(entry, str) else tuple(entry) for entry in entries)
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum([len(each) for each in tuples], dtype=np.int64)])
        return cls(np.array([letter for each in tuples for letter in each], dtype=np.uint32), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def tuples(self) -> list[tuple[int, ...]]:
        """The code points of each."""
        flat, bounds = self.letters.tolist(), self.starts.tolist()
        return [tuple(flat[first:last]) for first, last in pairwise(bounds)]

    @cached_property
    def names(self) -> list[str]:
        """The same as texts; an end is written as ``|``."""
        return ["".join(SHOWN_MARK if letter == MARK else chr(letter) for letter in each) for each in self.tuples]

    def repeated(self) -> int | None:
        """The place of an entry that is there once more; None if all are different, as everything here needs.

        Examples
        --------
        >>> Vocabulary(np.array([97, 98, 97], dtype=np.uint32), np.arange(4)).repeated(), Vocabulary.of(["a", "b"]).repeated()
        (0, None)
        """
        _, places = Elements.of(self.letters, self.starts)
        twice = np.flatnonzero(np.bincount(places, minlength=1)[places] > 1)
        return int(twice[0]) if len(twice) else None

    @cached_property
    def _found_by(self) -> tuple[Elements, Integers]:
        """The same as elements, and for each element its place in the vocabulary."""
        elements, places = Elements.of(self.letters, self.starts)
        return elements, np.argsort(places)

    def places_of(self, elements: Elements) -> tuple[Integers, Flags]:
        """For each of some elements its place in the vocabulary, by its letters, and whether it has one."""
        own, order = self._found_by
        places, known = elements.places_in(own)
        return order[places] if len(order) else places, known

    def columns(self, counts: Multisets) -> tuple[Integers, Flags]:
        """For each entry of the counts its place in the vocabulary, and whether it has one."""
        places, known = self.places_of(counts.elements)
        return places[counts.numbers], known[counts.numbers]


def collect_vocabulary(counts: Multisets, min_count: int) -> Vocabulary:
    """The vocabulary of what occurs in at least ``min_count`` of some different texts.

    Parameters
    ----------
    counts : Multisets
        The counts of the texts, all different.
    min_count : int
        In how many of them a word or n-gram has to occur.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> collect_vocabulary(metric("words").prepare(["a cup of tea", "tea with milk", "a tea"]), 2).names
    ['a', 'tea']
    """
    texts_with = np.bincount(counts.numbers, minlength=len(counts.elements))
    return Vocabulary.of(counts.elements.only(texts_with >= min_count).tuples())

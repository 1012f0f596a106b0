"""The different elements of a sample by their letters, and integers in their place that are exact.

Words, n-grams, tokens, categories and labels of nodes are compared across samples, processes and
model files. Each is a sequence of *letters* (32-bit numbers: code points, bytes, parts of a
digest), and two of them are one element if and only if their letters are equal. A *key* of 64 bits
finds an element quickly and proves nothing: anyone can write a word that has the key of another. So
`Elements` is the only place where keys are looked up, it compares letters wherever keys agree, and
all other code sees positions among elements. Keys are never stored; they are computed from the
letters whenever elements are made.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Integers
from wideberth.metrics.containers import check_starts, taken
from wideberth.metrics.element_kernels import (
    Keys,
    Letters,
    compare_letters,
    compute_keys,
    find_elements,
)

#: The keys that order elements are the same in every process: sums over elements have one order,
#: and digests one value.
_SEED = np.uint64(0x9E3779B97F4A7C15)


class Elements:
    """Different elements, ascending by their keys and among equal keys by their letters. Made by
    `Elements.of`.

    Attributes
    ----------
    letters : ndarray of uint32
        Their letters, one element after the other.
    starts : ndarray of int64, shape (n + 1,)
        Where each element begins.
    keys : ndarray of int64, shape (n,)
        Their keys, the same in every process. Different elements may share one.

    Examples
    --------
    >>> elements, places = Elements.of_texts(["tea", "rum", "tea"])
    >>> len(elements), bool(places[0] == places[2] != places[1])
    (2, True)
    """

    def __init__(self, letters: Letters, starts: Integers, keys: Keys) -> None:
        self.letters, self.starts, self.keys = letters, starts, keys

    @classmethod
    def of(cls, letters: Letters, starts: Integers) -> tuple["Elements", Integers]:
        """The different ones of some elements in any order, and for each its position among
        them.
        """
        keys = np.empty(len(starts) - 1, dtype=np.int64)
        compute_keys(letters, starts, _SEED, keys)
        order = np.argsort(keys)
        is_new = np.ones(len(keys), dtype=bool)
        behind = np.flatnonzero(keys[order[1:]] == keys[order[:-1]]) + 1
        if len(behind):
            is_new[behind] = ~_sort_by_letters(letters, starts, keys, order, behind)
        places = np.empty(len(keys), dtype=np.int64)
        places[order] = np.cumsum(is_new) - 1
        chosen = order[is_new]
        positions, new_starts = taken(starts, chosen)
        return cls(letters[positions], new_starts, keys[chosen]), places

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> tuple["Elements", Integers]:
        """The different ones of some texts, letter by letter, and for each its position among
        them.
        """
        return cls._of_parts(
            [text.encode("utf-32-le", "surrogatepass") for text in texts], np.uint32
        )

    @classmethod
    def of_bytes(cls, contents: Sequence[bytes]) -> tuple["Elements", Integers]:
        """The different ones of some byte strings, whose bytes are the letters, and for each its
        position among them.
        """
        return cls._of_parts(contents, np.uint8)

    @classmethod
    def of_numbers(cls, numbers: Integers) -> tuple["Elements", Integers]:
        """The different ones of some whole numbers >= 0, and for each its position among them.

        Examples
        --------
        >>> Elements.of_numbers(np.array([7, 5, 7]))[1]
        array([0, 1, 0])
        """
        letters = np.ascontiguousarray(numbers, dtype="<i8").view("<u4").astype(np.uint32)
        return cls.of(letters, 2 * np.arange(len(numbers) + 1, dtype=np.int64))

    @classmethod
    def _of_parts(cls, parts: Sequence[bytes], kind: Any) -> tuple["Elements", Integers]:
        size = np.dtype(kind).itemsize
        starts = np.cumsum([0, *map(len, parts)], dtype=np.int64) // size
        return cls.of(np.frombuffer(b"".join(parts), dtype=kind).astype(np.uint32), starts)

    def __len__(self) -> int:
        return len(self.keys)

    def only(self, chosen: Flags | Integers) -> "Elements":
        """The chosen ones; integers have to ascend."""
        which = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        positions, starts = taken(self.starts, which)
        return Elements(self.letters[positions], starts, self.keys[which])

    def places_in(
        self, other: "Elements", chosen: NDArray[Any] | None = None
    ) -> tuple[Integers, Flags]:
        """For each element, or each chosen one, its position among others, and whether it is there;
        0 if not.

        Examples
        --------
        >>> drinks, _ = Elements.of_texts(["tea", "rum"])
        >>> [
        ...     flag for _, flag in zip(*Elements.of_texts(["rum", "ale"])[0].places_in(drinks))
        ... ].count(True)
        1
        """
        doubled = self._searched(other, chosen)
        known = doubled % 2 == 1
        return np.where(known, doubled // 2, 0), known

    def ranks_beside(self, other: "Elements", chosen: NDArray[Any]) -> Integers:
        """Ranks of the chosen ones in an order with others, whose ranks are 1, 3, 5, ...: equal if
        and only if elements are.
        """
        return self._searched(other, chosen)

    def are_numbers_below(self, limit: int) -> bool:
        """Whether these are whole numbers as `of_numbers` makes them, all below a limit."""
        if not np.array_equal(self.starts, 2 * np.arange(len(self) + 1)):
            return False
        numbers = self.letters.astype("<u4").view("<i8")
        return bool(np.all((numbers >= 0) & (numbers < limit)))

    def tuples(self) -> list[tuple[int, ...]]:
        """The letters of each."""
        flat, bounds = self.letters.tolist(), self.starts.tolist()
        return [tuple(flat[first:last]) for first, last in pairwise(bounds)]

    def plain(self) -> dict[str, Any]:
        """The letters and where each element begins, for a model file."""
        return {"letters": self.letters, "starts": self.starts}

    @classmethod
    def from_plain(cls, plain: Any) -> "Elements":
        """The elements of a file in their order there, with keys of their own; a `ValueError`
        unless all are different.
        """
        match plain:
            case {"letters": np.ndarray() as letters, "starts": np.ndarray() as starts}:
                check_starts(letters, starts, "u")
                if np.any(letters > np.iinfo(np.uint32).max):
                    raise ValueError("a letter has more than 32 bits")
                elements, places = cls.of(letters.astype(np.uint32), starts.astype(np.int64))
                if not np.array_equal(places, np.arange(len(starts) - 1)):
                    raise ValueError("elements repeat, or are not in the order of their keys")
                return elements
        raise ValueError("letters and starts of elements are needed")

    @property
    def _arrays(self) -> tuple[Keys, Letters, Integers]:
        return self.keys, self.letters, self.starts

    def _searched(self, other: "Elements", chosen: NDArray[Any] | None) -> Integers:
        wanted = np.arange(len(self)) if chosen is None else chosen.astype(np.int64, copy=False)
        doubled = np.empty(len(wanted), dtype=np.int64)
        find_elements(wanted, *self._arrays, *other._arrays, doubled)
        return doubled


def joined_elements(several: Iterable[Elements]) -> tuple[Elements, list[Integers]]:
    """The different elements of several, and for each of these the positions of its own.

    Examples
    --------
    >>> joint, (one, other) = joined_elements(
    ...     Elements.of_texts(texts)[0] for texts in (["tea"], ["tea", "rum"])
    ... )
    >>> len(joint), int(one[0]) in other
    (2, True)
    """
    parts = list(several)
    sizes = np.concatenate([np.zeros(1, dtype=np.int64), *[np.diff(part.starts) for part in parts]])
    letters = np.concatenate([np.empty(0, dtype=np.uint32), *[part.letters for part in parts]])
    joint, places = Elements.of(letters, np.cumsum(sizes))
    return joint, np.split(places, np.cumsum([len(part) for part in parts])[:-1])


def _sort_by_letters(
    letters: Letters, starts: Integers, keys: Keys, order: Integers, behind: Integers
) -> Flags:
    """Sort what has equal keys by its letters; tell which of those ``behind`` an equal key repeat
    the element before them.

    Only an adversary makes different elements of one key, so that it may take long where there are
    some.
    """
    repeat = _like_before(letters, starts, order, behind)
    if not repeat.all():
        members = np.union1d(behind, behind - 1)
        spelled = {
            each: (int(keys[each]), letters[starts[each] : starts[each + 1]].tolist())
            for each in order[members].tolist()
        }
        order[members] = sorted(spelled, key=spelled.__getitem__)
        repeat = _like_before(letters, starts, order, behind)
    return repeat


def _like_before(letters: Letters, starts: Integers, order: Integers, behind: Integers) -> Flags:
    """Whether elements at some positions of an order have the letters of the ones before them."""
    same = np.empty(len(behind), dtype=bool)
    compare_letters(letters, starts, order[behind], order[behind - 1], same)
    return same

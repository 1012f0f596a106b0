"""Compiled kernels on the letters of elements, and on keys of 64 bits by which they are found; see
`wideberth.metrics.elements`.

A key is a hash that anyone can compute and invert: elements that share it are compared letter by
letter.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Integers
from wideberth.compilation import compiled

Letters = NDArray[np.uint32]
Keys = NDArray[np.int64]

_ONE = np.uint64(1)


@compiled
def key_of(letters: Letters, begin: int, end: int, seed: np.uint64) -> np.int64:
    """The key of the letters from ``begin`` to ``end``; another one for another seed."""
    key = seed
    for first in range(begin, end, 3):
        key = mixed(key ^ _packed(letters, first, min(first + 3, end)))
    return np.int64(key)


@compiled
def _packed(letters: Letters, begin: int, end: int) -> np.uint64:
    """Up to three letters side by side in 63 bits; different for different letters below 2^21 -
    1.
    """
    word = np.uint64(0)
    for position in range(begin, end):
        word ^= (np.uint64(letters[position]) + _ONE) << np.uint64(21 * (position - begin))
    return word


@compiled(inline="always")
def mixed(word: np.uint64) -> np.uint64:
    """One to one, and each bit depends on all: the finalizer of SplitMix64 (Steele, Lea & Flood
    2014).
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compiled
def order_of_letters(
    letters: Letters, begin: int, end: int, others: Letters, other_begin: int, other_end: int
) -> int:
    """Below 0, 0 or above 0, as the letters of one element come before, equal or come behind those
    of another.
    """
    size, other_size = end - begin, other_end - other_begin
    for place in range(min(size, other_size)):
        letter, other = letters[begin + place], others[other_begin + place]
        if letter != other:
            return -1 if letter < other else 1
    return size - other_size


@compiled
def compute_keys(letters: Letters, starts: Integers, seed: np.uint64, out: Keys) -> None:
    """Fill ``out`` with the key of each element, whose letters are ``letters[starts[i]:starts[i +
    1]]``.
    """
    for element in range(out.size):
        out[element] = key_of(letters, starts[element], starts[element + 1], seed)


@compiled
def compare_letters(
    letters: Letters, starts: Integers, ones: Integers, others: Integers, out: Flags
) -> None:
    """Fill ``out`` with whether elements ``ones[i]`` and ``others[i]`` have the same letters."""
    for at in range(out.size):
        one, other = ones[at], others[at]
        out[at] = (
            order_of_letters(
                letters, starts[one], starts[one + 1], letters, starts[other], starts[other + 1]
            )
            == 0
        )


@compiled
def find_elements(
    wanted: Integers,
    keys: Keys,
    letters: Letters,
    starts: Integers,
    other_keys: Keys,
    other_letters: Letters,
    other_starts: Integers,
    out: Integers,
) -> None:
    """Look elements up among others, which ascend by their keys, and among equal keys by their
    letters.

    Fills ``out`` with twice the position of the first of the others that is not before the wanted
    element, plus 1 if it is that element.
    """
    for at in range(wanted.size):
        element = wanted[at]
        key = keys[element]
        low, high = 0, other_keys.size
        while low < high:
            middle = (low + high) // 2
            before = other_keys[middle] < key
            if other_keys[middle] == key:
                before = _is_before(other_letters, other_starts, middle, letters, starts, element)
            low, high = (middle + 1, high) if before else (low, middle)
        out[at] = 2 * low
        if low < other_keys.size and other_keys[low] == key:
            out[at] += not _is_before(letters, starts, element, other_letters, other_starts, low)


@compiled
def _is_before(
    letters: Letters,
    starts: Integers,
    one: int,
    others: Letters,
    other_starts: Integers,
    other: int,
) -> bool:
    """Whether the letters of an element come before those of one of the others."""
    begin, other_begin = starts[one], other_starts[other]
    return (
        order_of_letters(
            letters, begin, starts[one + 1], others, other_begin, other_starts[other + 1]
        )
        < 0
    )

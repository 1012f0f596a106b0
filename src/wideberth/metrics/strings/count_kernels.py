"""Compiled kernels that count the words and n-grams of texts.

A word or an n-gram is known by a key of 64 bits, a hash of its letters that is the same in every sample, process and model file.
Two of them that share a key are counted together. That happens with a probability below n^2 / 2^65 among n of them, and it can
only make a distance between counts smaller: what bounds a distance from above holds all the same.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Integers
from wideberth.compilation import compiled

Letters = NDArray[np.uint32]
Numbers = NDArray[np.uint32]
Keys = NDArray[np.int64]

#: The letter that stands before and behind a text or a word in its n-grams: no character has this number.
MARK = 0x110000

_SEED = np.uint64(0x9E3779B97F4A7C15)


@compiled
def word_keys(letters: Letters, begins: Integers, ends: Integers, out: Keys) -> None:
    """Compute the key of each word: of all letters from ``begins[i]`` to ``ends[i]``.

    Parameters
    ----------
    letters : ndarray of uint32
        The code points of all texts, one after the other.
    begins, ends : ndarray of int64, shape (n,)
        Where words begin and end.
    out : ndarray of int64, shape (n,)
        Gets the keys.

    Examples
    --------
    >>> letters = np.array([116, 101, 97, 32, 116, 101, 97], dtype=np.uint32)  # "tea tea"
    >>> word_keys(letters, np.array([0, 4]), np.array([3, 7]), out := np.empty(2, dtype=np.int64))
    >>> bool(out[0] == out[1])
    True
    """
    for word in range(begins.size):
        key = _SEED
        for position in range(begins[word], ends[word]):
            key = _extended(key, letters[position])
        out[word] = np.int64(key)


@compiled
def gram_keys(letters: Letters, begins: Integers, ends: Integers, wanted: Flags, marks: int, out: Keys) -> None:
    """Compute the keys of the n-grams of each span with marks around it, but for those that consist of marks alone.

    Parameters
    ----------
    letters : ndarray of uint32
        The code points of all texts, one after the other.
    begins, ends : ndarray of int64, shape (n,)
        Where spans, texts or words, begin and end.
    wanted : ndarray of bool, shape (largest order + 1,)
        Which orders n are counted.
    marks : int
        How many marks stand on each side of a span.
    out : ndarray of int64
        Gets the keys, span by span; as long as all of them need (`wideberth.metrics.strings.text_counts`).

    Examples
    --------
    >>> letters, out = np.array([97, 97], dtype=np.uint32), np.empty(3, dtype=np.int64)
    >>> gram_keys(letters, np.array([0]), np.array([2]), np.array([False, False, True]), 1, out)  # |a, aa, a|
    >>> len(set(out.tolist()))
    3
    """
    at = 0
    for span in range(begins.size):
        first, length = begins[span], ends[span] - begins[span]
        for start in range(-marks, length):
            key = _SEED
            for order in range(1, wanted.size):
                last = start + order - 1
                if last >= length + marks:
                    break
                key = _extended(key, letters[first + last] if 0 <= last < length else np.uint32(MARK))
                if wanted[order] and last >= 0:  # then a letter is in it, for it starts before the last one ends
                    out[at] = np.int64(key)
                    at += 1


@compiled
def affix_keys(letters: Letters, begins: Integers, ends: Integers, prefixes: Integers, suffixes: Integers, out: Keys) -> None:
    """Compute the keys of the first and of the last letters of each text, outermost first, marks where there are none.

    Parameters
    ----------
    letters : ndarray of uint32
        The code points of all texts, one after the other.
    begins, ends : ndarray of int64, shape (n,)
        Where texts begin and end.
    prefixes, suffixes : ndarray of int64
        How many letters to take from the beginning and from the end.
    out : ndarray of int64, shape (n * (len(prefixes) + len(suffixes)),)
        Gets the keys, text by text. A prefix and a suffix never share a key because of equal letters.

    Examples
    --------
    >>> letters, out = np.array([97, 97], dtype=np.uint32), np.empty(2, dtype=np.int64)
    >>> affix_keys(letters, np.array([0]), np.array([2]), np.array([2]), np.array([2]), out)  # aa, at both ends
    >>> bool(out[0] != out[1])
    True
    """
    at = 0
    for text in range(begins.size):
        first, last = begins[text], ends[text] - 1
        for size in prefixes:
            key = _extended(_SEED, np.uint32(MARK + 1))
            for place in range(size):
                key = _extended(key, letters[first + place] if first + place <= last else np.uint32(MARK))
            out[at] = np.int64(key)
            at += 1
        for size in suffixes:
            key = _extended(_SEED, np.uint32(MARK + 2))
            for place in range(size):
                key = _extended(key, letters[last - place] if last - place >= first else np.uint32(MARK))
            out[at] = np.int64(key)
            at += 1


@compiled
def _extended(key: np.uint64, letter: np.uint32) -> np.uint64:
    """The key of what has one more letter: one to one for each letter, with each bit mixed into all (SplitMix's finalizer)."""
    key = key ^ (np.uint64(letter) + np.uint64(1))
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@compiled
def count_keys(
    keys: Keys,
    ends: Integers,
    slots: Integers,
    known: Keys,
    n_known: int,
    numbers: Numbers,
    counts: Integers,
    new_ends: Integers,
) -> int:
    """Number the keys in the order in which they first occur, and count how often each occurs in each text.

    Keys are found in a table with open addressing: the slot of a key is that of its lowest bits, or the next one that is free.

    Parameters
    ----------
    keys : ndarray of int64
        The keys in all texts, one text after the other.
    ends : ndarray of int64, shape (n,)
        Where each text ends among the keys.
    slots : ndarray of int64
        The table: numbers of keys, -1 where it is free. Its size is a power of two, and it is never more than half full.
    known : ndarray of int64
        The keys by their numbers; new ones are added. It has room for all.
    n_known : int
        How many keys have numbers so far.
    numbers, counts : ndarray
        Get the different keys of each text, and how often they occur; as long as ``keys``.
    new_ends : ndarray of int64, shape (n,)
        Gets where each text ends among those.

    Returns
    -------
    int
        How many keys have numbers now.
    """
    newest = np.full(n_known + keys.size, -1, dtype=np.int64)  # the last place among the counts of each number
    filled, begin = 0, 0
    for text in range(ends.size):
        first = filled
        for position in range(begin, ends[text]):
            number = _number_of(keys[position], slots, known, n_known)
            if number == n_known:
                n_known += 1
            if newest[number] < first:
                newest[number] = filled
                numbers[filled], counts[filled] = number, 0
                filled += 1
            counts[newest[number]] += 1
        begin, new_ends[text] = ends[text], filled
    return n_known


@compiled
def _number_of(key: np.int64, slots: Integers, known: Keys, n_known: int) -> int:
    """The number of a key; if it is new, ``n_known``, which is then in the table."""
    slot = key & (slots.size - 1)
    while slots[slot] >= 0 and known[slots[slot]] != key:
        slot = (slot + 1) & (slots.size - 1)
    if slots[slot] < 0:
        slots[slot] = n_known
        known[n_known] = key
    return int(slots[slot])


@compiled
def enter_keys(known: Keys, n_known: int, slots: Integers) -> None:
    """Enter keys and their numbers into an empty table, larger than the one that they were in; see `count_keys`."""
    for number in range(n_known):
        slot = known[number] & (slots.size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = number

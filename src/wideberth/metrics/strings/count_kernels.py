"""Compiled kernels that cut texts into words, n-grams, prefixes and suffixes, and count them.

What is counted is a slice of letters, and slices are one if and only if their letters are equal.
The first six letters are packed into two words of 64 bits, which are compared; of a longer slice
the second word is a hash of the rest, and where it agrees, all letters are compared.
"""

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Integers
from wideberth.compilation import compiled
from wideberth.metrics.element_kernels import Letters, mixed, order_of_letters

Numbers = NDArray[np.uint32]
WordPairs = NDArray[np.uint64]
Slots = NDArray[np.int32]

#: The letter that stands before and behind a text or a word in its n-grams: no character has this
#: number.
MARK = 0x110000
#: The highest bit, which packed letters do not have: the second word of a slice has it if it is a
#: hash.
_HASHED = np.uint64(1 << 63)


@compiled
def slice_grams(
    letters: Letters,
    begins: Integers,
    ends: Integers,
    wanted: Flags,
    marks: int,
    seed: np.uint64,
    slices: Integers,
    words: WordPairs,
) -> int:
    """Find the n-grams of each span with marks around it, but for those that consist of marks
    alone.

    Spans, texts or words, are not empty and have ``marks`` marks on each side; ``wanted[n]`` tells
    whether n-grams are counted. ``slices`` gets where they begin and end, span by span, and is as
    long as all of them need; ``words`` gets their two words, as `pack_slices` computes them. It
    returns how many letters all of them have.

    Examples
    --------
    >>> letters, found = (
    ...     np.array([MARK, 97, 97, MARK], dtype=np.uint32),
    ...     np.empty((3, 2), dtype=np.int64),
    ... )
    >>> orders, words = np.array([False, False, True]), np.empty((3, 2), dtype=np.uint64)
    >>> # of |aa|
    >>> slice_grams(letters, np.array([1]), np.array([3]), orders, 1, np.uint64(5), found, words)
    6
    >>> found.tolist()
    [[0, 2], [1, 3], [2, 4]]
    """
    at, total = 0, 0
    for span in range(begins.size):
        for begin in range(begins[span] - marks, ends[span]):
            head, tail, rest = np.uint64(0), np.uint64(0), seed
            for order in range(1, wanted.size):
                end = begin + order
                if end > ends[span] + marks:
                    break
                letter = np.uint64(letters[end - 1]) + np.uint64(1)
                if order <= 3:
                    head |= letter << np.uint64(21 * (order - 1))
                else:
                    rest = mixed(rest ^ letter)
                    tail = (
                        tail | letter << np.uint64(21 * (order - 4))
                        if order <= 6
                        else rest | _HASHED
                    )
                # then a letter is in it, for it begins before the last one ends
                if wanted[order] and end > begins[span]:
                    slices[at, 0], slices[at, 1], words[at, 0], words[at, 1] = (
                        begin,
                        end,
                        head,
                        tail,
                    )
                    at += 1
                    total += order
    return total


@compiled
def pack_slices(
    letters: Letters,
    begins: Integers,
    ends: Integers,
    seed: np.uint64,
    slices: Integers,
    words: WordPairs,
) -> int:
    """Compute two words of each slice: six letters themselves, or three and a hash of the rest,
    which is `_HASHED` or more. Letters are below 2^21 - 1. It returns how many letters all slices
    have.

    Examples
    --------
    >>> letters, slices, words = (
    ...     np.array([0, 1], dtype=np.uint32),
    ...     np.empty((2, 2), int),
    ...     np.empty((2, 2), dtype=np.uint64),
    ... )
    >>> pack_slices(letters, np.array([0, 0]), np.array([1, 2]), np.uint64(5), slices, words)
    3
    >>> words.tolist() == [[1, 0], [1 + 2**22, 0]]
    True
    """
    total = 0
    for at in range(begins.size):
        head, tail, rest = np.uint64(0), np.uint64(0), seed
        begin, end = begins[at], ends[at]
        for position in range(begin, min(begin + 3, end)):
            head |= (np.uint64(letters[position]) + np.uint64(1)) << np.uint64(
                21 * (position - begin)
            )
        for position in range(begin + 3, min(begin + 6, end)):
            tail |= (np.uint64(letters[position]) + np.uint64(1)) << np.uint64(
                21 * (position - begin - 3)
            )
        if end - begin > 6:
            rest = mixed(rest ^ tail)
            for position in range(begin + 6, end):
                rest = mixed(rest ^ np.uint64(letters[position]))
            tail = rest | _HASHED
        slices[at, 0], slices[at, 1], words[at, 0], words[at, 1] = begin, end, head, tail
        total += end - begin
    return int(total)


@compiled
def write_affixes(
    letters: Letters,
    begins: Integers,
    ends: Integers,
    prefixes: Integers,
    suffixes: Integers,
    out: Letters,
    slice_ends: Integers,
) -> None:
    """Write the first and the last letters of each text, outermost first, marks where there are
    none.

    A letter before each tells a prefix from a suffix; ``slice_ends`` gets where each ends, and the
    next one begins there.

    Examples
    --------
    >>> letters, out, ends = (
    ...     np.array([97, 98], dtype=np.uint32),
    ...     np.empty(6, dtype=np.uint32),
    ...     np.empty(2, dtype=np.int64),
    ... )
    >>> write_affixes(
    ...     letters, np.array([0]), np.array([2]), np.array([2]), np.array([2]), out, ends
    ... )
    >>> (out - MARK * (out > MARK)).tolist(), ends.tolist()
    ([1, 97, 98, 2, 98, 97], [3, 6])
    """
    at, affix = 0, 0
    for text in range(begins.size):
        first, last = begins[text], ends[text] - 1
        for size in prefixes:
            out[at] = MARK + 1
            for place in range(size):
                out[at + 1 + place] = letters[first + place] if first + place <= last else MARK
            at += 1 + size
            slice_ends[affix] = at
            affix += 1
        for size in suffixes:
            out[at] = MARK + 2
            for place in range(size):
                out[at + 1 + place] = letters[last - place] if last - place >= first else MARK
            at += 1 + size
            slice_ends[affix] = at
            affix += 1


@compiled
def count_slices(
    letters: Letters,
    slices: Integers,
    words: WordPairs,
    text_ends: Integers,
    seed: np.uint64,
    slots: Slots,
    keys: WordPairs,
    known: Letters,
    starts: Integers,
    n_known: int,
    numbers: Numbers,
    counts: Integers,
    new_ends: Integers,
) -> int:
    """Number slices of letters in the order in which they first occur, and count how often each
    occurs in each text.

    ``text_ends`` tells where each text ends among the slices. The table ``slots`` has the numbers
    of slices, -1 where it is free; its size is a power of two, and it is never more than half full.
    Whoever does not know the seed cannot make counting slow by slices that share a slot. ``keys``,
    ``known`` and ``starts`` have the two words of each of ``n_known`` numbers, their letters and
    where these begin; they have room for all new ones, which are added. ``numbers`` and ``counts``
    get the different slices of each text and how often they occur, ``new_ends`` where each text
    ends among those. It returns how many have numbers now.

    They are found in a table with open addressing: the slot of a slice is that of its two words, or
    the next one that is free.
    """
    # the last place among the counts of each number
    newest = np.full(n_known + len(slices), -1, dtype=np.int32)
    filled, position = 0, 0
    for text in range(text_ends.size):
        first = filled
        while position < text_ends[text]:
            head, tail = words[position, 0], words[position, 1]
            slot = _slot_of(head, tail, seed, slots.size)
            number = np.int64(slots[slot])
            while number >= 0 and not (
                keys[number, 0] == head
                and keys[number, 1] == tail
                and (
                    tail < _HASHED
                    or _same_letters(letters, slices[position], known, starts, number)
                )
            ):
                slot = (slot + 1) & (slots.size - 1)
                number = np.int64(slots[slot])
            if number < 0:
                number = np.int64(n_known)
                n_known += 1
                slots[slot], keys[number, 0], keys[number, 1] = number, head, tail
                begin, end = slices[position, 0], slices[position, 1]
                starts[number + 1] = starts[number] + end - begin
                for place in range(end - begin):
                    known[starts[number] + place] = letters[begin + place]
            if newest[number] < first:
                newest[number] = filled
                numbers[filled], counts[filled] = number, 0
                filled += 1
            counts[newest[number]] += 1
            position += 1
        new_ends[text] = filled
    return n_known


@compiled
def enter_keys(keys: WordPairs, n_known: int, seed: np.uint64, slots: Slots) -> None:
    """Enter keys and their numbers into an empty table, larger than the one that they were in; see
    `count_slices`.
    """
    for number in range(n_known):
        slot = _slot_of(keys[number, 0], keys[number, 1], seed, slots.size)
        while slots[slot] >= 0:
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = number


@compiled
def _same_letters(
    letters: Letters, place: Integers, known: Letters, starts: Integers, number: np.int64
) -> bool:
    """Whether a slice consists of the letters that have a number."""
    return (
        order_of_letters(letters, place[0], place[1], known, starts[number], starts[number + 1])
        == 0
    )


@compiled(inline="always")
def _slot_of(head: np.uint64, tail: np.uint64, seed: np.uint64, size: int) -> int:
    """The slot of a slice in a table, whose size is a power of two."""
    return int(np.int64(mixed(head ^ seed ^ (tail * (seed | np.uint64(1))))) & (size - 1))

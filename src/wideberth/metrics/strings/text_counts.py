"""Prepared samples of texts by what is counted in them, their words or n-grams: how a text is read, cut and counted.

Letters are lower-cased one by one, so that one edit of a text stays one edit. The lower case of a whole text would not do: a
final sigma depends on its neighbour, and the lower case of a dotted capital I is two characters; letters like that stay as they
are. Characters are not normalised either (NFKC writes U+FDFA as four words).
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Integers
from wideberth.errors import InvalidInput
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings.count_kernels import Keys, Letters, affix_keys, count_keys, enter_keys, gram_keys, word_keys
from wideberth.metrics.strings.sample import read_sequences
from wideberth.objects.sample import shown

#: How many letters are cut and counted at a time, at least one text: what is needed beside the result stays small.
_AT_A_TIME = 1 << 18
#: No letter from here on has a lower case, and none is a space.
_NO_CASE_FROM = 0x20000
#: Counts up to this are exact in single precision.
_EXACT = 1 << 24


class Texts(NamedTuple):
    """Texts that are to be counted, one after the other, with a space between them.

    Attributes
    ----------
    letters : ndarray of uint32
        Code points in lower case.
    begins, ends : ndarray of int64, shape (n,)
        Where each text begins and ends.
    spaces : ndarray of bool
        Which letters are white space.
    """

    letters: Letters
    begins: Integers
    ends: Integers
    spaces: Flags


#: From texts to the keys of what is counted in them, one text after the other, and where each text ends among them.
Cut = Callable[[Texts], tuple[Keys, Integers]]


def words_of(texts: Texts) -> tuple[Keys, Integers]:
    """Cut texts into words: the keys of all words, and where each text ends among them.

    Examples
    --------
    >>> keys, ends = words_of(read_texts(["Tea, tea", ""]))  # "tea," and "tea"
    >>> len(set(keys.tolist())), ends
    (2, array([2, 2]))
    """
    begins, ends = runs(~texts.spaces)
    keys = np.empty(len(begins), dtype=np.int64)
    word_keys(texts.letters, begins, ends, keys)
    return keys, np.searchsorted(begins, texts.ends)


def grams_in_words(texts: Texts, orders: Any) -> tuple[Keys, Integers]:
    """Cut texts into the n-grams of their words, a mark on each side of a word.

    Examples
    --------
    >>> grams_in_words(read_texts(["tea", "a a"]), [2])[1]  # |t te ea a|, |a a| |a a|
    array([4, 8])
    """
    begins, ends = runs(~texts.spaces)
    keys, spans_end = _grams(texts.letters, begins, ends, orders, marks=1)
    return keys, spans_end[np.searchsorted(begins, texts.ends)]


def grams_in_texts(texts: Texts, orders: Any) -> tuple[Keys, Integers]:
    """Cut texts into the n-grams of their letters, white space among them, so many marks on each side that all letters count.

    Examples
    --------
    >>> grams_in_texts(read_texts(["tea", "a a"]), [2])[1]  # |t te ea a|, |a a_ _a a|
    array([4, 8])
    """
    keys, spans_end = _grams(texts.letters, texts.begins, texts.ends, orders, marks=max(orders) - 1)
    return keys, spans_end[1:]


def affixes_of(texts: Texts, prefixes: Any, suffixes: Any) -> tuple[Keys, Integers]:
    """Cut off the beginnings and the ends of texts that have so many letters; marks stand for letters that a text lacks.

    Examples
    --------
    >>> keys, ends = affixes_of(read_texts(["tea", "ten"]), prefixes=[1, 2], suffixes=[1])  # t, te, a and t, te, n
    >>> len(set(keys.tolist())), ends
    (4, array([3, 6]))
    """
    each = len(prefixes) + len(suffixes)
    keys = np.empty(each * len(texts.begins), dtype=np.int64)
    first, last = np.array(prefixes, dtype=np.int64), np.array(suffixes, dtype=np.int64)
    affix_keys(texts.letters, texts.begins, texts.ends, first, last, keys)
    return keys, each * np.arange(1, len(texts.begins) + 1)


def counted(objects: Any, cut: Cut) -> Multisets:
    """Count what texts consist of.

    Parameters
    ----------
    objects : sequence of str
        Texts; byte strings count as their Latin-1 characters. `Multisets` are returned, perhaps in less memory: they are counts
        of the same things, from here or from a model file.
    cut : callable
        Cuts texts: one of the functions above.

    Returns
    -------
    Multisets
        The counts in single precision, where they are exact.

    Raises
    ------
    InvalidInput
        If an object is not a text.

    Examples
    --------
    >>> counted(["Tea or tea", "rum"], words_of).totals
    array([3., 1.])
    """
    if isinstance(objects, Multisets):
        return _compact(objects)
    table = _Numbers()
    parts = [table.count(*cut(read_texts(some))) for some in _portions(checked_texts(objects))]
    if not parts:
        nothing = np.empty(0, dtype=np.int64)
        return Multisets.collect(nothing, nothing, nothing.astype(np.float64), 0)
    numbers, counts, sizes, totals = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    keys, places = table.sorted_keys()
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return Multisets(keys, places[numbers], _in_few_bytes(counts), starts, totals, None)


def read_texts(texts: list[str]) -> Texts:
    """Write texts as code points in lower case, letter by letter.

    Examples
    --------
    >>> read = read_texts(["Tea", "İ"])
    >>> [chr(letter) for letter in read.letters], read.ends
    (['t', 'e', 'a', ' ', 'İ'], array([3, 5]))
    """
    letters = np.frombuffer(" ".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    lower, space = _letter_tables()
    letters = lower[letters]
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64) - 1
    begins = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1] + 1])
    return Texts(letters, begins, ends, space[letters])


def checked_texts(objects: Any) -> list[str]:
    """Return the texts in a list, byte strings as their Latin-1 characters; raise an error for the first object that is none.

    Examples
    --------
    >>> checked_texts(np.array(["tea", b"rum"], dtype=object))
    ['tea', 'rum']
    """
    texts = read_sequences(objects)
    if set(map(type, texts)) <= {str}:
        return texts
    for position, text in enumerate(texts):
        if isinstance(text, bytes):
            texts[position] = text.decode("latin-1")
        elif not isinstance(text, str):
            raise InvalidInput(
                f"Object {position} is not a text: {shown(text)}.",
                advice="Join tokens to a text (' '.join(tokens)), or count them by yourself and take 'ruzicka'.",
                witness=position,
                value=text,
            )
    return texts


def runs(flags: Flags) -> tuple[Integers, Integers]:
    """Where the runs of True begin and end.

    Examples
    --------
    >>> runs(np.array([True, True, False, True]))
    (array([0, 3]), array([2, 4]))
    """
    changes = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return changes[::2], changes[1::2]


class _Numbers:
    """The numbers that keys have got so far, in the order in which they first occurred."""

    def __init__(self) -> None:
        self.known: Keys = np.empty(0, dtype=np.int64)
        self.n_known = 0
        self.slots = np.full(1, -1, dtype=np.int64)

    def count(self, keys: Keys, ends: Integers) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Integers, Floats]:
        """Count the keys of some texts.

        Returns
        -------
        numbers, counts : ndarray of uint32
            The different keys of each text, by their numbers, and how often they occur in it.
        sizes : ndarray of int64, shape (n,)
            How many different keys each text has.
        totals : ndarray of float64, shape (n,)
            How many keys each text has.
        """
        self._make_room(self.n_known + len(keys))
        numbers, counts = np.empty(len(keys), dtype=np.uint32), np.empty(len(keys), dtype=np.int64)
        new_ends = np.empty(len(ends), dtype=np.int64)
        self.n_known = count_keys(keys, ends, self.slots, self.known, self.n_known, numbers, counts, new_ends)
        filled = int(new_ends[-1])
        sizes, totals = np.diff(new_ends, prepend=0), np.diff(ends, prepend=0).astype(np.float64)
        return numbers[:filled].copy(), counts[:filled].astype(np.uint32), sizes, totals

    def sorted_keys(self) -> tuple[Keys, NDArray[np.uint32]]:
        """The keys in ascending order, and for each number that it had the place of its key among them."""
        order = np.argsort(self.known[: self.n_known])
        places = np.empty(self.n_known, dtype=np.uint32)
        places[order] = np.arange(self.n_known, dtype=np.uint32)
        return self.known[order], places

    def _make_room(self, n_keys: int) -> None:
        """Make room for so many keys, in a table that they fill at most half."""
        if 2 * n_keys > len(self.slots):
            self.slots = np.full(1 << (2 * n_keys - 1).bit_length(), -1, dtype=np.int64)
            enter_keys(self.known, self.n_known, self.slots)
        if n_keys > len(self.known):
            self.known = np.concatenate([self.known[: self.n_known], np.empty(2 * n_keys - self.n_known, dtype=np.int64)])


def _portions(texts: list[str]) -> Iterator[list[str]]:
    """Divide texts into portions of a bounded number of letters, or of one text."""
    lengths = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    first = 0
    while first < len(texts):
        before = int(lengths[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(lengths, before + _AT_A_TIME, side="right")))
        yield texts[first:last]
        first = last


@cache
def _letter_tables() -> tuple[Letters, Flags]:
    """For each code point its lower case, and whether it is white space.

    A letter whose lower case is not one letter is its own.
    """
    lower, space = np.arange(0x110000, dtype=np.uint32), np.zeros(0x110000, dtype=bool)
    for code in range(_NO_CASE_FROM):
        letter = chr(code)
        space[code] = letter.isspace()
        if len(small := letter.lower()) == 1:
            lower[code] = ord(small)
    return lower, space


def _grams(letters: Letters, begins: Integers, ends: Integers, orders: Any, marks: int) -> tuple[Keys, Integers]:
    """The keys of all n-grams of spans, and how many the first 0, 1, 2, ... spans have.

    Of the windows of n in a span of m letters with k marks on each side, those inside the marks are not counted.
    """
    lengths = ends - begins
    sizes = np.zeros(len(begins), dtype=np.int64)
    for order in orders:
        sizes += np.maximum(lengths + 2 * marks - order + 1, 0) - 2 * max(marks - order + 1, 0)
    sizes[lengths == 0] = 0
    wanted = np.zeros(max(orders) + 1, dtype=bool)
    wanted[list(orders)] = True
    keys = np.empty(int(sizes.sum()), dtype=np.int64)
    full = lengths > 0
    gram_keys(letters, begins[full], ends[full], wanted, marks, keys)
    return keys, np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])


def _in_few_bytes(counts: NDArray[Any]) -> Any:
    """Counts in single precision if they are exact there, as those of any text of less than 16 million letters are."""
    return counts.astype(np.float32 if counts.max(initial=0) <= _EXACT else np.float64)


def _compact(counts: Multisets) -> Multisets:
    """Counts that may come from a file, in few bytes."""
    if counts.weights.dtype == np.float32 or counts.weights.max(initial=0) > _EXACT:
        return counts
    return Multisets(counts.keys, counts.numbers, _in_few_bytes(counts.weights), counts.starts, counts.totals, counts.columns)

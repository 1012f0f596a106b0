"""Prepared samples of texts by what is counted in them, their words or n-grams: how a text is read,
cut and counted.

Letters are lower-cased one by one, so that one edit of a text stays one edit. The lower case of a
whole text would not do: a final sigma depends on its neighbour, and the lower case of a dotted
capital I is two characters; letters like that stay as they are. Characters are not normalised
either (NFKC writes U+FDFA as four words).
"""

import secrets
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Integers, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.element_kernels import Letters
from wideberth.metrics.elements import Elements
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings import count_kernels as kernels
from wideberth.metrics.strings.count_kernels import MARK, WordPairs
from wideberth.metrics.strings.sample import read_sequences
from wideberth.objects.sample import shown
from wideberth.wording import at

#: How many letters are cut and counted at a time, at least one text: what is needed beside the
#: result stays small.
_AT_A_TIME = 1 << 18
#: No letter from here on has a lower case, and none is a space.
_NO_CASE_FROM = 0x20000
#: The seed while counting, another one in each process: nobody can write many words that share a
#: hash or a slot.
_SECRET = np.uint64(secrets.randbits(64))
#: Counts up to this are exact in single precision.
_EXACT = 1 << 24


class Texts(NamedTuple):
    """Texts that are to be counted, one after the other, with a space between them. Letters are
    code points in lower case; ``spaces`` tells which of them are white space.
    """

    letters: Letters
    begins: Integers
    ends: Integers
    spaces: Flags


class Slices(NamedTuple):
    """What texts were cut into: slices of letters. ``places`` has where each begins and ends, one
    text after the other, ``words`` two words by which it is found
    (`wideberth.metrics.strings.count_kernels`), and ``text_ends`` where each text ends among the
    slices.
    """

    letters: Letters
    places: Integers
    words: WordPairs
    text_ends: Integers
    n_letters: int


#: Cuts texts into what is counted.
Cut = Callable[[Texts], Slices]


#: How texts are cut into words: by white space, or into words and punctuation marks.
Tokens = Literal["spaces", "punctuation"]
#: What a word is, for people.
WORDS_ARE: dict[Tokens, str] = {
    "spaces": "what stands between white space, in lower case, with its punctuation",
    "punctuation": "a run of letters, digits and apostrophes in lower case, or any other character "
    "on its own",
}
#: Characters of words beside letters, digits and marks on them.
_IN_WORDS = "_'\N{RIGHT SINGLE QUOTATION MARK}"


def words_of(texts: Texts, tokens: Tokens = "spaces") -> Slices:
    """Cut texts into words.

    Examples
    --------
    >>> words_of(read_texts(["Tea, tea", ""])).text_ends  # "tea," and "tea"
    array([2, 2])
    >>> words_of(read_texts(["Tea, tea", ""]), "punctuation").text_ends  # "tea", "," and "tea"
    array([3, 3])
    """
    begins, ends = word_spans(texts, tokens)
    return _packed(texts.letters, begins, ends, np.searchsorted(begins, texts.ends))


def word_spans(texts: Texts, tokens: Tokens) -> tuple[Integers, Integers]:
    """Where the words of texts begin and end.

    Examples
    --------
    >>> word_spans(read_texts(["It's tea!"]), "punctuation")
    (array([0, 5, 8]), array([4, 8, 9]))
    """
    if tokens == "spaces":
        return runs(~texts.spaces)
    in_words = _letters_of_words()[texts.letters]
    begins, ends = runs(in_words)
    alone = np.flatnonzero(~in_words & ~texts.spaces)
    order = np.argsort(np.concatenate([begins, alone]), kind="stable")
    return np.concatenate([begins, alone])[order], np.concatenate([ends, alone + 1])[order]


def spelled_words(texts: Texts, tokens: Tokens) -> list[list[str]]:
    """The words of each text, in their order.

    Examples
    --------
    >>> spelled_words(read_texts(["Tea or RUM", ""]), "spaces")
    [['tea', 'or', 'rum'], []]
    """
    begins, ends = word_spans(texts, tokens)
    letters = texts.letters.tobytes().decode("utf-32-le", "surrogatepass")
    words = [letters[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    bounds = [0, *np.searchsorted(begins, texts.ends).tolist()]
    return [words[first:last] for first, last in pairwise(bounds)]


def grams_in_words(texts: Texts, orders: Any) -> Slices:
    """Cut texts into the n-grams of their words, a mark on each side of a word.

    Examples
    --------
    >>> grams_in_words(read_texts(["tea", "a a"]), [2]).text_ends  # |t te ea a|, |a a| |a a|
    array([4, 8])
    """
    begins, ends = runs(~texts.spaces)
    marked = np.full(len(texts.letters) + 2, MARK, dtype=np.uint32)
    marked[1:-1] = np.where(texts.spaces, np.uint32(MARK), texts.letters)
    return _grams(
        marked, begins + 1, ends + 1, np.searchsorted(begins, texts.ends), orders, marks=1
    )


def grams_in_texts(texts: Texts, orders: Any) -> Slices:
    """Cut texts into the n-grams of their letters, white space among them, so many marks on each
    side that all letters count.

    Examples
    --------
    >>> grams_in_texts(read_texts(["tea", "a a"]), [2]).text_ends  # |t te ea a|, |a a_ _a a|
    array([4, 8])
    """
    marks = max(orders) - 1
    lengths = texts.ends - texts.begins
    ends = np.cumsum(lengths + marks)
    begins = ends - lengths
    marked = np.full(int(ends[-1]) + marks, MARK, dtype=np.uint32)
    shifts = np.repeat(begins - texts.begins, lengths)
    places = np.arange(len(shifts)) + np.repeat(
        texts.begins - np.cumsum(lengths) + lengths, lengths
    )
    marked[places + shifts] = texts.letters[places]
    full = lengths > 0
    return _grams(marked, begins[full], ends[full], np.cumsum(full), orders, marks)


def affixes_of(texts: Texts, prefixes: Any, suffixes: Any) -> Slices:
    """Cut off the beginnings and the ends of texts that have so many letters; marks stand for
    letters that a text lacks.

    Examples
    --------
    >>> # t, te, a and t, te, n
    >>> affixes_of(read_texts(["tea", "ten"]), prefixes=[1, 2], suffixes=[1]).text_ends
    array([3, 6])
    """
    n, each = len(texts.begins), len(prefixes) + len(suffixes)
    letters = np.empty(n * (sum(prefixes) + sum(suffixes) + each), dtype=np.uint32)
    ends = np.empty(n * each, dtype=np.int64)
    first, last = np.array(prefixes, dtype=np.int64), np.array(suffixes, dtype=np.int64)
    kernels.write_affixes(texts.letters, texts.begins, texts.ends, first, last, letters, ends)
    begins = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]])
    return _packed(letters, begins, ends, each * np.arange(1, n + 1))


def counted(objects: Objects, cut: Cut) -> Multisets:
    """Count what texts consist of. Byte strings count as their Latin-1 characters. `Multisets` are
    returned, perhaps in less memory: they are counts of the same things, from here or from a model
    file. Counts are in single precision, where they are exact.

    Examples
    --------
    >>> counted(["Tea or tea", "rum"], words_of).totals
    array([3., 1.])
    """
    if isinstance(objects, Multisets):
        return _compact(objects)
    table = _Numbers()
    parts = [table.count(cut(read_texts(some))) for some in _portions(checked_texts(objects))]
    elements, places = table.elements()
    if not parts:
        return Multisets.none(elements)
    numbers, counts, sizes, totals = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return Multisets(elements, places[numbers], _in_few_bytes(counts), starts, totals, None)


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


def checked_texts(objects: Objects) -> list[str]:
    """Return the texts in a list, byte strings as their Latin-1 characters; raise an error for the
    first object that is none.

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
                f"{at('Object', position)} is not a text: {shown(text)}.",
                advice="Join tokens to a text (' '.join(tokens)), or count them by yourself and "
                "take 'ruzicka'.",
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
    """The numbers that slices of letters have got so far, in the order in which they first
    occurred.
    """

    def __init__(self) -> None:
        self.n_known = 0
        self._keys: WordPairs = np.empty((0, 2), dtype=np.uint64)
        self._letters: Letters = np.empty(0, dtype=np.uint32)
        self._starts = np.zeros(1, dtype=np.int64)
        self._slots = np.full(1, -1, dtype=np.int32)

    def count(
        self, slices: Slices
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], Integers, Floats]:
        """Count the slices of some texts. Returned are the numbers of the different slices of each
        text, how often they occur in it, how many different slices each text has, and how many
        slices.
        """
        n, n_texts = len(slices.places), len(slices.text_ends)
        self._make_room(n, slices.n_letters)
        numbers, counts = np.empty(n, dtype=np.uint32), np.empty(n, dtype=np.int64)
        new_ends = np.empty(n_texts, dtype=np.int64)
        known: tuple[Any, ...] = self._slots, self._keys, self._letters, self._starts, self.n_known
        self.n_known = kernels.count_slices(*slices[:4], _SECRET, *known, numbers, counts, new_ends)  # type: ignore[call-arg]
        filled = int(new_ends[-1])
        sizes = np.diff(new_ends, prepend=0)
        totals = np.diff(slices.text_ends, prepend=0).astype(np.float64)
        return numbers[:filled].copy(), counts[:filled].astype(np.uint32), sizes, totals

    def elements(self) -> tuple[Elements, NDArray[np.uint32]]:
        """What has a number, as elements, and for each number its place among them."""
        starts = self._starts[: self.n_known + 1]
        elements, places = Elements.of(self._letters[: starts[-1]], starts)
        return elements, places.astype(np.uint32)

    def _make_room(self, n_more: int, n_letters: int) -> None:
        """Make room for so many more slices, in a table that they fill at most half, and for their
        letters.
        """
        size, n_known = self.n_known + n_more, self.n_known
        if 2 * size > len(self._slots):
            self._slots = np.full(1 << (2 * size - 1).bit_length(), -1, dtype=np.int32)
            kernels.enter_keys(self._keys, n_known, _SECRET, self._slots)
        self._keys = _enlarged(self._keys, n_known, size)
        self._letters = _enlarged(
            self._letters, int(self._starts[n_known]), int(self._starts[n_known]) + n_letters
        )
        self._starts = _enlarged(self._starts, n_known + 1, size + 1)


def _enlarged(array: NDArray[Any], used: int, size: int) -> Any:
    """The same array, or one with room for twice as much of which the first part is the same."""
    if size <= len(array):
        return array
    larger = np.empty((2 * size, *array.shape[1:]), dtype=array.dtype)
    larger[:used] = array[:used]
    return larger


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


@cache
def _letters_of_words() -> Flags:
    """For each code point whether it is a letter, a digit, a mark on one, or joins them."""
    return np.array(
        [
            (letter := chr(code)).isalnum() or letter in _IN_WORDS or category(letter)[0] == "M"
            for code in range(0x110000)
        ]
    )


def _grams(
    letters: Letters,
    begins: Integers,
    ends: Integers,
    last_spans: Integers,
    orders: Any,
    marks: int,
) -> Slices:
    """The n-grams of spans that are not empty; ``last_spans`` says how many spans there are up to
    the end of each text.

    Of the windows of n in a span of m letters with k marks on each side, those inside the marks are
    not counted.
    """
    lengths = ends - begins
    sizes = np.zeros(len(begins), dtype=np.int64)
    for order in orders:
        sizes += np.maximum(lengths + 2 * marks - order + 1, 0) - 2 * max(marks - order + 1, 0)
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    wanted = np.zeros(max(orders) + 1, dtype=bool)
    wanted[list(orders)] = True
    places = np.empty((before[-1], 2), dtype=np.int64)
    words = np.empty((before[-1], 2), dtype=np.uint64)
    n_letters = kernels.slice_grams(letters, begins, ends, wanted, marks, _SECRET, places, words)
    return Slices(letters, places, words, before[last_spans], n_letters)


def _packed(letters: Letters, begins: Integers, ends: Integers, text_ends: Integers) -> Slices:
    """Slices of letters that begin and end somewhere."""
    places = np.empty((len(begins), 2), dtype=np.int64)
    words = np.empty((len(begins), 2), dtype=np.uint64)
    n_letters = kernels.pack_slices(letters, begins, ends, _SECRET, places, words)
    return Slices(letters, places, words, text_ends, n_letters)


def _in_few_bytes(counts: NDArray[Any]) -> Any:
    """Counts in single precision if they are exact there, as those of any text of less than 16
    million letters are.
    """
    return counts.astype(np.float32 if counts.max(initial=0) <= _EXACT else np.float64)


def _compact(counts: Multisets) -> Multisets:
    """Counts that may come from a file, in few bytes."""
    if counts.weights.dtype == np.float32 or counts.weights.max(initial=0) > _EXACT:
        return counts
    return Multisets(
        counts.elements,
        counts.numbers,
        _in_few_bytes(counts.weights),
        counts.starts,
        counts.totals,
        counts.columns,
    )

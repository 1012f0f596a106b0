"""The words and n-grams that are features: by their letters, and by the keys under which they are counted."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Integers
from wideberth.metrics.metric import Metric
from wideberth.metrics.sets.multisets import Multisets
from wideberth.metrics.strings.count_kernels import MARK, Keys, Letters, gram_keys, word_keys
from wideberth.metrics.strings.text_counts import Texts, read_texts, runs
from wideberth.metrics.strings.words_and_grams import NGrams

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

    @property
    def keys(self) -> Keys:
        """The key under which each is counted."""
        keys, order = self._sorted_keys
        unsorted = np.empty_like(keys)
        unsorted[order] = keys
        return unsorted

    @cached_property
    def _sorted_keys(self) -> tuple[Keys, Integers]:
        keys = np.empty(len(self), dtype=np.int64)
        word_keys(self.letters, self.starts[:-1], self.starts[1:], keys)  # the key of an n-gram is that of its letters
        order = np.argsort(keys)
        return keys[order], order

    def columns(self, counts: Multisets) -> tuple[Integers, Flags]:
        """For each entry of the counts its place in the vocabulary, and whether it has one."""
        keys, order = self._sorted_keys
        wanted = counts.keys
        if not len(keys):
            return np.zeros(len(counts.numbers), dtype=np.int64), np.zeros(len(counts.numbers), dtype=bool)
        places = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        known = keys[places] == wanted
        return order[places][counts.numbers], known[counts.numbers]


def collect_vocabulary(metric: Metric, counts: Multisets, texts: Sequence[str], min_count: int) -> Vocabulary:
    """The vocabulary of what a metric counts in at least ``min_count`` of some different texts.

    Parameters
    ----------
    metric : Words or NGrams
        What is counted.
    counts : Multisets
        The counts of the texts.
    texts : sequence of str
        The texts, all different.
    min_count : int
        In how many of them a word or n-gram has to occur.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> texts, words = ["a cup of tea", "tea with milk", "a tea"], metric("words")
    >>> collect_vocabulary(words, words.prepare(texts), texts, 2).names
    ['a', 'tea']
    """
    frequent = counts.keys[np.bincount(counts.numbers, minlength=len(counts.keys)) >= min_count]
    return Vocabulary.of(list(written_entries(metric, frequent, texts).values()))


def written_entries(metric: Metric, wanted: Keys, texts: Sequence[str]) -> dict[int, tuple[int, ...]]:
    """The code points of wanted words or n-grams, by the keys under which a metric counts them, as far as texts contain them.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> texts, words = ["tea", "rum"], metric("words")
    >>> ["".join(map(chr, entry)) for entry in written_entries(words, words.prepare(["rum"]).keys, texts).values()]
    ['rum']
    """
    read = read_texts(list(texts))
    found: dict[int, tuple[int, ...]] = {}
    if isinstance(metric, NGrams):
        in_words = metric.at == "words"
        spans = runs(~read.spaces) if in_words else _full(read)
        for order in metric.orders:
            _note_grams(found, wanted, read, *spans, order=order, marks=1 if in_words else max(metric.orders) - 1)
    else:
        _note_words(found, wanted, read.letters, *runs(~read.spaces))
    return found


def _note_words(found: dict[int, tuple[int, ...]], wanted: Keys, letters: Letters, begins: Integers, ends: Integers) -> None:
    """Add the wanted words."""
    keys = np.empty(len(begins), dtype=np.int64)
    word_keys(letters, begins, ends, keys)
    different, first = np.unique(keys, return_index=True)
    for place in first[np.isin(different, wanted)]:
        found[int(keys[place])] = tuple(letters[begins[place] : ends[place]].tolist())


def _note_grams(
    found: dict[int, tuple[int, ...]], wanted: Keys, read: Texts, begins: Integers, ends: Integers, *, order: int, marks: int
) -> None:
    """Add the wanted n-grams of one order, in spans with marks around them."""
    lengths = ends - begins
    skipped = max(marks - order + 1, 0)  # windows of marks alone
    sizes = np.maximum(lengths + 2 * marks - order + 1 - 2 * skipped, 0)
    keys = np.empty(int(sizes.sum()), dtype=np.int64)
    flags = np.zeros(order + 1, dtype=bool)
    flags[order] = True
    gram_keys(read.letters, begins, ends, flags, marks, keys)
    owners = np.repeat(np.arange(len(begins)), sizes)
    within = np.arange(len(keys)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    different, first = np.unique(keys, return_index=True)
    first = first[np.isin(different, wanted)]
    places = (within[first] + skipped - marks)[:, None] + np.arange(order)
    inside = (places >= 0) & (places < lengths[owners[first]][:, None])
    at = np.where(inside, begins[owners[first]][:, None] + places, 0)
    grams = np.where(inside, read.letters[at], MARK) if len(first) else np.empty((0, order), dtype=np.uint32)
    found.update(zip(keys[first].tolist(), map(tuple, grams.tolist()), strict=True))


def _full(read: Texts) -> tuple[Integers, Integers]:
    """The texts that are not empty."""
    full = read.ends > read.begins
    return read.begins[full], read.ends[full]

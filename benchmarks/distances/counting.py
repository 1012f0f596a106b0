"""What it costs to compare the letters of words and n-grams while they are counted, beside knowing
them by keys alone.
"""

from functools import partial

import numpy as np

from benchmarks.results import Facts
from benchmarks.timing import duel, table
from wideberth.compilation import compiled
from wideberth.metrics.strings.text_counts import (
    MARK,
    _portions,
    counted,
    grams_in_words,
    read_texts,
    runs,
    words_of,
)

WORDS = """\
20,000 texts of 40 words, of 60,000 different words with frequencies as in a language (Zipf), counted with their letters compared,
and by a hash of 64 bits of each word or n-gram, which is compared with nothing: as this library counted before, and as nobody
should who claims that two words differ. Milliseconds of one core, the best of seven runs, in turns."""
HEAD = ["counted", "different ones", "letters ms", "keys alone ms", "price"]
SIZES = (20_000, 40, 60_000)
CUTS = {
    "words": None,
    "n-grams of 1 to 3 letters": (1, 2, 3),
    "n-grams of 1 to 5 letters": (1, 2, 3, 4, 5),
}


def measure() -> Facts:
    return {
        "rows": [
            _row(name, texts_of_random_words(*SIZES), orders, rounds=7)
            for name, orders in CUTS.items()
        ]
    }


def quick() -> Facts:
    return {
        "rows": [
            _row(name, texts_of_random_words(2_000, 40, 20_000), orders, rounds=3)
            for name, orders in CUTS.items()
        ]
    }


def page(facts: Facts) -> str:
    rows = [
        [
            row["counted"],
            f"{row['different']:,}",
            f"{row['letters']:.1f}",
            f"{row['keys']:.1f}",
            f"{100 * (row['letters'] / row['keys'] - 1):.1f} %",
        ]
        for row in facts["rows"]
    ]
    return f"# Counting by letters\n\n{WORDS}\n\n{table(HEAD, rows)}\n"


def texts_of_random_words(n_texts: int, length: int, n_words: int) -> list[str]:
    """Texts of random words, the k-th most frequent of which has a share of 1 / k."""
    random = np.random.default_rng(0)
    words = [
        "".join(map(chr, random.integers(97, 123, random.integers(2, 11)))) for _ in range(n_words)
    ]
    shares = 1 / np.arange(1, n_words + 1)
    drawn = random.choice(n_words, (n_texts, length), p=shares / shares.sum())
    return [" ".join(words[number] for number in row) for row in drawn]


def _row(
    name: str, texts: list[str], orders: tuple[int, ...] | None, rounds: int
) -> dict[str, object]:
    cut = words_of if orders is None else partial(grams_in_words, orders=orders)
    different = len(counted(texts, cut).elements)
    assert len(counted_by_keys(texts, orders)) == different  # no two of them happen to share a key
    times = duel(lambda: counted(texts, cut), lambda: counted_by_keys(texts, orders), rounds=rounds)
    return {
        "counted": name,
        "different": different,
        "letters": 1e3 * times.ours,
        "keys": 1e3 * times.peer,
    }


def counted_by_keys(texts: list[str], orders: tuple[int, ...] | None) -> np.ndarray:
    """Count what is known by its key alone, as `counted` does with letters; return the keys."""
    known, n_known, slots, parts = (
        np.empty(0, dtype=np.int64),
        0,
        np.full(1, -1, dtype=np.int64),
        [],
    )
    for some in _portions(texts):
        read = read_texts(some)
        begins, ends = runs(~read.spaces)
        wanted = np.isin(np.arange((1 if orders is None else max(orders)) + 1), orders or ())
        sizes = (
            np.ones(len(begins), dtype=np.int64)
            if orders is None
            else _n_grams(ends - begins, orders)
        )
        keys = np.empty(sizes.sum(), dtype=np.int64)
        word_keys(read.letters, begins, ends, keys) if orders is None else gram_keys(
            read.letters, begins, ends, wanted, keys
        )
        last = np.concatenate([[0], np.cumsum(sizes)])[np.searchsorted(begins, read.ends)]
        if 2 * (n_known + len(keys)) > len(slots):
            slots = np.full(1 << (2 * (n_known + len(keys)) - 1).bit_length(), -1, dtype=np.int64)
            enter_keys(known, n_known, slots)
        if n_known + len(keys) > len(known):
            known = np.concatenate(
                [known[:n_known], np.empty(2 * (n_known + len(keys)), dtype=np.int64)]
            )
        numbers, counts = np.empty(len(keys), dtype=np.uint32), np.empty(len(keys), dtype=np.int64)
        n_known, filled = count_keys(keys, last, slots, known, n_known, numbers, counts)
        parts.append((numbers[:filled].copy(), counts[:filled].astype(np.uint32)))
    order = np.argsort(known[:n_known])
    places = np.empty(n_known, dtype=np.uint32)
    places[order] = np.arange(n_known, dtype=np.uint32)
    numbers, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    places[numbers], weights.astype(np.float32)  # what a sample of counts consists of
    return known[order]


def _n_grams(lengths: np.ndarray, orders: tuple[int, ...]) -> np.ndarray:
    """How many n-grams words have, with a mark on each side."""
    return np.sum(
        [np.maximum(lengths + 3 - order, 0) - 2 * max(2 - order, 0) for order in orders], axis=0
    )


@compiled
def word_keys(letters, begins, ends, out):  # type: ignore[no-untyped-def]
    """The key of each word."""
    for word in range(begins.size):
        key = np.uint64(0x9E3779B97F4A7C15)
        for position in range(begins[word], ends[word]):
            key = extended(key, letters[position])
        out[word] = np.int64(key)


@compiled
def gram_keys(letters, begins, ends, wanted, out):  # type: ignore[no-untyped-def]
    """The keys of the n-grams of each word, with a mark on each side."""
    at = 0
    for span in range(begins.size):
        first, length = begins[span], ends[span] - begins[span]
        for start in range(-1, length):
            key = np.uint64(0x9E3779B97F4A7C15)
            for order in range(1, wanted.size):
                last = start + order - 1
                if last > length:
                    break
                key = extended(
                    key, letters[first + last] if 0 <= last < length else np.uint32(MARK)
                )
                if wanted[order] and last >= 0:
                    out[at] = np.int64(key)
                    at += 1


@compiled
def extended(key, letter):  # type: ignore[no-untyped-def]
    """The key of what has one more letter."""
    key = key ^ (np.uint64(letter) + np.uint64(1))
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@compiled
def count_keys(keys, ends, slots, known, n_known, numbers, counts):  # type: ignore[no-untyped-def]
    """Number keys, and count how often each occurs in each text."""
    newest = np.full(n_known + keys.size, -1, dtype=np.int64)
    filled, begin = 0, 0
    for text in range(ends.size):
        first = filled
        for position in range(begin, ends[text]):
            number = number_of(keys[position], slots, known, n_known)
            if number == n_known:
                n_known += 1
            if newest[number] < first:
                newest[number] = filled
                numbers[filled], counts[filled] = number, 0
                filled += 1
            counts[newest[number]] += 1
        begin = ends[text]
    return n_known, filled


@compiled
def number_of(key, slots, known, n_known):  # type: ignore[no-untyped-def]
    """The number of a key; if it is new, ``n_known``, which is then in the table."""
    slot = key & (slots.size - 1)
    while slots[slot] >= 0 and known[slots[slot]] != key:
        slot = (slot + 1) & (slots.size - 1)
    if slots[slot] < 0:
        slots[slot] = n_known
        known[n_known] = key
    return int(slots[slot])


@compiled
def enter_keys(known, n_known, slots):  # type: ignore[no-untyped-def]
    """Enter keys into an empty table."""
    for number in range(n_known):
        slot = known[number] & (slots.size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = number

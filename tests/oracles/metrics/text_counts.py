"""Counts of words and n-grams straight from their definitions, with the words and n-grams
themselves.
"""

from collections import Counter
from collections.abc import Iterable

#: Stands around words and texts; no text in the tests contains it.
MARK = object()


def lowered(text: str) -> str:
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def words(text: str) -> Counter:
    return Counter(lowered(text).split())


def ngrams(text: str, orders: Iterable[int], at: str) -> Counter:
    found: Counter = Counter()
    for order in orders:
        spans, marks = (lowered(text).split(), 1) if at == "words" else ([lowered(text)], order - 1)
        for span in spans:
            padded = [MARK] * marks + list(span) + [MARK] * marks
            windows = [
                tuple(padded[start : start + order]) for start in range(len(padded) - order + 1)
            ]
            found.update(window for window in windows if set(window) != {MARK})
    return found


def l1(one: Counter, other: Counter) -> int:
    return sum(abs(one[gram] - other[gram]) for gram in one | other)


def ruzicka(one: Counter, other: Counter) -> float:
    either = (one | other).total()
    return 1 - (one & other).total() / either if either else 0.0


def affixes(text: str, prefixes: Iterable[int], suffixes: Iterable[int]) -> list[tuple]:
    letters = list(lowered(text))
    first = [("first", *(letters + [MARK] * size)[:size]) for size in prefixes]
    return first + [("last", *([MARK] * size + letters)[-size:]) for size in suffixes]

"""Which cells of a table hold no value: empty ones, and the words that programs and people write in
their place.

A word stands for no value in a column of numbers, dates, truth values or categories. In a column of
texts that are the objects themselves it is a text like any other.
"""

import math
from collections.abc import Iterable
from typing import Any

#: The words by which programs and people say that a value is missing: in features, and in labels.
_ALWAYS = (
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "<NA>",
    "N.A.",
    "n.a.",
    "NaN",
    "nan",
    "NAN",
    "-nan",
    "NaT",
    "NULL",
    "Null",
    "null",
    "?",
)
#: In a column of labels these are the names of classes: None, Some, Marked; or + and -.
_IN_FEATURES = ("None", "-", "--", ".", "missing", "Missing", "MISSING")


class MissingWords:
    """The words that stand for no value, the empty one among them.

    The usual words and further ones; naming the empty word replaces the usual ones.

    Examples
    --------
    >>> words = MissingWords(["unknown"])
    >>> [words.in_features(cell) for cell in ("", " ", "NA", "unknown", "Ulm", 0.0, None)]
    [True, True, True, True, False, False, True]
    >>> words.in_labels("None"), words.in_labels("?"), MissingWords([""]).in_features("NA")
    (False, True, False)
    """

    def __init__(self, named: Iterable[str] = ()) -> None:
        further = frozenset(word.strip() for word in named)
        replaced = "" in further
        self.of_labels = further | {""} | (frozenset() if replaced else frozenset(_ALWAYS))
        self.of_features = self.of_labels | (frozenset() if replaced else frozenset(_IN_FEATURES))
        #: words that are missing in features, and in labels the names of classes
        self.classes = self.of_features - self.of_labels

    def in_features(self, cell: Any) -> bool:
        """Whether a cell of a number, date, truth value or category holds no value."""
        return is_missing(cell, self.of_features)

    def in_labels(self, cell: Any) -> bool:
        """Whether a cell holds no label."""
        return is_missing(cell, self.of_labels)


def is_missing(cell: Any, words: frozenset[str]) -> bool:
    """Whether a cell is one of the words, None or not a number (NaN)."""
    if isinstance(cell, str):
        return cell.strip() in words
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def in_column(cells: Iterable[Any], words: frozenset[str]) -> frozenset[str]:
    """Those of the words that stand for no value in a column: a minus beside a plus is a value.

    Examples
    --------
    >>> words = MissingWords().of_features
    >>> "-" in in_column(["+", "-"], words), "-" in in_column(["1", "-"], words)
    (False, True)
    """
    plus = any(isinstance(cell, str) and cell.strip() == "+" for cell in cells)
    return words - {"-"} if plus else words

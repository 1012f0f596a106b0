"""Prepared samples of strings and other sequences of tokens: as rapidfuzz compares them, or with
numbers as tokens.
"""

import math
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.elements import NumberedSample, incomparable
from wideberth.objects import sample
from wideberth.wording import at

Alphabet = Literal["texts", "numbers", "mixed"]

#: Code points are below this.
_NO_LETTER = 0x110000
#: So many strings do not fit in the fastest memory wherever they lie.
MANY = 1_000


class Sequences(list[Any]):
    """The prepared sample of strings, byte strings, or lists and tuples of hashable tokens.

    All tokens of the ``alphabet`` are texts, as the characters of strings, "numbers", integers
    below 2^53 in absolute value, or anything ("mixed").

    It satisfies `wideberth.metrics.containers.Prepared`.

    Examples
    --------
    >>> words = Sequences(["tea", "coffee"])
    >>> words.lengths, words.take([1])
    (array([3., 6.]), ['coffee'])
    """

    def __init__(self, items: Any = (), alphabet: Alphabet = "texts") -> None:
        super().__init__(items)
        self.alphabet = alphabet

    @cached_property
    def are_strings(self) -> bool:
        """Whether all sequences are strings or byte strings."""
        return set(map(type, self)) <= {str, bytes}

    @cached_property
    def numbered(self) -> tuple[list[Any], "_StandIns"]:
        """The sequences with numbers in place of tokens, and these numbers."""
        stand_ins = _StandIns({})
        return self.with_numbers(stand_ins), stand_ins

    def with_numbers(self, stand_ins: "_StandIns") -> list[Any]:
        """The sequences with numbers in place of tokens; strings, whose tokens are their letters,
        as they are.
        """
        return [
            item if isinstance(item, str | bytes) else [stand_ins[token] for token in item]
            for item in self
        ]

    @cached_property
    def lengths(self) -> Floats:
        """The length of each sequence, as float64."""
        return np.fromiter(map(len, self), dtype=np.float64, count=len(self))

    def take(self, indices: Any) -> "Sequences":
        """Select the sequences at ``indices``, a slice or integers."""
        if isinstance(indices, slice):
            return Sequences(self[indices], self.alphabet)
        taken = [self[index] for index in indices]
        return Sequences(_side_by_side(taken) if len(taken) >= MANY else taken, self.alphabet)

    def plain(self) -> dict[str, Any]:
        """Return the sequences as a plain list for a model file."""
        return {"items": list(self)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read back what `plain` wrote, as a list for `prepare_sequences`; a `ValueError` if it is
        something else.
        """
        match plain:
            case {"items": list(items)}:
                return items
        raise ValueError("a list of sequences is needed")


def _side_by_side(items: list[Any]) -> list[Any]:
    """Copy strings, so that they lie in memory in the order of the list; anything else is returned
    as it is.

    Blocks of distances pass over all of them again and again: strings scattered over the memory
    take half as long again.

    >>> _side_by_side(["tea", "", "rum"])
    ['tea', '', 'rum']
    """
    if set(map(type, items)) != {str}:
        return items
    text, ends = "".join(items), list(accumulate(map(len, items)))
    return [text[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]


def prepare_sequences(objects: Objects) -> Sequences:
    """Check strings or other sequences of tokens. They are strings (sequences of code points), byte
    strings, or lists, tuples or one-dimensional arrays of hashable tokens, each of which equals
    itself.

    Examples
    --------
    >>> prepare_sequences(("tea", "coffee"))
    ['tea', 'coffee']
    """
    if isinstance(objects, Sequences):
        return objects
    sequences = read_sequences(objects)
    return Sequences(
        sequences, "texts" if set(map(type, sequences)) <= {str, bytes} else _alphabet(sequences)
    )


def read_sequences(objects: Objects) -> list[Any]:
    """Return the objects as a list of strings, byte strings, lists and tuples; their tokens are not
    checked.

    Examples
    --------
    >>> read_sequences(["tea", np.array([1, 2])])
    ['tea', [1, 2]]
    """
    if columns := sample.several_columns(objects):
        raise InvalidInput(
            f"A data frame of {len(columns)} columns where texts are needed: "
            f"{sample.shown(columns)}.",
            advice=f"Choose one, frame[{columns[0]!r}], or compare whole rows: metric 'gower' "
            "takes columns of any type. Rows of tokens are frame.to_numpy().",
            value=columns,
        )
    sequences = list(objects if isinstance(objects, list) else sample.hold(objects))
    if set(map(type, sequences)) <= {str}:
        return sequences
    for position, item in enumerate(sequences):
        if _are_measured(item):
            raise InvalidInput(
                f"{at('Object', position)} holds floating-point numbers, which are no tokens: "
                f"{sample.shown(item)}.",
                advice="Vectors are measured by 'standardized' or 'euclidean', series by 'msm'; codes "
                "that stand for tokens are whole numbers, X.astype(int).",
                witness=position,
                value=item,
            )
        if isinstance(item, np.ndarray) and item.ndim == 1:
            sequences[position] = item.tolist()
        elif not isinstance(item, str | bytes | list | tuple):
            raise InvalidInput(
                f"{at('Object', position)} is not a string or a sequence of tokens: "
                f"{sample.shown(item)}.",
                advice="Drop missing values first; turn other objects into strings, or into lists "
                "of tokens.",
                witness=position,
                value=item,
            )
    return sequences


def _are_measured(item: Any) -> bool:
    """Whether an object is several floating-point numbers, some of them with a fraction: they were
    measured, and are no tokens.
    """
    if isinstance(item, np.ndarray):
        return item.dtype.kind == "f" and bool((np.isfinite(item) & (item != np.rint(item))).any())
    if not isinstance(item, list | tuple) or len(item) < 2:
        return False
    return set(map(type, item)) == {float} and any(
        math.isfinite(token) and not token.is_integer() for token in item
    )


def comparable(left: Sequences, right: Sequences) -> tuple[list[Any], list[Any]]:
    """Return two samples in a form in which rapidfuzz compares their tokens correctly. They may get
    other numbers as tokens.

    rapidfuzz compares tokens by their hashes and characters by their code points: different tokens
    may share a hash, and the number 97 would equal the letter "a". Tokens of lists are therefore
    replaced by numbers that stand for nothing else, unless both samples hold only numbers that are
    their own hashes.

    Examples
    --------
    >>> comparable(prepare_sequences([[97]]), prepare_sequences(["a"]))[0] == [[97]]
    False
    """
    if left.alphabet == right.alphabet == "numbers" or (left.are_strings and right.are_strings):
        return left, right
    others, known = right.numbered
    return others if left is right else left.with_numbers(_StandIns(known)), others


def _alphabet(sequences: list[Any]) -> Alphabet:
    """Find what all tokens are; raise an error for one that has no hash or does not equal
    itself.
    """
    tokens: set[Any] = set()
    for position, item in enumerate(sequences):
        try:
            tokens.update(item.decode("latin-1") if isinstance(item, bytes) else item)
        except TypeError as problem:
            raise incomparable(item, position, str(problem)) from None
    for token in tokens:
        if not sample.equals_itself(token):
            holder = next(
                i for i, item in enumerate(sequences) if any(token is other for other in item)
            )
            raise incomparable(token, holder, "it does not equal itself")
    if all(isinstance(token, str) for token in tokens):
        return "texts"
    if all(isinstance(token, int | np.integer) and abs(int(token)) < 2**53 for token in tokens):
        return "numbers"
    return "mixed"


class _StandIns(dict[Any, int]):
    """What is passed to rapidfuzz in place of a token: of a letter its code point, else a number
    beyond all code points. ``known`` are the numbers in another sample; tokens that it lacks get
    others.
    """

    def __init__(self, known: dict[Any, int]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, token: Any) -> int:
        number = self._known.get(token)
        if number is None:
            letter = isinstance(token, str) and len(token) == 1
            number = ord(token) if letter else _NO_LETTER + len(self._known) + len(self)
        self[token] = number
        return number


class TokenSample(NumberedSample):
    """The prepared sample of sequences whose tokens are replaced by numbers.

    It satisfies `wideberth.metrics.containers.Prepared`; the attributes are those of
    `NumberedSample`.

    Examples
    --------
    >>> len(TokenSample.of(["tea", "eel"]))
    2
    """

    in_files = ("tokens", "numbers", "sequences")


def prepare_tokens(objects: Objects) -> TokenSample:
    """Check sequences and replace their tokens by numbers. As `prepare_sequences`; byte strings
    count as their Latin-1 characters.

    Examples
    --------
    >>> prepare_tokens(["tea", ["t", "e", "e"]]).numbers
    array([0, 1, 2, 0, 1, 1])
    """
    if isinstance(objects, TokenSample):
        return objects
    sequences = read_sequences(objects)
    return TokenSample.of(
        item.decode("latin-1") if isinstance(item, bytes) else item for item in sequences
    )

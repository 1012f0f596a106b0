"""Integers in place of tokens, elements and labels: the numbers that they have within one sample.

The *numbers* of a sample count its different tokens from 0 in the order in which they occur; to
compare two samples, one of them is renumbered by the numbers of the other. Tokens are found by
``==``, or by what they are written as; no hash stands for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import taken
from wideberth.metrics.elements import Elements
from wideberth.objects.sample import shown
from wideberth.wording import at

Numbers = NDArray[np.int64]


class NumberedTokens:
    """The different tokens of a sample, numbered in the order in which they occur.

    Tokens are equal if they are written alike (`written_token`): 1 and 1.0, but not "1".

    Examples
    --------
    >>> tokens = NumberedTokens()
    >>> tokens.of(["tea", 1, "tea", 1.0, ["rum"], ("rum",)])
    [0, 1, 0, 1, 2, 2]
    >>> len(tokens.elements()[0])
    3
    """

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}
        self._numbers: dict[bytes, int] = {}

    def of(self, tokens: Iterable[Any]) -> list[int]:
        """The number of each token; a `TypeError` if something is no token."""
        numbers = []
        for token in tokens:
            try:
                number = self._known.get(token)
                if number is None:
                    number = self._known[token] = self._number(token)
            except TypeError:  # a list, which has no hash; or not a token at all, for which the error is raised again
                number = self._number(token)
            numbers.append(number)
        return numbers

    @property
    def written(self) -> list[bytes]:
        """What each token is written as, in the order of their numbers."""
        return list(self._numbers)

    def elements(self) -> tuple[Elements, Numbers]:
        """The tokens as elements, which can be compared with those of other samples, and for each
        number its place there.
        """
        return Elements.of_bytes(self.written)

    def _number(self, token: Any) -> int:
        return self._numbers.setdefault(written_token(token), len(self._numbers))


#: Python writes whole numbers of up to 4,300 decimal digits, and longer ones only in powers of two.
_MOST_BITS_IN_DECIMALS = 14_000


def written_token(token: Any) -> bytes:
    """Write a token as bytes that are the same for equal tokens and differ for different ones: the
    kind, then the content.

    Parameters
    ----------
    token : str, bytes, number, None, or tuple, list or frozenset of tokens
        A list counts as the tuple of its items.

    Returns
    -------
    bytes

    Raises
    ------
    TypeError
        For anything else, and for NaN.

    Examples
    --------
    >>> written_token(1) == written_token(1.0) == written_token(np.int8(1)) != written_token("1")
    True
    """
    match token:
        case None:
            return b"none:"
        case str():
            return b"text:" + token.encode("utf-8", "surrogatepass")
        case bytes():
            return b"bytes:" + token
        case bool() | int() | float() | np.bool_() | np.integer() | np.floating():
            return b"number:" + _written_number(token)
        case tuple() | list():
            return b"tuple:" + b"".join(map(_written_part, token))
        case frozenset():
            return b"set:" + b"".join(sorted(map(_written_part, token)))
    raise TypeError(f"{type(token).__name__} {token!r} is no text, number, or tuple of them")


def _written_number(number: Any) -> bytes:
    """Encode a number such that equal numbers of different types have the same bytes."""
    if number != number:
        raise TypeError("NaN equals nothing, not even itself")
    if isinstance(number, int | np.integer) or float(number).is_integer():
        whole = int(number)
        return (str(whole) if whole.bit_length() < _MOST_BITS_IN_DECIMALS else hex(whole)).encode()
    return repr(float(number)).encode()


def _written_part(token: Any) -> bytes:
    """Write an item of a tuple or a set with its length before it, so that joined items cannot be
    confused.
    """
    content = written_token(token)
    return b"%d:%b" % (len(content), content)


@dataclass(frozen=True, eq=False)
class NumberedSample:
    """A flat container of objects made of tokens, such as sets or sequences.

    Attributes
    ----------
    numbers : ndarray of int64
        The numbers of all tokens; object i has ``numbers[starts[i]:starts[i + 1]]``.
    starts : ndarray of int64, shape (n_objects + 1,)
        Where each object begins.
    number_of : dict
        The number of each different token, in increasing order. Samples that were selected from one
        sample share it.

    Examples
    --------
    >>> tea = NumberedSample.of([["t", "e", "a"], ["t", "e", "e"]])
    >>> len(tea), tea.take([1]).numbers
    (2, array([0, 1, 1]))
    """

    numbers: Numbers
    starts: Numbers
    number_of: dict[Any, int] = field(repr=False)

    @classmethod
    def of(cls, objects: Iterable[Iterable[Any]]) -> Self:
        """Number the tokens of objects in the order in which they occur.

        Parameters
        ----------
        objects : iterable of iterables of hashable tokens

        Returns
        -------
        NumberedSample

        Raises
        ------
        InvalidInput
            If a token has no hash, or does not equal itself, as NaN; the message names the object.

        Examples
        --------
        >>> NumberedSample.of(["tea", "eel"])
        NumberedSample(numbers=array([0, 1, 2, 1, 1, 3]), starts=array([0, 3, 6]))
        """
        number_of: dict[Any, int] = {}
        numbers: list[int] = []
        starts = [0]
        for position, tokens in enumerate(objects):
            try:
                numbers.extend([number_of.setdefault(token, len(number_of)) for token in tokens])
            except TypeError as problem:
                raise incomparable(tokens, position, str(problem)) from None
            starts.append(len(numbers))
        for number, token in enumerate(number_of):
            if not equals_itself(token):
                holder = int(np.searchsorted(starts, numbers.index(number), side="right")) - 1
                raise incomparable(token, holder, "it does not equal itself")
        return cls(np.array(numbers, dtype=np.int64), np.array(starts, dtype=np.int64), number_of)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Any) -> Self:
        """Select the objects at ``indices``, a slice (which shares memory) or an integer array;
        their numbers do not change.
        """
        positions, starts = taken(self.starts, indices)
        return type(self)(self.numbers[positions], starts, self.number_of)


def renumbered(
    numbers: Numbers, number_of: dict[Any, int], other: dict[Any, int]
) -> tuple[Numbers, dict[Any, int]]:
    """Translate the numbers of one sample into those of another one.

    Parameters
    ----------
    numbers : ndarray of int64
        Numbers of tokens.
    number_of : dict
        What they mean: the number of each token.
    other : dict
        The number of each token in the other sample.

    Returns
    -------
    translated : ndarray of int64
        The same tokens in the numbers of the other sample.
    new : dict
        The numbers of tokens that the other sample lacks, counted on from ``len(other)``.

    Examples
    --------
    >>> renumbered(np.array([0, 1, 1]), {"t": 0, "e": 1}, {"e": 0, "a": 1})
    (array([2, 0, 0]), {'t': 2})
    """
    if number_of is other:
        return numbers, {}
    tokens, positions = in_use(numbers, number_of)
    new: dict[Any, int] = {}
    translated = np.empty(len(tokens), dtype=np.int64)
    for position, token in enumerate(tokens):
        known = other.get(token)
        translated[position] = (
            new.setdefault(token, len(other) + len(new)) if known is None else known
        )
    return translated[positions], new


def in_use(numbers: Numbers, number_of: dict[Any, int]) -> tuple[list[Any], Numbers]:
    """Reduce a numbering to the tokens that occur, for a model file.

    Parameters
    ----------
    numbers : ndarray of int64
        Numbers of tokens.
    number_of : dict
        The number of each token, in increasing order, perhaps of many more tokens than occur.

    Returns
    -------
    tokens : list
        The tokens that occur, in the order of their numbers.
    positions : ndarray of int64
        The numbers as positions in this list.

    Examples
    --------
    >>> in_use(np.array([5, 0, 5]), {letter: number for number, letter in enumerate("abcdef")})
    (['a', 'f'], array([1, 0, 1]))
    """
    used, positions = np.unique(numbers, return_inverse=True)
    tokens = list(number_of)
    return [tokens[number] for number in used], positions


def check_numbers(numbers: Any, tokens: list[Any]) -> None:
    """Raise a `ValueError` unless all numbers, an array of integers from a file, are positions in
    the list of tokens.

    Examples
    --------
    >>> check_numbers(np.array([0, 2]), ["tea", "rum"])
    Traceback (most recent call last):
    ...
    ValueError: there are 2 tokens, and numbers of others
    """
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(tokens):
        raise ValueError(f"there are {len(tokens)} tokens, and numbers of others")


def equals_itself(token: Any) -> bool:
    """Tell whether a value equals itself, as NaN and pandas.NA do not: only such values can be
    looked up.

    Examples
    --------
    >>> equals_itself("tea"), equals_itself(float("nan"))
    (True, False)
    """
    try:
        return bool(token == token)
    except TypeError:  # as pandas.NA
        return False


def incomparable(value: Any, position: int, problem: str) -> InvalidInput:
    """Make the error for an object that has a token without a hash, or one that does not equal
    itself.

    Parameters
    ----------
    value : object
        The token, or the object that has it.
    position : int
        The position of the object in the sample.
    problem : str
        What is wrong, the end of the sentence.

    Returns
    -------
    InvalidInput
        To be raised by the caller.
    """
    return InvalidInput(
        f"{at('Object', position)} cannot be compared with others, because of {shown(value)}: "
        f"{problem}.",
        advice="Use texts, numbers, and tuples of them: turn inner lists into tuples, and leave "
        "out or name what is missing.",
        witness=position,
        value=value,
    )

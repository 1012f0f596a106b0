"""Tokens, elements and labels as numbers: keys that mean the same everywhere, and numbers within one sample.

A *key* means the same token in every sample, every process and every model file. *Numbers* are those of one sample, which counts
the tokens that it holds; two samples are compared in the numbers of one of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import taken
from wideberth.objects.sample import shown

Numbers = NDArray[np.int64]


def token_keys(tokens: Iterable[Any], known: dict[Any, int]) -> list[int]:
    """The key of each token; ``known`` remembers those of earlier calls.

    >>> token_keys(["tea", "rum", "tea"], known := {})[0] == known["tea"]
    True
    """
    keys = []
    for token in tokens:
        try:
            key = known.get(token)
            if key is None:
                key = known[token] = token_key(token)
        except TypeError:  # a list, which nothing can remember; or no token at all, which is said again
            key = token_key(token)
        keys.append(key)
    return keys


def token_key(token: Any) -> int:
    """A signed number of 64 bits out of BLAKE2b, the same for equal tokens: 1 and 1.0, but not "1".

    Two of n different tokens share one with a chance below n^2 / 2^65: 3e-8 for a million. Tokens are texts, bytes, numbers,
    None, and tuples, lists (which count as tuples) and frozen sets of them; a `TypeError` for anything else, and for NaN.

    >>> token_key(1) == token_key(1.0) == token_key(np.int8(1)) != token_key("1")
    True
    """
    return int.from_bytes(blake2b(_written(token), digest_size=8).digest(), "little", signed=True)


def _written(token: Any) -> bytes:
    """Bytes that differ for different tokens: the kind, then the content."""
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
            return b"tuple:" + b"".join(map(_digest, token))
        case frozenset():
            return b"set:" + b"".join(sorted(map(_digest, token)))
    raise TypeError(f"{type(token).__name__} {token!r} is no text, number, or tuple of them")


def _written_number(number: Any) -> bytes:
    if number != number:
        raise TypeError("NaN equals nothing, not even itself")
    if isinstance(number, int | np.integer) or float(number).is_integer():
        return str(int(number)).encode()
    return repr(float(number)).encode()


def _digest(token: Any) -> bytes:
    return blake2b(_written(token), digest_size=16).digest()


@dataclass(frozen=True, eq=False)
class NumberedSample:
    """Objects made of tokens: object i holds ``numbers[starts[i]:starts[i + 1]]``, its tokens numbered by ``number_of``."""

    numbers: Numbers
    starts: Numbers
    number_of: dict[Any, int] = field(repr=False)

    @classmethod
    def of(cls, objects: Iterable[Iterable[Any]]) -> Self:
        """The objects, their tokens numbered in the order in which they come; one that cannot be compared is refused.

        >>> NumberedSample.of(["tea", "eel"])
        NumberedSample(numbers=array([0, 1, 2, 1, 1, 3]), starts=array([0, 3, 6]))
        """
        number_of: dict[Any, int] = {}
        numbers: list[int] = []
        starts = [0]
        for position, each in enumerate(objects):
            try:
                numbers.extend([number_of.setdefault(token, len(number_of)) for token in each])
            except TypeError as problem:
                raise incomparable(each, position, str(problem)) from None
            starts.append(len(numbers))
        for number, token in enumerate(number_of):
            if not equals_itself(token):
                holder = int(np.searchsorted(starts, numbers.index(number), side="right")) - 1
                raise incomparable(token, holder, "it does not equal itself")
        return cls(np.array(numbers, dtype=np.int64), np.array(starts, dtype=np.int64), number_of)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def take(self, indices: Any) -> Self:
        """The objects at ``indices``, numbered the same way; neighbouring ones, from a slice, share memory."""
        positions, starts = taken(self.starts, indices)
        return type(self)(self.numbers[positions], starts, self.number_of)


def renumbered(numbers: Numbers, number_of: dict[Any, int], other: dict[Any, int]) -> tuple[Numbers, dict[Any, int]]:
    """Numbers as another numbering has them; tokens that it lacks get the next ones, which come back by token.

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
        translated[position] = new.setdefault(token, len(other) + len(new)) if known is None else known
    return translated[positions], new


def in_use(numbers: Numbers, number_of: dict[Any, int]) -> tuple[list[Any], Numbers]:
    """The tokens that occur, and the numbers as positions among them: what a model file keeps of a numbering.

    >>> in_use(np.array([5, 0, 5]), {letter: number for number, letter in enumerate("abcdef")})
    (['a', 'f'], array([1, 0, 1]))
    """
    used, positions = np.unique(numbers, return_inverse=True)
    tokens = list(number_of)
    return [tokens[number] for number in used], positions


def check_numbers(numbers: Any, tokens: list[Any]) -> None:
    """Raise a `ValueError` unless all numbers, an array of integers, are positions among the tokens."""
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(tokens):
        raise ValueError(f"there are {len(tokens)} tokens, and numbers of others")


def equals_itself(token: Any) -> bool:
    """Whether a value can be found again, as NaN cannot.

    >>> equals_itself("tea"), equals_itself(float("nan"))
    (True, False)
    """
    try:
        return bool(token == token)
    except TypeError:  # as pandas.NA
        return False


def incomparable(value: Any, position: int, problem: str) -> InvalidInput:
    """The error for an object that is, or holds, something that has no hash or does not equal itself."""
    return InvalidInput(
        f"Object {position} cannot be compared with others, because of {shown(value)}: {problem}.",
        advice="Use texts, numbers, and tuples of them: turn inner lists into tuples, and leave out or name what is missing.",
        witness=position,
        value=value,
    )

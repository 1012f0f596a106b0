"""A sample of strings, or of any sequences of tokens."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.numbering import equals_itself, incomparable
from wideberth.metrics.token_keys import token_key
from wideberth.objects import sample


class Sequences(list[Any]):
    """Strings, byte strings, or lists and tuples of hashable tokens, which were checked."""

    def __init__(self, items: Any = (), spelled: list[Any] | None = None) -> None:
        super().__init__(items)
        self._spelled = spelled

    @property
    def spelled(self) -> list[Any]:
        """The sequences for rapidfuzz, which compares tokens by their hashes, and characters as their code points.

        There the number 97 would be the letter "a". So all tokens but texts are keys here (`wideberth.metrics.token_keys`).
        """
        return self if self._spelled is None else self._spelled

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """The length of each."""
        return np.fromiter(map(len, self), dtype=np.float64, count=len(self))

    def take(self, indices: Any) -> "Sequences":
        """The sequences at ``indices``."""
        return Sequences(_picked(self, indices), None if self._spelled is None else _picked(self._spelled, indices))

    def plain(self) -> dict[str, Any]:
        """See `wideberth.metrics.prepared.Prepared`."""
        return {"items": list(self)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """The sequences, to be checked again."""
        match plain:
            case {"items": list(items)}:
                return items
        raise ValueError("a list of sequences is needed")


def prepare_sequences(objects: Any) -> Sequences:
    """A list of strings, or of byte strings, lists or tuples of hashable tokens; a string is a sequence of code points.

    >>> prepare_sequences(("tea", "coffee"))
    ['tea', 'coffee']
    """
    if isinstance(objects, Sequences):
        return objects
    sequences = read_sequences(objects)
    if set(map(type, sequences)) <= {str, bytes}:
        return Sequences(sequences)
    spelling = _Spelling()
    spelled = []
    for position, each in enumerate(sequences):
        try:
            spelled.append(each if isinstance(each, str | bytes) else [spelling[token] for token in each])
        except TypeError as problem:
            raise incomparable(each, position, str(problem)) from None
    return Sequences(sequences, spelled)


def read_sequences(objects: Any) -> list[Any]:
    """The sequences one by one, as strings, byte strings, lists or tuples; their tokens are not looked at."""
    sequences = list(objects if isinstance(objects, list) else sample.one_by_one(sample.hold(objects)))
    if set(map(type, sequences)) <= {str}:
        return sequences
    for position, each in enumerate(sequences):
        if isinstance(each, np.ndarray) and each.ndim == 1:
            sequences[position] = each.tolist()
        elif not isinstance(each, str | bytes | list | tuple):
            raise InvalidInput(
                f"Object {position} is not a string or a sequence of tokens: {sample.shown(each)}.",
                advice="Drop missing values first; turn other objects into strings, or into lists of tokens.",
                witness=position,
                value=each,
            )
    return sequences


class _Spelling(dict[Any, Any]):
    """What stands for each token: a text for itself, a key for most others, and a token of a strange class for itself."""

    def __missing__(self, token: Any) -> Any:
        if not equals_itself(token):
            raise TypeError(f"{token!r} in it does not equal itself")
        try:
            spelled = token if isinstance(token, str) else token_key(token)
        except TypeError:
            spelled = token
        self[token] = spelled
        return spelled


def _picked(items: list[Any], indices: Any) -> list[Any]:
    return items[indices] if isinstance(indices, slice) else [items[index] for index in indices]

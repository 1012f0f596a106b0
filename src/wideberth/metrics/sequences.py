"""A sample of strings, or of any sequences of tokens."""

from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.numbering import equals_itself, incomparable
from wideberth.metrics.token_keys import token_key
from wideberth.objects import sample

Alphabet = Literal["texts", "numbers", "mixed"]


class Sequences(list[Any]):
    """Strings, byte strings, or lists and tuples of hashable tokens, which were checked.

    ``alphabet`` says whether the tokens are texts (the characters of strings are), whole numbers below 2^53, or any of a mixture.
    """

    def __init__(self, items: Any = (), alphabet: Alphabet = "texts") -> None:
        super().__init__(items)
        self.alphabet = alphabet

    @cached_property
    def keyed(self) -> list[Any]:
        """The sequences with keys (`wideberth.metrics.token_keys`) in place of all tokens that are not texts."""
        spelling = _Spelling()
        return [each if isinstance(each, str | bytes) else [spelling[token] for token in each] for each in self]

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """The length of each."""
        return np.fromiter(map(len, self), dtype=np.float64, count=len(self))

    def take(self, indices: Any) -> "Sequences":
        """The sequences at ``indices``."""
        return Sequences(self[indices] if isinstance(indices, slice) else [self[index] for index in indices], self.alphabet)

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
    return Sequences(sequences, "texts" if set(map(type, sequences)) <= {str, bytes} else _alphabet(sequences))


def comparable(left: Sequences, right: Sequences) -> tuple[list[Any], list[Any]]:
    """Two samples for rapidfuzz, which compares tokens by their hashes, and characters by their code points.

    There the number 97 is the letter "a". So numbers are keys, unless there is nothing but numbers, which are faster.

    >>> comparable(prepare_sequences([[97]]), prepare_sequences(["a"]))[0] == [[97]]
    False
    """
    if left.alphabet == right.alphabet != "mixed":
        return left, right
    return (left if left.alphabet == "texts" else left.keyed), (right if right.alphabet == "texts" else right.keyed)


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


def _alphabet(sequences: list[Any]) -> Alphabet:
    """What the tokens are; one that has no hash, or does not equal itself, is refused."""
    tokens: set[Any] = set()
    for position, each in enumerate(sequences):
        try:
            tokens.update(each.decode("latin-1") if isinstance(each, bytes) else each)
        except TypeError as problem:
            raise incomparable(each, position, str(problem)) from None
    for token in tokens:
        if not equals_itself(token):
            holder = next(i for i, each in enumerate(sequences) if any(token is other for other in each))
            raise incomparable(token, holder, "it does not equal itself")
    if all(isinstance(token, str) for token in tokens):
        return "texts"
    return "numbers" if all(isinstance(token, int | np.integer) and abs(int(token)) < 2**53 for token in tokens) else "mixed"


class _Spelling(dict[Any, Any]):
    """What stands for each token: a text for itself, a key for most others, and a token of a strange class for itself."""

    def __missing__(self, token: Any) -> Any:
        try:
            spelled = token if isinstance(token, str) else token_key(token)
        except TypeError:
            spelled = token
        self[token] = spelled
        return spelled

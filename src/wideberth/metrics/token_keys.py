"""Tokens as numbers that mean the same in every sample, every process and every model file."""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np


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

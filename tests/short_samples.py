"""What a test tries in `make test` and what in `make test-slow`: a sample, or everything.

A test that goes through many cases inside, such as every family with every disguise, takes the
parameter `cases` of `sampled`: ``cases(values, key)`` is every fourth value in `make test`, and all
of them in `make test-slow`. With the key of what else is tried, each value occurs with some key.
"""

import zlib
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

Value = TypeVar("Value")
#: Of so many values, one is in the sample.
ONE_IN = 4


def some(values: Iterable[Value], key: str = "") -> list[Value]:
    """Every fourth value, from a place that the key gives; never none of them.

    >>> some("abcdefgh", "tea"), some("ab", "tea")
    (['c', 'g'], ['a'])
    """
    everything = list(values)
    start = zlib.crc32(key.encode()) % max(min(ONE_IN, len(everything)), 1)
    return everything[start::ONE_IN]


def all_of(values: Iterable[Value], key: str = "") -> list[Value]:
    """All values, whatever the key."""
    return list(values)


#: Gives a test the parameter ``cases``.
sampled: Callable[..., None] = pytest.mark.parametrize(
    "cases", [some, pytest.param(all_of, marks=pytest.mark.slow)], ids=["some", "all"]
)

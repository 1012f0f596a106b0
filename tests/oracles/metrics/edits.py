"""Edit distances straight from their definitions, one pair at a time."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any


def weighted_edit(
    one: Sequence[Any],
    other: Sequence[Any],
    substitute: Callable[[Any, Any], float],
    gap: Callable[[Any], float],
) -> float:
    @cache
    def cost(i: int, j: int) -> float:
        ways = [0.0] if not i and not j else []
        if i:
            ways.append(cost(i - 1, j) + gap(one[i - 1]))
        if j:
            ways.append(cost(i, j - 1) + gap(other[j - 1]))
        if i and j:
            ways.append(
                cost(i - 1, j - 1)
                + (0.0 if one[i - 1] == other[j - 1] else substitute(one[i - 1], other[j - 1]))
            )
        return min(ways)

    return cost(len(one), len(other))


def indel(one: Sequence[Any], other: Sequence[Any]) -> int:
    @cache
    def common(i: int, j: int) -> int:
        if not i or not j:
            return 0
        return max(
            common(i - 1, j), common(i, j - 1), common(i - 1, j - 1) + (one[i - 1] == other[j - 1])
        )

    return len(one) + len(other) - 2 * common(len(one), len(other))


def damerau(one: str, other: str) -> int:
    """The length of a shortest way from one string to the other, found by going one edit further in
    all directions.
    """
    reached = {one}
    for edits in count():
        if other in reached:
            return edits
        reached |= {after for each in reached for after in _one_edit_away(each, set(one + other))}
    raise AssertionError  # there is always a way


def _one_edit_away(text: str, letters: set[str]) -> Iterator[str]:
    for i in range(len(text) + 1):
        before, rest = text[:i], text[i:]
        yield from (before + letter + rest for letter in letters)
        if rest:
            yield before + rest[1:]
            yield from (before + letter + rest[1:] for letter in letters)
        if len(rest) > 1:
            yield before + rest[1] + rest[0] + rest[2:]


def affine_edit(
    one: Sequence[Any],
    other: Sequence[Any],
    substitute: Callable[[Any, Any], float],
    gap: Callable[[Any], float],
    opening: float,
) -> float:
    """The cheapest of all alignments, with the runs of unmatched tokens of both sequences counted
    in each.
    """

    def unmatched(sequence: Sequence[Any], matched: set[int]) -> float:
        alone = [place not in matched for place in range(len(sequence))]
        runs = sum(now and not before for before, now in zip([False, *alone], alone, strict=False))
        return opening * runs + sum(
            gap(token) for token, free in zip(sequence, alone, strict=True) if free
        )

    def matchings(i: int, j: int) -> Iterator[list[tuple[int, int]]]:
        yield []
        for a in range(i, len(one)):
            for b in range(j, len(other)):
                yield from ([(a, b), *rest] for rest in matchings(a + 1, b + 1))

    costs = []
    for pairs in matchings(0, 0):
        changes = sum(substitute(one[a], other[b]) for a, b in pairs if one[a] != other[b])
        costs.append(
            changes
            + unmatched(one, {a for a, _ in pairs})
            + unmatched(other, {b for _, b in pairs})
        )
    return min(costs)

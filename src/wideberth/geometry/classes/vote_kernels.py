"""The compiled loop that counts the votes of neighbours, shell by shell."""

from collections.abc import Callable

import numpy as np

from wideberth.array_types import Flags, Floats, Indices, Integers
from wideberth.compilation import compiled, in_python_if_few
from wideberth.rounding import TIE_BREAK


def electing(operations: int) -> Callable[..., None]:
    """`elect`, in Python if there are so few operations that a saved model answers sooner without
    the compiler.

    Examples
    --------
    >>> electing(10**9) is elect
    True
    """
    return in_python_if_few(elect, operations)


@compiled
def elect(
    starts: Indices,
    distances: Floats,
    voters: Integers,
    weights: Floats,
    sizes: Floats,
    rounding: float,
    complete: bool,
    shares: Floats,
    winners: Integers,
) -> None:
    """Fill ``shares[q, s, c]`` with the share of class c in ``sizes[s]`` votes, and ``winners[q,
    s]`` with the class elected.

    `wideberth.geometry.classes.votes` states the rule. Tied classes that do not win are lowered by
    a tiny penalty.

    Parameters
    ----------
    starts : ndarray of int, shape (n + 1,)
        The neighbours of query q are at ``starts[q]:starts[q + 1]``, nearest first; the farthest
        ones are all there.
    distances, voters, weights : ndarray of shape (starts[-1],)
        Their distances, classes and weights.
    sizes : ndarray of shape (s,)
        Increasing numbers of votes.
    rounding : float
        Votes that differ by this share are equal: 0 if all weights are whole numbers.
    complete : bool
        Whether there are no other objects: of classes that are tied in all shells the first wins.
        Otherwise the winner is -1.
    shares : ndarray of shape (n, s, k)
        A result.
    winners : ndarray of shape (n, s)
        A result.

    Examples
    --------
    >>> shares, winners = np.empty((1, 1, 2)), np.empty((1, 1), dtype=np.int64)
    >>> elect(
    ...     np.array([0, 3]),
    ...     np.ones(3),
    ...     np.array([0, 1, 1]),
    ...     np.ones(3),
    ...     np.ones(1),
    ...     0.0,
    ...     True,
    ...     shares,
    ...     winners,
    ... )
    >>> shares.round(3), winners  # one vote is shared by three objects that are all as near
    (array([[[0.333, 0.667]]]), array([[1]]))
    """
    n_classes = shares.shape[2]
    before, shell, tied = (
        np.zeros(n_classes),
        np.zeros(n_classes),
        np.zeros(n_classes, dtype=np.bool_),
    )
    for query in range(len(starts) - 1):
        first, last = starts[query], starts[query + 1]
        counted, place, size = 0.0, first, 0
        for code in range(n_classes):
            before[code] = 0.0
        while size < len(sizes):
            if place == last:  # there are fewer votes than these
                for code in range(n_classes):
                    shares[query, size, code] = before[code] / counted if counted > 0.0 else 0.0
                size += 1
                continue
            place, within = _count_shell(distances, voters, weights, place, last, shell)
            while size < len(sizes) and counted + within >= sizes[size]:
                for code in range(
                    n_classes
                ):  # exact for whole weights: equal votes give equal numbers
                    votes = before[code] * within + (sizes[size] - counted) * shell[code]
                    shares[query, size, code] = votes / (sizes[size] * within)
                size += 1
            counted += within
            for code in range(n_classes):
                before[code] += shell[code]
        for size in range(len(sizes)):
            most = shares[query, size].max() * (1.0 - rounding)
            n_tied = 0
            for code in range(n_classes):
                tied[code] = shares[query, size, code] >= most
                n_tied += tied[code]
            n_left = _compare_shells(
                distances, voters, weights, first, last, rounding, tied, n_tied, shell
            )
            winner = -1
            for code in range(n_classes - 1, -1, -1):
                if tied[code] and (complete or n_left == 1):
                    winner = code
            winners[query, size] = winner
            for code in range(n_classes):
                if n_tied > 1 and code != winner and shares[query, size, code] >= most:
                    shares[query, size, code] -= TIE_BREAK


@compiled
def _count_shell(
    distances: Floats, voters: Integers, weights: Floats, place: int, last: int, shell: Floats
) -> tuple[int, float]:
    """Fill ``shell`` with the votes of each class among the objects as near as that at ``place``;
    their end and their sum.
    """
    for code in range(len(shell)):
        shell[code] = 0.0
    distance, within = distances[place], 0.0
    while place < last and distances[place] == distance:
        shell[voters[place]] += weights[place]
        within += weights[place]
        place += 1
    return place, within


@compiled
def _compare_shells(
    distances: Floats,
    voters: Integers,
    weights: Floats,
    place: int,
    last: int,
    rounding: float,
    tied: Flags,
    n_tied: int,
    shell: Floats,
) -> int:
    """Keep of the ``tied`` classes those with the most votes in the nearest shell, of these in the
    next; how many are left.
    """
    while n_tied > 1 and place < last:
        place, _ = _count_shell(distances, voters, weights, place, last, shell)
        most = 0.0
        for code in range(len(shell)):
            if tied[code]:
                most = max(most, shell[code])
        for code in range(len(shell)):
            if tied[code] and shell[code] < most * (1.0 - rounding):
                tied[code] = False
                n_tied -= 1
    return n_tied

"""Compiled loops that find the smallest change of distances, and the fewest changes of rows, after
which the votes of neighbours elect another class.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats, Integers
from wideberth.compilation import compiled, in_python_if_few
from wideberth.rounding import TIE_BREAK


def flipping(operations: int) -> Callable[..., Floats]:
    """`shortest_flips`, in Python if there are so few operations that a saved model answers sooner
    without the compiler.

    Examples
    --------
    >>> flipping(10**9) is shortest_flips
    True
    """
    flips = in_python_if_few(shortest_flips, operations)
    return flips if flips is shortest_flips else _on_lists


def counting(operations: int) -> Callable[..., None]:
    """`fewest_changes`, in Python if there are so few operations.

    Examples
    --------
    >>> counting(10**9) is fewest_changes
    True
    """
    return in_python_if_few(fewest_changes, operations)


def _on_lists(
    distances: Floats, voters: Integers, weights: Floats, winners: Integers, *limits: Any
) -> Floats:
    """`shortest_flips` in Python, which is three times as fast on lists of numbers as on arrays."""
    flips: Floats = shortest_flips.in_python(  # type: ignore[attr-defined]
        distances.tolist(), voters.tolist(), weights.tolist(), winners.tolist(), *limits
    )
    return flips


@compiled
def shortest_flips(
    distances: Floats,
    voters: Integers,
    weights: Floats,
    winners: Integers,
    n_classes: int,
    size: float,
    slack: float,
    ties: bool,
) -> Floats:
    """The smallest difference M - m of distances, for each query, with which another class may win
    the vote.

    `wideberth.classifiers.neighbors.classifier` has the argument. Objects farther than the last one
    count as if they were at its distance; the caller checks whether they matter.

    Examples
    --------
    >>> distances, classes = np.array([[0.0, 1.0, 4.0, 6.0]]), np.array([[0, 0, 1, 1]])
    >>> # 6 votes, 1 does not
    >>> shortest_flips(distances, classes, np.ones((1, 4)), np.array([0]), 2, 3.0, 0.5, True)
    array([5.])
    """
    shortest = np.full(len(distances), np.inf)
    for query in range(len(distances)):
        row = distances[query], voters[query], weights[query]
        for rival in range(n_classes):
            if rival == winners[query]:
                continue
            won = _narrowest(*row, winners[query], rival, size, slack)
            if ties:  # a rival with as many votes can win if its nearest object is no farther
                ahead = _first(*row[:2], rival) - _first(*row[:2], winners[query])
                won = min(won, max(ahead, _narrowest(*row, winners[query], rival, size, 0.0)))
            shortest[query] = min(shortest[query], won)
    return shortest


@compiled
def _first(distances: Floats, voters: Integers, code: int) -> float:
    """The distance of the nearest object of a class; that of the last object if there is none in
    this row.
    """
    for place in range(len(voters)):
        if voters[place] == code:
            return float(distances[place])
    return float(distances[-1])


@compiled
def _narrowest(
    distances: Floats,
    voters: Integers,
    weights: Floats,
    winner: int,
    rival: int,
    size: float,
    least_lead: float,
) -> float:
    """The smallest difference of two distances, far less near, such that a vote decided between
    them elects the rival.

    All objects nearer than the near distance vote, none farther than the far one do, and those
    between may vote or not; ``size`` votes in all give the rival a lead of ``least_lead``. The
    farther the far one is, the farther the near one may be: two places that only move outwards find
    the best pair in one pass over the row.
    """
    n, near, narrowest = len(distances), 0, np.inf
    sure_won = sure_lost = sure_other = (
        0.0  # the votes of winner, rival and others before the near place
    )
    won = lost = other = 0.0  # and up to the far one
    for far in range(n):
        code, weight = voters[far], weights[far]
        won += weight if code == winner else 0.0
        lost += weight if code == rival else 0.0
        other += 0.0 if code in (winner, rival) else weight
        wins = _rival_wins(sure_won, sure_lost, sure_other, won, lost, other, size, least_lead)
        while wins and near <= far:
            code, weight = voters[near], weights[near]
            next_won = sure_won + (weight if code == winner else 0.0)
            next_lost = sure_lost + (weight if code == rival else 0.0)
            next_other = sure_other + (0.0 if code in (winner, rival) else weight)
            if not _rival_wins(next_won, next_lost, next_other, won, lost, other, size, least_lead):
                break
            sure_won, sure_lost, sure_other = next_won, next_lost, next_other
            near += 1
        if wins:
            beyond = distances[near] if near < n else np.inf
            narrowest = min(narrowest, distances[far] - beyond)
    return narrowest


@compiled
def _rival_wins(
    sure_won: float,
    sure_lost: float,
    sure_other: float,
    won: float,
    lost: float,
    other: float,
    size: float,
    least_lead: float,
) -> bool:
    """Whether the rival can lead by ``least_lead`` with ``size`` votes.

    The first three, votes for the winner, for the rival and for others, are cast; of those up to
    the second three, the ones are cast that help the rival most.
    """
    free, rounding = size - (sure_won + sure_lost + sure_other), TIE_BREAK * size
    if free < -rounding or won + lost + other < size - rounding:
        return False
    for_rival = min(free, lost - sure_lost)
    for_winner = max(0.0, free - for_rival - (other - sure_other))
    return bool(sure_lost + for_rival - sure_won - for_winner >= least_lead)


@compiled
def known_neighbors(
    order: Integers,
    distances: Floats,
    places: Integers,
    queries: Integers,
    k: int,
    starts: Integers,
    indices: Integers,
    found: Floats,
) -> None:
    """The k nearest known objects of each query, and all others that are as near as the k-th, from
    lists of all objects nearest first.

    ``places`` are the indices of known objects, -1 for others. While ``indices`` is empty, the
    number of each query q is written to ``starts[q + 1]``; else the neighbours themselves to
    ``indices`` and their distances to ``found``, from ``starts[q]`` on.

    Examples
    --------
    >>> order, distances = np.array([[0, 1, 2]]), np.array([[0.0, 2.0, 2.0]])
    >>> starts, nobody = np.zeros(2, dtype=int), np.empty(0, dtype=int)
    >>> known_neighbors.py_func(
    ...     order, distances, np.array([-1, 0, 1]), np.array([0]), 1, starts, nobody, np.empty(0)
    ... )
    >>> starts  # two are as near as the first
    array([0, 2])
    """
    counting = len(indices) == 0
    for q in range(len(queries)):
        row = queries[q]
        count = 0
        farthest = np.inf
        for j in range(order.shape[1]):
            distance = distances[row, j]
            if distance > farthest:
                break
            place = places[order[row, j]]
            if place < 0:
                continue
            if not counting:
                indices[starts[q] + count] = place
                found[starts[q] + count] = distance
            count += 1
            if count == k:
                farthest = distance
        if counting:
            starts[q + 1] = count


@compiled
def fewest_changes(
    starts: Integers,
    distances: Floats,
    voters: Integers,
    winners: Integers,
    n_classes: int,
    size: int,
    adding: bool,
    complete: bool,
    fewest: Integers,
) -> None:
    """Fill ``fewest`` with the fewest labels to flip, or with ``adding`` also rows to add, after
    which each query gets another label; -1 where more neighbours decide.

    `wideberth.classifiers.neighbors.changed_rows` has the argument. The neighbours of query q are at
    ``starts[q]:starts[q + 1]``, nearest first, with all of the farthest ones; ``complete`` says that
    there are no others. Each has one vote.

    Examples
    --------
    >>> fewest = np.empty(1, dtype=np.int64)
    >>> known = np.array([0, 3]), np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1])
    >>> fewest_changes.in_python(*known, np.array([0]), 2, 3, False, True, fewest)
    >>> fewest  # of three votes, two are for the winner
    array([1])
    """
    for query in range(len(fewest)):
        first, last = starts[query], starts[query + 1]
        best = last - first + 1  # a bound: as many flips as there are voters are enough
        undecided = False
        # the rival after the last class is a label that no row has yet
        for rival in range(n_classes + 1):
            if rival == winners[query]:
                continue
            precedes = rival < winners[query] or rival == n_classes
            for added in range(size + 1 if adding else 1):
                if undecided or added >= best:
                    break
                flips = _flips_needed(
                    distances[first:last],
                    voters[first:last],
                    winners[query],
                    rival,
                    precedes,
                    added,
                    size,
                    complete,
                )
                undecided = flips < 0
                best = min(best, added + flips)
        fewest[query] = -1 if undecided else best


@compiled
def _flips_needed(
    distances: Floats,
    voters: Integers,
    winner: int,
    rival: int,
    precedes: bool,
    added: int,
    size: int,
    complete: bool,
) -> int:
    """How many labels have to become the rival's until it beats the winner, once some rows of the
    rival were added at the query; -1 if more neighbours decide.
    """
    # whole shells have ``counted`` votes, and that from ``edge`` to ``place`` shares the rest
    counted, within, place, edge = 0, 0, 0, 0
    if added > 0 and distances[0] > 0.0:
        within = added  # they are a shell of their own
    while counted + within < size and place < len(distances):
        counted += within
        within = added if counted == 0 else 0
        edge = place
        while place < len(distances) and distances[place] == distances[edge]:
            within += 1
            place += 1
    # a vote is ``within`` in a whole shell and ``left`` in that one: whole numbers
    left = size - counted
    lead = added * (within if counted > 0 else left)
    for each in range(place):
        votes = within if each < edge else left
        lead += votes if voters[each] == rival else (-votes if voters[each] == winner else 0)
    flipped = np.zeros(len(distances), dtype=np.bool_)
    flips = 0
    # the largest gains first: of the winner in whole shells, then of others there or of the winner
    # in the last shell, whichever gain more, the nearer ones if they gain as much; then of the rest
    for turn in range(4):
        whole = turn == 0 or turn == (1 if within >= 2 * left else 2)
        of_winner = turn == 0 or (not whole and turn < 3)
        gain = (within if whole else left) * (2 if of_winner else 1)
        for each in range(0 if whole else edge, edge if whole else place):
            if lead >= 0:
                break
            if voters[each] != rival and (voters[each] == winner) == of_winner:
                flipped[each] = True
                lead += gain
                flips += 1
    if lead > 0:
        return flips
    ahead = _ahead_in_shells(distances, voters, winner, rival, added, flipped)
    if ahead == 0 and not complete:
        return -1
    return flips if ahead > 0 or (ahead == 0 and precedes) else flips + 1


@compiled
def _ahead_in_shells(
    distances: Floats, voters: Integers, winner: int, rival: int, added: int, flipped: Flags
) -> int:
    """By how many votes the rival is ahead of the winner in the nearest shell where they differ,
    after some rows were flipped to it and some added at the query; 0 if there is none.
    """
    ahead, shell = added, 0.0
    for place in range(len(distances)):
        if distances[place] != shell:
            if ahead != 0:
                break
            shell = distances[place]
        if flipped[place] or voters[place] == rival:
            ahead += 1
        elif voters[place] == winner:
            ahead -= 1
    return ahead

"""Compiled kernel of moves of whole words: after how many of them a lead is lost."""

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.compilation import compiled


@compiled
def moves_kept(
    starts: Integers,
    columns: Integers,
    counts: Floats,
    losses: Floats,
    leads: Floats,
    each: float,
    bounded: bool,
    kept: Floats,
) -> None:
    """Find how many moves of words keep the leads of some texts above 0: of the words of a text,
    those with the largest losses move first, and each move takes ``each`` more.

    A text has the words ``columns`` from its ``starts`` on, so often as ``counts`` says. Where
    moves are not ``bounded`` by the number of words, further ones take ``each`` alone. ``kept``
    gets the numbers, infinite where no moves lose the lead.

    Examples
    --------
    >>> kept = np.empty(1)
    >>> words = np.array([0, 2]), np.array([0, 1]), np.array([2.0, 1.0]), np.array([3.0, 1.0])
    >>> moves_kept(*words, np.array([7.5]), 0.25, False, kept)  # 3.25, 3.25, 1.25
    >>> kept
    array([2.])
    """
    for place in range(leads.size):
        first, last = starts[place], starts[place + 1]
        values = np.empty(last - first)
        for at in range(first, last):
            values[at - first] = -losses[columns[at]]
        order = np.argsort(values)
        left, moves, lost = leads[place], 0.0, leads[place] <= 0.0
        for at in order:
            number = counts[first + at]
            while number > 0.0 and not lost:
                left -= each - values[at]
                if left > 0.0:
                    moves += 1.0
                    number -= 1.0
                else:
                    lost = True
            if lost:
                break
        if lost:
            kept[place] = moves
        elif bounded or each <= 0.0:
            kept[place] = np.inf
        else:
            kept[place] = moves + max(np.ceil(left / each) - 1.0, 0.0)

"""Compiled loops of the Lipschitz classifier over blocks of distances."""

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.compilation import compiled


@compiled
def least_sums_by_class(
    block: Floats, codes: Indices, offsets: Floats, slope: float, sums: Floats
) -> None:
    """Lower ``sums[i, y]`` to the least ``offsets[j] + slope * block[i, j]`` of the columns j of
    class y, if that is less.

    Examples
    --------
    >>> sums = np.full((1, 2), np.inf)
    >>> least_sums_by_class(
    ...     np.array([[4.0, 1.0, 3.0]]), np.array([0, 0, 1]), np.array([-1.0, 0.0, 2.0]), 0.5, sums
    ... )
    >>> sums
    array([[0.5, 3.5]])
    """
    for i in range(block.shape[0]):
        for j in range(block.shape[1]):
            total = offsets[j] + slope * block[i, j]
            if total < sums[i, codes[j]]:
                sums[i, codes[j]] = total


@compiled
def raise_and_limit_by_class(
    block: Floats, starts: Indices, margins: Floats, slope: float, raising: Floats, limiting: Floats
) -> None:
    """Find what `least_sums_by_class` finds with the offsets ``-margins`` and ``margins``, in
    columns sorted by class.

    Examples
    --------
    >>> raising, limiting = np.empty((1, 2)), np.empty((1, 2))
    >>> raise_and_limit_by_class(
    ...     np.array([[4.0, 1.0]]),
    ...     np.array([0, 1, 2]),
    ...     np.array([1.0, 0.5]),
    ...     0.5,
    ...     raising,
    ...     limiting,
    ... )
    >>> raising, limiting
    (array([[1., 0.]]), array([[3., 1.]]))
    """
    for i in range(block.shape[0]):
        for code in range(starts.size - 1):
            raised, limited = np.inf, np.inf
            for j in range(starts[code], starts[code + 1]):
                step = slope * block[i, j]
                raised, limited = min(raised, step - margins[j]), min(limited, step + margins[j])
            raising[i, code], limiting[i, code] = raised, limited


@compiled
def least_enemy_sums(
    block: Floats, codes: Indices, offsets: Floats, slope: float, sums: Floats, partners: Indices
) -> None:
    """Find the least ``offsets[j] + slope * block[i, j]`` over the objects j of other classes than
    i, and the first such j.

    Examples
    --------
    >>> sums, partners = np.empty(3), np.empty(3, dtype=np.intp)
    >>> block = np.array([[0.0, 4.0, 5.0], [4.0, 0.0, 1.0], [5.0, 1.0, 0.0]])
    >>> least_enemy_sums(block, np.array([0, 1, 1]), np.zeros(3), 0.5, sums, partners)
    >>> sums, partners
    (array([2. , 2. , 2.5]), array([1, 0, 0]))
    """
    for i in range(block.shape[0]):
        least, partner = np.inf, -1
        for j in range(block.shape[1]):
            total = offsets[j] + slope * block[i, j]
            if total < least and codes[j] != codes[i]:
                least, partner = total, j
        sums[i], partners[i] = least, partner

"""Compiled accounts of how much of each object is left to be matched."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A rest of so small a part of a weight is what rounding leaves of nothing: 0.3 - 0.1 - 0.1 - 0.1 is not 0.
ROUNDING = 1e-12


class Capacities(NamedTuple):
    """What each of n objects has to give, by index; arrays without entries if every object is matched once."""

    weights: Floats  # (n,)
    remaining: Floats  # (n,)
    ends: Floats  # (n,) the distance at which each was used up
    amounts: Floats  # one for each pair


@njit(nogil=True, cache=True)
def take(capacities: Capacities, one: int, other: int, distance: float, pair: int) -> tuple[bool, bool]:
    """Match two objects as far as both last, as pair number ``pair``; whether each is used up: at least one of them is."""
    if capacities.weights.size == 0:
        return True, True
    amount = min(capacities.remaining[one], capacities.remaining[other])
    capacities.amounts[pair] = amount
    return _reduce(capacities, one, amount, distance), _reduce(capacities, other, amount, distance)


@njit(nogil=True, cache=True)
def _reduce(capacities: Capacities, one: int, amount: float, distance: float) -> bool:
    capacities.remaining[one] -= amount
    used_up: bool = capacities.remaining[one] <= ROUNDING * capacities.weights[one]
    if used_up:
        capacities.ends[one] = distance
    return used_up

"""What is left to transport between two distributions, compiled."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(nogil=True, cache=True)
def split_difference(
    p: Floats, q: Floats, units: float, ground: Floats, supplies: Floats, demands: Floats, costs: Floats
) -> tuple[int, int]:
    """Write where mass must leave and arrive, in whole units, and the costs between; return how many bins do either.

    Assumes masses that are whole multiples of 1 / units, and room for every bin in ``supplies`` and ``demands`` and for every
    pair of them in ``costs``, which is filled row by row. The bin that comes first counts as a supply, so that both directions
    of a pair are one and the same problem.
    """
    sources = targets = 0
    sign = 0.0
    arriving = np.empty(p.size, dtype=np.int64)
    for each in range(p.size):
        difference = (p[each] - q[each]) * units
        if sign == 0.0:
            sign = 1.0 if difference > 0 else -1.0 if difference < 0 else 0.0
        if sign * difference < 0:
            demands[targets] = -sign * difference
            arriving[targets] = each
            targets += 1
    for each in range(p.size):
        supply = sign * (p[each] - q[each]) * units
        if supply > 0:
            supplies[sources] = supply
            for target in range(targets):
                costs[sources * targets + target] = ground[each, arriving[target]]
            sources += 1
    return sources, targets

"""Balance what classes owe each other: multipliers that leave no gradient for the intercepts prove a lower bound."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from wideberth.array_types import Floats

#: How often the classes are balanced in turn, at most; the more errors of all kinds there are, the fewer rounds it takes.
_ROUNDS = 2000
#: The imbalance that rounding leaves, relative to the flow.
_BALANCED = 1e-15


def balancing_factors(flow: Floats) -> Floats:
    r"""Find factors for the flows between classes such that as much flows out of each class as into it.

    Osborne's balancing: factors :math:`d_c / d_j` with positive d. Flows that lie on no circle cannot be balanced; their factor
    is 0.

    Parameters
    ----------
    flow : ndarray of shape (k, k)
        Not negative, with zeros on the diagonal.

    Returns
    -------
    ndarray of shape (k, k)
        The factors.

    Examples
    --------
    >>> flow = np.array([[0.0, 4.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> balanced = flow * balancing_factors(flow)
    >>> balanced.sum(axis=0), balanced.sum(axis=1)
    (array([2., 2., 0.]), array([2., 2., 0.]))
    """
    _, part = connected_components(flow > 0, directed=True, connection="strong")
    inside = np.where(part[:, None] == part[None, :], flow, 0.0)
    scales = np.ones(len(flow))
    for _ in range(_ROUNDS):
        worst = 0.0
        for code in range(len(flow)):
            out = scales[code] * float(inside[code] @ (1.0 / scales))
            into = float(inside[:, code] @ scales) / scales[code]
            if out > 0 and into > 0:
                worst = max(worst, abs(out - into) / max(out, into))
                scales[code] *= np.sqrt(into / out)
        if worst <= _BALANCED:
            break
    return np.where(inside > 0, scales[:, None] / scales[None, :], 0.0)

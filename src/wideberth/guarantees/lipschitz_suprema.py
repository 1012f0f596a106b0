r"""How well a function with Lipschitz constant 1 and values within :math:`\pm h` follows given signs: by matching or transport.

.. math:: \sup_{L(f) \le 1, \|f\|_\infty \le h} \sum_i a_i f(x_i)

is the cost of moving what is positive to where it is negative in the metric :math:`\min\{d, 2h\}`, where a base point at distance
h from all objects takes the surplus (the dual of the Arens-Eells norm; von Luxburg & Bousquet 2004, Lemma 4). The reason: a
function satisfies both conditions iff it has Lipschitz constant 1 in that metric and is 0 at the base point. ``distances`` are
assumed to be those of a metric.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

from wideberth.array_types import Floats, Indices
from wideberth.guarantees.optimal_transport import transport
from wideberth.metrics.metric import Distances


def matching_cost(costs: Distances) -> float:
    """The cost of the cheapest matching of rows with columns that matches every object of the smaller side.

    Parameters
    ----------
    costs : ndarray of shape (m, n)
        The cost of each pair.

    Returns
    -------
    float
        The sum of the costs of the matched pairs; O((m + n)^3) in the worst case.

    Examples
    --------
    >>> matching_cost(np.array([[1.0, 2.0, 9.0], [1.0, 9.0, 9.0]]))
    3.0
    """
    return float(costs[linear_sum_assignment(costs)].sum())


def matched_suprema(distances: Distances, height: float, signs: Floats) -> Floats:
    r"""The supremum for each row of signs, exactly: the smaller side is matched, and each unmatched object costs h.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        All distances of the objects.
    height : float
        The bound h of the functions.
    signs : ndarray of shape (m, n)
        Rows of :math:`\pm 1`.

    Returns
    -------
    ndarray of shape (m,)
        The suprema.

    Examples
    --------
    >>> matched_suprema(np.array([[0.0, 4.0], [4.0, 0.0]]), 3.0, np.array([[1.0, -1.0], [1.0, 1.0]]))
    array([4., 6.])
    """
    near = np.minimum(distances, 2 * height)
    matched = np.array([matching_cost(near[np.ix_(row > 0, row < 0)]) for row in signs])
    surplus: Floats = np.abs(signs.sum(axis=1))
    return matched + height * surplus


def moved_suprema(distances: Distances, height: float, owner: Indices, signs: Floats) -> Floats:
    r"""The supremum for each row of signs if every object is moved to one of a few centres.

    Parameters
    ----------
    distances : ndarray of shape (k, k)
        The distances of the centres.
    height : float
        The bound h of the functions.
    owner : ndarray of shape (n,)
        The number of the centre that each object is moved to.
    signs : ndarray of shape (m, n)
        Rows of :math:`\pm 1`.

    Returns
    -------
    ndarray of shape (m,)
        The suprema, by an optimal transport between centres for each row.

    Examples
    --------
    >>> moved_suprema(np.array([[0.0, 4.0], [4.0, 0.0]]), 3.0, np.array([0, 0, 1]), np.array([[1.0, 1.0, -1.0]]))
    array([7.])
    """
    near = np.minimum(distances, 2 * height)
    amounts = np.zeros((len(signs), len(near)))
    for place, row in enumerate(signs):
        amounts[place] = np.bincount(owner, weights=row, minlength=len(near))
    return np.array([_transport_cost(near, height, row) for row in amounts])


def _transport_cost(near: Distances, height: float, amounts: Floats) -> float:
    """The transport cost of signed amounts, with the base point as one more target or source that balances them."""
    sources, targets = np.flatnonzero(amounts > 0), np.flatnonzero(amounts < 0)
    surplus = float(amounts.sum())
    costs = near[np.ix_(sources, targets)]
    supplies, demands = amounts[sources], -amounts[targets]
    if surplus > 0:
        costs, demands = np.column_stack([costs, np.full(len(sources), height)]), np.append(demands, surplus)
    elif surplus < 0:
        costs, supplies = np.vstack([costs, np.full(len(targets), height)]), np.append(supplies, -surplus)
    return transport(costs, supplies, demands).value

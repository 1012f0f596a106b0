r"""How well a function with Lipschitz constant 1 that stays within :math:`\pm h` follows given signs: by matching or transport.

.. math:: \sup_{L(f) \le 1, \|f\|_\infty \le h} \sum_i a_i f(x_i)

is the cost of bringing what is positive to where it is negative in the metric :math:`\min\{d, 2h\}`, while a base point at
distance h from all objects takes the surplus (the dual of the Arens-Eells norm; von Luxburg & Bousquet 2004, Lemma 4): a function
is of this kind iff it has Lipschitz constant 1 in that metric and is 0 at the base point. ``distances`` are those of a metric.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

from wideberth.arrays import Floats, Indices
from wideberth.guarantees.transport import transport
from wideberth.metrics.metric import Distances


def matching_cost(costs: Distances) -> float:
    """The cost of the cheapest matching that leaves no object of the smaller side alone.

    >>> matching_cost(np.array([[1.0, 2.0, 9.0], [1.0, 9.0, 9.0]]))
    3.0
    """
    return float(costs[linear_sum_assignment(costs)].sum())


def matched_suprema(distances: Distances, height: float, signs: Floats) -> Floats:
    r"""The supremum for each row of ``signs``, :math:`\pm 1`: everyone of the smaller side is matched, the others cost h each.

    >>> matched_suprema(np.array([[0.0, 4.0], [4.0, 0.0]]), 3.0, np.array([[1.0, -1.0], [1.0, 1.0]]))
    array([4., 6.])
    """
    near = np.minimum(distances, 2 * height)
    matched = np.array([matching_cost(near[np.ix_(each > 0, each < 0)]) for each in signs])
    surplus: Floats = np.abs(signs.sum(axis=1))
    return matched + height * surplus


def moved_suprema(distances: Distances, height: float, owner: Indices, signs: Floats) -> Floats:
    """The supremum for each row of ``signs`` if every object is moved to its ``owner``, whose ``distances`` these are.

    >>> moved_suprema(np.array([[0.0, 4.0], [4.0, 0.0]]), 3.0, np.array([0, 0, 1]), np.array([[1.0, 1.0, -1.0]]))
    array([7.])
    """
    near = np.minimum(distances, 2 * height)
    amounts = np.zeros((len(signs), len(near)))
    for place, each in enumerate(signs):
        amounts[place] = np.bincount(owner, weights=each, minlength=len(near))
    return np.array([_transport_cost(near, height, each) for each in amounts])


def _transport_cost(near: Distances, height: float, amounts: Floats) -> float:
    """The cost with the base point as one more source or target, whichever is short of something."""
    sources, targets = np.flatnonzero(amounts > 0), np.flatnonzero(amounts < 0)
    surplus = float(amounts.sum())
    costs = near[np.ix_(sources, targets)]
    supplies, demands = amounts[sources], -amounts[targets]
    if surplus > 0:
        costs, demands = np.column_stack([costs, np.full(len(sources), height)]), np.append(demands, surplus)
    elif surplus < 0:
        costs, supplies = np.vstack([costs, np.full(len(targets), height)]), np.append(supplies, -surplus)
    return transport(costs, supplies, demands).value

r"""How far a body of rows and a ball reaches: upper bounds of :math:`\max \langle q, x \rangle`, each with a proof by duality.

For the body :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}` with :math:`b \ge 0`, and any :math:`\lambda \ge 0`,

.. math:: \langle q, x \rangle \le \Big\langle q + \sum_j \lambda_j a_j,\ x \Big\rangle + \lambda \cdot b
          \le r \Big| q + \sum_j \lambda_j a_j \Big| + \lambda \cdot b,

and the least of these bounds is the maximum. Without offsets b it is one projection on a cone.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from wideberth.solvers.knowledge.projection_kernels import project

Floats = NDArray[np.float64]

ROUNDS = 2  # of reweighting: the first is within sqrt(2) of the maximum, the second within some per cent


def reach(directions: Floats, radius: float, query: Floats) -> float:
    r"""The maximum of :math:`\langle q, w \rangle` over :math:`\{w : a_j \cdot w \ge 0, |w| \le r\}`; ``query`` has length 1.

    >>> float(reach(np.array([[1.0, 0.0]]), 2.0, np.array([0.0, 1.0]))), float(reach(np.eye(2), 2.0, np.array([-1.0, 0.0])))
    (2.0, 0.0)
    """
    if not len(directions):
        return radius
    return radius * project(directions, query, np.empty(len(directions)))


def reach_with_offsets(directions: Floats, offsets: Floats, radius: float, query: Floats) -> float:
    r"""A bound of :math:`\langle q, x \rangle` over :math:`\{x : a_j \cdot x \ge -b_j, |x| \le r\}`, near the maximum.

    The sum of a norm and a linear term is minimised by weighted squares: for :math:`t, u > 0` it is at most half of
    :math:`r |q + A'\lambda|^2 / t + r t + (\lambda \cdot b)^2 / u + u`, with equality at the right t and u; each round is one
    projection on a cone in one dimension more.

    >>> bound = reach_with_offsets(np.array([[-1.0, 0.0]]), np.array([0.5]), 2.0, np.array([1.0, 0.0]))
    >>> 0.5 <= bound < 0.53
    True
    """
    best = radius
    if not len(directions):
        return best
    multipliers = np.empty(len(directions))
    lifted, aim = np.column_stack([directions, offsets]), np.append(query, 0.0)
    weight = 1 / radius
    for _ in range(ROUNDS):
        lifted[:, -1] = weight * offsets
        project(lifted, aim, multipliers)
        length, price = float(np.linalg.norm(query + multipliers @ directions)), float(multipliers @ offsets)
        best = min(best, radius * length + price)
        if min(length, price) <= 1e-12 * max(length, price):
            break
        weight = np.sqrt(length / (radius * price))
    return best


def rows_implying(directions: Floats, query: Floats) -> list[int]:
    r"""The rows that together imply :math:`\langle q, w \rangle \ge 0`: those with a weight in q as their sum (Farkas' lemma).

    >>> rows_implying(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), np.array([2.0, 3.0]))
    [0, 1]
    """
    if not len(directions):
        return []
    weights, _ = nnls(directions.T, query)
    return [int(row) for row in np.flatnonzero(weights > 1e-9 * weights.max())]

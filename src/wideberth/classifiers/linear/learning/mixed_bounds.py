"""Lower bounds of the robust hinge from multipliers at several points: mixed, they prove more than those at one."""

import math
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats

#: Steps of the search for the best shares.
_STEPS = 500


class Linearisation(NamedTuple):
    r"""What multipliers :math:`\alpha` at a point prove: the losses are at least :math:`a - q - \langle g, w \rangle` for all w.

    Attributes
    ----------
    linear : float
        :math:`a = \sum \alpha`.
    quadratic : float
        :math:`q = \sum \alpha^2 / 2 w`, over the losses before and after edits.
    gradient : ndarray of shape (features, k)
        g; the multipliers are balanced, so that intercepts have none.
    """

    linear: float
    quadratic: float
    gradient: Floats


def largest_bound(pieces: list[Linearisation], ridge: float, box: float) -> float:
    r"""The largest lower bound that mixtures and multiples of linearisations prove.

    A mixture of lower bounds is one. At a kink, where several changes are equally bad, the gradient at a point is that of one of
    them and far from 0; mixed with those of points nearby it is not. Shares are those of the best bound without a box.

    Parameters
    ----------
    pieces : list of Linearisation
        At least one.
    ridge : float
        The price of squared coefficients.
    box : float
        The largest coefficient; may be infinite.

    Returns
    -------
    float

    Examples
    --------
    >>> left, right = (Linearisation(1.0, 0.25, np.array([[slope]])) for slope in (-1.0, 1.0))
    >>> round(largest_bound([left], 1.0, math.inf), 3), round(largest_bound([left, right], 1.0, math.inf), 3)
    (0.5, 0.938)
    """
    if ridge < np.finfo(np.float64).tiny:  # no coefficient is too large: no loss is negative, and no more is known
        return 0.0
    gradients = np.array([piece.gradient.ravel() for piece in pieces])
    offsets = np.array([[piece.linear, piece.quadratic] for piece in pieces])
    shares = _best_shares(gradients, offsets[:, 0] - offsets[:, 1], ridge)
    mixtures = [shares, np.full(len(pieces), 1.0 / len(pieces)), np.eye(len(pieces))[0]]
    return max(_bound(mixture @ offsets, np.abs(mixture @ gradients), ridge, box) for mixture in mixtures)


def _best_shares(gradients: Floats, offsets: Floats, ridge: float) -> Floats:
    """Shares of sum 1 with the largest bound without a box: projected steps up a concave quadratic."""
    products = gradients @ gradients.T / (4.0 * ridge)
    steepest = 2.0 * float(np.linalg.eigvalsh(products)[-1])
    shares = np.full(len(offsets), 1.0 / len(offsets))
    for _ in range(_STEPS if steepest > 0 and len(offsets) > 1 else 0):
        moved = shares + (offsets - 2.0 * products @ shares) / steepest
        ordered = np.sort(moved)[::-1]
        excess = (np.cumsum(ordered) - 1.0) / np.arange(1, len(moved) + 1)
        shares = np.maximum(moved - excess[ordered > excess][-1], 0.0)
    return np.asarray(shares / shares.sum())


def _bound(offsets: Floats, size: Floats, ridge: float, box: float) -> float:
    """The largest bound of multiples of multipliers, by their linear and quadratic part and the size of their gradient."""
    linear, quadratic = float(offsets[0]), float(offsets[1])

    def bound(scale: float) -> float:
        inside = scale * size <= 2.0 * ridge * box
        lost = float(((scale * size[inside]) ** 2).sum()) / (4.0 * ridge)
        if math.isfinite(box):
            lost += float((scale * size[~inside] * box - ridge * box**2).sum())
        return scale * linear - scale**2 * quadratic - lost

    return max(map(bound, np.linspace(0.5, 1.5, 101).tolist()))

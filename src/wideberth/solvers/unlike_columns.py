"""A choice among violated columns: those that say something the others do not."""

import numpy as np

from wideberth.solvers.distance_point import Floats, Indices

#: Objects at which columns are compared, evenly spread over the sample.
_COMPARED = 500
#: How much of its excess a column loses that is a multiple of one chosen before: not all, because the guess is not exact.
_LOSS = 0.9
#: A column is chosen only while its excess is at least this share of the largest.
_LEAST = 0.1
#: What is left of a column, relative to its square, that is nothing but rounding.
_ROUNDING = 1e-9


def unlike_columns(block: Floats, signs: Floats, excess: Floats, count: int) -> Indices:
    r"""Up to ``count`` of the columns of a block, of large ``excess`` and unlike each other.

    Satisfying one violated column changes the prices of all that are like it. So each choice takes from the excess of the others
    what a step along it would, by orthogonal projection:
    :math:`e_k \gets e_k - 0.9\, e_p \langle c_k, c_p \rangle / \langle c_p, c_p \rangle`, with the columns centred, each times
    the sign of its price, and made orthogonal to those chosen. Near-equal columns, as from neighbours, would make the
    program several times as large and gain nothing.

    >>> unlike_columns(np.array([[0.0, 0.1, 2.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]), np.ones(3), np.array([1.0, 0.9, 0.5]), 2)
    array([0, 2])
    """
    rows = np.linspace(0, len(block) - 1, min(len(block), _COMPARED)).astype(np.intp)
    left = block[rows] * signs
    left -= left.mean(axis=0)
    squares = np.einsum("ij,ij->j", left, left)
    excess, least = excess.copy(), _LEAST * excess.max()
    chosen: list[int] = []
    while len(chosen) < count:
        best = int(excess.argmax())
        if excess[best] <= least:
            break
        chosen.append(best)
        column, gain = left[:, best].copy(), excess[best]
        if column @ column > _ROUNDING * squares[best]:
            along = (column @ left) / (column @ column)
            excess -= _LOSS * gain * along
            left -= np.outer(column, along)
        excess[best] = -np.inf
    return np.array(chosen, dtype=np.intp)

"""Linear program of the smallest slope in a span of columns, which grows by pairs of objects and
restarts from its last basis.
"""

from dataclasses import dataclass

import highspy
import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.optimize.simplex import PRIMAL, empty_program, solved


@dataclass(frozen=True, eq=False)
class SpanVertex:
    r"""An optimum of the program over the pairs so far.

    Attributes
    ----------
    coefficients : ndarray of shape (p,)
        The coefficients :math:`\beta` of the function.
    intercept : float
        Its intercept b.
    slope : float
        Its slope L on the pairs so far.
    multipliers : ndarray of shape (n,)
        The dual multiplier a of each object.
    pair_multipliers : ndarray of shape (pairs,)
        The dual multiplier :math:`\lambda` of each pair.
    value : float
        The value of the program, which the multipliers prove: a lower bound for all pairs.
    """

    coefficients: Floats
    intercept: float
    slope: float
    multipliers: Floats
    pair_multipliers: Floats
    value: float


class SpanProgram:
    r"""Minimise :math:`L + \sum_j u_j \xi_j` subject to :math:`y_j (r_j'\beta + b) \geq 1 - \xi_j`
    and
    :math:`q'\beta \leq L` for the pairs q added so far.

    Solved in its dual form, maximise :math:`\sum_j a_j` subject to :math:`0 \leq a_j \leq u_j`,
    :math:`y'a = 0`, :math:`\sum_j a_j y_j r_j = \sum_q \lambda_q q`, :math:`\lambda \geq 0` and
    :math:`\sum_q \lambda_q \leq 1`: it has as many rows as the span has dimensions, however many
    objects and pairs there are. New pairs leave the last basis feasible, so the primal simplex
    method continues from there. A program over some of the pairs has at most the value of the
    program over all.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        The values r of the p columns at each object.
    signs : ndarray of shape (n,)
        The side y of each object, -1 or 1.

    Attributes
    ----------
    n_pairs : int
        The number of pairs so far.

    Examples
    --------
    >>> program = SpanProgram(
    ...     np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    ... )  # the column x at -1 and 1
    >>> program.set_upper(np.full(2, 10.0))
    >>> program.add(np.array([[1.0]]))  # it rises by 2 over the distance 2
    >>> round(program.solve(np.inf).value, 9)  # f(x) = x
    1.0
    """

    def __init__(self, rows: Floats, signs: Floats) -> None:
        n, self._p = rows.shape
        self._n, self.n_pairs = n, 0
        self._highs = empty_program()
        nothing = np.empty(0, dtype=np.int32)
        for _ in range(self._p + 1):
            self._highs.addRow(0.0, 0.0, 0, nothing, np.empty(0))
        self._highs.addRow(-highspy.kHighsInf, 1.0, 0, nothing, np.empty(0))
        self._add_columns(
            np.hstack([rows, np.ones((n, 1))]) * signs[:, None],
            np.arange(self._p + 1),
            cost=-1.0,
            upper=0.0,
        )

    def set_upper(self, upper: Floats) -> None:
        """Set the prices u of slack, which are the upper bounds of the multipliers; infinite for a
        hard margin.
        """
        self._highs.changeColsBounds(
            self._n, np.arange(self._n, dtype=np.int32), np.zeros(self._n), upper
        )

    def add(self, pairs: Floats) -> None:
        """Add pairs of objects.

        Parameters
        ----------
        pairs : ndarray of shape (pairs, p)
            One pair q in each row: by how much each column rises between its two objects, divided
            by their distance.
        """
        entries = np.hstack([-pairs, np.ones((len(pairs), 1))])
        self._add_columns(
            entries, np.append(np.arange(self._p), self._p + 1), cost=0.0, upper=highspy.kHighsInf
        )
        self.n_pairs += len(pairs)

    def solve(self, deadline: float) -> SpanVertex | None:
        """Solve the program over the pairs so far.

        Parameters
        ----------
        deadline : float
            A time of ``time.monotonic`` at which to stop.

        Returns
        -------
        SpanVertex or None
            The optimum; None if it was not found in time.
        """
        if not solved(self._highs, deadline, PRIMAL):
            return None
        found = self._highs.getSolution()
        point, duals = np.maximum(np.array(found.col_value), 0.0), -np.array(found.row_dual)
        function = duals[: self._p], float(duals[self._p]), max(float(duals[self._p + 1]), 0.0)
        return SpanVertex(
            *function, point[: self._n], point[self._n :], -self._highs.getObjectiveValue()
        )

    def _add_columns(self, entries: Floats, rows: Indices, cost: float, upper: float) -> None:
        """Add a variable for each row of ``entries``, which are its coefficients in the ``rows`` of
        the program.
        """
        count, width = entries.shape
        starts = np.arange(0, entries.size, width, dtype=np.int32)
        places = np.tile(rows.astype(np.int32), count)
        costs, uppers = np.full(count, cost), np.full(count, upper)
        self._highs.addCols(
            count, costs, np.zeros(count), uppers, entries.size, starts, places, entries.ravel()
        )

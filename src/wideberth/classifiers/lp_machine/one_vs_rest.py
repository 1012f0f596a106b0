"""The linear programs of an LP machine, one for each class against the rest, and the error if one
of them has no hard margin.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.classifiers.lp_machine.program import DistanceProgram
from wideberth.classifiers.lp_machine.radial_columns import RadialColumns, References
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Merged
from wideberth.optimize.solution import Solution
from wideberth.rounding import SOLVER_ERROR, TIE_BREAK

#: The most objects of each mixture that an error names.
_MOST_NAMED = 4


def classes_with_function(n_classes: int) -> range:
    """List the classes that have a function of their own: none of one, the second of two, all of
    more.

    Examples
    --------
    >>> (
    ...     list(classes_with_function(1)),
    ...     list(classes_with_function(2)),
    ...     list(classes_with_function(3)),
    ... )
    ([], [1], [0, 1, 2])
    """
    return range(n_classes) if n_classes > 2 else range(1, n_classes)


@dataclass(frozen=True)
class Problem:
    """What the programs of all functions have in common: the training objects and the columns on
    them.

    Attributes
    ----------
    columns : RadialColumns
        The columns, with their distances.
    references : References
        The references of the columns.
    merged : Merged
        The training objects with equal ones merged.
    given : ndarray of shape (n,)
        The weights of the merged objects without those of the classes.
    n_classes : int
        The number of classes.
    """

    columns: RadialColumns
    references: References
    merged: Merged
    given: Floats
    n_classes: int

    @cached_property
    def signs(self) -> Floats:
        """The side of each object for each function, -1 or 1, shape (functions, n)."""
        classes = np.array(classes_with_function(self.n_classes), dtype=np.intp)
        return np.where(self.merged.codes == classes[:, None], 1.0, -1.0)

    def units(self, critical_prices: Sequence[float] | Floats) -> Floats:
        """The unit of C for each function: its critical price, corrected for the weights of the
        classes.

        The programs contain weights multiplied by ``class_weight``. These should change the price
        of errors of a class, but not the unit in which C is given, so that the critical price is
        rescaled to the weights before that.

        Parameters
        ----------
        critical_prices : sequence of float
            The critical price of each function, for the weights in the program.

        Returns
        -------
        ndarray of shape (functions,)
            The units, for the weight ``given`` of the lighter side.
        """
        lighter, counted = (
            np.minimum((self.signs > 0) @ weights, (self.signs < 0) @ weights)
            for weights in (self.given, self.merged.weights)
        )
        return np.asarray(critical_prices, dtype=np.float64) * counted / lighter

    def tie_breaks(self, is_constant: Flags) -> Floats:
        """Small additions to the constant functions of several classes, in proportion to the
        weights of the classes.

        Parameters
        ----------
        is_constant : ndarray of bool of shape (functions,)
            Which functions have no coefficient.

        Returns
        -------
        ndarray of shape (functions,)
            What to add to the intercepts; 0 for one function of two classes.
        """
        if self.n_classes <= 2:
            return np.zeros(len(is_constant))
        weights = np.bincount(self.merged.codes, weights=self.merged.weights)
        return np.where(is_constant, TIE_BREAK * weights / weights.sum(), 0.0)


@dataclass(frozen=True)
class OneVsRest:
    """The exact programs of all functions.

    Attributes
    ----------
    problem : Problem
        What all programs share.
    programs : list of DistanceProgram
        One for each function.
    units : ndarray of shape (functions,)
        The unit of C of each program.
    labels : ndarray of shape (k,)
        The labels of the classes, for error messages.
    positions : ndarray of shape (n,)
        The positions of the objects in X, for error messages.
    """

    problem: Problem
    programs: list[DistanceProgram]
    units: Floats
    labels: NDArray[Any]
    positions: Indices

    def solve(self, C: float, max_time: float | None) -> list[Solution]:
        """Solve all programs for one value of C.

        Programs continue from their last solution; ascending values of C are cheapest.

        Parameters
        ----------
        C : float
            The price of errors in the unit of each program, infinite for the hard margin.
        max_time : float or None
            Seconds for all programs; each gets an equal share of the time that is left.

        Returns
        -------
        list of Solution
            One for each function, its point a `DistancePoint`.

        Raises
        ------
        InvalidInput
            If there is no hard margin; the witness names two mixtures of objects that no function
            separates.
        """
        end = math.inf if max_time is None else time.monotonic() + max_time
        found = []
        for place, (program, unit) in enumerate(zip(self.programs, self.units, strict=True)):
            now = time.monotonic()
            deadline = now + (end - now) / (len(self.programs) - place)
            found.append(
                self._hard_margin(place, deadline)
                if math.isinf(C)
                else program.solve(C * unit, deadline=deadline)
            )
        return found

    def _hard_margin(self, place: int, deadline: float) -> Solution:
        found = self.programs[place].hard_margin(deadline=deadline)
        if found.status == "infeasible":
            positive = self.problem.signs[place] > 0
            distances_only = all(
                radial.name == "distance" for radial in self.problem.columns.radials
            )
            labels = self.labels[self.problem.merged.codes]
            raise no_hard_margin_error(
                found.point.multipliers,
                positive,
                labels,
                self.positions,
                distances_only=distances_only,
            )
        return found


def no_hard_margin_error(
    multipliers: Floats,
    positive: Flags,
    labels: NDArray[Any],
    positions: Indices,
    *,
    distances_only: bool,
) -> InvalidInput:
    r"""Build the error for objects that no function of the columns separates, from the witness of
    Farkas.

    The multipliers are not negative, add up to one half on either side, and :math:`\sum_j a_j y_j
    c_k(x_j) = 0` for all columns: 2a are the shares of two mixtures, one of each side, with the
    same mean of every column. Every function of the columns then has the same mean on both
    mixtures, and cannot be positive on one side and negative on the other.

    Parameters
    ----------
    multipliers : ndarray of shape (n,)
        The witness a.
    positive : ndarray of bool of shape (n,)
        The side of each object.
    labels : ndarray of shape (n,)
        The label of each object.
    positions : ndarray of shape (n,)
        The position of each object in X.
    distances_only : bool
        Whether all columns are distances, and not other radial functions; for the wording.

    Returns
    -------
    InvalidInput
        The error, with the heaviest objects of both mixtures as its witness and their shares as its
        value.
    """
    mixed = [np.flatnonzero((multipliers > SOLVER_ERROR) & side) for side in (positive, ~positive)]
    named = [_heaviest_first(side, multipliers) for side in mixed]
    pairs = zip(named, mixed, strict=True)
    first, second = (
        _mixture_in_words(shown, len(side), multipliers, labels, positions) for shown, side in pairs
    )
    mean = "mean distance" if distances_only else "mean of every radial function of the distance"
    chosen = np.concatenate(named)
    return InvalidInput(
        f"There is no hard margin: to every reference, the {mean} of {first} equals that of "
        f"{second}.",
        advice="Take a finite C, another radial function, or more references; equal objects need "
        "equal labels.",
        witness=tuple(positions[chosen].tolist()),
        value=2.0 * multipliers[chosen],
    )


def _heaviest_first(side: Indices, multipliers: Floats) -> Indices:
    """The objects of one side with the largest multipliers, in decreasing order; at most
    `_MOST_NAMED`.
    """
    return side[np.argsort(-multipliers[side], kind="stable")][:_MOST_NAMED]


def _mixture_in_words(
    named: Indices, count: int, multipliers: Floats, labels: NDArray[Any], positions: Indices
) -> str:
    """Name the objects of a mixture with labels and shares in percent; ``count`` is the number of
    all its objects.
    """
    if count == 1:
        return f"object {positions[named[0]]} ({labels[named[0]].item()!r})"
    shown = [
        f"{positions[row]} ({labels[row].item()!r}, {200.0 * multipliers[row]:.3g} %)"
        for row in named
    ]
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"the objects {', '.join(shown)}{more}"


def combined_solution(solutions: Sequence[Solution], points: Sequence[Any]) -> Solution:
    """Combine the solutions of programs that share no variable: values and lower bounds add up.

    Parameters
    ----------
    solutions : sequence of Solution
        The solutions of the programs.
    points : sequence
        What to keep as the point of each.

    Returns
    -------
    Solution
        Its point is the tuple of ``points``; its status is the first that is not "optimal", if any.

    Examples
    --------
    >>> both = combined_solution(
    ...     [Solution(None, 2.0, 2.0, "optimal"), Solution(None, 3.0, 1.0, "stopped")],
    ...     points=["f", "g"],
    ... )
    >>> both.point, both.value, both.gap, both.status
    (('f', 'g'), 5.0, 2.0, 'stopped')
    """
    unfinished = [solution.status for solution in solutions if solution.status != "optimal"]
    value, lower = (
        float(sum(getattr(solution, name) for solution in solutions))
        for name in ("value", "lower_bound")
    )
    return Solution(tuple(points), value, lower, unfinished[0] if unfinished else "optimal")

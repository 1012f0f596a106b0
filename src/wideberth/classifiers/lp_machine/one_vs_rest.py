"""The programs of an LP machine, one for each class against the rest, and why one of them has no hard margin."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags, Floats, Indices
from wideberth.classifiers.lp_machine.columns import RadialColumns
from wideberth.classifiers.lp_machine.program import DistanceProgram
from wideberth.classifiers.lp_machine.references import References
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Merged
from wideberth.optimize.solution import Solution

#: A share of a mixture below this is rounding.
_NO_SHARE = 1e-9
#: The most objects of each mixture that an error names.
_MOST_NAMED = 4


def classes_with_function(n_classes: int) -> range:
    """The classes that get a function of their own: none of one, the second of two, all of more."""
    return range(n_classes) if n_classes > 2 else range(1, n_classes)


def price_unit(program: DistanceProgram, positive: Flags, given: Floats, weights: Floats) -> float:
    """The critical price, for the weights ``given`` on the lighter side instead of the ``weights`` in the program.

    These are multiplied by those of the classes, which are to change what errors of a class cost, and not the unit of that.
    """
    lighter, counted = (min(total @ positive, total @ ~positive) for total in (given, weights))
    return float(program.critical_price * counted / lighter)


@dataclass(frozen=True)
class OneVsRest:
    """The programs and their units of C, what they have in common, and the labels and positions that errors name."""

    columns: RadialColumns
    references: References
    programs: list[DistanceProgram]
    units: list[float]
    merged: Merged
    labels: NDArray[Any]
    positions: Indices

    def solve(self, C: float, max_time: float | None) -> list[Solution]:
        """The solutions for C in the unit of each program, infinite for the hard margin.

        Each program has an equal share of the time that is left. Ascending C is cheapest.
        """
        end = math.inf if max_time is None else time.monotonic() + max_time
        found = []
        for place, (program, unit) in enumerate(zip(self.programs, self.units, strict=True)):
            now = time.monotonic()
            deadline = now + (end - now) / (len(self.programs) - place)
            found.append(self._hard_margin(place, deadline) if math.isinf(C) else program.solve(C * unit, deadline=deadline))
        return found

    def _hard_margin(self, place: int, deadline: float) -> Solution:
        found = self.programs[place].hard_margin(deadline=deadline)
        if found.status == "infeasible":
            positive = self.merged.codes == classes_with_function(len(self.labels))[place]
            distances_only = all(radial.name == "distance" for radial in self.columns.radials)
            labels = self.labels[self.merged.codes]
            raise no_hard_margin_error(found.point.multipliers, positive, labels, self.positions, distances_only=distances_only)
        return found


def no_hard_margin_error(
    multipliers: Floats, positive: Flags, labels: NDArray[Any], positions: Indices, *, distances_only: bool
) -> InvalidInput:
    r"""The error for objects that no function of the columns separates, from the witness of Farkas.

    The multipliers are not negative, add up to one half on either side, and :math:`\sum_j a_j y_j c_k(x_j) = 0` for all columns:
    2a are the shares of two mixtures, one of each side, with the same mean of every column. ``plain`` says that the columns are
    distances.
    """
    mixed = [np.flatnonzero((multipliers > _NO_SHARE) & side) for side in (positive, ~positive)]
    named = [_heaviest_first(side, multipliers) for side in mixed]
    pairs = zip(named, mixed, strict=True)
    first, second = (_mixture_in_words(shown, len(side), multipliers, labels, positions) for shown, side in pairs)
    mean = "mean distance" if distances_only else "mean of every radial function of the distance"
    chosen = np.concatenate(named)
    return InvalidInput(
        f"There is no hard margin: to every reference, the {mean} of {first} equals that of {second}.",
        advice="Take a finite C, another radial function, or more references; equal objects need equal labels.",
        witness=tuple(positions[chosen].tolist()),
        value=2.0 * multipliers[chosen],
    )


def _heaviest_first(side: Indices, multipliers: Floats) -> Indices:
    return side[np.argsort(-multipliers[side], kind="stable")][:_MOST_NAMED]


def _mixture_in_words(named: Indices, count: int, multipliers: Floats, labels: NDArray[Any], positions: Indices) -> str:
    if count == 1:
        return f"object {positions[named[0]]} ({labels[named[0]].item()!r})"
    shown = [f"{positions[row]} ({labels[row].item()!r}, {200.0 * multipliers[row]:.3g} %)" for row in named]
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"the objects {', '.join(shown)}{more}"


def combined_solution(solutions: Sequence[Solution], points: Sequence[Any]) -> Solution:
    """Programs that share no variable as one: its point the tuple of ``points``, values and lower bounds added up.

    >>> both = combined_solution([Solution(None, 2.0, 2.0, "optimal"), Solution(None, 3.0, 1.0, "stopped")], points=["f", "g"])
    >>> both.point, both.value, both.gap, both.status
    (('f', 'g'), 5.0, 2.0, 'stopped')
    """
    unfinished = [solution.status for solution in solutions if solution.status != "optimal"]
    value, lower = (float(sum(getattr(solution, name) for solution in solutions)) for name in ("value", "lower_bound"))
    return Solution(tuple(points), value, lower, unfinished[0] if unfinished else "optimal")

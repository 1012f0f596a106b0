"""The programs of an LP machine: one for two classes, for more one for each class against the rest, on the same distances."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.classifiers.inseparable import no_hard_margin
from wideberth.classifiers.lp_machine_references import References
from wideberth.estimators.training import Merged
from wideberth.geometry.radial_columns import RadialColumns
from wideberth.optimize.solution import Solution
from wideberth.solvers.distance_program import DistanceProgram

Floats = NDArray[np.float64]


def function_of(n_classes: int) -> range:
    """The classes that get a function of their own: none of one, the second of two, all of more."""
    return range(n_classes) if n_classes > 2 else range(1, n_classes)


def unit_of_price(program: DistanceProgram, positive: NDArray[np.bool_], given: Floats, weights: Floats) -> float:
    """The critical price, for the weights ``given`` on the lighter side instead of the ``weights`` in the program.

    These are multiplied by those of the classes, which are to change what errors of a class cost, and not the unit of that.
    """
    lighter, counted = (min(each @ positive, each @ ~positive) for each in (given, weights))
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
    positions: NDArray[np.intp]

    def solve(self, C: float, max_time: float | None) -> list[Solution]:
        """The solutions for C in the unit of each program, infinite for the hard margin.

        Each program has an equal share of the time that is left. Ascending C is cheapest.
        """
        end = math.inf if max_time is None else time.monotonic() + max_time
        found = []
        for place, (program, unit) in enumerate(zip(self.programs, self.units, strict=True)):
            now = time.monotonic()
            deadline = now + (end - now) / (len(self.programs) - place)
            found.append(self._hard(place, deadline) if math.isinf(C) else program.solve(C * unit, deadline=deadline))
        return found

    def _hard(self, place: int, deadline: float) -> Solution:
        found = self.programs[place].hard_margin(deadline=deadline)
        if found.status == "infeasible":
            positive = self.merged.codes == function_of(len(self.labels))[place]
            plain = all(each.name == "distance" for each in self.columns.radials)
            labels = self.labels[self.merged.codes]
            raise no_hard_margin(found.point.multipliers, positive, labels, self.positions, plain=plain)
        return found


def together(solutions: Sequence[Solution], points: Sequence[Any]) -> Solution:
    """Programs that share no variable as one: its point the tuple of ``points``, values and lower bounds added up.

    >>> both = together([Solution(None, 2.0, 2.0, "optimal"), Solution(None, 3.0, 1.0, "stopped")], points=["f", "g"])
    >>> both.point, both.value, both.gap, both.status
    (('f', 'g'), 5.0, 2.0, 'stopped')
    """
    unfinished = [each.status for each in solutions if each.status != "optimal"]
    value, lower = (float(sum(getattr(each, name) for each in solutions)) for name in ("value", "lower_bound"))
    return Solution(tuple(points), value, lower, unfinished[0] if unfinished else "optimal")

"""What every solver returns, an answer and the proof of how good it is, and the warning where the proof falls short."""

from dataclasses import dataclass
from math import inf, isinf
from typing import Any

from wideberth.errors import GapWarning, warn_user


@dataclass(frozen=True, eq=False)
class Solution:
    """A feasible point of a minimisation, its value, and a proved lower bound on the value of every feasible point.

    ``status`` is ``"optimal"`` where the solver proved that nothing better exists, and otherwise says in a few words what was
    done. The optimum lies between ``lower_bound`` and ``value``; where the bound is the value of a larger program that HiGHS
    solved, up to its tolerances.

    >>> found = Solution(point=[True, False, True], value=2.0, lower_bound=1.6, status="rounded")
    >>> round(found.gap, 3), round(found.relative_gap, 3), round(found.ratio, 3)
    (0.4, 0.2, 1.25)
    """

    point: Any
    value: float
    lower_bound: float
    status: str

    @property
    def gap(self) -> float:
        """How far the value can be from the optimum: value - lower bound."""
        return self.value - self.lower_bound

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the value; 0 where there is none."""
        return self.gap / abs(self.value) if self.value else (0.0 if self.gap <= 0 else inf)

    @property
    def ratio(self) -> float:
        """The value over the lower bound: at most this many times the optimum. Infinite where the bound is not positive.

        >>> Solution(point=[], value=0.0, lower_bound=0.0, status="optimal").ratio
        1.0
        """
        if self.gap <= 0:
            return 1.0
        return self.value / self.lower_bound if self.lower_bound > 0 else inf


def warn_of_gap(solution: Solution, tol: float) -> None:
    """Warn if the relative gap is above ``tol``."""
    if isinf(solution.value):
        problem = f"Nothing feasible was found ({solution.status}): the labels predicted mean little."
    elif solution.relative_gap > tol * (1 + 1e-6):
        problem = (
            f"The relative gap is {solution.relative_gap:.2g}, above tol={tol:g} ({solution.status}): "
            f"the value {solution.value:.6g} is proved to be within {solution.gap:.2g} of the best."
        )
    else:
        return
    warn_user(problem, GapWarning)

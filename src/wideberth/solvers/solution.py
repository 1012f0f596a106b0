"""What every solver returns: an answer and the proof of how good it is."""

from dataclasses import dataclass
from math import inf
from typing import Any


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

"""`Solution`, what every solver returns: a point and the proof of how good it is; and the warning
if the proof falls short.
"""

from dataclasses import dataclass
from math import inf, isinf
from typing import Any

from wideberth.errors import GapWarning, warn_user
from wideberth.wording import setting


@dataclass(frozen=True, eq=False)
class Solution:
    """A feasible point of a minimisation problem, its value, and a proved lower bound on the value
    of every feasible point.

    The optimum lies between ``lower_bound`` and ``value``; if the bound is the value of another
    program that HiGHS solved, up to the tolerances of HiGHS.

    Attributes
    ----------
    point : object
        What was found, of a type that the solver documents.
    value : float
        The value of the point; infinite if no feasible point was found.
    lower_bound : float
        No feasible point has a smaller value; infinite if there is none.
    status : str
        "optimal" if the solver proved that nothing better exists, at least up to its tolerance;
        otherwise a few words on how the point was found or why the solver stopped.

    Examples
    --------
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
        """value - lower_bound: by how much the value can be above the optimum."""
        return self.value - self.lower_bound

    @property
    def relative_gap(self) -> float:
        """The gap divided by the absolute value. If the value is 0: 0 without a gap, otherwise
        infinite.
        """
        return self.gap / abs(self.value) if self.value else (0.0 if self.gap <= 0 else inf)

    @property
    def ratio(self) -> float:
        """value / lower_bound: the value is at most this many times the optimum.

        1 if there is no gap, infinite if there is one and the bound is not positive.

        Examples
        --------
        >>> Solution(point=[], value=0.0, lower_bound=0.0, status="optimal").ratio
        1.0
        """
        if self.gap <= 0:
            return 1.0
        return self.value / self.lower_bound if self.lower_bound > 0 else inf


def warn_of_gap(solution: Solution, tol: float) -> None:
    """Warn with `wideberth.errors.GapWarning` if a solver stopped before it reached its tolerance.

    An infinite value leads to a warning whatever the tolerance.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_gap(
    ...         Solution([], value=2.0, lower_bound=1.9, status="stopped at max_time"), tol=0.01
    ...     )
    >>> print(caught[0].message)
    The relative gap is 0.05, above tol=0.01 (stopped at max_time): the value 2 is proved to be within 0.1 of the best.
    """
    if isinf(solution.value):
        problem = (
            f"Nothing feasible was found ({solution.status}): the labels predicted mean little."
        )
    elif solution.relative_gap > tol * (1 + 1e-6):
        problem = (
            f"The relative gap is {solution.relative_gap:.2g}, above "
            f"{setting('tol', shown=f'{tol:g}')} ({solution.status}): the value "
            f"{solution.value:.6g} is proved to be within {solution.gap:.2g} of the best."
        )
    else:
        return
    warn_user(problem, GapWarning)

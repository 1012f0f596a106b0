"""Say it where a solver stopped before the gap was closed."""

import math
import warnings

from wideberth.errors import GapWarning
from wideberth.solvers.solution import Solution


def warn_of_gap(solution: Solution, tol: float) -> None:
    """Warn if the relative gap is above ``tol``; called from a step of ``_learn``, it points at the line that called ``fit``."""
    if math.isinf(solution.value):
        problem = f"Nothing feasible was found ({solution.status}): the labels predicted mean little."
    elif solution.relative_gap > tol * (1 + 1e-6):
        problem = (
            f"The relative gap is {solution.relative_gap:.2g}, above tol={tol:g} ({solution.status}): "
            f"the value {solution.value:.6g} is proved to be within {solution.gap:.2g} of the best."
        )
    else:
        return
    warnings.warn(problem, GapWarning, stacklevel=5)

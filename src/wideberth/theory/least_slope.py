"""The Lipschitz classifier in a span of distance functions, by its true slope (von Luxburg & Bousquet 2004, 5.3)."""

import math
from typing import Any

import numpy as np

from wideberth.classifiers.linear.steepest_pairs import SteepestPairs
from wideberth.classifiers.linear.subspace import LipschitzSubspace
from wideberth.classifiers.lp_machine.radial_columns import RadialColumns
from wideberth.estimators.radial_functions import Radial
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as metric_named
from wideberth.optimize.solution import Solution

#: Distances that are kept while the program is solved.
_MEMORY = 10**8


def least_slope(
    X: Any, signs: Any, metric: str | Metric = "euclidean", *, references: Any = None, C: float = math.inf
) -> Solution:
    r"""Minimise the slope of :math:`f = \sum_j \beta_j d(z_j, \cdot) + b` on a sample, plus the price of its errors.

    .. math:: \min_f\ \max_{x, x'} \frac{|f(x) - f(x')|}{d(x, x')} + C \sum_i \max(0, 1 - y_i f(x_i))

    The LP machine minimises :math:`\sum_j |\beta_j|`, which is at least the slope (Example 3: 4 instead of 2); here it is the
    slope itself, on the objects of the sample.

    Parameters
    ----------
    X : sequence
        Objects.
    signs : array-like of shape (n,)
        Their classes, 1 or -1.
    metric : str or Metric
        The distance.
    references : sequence, optional
        The objects z; those of X by default.
    C : float
        The price of errors; infinite for the hard margin.

    Returns
    -------
    Solution
        With ``point.slope``, and ``status`` "infeasible" where no such function separates the classes.

    Examples
    --------
    >>> round(least_slope([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1]).point.slope, 6)  # from -1 at 1 to 1 at 3
    1.0
    """
    chosen = metric_named(metric)
    objects = chosen.prepare(X)
    known = objects if references is None else chosen.prepare(references)
    limits: dict[str, Any] = {"max_memory": _MEMORY, "n_jobs": 1}
    columns = RadialColumns(objects, known, chosen, [Radial("distance")], **limits)
    labels = np.asarray(signs, dtype=np.float64)
    return LipschitzSubspace(columns, SteepestPairs(objects, chosen, **limits), labels, np.ones(len(labels))).solve(C)

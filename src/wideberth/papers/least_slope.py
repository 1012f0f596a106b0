"""The Lipschitz classifier in a span of distance functions, by its true slope (von Luxburg &
Bousquet 2004, 5.3).
"""

import math
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.classifiers.lp_machine.problem import RadialColumns
from wideberth.errors import InvalidInput
from wideberth.estimators.radial_expansions import Radial
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as metric_named
from wideberth.objects import sample
from wideberth.optimize.solution import Solution
from wideberth.papers.subspace_program import LipschitzSubspace

#: Distances that are kept while the program is solved.
_MEMORY = 10**8


def least_slope(
    X: Any,
    signs: Any,
    metric: str | Metric = "euclidean",
    *,
    references: Any = None,
    C: float = math.inf,
) -> Solution:
    r"""Minimise the slope of :math:`f = \sum_j \beta_j d(z_j, \cdot) + b` on a sample, plus the
    price of its errors.

    .. math:: \min_f\ \max_{x, x'} \frac{|f(x) - f(x')|}{d(x, x')} + C \sum_i \max(0, 1 - y_i
        f(x_i))

    The LP machine minimises :math:`\sum_j |\beta_j|`, which is at least the slope (Example 3: 4
    instead of 2); here it is the slope itself, on the objects of the sample.

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
        With ``point.slope``, and ``status`` "infeasible" where no such function separates the
        classes.

    Examples
    --------
    >>> round(
    ...     least_slope([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1]).point.slope, 6
    ... )  # from -1 at 1 to 1 at 3
    1.0
    """
    chosen = metric_named(metric)
    objects = chosen.prepare(X)
    known = objects if references is None else chosen.prepare(references)
    limits: dict[str, Any] = {"max_memory": _MEMORY, "n_jobs": 1}
    columns = RadialColumns(objects, known, chosen, [Radial("distance")], **limits)
    labels = np.asarray(signs, dtype=np.float64)
    distances = pairwise_distances(objects, metric=chosen)
    return LipschitzSubspace(columns, distances, labels, np.ones(len(labels))).solve(C)


class LeastSlopeFunction:
    r"""The function of `least_slope` on all objects; its sign is the class, and it is a classifier
    of two classes by its slope.

    Parameters
    ----------
    X, signs, metric, references, C
        As for `least_slope`.

    Attributes
    ----------
    solution : Solution
        What `least_slope` found.
    slope : float
        The slope on the sample; 1 / slope is the margin of Theorem 5. Beyond the sample f can be
        steeper (Example 3), up to the sum of the coefficients, ``solution.point.norm``.

    Raises
    ------
    InvalidInput
        If no function of the span separates the classes.

    Examples
    --------
    >>> f = LeastSlopeFunction([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1])
    >>> f([[1.5], [2.5]]).round(6)
    array([-0.5,  0.5])
    """

    def __init__(
        self,
        X: Any,
        signs: Any,
        metric: str | Metric = "euclidean",
        *,
        references: Any = None,
        C: float = math.inf,
    ) -> None:
        self._metric = metric_named(metric)
        self.solution = least_slope(X, signs, self._metric, references=references, C=C)
        if self.solution.status == "infeasible":
            raise InvalidInput(
                "No sum of distances to the references separates the classes.",
                advice="Pass a finite price C of errors, or more references.",
                value=C,
            )
        point = self.solution.point
        self.slope: float = point.slope
        self._chosen = sample.pick(
            sample.hold(X if references is None else references), point.coefficients.indices
        )

    def __call__(self, X: Any) -> Floats:
        """Compute the values of the function at objects."""
        point = self.solution.point
        if not len(point.coefficients.indices):
            return np.full(sample.count(X), point.intercept)
        found: Floats = (
            pairwise_distances(X, self._chosen, self._metric) @ point.coefficients.values
            + point.intercept
        )
        return found

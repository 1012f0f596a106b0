"""All functions of Hilbertian metrics that are Hilbertian again, from weights and rates."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Metric, Promises
from wideberth.metrics.parameters import is_number
from wideberth.metrics.transforms.known import closed
from wideberth.metrics.transforms.metric_preserving import TransformedMetric, positive

#: Below this, sqrt(1 - exp(-t^2)) is t to the last digit, also where the square of t would vanish.
_STRAIGHT_BELOW = 1e-8


class Schoenberg(TransformedMetric):
    r"""A metric in which far is far, at one rate or at several: of t = d(x, y) the function

    .. math:: F(t) = \Big( a\, t^2 + \sum_k w_k \big(1 - e^{-r_k t^2}\big) \Big)^{1/2}

    with weights :math:`w_k > 0`, rates :math:`r_k > 0` and :math:`a \ge 0`. With a = 0, one weight 2 and one rate r it is the
    distance that the Gaussian kernel :math:`e^{-r d^2}` measures; with several, that of a sum of Gaussian kernels.

    It keeps Hilbertian metrics Hilbertian, and sums of these terms, with integrals as their limits, are all functions that do
    (Schoenberg 1938; Hein, Bousquet & Schoelkopf 2005, Theorem 4, whose :math:`\gamma` jumps by :math:`w_k r_k` at
    :math:`r_k` and by a at 0). It keeps the triangle inequality of any metric: F increases, and it is subadditive although not
    always concave, because F(|x - y|) is Hilbertian on the line and so a metric there. It is bounded, by
    :math:`(\sum_k w_k)^{1/2}`, if a = 0, and otherwise if d is. A metric that is of negative type alone need not stay so,
    as neither F nor :math:`F^2` is a Bernstein function: put its root inside, ``power(metric, 0.5)``, which is Hilbertian.
    Whether F mends what the metric lacks is not known in general.

    Short distances become nearly :math:`(a + \sum_k w_k r_k)^{1/2}\, t`, so it is a uniform local isometry.

    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> far = Schoenberg(Euclidean(), weights=[9, 16], rates=[1, 0.1])
    >>> far([0.0], [1000.0]), far.hilbertian
    (5.0, True)

    Parameters
    ----------
    metric : Metric
        The metric of which it is a function.
    weights : sequence of positive numbers
        What each term adds to the square of a long distance.
    rates : sequence of positive numbers
        As many: :math:`1 / \sqrt{r_k}` is the distance at which two thirds of the term's weight are gone.
    linear : float
        What of the square of the distance stays, so that the farthest objects are still told apart; 0 for a bounded metric.
    """

    call = "schoenberg"

    def __init__(self, metric: Metric, weights: Sequence[float], rates: Sequence[float], linear: float = 0.0) -> None:
        _check_several(weights, "weights")
        _check_several(rates, "rates")
        if len(weights) != len(rates):
            raise InvalidInput(
                f"There are {len(weights)} weights and {len(rates)} rates.",
                advice="Each weight needs its rate, in the same order.",
                value=(weights, rates),
            )
        if not is_number(linear) or not 0 <= linear < np.inf:
            raise InvalidInput(f"linear={linear!r} is no number from 0 on.", advice="0 makes it bounded.", value=linear)
        self.weights = weights
        self.rates = rates
        self.linear = linear
        self._wrap(metric)

    @property
    def promises(self) -> Promises:
        inner = closed(self.metric.promises)
        return closed(
            Promises(
                obeys_triangle=inner.obeys_triangle or None,
                hilbertian=inner.hilbertian or None,
                bounded=inner.bounded if self.linear else True,
                separates=inner.separates,
            )
        )

    @property
    def slope_at_zero(self) -> float:
        """The root of a and all :math:`w_k r_k` together."""
        roots = (math.sqrt(weight) * math.sqrt(rate) for weight, rate in zip(self.weights, self.rates, strict=True))
        return math.hypot(math.sqrt(self.linear), *roots)

    def _of(self, distances: Distances) -> Distances:
        with np.errstate(over="ignore"):
            squared = distances * distances
        far = self.linear * squared if self.linear else np.zeros_like(distances)
        for weight, rate in zip(self.weights, self.rates, strict=True):
            far -= weight * np.expm1(-rate * squared)
        np.sqrt(far, out=far)
        short = distances < _STRAIGHT_BELOW / math.sqrt(max(self.rates))
        far[short] = self.slope_at_zero * distances[short]
        if self.linear:
            vast = np.isinf(squared)
            far[vast] = np.hypot(math.sqrt(self.linear) * distances[vast], math.sqrt(sum(self.weights)))
        return far


def _check_several(values: Any, name: str) -> None:
    several = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(several, list | tuple) or not several:
        raise InvalidInput(
            f"{name}={values!r} are not one or more positive numbers.", advice=f"Pass a list: {name}=[2.0].", value=values
        )
    for place, value in enumerate(several):
        positive(value, f"{name}[{place}]", "To leave a term out, give it no weight and no rate.")

"""Schoenberg's functions, which keep Hilbertian metrics Hilbertian: roots of sums of terms w (1 -
exp(-r t^2)).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Metric, Promises
from wideberth.metrics.parameters import nonnegative, positive
from wideberth.metrics.transforms.promise_rules import closed
from wideberth.metrics.transforms.transformed_metric import TransformedMetric
from wideberth.wording import setting

#: For t below this, sqrt(1 - exp(-t^2)) equals t in float64; the formula would fail where the
#: square of t underflows.
_STRAIGHT_BELOW = 1e-8


class Schoenberg(TransformedMetric):
    r"""A metric that approaches a limit at one or several rates: for t = d(x, y) the function

    .. math:: F(t) = \Big( a\, t^2 + \sum_k w_k \big(1 - e^{-r_k t^2}\big) \Big)^{1/2}

    with weights :math:`w_k > 0`, rates :math:`r_k > 0` and :math:`a \ge 0`. With a = 0, one weight
    2 and one rate r it is the distance that the Gaussian kernel :math:`e^{-r d^2}` measures; with
    several, that of a sum of Gaussian kernels.

    It keeps Hilbertian metrics Hilbertian, and sums of these terms, with integrals as their limits,
    are all functions that do (Schoenberg 1938; Hein, Bousquet & Schoelkopf 2005, Theorem 4, whose
    :math:`\gamma` jumps by :math:`w_k r_k` at :math:`r_k` and by a at 0). It keeps the triangle
    inequality of any metric: F increases, and it is subadditive although not always concave,
    because F(|x - y|) is Hilbertian on the line and so a metric there. It is bounded, by
    :math:`(\sum_k w_k)^{1/2}`, if a = 0, and otherwise if d is. A metric that is of negative type
    alone need not stay so, as neither F nor :math:`F^2` is a Bernstein function: put its root
    inside, ``power(metric, 0.5)``, which is Hilbertian. Whether it has a property that the inner
    metric lacks is not known in general.

    Short distances become nearly :math:`(a + \sum_k w_k r_k)^{1/2}\, t`, so it is a uniform local
    isometry.

    Parameters
    ----------
    metric : Metric
        The inner metric d.
    weights : sequence of positive numbers
        The weights :math:`w_k`: what each term adds to the square of a long distance.
    rates : sequence of positive numbers
        The rates :math:`r_k`, as many: at distance :math:`1 / \sqrt{r_k}` a term has reached 1 -
        1/e, about 0.63, of its weight.
    linear : float, default=0.0
        The coefficient a of the squared distance, 0 or more. If positive, very long distances still
        differ; 0 makes the metric bounded.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> limited = Schoenberg(Euclidean(), weights=[9, 16], rates=[1, 0.1])
    >>> limited([0.0], [1000.0]), limited.hilbertian
    (5.0, True)
    """

    call = "schoenberg"

    def __init__(
        self, metric: Metric, weights: Sequence[float], rates: Sequence[float], linear: float = 0.0
    ) -> None:
        _check_several(weights, "weights")
        _check_several(rates, "rates")
        if len(weights) != len(rates):
            raise InvalidInput(
                f"There are {len(weights)} weights and {len(rates)} rates.",
                advice="Each weight needs its rate, in the same order.",
                value=(weights, rates),
            )
        self.weights = weights
        self.rates = rates
        self.linear = nonnegative(
            linear,
            "The coefficient linear of 'schoenberg'",
            "0 makes it bounded.",
            parameter="linear",
        )
        self._wrap(metric)

    @property
    def promises(self) -> Promises:
        """The triangle inequality, Hilbertian and separating if the inner metric is; bounded if
        ``linear`` is 0.
        """
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
        """The square root of the sum of a and all :math:`w_k r_k`."""
        roots = (
            math.sqrt(weight) * math.sqrt(rate)
            for weight, rate in zip(self.weights, self.rates, strict=True)
        )
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
            far[vast] = np.hypot(
                math.sqrt(self.linear) * distances[vast], math.sqrt(sum(self.weights))
            )
        return far


def _check_several(values: Any, name: str) -> None:
    """Raise an error unless the values are a list, tuple or array of one or more positive
    numbers.
    """
    several = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(several, list | tuple) or not several:
        raise InvalidInput(
            f"{setting(name, values)} are not one or more positive numbers.",
            advice=f"Pass a list: {setting(name, [2.0])}.",
            value=values,
        )
    for position, value in enumerate(several):
        positive(
            value,
            f"{name}[{position}]",
            "To leave a term out, give it no weight and no rate.",
            parameter=name,
        )

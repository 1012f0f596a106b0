"""Transforms of metrics that are still metrics, and know which promises they keep.

>>> near = cap("levenshtein", 10)
>>> near.obeys_triangle, near.bounded
(True, True)
>>> power("manhattan", 0.5).hilbertian  # the square root of a metric of negative type
True

Each takes names, metrics or functions of two objects, like `wideberth.metric`, and returns a `wideberth.Metric`; they nest.
Parameters of the metrics inside are reached by name, and searched by scikit-learn: ``metric__p`` of ``cap("minkowski", 10)``,
``metrics__0__p`` in a `total`, ``parts__place__p`` for the part "place" of a `product`; a classifier puts one more ``metric__``
before them.

`metric_from_kernel` makes a metric out of a kernel instead.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.transforms.kernel_metric import Kernel, KernelMetric
from wideberth.metrics.transforms.metric_preserving import Capped, OneMinusExp, Power, Saturated, Scaled
from wideberth.metrics.transforms.product_metric import Product
from wideberth.metrics.transforms.schoenberg import Schoenberg
from wideberth.metrics.transforms.sum_and_maximum import Largest, Sum

__all__ = [
    "cap",
    "largest",
    "metric_from_kernel",
    "one_minus_exp",
    "power",
    "product",
    "saturate",
    "scale",
    "schoenberg",
    "total",
]

AnyMetric = str | Metric | Callable[[Any, Any], float]

#: The classes that a model file can name, by the functions below. A name, once written, keeps its meaning.
TRANSFORMS: dict[str, type[Metric]] = {
    each.call: each for each in (Scaled, Capped, Power, Saturated, OneMinusExp, Schoenberg, Sum, Largest, Product)
}


def scale(metric: AnyMetric, factor: float) -> Scaled:
    """The metric times a factor: another unit. See `Scaled`.

    >>> scale("euclidean", 0.37)([0, 0], [300, 400])
    185.0
    """
    return Scaled(as_metric(metric), factor)


def cap(metric: AnyMetric, at: float) -> Capped:
    """The metric, but never more than ``at``: one wild value counts no more than that. See `Capped`.

    >>> cap("levenshtein", 3)("tea", "marmalade")
    3.0
    """
    return Capped(as_metric(metric), at)


def power(metric: AnyMetric, exponent: float) -> Power:
    """The metric to a power, its snowflake if the exponent is below 1. See `Power`.

    >>> power("euclidean", 0.5)([0.0], [16.0])
    4.0
    """
    return Power(as_metric(metric), exponent)


def saturate(metric: AnyMetric) -> Saturated:
    """The metric squeezed into [0, 1) by t / (1 + t): trusted while it is small. See `Saturated`.

    >>> saturate("euclidean")([0.0], [3.0])
    0.75
    """
    return Saturated(as_metric(metric))


def one_minus_exp(metric: AnyMetric, rate: float = 1.0) -> OneMinusExp:
    """The metric squeezed into [0, 1) by 1 - exp(-rate t): trusted while it is small. See `OneMinusExp`.

    >>> one_minus_exp("euclidean", rate=100.0)([0.0], [3.0])
    1.0
    """
    return OneMinusExp(as_metric(metric), rate)


def schoenberg(metric: AnyMetric, weights: Sequence[float], rates: Sequence[float], linear: float = 0.0) -> Schoenberg:
    """The root of a sum of terms w (1 - exp(-r t^2)) and linear t^2: Hilbertian if the metric is. See `Schoenberg`.

    >>> schoenberg("euclidean", weights=[4], rates=[0.1])([0.0], [300.0])
    2.0
    """
    return Schoenberg(as_metric(metric), weights, rates, linear)


def metric_from_kernel(
    kernel: Kernel,
    *,
    blocks: bool = False,
    name: str | None = None,
    accepts: Kind = "objects",
    bounded: bool | None = None,
    separates: bool | None = None,
) -> KernelMetric:
    """The Hilbertian metric that a positive definite kernel measures in its feature space. See `KernelMetric`.

    >>> metric_from_kernel(lambda one, other: one * other)(3, 8)
    5.0
    """
    return KernelMetric(kernel, blocks=blocks, name=name, accepts=accepts, bounded=bounded, separates=separates)


def total(*metrics: AnyMetric) -> Sum:
    """The sum of metrics on the same objects. See `Sum`.

    >>> total("manhattan", "chebyshev")([0, 0], [3, 4])
    11.0
    """
    return Sum(tuple(map(as_metric, metrics)))


def largest(*metrics: AnyMetric) -> Largest:
    """The largest of several metrics on the same objects. See `Largest`.

    >>> largest("manhattan", scale("chebyshev", 10))([0, 0], [3, 4])
    40.0
    """
    return Largest(tuple(map(as_metric, metrics)))


def product(parts: Mapping[Hashable, AnyMetric], weights: Mapping[Hashable, float] | None = None, p: float = 1) -> Product:
    """A weighted combination of metrics on parts of an object: columns of a table, values of a dict or a tuple. See `Product`.

    >>> product({"name": "levenshtein", "age": "euclidean"}, weights={"age": 0.1})(
    ...     {"name": "Ann", "age": 20}, {"name": "Anna", "age": 50}
    ... )
    4.0
    """
    return Product({key: as_metric(each) for key, each in parts.items()}, weights, p)

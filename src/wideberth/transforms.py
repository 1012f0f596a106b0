"""Functions that make new metrics out of metrics, and know which promises the new ones keep.

>>> near = cap("levenshtein", 10)
>>> near.obeys_triangle, near.bounded
(True, True)
>>> power("manhattan", 0.5).hilbertian  # the square root of a metric of negative type
True

Each takes names, metrics or functions of two objects, like `wideberth.metric`, and returns a
`wideberth.Metric`, which can be transformed again. Parameters of the inner metrics are set by name,
also by scikit-learn's searches: ``metric__p`` of ``cap("minkowski", 10)``, ``metrics__0__p`` in a
`total`, ``parts__place__p`` for the part "place" of a `product`; in a classifier they have one more
``metric__`` in front.

`metric_from_kernel` makes a metric out of a kernel instead. The classes behind the functions, with
formulas and proofs, are in the modules of `wideberth.metrics.transforms`.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Literal

from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.transforms.embedded import Embedded
from wideberth.metrics.transforms.geodesic import Geodesic
from wideberth.metrics.transforms.kernel_metric import Kernel, KernelMetric
from wideberth.metrics.transforms.mapped_series import Derivative, ZNormalized
from wideberth.metrics.transforms.metric_preserving import (
    Capped,
    OneMinusExp,
    Power,
    Saturated,
    Scaled,
    Schoenberg,
)
from wideberth.metrics.transforms.product_metric import Product
from wideberth.metrics.transforms.sets_of_objects import SetsOfObjects
from wideberth.metrics.transforms.sum_and_maximum import Largest, Sum

__all__ = [
    "cap",
    "derivative",
    "embedded",
    "geodesic",
    "largest",
    "metric_from_kernel",
    "one_minus_exp",
    "power",
    "product",
    "saturate",
    "scale",
    "schoenberg",
    "sets",
    "total",
    "znormalized",
]

#: What every transform takes for a metric, as `wideberth.metric` does.
AnyMetric = str | Metric | Callable[[Any, Any], float]


def scale(metric: AnyMetric, factor: float) -> Scaled:
    """Multiply a metric by a factor, which changes its unit. See `Scaled`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, as in `wideberth.metric`.
    factor : float
        Positive.

    Returns
    -------
    Scaled

    Examples
    --------
    >>> scale("euclidean", 0.37)([0, 0], [300, 400])
    185.0
    """
    return Scaled(as_metric(metric), factor)


def cap(metric: AnyMetric, at: float) -> Capped:
    """Limit a metric to at most ``at``, so that outliers count no more than that. See `Capped`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, as in `wideberth.metric`.
    at : float
        The limit, positive.

    Returns
    -------
    Capped

    Examples
    --------
    >>> cap("levenshtein", 3)("tea", "marmalade")
    3.0
    """
    return Capped(as_metric(metric), at)


def power(metric: AnyMetric, exponent: float) -> Power:
    """Raise a metric to a power; with an exponent below 1 this is called a snowflake. See `Power`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, as in `wideberth.metric`.
    exponent : float
        Positive; up to 1 it keeps the triangle inequality.

    Returns
    -------
    Power

    Examples
    --------
    >>> power("euclidean", 0.5)([0.0], [16.0])
    4.0
    """
    return Power(as_metric(metric), exponent)


def saturate(metric: AnyMetric) -> Saturated:
    """Map a metric into [0, 1) by t / (1 + t), which hardly changes small distances. See
    `Saturated`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, as in `wideberth.metric`.

    Returns
    -------
    Saturated

    Examples
    --------
    >>> saturate("euclidean")([0.0], [3.0])
    0.75
    """
    return Saturated(as_metric(metric))


def one_minus_exp(metric: AnyMetric, rate: float = 1.0) -> OneMinusExp:
    """Map a metric into [0, 1) by 1 - exp(-rate t), which keeps the proportions of small distances.
    See `OneMinusExp`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, as in `wideberth.metric`.
    rate : float, default=1.0
        Positive; the larger, the sooner distances are near 1.

    Returns
    -------
    OneMinusExp

    Examples
    --------
    >>> one_minus_exp("euclidean", rate=100.0)([0.0], [3.0])
    1.0
    """
    return OneMinusExp(as_metric(metric), rate)


def schoenberg(
    metric: AnyMetric, weights: Sequence[float], rates: Sequence[float], linear: float = 0.0
) -> Schoenberg:
    """Take the square root of a sum of terms w (1 - exp(-r t^2)) and linear t^2: Hilbertian if the
    metric is. See `Schoenberg`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, as in `wideberth.metric`.
    weights, rates : sequences of positive numbers
        The numbers w and r of each term: what it adds to the square of a long distance, and how
        soon; at distance 1 / sqrt(r) it has reached 1 - 1/e, about 0.63, of w.
    linear : float, default=0.0
        The coefficient of t^2; 0 makes it bounded.

    Returns
    -------
    Schoenberg

    Examples
    --------
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
    """Make the Hilbertian metric of a positive definite kernel, the distance in its feature space.
    See `KernelMetric`.

    Parameters
    ----------
    kernel : callable
        ``kernel(one, other)`` of two objects, or of two samples if ``blocks`` is True.
    blocks, name, accepts, bounded, separates
        As in `KernelMetric`.

    Returns
    -------
    KernelMetric

    Examples
    --------
    >>> metric_from_kernel(lambda one, other: one * other)(3, 8)
    5.0
    """
    return KernelMetric(
        kernel, blocks=blocks, name=name, accepts=accepts, bounded=bounded, separates=separates
    )


def embedded(
    encode: Any,
    metric: AnyMetric = "angular",
    *,
    name: str | None = None,
    accepts: Kind = "strings",
) -> Embedded:
    """Measure objects by the vectors that an encoder of yours makes of them. See `Embedded`.

    Parameters
    ----------
    encode : callable, or an object with a method ``encode`` or ``transform``
        It gets a list of objects and returns an array with a row of numbers for each.
    metric : str, Metric or callable, default="angular"
        The distance between vectors, as in `wideberth.metric`.
    name, accepts
        As in `Embedded`.

    Returns
    -------
    Embedded

    Examples
    --------
    >>> def letters(texts):
    ...     return [[text.count(letter) for letter in "aeiou"] for text in texts]
    >>> embedded(letters, "euclidean")("tea", "rum")
    1.7320508075688772
    """
    return Embedded(encode, as_metric(metric), name=name, accepts=accepts)


def total(*metrics: AnyMetric) -> Sum:
    """Add metrics on the same objects. See `Sum`.

    Parameters
    ----------
    *metrics : str, Metric or callable
        Two metrics or more, as in `wideberth.metric`.

    Returns
    -------
    Sum

    Examples
    --------
    >>> total("manhattan", "chebyshev")([0, 0], [3, 4])
    11.0
    """
    return Sum(tuple(map(as_metric, metrics)))


def largest(*metrics: AnyMetric) -> Largest:
    """Take the largest of several metrics on the same objects. See `Largest`.

    Parameters
    ----------
    *metrics : str, Metric or callable
        Two metrics or more, as in `wideberth.metric`.

    Returns
    -------
    Largest

    Examples
    --------
    >>> largest("manhattan", scale("chebyshev", 10))([0, 0], [3, 4])
    40.0
    """
    return Largest(tuple(map(as_metric, metrics)))


def product(
    parts: Mapping[Hashable, AnyMetric],
    weights: Mapping[Hashable, float] | None = None,
    p: float = 1,
) -> Product:
    """Combine metrics on parts of an object: columns of a table, values of a dict or a tuple. See
    `Product`.

    Parameters
    ----------
    parts : dict
        The metric of each part, as in `wideberth.metric`, by the name of the column or the position
        in a tuple.
    weights : dict, optional
        The weight of each part, positive; 1 for parts that are not listed.
    p : {1, 2, inf}, default=1
        The order of the norm that combines the parts.

    Returns
    -------
    Product

    Examples
    --------
    >>> product({"name": "levenshtein", "age": "euclidean"}, weights={"age": 0.1})(
    ...     {"name": "Ann", "age": 20}, {"name": "Anna", "age": 50}
    ... )
    4.0
    """
    return Product({key: as_metric(part) for key, part in parts.items()}, weights, p)


def derivative(metric: AnyMetric) -> Derivative:
    """Measure the differences of series from point to point in place of the series: how they rise
    and fall. See `Derivative`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, on series or vectors, or a function of two series.

    Returns
    -------
    Derivative

    Examples
    --------
    >>> derivative("manhattan")([1, 2, 4], [11, 12, 15])  # 1, 2 and 1, 3
    1.0
    >>> derivative(znormalized("euclidean")).name  # differences in units of their own
    'derivative(znormalized(euclidean))'
    """
    return Derivative(as_metric(metric))


def znormalized(metric: AnyMetric) -> ZNormalized:
    """Measure series scaled to mean 0 and standard deviation 1, each alone: their shapes. See
    `ZNormalized`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, on series or vectors, or a function of two series.

    Returns
    -------
    ZNormalized

    Examples
    --------
    >>> znormalized("msm")([1, 2, 1], [10, 30, 10])
    0.0
    """
    return ZNormalized(as_metric(metric))


def geodesic(metric: AnyMetric, neighbors: int = 10) -> Geodesic:
    """Measure the shortest ways over neighbours in the training objects: trust a metric locally.
    See `Geodesic`.

    Parameters
    ----------
    metric : str, Metric or callable
        The inner metric, as in `wideberth.metric`.
    neighbors : int, default=10
        To how many neighbours an object is joined.

    Returns
    -------
    Geodesic

    Examples
    --------
    >>> geodesic("euclidean", neighbors=1).fitted([[0.0], [1.0], [2.0], [9.0]])([0.0], [9.0])
    9.0
    """
    return Geodesic(as_metric(metric), neighbors)


def sets(metric: AnyMetric, how: Literal["hausdorff", "average"] = "hausdorff") -> SetsOfObjects:
    """Compare finite sets of objects by a metric on their members. See `SetsOfObjects`.

    Parameters
    ----------
    metric : str, Metric or callable
        The metric of the members, as in `wideberth.metric`.
    how : {"hausdorff", "average"}, default="hausdorff"
        By the most remote member, or by the mean distance to the nearest one.

    Returns
    -------
    SetsOfObjects

    Examples
    --------
    >>> sets("levenshtein")({"tea", "rum"}, {"tee", "gin"})  # from rum to gin, or tee
    3.0
    """
    return SetsOfObjects(as_metric(metric), how)

"""Functions that make metrics on what objects become: the shapes of series, ways over a sample, sets of objects.

They belong to `wideberth.transforms`, as the functions of one metric and of several do.
"""

from collections.abc import Callable
from typing import Any, Literal

from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.transforms.geodesic import Geodesic
from wideberth.metrics.transforms.mapped_series import Derivative, ZNormalized
from wideberth.metrics.transforms.sets_of_objects import SetsOfObjects

#: What every transform takes for a metric, as `wideberth.metric` does.
AnyMetric = str | Metric | Callable[[Any, Any], float]


def derivative(metric: AnyMetric) -> Derivative:
    """Measure the differences of series from point to point in place of the series: how they rise and fall. See `Derivative`.

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
    """Measure series scaled to mean 0 and standard deviation 1, each alone: their shapes. See `ZNormalized`.

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
    """Measure the shortest ways over neighbours in the training objects: trust a metric locally. See `Geodesic`.

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

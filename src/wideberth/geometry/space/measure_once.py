"""Measure each distance once, where the memory allows it: the decision when a space of objects pays."""

from typing import Any

from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


def space_if_it_fits(
    objects: Any, metric: Metric, *, max_memory: int, n_jobs: int | None = None, appended: int = 0
) -> MetricSpace | None:
    """A `wideberth.MetricSpace` of the objects that keeps all of their distances, or None where it would not pay.

    It does not pay for vectors, which are measured as fast as distances are looked up, and for indices into a matrix or a
    space, which have that already; nor if ``max_memory`` cannot hold all distances, because some would be measured again.

    Parameters
    ----------
    objects : sequence
        Objects of any kind that the metric measures.
    metric : Metric
        How far apart they are.
    max_memory : int
        Bytes that the distances may take.
    n_jobs : int, optional
        Cores that measure, all by default.
    appended : int
        How many objects will be appended to the space.

    Returns
    -------
    MetricSpace or None
        Nothing has been measured yet.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> drinks = ["tea", "tee", "coffee"]
    >>> len(space_if_it_fits(drinks, metric("levenshtein"), max_memory=1000))
    3
    >>> space_if_it_fits(drinks, metric("levenshtein"), max_memory=7) is None
    True
    >>> space_if_it_fits([[0.0], [1.0]], metric("euclidean"), max_memory=1000) is None
    True
    """
    if metric.accepts in ("vectors", "indices"):
        return None
    if distance_bytes(sample.count(objects) + appended, metric) > max_memory:
        return None
    return MetricSpace(objects, metric, max_memory=max_memory, n_jobs=n_jobs)


def distance_bytes(n_objects: int, metric: Metric) -> int:
    """Bytes for all distances of this many objects: one direction of each pair if the metric is symmetric, both if not.

    Whole numbers, such as edits, take two bytes, other distances eight.

    >>> from wideberth.metrics.named import metric
    >>> distance_bytes(1000, metric("levenshtein")), distance_bytes(1000, metric("dtw"))
    (1000000, 8000000)
    """
    whole = metric.promises.step is not None and float(metric.promises.step).is_integer()
    pairs = n_objects**2 // (2 if metric.obeys_triangle else 1)
    return (2 if whole else 8) * pairs

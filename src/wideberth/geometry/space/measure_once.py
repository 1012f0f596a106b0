"""Measure each distance once, where the memory allows it: the decision when a space of objects pays."""

from typing import Any

from wideberth.geometry.measure.pair_table import plain_objects
from wideberth.geometry.measure.remembered_distances import MeasuredOnce
from wideberth.geometry.space.space import TILE_SIZE, MetricSpace, SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


def themselves(objects: Any, metric: Metric) -> tuple[Any, Metric]:
    """Objects as they are, where they are given by their indices, and the metric that takes them so.

    It is for what can be told without measuring: what that metric measures is neither counted nor kept.

    Parameters
    ----------
    objects : sample
        Objects, indexed objects, or indices into a space.
    metric : Metric
        Their metric.

    Returns
    -------
    objects : sample
    metric : Metric

    Examples
    --------
    >>> themselves([1], MetricSpace(["tea", "tee"], "levenshtein").metric)
    (array(['tee'], dtype=object), Levenshtein())
    """
    if isinstance(metric, SpaceMetric):
        return sample.pick(metric.space.objects, metric.prepare(objects)), metric.space.measured_by
    return plain_objects(objects), metric.metric if isinstance(metric, MeasuredOnce) else metric


def space_if_it_fits(
    objects: Any, metric: Metric, *, max_memory: int, n_jobs: int | None = None, appended: int = 0
) -> MetricSpace | None:
    """A `wideberth.MetricSpace` of the objects that keeps all of their distances, or None where it would not pay.

    It does not pay for vectors, which are measured as fast as distances are looked up, and for indices into a matrix or a
    space and for indexed objects, which have that already; nor if ``max_memory`` cannot hold all distances, because some would
    be measured again.

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
    if metric.accepts in ("vectors", "indices") or isinstance(metric, MeasuredOnce):
        return None
    if distance_bytes(sample.count(objects) + appended, metric) > max_memory:
        return None
    return MetricSpace(objects, metric, max_memory=max_memory, n_jobs=n_jobs)


def distance_bytes(n_objects: int, metric: Metric) -> int:
    """Bytes for the tiles of all distances of this many objects: on and above the diagonal if the metric is symmetric.

    Whole numbers, such as edits, take two bytes, other distances eight.

    >>> from wideberth.metrics.named import metric
    >>> distance_bytes(1000, metric("levenshtein")), distance_bytes(1000, metric("dtw"))
    (1250432, 8000000)
    """
    whole = metric.promises.step is not None and float(metric.promises.step).is_integer()
    pairs = n_objects**2
    if metric.obeys_triangle:  # of the tiles on the diagonal both halves are kept
        full, rest = divmod(n_objects, TILE_SIZE)
        pairs = (pairs + full * TILE_SIZE**2 + rest**2) // 2
    return (2 if whole else 8) * pairs

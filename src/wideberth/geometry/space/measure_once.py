"""Measure each distance once, where the memory allows it: the decision when a space of objects
pays.
"""

from pickle import PicklingError
from typing import Any

from wideberth.geometry.measure.remembered_distances import MeasuredOnce, plain_objects
from wideberth.geometry.space.space import TILE_SIZE, MetricSpace, SpaceMetric, _unpickled
from wideberth.metrics.metric import Metric
from wideberth.objects import sample


def themselves(objects: Any, metric: Metric) -> tuple[Any, Metric]:
    """Objects as they are, where they are given by their indices, and the metric that takes them
    so.

    It is for what can be told without measuring: what that metric measures is neither counted nor
    kept.

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
    """A `wideberth.MetricSpace` of the objects that keeps all of their distances, or None where it
    would not pay.

    It does not pay for vectors, which are measured as fast as distances are looked up, and for
    indices into a matrix or a space and for indexed objects, which have that already; nor if
    ``max_memory`` cannot hold all distances, because some would be measured again.

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
    """Bytes for the tiles of all distances of this many objects: on and above the diagonal if the
    metric is symmetric.

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


def keeps_all(metric: Metric) -> bool:
    """Whether a metric keeps distances, and has the memory for all of them.

    >>> from wideberth.metrics.named import metric
    >>> (
    ...     keeps_all(metric("levenshtein")),
    ...     keeps_all(MetricSpace(["tea", "tee"], "levenshtein").metric),
    ... )
    (False, True)
    """
    if isinstance(metric, SpaceMetric):
        return _holds_all(metric.space)
    return isinstance(metric, MeasuredOnce) and metric.table is not None


def space_with_distances(space: MetricSpace) -> tuple[Any, ...]:
    """What pickles a space with the distances that it knows: a function and its arguments, as of
    ``__reduce__``.

    It has no cache: processes elsewhere may not see the directory.

    Parameters
    ----------
    space : MetricSpace
        The space.

    Raises
    ------
    pickle.PicklingError
        If its memory does not hold all of its distances.

    Examples
    --------
    >>> space = MetricSpace(["tea", "tee", "coffee"], "levenshtein")
    >>> distances = space.metric.block(space.index, space.index)
    >>> make, arguments = space_with_distances(space)
    >>> make(*arguments).metric.block([0], [1, 2])
    array([[1., 5.]])
    """
    if not _holds_all(space):
        raise PicklingError("The space has more distances than its memory holds.")
    held = [piece.held for piece in space._members.pieces]
    return _with_distances, (
        held,
        space.measured_by,
        space.max_memory,
        space._store.in_memory(),
        space.distance_calls,
    )


def _holds_all(space: MetricSpace) -> bool:
    return distance_bytes(len(space), space.measured_by) <= space._store.budget


def _with_distances(
    held: list[Any], metric: Metric, max_memory: str | int, tiles: dict[Any, Any], calls: int
) -> MetricSpace:
    space = _unpickled(held, metric, max_memory, None, 1)
    for key, distances in tiles.items():
        with space._store.borrow([key]) as borrowed:
            borrowed[key].merge(distances)
    space._tiled.calls = calls
    return space

"""The metric that looks distances up in a table while a model learns, and measures those that are not there yet."""

import weakref
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from wideberth.geometry.measure.pair_table import IndexedSample, PairTable, plain_objects, table_bytes
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors

#: Nanoseconds from which on a distance of this library is worth keeping: about fifty are looked up in that time. All distances
#: that the user's code measures are kept: only the user knows what they cost.
WORTH_KEEPING = 1_000.0


class MeasuredOnce(Metric):
    """The metric of objects whose distances are kept in a table, for as long as that lasts.

    Distances between two samples of indexed objects are looked up, and measured if they were not yet; all others are measured.
    It has the name, the promises and the bounds of its metric. Without its table, and in a pickled copy, it is no more than
    its metric; libraries that write attributes one by one, such as skops, leave the table out.

    Parameters
    ----------
    metric : Metric
        Measures the objects.
    table : PairTable
        Keeps their distances. It is not kept alive: whoever made it decides how long it lasts.

    Examples
    --------
    >>> numbers, gap = np.array([3.0, 4.0, 9.0]), Metric(lambda left, right: abs(left[:, None] - right))
    >>> table = PairTable(3, gap, max_memory=1000, n_jobs=1)
    >>> objects, metric = IndexedSample(numbers, table, np.arange(3)), MeasuredOnce(gap, table)
    >>> for _ in range(5):
    ...     distances = metric.block(objects.take([0, 1]), objects)
    >>> table.calls
    6
    """

    def __init__(self, metric: Metric, table: PairTable) -> None:
        self.metric = metric
        self.unit = metric.unit
        self._from_user = not metric.built_in
        self._table: weakref.ref[PairTable] | None = weakref.ref(table)

    @property
    def table(self) -> PairTable | None:
        """The table, as long as it lasts."""
        return None if self._table is None else self._table()

    @property
    def accepts(self) -> Kind:  # type: ignore[override]
        """What its metric accepts; while distances are kept "objects", since indexed objects are no vectors to be checked."""
        return self.metric.accepts if self.table is None else "objects"

    @property
    def parallel(self) -> Literal["threads", "processes"] | None:  # type: ignore[override]
        """How its metric runs; while distances are kept not at all: the table measures on all cores itself."""
        return self.metric.parallel if self.table is None else None

    @property
    def name(self) -> str:
        """The name of its metric."""
        return self.metric.name

    @property
    def full_name(self) -> str | None:
        """The full name of its metric."""
        return self.metric.full_name

    @property
    def promises(self) -> Promises:
        """The promises of its metric."""
        return self.metric.promises

    def prepare(self, objects: Any) -> Any:
        """Prepare the objects as its metric does; indexed ones are prepared."""
        return objects if isinstance(objects, IndexedSample) else self.metric.prepare(objects)

    def digests(self, X: Any, prepared: Any) -> Digests | None:
        """Compute the digests of its metric; see `wideberth.Metric.digests`."""
        return self.metric.digests(plain_objects(X), plain_objects(prepared))

    def contents(self, X: Any, prepared: Any) -> Any:
        """Those of its metric; see `wideberth.Metric.contents`."""
        return self.metric.contents(plain_objects(X), plain_objects(prepared))

    def alike_digests(self, prepared: Any) -> Digests | None:
        """Those of its metric; see `wideberth.Metric.alike_digests`."""
        return self.metric.alike_digests(plain_objects(prepared))

    @property
    def dominated(self) -> Mapping[str, float]:
        """By what its metric is bounded."""
        return self.metric.dominated

    def radii_in(self, other: str, radii: Distances, prepared: Any) -> Distances | None:
        """What its metric knows; see `wideberth.Metric.radii_in`."""
        return self.metric.radii_in(other, radii, plain_objects(prepared))

    def distances_after(
        self, other: str, moved: Distances, objects: Any, references: Any, distances: Distances
    ) -> tuple[Distances, Distances] | None:
        """What its metric knows; see `wideberth.Metric.distances_after`."""
        return self.metric.distances_after(other, moved, plain_objects(objects), plain_objects(references), distances)

    @property
    def taught_by(self) -> Digests | None:
        """What its metric was taught by."""
        return self.metric.taught_by

    def distance_errors(self, prepared: Any) -> DistanceErrors:
        """Those of its metric; see `wideberth.Metric.distance_errors`."""
        return self.metric.distance_errors(plain_objects(prepared))

    def nanoseconds(self, prepared: Any) -> float:
        """What its metric takes for one distance: new objects are measured."""
        return self.metric.nanoseconds(plain_objects(prepared))

    def _measure(self, left: Any, right: Any) -> Distances:
        table = self.table
        if table is not None and _in_table(left, table) and _in_table(right, table):
            return table.block(left, right)
        return self.metric.block(plain_objects(left), plain_objects(right))

    def __copy__(self) -> "MeasuredOnce":
        copied: MeasuredOnce = object.__new__(type(self))
        vars(copied).update(vars(self))
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.metric,)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_table": None}

    def __repr__(self) -> str:
        return repr(self.metric)


def measure_once(
    objects: Any, metric: Metric, *, max_memory: int, n_jobs: int | None = None
) -> tuple[Any, Metric, PairTable | None]:
    """Objects and their metric, such that each distance is measured once, if that pays and the memory holds all of them.

    It pays for every distance that the user's code measures, and for those of this library that take a microsecond or more
    (`Metric.nanoseconds`), except between vectors. Distances that are in a matrix or in a space are looked up anyway.

    Parameters
    ----------
    objects : prepared sample
        The objects.
    metric : Metric
        How far apart they are.
    max_memory : int
        Bytes that the distances may take.
    n_jobs : int, optional
        Cores that measure, all by default.

    Returns
    -------
    objects : IndexedSample, or the sample that was given
    metric : MeasuredOnce, or the metric that was given
    table : PairTable or None
        Keep it as long as distances are to be kept; nothing has been measured yet.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> measure_once(np.zeros((2, 3)), metric("euclidean"), max_memory=1000)[2] is None
    True
    """
    n = sample.count(objects)
    if isinstance(metric, MeasuredOnce) or not _worth_keeping(objects, metric) or table_bytes(n) > max_memory:
        return objects, metric, None
    table = PairTable(n, metric, max_memory=max_memory, n_jobs=n_jobs)
    return IndexedSample(objects, table, np.arange(n)), MeasuredOnce(metric, table), table


def index_more(objects: Any, metric: MeasuredOnce) -> Any:
    """Other objects, prepared, with a place in the table of the metric if the memory holds their distances too.

    Parameters
    ----------
    objects : sample
        Such as references, which the objects of the table are measured against again and again.
    metric : MeasuredOnce
        Of the others.

    Returns
    -------
    IndexedSample, or the prepared sample

    Examples
    --------
    >>> gap = Metric(lambda left, right: abs(left[:, None] - right))
    >>> objects, metric, table = measure_once(np.array([3.0, 4.0]), gap, max_memory=1000)
    >>> index_more(np.array([9.0]), metric).indices
    array([2])
    """
    table, prepared = metric.table, metric.metric.prepare(objects)
    more = sample.count(prepared)
    if table is None or not table.has_place_for(more):
        return prepared
    indices = table.grow(more)
    return IndexedSample(prepared, table, indices, first=len(table) - more)


def _worth_keeping(objects: Any, metric: Metric) -> bool:
    if metric.accepts == "indices":
        return False
    if metric.built_in:
        return metric.accepts != "vectors" and metric.nanoseconds(objects) >= WORTH_KEEPING
    return True


def _in_table(objects: Any, table: PairTable) -> bool:
    return isinstance(objects, IndexedSample) and objects.table is table


def _itself(metric: Metric) -> Metric:
    """What a pickled `MeasuredOnce` becomes."""
    return metric

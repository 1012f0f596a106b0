"""Values that go to other processes with the distances that their tables and spaces keep, so that none is measured twice."""

import io
import pickle
import threading
from collections import ChainMap
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from wideberth.extras import import_extra
from wideberth.geometry.measure.pair_table import IndexedSample, PairTable
from wideberth.geometry.measure.remembered_distances import MeasuredOnce
from wideberth.geometry.space.measure_once import space_with_distances
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric


class SentDistances:
    """A value as it is now, with the distances in its `PairTable` and `MetricSpace`, for other processes.

    Otherwise copies in other processes have the objects alone, and measure again. It is pickled once, when it is made: arrays are
    not copied, and a second pickle has the same bytes.

    Parameters
    ----------
    value : object
        What is sent.
    for_all_threads : bool
        Whether all threads that open it may use one copy; otherwise each has its own, which shares the arrays.

    Raises
    ------
    pickle.PicklingError
        If it cannot be pickled, or a space has more distances than its memory holds.

    Examples
    --------
    >>> space = MetricSpace(["tea", "tee", "coffee"], "levenshtein")
    >>> distances = space.metric.block(space.index, space.index)
    >>> sent = pickle.loads(pickle.dumps(SentDistances(space.metric)))
    >>> sent.open().block([0], [1, 2]), sent.open().space.distance_calls == space.distance_calls
    (array([[1., 5.]]), True)
    """

    def __init__(self, value: Any, *, for_all_threads: bool = False) -> None:
        written, buffers = io.BytesIO(), list[pickle.PickleBuffer]()
        try:
            _pickler()(written, protocol=5, buffer_callback=buffers.append).dump(value)
        except (TypeError, AttributeError, RecursionError) as error:  # what pickling raises of locks, files and local objects
            raise pickle.PicklingError(str(error)) from error
        self._receive(written.getvalue(), [buffer.raw() for buffer in buffers], for_all_threads)

    def open(self) -> Any:
        """The value; a second call in the same thread returns the same object."""
        if not hasattr(self._opened, "value"):
            # it comes from the client, as all tasks of a cluster do
            self._opened.value = pickle.loads(self._pickled, buffers=self._buffers)  # noqa: S301  # nosec B301
        return self._opened.value

    def _receive(self, pickled: bytes, buffers: Sequence[Any], for_all_threads: bool) -> None:
        self._pickled, self._buffers, self._for_all_threads = pickled, buffers, for_all_threads
        self._opened: Any = SimpleNamespace() if for_all_threads else threading.local()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        as_sent = pickle.PickleBuffer if protocol >= 5 else bytearray
        return _received, (self._pickled, [as_sent(buffer) for buffer in self._buffers], self._for_all_threads)


def _pickler() -> Any:
    """A class of picklers that write tables and spaces with what they know, and functions of the user."""
    usual = import_extra("cloudpickle", "dask").Pickler
    own = {MeasuredOnce: _measured_once, IndexedSample: _indexed, PairTable: _table_parts, MetricSpace: space_with_distances}
    return type("Pickler", (usual,), {"dispatch_table": ChainMap(own, usual.dispatch_table)})


def _measured_once(metric: MeasuredOnce) -> tuple[Any, ...]:
    return metric.__reduce__() if metric.table is None else (_with_table, (metric.metric, metric.table))


def _indexed(objects: IndexedSample) -> tuple[Any, ...]:
    if objects.table is None:
        return objects.__reduce__()
    return IndexedSample, (objects.around, objects.table, objects.indices, objects.first)


def _table_parts(table: PairTable) -> tuple[Any, ...]:
    return _table, (table.metric, table.max_memory, table._known)


def _received(pickled: bytes, buffers: Sequence[Any], for_all_threads: bool) -> SentDistances:
    sent = object.__new__(SentDistances)
    sent._receive(pickled, buffers, for_all_threads)
    return sent


def _with_table(metric: Metric, table: PairTable) -> MeasuredOnce:
    """It keeps its table alive: nobody else does so there."""
    measured = MeasuredOnce(metric, table)
    vars(measured)["_kept_alive"] = table
    return measured


def _table(metric: Metric, max_memory: int, known: Any) -> PairTable:
    return PairTable(len(known), metric, max_memory=max_memory, n_jobs=1, known=known)

"""Data and work on the workers of a cluster: what is sent, what runs there, and what is lost.

Data are sent once, found again by their contents, and lost by none. Scattered data are gone when
all workers that hold them are. So data are a task, whose only work is to be there: the scheduler
keeps it as long as somebody refers to it, gives it to workers that come later, and computes it
again if all copies are lost.
"""

import io
import pickle
import re
import threading
import time
from collections import ChainMap, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from pickle import PickleBuffer, PicklingError
from types import SimpleNamespace
from typing import Any, NamedTuple, Self
from uuid import uuid4

import cloudpickle
import dask
import numpy as np
from distributed import Client, Future, KilledWorker
from distributed.comm import CommClosedError
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wideberth.errors import LostWork, MissingOnWorkers
from wideberth.geometry.measure.parallel import on_one_core
from wideberth.geometry.measure.remembered_distances import IndexedSample, MeasuredOnce, PairTable
from wideberth.geometry.space.space import MetricSpace, space_with_distances
from wideberth.metrics.metric import Metric
from wideberth.wording import python

#: Seconds that a cluster may be without workers: those that died are started again, and a queue may
#: let new ones wait.
PATIENCE = 300.0
#: How the keys of tasks begin whose only work is to hold data.
DATA = "wideberth-data"

_MEMORY = (
    "give the workers more memory, or start fewer of them on each machine; a collection can be cut "
    "into smaller partitions by repartition, and distances need less by a lower max_memory"
)


@contextmanager
def naming_losses(what: str, on_cluster: bool = True) -> Iterator[None]:
    """Turn the errors of Dask about lost workers, lost schedulers and missing modules into errors
    of this library.

    Workers that died more often than Dask tries again (``distributed.scheduler.allowed-failures``),
    and a scheduler that forgot the work or cannot be reached, are `LostWork`; a module that workers
    or the scheduler cannot import is `MissingOnWorkers`, unless the work is not ``on_cluster``.

    Examples
    --------
    >>> with naming_losses("labels"):
    ...     raise CancelledError("label-1")
    Traceback (most recent call last):
    ...
    wideberth.errors.LostWork: The cluster has forgotten labels: label-1. Its scheduler was lost or restarted, or the ...
    """
    try:
        yield
    except KilledWorker as killed:
        raise _killed(killed, what) from killed
    except CancelledError as reason:
        raise LostWork(
            f"The cluster has forgotten {what}: {_told(reason)}",
            advice="Its scheduler was lost or restarted, or the client was closed, or somebody "
            "cancelled the work. Connect a new client if need be, and call it again.",
            work=what,
            chunks=[],
            times=1,
        ) from reason
    except ValueError as error:  # threads, or another cluster, are asked for what a client has sent that is closed by now
        if DATA not in str(error):
            raise
        raise LostWork(
            f"What {what} are computed from is on the workers of a client that was closed, or that "
            "does not compute them here.",
            advice="Call it again with the client of now: lazy answers are computed by the client "
            "that they were asked for with.",
            work=what,
            chunks=[],
            times=1,
        ) from error
    except CommClosedError as reason:
        raise LostWork(
            f"The connection to the scheduler was lost at {what}: {_told(reason)}",
            advice="See whether the scheduler runs, connect a new client, and call it again.",
            work=what,
            chunks=[],
            times=1,
        ) from reason
    except (ModuleNotFoundError, RuntimeError) as error:
        module = _missing_module(error) if on_cluster else None
        if module is None:
            raise
        raise MissingOnWorkers(
            f"The workers of the cluster, or its scheduler, cannot import the module {module!r}, "
            "which your distance, your objects or your partitions come from.",
            advice="Send it to workers by client.upload_file('path/of/the/module.py'), or install "
            "it where they run.",
            module=module,
        ) from error


def no_workers(what: str) -> LostWork:
    """The error for work that has had no worker for long."""
    return LostWork(
        f"{what} could not be done: the cluster has had no worker that takes work for {PATIENCE:g} "
        "seconds.",
        advice=f"Start workers; if there are some, they wait for memory: {_MEMORY}. "
        f"Without {python('wideberth.scaleout.on')}(client), the work is done on this machine.",
        work=what,
        chunks=[],
        times=1,
    )


def _killed(killed: KilledWorker, what: str) -> LostWork:
    """The error for work whose workers died."""
    times = killed.allowed_failures + 1
    held = " while they received its data" if str(killed.task).startswith(DATA) else ""
    return LostWork(
        f"The workers that computed {what} died{held}, {times} times: {killed.task!r}.",
        advice=f"Their logs tell why. If they ran out of memory, {_MEMORY}. "
        "What was finished is kept where there is a cache: MetricSpace(cache=directory).",
        work=what,
        chunks=[killed.task],
        times=times,
    )


def _told(reason: BaseException) -> str:
    """What an error of Dask says, as the end of a sentence."""
    return f"{str(reason).strip().rstrip('.')}."


def _missing_module(error: BaseException) -> str | None:
    """The module that could not be imported on a worker; a scheduler that could not read a graph
    tells it in words alone.
    """
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, ModuleNotFoundError) and link.name:
            return link.name
        found = re.search(r"No module named '([^']+)'", str(link))
        if found is not None:
            return found[1]
        link = link.__cause__ or link.__context__
    return None


# ---- What runs on a worker: data that are unpacked, and batches of chunks, on one core


def run_batch(pickled_call: bytes, pickled_chunks: bytes, *shipped: Any) -> tuple[list[Any], float]:
    """Call a function for each chunk; its results, and the seconds that took."""
    # both come from the client, as all tasks of Dask do
    function, named, arguments = pickle.loads(pickled_call)  # noqa: S301
    chunks = pickle.loads(pickled_chunks)  # noqa: S301
    values = [value if place is None else shipped[place] for place, value in arguments]
    started = time.perf_counter()
    with on_one_core(), _one_thread():
        results = [function(*values, chunk, **named) for chunk in chunks]
    return results, time.perf_counter() - started


def unpacked(pickled: Any, *buffers: Any) -> Any:
    """A value that `wideberth.scaleout.shipping.pack` has pickled.

    Examples
    --------
    >>> unpacked(pickle.dumps("tea"))
    'tea'
    """
    return pickle.loads(pickled, buffers=buffers)  # noqa: S301


_counting = threading.Lock()
_running = 0
_limits: Any = None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let the libraries of linear algebra use one thread, until the last of several tasks in this
    process has ended.
    """
    global _running, _limits
    with _counting:
        if not _running:
            _limits = threadpool_limits(1)
        _running += 1
    try:
        yield
    finally:
        with _counting:
            _running -= 1
            if not _running:
                _limits.restore_original_limits()


# ---- Data that are sent once

#: Bytes of a pickled argument up to which it is sent with each batch: a task that holds it costs as
#: much.
SENT_ALONG = 16_384
#: Bytes on each worker of what the last work was done on, which the next fit may find. Older data
#: are forgotten.
KEPT = 2**29
#: Bytes of an array from which on it travels beside the pickle, without a copy.
_APART = 65_536
#: Data are sent once for all tasks, so that Dask need not warn of their size.
NO_WARNING = {"distributed.admin.large-graph-warning-threshold": "1TB"}


class Packed(NamedTuple):
    """A pickled value, so that neither the client nor the scheduler need its modules."""

    #: By which equal contents are recognised.
    digest: bytes
    #: The pickle, and the large arrays beside it, which are those of the value.
    frames: list[NDArray[np.uint8]]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return sum(frame.nbytes for frame in self.frames)


class Call(NamedTuple):
    """A function of chunks as it is sent."""

    #: The name of the function.
    name: str
    #: The function, its arguments by keyword, and a list of its positional ones: the place among
    #: the data, or None and the value.
    pickled: bytes
    #: The large arguments.
    data: list[Future]


class Shipping:
    """The data that this client has sent to its cluster.

    Data are recognised by a digest of their pickled contents, so that what was changed in place
    meanwhile is sent again.
    """

    def __init__(self, client: Client) -> None:
        self.bytes_shipped = 0
        self._client = client
        self._shipped: OrderedDict[bytes, tuple[Future, int]] = OrderedDict()  # with their bytes

    def call(self, work: Callable[[Any], Any]) -> Call:
        """Divide a ``functools.partial`` into what is sent with each batch and what is sent once.

        What cannot be pickled is a ``PicklingError``.
        """
        function, given, named = (
            (work.func, work.args, work.keywords) if isinstance(work, partial) else (work, (), {})
        )
        large: dict[bytes, Packed] = {}
        arguments: list[tuple[int | None, Any]] = []
        for value in given:
            packed = pack(value)
            if packed.size <= SENT_ALONG:
                arguments.append((None, value))
            else:
                large.setdefault(packed.digest, packed)
                arguments.append((list(large).index(packed.digest), None))
        pickled = bytes(pack((function, named, arguments), in_one=True).frames[0])
        name = getattr(function, "__name__", type(function).__name__).strip("_")
        data = [self._future(packed) for packed in large.values()]
        self._forget_old(set(large))
        return Call(name, pickled, data)

    def forget(self) -> None:
        """Let the workers drop all data."""
        self._shipped.clear()

    def _future(self, packed: Packed) -> Future:
        if packed.digest not in self._shipped or is_lost(self._shipped[packed.digest][0]):
            self._shipped[packed.digest] = send(self._client, packed), packed.size
            self.bytes_shipped += packed.size
        self._shipped.move_to_end(packed.digest)
        return self._shipped[packed.digest][0]

    def _forget_old(self, needed: set[bytes]) -> None:
        """Keep what is needed now, and of the rest the latest. Tasks under way keep what they
        need.
        """
        total = sum(size for _, size in self._shipped.values())
        for digest in [digest for digest in self._shipped if digest not in needed]:
            if total <= KEPT:
                break
            total -= self._shipped.pop(digest)[1]


def pack(value: Any, *, in_one: bool = False) -> Packed:
    """Pickle a value; large arrays stay beside the pickle unless it shall be in one piece.

    What cannot be pickled is a ``PicklingError``.

    Examples
    --------
    >>> numbers = np.arange(10_000)
    >>> (
    ...     [frame.nbytes for frame in pack(numbers).frames][1:],
    ...     pack(numbers).digest == pack(numbers.copy()).digest,
    ... )
    ([80000], True)
    """
    apart: list[PickleBuffer] = []

    def stays(buffer: PickleBuffer) -> bool:
        if in_one or buffer.raw().nbytes < _APART:
            return True
        apart.append(buffer)
        return False

    try:
        pickled = cloudpickle.dumps(value, protocol=5, buffer_callback=stays)
    except (TypeError, AttributeError, RecursionError) as error:
        # what pickling raises of locks, files and local objects
        raise PicklingError(str(error)) from error
    frames = [
        np.frombuffer(part, dtype=np.uint8)
        for part in (pickled, *(buffer.raw() for buffer in apart))
    ]
    digest = blake2b(digest_size=16)
    for frame in frames:
        digest.update(frame.data)
    return Packed(digest.digest(), frames)


def send(client: Client, packed: Packed) -> Future:
    """A task that holds a value, under a name that no other has: one that has failed would be found
    again.
    """
    # they are sent later, and may change meanwhile
    frames = [packed.frames[0], *map(_copied, packed.frames[1:])]
    with dask.config.set(NO_WARNING):
        return client.submit(unpacked, *frames, key=f"{DATA}-{packed.digest.hex()}-{uuid4().hex}")


def is_lost(future: Future) -> bool:
    """Whether a future will never have a value."""
    return future.status in ("cancelled", "error", "lost")


def _copied(frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A copy that may be written to if the frame may: compiled code knows arrays that may not by
    another type.
    """
    copy = frame.copy()
    copy.flags.writeable = frame.flags.writeable
    return copy


# ---- Values that go to other processes with the distances that their tables and spaces keep, so
# that none is measured twice


class SentDistances:
    """A value as it is now, with the distances in its `PairTable` and `MetricSpace`, for other
    processes.

    Otherwise copies in other processes have the objects alone, and measure again. It is pickled
    once, when it is made: arrays are not copied, and a second pickle has the same bytes. Threads that
    open it each have a copy of their own, which shares the arrays, unless one is for all of them.
    What cannot be pickled, or a space with more distances than its memory holds, is a
    `PicklingError`.

    Examples
    --------
    >>> space = MetricSpace(["tea", "tee", "coffee"], "levenshtein")
    >>> distances = space.metric.block(space.index, space.index)
    >>> sent = pickle.loads(pickle.dumps(SentDistances(space.metric)))
    >>> sent.open().block([0], [1, 2]), sent.open().space.distance_calls == space.distance_calls
    (array([[1., 5.]]), True)
    """

    def __init__(self, value: Any, *, for_all_threads: bool = False) -> None:
        written, buffers = io.BytesIO(), list[PickleBuffer]()
        try:
            _pickler()(written, protocol=5, buffer_callback=buffers.append).dump(value)
        except (TypeError, AttributeError, RecursionError) as error:
            # what pickling raises of locks, files and local objects
            raise PicklingError(str(error)) from error
        self._receive(written.getvalue(), [buffer.raw() for buffer in buffers], for_all_threads)

    def open(self) -> Any:
        """The value; a second call in the same thread returns the same object."""
        if not hasattr(self._opened, "value"):
            # it comes from the client, as all tasks of a cluster do
            self._opened.value = pickle.loads(self._pickled, buffers=self._buffers)  # noqa: S301
        return self._opened.value

    @classmethod
    def _received(cls, *parts: Any) -> Self:
        sent = object.__new__(cls)
        sent._receive(*parts)
        return sent

    def _receive(self, pickled: bytes, buffers: Sequence[Any], for_all_threads: bool) -> None:
        self._pickled, self._buffers, self._for_all_threads = pickled, buffers, for_all_threads
        self._opened: Any = SimpleNamespace() if for_all_threads else threading.local()

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        as_sent = PickleBuffer if protocol >= 5 else bytearray
        return self._received, (
            self._pickled,
            [as_sent(buffer) for buffer in self._buffers],
            self._for_all_threads,
        )


def _pickler() -> Any:
    """A class of picklers that write tables and spaces with what they know, and functions of the
    user.
    """
    usual = cloudpickle.Pickler
    own = {
        MeasuredOnce: _measured_once,
        IndexedSample: _indexed,
        PairTable: _table_parts,
        MetricSpace: space_with_distances,
    }
    return type("Pickler", (usual,), {"dispatch_table": ChainMap(own, usual.dispatch_table)})


def _measured_once(metric: MeasuredOnce) -> tuple[Any, ...]:
    return (
        metric.__reduce__()
        if metric.table is None
        else (_with_table, (metric.metric, metric.table))
    )


def _indexed(objects: IndexedSample) -> tuple[Any, ...]:
    if objects.table is None:
        return objects.__reduce__()
    return IndexedSample, (objects.around, objects.table, objects.indices, objects.first)


def _table_parts(table: PairTable) -> tuple[Any, ...]:
    return _table, (table.metric, table.max_memory, table.known)


def _with_table(metric: Metric, table: PairTable) -> MeasuredOnce:
    """It keeps its table alive: nobody else does so there."""
    measured = MeasuredOnce(metric, table)
    vars(measured)["_kept_alive"] = table
    return measured


def _table(metric: Metric, max_memory: int, known: Any) -> PairTable:
    return PairTable(len(known), metric, max_memory=max_memory, n_jobs=1, known=known)

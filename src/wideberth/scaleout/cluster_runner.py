"""Work on a Dask cluster: the runner that `wideberth.scaleout.on` puts into `over_chunks`, which
makes tasks of batches of chunks; and models and delayed values of collections on its workers.
"""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import cloudpickle
import dask
from dask.delayed import Delayed
from distributed import Client, Future, default_client
from distributed.comm import CommClosedError

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import running_on
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.scaleout import shipping
from wideberth.scaleout.shipping import (
    NO_WARNING,
    Call,
    SentDistances,
    Shipping,
    is_lost,
    naming_losses,
    no_workers,
    pack,
    run_batch,
    send,
)

#: Seconds of work on one core from which on a cluster is worth it.
WORTH_SHIPPING = 2.0
#: Seconds of work in a task: its costs of some 10 ms are few then, and all workers end at about the
#: same time.
BATCH_SECONDS = 0.5
#: Tasks for each core that are submitted ahead of the one whose result is wanted next.
IN_FLIGHT = 3
#: Seconds between two looks at which workers there are, while a result is waited for.
SECONDS_A_LOOK = 2.0


@dataclass
class _Batch:
    """Chunks that are one task: those from ``first`` up to, not including, ``stop``; and the worker
    that it is meant for.
    """

    first: int
    stop: int
    future: Future
    worker: str | None


class ClusterRunner:
    """Runs chunks of work on the workers of a cluster; see
    `wideberth.geometry.measure.parallel.Runner`.

    ``jobs`` are the cores of all workers when work was last sent there, at least 1.
    """

    def __init__(self, client: Client) -> None:
        self.shipping = Shipping(client)
        self._client = client
        with naming_losses("the number of workers"):
            self.jobs = max(1, sum(self._threads().values()))

    @property
    def worth_starting(self) -> float:
        """Seconds of work on one core from which on it is sent there."""
        return WORTH_SHIPPING

    def results(
        self, work: Callable[[Any], Any], chunks: Sequence[Any], seconds_a_chunk: float
    ) -> Iterator[Any]:
        """Yield ``work(chunk)`` for every chunk, in order.

        Chunks are batched into tasks of about `BATCH_SECONDS`, by the time that earlier ones took.
        `IN_FLIGHT` tasks for each core are under way at the same time; workers that join meanwhile
        get theirs.
        """
        run = _Run(self._client, self.shipping.call(work), chunks)
        try:
            while run.begun < len(chunks) or run.waiting:
                with naming_losses(run.named()):
                    threads = self._threads()
                    self.jobs = max(1, sum(threads.values()))
                    while run.begun < len(chunks) and len(run.waiting) < IN_FLIGHT * self.jobs:
                        run.submit(
                            _batch_size(len(chunks) - run.begun, seconds_a_chunk, self.jobs),
                            threads,
                        )
                    found = run.next_results()
                if found is not None:
                    results, seconds = found
                    seconds_a_chunk = seconds / len(results)
                    yield from results
        finally:
            run.waiting.clear()  # tasks that nobody waits for are not begun

    def with_distances(self, value: Any, *, for_all_threads: bool) -> SentDistances:
        """A value for the work of folds, with the distances that it keeps."""
        return SentDistances(value, for_all_threads=for_all_threads)

    def forget(self) -> None:
        """Let the workers drop the data."""
        self.shipping.forget()

    def _threads(self) -> dict[str, int]:
        """How many threads each worker has."""
        try:
            return self._client.nthreads()  # type: ignore[no-any-return]
        except (OSError, RuntimeError) as reason:  # what Dask raises of schedulers that are gone
            raise CommClosedError(str(reason)) from reason


class _Run:
    """The batches of one piece of work that are under way."""

    def __init__(self, client: Client, call: Call, chunks: Sequence[Any]) -> None:
        self.begun = 0
        self.waiting: deque[_Batch] = deque()
        self._client, self._call, self._chunks = client, call, chunks
        self._idle = 0.0  # seconds without a worker

    def submit(self, size: int, threads: dict[str, int]) -> None:
        """Submit the next chunks, for the worker that has least to do: otherwise Dask prefers those
        that hold the data already.

        It may run on another, as when that one has gone.
        """
        first, self.begun = self.begun, min(self.begun + size, len(self._chunks))
        busy = Counter(batch.worker for batch in self.waiting if not batch.future.done())
        worker = min(threads, key=lambda each: busy[each] / max(1, threads[each]), default=None)
        self.waiting.append(
            _Batch(first, self.begun, self._task(first, self.begun, worker), worker)
        )

    def next_results(self) -> tuple[list[Any], float] | None:
        """Wait for the first batch: its results, and the seconds that they took; None if it takes
        longer than a look.
        """
        future = self.waiting[0].future
        try:
            found: tuple[list[Any], float] = future.result(timeout=SECONDS_A_LOOK)
        except TimeoutError:
            if future.status == "error":  # the work itself raised it, or something else since
                found = future.result()
            else:
                self._look_for_workers()
                return None
        self._idle = 0.0
        self.waiting.popleft()
        return found

    def named(self) -> str:
        """What is waited for, or will be."""
        first, stop = (
            (self.waiting[0].first, self.waiting[0].stop)
            if self.waiting
            else (self.begun, self.begun + 1)
        )
        return f"chunks {first + 1} to {stop} of the {len(self._chunks)} of {self._call.name!r}"

    def _look_for_workers(self) -> None:
        """Raise an error if no worker has taken work for long: there are none, or all of them are
        paused for want of memory.

        Batches for workers that have gone are submitted again, once and for any worker.
        """
        there = self._client.scheduler_info(n_workers=-1)["workers"]
        self._idle = (
            0.0
            if any(each["status"] == "running" for each in there.values())
            else self._idle + SECONDS_A_LOOK
        )
        if self._idle >= shipping.PATIENCE:
            raise no_workers(self.named())
        # Dask gives a task that no worker could take, and whose worker has gone, to none that comes
        # later
        for batch in self.waiting:
            if batch.worker is not None and batch.worker not in there and not batch.future.done():
                batch.worker, batch.future = None, self._task(batch.first, batch.stop, None)

    def _task(self, first: int, stop: int, worker: str | None) -> Future:
        chunks = cloudpickle.dumps(list(self._chunks[first:stop]))
        meant = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        return self._client.submit(
            run_batch, self._call.pickled, chunks, *self._call.data, pure=False, **meant
        )


def _batch_size(left: int, seconds_a_chunk: float, jobs: int) -> int:
    """How many chunks a task has: `BATCH_SECONDS` of them, but each core gets two tasks of what is
    left.
    """
    return max(1, min(int(BATCH_SECONDS / max(seconds_a_chunk, 1e-9)), -(-left // (2 * jobs))))


# ---- Models on the workers, and values that are computed there: what is lost is named

#: How many models are kept on the workers for the next call, beside those that lazy results refer
#: to.
_KEPT = 4

_SHIPPED: OrderedDict[tuple[str, bytes], Future] = OrderedDict()
_shipping = threading.Lock()  # several threads may ship models at once


def shipped(model: Any) -> Delayed:
    """A model as part of a graph: on the cluster of the current client if there is one, else in the
    graph itself.

    Examples
    --------
    >>> shipped("a model").compute()
    'a model'
    """
    client = current_client()
    if client is None:
        return dask.delayed(model, name=f"wideberth-model-{_name_of(model)}", traverse=False)
    packed = pack(model)
    place = client.id, packed.digest
    with _shipping:
        if place not in _SHIPPED or is_lost(_SHIPPED[place]):
            _SHIPPED[place] = send(client, packed)
        _SHIPPED.move_to_end(place)
        while len(_SHIPPED) > _KEPT:
            _SHIPPED.popitem(last=False)
        future = _SHIPPED[place]
    return Delayed(future.key, {future.key: future})


def computed(values: list[Delayed], what: str) -> list[Any]:
    """Compute delayed values on the cluster of the current client, or here, in parallel.

    ``what`` they are called in an error.

    Examples
    --------
    >>> computed([dask.delayed(len)("tea")], "lengths")
    [3]
    """
    with naming_losses(what, on_cluster=current_client() is not None):
        return list(dask.compute(*values))


def _name_of(model: Any) -> str:
    """A name that no other contents have; another one each time for what cannot be recognised
    again.
    """
    try:
        return fingerprint(model)
    except InvalidInput:
        return uuid4().hex


def current_client() -> Client | None:
    """The client of the cluster that computes here; None where Dask uses threads or processes of
    this machine.

    Examples
    --------
    >>> current_client() is None
    True
    """
    try:
        client = default_client()
    except ValueError:
        return None
    return client if client.status == "running" and not client.asynchronous else None


@contextmanager
def on_current_cluster() -> Iterator[None]:
    """Run what takes long on the cluster of the current client, if there is one, as
    `wideberth.scaleout.on` does.

    Examples
    --------
    >>> with on_current_cluster():  # there is none
    ...     pass
    """
    client = current_client()
    with nullcontext() if client is None else on_cluster(client):
        yield


@contextmanager
def on_cluster(client: Client) -> Iterator[None]:
    """Run what takes long on a cluster, whose workers drop the data at the end."""
    runner = ClusterRunner(client)
    try:
        with running_on(runner):
            yield
    finally:
        runner.forget()


def persisted(values: list[Delayed]) -> list[Delayed]:
    """Delayed values that stay where they are computed, for the next steps; lost ones are computed
    again.

    Examples
    --------
    >>> [value.compute() for value in persisted([dask.delayed(len)("tea")])]
    [3]
    """
    with dask.config.set(NO_WARNING):
        return list(dask.persist(*values))

"""The runner that `wideberth.scaleout.on` puts into `over_chunks`: batches of chunks as tasks of a
Dask cluster.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cloudpickle
from distributed import Client, Future
from distributed.comm import CommClosedError

from wideberth.scaleout import losses
from wideberth.scaleout.losses import naming_losses, no_workers
from wideberth.scaleout.shipping import Call, Shipping
from wideberth.scaleout.worker import run_batch

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

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.

    Attributes
    ----------
    worth_starting : float
        Seconds of work on one core from which on it is sent there.
    jobs : int
        The cores of all workers when work was last sent there, at least 1.
    shipping : Shipping
        The data on the workers.
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
        if self._idle >= losses.PATIENCE:
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

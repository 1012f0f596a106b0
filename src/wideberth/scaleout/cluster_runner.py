"""The runner that `wideberth.scaleout.on` puts into `over_chunks`: batches of chunks as tasks of a Dask cluster."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

import cloudpickle
from distributed import Client, Future
from distributed.scheduler import KilledWorker

from wideberth.errors import LostWork
from wideberth.scaleout import shipping
from wideberth.scaleout.shipping import Call, Shipping, missing_on_workers, no_workers
from wideberth.scaleout.worker import run_batch

#: Seconds of work on one core from which on a cluster is worth it.
WORTH_SHIPPING = 2.0
#: Seconds of work in a task: its costs of some 10 ms are few then, and all workers end at about the same time.
BATCH_SECONDS = 0.5
#: Tasks for each core that are submitted ahead of the one whose result is wanted next.
IN_FLIGHT = 3
#: How often a piece of work is submitted again after it was lost.
MOST_LOST = 3
#: Seconds between two looks at whether there are any workers.
SECONDS_A_LOOK = 10.0


@dataclass
class _Batch:
    """Chunks that are one task: those from ``first`` up to, not including, ``stop``."""

    first: int
    stop: int
    future: Future
    data: list[Future]
    lost: int = 0


class ClusterRunner:
    """Runs chunks of work on the workers of a cluster; see `wideberth.geometry.measure.parallel.Runner`.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.

    Attributes
    ----------
    worth_starting : float
        Seconds of work on one core from which on it is sent there.
    jobs : int
        The cores of all workers when work was last sent, at least 1.
    shipping : Shipping
        The data on the workers.
    """

    def __init__(self, client: Client) -> None:
        self.shipping = Shipping(client)
        self._client = client
        self.jobs = self._cores()

    @property
    def worth_starting(self) -> float:
        """Seconds of work on one core from which on it is sent there."""
        return WORTH_SHIPPING

    def results(self, work: Callable[[Any], Any], chunks: Sequence[Any], seconds_a_chunk: float) -> Iterator[Any]:
        """Yield ``work(chunk)`` for every chunk, in order.

        Chunks are batched into tasks of about `BATCH_SECONDS`, by the time that earlier ones took. `IN_FLIGHT` tasks for each
        core are under way at the same time.
        """
        run = _Run(self._client, self.shipping, self.shipping.call(work), chunks)
        jobs = self.jobs = self._cores()
        try:
            while run.begun < len(chunks) or run.waiting:
                while run.begun < len(chunks) and len(run.waiting) < IN_FLIGHT * jobs:
                    run.submit(_batch_size(len(chunks) - run.begun, seconds_a_chunk, jobs))
                results, seconds = run.next_results()
                seconds_a_chunk = seconds / len(results)
                yield from results
        finally:
            run.waiting.clear()  # tasks that nobody waits for are not begun

    def _cores(self) -> int:
        cores: int = sum(self._client.nthreads().values())
        return max(1, cores)

    def forget(self) -> None:
        """Let the workers drop the data."""
        self.shipping.forget()


class _Run:
    """The batches of one piece of work that are under way."""

    def __init__(self, client: Client, shipping: Shipping, call: Call, chunks: Sequence[Any]) -> None:
        self.begun = 0
        self.waiting: deque[_Batch] = deque()
        self._client, self._shipping, self._call, self._chunks = client, shipping, call, chunks

    def submit(self, size: int) -> None:
        """Submit the next chunks."""
        first, self.begun = self.begun, min(self.begun + size, len(self._chunks))
        data = self._shipping.futures(self._call)
        self.waiting.append(_Batch(first, self.begun, self._task(first, self.begun, data), data))

    def next_results(self) -> tuple[list[Any], float]:
        """Wait for the first batch: its results, and the seconds that they took."""
        batch = self.waiting[0]
        while True:
            try:
                found: tuple[list[Any], float] = self._wait_for(batch)
            except (CancelledError, KilledWorker) as reason:
                self._submit_again(batch, reason)
            except ModuleNotFoundError as missing:
                raise missing_on_workers(missing.name or str(missing)) from missing
            else:
                self.waiting.popleft()
                return found

    def _wait_for(self, batch: _Batch) -> tuple[list[Any], float]:
        looks = 0
        while True:
            try:
                return batch.future.result(timeout=SECONDS_A_LOOK)  # type: ignore[no-any-return]
            except TimeoutError:
                if batch.future.status == "error":  # the work itself raised it, or something else since
                    return batch.future.result()  # type: ignore[no-any-return]
                looks = 0 if self._client.nthreads() else looks + 1
                if looks * SECONDS_A_LOOK >= shipping.PATIENCE:
                    raise no_workers(f"{self._named(batch)} could not be done") from None

    def _submit_again(self, batch: _Batch, reason: BaseException) -> None:
        """Submit lost work once more, and ship the data that were lost with it."""
        batch.lost += 1 + getattr(reason, "allowed_failures", 0)  # the scheduler itself has tried so many workers
        if batch.lost > MOST_LOST or self._client.status != "running":
            raise LostWork(
                f"The cluster has lost {self._named(batch)} {batch.lost} times: {reason}",
                advice="If its workers ran out of memory, give them more or lower max_memory; their logs tell. "
                "What was finished is kept where there is a cache: MetricSpace(cache=directory).",
                work=self._call.name,
                chunks=self._chunks[batch.first : batch.stop],
                times=batch.lost,
            ) from reason
        if isinstance(reason, CancelledError):  # which the scheduler says of work whose data are lost
            self._shipping.drop(batch.data)
        batch.data = self._shipping.futures(self._call)
        batch.future = self._task(batch.first, batch.stop, batch.data)

    def _task(self, first: int, stop: int, data: list[Future]) -> Future:
        chunks = cloudpickle.dumps(list(self._chunks[first:stop]))
        return self._client.submit(run_batch, self._call.pickled, chunks, *data, pure=False)

    def _named(self, batch: _Batch) -> str:
        return f"chunks {batch.first + 1} to {batch.stop} of the {len(self._chunks)} of {self._call.name!r}"


def _batch_size(left: int, seconds_a_chunk: float, jobs: int) -> int:
    """How many chunks a task has: `BATCH_SECONDS` of them, but each core gets two tasks of what is left."""
    return max(1, min(int(BATCH_SECONDS / max(seconds_a_chunk, 1e-9)), -(-left // (2 * jobs))))

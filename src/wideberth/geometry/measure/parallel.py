"""Work over chunks: here, in threads or in processes, with a bar for a person who waits."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pickle import PicklingError
from typing import Any, Literal, TypeVar

from joblib import Parallel, cpu_count, delayed
from joblib.parallel import get_active_backend

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

#: Seconds of work left from which starting workers pays. Threads start in well under a millisecond, processes import Python anew.
WORTH_STARTING = {"threads": 0.002, "processes": 2.0}

#: Seconds of work before a bar appears: shorter work is over before it could be read.
PATIENCE = 1.0

_one_bar = threading.Lock()  # a terminal shows one bar at a time; work inside other work stays silent


def effective_jobs(n_jobs: int | None) -> int:
    """How many chunks run at once: all cores for None or -1, one inside a joblib worker, which is parallel already.

    >>> effective_jobs(2)
    2
    """
    if n_jobs is None:
        backend, _ = get_active_backend()
        return 1 if getattr(backend, "nesting_level", 0) else int(cpu_count())
    return max(1, int(cpu_count()) + 1 + n_jobs) if n_jobs < 0 else max(1, n_jobs)


def over_chunks(
    work: Callable[[Chunk], Result],
    chunks: Sequence[Chunk],
    *,
    n_jobs: int | None = None,
    how: Literal["threads", "processes"] | None = "threads",
    expected: float | None = None,
) -> Iterator[Result]:
    """``work(chunk)`` for every chunk, in order, several at a time where it pays.

    The seconds of work ``expected`` decide whether workers are worth their start; unless the caller knows them, the first chunk
    runs here and is timed. ``work`` must not depend on the order of the chunks. Work that cannot travel to another process stays
    in this one.

    >>> list(over_chunks(lambda chunk: sum(chunk), [[1, 2], [3]]))
    [3, 3]
    """
    done = 0
    if expected is None and chunks:
        started = time.perf_counter()
        first = work(chunks[0])
        expected = (time.perf_counter() - started) * (len(chunks) - 1)
        yield first
        done = 1
    jobs = min(effective_jobs(n_jobs), len(chunks) - done)
    if how is not None and jobs > 1 and expected is not None and expected >= WORTH_STARTING[how]:
        run = Parallel(n_jobs=jobs, prefer=how, return_as="generator")
        try:
            for result in run(delayed(work)(chunk) for chunk in chunks[done:]):
                yield result
                done += 1
        except (PicklingError, BrokenProcessPool):  # it cannot travel, or a worker died; what is left is done below
            pass
    yield from map(work, chunks[done:])


@contextmanager
def progress(total: float, what: str) -> Iterator[Callable[[float], None]]:
    """Yield ``advance(amount)``: in a terminal a bar up to ``total``, from `PATIENCE` seconds on; elsewhere it does nothing.

    >>> with progress(3, "tea") as advance:
    ...     advance(3)
    """
    if not sys.stderr.isatty() or not _one_bar.acquire(blocking=False):
        yield lambda amount: None
        return
    bar = _Bar(total, what)
    try:
        yield bar.advance
    finally:
        bar.stop()
        _one_bar.release()


class _Bar:
    def __init__(self, total: float, what: str) -> None:
        self._total, self._what = total, what
        self._done = 0.0
        self._started = time.monotonic()
        self._shown: Any = None

    def advance(self, amount: float) -> None:
        self._done += amount
        if self._shown is None and time.monotonic() - self._started >= PATIENCE:
            self._show()
        if self._shown is not None:
            self._shown.update(self._task, completed=self._done)

    def _show(self) -> None:
        from rich.console import Console  # loaded only for a person who waits
        from rich.progress import Progress

        self._shown = Progress(console=Console(stderr=True), transient=True)
        self._task = self._shown.add_task(self._what, total=self._total)
        self._shown.start()

    def stop(self) -> None:
        if self._shown is not None:
            self._shown.stop()

"""Run a function over chunks of work: one by one, in threads or in processes, or wherever a
`Runner` takes them.

Work takes its data as arguments, ``functools.partial(function, *data)`` of a function of a module,
and returns its result: a runner on other machines ships the data once and sends only chunks.

A backend that the user has named (``joblib.parallel_config``) takes the work of processes, whatever
it is; what needs the memory of this process stays in threads of it. Inside of a worker, nothing
further is started.
"""

import pickle
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from contextvars import ContextVar
from pickle import PicklingError
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from joblib import Parallel, cpu_count, delayed
from joblib.externals.loky.backend.reduction import dumps
from joblib.parallel import BACKENDS, get_active_backend

from wideberth.compilation import preparation
from wideberth.errors import warn_user
from wideberth.progress import follow, in_worker_threads

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

#: Seconds of remaining work from which on starting workers pays. A thread starts in well under a
#: millisecond, a process imports Python and all packages again.
WORTH_STARTING = {"threads": 0.002, "processes": 2.0}

#: What kind of workers does work: on this machine, or none there, but those of a runner that is not
#: on it. None is for work that never leaves its thread, such as looking distances up in a table: a
#: copy of the table elsewhere would lose what it measures.
How = Literal["threads", "processes", "elsewhere"] | None

#: More workers than this for each core only take memory.
_MOST_FOR_A_CORE = 8


class SentValue(Protocol):
    """A value for work that runs elsewhere."""

    def open(self) -> Any:
        """The value; a second call in the same thread returns the same object."""


class Runner(Protocol):
    """Runs chunks of work somewhere else, instead of the threads and processes of this machine; see
    `running_on`.
    """

    @property
    def worth_starting(self) -> float: ...

    @property
    def jobs(self) -> int: ...

    def results(
        self, work: Callable[[Any], Any], chunks: Sequence[Any], seconds_a_chunk: float
    ) -> Iterator[Any]:
        """Yield ``work(chunk)`` for every chunk, in order; raise ``PicklingError`` at first if the
        work cannot be sent.
        """

    def with_distances(self, value: Any, *, for_all_threads: bool) -> SentValue:
        """A value as it is now, with the distances that its spaces and tables keep, which are
        otherwise measured again there; one for all threads there, or one for each.
        """


class _Alone:
    """The runner inside of a piece of work that has one core: it is never worth to start
    anything.
    """

    worth_starting = float("inf")
    jobs = 1

    def results(
        self, work: Callable[[Any], Any], chunks: Sequence[Any], seconds_a_chunk: float
    ) -> Iterator[Any]:
        return map(work, chunks)

    def with_distances(self, value: Any, *, for_all_threads: bool) -> SentValue:
        raise PicklingError("nothing is sent anywhere")


_ALONE = _Alone()
_RUNNER: ContextVar[Runner | None] = ContextVar("runner", default=None)


@contextmanager
def running_on(runner: Runner) -> Iterator[None]:
    """Let a runner take what is worth it, within a ``with`` block and in this thread.

    Examples
    --------
    >>> class Loud(_Alone):
    ...     worth_starting = 0.0
    ...
    ...     def results(self, work, chunks, seconds_a_chunk):
    ...         print(f"{len(chunks)} chunks")
    ...         return map(work, chunks)
    >>> with running_on(Loud()):
    ...     list(over_chunks(sum, [[1, 2], [3]], expected=1.0))
    2 chunks
    [3, 3]
    """
    before = _RUNNER.set(runner)
    try:
        yield
    finally:
        _RUNNER.reset(before)


@contextmanager
def on_one_core() -> Iterator[None]:
    """Start no threads and no processes within a ``with`` block: for work that shares its machine
    with other such work.

    Examples
    --------
    >>> with on_one_core():
    ...     effective_jobs(None), effective_jobs(4)
    (1, 1)
    """
    with running_on(_ALONE):
        yield


def goes_elsewhere(seconds: float) -> bool:
    """Whether a runner that is not on this machine takes work of so many seconds on one core.

    Examples
    --------
    >>> goes_elsewhere(3600.0)
    False
    """
    runner = _RUNNER.get()
    return runner not in (None, _ALONE) and seconds >= runner.worth_starting and not _is_nested()


def sent_with_distances(value: Any, *, for_all_threads: bool) -> SentValue:
    """A value for work of the runner, with the distances that it keeps; a ``PicklingError`` if it
    cannot be sent.
    """
    return (_RUNNER.get() or _ALONE).with_distances(value, for_all_threads=for_all_threads)


def effective_jobs(n_jobs: int | None) -> int:
    """How many chunks run at the same time.

    None stands for the number that ``joblib.parallel_config`` names, or else for all cores.
    Negative numbers count from the number of cores, as in scikit-learn: -1 is all cores, -2 all but
    one. More than eight for each core are not started, and inside of a worker of joblib or Dask,
    which runs in parallel already, there is one core whatever the number. It counts on this machine
    only: a `Runner` says how many chunks it runs, and inside of its work there is one core.

    Examples
    --------
    >>> effective_jobs(2)
    2
    """
    runner = _RUNNER.get()
    return _jobs_here(n_jobs) if runner is None else runner.jobs


def _jobs_here(n_jobs: int | None) -> int:
    """How many chunks run at the same time on this machine."""
    if _RUNNER.get() is _ALONE or _is_nested():
        return 1
    if n_jobs is None:
        named = get_active_backend()[1]
        n_jobs = -1 if named is None else int(named)
    cores = int(cpu_count())
    return (
        max(1, cores + 1 + n_jobs) if n_jobs < 0 else max(1, min(n_jobs, _MOST_FOR_A_CORE * cores))
    )


def _is_nested() -> bool:
    """Whether this runs inside of a worker of joblib, or of a task of Dask, whose backend does not
    count how deep it is.
    """
    dask = sys.modules.get("distributed.worker")
    in_task = dask is not None and hasattr(dask.thread_state, "execution_state")
    return in_task or bool(getattr(get_active_backend()[0], "nesting_level", 0))


def over_chunks(
    work: Callable[[Chunk], Result],
    chunks: Sequence[Chunk],
    *,
    n_jobs: int | None = None,
    how: How = "threads",
    expected: float | None = None,
    what: str | None = None,
) -> Iterator[Result]:
    """Compute ``work(chunk)`` for every chunk, several at a time where that pays, and yield the
    results in order.

    Workers are started only if the remaining work takes longer than their start (`WORTH_STARTING`).
    Work that cannot be sent to another process, and what is left when a worker process dies, is
    done in this process. Within ``joblib.parallel_config``, the backend that it names takes the
    work of processes, and threads stay threads. Ctrl-C waits for the chunks that threads have
    begun. Within `running_on`, a runner takes what is worth it for it; not from inside of other
    workers.

    ``work`` must not depend on the order in which chunks are done, and returns all that it finds
    out; what it needs besides the chunk are arguments of a ``functools.partial``. Threads help
    where it releases the interpreter lock, as compiled kernels do; "elsewhere" is for what a runner
    alone may take. Without ``expected``, the seconds that all chunks take on one core, the first
    chunk runs in this thread and is timed. ``what`` names the work where its progress is shown;
    None if the caller shows it.

    Examples
    --------
    >>> list(over_chunks(lambda chunk: sum(chunk), [[1, 2], [3]]))
    [3, 3]
    """
    results = _results(work, chunks, n_jobs, how, expected)
    yield from results if what is None else follow(results, what, len(chunks))


def _results(
    work: Callable[[Chunk], Result],
    chunks: Sequence[Chunk],
    n_jobs: int | None,
    how: How,
    expected: float | None,
) -> Iterator[Result]:
    done = 0
    if expected is None and chunks:
        started = time.perf_counter()
        first = work(chunks[0])
        expected = (time.perf_counter() - started) * (len(chunks) - 1)
        yield first
        done = 1
    seconds = 0.0 if how is None or expected is None else expected
    runner = _RUNNER.get()
    if runner is not None and how is not None and done < len(chunks) and goes_elsewhere(seconds):
        try:
            results = runner.results(work, chunks[done:], seconds / (len(chunks) - done))
            for result in _by_the_clock(results):
                yield result
                done += 1
        except PicklingError:  # it stays here
            pass
    worth_starting = how in WORTH_STARTING and seconds >= WORTH_STARTING[how]
    # to count cores takes longer than a block
    jobs = min(_jobs_here(n_jobs), len(chunks) - done) if worth_starting else 1
    if jobs > 1:
        answers = _in_workers(work, chunks[done:], jobs, shared_memory=how == "threads")
        try:
            for result in answers:
                yield result
                done += 1
        except (PicklingError, BrokenProcessPool):
            # the work cannot be pickled, or a worker died; what is left is done below
            pass
        finally:
            answers.close()
    yield from map(work, chunks[done:])


class _Waiting(threading.local):
    """How long this thread has waited for workers outside of this process."""

    seconds = 0.0


_waiting = _Waiting()


def seconds_waited() -> float:
    """How long this thread has waited for workers outside of this process so far: for processes of
    this machine as long as it would if nothing else ran, for a runner by the clock.

    Examples
    --------
    >>> seconds_waited() >= 0
    True
    """
    return _waiting.seconds


def _by_the_clock(results: Iterator[Result]) -> Iterator[Result]:
    """The same results, with the time until each of them."""
    while True:
        started = time.perf_counter()
        try:
            result = next(results)
        except StopIteration:
            return
        finally:
            _waiting.seconds += time.perf_counter() - started
        yield result


def _in_workers(
    work: Callable[[Chunk], Result], chunks: Sequence[Chunk], jobs: int, *, shared_memory: bool
) -> Generator[Result]:
    """The results of the workers of joblib: its own threads and processes, or those of a backend
    that the user has named.
    """
    backend, _ = get_active_backend()  # joblib's own processes, if nothing was named
    if shared_memory or getattr(backend, "supports_sharedmem", False):
        in_threads = _InThreads(in_worker_threads(work))
        run = Parallel(n_jobs=jobs, backend="threading", return_as="generator")
        results = run(delayed(in_threads)(chunk) for chunk in chunks)
        try:
            # "yield from" would close them before the threads know
            for result in results:  # noqa: UP028
                yield result
        finally:
            in_threads.give_up()
            _close(results)
    elif isinstance(backend, BACKENDS["loky"]):
        counted = _Counted(work)
        answers = Parallel(n_jobs=jobs, return_as="generator")(
            delayed(counted)(chunk) for chunk in chunks
        )
        try:
            for answer in answers:
                _waiting.seconds += answer.seconds / jobs
                yield answer.result
        finally:
            _close(answers)
    else:
        sent = _Sent(work)
        try:
            sent_back = Parallel(n_jobs=jobs)(delayed(sent)(chunk) for chunk in chunks)
        except Exception as error:  # errors of the work are answers: this is one of the backend
            message = f"{type(backend).__name__} of joblib failed ({type(error).__name__}: {error})"
            warn_user(f"{message}; its work is done in this process.", RuntimeWarning)
            return
        for chunk, answer in zip(chunks, sent_back, strict=True):
            if isinstance(answer, _Answer):
                _waiting.seconds += answer.seconds / jobs
            yield answer.result if isinstance(answer, _Answer) else work(chunk)


def _close(results: Generator[Any]) -> None:
    """Stop what nobody waits for any more; joblib would advise to take smaller steps."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*You could benefit from adjusting", UserWarning)
        results.close()


class _Answer(NamedTuple):
    """What came back from a worker that could do its work."""

    result: Any
    #: The processor seconds that it took.
    seconds: float


class _Counted:
    """Work of another process, which counts the processor seconds that it takes there."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work = work

    def __call__(self, chunk: Any) -> _Answer:
        before = processor_seconds()
        result = self._work(chunk)
        return _Answer(result, processor_seconds() - before)


def processor_seconds() -> float:
    """Processor seconds that this process has worked so far, without those for
    `wideberth.compilation.preparation`.

    Examples
    --------
    >>> processor_seconds() > 0
    True
    """
    return time.process_time() - preparation().all_threads


class _Sent:
    """Work for the workers of any backend: nothing but bytes, and an answer to every chunk.

    Backends differ in what they can pickle, and in what they do when it fails there: Dask's waits
    for ever for work that cannot be sent, and that of multiprocessing for an error that cannot be
    read. So the work is pickled here, and what fails in a worker, even because it lacks a module,
    is told by an empty answer; it is done once more in this process, which raises the same error,
    or does not.
    """

    def __init__(self, work: Callable[[Any], Any]) -> None:
        try:
            self._pickled = bytes(dumps(work))
        except Exception as error:  # a class of the user's may raise anything
            raise PicklingError(f"{type(error).__name__}: {error}") from error

    def __call__(self, chunk: Any) -> _Answer | None:
        try:
            with on_one_core():
                work = pickle.loads(self._pickled)  # what we have sent  # noqa: S301
                return _Counted(work)(chunk)
        except Exception:
            return None


class _InThreads(Generic[Chunk, Result]):
    """Work that threads do and that can be given up: what runs is waited for, and nothing else is
    begun.

    Compiled code that runs without the interpreter lock aborts a process that ends meanwhile, as
    after Ctrl-C.
    """

    def __init__(self, work: Callable[[Chunk], Result]) -> None:
        self._work = work
        self._running = 0
        self._given_up = False
        self._changed = threading.Condition()

    def __call__(self, chunk: Chunk) -> Result | None:
        """The result for a chunk; None once it was given up, when nobody reads it."""
        with self._changed:
            if self._given_up:
                return None
            self._running += 1
        try:
            return self._work(chunk)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def give_up(self) -> None:
        with self._changed:
            self._given_up = True
            self._changed.wait_for(lambda: not self._running)

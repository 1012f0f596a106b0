"""Open a task where work begins; the outermost one decides how it is shown."""

import contextvars
import functools
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar, cast

from joblib.parallel import get_active_backend

from wideberth.progress.tasks import CURRENT, Listener, Silence, Task
from wideberth.progress.watch import WATCH

Item = TypeVar("Item")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])


def task(
    what: str, total: float | None = None, *, worth: float = 0.0, verbose: int = 0, listener: Listener | None = None
) -> Task:
    """A task for a ``with`` block: part of the one that runs here, or else an outermost one.

    Parameters
    ----------
    what : str
        What is being done, in a word or two.
    total : float, optional
        The amount at which it is complete; None if that is not known.
    worth : float
        How much of the outer task it is, which advances by as much at the end.
    verbose : int
        Counts for an outermost task. 0: a bar in a terminal, nothing elsewhere. 1: lines on standard error where there is no
        terminal. -1: nothing. Each after two seconds.
    listener : Listener, optional
        Of an outermost task: is told of the tasks inside it, instead of showing them.

    Returns
    -------
    Task
        Call its ``advance`` after each part of the work.

    Examples
    --------
    >>> with task("making tea", total=3) as tea:
    ...     tea.advance(3)
    """
    outer = CURRENT.get()
    if isinstance(outer, Silence):
        return Silence()
    if outer is not None:
        return Task(what, total, worth=worth, parent=outer, clock=outer.clock)
    if listener is not None:
        return Task(what, total, clock=WATCH.clock, listener=listener)
    display = _display(verbose)
    return Silence() if display is None else _Outermost(what, total, lines=display == "lines")


def doing(what: str) -> Callable[[Function], Function]:
    """Make each call of a function a task that does not know how much it has to do.

    Examples
    --------
    >>> @doing("making tea")
    ... def brew():
    ...     note("too strong")
    >>> brew()
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def shown(*args: Any, **kwargs: Any) -> Any:
            with task(what):
                return function(*args, **kwargs)

        return cast(Function, shown)

    return decorate


def note(text: str) -> None:
    """Say something about the task that runs here, such as the gap that is left."""
    running = CURRENT.get()
    if running is not None:
        running.note = text


def follow(items: Iterable[Item], what: str, total: float) -> Iterator[Item]:
    """The items one by one, each an equal part of a task.

    The task is no parent of other tasks, so that several such iterations may overlap. Without an outer task nothing is shown
    outside a terminal.

    Parameters
    ----------
    items : iterable
        The results of the work, made while they are asked for.
    what : str
        What is being done.
    total : float
        How many items there are.

    Yields
    ------
    object
        The items.

    Examples
    --------
    >>> list(follow(iter("tea"), "spelling", 3))
    ['t', 'e', 'a']
    """
    running = task(what, total).begin()
    complete = False
    try:
        for item in items:
            running.advance()
            yield item
        complete = True
    finally:
        running.end(complete=complete)


def in_worker_threads(work: Callable[[Item], Result]) -> Callable[[Item], Result]:
    """The same work for other threads, where its tasks are part of the one that runs here."""
    return work if CURRENT.get() is None else _InContext(work)


class _InContext:
    """Work that runs in a copy of the context in which this was made; in another process it is the work alone."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work, self._context = work, contextvars.copy_context()

    def __call__(self, item: Any) -> Any:
        return self._context.copy().run(self._work, item)

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self._work,)


def _itself(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return work


class _Outermost(Task):
    """A task that is watched."""

    __slots__ = ("_as_lines",)

    def __init__(self, what: str, total: float | None, *, lines: bool) -> None:
        super().__init__(what, total, clock=WATCH.clock)
        self._as_lines = lines

    def begin(self) -> Any:
        WATCH.add(self, lines=self._as_lines)
        WATCH.start()
        return self

    def end(self, *, complete: bool = True) -> None:
        WATCH.remove(self)


def _display(verbose: int) -> Literal["bar", "lines"] | None:
    """How an outermost task is shown here; None if not at all."""
    if verbose < 0:
        return None
    if _is_terminal() and not _is_worker():
        return "bar"
    return "lines" if verbose else None


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _is_worker() -> bool:
    """Whether this is one of several workers, which share a terminal with others."""
    return multiprocessing.parent_process() is not None or bool(getattr(get_active_backend()[0], "nesting_level", 0))

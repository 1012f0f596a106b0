"""Who watches the tasks, and shows those that take long."""

import contextlib
import contextvars
import functools
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

from joblib.parallel import get_active_backend

from wideberth.progress import CURRENT, Facts, Listener, Silence, Task, clock_time

# ---- How progress is shown: a bar in a terminal, or lines on standard error

#: Seconds between two lines.
SECONDS_A_LINE = 5.0
#: Columns of a terminal that the bar itself takes.
_BAR_WIDTH = 20


class Display(Protocol):
    """Shows the facts about one outermost task."""

    def show(self, facts: Facts) -> None:
        """Show facts; called several times a second."""

    def close(self, facts: Facts) -> None:
        """The task has ended; what stays on the screen is final."""


class Bar:
    """A bar in a terminal, which disappears when the task ends."""

    def __init__(self) -> None:
        from rich.console import Console  # imported only when a bar is shown
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        self._progress = Progress(
            TextColumn(
                "{task.description}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            BarColumn(bar_width=_BAR_WIDTH),
            TextColumn("{task.fields[share]:>4}", markup=False),
            TextColumn("{task.fields[timing]}", markup=False, table_column=Column(no_wrap=True)),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
            expand=True,
            redirect_stdout=sys.stdout is not None
            and sys.stdout.isatty(),  # what goes to a file stays there
        )
        self._task: Any = None

    def show(self, facts: Facts) -> None:
        """Draw the bar, without an end where the share is not known."""
        known = facts.share is not None
        state: dict[str, Any] = {
            "total": 1.0 if known else None,
            "completed": facts.share or 0.0,
            "description": facts.path(
                self._progress.console.width - _BAR_WIDTH - len(facts.timing()) - len(" 100%   ")
            ),
            "share": f"{facts.share:.0%}" if known else "",
            "timing": facts.timing(),
        }
        if self._task is None:
            self._task = self._progress.add_task(**state)
            self._progress.start()
        self._progress.update(self._task, **state)
        self._progress.refresh()

    def close(self, facts: Facts) -> None:
        """Take the bar away."""
        self._progress.stop()


class Lines:
    """Lines on standard error: one at once, one every `SECONDS_A_LINE` seconds, and one at the
    end.
    """

    def __init__(self) -> None:
        self._next = 0.0

    def show(self, facts: Facts) -> None:
        """Write a line if the last one was long enough ago."""
        if facts.elapsed >= self._next:
            self._next = facts.elapsed + SECONDS_A_LINE
            _write(facts.line())

    def close(self, facts: Facts) -> None:
        """Write how long it took."""
        _write(f"{facts.what[0]}: ended after {clock_time(facts.elapsed)}")


def _write(line: str) -> None:
    print(f"wideberth: {line}", file=sys.stderr, flush=True)


#: Seconds of work before it is shown: shorter work is over before anybody could read about it.
PATIENCE = 2.0
#: Seconds between two looks at the tasks.
_INTERVAL = 0.2


class _Watched(NamedTuple):
    task: Task
    lines: bool


class Watch:
    """Looks at the outermost tasks, of all threads, from a thread of its own.

    That thread also shows work that reports nothing for a while, such as a call of a solver. A
    terminal shows one bar at a time, that of the oldest task; of tasks that are shown as lines,
    each has its own.

    Parameters
    ----------
    clock : callable
        Returns the time, in seconds.
    bar, lines : callable
        Make the displays.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        bar: Callable[[], Display] = Bar,
        lines: Callable[[], Display] = Lines,
    ) -> None:
        self.clock = clock
        self._bar, self._lines = bar, lines
        self._watched: list[_Watched] = []
        self._shown: dict[int, Display] = {}
        self._changed = threading.Condition(threading.RLock())
        self._thread: threading.Thread | None = None

    def add(self, task: Task, *, lines: bool) -> None:
        """Watch an outermost task from now on: show it as ``lines``, or as a bar."""
        with self._changed:
            self._watched.append(_Watched(task, lines))
            self._changed.notify()

    def remove(self, task: Task) -> None:
        """Stop watching a task, and close its display."""
        with self._changed:
            self._watched = [watched for watched in self._watched if watched.task is not task]
            display = self._shown.pop(id(task), None)
            if display is not None:
                with _whatever_happens_on_screen():
                    display.close(Facts.of(task, self.clock()))

    def look(self) -> None:
        """Show what has lasted for `PATIENCE` seconds."""
        with self._changed:
            now = self.clock()
            bar_taken = False
            for task, lines in self._watched:
                if now - task.started < PATIENCE or (bar_taken and not lines):
                    continue
                bar_taken |= not lines
                with _whatever_happens_on_screen():
                    if id(task) not in self._shown:
                        self._shown[id(task)] = (self._lines if lines else self._bar)()
                    self._shown[id(task)].show(Facts.of(task, now))

    def start(self) -> None:
        """Start the thread that looks, unless it runs."""
        with self._changed:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, name="wideberth progress", daemon=True
                )
                self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._watched:
                    self._changed.wait()
            time.sleep(_INTERVAL)
            self.look()


def _whatever_happens_on_screen() -> contextlib.AbstractContextManager[None]:
    """The work goes on if standard error is closed or broken."""
    return contextlib.suppress(OSError, ValueError)


WATCH = Watch()


def _forget() -> None:
    """In a forked process the thread does not run, and its lock may be held for ever."""
    WATCH.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# ---- Open a task where work begins; the outermost one decides how it is shown

Item = TypeVar("Item")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])


def task(
    what: str,
    total: float | None = None,
    *,
    worth: float = 0.0,
    verbose: int = 0,
    listener: Listener | None = None,
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
        Counts for an outermost task. 0: a bar in a terminal, nothing elsewhere. 1: lines on
        standard error where there is no terminal. -1: nothing. Each after two seconds.
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

    The task is no parent of other tasks, so that several such iterations may overlap. Without an
    outer task nothing is shown outside a terminal.

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
    """Work that runs in a copy of the context in which this was made; in another process it is the
    work alone.
    """

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
    return multiprocessing.parent_process() is not None or bool(
        getattr(get_active_backend()[0], "nesting_level", 0)
    )

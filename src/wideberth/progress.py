"""What long work is doing, how much of it is done and how long the rest will take.

Work is described by nested tasks (`task`, `doing`, `follow`), wherever it is done; the outermost
one decides whether and how it is shown: as a bar in a terminal, or as lines on standard error if
the user asks for them (``verbose=1``).
"""

import contextlib
import contextvars
import functools
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar, Token
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar, cast

from joblib.parallel import get_active_backend

from wideberth.compilation import is_compiling

#: The innermost task of the work that runs here; each thread starts without one.
CURRENT: ContextVar["Task | None"] = ContextVar("current task", default=None)

_changing = threading.Lock()  # parts of a task may end in several threads at once


class Listener(Protocol):
    """Is told of every task inside an outermost one, and of that one, in the thread that does the
    work.
    """

    def moved(self, task: "Task") -> None:
        """Called when more of a task is done."""

    def ended(self, task: "Task") -> None:
        """Called when a task has ended, also by an error."""


class Task:
    """A piece of work under way; entering it makes it the parent of the tasks that are opened
    meanwhile.

    It is complete at ``total``, None if that is not known; the parent advances by ``worth`` when it
    ends without an error. A listener is told of it and of the tasks inside; ``parts`` are those
    that are running, the latest last.

    Examples
    --------
    >>> brewing = Task("tea", total=4, clock=lambda: 0.0)
    >>> brewing.advance()
    >>> with Task("pot", total=2, worth=2, parent=brewing, clock=lambda: 0.0) as pot:
    ...     pot.advance()
    ...     brewing.share
    0.5
    >>> brewing.share
    0.75
    """

    __slots__ = (
        "_token",
        "clock",
        "done",
        "listener",
        "note",
        "parent",
        "parts",
        "started",
        "total",
        "what",
        "worth",
    )

    def __init__(
        self,
        what: str,
        total: float | None = None,
        *,
        worth: float = 0.0,
        parent: "Task | None" = None,
        clock: Callable[[], float],
        listener: Listener | None = None,
    ) -> None:
        self.what = what
        self.total = total
        self.worth = worth
        self.parent = parent
        self.clock = clock
        self.listener: Listener | None = (
            parent.listener if listener is None and parent is not None else listener
        )
        self.done, self.note, self.started = 0.0, "", clock()
        self.parts: tuple[Task, ...] = ()

    @property
    def share(self) -> float | None:
        """Which share of it is done, from 0 to 1; None if that is not known."""
        if not self.total:
            return None
        under_way = sum(part.worth * (part.share or 0.0) for part in self.parts)
        return min(1.0, (self.done + under_way) / self.total)

    def advance(self, amount: float = 1.0) -> None:
        """Record that more is done."""
        with _changing:
            self.done += amount
        if self.listener is not None:
            self.listener.moved(self)

    def expect(self, remaining: float) -> None:
        """Record that this much is left, more or less than it was thought."""
        self.total = self.done + remaining

    def begin(self) -> Self:
        """Show it as a part of its parent."""
        if self.parent is not None:
            with _changing:
                self.parent.parts = (*self.parent.parts, self)
        return self

    def end(self, *, complete: bool = True) -> None:
        """Take it from its parent, which advances if the work is complete."""
        if self.listener is not None:
            self.listener.ended(self)
        if self.parent is None:
            return
        with _changing:
            self.parent.parts = tuple(part for part in self.parent.parts if part is not self)
        if complete and self.worth:
            self.parent.advance(self.worth)

    def __enter__(self) -> Self:
        self._token: Token[Task | None] = CURRENT.set(self)
        return self.begin()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        CURRENT.reset(self._token)
        self.end(complete=error is None)


class Silence(Task):
    """A task that nobody sees, and all tasks inside it."""

    __slots__ = ()

    def __init__(self) -> None:
        self.total, self.note, self.what, self.worth = None, "", "", 0.0

    def advance(self, amount: float = 1.0) -> None:
        """Do nothing."""

    def expect(self, remaining: float) -> None:
        """Do nothing."""

    def begin(self) -> Self:
        """Do nothing."""
        return self

    def end(self, *, complete: bool = True) -> None:
        """Do nothing."""


# ---- What there is to say of work under way: facts, then words


#: What is shown while loops are compiled, which is slow, and done once on a machine.
COMPILING = "compiling, once"


class Facts(NamedTuple):
    """What a display shows of an outermost task and the tasks inside it."""

    #: What is being done, from the outermost task to the innermost one.
    what: tuple[str, ...]
    #: Which share is done of the outermost task that knows how much it has to do.
    share: float | None
    #: The seconds that the rest of that task will take; None if that is not known.
    left: float | None
    #: The seconds since the outermost task began.
    elapsed: float
    #: What else there is to say, such as the gap that is left.
    note: str

    @classmethod
    def of(cls, outermost: Task, now: float) -> "Facts":
        """What is to be said of a task at the time ``now``.

        Examples
        --------
        >>> Facts.of(Task("tea", total=2, clock=lambda: 0.0), now=3.0)
        Facts(what=('tea',), share=0.0, left=None, elapsed=3.0, note='')
        """
        path = list(_path(outermost))
        measured = next((task for task in path if task.total), None)
        share = None if measured is None else measured.share
        left = (
            None if measured is None or share is None else time_left(share, now - measured.started)
        )
        note = next((task.note for task in reversed(path) if task.note), "")
        what = (*(task.what for task in path), *([COMPILING] if is_compiling() else []))
        return cls(what, share, left, now - outermost.started, note)

    def timing(self) -> str:
        """The time left, or else the time that has passed; with the note.

        Examples
        --------
        >>> (
        ...     Facts(("tea",), 0.5, 75.0, 80.0, "").timing(),
        ...     Facts(("tea",), None, None, 3.0, "gap 2%").timing(),
        ... )
        ('1:15 left', '0:03 so far, gap 2%')
        """
        time = (
            f"{clock_time(self.elapsed)} so far"
            if self.left is None
            else f"{clock_time(self.left)} left"
        )
        return f"{time}, {self.note}" if self.note else time

    def path(self, width: int) -> str:
        """What is being done, from the outermost task to the innermost one; of a long path the
        middle is left out.

        Examples
        --------
        >>> facts = Facts(
        ...     ("fit", "cross-validation", "fold 2 of 5", "distances"), None, None, 3.0, ""
        ... )
        >>> facts.path(80), facts.path(35), facts.path(10)
        ('fit > cross-validation > fold 2 of 5 > distances', 'fit > ... > fold 2 of 5 > distances', 'distances')
        """
        paths = [" > ".join(self.what)]
        paths += [
            " > ".join((self.what[0], "...", *self.what[kept:]))
            for kept in range(2, len(self.what))
        ]
        return next((path for path in paths if len(path) <= width), self.what[-1])

    def line(self) -> str:
        """All facts in one line.

        Examples
        --------
        >>> Facts(("fit", "distances"), 0.5, 75.0, 80.0, "").line()
        'fit > distances: 50%, 1:15 left'
        """
        share = "" if self.share is None else f"{self.share:.0%}, "
        return f"{' > '.join(self.what)}: {share}{self.timing()}"


def time_left(share: float, elapsed: float) -> float | None:
    r"""How long the rest takes, if it goes on as before.

    .. math:: t_\text{left} = t \, \frac{1 - s}{s}

    where the share s took the time t; None if s is 0.

    Examples
    --------
    >>> time_left(0.25, 10.0)
    30.0
    """
    return elapsed * (1 - share) / share if share > 0 else None


def clock_time(seconds: float) -> str:
    """Seconds as minutes and seconds, or hours, minutes and seconds.

    Examples
    --------
    >>> clock_time(75.4), clock_time(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _path(outermost: Task) -> Iterator[Task]:
    """The task, the latest one inside it, the latest one inside that, and so on."""
    task: Task | None = outermost
    while task is not None:
        yield task
        parts = task.parts  # may change meanwhile: the work goes on in another thread
        task = parts[-1] if parts else None


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

    It is complete at ``total``, None if that is not known; the outer task advances by ``worth`` at
    the end. For an outermost task ``verbose`` counts: 0 is a bar in a terminal and nothing
    elsewhere, 1 lines on standard error where there is no terminal, -1 nothing; each after two
    seconds. A listener is told of the tasks inside it, instead of showing them.

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

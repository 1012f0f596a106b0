"""A tree of tasks: what is being done, and how much of it is done already."""

import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar, Token
from typing import Any, NamedTuple, Protocol, Self

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

    Parameters
    ----------
    what : str
        What is being done, in a word or two.
    total : float, optional
        The amount at which it is complete; None if that is not known.
    worth : float
        How much of its parent's work it is. The parent advances by as much when this task ends
        without an error.
    parent : Task, optional
        The task that it is a part of.
    clock : callable
        Returns the time, in seconds.
    listener : Listener, optional
        Is told of this task; by default the listener of the parent.

    Attributes
    ----------
    done : float
        How much is done.
    note : str
        What else there is to say, such as the gap that is left.
    started : float
        When it began.
    parts : tuple of Task
        The tasks inside it that are running, the latest last.

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
        self.what, self.total, self.worth, self.parent, self.clock = (
            what,
            total,
            worth,
            parent,
            clock,
        )
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


class Facts(NamedTuple):
    """What a display shows of an outermost task and the tasks inside it.

    Attributes
    ----------
    what : tuple of str
        What is being done, from the outermost task to the innermost one.
    share : float or None
        Which share is done of the outermost task that knows how much it has to do.
    left : float or None
        The seconds that the rest of that task will take; None if that is not known.
    elapsed : float
        The seconds since the outermost task began.
    note : str
        What else there is to say, such as the gap that is left.
    """

    what: tuple[str, ...]
    share: float | None
    left: float | None
    elapsed: float
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
        return cls(tuple(task.what for task in path), share, left, now - outermost.started, note)

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

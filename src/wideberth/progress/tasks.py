"""A tree of tasks: what is being done, and how much of it is done already."""

import threading
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Any, Protocol, Self

#: The innermost task of the work that runs here; each thread starts without one.
CURRENT: ContextVar["Task | None"] = ContextVar("current task", default=None)

_changing = threading.Lock()  # parts of a task may end in several threads at once


class Listener(Protocol):
    """Is told of every task inside an outermost one, and of that one, in the thread that does the work."""

    def moved(self, task: "Task") -> None:
        """Called when more of a task is done."""

    def ended(self, task: "Task") -> None:
        """Called when a task has ended, also by an error."""


class Task:
    """A piece of work under way; entering it makes it the parent of the tasks that are opened meanwhile.

    Parameters
    ----------
    what : str
        What is being done, in a word or two.
    total : float, optional
        The amount at which it is complete; None if that is not known.
    worth : float
        How much of its parent's work it is. The parent advances by as much when this task ends without an error.
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

    __slots__ = ("_token", "clock", "done", "listener", "note", "parent", "parts", "started", "total", "what", "worth")

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
        self.what, self.total, self.worth, self.parent, self.clock = what, total, worth, parent, clock
        self.listener: Listener | None = parent.listener if listener is None and parent is not None else listener
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

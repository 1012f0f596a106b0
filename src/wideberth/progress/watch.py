"""Who watches the tasks, and shows those that take long."""

import contextlib
import os
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from wideberth.progress.displays import Bar, Display, Lines
from wideberth.progress.facts import Facts
from wideberth.progress.tasks import Task

#: Seconds of work before it is shown: shorter work is over before anybody could read about it.
PATIENCE = 2.0
#: Seconds between two looks at the tasks.
_INTERVAL = 0.2


class _Watched(NamedTuple):
    task: Task
    lines: bool


class Watch:
    """Looks at the outermost tasks, of all threads, from a thread of its own.

    That thread also shows work that reports nothing for a while, such as a call of a solver. A terminal shows one bar at a time,
    that of the oldest task; of tasks that are shown as lines, each has its own.

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
                self._thread = threading.Thread(target=self._run, name="wideberth progress", daemon=True)
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

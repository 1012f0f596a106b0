"""A bar for a person who waits, and nothing for anybody else."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds of work before a bar appears: shorter work is over before it could be read.
PATIENCE = 1.0

_one_bar = threading.Lock()  # a terminal shows one bar at a time; work inside other work stays silent


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

"""How progress is shown: a bar in a terminal, or lines on standard error."""

import sys
from typing import Any, Protocol

from wideberth.progress.facts import Facts, clock_time

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
            TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
            BarColumn(bar_width=_BAR_WIDTH),
            TextColumn("{task.fields[share]:>4}", markup=False),
            TextColumn("{task.fields[timing]}", markup=False, table_column=Column(no_wrap=True)),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
            expand=True,
            redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),  # what goes to a file stays there
        )
        self._task: Any = None

    def show(self, facts: Facts) -> None:
        """Draw the bar, without an end where the share is not known."""
        known = facts.share is not None
        state: dict[str, Any] = {
            "total": 1.0 if known else None,
            "completed": facts.share or 0.0,
            "description": facts.path(self._progress.console.width - _BAR_WIDTH - len(facts.timing()) - len(" 100%   ")),
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
    """Lines on standard error: one at once, one every `SECONDS_A_LINE` seconds, and one at the end."""

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

"""The time limit of a choice: how much is left, and what ends the work when it is over."""

import time
from collections.abc import Callable


class OutOfTime(Exception):
    """The time for choosing is over; whoever compares candidates stops, and what was found so far
    counts.
    """


class Budget:
    """How much of the time for choosing is left; all of it, if there is no limit in seconds.

    Examples
    --------
    >>> budget = Budget(60.0, clock=iter([0.0, 20.0, 70.0]).__next__)
    >>> budget.left
    40.0
    >>> budget.check()
    Traceback (most recent call last):
    ...
    wideberth.choice.time_limit.OutOfTime: 60 s are over.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = float("inf") if seconds is None else float(seconds)
        self._clock, self._began = clock, clock()
        self._kept_back = 0.0

    @property
    def spent(self) -> float:
        """Seconds since it was made."""
        return self._clock() - self._began

    @property
    def left(self) -> float:
        """Seconds until the limit, without those that are kept back; negative after it."""
        return self.seconds - self._kept_back - self.spent

    def keep_back(self, seconds: float) -> None:
        """Leave so much time for what comes after the choice, but no more than half of the limit.

        >>> budget = Budget(60.0, clock=iter([0.0, 20.0]).__next__)
        >>> budget.keep_back(15.0)
        >>> budget.left
        25.0
        """
        self._kept_back = min(seconds, 0.5 * self.seconds)

    def check(self) -> None:
        """Raise `OutOfTime` if nothing is left."""
        if self.left <= 0:
            raise OutOfTime(f"{self.seconds:g} s are over.")

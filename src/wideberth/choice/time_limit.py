r"""The time limit of a choice: what counts as time, how much of it is left, and what ends the work
when it is over.

A limit by the clock would make the choice depend on what else the machine is doing, and on whether
compiled code is in its cache. So the work counts: with a the processor seconds of the thread that
chooses, b those of the other threads of this process, which share c cores, and w what it has waited
for workers in other processes,

.. math:: t = a + b / c + w

is how long an idle machine would take by the clock. Loading numba, compiling, and reading what was
compiled before are not counted.
"""

import time
from collections.abc import Callable

from wideberth.compilation import preparation
from wideberth.geometry.measure.parallel import effective_jobs, processor_seconds, seconds_waited

#: Whatever the work, a second by the clock counts at least as this part of one: a distance may wait
#: for something else, which takes no processor time.
_LEAST_SHARE = 0.1


def work_clock(n_jobs: int | None) -> Callable[[], float]:
    """A clock that tells how many seconds this thread has worked since it was made, on so many
    cores.

    Examples
    --------
    >>> clock = work_clock(1)
    >>> 0 <= clock() <= clock()
    True
    """
    jobs = effective_jobs(n_jobs)
    worked, passed = _worked(jobs), _passed()
    return lambda: max(_worked(jobs) - worked, _LEAST_SHARE * (_passed() - passed))


def _worked(jobs: int) -> float:
    """How long an idle machine would have taken for the work of this thread so far."""
    own = time.thread_time() - preparation().own
    return own + (processor_seconds() - own) / jobs + seconds_waited()


def _passed() -> float:
    """The seconds of the clock that this thread did not prepare code in."""
    return time.monotonic() - preparation().by_the_clock


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

    def __init__(self, seconds: float | None, clock: Callable[[], float]) -> None:
        self.seconds = float("inf") if seconds is None else float(seconds)
        self._clock, self._began = clock, clock()
        self._kept_back = 0.0

    @property
    def spent(self) -> float:
        """Seconds since it was made, by its clock."""
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

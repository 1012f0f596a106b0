"""Limits of the automatic choice in processor seconds, so that other work on the machine does not
change what is chosen.
"""

import time
from functools import partial

from wideberth.choice import contest
from wideberth.choice.time_limit import Budget


def by_processor_time() -> None:
    """Let limits count the seconds of all cores for this process; an idle machine needs at most as
    many of the clock.
    """
    contest.Budget = partial(Budget, clock=time.process_time)  # type: ignore[misc, assignment]

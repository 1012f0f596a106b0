"""A limit on the processor time of a few lines, which a busy machine does not change: a hang
becomes an error.
"""

import signal
from contextlib import contextmanager


class TookTooLong(BaseException):
    """Not an ``Exception``, so that the code under test cannot take it for one of its own."""


@contextmanager
def limited(seconds):
    def stop(*_):
        raise TookTooLong(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)

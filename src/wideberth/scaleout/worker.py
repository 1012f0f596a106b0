"""What runs on a worker of a cluster: data that are unpacked, and batches of chunks, on one
core.
"""

import pickle
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

from wideberth.geometry.measure.parallel import on_one_core


def run_batch(pickled_call: bytes, pickled_chunks: bytes, *shipped: Any) -> tuple[list[Any], float]:
    """Call a function for each chunk; its results, and the seconds that took.

    Parameters
    ----------
    pickled_call, pickled_chunks : bytes
        What `wideberth.scaleout.shipping.Call` has pickled, and a list of chunks.
    *shipped : object
        The data that `unpacked` holds.
    """
    # both come from the client, as all tasks of Dask do
    function, named, arguments = pickle.loads(pickled_call)  # noqa: S301  # nosec B301
    chunks = pickle.loads(pickled_chunks)  # noqa: S301  # nosec B301
    values = [value if place is None else shipped[place] for place, value in arguments]
    started = time.perf_counter()
    with on_one_core(), _one_thread():
        results = [function(*values, chunk, **named) for chunk in chunks]
    return results, time.perf_counter() - started


def unpacked(pickled: Any, *buffers: Any) -> Any:
    """A value that `wideberth.scaleout.shipping.pack` has pickled.

    Examples
    --------
    >>> unpacked(pickle.dumps("tea"))
    'tea'
    """
    return pickle.loads(pickled, buffers=buffers)  # noqa: S301  # nosec B301


_counting = threading.Lock()
_running = 0
_limits: Any = None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let the libraries of linear algebra use one thread, until the last of several tasks in this
    process has ended.
    """
    global _running, _limits
    with _counting:
        if not _running:
            _limits = threadpool_limits(1)
        _running += 1
    try:
        yield
    finally:
        with _counting:
            _running -= 1
            if not _running:
                _limits.restore_original_limits()

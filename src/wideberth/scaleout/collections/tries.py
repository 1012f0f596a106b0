"""Compute delayed values; what a cluster loses is named."""

from concurrent.futures import CancelledError
from typing import Any

import dask
from dask.delayed import Delayed
from distributed import KilledWorker

from wideberth.errors import LostWork


def computed(values: list[Delayed], what: str) -> list[Any]:
    """Compute delayed values on the cluster of the current client, or here, in parallel.

    Parameters
    ----------
    values : list of Delayed
        One for each partition.
    what : str
        What they are called in an error.

    Returns
    -------
    list
        The values in order.

    Raises
    ------
    wideberth.errors.LostWork
        If the workers that computed one of them died more often than Dask tries again
        (``distributed.scheduler.allowed-failures``).

    Examples
    --------
    >>> computed([dask.delayed(len)("tea")], "lengths")
    [3]
    """
    try:
        return list(dask.compute(*values))
    except KilledWorker as killed:
        raise LostWork(
            f"The workers that computed {what} died, {killed.allowed_failures + 1} times: {killed.task!r}.",
            advice="A partition may need more memory than a worker has: repartition the collection into smaller ones.",
            work=what,
            chunks=[killed.task],
            times=killed.allowed_failures + 1,
        ) from killed
    except CancelledError as lost:
        raise LostWork(
            f"The cluster forgot {what}: {lost}.",
            advice="It was restarted, or the client closed. Call it again.",
            work=what,
            chunks=[],
            times=1,
        ) from lost

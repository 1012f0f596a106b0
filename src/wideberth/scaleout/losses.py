"""What a cluster loses or lacks, as errors of this library that say what to do."""

import re
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager

from distributed import KilledWorker
from distributed.comm import CommClosedError

from wideberth.errors import LostWork, MissingOnWorkers
from wideberth.wording import python

#: Seconds that a cluster may be without workers: those that died are started again, and a queue may
#: let new ones wait.
PATIENCE = 300.0
#: How the keys of tasks begin whose only work is to hold data.
DATA = "wideberth-data"

_MEMORY = (
    "give the workers more memory, or start fewer of them on each machine; a collection can be cut "
    "into smaller partitions by repartition, and distances need less by a lower max_memory"
)


@contextmanager
def naming_losses(what: str, on_cluster: bool = True) -> Iterator[None]:
    """Turn the errors of Dask about lost workers, lost schedulers and missing modules into errors
    of this library.

    Parameters
    ----------
    what : str
        What is waited for, as it is called in an error.
    on_cluster : bool
        Whether workers of a cluster do it; otherwise a missing module is missing here.

    Raises
    ------
    wideberth.errors.LostWork
        If the workers that did it died more often than Dask tries again
        (``distributed.scheduler.allowed-failures``), or the scheduler forgot it or cannot be
        reached.
    wideberth.errors.MissingOnWorkers
        If workers or the scheduler cannot import a module.

    Examples
    --------
    >>> with naming_losses("labels"):
    ...     raise CancelledError("label-1")
    Traceback (most recent call last):
    ...
    wideberth.errors.LostWork: The cluster has forgotten labels: label-1. Its scheduler was lost or restarted, or the ...
    """
    try:
        yield
    except KilledWorker as killed:
        raise _killed(killed, what) from killed
    except CancelledError as reason:
        raise LostWork(
            f"The cluster has forgotten {what}: {_told(reason)}",
            advice="Its scheduler was lost or restarted, or the client was closed, or somebody "
            "cancelled the work. Connect a new client if need be, and call it again.",
            work=what,
            chunks=[],
            times=1,
        ) from reason
    except ValueError as error:  # threads, or another cluster, are asked for what a client has sent that is closed by now
        if DATA not in str(error):
            raise
        raise LostWork(
            f"What {what} are computed from is on the workers of a client that was closed, or that "
            "does not compute them here.",
            advice="Call it again with the client of now: lazy answers are computed by the client "
            "that they were asked for with.",
            work=what,
            chunks=[],
            times=1,
        ) from error
    except CommClosedError as reason:
        raise LostWork(
            f"The connection to the scheduler was lost at {what}: {_told(reason)}",
            advice="See whether the scheduler runs, connect a new client, and call it again.",
            work=what,
            chunks=[],
            times=1,
        ) from reason
    except (ModuleNotFoundError, RuntimeError) as error:
        module = _missing_module(error) if on_cluster else None
        if module is None:
            raise
        raise MissingOnWorkers(
            f"The workers of the cluster, or its scheduler, cannot import the module {module!r}, "
            "which your distance, your objects or your partitions come from.",
            advice="Send it to workers by client.upload_file('path/of/the/module.py'), or install "
            "it where they run.",
            module=module,
        ) from error


def no_workers(what: str) -> LostWork:
    """The error for work that has had no worker for long."""
    return LostWork(
        f"{what} could not be done: the cluster has had no worker that takes work for {PATIENCE:g} "
        "seconds.",
        advice=f"Start workers; if there are some, they wait for memory: {_MEMORY}. "
        f"Without {python('wideberth.scaleout.on')}(client), the work is done on this machine.",
        work=what,
        chunks=[],
        times=1,
    )


def _killed(killed: KilledWorker, what: str) -> LostWork:
    """The error for work whose workers died."""
    times = killed.allowed_failures + 1
    held = " while they received its data" if str(killed.task).startswith(DATA) else ""
    return LostWork(
        f"The workers that computed {what} died{held}, {times} times: {killed.task!r}.",
        advice=f"Their logs tell why. If they ran out of memory, {_MEMORY}. "
        "What was finished is kept where there is a cache: MetricSpace(cache=directory).",
        work=what,
        chunks=[killed.task],
        times=times,
    )


def _told(reason: BaseException) -> str:
    """What an error of Dask says, as the end of a sentence."""
    return f"{str(reason).strip().rstrip('.')}."


def _missing_module(error: BaseException) -> str | None:
    """The module that could not be imported on a worker; a scheduler that could not read a graph
    tells it in words alone.
    """
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, ModuleNotFoundError) and link.name:
            return link.name
        found = re.search(r"No module named '([^']+)'", str(link))
        if found is not None:
            return found[1]
        link = link.__cause__ or link.__context__
    return None

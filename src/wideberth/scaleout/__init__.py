"""The same estimators on a cluster of `Dask <https://distributed.dask.org>`_ workers (extra
``dask``).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wideberth.errors import InvalidInput
from wideberth.extras import import_extra

import_extra("distributed", "dask")

# after the check that Dask is there
from wideberth.scaleout.cluster_runner import on_cluster  # noqa: E402
from wideberth.scaleout.collections.answers import certified_radius, predict, write_predictions  # noqa: E402
from wideberth.scaleout.collections.fitting import fit, learn_from_net  # noqa: E402
from wideberth.scaleout.collections.judging import certify, evaluate  # noqa: E402

__all__ = [
    "certified_radius",
    "certify",
    "evaluate",
    "fit",
    "learn_from_net",
    "on",
    "predict",
    "write_predictions",
]


@contextmanager
def on(client: Any) -> Iterator[None]:
    """Let the workers of a cluster do what takes long, within a ``with`` block and in this thread.

    Everything that runs on all cores otherwise (distances, searches, steepest pairs, folds and
    settings of a cross-validation) runs on the workers then, if it is expected to take two seconds
    or more on one core; the answers are the same. Data are sent once: a second fit on the same
    objects finds them there until the block ends. Each task takes about half a second and one core
    of its worker; workers that join later get their share.

    What the cluster loses with a worker, the data included, Dask computes again, as often as its
    setting ``distributed.scheduler.allowed-failures`` says. If it is interrupted the workers finish
    what they have begun, and nothing else.

    Parameters
    ----------
    client : dask.distributed.Client
        Connected to a cluster whose workers have the same version of this library installed.

    Raises
    ------
    wideberth.errors.InvalidInput
        If it is not such a client, or is asynchronous or closed.
    wideberth.errors.LostWork
        Within the block: if workers die again and again, as of data that are larger than their
        memory; if there are none, or all wait for memory, for five minutes; if the scheduler is
        gone.
    wideberth.errors.MissingOnWorkers
        Within the block: if workers cannot import the module of a distance or of objects.

    Examples
    --------
    >>> from dask.distributed import Client
    >>> import wideberth
    >>> with Client(
    ...     processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0"
    ... ) as client:
    ...     with wideberth.scaleout.on(client):
    ...         model = wideberth.NeighborsClassifier("levenshtein").fit(
    ...             ["tea", "tee", "rum"], ["hot", "hot", "cold"]
    ...         )
    >>> model.predict(["ruhm"])
    array(['cold'], dtype='<U4')
    """
    distributed = import_extra("distributed", "dask")
    if not isinstance(client, distributed.Client):
        raise InvalidInput(
            f"Work runs on a dask.distributed.Client, not on a {type(client).__name__}.",
            advice="Make one: Client() for the cores of this machine, Client(address) for a "
            "cluster.",
            value=client,
        )
    if client.asynchronous or client.status != "running":
        raise InvalidInput(
            "The client cannot be used: it is "
            f"{'asynchronous' if client.asynchronous else client.status}.",
            advice="Use an open client that was made outside of a coroutine.",
            value=client,
        )
    with on_cluster(client):
        yield

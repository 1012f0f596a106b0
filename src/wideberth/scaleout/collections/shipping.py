"""A model on the workers of a cluster: shipped once to each, found again by its contents, and lost by none.

A scattered object is gone when all workers that hold it are. So the model is a task, whose only work is to be there: the
scheduler keeps it as long as somebody refers to it, and gives it to workers that come later, or again.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import dask
from dask.delayed import Delayed
from distributed import Client, default_client

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import running_on
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.scaleout.cluster_runner import ClusterRunner

#: How many models are kept on the workers for the next call, beside those that lazy results refer to.
_KEPT = 4
#: A model is sent once for all partitions, so that Dask need not warn of its size.
_NO_WARNING = {"distributed.admin.large-graph-warning-threshold": "1TB"}

_SHIPPED: OrderedDict[tuple[str, str], Delayed] = OrderedDict()


def shipped(model: Any) -> Delayed:
    """A model as part of a graph: on the cluster of the current client if there is one, else in the graph itself.

    Parameters
    ----------
    model : estimator
        A fitted model, or any other object that is large.

    Returns
    -------
    Delayed
        Stands for the model in the arguments of delayed functions.

    Examples
    --------
    >>> shipped("a model").compute()
    'a model'
    """
    key = f"wideberth-model-{_name_of(model)}"
    literal = dask.delayed(model, name=key, traverse=False)
    client = current_client()
    if client is None:
        return literal
    place = client.id, key
    if place not in _SHIPPED or _SHIPPED[place].dask[key].status in ("cancelled", "error", "lost"):
        with dask.config.set(_NO_WARNING):
            _SHIPPED[place] = client.persist(literal)
    _SHIPPED.move_to_end(place)
    while len(_SHIPPED) > _KEPT:
        _SHIPPED.popitem(last=False)
    return _SHIPPED[place]


def _name_of(model: Any) -> str:
    """A name that no other contents have; another one each time for what cannot be recognised again."""
    try:
        return fingerprint(model)
    except InvalidInput:
        return uuid4().hex


def current_client() -> Client | None:
    """The client of the cluster that computes here; None where Dask uses threads or processes of this machine.

    Examples
    --------
    >>> current_client() is None
    True
    """
    try:
        client = default_client()
    except ValueError:
        return None
    return client if client.status == "running" and not client.asynchronous else None


@contextmanager
def on_current_cluster() -> Iterator[None]:
    """Run what takes long on the cluster of the current client, if there is one, as `wideberth.scaleout.on` does.

    Examples
    --------
    >>> with on_current_cluster():  # there is none
    ...     pass
    """
    client = current_client()
    if client is None:
        yield
        return
    runner = ClusterRunner(client)
    try:
        with running_on(runner):
            yield
    finally:
        runner.forget()


def persisted(values: list[Delayed]) -> list[Delayed]:
    """Delayed values that stay where they are computed, for the next steps; lost ones are computed again.

    Examples
    --------
    >>> [value.compute() for value in persisted([dask.delayed(len)("tea")])]
    [3]
    """
    with dask.config.set(_NO_WARNING):
        return list(dask.persist(*values))

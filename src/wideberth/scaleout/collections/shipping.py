"""Models on the workers of a cluster, and values that are computed there: what is lost is named."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import dask
from dask.delayed import Delayed
from distributed import Client, Future, default_client

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import running_on
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.scaleout.cluster_runner import ClusterRunner
from wideberth.scaleout.losses import naming_losses
from wideberth.scaleout.shipping import NO_WARNING, is_lost, pack, send

#: How many models are kept on the workers for the next call, beside those that lazy results refer
#: to.
_KEPT = 4

_SHIPPED: OrderedDict[tuple[str, bytes], Future] = OrderedDict()


def shipped(model: Any) -> Delayed:
    """A model as part of a graph: on the cluster of the current client if there is one, else in the
    graph itself.

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
    client = current_client()
    if client is None:
        return dask.delayed(model, name=f"wideberth-model-{_name_of(model)}", traverse=False)
    packed = pack(model)
    place = client.id, packed.digest
    if place not in _SHIPPED or is_lost(_SHIPPED[place]):
        _SHIPPED[place] = send(client, packed)
    _SHIPPED.move_to_end(place)
    while len(_SHIPPED) > _KEPT:
        _SHIPPED.popitem(last=False)
    future = _SHIPPED[place]
    return Delayed(future.key, {future.key: future})


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
    wideberth.errors.LostWork, wideberth.errors.MissingOnWorkers
        As `wideberth.scaleout.losses.naming_losses` names them.

    Examples
    --------
    >>> computed([dask.delayed(len)("tea")], "lengths")
    [3]
    """
    with naming_losses(what, on_cluster=current_client() is not None):
        return list(dask.compute(*values))


def _name_of(model: Any) -> str:
    """A name that no other contents have; another one each time for what cannot be recognised
    again.
    """
    try:
        return fingerprint(model)
    except InvalidInput:
        return uuid4().hex


def current_client() -> Client | None:
    """The client of the cluster that computes here; None where Dask uses threads or processes of
    this machine.

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
    """Run what takes long on the cluster of the current client, if there is one, as
    `wideberth.scaleout.on` does.

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
    """Delayed values that stay where they are computed, for the next steps; lost ones are computed
    again.

    Examples
    --------
    >>> [value.compute() for value in persisted([dask.delayed(len)("tea")])]
    [3]
    """
    with dask.config.set(NO_WARNING):
        return list(dask.persist(*values))

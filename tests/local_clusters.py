"""Clusters of processes of this machine."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import dask
from distributed import LocalCluster


@contextmanager
def local_cluster(n_workers: int, **settings: Any) -> Iterator[LocalCluster]:
    """A cluster of so many workers with one thread each, without a word and without the usual
    port.
    """
    options = {
        "threads_per_worker": 1,
        "memory_limit": None,
        "dashboard_address": ":0",
        "silence_logs": logging.CRITICAL,
    }
    # who is killed again while being away since an earlier death would be given up after 15 seconds
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}):
        cluster = LocalCluster(n_workers=n_workers, **(options | settings))
        try:
            yield cluster
        finally:
            with suppress(
                TimeoutError
            ):  # a killed process takes longer than Dask waits for it, beside busy ones
                cluster.close()

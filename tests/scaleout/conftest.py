"""A cluster of two workers with one thread each, processes of this machine, for all tests of a
session.
"""

import os
import time
from pathlib import Path

import pytest
from distributed import Client, Status
from local_clusters import local_cluster

import wideberth
from wideberth.scaleout import cluster_runner, shipping

N_WORKERS = 2
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """They run in processes of their own: worker processes are children of the one that tests."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def cluster():
    with local_cluster(N_WORKERS, processes=True) as cluster:
        yield cluster


def all_started(client, cluster):
    """Whether all workers answer; one that has just been killed may still be listed."""
    try:
        client.run(os.getpid)
    except OSError:
        return False
    return all(
        nanny.process and nanny.process.status is Status.running
        for nanny in cluster.workers.values()
    )


@pytest.fixture
def client(cluster):
    """All workers are there, also after a test that has killed some."""
    with Client(cluster) as client:
        client.wait_for_workers(N_WORKERS, timeout=120)
        while not all_started(client, cluster):
            time.sleep(
                0.01
            )  # a worker that is killed while it is still being started is never started again
        yield client


@pytest.fixture
def everything_pays(monkeypatch):
    """However little there is to do, it is sent to the workers, in small batches, and the data are
    shipped.
    """
    monkeypatch.setattr(shipping, "SENT_ALONG", 0)
    monkeypatch.setattr(cluster_runner, "WORTH_SHIPPING", 0.0)
    monkeypatch.setattr(cluster_runner, "BATCH_SECONDS", 0.02)


@pytest.fixture
def on_workers(client, everything_pays):
    """Within this test everything runs on the workers."""
    with wideberth.scaleout.on(client):
        yield client

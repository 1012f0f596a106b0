"""A cluster of two processes of this machine, and what work on it costs."""

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.results import Facts
from benchmarks.scaleout.runner import ADVISED
from benchmarks.timing import peak_memory

if TYPE_CHECKING:  # pages are also written where Dask is not installed
    from distributed import Client

WORKERS = 2


@contextmanager
def two_workers() -> "Iterator[Client]":
    """A client of two worker processes with one thread each and 2 GB, with the settings that are
    advised.
    """
    import dask
    from distributed import Client, LocalCluster

    settings = {
        "n_workers": WORKERS,
        "threads_per_worker": 1,
        "processes": True,
        "memory_limit": "2GB",
    }
    with (
        dask.config.set(ADVISED),
        LocalCluster(**settings, dashboard_address=":0", silence_logs=logging.CRITICAL) as cluster,
        Client(cluster) as client,
    ):
        yield client


def cost_on(client: "Client", run: Callable[[], Any]) -> tuple[Facts, Any]:
    """Seconds of CPU and of the clock, and the largest memory of a worker, of work on a cluster;
    and its result.
    """
    before, started = cpu_of_all(client), time.perf_counter()
    result = run()
    wall, after = time.perf_counter() - started, cpu_of_all(client)
    worker = max(client.run(peak_of_worker).values())
    client_cpu = after["client"] - before["client"]
    facts = {
        "cpu": sum(after.values()) - sum(before.values()),
        "client_cpu": client_cpu,
        "wall": wall,
        "worker_bytes": worker,
    }
    return facts, result


def cost_here(run: Callable[[], Any]) -> tuple[Facts, Any]:
    """The same of work in this process."""
    found: list[Any] = []
    before, started = time.process_time(), time.perf_counter()
    memory = peak_memory(lambda: found.append(run()))
    return {
        "cpu": time.process_time() - before,
        "wall": time.perf_counter() - started,
        "bytes": memory,
    }, found[0]


def cpu_of_all(client: "Client") -> dict[str, float]:
    """Seconds of CPU of the client and of each worker so far."""
    return client.run(time.process_time) | {"client": time.process_time()}


def peak_of_worker() -> int:
    """The most memory that this process has had since it runs its own program: ``getrusage`` counts
    its parent's in.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(
        next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    )


def loaded() -> float:
    """How many processes wanted a core in the last minute, on average."""
    return os.getloadavg()[0]

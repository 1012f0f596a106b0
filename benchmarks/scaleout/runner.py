"""`wideberth.scaleout.on`: processor time and waiting time on one and two workers, and bytes moved,
beside one process.
"""

import csv
import logging
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.outside_data import DATA
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.samples import bell_curves, edited_names
from benchmarks.scaleout.shared_work import row_of_workers
from benchmarks.timing import table
from wideberth.geometry.classes.enemies import nearest_enemies
from wideberth.geometry.measure.parallel import on_one_core, running_on

#: What docs/scaleout_on.md suggests: no profiler, which looks at every worker a hundred times a
#: second, and memory that is kept.
ADVISED = {
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 2**27,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 2**25,
}
CLUSTERS: dict[str, tuple[int, dict[str, Any]]] = {
    "1": (1, ADVISED),
    "2": (2, ADVISED),
    "2, Dask's defaults": (2, {}),
}
N_SERIES, N_NAMES, N_VECTORS = 2_000, 16_000, 12_000
HEAD = [
    "work",
    "one process, CPU s",
    "workers",
    "CPU s",
    "of the client",
    "CPU / one process",
    "waiting, s",
    "CPU / workers",
]
BYTES_HEAD = ["work", "data, MB", "chunks, MB", "results, MB", "all distances, MB"]


@dataclass(frozen=True)
class Work:
    """Something to do, how many pairs it measures, and how often it is timed."""

    title: str
    run: Callable[[], object]
    pairs: int
    rounds: int


def works() -> Iterator[Work]:
    series = bell_curves(N_SERIES)
    yield Work(
        f"msm, all distances of {N_SERIES:,} series",
        lambda: wb.pairwise_distances(series, metric="msm"),
        N_SERIES**2,
        2,
    )
    names, nations = _names()
    yield Work(
        f"levenshtein, nearest enemies of {N_NAMES:,} names",
        lambda: nearest_enemies(names, nations, "levenshtein"),
        _enemies(nations),
        7,
    )
    vectors = np.random.default_rng(0).normal(size=(N_VECTORS, 30))
    yield Work(
        f"euclidean, 5 neighbours of {N_VECTORS:,} vectors",
        lambda: wb.Index(vectors, engine="brute").nearest(vectors, k=5),
        N_VECTORS**2,
        7,
    )


def _names() -> tuple[np.ndarray, np.ndarray]:
    """Surnames by nationality; where they are not there, first names and others like them by
    sex.
    """
    if not (DATA / "names_18_nationalities.csv").exists():
        return tuple(np.array(each, dtype=object) for each in edited_names(N_NAMES))  # type: ignore[return-value]
    with (DATA / "names_18_nationalities.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    chosen = np.random.default_rng(0).permutation(len(rows))[:N_NAMES]
    return tuple(np.array([rows[row][column] for row in chosen], dtype=object) for column in (0, 1))  # type: ignore[return-value]


def _enemies(labels: np.ndarray) -> int:
    sizes = np.unique(labels, return_counts=True)[1]
    return int(len(labels) ** 2 - (sizes**2).sum()) // 2


@contextmanager
def workers(number: int, settings: dict[str, Any]) -> Iterator[Any]:
    import dask
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": logging.ERROR}
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=number, **options) as cluster,
        Client(cluster) as client,
    ):
        yield client


def measure() -> Facts:
    """The best of a few runs each, in turns with one process."""
    from wideberth.scaleout import cluster_runner

    cluster_runner.WORTH_SHIPPING = 0.0
    return {work.title: _measured(work) for work in works()}


def _measured(work: Work) -> Facts:
    found: Facts = {"pairs": work.pairs, "rounds": work.rounds, "workers": {}}
    alone = []
    for title, (number, settings) in CLUSTERS.items():
        with workers(number, settings) as client, wb.scaleout.on(client):
            work.run()
            runs = []
            for _ in range(work.rounds):
                with on_one_core(), threadpool_limits(1):
                    alone.append(_timed(work.run))
                runs.append(_timed(work.run, client))
            found["workers"][title] = min(runs, key=lambda times: times["cpu"]) | {"number": number}
            if title == "2":
                found["bytes"] = _moved(work, client)
        print(work.title, title, found["workers"][title], file=sys.stderr, flush=True)
    return found | {"alone": min(alone, key=lambda times: times["cpu"])}


def _timed(run: Callable[[], object], client: Any = None) -> dict[str, float]:
    """Seconds of waiting, and of processor time: all, and that of this process."""
    of_workers = (
        (lambda: sum(client.run(time.process_time).values())) if client is not None else lambda: 0.0
    )
    there, here, started = of_workers(), time.process_time(), time.perf_counter()
    run()
    waited, here = time.perf_counter() - started, time.process_time() - here
    return {"wall": waited, "client": here, "cpu": here + of_workers() - there}


def _moved(work: Work, client: Any) -> dict[str, int]:
    """Bytes that leave this process and come back in one run on data that the workers do not have
    yet.
    """
    from wideberth.scaleout import cluster_runner

    runner, moved = cluster_runner.ClusterRunner(client), {"chunks": 0, "results": 0}

    class Counted(cluster_runner._Run):
        def next_results(self) -> tuple[list[Any], float] | None:
            found = super().next_results()
            moved["results"] += 0 if found is None else len(pickle.dumps(found))
            return found

        def _task(self, first: int, stop: int, worker: str | None) -> Any:
            moved["chunks"] += len(self._call.pickled) + len(
                pickle.dumps(list(self._chunks[first:stop]))
            )
            return super()._task(first, stop, worker)

    before, cluster_runner._Run = cluster_runner._Run, Counted  # type: ignore[misc]
    try:
        with running_on(runner):
            work.run()
    finally:
        cluster_runner._Run = before  # type: ignore[misc]
    return moved | {"data": runner.shipping.bytes_shipped * len(client.nthreads())}


def rows(facts: Facts) -> Iterator[Row]:
    """Two workers with the advised settings."""
    for title, found in facts.items():
        two = found["workers"]["2"]
        yield row_of_workers("runner", title, two["cpu"], two["number"], found["alone"]["cpu"])


def page(facts: Facts) -> str:
    rows, bytes_rows = [], []
    for title, found in facts.items():
        alone = found["alone"]["cpu"]
        for workers_title, times in found["workers"].items():
            rows.append(
                [
                    title,
                    f"{alone:.1f}",
                    workers_title,
                    f"{times['cpu']:.1f}",
                    f"{times['client']:.2f}",
                    f"{times['cpu'] / alone:.2f}",
                    f"{times['wall']:.1f}",
                    f"{times['cpu'] / times['number']:.1f}",
                ]
            )
        moved = found["bytes"]
        sizes = [moved["data"], moved["chunks"], moved["results"], 8 * found["pairs"]]
        bytes_rows.append([title, *(f"{size / 1e6:,.1f}" for size in sizes)])
    return (
        "## The same work on "
        f"workers\n\n{WORDS}\n\n{table(HEAD, rows)}\n\n{BYTES}\n\n{table(BYTES_HEAD, bytes_rows)}"
    )


WORDS = """\
Seconds, the best of two runs (of seven where they are short) by processor time, in turns: with one core in one process, and
within `wideberth.scaleout.on(client)` on one and on two workers, the client included. What is compiled is loaded, and the data
are on the workers. Where other programs share the machine, waiting says little, and the processor time divided by the number of
workers estimates how long a quiet machine would take. Processor time has varied by more than a tenth between runs of this page,
so that smaller differences between rows decide nothing. Workers have the
[settings that we suggest](../scaleout_on.md), except in the rows with Dask's defaults. Everything was sent to the workers; work
of less than two seconds on one core stays here otherwise."""

BYTES = """\
Bytes that a run on two workers moves: the data to each of the workers, once; the chunks, with all small arguments, by tasks; and
the results. The last column is what all distances would take, eight bytes each."""

"""What is sent, how often, in which order, and what stays here."""

import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, Status, get_worker
from local_clusters import local_cluster
from threadpoolctl import threadpool_info

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.scaleout import cluster_runner, shipping
from wideberth.scaleout.cluster_runner import ClusterRunner, _batch_size
from wideberth.scaleout.shipping import SENT_ALONG

LARGE = np.arange(SENT_ALONG, dtype=np.float64)
N_LATER = 8


def scaled(numbers, factor, chunk):
    return factor * numbers[chunk]


def with_lock(lock, numbers, chunk):
    return numbers[chunk]


def jobs_inside(_):
    inner = list(over_chunks(effective_jobs, [None, 4], expected=3600.0))
    return inner, [library["num_threads"] for library in threadpool_info()]


def thread_of(_):
    return threading.get_ident()


def test_results_come_in_order(on_workers):
    chunks = list(range(200))
    assert list(over_chunks(partial(scaled, LARGE, 2.0), chunks, expected=0.2)) == [
        2.0 * chunk for chunk in chunks
    ]


def test_data_are_shipped_once_and_again_when_they_have_changed(client):
    runner, numbers = ClusterRunner(client), LARGE.copy()
    work = partial(scaled, numbers, 2.0)
    assert list(runner.results(work, [1, 2, 3], 0.1)) == [2.0, 4.0, 6.0]
    once = runner.shipping.bytes_shipped
    assert numbers.nbytes <= once <= 1.1 * numbers.nbytes
    assert list(runner.results(partial(scaled, LARGE, 3.0), [1, 2], 0.1)) == [3.0, 6.0]
    assert runner.shipping.bytes_shipped == once
    numbers[1] = 7.0
    assert list(runner.results(work, [1, 2], 0.1)) == [14.0, 4.0]
    assert runner.shipping.bytes_shipped == 2 * once


def test_a_second_fit_finds_its_data(on_workers, monkeypatch):
    keys = []
    send = shipping.send
    monkeypatch.setattr(
        shipping, "send", lambda client, packed: keys.append(packed.digest) or send(client, packed)
    )
    words = [f"{number:05}" for number in range(3000)]
    for _ in range(2):
        wideberth.Index(words, "levenshtein", engine="brute").nearest(words[:300])
        keys.append("fitted")
    assert 0 < keys.index("fitted") == len(keys) - 2


def test_what_is_old_is_forgotten(client, monkeypatch):
    monkeypatch.setattr("wideberth.scaleout.shipping.KEPT", LARGE.nbytes)
    runner = ClusterRunner(client)
    for factor in (1.0, 2.0, 3.0):
        assert list(runner.results(partial(scaled, factor * LARGE, 1.0), [1], 0.1)) == [factor]
    assert len(runner.shipping._shipped) == 1


def test_few_tasks_are_under_way(client, monkeypatch):
    monkeypatch.setattr(cluster_runner, "BATCH_SECONDS", 1.0)
    results = ClusterRunner(client).results(partial(scaled, np.arange(500), 1), range(500), 1.0)
    assert next(results) == 0
    begun = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
    assert begun <= cluster_runner.IN_FLIGHT * 2 + 1
    results.close()


@pytest.mark.parametrize(
    ("left", "seconds", "jobs", "size"),
    [(1000, 0.02, 2, 25), (1000, 5.0, 2, 1), (10, 1e-9, 2, 3), (1, 0.0, 8, 1)],
)
def test_batches_take_half_a_second_and_leave_some_for_all(left, seconds, jobs, size):
    assert _batch_size(left, seconds, jobs) == size


def test_work_is_named_before_it_is_sent():
    run = cluster_runner._Run(None, shipping.Call("tea", b"", []), ["a", "b"])
    assert run.named() == "chunks 1 to 1 of the 2 of 'tea'"


def test_work_on_a_worker_has_one_core_and_sends_nothing_on(on_workers):
    for inner, threads in over_chunks(jobs_inside, [0, 1], expected=3600.0):
        assert inner == [1, 1]
        assert set(threads) <= {1}


def test_short_work_stays_here(client):
    with wideberth.scaleout.on(client):
        assert set(over_chunks(thread_of, [0, 1, 2], how=None, expected=3600.0)) == {
            threading.get_ident()
        }
        assert set(over_chunks(thread_of, [0], expected=1.9)) == {threading.get_ident()}
        assert effective_jobs(None) == 2


def test_work_that_cannot_be_sent_stays_here(on_workers):
    work = partial(with_lock, threading.Lock(), LARGE)
    assert list(over_chunks(work, [3, 4], expected=3600.0)) == [3.0, 4.0]


def test_only_an_open_client_will_do(client):
    for wrong in (None, "tcp://127.0.0.1:8786"):
        with (
            pytest.raises(InvalidInput, match=r"dask.distributed.Client.* Make one"),
            wideberth.scaleout.on(wrong),
        ):
            pass
    other = Client(client.cluster)
    other.close()
    with pytest.raises(InvalidInput, match="closed"), wideberth.scaleout.on(other):
        pass


def test_work_that_takes_turns_keeps_its_data(client, monkeypatch):
    monkeypatch.setattr("wideberth.scaleout.shipping.KEPT", LARGE.nbytes)
    runner = ClusterRunner(client)
    one, other = (
        runner.results(partial(scaled, factor * LARGE, 1.0), range(40), 1.0)
        for factor in (1.0, 2.0)
    )
    assert [(first, second) for first, second in zip(one, other, strict=True)] == [
        (n, 2.0 * n) for n in range(40)
    ]


class LateFuture:
    """A future whose task ends after the wait for it, and before the look at it."""

    def __init__(self, error=None):
        self.waits, self.error = 0, error
        self.status = "error" if error else "pending"

    def done(self):
        return True

    def result(self, timeout=None):
        self.waits += 1
        if self.waits == 1:
            raise TimeoutError
        if self.error:
            raise self.error
        return [7], 0.1


def test_work_that_is_done_just_after_the_wait_is_not_lost(client):
    def waiting_for(future):
        run = cluster_runner._Run(client, None, [0])
        run.waiting.append(cluster_runner._Batch(0, 1, future, None))
        return run

    run = waiting_for(LateFuture())
    assert run.next_results() is None
    assert run.next_results() == ([7], 0.1)
    with pytest.raises(ZeroDivisionError):
        waiting_for(LateFuture(ZeroDivisionError())).next_results()
    with pytest.raises(TimeoutError, match="of the work itself"):
        waiting_for(LateFuture(TimeoutError("of the work itself"))).next_results()


def where_it_ran(numbers, _):
    return get_worker().address


def test_all_workers_have_their_share_although_one_holds_the_data_first(client, monkeypatch):
    """Dask itself would give all of so few tasks to the worker that has the data."""
    monkeypatch.setattr(cluster_runner, "BATCH_SECONDS", 1e-9)
    where = list(
        ClusterRunner(client).results(partial(where_it_ran, np.zeros(10**6)), range(4), 1.0)
    )
    assert set(where) == set(client.nthreads())


def waits_for(numbers, folder, chunk):
    """Ends as soon as eight workers are in the folder."""
    Path(folder, get_worker().id).touch()
    deadline = time.monotonic() + 120
    while len(list(Path(folder).iterdir())) < N_LATER and time.monotonic() < deadline:
        time.sleep(0.01)
    return get_worker().id


def test_workers_that_join_later_are_used(monkeypatch, tmp_path):
    """Each task but the first waits until all workers have one."""
    monkeypatch.setattr(cluster_runner, "BATCH_SECONDS", 1e-9)
    monkeypatch.setattr(cluster_runner, "SECONDS_A_LOOK", 0.05)
    with local_cluster(1, processes=False) as cluster, Client(cluster) as client:
        runner = ClusterRunner(client)
        results = runner.results(partial(waits_for, LARGE, str(tmp_path)), range(3 * N_LATER), 1.0)
        assert runner.jobs == 1
        cluster.scale(N_LATER)
        assert len(set(results)) == N_LATER
        assert runner.jobs == N_LATER


def pause(dask_worker):
    dask_worker.status = Status.paused


def test_work_for_a_worker_that_went_is_done_by_one_that_comes(monkeypatch):
    """It is sent while the only worker takes none, and that one is replaced then."""
    monkeypatch.setattr(cluster_runner, "SECONDS_A_LOOK", 0.05)
    look, looks = cluster_runner._Run._look_for_workers, []

    def replace_the_worker_and_look(run):
        looks.append(run.waiting[0].worker)
        if len(looks) == 1:
            cluster.scale(0)
            while client.nthreads():
                time.sleep(0.01)
            cluster.scale(1)
            client.wait_for_workers(1, timeout=120)
        look(run)

    monkeypatch.setattr(cluster_runner._Run, "_look_for_workers", replace_the_worker_and_look)
    with local_cluster(1, processes=False) as cluster, Client(cluster) as client:
        client.run(pause)
        assert list(ClusterRunner(client).results(len, ["tea", "coffee"], 1.0)) == [3, 6]
    assert looks[0] is not None


def test_an_adaptive_cluster_may_start_with_no_workers():
    with local_cluster(0, processes=False) as cluster, Client(cluster) as client:
        cluster.adapt(minimum=0, maximum=2, interval="50ms")
        assert not client.nthreads()
        results = ClusterRunner(client).results(partial(scaled, LARGE, 2.0), range(40), 0.1)
        assert list(results) == [2.0 * number for number in range(40)]


def test_data_that_are_changed_after_they_were_sent_are_sent_as_they_were():
    """Workers in this process would otherwise share them."""
    numbers = LARGE.copy()
    with local_cluster(1, processes=False) as cluster, Client(cluster) as client:
        results = ClusterRunner(client).results(partial(scaled, numbers, 1.0), range(20), 1.0)
        assert next(results) == 0.0
        numbers[:] = -1.0
        assert list(results) == [float(number) for number in range(1, 20)]


def flags_of(numbers, _):
    return numbers.flags.writeable


@pytest.mark.parametrize("writeable", [True, False])
def test_compiled_code_sees_arrays_of_the_same_type(client, writeable):
    numbers = LARGE.copy()
    numbers.flags.writeable = writeable
    assert (
        list(ClusterRunner(client).results(partial(flags_of, numbers), range(2), 1.0))
        == [writeable] * 2
    )

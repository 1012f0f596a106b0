"""What is sent, how often, in which order, and what stays here."""

import threading
from functools import partial

import numpy as np
import pytest
from distributed import Client
from threadpoolctl import threadpool_info

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.scaleout import cluster_runner
from wideberth.scaleout.cluster_runner import ClusterRunner, _batch_size
from wideberth.scaleout.shipping import SENT_ALONG, Shipping

LARGE = np.arange(SENT_ALONG, dtype=np.float64)


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
    assert list(over_chunks(partial(scaled, LARGE, 2.0), chunks, expected=0.2)) == [2.0 * chunk for chunk in chunks]


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
    scattered = Shipping._scattered
    monkeypatch.setattr(Shipping, "_scattered", lambda self, cargo: keys.append(cargo.digest) or scattered(self, cargo))
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
    ("left", "seconds", "jobs", "size"), [(1000, 0.02, 2, 25), (1000, 5.0, 2, 1), (10, 1e-9, 2, 3), (1, 0.0, 8, 1)]
)
def test_batches_take_half_a_second_and_leave_some_for_all(left, seconds, jobs, size):
    assert _batch_size(left, seconds, jobs) == size


def test_work_on_a_worker_has_one_core_and_sends_nothing_on(on_workers):
    for inner, threads in over_chunks(jobs_inside, [0, 1], expected=3600.0):
        assert inner == [1, 1]
        assert set(threads) <= {1}


def test_short_work_stays_here(client):
    with wideberth.scaleout.on(client):
        assert set(over_chunks(thread_of, [0, 1, 2], how=None, expected=3600.0)) == {threading.get_ident()}
        assert set(over_chunks(thread_of, [0], expected=1.9)) == {threading.get_ident()}
        assert effective_jobs(None) == 2


def test_work_that_cannot_be_sent_stays_here(on_workers):
    work = partial(with_lock, threading.Lock(), LARGE)
    assert list(over_chunks(work, [3, 4], expected=3600.0)) == [3.0, 4.0]


def test_only_an_open_client_will_do(client):
    for wrong in (None, "tcp://127.0.0.1:8786"):
        with pytest.raises(InvalidInput, match=r"dask.distributed.Client.* Make one"), wideberth.scaleout.on(wrong):
            pass
    other = Client(client.cluster)
    other.close()
    with pytest.raises(InvalidInput, match="closed"), wideberth.scaleout.on(other):
        pass


def test_work_that_takes_turns_keeps_its_data(client, monkeypatch):
    monkeypatch.setattr("wideberth.scaleout.shipping.KEPT", LARGE.nbytes)
    runner = ClusterRunner(client)
    one, other = (runner.results(partial(scaled, factor * LARGE, 1.0), range(40), 1.0) for factor in (1.0, 2.0))
    assert [(first, second) for first, second in zip(one, other, strict=True)] == [(n, 2.0 * n) for n in range(40)]


class LateFuture:
    """A future whose task ends after the wait for it, and before the look at it."""

    def __init__(self, error=None):
        self.waits, self.error = 0, error
        self.status = "error" if error else "finished"

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
    run = cluster_runner._Run(client, None, None, [0])
    assert run._wait_for(cluster_runner._Batch(0, 1, LateFuture(), [])) == ([7], 0.1)
    with pytest.raises(ZeroDivisionError):
        run._wait_for(cluster_runner._Batch(0, 1, LateFuture(ZeroDivisionError()), []))
    with pytest.raises(TimeoutError, match="of the work itself"):
        run._wait_for(cluster_runner._Batch(0, 1, LateFuture(TimeoutError("of the work itself")), []))


@pytest.mark.parametrize("failure", [OSError("the connection was closed"), KeyError("tcp://127.0.0.1:34481")], ids=repr)
def test_data_are_shipped_again_if_a_worker_dies_meanwhile(on_workers, monkeypatch, failure):
    scatter, failed = on_workers.scatter, []

    def fails_once(*args, **settings):
        if not failed:
            failed.append(failure)
            raise failure
        return scatter(*args, **settings)

    monkeypatch.setattr(on_workers, "scatter", fails_once)
    assert list(over_chunks(partial(scaled, LARGE, 3.0), [1, 2], expected=0.2)) == [3.0, 6.0]
    assert failed == [failure]

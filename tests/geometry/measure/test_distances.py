"""Distances in chunks, in threads and in processes are the distances of one block."""

import os
import threading
import time

import numpy as np
import pytest

import wideberth
from wideberth.geometry.measure import blocks, parallel
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks


def gap(one, other):
    return abs(one - other)


def test_chunks_do_not_change_the_distances(monkeypatch):
    monkeypatch.setattr(blocks, "TRIAL_PAIRS", 7)
    monkeypatch.setattr(blocks, "CHUNK_SECONDS", 0.0)
    words = ["tea", "coffee", "", "milk", "water"]
    whole = wideberth.metric("levenshtein").block(words, words)
    for n_jobs in (None, 1, 2, -1):
        np.testing.assert_array_equal(
            wideberth.pairwise_distances(words, None, "levenshtein", n_jobs=n_jobs), whole
        )


@pytest.mark.parametrize("metric", ["msm", "jaccard"])
def test_prepared_samples_are_cut_like_any_other(monkeypatch, metric):
    monkeypatch.setattr(blocks, "TRIAL_PAIRS", 4)
    monkeypatch.setattr(blocks, "CHUNK_SECONDS", 0.0)
    objects = [[1, 2, 3], [2, 3], [1], [2, 2, 9, 1]]
    whole = wideberth.metric(metric).block(objects, objects[:3])
    np.testing.assert_array_equal(wideberth.pairwise_distances(objects, objects[:3], metric), whole)


def test_threads_are_used_where_they_pay(monkeypatch):
    monkeypatch.setitem(parallel.WORTH_STARTING, "threads", 0.0)
    threads = {}

    def work(chunk):
        threads[chunk] = threading.get_ident()
        return chunk * 10

    assert list(over_chunks(work, [0, 1, 2], n_jobs=2)) == [0, 10, 20]
    assert [threads[chunk] == threading.get_ident() for chunk in range(3)] == [
        True,
        False,
        False,
    ]  # the first is timed here


def test_little_work_starts_no_threads():
    seen = set()
    list(
        over_chunks(
            lambda chunk: seen.add(threading.get_ident()), list(range(5)), n_jobs=2, expected=0.001
        )
    )
    assert seen == {threading.get_ident()}


@pytest.mark.slow
def test_a_worker_that_dies_loses_nothing(monkeypatch):
    monkeypatch.setitem(parallel.WORTH_STARTING, "processes", 0.0)
    here = os.getpid()

    def work(chunk):
        if os.getpid() != here:
            os._exit(1)
        return chunk

    assert list(over_chunks(work, [1, 2, 3, 4], n_jobs=2, how="processes")) == [1, 2, 3, 4]


@pytest.mark.filterwarnings("ignore::wideberth.errors.SlowMetricWarning")
def test_a_python_function_runs_in_processes(monkeypatch):
    monkeypatch.setitem(parallel.WORTH_STARTING, "processes", 0.0)
    monkeypatch.setattr(blocks, "TRIAL_PAIRS", 50)
    monkeypatch.setattr(blocks, "CHUNK_SECONDS", 1e-5)
    numbers = list(range(20))
    for function in (gap, lambda one, other: abs(one - other)):  # a lambda travels too
        found = wideberth.pairwise_distances(numbers, None, function, n_jobs=2)
        np.testing.assert_array_equal(found, abs(np.subtract.outer(numbers, numbers)))


def test_work_that_cannot_travel_stays_here(monkeypatch):
    monkeypatch.setitem(parallel.WORTH_STARTING, "processes", 0.0)
    lock = threading.Lock()

    def work(chunk):
        with lock:
            return chunk

    assert list(over_chunks(work, [1, 2, 3, 4], n_jobs=2, how="processes")) == [1, 2, 3, 4]


def test_work_that_is_given_up_is_not_left_running():
    begun, ended = [], []

    def work(chunk):
        begun.append(chunk)
        time.sleep(0.02)
        ended.append(chunk)
        return chunk

    results = over_chunks(work, range(200), n_jobs=4, expected=10.0)
    assert next(results) == 0
    results.close()  # as Ctrl-C does
    stopped = len(begun)
    assert stopped == len(ended) < 200
    time.sleep(0.1)
    assert len(begun) == stopped


@pytest.mark.parametrize("how", ["threads", "processes"])
def test_work_that_nobody_waits_for_ends_without_a_word(how, recwarn):
    results = over_chunks(abs, range(50), n_jobs=2, how=how, expected=3600.0)
    assert next(results) == 0
    results.close()
    assert [str(each.message) for each in recwarn] == []


def test_no_chunks_no_work():
    assert list(over_chunks(len, [])) == []


def test_jobs_are_counted_like_scikit_learn_counts_them():
    assert effective_jobs(3) == 3
    assert effective_jobs(-1) == effective_jobs(None) >= 1
    assert effective_jobs(-1000) == 1


def test_inside_a_joblib_worker_one_job_is_enough():
    from joblib import Parallel, delayed

    assert Parallel(n_jobs=2, prefer="threads")(
        delayed(effective_jobs)(None) for _ in range(2)
    ) == [1, 1]


def test_empty_samples_have_empty_distances():
    assert wideberth.pairwise_distances([], ["tea"], "levenshtein").shape == (0, 1)
    assert wideberth.pairwise_distances(["tea"], [], "levenshtein").shape == (1, 0)


def test_a_matrix_can_be_given_for_its_distances():
    matrix = np.array([[0.0, 2.0], [2.0, 0.0]])
    np.testing.assert_array_equal(wideberth.pairwise_distances(matrix, None, "precomputed"), matrix)

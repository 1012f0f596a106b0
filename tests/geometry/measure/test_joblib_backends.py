"""Inside of any backend of joblib, answers are the same to the last bit, and come: nothing waits
for ever.
"""

import functools
import json
import os
import sys
from pathlib import Path

import inside_a_backend
import joblib
import pytest
from child_process import run
from joblib._parallel_backends import MultiprocessingBackend

from wideberth.geometry.measure import parallel
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks

#: Enough for the busiest machine: no test waits so long, unless work hangs.
PATIENCE, CPU_SECONDS = 600, 600
BACKENDS = [
    "loky",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("threading", "multiprocessing")),
    pytest.param("dask", marks=pytest.mark.cluster),
]


@functools.cache
def found(backend, families="none_of_them"):
    """What the script finds inside of a backend; "none" for none at all."""
    path = [
        str(Path(inside_a_backend.__file__).parent),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
    command = [sys.executable, inside_a_backend.__file__, backend, families]
    told = run(command, cpu_seconds=CPU_SECONDS, env=environment, timeout=PATIENCE)
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_distances_are_those_without_a_backend(backend):
    assert found(backend)["distances"] == found("none")["distances"]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_family_and_chooser_answers_as_without_a_backend_on_every_metric(backend):
    inside = found(backend, "all_of_them")["family_answers"]
    outside = found("none", "all_of_them")["family_answers"]
    assert outside
    assert [name for name in outside if inside[name] != outside[name]] == []


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_work_of_threads_stays_and_that_of_processes_leaves(backend):
    told = found(backend)["whereabouts"]
    assert {pid for pid, *_ in told["threads"]} == {told["here"]}
    there = {pid for pid, *_ in told["processes"]}
    assert there == {told["here"]} if backend == "threading" else told["here"] not in there


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_inside_of_a_worker_nothing_further_is_started(backend):
    told = found(backend)["whereabouts"]
    for workers in ("threads", "processes", "own"):  # ours, and those that a user starts
        assert {tuple(jobs) for _, *jobs in told[workers]} == {(1, 1)}


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_work_that_cannot_be_sent_is_done_and_errors_keep_their_type(backend):
    told = found(backend)["whereabouts"]
    assert told["locked"] == list(range(6))
    assert told["error"].startswith("unlucky ")  # threads are free in their order


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_grid_search_inside_of_a_backend_scores_as_without(backend):
    assert found(backend)["search"] == found("none")["search"]


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_grid_search_with_a_closure_works_or_names_it(backend):
    """The workers are scikit-learn's own here; those of multiprocessing take nothing that plain
    pickling refuses.
    """
    told = found(backend)["search with a closure"]
    if backend == "multiprocessing":
        assert "searched_with_a_closure.<locals>.<lambda>" in told
    else:
        assert told == found("none")["search with a closure"] == found("none")["search"][1]


class Unreliable(MultiprocessingBackend):
    """A backend that nobody knows, and that fails when it is asked."""

    def configure(self, n_jobs=1, parallel=None, **settings):
        raise ConnectionError("no such cluster")


def test_a_backend_that_fails_is_named_and_its_work_is_done_here(monkeypatch):
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    with (
        joblib.parallel_config(Unreliable()),
        pytest.warns(RuntimeWarning, match=r"Unreliable.*no such cluster"),
    ):
        told = list(over_chunks(float, [1, 2, 3], n_jobs=2, how="processes", expected=3600.0))
    assert told == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("how", ["threads", "processes"])
@pytest.mark.parametrize(
    "hint", [{"prefer": "processes"}, {"prefer": "threads"}, {"require": "sharedmem"}], ids=str
)
def test_hints_without_a_backend_do_no_harm(hint, how, monkeypatch):
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    with joblib.parallel_config(n_jobs=2, **hint):
        assert list(over_chunks(abs, [-1, 2, -3], how=how, expected=3600.0)) == [1, 2, 3]


def test_the_number_of_jobs_is_that_of_the_configuration(monkeypatch):
    monkeypatch.setattr(parallel, "cpu_count", lambda: 8)
    for backend in ("loky", "threading", "multiprocessing"):
        with joblib.parallel_config(backend, n_jobs=3):
            assert (effective_jobs(None), effective_jobs(2), effective_jobs(-1)) == (3, 2, 8)
    assert effective_jobs(None) == 8

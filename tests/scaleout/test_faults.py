"""What breaks on a cluster, injected for real: the right result or a named error, and finished work
is kept.
"""

import contextlib
import importlib
import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import dask
import numpy as np
import pytest
from distributed import Client, Status
from faulty_metrics import faulty_metric, nan_of_one
from local_clusters import local_cluster
from small_disks import small_file_system

import wideberth
from wideberth.errors import BrokenAxiom, InvalidInput, LostWork, MissingOnWorkers
from wideberth.geometry.space import space, tiled_distances
from wideberth.scaleout import cluster_runner, shipping

WORDS = ["x" * (1 + number % 37) for number in range(60)]
LENGTHS = np.array([len(word) for word in WORDS], dtype=float)
KINDS = np.arange(60) % 2
PAIRS = 60 * 59 // 2


def among_words(fault):
    """The words; whoever measures the fortieth suffers the fault."""
    return [*WORDS[:40], f"{WORDS[40]}:{fault}", *WORDS[41:]]


def distances(objects, metric=None):
    """All of them, row by row: the first rows are measured here, before the faulty object is a row;
    columns leave it out.
    """
    columns = [word for word in objects if ":" not in word]
    return wideberth.pairwise_distances(
        objects, columns, faulty_metric() if metric is None else metric
    )


def expected_distances():
    columns = np.delete(LENGTHS, 40)
    return np.abs(LENGTHS[:, None] - columns)


@pytest.fixture
def pids(client, tmp_path):
    """Write the numbers of some worker processes into a file; they are killed when a faulty object
    is measured, once.
    """

    def write(how_many):
        numbers = sorted(client.run(os.getpid).values())[:how_many]
        path = tmp_path / "to_kill"
        path.write_text(" ".join(map(str, numbers)))
        return f"kill once|{path}"

    return write


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "how_many", [1, 2], ids=["one worker killed", "all copies of the data lost"]
)
def test_work_goes_on_when_workers_are_killed(how_many, on_workers, pids, tmp_path):
    fault = pids(how_many)
    np.testing.assert_array_equal(distances(among_words(fault)), expected_distances())
    assert not (tmp_path / "to_kill").exists()


@pytest.mark.slow
def test_a_model_is_the_same_when_all_workers_are_killed_during_fit(on_workers, pids, tmp_path):
    objects = among_words(pids(2))
    model = wideberth.LipschitzClassifier(faulty_metric()).fit(objects, KINDS)
    assert not (tmp_path / "to_kill").exists()
    plain = wideberth.LipschitzClassifier(faulty_metric()).fit(among_words("nothing"), KINDS)
    np.testing.assert_array_equal(
        model.decision_function(WORDS[:40]), plain.decision_function(WORDS[:40])
    )


@pytest.mark.slow
def test_shipped_data_that_are_lost_between_two_calls_are_shipped_again(on_workers):
    words = [f"{number:06}" for number in range(4000)]
    index = wideberth.Index(words, "levenshtein", engine="brute")
    before = index.nearest(words[:100], k=2)
    for pid in on_workers.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)
    after = index.nearest(words[:100], k=2)
    np.testing.assert_array_equal(before.indices, after.indices)


@pytest.fixture(scope="module")
def small_worker():
    """A cluster whose only worker has little memory; if it dies of a task, that task is given
    up.
    """
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        local_cluster(1, memory_limit="600MB") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.slow
def test_a_worker_out_of_memory_is_a_named_error(small_worker, everything_pays):
    with (
        wideberth.scaleout.on(small_worker),
        pytest.raises(
            LostWork,
            match=r"computed chunks .* of 'row_band' died, 1 times.*more memory.*lower max_memory",
        ) as caught,
    ):
        distances(among_words("fill memory"))
    assert "'row_band'" in caught.value.work
    assert caught.value.times == 1


@pytest.mark.slow
def test_data_that_no_worker_can_hold_are_a_named_error(small_worker):
    results = cluster_runner.ClusterRunner(small_worker).results(
        partial(first_of, np.ones(60_000_000)), [0], 1.0
    )
    with pytest.raises(
        LostWork,
        match=r"'first_of' died while they received its data, 1 times.*more memory, or start fewer",
    ):
        next(results)


def first_of(numbers, chunk):
    return numbers[chunk]


def test_work_that_somebody_cancels_is_a_named_error(on_workers):
    submit = on_workers.submit

    def submit_and_cancel(*args, **settings):
        future = submit(*args, **settings)
        future.cancel()
        return future

    on_workers.submit = submit_and_cancel
    with pytest.raises(
        LostWork, match=r"has forgotten chunks 1 to .* of 'row_band'.* call it again"
    ):
        distances(WORDS)


def test_a_cluster_without_workers_is_a_named_error(monkeypatch):
    monkeypatch.setattr(cluster_runner, "SECONDS_A_LOOK", 0.05)
    monkeypatch.setattr(shipping, "PATIENCE", 0.2)
    with local_cluster(0, processes=False) as cluster, Client(cluster) as client:
        results = cluster_runner.ClusterRunner(client).results(len, ["tea", "coffee"], 1.0)
        with pytest.raises(
            LostWork, match=r"chunks 1 to 1 of the 2 of 'len' .* no worker .* Start workers"
        ):
            next(results)


def pause(dask_worker):
    dask_worker.status = Status.paused


def test_a_cluster_whose_workers_wait_for_memory_is_a_named_error(monkeypatch):
    monkeypatch.setattr(cluster_runner, "SECONDS_A_LOOK", 0.05)
    monkeypatch.setattr(shipping, "PATIENCE", 0.2)
    with local_cluster(1, processes=False) as cluster, Client(cluster) as client:
        client.run(pause)
        results = cluster_runner.ClusterRunner(client).results(len, ["tea", "coffee"], 1.0)
        with pytest.raises(
            LostWork, match="if there are some, they wait for memory: give the workers more memory"
        ):
            next(results)


def test_what_a_metric_raises_comes_with_the_object(on_workers):
    with pytest.raises(ZeroDivisionError, match="no distance") as caught:
        distances(among_words("raise"))
    assert "'length_difference' raised this for 'xxxx:raise' and" in caught.value.__notes__[0]


def test_a_distance_that_is_no_number_comes_with_the_object(on_workers):
    objects = [*WORDS[:40], "nan", *WORDS[41:]]
    with pytest.raises(BrokenAxiom) as caught:
        distances(objects, faulty_metric(nan_of_one))
    assert "nan" in caught.value.witness


@pytest.mark.few(1)
@pytest.mark.parametrize("sent_along", [0, 10**6], ids=["shipped", "sent along"])
def test_a_module_that_workers_cannot_import_is_a_named_error_with_a_way_out(
    sent_along, on_workers, monkeypatch, tmp_path
):
    monkeypatch.setattr(shipping, "SENT_ALONG", sent_along)
    name = f"measured_at_home_{sent_along}"
    path = tmp_path / f"{name}.py"
    path.write_text("def gap(one, other):\n    return float(abs(len(one) - len(other)))\n")
    monkeypatch.syspath_prepend(tmp_path)  # the workers have started before
    metric = wideberth.metric(
        importlib.import_module(name).gap, accepts="strings", obeys_triangle=True
    )
    with pytest.raises(
        MissingOnWorkers, match=rf"cannot import the module '{name}'.*upload_file"
    ) as caught:
        distances(WORDS, metric)
    assert caught.value.module == name
    on_workers.upload_file(str(path))
    np.testing.assert_array_equal(distances(WORDS, metric), np.abs(LENGTHS[:, None] - LENGTHS))


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr(space, "TILE_SIZE", 10)
    monkeypatch.setattr(tiled_distances, "TRIAL_PAIRS", 5)  # in one tile


def measured_space(objects, cache):
    """A space whose distances are all known, and right."""
    made = wideberth.MetricSpace(objects, faulty_metric(), cache=cache)
    np.testing.assert_array_equal(
        made.metric.block(made.index, made.index), np.abs(LENGTHS[:, None] - LENGTHS)
    )
    return made


def tile_files(cache):
    return sorted(Path(cache).rglob("*.npz"))


def test_workers_write_tiles_and_a_second_space_finds_them(on_workers, small_tiles, tmp_path):
    assert measured_space(WORDS, tmp_path).distance_calls == PAIRS
    assert len(tile_files(tmp_path)) >= 20  # all but the one of the trial, which is in memory
    assert list(tmp_path.rglob("*.unfinished")) == []
    assert measured_space(WORDS, tmp_path).distance_calls <= PAIRS - 20 * 45


def test_tiles_are_sent_where_the_directory_is_not_shared(on_workers, small_tiles, tmp_path):
    """Workers on other machines do not see it: here, because it is named relative to where this
    process is.
    """
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        assert measured_space(WORDS, "cache").distance_calls == PAIRS
        assert on_workers.run(lambda: Path("cache").exists()) == dict.fromkeys(
            on_workers.nthreads(), False
        )
    finally:
        os.chdir(before)


def test_a_damaged_tile_is_measured_again(on_workers, small_tiles, tmp_path):
    measured_space(WORDS, tmp_path)
    for path in tile_files(tmp_path)[3:5]:
        content = path.read_bytes()
        path.write_bytes(content[:150] + bytes([content[150] ^ 255]) + content[151:])
    assert 0 < measured_space(WORDS, tmp_path).distance_calls < PAIRS / 2


@pytest.fixture
def small_disk(tmp_path):
    with small_file_system(tmp_path / "disk", "512k") as folder:
        yield folder


def fill(ballast):
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(512))


def wait_for_some_tiles(folder):
    """Wait for two tiles, but not for ever: all workers may have come to the object that waits
    before there are any.
    """
    for _ in range(1_000):
        if len(tile_files(folder)) >= 2:
            return
        time.sleep(0.01)


@pytest.mark.slow
def test_a_disk_that_gets_full_is_a_named_error_and_tiles_are_kept(
    on_workers, small_tiles, small_disk, tmp_path
):
    go_on, ballast = tmp_path / "go_on", small_disk / "ballast"
    objects = [*WORDS[:50], f"{WORDS[50]}:wait for|{go_on}", *WORDS[51:]]

    def fill_when_some_tiles_are_there():
        wait_for_some_tiles(small_disk)
        fill(ballast)
        go_on.touch()

    filling = threading.Thread(target=fill_when_some_tiles_are_there)
    filling.start()
    with pytest.raises(
        InvalidInput,
        match=r"(could not be written to|may need .* more; 0 bytes are free).* Free some space",
    ):
        measured_space(objects, small_disk)
    filling.join()
    kept = len(tile_files(small_disk))
    assert list(small_disk.rglob("*.unfinished")) == []
    ballast.unlink()
    assert measured_space(objects, small_disk).distance_calls <= PAIRS - max(0, kept - 1) * 45


@pytest.fixture
def interruptible():
    """Ctrl-C is heard, also where the tests were started in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_a_run_that_is_interrupted_goes_on_where_it_stopped(
    on_workers, small_tiles, interruptible, tmp_path
):
    go_on, cache = tmp_path / "go_on", tmp_path / "cache"

    def interrupt_when_some_tiles_are_there():
        wait_for_some_tiles(cache)
        os.kill(os.getpid(), signal.SIGINT)

    objects = [*WORDS[:50], f"{WORDS[50]}:wait for|{go_on}", *WORDS[51:]]
    watching = threading.Thread(target=interrupt_when_some_tiles_are_there)
    watching.start()
    with pytest.raises(KeyboardInterrupt):
        measured_space(objects, cache)
    watching.join()
    kept = len(tile_files(cache))
    go_on.touch()
    assert measured_space(objects, cache).distance_calls <= PAIRS - max(0, kept - 1) * 45

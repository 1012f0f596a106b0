"""A cache on disk: what one run has measured the next one finds, and nothing else is ever taken for
it.
"""

import math
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.space import space, tiles
from wideberth.geometry.space.space import MetricSpace

WORDS = [
    f"{a}{b}{c}" for a in ("tea", "rum", "") for b in ("pot", "", "cups") for c in ("s", "shop", "")
]
PAIRS = len(WORDS) * (len(WORDS) - 1) // 2


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(space, "TILE_SIZE", 4)


def measured(cache, objects=WORDS, metric="levenshtein", **settings):
    """How many distances a new space measures to know them all; they must be right."""
    made = MetricSpace(objects, metric, cache=cache, **settings)
    plain = wideberth.metric(metric)
    np.testing.assert_array_equal(
        made.metric.block(made.index, made.index), plain.block(objects, objects)
    )
    return made.distance_calls


def test_the_next_run_measures_nothing(tmp_path):
    assert measured(tmp_path) == PAIRS
    assert measured(str(tmp_path)) == 0
    assert not list(tmp_path.rglob("*.unfinished"))


def test_without_a_cache_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert measured(None, max_memory=16) >= PAIRS
    assert list(tmp_path.iterdir()) == []


def test_a_small_budget_with_a_cache_measures_nothing_twice(tmp_path):
    made = MetricSpace(WORDS, "levenshtein", cache=tmp_path, max_memory=16)
    for _ in range(2):
        for row in made.index[::3]:
            made.metric.block(row, made.index)
        assert made._store.nbytes <= 16
    made.metric.block(made.index, made.index)
    assert made.distance_calls == PAIRS


def test_other_objects_and_other_metrics_are_never_mixed_up(tmp_path):
    assert measured(tmp_path) == PAIRS
    assert measured(tmp_path, metric="normalized_levenshtein") == PAIRS
    assert measured(tmp_path, objects=[*WORDS[1:], WORDS[0]]) > 0
    assert measured(tmp_path, objects=[word.upper() for word in WORDS]) == PAIRS
    vectors = np.arange(20.0).reshape(10, 2)
    assert measured(tmp_path, vectors, wideberth.metric("minkowski", p=1)) == 45
    assert measured(tmp_path, vectors, wideberth.metric("minkowski", p=3)) == 45
    assert measured(tmp_path, vectors + 1, wideberth.metric("minkowski", p=3)) == 45
    assert measured(tmp_path) == 0


def test_tiles_of_the_same_objects_serve_a_larger_space(tmp_path):
    measured(tmp_path, objects=WORDS[:8])
    assert measured(tmp_path, objects=WORDS[:12]) == 12 * 11 // 2 - 8 * 7 // 2


def test_damaged_files_are_measured_again(tmp_path):
    measured(tmp_path)
    files = sorted(tmp_path.rglob("*.npz"))
    files[0].write_bytes(files[0].read_bytes()[:50])
    files[1].write_bytes(b"")
    assert 0 < measured(tmp_path) <= 2 * 16
    assert measured(tmp_path) == 0


def test_leftovers_of_a_killed_run_do_no_harm(tmp_path, monkeypatch):
    made = MetricSpace(WORDS, "levenshtein", cache=tmp_path)
    made.metric.block(made.index[:8], made.index)
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        made._store.save()
    monkeypatch.undo()
    assert list(tmp_path.rglob("*.npz")) == list(tmp_path.rglob(".*.unfinished")) == []
    assert measured(tmp_path) == PAIRS
    assert measured(tmp_path) == 0


SLOW_RUN = """
import os, signal, sys, time
import numpy as np
from wideberth.geometry.space import space
from wideberth.geometry.space import tiles
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric

space.TILE_SIZE = 4
tiles.SAVE_EVERY = 0.0

def gap(left, right):
    time.sleep(float(sys.argv[2]))
    os.environ["BLOCKS"] = os.environ.get("BLOCKS", "") + "x"  # which a fingerprint does not see
    if len(os.environ["BLOCKS"]) > float(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return np.abs(np.subtract.outer(left, right)).astype(float)

made = MetricSpace(np.arange(40), Metric(gap, obeys_triangle=True), cache=sys.argv[1], n_jobs=1)
print("started", flush=True)
block = made.metric.block(made.index, made.index)
assert (block == np.abs(np.subtract.outer(np.arange(40), np.arange(40)))).all()
print(made.distance_calls)
"""


def run(cache, pause=0.0, killed_after=math.inf):
    command = [sys.executable, "-c", SLOW_RUN, str(cache), str(pause), str(killed_after)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    killed = run(tmp_path, killed_after=8)
    assert killed.communicate()[0] == "started\n"
    assert killed.returncode == -signal.SIGKILL
    left, _ = run(tmp_path).communicate()
    assert 0 < int(left.split()[1]) < 40 * 39 // 2 - 16
    assert run(tmp_path).communicate()[0].split()[1] == "0"


@pytest.mark.slow
def test_two_processes_share_one_directory(tmp_path):
    both = [run(tmp_path, 0.002), run(tmp_path, 0.002)]
    said = [process.communicate()[0].split() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert all(words[0] == "started" for words in said)
    assert run(tmp_path).communicate()[0].split()[1] == "0"


def test_what_another_space_has_measured_meanwhile_is_found(tmp_path):
    one, other = (MetricSpace(WORDS, "levenshtein", cache=tmp_path) for _ in range(2))
    one.metric.block([0], one.index)
    other.metric.block([1], other.index)
    one._store.save()
    other.metric.block([0], other.index)
    assert other.distance_calls == len(WORDS) - 1
    other._store.save()
    del one, other
    assert measured(tmp_path) == PAIRS - (2 * len(WORDS) - 3)


def test_long_work_is_saved_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr(tiles, "SAVE_EVERY", 0.0)
    made = MetricSpace(WORDS, "levenshtein", cache=tmp_path)
    made.metric.block(made.index, made.index)
    assert any(not tile.dirty for tile in made._store._kept.values())
    assert list(tmp_path.rglob("*.npz"))


def test_a_pickled_copy_finds_what_is_known(tmp_path):
    made = MetricSpace(WORDS, "levenshtein", cache=tmp_path)
    made.append(["toffee"])
    made.append(["tofu", "tee"])
    made.metric.block(made.index, made.index)
    twin = pickle.loads(pickle.dumps(made))
    twin.metric.block(twin.index, twin.index)
    assert twin.distance_calls == 0


def test_appended_objects_are_found_again(tmp_path):
    new = ["toffee", "tofu", "tee", "thé", "té"]
    calls = []
    for _ in range(2):
        made = MetricSpace(WORDS, "levenshtein", cache=tmp_path)
        made.metric.block(made.append(new), made.index)
        made.metric.block(made.index, made.index)
        calls.append(made.distance_calls)
        del made
    n = len(WORDS) + 5
    assert calls == [n * (n - 1) // 2, 1]  # one pair, to see whether they go together


def test_objects_appended_one_by_one_are_measured_once(tmp_path):
    made = MetricSpace(
        WORDS, "levenshtein", cache=tmp_path, max_memory=16
    )  # every tile goes to its file at once
    for word in ["toffee", "tofu", "tee", "thé", "té", "chai"]:
        made.metric.block(made.append([word]), made.index)
    made.metric.block(made.index, made.index)
    n = len(WORDS) + 6
    assert made.distance_calls == n * (n - 1) // 2
    expected = made.measured_by.block(list(made.objects), list(made.objects))
    np.testing.assert_array_equal(made.metric.block(made.index, made.index), expected)
    blocks = made._members.blocks()
    assert (
        len(list(tmp_path.rglob("*.npz"))) == blocks * (blocks + 1) // 2
    )  # nothing is left under old names


def test_a_failed_append_leaves_the_files_alone(tmp_path):
    vectors = np.arange(12.0).reshape(6, 2)
    made = MetricSpace(vectors, cache=tmp_path, max_memory=16)
    made.append([[1.0, 2.0]])
    made.metric.block(made.index, made.index)
    before = {path.name: path.read_bytes() for path in tmp_path.rglob("*.npz")}
    with pytest.raises(InvalidInput):
        made.append([[1.0, 2.0, 3.0]])
    assert {path.name for path in tmp_path.rglob("*.npz")} >= set(before)
    made.metric.block(made.index, made.index)
    assert made.distance_calls == 7 * 6 // 2


def test_the_disk_is_checked_first(tmp_path, monkeypatch):
    monkeypatch.setattr(tiles, "disk_usage", lambda path: type("Usage", (), {"free": 300}))
    with pytest.raises(InvalidInput, match=r"may need 378 bytes more; 300 bytes are free"):
        MetricSpace(WORDS, "levenshtein", cache=tmp_path)
    with pytest.raises(InvalidInput, match=r"may need 528 bytes"):
        MetricSpace(np.zeros((11, 1)), cache=tmp_path)
    made = MetricSpace(WORDS[:20], "levenshtein", cache=tmp_path)
    with pytest.raises(InvalidInput, match="cache=None"):
        made.append(WORDS[20:])
    assert len(made) == 20
    made.append([WORDS[-1]])
    assert made.metric(0, 20) == made.measured_by(WORDS[0], WORDS[-1])
    MetricSpace(WORDS, "levenshtein", cache=None)


def test_what_is_on_the_disk_already_needs_no_room(tmp_path, monkeypatch):
    measured(tmp_path)
    monkeypatch.setattr(tiles, "disk_usage", lambda path: type("Usage", (), {"free": 0}))
    assert measured(tmp_path) == 0


def test_objects_that_cannot_be_recognised_are_refused(tmp_path):
    locks = [threading.Lock(), threading.Lock()]
    far = wideberth.metric(lambda one, other: 1.0)
    with pytest.raises(InvalidInput, match="plain objects"):
        MetricSpace(locks, far, cache=tmp_path)
    assert MetricSpace(locks, far, cache=None).metric(0, 1) == 1.0

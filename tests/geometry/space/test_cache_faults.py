"""A cache that breaks: damaged files, a full disk, a run killed at any moment. No distance is ever
wrong.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from small_disks import small_file_system

import wideberth
from wideberth.errors import InvalidInput
from wideberth.geometry.space import space
from wideberth.geometry.space.space import MetricSpace

POINTS = np.random.default_rng(0).normal(size=(10, 2))
WORDS = ["tea", "teapot", "rum", "", "coffee", "cup", "cups", "toffee", "milk", "ilk"]
SAMPLES = {"euclidean": POINTS, "levenshtein": WORDS}
TRUE = {name: wideberth.metric(name).block(objects, objects) for name, objects in SAMPLES.items()}


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(space, "TILE_SIZE", 4)


def measured(cache, name):
    """How many distances a new space measures to know them all; they must be right."""
    made = MetricSpace(SAMPLES[name], name, cache=cache)
    np.testing.assert_array_equal(made.metric.block(made.index, made.index), TRUE[name])
    return made.distance_calls


def tile_files(cache):
    return sorted(Path(cache).rglob("*.npz"))


faults = st.one_of(
    st.tuples(st.just("flip"), st.floats(0, 1, exclude_max=True), st.integers(1, 255)),
    st.tuples(st.just("cut"), st.floats(0, 1), st.just(0)),
    st.tuples(st.just("fill"), st.floats(0, 1, exclude_max=True), st.integers(0, 255)),
    st.tuples(st.just("append"), st.just(0.0), st.integers(0, 255)),
)


def damage(content, fault):
    kind, where, byte = fault
    place = int(where * len(content))
    match kind:
        case "flip":
            return content[:place] + bytes([content[place] ^ byte]) + content[place + 1 :]
        case "cut":
            return content[:place]
        case "fill":
            return content[:place] + bytes([byte]) * (len(content) - place)
    return content + bytes([byte]) * 30


@pytest.mark.few(1)
@pytest.mark.parametrize("name", SAMPLES)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(which=st.integers(0, 5), fault=faults)
@example(which=0, fault=("flip", 0.818359375, 1))  # the archive says that it is encrypted
def test_damaged_tiles_never_give_a_wrong_distance(name, which, fault, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    measured(cache, name)
    file = tile_files(cache)[which]
    file.write_bytes(damage(file.read_bytes(), fault))
    assert (
        measured(cache, name) <= 16
    )  # the distances of this tile, or none if nothing that matters was hit
    assert measured(cache, name) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_every_bit_of_a_tile_may_flip(name, tmp_path):
    measured(tmp_path, name)
    file = tile_files(tmp_path)[1]
    content = file.read_bytes()
    for place in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        assert measured(tmp_path, name) <= 16


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(
    "tile",
    [
        np.zeros((3, 4)),
        np.zeros(16),
        np.zeros((4, 4, 1)),
        np.zeros((4, 4), dtype=np.int16),
        np.zeros((4, 4), dtype=">f8"),
        np.array([["1"] * 4] * 4),
        np.zeros((4, 4), dtype=complex),
    ],
    ids=lambda tile: f"{tile.dtype}{tile.shape}",
)
def test_tiles_of_another_form_are_measured_again(name, tile, tmp_path):
    measured(tmp_path, name)
    for file in tile_files(tmp_path):
        np.savez(file, distances=tile)
    assert measured(tmp_path, name) == 45
    assert measured(tmp_path, name) == 0


RUN = """
import os, signal, sys
import numpy as np
from wideberth.geometry.space import space, tiled_distances, tiles
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric

cache, victim, after = sys.argv[1], sys.argv[2], int(sys.argv[3])
space.TILE_SIZE, tiles.SAVE_EVERY, tiled_distances.TRIED = 4, 0.0, 0

def strike(event):  # what it names must not change: a fingerprint does not see the environment
    os.environ["EVENTS"] = os.environ.get("EVENTS", "") + event + " "
    if event == sys.argv[2] and os.environ["EVENTS"].split().count(event) > int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

def gap(left, right):
    strike("measure")
    with open(sys.argv[4], "a") as file:
        file.writelines(f"{min(i, j)} {max(i, j)}\\n" for i in left for j in right if i != j)
    return np.abs(np.subtract.outer(left, right)).astype(float)

savez = np.savez

def half_written(file, **arrays):
    savez(file, **arrays)
    file.flush()
    if victim == "write" and os.environ.get("EVENTS", "").split().count("write") == after:
        file.truncate(100)
    strike("write")

np.savez = half_written
made = MetricSpace(np.arange(24), Metric(gap, obeys_triangle=True), cache=cache, n_jobs=1)
for row in made.index:
    block = made.metric.block(row, made.index)
    assert (block == np.abs(row - np.arange(24))).all()
print(made.distance_calls)
"""


def run(cache, log, victim="nothing", after=0):
    command = [sys.executable, "-c", RUN, str(cache), victim, str(after), str(log)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def pairs_in(log):
    return set(log.read_text().splitlines())


@pytest.mark.parametrize(
    ("victim", "after"), [pytest.param("measure", 9, marks=pytest.mark.slow), ("write", 2)]
)
def test_a_run_killed_at_any_moment_is_resumed(victim, after, tmp_path):
    cache, first, second = tmp_path / "cache", tmp_path / "first", tmp_path / "second"
    assert run(cache, first, victim, after).returncode == -signal.SIGKILL
    resumed = run(cache, second)
    assert resumed.returncode == 0, resumed.stderr
    before, after_it = pairs_in(first), pairs_in(second)
    assert len(before | after_it) == 24 * 23 // 2
    assert len(before & after_it) <= 24  # what was measured for the row that was being asked for
    assert int(resumed.stdout) == len(after_it)
    assert int(run(cache, tmp_path / "third").stdout) == 0
    assert not (tmp_path / "third").exists()


@pytest.fixture
def small_disk(tmp_path):
    with small_file_system(tmp_path / "disk", "64k") as folder:
        yield folder


def test_a_disk_that_fills_up_is_an_error_and_not_a_wrong_distance(small_disk, monkeypatch):
    points = np.random.default_rng(0).normal(size=(80, 2))
    with pytest.raises(InvalidInput, match="free there"):
        MetricSpace(np.zeros((200, 1)), cache=small_disk)
    made = MetricSpace(points, cache=small_disk, max_memory=200)
    (small_disk / "others").write_bytes(
        b"x" * (os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize - 4096)
    )
    with pytest.raises(InvalidInput, match=r"free there|could not be written"):
        made.metric.block(made.index, made.index)
    (small_disk / "others").unlink()
    truth = wideberth.metric("euclidean").block(points, points)
    np.testing.assert_array_equal(
        MetricSpace(points, max_memory=200).metric.block(made.index, made.index), truth
    )
    again = MetricSpace(points[:20], cache=small_disk)
    np.testing.assert_array_equal(again.metric.block(again.index, again.index), truth[:20, :20])


def test_a_cache_that_is_gone_when_a_space_ends_is_warned_of(tmp_path):
    cache = tmp_path / "cache"
    made = MetricSpace(WORDS, "levenshtein", cache=cache)
    made.metric.block(made.index, made.index)
    shutil.rmtree(cache)
    with pytest.warns(RuntimeWarning, match="The distances measured last are not in the cache"):
        del made

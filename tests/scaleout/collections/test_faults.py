"""What breaks while a collection is worked on, injected for real: the right result or a named error; finished work is kept."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import dask
import dask.dataframe
import numpy as np
import pytest
from labelled_collections import array, bag, points, texts
from sklearn.base import clone

import wideberth
from wideberth import scaleout
from wideberth.errors import InvalidInput, LostWork


class Killer(wideberth.Metric):
    """The distance of numbers; asked about 1000, it kills its own process as often as there are files to remove."""

    def __init__(self, files):
        self.files = [str(file) for file in files]
        super().__init__(self.measured, name="killer", obeys_triangle=True)

    def measured(self, left, right):
        left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
        left, right = left.reshape(len(left), -1), right.reshape(len(right), -1)
        if (left == 1000.0).any():
            for file in self.files:
                if Path(file).exists():
                    Path(file).unlink()
                    os.kill(os.getpid(), signal.SIGKILL)
        return np.abs(left[:, None, 0] - right[None, :, 0])


def killing_model(tmp_path, times):
    files = [tmp_path / str(number) for number in range(times)]
    for file in files:
        file.touch()
    model = wideberth.NeighborsClassifier(Killer(files), n_neighbors=1, calibrate=None)
    return model.fit(np.array([[0.0], [10.0]]), ["low", "up"])


NUMBERS = np.array([[1.0], [9.0], [2.0], [1000.0], [3.0], [8.0], [0.0], [7.0]])
LABELS = ["low", "up", "low", "up", "low", "up", "low", "up"]


@pytest.mark.parametrize(
    "times", [1, pytest.param(2, marks=pytest.mark.slow)], ids=["a worker killed", "two killed, one after the other"]
)
def test_predictions_survive_workers(client, tmp_path, times):
    model = killing_model(tmp_path, times)
    told = scaleout.predict(model, array(NUMBERS, 4))
    assert told.compute().tolist() == LABELS
    assert not any(Path(file).exists() for file in model.metric.files)


@pytest.mark.slow
def test_an_evaluation_survives_a_worker(client, tmp_path):
    model = killing_model(tmp_path, 1)
    assert scaleout.evaluate(model, array(NUMBERS, 4), array(LABELS, 4))["errors"] == 0


@pytest.mark.slow
def test_a_partition_that_kills_every_worker_is_named(client, tmp_path):
    model = killing_model(tmp_path, 3)
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        client.run_on_scheduler(allow_failures, 1)
        try:
            with pytest.raises(LostWork, match=r"answers of the model died, 2 times.*repartition") as caught:
                scaleout.evaluate(model, array(NUMBERS, 4), array(LABELS, 4))
        finally:
            client.run_on_scheduler(allow_failures, 3)
    assert caught.value.times == 2


def allow_failures(times, dask_scheduler):
    dask_scheduler.allowed_failures = times


@pytest.mark.slow
def test_a_linear_fit_survives_a_worker(client, monkeypatch):
    """The partitions that it held are read and counted again, and the sums have the same bits."""
    objects, labels = texts(90)
    model = wideberth.LinearLipschitzClassifier("words", edits=0, C=0.1)
    expected = scaleout.fit(clone(model), bag(objects, 4), bag(labels, 4))
    from wideberth.scaleout.collections.linear import problem

    original, steps = problem.computed, []

    def killing(values, what):
        steps.append(what)
        if steps.count("losses") == 5:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            steps.append("losses")
        return original(values, what)

    monkeypatch.setattr(problem, "computed", killing)
    fitted = scaleout.fit(clone(model), bag(objects, 4), bag(labels, 4))
    assert steps.count("losses") > 6
    np.testing.assert_array_equal(fitted.coef_, expected.coef_)


def test_written_predictions_are_kept(client, tmp_path):
    vectors, sides = points(60)
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(vectors, sides)
    new, _ = points(40, seed=1)
    files = scaleout.write_predictions(model, array(new, 4), tmp_path / "answers", radius=True)
    table = dask.dataframe.read_parquet(tmp_path / "answers").compute()
    assert table["label"].tolist() == model.predict(new).tolist()
    assert table["certified_radius"].tolist() == model.certified_radius(new).tolist()
    times = [file.stat().st_mtime_ns for file in files]
    files[2].unlink()
    assert scaleout.write_predictions(model, array(new, 4), tmp_path / "answers", radius=True) == files
    assert [file.stat().st_mtime_ns == time for file, time in zip(files, times, strict=True)] == [True, True, False, True]
    other = wideberth.NeighborsClassifier(n_neighbors=3).fit(vectors, sides)
    with pytest.raises(InvalidInput, match="predictions for another model"):
        scaleout.write_predictions(other, array(new, 4), tmp_path / "answers", radius=True)
    with pytest.raises(InvalidInput, match="predictions for other objects than partition 0 has now"):
        scaleout.write_predictions(model, array(new + 1, 4), tmp_path / "answers", radius=True)


def test_a_client_that_is_killed_leaves_what_is_finished_and_another_goes_on(tmp_path):
    """The first process kills itself in the middle of the third partition; the second has only to do what is missing."""
    script = textwrap.dedent(
        """
        import os, signal, sys
        import dask, numpy as np, wideberth
        from wideberth import scaleout
        vectors = np.arange(40.0)[:, None]
        model = wideberth.NeighborsClassifier(n_neighbors=1).fit(vectors[::2], np.repeat(["low", "up"], 10))
        def part(number):
            if number == 2 and sys.argv[2] == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            return vectors[10 * number : 10 * number + 10]
        parts = [dask.delayed(part, pure=True)(number, dask_key_name=f"part-{number}") for number in range(4)]
        with dask.config.set(scheduler="synchronous"):
            files = scaleout.write_predictions(model, parts, sys.argv[1])
        print(len(files))
        """
    )
    folder = tmp_path / "answers"
    command = [sys.executable, "-c", script, str(folder)]
    killed = subprocess.run([*command, "killed"], capture_output=True, text=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    finished = sorted(file.name for file in folder.glob("part-*.parquet"))
    times = {name: (folder / name).stat().st_mtime_ns for name in finished}
    assert 1 <= len(finished) < 4
    resumed = subprocess.run([*command, "resumed"], capture_output=True, text=True, check=True)
    assert resumed.stdout.strip() == "4"
    assert {name: (folder / name).stat().st_mtime_ns for name in finished} == times
    assert dask.dataframe.read_parquet(folder)["label"].compute().tolist() == ["low"] * 20 + ["up"] * 20

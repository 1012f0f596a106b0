"""What breaks while a collection is worked on, injected for real: the right result or a named
error; finished work is kept.
"""

import importlib
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import dask
import dask.dataframe
import numpy as np
import pytest
from distributed import Client
from labelled_collections import array, bag, frame, points, texts
from sklearn.base import clone

import wideberth
from wideberth import scaleout
from wideberth.errors import InvalidInput, LostWork, MissingOnWorkers
from wideberth.scaleout.cluster_runner import ClusterRunner


class Killer(wideberth.Metric):
    """The distance of numbers; asked about 1000, it kills its own process as often as there are
    files to remove.
    """

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
    "times",
    [1, pytest.param(2, marks=pytest.mark.slow)],
    ids=["a worker killed", "two killed, one after the other"],
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
            with pytest.raises(
                LostWork, match=r"answers of the model died, 2 times.*repartition"
            ) as caught:
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
    from wideberth.scaleout.collections import linear_fits

    original, steps = linear_fits.computed, []

    def killing(values, what):
        steps.append(what)
        if steps.count("losses") == 5:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            steps.append("losses")
        return original(values, what)

    monkeypatch.setattr(linear_fits, "computed", killing)
    fitted = scaleout.fit(clone(model), bag(objects, 4), bag(labels, 4))
    assert steps.count("losses") > 6
    np.testing.assert_array_equal(fitted.coef_, expected.coef_)


@pytest.mark.slow
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
    assert (
        scaleout.write_predictions(model, array(new, 4), tmp_path / "answers", radius=True) == files
    )
    assert [file.stat().st_mtime_ns == time for file, time in zip(files, times, strict=True)] == [
        True,
        True,
        False,
        True,
    ]
    other = wideberth.NeighborsClassifier(n_neighbors=3).fit(vectors, sides)
    with pytest.raises(InvalidInput, match="predictions for another model"):
        scaleout.write_predictions(other, array(new, 4), tmp_path / "answers", radius=True)
    with pytest.raises(
        InvalidInput, match="predictions for other objects than partition 0 has now"
    ):
        scaleout.write_predictions(model, array(new + 1, 4), tmp_path / "answers", radius=True)


@pytest.mark.slow
def test_a_client_that_is_killed_leaves_what_is_finished_and_another_goes_on(tmp_path):
    """The first process kills itself in the middle of the third partition; the second has only to
    do what is missing.
    """
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
    assert (
        dask.dataframe.read_parquet(folder)["label"].compute().tolist()
        == ["low"] * 20 + ["up"] * 20
    )


OF_LENGTHS = """
def gap(one, other):
    return float(abs(len(one) - len(other)))
"""


@pytest.fixture
def at_home(request, tmp_path, monkeypatch):
    """A module that workers cannot import, and where it is: they have started before."""
    name = f"only_here_{abs(hash(request.node.name))}"
    path = tmp_path / f"{name}.py"
    path.write_text(OF_LENGTHS)
    monkeypatch.syspath_prepend(tmp_path)
    return importlib.import_module(name), path


WORDS, KINDS = ["tea", "rum", "lemonade", "cocktail"], ["short", "short", "long", "long"]
CALLS = {
    "predict": lambda model, X, y, folder: scaleout.predict(model, X).compute(),
    "persist": lambda model, X, y, folder: scaleout.predict(model, X).persist().compute(),
    "certified_radius": lambda model, X, y, folder: scaleout.certified_radius(model, X).compute(),
    "write_predictions": lambda model, X, y, folder: len(
        scaleout.write_predictions(model, X, folder)
    ),
    "fit": lambda model, X, y, folder: scaleout.fit(clone(model), X, y).predict(WORDS).tolist(),
    "certify": lambda model, X, y, folder: scaleout.certify(model, X, y)[0].kind,
    "evaluate": lambda model, X, y, folder: scaleout.evaluate(model, X, y)["errors"],
    "learn_from_net": lambda model, X, y, folder: (
        scaleout.learn_from_net(clone(model), X, y, holdout=0.5).n_learned
    ),
}


@pytest.mark.few(2)
@pytest.mark.parametrize("call", CALLS)
def test_a_module_that_workers_lack_is_named_and_can_be_sent(client, at_home, tmp_path, call):
    module, path = at_home
    metric = wideberth.metric(module.gap, accepts="strings", obeys_triangle=True)
    model = wideberth.NeighborsClassifier(metric, n_neighbors=1, calibrate=None).fit(WORDS, KINDS)
    given = model, bag(WORDS * 3, 2), bag(KINDS * 3, 2), tmp_path / "answers"
    with pytest.raises(
        MissingOnWorkers, match=rf"cannot import the module '{module.__name__}'.*upload_file"
    ) as caught:
        CALLS[call](*given)
    assert caught.value.module == module.__name__
    client.upload_file(str(path))
    CALLS[call](*given)


def test_a_module_that_is_missing_here_is_no_error_of_workers():
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(NUMBERS, LABELS)
    lazy = scaleout.predict(model, [dask.delayed(importlib.import_module)("no_such_module")])
    with pytest.raises(ModuleNotFoundError) as caught:
        lazy.compute(scheduler="synchronous")
    assert not isinstance(caught.value, MissingOnWorkers)


@pytest.mark.slow
def test_lazy_answers_whose_workers_die_again_and_again_are_named(client, tmp_path):
    client.run_on_scheduler(allow_failures, 0)
    try:
        with pytest.raises(LostWork, match=r"answers died, 1 times.*smaller partitions"):
            scaleout.predict(killing_model(tmp_path, 3), array(NUMBERS, 4)).compute()
    finally:
        client.run_on_scheduler(allow_failures, 3)


def table(values, parts):
    return frame({"x": np.asarray(values)[:, 0]}, parts)


@pytest.mark.few(1)
@pytest.mark.parametrize("form", [array, bag, table])
def test_lazy_answers_of_a_closed_client_are_named(cluster, form):
    model = wideberth.NeighborsClassifier(n_neighbors=1).fit(
        np.array([[0.0], [10.0]]), ["low", "up"]
    )
    with Client(cluster) as first:
        lazy = scaleout.predict(model, form(NUMBERS, 2))
        assert list(lazy.compute()) == model.predict(NUMBERS).tolist()
        assert list(pickle.loads(pickle.dumps(lazy)).compute()) == model.predict(NUMBERS).tolist()
        with pytest.raises(LostWork, match="does not compute them here"):
            lazy.compute(scheduler="synchronous")
    assert first.status == "closed"
    with pytest.raises(LostWork, match=r"a client that was closed.* Call it again"):
        lazy.compute()
    with Client(cluster), pytest.raises(LostWork, match=r"forgotten answers.* call it again"):
        lazy.compute()


@pytest.fixture
def own_scheduler(tmp_path):
    """A scheduler in a process of its own, without workers, and a client of it that gives it up at
    once when it is lost.
    """
    noted = tmp_path / "scheduler.json"
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
    ]
    with subprocess.Popen([*command, str(noted)], stderr=subprocess.DEVNULL) as scheduler:
        try:
            with Client(scheduler_file=str(noted), timeout=120) as client:
                client._timeout = 1.0
                yield scheduler, client
        finally:
            scheduler.kill()


@pytest.mark.slow
def test_lazy_answers_whose_scheduler_is_lost_are_named(own_scheduler):
    """There are no workers: the answers are waited for until the scheduler is killed."""
    scheduler, client = own_scheduler
    lazy = scaleout.predict(
        wideberth.NeighborsClassifier(n_neighbors=1).fit(NUMBERS, LABELS), array(NUMBERS, 2)
    )

    def kill_when_it_is_asked():
        try:
            while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) < 3:
                time.sleep(0.01)
        finally:
            scheduler.kill()

    killing = threading.Thread(target=kill_when_it_is_asked)
    killing.start()
    with pytest.raises(LostWork, match=r"forgotten answers.*scheduler"):
        lazy.compute()
    killing.join()
    with pytest.raises(LostWork, match=r"chunks 1 to . of the 2 of 'len'|the number of workers"):
        list(ClusterRunner(client).results(len, ["tea", "coffee"], 1.0))

"""Every metric of the table goes the whole way: blocks, copies, a space on disk, classifiers, a
model file, another process.
"""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import wideberth
from wideberth import LipschitzClassifier, MetricSpace, NeighborsClassifier
from wideberth.errors import NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.metrics.named import METRICS, bind

LINE = np.arange(8.0)
#: Eight objects for each metric, the first four of one class, as the metrics themselves name them.
OBJECTS = {name: list(each.examples) for name, each in METRICS.items()}
LABELS = np.array(["soft"] * 4 + ["hard"] * 4)

every_metric = pytest.mark.parametrize("name", sorted(METRICS))


def of(name: str) -> wideberth.Metric:
    """The metric, knowing what it takes from a sample."""
    if name == "precomputed":
        return wideberth.metric(name, distances=abs(LINE[:, None] - LINE), obeys_triangle=True)
    return bind(OBJECTS[name], name)[1]


@every_metric
def test_it_says_what_pages_show_of_it(name):
    assert len(METRICS[name].examples) == 8, "examples: eight objects, the first four of one class"
    assert METRICS[name].source, "source: in a few words, why or from whom the promises are"


@every_metric
def test_it_declares_what_a_distance_costs(name):
    metric = of(name)
    prepared = metric.prepare(OBJECTS[name])
    computed = type(metric).nanoseconds is not wideberth.Metric.nanoseconds
    assert computed or metric.usual_nanoseconds is not None
    assert 0 < metric.nanoseconds(prepared) < 1e5


def distances_of(name: str) -> np.ndarray:
    return of(name).block(OBJECTS[name], OBJECTS[name])


@every_metric
def test_pairs_blocks_and_both_directions_have_the_same_bits(name):
    metric, objects, distances = of(name), OBJECTS[name], distances_of(name)
    assert np.isfinite(distances).all()
    np.testing.assert_array_equal(distances, distances.T)
    assert not distances.diagonal().any()
    for i, one in enumerate(objects):
        assert [metric(one, other) for other in objects] == distances[i].tolist()
    prepared = metric.prepare(objects)
    np.testing.assert_array_equal(metric.block(prepared, objects[::-1]), distances[:, ::-1])


@every_metric
def test_none_and_one_are_samples_too(name):
    metric, objects = of(name), OBJECTS[name]
    assert metric.block([], objects).shape == (0, 8)
    assert metric.block(objects, []).shape == (8, 0)
    assert metric.block([], []).shape == (0, 0)
    assert metric.block(objects[3:4], objects[3:4]).tolist() == [[0.0]]


@every_metric
def test_copies_measure_the_same(name):
    metric, objects, distances = of(name), OBJECTS[name], distances_of(name)
    rebuilt = type(metric)(**metric.get_params(deep=False))
    for twin in (
        pickle.loads(pickle.dumps(metric)),
        clone(metric),
        copy.copy(metric),
        copy.deepcopy(metric),
        rebuilt,
    ):
        assert twin.promises == metric.promises
        np.testing.assert_array_equal(twin.block(objects, objects), distances)
    prepared = pickle.loads(pickle.dumps(metric.prepare(objects)))
    np.testing.assert_array_equal(metric.block(prepared, objects), distances)


@every_metric
def test_classifiers_learn_and_their_radii_hold(name):
    metric, objects, distances = of(name), OBJECTS[name], distances_of(name)
    nearest = NeighborsClassifier(metric, n_neighbors=1).fit(objects, LABELS)
    assert nearest.predict(objects).tolist() == LABELS.tolist()
    lipschitz = LipschitzClassifier(metric, C=1e3)
    if not metric.obeys_triangle:
        with pytest.warns(match="triangle"):
            lipschitz.fit(objects, LABELS)
        with pytest.raises(NotCertified, match="triangle"):
            lipschitz.certified_radius(objects)
        return
    predicted, radii = (
        lipschitz.fit(objects, LABELS).predict(objects),
        lipschitz.certified_radius(objects),
    )
    assert (radii > 0).all()
    assert not ((predicted[:, None] != predicted) & (distances < radii[:, None])).any()


@pytest.mark.few(5)
@pytest.mark.filterwarnings("ignore:'dtw' breaks")
@every_metric
def test_a_model_file_answers_as_before(name, tmp_path):
    for model in saved_models(name, tmp_path):
        loaded = wideberth.load(tmp_path / f"{type(model).__name__}.wb")
        np.testing.assert_array_equal(
            loaded.decision_function(new_objects(name)), model.decision_function(OBJECTS[name])
        )


def saved_models(name: str, folder: Path) -> list[MetricClassifier]:
    models = [NeighborsClassifier(of(name), n_neighbors=1), LipschitzClassifier(of(name), C=1e3)]
    for model in models:
        wideberth.save(model.fit(OBJECTS[name], LABELS), folder / f"{type(model).__name__}.wb")
    return models


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:'dtw' breaks")
def test_another_process_finds_the_distances_on_disk_and_the_models(tmp_path):
    """With other hashes of texts, and so another order of sets: nothing may depend on them."""
    for name in METRICS:
        folder = tmp_path / name
        folder.mkdir()
        space = MetricSpace(OBJECTS[name], of(name), cache=folder)
        np.save(folder / "distances.npy", space.metric.block(space.index, space.index))
        np.save(
            folder / "scores.npy", saved_models(name, folder)[1].decision_function(OBJECTS[name])
        )
        del space
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_everywhere; "
        "test_everywhere.find_again(sys.argv[2])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(Path(__file__).parent), str(tmp_path)],
        env=os.environ | {"PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def find_again(folder: str) -> None:
    """What the other process does."""
    for name in METRICS:
        here = Path(folder) / name
        distances = np.load(here / "distances.npy")
        space = MetricSpace(OBJECTS[name], of(name), cache=here)
        np.testing.assert_array_equal(
            space.metric.block(space.index, space.index), distances, err_msg=name
        )
        assert space.distance_calls == 0, name
        scores = wideberth.load(here / "LipschitzClassifier.wb").decision_function(
            new_objects(name)
        )
        np.testing.assert_array_equal(scores, np.load(here / "scores.npy"), err_msg=name)


def new_objects(name: str) -> Any:
    """The objects as a model out of a file takes them: a matrix stays out of it."""
    return distances_of(name) if name == "precomputed" else OBJECTS[name]


def test_naming_a_metric_imports_nothing_that_others_need():
    code = "import sys, wideberth; wideberth.metric('levenshtein'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    needless = {
        "rdkit",
        "ot",
        "pyarrow",
        "pandas",
        "polars",
        "sklearn",
        "networkx",
        "highspy",
        "scipy.stats",
        "scipy.optimize",
    }
    assert not needless & set(done.stdout.split())

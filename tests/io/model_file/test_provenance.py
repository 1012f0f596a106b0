"""A file says where it comes from, and what it says of its own objects is so."""

import json
import platform
import zipfile

import numpy as np
import pytest
from families import class_name, families, measures_distances
from golden.write_golden import FOLDER
from hostile.mutations import entries_of, zipped
from sklearn.base import clone

import wideberth
from wideberth import (
    HilbertSVC,
    LipschitzClassifier,
    MarginNeighborsClassifier,
    NeighborsClassifier,
)
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.model_file import model_info
from wideberth.io.model_file.archive import MANIFEST
from wideberth.io.model_file.read import read_model
from wideberth.objects import sample

MODELS = [
    *families("vectors", like=measures_distances, random_state=7),
    HilbertSVC(random_state=np.int64(3)),
]
POINTS, LABELS = np.random.default_rng(0).normal(size=(20, 2)), ["a", "b"] * 10


def saved(model, path, points=POINTS, labels=LABELS):
    fitted = clone(model).fit(points, labels)
    wideberth.save(fitted, path)
    return fitted


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", MODELS, ids=class_name)
def test_counts_seed_and_versions_are_those_of_the_model(tmp_path, model):
    fitted = saved(model, tmp_path / "m.wb")
    info = model_info(tmp_path / "m.wb")
    assert info.n_learned == len(POINTS)
    assert info.n_held == sample.count(fitted.state()["objects"])
    assert info.random_state == getattr(model, "random_state", None)
    assert info.versions == {
        "wideberth": wideberth.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    assert read_model(tmp_path / "m.wb").provenance == info
    assert f"{info.n_learned} objects (digest {info.data})" in str(info)


def test_the_digest_is_that_of_the_labelled_objects_in_any_order(tmp_path):
    order = np.random.default_rng(1).permutation(len(POINTS))
    digests = []
    for model, points, labels in [
        (NeighborsClassifier(), POINTS, LABELS),
        (MarginNeighborsClassifier(separation=0.5), POINTS[order], np.array(LABELS)[order]),
        (NeighborsClassifier(), POINTS, LABELS[::-1]),
        (NeighborsClassifier(), POINTS + 1e-9, LABELS),
    ]:
        saved(model, tmp_path / "m.wb", points, labels)
        digests.append(model_info(tmp_path / "m.wb").data)
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.wb"))[::7], ids=lambda path: path.stem)
def test_files_name_the_version_that_wrote_them(path):
    info = model_info(path)
    with zipfile.ZipFile(path) as archive:
        assert info.versions["wideberth"] == json.loads(archive.read(MANIFEST))["wideberth_version"]
    assert "wideberth" in str(info)


def with_provenance(path, change):
    """The file with another provenance, its checksums right."""
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read(MANIFEST))
    manifest["provenance"] = manifest["provenance"] | change if isinstance(change, dict) else change
    path.write_bytes(
        zipped([*entries_of(path.read_bytes()).items(), (MANIFEST, json.dumps(manifest).encode())])
    )


@pytest.mark.parametrize(
    "change", [{"n_learned": 19}, {"n_held": 0}, {"data": "0" * 16}, {"random_state": 1}], ids=str
)
def test_what_is_not_so_is_refused(tmp_path, change):
    saved(NeighborsClassifier(), tmp_path / "m.wb")
    with_provenance(tmp_path / "m.wb", {})
    wideberth.load(tmp_path / "m.wb")  # so the file below is refused for its own reason
    with_provenance(tmp_path / "m.wb", change)
    with pytest.raises(InvalidFile, match="the manifest says"):
        wideberth.load(tmp_path / "m.wb")


@pytest.mark.parametrize(
    "change",
    [
        *[
            {"n_learned": -1},
            {"n_held": True},
            {"data": "tea"},
            {"data": 3},
            {"versions": []},
            {"versions": {"numpy": 2}},
        ],
        *[{"versions": {"numpy": "2" * 1000}}, {"more": 1}, 3, [], None],
    ],
    ids=lambda change: str(change)[:30],
)
def test_what_is_no_provenance_is_refused(tmp_path, change):
    saved(NeighborsClassifier(), tmp_path / "m.wb")
    with_provenance(tmp_path / "m.wb", change)
    for read in (wideberth.load, model_info):
        with pytest.raises(InvalidFile, match="does not say where") as refused:
            read(tmp_path / "m.wb")
        assert refused.value.entry == MANIFEST


def test_a_model_whose_parameters_became_wrong_is_not_saved(tmp_path):
    model = LipschitzClassifier().fit(POINTS, LABELS).set_params(C=-1)
    with pytest.raises(InvalidInput, match="C=-1 does not fit"):
        wideberth.save(model, tmp_path / "m.wb")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", ["x", 1.5, True, 2**62, [1]], ids=str)
@pytest.mark.parametrize("model", MODELS, ids=class_name)
def test_parameters_that_files_must_not_hold_cannot_be_fitted_either(model, value):
    with pytest.raises(InvalidInput, match=r"n_jobs=.* does not fit"):
        clone(model).set_params(n_jobs=value).fit(POINTS, LABELS)

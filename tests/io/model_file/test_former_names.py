"""Files that name classes and parameters as they were called once load under the names of today."""

import json

import pytest

import wideberth
from wideberth import LipschitzClassifier, NeighborsClassifier
from wideberth.classifiers.named import BY_CLASS_NAME
from wideberth.errors import InvalidFile
from wideberth.io.model_file.archive import Archive, write_archive
from wideberth.io.model_file.read import FORMER_NAMES
from wideberth.io.model_file.write import MODEL

WORDS, KINDS = ["tea", "tee", "ten", "rum", "rom", "ram"], ["soft"] * 3 + ["hard"] * 3


def rewritten(model, path, change):
    """A model file whose ``model.json`` was changed before it was sealed."""
    wideberth.save(model, path)
    with Archive(path) as archive:
        entries = {name: archive.read(name) for name in archive.manifest["entries"]}
    described = json.loads(entries[MODEL])
    change(described)
    with path.open("w+b") as stream:
        write_archive(stream, (entries | {MODEL: json.dumps(described).encode()}).items())
    return path


@pytest.fixture
def old_file(tmp_path):
    """A file of a time when the class was called VotingClassifier and its ``max_memory`` was called ``room``."""

    def change(described):
        described["class"] = "VotingClassifier"
        described["parameters"]["room"] = described["parameters"].pop("max_memory")

    return rewritten(
        NeighborsClassifier("levenshtein", n_neighbors=3, max_memory="1GB").fit(WORDS, KINDS), tmp_path / "old.wb", change
    )


def test_a_file_with_former_names_loads(old_file, tmp_path, monkeypatch):
    with pytest.raises(InvalidFile, match="there is no class 'VotingClassifier'"):
        wideberth.load(old_file)
    monkeypatch.setitem(FORMER_NAMES["classes"], "VotingClassifier", "NeighborsClassifier")
    monkeypatch.setitem(FORMER_NAMES["parameters"], "room", "max_memory")
    model = wideberth.load(old_file)
    assert type(model) is NeighborsClassifier
    assert model.max_memory == "1GB"
    assert model.predict(["teen", "rumba"]).tolist() == ["soft", "hard"]
    wideberth.save(model, tmp_path / "new.wb")
    monkeypatch.undo()
    assert wideberth.load(tmp_path / "new.wb").max_memory == "1GB"  # which says the names of today


def test_a_parameter_under_a_former_and_a_later_name_is_refused(tmp_path, monkeypatch):
    def change(described):
        described["parameters"]["room"] = described["parameters"]["max_memory"]

    path = rewritten(LipschitzClassifier("levenshtein").fit(WORDS, KINDS), tmp_path / "twice.wb", change)
    monkeypatch.setitem(FORMER_NAMES["parameters"], "room", "max_memory")
    with pytest.raises(InvalidFile, match="twice"):
        wideberth.load(path)


def test_former_names_lead_to_names_of_today():
    parameters = {name for entry in BY_CLASS_NAME.values() for name in entry.load()().get_params(deep=False)}
    assert set(FORMER_NAMES["classes"].values()) <= set(BY_CLASS_NAME)
    assert set(FORMER_NAMES["parameters"].values()) <= parameters
    assert not set(FORMER_NAMES["classes"]) & set(BY_CLASS_NAME)
    assert not set(FORMER_NAMES["parameters"]) & parameters

"""Pipelines in model files: they answer as before, and steps that files do not hold are named."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

import wideberth
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.model_file import model_info
from wideberth.io.model_file.provenance import DataNotes, notes_from_plain
from wideberth.io.model_file.read import read_model
from wideberth.io.model_file.write import write_model

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.normal(size=(60, 3)) * [1.0, 10.0, 100.0]
SIDES = np.where(POINTS[:, 0] > 0, "right", "left")
NAMES, SEXES = (part[:150] for part in wideberth.datasets.load_first_names())


@pytest.mark.parametrize(
    "scaler",
    [
        StandardScaler(),
        StandardScaler(with_mean=False),
        MinMaxScaler((-1, 1)),
        MaxAbsScaler(),
        Normalizer("l1"),
        "passthrough",
    ],
    ids=str,
)
def test_scaled_vectors_are_classified_as_before(tmp_path, scaler):
    model = make_pipeline(scaler, wideberth.NeighborsClassifier(n_neighbors=3)).fit(POINTS, SIDES)
    wideberth.save(model, tmp_path / "p.wb")
    loaded = wideberth.load(tmp_path / "p.wb")
    new = RANDOM.normal(size=(200, 3)) * [1.0, 10.0, 100.0]
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(loaded.decision_function(new), model.decision_function(new))
    assert model_info(tmp_path / "p.wb").n_learned == 60


def test_coordinates_of_words_are_classified_as_before(tmp_path):
    model = make_pipeline(
        wideberth.KuratowskiEmbedding("levenshtein", references=20),
        StandardScaler(),
        LogisticRegression(C=0.5),
    )
    model.fit(NAMES, SEXES)
    wideberth.save(model, tmp_path / "p.wb")
    loaded = wideberth.load(tmp_path / "p.wb")
    np.testing.assert_array_equal(loaded.predict_proba(NAMES), model.predict_proba(NAMES))
    assert loaded[-1].C == 0.5
    assert loaded.classes_.tolist() == ["female", "male"]


def test_names_of_columns_are_kept(tmp_path):
    frame = pd.DataFrame(POINTS, columns=["a", "b", "c"])
    wideberth.save(
        make_pipeline(StandardScaler(), wideberth.LipschitzClassifier()).fit(frame, SIDES),
        tmp_path / "p.wb",
    )
    loaded = wideberth.load(tmp_path / "p.wb")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["c", "b", "a"]])


def test_several_classes_of_a_logistic_regression(tmp_path):
    labels = np.digitize(POINTS[:, 0], [-0.5, 0.5])
    model = make_pipeline(wideberth.HilbertEmbedding(n_components=2), LogisticRegression()).fit(
        POINTS, labels
    )
    wideberth.save(model, tmp_path / "p.wb")
    np.testing.assert_array_equal(
        wideberth.load(tmp_path / "p.wb").predict(POINTS), model.predict(POINTS)
    )


def test_other_steps_are_named_and_nothing_is_written(tmp_path):
    model = make_pipeline(PCA(2), wideberth.NeighborsClassifier()).fit(POINTS, SIDES)
    with pytest.raises(
        InvalidInput, match="The step 'pca' of the pipeline, a PCA, cannot be saved"
    ):
        wideberth.save(model, tmp_path / "p.wb")
    assert list(tmp_path.iterdir()) == []


def test_a_step_that_only_has_the_name_of_another_is_not_taken_for_it(tmp_path):
    class MyScaler(StandardScaler):
        pass

    MyScaler.__name__ = "StandardScaler"
    with pytest.raises(InvalidInput, match="cannot be saved"):
        wideberth.save(
            make_pipeline(MyScaler(), wideberth.NeighborsClassifier()).fit(POINTS, SIDES),
            tmp_path / "p.wb",
        )


def test_unfitted_pipelines_are_refused(tmp_path):
    with pytest.raises(NotFittedError):
        wideberth.save(Pipeline([("n", wideberth.NeighborsClassifier())]), tmp_path / "p.wb")
    with pytest.raises(NotFittedError):
        wideberth.save(
            make_pipeline(StandardScaler(), wideberth.NeighborsClassifier().fit(POINTS, SIDES)),
            tmp_path / "p.wb",
        )


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    model = wideberth.NeighborsClassifier().fit(POINTS, SIDES)
    wideberth.save(model, tmp_path / "p.wb")
    before = (tmp_path / "p.wb").read_bytes()

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("wideberth.io.model_file.write.array_to_bytes", stop)
    with pytest.raises(KeyboardInterrupt):
        wideberth.save(make_pipeline(StandardScaler(), model).fit(POINTS, SIDES), tmp_path / "p.wb")
    assert (tmp_path / "p.wb").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


NOTES = DataNotes(("a.csv",), "2026-11-17T06:05:00Z", "kind", "aemt", 2.5, ("tea", "tee"), (0, 1))


def test_notes_are_read_back(tmp_path):
    model = wideberth.NeighborsClassifier("levenshtein").fit(["tea", "tee"], ["a", "b"])
    write_model(model, tmp_path / "m.wb", None, NOTES)
    assert read_model(tmp_path / "m.wb").notes == NOTES
    wideberth.save(model, tmp_path / "m.wb")
    assert read_model(tmp_path / "m.wb").notes is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("files", None),
        ("files", ("a", 1)),
        ("fitted", "yesterday"),
        ("target", 3),
        ("characters", "x" * 501),
        ("spread", -1.0),
        ("spread", float("inf")),
        ("spread", 1),
        ("names", ("x" * 201,)),
        ("codes", (-1,)),
        ("codes", [1]),
        ("secret", 1),
    ],
)
def test_wrong_notes_are_refused(name, value):
    with pytest.raises(ValueError, match="note"):
        notes_from_plain(vars(NOTES) | {name: value})
    with pytest.raises(ValueError, match="notes"):
        notes_from_plain(["files"])


def test_wrong_notes_make_the_file_unreadable(tmp_path):
    model = wideberth.NeighborsClassifier("levenshtein").fit(["tea", "tee"], ["a", "b"])
    write_model(model, tmp_path / "m.wb", None, DataNotes(spread=-2.0))
    with pytest.raises(InvalidFile, match="no note about data"):
        wideberth.load(tmp_path / "m.wb")

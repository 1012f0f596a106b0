"""Integers into a space stand for objects in scikit-learn's meta-estimators, and no distance is
measured twice.
"""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.utils.validation import validate_data

from wideberth import NeighborsClassifier
from wideberth.geometry.space import space
from wideberth.geometry.space.space import MetricSpace

N = 60


class Nearest(ClassifierMixin, BaseEstimator):
    """The label of the nearest objects, of which the nearest ``k`` vote."""

    def __init__(self, metric=None, k=1):
        self.metric = metric
        self.k = k

    def fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=None)
        self.X_, self.classes_, self.y_ = X, *np.unique(y, return_inverse=True)
        return self

    def predict_proba(self, X):
        nearest = self.metric.block(X, self.X_).argsort(axis=1, kind="stable")[:, : self.k]
        return np.stack(
            [(self.y_[nearest] == label).mean(axis=1) for label in range(len(self.classes_))],
            axis=1,
        )

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.fixture
def words():
    rng = np.random.default_rng(0)
    stems = ["jardin", "garten", "haven"]
    labels = rng.integers(0, 3, N)
    edited = []
    for label in labels:
        letters = list(stems[label])
        letters[rng.integers(0, len(letters))] = rng.choice(list("abcdefgh"))
        edited.append("".join(letters) + rng.choice(["", "s", "chen"]))
    return edited, labels


@pytest.fixture
def made(words, monkeypatch):
    monkeypatch.setattr(space, "TILE_SIZE", 16)
    return MetricSpace(words[0], "levenshtein", max_memory="1MB")


META = {
    "grid search": lambda model: GridSearchCV(model, {"k": [1, 3, 5]}, cv=3),
    "calibrated": lambda model: CalibratedClassifierCV(model, cv=3),
    "voting": lambda model: VotingClassifier(
        [("one", model), ("three", clone(model).set_params(k=3))], voting="soft"
    ),
    "bagging": lambda model: BaggingClassifier(model, n_estimators=4, random_state=0),
    "stacking": lambda model: StackingClassifier([("one", model)], LogisticRegression(), cv=3),
    "one against one": OneVsOneClassifier,
    "one against the rest": OneVsRestClassifier,
}


@pytest.mark.parametrize("name", META)
def test_meta_estimators_measure_nothing_twice(name, made, words):
    train, test, known, truth = train_test_split(made.index, words[1], random_state=0)
    model = META[name](Nearest(made.metric))
    fitted = model.fit(train, known)
    assert fitted.score(test, truth) > 0.8
    assert made.distance_calls <= N * (N - 1) // 2
    before = made.distance_calls
    model.fit(train, known).predict(test)
    assert made.distance_calls == before
    assert fitted.predict(made.append(["jardins", "gartens"])).tolist() == [0, 1]


def test_cloning_keeps_the_space(made):
    model = clone(Nearest(made.metric))
    assert model.metric.space is made
    assert clone(made.metric).space is made
    assert model.get_params()["metric__space"] is made


def test_processes_find_the_distances_in_the_cache(words, tmp_path):
    made = MetricSpace(words[0], "levenshtein", cache=tmp_path)
    expected = cross_val_score(
        NeighborsClassifier(made.metric, n_neighbors=1), made.index, words[1], cv=3
    )
    scores = cross_val_score(
        NeighborsClassifier(made.metric, n_neighbors=1), made.index, words[1], cv=3, n_jobs=2
    )
    np.testing.assert_array_equal(scores, expected)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")}
    assert stamps
    cross_val_score(
        NeighborsClassifier(made.metric, n_neighbors=1), made.index, words[1], cv=3, n_jobs=2
    )
    assert stamps == {
        path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.npz")
    }  # no process had anything to add

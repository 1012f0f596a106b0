"""The public check fails where a classifier breaks the contract of its interface."""

import numpy as np
import pytest

from wideberth.checks import check_classifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier

WORDS, LABELS = ["tea", "tee", "teas", "rum", "rom", "rums", "ram"], list("aabbaab")


class Faulty(NeighborsClassifier):
    """A classifier that can be broken in several ways."""

    fault = None

    def fit(self, X, y, sample_weight=None):
        if self.fault == "weights":
            sample_weight = None
        if self.fault == "refusals" and sample_weight is not None:
            sample_weight = np.abs(sample_weight)
        fitted = super().fit(X, y, sample_weight=sample_weight)
        if self.fault == "parameters":
            self.metric = "indel"
        return None if self.fault == "returns" else fitted

    def decision_function(self, X):
        scores = super().decision_function(X)
        return (
            scores[:, None]
            if self.fault == "shape"
            else -scores
            if self.fault == "scores"
            else scores
        )

    def predict(self, X):
        labels = super().predict(X)
        if (self.fault == "batches" and len(labels) == 1) or (
            self.fault == "containers" and isinstance(X, tuple)
        ):
            return np.where(labels == "a", "b", "a")
        if self.fault == "labels":
            return np.full(len(labels), "z")
        return labels


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("returns", "fit must return the classifier"),
        ("parameters", "fit must not change parameters"),
        ("labels", "predictions must be labels"),
        ("shape", "decision_function has shape"),
        ("scores", "predict must follow decision_function"),
        ("batches", "one object at a time"),
        ("containers", "a tuple of objects changes the predictions"),
        ("weights", "a weight of 0 must leave an object out"),
        ("refusals", "a negative weight must be a ValueError"),
    ],
)
def test_a_faulty_classifier_is_found(monkeypatch, fault, message):
    check_classifier(Faulty("levenshtein", n_neighbors=1), WORDS, LABELS)
    monkeypatch.setattr(Faulty, "fault", fault)
    with pytest.raises(AssertionError, match=message):
        check_classifier(Faulty("levenshtein", n_neighbors=1), WORDS, LABELS)


def test_two_classes_are_needed():
    with pytest.raises(AssertionError, match="two classes"):
        check_classifier(NeighborsClassifier("levenshtein"), WORDS, ["a"] * len(WORDS))

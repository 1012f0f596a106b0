"""A family of classifiers that the library does not have, and a row that makes it one of them.

Whoever imports this before anything else of the library sees what it is with one more row in the
table, and one more public name.
"""

import numpy as np

import wideberth
from wideberth.classifiers import named
from wideberth.estimators import restored_values
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import Explanation, Kept, Push
from wideberth.estimators.radius_rules import LipschitzScores
from wideberth.objects import sample


class MedoidClassifier(MetricClassifier):
    """The class whose medoid, the object with the smallest sum of distances to its class, is
    nearest.
    """

    decides_by = "the label of the nearest medoid"

    def __init__(self, metric="euclidean", *, max_memory="2GB"):
        self.metric = metric
        self.max_memory = max_memory

    def learn(self, training):
        medoids = [self._medoid(training, code) for code in range(training.n_classes)]
        self._objects = sample.pick(training.objects, medoids)
        self.medoids_ = training.positions[medoids]

    def _medoid(self, training, code):
        own = np.flatnonzero(training.codes == code)
        objects = sample.pick(training.objects, own)
        return own[(training.metric.block(objects, objects) @ training.weights[own]).argmin()]

    def scores(self, objects):
        return -self.metric_.block(objects, self._objects)

    def kept(self):
        return Kept(self._objects, self.medoids_, self.classes_)

    def radius_rule(self):
        return LipschitzScores.of(self, np.ones(len(self.classes_)), self._objects)

    def explain(self, X):
        distances = -self.scores(self.admit_queries(X))
        return [self._explained(row, int(row.argmin())) for row in distances]

    def _explained(self, row, code):
        distance, label = float(row[code]), self.classes_[code].item()
        return Explanation(
            label, -distance, 0.0, (Push(-distance, int(self.medoids_[code]), distance, label),)
        )

    def settings(self):
        return {"medoids": self.medoids_.tolist()}

    def state(self):
        return {"objects": self._objects, "medoids": self.medoids_}

    def restore(self, state):
        self._objects = state["objects"]
        self.medoids_ = restored_values.codes(
            state, "medoids", len(self.classes_), below=restored_values.ANY_POSITION
        )


def enter():
    """Enter the row and the public name; for a process of its own, because nothing takes them out
    again.
    """
    wideberth._HOME["MedoidClassifier"] = __name__
    wideberth.__all__.append("MedoidClassifier")
    named.CLASSIFIERS["medoid"] = named.NamedClassifier("medoid", "MedoidClassifier", "medoids")

"""What all embeddings share: they measure distances to some objects, and turn them into coordinates."""

from math import isqrt
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from wideberth.arrays import Indices
from wideberth.errors import InvalidInput
from wideberth.estimators import saving
from wideberth.estimators.base import MetricEstimator
from wideberth.geometry.measure.blocks import pairwise_distances, row_spans, stream
from wideberth.geometry.measure.memory import parse_memory
from wideberth.geometry.shape.distortion import Distortion, distortion
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: Objects on which the distortion is measured, in all their pairs, at least and at most.
EXAMINED = (30, 500)


class Coordinates(Protocol):
    """A map from distances to some objects to coordinates."""

    def coordinates(self, distances: Distances) -> Distances:
        """The coordinates of objects, from their distances, shape (objects, objects measured to)."""


class MetricEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MetricEstimator):
    """Base of all embeddings. A child learns in `_learn` which objects distances are measured to, and sets the map.

    `MetricEstimator` says what X may be. Labels are not looked at.
    """

    #: The metric in which distances between coordinates compare to those between objects.
    compared_in: ClassVar[str]

    max_memory: str | int
    n_jobs: int | None
    random_state: int | None
    distortion_: Distortion

    _references: Any  # prepared objects that distances are measured to
    _map: Coordinates
    _n_features_out: int

    def _learn(self, objects: Any, metric: Metric) -> Distances | None:
        """Set ``_references``, ``_map``, ``_n_features_out`` and what the child documents.

        Returns the distances of the objects to the references if they are known by then.
        """
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from objects X which objects to measure distances to, and the map from these to coordinates."""
        objects, distances = self._admit_and_learn(X)
        chosen = self._examined(sample.count(objects))
        known = None if distances is None else distances[chosen]
        self._report(objects, chosen, self._embed(sample.pick(objects, chosen), known))
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Distances:
        """Learn from objects X; their coordinates."""
        objects, distances = self._admit_and_learn(X)
        embedded = self._embed(objects, distances)
        chosen = self._examined(sample.count(objects))
        self._report(objects, chosen, embedded[chosen])
        return embedded

    def transform(self, X: Any) -> Distances:
        """The coordinates of objects, shape (objects, coordinates)."""
        return self._embed(self._admit_queries(X), None)

    def _admit_and_learn(self, X: Any) -> tuple[Any, Distances | None]:
        objects, metric, _, _ = self._admit_objects(X)
        distances = self._learn(objects, metric)
        self.metric_ = metric
        return objects, distances

    def _embed(self, objects: Any, distances: Distances | None) -> Distances:
        """The coordinates of prepared objects; distances that are not known are measured, some at a time."""
        if distances is not None:
            return self._map.coordinates(distances)
        n, max_memory = sample.count(objects), parse_memory(self.max_memory)
        embedded = np.empty((n, self._n_features_out))
        spans = row_spans(n, sample.count(self._references), max_memory)
        for (rows, _), block in stream(self.metric_, objects, self._references, spans, max_memory=max_memory, n_jobs=self.n_jobs):
            embedded[rows] = self._map.coordinates(block)
        return embedded

    def _state(self) -> dict[str, Any]:
        return {"objects": self._references, "distortion": vars(self.distortion_)}

    def _restore(self, state: dict[str, Any]) -> None:
        saving.check_limits(self)
        self._references = state["objects"]
        if self._references is None or not sample.count(self._references):
            raise InvalidInput("There are no objects to measure distances to.", value=None)
        self.distortion_ = saving.distortion(state, "distortion")

    def _examined(self, n: int) -> Indices:
        """Objects for the distortion: if there are many, so few that their distances cost no more than the coordinates of all."""
        least, most = EXAMINED
        count = min(n, most, max(least, isqrt(n * sample.count(self._references))))
        if count == n:
            return np.arange(n)
        return np.sort(np.random.default_rng(self.random_state).choice(n, count, replace=False))

    def _report(self, objects: Any, chosen: Indices, embedded: Distances) -> None:
        before = pairwise_distances(sample.pick(objects, chosen), None, self.metric_, n_jobs=self.n_jobs)
        after = pairwise_distances(embedded, None, self.compared_in, n_jobs=self.n_jobs)
        self.distortion_ = distortion(before, after).at(chosen)

"""`MetricEmbedding`, the base class of embeddings: measure distances to some objects, and turn them
into coordinates.
"""

from math import isqrt
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.metric_estimator import MetricEstimator, reported
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory, row_spans, stream
from wideberth.geometry.measure.remembered_distances import PairTable, measure_once
from wideberth.geometry.shape.distortion import Distortion, distortion
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

#: The smallest and the largest number of objects on whose pairs the distortion is measured.
EXAMINED = (30, 500)


class Coordinates(Protocol):
    """The interface of a map from distances to references to coordinates."""

    def coordinates(self, distances: Distances) -> Distances:
        """The coordinates of objects.

        Parameters
        ----------
        distances : ndarray of shape (n_objects, n_references)

        Returns
        -------
        ndarray of shape (n_objects, n_coordinates)
        """


class MetricEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MetricEstimator):
    """Base class of all embeddings. A subclass chooses the references and sets the map in `_learn`.

    `MetricEstimator` documents what X may be. Labels are ignored.

    Attributes
    ----------
    metric_ : Metric
        The metric, with what it learned from X.
    distortion_ : Distortion
        How much the embedding changes the distances, on some of the objects seen at fit.
    """

    #: The metric on coordinates whose distances are compared with those of the objects.
    compared_in: ClassVar[str]

    max_memory: str | int
    n_jobs: int | None
    random_state: int | None
    distortion_: Distortion

    _references: Any  # prepared objects that distances are measured to
    _map: Coordinates
    _n_features_out: int

    def _learn(self, objects: Any, metric: Metric) -> Distances | None:
        """Set ``_references``, ``_map``, ``_n_features_out`` and the attributes that the subclass
        documents.

        Returns the distances of the objects to the references, shape (n_objects, n_references), if
        they were measured anyway; otherwise None.
        """
        raise NotImplementedError

    @reported
    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the references among the objects, learn the map to coordinates, and measure its
        distortion.

        Parameters
        ----------
        X : sequence of objects, array, or matrix of distances
        y : ignored

        Returns
        -------
        self
        """
        objects, distances, _table = self._admit_and_learn(X)
        chosen = self._examined(sample.count(objects))
        known = None if distances is None else distances[chosen]
        self._report(objects, chosen, self._embed(sample.pick(objects, chosen), known))
        return self

    @reported
    def fit_transform(self, X: Any, y: Any = None) -> Distances:
        """Fit to objects, and return their coordinates; faster than ``fit`` and ``transform``.

        Parameters
        ----------
        X : sequence of objects, array, or matrix of distances
        y : ignored

        Returns
        -------
        ndarray of shape (n_objects, n_coordinates)
        """
        objects, distances, _table = self._admit_and_learn(X)
        embedded = self._embed(objects, distances)
        chosen = self._examined(sample.count(objects))
        self._report(objects, chosen, embedded[chosen])
        return embedded

    @reported
    def transform(self, X: Any) -> Distances:
        """The coordinates of objects, new ones or those seen at fit.

        Parameters
        ----------
        X : sequence of objects, array, or matrix of distances to the objects seen at fit

        Returns
        -------
        ndarray of shape (n_objects, n_coordinates)
        """
        return self._embed(self.admit_queries(X), None)

    def _admit_and_learn(self, X: Any) -> tuple[Any, Distances | None, PairTable | None]:
        """Check X and call `_learn`: the prepared objects, what it returned, and the table that
        keeps distances meanwhile.
        """
        objects, metric, _, _ = self.admit_objects(X)
        half = parse_memory(self.max_memory) // 2
        objects, metric, table = measure_once(objects, metric, max_memory=half, n_jobs=self.n_jobs)
        distances = self._learn(objects, metric)
        self.metric_ = metric
        return objects, distances, table

    def _embed(self, objects: Any, distances: Distances | None) -> Distances:
        """The coordinates of prepared objects. If ``distances`` to the references are not given,
        they are measured in blocks.
        """
        if distances is not None:
            return self._map.coordinates(distances)
        n, max_memory = sample.count(objects), parse_memory(self.max_memory)
        embedded = np.empty((n, self._n_features_out))
        spans = row_spans(n, sample.count(self._references), max_memory)
        for (rows, _), block in stream(
            self.metric_,
            objects,
            self._references,
            spans,
            max_memory=max_memory,
            n_jobs=self.n_jobs,
        ):
            embedded[rows] = self._map.coordinates(block)
        return embedded

    def state(self) -> dict[str, Any]:
        return {"objects": self._references, "distortion": vars(self.distortion_)}

    def restore(self, state: dict[str, Any]) -> None:
        restored_values.check_limits(self)
        self._references = state["objects"]
        if self._references is None or not sample.count(self._references):
            raise InvalidInput("There are no objects to measure distances to.", value=None)
        self.distortion_ = restored_values.distortion(state, "distortion")

    def _examined(self, n: int) -> Indices:
        """The positions of the objects on which the distortion is measured.

        Of n objects and m references about sqrt(n m), within the limits ``EXAMINED``: their pairs
        cost about as many distances as the coordinates of all objects.
        """
        least, most = EXAMINED
        count = min(n, most, max(least, isqrt(n * sample.count(self._references))))
        if count == n:
            return np.arange(n)
        return np.sort(np.random.default_rng(self.random_state).choice(n, count, replace=False))

    def _report(self, objects: Any, chosen: Indices, embedded: Distances) -> None:
        """Set ``distortion_`` from the chosen objects and their coordinates."""
        before = pairwise_distances(
            sample.pick(objects, chosen), None, self.metric_, n_jobs=self.n_jobs
        )
        after = pairwise_distances(embedded, None, self.compared_in, n_jobs=self.n_jobs)
        self.distortion_ = distortion(before, after).at(chosen)

"""How near objects are to the training objects that a model keeps, and how near objects of one sample usually are."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.geometry.search.index import Index
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.objects import sample

#: How many objects are asked for their nearest neighbour to find s, at most; as many as there are new ones, but at least some.
MOST_ASKED, FEWEST_ASKED = 1000, 100


def kept_objects(model: MetricClassifier) -> Any:
    """The prepared training objects that a model keeps for its predictions, all or some of them; None if it keeps none.

    References that the user gave are not training objects.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> kept_objects(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"])).ravel()
    array([0., 4.])
    """
    kept = model.kept()
    return kept.objects if kept is not None and kept.own else None


@dataclass(frozen=True)
class DistancesToKept:
    """Distances from objects to the training objects that a model keeps, and between objects of one sample.

    Attributes
    ----------
    nearest : ndarray of shape (m,)
        From each object to the nearest training object.
    partners : ndarray of int, shape (m,)
        Which of the kept objects that is.
    kept : int
        How many training objects are kept.
    own : ndarray of shape (k,)
        From some objects to the nearest other one: training objects if all are kept, otherwise the new ones.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier(n_neighbors=1).fit([[0.0], [4.0], [7.0]], ["low", "up", "up"])
    >>> found = DistancesToKept.between(model, np.array([[5.0]]), n_learned=3)
    >>> found.nearest, found.partners, found.scale
    (array([1.]), array([1]), 3.0)
    """

    nearest: Floats
    partners: Indices
    kept: int
    own: Floats

    @property
    def scale(self) -> float:
        """The median distance to a nearest neighbour, of those that are not 0; 0 if there is none."""
        positive = self.own[(self.own > 0) & np.isfinite(self.own)]
        return float(np.median(positive)) if len(positive) else 0.0

    @property
    def dimension(self) -> float:
        r"""An estimate, at most 1, of the D with :math:`P(\text{neighbour within } r) \approx 1 - 2^{-(r/s)^D}`, by quantiles."""
        positive = self.own[(self.own > 0) & np.isfinite(self.own)]
        if len(positive) < 20:
            return 0.5
        tenth, half = np.quantile(positive, [0.1, 0.5])
        return 1.0 if tenth == half else float(np.clip(np.log(np.log(0.9) / np.log(0.5)) / np.log(tenth / half), 0.1, 1.0))

    @property
    def largest(self) -> float:
        """The largest of these distances."""
        both = np.concatenate([self.nearest, self.own])
        return float(both[np.isfinite(both)].max(initial=0.0))

    @classmethod
    def of_some(cls, model: MetricClassifier, objects: Any, n_learned: int, some: Indices) -> "DistancesToKept | None":
        """Measure some of the prepared objects, as `between`."""
        return cls.between(model, sample.pick(objects, some), n_learned)

    @classmethod
    def between(cls, model: MetricClassifier, objects: Any, n_learned: int) -> "DistancesToKept | None":
        """Measure; None if there is nothing to measure."""
        found = nearest_kept(model, objects)
        if found is None:
            return None
        count = sample.count(objects)
        own = usual_distances(model, found.kept, n_learned, count)
        if own is None:
            own = _to_the_next(Index(objects, model.metric_, n_jobs=getattr(model, "n_jobs", None)), objects, count)
        return cls(*found, own)


class NearestKept(NamedTuple):
    """The nearest training objects that a model keeps: the first fields of `DistancesToKept`."""

    nearest: Floats
    partners: Indices
    kept: int


def nearest_kept(model: MetricClassifier, objects: Any, index: Index | None = None) -> NearestKept | None:
    """The training object nearest to each prepared object, among those that a model keeps; None if it keeps none.

    ``index`` is that of the kept objects, for who asks more than once; it is made if it is not given.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> nearest_kept(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"]), np.array([[3.0]]))
    NearestKept(nearest=array([1.]), partners=array([1]), kept=2)
    """
    if isinstance(model.metric_, Precomputed | DistanceRows) and np.ndim(objects) == 2:
        rows = np.asarray(objects)
        return NearestKept(rows.min(axis=1), rows.argmin(axis=1), rows.shape[1])
    index = index_of_kept(model) if index is None else index
    if index is None:
        return None
    found = index.nearest(objects)
    return NearestKept(found.distances[:, 0], found.indices[:, 0], len(index))


def index_of_kept(model: MetricClassifier) -> Index | None:
    """An index of the training objects that a model keeps; None if it keeps none.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> len(index_of_kept(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"])))
    2
    """
    kept = kept_objects(model)
    return None if kept is None else Index(kept, model.metric_, n_jobs=getattr(model, "n_jobs", None))


def usual_distances(model: MetricClassifier, kept: int, n_learned: int, wanted: int) -> Floats | None:
    """From some training objects to the nearest other one; None if the model does not keep them all: then new ones are asked.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> usual_distances(NeighborsClassifier().fit([[0.0], [4.0]], ["low", "up"]), 2, 2, 1)
    array([4., 4.])
    """
    metric = model.metric_
    if isinstance(metric, Precomputed):
        chosen = chosen_to_ask(len(metric.matrix), wanted)
        asked = metric.matrix[chosen]
        asked[np.arange(len(chosen)), chosen] = np.inf  # a copy
        return np.asarray(asked.min(axis=1))
    if isinstance(metric, DistanceRows):
        return np.empty(0)
    if kept < n_learned:
        return None
    objects = kept_objects(model)
    return _to_the_next(Index(objects, metric, n_jobs=getattr(model, "n_jobs", None)), objects, wanted)


def _to_the_next(index: Index, objects: Any, wanted: int) -> Floats:
    """The distance of some of the objects of an index to the nearest other one."""
    count = sample.count(objects)
    if count < 2:
        return np.empty(0)
    distances: Floats = index.nearest(sample.pick(objects, chosen_to_ask(count, wanted)), k=2).distances[:, 1]
    return distances


def chosen_to_ask(count: int, wanted: int) -> Indices:
    """Which of so many objects are asked for their nearest neighbour.

    Examples
    --------
    >>> chosen_to_ask(3, 2)
    array([0, 1, 2])
    """
    size = min(count, MOST_ASKED, max(wanted, FEWEST_ASKED))
    return np.sort(np.random.default_rng(0).choice(count, size, replace=False))

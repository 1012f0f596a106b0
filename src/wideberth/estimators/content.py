"""What the objects of X are, beneath the numbers by which a space or a matrix knows them: how an estimator recognises them."""

from typing import Any

import numpy as np
from scipy.sparse import issparse, vstack

from wideberth.geometry.space import SpaceMetric
from wideberth.metrics.distance_rows import DistanceRows
from wideberth.metrics.metric import Metric
from wideberth.metrics.mixed_rows import MixedRows
from wideberth.metrics.precomputed import Precomputed
from wideberth.metrics.sets import SetSample
from wideberth.metrics.transforms.of_one import OfOneMetric
from wideberth.objects import sample
from wideberth.objects.digests import Digests, object_digests, row_digests, sparse_row_digests


def content_digests(X: Any, metric: Metric, prepared: Any) -> Digests | None:
    """A digest of each object of X, which the metric has prepared; None where objects of their kind cannot be recognised.

    Indices in a `wideberth.MetricSpace` stand for its objects, row numbers of a matrix for its rows of distances.

    >>> from wideberth.geometry.space import MetricSpace
    >>> from wideberth.metrics.named import metric
    >>> space = MetricSpace(["tea", "rum"], "levenshtein")
    >>> words, measure = ["rum"], metric("levenshtein")
    >>> content_digests([1], space.metric, space.metric.prepare([1])) == content_digests(words, measure, measure.prepare(words))
    array([ True])
    """
    while isinstance(metric, OfOneMetric):
        metric = metric.metric
    if isinstance(metric, SpaceMetric):
        return object_digests(sample.pick(metric.space.objects, prepared))
    if isinstance(metric, Precomputed) and prepared.ndim == 1:
        of_rows = row_digests(metric.matrix)  # of all, since picked rows would be a copy
        return np.asarray(of_rows[prepared])
    if isinstance(metric, Precomputed | DistanceRows):
        return object_digests(prepared) if prepared.ndim == 2 else None
    if isinstance(prepared, MixedRows):  # columns may go by name or by place, and many things stand for a missing value
        return row_digests(np.vstack([prepared.numbers, prepared.codes]).T)
    if issparse(X):
        return sparse_row_digests(X)
    held = sample.hold(X, rows=metric.eats == "rows")
    if isinstance(held, np.ndarray) and held.dtype == object and len(held) and all(map(issparse, held)):
        return sparse_row_digests(vstack([each.reshape(1, -1) for each in held]))
    if isinstance(prepared, SetSample) and isinstance(held, np.ndarray) and held.ndim == 1:  # lists may stand for sets
        held = sample.hold([frozenset(each) for each in held])
    return object_digests(held)

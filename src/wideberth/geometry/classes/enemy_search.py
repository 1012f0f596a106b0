"""Labelled objects, checked and prepared once for searches of objects of other classes."""

from collections.abc import Callable
from typing import Any, NamedTuple

from wideberth.array_types import Indices
from wideberth.geometry.search import kdtree
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

SomeMetric = str | Metric | Callable[[Any, Any], float]


class EnemySearch(NamedTuple):
    """Labelled objects that are checked and prepared for searches, with a kd-tree if it is fast for them.

    Attributes
    ----------
    metric : Metric
        The distance.
    prepared : object
        The objects as ``metric.prepare`` returns them.
    codes : ndarray of shape (n,)
        Class codes 0, 1, 2...
    tree : KdTree or None
        A kd-tree of the points with their codes; None for other metrics, and if its boxes exclude too little.
    power : int
        The exponent p of the Minkowski metric as the tree takes it: 1, 2, or 0 for infinity. Without a tree it has no meaning.
    """

    metric: Metric
    prepared: Any
    codes: Indices
    tree: kdtree.KdTree | None
    power: int


def prepare_search(objects: Any, labels: Any, metric: SomeMetric) -> EnemySearch:
    """Check and prepare labelled objects, and build a kd-tree if the metric has one and its boxes exclude enough.

    Parameters
    ----------
    objects, labels, metric
        As in `nearest_enemies`.

    Returns
    -------
    EnemySearch

    Examples
    --------
    >>> prepare_search(["tea", "rum"], ["hot", "cold"], "levenshtein").codes
    array([1, 0])
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    codes = code_labels(labels, sample.count(prepared)).codes
    if kdtree.suits(measure, len(codes)):
        tree, power = kdtree.build(prepared, codes), kdtree.power_of(measure) or 0
        if kdtree.prunes(tree, power):
            return EnemySearch(measure, prepared, codes, tree, power)
    return EnemySearch(measure, prepared, codes, None, 0)

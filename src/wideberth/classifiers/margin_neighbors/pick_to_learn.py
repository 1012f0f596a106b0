"""Few objects on which the nearest neighbour answers right for all: those near the boundary, picked one after another."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.margin_neighbors.search_kernels import learn_from
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.counting import CountedSample
from wideberth.geometry.measure.one_to_many import OneToMany
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels


def pick_to_learn(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    margin: float = 0.0,
    eta: float = 0.0,
    n_jobs: int | None = None,
) -> Indices:
    r"""A subset T on which the nearest neighbour gets every object right, in the order in which its objects were picked.

    It begins with the first object, and goes on with the one that T gets most wrong, the largest

    .. math:: (1 + \eta)\, d(x, T_y) - d(x, T_{\neq y}) + \theta \ge 0

    (infinite if the class y of x is not in T yet; of equals the first), until there is none: Paccagnan, Campi & Garatti,
    "The pick-to-learn algorithm empowers compression schemes", NeurIPS 2023. An object that was not picked has no influence:
    without it the same T is found, which is what certificates of compression ask for. With a ``margin`` :math:`\theta` > 0 more
    are picked, and objects right by more than it, which new objects near them profit from; with ``eta`` > 0 objects are right
    whichever neighbour at most 1 + eta times as far as the nearest answers. Takes n distances for each object picked, in O(n)
    memory. Equal objects of different classes can never all be right, and are refused.

    >>> pick_to_learn([[0.0], [1.0], [2.0], [6.0], [7.0]], [0, 0, 0, 1, 1])  # the first one of each class does
    array([0, 3])
    >>> pick_to_learn([[0.0], [1.0], [6.0]], [0, 0, 0])
    array([0])
    """
    objects, measure = bind(objects, metric)
    rays = OneToMany(CountedSample(objects, measure), n_jobs=n_jobs)
    n = len(rays.sample)
    if not n:
        raise InvalidInput("There is nothing to pick from: no objects.", advice="Pass at least one object.", value=n)
    codes = code_labels(labels, n).codes
    own, other = np.full(n, np.inf), np.full(n, np.inf)
    picked: list[int] = []
    worst = 0
    while worst >= 0:
        picked.append(worst)
        distances = rays.measure(worst)
        _refuse_twins(distances, codes, worst, rays.sample.prepared)
        worst = learn_from(distances, codes, worst, 1.0 + eta, float(margin), own, other)
    return np.array(picked, dtype=np.intp)


def _refuse_twins(distances: Floats, codes: Indices, picked: int, prepared: Any) -> None:
    twins = np.flatnonzero((distances == 0) & (codes != codes[picked]))
    if len(twins):
        raise InvalidInput(
            f"Objects {picked} and {twins[0]} are equal ({sample.pick_one(prepared, picked)!r}) and of different classes.",
            advice="Remove one of them; MarginNeighborsClassifier removes all such pairs before it condenses.",
            witness=(picked, int(twins[0])),
            value=0.0,
        )

"""Condensing by pick-to-learn: few objects near the boundary on which the nearest neighbour is right for all objects."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.margin_neighbors.search_kernels import update_and_find_worst
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import CountedSample
from wideberth.geometry.measure.one_to_many import OneToMany
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.progress import doing, note


@doing("picking objects")
def pick_to_learn(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    margin: float = 0.0,
    eta: float = 0.0,
    n_jobs: int | None = None,
) -> Indices:
    r"""Pick a subset T on which the nearest neighbour gives every object its label.

    It starts with the first object, and adds the object x on which T is most wrong: the one with the largest

    .. math:: (1 + \eta)\, d(x, T_y) - d(x, T_{\neq y}) + \theta \ge 0

    where y is the class of x (infinite if no object of that class is in T yet; ties go to the smallest index), until there is
    none: Paccagnan, Campi & Garatti, "The pick-to-learn algorithm empowers compression schemes", NeurIPS 2023. An object that was
    not picked has no influence: without it the same T is found, which certificates of compression require. It measures n
    distances for each picked object, in O(n) memory.

    Parameters
    ----------
    objects : sequence
        The sample of n objects, not empty.
    labels : array-like of shape (n,)
        Their classes.
    metric : str, Metric or callable
        The distance.
    margin : float
        The margin :math:`\theta`. A positive one picks more objects, so that all are right by more than it; new objects near them
        profit from that.
    eta : float
        Objects must be right whichever neighbour at most 1 + eta times as far as the nearest answers.
    n_jobs : int, optional
        Cores to use; None means all.

    Returns
    -------
    ndarray
        Indices of T, in the order in which they were picked.

    Raises
    ------
    InvalidInput
        If there are no objects, or equal objects of different classes, which cannot all be right.

    Examples
    --------
    >>> pick_to_learn([[0.0], [1.0], [2.0], [6.0], [7.0]], [0, 0, 0, 1, 1])  # the first one of each class is enough
    array([0, 3])
    >>> pick_to_learn([[0.0], [1.0], [6.0]], [0, 0, 0])
    array([0])
    """
    objects, measure = bind(objects, metric)
    one_to_many = OneToMany(CountedSample(objects, measure), n_jobs=n_jobs)
    n = len(one_to_many.sample)
    if not n:
        raise InvalidInput("There is nothing to pick from: no objects.", advice="Pass at least one object.", value=n)
    codes = code_labels(labels, n).codes
    own, other = np.full(n, np.inf), np.full(n, np.inf)
    picked: list[int] = []
    worst = 0
    while worst >= 0:
        picked.append(worst)
        note(f"{len(picked):,} picked")
        distances = one_to_many.measure(worst)
        _refuse_equal_enemies(distances, codes, worst, one_to_many.sample.prepared)
        worst = update_and_find_worst(distances, codes, worst, 1.0 + eta, float(margin), own, other)
    return np.array(picked, dtype=np.intp)


def _refuse_equal_enemies(distances: Floats, codes: Indices, picked: int, prepared: Any) -> None:
    """Raise `InvalidInput` if an object of another class is equal to the picked one."""
    equal_enemies = np.flatnonzero((distances == 0) & (codes != codes[picked]))
    if len(equal_enemies):
        enemy = int(equal_enemies[0])
        raise InvalidInput(
            f"Objects {picked} and {enemy} are equal ({sample.pick_one(prepared, picked)!r}) and of different classes.",
            advice="Remove one of them; MarginNeighborsClassifier removes all such pairs before it condenses.",
            witness=(picked, enemy),
            value=0.0,
        )

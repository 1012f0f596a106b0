r"""Which objects to label next: of those that a classifier is least sure of, the ones that bring a
label near to as many others of them as possible.

*By margins*: an object whose label leads by little is near the border, and its label moves the border
(Lewis & Gale 1994; Tong & Koller 2001). Asked for by themselves, the least leads are often neighbours
of each other, which teach the same thing. *By nets*: labels spread over all objects bound what nearest
neighbours lose, by the mean distance :math:`d(x, S)` to the nearest labelled object (Cover & Hart
1967), as the nets of margin-regularised neighbours do; by themselves they go where nothing is in doubt.
Here C is the set of the ``8 n`` objects with the least lead, and each object is taken for how much it
lowers

.. math:: \sum_{x \in C} d(x, S),

the largest first, as the first medoids are (`wideberth.insight.prototypes`): the decrease is submodular,
so that the greedy choice reaches :math:`1 - 1/e` of the best one (Nemhauser, Wolsey & Fisher 1978).
Measured beside chance, nets and least leads alone: docs/benchmarks/label_next.md.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from wideberth.array_types import Floats, Indices, Objects
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import metric_classifier
from wideberth.geometry.search.index import Index
from wideberth.guarantees.newness import kept_objects
from wideberth.insight.prototypes import first_largest
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting

#: Of how many times as many objects as are asked for the choice is: tried 1, 3, 5 and 8.
_DOUBTFUL = 8


@dataclass(frozen=True, eq=False)
class NextLabels:
    """Objects to label next.

    Attributes
    ----------
    indices : ndarray of int, shape (p,)
        Their positions in X, the one that teaches most first.
    objects : list of length p
        The objects themselves, as they were passed.
    leads : ndarray of shape (p,)
        By how much the label that the model gives each leads over the next one, in its scores.

    Examples
    --------
    >>> print(NextLabels(np.array([3]), ["rum"], np.array([0.25])))
    label these next, by the lead of the label that they get now:
    3 'rum' 0.25
    """

    indices: Indices
    objects: list[Any]
    leads: Floats

    def __len__(self) -> int:
        return len(self.indices)

    def __str__(self) -> str:
        rows = zip(self.indices.tolist(), self.objects, self.leads.tolist(), strict=True)
        told = [f"{index} {each!r} {lead:.3g}" for index, each, lead in rows]
        return "\n".join(["label these next, by the lead of the label that they get now:", *told])


def label_next(
    model: Any, X: Objects, n: int = 10, *, training: Objects = None, verbose: int = 0
) -> NextLabels:
    """Choose the objects without a label whose label would teach a model most.

    Of the ``8 n`` objects that the model is least sure of, those that bring a label near to as many
    others of them as possible: neither twins of each other, nor far from where answers are in doubt.

    Parameters
    ----------
    model : classifier
        A fitted classifier on a metric, or a fitted search for one, that is better than guessing;
        it was measured with `wideberth.HilbertSVC`.
    X : sample
        Objects without a label.
    n : int
        How many labels you can get next. Ask, fit again, and ask for more: ten at a time teach more
        than a hundred at once.
    training : sample, optional
        The objects that the model learned from; where they are not passed, those that it keeps.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Returns
    -------
    NextLabels
        Their positions in X, the one that teaches most first; all of X if there are no more.

    Raises
    ------
    InvalidInput
        If n is no number of labels, or the model learned from a matrix of distances, which has none
        between new objects.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> label_next(model, ["teas", "tear", "beer", "beers", "wine"], n=2).objects
    ['beer', 'wine']
    """
    if not is_whole(n, 1):
        raise InvalidInput(
            f"{setting('n', n)} is no number of labels.", advice="Pass 1 or more.", value=n
        )
    inner = metric_classifier(model)
    if get_tags(inner).input_tags.pairwise:
        raise InvalidInput(
            "A matrix of distances to training objects has none between new objects.",
            advice="Fit on the objects with their metric, or on the index of a MetricSpace.",
            value="precomputed",
        )
    with task("label next", verbose=verbose):
        leads = inner.answers(X, certified=False).leads
        doubtful = np.argsort(leads, kind="stable")[: _DOUBTFUL * n]
        objects = sample.pick(inner.admit_queries(X), doubtful)
        labelled = kept_objects(inner) if training is None else inner.admit_queries(training)
        nearest = np.full(len(doubtful), np.inf)
        if labelled is not None and sample.count(labelled):
            limits: dict[str, Any] = {"max_memory": inner.max_memory, "n_jobs": inner.n_jobs}
            nearest = Index(labelled, inner.metric_, **limits).nearest(objects, 1).distances[:, 0]
        distances = inner.metric_.block(objects, objects)
        chosen = doubtful[greedy(np.asarray(distances, dtype=np.float64), nearest, n)]
    held = sample.one_by_one(sample.hold(X))
    return NextLabels(
        chosen, [sample.pick_one(held, index) for index in chosen.tolist()], leads[chosen]
    )


def greedy(distances: Floats, nearest: Floats, n: int) -> Indices:
    """The objects that lower the sum of ``nearest`` most, one after the other; of several the
    first, and where nothing lowers it any more the first of the rest.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 9.0])
    >>> greedy(abs(points[:, None] - points), np.full(4, np.inf), 2)
    array([1, 3])
    """
    chosen: list[int] = []
    unit = SUM_ERROR * float(distances.sum(axis=1).max(initial=0.0))
    nearest = np.minimum(
        nearest, distances.max(initial=0.0)
    )  # without labels, the first is the medoid
    for _ in range(min(n, len(distances))):
        saved = np.maximum(nearest - distances, 0.0).sum(axis=1)
        saved[chosen] = -np.inf
        chosen.append(first_largest(saved, unit))
        nearest = np.minimum(nearest, distances[chosen[-1]])
    return np.array(chosen, dtype=np.intp)

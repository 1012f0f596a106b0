r"""Which objects to label next: those that bring a label near to as many others as possible.

Let :math:`d(x, S)` be the distance from an object to the nearest labelled one. If the probability of
a label changes by at most :math:`L d` over a distance of d, the nearest neighbour errs, of two classes,
at most twice as often as any rule has to, plus L times the mean of these distances (Cover & Hart 1967;
Shalev-Shwartz & Ben-David 2014, lemma 19.1). So the mean distance

.. math:: \frac1n \sum_x d(x, S)

bounds what nearest neighbours lose by the labels that are missing, whatever the labels will be. Each
object is taken for how much it lowers that sum, the largest first, as the first medoids are
(`wideberth.insight.prototypes`): the decrease is submodular, so that the greedy choice of n objects
reaches at least :math:`1 - 1/e` of the best decrease (Nemhauser, Wolsey & Fisher 1978). A net, which
takes the object that is farthest from all labelled ones, bounds the largest distance instead of the
mean, and spends its labels on oddities; doubt, by the lead of a classifier, spends them on neighbours
of each other. Both were measured beside it (docs/benchmarks/label_next.md).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wideberth.array_types import Flags, Floats, Indices, Objects
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.search.index import Index
from wideberth.insight.kernels import saved_by_adding
from wideberth.insight.prototypes import as_passed, candidate_distances, first_largest
from wideberth.metrics.named import bind
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting


@dataclass(frozen=True, eq=False)
class NextLabels:
    """Objects to label next, and how near labels come to all objects with them.

    Attributes
    ----------
    indices : ndarray of int, shape (p,)
        Their positions in X, the one that teaches most first.
    objects : list of length p
        The objects themselves, as they were passed; of a matrix of distances their numbers.
    mean_distance : ndarray of shape (p + 1,)
        The mean distance from the objects of X to the nearest labelled one: before, and after each
        of these labels; infinite as long as there is none.

    Examples
    --------
    >>> asked = NextLabels(np.array([3]), ["rum"], np.array([2.0, 0.5]))
    >>> print(asked)
    label these next: 3 ('rum')
    The mean distance to the nearest labelled object falls from 2 to 0.5.
    """

    indices: Indices
    objects: list[Any]
    mean_distance: Floats

    def __len__(self) -> int:
        return len(self.indices)

    def __str__(self) -> str:
        named = [
            f"{index} ({each!r})"
            for index, each in zip(self.indices.tolist(), self.objects, strict=True)
        ]
        before, after = self.mean_distance[0], self.mean_distance[-1]
        told = (
            f"The mean distance to the nearest labelled object falls from {before:.4g} to {after:.4g}."
            if np.isfinite(before)
            else f"The mean distance to the nearest labelled object is {after:.4g} then."
        )
        return f"label these next: {', '.join(named) or 'none'}\n{told}"


def label_next(
    X: Objects,
    metric: Any = "euclidean",
    n: int = 10,
    *,
    labelled: ArrayLike | None = None,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
    random_state: int | None = 0,
    verbose: int = 0,
) -> NextLabels:
    """Choose the objects whose labels would teach most: each brings a label near to as many others
    as possible.

    No model is needed, and no label: the metric alone decides, by the mean distance from the objects
    to the nearest labelled one, which bounds what nearest neighbours lose by missing labels (the
    module explains how). What coincides with labelled objects is never chosen.

    Parameters
    ----------
    X : sample
        All objects, those that have labels too; a matrix of distances for "precomputed", or the
        index of a `wideberth.MetricSpace`.
    metric : str, Metric or callable
        The distance.
    n : int
        How many labels you can get; fewer are asked for where fewer objects would add something.
    labelled : array-like, optional
        Which objects of X have a label: their positions, or a flag for each object.
    max_memory : str or int
        The memory for distances, such as "2GB"; where all do not fit, the choice is from as many
        randomly drawn objects as do, for all.
    n_jobs : int, optional
        Cores that measure; None means all.
    random_state : int or None
        Draws candidates where the memory does not hold all distances.
    verbose : int
        0 shows progress in a terminal, 1 elsewhere too, as lines on standard error; -1 shows none.

    Returns
    -------
    NextLabels
        Their positions, the one that teaches most first, and what remains.

    Raises
    ------
    InvalidInput
        If n is no number of labels, or ``labelled`` fits no objects.

    Examples
    --------
    >>> drinks = ["tea", "teas", "tear", "rum", "rums", "rumba", "room"]
    >>> label_next(drinks, "levenshtein", n=2).objects
    ['rum', 'tea']
    >>> asked = label_next(drinks, "levenshtein", n=1, labelled=[0])
    >>> asked.objects, asked.mean_distance.round(2)
    (['rum'], array([2.43, 1.  ]))
    """
    objects, measure = bind(X, metric)
    prepared = measure.prepare(objects)
    count = sample.count(prepared)
    known = _known(labelled, count)
    if not is_whole(n, 1):
        raise InvalidInput(
            f"{setting('n', n)} is no number of labels.", advice="Pass 1 or more.", value=n
        )
    nearest = np.full(count, np.inf)
    with task("label next", verbose=verbose):
        if known.any():
            taught = Index(
                sample.pick(prepared, np.flatnonzero(known)),
                measure,
                max_memory=max_memory,
                n_jobs=n_jobs,
            )
            nearest = taught.nearest(prepared, 1).distances[:, 0]
        chosen, means = _greedy(
            *candidate_distances(
                prepared,
                measure,
                min(n, count),
                memory=parse_memory(max_memory),
                n_jobs=n_jobs,
                random=np.random.default_rng(random_state),
            ),
            nearest,
            known,
            n,
        )
    return NextLabels(chosen, as_passed(X, measure, chosen), means)


def _greedy(
    candidates: Indices, distances: Any, nearest: Floats, known: Flags, n: int
) -> tuple[Indices, Floats]:
    """The candidates that lower the sum of ``nearest`` most, one after the other, and the means."""
    chosen: list[int] = []
    means, saved, open_ = [float(nearest.mean())], np.empty(len(candidates)), ~known[candidates]
    unit = SUM_ERROR * float(np.asarray(distances).sum(axis=1, dtype=np.float64).max(initial=0.0))
    while len(chosen) < n and open_.any():
        if np.isinf(nearest).any():  # no label yet: the medoid
            saved = -distances.sum(axis=1, dtype=np.float64)
        else:
            saved_by_adding(distances, nearest, saved)
            if saved[open_].max() <= unit:  # what is left coincides with labelled objects
                break
        saved[~open_] = -np.inf
        place = first_largest(saved, unit)
        open_[place] = False
        chosen.append(int(candidates[place]))
        nearest = np.minimum(nearest, distances[place])
        means.append(float(nearest.mean()))
    return np.array(chosen, dtype=np.intp), np.array(means)


def _known(labelled: ArrayLike | None, count: int) -> Flags:
    """Which of the objects have a label."""
    known = np.zeros(count, dtype=bool)
    if labelled is None:
        return known
    given = np.asarray(labelled)
    if given.dtype == bool and given.shape == (count,):
        return given.copy()
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or not given.size)
    if not whole or (given.size and not 0 <= given.min() <= given.max() < count):
        raise InvalidInput(
            f"{setting('labelled', shown='...')} does not say which of {count:,} objects have a label: "
            f"an array of {given.dtype} and shape {given.shape}.",
            advice="Pass their positions in X, from 0 on, or True and False for each.",
            value=labelled,
        )
    known[given.astype(np.intp)] = True
    return known

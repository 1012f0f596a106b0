"""Functions of an SVM on a metric: kernel expansions, one for each pair of classes, their votes, and why a label won."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.estimators.explanation import Explanation, Push
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.objects import sample

#: More than rounding can do to a sum of terms whose sizes add up to 1.
_ROUNDING = 1e-12
#: Bytes of distances that are looked up together (more would not be faster), and bytes that stay in the cache of one core.
_LOOKED_UP, _IN_CACHE = 2**22, 2**18


@dataclass(frozen=True, eq=False)
class Expansions:
    r"""The functions :math:`f_q(x) = \sum_i \gamma_{qi} k(x, z_i) + b_q` that were solved for, :math:`\sum_i \gamma_{qi} = 0`.

    ``rows`` say which objects the :math:`z_i` are, ``coefficients`` have the shape (functions, rows), ``norms`` are those of the
    functions' normal vectors, so that :math:`|f_q(x) - f_q(y)| \le \mathrm{norms}_q\, e(x, y)` in the induced metric e.
    ``support`` and ``multipliers`` are the rows of the support vectors and what LIBSVM found for them, where it was used.
    """

    rows: Indices
    coefficients: csr_array
    intercepts: Floats
    norms: Floats
    support: Indices | None = None
    multipliers: Floats | None = None


@dataclass(frozen=True, eq=False)
class HilbertFunction:
    """Kernel expansions, ready to be request: ``references`` are prepared, blocks of distances take ``max_memory`` bytes.

    The values at an object do not depend on what else is request.

    >>> from wideberth.metrics.named import metric
    >>> ends = np.array([[0.0], [4.0]])
    >>> line = HilbertFunction(ends, metric("euclidean"), HilbertKernel("distance"), csr_array([[-0.25, 0.25]]),
    ...                        np.array([0.0]), 10**6, 1)
    >>> line.values(np.array([[2.0], [3.0]])).ravel()  # 0 in the middle
    array([0., 1.])
    """

    references: Any
    metric: Metric
    kernel: HilbertKernel
    coefficients: csr_array
    intercepts: Floats
    max_memory: int
    n_jobs: int | None

    def values(self, objects: Any) -> Floats:
        """The values at prepared objects, of shape (objects, functions)."""
        return self.values_and_slack(objects)[0]

    def values_and_slack(self, objects: Any, *, slack: bool = False) -> tuple[Floats, Floats]:
        """The values, and by how much rounding may have changed them, if request for; both of shape (objects, functions)."""
        out = np.tile(self.intercepts, (sample.count(objects), 1))
        sizes = np.tile(np.abs(self.intercepts), (len(out) if slack else 0, 1))
        for part, kernel in self.blocks(objects):
            out[part] += (self.coefficients @ kernel.T).T
            if slack:
                sizes[part] += (abs(self.coefficients) @ np.abs(kernel).T).T
        return out, _ROUNDING * sizes

    def blocks(self, objects: Any) -> Iterator[tuple[slice, Floats]]:
        """Some of the objects at a time, with the kernel between them and the references."""
        n, m = sample.count(objects), self.coefficients.shape[1]
        budget = self.max_memory // 4
        if self.metric.accepts == "indices":
            budget = min(budget, _LOOKED_UP)
        rows, rows_in_cache = (max(1, n_bytes // (8 * max(m, 1))) for n_bytes in (budget, _IN_CACHE))
        for start in range(0, n if m else 0, rows):
            part = sample.pick(objects, slice(start, start + rows))
            distances = distances_between(part, self.references, self.metric, self.n_jobs)
            for first in range(0, len(distances), rows_in_cache):
                band = distances[first : first + rows_in_cache]
                yield slice(start + first, start + first + len(band)), self.kernel.values(band)


def distances_between(left: Any, right: Any, metric: Metric, n_jobs: int | None) -> Floats:
    """The distances between prepared objects; a space or a matrix looks them up at once."""
    if metric.accepts != "indices":
        return pairwise_distances(left, right, metric, n_jobs=n_jobs)
    if isinstance(metric, SpaceMetric):  # a space is faster in its own order
        objects, back = np.unique(right, return_inverse=True)
        return metric.block(left, objects).take(back, axis=1)
    return metric.block(left, right)


class ClassPairs(NamedTuple):
    """The classes of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...: the function of a pair is positive for the second.

    >>> ClassPairs.of(3)
    ClassPairs(first=array([0, 0, 1]), second=array([1, 2, 2]))
    """

    first: Indices
    second: Indices

    @classmethod
    def of(cls, n_classes: int) -> "ClassPairs":
        """All pairs of so many classes."""
        return cls(*np.triu_indices(n_classes, 1))


def scores_of_votes(values: Floats, n_classes: int) -> Floats:
    """A score for each class, shape (n, k), from the values of the pairs, shape (n, k (k - 1) / 2): the votes and a fraction.

    Each pair votes for one of its classes; the class with most votes has the largest score, of several such the first, as in
    LIBSVM. The fraction, below 1/3 in size, says how clearly the pairs of a class decided. For two classes the scores are
    the value itself, half of it to each side.

    >>> scores_of_votes(np.array([[-1.0, -2.0, 5.0]]), 3).round(2)  # 0 beats 1 and 2, and 2 beats 1
    array([[ 2.25, -0.29,  1.25]])
    """
    if n_classes == 1:
        return np.ones((len(values), 1))
    if n_classes == 2:
        return np.concatenate([-values, values], axis=1) / 2.0
    pairs = ClassPairs.of(n_classes)
    votes, clarity = np.zeros((len(values), n_classes)), np.zeros((len(values), n_classes))
    for place, (first, second) in enumerate(zip(*pairs, strict=True)):
        for_second = values[:, place] >= 0
        votes[:, second] += for_second
        votes[:, first] += ~for_second
        clarity[:, second] += values[:, place]
        clarity[:, first] -= values[:, place]
    scores = votes + clarity / (3.0 * (np.abs(clarity) + 1.0))
    rows, winners, highest = np.arange(len(votes)), votes.argmax(axis=1), scores.argmax(axis=1)
    scores[rows, winners], scores[rows, highest] = (
        scores[rows, highest],
        scores[rows, winners],
    )  # if these are two classes, they have equally many votes
    return scores


def certified_radii(values: Floats, slopes: Floats, slack: Floats, n_classes: int) -> Floats:
    r"""How far each object may move before its label can change.

    .. math:: r(x) = \min_{ab} |f_{ab}(x)| / L_{ab}

    over the pairs of the winner if it wins them all, and over all pairs if not; ``slopes`` are the Lipschitz constants of the
    functions, and the values may be wrong by ``slack``. A function that is constant never changes its vote.

    >>> certified_radii(np.array([[-1.0, -2.0, 0.1]]), np.array([1.0, 1.0, 1.0]), np.zeros((1, 3)), 3)
    array([1.])
    """
    if n_classes == 1:
        return np.full(len(values), np.inf)
    pairs = ClassPairs.of(n_classes)
    sizes = np.maximum(np.abs(values) - slack, 0.0)
    radii = np.divide(sizes, slopes, out=np.full_like(sizes, np.inf), where=slopes > 0)
    for_second = values >= 0
    winners = scores_of_votes(values, n_classes).argmax(axis=1)[:, None]
    won = np.where(for_second, pairs.second == winners, pairs.first == winners)
    own = (pairs.first == winners) | (pairs.second == winners)
    wins_all = won.sum(axis=1) == n_classes - 1
    counted = own | ~wins_all[:, None]
    smallest: Floats = np.where(counted, radii, np.inf).min(axis=1)
    return smallest


def explanations(
    function: HilbertFunction, objects: Any, winners: Indices, labels: NDArray[Any], positions: Indices
) -> list[Explanation]:
    """Why each prepared object got its label: how the references push it there or to its closest rival, strongest first.

    The score is that of the label against the rival, and the baseline the intercept of their function. It is negative only where
    a rival won this pair and the label more of the others. A reference that is far, by the width of the kernel, pushes next to
    nothing. ``positions`` say where the references of the function stood.
    """
    names = labels.tolist()
    if len(names) == 1:
        return [Explanation(names[0], 1.0, 1.0, ()) for _ in winners]
    pairs = ClassPairs.of(len(names))
    values = function.values(objects)
    distances = distances_between(objects, function.references, function.metric, function.n_jobs)
    kernel = function.kernel.values(distances)
    found = []
    for row, winner in enumerate(winners):
        signs = np.where(pairs.second == winner, 1.0, -1.0)  # towards the winner
        pair = int(np.where((pairs.first == winner) | (pairs.second == winner), signs * values[row], math.inf).argmin())
        rival = pairs.first[pair] if signs[pair] > 0 else pairs.second[pair]
        used = slice(*function.coefficients.indptr[pair : pair + 2])
        columns = function.coefficients.indices[used]
        terms = signs[pair] * function.coefficients.data[used] * _nearness(kernel[row, columns], function.kernel.supremum)
        strongest = np.argsort(-np.abs(terms), kind="stable")
        pushes = tuple(
            Push(int(positions[columns[term]]), float(distances[row, columns[term]]), float(terms[term])) for term in strongest
        )
        score, baseline = float(signs[pair] * values[row, pair]), float(signs[pair] * function.intercepts[pair])
        found.append(Explanation(names[winner], score, baseline, pushes, rival=names[rival]))
    return found


def _nearness(kernel: Floats, supremum: float) -> Floats:
    """The kernel, counted from where it is for objects that are far, or from its mean: the coefficients add up to 0."""
    return kernel - (kernel.mean() if math.isinf(supremum) else -0.5 * supremum**2)

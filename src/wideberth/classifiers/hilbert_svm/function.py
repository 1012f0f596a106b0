"""The decision functions of an SVM on a metric: kernel expansions, their values at new objects, and
explanations of labels.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.estimators.model_facts import Explanation, Push
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import RADIUS_ERROR, DistanceErrors, shortened

# ---- Votes between pairs of classes: the score of each class, and the radius within which its
# label cannot change


class ClassPairs(NamedTuple):
    """The two classes of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...

    The function of a pair is positive for its second class.

    Attributes
    ----------
    first, second : ndarray of shape (k (k - 1) / 2,)
        The smaller and the larger code of each pair.

    Examples
    --------
    >>> ClassPairs.of(3)
    ClassPairs(first=array([0, 0, 1]), second=array([1, 2, 2]))
    """

    first: Indices
    second: Indices

    @classmethod
    def of(cls, n_classes: int) -> "ClassPairs":
        """List all pairs of ``n_classes`` classes."""
        return cls(*np.triu_indices(n_classes, 1))


def scores_of_votes(values: Floats, n_classes: int) -> Floats:
    """Turn the values of all pairs into a score for each class: its number of votes plus a
    fraction.

    Each pair votes for one of its classes. The class with most votes has the largest score; of
    several such classes the first, as in LIBSVM. The fraction, below 1/3 in size, shows how clearly
    the pairs of a class decided. For two classes the difference of the scores is the value itself;
    a single class has the score 1.

    Parameters
    ----------
    values : ndarray of shape (n, k (k - 1) / 2)
        The value of each pair, positive for its second class.
    n_classes : int
        k.

    Returns
    -------
    ndarray of shape (n, k)
        The scores.

    Examples
    --------
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


def lead_of_votes(low: Floats, high: Floats, winners: Indices, n_classes: int) -> Floats:
    r"""Bound the lead of the winner, if the value of each pair may be anything between two bounds.

    A vote is sure for the second class of a pair if the value is above 0, and for the first if it
    is below. Otherwise it may go to either. The winner c keeps its label whatever the open votes if
    its sure votes are more than the possible votes of every other class, or as many and c comes
    first. That is also necessary if the values are free: all open votes may go against c. To look
    at the pairs of the winner alone is wrong unless it wins them all: with the votes 0 over 1, 2
    over 0, 1 over 2 the label is 0, and if 2 beats 1 it is 2.

    Parameters
    ----------
    low, high : ndarray of shape (n, k (k - 1) / 2)
        The bounds of the value of each pair, which is positive for its second class. NaN bounds
        nothing.
    winners : ndarray of shape (n,)
        The winning classes.
    n_classes : int
        k.

    Returns
    -------
    ndarray of shape (n,)
        Positive if the label stays: for two classes the least value for the winner; for more the
        lead in votes, and a half more over classes that come after the winner.

    Examples
    --------
    >>> lead_of_votes(
    ...     np.array([[-2.0, -2.0, -1.0]]), np.array([[-1.0, -1.0, 5.0]]), np.array([0]), 3
    ... )  # 2 to 1, and first
    array([1.5])
    """
    if n_classes == 1:
        return np.full(len(low), np.inf)
    if n_classes == 2:
        return np.where(winners == 1, low[:, 0], -high[:, 0])
    pairs, classes = ClassPairs.of(n_classes), np.arange(n_classes)
    first, second = ((side[:, None] == classes).astype(np.float64) for side in pairs)
    for_second, for_first = (low > 0).astype(np.float64), (high < 0).astype(np.float64)
    sure = for_first @ first + for_second @ second
    possible = (1.0 - for_second) @ first + (1.0 - for_first) @ second
    leads = (
        sure[np.arange(len(low)), winners][:, None] - possible + 0.5 * (classes > winners[:, None])
    )
    leads[np.arange(len(low)), winners] = np.inf
    return np.asarray(leads.min(axis=1))


def certified_radii(values: Floats, slopes: Floats, errors: Floats, n_classes: int) -> Floats:
    r"""Compute how far each object may move before its label can change.

    .. math:: r(x) = \min_{ab} \frac{|f_{ab}(x)| - e_{ab}(x)}{L_{ab}}

    over the pairs of the winner if it wins them all. If it does not, any vote may matter, and the
    minimum is over all pairs. A constant function never changes its vote. Proof: let e bound the
    error of the computed value at x plus that at any x' which is closer than :math:`|f_{ab}(x)| /
    L_{ab}`. The exact values at x and x' differ by at most :math:`L_{ab}` times the move, so that
    the computed value at x' has the sign of that at x.

    Parameters
    ----------
    values : ndarray of shape (n, k (k - 1) / 2)
        The value of each pair.
    slopes : ndarray of shape (k (k - 1) / 2,)
        The Lipschitz constants of the functions.
    errors : ndarray of shape (n, k (k - 1) / 2)
        Bounds e of the errors of the values, here and where an object has moved to, added.
    n_classes : int
        k.

    Returns
    -------
    ndarray of shape (n,)
        The radii in the metric of the Lipschitz constants; infinite for a single class.

    Examples
    --------
    >>> certified_radii(
    ...     np.array([[-1.0, -2.0, 0.1]]), np.array([1.0, 1.0, 1.0]), np.zeros((1, 3)), 3
    ... ).round(6)
    array([1.])
    """
    if n_classes == 1:
        return np.full(len(values), np.inf)
    pairs = ClassPairs.of(n_classes)
    leads = np.abs(values) - errors
    radii = shortened(
        np.divide(leads, slopes, out=np.full_like(leads, np.inf), where=slopes > 0),
        0.0,
        4.0 * RADIUS_ERROR,
    )
    for_second = values >= 0
    winners = scores_of_votes(values, n_classes).argmax(axis=1)[:, None]
    won = np.where(for_second, pairs.second == winners, pairs.first == winners)
    own = (pairs.first == winners) | (pairs.second == winners)
    wins_all = won.sum(axis=1) == n_classes - 1
    counted = own | ~wins_all[:, None]
    smallest: Floats = np.where(counted, radii, np.inf).min(axis=1)
    return smallest


#: Bytes of distances that are looked up together (more would not be faster), and bytes that stay in
#: the cache of one core.
_LOOKED_UP, _IN_CACHE = 2**22, 2**18


@dataclass(frozen=True, eq=False)
class Expansions:
    r"""The functions :math:`f_q(x) = \sum_i \gamma_{qi} k(x, z_i) + b_q` of an SVM, :math:`\sum_i
    \gamma_{qi} = 0`.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Which of the training objects the :math:`z_i` are.
    coefficients : csr_array of shape (functions, m)
        The :math:`\gamma_{qi}`.
    intercepts : ndarray of shape (functions,)
        The :math:`b_q`.
    norms : ndarray of shape (functions,)
        The norms of the normal vectors: :math:`|f_q(x) - f_q(y)| \le \mathrm{norms}_q\, e(x, y)` in
        the induced metric e.
    support : ndarray of shape (s,) or None
        The rows of the support vectors, if LIBSVM was used.
    multipliers : ndarray of shape (k - 1, s) or None
        Their multipliers as LIBSVM packs them.
    """

    rows: Indices
    coefficients: csr_array
    intercepts: Floats
    norms: Floats
    support: Indices | None = None
    multipliers: Floats | None = None

    @classmethod
    def of_one_class(cls, *, has_support: bool) -> "Expansions":
        """Return the result for a single class, which needs no function; ``has_support`` if LIBSVM
        would have been used.

        Examples
        --------
        >>> len(Expansions.of_one_class(has_support=True).rows)
        0
        """
        no_values, no_rows = np.empty(0), np.empty(0, dtype=np.intp)
        support = (no_rows, np.empty((0, 0))) if has_support else ()
        return cls(no_rows, csr_array((0, 0)), no_values, no_values, *support)


@dataclass(frozen=True, eq=False)
class HilbertFunction:
    """Kernel expansions that can be evaluated at new objects.

    The values at an object do not depend on the other objects of a call, so that single queries and
    batches agree.

    Parameters
    ----------
    references : prepared sample
        The m objects :math:`z_i`.
    metric : Metric
        The metric of objects and references.
    kernel : HilbertKernel
        The kernel of the distances.
    coefficients : csr_array of shape (functions, m)
        The coefficients of the expansions.
    intercepts : ndarray of shape (functions,)
        Their constants.
    max_memory : int
        Bytes; a quarter of it limits a block of distances.
    n_jobs : int or None
        Cores to use for distances.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> ends = np.array([[0.0], [4.0]])
    >>> line = HilbertFunction(
    ...     ends,
    ...     metric("euclidean"),
    ...     HilbertKernel("distance"),
    ...     csr_array([[-0.25, 0.25]]),
    ...     np.array([0.0]),
    ...     10**6,
    ...     1,
    ... )
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
        """Evaluate all functions at prepared objects; the result has the shape (objects,
        functions).
        """
        out = np.tile(self.intercepts, (sample.count(objects), 1))
        for part, kernel in self.blocks(objects):
            out[part] = self.values_at(kernel)
        return out

    def values_at(self, kernel: Floats) -> Floats:
        """The values from those of the kernel between n objects and all references, shape (n,
        m).
        """
        values: Floats = self.intercepts + (self.coefficients @ kernel.T).T
        return values

    def value_errors(self, kernel: Floats, errors: DistanceErrors) -> Floats:
        r"""Bound how far the computed values may be from the exact ones.

        .. math:: |b_q|\, \varepsilon + \sum_i |\gamma_{qi}|\, \delta_i(x)

        where :math:`\delta_i(x)` is the error of :math:`k(x, z_i)` (`HilbertKernel.errors`).

        Parameters
        ----------
        kernel : ndarray of shape (n, m)
            The kernel between n objects and the references.
        errors : DistanceErrors
            Those of their distances to the references.

        Returns
        -------
        ndarray of shape (n, functions)
            The bounds.
        """
        of_kernel = self.kernel.errors(kernel, errors.relative, errors.absolute[:, None])
        bounds: Floats = (
            errors.relative * np.abs(self.intercepts) + (abs(self.coefficients) @ of_kernel.T).T
        )
        return bounds

    def move_errors(
        self, kernel: Floats, values: Floats, norms: Floats, errors: DistanceErrors
    ) -> Floats:
        r"""Bound the error of each value plus that after any move which the value allows.

        No radius exceeds :math:`r = |f_q(x)| / \|w_q\|`. After a move by less, the error is at most
        twice that at x plus
        :math:`\sum_i |\gamma_{qi}|` times what the kernel gains (`HilbertKernel.errors_gained`).

        Parameters
        ----------
        kernel : ndarray of shape (n, m)
            The kernel between n objects and the references.
        values : ndarray of shape (n, functions)
            The values there.
        norms : ndarray of shape (functions,)
            The norms of the functions.
        errors : DistanceErrors
            As for `value_errors`.

        Returns
        -------
        ndarray of shape (n, functions)
            The bounds, for `wideberth.classifiers.hilbert_svm.function.certified_radii`.
        """
        reach = np.divide(np.abs(values), norms, out=np.zeros_like(values), where=norms > 0)
        gained = self.kernel.errors_gained(reach, errors.relative, errors.absolute[:, None])
        bounds: Floats = 3.0 * self.value_errors(kernel, errors) + self.sizes * gained
        return bounds

    @cached_property
    def sizes(self) -> Floats:
        """The sum of the absolute coefficients of each function, shape (functions,)."""
        return abs(self.coefficients) @ np.ones(self.coefficients.shape[1])

    @cached_property
    def by_sign(self) -> csr_array:
        """The positive coefficients of all functions, and under them the negative ones: shape (2
        functions, m).
        """
        return csr_array(vstack([self.coefficients.maximum(0), self.coefficients.minimum(0)]))

    def blocks(self, objects: Any) -> Iterator[tuple[slice, Floats]]:
        """Iterate over parts of the objects with their kernel values.

        Parameters
        ----------
        objects : prepared sample
            n objects.

        Yields
        ------
        part : slice
            Consecutive objects; the parts cover all of them, none if there are no references.
        kernel : ndarray of shape (len(part), m)
            The kernel between these objects and the references.
        """
        for part, distances in self.distance_blocks(objects):
            yield part, self.kernel.values(distances)

    def distance_blocks(
        self, objects: Any, bytes_at_once: int = _IN_CACHE
    ) -> Iterator[tuple[slice, Floats]]:
        """Iterate over parts of the objects with their distances to all references, so many bytes
        of them at once.
        """
        n, m = sample.count(objects), self.coefficients.shape[1]
        budget = self.max_memory // 4
        if self.metric.accepts == "indices":
            budget = min(budget, _LOOKED_UP)
        rows, rows_at_once = (
            max(1, n_bytes // (8 * max(m, 1))) for n_bytes in (budget, min(budget, bytes_at_once))
        )
        for start in range(0, n if m else 0, rows):
            part = sample.pick(objects, slice(start, start + rows))
            distances = distances_between(part, self.references, self.metric, self.n_jobs)
            for first in range(0, len(distances), rows_at_once):
                band = distances[first : first + rows_at_once]
                yield slice(start + first, start + first + len(band)), band


def distances_between(left: Any, right: Any, metric: Metric, n_jobs: int | None) -> Floats:
    """Measure the distances between two prepared samples, or look them up in a space or a matrix.

    Parameters
    ----------
    left, right : prepared sample
        n and m objects.
    metric : Metric
        Their metric.
    n_jobs : int or None
        Cores to use; looking up uses one.

    Returns
    -------
    ndarray of shape (n, m)
        The distances.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> distances_between(np.array([[0.0]]), np.array([[3.0], [4.0]]), metric("euclidean"), 1)
    array([[3., 4.]])
    """
    if metric.accepts != "indices":
        return pairwise_distances(left, right, metric, n_jobs=n_jobs)
    if isinstance(metric, SpaceMetric):  # a space is faster in its own order
        objects, back = np.unique(right, return_inverse=True)
        return metric.block(left, objects).take(back, axis=1)
    return metric.block(left, right)


def explanations(
    function: HilbertFunction,
    objects: Any,
    winners: Indices,
    labels: NDArray[Any],
    positions: Indices,
) -> list[Explanation]:
    """Explain the label of each object by how strongly the references push it there, or to its
    closest rival.

    The score is that of the label against the rival, and the baseline is the intercept of their
    function. The score is negative only where the rival won this pair and the label more of the
    others. A reference that is far away, measured by the width of the kernel, pushes hardly at all.

    Parameters
    ----------
    function : HilbertFunction
        The fitted functions.
    objects : prepared sample
        The objects to explain.
    winners : ndarray of shape (n,)
        The code of the label of each object.
    labels : ndarray of shape (k,)
        The labels of all classes.
    positions : ndarray of shape (m,)
        The positions of the references in X.

    Returns
    -------
    list of Explanation
        One for each object, its pushes in order of decreasing size.
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
        pair = int(
            np.where(
                (pairs.first == winner) | (pairs.second == winner), signs * values[row], math.inf
            ).argmin()
        )
        rival = pairs.first[pair] if signs[pair] > 0 else pairs.second[pair]
        used = slice(*function.coefficients.indptr[pair : pair + 2])
        columns = function.coefficients.indices[used]
        terms = (
            signs[pair]
            * function.coefficients.data[used]
            * _nearness(kernel[row, columns], function.kernel.supremum)
        )
        strongest = np.argsort(-np.abs(terms), kind="stable")
        pushes = tuple(
            Push(
                float(terms[term]),
                int(positions[columns[term]]),
                float(distances[row, columns[term]]),
            )
            for term in strongest
        )
        score, baseline = (
            float(signs[pair] * values[row, pair]),
            float(signs[pair] * function.intercepts[pair]),
        )
        found.append(Explanation(names[winner], score, baseline, pushes, rival=names[rival]))
    return found


def _nearness(kernel: Floats, supremum: float) -> Floats:
    """The kernel counted from its limit for distant objects, or from its mean if there is no limit.

    The coefficients of a function add up to 0, so that the constant changes no sum.
    """
    return kernel - (kernel.mean() if math.isinf(supremum) else -0.5 * supremum**2)

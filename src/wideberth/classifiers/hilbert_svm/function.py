"""The decision functions of an SVM on a metric: kernel expansions, their values at new objects, and explanations of labels."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.classifiers.hilbert_svm.votes import ClassPairs
from wideberth.estimators.model_facts import Explanation, Push
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.space.space import SpaceMetric
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import DistanceErrors

#: Bytes of distances that are looked up together (more would not be faster), and bytes that stay in the cache of one core.
_LOOKED_UP, _IN_CACHE = 2**22, 2**18


@dataclass(frozen=True, eq=False)
class Expansions:
    r"""The functions :math:`f_q(x) = \sum_i \gamma_{qi} k(x, z_i) + b_q` of an SVM, :math:`\sum_i \gamma_{qi} = 0`.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Which of the training objects the :math:`z_i` are.
    coefficients : csr_array of shape (functions, m)
        The :math:`\gamma_{qi}`.
    intercepts : ndarray of shape (functions,)
        The :math:`b_q`.
    norms : ndarray of shape (functions,)
        The norms of the normal vectors: :math:`|f_q(x) - f_q(y)| \le \mathrm{norms}_q\, e(x, y)` in the induced metric e.
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
        """Return the result for a single class, which needs no function; ``has_support`` if LIBSVM would have been used.

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

    The values at an object do not depend on the other objects of a call, so that single queries and batches agree.

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
        """Evaluate all functions at prepared objects; the result has the shape (objects, functions)."""
        out = np.tile(self.intercepts, (sample.count(objects), 1))
        for part, kernel in self.blocks(objects):
            out[part] = self.values_at(kernel)
        return out

    def values_at(self, kernel: Floats) -> Floats:
        """The values from those of the kernel between n objects and all references, shape (n, m)."""
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
        bounds: Floats = errors.relative * np.abs(self.intercepts) + (abs(self.coefficients) @ of_kernel.T).T
        return bounds

    def move_errors(self, kernel: Floats, values: Floats, norms: Floats, errors: DistanceErrors) -> Floats:
        r"""Bound the error of each value plus that after any move which the value allows.

        No radius exceeds :math:`r = |f_q(x)| / \|w_q\|`. After a move by less, the error is at most twice that at x plus
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
            The bounds, for `wideberth.classifiers.hilbert_svm.votes.certified_radii`.
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
        """The positive coefficients of all functions, and under them the negative ones: shape (2 functions, m)."""
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

    def distance_blocks(self, objects: Any, bytes_at_once: int = _IN_CACHE) -> Iterator[tuple[slice, Floats]]:
        """Iterate over parts of the objects with their distances to all references, so many bytes of them at once."""
        n, m = sample.count(objects), self.coefficients.shape[1]
        budget = self.max_memory // 4
        if self.metric.accepts == "indices":
            budget = min(budget, _LOOKED_UP)
        rows, rows_at_once = (max(1, n_bytes // (8 * max(m, 1))) for n_bytes in (budget, min(budget, bytes_at_once)))
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
    function: HilbertFunction, objects: Any, winners: Indices, labels: NDArray[Any], positions: Indices
) -> list[Explanation]:
    """Explain the label of each object by how strongly the references push it there, or to its closest rival.

    The score is that of the label against the rival, and the baseline is the intercept of their function. The score is negative
    only where the rival won this pair and the label more of the others. A reference that is far away, measured by the width of
    the kernel, pushes hardly at all.

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
        pair = int(np.where((pairs.first == winner) | (pairs.second == winner), signs * values[row], math.inf).argmin())
        rival = pairs.first[pair] if signs[pair] > 0 else pairs.second[pair]
        used = slice(*function.coefficients.indptr[pair : pair + 2])
        columns = function.coefficients.indices[used]
        terms = signs[pair] * function.coefficients.data[used] * _nearness(kernel[row, columns], function.kernel.supremum)
        strongest = np.argsort(-np.abs(terms), kind="stable")
        pushes = tuple(
            Push(float(terms[term]), int(positions[columns[term]]), float(distances[row, columns[term]])) for term in strongest
        )
        score, baseline = float(signs[pair] * values[row, pair]), float(signs[pair] * function.intercepts[pair])
        found.append(Explanation(names[winner], score, baseline, pushes, rival=names[rival]))
    return found


def _nearness(kernel: Floats, supremum: float) -> Floats:
    """The kernel counted from its limit for distant objects, or from its mean if there is no limit.

    The coefficients of a function add up to 0, so that the constant changes no sum.
    """
    return kernel - (kernel.mean() if math.isinf(supremum) else -0.5 * supremum**2)

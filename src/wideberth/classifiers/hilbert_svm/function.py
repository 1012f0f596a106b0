"""The decision functions of an SVM on a metric: votes of pairs of classes, how low the leads of
labels can get near objects, and explanations.

The function of a pair is a sum of kernels, a `RadialExpansion`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from wideberth.array_types import Floats, Indices, Labels, Sample
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.estimators.model_facts import Explanation
from wideberth.estimators.radial_expansions import (
    ExpansionNearby,
    RadialExpansion,
    distances_between,
    strongest_first,
)
from wideberth.rounding import RADIUS_ERROR, DistanceErrors, shortened

# ---- Votes between pairs of classes: the score of each class, and the radius within which its
# label cannot change


class ClassPairs(NamedTuple):
    """The two classes of each pair, in the order (0, 1), (0, 2), ..., (1, 2), ...

    The function of a pair is positive for its second class.

    Examples
    --------
    >>> ClassPairs.of(3)
    ClassPairs(first=array([0, 0, 1]), second=array([1, 2, 2]))
    """

    #: The smaller and the larger code of each pair.
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
    # if these are two classes, they have equally many votes
    scores[rows, winners], scores[rows, highest] = scores[rows, highest], scores[rows, winners]
    return scores


def lead_of_votes(low: Floats, high: Floats, winners: Indices, n_classes: int) -> Floats:
    r"""Bound the lead of the winner, if the value of each pair may be anything between two bounds.

    A vote is sure for the second class of a pair if the value is above 0, and for the first if it
    is below. Otherwise it may go to either. The winner c keeps its label whatever the open votes if
    its sure votes are more than the possible votes of every other class, or as many and c comes
    first. That is also necessary if the values are free: all open votes may go against c. To look
    at the pairs of the winner alone is wrong unless it wins them all: with the votes 0 over 1, 2
    over 0, 1 over 2 the label is 0, and if 2 beats 1 it is 2.

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
    for_second, for_first = low > 0, high < 0
    # those of a class as the first one are neighbours; as the second one they are made so
    by_second = np.argsort(pairs.second, kind="stable")
    starts = np.searchsorted(pairs.first, classes[:-1])
    ends = np.searchsorted(pairs.second[by_second], classes[1:])
    lost = np.zeros((len(low), n_classes))
    lost[:, :-1] = np.add.reduceat(for_second, starts, axis=1, dtype=np.intp)
    lost[:, 1:] += np.add.reduceat(for_first[:, by_second], ends, axis=1, dtype=np.intp)
    own = (pairs.first == winners[:, None]) & for_first
    own |= (pairs.second == winners[:, None]) & for_second
    possible = (n_classes - 1) - lost
    leads = own.sum(axis=1)[:, None] - possible + 0.5 * (classes > winners[:, None])
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


@dataclass(frozen=True, eq=False)
class Expansions:
    r"""The functions :math:`f_q(x) = \sum_i \gamma_{qi} k(x, z_i) + b_q` of an SVM, :math:`\sum_i
    \gamma_{qi} = 0`.
    """

    #: Which of the training objects the :math:`z_i` are, shape (m,).
    rows: Indices
    #: The :math:`\gamma_{qi}`, shape (functions, m).
    coefficients: csr_array
    #: The :math:`b_q`, shape (functions,).
    intercepts: Floats
    #: The norms of the normal vectors: :math:`|f_q(x) - f_q(y)| \le \mathrm{norms}_q\, e(x, y)` in
    #: the induced metric e, shape (functions,).
    norms: Floats
    #: The rows of the support vectors, if LIBSVM was used, shape (s,).
    support: Indices | None = None
    #: Their multipliers as LIBSVM packs them, shape (k - 1, s).
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
class PairFunctions:
    """The functions of all pairs of classes, and what may be proved about them.

    ``norms`` are those of the functions in the Hilbert space of the kernel, None if there is none
    or it is not promised; ``local`` says that the triangle inequality is promised, so that
    distances bound the functions.
    """

    function: RadialExpansion
    kernel: HilbertKernel
    n_classes: int
    norms: Floats | None
    local: bool

    def leads(self, objects: Sample, errors: DistanceErrors) -> "Iterator[tuple[slice, VoteLeads]]":
        """Blocks of objects, with the bounds of their leads; ``errors`` are those of their
        distances to the references.
        """
        for part, nearby in self.function.nearby(objects, errors):
            yield part, VoteLeads(self.function, nearby, self)


@dataclass(frozen=True, eq=False)
class VoteLeads(ExpansionNearby):
    r"""The leads of objects by the votes of pairs; it satisfies
    `wideberth.estimators.radius_rules.LeadsNearby`.

    Where the kernel is promised to be valid, :math:`|f(x') - f(x)| \le \|w\| F(r)` holds beside
    the bounds by distances, and the closer bound counts.
    """

    pairs: PairFunctions

    @cached_property
    def scores(self) -> Floats:
        """The scores of the classes, shape (n, k)."""
        return scores_of_votes(self.values, self.pairs.n_classes)

    @cached_property
    def hilbert_radii(self) -> Floats:
        """The radii in the metric that the kernel induces, if it is promised; see
        `certified_radii`.
        """
        return certified_radii(
            self.values, np.asarray(self.pairs.norms), self._move_errors, self.pairs.n_classes
        )

    @cached_property
    def radii(self) -> Floats:
        """The same in the metric; 0 without a promise."""
        if self.pairs.norms is None:
            return np.zeros(len(self.scores))
        errors = self.nearby.errors
        return shortened(
            self.pairs.kernel.inverse(self.hilbert_radii),
            4.0 * errors.absolute,
            4.0 * errors.relative,
        )

    @property
    def guesses(self) -> Floats:
        """How far values of this size could go if the kernel were as steep everywhere as at its
        steepest, or as here.
        """
        width = self.pairs.kernel.width
        slopes = (
            self.function.sizes_at(self.nearby.distances)
            if width is None
            else self.function.slopes / width
        )
        reach = np.divide(
            np.abs(self.values), slopes, out=np.zeros_like(self.values), where=slopes > 0
        )
        return reach.mean(axis=1) if reach.shape[1] else np.zeros(len(reach))

    def lowest(self, radii: Floats, rows: Indices, unit: str | None = None) -> Floats:
        """See `wideberth.estimators.radius_rules.LeadsNearby.lowest`."""
        shape = len(rows), self.values.shape[1]
        low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
        # bounds that are infinite or undefined prove nothing
        with np.errstate(over="ignore", invalid="ignore"):
            if self.pairs.local:
                low, high = self.bounds(radii, rows, unit)
            if self.pairs.norms is not None and unit is None:
                values, change = self.values[rows], self._change_in_hilbert_space(radii, rows)
                low, high = np.fmax(low, values - change), np.fmin(high, values + change)
        return lead_of_votes(low, high, self.scores[rows].argmax(axis=1), self.pairs.n_classes)

    def _change_in_hilbert_space(self, radii: Floats, rows: Indices) -> Floats:
        """By how much the values can change within a radius, and rounding at both ends."""
        errors, norms = self.nearby.errors, np.asarray(self.pairs.norms)
        moved = np.minimum(
            (1.0 + 8.0 * errors.relative) * radii + 8.0 * errors.absolute[rows],
            np.finfo(np.float64).max,
        )
        induced = (1.0 + 8.0 * RADIUS_ERROR) * self.pairs.kernel.metric(moved)[:, None]
        change: Floats = np.multiply(
            norms, induced, out=np.zeros((len(rows), len(norms))), where=norms > 0
        )
        change += self._move_errors[rows]
        return change

    @cached_property
    def _move_errors(self) -> Floats:
        r"""Bound the error of each value plus that after any move which the value allows.

        A computed value errs by at most :math:`|b_q|\, \varepsilon + \sum_i |\gamma_{qi}|\,
        \delta_i(x)` with :math:`\delta_i(x)` the error of :math:`k(x, z_i)` (`HilbertKernel.errors`).
        No radius exceeds :math:`r = |f_q(x)| / \|w_q\|`. After a move by less, the error is at most
        twice that at x plus :math:`\sum_i |\gamma_{qi}|` times what the kernel gains
        (`HilbertKernel.errors_gained`).
        """
        errors, norms, kernel = self.nearby.errors, np.asarray(self.pairs.norms), self.pairs.kernel
        relative, absolute = errors.relative, errors.absolute[:, None]
        here = relative * np.abs(self.function.intercepts) + self.function.sizes_at(
            kernel.errors(self.terms, relative, absolute)
        )
        reach = np.divide(
            np.abs(self.values), norms, out=np.zeros_like(self.values), where=norms > 0
        )
        moved: Floats = self.function.slopes * kernel.errors_gained(reach, relative, absolute)
        return 3.0 * here + moved


def explanations(
    function: RadialExpansion,
    supremum: float,
    objects: Sample,
    winners: Indices,
    labels: Labels,
    positions: Indices,
) -> list[Explanation]:
    """Explain the label of each object by how strongly the references push it there, or to its
    closest rival; the strongest first.

    The score is that of the label against the rival, and the baseline is the intercept of their
    function. The score is negative only where the rival won this pair and the label more of the
    others. A reference that is far away, measured by the width of the kernel, pushes hardly at all.
    """
    names = labels.tolist()
    if len(names) == 1:
        return [Explanation(names[0], 1.0, 1.0, ()) for _ in winners]
    pairs, values = ClassPairs.of(len(names)), function.values(objects)
    distances = distances_between(objects, function.references, function.metric, function.n_jobs)
    kernel, found = function.terms(distances), []
    for row, winner in enumerate(winners):
        signs = np.where(pairs.second == winner, 1.0, -1.0)  # towards the winner
        own = (pairs.first == winner) | (pairs.second == winner)
        pair = int(np.where(own, signs * values[row], math.inf).argmin())
        rival = pairs.first[pair] if signs[pair] > 0 else pairs.second[pair]
        used = slice(*function.coefficients.indptr[pair : pair + 2])
        columns = function.coefficients.indices[used].astype(np.intp)
        terms = np.zeros(len(positions))
        terms[columns] = (
            signs[pair]
            * function.coefficients.data[used]
            * _nearness(kernel[row, columns], supremum)
        )
        score, baseline = (
            float(signs[pair] * number) for number in (values[row, pair], function.intercepts[pair])
        )
        pushes = strongest_first(terms, columns, positions, distances[row])
        found.append(Explanation(names[winner], score, baseline, pushes, rival=names[rival]))
    return found


def _nearness(kernel: Floats, supremum: float) -> Floats:
    """The kernel counted from its limit for distant objects, or from its mean if there is no limit.

    The coefficients of a function add up to 0, so that the constant changes no sum.
    """
    return kernel - (kernel.mean() if math.isinf(supremum) else -0.5 * supremum**2)

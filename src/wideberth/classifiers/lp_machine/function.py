r"""The decision functions of an LP machine, sums of radial functions of distances: values at new
objects, and explanations.

**How low the leads of an LP machine can get near objects: bounds of sums of radial functions, term
by term.**

After a move the distance to a reference is in an interval, on which a radial function, being
monotone, is between its values at the ends. So :math:`\sum_i \beta_i g(t_i)` is at least
:math:`\sum_i \beta_i^+ \min g + \beta_i^- \max g`: two products of matrices for all functions and
objects. The lead of one class over another is itself such a sum, with the differences of the
coefficients, which is bounded more closely than the two functions are.

No move costs more here than by the Lipschitz constants: on an interval that ends r away from d no
term changes by more than :math:`|\beta_i| \mathrm{Lip}(g)\, r`. Several radial functions on one
reference are bounded each by itself, since their sum is not monotone: :math:`2 e^{-t^2} - 1.6
e^{-t^2 / 4}` has its minimum inside of [0.5, 3.5].
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lp_machine.kernels import adding_rows
from wideberth.estimators.model_facts import Explanation, Push
from wideberth.estimators.radial_expansions import Radial
from wideberth.estimators.radius_rules import NearbyDistances
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import RADIUS_ERROR, DistanceErrors, radii_of_leads

#: What a radial function makes of the distances to all references.
_Column = Callable[[Radial, Floats], Floats]


@dataclass(frozen=True, eq=False)
class RadialFunction:
    r"""The functions :math:`f_q(x) = \sum_{r, i} \beta_{q, r, i}\, g_r(d(x, z_i)) /
    \mathrm{Lip}(g_r) + b_q`.

    The values at an object do not depend on the other objects of a call, so that single queries and
    batches agree.

    Parameters
    ----------
    references : prepared sample
        The m objects :math:`z_i`.
    metric : Metric
        The metric of objects and references.
    radials : tuple of Radial
        The :math:`g_r`, each with its width.
    coefficients : ndarray of shape (functions, radials, m)
        The :math:`\beta_{q, r, i}`.
    intercepts : ndarray of shape (functions,)
        The :math:`b_q`.
    max_memory : int
        Bytes for a block of distances and all that is computed from it.
    n_jobs : int or None
        Cores to use for distances.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> zero = np.array([[0.0]])
    >>> line = RadialFunction(
    ...     zero,
    ...     metric("euclidean"),
    ...     (Radial("distance"),),
    ...     np.array([[[2.0]]]),
    ...     np.array([-1.0]),
    ...     10**6,
    ...     1,
    ... )
    >>> line.values(np.array([[3.0], [0.5]]))
    array([[5.],
           [0.]])
    """

    references: Any
    metric: Metric
    radials: tuple[Radial, ...]
    coefficients: Floats
    intercepts: Floats
    max_memory: int
    n_jobs: int | None

    @property
    def slopes(self) -> Floats:
        """The sum of the absolute coefficients of each function, shape (functions,): a bound of its
        Lipschitz constant.
        """
        steepest: Floats = np.abs(self.coefficients).sum(axis=(1, 2))
        return steepest

    def values(self, objects: Any) -> Floats:
        """Evaluate all functions at prepared objects; the result has the shape (objects,
        functions).
        """
        return self._sums(
            objects,
            lambda radial, distances: radial.scaled(distances),
            self.coefficients,
            self.intercepts,
        )

    def values_at(self, distances: Floats) -> Floats:
        """The values from the distances of objects to all references, as `values` computes them."""
        return self._sums_at(
            distances,
            lambda radial, distances: radial.scaled(distances),
            self.coefficients,
            self.intercepts,
        )

    def sizes(self, objects: Any) -> Floats:
        """Bound what the error of distances can do to the values at prepared objects; see
        `sizes_at`.
        """
        return self._sums(
            objects, _value_and_sensitivity, np.abs(self.coefficients), np.abs(self.intercepts)
        )

    def sizes_at(self, distances: Floats) -> Floats:
        r"""Bound what the error of distances can do to the values, in units of the relative error.

        .. math:: S_q(x) = \sum_{r, i} |\beta_{q, r, i}| \frac{|g_r(d)| + d\,
            |g_r'(d)|}{\mathrm{Lip}(g_r)} + |b_q|,
            \qquad d = d(x, z_i).

        An absolute error u of the distances adds at most u times the slope of the function, for
        which `radii_of_leads` allows.

        Parameters
        ----------
        distances : ndarray of shape (n, m)
            The distances of n objects to all references.

        Returns
        -------
        ndarray of shape (n, functions)
            The sizes, for `wideberth.rounding.radii_of_leads`.
        """
        return self._sums_at(
            distances, _value_and_sensitivity, np.abs(self.coefficients), np.abs(self.intercepts)
        )

    def _sums(
        self, objects: Any, column: _Column, coefficients: Floats, constants: Floats
    ) -> Floats:
        """The sums of columns of the distances times coefficients, plus constants; shape (objects,
        functions).
        """
        out = np.empty((sample.count(objects), len(constants)))
        for part, distances in self.distance_blocks(objects):
            out[part] = self._sums_at(distances, column, coefficients, constants)
        return out

    def _sums_at(
        self, distances: Floats, column: _Column, coefficients: Floats, constants: Floats
    ) -> Floats:
        """The same from the distances of a block."""
        sums, numbers = (
            np.tile(constants[:, None], len(distances)),
            np.arange(coefficients.shape[2]),
        )
        add_rows = adding_rows(coefficients.size * len(distances))
        for place, radial in enumerate(self.radials if len(numbers) else ()):
            columns = np.ascontiguousarray(column(radial, distances).T)
            add_rows(columns, numbers, np.ascontiguousarray(coefficients[:, place].T), 0, sums)
        return np.ascontiguousarray(sums.T)

    def terms(self, objects: Any, functions: Indices, centres: Floats) -> tuple[Floats, Floats]:
        """Compute what each reference adds to the value of one function at each object.

        Parameters
        ----------
        objects : prepared sample
            n objects.
        functions : ndarray of shape (n,)
            Which function counts for each object.
        centres : ndarray of shape (radials, m)
            The values of the columns from which terms are counted: a term is 0 where its column has
            this value.

        Returns
        -------
        distances : ndarray of shape (n, m)
            The distances to all references.
        terms : ndarray of shape (n, m)
            What each reference adds, over all radial functions.
        """
        shape = sample.count(objects), self.coefficients.shape[2]
        measured, terms = np.empty(shape), np.zeros(shape)
        for part, distances in self.distance_blocks(objects):
            measured[part] = distances
            for place, radial in enumerate(self.radials):
                terms[part] += self.coefficients[functions[part], place] * (
                    radial.scaled(distances) - centres[place]
                )
        return measured, terms

    def distance_blocks(self, objects: Any, bytes_each: int = 32) -> Iterator[tuple[slice, Floats]]:
        """Parts of the objects with their distances to all references; ``bytes_each`` are needed
        for each distance.
        """
        n, m = sample.count(objects), self.coefficients.shape[2]
        rows = max(1, self.max_memory // (bytes_each * max(m, 1)))
        for start in range(0, max(n, 1), rows):
            part = slice(start, min(start + rows, n))
            if m == 0:
                yield part, np.empty((part.stop - start, 0))
            else:
                yield (
                    part,
                    pairwise_distances(
                        sample.pick(objects, part), self.references, self.metric, n_jobs=self.n_jobs
                    ),
                )


def _value_and_sensitivity(radial: Radial, distances: Floats) -> Floats:
    """What a column may err by, in units of the relative error of the distances."""
    return np.abs(radial.scaled(distances)) + radial.sensitivity(distances)


def class_scores(values: Floats, n_classes: int) -> Floats:
    """The scores of the classes, shape (n, k), from values of the functions, shape (n, functions).

    Examples
    --------
    >>> class_scores(np.array([[3.0]]), 2)  # their difference is the function
    array([[-1.5,  1.5]])
    """
    if n_classes == 2:
        return np.concatenate([-values, values], axis=1) / 2.0
    return values if n_classes > 1 else np.ones((len(values), 1))


def explanations(
    function: RadialFunction,
    objects: Any,
    winners: Indices,
    labels: NDArray[Any],
    centres: Floats,
    positions: Indices,
) -> list[Explanation]:
    """Explain the label of each object by how strongly the references push its score.

    The baseline is the mean score of the label over the training objects, and a push is what a
    reference adds beyond its mean there. With one function for two classes, the score of the first
    class is its negative.

    Parameters
    ----------
    function : RadialFunction
        The fitted functions.
    objects : prepared sample
        The objects to explain.
    winners : ndarray of shape (n,)
        The code of the label of each object.
    labels : ndarray of shape (k,)
        The labels of all classes.
    centres : ndarray of shape (radials, m)
        The mean of each column over the training objects.
    positions : ndarray of shape (m,)
        The positions of the references in X.

    Returns
    -------
    list of Explanation
        One for each object, its pushes in order of decreasing size.
    """
    if len(labels) == 1:
        return [Explanation(labels.item(), 1.0, 1.0, ()) for _ in winners]
    binary = len(labels) == 2
    functions = np.zeros_like(winners) if binary else winners
    signs = np.where(winners == 1, 1.0, -1.0) if binary else np.ones(len(winners))
    baselines = (
        signs
        * (function.intercepts + (function.coefficients * centres).sum(axis=(1, 2)))[functions]
    )
    distances, terms = function.terms(objects, functions, centres)
    terms *= signs[:, None]
    found = []
    for row, winner in enumerate(winners):
        used = np.flatnonzero(function.coefficients[functions[row]].any(axis=0))
        strongest = used[np.argsort(-np.abs(terms[row, used]), kind="stable")]
        pushes = tuple(
            Push(float(terms[row, i]), int(positions[i]), float(distances[row, i]))
            for i in strongest
        )
        score = float(baselines[row] + terms[row].sum())
        found.append(
            Explanation(
                labels[winner : winner + 1].tolist()[0], score, float(baselines[row]), pushes
            )
        )
    return found


#: Bytes for each distance of a block: its interval, and two values of each radial function, one at
#: a time.
_BYTES_EACH = 96
#: Distances that are bounded together: few enough to stay in the cache of one core.
_AT_ONCE = 2**18


@dataclass(frozen=True, eq=False)
class ClassFunctions:
    """The score of each class as a sum of radial functions.

    Attributes
    ----------
    function : RadialFunction
        The functions that were learned, their radial functions and references.
    n_classes : int
        k.

    Examples
    --------
    >>> from wideberth.estimators.radial_expansions import Radial
    >>> from wideberth.metrics.named import metric
    >>> learned = np.array([[[2.0]]]), np.array([-1.0])
    >>> line = RadialFunction(
    ...     np.array([[0.0]]), metric("euclidean"), (Radial("distance"),), *learned, 10**6, 1
    ... )
    >>> ClassFunctions(line, 2).coefficients.ravel()  # their difference is the function
    array([-1.,  1.])
    """

    function: RadialFunction
    n_classes: int

    @cached_property
    def coefficients(self) -> Floats:
        """Those of the scores, shape (k, radials, m)."""
        learned = self.function.coefficients
        if self.n_classes == 1:
            return np.zeros((1, *learned.shape[1:]))
        return np.stack(
            [
                class_scores(learned[:, place].T, self.n_classes).T
                for place in range(learned.shape[1])
            ],
            axis=1,
        )

    @cached_property
    def intercepts(self) -> Floats:
        """Those of the scores, shape (k,)."""
        return class_scores(self.function.intercepts[None, :], self.n_classes).ravel()

    @cached_property
    def slopes(self) -> Floats:
        """A bound of the Lipschitz constant of each score, shape (k,)."""
        steepest: Floats = np.abs(self.coefficients).sum(axis=(1, 2))
        return steepest


@dataclass(frozen=True, eq=False)
class RadialLeads:
    """The leads of objects by sums of radial functions; it satisfies
    `wideberth.estimators.radius_rules.LeadsNearby`.

    Attributes
    ----------
    functions : ClassFunctions
        The scores of the classes.
    nearby : NearbyDistances
        The distances of n objects to the references.
    """

    functions: ClassFunctions
    nearby: NearbyDistances

    @cached_property
    def scores(self) -> Floats:
        """The scores of these objects, shape (n, k)."""
        return class_scores(
            self.functions.function.values_at(self.nearby.distances), self.functions.n_classes
        )

    @cached_property
    def radii(self) -> Floats:
        """Their radii by the Lipschitz constants, shape (n,)."""
        sizes = class_scores(
            self.functions.function.sizes_at(self.nearby.distances), self.functions.n_classes
        )
        slopes = self.functions.slopes
        errors = self.nearby.errors if slopes.any() else DistanceErrors.of(len(sizes), 0.0)
        return radii_of_leads(self.scores, np.abs(sizes), slopes, errors)

    @property
    def guesses(self) -> Floats:
        """The radii themselves."""
        return self.radii

    def lowest(self, radii: Floats, rows: Indices, unit: str | None = None) -> Floats:
        """See `wideberth.estimators.radius_rules.LeadsNearby.lowest`."""
        winners = self.scores[rows].argmax(axis=1)
        found = np.full(len(rows), np.inf)
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # bounds that are infinite or undefined prove nothing
            least, most = self._column_bounds(radii, rows, unit)
            sizes = _products(most, np.abs(self.functions.coefficients))
            sizes += np.where(
                self.functions.slopes > 0, np.abs(self.functions.intercepts), 0.0
            )  # constants are exact
            for winner in np.unique(winners):
                own = np.flatnonzero(winners == winner)
                rivals = np.flatnonzero(np.arange(self.functions.n_classes) != winner)
                leads = self._lowest_of(
                    winner,
                    rivals,
                    [column[own] for column in least],
                    [column[own] for column in most],
                )
                leads -= 2.0 * RADIUS_ERROR * (sizes[own, winner][:, None] + sizes[own][:, rivals])
                found[own] = leads.min(axis=1, initial=np.inf)
        return found

    def _column_bounds(
        self, radii: Floats, rows: Indices, unit: str | None
    ) -> tuple[list[Floats], list[Floats]]:
        """The least and the greatest value of each radial function at each reference, each list of
        shape (radials, r, m).
        """
        low, high = self.nearby.after(radii, rows, unit)
        radials = self.functions.function.radials
        ends = [(radial.scaled(low), radial.scaled(high)) for radial in radials]
        falls = [radial.is_decreasing for radial in radials]
        least = [end[1] if fall else end[0] for end, fall in zip(ends, falls, strict=True)]
        most = [end[0] if fall else end[1] for end, fall in zip(ends, falls, strict=True)]
        return least, most

    def _lowest_of(
        self, winner: int, rivals: Indices, least: list[Floats], most: list[Floats]
    ) -> Floats:
        """How low the lead of one class over each rival gets, shape (r, rivals), by exact
        arithmetic.
        """
        functions = self.functions
        differences = functions.coefficients[winner] - functions.coefficients[rivals]
        leads = functions.intercepts[winner] - functions.intercepts[rivals]
        lowest: Floats = (
            _products(least, np.maximum(differences, 0.0))
            + _products(most, np.minimum(differences, 0.0))
            + leads
        )
        return lowest


def radial_leads(
    functions: ClassFunctions, objects: Any, errors: DistanceErrors
) -> Iterator[tuple[slice, RadialLeads]]:
    """Blocks of objects, with the bounds of their leads; each distance is measured once.

    Parameters
    ----------
    functions : ClassFunctions
        The scores of the classes.
    objects : prepared sample
        n objects.
    errors : DistanceErrors
        Those of their distances to the references.

    Yields
    ------
    part : slice
        Consecutive objects, at least one block; the blocks cover all of them.
    leads : RadialLeads
        What bounds their leads.
    """
    function = functions.function
    rows = max(1, _AT_ONCE // max(1, function.coefficients.shape[2]))
    for block, distances in function.distance_blocks(objects, bytes_each=_BYTES_EACH):
        for first in range(0, max(len(distances), 1), rows):
            band = distances[first : first + rows]
            part = slice(block.start + first, block.start + first + len(band))
            own = DistanceErrors(errors.relative, errors.absolute[part])
            nearby = NearbyDistances(
                function.metric, sample.pick(objects, part), function.references, band, own
            )
            yield part, RadialLeads(functions, nearby)


def _products(columns: list[Floats], coefficients: Floats) -> Floats:
    """The sums of columns times coefficients over radial functions and references, shape (r,
    functions).
    """
    total = np.zeros((len(columns[0]), len(coefficients)))
    for place, column in enumerate(columns):
        total += column @ coefficients[:, place].T
    return total

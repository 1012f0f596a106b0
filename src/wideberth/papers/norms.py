"""Norms of functions on a finite metric space, and of molecules, by optimal transport.

An embedding of the space in a vector space makes the function a linear functional on that space,
whose norm measures the size of the function. Two embeddings give two norms: that in the molecules
(`lipschitz_norm`) and that of Kuratowski (`dual_kuratowski_norm`), compared in von Luxburg &
Bousquet 2004, Example 6. Norms of functions take the values at n objects and the n x n matrix
of their distances. The norm of a molecule (Arens & Eells), an amount at each of finitely many
places, is the cost of a transport.
"""

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.errors import InvalidInput, UnsolvedProgram
from wideberth.extras import import_extra
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.measure.sampled_axioms import broken_axioms
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.optimize.simplex import PRIMAL, empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.rounding import DISTANCE_ERROR, SOLVER_ERROR, binary_unit
from wideberth.wording import python

# ---- Functions


def lipschitz_constant(values: Any, distances: Distances) -> float:
    r"""The Lipschitz constant :math:`L(f) = \max_{x, y} |f(x) - f(y)| / d(x, y)` of a function on a
    sample.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        The values of f, finite.
    distances : ndarray of shape (n, n)
        The distances, finite.

    Returns
    -------
    float
        Infinite if two objects at distance 0 have different values.

    Examples
    --------
    >>> lipschitz_constant([0.0, 1.0], np.array([[0.0, 4.0], [4.0, 0.0]]))
    0.25
    """
    function = _checked(values, distances)
    steps = np.abs(function[:, None] - function[None, :])
    slopes = np.where(steps > 0, inf, 0.0)
    np.divide(steps, distances, out=slopes, where=distances > 0)
    return float(slopes.max(initial=0.0))


def lipschitz_norm(values: Any, distances: Distances) -> float:
    r"""The norm :math:`\|f\|_L = \max \{ L(f), \|f\|_\infty / \mathrm{diam} \}`.

    It is the norm of f as a functional on the molecules of the space with one more point, at the
    distance diam from all others, where f is 0 (von Luxburg & Bousquet 2004, Lemmas 2 and 4;
    `wideberth.papers.molecule_norm`).

    Parameters
    ----------
    values : array-like of float, shape (n,)
        The values of f, finite.
    distances : ndarray of shape (n, n)
        The distances, finite; their maximum is diam.

    Returns
    -------
    float
        Infinite if two objects at distance 0 have different values, or diam is 0 and f is not.

    Examples
    --------
    >>> lipschitz_norm([-1.0, -1.0], np.array([[0.0, 4.0], [4.0, 0.0]]))
    0.25
    """
    function = _checked(values, distances)
    height, diameter = float(np.abs(function).max(initial=0.0)), float(distances.max(initial=0.0))
    flat = height / diameter if diameter else (inf if height else 0.0)
    return max(lipschitz_constant(function, distances), flat)


def dual_kuratowski_norm(values: Any, distances: Distances) -> float:
    """The norm of f as a functional on the span of the distance functions
    (`kuratowski_functional`).

    It is never smaller than `lipschitz_norm`, and the two norms may order two functions differently
    (von Luxburg & Bousquet 2004, Example 6).

    Parameters
    ----------
    values : array-like of float, shape (n,)
        The values of f, finite.
    distances : ndarray of shape (n, n)
        The distances, finite.

    Returns
    -------
    float
        Infinite if no functional has the values of f.

    Examples
    --------
    >>> square = np.array([[0, 5, 3, 6], [5, 0, 4, 1], [3, 4, 0, 5], [6, 1, 5, 0]], dtype=float)
    >>> [
    ...     round(norm([-1, -1, -1, -1], square), 4)
    ...     for norm in (lipschitz_norm, dual_kuratowski_norm)
    ... ]
    [0.1667, 0.3662]
    >>> [round(norm([1, 0, 1, 0], square), 4) for norm in (lipschitz_norm, dual_kuratowski_norm)]
    [0.25, 0.2817]
    """
    return kuratowski_functional(values, distances).value


def kuratowski_functional(values: Any, distances: Distances) -> Solution:
    r"""The functional of the smallest norm with :math:`\langle g, d(x_i, \cdot) \rangle = f(x_i)`,
    by a linear program.

    On :math:`V = \mathrm{span} \{ d(x_i, \cdot) \}` with the supremum norm (von Luxburg & Bousquet
    2004, Example 6)

    .. math:: \|g\|_{V'} = \max \Bigl\{ \sum_i a_i f(x_i) : -1 \le \sum_i a_i d(x_i, x_j) \le 1
        \text{ for all } j \Bigr\}
        = \min \Bigl\{ \sum_j |\beta_j| : \sum_j \beta_j d(x_i, x_j) = f(x_i) \text{ for all } i
        \Bigr\} .

    The minimum is over all ways to write f as a combination of distance functions; it is what the
    LP machine minimises. The program has n variables and n rows, all dense.

    Parameters
    ----------
    values : array-like of float, shape (n,)
        The values of f, finite.
    distances : ndarray of shape (n, n)
        The distances, finite.

    Returns
    -------
    Solution
        ``point`` holds the :math:`\beta_j`, ``value`` the norm. If no combination of distance
        functions is f, the point is None and the value infinite.

    Examples
    --------
    >>> kuratowski_functional(
    ...     [0.0, 3.0, 4.0], np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    ... ).point
    array([1., 0., 0.])
    """
    function = _checked(values, distances)
    if _outside_the_span(function, distances):
        return Solution(None, inf, inf, "no functional has these values")
    # in units in which values and distances are about 1, as its tolerances are
    highs = empty_program()
    n, height, unit = len(function), binary_unit(np.abs(function)), binary_unit(distances)
    highs.addVars(n, np.full(n, -inf), np.full(n, inf))
    highs.changeColsCost(n, np.arange(n, dtype=np.int32), -function / height)
    starts = np.arange(0, n * n, max(1, n), dtype=np.int32)
    columns = np.tile(np.arange(n, dtype=np.int32), n)
    highs.addRows(
        n,
        np.full(n, -1.0),
        np.ones(n),
        n * n,
        starts,
        columns,
        np.ascontiguousarray(distances.T / unit).ravel(),
    )
    solved(highs, inf, method=PRIMAL)  # 0 is feasible
    found = highs.getSolution()
    weights = -np.array(found.row_dual) * (height / unit)
    lower = float(-highs.getObjectiveValue() * (height / unit))
    return Solution(weights, float(np.abs(weights).sum()), lower, "optimal")


def _outside_the_span(function: Floats, distances: Distances) -> bool:
    """Whether no combination of the distance functions has these values."""
    nearest: Floats = distances @ np.linalg.lstsq(distances, function)[0]
    return bool(
        np.abs(nearest - function).max(initial=0.0)
        > SOLVER_ERROR * np.abs(function).max(initial=0.0)
    )


def _checked(values: Any, distances: Distances) -> Floats:
    """The values as an array, after a check of the shapes and that everything is finite."""
    function = np.asarray(values, dtype=np.float64)
    if (
        distances.ndim != 2
        or function.ndim != 1
        or distances.shape != (len(function), len(function))
    ):
        raise InvalidInput(
            "n objects need n values and an n x n matrix of distances, not shapes "
            f"{function.shape} and {distances.shape}.",
            advice=f"Measure them with {python('wideberth.pairwise_distances')}(objects, None, "
            "metric).",
            value=(function.shape, distances.shape),
        )
    if not np.isfinite(function).all() or not np.isfinite(distances).all():
        raise InvalidInput(
            "Values and distances must be finite.",
            advice="Leave out the objects where they are not.",
            value=values,
        )
    return function


# ---- Molecules


#: Amounts that add up to more than this share of their absolute sum are not those of a molecule.
_UNBALANCED = DISTANCE_ERROR
#: Pivots after which the network simplex gives up; thousands of places need far fewer.
_MOST_PIVOTS = 10**9


class Transport(NamedTuple):
    r"""A transport plan, and the prices that prove that no plan is cheaper.

    Attributes
    ----------
    plan : ndarray of shape (m, n)
        The amount that goes from each source to each target.
    source_prices, target_prices : ndarray of shape (m,) and (n,)
        Dual variables u and v with :math:`u_i + v_j \le c_{ij}`.
    """

    plan: Floats
    source_prices: Floats
    target_prices: Floats


def transport(costs: Distances, supplies: Floats, demands: Floats) -> Solution:
    r"""The cheapest plan that brings all supplies to demands of the same sum:

    .. math:: \min_{\pi \ge 0} \sum_{ij} \pi_{ij} c_{ij}, \qquad \sum_j \pi_{ij} = a_i, \quad \sum_i
        \pi_{ij} = b_j .

    Solved by the network simplex method of the package POT (``pip install
    "wideberth[transport]"``). Its prices satisfy :math:`u_i + v_j \le c_{ij}`, so that
    :math:`\sum_i a_i u_i + \sum_j b_j v_j` is a lower bound of the cost of every plan.

    Parameters
    ----------
    costs : ndarray of shape (m, n)
        The cost of moving one unit from each source to each target.
    supplies, demands : ndarray of shape (m,) and (n,)
        Nonnegative amounts with the same positive sum.

    Returns
    -------
    Solution
        Its point is a `Transport`; value and lower bound agree up to rounding.

    Raises
    ------
    MissingExtra
        If POT is not installed.
    UnsolvedProgram
        If the simplex method gave up.

    Examples
    --------
    >>> found = transport(
    ...     np.array([[1.0, 3.0], [3.0, 1.0]]), np.array([2.0, 1.0]), np.array([1.0, 2.0])
    ... )
    >>> found.value, found.point.plan.tolist()
    (5.0, [[1.0, 1.0], [0.0, 1.0]])
    """
    if not costs.size:
        return Solution(
            Transport(np.zeros(costs.shape), np.zeros(len(supplies)), np.zeros(len(demands))),
            0.0,
            0.0,
            "optimal",
        )
    # what POT takes for 0 is absolute
    total, unit = float(supplies.sum()), binary_unit(np.abs(costs))
    solve = import_extra("ot", "transport").emd
    plan, log = solve(
        supplies / total, demands / demands.sum(), costs / unit, numItermax=_MOST_PIVOTS, log=True
    )
    if log["warning"] is not None:
        raise UnsolvedProgram(
            f"The transport between {costs.shape[0]:,} and {costs.shape[1]:,} places was not "
            f"solved: {log['warning']}",
            advice="Amounts or distances that differ by many orders of magnitude do this.",
            status=log["result_code"],
        )
    target_prices = log["v"] * unit
    # rounding may have left prices a little too high
    source_prices = (costs - target_prices).min(axis=1)
    value = float((plan * costs).sum()) * total
    lower = float(supplies @ source_prices + demands @ target_prices)
    return Solution(
        Transport(plan * total, source_prices, target_prices), value, min(lower, value), "optimal"
    )


def molecule_norm(
    objects: Any, amounts: Any, metric: str | Metric | Callable[[Any, Any], float] = "euclidean"
) -> float:
    r"""The Arens-Eells norm of the molecule :math:`m = \sum_i a_i 1_{x_i}` with :math:`\sum_i a_i =
    0`:

    .. math:: \|m\|_{AE} = \inf \Bigl\{ \sum_k |b_k|\, d(y_k, z_k) : m = \sum_k b_k (1_{y_k} -
        1_{z_k}) \Bigr\},

    the cost of moving what is positive to where it is negative, and the largest :math:`\sum_i a_i
    f(x_i)` of all functions with Lipschitz constant 1 (von Luxburg & Bousquet 2004, section 2 and
    Lemma 4). A metric space is embedded isometrically in the molecules: :math:`\|1_x - 1_y\|_{AE} =
    d(x, y)`. It needs the package POT.

    Parameters
    ----------
    objects : sample
        The objects, or a matrix of distances.
    amounts : array-like of shape (n,)
        The amount of each object; they add up to 0.
    metric : str, Metric or callable
        How far apart the objects are. One that does not promise the triangle inequality is tried on
        all objects of the molecule.

    Returns
    -------
    float
        The norm, in the unit of the metric times that of the amounts.

    Raises
    ------
    BrokenAxiom
        If the distance is not a metric on the objects of the molecule.

    Examples
    --------
    >>> molecule_norm(["tea", "coffee"], [1.0, -1.0], "levenshtein")
    5.0
    >>> molecule_norm([[0.0], [1.0], [4.0]], [2.0, -1.0, -1.0])
    5.0
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    masses = _checked_amounts(amounts, sample.count(prepared))
    if not measure.obeys_triangle:
        _refuse_broken_axioms(prepared, np.flatnonzero(masses), measure)
    sources, targets = np.flatnonzero(masses > 0), np.flatnonzero(masses < 0)
    if not len(sources):
        return 0.0
    costs = pairwise_distances(
        sample.pick(prepared, sources), sample.pick(prepared, targets), measure
    )
    return transport(costs, masses[sources], -masses[targets]).value


def _checked_amounts(amounts: Any, n: int) -> Floats:
    """The amounts as an array, or an error if they are not finite, not one for each object, or do
    not add up to 0.
    """
    masses = np.asarray(amounts, dtype=np.float64)
    if masses.shape != (n,) or not np.isfinite(masses).all():
        raise InvalidInput(
            f"{n} objects need as many finite amounts; these have shape {masses.shape}.",
            advice="Pass one number for each object.",
            value=masses.shape,
        )
    excess = float(masses.sum())
    if abs(excess) > _UNBALANCED * float(np.abs(masses).sum()):
        raise InvalidInput(
            f"The amounts of a molecule add up to 0; these add up to {excess:g}.",
            advice="Add a base object with the amount that is missing.",
            value=excess,
        )
    return masses


def _refuse_broken_axioms(prepared: Any, used: Indices, metric: Metric) -> None:
    """Raise an error if the distance breaks an axiom on the objects ``used`` by the molecule."""
    for violation in broken_axioms(
        sample.pick(prepared, used), metric, most=None, random_state=None
    ):
        raise violation.at(used).error(metric.name)

"""Norms of a function on a finite metric space.

An embedding of the space in a vector space makes the function a linear functional on that space,
whose norm measures the size of the function. Two embeddings give two norms: that in the molecules
(`lipschitz_norm`) and that of Kuratowski (`dual_kuratowski_norm`), compared in von Luxburg &
Bousquet 2004, Example 6. All functions here take the values at n objects and the n x n matrix of
their distances.
"""

from math import inf
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances
from wideberth.optimize.simplex import PRIMAL, empty_program, solved
from wideberth.optimize.solution import Solution
from wideberth.rounding import SOLVER_ERROR, binary_unit
from wideberth.wording import python


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
    highs = (
        empty_program()
    )  # in units in which values and distances are about 1, as its tolerances are
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

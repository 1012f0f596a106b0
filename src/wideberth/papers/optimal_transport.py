"""Optimal transport between finitely many places, and the Arens-Eells norm of molecules that it
gives.
"""

from collections.abc import Callable
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
from wideberth.optimize.solution import Solution
from wideberth.rounding import DISTANCE_ERROR, binary_unit

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
    total, unit = (
        float(supplies.sum()),
        binary_unit(np.abs(costs)),
    )  # what POT takes for 0 is absolute
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
    source_prices = (costs - target_prices).min(
        axis=1
    )  # rounding may have left prices a little too high
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

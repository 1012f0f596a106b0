"""Repairs: functions that turn a matrix of distances into a metric, and how much each of them
changes it.

Every function of ``REPAIRS`` takes a symmetric matrix of nonnegative distances with zeros on its
diagonal and returns a new one. Not every function mends every matrix; `repair` tests the result and
refuses one that is no metric.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.csgraph import csgraph_from_dense, shortest_path

from wideberth.errors import BrokenAxiom, InvalidInput, UnknownName
from wideberth.geometry.shape.distortion import distortion
from wideberth.geometry.shape.gram import centred, clip_negative
from wideberth.metrics.axioms import find_broken_triangle, find_violations
from wideberth.metrics.metric import Distances
from wideberth.metrics.precomputed import Precomputed
from wideberth.progress import doing
from wideberth.rounding import DISTANCE_ERROR, EIGENVALUE_ERROR


@dataclass(frozen=True)
class Repair:
    """A repair that was tried on the examined objects and worked.

    Attributes
    ----------
    name : str
        The name to pass to `repair`.
    mends : {"obeys_triangle", "hilbertian"}
        The promise that holds after the repair, on these objects.
    changed : float
        Share of the pairs whose distance changes.
    distortion : float
        upper / lower: 1 if all distances keep their proportions, infinite if different objects
        become equal.
    lower, upper : float
        The smallest and the largest factor by which a distance changes.
    local_distortion : float
        The same quotient among the nearest neighbours of one object, where it is largest
        (`wideberth.geometry.shape.distortion.Distortion`).
    new_objects : bool
        Whether the new distance is a function of the old distance alone, so that it can be applied
        to objects seen later. The other repairs apply to a fixed set of objects.
    detail : str
        The formula, with the constants found on these objects.
    """

    name: str
    mends: str
    changed: float
    distortion: float
    lower: float
    upper: float
    local_distortion: float
    new_objects: bool
    detail: str


def square_root(distances: Distances) -> Distances:
    """The square root of every distance: mends squared distances, and keeps the order of the
    distances.

    It mends a triangle with the sides a, b and c iff c <= (sqrt(a) + sqrt(b))^2: if a = b, for c up
    to 4 a.

    Examples
    --------
    >>> square_root(np.array([[0.0, 9.0], [9.0, 0.0]]))
    array([[0., 3.],
           [3., 0.]])
    """
    return np.sqrt(distances)


def closure(distances: Distances) -> Distances:
    """The metric closure: the length of the shortest path between two objects.

    It is the largest metric that is nowhere above the given distance, and exists for every
    nonnegative symmetric distance. Floyd-Warshall: O(n^3) time.

    Examples
    --------
    >>> closure(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]))[0, 2]
    np.float64(2.0)
    """
    # an entry of 0 is a way of length 0, not a missing one
    graph = csgraph_from_dense(distances, null_value=np.inf)
    return np.asarray(shortest_path(graph, method="FW"))


def additive_constant(distances: Distances) -> Distances:
    """Add to every positive distance the smallest constant with which all triangles hold.

    A triangle gains the constant once on its long side and twice on the way round, so the largest
    excess d(x, z) - d(x, y) - d(y, z) is the constant. Pairs at distance 0 stay there; a triangle
    with such a pair is not mended.

    Examples
    --------
    >>> # 4 - 1 - 1 = 2 is added
    >>> additive_constant(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]))
    array([[0., 3., 6.],
           [3., 0., 3.],
           [6., 3., 0.]])
    """
    broken = find_broken_triangle(distances)
    if broken is None:
        return distances.copy()
    direct, first, second = broken.values
    return np.where(distances > 0, distances + (direct - first - second), 0.0)


def cap(distances: Distances) -> Distances:
    """The minimum of every distance and `cap_level`.

    Distances below the level keep their value. Infinite ones become at most the largest finite one.
    A level of 0 is refused: all objects would become equal.

    Examples
    --------
    >>> cap(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]]))
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    level = cap_level(distances)
    if not level:
        raise InvalidInput(
            "A cap would make all distances 0: two objects at distance 0 from a third one are not "
            "at distance 0 from each other.",
            advice="'closure' makes them equal.",
            value=level,
        )
    return np.minimum(distances, level)


def cap_level(distances: Distances) -> float:
    """The largest level at which a cap mends all broken triangles.

    It is the smallest sum d(x, y) + d(y, z) that is below its d(x, z), or the largest finite
    distance if no triangle is broken. O(n^3) time, O(n^2) memory.

    Examples
    --------
    >>> cap_level(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 2.0], [4.0, 2.0, 0.0]]))
    3.0
    """
    finite = distances[np.isfinite(distances)]
    level = float(finite.max())
    for corner in range(len(distances)):
        detour = distances[:, corner, None] + distances[None, corner, :]
        broken = distances > detour * (1 + DISTANCE_ERROR)
        level = min(level, float(detour[broken].min())) if broken.any() else level
    return level


def spectrum_clip(distances: Distances) -> Distances:
    """Euclidean distances near the given ones: the negative eigenvalues of the centred Gram matrix
    are set to 0.

    The result is Hilbertian, not only a metric. No distance becomes smaller. Distances that are
    Euclidean stay as they are, up to rounding. O(n^3) time.

    Examples
    --------
    >>> # a right angle has such distances
    >>> corner = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> spectrum_clip(corner).round(9)
    array([[0., 3., 4.],
           [3., 0., 5.],
           [4., 5., 0.]])
    """
    if not np.isfinite(distances).all():
        raise InvalidInput(
            "Infinite distances have no eigenvalues.",
            advice="Repair them with 'cap' or 'closure' first.",
            value=np.inf,
        )
    gram = clip_negative(centred(distances**2))
    squared = np.diagonal(gram)[:, None] + np.diagonal(gram)[None, :] - 2 * gram
    # the square root would magnify the rounding error of a distance 0
    squared[squared < EIGENVALUE_ERROR * squared.max()] = 0.0
    return np.sqrt(squared)


#: The repairs by name.
REPAIRS: dict[str, Callable[[Distances], Distances]] = {
    "square_root": square_root,
    "closure": closure,
    "additive_constant": additive_constant,
    "cap": cap,
    "spectrum_clip": spectrum_clip,
}

#: Those that are functions of the distance alone.
_FOR_NEW_OBJECTS = {"square_root", "additive_constant", "cap"}


def repair(distances: Any, method: str) -> Distances:
    """Turn a matrix of distances that is not a metric into one.

    The two directions of an asymmetric matrix are averaged first, and the diagonal is set to 0.
    `wideberth.diagnose` tries all methods and reports which of them work and how much they change.

    Parameters
    ----------
    distances : array-like of shape (n, n)
        Nonnegative distances; infinite ones are allowed except for "spectrum_clip".
    method : {"square_root", "closure", "additive_constant", "cap", "spectrum_clip"}
        - "square_root": the square root of each distance, for squared distances;
        - "closure": the length of the shortest path, works for every matrix;
        - "additive_constant": the smallest constant added to every positive distance;
        - "cap": the minimum with the largest level that mends all triangles;
        - "spectrum_clip": distances of points in Euclidean space.

    Returns
    -------
    ndarray of shape (n, n)
        Distances without a broken axiom; this is tested.

    Raises
    ------
    wideberth.errors.UnknownName
        If there is no such method.
    wideberth.errors.BrokenAxiom
        If the method does not mend this matrix; the error has the triangle that is still broken.
    wideberth.errors.InvalidInput
        If a distance is NaN or negative.

    Examples
    --------
    >>> repair([[0, 1, 4], [1, 0, 1], [4, 1, 0]], "square_root")
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    if method not in REPAIRS:
        raise UnknownName(
            f"There is no repair {method!r}.",
            advice=f"Known: {', '.join(REPAIRS)}.",
            value=method,
            known=list(REPAIRS),
        )
    matrix = _repairable(Precomputed(distances).matrix)
    mended = REPAIRS[method](matrix)
    left = find_violations(mended)
    if left:
        raise BrokenAxiom(
            f"The repair {method!r} does not mend this matrix: "
            f"{left[0].describe('the repaired distance')}",
            advice="'closure' mends every symmetric matrix of nonnegative distances.",
            witness=left[0].objects,
            value=left[0].values,
        )
    return mended


def _repairable(matrix: Distances) -> Distances:
    """The matrix averaged over both directions, with a zero diagonal; NaN and negative distances
    are refused.
    """
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 0.0)
    wrong = np.argwhere(np.isnan(symmetric) | (symmetric < 0))
    if len(wrong):
        i, j = map(int, wrong[0])
        raise InvalidInput(
            f"The distance between objects {i} and {j} is {symmetric[i, j]}: no repair can replace "
            "it.",
            advice="Drop the objects or correct the distance first.",
            witness=(i, j),
            value=float(symmetric[i, j]),
        )
    return symmetric


@doing("repairs")
def offer_repairs(distances: Distances, *, triangle: bool, hilbert: bool) -> tuple[Repair, ...]:
    """Try the repairs on a matrix of distances. Those that work are returned, the one with the
    smallest distortion first.

    Examples
    --------
    >>> squared = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]])
    >>> [
    ...     (offer.name, offer.distortion)
    ...     for offer in offer_repairs(squared, triangle=True, hilbert=False)
    ... ][:2]
    [('square_root', 2.0), ('closure', 2.0)]
    """
    wanted = [name for name in REPAIRS if name != "spectrum_clip"] if triangle else []
    wanted += ["spectrum_clip"] if hilbert else []
    offers = [offer for name in wanted if (offer := _try(distances, name)) is not None]
    return tuple(sorted(offers, key=lambda offer: offer.distortion))


def _try(distances: Distances, name: str) -> Repair | None:
    """Apply one repair and measure what it changes; None if it does not mend this matrix."""
    try:
        mended = repair(distances, name)
    except InvalidInput:
        return None
    pairs = np.triu_indices(len(distances), 1)
    before, after = distances[pairs], mended[pairs]
    found = distortion(distances, mended)
    return Repair(
        name=name,
        mends="hilbertian" if name == "spectrum_clip" else "obeys_triangle",
        changed=float((~np.isclose(before, after, rtol=DISTANCE_ERROR, atol=0)).mean()),
        distortion=found.total,
        lower=found.lower,
        upper=found.upper,
        local_distortion=found.local,
        new_objects=name in _FOR_NEW_OBJECTS,
        detail=_detail(distances, mended, name),
    )


def _detail(distances: Distances, mended: Distances, name: str) -> str:
    """The formula of a repair, with its constant read off the repaired distances."""
    if name == "cap":
        return f"min(d, {mended.max():.6g})"
    if name == "additive_constant":
        changes = mended - distances
        return f"d + {changes.max():.6g}"
    return {
        "square_root": "sqrt(d)",
        "closure": "length of the shortest path",
        "spectrum_clip": "nearest Euclidean distances",
    }[name]

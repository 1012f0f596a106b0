"""Repairs of a matrix of distances: each makes it a metric, and says what it changes."""

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
from wideberth.rounding import DISTANCE_ERROR, EIGENVALUE_ERROR


@dataclass(frozen=True)
class Repair:
    """A repair that was tried on the examined objects and worked.

    ``changed`` is the share of the distances it changes; ``lower`` and ``upper`` are the smallest and the largest factor by which
    one changes, ``distortion`` is upper / lower (1: all keep their proportions; infinite: different objects become equal), and
    ``local_distortion`` the same among the nearest neighbours of an object, where it is largest
    (`wideberth.geometry.shape.distortion.Distortion`). ``new_objects`` says whether it is a function of the distance alone, and
    so applies to objects seen later; the others repair a fixed set of objects.
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
    """The square root of every distance: mends squared distances, keeps their order."""
    return np.sqrt(distances)


def closure(distances: Distances) -> Distances:
    """The metric closure: the length of the shortest path, the largest metric below the distance.

    >>> closure(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]))[0, 2]
    np.float64(2.0)
    """
    graph = csgraph_from_dense(distances, null_value=np.inf)  # an entry of 0 is a way of length 0, not a missing one
    return np.asarray(shortest_path(graph, method="FW"))


def additive_constant(distances: Distances) -> Distances:
    """Add to every positive distance the smallest constant that closes all triangles."""
    broken = find_broken_triangle(distances)
    if broken is None:
        return distances.copy()
    direct, first, second = broken.values
    return np.where(distances > 0, distances + (direct - first - second), 0.0)


def cap(distances: Distances) -> Distances:
    """Cut every distance at the shortest way round a broken triangle (infinite ones at the largest finite one)."""
    level = cap_level(distances)
    if not level:
        raise InvalidInput(
            "Cutting would make all distances 0: two objects at distance 0 from a third are not at 0 from each other.",
            advice="'closure' makes them equal.",
            value=level,
        )
    return np.minimum(distances, level)


def cap_level(distances: Distances) -> float:
    """The largest level at which cutting mends all triangles that break."""
    finite = distances[np.isfinite(distances)]
    level = float(finite.max())
    for corner in range(len(distances)):
        way_round = distances[:, corner, None] + distances[None, corner, :]
        broken = distances > way_round * (1 + DISTANCE_ERROR)
        level = min(level, float(way_round[broken].min())) if broken.any() else level
    return level


def spectrum_clip(distances: Distances) -> Distances:
    """The distances of the nearest points in Euclidean space: negative eigenvalues of the Gram matrix become 0."""
    if not np.isfinite(distances).all():
        raise InvalidInput(
            "Infinite distances have no eigenvalues.", advice="Repair them with 'cap' or 'closure' first.", value=np.inf
        )
    gram = clip_negative(centred(distances**2))
    squared = np.diagonal(gram)[:, None] + np.diagonal(gram)[None, :] - 2 * gram
    # what rounding leaves of a distance 0 would be large after the root
    squared[squared < EIGENVALUE_ERROR * squared.max()] = 0.0
    return np.sqrt(squared)


REPAIRS: dict[str, Callable[[Distances], Distances]] = {
    "square_root": square_root,
    "closure": closure,
    "additive_constant": additive_constant,
    "cap": cap,
    "spectrum_clip": spectrum_clip,
}

_FOR_NEW_OBJECTS = {"square_root", "additive_constant", "cap"}


def repair(distances: Any, method: str) -> Distances:
    """A metric made from a square matrix of distances that is none.

    ``method`` is one of "square_root", "closure" (shortest paths), "additive_constant", "cap" and "spectrum_clip" (which also
    makes it Euclidean). The two directions of an asymmetric matrix are averaged first. The result is checked: a method that does
    not mend this matrix raises `BrokenAxiom` with the triangle it leaves. `wideberth.diagnose` tries all of them.

    >>> repair([[0, 1, 4], [1, 0, 1], [4, 1, 0]], "square_root")
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    if method not in REPAIRS:
        raise UnknownName(
            f"There is no repair {method!r}.", advice=f"Known: {', '.join(REPAIRS)}.", value=method, known=list(REPAIRS)
        )
    matrix = _repairable(Precomputed(distances).matrix)
    mended = REPAIRS[method](matrix)
    left = find_violations(mended)
    if left:
        raise BrokenAxiom(
            f"The repair {method!r} does not mend this matrix: {left[0].describe('the repaired distance')}",
            advice="'closure' mends every symmetric matrix of nonnegative distances.",
            witness=left[0].objects,
            value=left[0].values,
        )
    return mended


def _repairable(matrix: Distances) -> Distances:
    """Averaged over both directions, zero on the diagonal; what is not a number or negative cannot be repaired."""
    symmetric = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 0.0)
    wrong = np.argwhere(np.isnan(symmetric) | (symmetric < 0))
    if len(wrong):
        i, j = map(int, wrong[0])
        raise InvalidInput(
            f"The distance between objects {i} and {j} is {symmetric[i, j]}: no repair can tell what it should be.",
            advice="Drop the objects or correct the distance first.",
            witness=(i, j),
            value=float(symmetric[i, j]),
        )
    return symmetric


def offer_repairs(distances: Distances, *, triangle: bool, hilbert: bool) -> tuple[Repair, ...]:
    """The repairs that work on this matrix, of the kinds asked for, the least distorting first."""
    wanted = [name for name in REPAIRS if name != "spectrum_clip"] if triangle else []
    wanted += ["spectrum_clip"] if hilbert else []
    offers = [offer for name in wanted if (offer := _try(distances, name)) is not None]
    return tuple(sorted(offers, key=lambda offer: offer.distortion))


def _try(distances: Distances, name: str) -> Repair | None:
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
    if name == "cap":
        return f"min(d, {mended.max():.6g})"
    if name == "additive_constant":
        changes = mended - distances
        return f"d + {changes.max():.6g}"
    return {"square_root": "sqrt(d)", "closure": "length of the shortest path", "spectrum_clip": "nearest Euclidean distances"}[
        name
    ]

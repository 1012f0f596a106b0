r"""A map of the space: objects that are near each other are drawn near each other, as far as two
dimensions allow.

**Points in the plane whose distances follow given ones: the stress is lowered step by step from a
first guess.**

.. math:: \sigma(X) = \sum_{i < j} \bigl(\lVert x_i - x_j \rVert - d_{ij}\bigr)^2

Classical scaling gives the guess. It is exact for distances of a plane, but draws points of other
spaces too close together: it projects, and a projection shortens. Majorisation (de Leeuw 1977,
"Applications of convex analysis to multidimensional scaling") replaces the stress by a parabola
above it, whose lowest point is an average, so that no step raises the stress.
"""

from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.embeddings import ClassicalScaling
from wideberth.metrics.metric import Distances
from wideberth.objects import sample
from wideberth.report.facts.errors import Judged
from wideberth.report.facts.given import SECONDS, GivenObjects, stratified

#: Steps for landmarks among each other, and for other objects, which see the landmarks alone.
_STEPS, _PLACING_STEPS = 60, 20
#: Points nearer than this share of the largest distance push each other in no direction.
_TOUCHING = 1e-12


def scaled(distances: Distances, start: Floats) -> Floats:
    """Move points so that their distances follow given ones.

    Examples
    --------
    >>> corner = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> points = scaled(corner, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> round(float(np.hypot(*(points[1] - points[2]))), 2)
    5.0
    """
    points: Floats = start - start.mean(axis=0)
    for _ in range(_STEPS):
        pull = _ratios(distances, points, points)
        points = np.asarray((pull.sum(axis=1)[:, None] * points - pull @ points) / len(points))
    return points


def placed(distances: Distances, landmarks: Floats, start: Floats) -> Floats:
    """Move points so that their distances to fixed landmarks follow given ones.

    Examples
    --------
    >>> landmarks = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    >>> placed(np.array([[5.0, 3.0, np.sqrt(17.0)]]), landmarks, np.array([[1.0, 1.0]])).round(1)
    array([[4., 3.]])
    """
    points, centre = start, landmarks.mean(axis=0)
    for _ in range(_PLACING_STEPS):
        pull = _ratios(distances, points, landmarks)
        points = centre + (pull.sum(axis=1)[:, None] * points - pull @ landmarks) / len(landmarks)
    return points


def _ratios(distances: Distances, left: Floats, right: Floats) -> Floats:
    """The true distance of each pair over the drawn one; 0 for points that touch."""
    drawn = np.hypot(left[:, :1] - right[:, 0], left[:, 1:] - right[:, 1])
    least = _TOUCHING * float(distances.max())
    return np.divide(distances, drawn, out=np.zeros_like(distances), where=drawn > least)


#: How many objects the axes are learned from, how many are drawn at most, and how many pairs show
#: whether the map is faithful.
_LANDMARKS, _DRAWN, _PAIRS = 600, 20_000, 4000
#: How many kept objects are looked up to see whether the objects are in the order of fit.
_COMPARED = 20
#: Coordinates are whole numbers from 0 to this.
_FINE = 4095
#: What the model made of an object, in the order of their codes.
STATES = ("other", "kept", "removed", "set aside")


def map_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """Coordinates of the objects by landmarks: some objects are scaled to the plane, the others
    placed by distances to them.

    ``index``, ``x``, ``y``, ``label``, ``told`` (-1 where nobody was asked) and ``state`` of each
    drawn object; ``width`` and ``height`` of the map in the units of the metric, ``faithful``: the
    correlation of drawn and true distances; a ``reason`` if there is no map.
    """
    distances = given.distances
    if distances is None:
        return {
            "reason": "The data hold the distances to the training objects, not those among these "
            "objects: no map is drawn."
        }
    if len(distances) < 3 or not np.isfinite(distances).all() or not distances.any():
        return {"reason": "A map takes three objects or more that differ."}
    symmetric = (distances + distances.T) / 2
    landmarks = _landmarks(symmetric)
    shift = _common_part(symmetric)
    towards = np.maximum(symmetric[:, landmarks] - shift, 0.0)
    among = towards[landmarks]
    scaling = ClassicalScaling.of(among, n_components=2)
    fixed = scaled(among, scaling.coordinates(among))
    points = placed(towards, fixed, scaling.coordinates(towards))
    points[landmarks] = fixed
    faithful = _faithful(points, symmetric)
    places, others = given.compared, _others(given, len(landmarks))
    if len(others):
        objects = (
            sample.pick(given.prepared, others),
            sample.pick(given.prepared, given.compared[landmarks]),
        )
        more = np.maximum(given.between(*objects) - shift, 0.0)
        points = np.concatenate([points, placed(more, fixed, scaling.coordinates(more))])
        places = np.concatenate([places, others])
    order = np.argsort(places, kind="stable")
    return _drawn(given, judged, places[order], points[order]) | {
        "faithful": faithful,
        "landmarks": len(landmarks),
    }


def _common_part(distances: Floats) -> float:
    """What almost all distances have in common: left out of a drawing, in which only differences
    can be seen.
    """
    return float(0.95 * np.quantile(distances[~np.eye(len(distances), dtype=bool)], 0.01))


def _landmarks(distances: Floats) -> Indices:
    """Positions of objects far from each other: each next one is the farthest from those before,
    half of all; the rest even.
    """
    n = len(distances)
    if n <= _LANDMARKS:
        return np.arange(n)
    chosen = [int(distances.sum(axis=1).argmin())]
    nearest = distances[chosen[0]].copy()
    while len(chosen) < _LANDMARKS // 3:
        chosen.append(int(nearest.argmax()))
        np.minimum(nearest, distances[chosen[-1]], out=nearest)
    even = np.linspace(0, n - 1, _LANDMARKS - len(chosen)).astype(np.intp)
    return np.unique(np.concatenate([np.array(chosen), even]))


def _others(given: GivenObjects, n_landmarks: int) -> Indices:
    """Positions of objects that were not compared and are drawn too, as many as time allows."""
    rest = np.setdiff1d(np.arange(len(given)), given.compared)
    most = min(_DRAWN - len(given.compared), given.affordable(n_landmarks, SECONDS / 2))
    return (
        rest[stratified(given.labels.codes[rest], most)]
        if most > 0 and not given.is_matrix
        else rest[:0]
    )


def _faithful(points: Floats, distances: Floats) -> float:
    """The correlation of distances on the map with those of the metric, on pairs at random."""
    draw = np.random.default_rng(0)
    left, right = draw.integers(0, len(points), (2, _PAIRS))
    left, right = left[left != right], right[left != right]
    drawn, true = np.hypot(*(points[left] - points[right]).T), distances[left, right]
    return float(np.corrcoef(drawn, true)[0, 1]) if drawn.std() and true.std() else 1.0


def _drawn(given: GivenObjects, judged: Judged, places: Indices, points: Floats) -> dict[str, Any]:
    low, high = points.min(axis=0), points.max(axis=0)
    scale = float((high - low).max()) or 1.0
    whole = np.rint((points - low) / scale * _FINE).astype(int)
    told = np.full(len(given), -1)
    told[judged.places] = judged.told
    return {
        "index": places,
        "x": whole[:, 0],
        "y": whole[:, 1],
        "label": given.labels.codes[places],
        "told": told[places],
        "state": states(given)[places],
        "states": list(STATES),
        "fine": _FINE,
        "scale": scale,
        "n": len(given),
    }


def states(given: GivenObjects) -> Indices:
    """What the model made of each object, as positions in `STATES`: kept to answer by, removed, set
    aside, or none of these.

    The model knows positions in the sample that it learned from; they mean nothing for objects that
    come in another order.
    """
    found = np.zeros(len(given), dtype=np.intp)
    single = given.single
    if given.newness.kind != "training" or not _in_order(given):
        return found
    for state, names in enumerate(
        (("kept_", "support_", "references_"), ("removed_",), ("held_out_",)), start=1
    ):
        positions = next(
            (each for name in names if (each := getattr(single, name, None)) is not None), None
        )
        if positions is not None and len(positions) and np.max(positions) < len(found):
            found[np.asarray(positions, dtype=np.intp)] = state
    return found


def _in_order(given: GivenObjects) -> bool:
    """Whether the objects come in the order of the training sample: those that the model keeps are
    where it says.
    """
    held = given.single.kept()
    if held is None or not held.own or given.is_matrix:
        return given.is_matrix
    kept, positions, n = held.objects, held.positions, len(held)
    if positions.max() >= len(given):
        return False
    some = np.unique(np.linspace(0, n - 1, min(n, _COMPARED)).astype(np.intp))
    if (
        given.metric.accepts == "strings"
        and sample.has_objects(kept)
        and isinstance(sample.pick_one(kept, 0), str)
    ):
        return all(
            sample.pick_one(kept, each) == sample.pick_one(given.held, positions[each])
            for each in some.tolist()
        )
    apart = given.metric.block(
        sample.pick(kept, some), sample.pick(given.prepared, positions[some])
    )
    return bool(np.allclose(np.diagonal(apart), 0.0, atol=1e-9 * (1.0 + float(np.max(apart)))))

"""Offset polytopes with exact volumes, by Qhull: for at most four dimensions, and as a reference for the sampled ones."""

from copy import copy
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge.halfspaces import Cut, Rows
from wideberth.classifiers.online.knowledge.knowledge_set import Scales, State
from wideberth.classifiers.online.knowledge.undecided import without_idle_scales
from wideberth.estimators import restored_values

MOST_DIMENSIONS = 4  # Qhull takes milliseconds for four dimensions and seconds for six
THIN = 1e-2  # bodies thinner than this, for their length, are measured twice


class ExactBodies:
    """Polytopes within a cube around the ball, with exact volumes (`Bodies`).

    A cube, since Qhull intersects only halfspaces: any convex body that contains K + z_i B will do. Shares are exact up to
    rounding. A label against the vote leaves at most 5/8 of the active body. In one dimension bodies are intervals, in more Qhull
    intersects the halfspaces; 0 lies strictly inside every body.

    Parameters
    ----------
    scales : Scales
        The scales, in at most `MOST_DIMENSIONS` dimensions.

    Examples
    --------
    >>> scales = Scales.for_ball(2, 2.0, 1.0)
    >>> cut = ExactBodies(scales).cut(Rows(2), 0, np.array([1.0, 0.0]), thickness=0.0625, width=4.0)
    >>> round(cut.vote, 9), 0.5 < cut.left_minus < 0.52
    (0.5, True)
    """

    kept = 5 / 8
    proved = True

    def __init__(self, scales: Scales) -> None:
        self.scales = scales
        self._wholes: dict[int, tuple[int, float, Floats]] = {}  # by scale: how many rows, volume, vertices
        edges = scales.dimension * np.log(2 * (scales.radius + scales.thicknesses))
        self.initial_excess = edges - scales.log_small_balls()
        self._excess = self.initial_excess.copy()
        self._measured = 0

    def cut(self, rows: Rows, scale: int, direction: Floats, thickness: float, width: float) -> Cut:
        """How a query divides the body of a scale, by exact volumes; ``width`` is not used."""
        faces, offsets = self._faces(rows, scale)
        volume, vertices = self._whole(rows, scale)
        farthest = vertices[np.argmax(vertices @ direction)]

        def share(side: Floats, offset: float, inside: Floats | None = None) -> float:
            part = _volume(np.vstack([faces, side]), np.append(offsets, offset), inside=inside, like=vertices)[0]
            return min(part / volume, 1.0)

        above, plus, minus = share(direction, 0.0, farthest / 2), share(direction, thickness), share(-direction, thickness)
        return Cut(above, plus, minus, plus, minus)

    def left(self, scale: int, share: float) -> None:
        """Nothing to remember: `excess` measures the volumes that the rows leave."""

    def excess(self, rows: Rows) -> Floats:
        """The logarithm of the volume of each body over that of the ball z_i B, measured when rows were added.

        Bodies of scales that will never be active again count as having the least volume.
        """
        if self._measured < len(rows):
            volumes = np.array([self._whole(rows, int(scale))[0] for scale in self.scales.indices])
            excess = np.minimum(self._excess, np.log(volumes) - self.scales.log_small_balls())
            corners = self._whole(rows, int(self.scales.indices[-1]))[1]
            self._excess = without_idle_scales(excess, self.scales, rows, corners)
            self._measured = len(rows)
        return self._excess

    def scratch_copy(self) -> "ExactBodies":
        """A copy that remembers the bodies of further rows by itself."""
        scratch = copy(self)
        scratch._wholes = dict(self._wholes)
        return scratch

    def state(self) -> State:
        """The smallest volumes so far; everything else follows from the rows."""
        return {"excess": self._excess.copy(), "measured": self._measured}

    @classmethod
    def from_state(cls, scales: Scales, state: State, n_rows: int) -> "ExactBodies":
        """The bodies with the given state, beside ``n_rows`` rows; an `InvalidInput` if there are no such bodies."""
        bodies = cls(scales)
        bodies._excess = restored_values.finite(state, "excess", len(scales.indices))
        bodies._measured = restored_values.whole(state, "measured", least=0, most=n_rows)
        return bodies

    def _whole(self, rows: Rows, scale: int) -> tuple[float, Floats]:
        """Volume and vertices of the body of a scale, measured again only if rows were added."""
        if scale not in self._wholes or self._wholes[scale][0] < len(rows):
            self._wholes[scale] = (len(rows), *_volume_step_by_step(*self._faces(rows, scale)))
        return self._wholes[scale][1:]

    def _faces(self, rows: Rows, scale: int) -> tuple[Floats, Floats]:
        """The rows and the cube of a body, as directions and offsets: direction . x >= -offset."""
        thickness, axes = self.scales.thickness(scale), np.eye(self.scales.dimension)
        cube = np.full(2 * self.scales.dimension, self.scales.radius + thickness)
        return np.vstack([axes, -axes, rows.directions]), np.concatenate([cube, rows.slacks + thickness])


def _volume(
    directions: Floats, offsets: Floats, inside: Floats | None = None, like: Floats | None = None
) -> tuple[float, Floats]:
    """Volume and vertices of the polytope direction_j . x >= -offset_j.

    Parameters
    ----------
    directions : ndarray of shape (n, d)
        Normals of the faces, pointing inwards.
    offsets : ndarray of shape (n,)
        Distances of the faces from 0, in units of the lengths of the normals.
    inside : ndarray of shape (d,), optional
        A point strictly inside; 0 by default.
    like : ndarray of shape (m, d), optional
        Corners of a body of similar shape: the polytope is stretched along its axes before it is looked at.

    Returns
    -------
    volume : float
        The volume; bodies thinner than `THIN` are measured after they are stretched to equal axes, against Qhull's rounding.
    vertices : ndarray of shape (m, d)
        The corners.

    Examples
    --------
    >>> corners = np.vstack([np.eye(2), -np.eye(2)])
    >>> round(_volume(corners, np.array([1.0, 1.0, 2.0, 2.0]))[0], 9)
    9.0
    """
    dimension = directions.shape[1]
    if dimension == 1:
        ends = -offsets / directions[:, 0]
        low, high = ends[directions[:, 0] > 0].max(), ends[directions[:, 0] < 0].min()
        return float(high - low), np.array([[low], [high]])
    centre = np.zeros(dimension) if inside is None else inside
    vertices = _stretched(directions, offsets, centre, like)
    _, spreads, axes = np.linalg.svd(vertices - vertices.mean(axis=0), full_matrices=False)
    if spreads[-1] > THIN * spreads[0]:
        return float(ConvexHull(vertices).volume), vertices
    frame = spreads[:, None] * axes  # Qhull's rounding is relative to the longest axis: make them all alike
    round_ones = _vertices(directions @ frame.T, offsets, (centre @ axes.T) / spreads)
    return float(ConvexHull(round_ones).volume * np.prod(spreads)), round_ones @ frame


def _volume_step_by_step(directions: Floats, offsets: Floats) -> tuple[float, Floats]:
    """As `_volume`; where Qhull fails for thin bodies, along the axes of the body of the first half of the faces.

    That depends on the faces alone, not on bodies measured before, so that a learner from a file measures the same numbers.
    """
    try:
        return _volume(directions, offsets)
    except QhullError:
        half = max((len(directions) + 2 * directions.shape[1]) // 2, 2 * directions.shape[1] + 1)
        if half >= len(directions):
            raise
        return _volume(directions, offsets, like=_volume_step_by_step(directions[:half], offsets[:half])[1])


def _stretched(directions: Floats, offsets: Floats, centre: Floats, like: Floats | None) -> Floats:
    """The corners of a polytope, found after it was stretched to the equal axes of a similar body, if one is known."""
    if like is None:
        return _vertices(directions, offsets, centre)
    _, spreads, axes = np.linalg.svd(like - like.mean(axis=0), full_matrices=False)
    frame = spreads[:, None] * axes
    return np.asarray(_vertices(directions @ frame.T, offsets, (centre @ axes.T) / spreads) @ frame)


def _vertices(directions: Floats, offsets: Floats, centre: Floats) -> Floats:
    """The corners of a polytope around a point strictly inside it."""
    lengths = np.linalg.norm(directions, axis=1)
    faces = np.column_stack([-directions, -offsets]) / lengths[:, None]
    found: Any = HalfspaceIntersection(faces, centre)
    return np.asarray(found.intersections[np.isfinite(found.intersections).all(axis=1)])

"""Offset polytopes with exact volumes, by Qhull: for at most four dimensions, and as a reference
for the sampled ones.
"""

from collections.abc import Callable
from contextlib import suppress
from copy import copy
from math import exp, log
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from wideberth.array_types import Floats
from wideberth.classifiers.online.knowledge_set import Scales, State
from wideberth.classifiers.online.polytopes import Cut, Rows, without_idle_scales
from wideberth.errors import UnsolvedProgram
from wideberth.estimators import restored_values

MOST_DIMENSIONS = 4  # Qhull takes milliseconds for four dimensions and seconds for six
_SAME = 1e-11  # faces and corners of a round body that differ by less are the same
# how near to the analytic centre is near enough, and after how many steps
_CENTRED, _MOST_STEPS = 0.5, 60
T = TypeVar("T")


class ExactBodies:
    """Polytopes within a cube around the ball, with exact volumes (`Bodies`).

    A cube, since Qhull intersects only halfspaces: any convex body that contains K + z_i B will do.
    Shares are exact up to rounding. A label against the vote leaves at most 5/8 of the active body.
    In one dimension bodies are intervals, in more Qhull intersects the halfspaces; 0 lies strictly
    inside every body.

    >>> scales = Scales.for_ball(2, 2.0, 1.0)
    >>> cut = ExactBodies(scales).cut(Rows(2), 0, np.array([1.0, 0.0]), thickness=0.0625, width=4.0)
    >>> round(cut.vote, 9), 0.5 < cut.left_minus < 0.52
    (0.5, True)
    """

    kept = 5 / 8
    proved = True

    def __init__(self, scales: Scales) -> None:
        self.scales = scales
        # by scale: how many rows, log volume, vertices
        self._wholes: dict[int, tuple[int, float, Floats]] = {}
        edges = scales.dimension * np.log(2 * (scales.radius + scales.thicknesses))
        self.initial_excess = edges - scales.log_small_balls()
        self._excess = self.initial_excess.copy()
        self._measured = 0

    def cut(self, rows: Rows, scale: int, direction: Floats, thickness: float, width: float) -> Cut:
        """How a query divides the body of a scale, by exact volumes; ``width`` is not used."""
        faces, offsets = self._faces(rows, scale)
        whole, vertices = self._whole(rows, scale)
        farthest = vertices[np.argmax(vertices @ direction)]

        def share(side: Floats, offset: float, inside: Floats | None = None) -> float:
            part, _ = _log_volume(np.vstack([faces, side]), np.append(offsets, offset), inside)
            return min(exp(part - whole), 1.0)

        above = share(direction, 0.0, farthest / 2)
        plus = share(direction, thickness)
        minus = share(-direction, thickness)
        return Cut(above, plus, minus, plus, minus)

    def left(self, scale: int, share: float) -> None:
        """Nothing to remember: `excess` measures the volumes that the rows leave."""

    def excess(self, rows: Rows) -> Floats:
        """The logarithm of the volume of each body over that of the ball z_i B, measured when rows
        were added.

        Bodies of scales that will never be active again count as having the least volume.
        """
        if self._measured < len(rows):
            volumes = np.array([self._whole(rows, int(scale))[0] for scale in self.scales.indices])
            excess = np.minimum(self._excess, volumes - self.scales.log_small_balls())
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
        """The bodies with the given state, beside ``n_rows`` rows; an `InvalidInput` if there are
        no such bodies.
        """
        bodies = cls(scales)
        bodies._excess = restored_values.finite(state, "excess", len(scales.indices))
        bodies._measured = restored_values.whole(state, "measured", least=0, most=n_rows)
        return bodies

    def _whole(self, rows: Rows, scale: int) -> tuple[float, Floats]:
        """Logarithm of the volume, and vertices, of the body of a scale; measured again only if
        rows were added.
        """
        if scale not in self._wholes or self._wholes[scale][0] < len(rows):
            self._wholes[scale] = (len(rows), *_log_volume(*self._faces(rows, scale)))
        return self._wholes[scale][1:]

    def _faces(self, rows: Rows, scale: int) -> tuple[Floats, Floats]:
        """The rows and the cube of a body, as directions and offsets: direction . x >= -offset."""
        thickness, axes = self.scales.thickness(scale), np.eye(self.scales.dimension)
        cube = np.full(2 * self.scales.dimension, self.scales.radius + thickness)
        return np.vstack([axes, -axes, rows.directions]), np.concatenate(
            [cube, rows.slacks + thickness]
        )


class _Rounded(NamedTuple):
    """A polytope in coordinates in which it is round: x = centre + frame y, and face_j . y >=
    -1.
    """

    faces: Floats
    centre: Floats
    frame: Floats
    log_unit: float  # of the volume


def _rounded(directions: Floats, offsets: Floats, inside: Floats) -> _Rounded:
    """The polytope direction_j . x >= -offset_j, seen from its analytic centre, around which it is
    round.

    With the slacks s_j of a point and the singular values of the rows direction_j / s_j = U S V',
    the coordinates y = S V' (x - point) make the faces U: they add up to the unit matrix, so that
    at the analytic centre, where they also add up to 0, the polytope lies between balls whose radii
    have a ratio of at most the number of faces. Faces that rounding could take for the same are
    looked at once, which can only make the polytope larger, by as little.
    """
    centre, ones = inside, np.ones(len(directions))
    for _ in range(_MOST_STEPS):
        slacks = offsets + directions @ centre
        faces, singular, axes = np.linalg.svd(directions / slacks[:, None], full_matrices=False)
        step = ones @ faces
        if np.linalg.norm(step) < _CENTRED:
            break
        moves = faces @ step  # by how much each slack grows, relative to it
        length, most = 1 / (1 + float(np.linalg.norm(step))), -0.9 / float(moves.min())
        while (
            2 * length <= most
            and np.log1p(2 * length * moves).sum() > np.log1p(length * moves).sum()
        ):
            length *= 2
        centre = centre + (length * step / singular) @ axes
    _, once = np.unique(np.round(faces / _SAME), axis=0, return_index=True)
    return _Rounded(faces[np.sort(once)], centre, axes.T / singular, -float(np.log(singular).sum()))


def _log_volume(
    directions: Floats, offsets: Floats, inside: Floats | None = None
) -> tuple[float, Floats]:
    """Logarithm of the volume, and vertices, of the polytope direction_j . x >= -offset_j, which
    has the point ``inside``, 0 by default, strictly inside.

    By Qhull, in coordinates in which the body is round: its rounding is relative to the longest
    axis.

    >>> corners = np.vstack([np.eye(2), -np.eye(2)])
    >>> round(exp(_log_volume(corners, np.array([1.0, 1.0, 2.0, 2.0]))[0]), 9)
    9.0
    """
    dimension = directions.shape[1]
    if dimension == 1:
        ends = -offsets / directions[:, 0]
        low, high = ends[directions[:, 0] > 0].max(), ends[directions[:, 0] < 0].min()
        return log(high - low), np.array([[low], [high]])
    body = _rounded(directions, offsets, np.zeros(dimension) if inside is None else inside)
    corners = _by_qhull(_corners, body.faces)
    volume = _by_qhull(
        lambda points, options: ConvexHull(points, qhull_options=options).volume, corners
    )
    return log(volume) + body.log_unit, body.centre + corners @ body.frame.T


def _corners(faces: Floats, options: str) -> Floats:
    """The corners of the polytope face_j . y >= -1."""
    halfspaces = np.column_stack([-faces, np.full(len(faces), -1.0)])
    found: Any = HalfspaceIntersection(halfspaces, np.zeros(faces.shape[1]), qhull_options=options)
    corners = found.intersections[np.isfinite(found.intersections).all(axis=1)]
    _, once = np.unique(np.round(corners / _SAME), axis=0, return_index=True)
    return np.asarray(corners[np.sort(once)])


def _by_qhull(ask: Callable[[Floats, str], T], points: Floats) -> T:
    """What Qhull answers; where faces are too nearly alike for it, after it moved them by some
    rounding errors.
    """
    for options in ("Qt", "QJ"):
        with suppress(QhullError):
            return ask(points, options)
    raise UnsolvedProgram(
        f"Qhull cannot measure a body of {len(points)} faces or corners in {points.shape[1]} "
        "dimensions.",
        advice='Use engine="sampling" or "ellipsoid", which need no exact volumes.',
    )

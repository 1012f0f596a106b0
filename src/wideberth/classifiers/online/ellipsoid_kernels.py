r"""Compiled operations on ellipsoids :math:`\{c + S y : |y| \le 1\}`: their extent along a
direction, and the effect of a cut.

``shapes`` holds S transposed. A cut of depth g keeps :math:`\langle u, x - c \rangle \ge g h`, with
the half width h of the ellipsoid along the unit vector u: all of it for g = -1, half of it for g =
0. Cuts at most as deep as ``SHALLOWEST`` / d are not made, since they remove almost nothing; deeper
ones than ``DEEPEST`` are made at that depth, since they would leave ellipsoids flatter than
rounding allows.
"""

import numpy as np

from wideberth.array_types import Floats
from wideberth.compilation import compiled

SHALLOWEST = -0.5
DEEPEST = 0.9


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def log_loss(depth: float, dimension: int) -> float:
    r"""By how much the logarithm of the volume of an ellipsoid falls with a cut at depth g,
    :math:`-1/d < g < 1`.

    .. math:: -\ln \frac{d (1 - g)}{d + 1} - \frac{d - 1}{2} \ln \frac{d^2 (1 - g^2)}{d^2 - 1}

    >>> round(float(np.exp(-log_loss(0.0, 1))), 9)  # half of an interval
    0.5
    """
    along = np.log(dimension * (1 - depth) / (dimension + 1.0))
    if dimension == 1:
        return float(-along)
    across = np.log(dimension * dimension * (1 - depth * depth) / (dimension * dimension - 1.0))
    return float(-along - (dimension - 1) / 2 * across)


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def extent_along(centre: Floats, shape: Floats, direction: Floats) -> tuple[float, float]:
    """The projection of an ellipsoid on a unit vector: its middle and half width.

    >>> extent_along(np.array([1.0, 0.0]), 2 * np.eye(2), np.array([1.0, 0.0]))
    (1.0, 2.0)
    """
    d = centre.size
    middle, square = 0.0, 0.0
    for r in range(d):
        middle += centre[r] * direction[r]
        part = 0.0
        for c in range(d):
            part += shape[r, c] * direction[c]
        square += part * part
    return middle, np.sqrt(square)


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def assess_direction(
    centres: Floats,
    shapes: Floats,
    direction: Floats,
    thicknesses: Floats,
    widths: Floats,
    weights: Floats,
    slack: float,
) -> tuple[float, float, float, float, float, int]:
    """What the ellipsoids of all scales, the coarsest first, imply for a unit vector.

    In this order: how far K reaches along the direction and against it, by the ellipsoid that
    reaches least, at least 0; the sums, by ``weights``, of what the signs + and - remove from all
    log-volumes; where 0 divides the extent of the active ellipsoid, as the part on the positive
    side; and which one is active: the first that is wider than its entry of ``widths``, or n if
    there is none. ``slack`` is the error of the features, for a query of length 1.
    """
    count, d = centres.shape
    plus, minus, drop_plus, drop_minus, vote, active = np.inf, np.inf, 0.0, 0.0, 0.5, count
    for k in range(count):
        middle, half = extent_along(centres[k], shapes[k], direction)
        plus, minus = (
            min(plus, middle + half - thicknesses[k]),
            min(minus, half - middle - thicknesses[k]),
        )
        depth_plus = (-thicknesses[k] - slack - middle) / half
        depth_minus = (middle - thicknesses[k] - slack) / half
        if depth_plus > SHALLOWEST / d:
            drop_plus += weights[k] * log_loss(min(depth_plus, DEEPEST), d)
        if depth_minus > SHALLOWEST / d:
            drop_minus += weights[k] * log_loss(min(depth_minus, DEEPEST), d)
        if active == count:
            vote = min(max((1 + middle / half) / 2, 0.0), 1.0)
            active = k if 2 * half > widths[k] else count
    return max(plus, 0.0), max(minus, 0.0), drop_plus, drop_minus, vote, active


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def shrink(centre: Floats, shape: Floats, direction: Floats, depth: float) -> None:
    r"""Replace an ellipsoid by the smallest one around its part :math:`\langle u, x - c \rangle \ge
    g h`, in place.

    u is a unit vector, h the half width along it and g the depth, :math:`-1/d < g < 1`. With
    :math:`v = S' u / h`,

    .. math:: c \leftarrow c + \frac{1 + d g}{d + 1} S v, \qquad
              S \leftarrow \sqrt\sigma \,(S - S v v') + \sqrt\kappa\, S v v', \qquad
              \sigma = \frac{d^2 (1 - g^2)}{d^2 - 1},\ \sqrt\kappa = \frac{d (1 - g)}{d + 1}.

    The factor S rather than :math:`S S'` is kept, so that axes of 1 and 1e-12 can occur in one
    ellipsoid.
    """
    d = centre.size
    inner, image = np.zeros(d), np.zeros(d)
    length = 0.0
    for r in range(d):
        for c in range(d):
            inner[r] += shape[r, c] * direction[c]
        length += inner[r] * inner[r]
    length = np.sqrt(length)
    for r in range(d):
        inner[r] /= length
        for c in range(d):
            image[c] += shape[r, c] * inner[r]
    across = np.sqrt(d * d * (1 - depth * depth) / (d * d - 1.0)) if d > 1 else 1.0
    along = d * (1 - depth) / (d + 1.0)
    for c in range(d):
        centre[c] += (1 + d * depth) / (d + 1.0) * image[c]
    for r in range(d):
        for c in range(d):
            shape[r, c] = across * shape[r, c] + (along - across) * inner[r] * image[c]


@compiled(error_model="numpy", fastmath={"reassoc", "nsz", "contract"})
def cut_all(
    centres: Floats,
    shapes: Floats,
    direction: Floats,
    thicknesses: Floats,
    slack: float,
    excess: Floats,
) -> bool:
    """Cut all ellipsoids in place by direction . x >= -(thickness + slack), subtract what that
    removes from their log-volumes ``excess``, and return whether any became smaller.
    """
    count, d = centres.shape
    any_cut = False
    for k in range(count):
        middle, half = extent_along(centres[k], shapes[k], direction)
        depth = min((-thicknesses[k] - slack - middle) / half, DEEPEST)
        if depth > SHALLOWEST / d:
            shrink(centres[k], shapes[k], direction, depth)
            excess[k] -= log_loss(depth, d)
            any_cut = True
    return any_cut

r"""Offset polytopes: the bodies around a knowledge set that one engine samples and another measures exactly.

On scale i the body is :math:`P_i = \{x : a_j \cdot x \ge -(s_j + z_i)\}` within a ball or a cube that holds the ball of radius
:math:`R + z_i`. It holds :math:`K + z_i B`, so it is at least as wide as K in every direction. A slab of thickness t on one side
of :math:`\langle q, x \rangle = 0` holds at most the share :math:`t d / \mathrm{width}` of a convex body (Brunn & Minkowski: the
body has at least the volume of its largest section times its width over d). Where the width is :math:`2^{-i}` or more and
:math:`t = z_i`, that is 1/8.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.solvers.knowledge.knowledge_set import State
from wideberth.solvers.knowledge.rows import Rows
from wideberth.solvers.knowledge.scales import Scales

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cut:
    """What a query does to the body of a scale.

    ``vote``: the share on its positive side. ``left_plus``, ``left_minus``: the share that learning the sign + or - leaves.
    ``most_plus``, ``most_minus``: no less than those shares, as surely as the bodies can tell.
    """

    vote: float
    left_plus: float
    left_minus: float
    most_plus: float
    most_minus: float


class Bodies(Protocol):
    """The bodies of all scales; ``kept`` is the most that learning a sign against the vote leaves of the active one."""

    kept: float
    proved: bool
    initial_excess: Floats  # what `excess` gives before the first row

    def cut(self, rows: Rows, scale: int, direction: Floats, thickness: float, width: float) -> Cut:
        """What the unit vector ``direction`` does to the body of ``scale``, on which K is known to be at least ``width`` wide."""

    def excess(self, rows: Rows) -> Floats:
        """By scale, a bound of the logarithm of the volume of the body over that of the ball z_i B."""

    def aside(self) -> Self:
        """The same bodies, for questions that leave no trace here."""

    def state(self) -> State:
        """What there is to remember beyond the rows."""


def slab_share(scales: Scales, thickness: float, width: float) -> float:
    """The most that a slab of this thickness can hold of a body of this width."""
    return min(1.0, thickness * scales.dimension / width) if width > 0 else 1.0

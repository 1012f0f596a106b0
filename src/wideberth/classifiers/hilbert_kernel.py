"""Kernels of a distance, and the Hilbertian metric that each of them induces."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
#: Values that several steps of a formula are worked out for at once: they stay in a core's own cache.
_AT_ONCE = 2**15
KernelName = Literal["distance", "gaussian", "laplace", "bounded"]


@dataclass(frozen=True)
class HilbertKernel:
    r"""A kernel :math:`k = -e^2 / 2` of a distance d, where :math:`e = F(d)` is the metric that it induces.

    ============ ======================= ================================= ================== ===================
    name         kernel in textbooks     :math:`F^2(t)`                    sup F              Hilbertian if d
    ============ ======================= ================================= ================== ===================
    "distance"   :math:`-d^2 / 2`        :math:`t^2`                       :math:`\infty`     is Hilbertian
    "gaussian"   :math:`e^{-d^2 / s^2}`  :math:`2 - 2 e^{-t^2 / s^2}`      :math:`\sqrt 2`    is Hilbertian
    "laplace"    :math:`e^{-d / s}`      :math:`2 - 2 e^{-t / s}`          :math:`\sqrt 2`    is of negative type
    "bounded"    :math:`-e^2 / 2`        :math:`(t / (s + t))^2`           1                  is Hilbertian
    ============ ======================= ================================= ================== ===================

    Kernels that differ by :math:`g(x) + g(y)` induce the same metric, on which alone the solution of an SVM depends (Hein,
    Bousquet & Schoelkopf 2005, Theorem 5): so :math:`-e^2 / 2` stands for all of them. ``width`` is s, in the unit of d, None for
    "distance". With a ``jump`` of :math:`\delta`, all objects that are apart are farther apart:
    :math:`e^2 + 2 \delta`, which adds :math:`\delta` to the diagonal of a kernel matrix.

    >>> bell = HilbertKernel("gaussian", 2.0)
    >>> 1 + bell.values(np.array([0.0, 2.0])).round(3)  # as textbooks have it
    array([1.   , 0.368])
    >>> bell.metric(np.array([2.0])), bell.inverse(bell.metric(np.array([2.0])))
    (array([1.12438477]), array([2.]))
    """

    name: KernelName
    width: float | None = None
    jump: float = 0.0

    @property
    def needs(self) -> str:
        """The promise of d under which it is positive definite, whatever the objects."""
        return _FORMULAS[self.name].needs

    @property
    def supremum(self) -> float:
        """How far apart, in the induced metric, objects can be: sup F."""
        return _FORMULAS[self.name].supremum

    def values(self, distances: Floats, out: Floats | None = None) -> Floats:
        """The kernel for every distance, in a new array or in ``out``, which may be ``distances``."""
        out = np.empty_like(distances) if out is None else out
        fill, width = _FORMULAS[self.name].fill, self._width
        few = max(1, _AT_ONCE * len(distances) // max(1, distances.size))
        for first in range(0, len(distances), few):
            some, values = distances[first : first + few], out[first : first + few]
            apart = some > 0 if self.jump else None
            fill(some, width, values)
            if apart is not None:
                values[apart] -= self.jump
        return out

    def metric(self, distances: Floats) -> Floats:
        """The induced metric F(t) for every distance t."""
        induced: Floats = np.sqrt(-2.0 * self.values(distances))
        return induced

    def inverse(self, radii: Floats) -> Floats:
        r"""The distance t with F(t) = r for every radius r, without a jump; infinite where :math:`r \ge \sup F`, out of reach.

        >>> HilbertKernel("bounded", 3.0).inverse(np.array([0.5, 1.0]))
        array([ 3., inf])
        """
        out = np.full_like(radii, math.inf)
        inside = ~(radii >= self.supremum)  # a radius that is no number stays none
        out[inside] = _FORMULAS[self.name].inverse(radii[inside], self._width)
        return out

    @property
    def _width(self) -> float:
        return 1.0 if self.width is None else self.width


def _distance(distances: Floats, width: float, out: Floats) -> None:
    np.multiply(distances, distances, out=out)
    np.multiply(out, -0.5, out=out)


def _gaussian(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, width, out=out)  # first, so that no square overflows that need not
    np.multiply(out, -out, out=out)
    np.expm1(out, out=out)


def _laplace(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, -width, out=out)
    np.expm1(out, out=out)


def _bounded(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, distances + width, out=out)
    _distance(out, 1.0, out)


class _Formula(NamedTuple):
    """How a kernel is computed in place, how its metric is turned back, how far that reaches, and what it needs promised."""

    fill: Callable[[Floats, float, Floats], None]
    inverse: Callable[[Floats, float], Floats]
    supremum: float
    needs: str


_FORMULAS: dict[str, _Formula] = {
    "distance": _Formula(_distance, lambda r, s: r, math.inf, "hilbertian"),
    "gaussian": _Formula(_gaussian, lambda r, s: s * np.sqrt(-np.log1p(-(r**2) / 2.0)), math.sqrt(2.0), "hilbertian"),
    "laplace": _Formula(_laplace, lambda r, s: -s * np.log1p(-(r**2) / 2.0), math.sqrt(2.0), "negative_type"),
    "bounded": _Formula(_bounded, lambda r, s: s * r / (1.0 - r), 1.0, "hilbertian"),
}
assert set(_FORMULAS) == set(get_args(KernelName))

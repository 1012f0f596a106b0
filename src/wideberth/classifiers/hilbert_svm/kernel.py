"""Kernels of a distance: their formulas, the metric that each induces, and the inverse of that metric.

An SVM sees a distance only through a kernel, and of the kernel only the metric that it induces. Each kernel here is a function of
the distance alone, so that it works for objects of any kind. Whether a kernel is positive definite on a given distance is the
subject of `wideberth.classifiers.hilbert_svm.kernel_choice`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from wideberth.array_types import Floats
from wideberth.estimators.radial_functions import share

KernelName = Literal["distance", "gaussian", "laplace", "bounded"]

#: Repairs of a spectrum, as users name them.
REPAIRS = ("clip", "flip", "shift")
#: Values that go through all steps of a formula together: few enough to stay in the cache of one core.
_AT_ONCE = 2**15


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

    Kernels that differ by :math:`g(x) + g(y)` induce the same metric, and the solution of an SVM depends on that metric alone
    (Hein, Bousquet & Schoelkopf 2005, Theorem 5). So :math:`-e^2 / 2` represents all of them; its values are 0 at distance 0 and
    negative for others. For the gaussian and the Laplace kernel they are the textbook values minus 1.

    Parameters
    ----------
    name : {"distance", "gaussian", "laplace", "bounded"}
        The formula, a row of the table.
    width : float, optional
        s, positive and in the unit of d; None for "distance", which has no width.
    jump : float, default 0
        :math:`\delta`, not negative. Objects at a positive distance are moved farther apart, :math:`e^2 + 2 \delta` instead of
        :math:`e^2`. On a kernel matrix this adds :math:`\delta` to the diagonal, up to a constant: the repair "shift".

    Examples
    --------
    >>> bell = HilbertKernel("gaussian", 2.0)
    >>> 1 + bell.values(np.array([0.0, 2.0])).round(3)  # the values in textbooks
    array([1.   , 0.368])
    >>> bell.metric(np.array([2.0])), bell.inverse(bell.metric(np.array([2.0])))
    (array([1.12438477]), array([2.]))
    """

    name: KernelName
    width: float | None = None
    jump: float = 0.0

    @property
    def needs(self) -> str:
        """The promise of d under which the kernel is positive definite for all objects: "hilbertian" or "negative_type"."""
        return _FORMULAS[self.name].needs

    @property
    def supremum(self) -> float:
        """The limit of the induced metric for large distances, sup F: no two objects are farther apart in it."""
        return _FORMULAS[self.name].supremum

    def values(self, distances: Floats, out: Floats | None = None) -> Floats:
        """Compute the kernel :math:`-F^2(t) / 2` for every distance t.

        Parameters
        ----------
        distances : ndarray of shape (n, ...)
            Distances, none of them negative. At least one axis.
        out : ndarray of the same shape, optional
            Where to write the result. It may be ``distances`` itself, which is then overwritten: a kernel matrix then needs no
            more memory than the distances.

        Returns
        -------
        ndarray of the same shape
            The values, from 0 downwards; ``out`` if it was given.

        Examples
        --------
        >>> HilbertKernel("distance").values(np.array([0.0, 2.0]))
        array([-0., -2.])
        """
        out = np.empty_like(distances) if out is None else out
        fill, width = _FORMULAS[self.name].fill, self._width
        height = max(1, _AT_ONCE * len(distances) // max(1, distances.size))
        for first in range(0, len(distances), height):
            band, values = distances[first : first + height], out[first : first + height]
            apart = band > 0 if self.jump else None
            fill(band, width, values)
            if apart is not None:
                values[apart] -= self.jump
        return out

    def errors(self, values: Floats, relative: float, absolute: float | Floats) -> Floats:
        r"""Bound how far computed values k(t) may be from the exact ones, if t errs by :math:`\varepsilon t + u`.

        For "distance", :math:`k = -t^2 / 2`, an error :math:`\Delta` of t makes :math:`t \Delta + \Delta^2 / 2`, so that
        :math:`5 \varepsilon |k| + 2 u (t + u)` is enough, with a share of :math:`\varepsilon |k|` for the operations afterwards.
        The others are functions of :math:`x = t / s` for a width s, with :math:`|dk / dx| \le 1` and :math:`x |dk / dx| \le 2
        |k|`, which makes :math:`4 \varepsilon |k| + u / s`.

        Parameters
        ----------
        values : ndarray
            Values of the kernel.
        relative : float
            :math:`\varepsilon`.
        absolute : float or ndarray
            u, in the unit of the metric; an array is broadcast.

        Returns
        -------
        ndarray
            The bounds, of the shape of ``values``.

        Examples
        --------
        >>> HilbertKernel("distance").errors(np.array([-2.0]), relative=0.0, absolute=0.1)
        array([0.42])
        >>> HilbertKernel("laplace", 2.0).errors(np.array([-0.5]), relative=0.0, absolute=0.1)
        array([0.05])
        """
        if self.name == "distance":
            sizes = np.abs(values)
            return 5.0 * relative * sizes + 2.0 * absolute * (np.sqrt(2.0 * sizes) + absolute)
        return 4.0 * relative * np.abs(values) + absolute / self._width

    def errors_gained(self, moved: Floats, relative: float, absolute: float | Floats) -> Floats:
        r"""Bound by how much `errors` may exceed twice its bound where an object has moved, in the induced metric.

        For "distance", t becomes at most t + r, and :math:`(t + r)^2 \le 2 t^2 + 2 r^2`: that is
        :math:`5 \varepsilon r^2 + 2 u r`. The others have :math:`|k| \le 1`, which makes :math:`4 \varepsilon`.

        Parameters
        ----------
        moved : ndarray
            How far r.
        relative, absolute
            As for `errors`.

        Returns
        -------
        ndarray
            The bounds, of the shape of ``moved``.

        Examples
        --------
        >>> HilbertKernel("distance").errors_gained(np.array([3.0]), 0.0, 0.1)
        array([0.6])
        """
        if self.name == "distance":
            return 5.0 * relative * moved**2 + 2.0 * absolute * moved
        return np.full_like(moved, 4.0 * relative)

    def metric(self, distances: Floats) -> Floats:
        """Compute the induced metric F(t) for every distance t.

        Parameters
        ----------
        distances : ndarray of shape (n, ...)
            Distances in the unit of d.

        Returns
        -------
        ndarray of the same shape
            Distances in the Hilbert space of the kernel. Except for "distance" they have no unit.

        Examples
        --------
        >>> HilbertKernel("bounded", 3.0).metric(np.array([3.0])).round(6)
        array([0.5])
        """
        induced: Floats = np.sqrt(-2.0 * self.values(distances))
        return induced

    def inverse(self, radii: Floats) -> Floats:
        r"""Compute the distance t with F(t) = r for every radius r; the ``jump`` is ignored.

        F is increasing, so that all objects nearer than t in the metric d are nearer than r in the induced metric.

        Parameters
        ----------
        radii : ndarray of any shape
            Radii in the induced metric.

        Returns
        -------
        ndarray of the same shape
            Radii in the unit of d; infinite where :math:`r \ge \sup F`, because no object is so far away.

        Examples
        --------
        >>> HilbertKernel("bounded", 3.0).inverse(np.array([0.5, 1.0]))
        array([ 3., inf])
        """
        out = np.full_like(radii, math.inf)
        inside = ~(radii >= self.supremum)  # nan stays nan
        out[inside] = _FORMULAS[self.name].inverse(radii[inside], self._width)
        return out

    @property
    def _width(self) -> float:
        return 1.0 if self.width is None else self.width


def _distance(distances: Floats, width: float, out: Floats) -> None:
    np.multiply(distances, distances, out=out)
    np.multiply(out, -0.5, out=out)


def _gaussian(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, width, out=out)  # before squaring, which could overflow
    np.multiply(out, -out, out=out)
    np.expm1(out, out=out)


def _laplace(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, -width, out=out)
    np.expm1(out, out=out)


def _bounded(distances: Floats, width: float, out: Floats) -> None:
    np.divide(distances, distances + width, out=out)
    _distance(out, 1.0, out)


class _Formula(NamedTuple):
    """How to compute a kernel, and what is known about it.

    Attributes
    ----------
    fill : callable
        ``fill(distances, width, out)`` writes the kernel into ``out``, which may be ``distances``.
    inverse : callable
        ``inverse(radii, width)`` solves F(t) = r for radii below the supremum.
    supremum : float
        sup F.
    needs : str
        The promise that makes the kernel positive definite.
    """

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


def read_kernel(name: str, width: Any, scale: float) -> list[HilbertKernel]:
    """Turn a kernel and a width, as users write them, into kernels with a width in the unit of the metric.

    Parameters
    ----------
    name : str
        The name of a kernel, or "auto", which stands for the gaussian and the Laplace kernel, in this order.
    width : "auto", float or str
        A number in the unit of the metric; a share of ``scale`` such as "70%"; "auto" is the ``scale`` itself. Ignored for
        "distance".
    scale : float
        The median distance of the sample.

    Returns
    -------
    list of HilbertKernel
        One kernel, or two for "auto".

    Examples
    --------
    >>> read_kernel("laplace", "50%", scale=4.0)
    [HilbertKernel(name='laplace', width=2.0, jump=0.0)]
    >>> [kernel.name for kernel in read_kernel("auto", "auto", scale=4.0)]
    ['gaussian', 'laplace']
    """
    if name == "distance":
        return [HilbertKernel("distance")]
    part = 1.0 if isinstance(width, str) and width == "auto" else share(width)
    number = float(width) if part is None else part * scale
    names = ["gaussian", "laplace"] if name == "auto" else [name]
    return [HilbertKernel(cast(KernelName, kernel), number) for kernel in names]

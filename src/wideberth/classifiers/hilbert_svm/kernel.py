"""Kernels of a distance, the Hilbertian metric that each induces, and which of them a distance allows."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from wideberth.arrays import Floats, Indices
from wideberth.errors import BrokenAxiom, InvalidInput
from wideberth.estimators.radial import share
from wideberth.geometry.shape.distortion import Distortion
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.metrics.axioms import Violation, find_asymmetry, find_negative, find_non_finite, find_nonzero_self
from wideberth.metrics.metric import Metric
from wideberth.metrics.transforms.known import closed
from wideberth.rounding import EIGENVALUE_ERROR

KernelName = Literal["distance", "gaussian", "laplace", "bounded"]

#: Repairs of a spectrum, as users name them.
REPAIRS = ("clip", "flip", "shift")
#: Values that several steps of a formula are worked out for at once: they stay in a core's own cache.
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


def read_kernel(name: str, width: Any, scale: float) -> list[HilbertKernel]:
    """The kernels that a name and a width mean, where ``scale`` is the median distance: two for "auto".

    >>> read_kernel("laplace", "50%", scale=4.0)
    [HilbertKernel(name='laplace', width=2.0, jump=0.0)]
    """
    if name == "distance":
        return [HilbertKernel("distance")]
    part = 1.0 if isinstance(width, str) and width == "auto" else share(width)
    number = float(width) if part is None else part * scale
    names = ["gaussian", "laplace"] if name == "auto" else [name]
    return [HilbertKernel(cast(KernelName, each), number) for each in names]


@dataclass(frozen=True)
class KernelReport:
    """Why a kernel may be used on a distance, or what was done so that it can.

    ``promised`` says whether the metric promises what the kernel ``needs``. Where it does not, the centred kernel matrix of
    ``examined`` objects was looked at: ``spectrum`` has its eigenvalues if some are negative, and ``repair`` says what became of
    those; otherwise none lies below -1e-8 of its norm, which a Cholesky factorisation proves without them.
    ``distortion`` compares the repaired distances with those before. ``approximation`` is the share of the kernel matrix,
    measured by its trace, that landmarks leave out, and ``farthest`` how far an object is at most from what they span.
    """

    kernel: str
    needs: str
    promised: bool
    examined: int = 0
    spectrum: Spectrum | None = None
    repair: str | None = None
    distortion: Distortion | None = None
    approximation: float | None = None
    farthest: float | None = None

    def __str__(self) -> str:
        name = f"The kernel {self.kernel!r}"
        if self.promised:
            text = f"{name} is valid: the metric promises {self.needs}."
        elif self.repair is None:
            text = f"{name} is positive on {self.examined} objects: measured, not promised."
        elif self.spectrum is None:
            text = f"{name} is positive on {self.examined} landmarks, but not beyond them: no Hilbert margin."
        else:
            text = f"{name} is indefinite on {self.examined} objects ({shown(self.spectrum)}), {_REPAIRED[self.repair]}."
        if self.approximation is not None:
            text += f" Landmarks leave out {self.approximation:.2%} of it."
        return text


_REPAIRED = {"clip": "clipped", "flip": "flipped", "shift": "shifted"}


def shown(spectrum: Spectrum) -> str:
    """The numbers of a spectrum, in words."""
    return (
        f"eigenvalues from {spectrum.smallest:.3g} to {spectrum.largest:.3g}, {spectrum.negative_part:.2%} of their sum negative"
    )


def choose_kernel(
    distances: Floats, metric: Metric, candidates: list[HilbertKernel], repair: str, positions: Indices
) -> tuple[HilbertKernel, KernelReport]:
    """The first candidate that is promised, else the first that is positive on the sample, else the first, to be repaired.

    Without a repair the last case is an error that shows the eigenvalues. ``positions`` say where the objects stood.
    """
    promised = promised_kernel(metric, candidates)
    if promised is not None:
        if not math.isfinite(distances.sum()):  # as good as free beside what comes; promises are not about what is missing
            _refuse_violations(distances, metric, positions, find_non_finite)
        return promised, KernelReport(promised.name, promised.needs, promised=True)
    if not metric.obeys_triangle:
        _refuse_violations(distances, metric, positions, find_non_finite, find_negative, find_nonzero_self, find_asymmetry)
    examined = len(distances)
    for kernel in candidates:
        if is_positive(_centred_values(kernel, distances)):
            return kernel, KernelReport(kernel.name, kernel.needs, promised=False, examined=examined)
    if repair == "error":
        spectra = [Spectrum.of(_centred_values(kernel, distances)) for kernel in candidates]
        raise _indefinite(metric, candidates, spectra, examined)
    first = candidates[0]
    return first, KernelReport(first.name, first.needs, promised=False, examined=examined, repair=repair)


def promised_kernel(metric: Metric, candidates: list[HilbertKernel]) -> HilbertKernel | None:
    """The first kernel that a promise of the metric makes valid, if any."""
    promises = closed(metric.promises)
    return next((kernel for kernel in candidates if getattr(promises, kernel.needs)), None)


def is_positive(gram: Floats) -> bool:
    """Whether no eigenvalue of a symmetric matrix lies below -1e-8 of its Frobenius norm, by a Cholesky factorisation.

    >>> is_positive(np.diag([1.0, 0.0])), is_positive(np.diag([1.0, -1e-6]))
    (True, False)
    """
    slack = EIGENVALUE_ERROR * float(np.linalg.norm(gram))
    lifted = gram.copy()
    lifted.ravel()[:: len(gram) + 1] += slack if slack else 1.0
    try:
        cholesky(lifted.T, lower=True, overwrite_a=True, check_finite=False)  # columns first, as LAPACK has them: no more copies
    except LinAlgError:
        return False
    return True


def _centred_values(kernel: HilbertKernel, distances: Floats) -> Floats:
    return centred(-2.0 * kernel.values(distances))


def _refuse_violations(
    distances: Floats, metric: Metric, positions: Indices, *finders: Callable[[Floats], Violation | None]
) -> None:
    """Raise an error with the first violation that is found."""
    for find in finders:
        violation = find(distances)
        if violation is not None:
            error: BrokenAxiom = violation.at(positions).error(metric.name)
            raise error


def _indefinite(metric: Metric, candidates: list[HilbertKernel], spectra: list[Spectrum], n_objects: int) -> InvalidInput:
    said = "; ".join(f"{kernel.name!r} has {shown(each)}" for kernel, each in zip(candidates, spectra, strict=True))
    narrow = " a narrower width," if any(each.width for each in candidates) else ""
    return InvalidInput(
        f"{metric.name!r} gives no valid kernel: it does not promise {_needed(candidates)}, and on {n_objects} objects {said}.",
        advice=f"Pass repair='clip', 'flip' or 'shift', which ends the Hilbert margin;{narrow} another kernel, or another "
        "metric (wideberth.diagnose) may keep it.",
        value=tuple((each.smallest, each.largest, each.negative_part) for each in spectra),
    )


def _needed(candidates: list[HilbertKernel]) -> str:
    return " or ".join(dict.fromkeys(each.needs for each in candidates))

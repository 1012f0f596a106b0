"""Kernels of a distance: their formulas, the metric that each induces, and the inverse of that
metric.

An SVM sees a distance only through a kernel, and of the kernel only the metric that it induces.
Each kernel here is a function of the distance alone, so that it works for objects of any kind.
Whether a kernel is positive definite on a given distance is the subject of
`wideberth.classifiers.hilbert_svm.kernel`.

**Which kernel may be used on a distance: one promised to be positive definite, one that is so on
the sample, or a repaired one.**

A promise of the metric settles the question for all objects. Without it the centred kernel matrix
of the training objects is examined; positive eigenvalues there say nothing about new objects, so
that labels can be predicted, but radii come from the triangle inequality alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, cast, get_args

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from wideberth.array_types import Floats, Indices
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.radial_expansions import share
from wideberth.estimators.training import refuse_broken_axioms, refuse_violations
from wideberth.geometry.shape.distortion import Distortion
from wideberth.geometry.shape.gram import Spectrum, centre
from wideberth.metrics.axioms import find_non_finite
from wideberth.metrics.metric import Metric
from wideberth.metrics.transforms.promise_rules import closed
from wideberth.rounding import EIGENVALUE_ERROR
from wideberth.wording import python, setting

KernelName = Literal["distance", "gaussian", "laplace", "bounded"]

#: Repairs of a spectrum, as users name them.
REPAIRS = ("clip", "flip", "shift")
#: Values that go through all steps of a formula together: few enough to stay in the cache of one
#: core.
_AT_ONCE = 2**15


@dataclass(frozen=True)
class HilbertKernel:
    r"""A kernel :math:`k = -e^2 / 2` of a distance d, where :math:`e = F(d)` is the metric that it
    induces.

    ============ ======================= ================================= ================== ===================
    name         kernel in textbooks     :math:`F^2(t)`                    sup F              Hilbertian if d
    ============ ======================= ================================= ================== ===================
    "distance"   :math:`-d^2 / 2`        :math:`t^2`                       :math:`\infty`     is Hilbertian
    "gaussian"   :math:`e^{-d^2 / s^2}`  :math:`2 - 2 e^{-t^2 / s^2}`      :math:`\sqrt 2`    is Hilbertian
    "laplace"    :math:`e^{-d / s}`      :math:`2 - 2 e^{-t / s}`          :math:`\sqrt 2`    is of negative type
    "bounded"    :math:`-e^2 / 2`        :math:`(t / (s + t))^2`           1                  is Hilbertian
    ============ ======================= ================================= ================== ===================

    Kernels that differ by :math:`g(x) + g(y)` induce the same metric, and the solution of an SVM
    depends on that metric alone (Hein, Bousquet & Schoelkopf 2005, Theorem 5). So :math:`-e^2 / 2`
    represents all of them; its values are 0 at distance 0 and negative for others. For the gaussian
    and the Laplace kernel they are the textbook values minus 1.

    Parameters
    ----------
    name : {"distance", "gaussian", "laplace", "bounded"}
        The formula, a row of the table.
    width : float, optional
        s, positive and in the unit of d; None for "distance", which has no width.
    jump : float, default 0
        :math:`\delta`, not negative. Objects at a positive distance are moved farther apart,
        :math:`e^2 + 2 \delta` instead of :math:`e^2`. On a kernel matrix this adds :math:`\delta`
        to the diagonal, up to a constant: the repair "shift".

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

    #: Every kernel here falls with the distance, from 0 on.
    is_decreasing: ClassVar[bool] = True

    @property
    def needs(self) -> str:
        """The promise of d under which the kernel is positive definite for all objects:
        "hilbertian" or "negative_type".
        """
        return _FORMULAS[self.name].needs

    @property
    def supremum(self) -> float:
        """The limit of the induced metric for large distances, sup F: no two objects are farther
        apart in it.
        """
        return _FORMULAS[self.name].supremum

    def values(self, distances: Floats, out: Floats | None = None) -> Floats:
        """Compute the kernel :math:`-F^2(t) / 2` for every distance t.

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

    #: What an expansion is a sum of (`wideberth.estimators.radial_expansions.Column`).
    column = values

    def errors(self, values: Floats, relative: float, absolute: float | Floats) -> Floats:
        r"""Bound how far computed values k(t) may be from the exact ones, if t errs by
        :math:`\varepsilon t + u`.

        For "distance", :math:`k = -t^2 / 2`, an error :math:`\Delta` of t makes :math:`t \Delta +
        \Delta^2 / 2`, so that :math:`5 \varepsilon |k| + 2 u (t + u)` is enough, with a share of
        :math:`\varepsilon |k|` for the operations afterwards. The others are functions of :math:`x
        = t / s` for a width s, with :math:`|dk / dx| \le 1` and :math:`x |dk / dx| \le 2
        |k|`, which makes :math:`4 \varepsilon |k| + u / s`.

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
        r"""Bound by how much `errors` may exceed twice its bound where an object has moved, in the
        induced metric.

        For "distance", t becomes at most t + r, and :math:`(t + r)^2 \le 2 t^2 + 2 r^2`: that is
        :math:`5 \varepsilon r^2 + 2 u r`. The others have :math:`|k| \le 1`, which makes :math:`4
        \varepsilon`.

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

        Examples
        --------
        >>> HilbertKernel("bounded", 3.0).metric(np.array([3.0])).round(6)
        array([0.5])
        """
        induced: Floats = np.sqrt(-2.0 * self.values(distances))
        return induced

    def inverse(self, radii: Floats) -> Floats:
        r"""Compute the distance t with F(t) = r for every radius r; the ``jump`` is ignored.

        F is increasing, so that all objects nearer than t in the metric d are nearer than r in the
        induced metric.

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
    """How to compute a kernel, and what is known about it."""

    #: ``fill(distances, width, out)`` writes the kernel into ``out``, which may be ``distances``.
    fill: Callable[[Floats, float, Floats], None]
    #: ``inverse(radii, width)`` solves F(t) = r for radii below the supremum.
    inverse: Callable[[Floats, float], Floats]
    supremum: float
    #: The promise that makes the kernel positive definite.
    needs: str


_FORMULAS: dict[str, _Formula] = {
    "distance": _Formula(_distance, lambda r, s: r, math.inf, "hilbertian"),
    "gaussian": _Formula(
        _gaussian, lambda r, s: s * np.sqrt(-np.log1p(-(r**2) / 2.0)), math.sqrt(2.0), "hilbertian"
    ),
    "laplace": _Formula(
        _laplace, lambda r, s: -s * np.log1p(-(r**2) / 2.0), math.sqrt(2.0), "negative_type"
    ),
    "bounded": _Formula(_bounded, lambda r, s: s * r / (1.0 - r), 1.0, "hilbertian"),
}
assert set(_FORMULAS) == set(get_args(KernelName))


def read_kernel(name: str, width: Any, scale: float) -> list[HilbertKernel]:
    """Turn a kernel and a width, as users write them, into kernels with a width in the unit of the
    metric.

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


@dataclass(frozen=True)
class KernelReport:
    """Why a kernel may be used on a distance, or what was done to make it usable.

    Attributes
    ----------
    kernel : str
        The name of the kernel.
    needs : str
        The promise that makes it positive definite for all objects: "hilbertian" or
        "negative_type".
    promised : bool
        Whether the metric makes this promise. If so, no matrix was examined.
    examined : int
        The number of objects whose centred kernel matrix was examined.
    spectrum : Spectrum or None
        The eigenvalues of that matrix, if some are negative; of a large one that was shifted, the
        smallest and the largest. None means that none lies below -1e-8 of its norm, which a
        Cholesky factorisation proves without computing them.
    repair : {"clip", "flip", "shift"} or None
        What was done about negative eigenvalues.
    distortion : Distortion or None
        How far the repaired distances are from the original ones.
    approximation : float or None
        The share of the kernel matrix, measured by its trace, that the span of the landmarks does
        not contain.
    farthest : float or None
        The largest distance of a training object from that span, in the induced metric.

    Examples
    --------
    >>> print(KernelReport("laplace", "negative_type", promised=False, examined=40))
    The kernel 'laplace' is positive on 40 objects: measured, not promised.
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
            text = (
                f"{name} is positive on {self.examined} landmarks, but not beyond them: no Hilbert "
                "margin."
            )
        else:
            text = (
                f"{name} is indefinite on {self.examined} objects "
                f"({describe_spectrum(self.spectrum)}), {_REPAIRED[self.repair]}."
            )
        if self.approximation is not None:
            text += f" Landmarks leave out {self.approximation:.2%} of it."
        return text

    @property
    def certifies(self) -> bool:
        """Whether the kernel is promised to be valid, and so is the margin in its Hilbert space."""
        return self.promised and self.repair is None

    def refuse_uncertified(self, metric_name: str) -> None:
        """Raise an error if the kernel is not promised to be valid, so that a radius would not be
        proved.

        Examples
        --------
        >>> KernelReport("gaussian", "hilbertian", promised=True).refuse_uncertified("euclidean")
        """
        if self.repair is not None:
            raise NotCertified(
                f"The kernel {self.kernel!r} of {metric_name!r} was indefinite and is repaired "
                f"({self.repair}): there is no Hilbert margin, so there is no radius by it.",
                advice="Choose a metric, or a transform of one, that promises a valid kernel "
                f"({python('wideberth.diagnose')}); for "
                "certified_radius the triangle inequality is enough.",
                missing=self.needs,
            )
        if not self.promised:
            raise NotCertified(
                f"A radius needs the promise {self.needs!r}, which {metric_name!r} does not make: "
                f"the kernel {self.kernel!r} was only measured to be positive on the training "
                "objects.",
                advice="Choose a metric that promises it, or declare it if proved; for "
                "certified_radius obeys_triangle is enough.",
                missing=self.needs,
            )


_REPAIRED = {"clip": "clipped", "flip": "flipped", "shift": "shifted"}


def describe_spectrum(spectrum: Spectrum) -> str:
    """Describe eigenvalues in a few words: the smallest, the largest, and, if all are known, the
    negative share of their sum.

    Examples
    --------
    >>> describe_spectrum(Spectrum(np.array([-1.0, 0.0, 3.0])))
    'eigenvalues from -1 to 3, 25.00% of their sum negative'
    """
    share = f", {spectrum.negative_part:.2%} of their sum negative" if spectrum.whole else ""
    return f"eigenvalues from {spectrum.smallest:.3g} to {spectrum.largest:.3g}{share}"


def choose_kernel(
    distances: Floats,
    metric: Metric,
    candidates: list[HilbertKernel],
    repair: str,
    positions: Indices,
) -> tuple[HilbertKernel, KernelReport]:
    """Choose the first kernel that the metric allows.

    That is the first candidate that is promised to be positive definite; else the first that is so
    on the sample; else the first candidate, to be repaired. A metric that promises the triangle
    inequality is also believed to be symmetric and zero on the diagonal; other distances are
    checked.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> line = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> kernel, report = choose_kernel(
    ...     line, metric("euclidean"), [HilbertKernel("distance")], "error", np.arange(2)
    ... )
    >>> kernel.name, report.promised
    ('distance', True)
    """
    promised = promised_kernel(metric, candidates)
    if promised is not None:
        if not math.isfinite(distances.sum()):  # cheap; a promise does not exclude missing values
            refuse_violations(distances, metric, positions, find_non_finite)
        return promised, KernelReport(promised.name, promised.needs, promised=True)
    refuse_broken_axioms(distances, metric, positions)
    examined = len(distances)
    for kernel in candidates:
        if is_positive_on(kernel, distances):
            return kernel, KernelReport(
                kernel.name, kernel.needs, promised=False, examined=examined
            )
    if repair == "error":
        spectra = [Spectrum.of(_centred_values(kernel, distances)) for kernel in candidates]
        raise _indefinite_error(metric, candidates, spectra, examined)
    first = candidates[0]
    return first, KernelReport(
        first.name, first.needs, promised=False, examined=examined, repair=repair
    )


def promised_kernel(metric: Metric, candidates: list[HilbertKernel]) -> HilbertKernel | None:
    """Find the first kernel that a promise of the metric makes positive definite.

    Promises imply others: a metric of which only ``hilbertian`` is declared is also of negative
    type.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> promised_kernel(metric("euclidean"), [HilbertKernel("gaussian", 1.0)]).name
    'gaussian'
    >>> promised_kernel(metric("levenshtein"), [HilbertKernel("gaussian", 1.0)]) is None
    True
    """
    promises = closed(metric.promises)
    return next((kernel for kernel in candidates if getattr(promises, kernel.needs)), None)


def is_positive_on(kernel: HilbertKernel, distances: Floats) -> bool:
    """Test whether the centred matrix of a kernel is positive semi-definite on given distances
    (`is_positive`).

    Examples
    --------
    >>> is_positive_on(
    ...     HilbertKernel("distance"), np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    ... )  # 3 > 1 + 1
    False
    """
    return is_positive(_centred_values(kernel, distances))


def is_positive(gram: Floats) -> bool:
    """Test whether a symmetric matrix has no eigenvalue below -1e-8 of its Frobenius norm.

    A Cholesky factorisation of the matrix with a raised diagonal exists exactly then, up to
    rounding; it is faster than computing the eigenvalues.

    Examples
    --------
    >>> (
    ...     is_positive(np.diag([1.0, 0.0])),
    ...     is_positive(np.diag([1.0, -1e-6])),
    ...     is_positive(np.diag([1e200, -1e199])),
    ... )
    (True, False, False)
    """
    if not math.isfinite(np.linalg.norm(gram)):  # its squares overflow: no matrix would be refused
        gram /= np.abs(gram).max()
    slack = EIGENVALUE_ERROR * float(np.linalg.norm(gram))
    gram.ravel()[:: len(gram) + 1] += slack if slack else 1.0
    try:
        # in column order, as LAPACK needs it: no copy
        cholesky(gram.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def _centred_values(kernel: HilbertKernel, distances: Floats) -> Floats:
    """The centred kernel matrix, whose eigenvalues decide whether the kernel is conditionally
    positive definite.
    """
    values = kernel.values(distances)
    centre(values)
    return values


def _indefinite_error(
    metric: Metric, candidates: list[HilbertKernel], spectra: list[Spectrum], n_objects: int
) -> InvalidInput:
    """The error for a metric on which every candidate kernel has negative eigenvalues."""
    pairs = zip(candidates, spectra, strict=True)
    findings = "; ".join(
        f"{kernel.name!r} has {describe_spectrum(spectrum)}" for kernel, spectrum in pairs
    )
    narrow = " a narrower width," if any(kernel.width for kernel in candidates) else ""
    return InvalidInput(
        f"{metric.name!r} gives no valid kernel: it does not promise {_needs_of(candidates)}, and "
        f"on {n_objects} objects {findings}.",
        advice=f"Pass {setting('repair', 'clip')}, 'flip' or 'shift', which ends the Hilbert "
        f"margin;{narrow} another kernel, or another metric ({python('wideberth.diagnose')}) may "
        "keep it.",
        value=tuple(
            (spectrum.smallest, spectrum.largest, spectrum.negative_part) for spectrum in spectra
        ),
    )


def _needs_of(candidates: list[HilbertKernel]) -> str:
    return " or ".join(dict.fromkeys(kernel.needs for kernel in candidates))

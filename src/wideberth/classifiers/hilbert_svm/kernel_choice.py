"""Which kernel may be used on a distance: one promised to be positive definite, one that is so on the sample, or a repaired one.

A promise of the metric settles the question for all objects. Without it the centred kernel matrix of the training objects is
examined; positive eigenvalues there say nothing about new objects, so that labels can be predicted, but radii come from the
triangle inequality alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel
from wideberth.errors import BrokenAxiom, InvalidInput, NotCertified
from wideberth.geometry.shape.distortion import Distortion
from wideberth.geometry.shape.gram import Spectrum, centre
from wideberth.metrics.axioms import Violation, find_asymmetry, find_negative, find_non_finite, find_nonzero_self
from wideberth.metrics.metric import Metric
from wideberth.metrics.transforms.promise_rules import closed
from wideberth.rounding import EIGENVALUE_ERROR
from wideberth.wording import python, setting


@dataclass(frozen=True)
class KernelReport:
    """Why a kernel may be used on a distance, or what was done to make it usable.

    Attributes
    ----------
    kernel : str
        The name of the kernel.
    needs : str
        The promise that makes it positive definite for all objects: "hilbertian" or "negative_type".
    promised : bool
        Whether the metric makes this promise. If so, no matrix was examined.
    examined : int
        The number of objects whose centred kernel matrix was examined.
    spectrum : Spectrum or None
        The eigenvalues of that matrix, if some are negative; of a large one that was shifted, the smallest and the largest. None
        means that none lies below -1e-8 of its norm, which a Cholesky factorisation proves without computing them.
    repair : {"clip", "flip", "shift"} or None
        What was done about negative eigenvalues.
    distortion : Distortion or None
        How far the repaired distances are from the original ones.
    approximation : float or None
        The share of the kernel matrix, measured by its trace, that the span of the landmarks does not contain.
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
            text = f"{name} is positive on {self.examined} landmarks, but not beyond them: no Hilbert margin."
        else:
            text = (
                f"{name} is indefinite on {self.examined} objects ({describe_spectrum(self.spectrum)}), {_REPAIRED[self.repair]}."
            )
        if self.approximation is not None:
            text += f" Landmarks leave out {self.approximation:.2%} of it."
        return text

    @property
    def certifies(self) -> bool:
        """Whether the kernel is promised to be valid, and so is the margin in its Hilbert space."""
        return self.promised and self.repair is None

    def refuse_uncertified(self, metric_name: str) -> None:
        """Raise an error if the kernel is not promised to be valid, so that a radius would not be proved.

        Parameters
        ----------
        metric_name : str
            The name of the metric, for the message.

        Raises
        ------
        NotCertified
            If the kernel was repaired, or was only measured to be positive on the training objects.

        Examples
        --------
        >>> KernelReport("gaussian", "hilbertian", promised=True).refuse_uncertified("euclidean")
        """
        if self.repair is not None:
            raise NotCertified(
                f"The kernel {self.kernel!r} of {metric_name!r} was indefinite and is repaired ({self.repair}): there "
                "is no Hilbert margin, so there is no radius by it.",
                advice="Choose a metric, or a transform of one, that promises a valid kernel "
                f"({python('wideberth.diagnose')}); for "
                "certified_radius the triangle inequality is enough.",
                missing=self.needs,
            )
        if not self.promised:
            raise NotCertified(
                f"A radius needs the promise {self.needs!r}, which {metric_name!r} does not make: the kernel "
                f"{self.kernel!r} was only measured to be positive on the training objects.",
                advice="Choose a metric that promises it, or declare it if proved; for certified_radius "
                "obeys_triangle is enough.",
                missing=self.needs,
            )


_REPAIRED = {"clip": "clipped", "flip": "flipped", "shift": "shifted"}


def describe_spectrum(spectrum: Spectrum) -> str:
    """Describe eigenvalues in a few words: the smallest, the largest, and, if all are known, the negative share of their sum.

    Examples
    --------
    >>> describe_spectrum(Spectrum(np.array([-1.0, 0.0, 3.0])))
    'eigenvalues from -1 to 3, 25.00% of their sum negative'
    """
    share = f", {spectrum.negative_part:.2%} of their sum negative" if spectrum.whole else ""
    return f"eigenvalues from {spectrum.smallest:.3g} to {spectrum.largest:.3g}{share}"


def choose_kernel(
    distances: Floats, metric: Metric, candidates: list[HilbertKernel], repair: str, positions: Indices
) -> tuple[HilbertKernel, KernelReport]:
    """Choose the first kernel that the metric allows.

    That is the first candidate that is promised to be positive definite; else the first that is so on the sample; else the first
    candidate, to be repaired. A metric that promises the triangle inequality is also believed to be symmetric and zero on the
    diagonal; other distances are checked.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        All distances between the objects of the sample.
    metric : Metric
        Their metric, for its promises and its name.
    candidates : list of HilbertKernel
        Kernels in the order of preference, at least one.
    repair : {"error", "clip", "flip", "shift"}
        What to do if no candidate is positive definite.
    positions : ndarray of shape (n,)
        The positions of the objects in X, for error messages.

    Returns
    -------
    tuple of (HilbertKernel, KernelReport)
        The kernel before any repair, and the report; its ``repair`` is set if one is needed, its ``spectrum`` is not yet.

    Raises
    ------
    BrokenAxiom
        If distances are missing, or, without a promise, negative, asymmetric, or not 0 on the diagonal.
    InvalidInput
        If no candidate is positive definite and ``repair="error"``; the message shows the eigenvalues.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> line = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> kernel, report = choose_kernel(line, metric("euclidean"), [HilbertKernel("distance")], "error", np.arange(2))
    >>> kernel.name, report.promised
    ('distance', True)
    """
    promised = promised_kernel(metric, candidates)
    if promised is not None:
        if not math.isfinite(distances.sum()):  # cheap; a promise does not exclude missing values
            _refuse_violations(distances, metric, positions, find_non_finite)
        return promised, KernelReport(promised.name, promised.needs, promised=True)
    refuse_broken_axioms(distances, metric, positions)
    examined = len(distances)
    for kernel in candidates:
        if is_positive_on(kernel, distances):
            return kernel, KernelReport(kernel.name, kernel.needs, promised=False, examined=examined)
    if repair == "error":
        spectra = [Spectrum.of(_centred_values(kernel, distances)) for kernel in candidates]
        raise _indefinite_error(metric, candidates, spectra, examined)
    first = candidates[0]
    return first, KernelReport(first.name, first.needs, promised=False, examined=examined, repair=repair)


def promised_kernel(metric: Metric, candidates: list[HilbertKernel]) -> HilbertKernel | None:
    """Find the first kernel that a promise of the metric makes positive definite.

    Promises imply others: a metric of which only ``hilbertian`` is declared is also of negative type.

    Returns
    -------
    HilbertKernel or None
        None if no candidate is promised.

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


def refuse_broken_axioms(distances: Floats, metric: Metric, positions: Indices) -> None:
    """Raise an error for distances that are missing, negative, asymmetric, or not 0 on the diagonal.

    A metric that promises the triangle inequality is believed.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        All distances between the objects of the sample.
    metric : Metric
        Their metric.
    positions : ndarray of shape (n,)
        The positions of the objects in X.

    Raises
    ------
    BrokenAxiom
        With the objects at fault.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> refuse_broken_axioms(np.zeros((2, 2)), metric("euclidean"), np.arange(2))
    """
    if not metric.obeys_triangle:
        _refuse_violations(distances, metric, positions, find_non_finite, find_negative, find_nonzero_self, find_asymmetry)


def is_positive_on(kernel: HilbertKernel, distances: Floats) -> bool:
    """Test whether the centred matrix of a kernel is positive semi-definite on given distances (`is_positive`).

    Examples
    --------
    >>> is_positive_on(HilbertKernel("distance"), np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]]))  # 3 > 1 + 1
    False
    """
    return is_positive(_centred_values(kernel, distances))


def is_positive(gram: Floats) -> bool:
    """Test whether a symmetric matrix has no eigenvalue below -1e-8 of its Frobenius norm.

    A Cholesky factorisation of the matrix with a raised diagonal exists exactly then, up to rounding; it is faster
    than computing the eigenvalues.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        A symmetric matrix of finite numbers. It is overwritten.

    Returns
    -------
    bool
        Whether the matrix is positive semi-definite up to rounding.

    Examples
    --------
    >>> is_positive(np.diag([1.0, 0.0])), is_positive(np.diag([1.0, -1e-6])), is_positive(np.diag([1e200, -1e199]))
    (True, False, False)
    """
    if not math.isfinite(np.linalg.norm(gram)):  # its squares overflow: no matrix would be refused
        gram /= np.abs(gram).max()
    slack = EIGENVALUE_ERROR * float(np.linalg.norm(gram))
    gram.ravel()[:: len(gram) + 1] += slack if slack else 1.0
    try:
        cholesky(gram.T, lower=True, overwrite_a=True, check_finite=False)  # in column order, as LAPACK needs it: no copy
    except LinAlgError:
        return False
    return True


def _centred_values(kernel: HilbertKernel, distances: Floats) -> Floats:
    """The centred kernel matrix, whose eigenvalues decide whether the kernel is conditionally positive definite."""
    values = kernel.values(distances)
    centre(values)
    return values


def _refuse_violations(
    distances: Floats, metric: Metric, positions: Indices, *finders: Callable[[Floats], Violation | None]
) -> None:
    """Raise the error for the first axiom of a distance that is broken, with its witness; ``finders`` look for one axiom each."""
    for find in finders:
        violation = find(distances)
        if violation is not None:
            error: BrokenAxiom = violation.at(positions).error(metric.name)
            raise error


def _indefinite_error(metric: Metric, candidates: list[HilbertKernel], spectra: list[Spectrum], n_objects: int) -> InvalidInput:
    """The error for a metric on which every candidate kernel has negative eigenvalues."""
    pairs = zip(candidates, spectra, strict=True)
    findings = "; ".join(f"{kernel.name!r} has {describe_spectrum(spectrum)}" for kernel, spectrum in pairs)
    narrow = " a narrower width," if any(kernel.width for kernel in candidates) else ""
    return InvalidInput(
        f"{metric.name!r} gives no valid kernel: it does not promise {_needs_of(candidates)}, and on {n_objects} objects "
        f"{findings}.",
        advice=f"Pass {setting('repair', 'clip')}, 'flip' or 'shift', which ends the Hilbert margin;{narrow} another "
        "kernel, or another "
        f"metric ({python('wideberth.diagnose')}) may keep it.",
        value=tuple((spectrum.smallest, spectrum.largest, spectrum.negative_part) for spectrum in spectra),
    )


def _needs_of(candidates: list[HilbertKernel]) -> str:
    return " or ".join(dict.fromkeys(kernel.needs for kernel in candidates))

"""Which kernel a distance allows: by its promises, and by the eigenvalues on the sample where there is none."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky

from wideberth.classifiers.hilbert_kernel import HilbertKernel, KernelName
from wideberth.errors import BrokenAxiom, InvalidInput
from wideberth.estimators.radial import share
from wideberth.geometry.distortion import Distortion
from wideberth.geometry.gram import ROUNDING, Spectrum, centred
from wideberth.metrics.axioms import Violation, find_asymmetry, find_negative, find_non_finite, find_nonzero_self
from wideberth.metrics.metric import Metric
from wideberth.metrics.transforms.known import closed

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: Repairs of a spectrum, as users name them.
REPAIRS = ("clip", "flip", "shift")


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
            text = f"{name} is indefinite on {self.examined} objects ({shown(self.spectrum)}), {_DONE[self.repair]}."
        if self.approximation is not None:
            text += f" Landmarks leave out {self.approximation:.2%} of it."
        return text


_DONE = {"clip": "clipped", "flip": "flipped", "shift": "shifted"}


def choose_kernel(
    distances: Floats, metric: Metric, candidates: list[HilbertKernel], repair: str, positions: Indices
) -> tuple[HilbertKernel, KernelReport]:
    """The first candidate that is promised, else the first that is positive on the sample, else the first, to be repaired.

    Without a repair the last case is an error that shows the eigenvalues. ``positions`` say where the objects stood.
    """
    promised = promised_kernel(metric, candidates)
    if promised is not None:
        if not math.isfinite(distances.sum()):  # as good as free beside what comes; promises are not about what is missing
            _refuse(distances, metric, positions, find_non_finite)
        return promised, KernelReport(promised.name, promised.needs, promised=True)
    if not metric.obeys_triangle:
        _refuse(distances, metric, positions, find_non_finite, find_negative, find_nonzero_self, find_asymmetry)
    examined = len(distances)
    for kernel in candidates:
        if is_positive(_centred_values(kernel, distances)):
            return kernel, KernelReport(kernel.name, kernel.needs, promised=False, examined=examined)
    if repair == "error":
        spectra = [Spectrum.of(_centred_values(kernel, distances)) for kernel in candidates]
        raise _indefinite(metric, candidates, spectra, examined)
    first = candidates[0]
    return first, KernelReport(first.name, first.needs, promised=False, examined=examined, repair=repair)


def _centred_values(kernel: HilbertKernel, distances: Floats) -> Floats:
    return centred(-2.0 * kernel.values(distances))


def promised_kernel(metric: Metric, candidates: list[HilbertKernel]) -> HilbertKernel | None:
    """The first kernel that a promise of the metric makes valid, if any."""
    promises = closed(metric.promises)
    return next((kernel for kernel in candidates if getattr(promises, kernel.needs)), None)


def _refuse(distances: Floats, metric: Metric, positions: Indices, *finders: Callable[[Floats], Violation | None]) -> None:
    """Raise an error with the first violation that is found."""
    for find in finders:
        violation = find(distances)
        if violation is not None:
            error: BrokenAxiom = violation.at(positions).error(metric.name)
            raise error


def is_positive(gram: Floats) -> bool:
    """Whether no eigenvalue of a symmetric matrix lies below -1e-8 of its Frobenius norm, by a Cholesky factorisation.

    >>> is_positive(np.diag([1.0, 0.0])), is_positive(np.diag([1.0, -1e-6]))
    (True, False)
    """
    slack = ROUNDING * float(np.linalg.norm(gram))
    lifted = gram.copy()
    lifted.ravel()[:: len(gram) + 1] += slack if slack else 1.0
    try:
        cholesky(lifted.T, lower=True, overwrite_a=True, check_finite=False)  # columns first, as LAPACK has them: no more copies
    except LinAlgError:
        return False
    return True


def shown(spectrum: Spectrum) -> str:
    """The numbers of a spectrum, in words."""
    return (
        f"eigenvalues from {spectrum.smallest:.3g} to {spectrum.largest:.3g}, {spectrum.negative_part:.2%} of their sum negative"
    )


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

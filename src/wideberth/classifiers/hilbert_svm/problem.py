"""What an SVM on a metric is solved on: the kernel that a distance allows and its matrix, whole or of low rank; hard margins."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.hilbert_svm.function import ClassPairs, Expansions
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel, read_kernel
from wideberth.classifiers.hilbert_svm.kernel_choice import KernelReport, choose_kernel, promised_kernel
from wideberth.classifiers.hilbert_svm.measuring import (
    DistinctObjects,
    KernelRequest,
    check_coordinates_fit,
    check_matrix_fits,
)
from wideberth.classifiers.hilbert_svm.repair import RepairedPoints, SpectralMap, squared_distances
from wideberth.classifiers.hilbert_svm.solving import ExactSVM, LandmarkSVM, project
from wideberth.errors import GapWarning, InvalidInput, warn_user
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.shape.distortion import Distortion, distortion
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.geometry.shape.nets import farthest_first
from wideberth.geometry.shape.scale import evenly_spread, median_distance

#: Objects from which the median distance, the default width, is taken; objects on which a repair is compared with the original.
_TYPICAL, _COMPARED = 100, 500
#: Bytes for a band of distances to landmarks and all that is computed from it.
_AT_ONCE = 2**28
#: The largest relative gap of a hard margin that causes no warning.
_SILENT_GAP = 0.01


@dataclass(frozen=True, eq=False)
class SVMProblem:
    """A kernel with the reason why it may be used, and the matrix on which its functions are solved for."""

    kernel: HilbertKernel
    report: KernelReport
    svm: ExactSVM | LandmarkSVM

    @property
    def unit(self) -> float:
        """What the kernel is divided by where errors are priced."""
        return self.svm.unit


def svm_problem(distinct: DistinctObjects, request: KernelRequest) -> SVMProblem:
    """Measure the objects, choose the kernel, and repair it where that is needed and request for."""
    return _landmark_problem(distinct, request) if request.uses_landmarks(len(distinct)) else _exact_problem(distinct, request)


def kernel_for(distinct: DistinctObjects, request: KernelRequest) -> HilbertKernel:
    """The kernel that `svm_problem` chooses, before any repair, with as few distances as that takes."""
    candidates = _candidate_kernels(distinct, request)
    promised = promised_kernel(distinct.metric, candidates)
    if promised is not None:
        return promised
    if len(candidates) == 1 and request.repair != "error":
        return candidates[0]
    chosen = _landmarks(distinct, request) if request.uses_landmarks(len(distinct)) else np.arange(len(distinct))
    distances = distinct.block(chosen, chosen, request.n_jobs)
    return choose_kernel(distances, distinct.metric, candidates, request.repair, distinct.positions[chosen])[0]


def widest_margin(problem: SVMProblem, merged: Merged, training: Training, classes: NDArray[Any], tol: float) -> Expansions:
    """The functions without errors; an error that names two classes if they have none, a warning if they may be farther apart."""
    assert isinstance(problem.svm, ExactSVM)
    found, bounds = problem.svm.hard_margin(merged.codes, tol)
    pairs = ClassPairs.of(training.n_classes)
    if np.isinf(found.norms).any():
        pair = int(np.isinf(found.norms).argmax())
        first, second = (classes[side[pair]].item() for side in pairs)
        raise InvalidInput(
            f"There is no hard margin between the classes {first!r} and {second!r} that is wider than {bounds[pair]:.3g} in the "
            f"metric that the kernel {problem.kernel.name!r} induces: so near are mixtures of their objects.",
            advice="Take a finite C, or a narrower kernel; equal objects need equal labels.",
            witness=(first, second),
            value=float(bounds[pair]),
        )
    gaps = 1.0 - 1.0 / (found.norms * bounds)
    if gaps.max() > _SILENT_GAP:
        warn_user(
            f"LIBSVM stopped early: the margin found may be narrower than the widest one, by {gaps.max():.1%} at most.",
            GapWarning,
        )
    return found


def _exact_problem(distinct: DistinctObjects, request: KernelRequest) -> SVMProblem:
    check_matrix_fits(len(distinct), distinct.metric, request.kernel, request.max_memory)
    distances = distinct.all_distances(request.n_jobs)
    candidates = _candidate_kernels(replace(distinct, distances=distances), request)
    kernel, report = choose_kernel(distances, distinct.metric, candidates, request.repair, distinct.positions)
    repaired = None
    if report.repair is None:
        matrix = kernel.values(distances, out=distances if distances.flags.writeable else None)
    else:
        kernel, report, repaired, matrix = _repaired(kernel, report, distances, distinct.positions)
    unit = 1.0
    if kernel.name == "distance":
        shares = distinct.weights / distinct.weights.sum()
        unit = _unit(kernel, float(shares @ np.diagonal(matrix) - shares @ matrix @ shares))
        if unit != 1.0:
            matrix /= unit
    return SVMProblem(kernel, report, ExactSVM(matrix, unit, repaired))


def _repaired(
    kernel: HilbertKernel, report: KernelReport, distances: Floats, positions: Indices
) -> tuple[HilbertKernel, KernelReport, RepairedPoints | None, Floats]:
    """The kernel and its report after the repair, the points where there are any, and the matrix."""
    before = kernel.values(distances)
    repaired = None
    if report.repair == "shift":
        spectrum = Spectrum.of(centred(-2.0 * before))
        kernel = replace(kernel, jump=-spectrum.smallest)
        after = kernel.values(distances)
    else:
        through = SpectralMap.of(before, flip=report.repair == "flip")
        spectrum, repaired = through.spectrum, RepairedPoints(through.coordinates(before), through)
        after = repaired.kernel
    return kernel, replace(report, spectrum=spectrum, distortion=_distortion(before, after, positions)), repaired, after


def _distortion(before: Floats, after: Floats, positions: Indices) -> Distortion:
    """What a repair did to the induced metric, from the kernel matrices before and after it."""
    some = evenly_spread(len(before), _COMPARED)
    part = np.ix_(some, some)
    moved = np.sqrt(squared_distances(before[part])), np.sqrt(squared_distances(after[part]))
    return distortion(*moved).at(positions[some])


def _landmark_problem(distinct: DistinctObjects, request: KernelRequest) -> SVMProblem:
    net = _landmarks(distinct, request)
    check_coordinates_fit(len(distinct), len(net), request.max_memory)
    distances = distinct.block(net, net, request.n_jobs)
    candidates = _candidate_kernels(distinct, request)
    kernel, report = choose_kernel(distances, distinct.metric, candidates, request.repair, distinct.positions[net])
    before = kernel.values(distances)
    if report.repair is not None:
        report = replace(report, spectrum=Spectrum.of(centred(-2.0 * before)))
    if report.repair == "shift" and report.spectrum is not None:
        kernel = replace(kernel, jump=-report.spectrum.smallest)
    through = SpectralMap.of(kernel.values(distances), flip=report.repair == "flip")
    height = max(1, min(request.max_memory, _AT_ONCE) // (64 * len(net)))
    bands = [slice(start, start + height) for start in range(0, len(distinct), height)]
    blocks = ((band, kernel.values(distinct.block(band, net, request.n_jobs))) for band in bands)
    points, left_out = project(blocks, through, len(distinct))
    _check_finite(left_out, distinct)
    if report.repair is None:
        report = _with_approximation(report, points, left_out, distinct, request)
    if report.repair is not None:
        report = replace(report, distortion=_distortion(before, points[net] @ points[net].T, distinct.positions[net]))
    shares = distinct.weights / distinct.weights.sum()
    centre = shares @ points
    unit = _unit(kernel, float(shares @ (_squared_norms(points) + left_out) - centre @ centre))
    points /= math.sqrt(unit)
    return SVMProblem(kernel, report, LandmarkSVM(points, through, net, unit))


def _with_approximation(
    report: KernelReport, points: Floats, left_out: Floats, distinct: DistinctObjects, request: KernelRequest
) -> KernelReport:
    """The report with what the landmarks leave out; where that is negative, which no Hilbertian metric has, it is indefinite."""
    whole = _squared_norms(points) + left_out
    worst = int(left_out.argmin())
    if not report.promised and left_out[worst] < -1e-6 * whole.max(initial=0.0):
        if request.repair != "error":
            return replace(report, repair=request.repair)
        raise InvalidInput(
            f"{distinct.metric.name!r} gives no valid kernel: {report.kernel!r} is positive on {report.examined} landmarks, but "
            f"object {distinct.positions[worst]} lies at a squared distance of {left_out[worst]:.3g} from what they span.",
            advice="Pass repair='clip', which ends the Hilbert margin, or choose another metric (wideberth.diagnose).",
            witness=int(distinct.positions[worst]),
            value=float(left_out[worst]),
        )
    share = float(distinct.weights @ left_out) / max(float(distinct.weights @ whole), np.finfo(float).tiny)
    return replace(report, approximation=max(0.0, share), farthest=math.sqrt(max(0.0, float(left_out.max()))))


def _check_finite(left_out: Floats, distinct: DistinctObjects) -> None:
    """Raise an error if an object has a distance to a landmark that is no number."""
    missing = np.flatnonzero(~np.isfinite(left_out))
    if len(missing):
        where = int(distinct.positions[missing[0]])
        raise InvalidInput(
            f"{distinct.metric.name!r} gives no finite kernel between object {where} and the landmarks.",
            advice="Check the objects for missing values.",
            witness=where,
        )


def _squared_norms(points: Floats) -> Floats:
    """The squared norm of each point, without another array of their size."""
    squares: Floats = np.einsum("ij,ij->i", points, points)
    return squares


def _landmarks(distinct: DistinctObjects, request: KernelRequest) -> Indices:
    """Landmarks, as far from each other as can be."""
    return farthest_first(distinct.merged.objects, distinct.metric, count=request.landmarks, n_jobs=request.n_jobs).order


def _candidate_kernels(distinct: DistinctObjects, request: KernelRequest) -> list[HilbertKernel]:
    """The kernels that are request for, with their widths."""
    some = evenly_spread(len(distinct), _TYPICAL)
    return read_kernel(request.kernel, request.width, median_distance(distinct.block(some, some, request.n_jobs)))


def _unit(kernel: HilbertKernel, half_mean_square: float) -> float:
    """The mean of half the squared distances, for the kernel that has their unit; the others have none."""
    if kernel.name != "distance":
        return 1.0
    if not math.isfinite(half_mean_square):
        raise InvalidInput("The squares of the distances overflow.", advice="Scale the metric.", value=half_mean_square)
    return half_mean_square if half_mean_square > 0 else 1.0

"""The SVM problem of a training sample: the kernel that its distance allows, and its matrix, exact
or on landmarks; hard margins.

The steps are: measure distances, choose a kernel, repair it if that is needed and requested, and
set up the solver. They are the same for every C, so that a path over C takes them once.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.function import ClassPairs, Expansions
from wideberth.classifiers.hilbert_svm.kernel import (
    HilbertKernel,
    KernelReport,
    choose_kernel,
    is_positive_on,
    promised_kernel,
    read_kernel,
    refuse_broken_axioms,
)
from wideberth.classifiers.hilbert_svm.solving import (
    ExactSVM,
    KernelErrors,
    LandmarkSVM,
    RepairedPoints,
    SpectralMap,
    project,
    squared_distances,
)
from wideberth.classifiers.hilbert_svm.training_distances import (
    DistinctObjects,
    KernelRequest,
    check_coordinates_fit,
    check_matrix_fits,
)
from wideberth.errors import GapWarning, InvalidInput, warn_user
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.shape.distortion import Distortion, distortion
from wideberth.geometry.shape.gram import Spectrum
from wideberth.geometry.shape.nets import evenly_spread, farthest_first, median_distance
from wideberth.wording import at, python, setting

#: Objects from which the median distance, the default width, is taken; objects on which a repair is
#: compared with the original.
_TYPICAL, _COMPARED = 100, 500
#: Bytes for a band of distances to landmarks and all that is computed from it.
_AT_ONCE = 2**28
#: The largest relative gap of a hard margin that causes no warning.
_SILENT_GAP = 0.01


@dataclass(frozen=True, eq=False)
class SVMProblem:
    """A kernel, the reason why it may be used, and the solver on its matrix."""

    #: The kernel, with the jump of the repair "shift".
    kernel: HilbertKernel
    #: Why it may be used.
    report: KernelReport
    #: The solver for the functions of all pairs of classes.
    svm: ExactSVM | LandmarkSVM

    @property
    def unit(self) -> float:
        """The number by which the kernel is divided where errors are priced: the mean of half the
        squared distance, or 1.
        """
        return self.svm.unit

    def kernel_with(self, distances: Floats) -> Floats:
        r"""The kernel of objects with the training objects, as it was repaired, divided by its
        unit; on a complete matrix.

        It is :math:`-e^2 / 2` for the induced distance e: what depends on one of two objects alone
        changes no SVM.
        """
        assert isinstance(self.svm, ExactSVM)
        kernel, repaired = self.kernel.values(distances), self.svm.repaired
        if repaired is not None:
            points = repaired.through.coordinates(kernel)
            squares = _squared_norms(points)[:, None] + _squared_norms(repaired.points)
            kernel = points @ repaired.points.T - 0.5 * squares
        found: Floats = kernel / self.unit
        return found


def svm_problem(distinct: DistinctObjects, request: KernelRequest) -> SVMProblem:
    """Measure the objects, choose the kernel, and repair it if needed and requested."""
    return (
        _landmark_problem(distinct, request)
        if request.uses_landmarks(len(distinct))
        else _exact_problem(distinct, request)
    )


def kernels_with_widths(distinct: DistinctObjects, request: KernelRequest) -> list[HilbertKernel]:
    """The kernels that the user wants, with widths in the unit of the metric, from the median
    distance of at most 100 objects.
    """
    some = evenly_spread(len(distinct), _TYPICAL)
    return read_kernel(
        request.kernel, request.width, median_distance(distinct.block(some, some, request.n_jobs))
    )


def allowed_kernels(
    distinct: DistinctObjects,
    request: KernelRequest,
    candidates: list[HilbertKernel],
    repairable: Collection[str] = (),
) -> list[HilbertKernel]:
    """Leave out the kernels that `svm_problem` would refuse, with as few distances as possible.

    Where a repair is allowed, none is refused. Else a promise decides without any matrix, and
    without a promise a Cholesky factorisation. The search by cross-validation calls this before it
    compares the others.
    """
    open_to_question = [kernel for kernel in candidates if kernel.name not in repairable]
    unsettled = [
        kernel for kernel in open_to_question if promised_kernel(distinct.metric, [kernel]) is None
    ]
    if request.repair != "error" or not unsettled:
        return candidates
    chosen = (
        _landmarks(distinct, request)
        if request.uses_landmarks(len(distinct))
        else np.arange(len(distinct))
    )
    distances, positions = (
        distinct.block(chosen, chosen, request.n_jobs),
        distinct.positions[chosen],
    )
    refuse_broken_axioms(distances, distinct.metric, positions)
    refused = {kernel for kernel in unsettled if not is_positive_on(kernel, distances)}
    if len(refused) == len(candidates):
        choose_kernel(
            distances, distinct.metric, candidates[:1], request.repair, positions
        )  # raises the error
    return [kernel for kernel in candidates if kernel not in refused]


def widest_margin(
    problem: SVMProblem, merged: Merged, training: Training, classes: NDArray[Any], tol: float
) -> Expansions:
    """Solve for the hard margin: functions that make no training error, with the widest margin."""
    assert isinstance(problem.svm, ExactSVM)
    found, bounds = problem.svm.hard_margin(merged.codes, tol)
    pairs = ClassPairs.of(training.n_classes)
    if np.isinf(found.norms).any():
        pair = int(np.isinf(found.norms).argmax())
        first, second = (classes[side[pair]].item() for side in pairs)
        raise InvalidInput(
            f"There is no hard margin between the classes {first!r} and {second!r} that is wider "
            f"than {bounds[pair]:.3g} in the metric that the kernel {problem.kernel.name!r} "
            "induces, because mixtures of their objects are that near.",
            advice="Take a finite C, or a narrower kernel; equal objects need equal labels.",
            witness=(first, second),
            value=float(bounds[pair]),
        )
    gaps = 1.0 - 1.0 / (found.norms * bounds)
    if gaps.max() > _SILENT_GAP:
        warn_user(
            "LIBSVM stopped early: the margin found may be narrower than the widest one, by "
            f"{gaps.max():.1%} at most.",
            GapWarning,
        )
    return found


def _exact_problem(distinct: DistinctObjects, request: KernelRequest) -> SVMProblem:
    """The problem on the complete kernel matrix of the different objects."""
    check_matrix_fits(len(distinct), distinct.metric, request.kernel, request.max_memory)
    distances = distinct.all_distances(request.n_jobs)
    candidates = kernels_with_widths(replace(distinct, distances=distances), request)
    kernel, report = choose_kernel(
        distances, distinct.metric, candidates, request.repair, distinct.positions
    )
    repaired = None
    if report.repair is None:
        matrix = kernel.values(distances, out=distances if distances.flags.writeable else None)
    else:
        kernel, report, repaired, matrix = _repaired(kernel, report, distances, distinct.positions)
    unit = 1.0
    if kernel.name == "distance":
        shares = distinct.weights / distinct.weights.sum()
        unit = kernel_unit(kernel, float(shares @ np.diagonal(matrix) - shares @ matrix @ shares))
        if unit != 1.0:
            matrix /= unit
    return SVMProblem(
        kernel, report, ExactSVM(matrix, unit, repaired, _kernel_errors(kernel, distinct))
    )


def _repaired(
    kernel: HilbertKernel, report: KernelReport, distances: Floats, positions: Indices
) -> tuple[HilbertKernel, KernelReport, RepairedPoints | None, Floats]:
    """Repair a kernel matrix with negative eigenvalues.

    Returns the kernel, with a jump if it was shifted; its report with spectrum and distortion; the
    repaired points, which new objects need after "clip" and "flip"; and the repaired kernel matrix.
    """
    before = kernel.values(distances)
    repaired = None
    if report.repair == "shift":
        spectrum = Spectrum.ends_of_centred(before)
        kernel = _shifted(kernel, spectrum)
        after = kernel.values(distances)
    else:
        through = SpectralMap.of(before, flip=report.repair == "flip")
        spectrum, repaired = through.spectrum, RepairedPoints(through.coordinates(before), through)
        after = repaired.kernel
    return (
        kernel,
        replace(report, spectrum=spectrum, distortion=_distortion(before, after, positions)),
        repaired,
        after,
    )


def _shifted(kernel: HilbertKernel, spectrum: Spectrum) -> HilbertKernel:
    """The kernel with a jump that makes the smallest eigenvalue of its matrix 0."""
    return replace(kernel, jump=max(0.0, -spectrum.smallest))


def _distortion(before: Floats, after: Floats, positions: Indices) -> Distortion:
    """What a repair did to the induced metric, from the kernel matrices before and after it, on at
    most 500 objects.
    """
    some = evenly_spread(len(before), _COMPARED)
    part = np.ix_(some, some)
    moved = np.sqrt(squared_distances(before[part])), np.sqrt(squared_distances(after[part]))
    return distortion(*moved).at(positions[some])


def _landmark_problem(distinct: DistinctObjects, request: KernelRequest) -> SVMProblem:
    """The problem on coordinates by landmarks (Nystrom's formula), which takes one column of memory
    for each landmark.

    The landmarks are examined instead of the whole sample. An indefinite kernel shows itself there,
    or later in objects at a negative squared distance from what the landmarks span.
    """
    net = _landmarks(distinct, request)
    check_coordinates_fit(len(distinct), len(net), request.max_memory)
    distances = distinct.block(net, net, request.n_jobs)
    candidates = kernels_with_widths(distinct, request)
    kernel, report = choose_kernel(
        distances, distinct.metric, candidates, request.repair, distinct.positions[net]
    )
    before = kernel.values(distances)
    if report.repair == "shift":
        spectrum = Spectrum.ends_of_centred(before)
        kernel, report = _shifted(kernel, spectrum), replace(report, spectrum=spectrum)
    through = SpectralMap.of(kernel.values(distances), flip=report.repair == "flip")
    if report.repair in ("clip", "flip"):
        report = replace(report, spectrum=through.spectrum)
    height = max(1, min(request.max_memory, _AT_ONCE) // (64 * len(net)))
    bands = [slice(start, start + height) for start in range(0, len(distinct), height)]
    blocks = ((band, kernel.values(distinct.block(band, net, request.n_jobs))) for band in bands)
    points, left_out = project(blocks, through, len(distinct))
    _check_finite(left_out, distinct)
    if report.repair is None:
        report = _with_approximation(report, points, left_out, distinct, request)
    if report.repair is not None:
        report = replace(
            report,
            distortion=_distortion(before, points[net] @ points[net].T, distinct.positions[net]),
        )
    shares = distinct.weights / distinct.weights.sum()
    centre = shares @ points
    unit = kernel_unit(
        kernel, float(shares @ (_squared_norms(points) + left_out) - centre @ centre)
    )
    points /= math.sqrt(unit)
    own_errors = _kernel_errors(kernel, distinct)(before)
    return SVMProblem(kernel, report, LandmarkSVM(points, through, net, unit, own_errors))


def _kernel_errors(kernel: HilbertKernel, distinct: DistinctObjects) -> KernelErrors:
    """The function that bounds the errors of values of the kernel between training objects."""
    relative, absolute = distinct.metric.distance_errors(distinct.merged.objects)
    return partial(kernel.errors, relative=relative, absolute=float(absolute.max(initial=0.0)))


def _with_approximation(
    report: KernelReport,
    points: Floats,
    left_out: Floats,
    distinct: DistinctObjects,
    request: KernelRequest,
) -> KernelReport:
    """Add to the report what the landmarks leave out.

    In a Hilbert space no squared distance ``left_out`` from the span of the landmarks is negative.
    If one is, the kernel is indefinite beyond the landmarks: the projection repairs it, if the user
    allows a repair, and the report says so.
    """
    whole = _squared_norms(points) + left_out
    worst = int(left_out.argmin())
    if not report.promised and left_out[worst] < -1e-6 * whole.max(initial=0.0):
        if request.repair != "error":
            return replace(report, repair=request.repair)
        raise InvalidInput(
            f"{distinct.metric.name!r} gives no valid kernel: {report.kernel!r} is positive on "
            f"{report.examined} landmarks, but {at('object', distinct.positions[worst])} lies at a "
            f"squared distance of {left_out[worst]:.3g} from what they span.",
            advice=f"Pass {setting('repair', 'clip')}, which ends the Hilbert margin, or choose "
            f"another metric ({python('wideberth.diagnose')}).",
            witness=int(distinct.positions[worst]),
            value=float(left_out[worst]),
        )
    share = float(distinct.weights @ left_out) / max(
        float(distinct.weights @ whole), np.finfo(float).tiny
    )
    return replace(
        report, approximation=max(0.0, share), farthest=math.sqrt(max(0.0, float(left_out.max())))
    )


def _check_finite(left_out: Floats, distinct: DistinctObjects) -> None:
    """Raise an error if the kernel between an object and the landmarks is not finite."""
    missing = np.flatnonzero(~np.isfinite(left_out))
    if len(missing):
        where = int(distinct.positions[missing[0]])
        raise InvalidInput(
            f"{distinct.metric.name!r} gives no finite kernel between {at('object', where)} and "
            "the landmarks.",
            advice="Check the objects for missing values.",
            witness=where,
        )


def _squared_norms(points: Floats) -> Floats:
    """The squared norm of each point, without a temporary array of their size."""
    squares: Floats = np.einsum("ij,ij->i", points, points)
    return squares


def _landmarks(distinct: DistinctObjects, request: KernelRequest) -> Indices:
    """The positions of the landmarks: a farthest-first traversal, so that they are far from each
    other.
    """
    return farthest_first(
        distinct.merged.objects, distinct.metric, count=request.landmarks, n_jobs=request.n_jobs
    ).order


def kernel_unit(kernel: HilbertKernel, half_mean_square: float) -> float:
    """The unit of the kernel: for "distance" the mean of half the squared distance, 1 for the
    others, which have no unit.
    """
    if kernel.name != "distance":
        return 1.0
    if not math.isfinite(half_mean_square):
        raise InvalidInput(
            "The squares of the distances overflow.",
            advice="Scale the metric.",
            value=half_mean_square,
        )
    return half_mean_square if half_mean_square > 0 else 1.0

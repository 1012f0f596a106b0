"""What an SVM on a metric is solved on: the kernel that a distance allows and its matrix, whole or of low rank; hard margins."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.hilbert_svm.function import ClassPairs, Expansions
from wideberth.classifiers.hilbert_svm.kernel import HilbertKernel, KernelReport, choose_kernel, promised_kernel, read_kernel
from wideberth.classifiers.hilbert_svm.measuring import (
    KernelRequest,
    Known,
    refuse_too_many,
    refuse_too_wide,
)
from wideberth.classifiers.hilbert_svm.repair import RepairedPoints, SpectralMap, squared_distances
from wideberth.classifiers.hilbert_svm.solving import LowRank, WholeMatrix, project
from wideberth.errors import GapWarning, InvalidInput, warn_user
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.shape.distortion import Distortion, distortion
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.geometry.shape.nets import farthest_first
from wideberth.geometry.shape.scale import evenly_spread, median_distance

#: Objects whose median distance is the usual width, and on which a repair is compared with the distances before.
_TYPICAL, _COMPARED = 100, 500
#: Bytes of distances to landmarks, and what is made of them, that are worked on at once.
_AT_ONCE = 2**28
#: The share of a hard margin that may be missing without a word.
_CLOSE = 0.01


@dataclass(frozen=True, eq=False)
class SVMProblem:
    """A kernel with the reason why it may be used, and the matrix on which its functions are solved for."""

    kernel: HilbertKernel
    report: KernelReport
    matrix: WholeMatrix | LowRank

    @property
    def unit(self) -> float:
        """What the kernel is divided by where errors are priced."""
        return self.matrix.unit


def svm_problem(known: Known, asked: KernelRequest) -> SVMProblem:
    """Measure the objects, choose the kernel, and repair it where that is needed and asked for."""
    return _low_rank(known, asked) if asked.of_low_rank(len(known)) else _whole(known, asked)


def kernel_for(known: Known, asked: KernelRequest) -> HilbertKernel:
    """The kernel that `svm_problem` chooses, before any repair, with as few distances as that takes."""
    candidates = _candidates(known, asked)
    promised = promised_kernel(known.metric, candidates)
    if promised is not None:
        return promised
    if len(candidates) == 1 and asked.repair != "error":
        return candidates[0]
    chosen = _net(known, asked) if asked.of_low_rank(len(known)) else np.arange(len(known))
    distances = known.block(chosen, chosen, asked.n_jobs)
    return choose_kernel(distances, known.metric, candidates, asked.repair, known.positions[chosen])[0]


def widest_margin(problem: SVMProblem, merged: Merged, training: Training, classes: NDArray[Any], tol: float) -> Expansions:
    """The functions without errors; an error that names two classes if they have none, a warning if they may be farther apart."""
    assert isinstance(problem.matrix, WholeMatrix)
    found, bounds = problem.matrix.hard_margin(merged.codes, tol)
    pairs = ClassPairs.of(training.n_classes)
    if np.isinf(found.norms).any():
        pair = int(np.isinf(found.norms).argmax())
        first, second = (classes[each[pair]].item() for each in pairs)
        raise InvalidInput(
            f"There is no hard margin between the classes {first!r} and {second!r} that is wider than {bounds[pair]:.3g} in the "
            f"metric that the kernel {problem.kernel.name!r} induces: so near are mixtures of their objects.",
            advice="Take a finite C, or a narrower kernel; equal objects need equal labels.",
            witness=(first, second),
            value=float(bounds[pair]),
        )
    gaps = 1.0 - 1.0 / (found.norms * bounds)
    if gaps.max() > _CLOSE:
        warn_user(
            f"LIBSVM stopped early: the margin found may be narrower than the widest one, by {gaps.max():.1%} at most.",
            GapWarning,
        )
    return found


def _whole(known: Known, asked: KernelRequest) -> SVMProblem:
    refuse_too_many(len(known), known.metric, asked.kernel, asked.max_memory)
    distances = known.all_distances(asked.n_jobs)
    candidates = _candidates(replace(known, distances=distances), asked)
    kernel, report = choose_kernel(distances, known.metric, candidates, asked.repair, known.positions)
    repaired = None
    if report.repair is None:
        matrix = kernel.values(distances, out=distances if distances.flags.writeable else None)
    else:
        kernel, report, repaired, matrix = _repaired(kernel, report, distances, known.positions)
    unit = 1.0
    if kernel.name == "distance":
        shares = known.weights / known.weights.sum()
        unit = _unit(kernel, float(shares @ np.diagonal(matrix) - shares @ matrix @ shares))
        if unit != 1.0:
            matrix /= unit
    return SVMProblem(kernel, report, WholeMatrix(matrix, unit, repaired))


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


def _low_rank(known: Known, asked: KernelRequest) -> SVMProblem:
    net = _net(known, asked)
    refuse_too_wide(len(known), len(net), asked.max_memory)
    distances = known.block(net, net, asked.n_jobs)
    candidates = _candidates(known, asked)
    kernel, report = choose_kernel(distances, known.metric, candidates, asked.repair, known.positions[net])
    before = kernel.values(distances)
    if report.repair is not None:
        report = replace(report, spectrum=Spectrum.of(centred(-2.0 * before)))
    if report.repair == "shift" and report.spectrum is not None:
        kernel = replace(kernel, jump=-report.spectrum.smallest)
    through = SpectralMap.of(kernel.values(distances), flip=report.repair == "flip")
    height = max(1, min(asked.max_memory, _AT_ONCE) // (64 * len(net)))
    bands = [slice(start, start + height) for start in range(0, len(known), height)]
    blocks = ((band, kernel.values(known.block(band, net, asked.n_jobs))) for band in bands)
    points, left_out = project(blocks, through, len(known))
    _refuse_not_finite(left_out, known)
    if report.repair is None:
        report = _with_approximation(report, points, left_out, known, asked)
    if report.repair is not None:
        report = replace(report, distortion=_distortion(before, points[net] @ points[net].T, known.positions[net]))
    shares = known.weights / known.weights.sum()
    centre = shares @ points
    unit = _unit(kernel, float(shares @ (_squares(points) + left_out) - centre @ centre))
    points /= math.sqrt(unit)
    return SVMProblem(kernel, report, LowRank(points, through, net, unit))


def _with_approximation(
    report: KernelReport, points: Floats, left_out: Floats, known: Known, asked: KernelRequest
) -> KernelReport:
    """The report with what the landmarks leave out; where that is negative, which no Hilbertian metric has, it is indefinite."""
    whole = _squares(points) + left_out
    worst = int(left_out.argmin())
    if not report.promised and left_out[worst] < -1e-6 * whole.max(initial=0.0):
        if asked.repair != "error":
            return replace(report, repair=asked.repair)
        raise InvalidInput(
            f"{known.metric.name!r} gives no valid kernel: {report.kernel!r} is positive on {report.examined} landmarks, but "
            f"object {known.positions[worst]} lies at a squared distance of {left_out[worst]:.3g} from what they span.",
            advice="Pass repair='clip', which ends the Hilbert margin, or choose another metric (wideberth.diagnose).",
            witness=int(known.positions[worst]),
            value=float(left_out[worst]),
        )
    share = float(known.weights @ left_out) / max(float(known.weights @ whole), np.finfo(float).tiny)
    return replace(report, approximation=max(0.0, share), farthest=math.sqrt(max(0.0, float(left_out.max()))))


def _refuse_not_finite(left_out: Floats, known: Known) -> None:
    """Raise an error if an object has a distance to a landmark that is no number."""
    missing = np.flatnonzero(~np.isfinite(left_out))
    if len(missing):
        where = int(known.positions[missing[0]])
        raise InvalidInput(
            f"{known.metric.name!r} gives no finite kernel between object {where} and the landmarks.",
            advice="Check the objects for missing values.",
            witness=where,
        )


def _squares(points: Floats) -> Floats:
    """The squared norm of each point, without another array of their size."""
    squares: Floats = np.einsum("ij,ij->i", points, points)
    return squares


def _net(known: Known, asked: KernelRequest) -> Indices:
    """Landmarks, as far from each other as can be."""
    return farthest_first(known.merged.objects, known.metric, count=asked.landmarks, n_jobs=asked.n_jobs).order


def _candidates(known: Known, asked: KernelRequest) -> list[HilbertKernel]:
    """The kernels that are asked for, with their widths."""
    some = evenly_spread(len(known), _TYPICAL)
    return read_kernel(asked.kernel, asked.width, median_distance(known.block(some, some, asked.n_jobs)))


def _unit(kernel: HilbertKernel, spread_out: float) -> float:
    """The mean of half the squared distances, for the kernel that has their unit; the others have none."""
    if kernel.name != "distance":
        return 1.0
    if not math.isfinite(spread_out):
        raise InvalidInput("The squares of the distances overflow.", advice="Scale the metric.", value=spread_out)
    return spread_out if spread_out > 0 else 1.0

"""The SVM problem of a training sample: its distances, each measured once, the kernel that they
allow, and its matrix, exact or on landmarks; hard margins.

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

from wideberth.array_types import Floats, Indices, Sample
from wideberth.classifiers.hilbert_svm.function import ClassPairs, Expansions
from wideberth.classifiers.hilbert_svm.kernel import (
    HilbertKernel,
    KernelReport,
    choose_kernel,
    is_positive_on,
    promised_kernel,
    read_kernel,
)
from wideberth.classifiers.hilbert_svm.solving import (
    ExactSVM,
    KernelErrors,
    LandmarkSVM,
    RepairedPoints,
    SpectralMap,
    bands,
    project,
    squared_distances,
)
from wideberth.errors import GapWarning, InvalidInput, warn_user
from wideberth.estimators.radial_expansions import distances_between
from wideberth.estimators.training import Merged, Training, merge_equal, refuse_broken_axioms
from wideberth.geometry.measure.blocks import show_memory
from wideberth.geometry.measure.remembered_distances import KeptDistances, measure_once
from wideberth.geometry.shape.distortion import Distortion, distortion
from wideberth.geometry.shape.gram import Spectrum
from wideberth.geometry.shape.nets import evenly_spread, farthest_first, median_distance
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.wording import at, python, setting

# ---- The memory that the kernel matrix of an SVM needs, complete or on landmarks, and the errors
# if there is not enough

#: Bytes for a pair of objects: its distance, overwritten by its kernel; also a copy, if distances
#: are looked up in another order; also eigenvectors and the workspace to compute them.
_BYTES_MEASURED, _BYTES_LOOKED_UP, _BYTES_EXAMINED = 10, 18, 64
#: Bytes for a coordinate: itself, its copy in the sample of two classes, and LIBLINEAR's copy with
#: an index.
_BYTES_OF_COORDINATE = 8 + 8 + 16
#: The largest number of landmarks that is ever proposed.
_ENOUGH_LANDMARKS = 1000
#: From how many objects on eigenvalues take longer than all the rest, and how many landmarks spare
#: them.
_MOST_DECOMPOSED, _LANDMARKS_INSTEAD = 2000, 600


def usual_landmarks(n_objects: int, metric: Metric, max_memory: int) -> int | None:
    """Propose a number of landmarks for a sample whose kernel matrix does not fit into the memory,
    or takes long to repair.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> (
    ...     usual_landmarks(1000, metric("euclidean"), 10**9),
    ...     usual_landmarks(10**5, metric("euclidean"), 10**9),
    ... )
    (None, 310)
    >>> (
    ...     usual_landmarks(1000, metric("levenshtein"), 10**9),
    ...     usual_landmarks(5000, metric("levenshtein"), 10**10),
    ... )
    (None, 600)
    """
    per_pair = _bytes_per_pair(metric, "auto")
    fits, decomposed = n_objects**2 * per_pair <= max_memory, per_pair == _BYTES_EXAMINED
    if fits and (not decomposed or n_objects <= _MOST_DECOMPOSED):
        return None
    counts = np.arange(2, 1 + (_LANDMARKS_INSTEAD if fits else _ENOUGH_LANDMARKS))
    return int(counts[_bytes_of_coordinates(n_objects, counts) <= max_memory].max(initial=2))


def check_matrix_fits(n_objects: int, metric: Metric, kernel: str, max_memory: int) -> None:
    """Check that the kernel matrix of all pairs of objects fits into the memory.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> check_matrix_fits(1000, metric("euclidean"), "auto", 10**9)  # 10 MB
    """
    per_pair = _bytes_per_pair(metric, kernel)
    needed = n_objects**2 * per_pair
    if needed > max_memory:
        why = (
            ""
            if per_pair < _BYTES_EXAMINED
            else " and its eigenvalues, which no promise makes positive,"
        )
        raise InvalidInput(
            f"For {n_objects:,} objects the kernel matrix{why} would take {show_memory(needed)}; "
            f"{setting('max_memory', shown=show_memory(max_memory))}.",
            advice="Take landmarks, such as "
            f"{setting('landmarks', shown=max(2, min(_ENOUGH_LANDMARKS, n_objects // 10)))}, or "
            "raise max_memory.",
            value=needed,
        )


def check_coordinates_fit(n_objects: int, landmarks: int, max_memory: int) -> None:
    """Check that the coordinates of all objects by landmarks fit into the memory.

    Examples
    --------
    >>> check_coordinates_fit(10**5, 300, 10**9)
    """
    needed = _bytes_of_coordinates(n_objects, landmarks)
    if needed > max_memory:
        raise InvalidInput(
            f"The coordinates of {n_objects:,} objects by {landmarks:,} landmarks would take "
            f"{show_memory(needed)}; {setting('max_memory', shown=show_memory(max_memory))}.",
            advice="Take fewer landmarks, or raise max_memory.",
            value=needed,
        )


def _bytes_per_pair(metric: Metric, kernel: str) -> int:
    """The memory for a pair of objects in a complete kernel matrix, in bytes."""
    if promised_kernel(metric, read_kernel(kernel, "auto", 1.0)) is None:
        return _BYTES_EXAMINED
    return _BYTES_LOOKED_UP if metric.accepts == "indices" else _BYTES_MEASURED


def _bytes_of_coordinates(n_objects: int, landmarks: Any) -> Any:
    """The memory for the coordinates of all objects and the eigenvectors of the landmarks, in
    bytes.
    """
    return _BYTES_OF_COORDINATE * n_objects * landmarks + _BYTES_EXAMINED * landmarks**2


#: The number of objects for which C is the C of LIBSVM: errors cost C times this over the weight of
#: all objects.
_OBJECTS_OF_LIBSVM = 1000.0


def libsvm_prices(C: float, weights: Any, total: float) -> Any:
    r"""The prices of errors on objects, as LIBSVM takes them.

    Examples
    --------
    >>> libsvm_prices(2.0, 1.0, 500.0)
    4.0
    """
    return _OBJECTS_OF_LIBSVM * C * weights / total


@dataclass(frozen=True)
class KernelRequest:
    """Which kernel the user wants, and the limits of memory and cores."""

    #: ``kernel``, ``width``, ``repair``, ``landmarks``: the parameters of `wideberth.HilbertSVC` as
    #: they were written.
    kernel: str
    width: Any
    repair: str
    landmarks: int | None
    #: Memory for distances and kernels, in bytes.
    max_memory: int
    #: Cores to use, all if None.
    n_jobs: int | None

    def uses_landmarks(self, n_objects: int) -> bool:
        """Return whether landmarks represent ``n_objects`` objects; as many landmarks as objects
        would save nothing.

        Examples
        --------
        >>> KernelRequest("auto", "auto", "error", 10, 10**9, None).uses_landmarks(11)
        True
        """
        return self.landmarks is not None and self.landmarks < n_objects


@dataclass(frozen=True, eq=False)
class DistinctObjects:
    """The different training objects, with their distances as far as these are already measured."""

    #: The objects, with equal objects of one class merged into one.
    merged: Merged
    metric: Metric
    #: The position in X of the first object that each one represents, shape (n,).
    positions: Indices
    #: The weight of each object, without the weight of its class, shape (n,).
    weights: Floats
    #: All distances, if finding equal objects required them, shape (n, n).
    distances: Floats | None

    def __len__(self) -> int:
        return len(self.merged)

    def block(self, rows: Any, columns: Any, n_jobs: int | None) -> Floats:
        """Measure, or look up, the distances between some of the objects and some others. Those of a
        slice are measured even if they are stored.
        """
        if self.distances is not None and not isinstance(rows, slice):
            return self.distances[np.ix_(rows, columns)]
        left, right = (sample.pick(self.merged.objects, some) for some in (rows, columns))
        return distances_between(left, right, self.metric, n_jobs)

    def all_distances(self, n_jobs: int | None) -> Floats:
        """Return the distances between all objects.

        The caller may overwrite the array if it is writeable. It is read-only if it belongs to the
        user, as a precomputed matrix does.
        """
        return (
            measure_all(self.merged.objects, self.metric, n_jobs)
            if self.distances is None
            else self.distances
        )


def distinct_objects(
    training: Training, classes: NDArray[Any], class_weight: Any, request: KernelRequest
) -> DistinctObjects:
    """Merge equal objects of one class, and keep the distances if finding equal objects takes all
    of them.

    With a metric that obeys the triangle inequality equal objects are recognised without all
    distances. For other distances, and for a matrix or a space, all pairs are measured; with
    landmarks that would be too expensive, and nothing is merged.
    """
    first, distances = None, None
    if request.uses_landmarks(len(training)):
        # finding equal objects would cost too much
        first = None if training.metric.obeys_triangle else np.arange(len(training))
    elif training.metric.accepts == "indices" or not training.metric.obeys_triangle:
        check_matrix_fits(len(training), training.metric, request.kernel, request.max_memory)
        distances = measure_all(training.objects, training.metric, request.n_jobs)
        first = first_at_zero(distances)
    merged = merge_equal(training, classes, class_weight, first)
    if distances is not None:
        distances = _submatrix(distances, np.unique(merged.group_of, return_index=True)[1])
    return DistinctObjects(
        merged,
        training.metric,
        merged.positions(training),
        merged.given_weights(training),
        distances,
    )


def first_at_zero(distances: Floats) -> Indices:
    """Find for each object the first equal one: at distance 0, and not itself equal to an earlier
    object.

    Distances that break the axioms may be 0 between a and b, and between b and c, but not between a
    and c. Then c becomes the first of its own group, so that every group has a common first object.

    Examples
    --------
    >>> first_at_zero(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    array([0, 1, 0])
    """
    own = np.arange(len(distances))
    first = np.empty(len(distances), dtype=np.intp)
    for band in bands(len(distances), len(distances)):
        equal = distances[band] == 0
        equal[own[: len(equal)], own[band]] = True
        first[band] = equal.argmax(axis=1)
    # being at 0 is not transitive here: this is no metric
    for row in np.flatnonzero(first[first] != first):
        heads = np.flatnonzero((distances[row, :row] == 0) & (first[:row] == own[:row]))
        first[row] = heads[0] if len(heads) else row
    return first


def measure_all(objects: Sample, metric: Metric, n_jobs: int | None) -> Floats:
    """Measure all distances between the objects.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> measure_all(np.array([[0.0], [2.0]]), metric("euclidean"), 1)
    array([[0., 2.],
           [2., 0.]])
    """
    if isinstance(metric, Precomputed):
        return _submatrix(_read_only_view(metric.matrix), metric.prepare(objects))
    if metric.accepts == "indices":  # a space keeps, or measures, its own distances
        return metric.block(objects, objects)
    budget = 2 * 8 * sample.count(objects) ** 2
    matrix = KeptDistances(objects, objects, metric, max_memory=budget, n_jobs=n_jobs).matrix()
    return np.asarray(matrix, dtype=np.float64)


def _read_only_view(matrix: Floats) -> Floats:
    view = matrix.view()
    view.flags.writeable = False
    return view


def _submatrix(distances: Floats, chosen: Indices) -> Floats:
    """The distances between the chosen objects: the same array, not a copy, if these are all
    objects in their order.
    """
    if np.array_equal(chosen, np.arange(len(distances))):
        return distances
    out = np.empty((len(chosen), len(chosen)))
    for band in bands(len(distances), len(chosen)):
        # mode="raise" would make a copy
        distances[chosen[band]].take(chosen, axis=1, out=out[band], mode="clip")
    return out


def with_stored_distances(training: Training, *, max_memory: int, n_jobs: int | None) -> Training:
    """Replace the metric by one that measures each pair once, if the distances fit into half of the
    memory.

    Calibration trains on several folds of the same objects, and each fold needs most distances
    again. A matrix or a space already stores them, and vectors are measured as fast as they are
    looked up: these are returned as they are.
    """
    objects, metric, table = measure_once(
        training.objects, training.metric, max_memory=max_memory // 2, n_jobs=n_jobs, again=True
    )
    return replace(training, objects=objects, metric=metric, table=table or training.table)


# ---- The problem

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
    distances = distinct.block(chosen, chosen, request.n_jobs)
    positions = distinct.positions[chosen]
    refuse_broken_axioms(distances, distinct.metric, positions)
    refused = {kernel for kernel in unsettled if not is_positive_on(kernel, distances)}
    if len(refused) == len(candidates):
        # raises the error
        choose_kernel(distances, distinct.metric, candidates[:1], request.repair, positions)
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

"""The distances that an SVM on a metric learns from, each measured once; the memory for its kernel,
and its parameters.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.hilbert_svm.kernel import (
    REPAIRS,
    KernelName,
    promised_kernel,
    read_kernel,
)
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_estimator import (
    CALIBRATE,
    PRICE,
    TOLERANCE,
    Fits,
    check_parameters,
)
from wideberth.estimators.radial_expansions import distances_between, share
from wideberth.estimators.training import Merged, Training, merge_equal
from wideberth.geometry.measure.blocks import show_memory
from wideberth.geometry.measure.kept_distances import KeptDistances
from wideberth.geometry.space.space import space_if_it_fits
from wideberth.metrics.metric import Metric
from wideberth.metrics.parameters import is_number, is_whole
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.wording import setting

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


# ---- Which values the parameters of `wideberth.HilbertSVC` may have, and the errors for other
# values

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


def check_svm_parameters(model: Any) -> None:
    """Check all parameters of a `wideberth.HilbertSVC`, each alone and those that exclude each
    other.

    Examples
    --------
    >>> from wideberth import HilbertSVC
    >>> check_svm_parameters(HilbertSVC(kernel="laplace", width="70%"))
    """
    check_parameters(model, _FITS)
    if model.kernel == "distance" and not _is_auto(model.width):
        raise InvalidInput(
            f"The kernel 'distance' has no width, but {setting('width', model.width)}.",
            advice="Leave the width out.",
            value=model.width,
        )
    if model.landmarks is not None and math.isinf(model.C):
        raise InvalidInput(
            "A hard margin needs the complete kernel matrix.",
            advice="Take a large C, such as 1000, or leave landmarks out.",
            value=model.landmarks,
        )


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def _is_width(value: Any) -> bool:
    part = share(value)
    return (
        _is_auto(value)
        or (is_number(value) and 0 < value < math.inf)
        or (part is not None and 0 < part < math.inf)
    )


def _is_one_of(value: Any, names: Iterable[str]) -> bool:
    return isinstance(value, str) and value in names


_FITS = {
    "C": PRICE,
    "kernel": Fits(
        lambda value: _is_one_of(value, ["auto", *get_args(KernelName)]),
        "It is 'auto', 'distance', 'gaussian', 'laplace' or 'bounded'.",
    ),
    "width": Fits(
        _is_width,
        "It is 'auto', a positive number in the unit of the metric, or a share such as '70%'.",
    ),
    "repair": Fits(
        lambda value: _is_one_of(value, ["error", *REPAIRS]),
        "It is 'error', 'clip', 'flip' or 'shift'.",
    ),
    "landmarks": Fits(
        lambda value: value is None or is_whole(value, 2),
        "Pass a number from 2 on, or None for all objects.",
    ),
    "calibrate": CALIBRATE,
    "tol": TOLERANCE,
}


#: Distances that are worked on together: few enough for the cache of one core.
_AT_ONCE = 2**15


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
        first = (
            None if training.metric.obeys_triangle else np.arange(len(training))
        )  # finding equal objects would cost too much
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
    for row in np.flatnonzero(
        first[first] != first
    ):  # being at 0 is not transitive here: this is no metric
        heads = np.flatnonzero((distances[row, :row] == 0) & (first[:row] == own[:row]))
        first[row] = heads[0] if len(heads) else row
    return first


def measure_all(objects: Any, metric: Metric, n_jobs: int | None) -> Floats:
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
        distances[chosen[band]].take(
            chosen, axis=1, out=out[band], mode="clip"
        )  # mode="raise" would make a copy
    return out


def with_stored_distances(training: Training, *, max_memory: int, n_jobs: int | None) -> Training:
    """Replace the metric by one that measures each pair once, if the distances fit into half of the
    memory.

    Calibration trains on several folds of the same objects, and each fold needs most distances
    again. A matrix or a space already stores them, and vectors are measured as fast as they are
    looked up: these are returned as they are.
    """
    space = space_if_it_fits(
        training.objects, training.metric, max_memory=max_memory // 2, n_jobs=n_jobs
    )
    if space is None:
        return training
    return replace(training, objects=space.metric.prepare(space.index), metric=space.metric)


def bands(width: int, count: int) -> Iterator[slice]:
    """Cut the rows of a matrix into bands that fit into the cache of one core.

    Examples
    --------
    >>> list(bands(width=300, count=250))
    [slice(0, 109, None), slice(109, 218, None), slice(218, 327, None)]
    """
    height = max(1, _AT_ONCE // max(1, width))
    return (slice(start, start + height) for start in range(0, count, height))

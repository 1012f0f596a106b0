"""What an SVM on a metric learns from, different objects and their distances, measured once; and the memory it takes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Floats, Indices
from wideberth.classifiers.hilbert_svm.function import distances_between
from wideberth.classifiers.hilbert_svm.kernel import read_kernel
from wideberth.classifiers.hilbert_svm.kernel_choice import promised_kernel
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Merged, Training, merge_equal
from wideberth.geometry.measure.kept_distances import KeptDistances
from wideberth.geometry.measure.memory import show_memory
from wideberth.geometry.space.space import MetricSpace
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample

#: Distances that are worked on together: few enough for the cache of one core.
_AT_ONCE = 2**15
#: Bytes for a pair of objects: its distance, overwritten by its kernel; also a copy, if distances are looked up in another order;
#: also eigenvectors and the workspace to compute them.
_BYTES_MEASURED, _BYTES_LOOKED_UP, _BYTES_EXAMINED = 10, 18, 64
#: Bytes for a coordinate: itself, its copy in the sample of two classes, and LIBLINEAR's copy with an index.
_BYTES_OF_COORDINATE = 8 + 8 + 16
#: The largest number of landmarks that is ever proposed.
_ENOUGH_LANDMARKS = 1000


@dataclass(frozen=True)
class KernelRequest:
    """What is wanted of the kernel, in the words of the user, and the room there is."""

    kernel: str
    width: Any
    repair: str
    landmarks: int | None
    max_memory: int
    n_jobs: int | None

    def uses_landmarks(self, n_objects: int) -> bool:
        """Whether so many objects are to be distinct by landmarks."""
        return self.landmarks is not None and self.landmarks < n_objects


@dataclass(frozen=True, eq=False)
class DistinctObjects:
    """Different objects, where each stood in X, what it weighs without its class, and the distances if they are there."""

    merged: Merged
    metric: Metric
    positions: Indices
    weights: Floats
    distances: Floats | None

    def __len__(self) -> int:
        return len(self.merged)

    def block(self, rows: Any, columns: Any, n_jobs: int | None) -> Floats:
        """The distances between some of the objects and some others."""
        if self.distances is not None and not isinstance(rows, slice):
            return self.distances[np.ix_(rows, columns)]
        left, right = (sample.pick(self.merged.objects, some) for some in (rows, columns))
        return distances_between(left, right, self.metric, n_jobs)

    def all_distances(self, n_jobs: int | None) -> Floats:
        """The distances between all objects; whoever asks may change them, unless they are read-only, somebody's own."""
        return measure_all(self.merged.objects, self.metric, n_jobs) if self.distances is None else self.distances


def distinct_objects(training: Training, classes: NDArray[Any], class_weight: Any, request: KernelRequest) -> DistinctObjects:
    """Merge equal objects of one class. Where finding them takes all distances, these are kept."""
    first, distances = None, None
    if request.uses_landmarks(len(training)):
        first = None if training.metric.obeys_triangle else np.arange(len(training))  # finding equal objects would cost too much
    elif training.metric.accepts == "indices" or not training.metric.obeys_triangle:
        check_matrix_fits(len(training), training.metric, request.kernel, request.max_memory)
        distances = measure_all(training.objects, training.metric, request.n_jobs)
        first = first_at_zero(distances)
    merged = merge_equal(training, classes, class_weight, first)
    merged.refuse_weightless(classes, class_weight)
    if distances is not None:
        distances = _submatrix(distances, np.unique(merged.group_of, return_index=True)[1])
    return DistinctObjects(merged, training.metric, merged.positions(training), merged.given_weights(training), distances)


def first_at_zero(distances: Floats) -> Indices:
    """For each object the first one at distance 0 that is not itself at 0 from an earlier one.

    >>> first_at_zero(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    array([0, 1, 0])
    """
    own = np.arange(len(distances))
    first = np.empty(len(distances), dtype=np.intp)
    for band in bands(len(distances), len(distances)):
        equal = distances[band] == 0
        equal[own[: len(equal)], own[band]] = True
        first[band] = equal.argmax(axis=1)
    for row in np.flatnonzero(first[first] != first):  # being at 0 is not transitive here: this is no metric
        heads = np.flatnonzero((distances[row, :row] == 0) & (first[:row] == own[:row]))
        first[row] = heads[0] if len(heads) else row
    return first


def measure_all(objects: Any, metric: Metric, n_jobs: int | None) -> Floats:
    """All distances between the objects: in an array of their own, or, read-only, in that of the user."""
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
    """The distances between the chosen objects, the same array if these are all, in their order."""
    if np.array_equal(chosen, np.arange(len(distances))):
        return distances
    out = np.empty((len(chosen), len(chosen)))
    for band in bands(len(distances), len(chosen)):
        distances[chosen[band]].take(chosen, axis=1, out=out[band], mode="clip")  # mode="raise" would make a copy
    return out


def with_stored_distances(training: Training, *, max_memory: int, n_jobs: int | None) -> Training:
    """The same objects with a metric that measures each pair once, if half of the memory holds the distances.

    A matrix or a space has that already; vectors are measured as fast as they are looked up.
    """
    if training.metric.accepts in ("indices", "vectors") or 8 * len(training) ** 2 > max_memory // 2:
        return training
    space = MetricSpace(training.objects, training.metric, max_memory=max_memory // 2, n_jobs=n_jobs)
    return replace(training, objects=space.metric.prepare(space.index), metric=space.metric)


def bands(width: int, count: int) -> Iterator[slice]:
    """So many rows of a matrix of this width, as many at a time as a core's own cache holds.

    >>> list(bands(width=300, count=250))
    [slice(0, 109, None), slice(109, 218, None), slice(218, 327, None)]
    """
    height = max(1, _AT_ONCE // max(1, width))
    return (slice(start, start + height) for start in range(0, count, height))


def landmarks_that_fit(n_objects: int, metric: Metric, max_memory: int) -> int | None:
    """How many landmarks there is room for, up to a thousand, if there is none for all pairs of so many objects; else None.

    >>> from wideberth.metrics.named import metric
    >>> landmarks_that_fit(1000, metric("euclidean"), 10**9), landmarks_that_fit(10**5, metric("euclidean"), 10**9)
    (None, 310)
    """
    if n_objects**2 * _bytes_per_pair(metric, "auto") <= max_memory:
        return None
    counts = np.arange(2, _ENOUGH_LANDMARKS + 1)
    return int(counts[_bytes_of_coordinates(n_objects, counts) <= max_memory].max(initial=2))


def check_matrix_fits(n_objects: int, metric: Metric, kernel: str, max_memory: int) -> None:
    """Raise an error if the kernel matrix of so many objects does not fit."""
    per_pair = _bytes_per_pair(metric, kernel)
    needed = n_objects**2 * per_pair
    if needed > max_memory:
        why = "" if per_pair < _BYTES_EXAMINED else " and its eigenvalues, which no promise makes positive,"
        raise InvalidInput(
            f"For {n_objects:,} objects the kernel matrix{why} would take {show_memory(needed)}; "
            f"max_memory={show_memory(max_memory)}.",
            advice=f"Take landmarks, such as landmarks={max(2, min(_ENOUGH_LANDMARKS, n_objects // 10))}, or raise max_memory.",
            value=needed,
        )


def check_coordinates_fit(n_objects: int, landmarks: int, max_memory: int) -> None:
    """Raise an error if the coordinates of so many objects by so many landmarks do not fit."""
    needed = _bytes_of_coordinates(n_objects, landmarks)
    if needed > max_memory:
        raise InvalidInput(
            f"The coordinates of {n_objects:,} objects by {landmarks:,} landmarks would take {show_memory(needed)}; "
            f"max_memory={show_memory(max_memory)}.",
            advice="Take fewer landmarks, or raise max_memory.",
            value=needed,
        )


def _bytes_per_pair(metric: Metric, kernel: str) -> int:
    if promised_kernel(metric, read_kernel(kernel, "auto", 1.0)) is None:
        return _BYTES_EXAMINED
    return _BYTES_LOOKED_UP if metric.accepts == "indices" else _BYTES_MEASURED


def _bytes_of_coordinates(n_objects: int, landmarks: Any) -> Any:
    return _BYTES_OF_COORDINATE * n_objects * landmarks + _BYTES_EXAMINED * landmarks**2

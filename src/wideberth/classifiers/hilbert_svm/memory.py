"""The memory that the kernel matrix of an SVM needs, complete or on landmarks, and the errors if there is not enough."""

from typing import Any

import numpy as np

from wideberth.classifiers.hilbert_svm.kernel import read_kernel
from wideberth.classifiers.hilbert_svm.kernel_choice import promised_kernel
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import show_memory
from wideberth.metrics.metric import Metric
from wideberth.wording import setting

#: Bytes for a pair of objects: its distance, overwritten by its kernel; also a copy, if distances are looked up in another order;
#: also eigenvectors and the workspace to compute them.
_BYTES_MEASURED, _BYTES_LOOKED_UP, _BYTES_EXAMINED = 10, 18, 64
#: Bytes for a coordinate: itself, its copy in the sample of two classes, and LIBLINEAR's copy with an index.
_BYTES_OF_COORDINATE = 8 + 8 + 16
#: The largest number of landmarks that is ever proposed.
_ENOUGH_LANDMARKS = 1000
#: From how many objects on eigenvalues take longer than all the rest, and how many landmarks spare them.
_MOST_DECOMPOSED, _LANDMARKS_INSTEAD = 2000, 600


def usual_landmarks(n_objects: int, metric: Metric, max_memory: int) -> int | None:
    """Propose a number of landmarks for a sample whose kernel matrix does not fit into the memory, or takes long to repair.

    Parameters
    ----------
    n_objects : int
        The number of training objects.
    metric : Metric
        Their metric; without the promise of a valid kernel, eigenvalues need memory and time as well.
    max_memory : int
        Memory in bytes.

    Returns
    -------
    int or None
        The largest number of landmarks that fits, from 2 to 1000, or to 600 instead of eigenvalues; None if the complete kernel
        matrix is no problem.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> usual_landmarks(1000, metric("euclidean"), 10**9), usual_landmarks(10**5, metric("euclidean"), 10**9)
    (None, 310)
    >>> usual_landmarks(1000, metric("levenshtein"), 10**9), usual_landmarks(5000, metric("levenshtein"), 10**10)
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

    Parameters
    ----------
    n_objects : int
        The number of training objects.
    metric : Metric
        Their metric.
    kernel : str
        The kernel as the user wrote it; without a promise for it, eigenvectors need memory as well.
    max_memory : int
        Memory in bytes.

    Raises
    ------
    InvalidInput
        If it does not fit; the advice proposes a number of landmarks.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> check_matrix_fits(1000, metric("euclidean"), "auto", 10**9)  # 10 MB
    """
    per_pair = _bytes_per_pair(metric, kernel)
    needed = n_objects**2 * per_pair
    if needed > max_memory:
        why = "" if per_pair < _BYTES_EXAMINED else " and its eigenvalues, which no promise makes positive,"
        raise InvalidInput(
            f"For {n_objects:,} objects the kernel matrix{why} would take {show_memory(needed)}; "
            f"{setting('max_memory', shown=show_memory(max_memory))}.",
            advice=f"Take landmarks, such as {setting('landmarks', shown=max(2, min(_ENOUGH_LANDMARKS, n_objects // 10)))}, "
            "or raise max_memory.",
            value=needed,
        )


def check_coordinates_fit(n_objects: int, landmarks: int, max_memory: int) -> None:
    """Check that the coordinates of all objects by landmarks fit into the memory.

    Parameters
    ----------
    n_objects, landmarks : int
        The number of training objects, and of landmarks among them.
    max_memory : int
        Memory in bytes.

    Raises
    ------
    InvalidInput
        If they do not fit.

    Examples
    --------
    >>> check_coordinates_fit(10**5, 300, 10**9)
    """
    needed = _bytes_of_coordinates(n_objects, landmarks)
    if needed > max_memory:
        raise InvalidInput(
            f"The coordinates of {n_objects:,} objects by {landmarks:,} landmarks would take {show_memory(needed)}; "
            f"{setting('max_memory', shown=show_memory(max_memory))}.",
            advice="Take fewer landmarks, or raise max_memory.",
            value=needed,
        )


def _bytes_per_pair(metric: Metric, kernel: str) -> int:
    """The memory for a pair of objects in a complete kernel matrix, in bytes."""
    if promised_kernel(metric, read_kernel(kernel, "auto", 1.0)) is None:
        return _BYTES_EXAMINED
    return _BYTES_LOOKED_UP if metric.accepts == "indices" else _BYTES_MEASURED


def _bytes_of_coordinates(n_objects: int, landmarks: Any) -> Any:
    """The memory for the coordinates of all objects and the eigenvectors of the landmarks, in bytes."""
    return _BYTES_OF_COORDINATE * n_objects * landmarks + _BYTES_EXAMINED * landmarks**2

"""How much memory an SVM on a metric takes, and what to say where there is too little."""

from typing import Any

import numpy as np

from wideberth.classifiers.hilbert_kernel_choice import promised_kernel, read_kernel
from wideberth.errors import InvalidInput
from wideberth.geometry.memory import show_memory
from wideberth.metrics.metric import Metric

#: Bytes that a pair of objects takes: its distance, which becomes its kernel; with a copy, where it is looked up in some order;
#: and with eigenvectors, and what leads to them.
_BYTES, _BYTES_LOOKED_UP, _BYTES_EXAMINED = 10, 18, 64
#: Bytes that a coordinate takes: itself, in a copy of two classes, and with its number for LIBLINEAR.
_BYTES_OF_A_COORDINATE = 8 + 8 + 16
#: Landmarks that serve for most purposes.
_ENOUGH = 1000


def landmarks_that_fit(n_objects: int, metric: Metric, memory: int) -> int | None:
    """How many landmarks there is room for, up to a thousand, if there is none for all pairs of so many objects; else None.

    >>> from wideberth.metrics.named import metric
    >>> landmarks_that_fit(1000, metric("euclidean"), 10**9), landmarks_that_fit(10**5, metric("euclidean"), 10**9)
    (None, 310)
    """
    if n_objects**2 * _bytes_of_a_pair(metric, "auto") <= memory:
        return None
    counts = np.arange(2, _ENOUGH + 1)
    return int(counts[_bytes_of_coordinates(n_objects, counts) <= memory].max(initial=2))


def refuse_too_many(n_objects: int, metric: Metric, kernel: str, memory: int) -> None:
    """Raise an error if the kernel matrix of so many objects does not fit."""
    a_pair = _bytes_of_a_pair(metric, kernel)
    needed = n_objects**2 * a_pair
    if needed > memory:
        why = "" if a_pair < _BYTES_EXAMINED else " and its eigenvalues, which nobody promises to be positive,"
        raise InvalidInput(
            f"For {n_objects:,} objects the kernel matrix{why} would take {show_memory(needed)}; memory={show_memory(memory)}.",
            advice=f"Take landmarks, such as landmarks={max(2, min(_ENOUGH, n_objects // 10))}, or raise memory.",
            value=needed,
        )


def refuse_too_wide(n_objects: int, landmarks: int, memory: int) -> None:
    """Raise an error if the coordinates of so many objects by so many landmarks do not fit."""
    needed = _bytes_of_coordinates(n_objects, landmarks)
    if needed > memory:
        raise InvalidInput(
            f"The coordinates of {n_objects:,} objects by {landmarks:,} landmarks would take {show_memory(needed)}; "
            f"memory={show_memory(memory)}.",
            advice="Take fewer landmarks, or raise memory.",
            value=needed,
        )


def _bytes_of_a_pair(metric: Metric, kernel: str) -> int:
    if promised_kernel(metric, read_kernel(kernel, "auto", 1.0)) is None:
        return _BYTES_EXAMINED
    return _BYTES_LOOKED_UP if metric.eats == "indices" else _BYTES


def _bytes_of_coordinates(n_objects: int, landmarks: Any) -> Any:
    return _BYTES_OF_A_COORDINATE * n_objects * landmarks + _BYTES_EXAMINED * landmarks**2

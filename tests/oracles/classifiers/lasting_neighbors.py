"""The nearest of those that last: sort all, leave out what does not."""

import numpy as np


def records(distances: np.ndarray, lifetimes: np.ndarray) -> list[list[tuple[int, float]]]:
    """Of each row, the objects by (distance, index) that last longer than all before them, and how
    long.
    """
    rows = []
    for row in distances:
        kept, longest = [], -np.inf
        for _, j in sorted((float(d), j) for j, d in enumerate(row)):
            if lifetimes[j] > longest:
                longest = lifetimes[j]
                kept.append((j, float(longest)))
        rows.append(kept)
    return rows


def nearest_lasting(distances: np.ndarray, lifetimes: np.ndarray, threshold: float) -> list[int]:
    """Of each row, the first object by (distance, index) that lasts to the threshold; -1 if there
    is none.
    """
    return [
        min(
            ((float(d), j) for j, d in enumerate(row) if lifetimes[j] >= threshold), default=(0, -1)
        )[1]
        for row in distances
    ]

"""Other ways to keep few objects for the nearest neighbour, to compare with."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]


def relative_neighbors(points: Floats, labels: NDArray[Any]) -> NDArray[np.intp]:
    """Objects by increasing distance of their nearest enemy, each one taken unless one of its class
    is nearer to it than that.

    Flores-Velazco & Mount, "Coresets for the nearest-neighbor rule", ESA 2020.
    """
    distances = cdist(points, points)
    enemies = np.where(labels[:, None] != labels, distances, np.inf).min(axis=1)
    taken: list[int] = []
    for each in np.argsort(enemies, kind="stable"):
        friends = [other for other in taken if labels[other] == labels[each]]
        if not friends or distances[each, friends].min() >= enemies[each]:
            taken.append(int(each))
    return np.array(taken, dtype=np.intp)


def imbalanced_learn(points: Floats, labels: NDArray[Any]) -> NDArray[np.intp]:
    """Hart's condensed nearest neighbour, of all classes."""
    from imblearn.under_sampling import CondensedNearestNeighbour

    chooser = CondensedNearestNeighbour(sampling_strategy="all", random_state=0, n_jobs=1)
    chooser.fit_resample(points, labels)
    return np.asarray(chooser.sample_indices_, dtype=np.intp)

"""Who is near whom: hubs, and how well labels follow the distance."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.metrics.metric import Distances
from wideberth.objects.labels import Labels


@dataclass(frozen=True)
class Hubs:
    """How often objects are among the ``k`` nearest of others (Radovanovic, Nanopoulos & Ivanovic 2010).

    On average it is k times. ``skewness`` above 1 or so means hubs: a few objects are everybody's neighbour; ``orphans`` is the
    share of objects that are nobody's.
    """

    k: int
    most: int
    most_popular: int
    skewness: float
    orphans: float


@dataclass(frozen=True)
class LabelConflict:
    """Two objects at distance 0 with different labels."""

    objects: tuple[int, int]
    labels: tuple[str, str]


@dataclass(frozen=True)
class LabelFacts:
    """How the labels lie in the geometry.

    ``nearest_error`` is the leave-one-out error of the nearest neighbour among the examined objects (ties go to the first
    object), ``majority_error`` the error of always answering the largest class, ``conflicts`` the number of pairs of equal
    objects with different labels, ``first_conflicts`` some of them.
    """

    classes: tuple[str, ...]
    counts: tuple[int, ...]
    nearest_error: float
    majority_error: float
    conflicts: int
    first_conflicts: tuple[LabelConflict, ...]


def hubs_of(distances: Distances, indices: np.ndarray[Any, Any], k: int = 10) -> Hubs:
    """Count each object among the k nearest neighbours of the others."""
    k = min(k, len(distances) - 1)
    nearest = np.argpartition(_without_self(distances), k - 1, axis=1)[:, :k]
    times = np.bincount(nearest.ravel(), minlength=len(distances))
    deviation = times - times.mean()
    scale = np.sqrt((deviation**2).mean())
    return Hubs(
        k=k,
        most=int(times.max()),
        most_popular=int(indices[times.argmax()]),
        skewness=float((deviation**3).mean() / scale**3) if scale else 0.0,
        orphans=float((times == 0).mean()),
    )


def label_facts(distances: Distances, labels: Labels, indices: np.ndarray[Any, Any]) -> LabelFacts:
    """Read the labels of the examined objects against their distances."""
    codes = labels.codes[indices]
    nearest = _without_self(distances).argmin(axis=1)
    equal = np.argwhere(np.triu((distances == 0) & (codes[:, None] != codes[None, :]), 1))
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    names = [str(each) for each in labels.classes]
    return LabelFacts(
        classes=tuple(names),
        counts=tuple(map(int, counts)),
        nearest_error=float((codes[nearest] != codes).mean()),
        majority_error=float(1 - np.bincount(codes).max() / len(codes)),
        conflicts=len(equal),
        first_conflicts=tuple(
            LabelConflict((int(indices[i]), int(indices[j])), (names[codes[i]], names[codes[j]])) for i, j in equal[:5]
        ),
    )


def _without_self(distances: Distances) -> Distances:
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    return others

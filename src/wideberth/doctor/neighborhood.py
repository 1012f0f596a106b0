"""Nearest neighbours in a sample: hubs, and how well the labels agree with the distance."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.metrics.metric import Distances
from wideberth.objects.labels import Labels


@dataclass(frozen=True)
class Hubs:
    """How often each object is among the k nearest neighbours of the others (Radovanovic,
    Nanopoulos & Ivanovic 2010).

    On average an object is k times among them. In spaces of high dimension the counts are often
    very unequal: a few objects, the hubs, are neighbours of most others, and decide most
    predictions of a nearest-neighbour rule.

    Attributes
    ----------
    k : int
        How many neighbours of each object were counted.
    most : int
        The largest count.
    most_popular : int
        The object with that count, as its position in the whole sample.
    skewness : float
        Skewness of the counts; above about 1 there are hubs. 0 if all counts are equal.
    orphans : float
        Share of the objects that are not among the k nearest of any other one.
    """

    k: int
    most: int
    most_popular: int
    skewness: float
    orphans: float


@dataclass(frozen=True)
class LabelConflict:
    """Two objects at distance 0 with different labels: no function of the distances can give both
    their label.

    Attributes
    ----------
    objects : tuple of two int
        Their positions in the sample.
    labels : tuple of two str
        Their labels, as text.
    """

    objects: tuple[int, int]
    labels: tuple[str, str]


@dataclass(frozen=True)
class LabelFacts:
    """How well the labels agree with the distance.

    Attributes
    ----------
    classes : tuple of str
        The classes in sorted order, as text.
    counts : tuple of int
        The number of objects of each class in the whole sample.
    nearest_error : float
        Leave-one-out error of the nearest neighbour among the examined objects; among equally near
        ones the first counts.
    majority_error : float
        Error on the examined objects of always predicting their largest class: what a useful
        distance has to beat.
    conflicts : int
        Number of pairs of examined objects at distance 0 with different labels.
    first_conflicts : tuple of LabelConflict
        Up to five of these pairs.
    """

    classes: tuple[str, ...]
    counts: tuple[int, ...]
    nearest_error: float
    majority_error: float
    conflicts: int
    first_conflicts: tuple[LabelConflict, ...]


def find_hubs(distances: Distances, indices: np.ndarray[Any, Any], k: int = 10) -> Hubs:
    """Count how often each object is among the k nearest neighbours of the others.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Distances of the examined objects, symmetric and finite, n >= 2.
    indices : ndarray of shape (n,)
        Their positions in the whole sample.
    k : int
        Neighbours to count; n - 1 if there are fewer. Which of several tied neighbours count is
        arbitrary.

    Returns
    -------
    Hubs

    Examples
    --------
    >>> star = np.array(
    ...     [[0, 1, 1, 1], [1, 0, 2, 2], [1, 2, 0, 2], [1, 2, 2, 0]], dtype=float
    ... )  # object 0 in the centre
    >>> hubs = find_hubs(star, np.array([5, 6, 7, 8]), k=1)
    >>> hubs.most_popular, hubs.most
    (5, 3)
    """
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
    """Compare the labels of the examined objects with their distances.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Distances of the examined objects, symmetric and finite, n >= 2.
    labels : Labels
        The labels of the whole sample.
    indices : ndarray of shape (n,)
        The positions of the examined objects in the whole sample.

    Returns
    -------
    LabelFacts

    Examples
    --------
    >>> from wideberth.objects.labels import code_labels
    >>> line = np.abs(np.subtract.outer([0.0, 0.0, 5.0, 6.0], [0.0, 0.0, 5.0, 6.0]))
    >>> facts = label_facts(line, code_labels(["tea", "rum", "rum", "rum"], 4), np.arange(4))
    >>> facts.conflicts, facts.first_conflicts[0].labels, facts.nearest_error
    (1, ('tea', 'rum'), 0.5)
    """
    codes = labels.codes[indices]
    nearest = _without_self(distances).argmin(axis=1)
    equal = np.argwhere(np.triu((distances == 0) & (codes[:, None] != codes[None, :]), 1))
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    names = [str(label) for label in labels.classes]
    return LabelFacts(
        classes=tuple(names),
        counts=tuple(map(int, counts)),
        nearest_error=float((codes[nearest] != codes).mean()),
        majority_error=float(1 - np.bincount(codes).max() / len(codes)),
        conflicts=len(equal),
        first_conflicts=tuple(
            LabelConflict((int(indices[i]), int(indices[j])), (names[codes[i]], names[codes[j]]))
            for i, j in equal[:5]
        ),
    )


def _without_self(distances: Distances) -> Distances:
    """A copy with an infinite diagonal, so that no object is its own neighbour."""
    others = distances.copy()
    np.fill_diagonal(others, np.inf)
    return others

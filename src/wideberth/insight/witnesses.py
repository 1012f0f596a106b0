"""Why an object gets its label, by the training objects themselves: the nearest that have the
label, and the nearest others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Labels, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier, metric_classifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.metrics.parameters import is_whole
from wideberth.objects import sample
from wideberth.wording import setting

#: Objects whose distances to all training objects are held at a time.
_CHUNK = 256


@dataclass(frozen=True)
class NearbyObject:
    """A training object that speaks for or against the label of another object.

    Attributes
    ----------
    index : int
        Its position among the objects that were passed.
    object : object
        The object itself, as it was passed.
    label : label
        Its label in the data, right or wrong.
    distance : float
        How far it is.
    """

    index: int
    object: Any
    label: Any
    distance: float


@dataclass(frozen=True)
class Witnesses:
    """The objects that speak for the label of an object, and those that speak against it.

    Attributes
    ----------
    label : label
        What the model answers.
    probability : float or None
        How probable it is, if the model was calibrated.
    supporters : tuple of NearbyObject
        The nearest training objects with this label, nearest first.
    opponents : tuple of NearbyObject
        The nearest training objects with other labels, nearest first.
    """

    label: Any
    probability: float | None
    supporters: tuple[NearbyObject, ...]
    opponents: tuple[NearbyObject, ...]


def witnesses(
    model: Any, X: Objects, training: tuple[Objects, Labels], *, k: int = 3
) -> list[Witnesses]:
    """The training objects nearest to each object: those that have the label it gets, and those
    that have another one.

    The ``explain`` of a classifier says what its score is made of, by positions in the X of fit; a
    file may not even hold those objects. This shows the objects, for every classifier, and also if
    the model is a linear function or keeps few of them.

    Parameters
    ----------
    model : classifier
        A fitted classifier on a metric, or a fitted search for one.
    X : sample
        The objects to explain.
    training : (X, y)
        The objects that speak, with their labels: those of fit, or others whose labels are known.
    k : int
        How many of either side to show.

    Returns
    -------
    list of Witnesses
        One for each object.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> drinks, kinds = ["tea", "tee", "ten", "rum", "rom", "ram"], 3 * ["soft"] + 3 * ["hard"]
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=3).fit(drinks, kinds)
    >>> [why] = witnesses(model, ["teem"], training=(drinks, kinds), k=2)
    >>> why.label, [each.object for each in why.supporters], [each.object for each in why.opponents]
    ('soft', ['tee', 'tea'], ['rum', 'rom'])
    """
    if not is_whole(k, 1):
        raise InvalidInput(
            f"{setting('k', k)} is not a whole number from 1 on.", advice="Leave it out.", value=k
        )
    inner = metric_classifier(model)
    told, y = training
    prepared, given = inner.admit_with_given(told)
    labels = code_targets(y, sample.count(prepared))
    named = labels.classes[labels.codes]
    found = inner.answers(X, certified=False)  # a search predicts as what it has found
    answers, probabilities = found.labels, found.probabilities
    sure = None if probabilities is None else probabilities.max(axis=1)
    held = sample.one_by_one(sample.hold(given))
    return [
        Witnesses(
            label=answers[row].item() if isinstance(answers[row], np.generic) else answers[row],
            probability=None if sure is None else float(sure[row]),
            supporters=_nearest(distances, named == answers[row], held, named, k),
            opponents=_nearest(distances, named != answers[row], held, named, k),
        )
        for row, distances in enumerate(_rows_of_distances(inner, X, prepared))
    ]


def _rows_of_distances(model: MetricClassifier, X: Objects, prepared: Sample) -> Iterator[Floats]:
    """The distances of each object to all training objects."""
    queries = model.admit_queries(X)
    for start in range(0, sample.count(queries), _CHUNK):
        yield from model.metric_.block(sample.pick(queries, slice(start, start + _CHUNK)), prepared)


def _nearest(
    distances: Floats, chosen: NDArray[Any], held: Sample, named: NDArray[Any], k: int
) -> tuple[NearbyObject, ...]:
    """The k nearest of the chosen objects; of equally near ones the first."""
    places = np.flatnonzero(chosen)
    nearest = places[np.argsort(distances[places], kind="stable")[:k]].tolist()
    labels = named[nearest].tolist()
    return tuple(
        NearbyObject(place, sample.pick_one(held, place), label, float(distances[place]))
        for place, label in zip(nearest, labels, strict=True)
    )

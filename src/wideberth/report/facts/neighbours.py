"""The nearest objects that speak for an answer, and those that speak against it: why an object got
its label.

For objects that the model learned from these are other objects of the report. For new ones they are
the training objects that the model keeps, with their labels, or those that it gives them; where it
keeps none, again other objects of the report.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.estimators.model_facts import Kept
from wideberth.objects import sample
from wideberth.report.drawings import drawing
from wideberth.report.facts.given import SECONDS, GivenObjects

#: How many neighbours of either side each object has.
NEIGHBORS = 3
#: How many distances are held at a time, and how many bytes drawings of training objects may take.
_HELD, _BYTES = 4_000_000, 500_000


@dataclass(frozen=True, eq=False)
class KnownObjects:
    """Objects with labels that new ones are set beside.

    Attributes
    ----------
    prepared : prepared sample
        The objects, as the metric measures them.
    codes : ndarray of int, shape (m,)
        Their labels, as codes of the classes of the report.
    numbers : ndarray of int, shape (m,)
        Their positions in the report; training objects have numbers from the number of its objects
        on.
    training : bool
        Whether they are training objects that the model keeps.
    """

    prepared: Any
    codes: Indices
    numbers: Indices
    training: bool

    @classmethod
    def of(cls, given: GivenObjects) -> "KnownObjects | None":
        """The training objects that the model keeps if the objects are new to it; else the objects
        that were compared.
        """
        kept = given.single.kept() if given.is_new else None
        labels = None if kept is None or not kept.own else _labels_of_kept(given, kept)
        if kept is not None and labels is not None:
            numbers = len(given) + np.arange(len(labels))
            return cls(
                kept.objects, np.searchsorted(given.labels.classes, labels), numbers, training=True
            )
        if given.distances is None:
            return None
        prepared = None if given.is_matrix else sample.pick(given.prepared, given.compared)
        return cls(prepared, given.labels.codes[given.compared], given.compared, training=False)


def _labels_of_kept(given: GivenObjects, kept: Kept) -> NDArray[Any] | None:
    """The labels of the training objects that a model keeps: those of fit where it knows them, else
    those that it gives them.

    None for a matrix of distances, in which they are numbers of columns, of which no answers are
    known.
    """
    if kept.labels is not None:
        return kept.labels
    return None if given.is_matrix else given.single.classes_[given.single.winners(kept.objects)]


def near_facts(
    given: GivenObjects, known: KnownObjects | None, shown: Indices, told: Indices
) -> dict[int, list[Any]]:
    """For each object up to three [number, distance] of known ones with its answer's label, and
    three of others, nearest first.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    known : KnownObjects or None
        Who can speak.
    shown : ndarray of int
        The positions of the objects, the most important first; as many as time allows have
        neighbours.
    told : ndarray of int, shape (n,)
        The code of the answer to each object, -1 if nobody was asked.
    """
    found: dict[int, list[Any]] = {}
    for place, row in () if known is None else _rows(given, known, shown):
        assert known is not None
        label = told[place] if told[place] >= 0 else given.labels.codes[place]
        other = known.numbers != place
        sides = (
            np.flatnonzero(side & other) for side in (known.codes == label, known.codes != label)
        )
        found[place] = [_nearest(row, side, known.numbers) for side in sides]
    return found


def _rows(given: GivenObjects, known: KnownObjects, shown: Indices) -> Iterator[tuple[int, Floats]]:
    """The distances from each object to all known ones."""
    if given.distances is not None and not known.training:
        position = np.full(len(given), -1)
        position[given.compared] = np.arange(len(given.compared))
        yield from (
            (place, given.distances[position[place]])
            for place in shown.tolist()
            if position[place] >= 0
        )
        shown = shown[position[shown] < 0]
    if given.is_matrix and not known.training:
        return
    count = max(1, len(known.codes))
    shown = shown[: given.affordable(count, SECONDS / 2)]
    rows = max(1, _HELD // count)
    for start in range(0, len(shown), rows):
        places = shown[start : start + rows]
        yield from zip(
            places.tolist(),
            given.between(sample.pick(given.prepared, places), known.prepared),
            strict=True,
        )


def _nearest(row: Floats, side: Indices, numbers: Indices) -> list[list[float]]:
    """The nearest known objects of one side; of equally near ones the first."""
    if len(side) > 10 * NEIGHBORS:
        limit = np.partition(row[side], NEIGHBORS - 1)[NEIGHBORS - 1]
        side = side[row[side] <= limit]
    first = side[np.argsort(row[side], kind="stable")[:NEIGHBORS]]
    return [[int(numbers[each]), float(row[each])] for each in first]


def training_facts(
    given: GivenObjects,
    known: KnownObjects | None,
    near: dict[int, list[Any]],
    *,
    show_objects: bool,
) -> dict[str, Any] | None:
    """The training objects among the neighbours: what they are and which labels the model gives
    them; None if there are none.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    known : KnownObjects or None
        Who can speak.
    near : dict
        What `near_facts` found.
    show_objects : bool
        Whether to draw them.
    """
    if known is None or not known.training:
        return None
    used = list(
        dict.fromkeys(each[0] for sides in near.values() for side in sides for each in side)
    )
    places = [number - len(given) for number in used]
    drawn = show_objects and not given.is_matrix and sample.has_objects(known.prepared)
    return {
        "number": used,
        "label": known.codes[places] if places else [],
        "drawing": _drawings(given, known, places) if drawn else None,
    }


def _drawings(
    given: GivenObjects, known: KnownObjects, places: list[int]
) -> list[dict[str, Any] | None]:
    """Drawings of training objects, if the metric keeps objects as they were, as long as there is
    space.
    """
    left, found = _BYTES, []
    for place in places:
        held = sample.pick_one(known.prepared, place)
        drawn = (
            drawing(held, given.metric) if left > 0 and isinstance(held, str | np.ndarray) else None
        )
        left -= len(json.dumps(drawn, default=str))
        found.append(drawn)
    return found

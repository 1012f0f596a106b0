"""The objects that a report holds: how each is drawn, what it was told, and which near objects speak
for and against that.

For objects that the model learned from, the near ones are other objects of the report. For those
that it answers for itself they are the training objects that the model keeps, with their labels, or those that it gives them;
where it keeps none, again other objects of the report.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices, Sample
from wideberth.cards.values import probability
from wideberth.errors import InvalidInput
from wideberth.estimators.model_facts import Kept
from wideberth.objects import sample
from wideberth.report.drawings import difference, drawing, row_drawing
from wideberth.report.facts.errors import Judged
from wideberth.report.facts.given import SECONDS, GivenObjects
from wideberth.safe_text import safe_name, safe_text
from wideberth.wording import setting

#: How many neighbours of either side each object has.
NEIGHBORS = 3
#: How many distances are held at a time, and how many bytes drawings of training objects may take.
_HELD, _BYTES = 4_000_000, 500_000


@dataclass(frozen=True, eq=False)
class KnownObjects:
    """Objects with labels that new ones are set beside."""

    prepared: Sample
    codes: Indices
    numbers: Indices  # positions in the report; training objects come behind all of these
    training: bool  # whether they are training objects that the model keeps

    @classmethod
    def of(cls, given: GivenObjects) -> "KnownObjects | None":
        """The training objects that the model keeps if it answers for the objects itself; else the objects
        that were compared.
        """
        kept = given.single.kept() if given.is_for_the_model else None
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

    As many of the shown objects, the most important first, as time allows have neighbours.
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
    names: Sequence[Any] | None = None,
    *,
    show_objects: bool,
) -> dict[str, Any] | None:
    """The training objects among the neighbours: what they are, by their names where the metric
    does not keep them as they were, and which labels the model gives them; None if there are none.
    """
    if known is None or not known.training:
        return None
    if names is not None and len(names) != len(known.codes):
        raise InvalidInput(
            f"The model keeps {len(known.codes):,} training objects, and there are {len(names):,} "
            f"{setting('kept_names')}.",
            advice="Pass a name for each object of kept(), or none.",
            value=len(names),
        )
    used = list(
        dict.fromkeys(each[0] for sides in near.values() for side in sides for each in side)
    )
    places = [number - len(given) for number in used]
    drawn = _drawn_neighbours(given, known, places) if show_objects and not given.is_matrix else []
    if show_objects and names is not None and not drawn:
        drawn = [_called(names[place]) for place in places]
    return {
        "number": used,
        "label": known.codes[places] if places else [],
        "drawing": drawn if show_objects and not given.is_matrix else None,
    }


def _called(name: Any) -> dict[str, Any]:
    """The drawing of an object of which only the name is known."""
    return {"type": "text", "spans": [], "alt": safe_text(name, _WORDS)}


def _drawn_neighbours(
    given: GivenObjects, known: KnownObjects, places: list[int]
) -> list[dict[str, Any] | None]:
    """Drawings of training objects, if the metric keeps objects as they were, as long as there is
    space.
    """
    left, found = _BYTES, []
    rows = given.metric.as_objects(sample.pick(known.prepared, np.array(places, dtype=np.intp)))
    for held in () if rows is None else sample.one_by_one(rows):
        drawn = None
        if left > 0 and given.table is not None:
            drawn = row_drawing(given.table.names, given.table.cells_of(held))
        elif left > 0 and isinstance(held, str | np.ndarray):
            drawn = drawing(held, given.metric)
        left -= len(json.dumps(drawn, default=str))
        found.append(drawn)
    return found


# ---- What the page holds

#: How many objects a report holds at most, and how many bytes their drawings may take; later ones
#: are shown by a few words.
_MOST, _BYTES = 2000, 1_300_000
#: How many characters of an object without a drawing are shown.
_WORDS = 60


def choose_shown(given: GivenObjects, notable: Iterable[Indices]) -> Indices:
    """Positions of the objects to hold, the most important first: notable ones, then those that
    were compared.
    """
    ordered = [int(place) for places in notable for place in places]
    return np.array(
        list(dict.fromkeys([*ordered, *given.compared.tolist()]))[:_MOST], dtype=np.intp
    )


def object_facts(
    given: GivenObjects,
    judged: Judged,
    shown: Indices,
    proved: dict[int, float],
    alone: dict[int, list[str | None]],
    states: Indices,
    near: dict[int, list[Any]],
    *,
    show_objects: bool,
) -> dict[str, Any]:
    """A table with a row for each shown object, column by column."""
    ordered = np.sort(shown)
    quality, lead = _certainty(given, judged)
    drawings = _drawings(given, shown) if show_objects else {}
    named = given.names is not None and show_objects
    return {
        "index": ordered,
        "label": given.labels.codes[ordered],
        "told": answered(given, judged)[ordered],
        "probability": None
        if judged.probabilities is None or judged.how == "own"
        else [probability(judged.probabilities[place]) for place in ordered.tolist()],
        "quality": quality[ordered],
        "lead": lead[ordered],
        "radius": [proved.get(int(place)) for place in ordered],
        "moves": [alone.get(int(place)) for place in ordered] if alone else None,
        "state": states[ordered],
        "name": [safe_name(given.names[place]) for place in ordered.tolist()]
        if named and given.names is not None
        else None,
        "drawing": [drawings[place] for place in ordered.tolist()] if show_objects else None,
        "near": [near.get(place) for place in ordered.tolist()],
        "n": len(given),
        "counted_from": given.counted_from,
        "line": None if given.lines is None else [given.lines[place] for place in ordered.tolist()],
    }


def answered(given: GivenObjects, judged: Judged) -> Indices:
    """The code of the honest answer to each object, -1 where there is none."""
    told = np.full(len(given), -1, dtype=np.intp)
    if judged.how != "own":
        told[judged.places] = judged.told
    return told


def _certainty(given: GivenObjects, judged: Judged) -> tuple[Floats, Floats]:
    """For all objects the probability of their label, and its lead; nan where nobody was asked."""
    quality, lead = np.full(len(given), np.nan), np.full(len(given), np.nan)
    if judged.how != "own":
        quality[judged.places] = judged.labels.quality
        lead[judged.places] = judged.leads(given)
    return quality, lead


def _drawings(given: GivenObjects, shown: Indices) -> dict[int, Any]:
    """How each object is shown: the first ones whole, as long as there is space, the others by a
    few words.
    """
    left, found = _BYTES, {}
    for place in shown.tolist():
        if given.is_matrix or given.metric.accepts == "indices":
            found[place] = {"type": "text", "spans": [], "alt": given.row(place)}
            continue
        drawn = (
            drawing(sample.pick_one(given.held, place), given.metric)
            if given.table is None
            else row_drawing(given.table.names, given.table.cells(place))
        )
        size = len(json.dumps(drawn, default=str))
        if size <= left:
            left -= size
            found[place] = drawn
        else:
            found[place] = {
                "type": "text",
                "spans": [],
                "alt": safe_text(drawn.get("alt", ""), _WORDS),
            }
    return found


def differences(
    given: GivenObjects, near: dict[int, list[Any]], doubted: Iterable[int]
) -> dict[str, list[Any]]:
    """For each doubted object, how its nearest objects with the label that it was told differ from
    it; by its position.
    """
    if given.is_matrix or given.metric.accepts == "indices" or given.table is not None:
        return {}  # of rows, the page marks the cells
    found = {}
    for place in doubted:
        own = sample.pick_one(given.held, place)
        others = [each for each, _ in (near.get(place) or [[]])[0]]
        if others and max(others) < len(given):
            marked = [
                difference(own, sample.pick_one(given.held, other), given.metric)
                for other in others
            ]
            found[str(place)] = marked
    return {place: marked for place, marked in found.items() if any(marked)}

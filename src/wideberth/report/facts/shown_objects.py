"""The objects that a report holds: how each is drawn, what it was told, and which near objects speak for and against that."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.objects import sample
from wideberth.report.drawings import difference, drawing
from wideberth.report.facts.given import GivenObjects
from wideberth.report.facts.judged import Judged
from wideberth.report.safe_text import safe_name, safe_text

#: How many objects a report holds at most, and how many bytes their drawings may take; later ones are shown by a few words.
_MOST, _BYTES = 2000, 1_300_000
#: How many neighbours of either side each object has, and how many characters an object without a drawing.
NEIGHBORS, _WORDS = 3, 60


def choose_shown(given: GivenObjects, notable: Iterable[Indices]) -> Indices:
    """Positions of the objects to hold, the most important first: notable ones, then those that were compared.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    notable : iterable of sequence of int
        Lists of positions, the most important list first.
    """
    ordered = [int(place) for places in notable for place in places]
    return np.array(list(dict.fromkeys([*ordered, *given.compared.tolist()]))[:_MOST], dtype=np.intp)


def object_facts(
    given: GivenObjects, judged: Judged, shown: Indices, proved: dict[int, float], states: Indices, *, show_objects: bool
) -> dict[str, Any]:
    """A table with a row for each shown object, column by column.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    judged : Judged
        Honest answers.
    shown : ndarray of int
        The positions of the objects, the most important first.
    proved : dict from int to float
        The radius within which the label of an object is proved, where that was asked.
    states : ndarray of int, shape (n,)
        What the model made of each object.
    show_objects : bool
        Whether to draw the objects and to tell their names.

    Returns
    -------
    dict
        Columns ``index``, ``label``, ``told``, ``quality``, ``lead``, ``radius``, ``state``, ``name``, ``drawing``, and ``near``:
        for each object up to three [position, distance] of its answer's label, and three of other labels.
    """
    ordered = np.sort(shown)
    told, quality, lead = _answers(given, judged)
    drawings = _drawings(given, shown) if show_objects else {}
    named = given.names is not None and show_objects
    return {
        "index": ordered,
        "label": given.labels.codes[ordered],
        "told": told[ordered],
        "quality": quality[ordered],
        "lead": lead[ordered],
        "radius": [proved.get(int(place)) for place in ordered],
        "state": states[ordered],
        "name": [safe_name(given.names[place]) for place in ordered.tolist()] if named and given.names is not None else None,
        "drawing": [drawings[place] for place in ordered.tolist()] if show_objects else None,
        "near": _near(given, ordered, told),
        "n": len(given),
        "counted_from": given.counted_from,
    }


def _answers(given: GivenObjects, judged: Judged) -> tuple[Indices, Floats, Floats]:
    """For all objects what they were told (-1 if nobody was asked), the probability of their label, and its lead."""
    told = np.full(len(given), -1, dtype=np.intp)
    quality, lead = np.full(len(given), np.nan), np.full(len(given), np.nan)
    if judged.how != "own":
        told[judged.places] = judged.told
        quality[judged.places] = judged.labels.quality
        lead[judged.places] = judged.leads(given)
    return told, quality, lead


def _drawings(given: GivenObjects, shown: Indices) -> dict[int, Any]:
    """How each object is shown: the first ones whole, as long as there is space, the others by a few words."""
    kind = "indices" if given.is_matrix else given.metric.accepts
    left, found = _BYTES, {}
    for place in shown.tolist():
        if kind == "indices":
            found[place] = {"type": "text", "spans": [], "alt": given.row(place)}
            continue
        drawn = drawing(sample.pick_one(given.held, place), kind)
        size = len(json.dumps(drawn, default=str))
        if size <= left:
            left -= size
            found[place] = drawn
        else:
            found[place] = {"type": "text", "spans": [], "alt": safe_text(drawn.get("alt", ""), _WORDS)}
    return found


def _near(given: GivenObjects, shown: Indices, told: Indices) -> list[list[list[list[float]]]] | None:
    """The nearest compared objects that have the label that each object was told, and the nearest that have not."""
    if given.distances is None:
        return None
    compared = given.compared
    position = np.full(len(given), -1)
    position[compared] = np.arange(len(compared))
    outside = shown[position[shown] < 0]
    more = _distances_from(given, outside)
    codes, found = given.labels.codes[compared], []
    for place in shown.tolist():
        row = given.distances[position[place]] if position[place] >= 0 else more[place]
        label = told[place] if told[place] >= 0 else given.labels.codes[place]
        order = np.argsort(row, kind="stable")
        order = order[compared[order] != place]
        sides = order[codes[order] == label][:NEIGHBORS], order[codes[order] != label][:NEIGHBORS]
        found.append([[[int(compared[each]), float(row[each])] for each in side] for side in sides])
    return found


def _distances_from(given: GivenObjects, places: Indices) -> dict[int, Floats]:
    """The distances of some objects to the compared ones."""
    if not len(places):
        return {}
    objects = sample.pick(given.prepared, places), sample.pick(given.prepared, given.compared)
    rows = pairwise_distances(*objects, given.metric, n_jobs=given.classifier.n_jobs, verbose=-1)
    return dict(zip(places.tolist(), rows, strict=True))


def differences(given: GivenObjects, table: dict[str, Any], doubted: Iterable[int]) -> dict[str, list[Any]]:
    """For each doubted object, how its nearest objects with the label that it was told differ from it; by its position.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    table : dict
        What `object_facts` returned.
    doubted : iterable of int
        Positions of objects with a doubtful label.
    """
    if given.is_matrix or table["near"] is None or table["drawing"] is None or given.metric.accepts != "strings":
        return {}
    where = {place: number for number, place in enumerate(table["index"].tolist())}
    return {
        str(place): [
            difference(sample.pick_one(given.held, place), sample.pick_one(given.held, near), "strings")
            for near, _ in table["near"][where[place]][0]
        ]
        for place in map(int, doubted)
        if place in where
    }

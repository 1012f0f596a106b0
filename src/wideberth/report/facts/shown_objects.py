"""The objects that a report holds: how each is drawn, what it was told, and which near objects
speak for and against that.
"""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.objects import sample
from wideberth.report.drawings import difference, drawing
from wideberth.report.facts.errors import Judged
from wideberth.report.facts.given import GivenObjects
from wideberth.report.safe_text import safe_name, safe_text

#: How many objects a report holds at most, and how many bytes their drawings may take; later ones
#: are shown by a few words.
_MOST, _BYTES = 2000, 1_300_000
#: How many characters of an object without a drawing are shown.
_WORDS = 60


def choose_shown(given: GivenObjects, notable: Iterable[Indices]) -> Indices:
    """Positions of the objects to hold, the most important first: notable ones, then those that
    were compared.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    notable : iterable of sequence of int
        Lists of positions, the most important list first.
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
    states: Indices,
    near: dict[int, list[Any]],
    *,
    show_objects: bool,
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
    near : dict from int to list
        The neighbours of an object (`wideberth.report.facts.neighbours`).
    show_objects : bool
        Whether to draw the objects and to tell their names.

    Returns
    -------
    dict
        Columns ``index``, ``label``, ``told``, ``quality``, ``lead``, ``radius``, ``state``,
        ``name``, ``drawing``, and ``near``, None where no neighbours are known.
    """
    ordered = np.sort(shown)
    quality, lead = _certainty(given, judged)
    drawings = _drawings(given, shown) if show_objects else {}
    named = given.names is not None and show_objects
    return {
        "index": ordered,
        "label": given.labels.codes[ordered],
        "told": answered(given, judged)[ordered],
        "quality": quality[ordered],
        "lead": lead[ordered],
        "radius": [proved.get(int(place)) for place in ordered],
        "state": states[ordered],
        "name": [safe_name(given.names[place]) for place in ordered.tolist()]
        if named and given.names is not None
        else None,
        "drawing": [drawings[place] for place in ordered.tolist()] if show_objects else None,
        "near": [near.get(place) for place in ordered.tolist()],
        "n": len(given),
        "counted_from": given.counted_from,
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
        drawn = drawing(given.shown(place), given.metric)
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

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    near : dict from int to list
        The neighbours of each object, which may also be training objects that the model keeps.
    doubted : iterable of int
        Positions of objects with a doubtful label.
    """
    if given.is_matrix or given.metric.accepts == "indices":
        return {}
    found = {}
    for place in doubted:
        own, others = (
            sample.pick_one(given.held, place),
            [each for each, _ in (near.get(place) or [[]])[0]],
        )
        if others and max(others) < len(given):
            marked = [
                difference(own, sample.pick_one(given.held, other), given.metric)
                for other in others
            ]
            found[str(place)] = marked
    return {place: marked for place, marked in found.items() if any(marked)}

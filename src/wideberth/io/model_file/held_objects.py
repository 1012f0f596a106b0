"""The training objects that a model file holds: what to call them, their labels, and which are
nearest to new objects.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.estimators.model_facts import in_units
from wideberth.io.model_file.provenance import LONGEST_NAME
from wideberth.io.model_file.read import SavedModel
from wideberth.objects import sample

#: How many objects of other labels a search for a changed answer moves towards.
_ENEMIES = 20
#: How many held objects a model is asked about at a time, the nearest first, until there are so
#: many.
_ASKED_AT_A_TIME = 256


@dataclass(frozen=True, eq=False)
class HeldObjects:
    """The training objects in a model file.

    Attributes
    ----------
    prepared : prepared sample
        The objects, as the metric prepared them.
    names : list of str
        What to call each of them: its identifier, or the object itself.
    labels : ndarray
        Their labels in the training data; those that the model gives them if ``known`` is False.
    known : bool
        Whether the labels in the training data are known.
    """

    prepared: Any
    names: list[str]
    labels: NDArray[Any]
    known: bool

    def __len__(self) -> int:
        return len(self.names)


def held_objects(saved: SavedModel) -> HeldObjects | None:
    """The training objects in a model file, with names and labels.

    Parameters
    ----------
    saved : SavedModel
        A classifier and, where ``wideberth fit`` wrote the file, what it noted about the objects.

    Returns
    -------
    HeldObjects or None
        None if the model keeps no training objects; references that the user gave are none.
    """
    kept, notes = saved.model.kept(), saved.notes
    if kept is None or not kept.own:
        return None
    prepared, n, classes = kept.objects, len(kept), saved.model.classes_
    codes = (
        None
        if notes is None or notes.codes is None or len(notes.codes) != n
        else np.array(notes.codes)
    )
    known = codes is not None and bool((codes < len(classes)).all())
    labels = classes[codes] if known else classes[saved.model.winners(prepared)]
    named = (
        None if notes is None or notes.names is None or len(notes.names) != n else list(notes.names)
    )
    return HeldObjects(
        prepared, named or [_name(prepared, place) for place in range(n)], labels, known
    )


def _name(prepared: Any, place: int) -> str:
    """What to call an object that has no name: the object itself, or its number if it cannot be
    shown.
    """
    return (
        in_words(sample.pick_one(prepared, place))
        if sample.has_objects(prepared)
        else f"object {place}"
    )


def in_words(item: Any) -> str:
    """An object as people would write it, cut at `LONGEST_NAME` characters.

    Examples
    --------
    >>> in_words("tea"), in_words(np.array([1.0, 2.50001])), in_words({"age": 3.0})
    ('tea', '[1, 2.5]', '{"age": 3.0}')
    """
    if isinstance(item, str):
        text = item
    elif isinstance(item, np.ndarray):
        text = _numbers_in_words(item)
    else:
        text = json.dumps(item, ensure_ascii=False, default=_plain)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 3]}..."


def _numbers_in_words(array: NDArray[Any]) -> str:
    """An array with four digits of each number, and of many numbers the first and the last."""
    shown = [*array[:8], *array[-2:]] if len(array) > 12 else list(array)
    texts = [
        _numbers_in_words(item) if isinstance(item, np.ndarray) else f"{item:.4g}" for item in shown
    ]
    return f"[{', '.join([*texts[:8], '...', *texts[8:]] if len(array) > 12 else texts)}]"


def _plain(item: Any) -> Any:
    if isinstance(item, set | frozenset):
        return sorted(item, key=str)
    return item.tolist() if isinstance(item, np.ndarray | np.generic) else str(item)


def nearest_held(model: Any, held: HeldObjects, objects: Any, k: int) -> tuple[Indices, Floats]:
    """Find the nearest objects in the model file.

    Parameters
    ----------
    model : classifier
        The model.
    held : HeldObjects
        Its objects.
    objects : sample
        New objects.
    k : int
        How many to find for each of them.

    Returns
    -------
    indices : ndarray of shape (n, k)
        Positions among the held objects, nearest first.
    distances : ndarray of shape (n, k)
        Their distances.
    """
    from wideberth.geometry.search.index import Index  # compiles, where other answers need not

    engine = "brute" if model.metric_.accepts == "indices" else "auto"
    found = Index(held.prepared, model.metric_, engine=engine).nearest(
        model.admit_queries(objects), min(k, len(held))
    )
    return found.indices, found.distances


def names_to_note(
    objects: Any, prepared: Any, identifiers: Sequence[Any] | None, positions: Indices
) -> tuple[str, ...] | None:
    """What a model file has to note to name its objects; None if it can show the objects
    themselves.

    Parameters
    ----------
    objects : sample
        The training objects.
    prepared : prepared sample
        Those that the file holds.
    identifiers : sequence or None
        The identifier of each training object, if there are some.
    positions : ndarray of int
        Which of the training objects the file holds.

    Returns
    -------
    tuple of str or None
    """
    if identifiers is not None:
        return tuple(in_words(str(identifiers[place])) for place in positions)
    if sample.has_objects(prepared):
        return None
    held = sample.hold(objects)
    return tuple(in_words(sample.pick_one(held, place)) for place in positions.tolist())


@dataclass(frozen=True, eq=False)
class NearestHeld:
    """The training objects that a model holds, from the nearest to an object to the farthest.

    Attributes
    ----------
    model : classifier
        The model.
    held : HeldObjects
        Its objects.
    indices : ndarray of int
        Their positions among the held objects.
    distances : ndarray of float
        Their distances.
    """

    model: Any
    held: HeldObjects
    indices: Indices
    distances: Floats

    @classmethod
    def of(cls, model: Any, held: HeldObjects, one: Any) -> Self:
        """All of them, for a sample of one object."""
        indices, distances = nearest_held(model, held, one, len(held))
        return cls(model, held, indices[0], distances[0])

    def of_others(self, label: Any) -> Self:
        """Those with other labels."""
        other = self.held.labels[self.indices] != label
        return replace(self, indices=self.indices[other], distances=self.distances[other])

    def shown(self, k: int) -> list[dict[str, Any]]:
        """The first k, with names, labels and distances."""
        return [
            {
                "object": self.held.names[index],
                "label": self.held.labels[index],
                "distance": in_units(distance, self.model.metric_),
            }
            for index, distance in list(
                zip(self.indices.tolist(), self.distances.tolist(), strict=True)
            )[:k]
        ]

    def enemies(self, one: Any) -> Any:
        """The nearest training objects that get another label, as the user gave them; None if the
        file does not hold them so.
        """
        model, held = self.model, self.held
        winner, others = model.winners(model.admit_queries(one))[0], self.indices[:0]
        for start in range(0, len(self.indices), _ASKED_AT_A_TIME):
            some = self.indices[start : start + _ASKED_AT_A_TIME]
            others = np.append(
                others, some[model.winners(sample.pick(held.prepared, some)) != winner]
            )[:_ENEMIES]
            if len(others) == _ENEMIES:
                break
        if not len(others):
            return None
        if sample.has_objects(held.prepared):
            picked = sample.pick(held.prepared, others)
            return picked if model.metric_.accepts != "strings" else list(picked)
        names = [held.names[place] for place in others]
        return names if _are_themselves(model, names, sample.pick(held.prepared, others)) else None


def _are_themselves(model: Any, names: list[str], prepared: Any) -> bool:
    """Whether the names of objects are the objects: their distances are 0."""
    distances = model.metric_.block(model.admit_queries(names), prepared)
    return bool((np.diagonal(distances) == 0).all())

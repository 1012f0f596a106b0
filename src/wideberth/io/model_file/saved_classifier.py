"""A classifier in a model file: how new objects for it are read, as its training objects were; and
the training objects that the file holds, with their names, their labels, and which are nearest to
new ones.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import in_units
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.model_file.provenance import LONGEST_NAME
from wideberth.io.model_file.read import SavedModel, read_model
from wideberth.io.readers import Kind
from wideberth.io.readers.opening import format_of, has_columns
from wideberth.io.readers.records import counted, listed
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import NAME_IN_DATA
from wideberth.objects import sample
from wideberth.objects.sample import shown
from wideberth.wording import python

#: The most columns that an example names.
_MOST_COLUMNS = 8


def classifier_in(model_file: str) -> SavedModel:
    """Read a model file that has to hold a classifier on a metric: embeddings, online learners and
    pipelines, whose answers are others, are refused.
    """
    saved = read_model(model_file)
    model = saved.model
    if isinstance(model, MetricClassifier):
        return saved
    name, method = type(model).__name__, "predict" if hasattr(model, "predict") else "transform"
    gives = "coordinates" if method == "transform" else "labels"
    lacks = "" if hasattr(model, "certified_rows") else " without scores and radii"
    raise InvalidFile(
        f"{model_file}: it holds {'an' if name[0] in 'AEIOU' else 'a'} {name}, which is no "
        f"classifier on a metric: it gives objects {gives}{lacks}.",
        advice=f"In Python, {python('wideberth.load')}({model_file!r}).{method}(objects) answers.",
        path=model_file,
        line=None,
        value=name,
    )


def options_for(
    saved: SavedModel, file: str, column: tuple[str, ...] = (), numbers: Any = None
) -> dict[str, Any]:
    """How new objects are read, as keyword arguments of `wideberth.read`: as the training objects
    were, unless other columns are named; those of a model on distances are rows of numbers.
    """
    origin = saved.origin or _origin_by_metric(saved.model.metric_)
    kind: Kind = "vectors" if origin.kind == "distances" else origin.kind
    written = origin.numbers if numbers is None else numbers
    alike: dict[str, Any] = {"kind": kind}
    if origin.missing:
        alike["missing"] = origin.missing
    if not origin.header and (found := format_of(file)) is not None and found.has_header:
        alike["header"] = False
    if column or not has_columns(file):
        named = list(column) if len(column) > 1 else next(iter(column), None)
        return alike | {"column": named}
    if kind == "graphs" and isinstance(origin.column, tuple):
        return alike  # new files may give neighbors instead of edges; the reader finds out
    return alike | {"column": origin.column, "numbers": written}


def in_columns(value: Any, column: str | tuple[str, ...] | None) -> Any:
    """Give an object that somebody typed or sent the columns of the training objects.

    Examples
    --------
    >>> in_columns("tea", "drink"), in_columns([20.5, "yes"], ("age", "hot"))
    ({'drink': 'tea'}, {'age': 20.5, 'hot': 'yes'})
    >>> in_columns([20.5], ("age", "hot"))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: [20.5] is 1 value, and 2 are needed: 'age', 'hot'. Write {"age": ..., "hot": ...}.
    """
    if column is None:
        return value
    if isinstance(column, str):
        return value if isinstance(value, dict) and column in value else {column: value}
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and len(value) == len(column):
        return dict(zip(column, value, strict=True))
    found = counted(len(value), "value") if isinstance(value, list) else "one value"
    raise InvalidInput(
        f"{shown(value)} is {found}, and {len(column)} are needed: {listed(list(column))}.",
        advice="Write "
        f"{{{', '.join(f'{json.dumps(name, ensure_ascii=False)}: ...' for name in column[:_MOST_COLUMNS])}"
        f"{', ...' if len(column) > _MOST_COLUMNS else ''}}}.",
        value=value,
    )


def check_width(saved: SavedModel, width: int) -> None:
    """Refuse a vector that has not as many numbers as those that a model learned from."""
    needed = getattr(saved.model, "n_features_in_", width)
    if saved.model.metric_.accepts != "vectors" or width == needed:
        return
    columns = None if saved.origin is None else saved.origin.column
    names = (
        f": {listed(list(columns))}"
        if isinstance(columns, tuple) and len(columns) == needed
        else ""
    )
    raise InvalidInput(
        f"{counted(width, 'number')}, and the model learned from objects of {needed}{names}.",
        advice=f"Write {counted(needed, 'number')}, in the order of the training objects.",
        value=width,
    )


def _origin_by_metric(metric: Metric) -> Origin:
    """How to read objects for a model that was not fitted on a file: by the kind and the columns
    that its metric accepts.
    """
    kind = cast(Kind, NAME_IN_DATA.get(metric.accepts, metric.accepts))
    columns = _columns_accepted(metric) if kind == "rows" else {}
    if not columns or not all(isinstance(name, str) for name in columns):
        return Origin(kind)
    if not set(columns.values()) <= {"vectors", "strings"}:
        return Origin("objects", tuple(columns))
    return Origin(
        "rows", tuple(columns), tuple(name for name, part in columns.items() if part == "vectors")
    )


def _columns_accepted(metric: Metric) -> dict[Any, str]:
    """The columns that a metric on rows measures, with the kind that each of them holds; numbers
    are vectors of length 1.
    """
    if hasattr(metric, "parts"):
        return {name: part.accepts for name, part in metric.parts.items()}
    ranges = getattr(metric, "ranges", None) or {}
    return {name: "strings" if width is None else "vectors" for name, width in ranges.items()}


#: How many objects of other labels a search for a changed answer moves towards.
_ENEMIES = 20
#: How many held objects a model is asked about at a time, the nearest first, until there are so
#: many.
_ASKED_AT_A_TIME = 256


# ---- The training objects that a file holds


@dataclass(frozen=True, eq=False)
class HeldObjects:
    """The training objects in a model file."""

    prepared: Sample  # the objects, as the metric prepared them
    names: list[str]  # what to call each of them: its identifier, or the object itself
    #: their labels in the training data; those that the model gives them if ``known`` is
    #: False
    labels: NDArray[Any]
    known: bool  # whether the labels in the training data are known

    def __len__(self) -> int:
        return len(self.names)


def held_objects(saved: SavedModel) -> HeldObjects | None:
    """The training objects in a model file, with names and labels."""
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
    named = names_of_kept(saved) or [_name(prepared, place) for place in range(n)]
    return HeldObjects(prepared, named, labels, known)


def names_of_kept(saved: SavedModel) -> list[str] | None:
    """What the training objects in a model file are called, one name for each; None if the file has
    no names.
    """
    kept, names = saved.model.kept(), None if saved.notes is None else saved.notes.names
    named = kept is not None and kept.own and names is not None and len(names) == len(kept)
    return list(names) if named and names is not None else None


def _name(prepared: Sample, place: int) -> str:
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
    >>> in_words(np.arange(12)), in_words(np.arange(13))
    ('[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]', '[0, 1, 2, 3, 4, 5, 6, 7, ..., 11, 12]')
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
    many = len(array) > 12
    texts = [
        _numbers_in_words(item) if isinstance(item, np.ndarray) else f"{item:.4g}"
        for item in ([*array[:8], *array[-2:]] if many else array)
    ]
    return f"[{', '.join([*texts[:8], '...', *texts[8:]] if many else texts)}]"


def _plain(item: Any) -> Any:
    if isinstance(item, set | frozenset):
        return sorted(item, key=str)
    return item.tolist() if isinstance(item, np.ndarray | np.generic) else str(item)


def nearest_held(
    model: MetricClassifier, held: HeldObjects, objects: Objects, k: int
) -> tuple[Indices, Floats]:
    """The positions and distances of the k nearest held objects of each new object, nearest first."""
    from wideberth.geometry.search.index import Index  # compiles, where other answers need not

    engine = "brute" if model.metric_.accepts == "indices" else "auto"
    found = Index(held.prepared, model.metric_, engine=engine).nearest(
        model.admit_queries(objects), min(k, len(held))
    )
    return found.indices, found.distances


def names_to_note(
    objects: Objects, prepared: Sample, identifiers: Sequence[Any] | None, positions: Indices
) -> tuple[str, ...] | None:
    """What a model file has to note to name its objects; None if it can show the objects
    themselves.
    """
    if identifiers is not None:
        return tuple(in_words(str(identifiers[place])) for place in positions)
    if sample.has_objects(prepared):
        return None
    held = sample.hold(objects)
    return tuple(in_words(sample.pick_one(held, place)) for place in positions.tolist())


@dataclass(frozen=True, eq=False)
class NearestHeld:
    """The training objects that a model holds, from the nearest to an object to the farthest."""

    model: MetricClassifier
    held: HeldObjects
    indices: Indices  # their positions among the held objects
    distances: Floats

    @classmethod
    def of(cls, model: MetricClassifier, held: HeldObjects, one: Objects) -> Self:
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

    def enemies(self, one: Objects) -> Objects:
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


def _are_themselves(model: MetricClassifier, names: list[str], prepared: Sample) -> bool:
    """Whether the names of objects are the objects: their distances are 0."""
    distances = model.metric_.block(model.admit_queries(names), prepared)
    return bool((np.diagonal(distances) == 0).all())

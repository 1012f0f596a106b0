"""Answer a request about objects, as a worker process does: read them (JSON, JSON lines or CSV, by
the readers of files and as the training objects were read), ask the model, write the answer.
"""

import json
import math
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wideberth.array_types import Objects
from wideberth.cards.values import probability
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import AnsweredObjects
from wideberth.guarantees.attacks import attack
from wideberth.io import strict_json
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import (
    HeldObjects,
    NearestHeld,
    check_width,
    held_objects,
    in_columns,
    options_for,
)
from wideberth.io.readers import Records
from wideberth.io.readers.reading import read_content
from wideberth.objects import sample
from wideberth.objects.sample import shown
from wideberth.serve.limits import Limits
from wideberth.serve.problems import HOW_OBJECTS_ARE_WRITTEN, RequestProblem, problem_of
from wideberth.serve.served_model import NO_FEATURES_SHOWN, NOT_SHOWN, ServedModel, can_be_changed

#: How a body may be written.
Format = Literal["json", "jsonl", "csv"]
#: The media types of bodies.
MEDIA_TYPES: dict[str, Format] = {
    "application/json": "json",
    "application/x-ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "text/csv": "csv",
}
#: The field of the objects in a JSON body.
OBJECTS = "objects"
#: What messages call a body.
_NAME = "body"


def read_objects(body: bytes, written: Format, saved: SavedModel, limits: Limits) -> Records:
    """Read the objects of a request, but no labels; refused are bodies that cannot be read, and
    more or longer objects than allowed.
    """
    if written == "json":
        values = _values(body)
        _check_batch(len(values), limits)
        _check_lengths(values, limits)
        body = _lines(values, options_for(saved, "body.jsonl").get("column"))
    options = options_for(saved, "body.csv" if written == "csv" else "body.jsonl")
    options.pop("header", None)  # a body has one: it names the columns
    records = read_content(
        body, "csv" if written == "csv" else "jsonl", _NAME, labels=False, **options
    )
    _check_batch(len(records), limits)
    _check_lengths(records.objects, limits)
    if isinstance(records.objects, np.ndarray) and records.objects.ndim == 2:
        check_width(saved, records.objects.shape[1])
    return records


def _values(body: bytes) -> list[Any]:
    """The list of objects in a JSON body."""
    try:
        asked = strict_json.parse_data(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        detail = (
            f"The body is not UTF-8: byte {error.start} is {body[error.start : error.start + 1]!r}."
        )
        raise RequestProblem(400, detail, "Encode it in UTF-8.") from None
    except ValueError as error:
        broken = isinstance(error, json.JSONDecodeError)
        way_out = (
            f'Send {{"{OBJECTS}": [...]}}'
            if broken
            else "Numbers must be finite, and no field may be there twice"
        )
        raise RequestProblem(400, f"The body is not JSON: {error}.", f"{way_out}.") from None
    advice = f'Send {{"{OBJECTS}": [...]}}.'
    if not isinstance(asked, dict):
        raise RequestProblem(400, f"The body is {shown(asked)}, not a JSON object.", advice)
    if unknown := asked.keys() - {OBJECTS}:
        raise RequestProblem(400, f"The field {shown(min(unknown))} is not known.", advice)
    if not isinstance(asked.get(OBJECTS), list) or not asked[OBJECTS]:
        found = shown(asked[OBJECTS]) if OBJECTS in asked else "missing"
        raise RequestProblem(
            400, f'"{OBJECTS}" is {found}, not a list of one object or more.', advice
        )
    return list(asked[OBJECTS])


def _lines(values: list[Any], column: str | tuple[str, ...] | None) -> bytes:
    """The objects as JSON lines, with the columns of the training objects where they come
    without.
    """
    lines: list[str] = []
    try:
        # those before a wrong one are kept
        lines.extend(json.dumps(in_columns(value, column)) for value in values)
    except InvalidInput as wrong:
        place = len(lines) + 1
        raise RequestProblem(
            400, f"Object {place}: {wrong.problem}", wrong.advice, object=place
        ) from None
    except RecursionError:
        raise RequestProblem(
            400, "An object is nested too deeply.", HOW_OBJECTS_ARE_WRITTEN
        ) from None
    return "\n".join(lines).encode()


def _check_batch(count: int, limits: Limits) -> None:
    if count > limits.batch:
        raise RequestProblem(
            413,
            f"These are {count:,} objects, and {limits.batch:,} may come at a time.",
            "Send them in several requests.",
        )


def _check_lengths(objects: Objects, limits: Limits) -> None:
    for place, item in enumerate(objects, start=1):
        length = object_length(item)
        if length > limits.length:
            detail = (
                f"Object {place} has {length:,} characters or numbers, and {limits.length:,} are "
                "allowed."
            )
            raise RequestProblem(413, detail, "Shorten it.", object=place)


def object_length(item: Any) -> int:
    """How long an object is: its characters and numbers, with those of all its parts; an empty text
    counts one.

    Examples
    --------
    >>> (
    ...     object_length("tea"),
    ...     object_length(np.zeros(5)),
    ...     object_length({"age": 3.0, "city": "Bonn"}),
    ...     object_length(["", ""]),
    ... )
    (3, 5, 5, 2)
    """
    length, pending = 0, [item]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            length += len(part) or 1
        elif isinstance(part, np.ndarray):
            length += part.size
        elif isinstance(part, dict):
            pending += part.values()
        elif isinstance(part, Iterable):
            pending += part
        else:
            length += 1
    return length


# ---- Answer a request about objects: what a worker process does.

# ---- What would change an answer: a changed object with another label, as close as one was found

#: Letters that are put in where no training object may show any.
_ALPHABETS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
#: Multiples of an object between which numbers are changed where no training object may show any.
_MULTIPLES = (0.0, -1.0, 0.5, 2.0, 10.0)


def found_change(
    model: MetricClassifier, one: Objects, nearest: NearestHeld | None, unit: str | None
) -> dict[str, Any] | None:
    """A change of an object that alters its label.

    Training objects towards which it may be changed are None if nothing of them may be shown: then
    it is changed by letters and numbers that are made up.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> found = found_change(model, ["tee"], None, "edit")
    >>> found["label"], found["distance"]
    ('hard', {'value': 1.0, 'unit': 'edit'})
    """
    if not can_be_changed(model):
        return None
    towards = made_up(one, model.metric_.accepts) if nearest is None else nearest.enemies(one)
    found = attack(model, one, towards=towards, unit=unit)[0]
    if not found.found:
        return None
    label = found.label.item() if isinstance(found.label, np.generic) else found.label
    return {
        "object": _written(found.changed),
        "label": label,
        "distance": {
            "value": float(found.distance),
            "unit": model.radius_unit(unit).label,
        },
    }


def _written(item: Any) -> Any:
    """A text, a vector or a series as JSON, null where a number is missing."""
    if isinstance(item, str):
        return item
    return (
        [_written(part) for part in item]
        if isinstance(item, list | np.ndarray)
        else plain_number(float(item))
    )


def made_up(one: Objects, kind: str) -> Any:
    """Objects that have nothing to do with the training objects, towards which an object is
    changed.

    Examples
    --------
    >>> made_up(["Tea 2"], "strings")
    ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789']
    """
    if kind == "strings":
        return [letters for letters in _ALPHABETS if set(letters) & set(one[0])] or [
            string.ascii_lowercase
        ]
    numbers = np.asarray(one[0], dtype=np.float64)
    return [numbers * multiple for multiple in _MULTIPLES] + [numbers + 1.0, numbers - 1.0]


@dataclass(frozen=True)
class Question:
    """What is asked about the objects in a body.

    Examples
    --------
    >>> Question("json", witnesses=3).change
    False
    """

    written: Format
    witnesses: int = 0  # how many of those with the label, and of the others
    change: bool = False  # whether to search for one that alters the label


@dataclass(frozen=True)
class Reply:
    """What a worker answers."""

    status: int
    body: bytes
    objects: int = 0
    fault: str = ""  # what nobody foresaw, and where, without any object


class Answering:
    """Answers questions about objects for a model.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> from wideberth.serve.limits import Limits
    >>> from wideberth.serve.served_model import served_model
    >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> served = served_model(
    ...     model, calibration=None, delta=0.05, unit=None, witnesses=True, limits=Limits()
    ... )
    >>> reply = Answering(served).reply(b'{"objects": ["tee"]}', Question("json", witnesses=1))
    >>> [answer] = json.loads(reply.body)["answers"]
    >>> answer["label"], answer["radius"], answer["witnesses"]["supporters"]
    ('soft', {'value': 1.0, 'unit': 'edit', 'safe': 0}, [{'object': 'tea', 'label': 'soft', 'distance': 1.0}])
    """

    def __init__(self, served: ServedModel) -> None:
        self._served, self._model = served, served.saved.model
        self._held = held_objects(served.saved) if served.shows_objects else None

    def reply(self, body: bytes, question: Question) -> Reply:
        """The answer to a question; never raises but for what ends a process."""
        try:
            records = read_objects(body, question.written, self._served.saved, self._served.limits)
            answers = list(self._answers(records, question))
            told = json.dumps({"answers": answers}, allow_nan=False, separators=(",", ":"))
            return Reply(200, told.encode(), len(answers))
        except Exception as error:
            problem = problem_of(error, "Object" if question.written == "json" else "Line")
            return Reply(
                problem.status, problem.body(), fault=_where(error) if problem.status == 500 else ""
            )

    def _answers(self, records: Records, question: Question) -> Iterator[dict[str, Any]]:
        """The answer for each object."""
        self._refuse_hidden(question)
        asked, delta = records.objects, self._served.delta
        found = self._basic(asked)
        sets = None if self._served.sets is None else self._served.sets.of(asked, delta)
        novelty = None if self._served.novelty is None else self._served.novelty.of(asked, delta)
        for place, label in enumerate(found.labels.tolist()):
            answer: dict[str, Any] = {"label": label}
            if found.probabilities is not None:
                answer["probability"] = probability(found.probabilities[place].max())
            answer["lead"] = plain_number(float(found.leads[place]))
            if found.radii is not None:
                answer["radius"] = self._radius(float(found.radii[place]))
            if sets is not None:
                answer["prediction_set"] = sets[place].tolist()
            if novelty is not None:
                answer["novelty"] = {
                    "p_value": float(novelty.p_values[place]),
                    "novel": bool(novelty.novel[place]),
                }
            yield answer | self._on_request(asked, place, label, question)

    def _refuse_hidden(self, question: Question) -> None:
        """Raise a problem if the question asks for what the server does not show."""
        if question.witnesses and not self._served.shows_objects:
            raise RequestProblem(
                403, NOT_SHOWN, "Leave witnesses out, or ask whoever runs the server."
            )
        if question.change and self._served.missing.get("change") == NO_FEATURES_SHOWN:
            raise RequestProblem(
                403, NO_FEATURES_SHOWN, "Leave change out, or ask whoever runs the server."
            )

    def _basic(self, asked: Any) -> AnsweredObjects:
        """Labels, probabilities, leads and radii; without radii if only these objects show that
        none is certified.
        """
        measure = self._served.radius
        model: MetricClassifier = self._model
        try:
            return model.answers(
                asked, None if measure is None else measure.unit, certified=measure is not None
            )
        except NotCertified:
            return model.answers(asked, certified=False)

    def _radius(self, radius: float) -> dict[str, Any]:
        """A radius with its unit and, where distances are whole numbers, how many changes cannot
        alter the label.
        """
        measure = self._served.radius
        assert measure is not None  # there are radii only if they have a unit
        told = {"value": plain_number(radius), "unit": measure.name}
        if not measure.whole:
            return told
        return told | {"safe": max(0, math.ceil(radius) - 1) if radius < math.inf else "inf"}

    def _on_request(self, asked: Any, place: int, label: Any, question: Question) -> dict[str, Any]:
        """The nearest training objects, and a change that alters the label, if they were asked
        for.
        """
        if not question.witnesses and not question.change:
            return {}
        one = sample.pick(sample.hold(asked), np.array([place]))
        nearest = None if self._held is None else NearestHeld.of(self._model, self._held, one)
        told: dict[str, Any] = {}
        if question.witnesses:
            told["witnesses"] = (
                {"supporters": [], "opponents": []}
                if nearest is None
                else _witnesses(nearest, label, question)
            )
        if question.change:
            measure = self._served.radius
            told["change"] = found_change(
                self._model, one, nearest, None if measure is None else measure.unit
            )
        return told


def _witnesses(nearest: NearestHeld, label: Any, question: Question) -> dict[str, Any]:
    """The nearest training objects that have the label, and the nearest others."""
    same = nearest.held.labels[nearest.indices] == label
    return {
        name: [
            _neighbor(nearest.held, int(nearest.indices[at]), float(nearest.distances[at]))
            for at in np.flatnonzero(chosen)[:k]
        ]
        for k in [question.witnesses]
        for name, chosen in (("supporters", same), ("opponents", ~same))
    }


def _neighbor(held: HeldObjects, index: int, distance: float) -> dict[str, Any]:
    return {
        "object": held.names[index],
        "label": held.labels[[index]].tolist()[0],
        "distance": plain_number(distance),
    }


def plain_number(value: float) -> float | str | None:
    """A number as JSON holds it: infinite ones as texts, as in certificates; None for none.

    Examples
    --------
    >>> plain_number(1.5), plain_number(math.inf), plain_number(math.nan)
    (1.5, 'inf', None)
    """
    return value if math.isfinite(value) else None if math.isnan(value) else str(value)


def _where(error: Exception) -> str:
    """The type of an error and the line that raised it; its message may hold objects."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = "" if trace is None else f" in {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
    return f"{type(error).__name__}{place}"

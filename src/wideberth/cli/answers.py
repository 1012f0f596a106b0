"""The answers of a model beside the rows that they answer: columns of a table, or fields of JSON
lines.
"""

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TextIO

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.cards.values import probability
from wideberth.cli.console import in_options, number, remark, to_plain
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier, usual_unit
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import (
    HeldObjects,
    held_objects,
    in_words,
    nearest_held,
)
from wideberth.io.readers import Records
from wideberth.metrics.named import METRICS, metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects.sample import shown
from wideberth.rounding import shown_radius

#: What is put before the name of an answer where a column of the input has its name.
PREFIX = "predicted_"


class RadiusColumn(NamedTuple):
    """What radii are measured in, as ``certified_radius`` takes it, and how their column is called:
    "radius", or "safe_edits" where whole edits are counted, and so for other units.
    """

    unit: str | None
    name: str

    @property
    def safe(self) -> bool:
        """Whether the column counts whole edits, or the like."""
        return self.name != "radius"

    def shown(self, radius: float) -> Any:
        """A radius as it is written: rounded down; of edits the number that cannot change the
        label.

        Examples
        --------
        >>> (
        ...     RadiusColumn("edit", "safe_edits").shown(1.5),
        ...     RadiusColumn(None, "radius").shown(1.23456789),
        ... )
        (1, '1.2345')
        """
        if not self.safe:
            return shown_radius(radius, 5)
        return max(0, math.ceil(radius) - 1) if radius < math.inf else "inf"


def radius_column(
    model: MetricClassifier, objects: Objects, unit: str | None
) -> RadiusColumn | None:
    """Find what radii are measured in, and called: where nobody named a unit, in edits, or what the
    model has learned for, if these are proved. None, with the reason printed once, if the model certifies none.
    """
    try:
        unit = usual_unit(model, objects) if unit is None else unit
        model.certified_radius(objects[:1], unit)
    except NotCertified as reason:
        remark(f"no radius is certified. {in_options(reason)}")
        return None
    found = model.radius_unit(unit)
    if found.step == 1 and found.measure.unit is not None:
        return RadiusColumn(unit, f"safe_{found.measure.unit}s".replace(" ", "_"))
    return RadiusColumn(unit, "radius")


@dataclass(frozen=True, eq=False)
class Answered:
    """The answers for a batch."""

    columns: dict[str, list[Any]]
    labels: list[Any]
    radii: Floats | None


class ModelAnswers:
    """The answers of a model."""

    def __init__(self, saved: SavedModel, column: RadiusColumn | None, examples: int = 0) -> None:
        self._model, self._column, self._examples = saved.model, column, examples
        self._held: HeldObjects | None = held_objects(saved) if examples else None
        if examples and self._held is None:
            remark("the model holds no training objects, and so there are no nearest ones.")

    def of(self, batch: Records) -> Answered:
        """The answers for a batch."""
        unit = None if self._column is None else self._column.unit
        found = self._model.answers(batch.objects, unit, certified=self._column is not None)
        labels = found.labels.tolist()
        columns: dict[str, list[Any]] = {"label": labels}
        if found.probabilities is not None:
            columns["probability"] = [
                f"{probability(each):g}" for each in found.probabilities.max(axis=1).tolist()
            ]
        columns["lead"] = [number(lead) for lead in found.leads.tolist()]
        if self._column is None or found.radii is None:
            columns["radius"] = [""] * len(batch)
        else:
            columns[self._column.name] = [
                self._column.shown(float(radius)) for radius in found.radii
            ]
        return Answered(columns | dict(self._nearest(batch)), labels, found.radii)

    def _nearest(self, batch: Records) -> Iterator[tuple[str, list[Any]]]:
        """The columns of the nearest training objects."""
        if self._held is None:
            return
        indices, distances = nearest_held(self._model, self._held, batch.objects, self._examples)
        for place in range(indices.shape[1]):
            found = indices[:, place]
            yield f"nearest_{place + 1}", [self._held.names[index] for index in found]
            yield f"nearest_{place + 1}_label", self._held.labels[found].tolist()
            yield (
                f"nearest_{place + 1}_distance",
                [number(distance) for distance in distances[:, place].tolist()],
            )


class AnswerWriter:
    """Writes the rows of the input with their answers, as CSV or as JSON lines."""

    def __init__(self, stream: TextIO, *, json_lines: bool) -> None:
        self._stream, self._json_lines, self.written = stream, json_lines, 0
        self._csv = csv.writer(stream, lineterminator="\n")
        self._columns: list[str] = []
        self._names: list[str] = []

    def write(self, batch: Records, answered: Answered) -> None:
        """Write a batch; the columns of the first one are those of the file. A row without an
        object has empty answers.
        """
        rows = list(_own_cells(batch, self.written))
        answers = list(zip(*answered.columns.values(), strict=True))
        for each in reversed(batch.absent):
            rows.insert(each.before, each.cells)
            answers.insert(each.before, ("",) * len(answered.columns))
        if not self.written:
            self._begin(rows, list(answered.columns))
        for own, told in zip(rows, answers, strict=True):
            if self._json_lines:
                values = (
                    cell if cell and _names_something(column) else _as_number(cell)
                    for column, cell in zip(answered.columns, told, strict=True)
                )
                named = dict(zip(self._names, values, strict=True))
                self._stream.write(
                    json.dumps(to_plain(own) | to_plain(named), ensure_ascii=False) + "\n"
                )
            else:
                self._csv.writerow([*(_in_a_cell(own.get(name)) for name in self._columns), *told])
        self.written += len(rows)
        self._stream.flush()

    def _begin(self, rows: list[dict[str, Any]], answers: list[str]) -> None:
        """Decide on the columns: those of the input, then the answers; where names clash, answers
        get a prefix, which is said.
        """
        self._columns = list(dict.fromkeys(name for row in rows for name in row))
        self._names = names_beside(self._columns, answers)
        for name, beside in zip(answers, self._names, strict=True):
            if name != beside:
                remark(f"the input has a column {name!r}: the answer is in {beside!r}.")
        if not self._json_lines:
            self._csv.writerow([*self._columns, *self._names])


def names_beside(columns: list[str], answers: list[str]) -> list[str]:
    """The names of answers beside columns; with a prefix where a column has that name.

    Examples
    --------
    >>> names_beside(["word", "label"], ["label", "lead"])
    ['predicted_label', 'lead']
    """
    taken, names = set(columns), []
    for name in answers:
        while name in taken:
            name = PREFIX + name
        names.append(name)
        taken.add(name)
    return names


def _names_something(column: str) -> bool:
    """Whether a column of answers holds labels or names of objects, which stay as they are: the
    class '5' is no number.
    """
    return column == "label" or (column.startswith("nearest_") and not column.endswith("_distance"))


def _as_number(cell: Any) -> Any:
    """A rounded number as a number; an empty cell as None."""
    if not isinstance(cell, str):
        return cell
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def _own_cells(batch: Records, start: int) -> Iterator[dict[str, Any]]:
    """The cells of each row of the input; objects without columns are shown as they are, vectors by
    their number from 0.
    """
    if batch.cells is not None:
        yield from batch.cells
        return
    for place in range(len(batch)):
        item = batch.objects[place]
        yield {"object": start + place if isinstance(item, np.ndarray) else in_words(item)}


def _in_a_cell(value: Any) -> Any:
    """A value as a cell of a table."""
    if value is None or isinstance(value, str | int | float):
        return "" if value is None else value
    plain = to_plain(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


# ---- The unit of radii, as ``--unit`` names it.


def check_unit(model: MetricClassifier, unit: str | None) -> None:
    """Refuse a unit in which no radius of a model is proved, with those that there are.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> check_unit(NeighborsClassifier("levenshtein").fit(["tea", "rum"], [0, 1]), "edit")
    >>> check_unit(NeighborsClassifier("manhattan").fit([[1], [2]], [0, 1]), "edit")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidInput: --unit 'edit': no radius by 'manhattan' is proved in it. Leave --unit out, or name 'manhattan'.
    """
    if unit is None or _is_proved(model, unit):
        return
    known = ", ".join(map(repr, _proved_units(model)))
    raise InvalidInput(
        f"--unit {shown(unit)}: no radius by {model.metric_.name!r} is proved in it.",
        advice=f"Leave --unit out, or name {known}." if known else "Leave --unit out.",
        value=unit,
    )


def _proved_units(model: MetricClassifier) -> Iterator[str]:
    """The units that may be named: what distances count, then metrics."""
    measure = model.metric_
    named = [name for name in METRICS if name != Precomputed.name]
    counts = [each for name in named if (each := metric(name).unit) is not None]
    own = [name for name in (measure.unit, measure.full_name) if name is not None]
    for unit in dict.fromkeys((*own, *counts, *measure.dominated, *named)):
        if _is_proved(model, unit):
            yield unit


def _is_proved(model: MetricClassifier, unit: str) -> bool:
    try:
        model.radius_unit(unit)
    except NotCertified:
        return False
    return True

"""``wideberth explain``: why an object gets its label, by the training objects themselves, and what
would change the answer.
"""

import json as json_format
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from wideberth.array_types import Objects
from wideberth.cli import options
from wideberth.cli.answers import ModelAnswers, RadiusColumn, check_unit, radius_column
from wideberth.cli.console import show_json, table
from wideberth.cli.data import remark_oddities
from wideberth.cli.explained_files import objects_in_file
from wideberth.cli.explained_rows import (
    as_table,
    differing_in_words,
    held_cells,
    row_facts,
    rows_in_words,
    with_rows,
)
from wideberth.cli.values import parse_value
from wideberth.errors import InvalidInput, NotCertified, WideberthError
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.model_facts import Explanation, counted
from wideberth.guarantees.attacks import attack
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import (
    HeldObjects,
    NearestHeld,
    check_width,
    classifier_in,
    held_objects,
    in_columns,
    in_words,
    options_for,
)
from wideberth.io.readers import Kind, Records
from wideberth.io.readers.reading import read_content
from wideberth.metrics.tables.cells import ShownTable
from wideberth.objects import sample
from wideberth.objects.sample import shown

#: Kinds of objects that are typed as in JSON lines.
_IN_JSON = ("trees", "graphs", "rows", "objects")
#: How many training objects or features are shown that add most to a score.
_PUSHES = 4


@options.command(
    options.MODEL,
    options.argument(
        "objects",
        list[str],
        "Texts as they are, numbers with commas, others as in JSON; or a file of objects.",
    ),
    options.option("row", list[int] | None, "The line of an object in the file; may be repeated."),
    options.option("id", list[str] | None, "The name of an object in the file; may be repeated."),
    options.option("examples", int, "How many of the nearest training objects to show.", 3, min=1),
    options.UNIT,
    options.JSON,
    examples=(
        "names.wb Marianne",
        "names.wb new.csv --row 17",
    ),
    panel=options.Panel.output,
)
def explain(
    *,
    model: str,
    objects: list[str],
    row: list[int] | None,
    id: list[str] | None,  # noqa: A002 (the name of the option)
    examples: int,
    unit: str | None,
    json: bool,
) -> None:
    """Show why objects get their labels: the nearest training objects themselves, and what would
    change the answer.
    """
    saved = classifier_in(model)
    check_unit(saved.model, unit)
    kind = options_for(saved, model)["kind"]
    in_file = objects_in_file(saved, objects, row or [], id or [])
    if in_file is not None:
        records, objects = in_file
    elif kind in _IN_JSON or (kind == "vectors" and _have_names(saved, objects)):
        records = _typed_records(saved, objects)
    else:
        records = _typed_objects(saved, objects, kind)
    sampled = records.objects
    remark_oddities(saved, sampled)
    facts = list(
        _facts(saved, records, objects, examples, radius_column(saved.model, sampled, unit))
    )
    if json:
        show_json(facts)
    else:
        print("\n\n".join("\n".join(_in_words(fact)) for fact in facts))


def _typed_objects(saved: SavedModel, written: list[str], kind: Kind) -> Records:
    """Texts, numbers and sets."""
    objects = [parse_object(text, kind) for text in written]
    if kind == "vectors":
        for each in objects:
            check_width(saved, each.size)
    alike = kind == "vectors" and len({len(item) for item in objects}) == 1
    sampled = np.array(objects) if alike else objects
    return Records(sampled, None, kind=kind, column=None, target=None, path="")


def _typed_records(saved: SavedModel, written: list[str]) -> Records:
    """Objects in JSON, read as a file of them would be: with the columns, numbers and dates of the
    training objects.
    """
    read_as = options_for(saved, "typed.jsonl")
    parse = _typed_vector if read_as["kind"] == "vectors" else parse_value
    values = [in_columns(parse(text), read_as.get("column")) for text in written]
    lines = "".join(f"{json_format.dumps(value, ensure_ascii=False)}\n" for value in values)
    return read_content(lines.encode(), "jsonl", "the object", labels=False, **read_as)


def _have_names(saved: SavedModel, written: list[str]) -> bool:
    """Whether vectors are typed with dates, gaps or names, which the columns of the training objects
    explain.
    """
    column = None if saved.origin is None else saved.origin.column
    return isinstance(column, tuple) and not all(map(_is_of_numbers, written))


def _is_of_numbers(text: str) -> bool:
    try:
        parse_object(text, "vectors")
    except InvalidInput:
        return False
    return True


def _typed_vector(text: str) -> Any:
    """Numbers and dates with commas between them, or in JSON; nothing is a gap."""
    if text.lstrip().startswith(("[", "{")) or "," not in text:
        return parse_value(text)
    return [_number_or_text(cell.strip()) for cell in text.split(",")]


def _number_or_text(cell: str) -> float | str | None:
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def parse_object(text: str, kind: str) -> Any:
    """Parse an object as people type it.

    Examples
    --------
    >>> (
    ...     parse_object("tea", "strings"),
    ...     parse_object("1, 2.5", "series").tolist(),
    ...     sorted(parse_object("b a", "sets")),
    ... )
    ('tea', [1.0, 2.5], ['a', 'b'])
    """
    if kind in ("strings", "molecules"):
        return text
    if kind in ("vectors", "series", "distances"):
        try:
            return np.array(
                parse_value(text) if text.lstrip().startswith("[") else text.split(","),
                dtype=np.float64,
            )
        except (TypeError, ValueError):
            advice = "Write numbers with commas between them, such as 5.1,3.5,1.4."
            raise InvalidInput(
                f"{shown(text)} are not numbers.", advice=advice, value=text
            ) from None
    if not text.lstrip().startswith(("[", "{")):
        return frozenset(text.replace(";", " ").split())
    return frozenset(parse_value(text))


def _facts(
    saved: SavedModel,
    records: Records,
    written: list[str],
    examples: int,
    column: RadiusColumn | None,
) -> Iterator[dict[str, Any]]:
    """Everything that is printed about each object."""
    model, held = saved.model, held_objects(saved)
    rows = as_table(saved, records.objects, records.dates)
    answered = ModelAnswers(saved, column).of(records)
    pushes = _pushes(model, records.objects, held, rows)
    withstood = _withstood(model, records.objects)
    for place, text in enumerate(written):
        one = sample.pick(sample.hold(records.objects), np.array([place]))
        label = answered.labels[place]
        nearest = None if held is None else NearestHeld.of(model, held, one)
        others = None if nearest is None else nearest.of_others(label)
        in_metric = answered.radii is not None and column is not None and column.unit is None
        radius = float(answered.radii[place]) if in_metric else None  # type: ignore[index]
        yield {
            "object": text,
            **({} if rows is None else row_facts(saved, rows, place, radius)),
            "label": label,
            **(
                {"probability": answered.columns["probability"][place]}
                if "probability" in answered.columns
                else {}
            ),
            "lead": answered.columns["lead"][place],
            **(
                {"certified": None}
                if column is None
                else {"certified": column.name, column.name: answered.columns[column.name][place]}
            ),
            "nearest": [] if nearest is None else with_rows(nearest.shown(examples), nearest, rows),
            "nearest_of_other_labels": []
            if others is None
            else with_rows(others.shown(max(1, examples // 2)), others, rows),
            "labels_known": held is None or held.known,
            "pushes": pushes[place],
            **{name: int(counts[place]) for name, counts in withstood.items()},
            "changes_tried": _can_be_changed(model),
            "change": _change(model, one, nearest, column, rows),
        }


def _withstood(model: MetricClassifier, objects: Objects) -> dict[str, Any]:
    """How many wrong training labels, and changed rows, the answers withstand, where that is proved."""
    found: dict[str, Any] = {}
    ways = {"certified_flips": model.certified_flips, "certified_rows": model.certified_rows}
    for name, certified in ways.items():
        with suppress(NotCertified):
            found[name] = certified(objects)
    return found


def _pushes(
    model: MetricClassifier, objects: Objects, held: HeldObjects | None, rows: ShownTable | None
) -> list[list[dict[str, Any]]]:
    """The training objects or features that add most to the score of each object, if the model
    explains its scores so.
    """
    nothing: list[list[dict[str, Any]]] = [[] for _ in range(sample.count(sample.hold(objects)))]
    kept = model.kept()
    places = (
        {}
        if kept is None or held is None
        else {position: place for place, position in enumerate(kept.positions.tolist())}
    )
    try:
        explained = model.explain(objects)
    except WideberthError:
        return nothing

    def told(who: int | str, push: float) -> dict[str, Any]:
        if isinstance(who, str) or held is None:
            return {"object": who, "push": push}
        place = np.array([places[who]])
        cells = None if rows is None else held_cells(model.metric_, held, place, rows)
        row = {} if cells is None else {"row": cells[0]}
        return {"object": held.names[places[who]], **row, "push": push}

    return [[told(who, push) for who, push in _largest(each, places)] for each in explained]


def _largest(explained: Explanation, places: Collection[int]) -> list[tuple[int | str, float]]:
    """The features, or the objects that the model holds, with the largest pushes."""
    sums: dict[int | str, float] = defaultdict(float)
    for push in explained.pushes:
        who = push.feature if push.reference is None else push.reference
        if who is not None and (push.reference is None or push.reference in places):
            sums[who] += push.push
    return sorted((item for item in sums.items() if item[1]), key=lambda item: -abs(item[1]))[
        :_PUSHES
    ]


def _can_be_changed(model: MetricClassifier) -> bool:
    """Whether changes of its objects can be tried."""
    return model.metric_.accepts in ("strings", "vectors", "series") and len(model.classes_) > 1


def _change(
    model: MetricClassifier,
    one: Objects,
    nearest: NearestHeld | None,
    column: RadiusColumn | None,
    rows: ShownTable | None,
) -> dict[str, Any] | None:
    """A change of the object that alters its label, as small as one was found; None if none was, or
    none can be tried.
    """
    if not _can_be_changed(model):
        return None
    unit = None if column is None else column.unit
    found = attack(
        model, one, towards=None if nearest is None else nearest.enemies(one), unit=unit
    )[0]
    if not found.found:
        return None
    changed = found.changed if isinstance(found.changed, str | np.ndarray) else list(found.changed)
    distance = model.radius_unit(unit).in_words(found.distance)
    row = {}
    if rows is not None:
        row = {"row": dict(zip(rows.names, rows.cells_of(changed), strict=True))}
    return {"object": in_words(changed), **row, "label": found.label, "distance": distance}


def _in_words(fact: dict[str, Any]) -> Iterator[str]:
    """The facts about one object as lines for people."""
    sure = f"probability {fact['probability']}; " if "probability" in fact else ""
    yield (
        f"{in_words(fact['object'])}: {fact['label']} ({sure}lead "
        f"{fact['lead']}{_safe_in_words(fact)})"
    )
    if "row" in fact and all("row" in each for each in fact["nearest"]):
        yield from rows_in_words(fact)
    elif fact["nearest"]:
        given = "" if fact["labels_known"] else ", with the labels it gives them"
        yield f"  nearest training objects that the model holds{given}:"
        yield from (f"    {line}" for line in _listed(fact["nearest"]))
    if fact["nearest_of_other_labels"] and "row" not in fact:
        yield "  nearest of other labels:"
        yield from (f"    {line}" for line in _listed(fact["nearest_of_other_labels"]))
    if fact["pushes"]:
        yield "  what the score is made of, for (+) and against (-) the label:"
        yield from (
            f"    {line}"
            for line in table(
                [],
                [[_told(push, fact), f"{push['push']:+.3g}"] for push in fact["pushes"]],
            )
        )
    yield from _withstood_in_words(fact)
    change = fact["change"]
    if not fact["changes_tried"]:
        yield "  what would change the answer is searched for in strings, vectors and series only."
    elif change is None:
        yield "  what would change the answer: no change was found."
    else:
        yield (
            f"  what would change the answer: {_told(change, fact)} is {change['label']}, at a "
            f"distance of {change['distance']}."
        )


def _withstood_in_words(fact: dict[str, Any]) -> Iterator[str]:
    """How many training labels may be wrong, or rows be changed, until the label can be another."""
    flips, rows = fact.get("certified_flips"), fact.get("certified_rows")
    if flips:
        yield f"  it stays {fact['label']} if any {counted(flips, 'training object', 'training objects')} had another label."
    elif flips == 0:
        yield "  it may change if a single training object had another label."
    if rows:
        changed = counted(rows, "training object", "training objects")
        yield f"  it stays so if any {changed} were added, removed or labelled otherwise."
    elif rows == 0:
        yield "  it may change with a single training object more, put where this one is."


def _told(other: dict[str, Any], fact: dict[str, Any]) -> str:
    """A feature, an object, or a row by the cells that differ from those of the one asked about."""
    if "row" not in other:
        return str(other["object"])
    return differing_in_words(str(other["object"]), other["row"], fact["row"])


def _safe_in_words(fact: dict[str, Any]) -> str:
    name = fact["certified"]
    if name is None:
        return "; no radius is certified"
    if name == "radius":
        return f"; proved for everything closer than {fact[name]}"
    unit = name.removeprefix("safe_").replace("_", " ")
    if fact[name] == 0:
        return f"; one {unit[:-1]} might change that"
    return f"; proved after any {fact[name]} {unit[:-1] if fact[name] == 1 else unit}"


def _listed(neighbors: list[dict[str, Any]]) -> list[str]:
    return table([], [[each["object"], str(each["label"]), each["distance"]] for each in neighbors])

"""``wideberth explain`` on tables: the row that is asked about beside its witnesses, the cells that
differ marked, and how far each column may move alone.
"""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices, Objects
from wideberth.cli.console import table
from wideberth.io.model_file.read import SavedModel
from wideberth.io.model_file.saved_classifier import HeldObjects, NearestHeld
from wideberth.metrics.metric import Metric
from wideberth.metrics.tables.cells import ShownTable, moves_in_words
from wideberth.objects import sample

#: What is put behind a cell that differs from the one of the row that is asked about.
_DIFFERS = " *"
#: Most columns of vectors that are shown as rows, and characters of a cell.
_MOST_COLUMNS, _LETTERS = 40, 28
#: Most cells of a row that is told by what differs.
_MOST_DIFFERING = 4


def as_table(saved: SavedModel, objects: Objects, dates: Collection[str]) -> ShownTable | None:
    """Objects as rows of the table that a model learned from; None if they have no columns with
    names.
    """
    metric = saved.model.metric_
    names = None if saved.origin is None else saved.origin.column
    if names is None or isinstance(names, str):
        names = getattr(saved.model, "feature_names_in_", None)
    if saved.origin is not None:
        dates = {*dates, *saved.origin.dates}
    if metric.accepts == "rows":
        return ShownTable.of(objects, metric, names, dates)
    if metric.accepts != "vectors" or names is None:
        return None
    vectors = np.atleast_2d(np.asarray(objects, dtype=np.float64))
    if vectors.shape[1] != len(names) or len(names) > _MOST_COLUMNS:
        return None
    return ShownTable.of(vectors, metric, list(names), dates)


def row_facts(
    saved: SavedModel, shown: ShownTable, place: int, radius: float | None
) -> dict[str, Any]:
    """The cells of a row, and how far each may move alone within its certified radius."""
    cells = dict(zip(shown.names, shown.cells(place), strict=True))
    if radius is None:
        return {"row": cells}
    radii: Floats = np.array([radius])
    moves = (shown.moves(saved.model.metric_, radii) or [[None] * len(shown.names)])[0]
    known = zip(shown.names, moves, strict=True)
    present = [values[place] is not None for values in shown.values]
    stays = {
        name: move
        for (name, move), there in zip(known, present, strict=True)
        if move is not None and (there or move == "any value")
    }
    return {"row": cells, "moves_alone": stays}


def with_rows(
    neighbors: list[dict[str, Any]], nearest: NearestHeld | None, shown: ShownTable | None
) -> list[dict[str, Any]]:
    """The nearest training objects, as `NearestHeld.shown` returns them, with their cells."""
    if nearest is None or shown is None or not neighbors:
        return neighbors
    places = nearest.indices[: len(neighbors)]
    cells = held_cells(nearest.model.metric_, nearest.held, places, shown)
    if cells is None:
        return neighbors
    return [each | {"row": row} for each, row in zip(neighbors, cells, strict=True)]


def held_cells(
    metric: Metric, held: HeldObjects, places: Indices, shown: ShownTable
) -> list[dict[str, str]] | None:
    """The cells of training objects that a model holds; None if its metric does not give rows."""
    rows = metric.as_objects(sample.pick(held.prepared, places))
    if rows is None:
        return None
    return [dict(zip(shown.names, shown.cells_of(row), strict=True)) for row in rows]


def differing_in_words(name: str, row: dict[str, str], own: dict[str, str]) -> str:
    """A row by its name, if it is not the row itself, and by the cells in which it differs.

    >>> differing_in_words("[3, 1]", {"age": "3", "sex": "m"}, {"age": "3", "sex": "f"})
    'a row with sex m'
    >>> differing_in_words("[0]", dict.fromkeys("abcde", "0"), dict.fromkeys("abcde", "1"))
    'a row with a 0, b 0, c 0, d 0 and 1 more that differs'
    """
    cells = [f"{column} {_short(cell)}" for column, cell in row.items() if cell != own[column]]
    told = ", ".join(cells[:_MOST_DIFFERING])
    rest = len(cells) - _MOST_DIFFERING
    more = f" and {rest} more that {'differs' if rest == 1 else 'differ'}" if rest > 0 else ""
    called = "a row" if name.startswith(("{", "[")) else _short(name)
    return f"{called} with {told}{more}" if cells else f"{called} with the same cells"


def rows_in_words(fact: dict[str, Any]) -> Iterator[str]:
    """A row with its witnesses beside it, a line for each column; then what may move."""
    sides = [*fact["nearest"], *fact["nearest_of_other_labels"]]
    given = "" if fact["labels_known"] else ", with the labels it gives them"
    yield f"  the row, and the nearest training rows that the model holds{given}:"
    first = len(fact["nearest"])
    numbered = ["nearest" if place < first else "other label" for place in range(len(sides))]
    heads = ["", "this row", *numbered]
    names = [each["object"] for each in sides]
    identified = any(not name.startswith(("{", "[")) for name in names)  # others are the rows
    lines = [
        *([["name", "", *map(_short, names)]] if identified else []),
        ["label", str(fact["label"]), *(str(each["label"]) for each in sides)],
        ["distance", "", *(each["distance"] for each in sides)],
        *(
            [name, _short(cell), *(_beside(each["row"][name], cell) for each in sides)]
            for name, cell in fact["row"].items()
        ),
    ]
    yield from (f"    {line}" for line in table(heads, lines))
    if any(each["row"] != fact["row"] for each in sides):
        yield f"    Cells with{_DIFFERS} differ from those of this row."
    if fact.get("moves_alone"):
        yield f"  it stays {fact['label']} if {moves_in_words(fact['moves_alone'])}."


def _beside(cell: str, own: str) -> str:
    return _short(cell) if cell == own else _short(cell) + _DIFFERS


def _short(cell: str) -> str:
    return cell if len(cell) <= _LETTERS else f"{cell[: _LETTERS - 1]}…"

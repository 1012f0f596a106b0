"""Rows of tables and sets: names and values, and which of them differ."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from wideberth.report.drawings.ink import in_words, shortened

#: Most cells of a row, and most elements of a set, that are shown.
MOST_CELLS, MOST_ELEMENTS = 20, 30
#: Most characters of a value, and most values of a row or a set that are looked at.
_LETTERS, _MOST_READ = 40, 10_000


def cells_of(row: Any) -> dict[str, Any]:
    """The values of a row by the names of their columns; those of a tuple are numbered.

    Examples
    --------
    >>> cells_of({"age": 3, "city": "Rome"}), cells_of((3, "Rome"))
    ({'age': 3, 'city': 'Rome'}, {'0': 3, '1': 'Rome'})
    """
    pairs: Iterable[Any] = (
        row.items() if isinstance(row, Mapping) or hasattr(row, "items") else enumerate(row)
    )
    return {in_words(name, _LETTERS): value for name, value in islice(pairs, _MOST_READ)}


def table(row: Any) -> dict[str, Any]:
    """Show a row of a table, or a weighted set: a line for each column, the first twenty.

    The drawing: ``{"type": "table", "rows": [[name, value], ...], "alt": ...}``, all of them texts.

    Examples
    --------
    >>> table({"age": 3, "city": "Rome"})
    {'type': 'table', 'rows': [['age', '3'], ['city', 'Rome']], 'alt': 'age 3, city Rome'}
    """
    rows = [[name, in_words(value, _LETTERS)] for name, value in cells_of(row).items()]
    return {
        "type": "table",
        "rows": _first(rows),
        "alt": ", ".join(f"{name} {value}" for name, value in rows[:6]).strip() or "empty",
    }


def row_drawing(names: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    """Show a row of a table whose columns stand beside it.

    Examples
    --------
    >>> row_drawing(["age", "city"], ["3", "Rome"])
    {'type': 'row', 'cells': ['3', 'Rome'], 'alt': 'age 3, city Rome'}
    """
    shown = [shortened(cell, _LETTERS) for cell in cells]
    named = [f"{shortened(name, _LETTERS)} {cell}" for name, cell in zip(names, shown, strict=True)]
    return {"type": "row", "cells": shown, "alt": ", ".join(named[:6])}


def two_rows(left: Any, right: Any) -> dict[str, Any]:
    """Show two rows side by side, with the columns marked in which they differ.

    The drawing: ``{"type": "table", "rows": [[name, left value, right value], ...], "changed":
    [position of a row, ...], "alt": ...}``; rows that differ come first if there are more than
    twenty.

    Examples
    --------
    >>> two_rows({"age": 3, "city": "Rome"}, {"age": 5, "city": "Rome"})
    {'type': 'table', 'rows': [['age', '3', '5'], ['city', 'Rome', 'Rome']], 'changed': [0], 'alt': '1 column differs: age'}
    """
    lefts, rights = cells_of(left), cells_of(right)
    names = list(dict.fromkeys([*lefts, *rights]))
    rows = [
        [name, in_words(lefts.get(name), _LETTERS), in_words(rights.get(name), _LETTERS)]
        for name in names
    ]
    differ = [row[1] != row[2] or not _equal(lefts.get(row[0]), rights.get(row[0])) for row in rows]
    if len(rows) > MOST_CELLS:
        order = sorted(range(len(rows)), key=lambda place: not differ[place])
        rows, differ = [rows[place] for place in order], [differ[place] for place in order]
    changed = [place for place, differs in enumerate(differ) if differs]
    listed = ", ".join(rows[place][0] for place in changed[:6])
    counted = f"{len(changed):,} column{' differs' if len(changed) == 1 else 's differ'}"
    return {
        "type": "table",
        "rows": _first(rows),
        "changed": [place for place in changed if place < MOST_CELLS],
        "alt": f"{counted}: {listed}" if changed else "no difference",
    }


def elements(given: Collection[Any]) -> dict[str, Any]:
    """Show a set as the list of its elements, in order.

    Examples
    --------
    >>> elements({"tea", "rum"})
    {'type': 'text', 'spans': [['same', 'rum, tea']], 'alt': 'set of 2: rum, tea'}
    """
    names, count = _names(given), len(given)
    text = ", ".join(names[:MOST_ELEMENTS]) + (
        f", … {count - MOST_ELEMENTS:,} more" if count > MOST_ELEMENTS else ""
    )
    return {
        "type": "text",
        "spans": [["same", text or "∅"]],
        "alt": f"set of {count:,}: {', '.join(names[:8])}".removesuffix(": "),
    }


def two_sets(left: Iterable[Any], right: Iterable[Any]) -> dict[str, Any]:
    """Show the common elements of two sets, and those that only the left ("removed") or the right
    ("added") set has.

    Examples
    --------
    >>> two_sets({"tea", "rum"}, {"tea", "milk"})["spans"]
    [['same', 'tea, '], ['removed', 'rum, '], ['added', 'milk, ']]
    """
    lefts, rights = _names(left), _names(right)
    in_left, in_right = set(lefts), set(rights)
    groups = {
        "same": [name for name in lefts if name in in_right],
        "removed": [name for name in lefts if name not in in_right],
        "added": [name for name in rights if name not in in_left],
    }
    spans = [
        [style, "".join(f"{name}, " for name in names[:10]) + ("… " if len(names) > 10 else "")]
        for style, names in groups.items()
    ]
    counts = (
        f"{len(groups['same'])} common, {len(groups['removed'])} only left, {len(groups['added'])} "
        "only right"
    )
    return {"type": "text", "spans": [span for span in spans if span[1]], "alt": counts}


def _first(rows: list[list[str]]) -> list[list[str]]:
    if len(rows) <= MOST_CELLS:
        return rows
    return [
        *rows[: MOST_CELLS - 1],
        [f"… {len(rows) - MOST_CELLS + 1:,} more", *[""] * (len(rows[0]) - 1)],
    ]


def _names(given: Iterable[Any]) -> list[str]:
    return sorted(in_words(element, _LETTERS) for element in islice(given, _MOST_READ))


def _equal(left: Any, right: Any) -> bool:
    """Whether two values are equal, or neither equals itself, as missing numbers do not."""
    try:
        return bool(left == right) or bool(left != left and right != right)
    except (TypeError, ValueError):  # values of unusual types that cannot be compared
        return repr(left) == repr(right)

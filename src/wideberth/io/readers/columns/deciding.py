"""Decide which columns hold the objects, which the labels, and what kind of objects they are.

What the caller named (`ReadOptions`) is taken. What the format itself defines comes next, then what the names of columns reveal
(`wideberth.io.readers.columns.structure_columns`: molecules, sequences, graphs and trees), and last what the cells are
(`wideberth.io.readers.columns.object_columns`). The decision is made once, on the first rows, and called a `Layout`;
`wideberth.io.readers.columns.conversion` applies it to all rows.
"""

from collections.abc import Sequence
from typing import NamedTuple

from wideberth.errors import warn_user
from wideberth.io.readers.columns.column_facts import ColumnFacts, column_facts
from wideberth.io.readers.columns.layout import Layout
from wideberth.io.readers.columns.missing_header import header_hint, header_warning, value_in_header
from wideberth.io.readers.columns.object_columns import Candidates, ObjectChoice, choose_columns, find_distances
from wideberth.io.readers.columns.settled_writings import settle_writings
from wideberth.io.readers.columns.structure_columns import FirstRows, ObjectColumns, recognise
from wideberth.io.readers.columns.uses import Reasons, column_uses
from wideberth.io.readers.columns.written_numbers import PLAIN
from wideberth.io.readers.faults import fault
from wideberth.io.readers.named_columns import check_exists, find_target
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.tables import CellType, RawTable, Row
from wideberth.wording import setting


class _Found(NamedTuple):
    """The columns of a file by their purpose, before the objects are chosen."""

    names: list[str]
    revealed: ObjectColumns | None  # the objects, by the format or by the names of columns
    target: str | None
    remaining: tuple[str, ...]  # may describe the objects, or be them


def decide_layout(rows: Sequence[Row], table: RawTable, options: ReadOptions, path: str, *, complete: bool = True) -> Layout:
    r"""Decide on the first rows of a file where objects and labels are, by the rules of `wideberth.read`.

    Parameters
    ----------
    rows : sequence of Row
        The first rows.
    table : RawTable
        What their format defines.
    options : ReadOptions
        What the caller named.
    path : str
        The file, for messages.
    complete : bool, default=True
        Whether these are all rows of the file.

    Returns
    -------
    Layout

    Raises
    ------
    InvalidFile
        If a column that was named does not exist or cannot be read, or if several columns could hold the objects or the labels.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(["word,label\n", "tea,en\n"], "drinks.csv")
    >>> layout = decide_layout(list(table.rows), table, ReadOptions(), "drinks.csv")
    >>> layout.column, layout.target, layout.kind
    ('word', 'label', 'strings')
    """
    found = _find_purposes(rows, table, options, path)
    facts = {name: column_facts(rows, name, table.cells, table.types.get(name)) for name in found.names if name != table.labels}
    found = _without_target_of_matrix(rows, facts, found, table, options, path, complete)
    if found.target is not None:
        facts.pop(found.target, None)
    writings = settle_writings(facts, options.number_formats, path)
    types = _column_types(rows, facts, found, table, options)
    choice = _choose(rows, types, facts, found, table, options, path, complete)
    if choice.kind == "rows" and options.numbers is None:
        types |= dict.fromkeys(_truths(rows), "text")
        types |= {name: "text" for name in choice.columns if types[name] != "number"}
    used = (*choice.columns, *([options.weight] if options.weight else []))
    layout = Layout(
        choice.columns,
        found.target,
        choice.kind,
        types,
        not options.columns,
        options.labels,
        options.numbers is not None,
        choice.identifier,
        options.weight,
        options.groups,
        {name: writings.of(name, path) for name in used if types[name] == "number" and writings.is_special(name, PLAIN)},
        frozenset(name for name in choice.columns if types[name] == "text" and facts[name].is_truth),
        empty=choice.empty,
    )
    _check_readable(layout, table.unreadable, path)
    reasons = Reasons(facts, options, choice, revealed=found.revealed is not None, from_elsewhere=table.labels is not None)
    return column_uses(layout, found.names, reasons)


def _find_purposes(rows: Sequence[Row], table: RawTable, options: ReadOptions, path: str) -> _Found:
    """Find the column of the labels, those of the objects where the format or their names tell them, and what remains."""
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    own = [name for name in names if name != table.labels]
    value = value_in_header(rows, own, table)
    for name in options.names:
        check_exists(name, own, path, hint=header_hint(own, table, value))
    if value is not None and options.labels:
        warn_user(header_warning(value, path), UserWarning)
    revealed = _columns_of_format(table, options) or _columns_by_name(rows, own, table, options, path)
    taken = revealed.columns if revealed else options.columns
    kept_apart = {*taken, options.weight, options.groups}
    target = table.labels or find_target([name for name in own if name not in kept_apart], options.target, path)
    apart = {target, options.weight, options.groups}
    if table.labels is not None:  # a column of labels in the file itself is not a feature
        apart.add(find_target([name for name in own if name not in taken], None, path))
    remaining = taken or tuple(name for name in own if name not in apart)
    if not remaining:
        raise fault(
            path,
            f"no column besides the labels in {target!r}.",
            value=target,
            advice="Add a column with the objects, or name another target.",
        )
    return _Found(names, revealed, target, remaining)


def _without_target_of_matrix(
    rows: Sequence[Row],
    facts: dict[str, ColumnFacts],
    found: _Found,
    table: RawTable,
    options: ReadOptions,
    path: str,
    complete: bool,
) -> _Found:
    """The purposes without a target if the column that is called so is one of a distance matrix, whose objects are x, y, z."""
    target = found.target
    if found.revealed or options.names or table.labels or target is None or facts[target].type != "number":
        return found
    types = {name: fact.type for name, fact in facts.items()}
    if find_distances(Candidates(rows, facts, types, options, None, path, complete)) is None:
        return found
    return _Found(found.names, found.revealed, target=None, remaining=tuple(found.names))


def _columns_of_format(table: RawTable, options: ReadOptions) -> ObjectColumns | None:
    """The column of the objects that the format defines, unless the caller wants other columns, rows, or this one as target."""
    if table.column is None or table.kind is None or options.kind == "rows" or options.target == table.column:
        return None
    return ObjectColumns((table.column,), table.kind) if options.columns in ((), (table.column,)) else None


def _columns_by_name(
    rows: Sequence[Row], names: list[str], table: RawTable, options: ReadOptions, path: str
) -> ObjectColumns | None:
    """The columns of the objects that names reveal, where neither the format nor the caller contradicts."""
    if table.column is not None:
        return None
    possible = options.columns or [name for name in names if name not in options.names]
    found = recognise(FirstRows(rows, possible, table.cells, options.kind, options.target, path))
    return None if found and options.columns and set(found.columns) != set(options.columns) else found


def _column_types(
    rows: Sequence[Row], facts: dict[str, ColumnFacts], found: _Found, table: RawTable, options: ReadOptions
) -> dict[str, CellType]:
    """The type of each column: as the caller named it, else that of most of its cells."""
    types = {name: fact.type for name, fact in facts.items()}
    types |= dict.fromkeys(options.number_formats, "number")
    if found.revealed:
        types |= dict.fromkeys(found.revealed.columns, "series" if found.revealed.kind in ("series", "distances") else "text")
    if options.numbers is not None:
        types |= {name: "number" if name in options.numbers else "text" for name in found.remaining}
    if len(found.remaining) > 1:
        types |= {name: "text" for name in _truths(rows) if types.get(name) == "other"}
    return types


def _truths(rows: Sequence[Row]) -> set[str]:
    """The columns that hold truth values: categories, even where a format counts them among the numbers."""
    return {name for row in rows for name, cell in row.cells.items() if isinstance(cell, bool)}


def _choose(
    rows: Sequence[Row],
    types: dict[str, CellType],
    facts: dict[str, ColumnFacts],
    found: _Found,
    table: RawTable,
    options: ReadOptions,
    path: str,
    complete: bool,
) -> ObjectChoice:
    """The columns of the objects, the kind of these, and the column of their names."""
    for name in (*(options.numbers or ()), *options.number_formats):
        check_exists(name, found.remaining if options.numbers else list(facts), path)
    others = [name for name in facts if name not in found.remaining and name not in options.names]
    named = next((name for name in others if facts[name].identifies), None)
    if table.identifier is not None and table.identifier in others:
        named = table.identifier
    if named is None:
        named = next((name for name in others if facts[name].names_rows), None)
    if found.revealed:
        return ObjectChoice(found.revealed.columns, options.kind or found.revealed.kind, named)
    candidates = Candidates(rows, {name: facts[name] for name in found.remaining}, types, options, found.target, path, complete)
    choice = choose_columns(candidates)
    identifier = named if choice.identifier is None else choice.identifier
    return ObjectChoice(choice.columns, choice.kind, identifier, choice.empty)


def _check_readable(layout: Layout, unreadable: dict[str, str], path: str) -> None:
    """Refuse a layout that uses a column whose type cannot be read."""
    used = (*layout.columns, *([layout.target] if layout.target and layout.labels else []))
    for name in used:
        if name in unreadable:
            option = "target" if name == layout.target else "column"
            raise fault(
                path,
                f"column {name!r} holds {unreadable[name]}, which is neither numbers nor text nor lists of them.",
                value=unreadable[name],
                advice=f"Write it as text or as numbers, or name what to read instead with {setting(option, shown='...')}",
            )

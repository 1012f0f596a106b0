"""Decide which column holds the objects, which the labels, and what kind of objects they are.

What the caller named (`ReadOptions`) is taken. What the format itself defines comes next, then what the names of columns reveal
(`wideberth.io.readers.structure_columns`: molecules, graphs and trees), and last what most of the cells are. The decision is made
once, on the first rows, and called a `Layout`; `wideberth.io.readers.conversion` applies it to all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from wideberth.io.readers.faults import fault, listed
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.records import CellType, Kind, RawTable, Row, majority_type
from wideberth.io.readers.structure_columns import FirstRows, ObjectColumns, recognise
from wideberth.objects.sample import shown

#: What a column of labels is called, in any case.
TARGET_NAMES = frozenset({"label", "labels", "class", "target", "y", "category"})
#: Names, and characters of a name, that are compared in the search for the one that was meant.
MOST_COMPARED = 1000
#: What objects of one column are, by what most of its cells are.
KIND_OF_TYPE: dict[CellType, Kind] = {"number": "vectors", "series": "series", "text": "strings", "other": "objects"}


@dataclass(frozen=True)
class Layout:
    """Where the objects and labels are in every row of a file, and how cells are read.

    Attributes
    ----------
    columns : tuple of str
        The columns of the objects.
    target : str or None
        The column of the labels.
    kind : str
        The kind of the objects.
    types : dict
        The type as which the cells of each column are read: ``"number"``, ``"series"``, ``"text"`` or ``"other"``.
    all_columns : bool
        No column was named, so that an object of several fields has all fields of its row.
    labels : bool
        Whether labels are read.
    numbers_given : bool
        Whether the caller named the columns of rows that hold numbers.

    Examples
    --------
    >>> Layout(("age", "city"), None, "rows", {"age": "number", "city": "text"}, all_columns=True).numbers
    ('age',)
    """

    columns: tuple[str, ...]
    target: str | None
    kind: Kind
    types: dict[str, CellType]
    all_columns: bool  # no column was named: an object of several fields has all of them
    labels: bool = True
    numbers_given: bool = False  # the caller named the columns of rows that hold numbers

    @property
    def in_lists(self) -> bool:
        """Whether one cell holds all numbers of an object, rather than one cell for each number."""
        return len(self.columns) == 1 and (self.kind == "series" or self.types[self.columns[0]] == "series")

    @property
    def numbers(self) -> tuple[str, ...] | None:
        """Of rows, the columns that are read as numbers; None for other kinds."""
        return tuple(name for name in self.columns if self.types[name] == "number") if self.kind == "rows" else None

    @property
    def column(self) -> str | tuple[str, ...]:
        """The columns as `Records` names them: one name, or a tuple of several."""
        return self.columns[0] if len(self.columns) == 1 else self.columns


def decide_layout(rows: Sequence[Row], table: RawTable, options: ReadOptions, path: str) -> Layout:
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

    Returns
    -------
    Layout

    Raises
    ------
    InvalidFile
        If a column that was named does not exist or cannot be read, or if several columns could hold the objects or the labels.

    Examples
    --------
    >>> from wideberth.io.readers.delimited import csv_table
    >>> table = csv_table(["word,label\n", "tea,en\n"], "drinks.csv")
    >>> layout = decide_layout(list(table.rows), table, ReadOptions(), "drinks.csv")
    >>> layout.column, layout.target, layout.kind
    ('word', 'label', 'strings')
    """
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    for name in options.names:
        check_exists(name, names, path)
    found = _columns_of_format(table, options) or _columns_by_name(rows, names, table, options, path)
    taken = found.columns if found else options.columns
    target = find_target([name for name in names if name not in taken], options.target, path)
    remaining = taken or tuple(name for name in names if name != target)
    _check_usable(remaining, target, path)
    if found:
        types: dict[str, CellType] = dict.fromkeys(remaining, "series" if found.kind == "series" else "text")
        layout = Layout(found.columns, target, options.kind or found.kind, types, not options.columns, options.labels)
    else:
        types = _column_types(rows, remaining, table, options, path)
        columns = _object_columns(types, options.kind, path)
        kind = options.kind or KIND_OF_TYPE[types[columns[0]]]
        layout = Layout(columns, target, kind, types, not options.columns, options.labels, options.numbers is not None)
    _check_readable(layout, table.unreadable, path)
    return layout


def check_exists(name: str, names: Sequence[str], path: str, noun: str = "column") -> None:
    """Refuse a name that does not exist, and suggest the closest one.

    Parameters
    ----------
    name : str
        What the caller named.
    names : sequence of str
        The names that exist.
    path : str
        The file, for messages.
    noun : str, default="column"
        What is named.

    Examples
    --------
    >>> check_exists("words", ["word", "label"], "drinks.csv")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: drinks.csv: there is no column 'words'. Did you mean 'word'? It has 'word', 'label'.
    """
    if name not in names:
        short = [known for known in names[:MOST_COMPARED] if len(known) <= MOST_COMPARED]  # comparing long names takes long
        close = get_close_matches(name[:MOST_COMPARED], short, n=1) or [known for known in names if known.lower() == name.lower()]
        meant = f"Did you mean {close[0]!r}? " if close else ""
        raise fault(path, f"there is no {noun} {shown(name)}.", value=name, advice=f"{meant}It has {listed(list(names))}.")


def find_target(names: Sequence[str], named: str | None, path: str) -> str | None:
    """Find the column of the labels: as named, else the only one with a usual name (`TARGET_NAMES`), else None.

    Parameters
    ----------
    names : sequence of str
        The columns that may hold labels.
    named : str or None
        What the caller named.
    path : str
        The file, for messages.

    Returns
    -------
    str or None

    Raises
    ------
    InvalidFile
        If several columns have usual names.

    Examples
    --------
    >>> find_target(["word", "Label"], None, "drinks.csv"), find_target(["word", "language"], None, "drinks.csv")
    ('Label', None)
    """
    if named is not None:
        return named
    found = [name for name in names if name.lower() in TARGET_NAMES]
    if len(found) > 1:
        raise fault(
            path,
            f"{listed(found)} could each hold the labels.",
            value=found,
            advice=f"Name one, for example target={found[0]!r}.",
        )
    return found[0] if found else None


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
    possible = options.columns or [name for name in names if name != options.target]
    found = recognise(FirstRows(rows, possible, table.cells, options.kind, options.target, path))
    return None if found and options.columns and set(found.columns) != set(options.columns) else found


def _column_types(
    rows: Sequence[Row], names: Sequence[str], table: RawTable, options: ReadOptions, path: str
) -> dict[str, CellType]:
    """The type of each column: as the caller named it, else that of most of its cells."""
    for name in options.numbers or ():
        check_exists(name, names, path)
    if options.numbers is not None:
        return {name: "number" if name in options.numbers else "text" for name in names}
    types = {name: majority_type(rows, name, table.cells) for name in names}
    if options.kind == "rows":  # truth values are categories there, even where a format counts them among the numbers
        truths = {name for row in rows for name, cell in row.cells.items() if isinstance(cell, bool)}
        types = {name: "text" if cell_type != "number" or name in truths else cell_type for name, cell_type in types.items()}
    return types


def _object_columns(types: dict[str, CellType], kind: Kind | None, path: str) -> tuple[str, ...]:
    """The columns that hold the objects, among all but the target; an error that lists the candidates if there are several."""
    everything = tuple(types)
    others = tuple(name for name, cell_type in types.items() if cell_type != "number")
    if len(everything) == 1 or kind in ("vectors", "distances", "rows", "objects"):
        return everything
    if not others and kind in (None, "series"):
        return everything
    if len(others) == 1:
        return others
    candidates = list(others or everything)
    raise fault(
        path,
        f"{len(candidates)} columns could hold the objects: {listed(candidates)}.",
        value=candidates,
        advice=f"Name one, for example column={candidates[0]!r}, or take whole rows: kind='rows' to compare them by columns, "
        "kind='objects' as they are.",
    )


def _check_usable(columns: Sequence[str], target: str | None, path: str) -> None:
    """Refuse a file without a column for objects, or whose objects would be in a column without a name."""
    if not columns:
        raise fault(
            path,
            f"no column besides the labels in {target!r}.",
            value=target,
            advice="Add a column with the objects, or name another target.",
        )
    if "" in columns:
        advice = "Name it or remove it (pandas writes such an index unless told index=False), or name the others with column=..."
        raise fault(path, f"column {columns.index('') + 1} has no name.", value="", advice=advice)


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
                advice=f"Write it as text or as numbers, or name what to read instead with {option}=...",
            )

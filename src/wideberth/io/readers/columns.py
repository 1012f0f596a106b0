"""Which column holds the objects, which the labels, and what kind of objects they are.

What the caller named (`Wish`) is taken; what a format says itself comes next, then what the names of columns tell (`recognise`:
molecules, graphs and trees), and last what most of the cells are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple

from wideberth.errors import InvalidInput, UnknownName
from wideberth.io.readers.faults import fault, listed
from wideberth.io.readers.json_lines import CHILDREN, JOINED, NODES, ROOT
from wideberth.io.readers.records import KINDS, CellReader, Kind, RawTable, Row, Sort, is_empty, usual_sort

#: What a column of labels is called, in any case.
TARGET_NAMES = frozenset({"label", "labels", "class", "target", "y", "category"})
#: What objects of one column are, by what most of its cells are.
KIND_OF_SORT: dict[Sort, Kind] = {"number": "vectors", "series": "series", "text": "strings", "other": "objects"}


@dataclass(frozen=True)
class Wish:
    """What the caller named; the rest is found."""

    columns: tuple[str, ...] = ()
    target: str | None = None
    kind: Kind | None = None
    labels: bool = True  # False: a column of labels is recognised, but not read
    numbers: tuple[str, ...] | None = None  # of rows: the columns that hold numbers, the others hold text

    def __post_init__(self) -> None:
        if self.numbers is not None and self.kind != "rows":
            raise InvalidInput(
                f"numbers={list(self.numbers)} says which columns of rows hold numbers, and these are not read as rows.",
                advice="Say kind='rows' too, or leave numbers= out.",
                value=self.numbers,
            )
        if self.kind is not None and self.kind not in KINDS:
            raise UnknownName(
                f"{self.kind!r} is no kind of objects.",
                advice=f"Choose one of {listed(list(KINDS))}.",
                value=self.kind,
                known=KINDS,
            )
        if self.target is not None and self.target in self.columns:
            raise InvalidInput(
                f"{self.target!r} is named as column and as target.",
                advice="The labels must come from a column of their own.",
                value=self.target,
            )


@dataclass(frozen=True)
class Layout:
    """Where objects and labels stand in every row, decided once."""

    columns: tuple[str, ...]
    target: str | None
    kind: Kind
    sorts: dict[str, Sort]
    whole: bool  # no column was named: an object of several fields has all of them
    labels: bool = True
    told: bool = False  # somebody said which columns of rows hold numbers

    @property
    def in_lists(self) -> bool:
        """Whether one cell holds all numbers of an object, rather than one cell for each number."""
        return len(self.columns) == 1 and (self.kind == "series" or self.sorts[self.columns[0]] == "series")

    @property
    def numbers(self) -> tuple[str, ...] | None:
        """Of rows, the columns that are read as numbers."""
        return tuple(name for name in self.columns if self.sorts[name] == "number") if self.kind == "rows" else None

    @property
    def column(self) -> str | tuple[str, ...]:
        """The columns as `Records` names them."""
        return self.columns[0] if len(self.columns) == 1 else self.columns


def decide_layout(rows: Sequence[Row], table: RawTable, wish: Wish, path: str) -> Layout:
    """Decide on the first rows of a file where objects and labels are; the rules are those of `wideberth.read`."""
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    for name in (*wish.columns, *filter(None, [wish.target])):
        check_exists(name, names, path)
    found = _of_format(table, wish) or _by_names(rows, names, table, wish, path)
    taken = found.columns if found else wish.columns
    target = find_target([name for name in names if name not in taken], wish.target, path)
    remaining = taken or tuple(name for name in names if name != target)
    _check_usable(remaining, target, path)
    if found:
        sorts: dict[str, Sort] = dict.fromkeys(remaining, "series" if found.kind == "series" else "text")
        layout = Layout(found.columns, target, wish.kind or found.kind, sorts, not wish.columns, wish.labels)
    else:
        sorts = _sorts(rows, remaining, table, wish, path)
        columns = _object_columns(sorts, wish.kind, path)
        kind = wish.kind or KIND_OF_SORT[sorts[columns[0]]]
        layout = Layout(columns, target, kind, sorts, not wish.columns, wish.labels, wish.numbers is not None)
    _check_readable(layout, table.unreadable, path)
    return layout


def check_exists(name: str, names: Sequence[str], path: str, noun: str = "column") -> None:
    """Refuse a name that is not there, and show the closest that is."""
    if name not in names:
        close = get_close_matches(name, names, n=1) or [each for each in names if each.lower() == name.lower()]
        meant = f"Did you mean {close[0]!r}? " if close else ""
        raise fault(path, f"there is no {noun} {name!r}.", value=name, advice=f"{meant}It has {listed(list(names))}.")


def find_target(names: Sequence[str], named: str | None, path: str) -> str | None:
    """The label column: as named, else the one with a usual name, else None.

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


class Recognised(NamedTuple):
    """Columns that hold the objects, and their kind."""

    columns: tuple[str, ...]
    kind: Kind


def _of_format(table: RawTable, wish: Wish) -> Recognised | None:
    """The objects of a format that says itself where they are, unless the caller wants something else of it."""
    if table.column is None or table.kind is None or wish.kind == "rows" or wish.target == table.column:
        return None
    return Recognised((table.column,), table.kind) if wish.columns in ((), (table.column,)) else None


def _by_names(rows: Sequence[Row], names: list[str], table: RawTable, wish: Wish, path: str) -> Recognised | None:
    if table.column is not None:
        return None
    possible = wish.columns or [name for name in names if name != wish.target]
    found = recognise(Seen(rows, possible, table.cells, wish.kind, wish.target, path))
    return None if found and wish.columns and set(found.columns) != set(wish.columns) else found


class Seen(NamedTuple):
    """The first rows of a file, and what their reader and the caller know."""

    rows: Sequence[Row]
    names: Sequence[str]  # of the columns that may hold objects
    cells: CellReader
    kind: Kind | None  # as the caller named it
    target: str | None
    path: str

    def mostly(self, name: str, fits: Callable[[Any], bool]) -> bool:
        """Whether a column's filled cells mostly are what they should be."""
        answers = [fits(row.cells[name]) for row in self.rows if not is_empty(row.cells.get(name))]
        return 2 * sum(answers) > len(answers)

    def structured(self, *names: str) -> bool:
        """Whether columns mostly hold JSON lists or objects, or the caller says what they are."""
        return self.kind is not None or all(
            self.mostly(name, lambda cell: self.cells.structure(cell) is not None) for name in names
        )


def recognise(seen: Seen) -> Recognised | None:
    """The objects that the names of columns tell, if they are of the kind that the caller named or nobody did.

    A name is not enough: a table may count the nodes and edges of networks, or the children of families.
    """
    for kind, look in _LOOKS.items():
        if seen.kind in (None, kind):
            found = look(seen)
            if found is not None:
                return Recognised(found, kind)
    return None


def _molecules(seen: Seen) -> tuple[str, ...] | None:
    found = [name for name in seen.names if name.lower() == "smiles"]
    if len(found) == 1 and (seen.kind is not None or usual_sort(seen.rows, found[0], seen.cells) == "text"):
        return (found[0],)
    return None


def _graphs(seen: Seen) -> tuple[str, ...] | None:
    joined = [name for name in JOINED if name in seen.names]
    if NODES not in seen.names or not joined or not seen.structured(NODES, *joined):
        return None
    if len(joined) > 1:
        raise fault(
            seen.path,
            "'edges' and 'neighbors' could each say which nodes are joined.",
            value=joined,
            advice="Name one: column=['nodes', 'edges'].",
        )
    return (NODES, joined[0])


def _trees(seen: Seen) -> tuple[str, ...] | None:
    if "tree" in seen.names and (seen.kind is not None or seen.mostly("tree", lambda cell: _is_node(seen.cells.structure(cell)))):
        return ("tree",)
    if CHILDREN not in seen.names or not (seen.kind is not None or _are_nodes(seen)):
        return None
    if seen.target == ROOT:
        raise fault(
            seen.path,
            f"the records are trees themselves, and {ROOT!r} is the label of their roots, not of a class.",
            value=ROOT,
            advice='Put the class into a field of another name, such as "class", or the tree: {"tree": ..., "label": ...}.',
        )
    return (ROOT, CHILDREN) if ROOT in seen.names else None


def _are_nodes(seen: Seen) -> bool:
    """Whether children mostly are nodes themselves; some may be empty lists, but not all."""
    children = [each for row in seen.rows for each in (seen.cells.structure(row.cells.get(CHILDREN)) or ())]
    return seen.structured(CHILDREN) and 2 * sum(isinstance(each, dict) and _is_node(each) for each in children) > len(children)


def _is_node(value: Any) -> bool:
    if isinstance(value, dict):
        return ROOT in value
    return isinstance(value, list) and len(value) == 2 and isinstance(value[1], list) and not isinstance(value[0], list)


#: How to look for the kinds that names of columns tell.
_LOOKS: dict[Kind, Callable[[Seen], tuple[str, ...] | None]] = {"molecules": _molecules, "graphs": _graphs, "trees": _trees}


def _sorts(rows: Sequence[Row], names: Sequence[str], table: RawTable, wish: Wish, path: str) -> dict[str, Sort]:
    for name in wish.numbers or ():
        check_exists(name, names, path)
    if wish.numbers is not None:
        return {name: "number" if name in wish.numbers else "text" for name in names}
    sorts = {name: usual_sort(rows, name, table.cells) for name in names}
    if wish.kind == "rows":  # truth values are categories there, even where a format counts them among the numbers
        truths = {name for row in rows for name, cell in row.cells.items() if isinstance(cell, bool)}
        sorts = {name: "text" if sort != "number" or name in truths else sort for name, sort in sorts.items()}
    return sorts


def _object_columns(sorts: dict[str, Sort], kind: Kind | None, path: str) -> tuple[str, ...]:
    everything = tuple(sorts)
    others = tuple(name for name, sort in sorts.items() if sort != "number")
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
    if not columns:
        raise fault(
            path,
            f"nothing beside the labels in {target!r}.",
            value=target,
            advice="Add a column with the objects, or name another target.",
        )
    if "" in columns:
        advice = "Name it or remove it (pandas writes such an index unless told index=False), or name the others with column=..."
        raise fault(path, f"column {columns.index('') + 1} has no name.", value="", advice=advice)


def _check_readable(layout: Layout, unreadable: dict[str, str], path: str) -> None:
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

"""Which column holds the objects, which the labels, and what kind of objects they are."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import get_args

from wideberth.errors import InvalidInput, UnknownName
from wideberth.objects.readers.cells import CellReader, Row, Sort, is_empty
from wideberth.objects.readers.faults import fault, listed
from wideberth.objects.readers.records import KINDS, Kind

TARGET_NAMES = frozenset({"label", "labels", "class", "target", "y", "category"})
SORTS: tuple[Sort, ...] = get_args(Sort)
KIND_OF_SORT: dict[Sort, Kind] = {"number": "vectors", "series": "series", "text": "strings", "other": "objects"}


@dataclass(frozen=True)
class Wish:
    """What the caller named; the rest is found."""

    columns: tuple[str, ...] = ()
    target: str | None = None
    kind: Kind | None = None
    labels: bool = True  # False: a column of labels is recognised, but not read

    def __post_init__(self) -> None:
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

    @property
    def in_lists(self) -> bool:
        """Whether one cell holds all numbers of an object, rather than one cell for each number."""
        return len(self.columns) == 1 and (self.kind == "series" or self.sorts[self.columns[0]] == "series")

    @property
    def column(self) -> str | tuple[str, ...]:
        """The columns as `Records` names them."""
        return self.columns[0] if len(self.columns) == 1 else self.columns


def decide_layout(rows: Sequence[Row], cells: CellReader, wish: Wish, path: str) -> Layout:
    """Decide on the first rows of a file where objects and labels are; the rules are those of `wideberth.read`."""
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    for name in (*wish.columns, *filter(None, [wish.target])):
        check_exists(name, names, path)
    target = find_target([name for name in names if name not in wish.columns], wish.target, path)
    remaining = wish.columns or tuple(name for name in names if name != target)
    _check_usable(remaining, target, path)
    sorts = {name: _usual_sort(rows, name, cells) for name in remaining}
    columns = _object_columns(sorts, wish.kind, path)
    return Layout(columns, target, wish.kind or KIND_OF_SORT[sorts[columns[0]]], sorts, not wish.columns, wish.labels)


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


def _usual_sort(rows: Sequence[Row], name: str, cells: CellReader) -> Sort:
    """What most filled cells are. One typing error must not turn a column of numbers into text: it is reported later."""
    counts = Counter(cells.sort(row.cells[name]) for row in rows if not is_empty(row.cells.get(name)))
    return max(SORTS, key=lambda sort: (counts[sort], SORTS.index(sort))) if counts else "text"


def _object_columns(sorts: dict[str, Sort], kind: Kind | None, path: str) -> tuple[str, ...]:
    everything = tuple(sorts)
    others = tuple(name for name, sort in sorts.items() if sort != "number")
    if len(everything) == 1 or kind in ("vectors", "distances", "objects"):
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
        advice=f"Name one, for example column={candidates[0]!r}, or say kind='objects' to take whole rows.",
    )

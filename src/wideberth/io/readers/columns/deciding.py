"""Decide which columns hold the objects, which the labels, and what kind of objects they are.

What the caller named (`ReadOptions`) is taken. What the format itself defines comes next, then what
the names of columns reveal (`wideberth.io.readers.columns.object_columns`: molecules, sequences,
graphs and trees), and last what the cells are (`wideberth.io.readers.columns.object_columns`). The
decision is made once, on the first rows, and called a `Layout`;
`wideberth.io.readers.columns.conversion` applies it to all rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from wideberth.errors import UnknownName, warn_user
from wideberth.io.readers.columns.column_facts import ENOUGH_ROWS, ColumnFacts, column_facts
from wideberth.io.readers.columns.layout import Layout
from wideberth.io.readers.columns.object_columns import (
    Candidates,
    FirstRows,
    ObjectChoice,
    ObjectColumns,
    choose_columns,
    find_distances,
    recognise,
)
from wideberth.io.readers.columns.written_numbers import FORMATS, PLAIN, Writing, is_grouped
from wideberth.io.readers.formats.delimited import TEXT_CELLS
from wideberth.io.readers.options import (
    MOST_COMPARED,
    TARGET_NAMES,
    ReadOptions,
    check_exists,
    find_target,
)
from wideberth.io.readers.records import (
    CellType,
    ColumnUse,
    RawTable,
    Row,
    Use,
    counted,
    fault,
    listed,
    majority_type,
    place,
)
from wideberth.objects.sample import shown
from wideberth.wording import Text, setting

# ---- Whether the first line of a table holds data rather than the names of columns

#: What to do about it.
_WAY_OUT = "put a line that names the columns before it"


def value_in_header(rows: Sequence[Row], names: Sequence[str], table: RawTable) -> str | None:
    r"""Find a name of a column that several of its cells repeat, while nothing else in the header
    can only be a name.

    A name above numbers that is none itself can only be a name. Names of one letter, and those that
    columns of labels have, are often values too: 'y' above 'y' and 'n'.

    Parameters
    ----------
    rows : sequence of Row
        The first rows.
    names : sequence of str
        The header.
    table : RawTable
        How cells are read; only texts with lines have headers that may be missing.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(
    ...     ["5.1,setosa\n", "4.9,setosa\n", "7.0,virginica\n", "5.0,setosa\n"], "iris.csv"
    ... )
    >>> value_in_header(list(table.rows), ["5.1", "setosa"], table)
    'setosa'
    """
    if (
        not _may_lack_header(table)
        or len(names) > MOST_COMPARED
        or any(name.lower() in TARGET_NAMES for name in names)
    ):
        return None
    repeated = [
        name
        for name in names
        if len(name) > 1 and sum(row.cells.get(name) == name for row in rows) > 1
    ]
    if not repeated:
        return None
    types = {name: majority_type(rows, name, table.cells) for name in names}
    fits = all(
        table.cells.cell_type(name) == types[name]
        for name in names
        if name and types[name] in ("number", "series")
    )
    texts = [name for name in repeated if types[name] == "text"]
    return texts[0] if fits and texts else None


def header_warning(value: str, path: str) -> str:
    """The warning about a header that has a value of its column.

    Examples
    --------
    >>> print(header_warning("setosa", "iris.csv"))
    iris.csv: the first line is read as the names of the columns, and 'setosa' in it is also a value of its column. ...
    """
    return (
        f"{place(path)}: the first line is read as the names of the columns, and {shown(value)} in "
        f"it is also a value of its column. If the file has no header, {_WAY_OUT}: otherwise its "
        "first object is lost."
    )


def header_hint(names: Sequence[str], table: RawTable, value: str | None) -> str:
    """What to add to the error about a column that is not there: where the names come from, if they
    look like data.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> header_hint(["5.1", "setosa"], csv_table([], "iris.csv"), None)
    'These names are the first line of the file: if that is data, put a line that names the columns before it.'
    """
    if not _may_lack_header(table) or (
        value is None and all(TEXT_CELLS.number(name) is None for name in names)
    ):
        return ""
    return f"These names are the first line of the file: if that is data, {_WAY_OUT}."


def _may_lack_header(table: RawTable) -> bool:
    return table.cells is TEXT_CELLS and table.column is None and not table.types


# ---- Settle how numbers are written where a column alone leaves it open: the other columns of the
# file, or the caller, tell

_WITH_COMMA = ("1,5", "1.234,5")
_WITH_POINT = ("1,234.5", "1'234.5")
_SLASHED = ("31/12/2024", "12/31/2024")


@dataclass(frozen=True)
class SettledWritings:
    """How the numbers of each column are written.

    Attributes
    ----------
    by_name : dict
        A `Writing` for each column; one with several formats is refused when it is used.
    facts : dict
        The facts about each column, for messages.
    """

    by_name: dict[str, Writing]
    facts: Mapping[str, ColumnFacts]

    def is_special(self, name: str, plain: str = PLAIN) -> bool:
        """Whether the cells of a column need another reader than plain numbers do."""
        writing = self.by_name[name]
        return bool(writing.formats) and (
            writing.percent or writing.formats[0].example != plain or len(writing.formats) > 1
        )

    def of(self, name: str, path: str) -> Writing:
        """How a column that is used as numbers is written; an error if that is open."""
        writing = self.by_name[name]
        if len(writing.formats) < 2:
            return writing
        texts = [cell for cell in self.facts[name].filled if isinstance(cell, str)]
        cell = next((text for text in texts if writing.is_open(text)), texts[0])
        one, other = (found.example for found in writing.formats)
        raise fault(
            path,
            f"it is open what {shown(cell)} in column {name!r} means: written as {one} or as "
            f"{other}.",
            value=cell,
            advice=f"Say which: {setting('numbers', {name: one})} or "
            f"{setting('numbers', {name: other})}, or name the columns to read with "
            f"{setting('column', shown='...')}",
        )


def settle_writings(
    facts: Mapping[str, ColumnFacts], named: Mapping[str, str], path: str
) -> SettledWritings:
    """Settle how the numbers of each column are written.

    A comma before three digits is a decimal comma if other columns have decimal commas, and
    separates thousands if others have decimal points; so do dates with slashes follow other such
    dates. Where nothing tells, it stays open, and a column that is used is refused.

    Parameters
    ----------
    facts : mapping
        The facts about each column.
    named : mapping
        The formats that the caller named, by column.
    path : str
        The file, for messages.

    Returns
    -------
    SettledWritings

    Raises
    ------
    UnknownName
        If a format is named that does not exist.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> from wideberth.io.readers.columns.column_facts import column_facts
    >>> table = csv_table(["a;b\\n", "1,234;0,5\\n"], "t.csv")
    >>> rows = list(table.rows)
    >>> settled = settle_writings(
    ...     {name: column_facts(rows, name, table.cells) for name in "ab"}, {}, "t.csv"
    ... )
    >>> settled.of("a", "t.csv").parse("1,234")
    1.234
    """
    writings = {name: fact.writing for name, fact in facts.items()}
    for name, example in named.items():
        if example not in FORMATS:
            raise UnknownName(
                f"{setting('numbers', shown=f'{{{name!r}: {shown(example)}}}')} names no way to "
                "write numbers.",
                advice=f"Choose one of {listed(list(FORMATS))}.",
                value=example,
                known=list(FORMATS),
            )
        if name in writings:
            writings[name] = Writing((FORMATS[example],), writings[name].percent)
    known = {
        found.formats[0].example
        for name, found in writings.items()
        if _is_evidence(facts[name], found)
    }
    return SettledWritings(
        {name: _settled(facts[name], found, known) for name, found in writings.items()}, facts
    )


def _is_evidence(facts: ColumnFacts, writing: Writing) -> bool:
    """Whether a column shows how decimals, or dates, are written."""
    if facts.type != "number" or len(writing.formats) != 1:
        return False
    if writing.formats[0].example != PLAIN:
        return True
    return any("." in cell for cell in facts.filled if isinstance(cell, str))


def _settled(facts: ColumnFacts, writing: Writing, known: set[str]) -> Writing:
    """The writing of one column, in view of the formats that other columns certainly have."""
    comma, point = bool(known & {*_WITH_COMMA}), bool(known & {*_WITH_POINT, PLAIN})
    examples = tuple(found.example for found in writing.formats)
    if examples == ("1,5", "1,234.5") and comma != point:
        return Writing(writing.formats[:1] if comma else writing.formats[1:], writing.percent)
    if examples == _SLASHED and len(known & {*_SLASHED}) == 1:
        return Writing((FORMATS[(known & {*_SLASHED}).pop()],))
    if examples == (PLAIN,) and comma and facts.type == "number":
        texts = [cell for cell in facts.filled if isinstance(cell, str)]
        if is_grouped(texts):
            return Writing((FORMATS[PLAIN], FORMATS["1.234,5"]), writing.percent)
    return writing


# ---- Say what each column is used as, and why

#: What the single column of objects is used as, by their kind; structures and molecules are objects
#: of their own.
_USE_OF_KIND: dict[str, Use] = {"strings": "text", "series": "series"}


@dataclass(frozen=True)
class Reasons:
    """What the uses of columns are explained by.

    Attributes
    ----------
    facts : dict
        The facts about each column but that of the labels.
    options : ReadOptions
        What the caller named.
    choice : ObjectChoice
        The columns of the objects.
    revealed : bool
        Whether the format or the names of columns told where the objects are.
    from_elsewhere : bool
        Whether the labels are read from another file.
    """

    facts: dict[str, ColumnFacts]
    options: ReadOptions
    choice: ObjectChoice
    revealed: bool
    from_elsewhere: bool


def column_uses(layout: Layout, names: list[str], reasons: Reasons) -> Layout:
    """Add to a layout what each column is used as.

    Parameters
    ----------
    layout : Layout
        The decision.
    names : list of str
        All columns, in the order of the file.
    reasons : Reasons
        What led to the decision.

    Returns
    -------
    Layout
        With its ``uses``.
    """
    uses = (_use(name, layout, reasons) for name in names)
    return replace(layout, uses=tuple(use.because(Text(use.why)) for use in uses))


def _use(name: str, layout: Layout, reasons: Reasons) -> ColumnUse:
    """What one column is used as."""
    options = reasons.options
    if name == layout.target:
        return ColumnUse(
            name, "label" if layout.labels else "ignored", _why_target(name, layout, reasons)
        )
    if name in layout.columns:
        return _feature(name, layout, reasons.facts[name])
    if name == options.weight:
        return ColumnUse(name, "weight", f"named with {setting('weight')}")
    if name == options.groups:
        return ColumnUse(name, "group", f"named with {setting('groups')}")
    if name == layout.identifier:
        return ColumnUse(
            name, "identifier", reasons.facts[name].identifies or "the names of the objects"
        )
    if not reasons.options.columns and (why := reasons.facts[name].identifies):
        return ColumnUse(name, "identifier", f"{why}; {shown(layout.identifier)} names the objects")
    return ColumnUse(name, "ignored", _why_ignored(name, layout, reasons))


def _why_target(name: str, layout: Layout, reasons: Reasons) -> str:
    if not layout.labels:
        return "labels, which are not asked for"
    if reasons.from_elsewhere:
        return "the file of labels"
    return f"named with {setting('target')}" if reasons.options.target == name else "its name"


def _feature(name: str, layout: Layout, facts: ColumnFacts) -> ColumnUse:
    """The use of a column of the objects."""
    kind = layout.kind
    if kind == "distances":
        return ColumnUse(name, "number", "distances to all objects")
    if kind not in ("vectors", "rows") or layout.in_lists:
        return ColumnUse(
            name,
            _USE_OF_KIND.get(kind, "object"),
            "the objects" if kind in _USE_OF_KIND else f"the objects: {kind}",
        )
    constant = "the same in all rows so far" if facts.is_constant else ""
    if layout.types[name] == "number":
        writing = layout.writings.get(name)
        different = (
            ""
            if facts.repeats or facts.n_rows < ENOUGH_ROWS or not facts.is_whole()
            else "whole, another in each row"
        )
        why = (
            writing.why if writing else "dates, as days since 1970-01-01" if facts.is_date else "",
            constant or different,
        )
        return ColumnUse(name, "date" if facts.is_date else "number", "; ".join(filter(None, why)))
    truth = "truth values" if facts.is_truth else ""
    values = (
        ""
        if facts.is_truth or constant
        else f"{counted(facts.n_distinct, 'value')} so far"
        if facts.filled
        else "empty so far"
    )
    return ColumnUse(name, "category", "; ".join(filter(None, (truth, values, constant))))


def _why_ignored(name: str, layout: Layout, reasons: Reasons) -> str:
    """Why a column is not used."""
    facts, options = reasons.facts[name], reasons.options
    objects = (
        shown(layout.columns[0]) if len(layout.columns) == 1 else f"{len(layout.columns)} columns"
    )
    if options.columns:
        return f"not named with {setting('column')}"
    if not facts.filled:
        return "empty" if facts.n_rows < 200 else "empty in the first rows"
    if reasons.revealed:
        return f"the objects are in {objects}; {setting('kind', 'rows')} takes all columns"
    if reasons.from_elsewhere and name not in reasons.choice.columns and not facts.could_be_labels:
        return "the labels come from another file"
    if options.kind is not None:
        return f"{setting('kind', options.kind)} is in {objects}"
    return (
        f"few values, as labels have: {setting('target', shown=shown(name))} makes them labels; "
        f"the objects are in {objects}"
    )


class _Found(NamedTuple):
    """The columns of a file by their purpose, before the objects are chosen."""

    names: list[str]
    revealed: ObjectColumns | None  # the objects, by the format or by the names of columns
    target: str | None
    remaining: tuple[str, ...]  # may describe the objects, or be them


def decide_layout(
    rows: Sequence[Row], table: RawTable, options: ReadOptions, path: str, *, complete: bool = True
) -> Layout:
    r"""Decide on the first rows of a file where objects and labels are, by the rules of
    `wideberth.read`.

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
        If a column that was named does not exist or cannot be read, or if several columns could
        hold the objects or the labels.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(["word,label\n", "tea,en\n"], "drinks.csv")
    >>> layout = decide_layout(list(table.rows), table, ReadOptions(), "drinks.csv")
    >>> layout.column, layout.target, layout.kind
    ('word', 'label', 'strings')
    """
    found = _find_purposes(rows, table, options, path)
    facts = {
        name: column_facts(rows, name, table.cells, table.types.get(name))
        for name in found.names
        if name != table.labels
    }
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
        {
            name: writings.of(name, path)
            for name in used
            if types[name] == "number" and writings.is_special(name, PLAIN)
        },
        frozenset(
            name for name in choice.columns if types[name] == "text" and facts[name].is_truth
        ),
        empty=choice.empty,
    )
    _check_readable(layout, table.unreadable, path)
    reasons = Reasons(
        facts,
        options,
        choice,
        revealed=found.revealed is not None,
        from_elsewhere=table.labels is not None,
    )
    return column_uses(layout, found.names, reasons)


def _find_purposes(rows: Sequence[Row], table: RawTable, options: ReadOptions, path: str) -> _Found:
    """Find the column of the labels, those of the objects where the format or their names tell
    them, and what remains.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    own = [name for name in names if name != table.labels]
    value = value_in_header(rows, own, table)
    for name in options.names:
        check_exists(name, own, path, hint=header_hint(own, table, value))
    if value is not None and options.labels:
        warn_user(header_warning(value, path), UserWarning)
    revealed = _columns_of_format(table, options) or _columns_by_name(
        rows, own, table, options, path
    )
    taken = revealed.columns if revealed else options.columns
    kept_apart = {*taken, options.weight, options.groups}
    target = table.labels or find_target(
        [name for name in own if name not in kept_apart], options.target, path
    )
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
    """The purposes without a target if the column that is called so is one of a distance matrix,
    whose objects are x, y, z.
    """
    target = found.target
    if (
        found.revealed
        or options.names
        or table.labels
        or target is None
        or facts[target].type != "number"
    ):
        return found
    types = {name: fact.type for name, fact in facts.items()}
    if find_distances(Candidates(rows, facts, types, options, None, path, complete)) is None:
        return found
    return _Found(found.names, found.revealed, target=None, remaining=tuple(found.names))


def _columns_of_format(table: RawTable, options: ReadOptions) -> ObjectColumns | None:
    """The column of the objects that the format defines, unless the caller wants other columns,
    rows, or this one as target.
    """
    if (
        table.column is None
        or table.kind is None
        or options.kind == "rows"
        or options.target == table.column
    ):
        return None
    return (
        ObjectColumns((table.column,), table.kind)
        if options.columns in ((), (table.column,))
        else None
    )


def _columns_by_name(
    rows: Sequence[Row], names: list[str], table: RawTable, options: ReadOptions, path: str
) -> ObjectColumns | None:
    """The columns of the objects that names reveal, where neither the format nor the caller
    contradicts.
    """
    if table.column is not None:
        return None
    possible = options.columns or [name for name in names if name not in options.names]
    found = recognise(FirstRows(rows, possible, table.cells, options.kind, options.target, path))
    return (
        None if found and options.columns and set(found.columns) != set(options.columns) else found
    )


def _column_types(
    rows: Sequence[Row],
    facts: dict[str, ColumnFacts],
    found: _Found,
    table: RawTable,
    options: ReadOptions,
) -> dict[str, CellType]:
    """The type of each column: as the caller named it, else that of most of its cells."""
    types = {name: fact.type for name, fact in facts.items()}
    types |= dict.fromkeys(options.number_formats, "number")
    if found.revealed:
        types |= dict.fromkeys(
            found.revealed.columns,
            "series" if found.revealed.kind in ("series", "distances") else "text",
        )
    if options.numbers is not None:
        types |= {name: "number" if name in options.numbers else "text" for name in found.remaining}
    if len(found.remaining) > 1:
        types |= {name: "text" for name in _truths(rows) if types.get(name) == "other"}
    return types


def _truths(rows: Sequence[Row]) -> set[str]:
    """The columns that hold truth values: categories, even where a format counts them among the
    numbers.
    """
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
    candidates = Candidates(
        rows,
        {name: facts[name] for name in found.remaining},
        types,
        options,
        found.target,
        path,
        complete,
    )
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
                f"column {name!r} holds {unreadable[name]}, which is neither numbers nor text nor "
                "lists of them.",
                value=unreadable[name],
                advice="Write it as text or as numbers, or name what to read instead with "
                f"{setting(option, shown='...')}",
            )

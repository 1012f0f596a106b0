"""Decide which columns hold the objects, which the labels, and what kind of objects they are.

What the caller named (`ReadOptions`) is taken. What the format itself defines comes next, then what
the names of columns reveal (`recognise`: molecules, sequences, graphs and trees), and last what the
cells are (`choose_columns`): several usable columns are a table, one column is the objects. The
decision is made once, on the first rows, and called a `Layout`;
`wideberth.io.readers.conversion` applies it to all rows.

A name alone is not enough: a table may count the nodes and edges of networks, or the children of
families. Unless the caller names the kind, more than half of the filled cells must have the right
form.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from wideberth.errors import InvalidFile, warn_user
from wideberth.io.readers.columns import (
    ENOUGH_ROWS,
    ColumnFacts,
    Writing,
    column_facts,
    settle_writings,
)
from wideberth.io.readers.formats.delimited import (
    FEWEST_IN_MATRIX,
    are_distances,
    header_hint,
    header_warning,
    value_in_header,
)
from wideberth.io.readers.formats.json_lines import CHILDREN, EDGE_FIELDS, NODE_LABEL, NODES
from wideberth.io.readers.records import (
    Cell,
    CellReader,
    CellType,
    ColumnUse,
    Kind,
    RawTable,
    ReadOptions,
    Row,
    Use,
    check_exists,
    counted,
    fault,
    find_target,
    is_empty,
    listed,
    majority_type,
)
from wideberth.objects.sample import shown
from wideberth.wording import Text, python, setting


@dataclass(frozen=True)
class Layout:
    """Where the objects, labels and all else are in every row of a file, and how cells are read.

    Examples
    --------
    >>> Layout(
    ...     ("age", "city"), None, "rows", {"age": "number", "city": "text"}, all_columns=True
    ... ).numbers
    ('age',)
    """

    columns: tuple[str, ...]  # the columns of the objects
    target: str | None
    kind: Kind
    #: the type as which the cells of each column are read: ``"number"``, ``"series"``,
    #: ``"text"`` or ``"other"``
    types: dict[str, CellType]
    all_columns: bool  # no column was named: an object of several fields has all of them
    labels: bool = True
    numbers_given: bool = False  # the caller named the columns of rows that hold numbers
    identifier: str | None = None  # the column of the names of the objects
    weight: str | None = None
    groups: str | None = None
    #: how numbers are written in columns where they are not plain
    writings: dict[str, Writing] = field(default_factory=dict)
    truths: frozenset[str] = frozenset()  # the columns of words such as yes and no
    uses: tuple[ColumnUse, ...] = ()  # what each column is used as, and why
    #: the columns that are left out because no cell of theirs was filled in the first rows
    empty: tuple[str, ...] = ()
    #: the words that stand for no value in each column of the objects
    missing: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def in_lists(self) -> bool:
        """Whether one cell holds all numbers of an object, rather than one cell for each number."""
        return len(self.columns) == 1 and (
            self.kind == "series" or self.types[self.columns[0]] == "series"
        )

    @property
    def numbers(self) -> tuple[str, ...] | None:
        """Of rows, the columns that are read as numbers; None for other kinds."""
        return (
            tuple(name for name in self.columns if self.types[name] == "number")
            if self.kind == "rows"
            else None
        )

    @property
    def column(self) -> str | tuple[str, ...]:
        """The columns as `Records` names them: one name, or a tuple of several."""
        return self.columns[0] if len(self.columns) == 1 else self.columns

    def number_reader(self, name: str, cells: CellReader) -> Callable[[Cell], float | None]:
        """The function that reads the numbers of a column."""
        writing = self.writings.get(name)
        if writing is None:
            return cells.number
        return lambda cell: writing.parse(cell) if isinstance(cell, str) else cells.number(cell)


# ---- Objects that the names of columns reveal: molecules, sequences, graphs and trees

#: What a column of sequences is called, and what its cells are: letters, stops and gaps, and at
#: least two of them.
SEQUENCE_NAMES = ("sequence", "sequences", "seq")
LETTERS = re.compile(r"[A-Za-z*.?~-]{2,}")


class FirstRows(NamedTuple):
    """The first rows of a file, and what a decision about them is made from."""

    rows: Sequence[Row]
    table: RawTable  # what their format defines
    options: ReadOptions
    path: str
    complete: bool  # whether these are all rows of the file
    later: Sequence[Row] = ()  # rows that follow, read for columns that are nearly empty in these
    ended: bool = True  # whether no others follow

    def telling(self, name: str) -> Sequence[Row]:
        """The rows that tell what a column holds: these, and later ones with a value in it if few
        of these have one.
        """
        if not self.later or name not in sparse_columns(self, [name]):
            return self.rows
        words = self.options.missing_words
        filled = (row for row in self.later if not words.in_features(row.cells.get(name)))
        return [*self.rows, *filled]

    def mostly(self, name: str, fits: Callable[[Cell], bool]) -> bool:
        """Test whether more than half of the filled cells of a column have a property."""
        answers = [
            fits(row.cells[name]) for row in self.telling(name) if not is_empty(row.cells.get(name))
        ]
        return 2 * sum(answers) > len(answers)

    def mostly_structured(self, *names: str) -> bool:
        """Whether columns mostly hold JSON lists or objects, or the caller named their kind."""
        structure = self.table.cells.structure
        return self.options.kind is not None or all(
            self.mostly(name, lambda cell: structure(cell) is not None) for name in names
        )


def sparse_columns(first: FirstRows, names: Iterable[str] | None = None) -> dict[str, int]:
    """The columns with too few values in the first rows to tell what they hold, and how many more
    would do; not those whose type is declared.
    """
    if names is None:
        names = dict.fromkeys(name for row in first.rows for name in row.cells)
    words, types = first.options.missing_words, first.table.types
    lacking = {
        name: ENOUGH_ROWS - sum(not words.in_features(row.cells.get(name)) for row in first.rows)
        for name in names
        if name not in types
    }
    return {name: count for name, count in lacking.items() if count > 0}


@dataclass(frozen=True)
class ObjectChoice:
    """The columns of the objects, and the kind of these."""

    #: several for graphs (nodes and edges), and for trees whose root is the record itself
    columns: tuple[str, ...]
    kind: Kind
    identifier: str | None = None  # the column of the names of the objects
    empty: tuple[str, ...] = ()  # columns that were left out because they are empty


def recognise(first: FirstRows, names: Sequence[str]) -> ObjectChoice | None:
    r"""Find the columns of molecules, sequences, graphs or trees among those of these names, if the
    caller named that kind or none.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(["SMILES,label\n", "CCO,soluble\n"], "drugs.csv")
    >>> first = FirstRows(list(table.rows), table, ReadOptions(), "drugs.csv", complete=True)
    >>> recognise(first, ["SMILES"]).kind
    'molecules'
    """
    for kind, find_columns in _RECOGNISERS.items():
        if first.options.kind in (None, kind) and (found := find_columns(first, names)):
            return ObjectChoice(found, kind)
    return None


def _molecules(first: FirstRows, names: Sequence[str]) -> tuple[str, ...] | None:
    """The column called smiles, in any case, if its cells are text."""
    found = [name for name in names if name.lower() == "smiles"]
    if len(found) > 1:
        advice = f"Name one, for example {setting('column', found[0])}."
        raise fault(
            first.path,
            f"{len(found)} columns could hold the objects: {listed(found)}.",
            advice,
            value=found,
        )
    if len(found) == 1 and (
        first.options.kind is not None
        or majority_type(first.telling(found[0]), found[0], first.table.cells) == "text"
    ):
        return (found[0],)
    return None


def _sequences(first: FirstRows, names: Sequence[str]) -> tuple[str, ...] | None:
    """The column called sequence, in any case, if most of its cells are letters without spaces."""
    found = [name for name in names if name.lower() in SEQUENCE_NAMES]
    # a kind that was named finds its column by itself
    if len(found) != 1 or first.options.kind is not None:
        return None
    return (
        (found[0],)
        if first.mostly(
            found[0], lambda cell: isinstance(cell, str) and bool(LETTERS.fullmatch(cell))
        )
        else None
    )


def _graphs(first: FirstRows, names: Sequence[str]) -> tuple[str, ...] | None:
    """The columns of nodes and of edges or neighbors."""
    edge_fields = [name for name in EDGE_FIELDS if name in names]
    if NODES not in names or not edge_fields or not first.mostly_structured(NODES, *edge_fields):
        return None
    if len(edge_fields) > 1:
        raise fault(
            first.path,
            "'edges' and 'neighbors' could both give the edges.",
            f"Name one: {setting('column', ['nodes', 'edges'])}.",
            value=edge_fields,
        )
    return (NODES, edge_fields[0])


def _trees(first: FirstRows, names: Sequence[str]) -> tuple[str, ...] | None:
    """The column called tree, or the fields of records that are trees themselves."""
    if "tree" in names and (
        first.options.kind is not None
        or first.mostly("tree", lambda cell: _is_node(first.table.cells.structure(cell)))
    ):
        return ("tree",)
    if CHILDREN not in names or not (first.options.kind is not None or _are_nodes(first)):
        return None
    if first.options.target == NODE_LABEL:
        raise fault(
            first.path,
            f"the records are trees themselves, and {NODE_LABEL!r} is the label of their roots, "
            "not of a class.",
            'Put the class into a field of another name, such as "class", or the tree: {"tree": ..., "label": ...}.',
            value=NODE_LABEL,
        )
    return (NODE_LABEL, CHILDREN) if NODE_LABEL in names else None


def _are_nodes(first: FirstRows) -> bool:
    """Whether children mostly are nodes themselves; some may be empty lists, but not all."""
    children = [
        child
        for row in first.rows
        for child in (first.table.cells.structure(row.cells.get(CHILDREN)) or ())
    ]
    n_nodes = sum(isinstance(child, dict) and _is_node(child) for child in children)
    return first.mostly_structured(CHILDREN) and 2 * n_nodes > len(children)


def _is_node(value: Any) -> bool:
    """Whether a value of JSON has the form of a node: a dict with a label, or a list of a label and
    the list of children.
    """
    if isinstance(value, dict):
        return NODE_LABEL in value
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[1], list)
        and not isinstance(value[0], list)
    )


#: The functions that find the columns of the kinds which names of columns reveal.
_RECOGNISERS: dict[Kind, Callable[[FirstRows, Sequence[str]], tuple[str, ...] | None]] = {
    "molecules": _molecules,
    "strings": _sequences,
    "graphs": _graphs,
    "trees": _trees,
}
#: So many columns of few values beside a text do not make a table of it.
_FEW_BESIDE = 2
#: The words in a cell, on average, from which on a column of texts holds the objects, whatever
#: stands beside it.
_DOCUMENT = 10
#: What objects of one column are, by what most of its cells are.
KIND_OF_TYPE: dict[CellType, Kind] = {
    "number": "vectors",
    "series": "series",
    "text": "strings",
    "other": "objects",
}


# ---- Objects by what the cells of columns are


@dataclass(frozen=True)
class Candidates:
    """The columns that may hold the objects or describe them, with all that is known about them."""

    first: FirstRows
    facts: dict[str, ColumnFacts]  # the facts about each candidate
    types: dict[str, CellType]  # the type as which each column is read
    target: str | None

    def are_numbers(self, names: Sequence[str]) -> bool:
        """Whether all of some columns are read as numbers."""
        return all(self.types[name] == "number" for name in names)

    def is_object(self, name: str) -> bool:
        """Whether a column holds whole objects rather than a feature: free text, lists, structures,
        or all different texts.
        """
        facts = self.facts[name]
        return self.types[name] in ("series", "other") or (
            self.types[name] == "text" and (facts.is_free_text or facts.is_unlike)
        )

    def may_be_text(self, name: str) -> bool:
        """Whether a column holds texts of which none is there twice, and that are not to be kept as
        categories.
        """
        facts = self.facts[name]
        different = self.types[name] == "text" and facts.n_rows > 1 and not facts.repeats
        return different and not facts.is_constant and name not in self.first.options.keep


def choose_columns(candidates: Candidates) -> ObjectChoice:
    """Choose the columns of the objects among all that are not labels, weights or groups."""
    kind, named = candidates.first.options.kind, candidates.first.options.columns
    everything = tuple(candidates.facts)
    if kind in (None, "distances") and not named and (matrix := find_distances(candidates)):
        return matrix
    if kind is None and not named:
        _warn_of_matrix(candidates)
    if kind == "objects":
        return ObjectChoice(everything, kind)
    identifiers = (
        []
        if named or kind == "distances"
        else [
            name
            for name in everything
            if candidates.facts[name].identifies and name not in candidates.first.options.keep
        ]
    )
    identifiers.sort(key=lambda name: candidates.facts[name].repeats)  # the best names first
    empty = (
        ()
        if named or kind == "rows"
        else tuple(name for name in everything if not candidates.facts[name].filled)
    )
    usable = tuple(name for name in everything if name not in identifiers and name not in empty)
    if not usable:  # nothing but identifiers: they are all there is
        usable, identifiers, empty = (
            (tuple(identifiers), [], empty) if identifiers else (everything, [], ())
        )
    if "" in usable and len(usable) > 1:  # a column that cannot be named
        usable = tuple(name for name in usable if name)
    _check_names(usable, candidates.first.path)
    if kind in ("vectors", "distances", "rows"):
        found = ObjectChoice(usable, kind)
    elif kind is not None:
        found = ObjectChoice(_of_kind(candidates, usable, kind), kind)
    else:
        found = _of_any_kind(candidates, usable)
    identifier = identifiers[0] if identifiers else found.identifier
    return ObjectChoice(found.columns, found.kind, identifier, empty)


def _check_names(columns: Sequence[str], path: str) -> None:
    """Refuse objects in a column without a name."""
    if "" in columns:
        advice = (
            "Name it or remove it (pandas writes such an index unless told "
            f"{python('index=False')}), or name the others with {setting('column', shown='...')}"
        )
        raise fault(path, f"column {columns.index('') + 1} has no name.", advice, value="")


def _of_kind(candidates: Candidates, usable: tuple[str, ...], kind: Kind) -> tuple[str, ...]:
    """The columns of objects of a kind that the caller named: the only one that is not numbers, or
    numbers as a series.
    """
    others = tuple(name for name in usable if candidates.types[name] != "number")
    if kind == "strings" and candidates.first.options.columns:
        return usable  # several are joined
    if len(usable) == 1 or (not others and kind == "series"):
        return usable
    if len(others) == 1:
        return others
    raise _open_choice(candidates, others or usable)


def _of_any_kind(candidates: Candidates, usable: tuple[str, ...]) -> ObjectChoice:
    """The objects where the caller left their kind open."""
    if len(usable) == 1:
        return ObjectChoice(usable, KIND_OF_TYPE[candidates.types[usable[0]]])
    if candidates.first.options.columns and all(
        candidates.types[name] in ("number", "text") for name in usable
    ):
        return ObjectChoice(usable, "vectors" if candidates.are_numbers(usable) else "rows")
    title = _title(candidates, usable)
    features = tuple(name for name in usable if name != title)
    if len(features) == 1:
        return ObjectChoice(features, KIND_OF_TYPE[candidates.types[features[0]]], title)
    keep = candidates.first.options.keep
    objects = tuple(name for name in features if candidates.is_object(name) and name not in keep)
    if objects:  # beside texts, few others that do not repeat are texts as well
        objects = tuple(
            name for name in features if name in objects or candidates.may_be_text(name)
        )
    rest = tuple(name for name in features if name not in objects)
    few = all(candidates.facts[name].could_be_labels for name in rest)
    beside_few = few and (candidates.target is None or len(rest) <= _FEW_BESIDE) and not keep
    if len(objects) == 1 and beside_few:
        return ObjectChoice(objects, KIND_OF_TYPE[candidates.types[objects[0]]], title)
    if any(candidates.types[name] != "text" for name in objects):
        raise _open_choice(candidates, features)
    documents = tuple(name for name in objects if candidates.facts[name].n_words >= _DOCUMENT)
    if objects and (beside_few or documents):
        return ObjectChoice(_texts(candidates, features, objects), "strings", title)
    return ObjectChoice(rest, "vectors" if candidates.are_numbers(rest) else "rows", title)


def _texts(
    candidates: Candidates, features: tuple[str, ...], objects: tuple[str, ...]
) -> tuple[str, ...]:
    """The columns that are joined to texts: the objects, and titles, in the order of the file."""
    return tuple(name for name in features if name in objects or candidates.facts[name].is_title)


def _title(candidates: Candidates, usable: tuple[str, ...]) -> str | None:
    """The column called a name whose texts name the rows; a title above a text is a part of it."""
    keep = candidates.first.options.keep
    titles = [name for name in usable if candidates.facts[name].names_rows and name not in keep]
    if len(titles) != 1:
        return None
    others = [name for name in usable if name != titles[0]]
    above_text = candidates.facts[titles[0]].is_title and any(
        candidates.types[name] == "text" and candidates.is_object(name) for name in others
    )
    return None if above_text else titles[0]


def _open_choice(candidates: Candidates, columns: Sequence[str]) -> InvalidFile:
    """The error for columns that could each hold the objects."""
    found = list(columns)
    objects = [
        name for name in found if candidates.is_object(name) or candidates.facts[name].names_rows
    ] or found
    rest = [name for name in found if name != objects[0]]
    described = rest[0] if len(rest) == 1 else rest[:3]
    more = " (and so on)" if len(rest) > 3 else ""
    return fault(
        candidates.first.path,
        f"{len(found)} columns could hold the objects: {listed(found)}. "
        f"{_reason(candidates, objects[0])}",
        f"Name the column of the objects, {setting('column', objects[0])}, or those that "
        f"describe them, {setting('column', described)}{more}; or take whole rows: "
        f"{setting('kind', 'rows')} to compare them by columns, {setting('kind', 'objects')} as "
        "they are.",
        value=found,
    )


def _reason(candidates: Candidates, name: str) -> str:
    """Why a column may be the objects rather than one of their features."""
    facts, cell_type = candidates.facts[name], candidates.types[name]
    if cell_type == "series":
        return f"The cells of {name!r} are series."
    if cell_type == "other":
        return f"The cells of {name!r} are lists or structures."
    if facts.is_free_text:
        return f"The cells of {name!r} are free text."
    if facts.is_unlike or facts.names_rows:
        return f"The texts of {name!r} differ from row to row."
    return ""


def find_distances(candidates: Candidates) -> ObjectChoice | None:
    """Find the columns of a square matrix of distances: zeros on its diagonal, symmetric, and
    perhaps names in its first column.

    Where the caller named the kind, only the names of the objects are looked for.
    """
    facts, declared = candidates.facts, candidates.first.options.kind == "distances"
    numbers = tuple(name for name, fact in facts.items() if fact.type == "number")
    texts = [name for name in facts if name not in numbers and facts[name].filled]
    if len(texts) > 1 or not numbers:
        return None
    if _is_matrix(candidates, numbers, declared):
        return ObjectChoice(numbers, "distances", texts[0] if texts else None)
    # only its name tells it from a column of distances
    named = declared and facts[numbers[0]].identifies is not None
    if not texts and not facts[numbers[0]].repeats and _is_matrix(candidates, numbers[1:], named):
        return ObjectChoice(numbers[1:], "distances", numbers[0])
    return None


def _is_matrix(candidates: Candidates, columns: tuple[str, ...], declared: bool) -> bool:
    """Whether columns are as many as the rows, and, unless it was declared, the first rows are
    those of a distance matrix.
    """
    n_rows = len(candidates.first.rows)
    if n_rows > len(columns) or (candidates.first.complete and n_rows != len(columns)):
        return False
    if declared:
        return candidates.first.complete
    values = [candidates.facts[name].plain_numbers() for name in columns[:n_rows]]
    if any(numbers is None or len(numbers) != n_rows for numbers in values):
        return False
    return are_distances(np.array(values, dtype=np.float64))


def _warn_of_matrix(candidates: Candidates) -> None:
    """Say why a table whose rows are called as its columns is not taken for one of distances, where
    it looks like one: nothing below 0, and zeros on the diagonal, unlike similarities.
    """
    facts, n_rows = candidates.facts, len(candidates.first.rows)
    numbers = [name for name, fact in facts.items() if fact.type == "number"]
    texts = [fact.filled for name, fact in facts.items() if name not in numbers and fact.filled]
    called = [str(cell).strip() for cells in texts for cell in cells]
    if n_rows < FEWEST_IN_MATRIX or called != numbers[:n_rows]:
        return
    values = [facts[name].plain_numbers() or [] for name in numbers[:n_rows]]
    if any(len(column) != n_rows for column in values):
        return
    block = np.array(values, dtype=np.float64).T
    apart = np.abs(block - block.T) + np.diag(np.diagonal(block))
    if (block < 0).any() or np.diagonal(block).all() or not apart.any():
        return
    i, j = np.unravel_index(np.argmax(apart), apart.shape)
    back = f", and back {block[j, i]:g}" if i != j else ""
    warn_user(
        f"{candidates.first.path}: the rows are called as the columns, as in a matrix of distances, "
        f"but from {shown(numbers[i])} to {shown(numbers[j])} it is {block[i, j]:g}{back}. So the "
        f"columns are taken as features; {setting('kind', 'distances')} takes them as distances.",
        UserWarning,
    )


# ---- Say what each column is used as, and why

#: What the single column of objects is used as, by their kind; structures and molecules are objects
#: of their own.
_USE_OF_KIND: dict[str, Use] = {"strings": "text", "series": "series"}


@dataclass(frozen=True)
class Reasons:
    """What the uses of columns are explained by."""

    facts: dict[str, ColumnFacts]  # the facts about each column but that of the labels
    options: ReadOptions
    found: "_Found"
    choice: ObjectChoice
    from_elsewhere: bool  # whether the labels are read from another file
    ended: bool  # whether all rows of the file were looked at


def _use(name: str, layout: Layout, reasons: Reasons) -> ColumnUse:
    """What one column is used as."""
    options = reasons.options
    if name == layout.target:
        return ColumnUse(
            name, "label" if layout.labels else "ignored", _why_target(name, layout, reasons)
        )
    if name in layout.columns:
        return _feature(name, layout, reasons)
    if name == options.weight:
        return ColumnUse(name, "weight", f"named with {setting('weight')}")
    if name == options.groups:
        return ColumnUse(name, "group", f"named with {setting('groups')}")
    keeps = f"; {setting('keep', name)} makes it a feature" if name else ""
    if name == layout.identifier:
        why = reasons.facts[name].identifies or "the names of the objects"
        return ColumnUse(name, "identifier", why + keeps * (layout.kind in ("rows", "vectors")))
    if not reasons.options.columns and (why := reasons.facts[name].identifies or ""):
        others = f"; {shown(layout.identifier)} names the objects"
        return ColumnUse(name, "identifier", why + others * bool(layout.identifier))
    return ColumnUse(name, "ignored", _why_ignored(name, layout, reasons))


def _why_target(name: str, layout: Layout, reasons: Reasons) -> str:
    if not layout.labels:
        return "labels, which are not asked for"
    if reasons.from_elsewhere:
        return "the file of labels"
    return f"named with {setting('target')}" if reasons.options.target == name else "by its name"


def _feature(name: str, layout: Layout, reasons: Reasons) -> ColumnUse:
    """The use of a column of the objects."""
    kind, facts = layout.kind, reasons.facts[name]
    so_far = "" if reasons.ended else " in the first rows"
    if kind == "distances":
        return ColumnUse(name, "number", "distances to all objects")
    if kind not in ("vectors", "rows") or layout.in_lists:
        joined = ", joined with the other texts" if len(layout.columns) > 1 else ""
        return ColumnUse(
            name,
            _USE_OF_KIND.get(kind, "object"),
            f"the objects{joined}" if kind in _USE_OF_KIND else f"the objects: {kind}",
        )
    constant = f"the same in all rows{so_far}" if facts.is_constant else ""
    if layout.types[name] == "number":
        writing = layout.writings.get(name)
        different = (
            ""
            if facts.repeats or facts.n_rows < ENOUGH_ROWS or not facts.is_whole()
            else "whole, another in each row: if that names the rows, leave it out by naming the others, "
            f"{setting('column', shown='...')}"
        )
        why = (
            writing.why if writing else "dates, as days since 1970-01-01" if facts.is_date else "",
            constant or different,
        )
        return ColumnUse(name, "date" if facts.is_date else "number", "; ".join(filter(None, why)))
    truth = (
        "truth values" if facts.is_truth else "codes with zeros in front" if facts.is_code else ""
    )
    values = (
        ""
        if facts.is_truth or constant
        else f"{counted(facts.n_distinct, 'value')}{so_far}"
        if facts.filled
        else f"empty{so_far}"
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
        return "empty" if reasons.ended else "empty in the first rows"
    if not name:
        return "without a name"
    if layout.kind in ("rows", "vectors") and facts.type == "text" and not options.kind:
        what = "free text" if facts.is_free_text else "texts that differ from row to row"
        return (
            f"{what}; {setting('keep', name)} compares them as categories, "
            f"{setting('column', name)} makes them the objects"
        )
    if layout.kind == "strings" and not facts.could_be_labels:
        return (
            f"the objects are the texts in {objects}; {setting('kind', 'rows')} takes all columns"
        )
    if reasons.found.revealed:
        return f"the objects are in {objects}; {setting('kind', 'rows')} takes all columns"
    if reasons.from_elsewhere and name not in reasons.choice.columns and not facts.could_be_labels:
        return "the labels come from another file"
    if options.kind is not None:
        return f"{setting('kind', options.kind)} is in {objects}"
    return (
        f"few values, as labels have: {setting('target', shown=shown(name))} makes them labels; "
        f"the objects are in {objects}"
    )


# ---- The decision


@dataclass(frozen=True)
class _Found:
    """The columns of a file by their purpose, before the objects are chosen."""

    names: list[str]
    revealed: ObjectChoice | None  # the objects, by the format or by the names of columns
    target: str | None
    remaining: tuple[str, ...]  # may describe the objects, or be them


def decide_layout(first: FirstRows) -> Layout:
    r"""Decide on the first rows of a file where objects and labels are, by the rules of
    `wideberth.read`.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(["word,label\n", "tea,en\n"], "drinks.csv")
    >>> layout = decide_layout(
    ...     FirstRows(list(table.rows), table, ReadOptions(), "drinks.csv", complete=True)
    ... )
    >>> layout.column, layout.target, layout.kind
    ('word', 'label', 'strings')
    """
    rows, table, options, path, *_ = first
    found = _find_purposes(first)
    facts = {
        name: column_facts(
            first.telling(name), name, table.cells, table.types.get(name), options.missing_words
        )
        for name in found.names
        if name != table.labels
    }
    found = _without_target_of_matrix(first, facts, found)
    if found.target is not None:
        facts.pop(found.target, None)
    writings = settle_writings(facts, options.number_formats, path)
    types = _column_types(first, facts, found)
    choice = _choose(first, types, facts, found)
    columns = choice.columns
    if choice.kind == "rows" and options.numbers is None:
        types |= dict.fromkeys(_truths(rows), "text")
        types |= {name: "text" for name in columns if types[name] != "number"}
    used = [name for name in (*columns, options.weight) if name and types[name] == "number"]
    layout = Layout(
        columns,
        found.target,
        choice.kind,
        types,
        all_columns=not options.columns,
        labels=options.labels,
        numbers_given=options.numbers is not None,
        identifier=choice.identifier,
        weight=options.weight,
        groups=options.groups,
        writings={name: writings.of(name, path) for name in used if writings.is_special(name)},
        truths=frozenset(n for n in columns if types[n] == "text" and facts[n].is_truth),
        empty=choice.empty,
        missing={name: facts[name].missing for name in (*columns, *choice.empty)},
    )
    _check_readable(layout, table.unreadable, path)
    reasons = Reasons(facts, options, found, choice, table.labels is not None, first.ended)
    uses = (_use(name, layout, reasons) for name in found.names)
    return replace(layout, uses=tuple(use.because(Text(use.why)) for use in uses))


def _find_purposes(first: FirstRows) -> _Found:
    """Find the column of the labels, those of the objects where the format or their names tell
    them, and what remains.
    """
    rows, table, options, path, *_ = first
    names = list(dict.fromkeys(name for row in chain(rows, first.later) for name in row.cells))
    own = [name for name in names if name != table.labels]
    value = value_in_header(rows, own, table)
    for name in options.names:
        check_exists(name, own, path, hint=header_hint(own, table, value))
    if value is not None and options.labels:
        warn_user(header_warning(value, path), UserWarning)
    revealed = _columns_of_format(table, options) or _columns_by_name(first, own)
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
            "Add a column with the objects, or name another target.",
            value=target,
        )
    return _Found(names, revealed, target, remaining)


def _without_target_of_matrix(
    first: FirstRows, facts: dict[str, ColumnFacts], found: _Found
) -> _Found:
    """The purposes without a target if the column that is called so is one of a distance matrix,
    whose objects are x, y, z.
    """
    target = found.target
    settled = found.revealed or first.options.names or first.table.labels
    if settled or target is None or facts[target].type != "number":
        return found
    types = {name: fact.type for name, fact in facts.items()}
    if find_distances(Candidates(first, facts, types, None)) is None:
        return found
    return replace(found, target=None, remaining=tuple(found.names))


def _columns_of_format(table: RawTable, options: ReadOptions) -> ObjectChoice | None:
    """The column of the objects that the format defines, unless the caller wants other columns,
    rows, or this one as target.
    """
    if table.column is None or table.kind is None or options.kind == "rows":
        return None
    if options.target == table.column or options.columns not in ((), (table.column,)):
        return None
    return ObjectChoice((table.column,), table.kind)


def _columns_by_name(first: FirstRows, names: list[str]) -> ObjectChoice | None:
    """The columns of the objects that names reveal, where neither the format nor the caller
    contradicts.
    """
    options = first.options
    if first.table.column is not None:
        return None
    found = recognise(
        first, options.columns or [name for name in names if name not in options.names]
    )
    other = found and options.columns and set(found.columns) != set(options.columns)
    return None if other else found


def _column_types(
    first: FirstRows, facts: dict[str, ColumnFacts], found: _Found
) -> dict[str, CellType]:
    """The type of each column: as the caller named it, else that of most of its cells."""
    options = first.options
    types = {name: fact.type for name, fact in facts.items()}
    types |= dict.fromkeys(options.number_formats, "number")
    if found.revealed:
        in_lists = found.revealed.kind in ("series", "distances")
        types |= dict.fromkeys(found.revealed.columns, "series" if in_lists else "text")
    if options.numbers is not None:
        types |= {name: "number" if name in options.numbers else "text" for name in found.remaining}
    if len(found.remaining) > 1:
        types |= {name: "text" for name in _truths(first.rows) if types.get(name) == "other"}
    return types


def _truths(rows: Sequence[Row]) -> set[str]:
    """The columns that hold truth values: categories, even where a format counts them among the
    numbers.
    """
    return {name for row in rows for name, cell in row.cells.items() if isinstance(cell, bool)}


def _choose(
    first: FirstRows, types: dict[str, CellType], facts: dict[str, ColumnFacts], found: _Found
) -> ObjectChoice:
    """The columns of the objects, the kind of these, and the column of their names."""
    options, defined = first.options, first.table.identifier
    for name in (*(options.numbers or ()), *options.number_formats):
        check_exists(name, found.remaining if options.numbers else list(facts), first.path)
    others = [name for name in facts if name not in found.remaining and name not in options.names]
    named = next((name for name in others if facts[name].identifies), None)
    if defined is not None and defined in others:
        named = defined
    if named is None:
        named = next((name for name in others if facts[name].names_rows), None)
    if found.revealed:
        return ObjectChoice(found.revealed.columns, options.kind or found.revealed.kind, named)
    remaining = {name: facts[name] for name in found.remaining}
    choice = choose_columns(Candidates(first, remaining, types, found.target))
    return choice if choice.identifier is not None else replace(choice, identifier=named)


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
                "Write it as text or as numbers, or name what to read instead with "
                f"{setting(option, shown='...')}",
                value=unreadable[name],
            )

"""Choose the columns of the objects by what their cells are: several usable columns are a table,
one column is the objects.

**Recognise molecules, sequences, graphs and trees in a table by the names of its columns and the
contents of their cells.**

A name alone is not enough: a table may count the nodes and edges of networks, or the children of
families. Unless the caller names the kind, more than half of the filled cells must have the right
form.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wideberth.errors import InvalidFile
from wideberth.io.readers.columns.column_facts import ColumnFacts
from wideberth.io.readers.formats.delimited import are_distances
from wideberth.io.readers.formats.json_lines import CHILDREN, EDGE_FIELDS, NODE_LABEL, NODES
from wideberth.io.readers.options import ReadOptions
from wideberth.io.readers.records import (
    CellReader,
    CellType,
    Kind,
    Row,
    fault,
    is_empty,
    listed,
    majority_type,
)
from wideberth.wording import python, setting

#: What a column of sequences is called, and what its cells are: letters, stops and gaps, and at
#: least two of them.
SEQUENCE_NAMES = ("sequence", "sequences", "seq")
LETTERS = re.compile(r"[A-Za-z*.?~-]{2,}")


class ObjectColumns(NamedTuple):
    """The columns that hold the objects, and the kind of these.

    Attributes
    ----------
    columns : tuple of str
        Several for graphs (nodes and edges), and for trees whose root is the record itself.
    kind : str
        The kind of the objects.
    """

    columns: tuple[str, ...]
    kind: Kind


class FirstRows(NamedTuple):
    r"""The first rows of a file, with what is known about them.

    Attributes
    ----------
    rows : sequence of Row
        The rows.
    names : sequence of str
        The columns that may hold objects.
    cells : CellReader
        How their cells are read.
    kind : str or None
        The kind of the objects, if the caller named it.
    target : str or None
        The column of the labels, if the caller named it.
    path : str
        The file, for messages.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(["tree,label\n", "oak,wood\n"], "plants.csv")
    >>> FirstRows(
    ...     list(table.rows), ["tree"], table.cells, None, "label", "plants.csv"
    ... ).mostly_structured("tree")
    False
    """

    rows: Sequence[Row]
    names: Sequence[str]  # of the columns that may hold objects
    cells: CellReader
    kind: Kind | None  # as the caller named it
    target: str | None
    path: str

    def mostly(self, name: str, fits: Callable[[Any], bool]) -> bool:
        """Test whether more than half of the filled cells of a column have a property.

        Parameters
        ----------
        name : str
            The column.
        fits : callable
            Takes a cell and returns a truth value.
        """
        answers = [fits(row.cells[name]) for row in self.rows if not is_empty(row.cells.get(name))]
        return 2 * sum(answers) > len(answers)

    def mostly_structured(self, *names: str) -> bool:
        """Whether columns mostly hold JSON lists or objects, or the caller named their kind."""
        return self.kind is not None or all(
            self.mostly(name, lambda cell: self.cells.structure(cell) is not None) for name in names
        )


def recognise(first: FirstRows) -> ObjectColumns | None:
    r"""Find the columns of molecules, graphs or trees, if the caller named that kind or none.

    Parameters
    ----------
    first : FirstRows
        The first rows of a file.

    Returns
    -------
    ObjectColumns or None
        None if no names of columns reveal such objects.

    Raises
    ------
    InvalidFile
        If graphs have both edges and neighbors, or if the labels of trees are also named as the
        target.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(["SMILES,label\n", "CCO,soluble\n"], "drugs.csv")
    >>> recognise(FirstRows(list(table.rows), ["SMILES"], table.cells, None, "label", "drugs.csv"))
    ObjectColumns(columns=('SMILES',), kind='molecules')
    """
    for kind, find_columns in _RECOGNISERS.items():
        if first.kind in (None, kind):
            found = find_columns(first)
            if found is not None:
                return ObjectColumns(found, kind)
    return None


def _molecules(first: FirstRows) -> tuple[str, ...] | None:
    """The column called smiles, in any case, if its cells are text."""
    found = [name for name in first.names if name.lower() == "smiles"]
    if len(found) > 1:
        advice = f"Name one, for example {setting('column', found[0])}."
        raise fault(
            first.path,
            f"{len(found)} columns could hold the objects: {listed(found)}.",
            value=found,
            advice=advice,
        )
    if len(found) == 1 and (
        first.kind is not None or majority_type(first.rows, found[0], first.cells) == "text"
    ):
        return (found[0],)
    return None


def _sequences(first: FirstRows) -> tuple[str, ...] | None:
    """The column called sequence, in any case, if most of its cells are letters without spaces."""
    found = [name for name in first.names if name.lower() in SEQUENCE_NAMES]
    if (
        len(found) != 1 or first.kind is not None
    ):  # a kind that was named finds its column by itself
        return None
    return (
        (found[0],)
        if first.mostly(
            found[0], lambda cell: isinstance(cell, str) and bool(LETTERS.fullmatch(cell))
        )
        else None
    )


def _graphs(first: FirstRows) -> tuple[str, ...] | None:
    """The columns of nodes and of edges or neighbors."""
    edge_fields = [name for name in EDGE_FIELDS if name in first.names]
    if (
        NODES not in first.names
        or not edge_fields
        or not first.mostly_structured(NODES, *edge_fields)
    ):
        return None
    if len(edge_fields) > 1:
        raise fault(
            first.path,
            "'edges' and 'neighbors' could both give the edges.",
            value=edge_fields,
            advice=f"Name one: {setting('column', ['nodes', 'edges'])}.",
        )
    return (NODES, edge_fields[0])


def _trees(first: FirstRows) -> tuple[str, ...] | None:
    """The column called tree, or the fields of records that are trees themselves."""
    if "tree" in first.names and (
        first.kind is not None
        or first.mostly("tree", lambda cell: _is_node(first.cells.structure(cell)))
    ):
        return ("tree",)
    if CHILDREN not in first.names or not (first.kind is not None or _are_nodes(first)):
        return None
    if first.target == NODE_LABEL:
        raise fault(
            first.path,
            f"the records are trees themselves, and {NODE_LABEL!r} is the label of their roots, "
            "not of a class.",
            value=NODE_LABEL,
            advice='Put the class into a field of another name, such as "class", or the tree: {"tree": ..., "label": ...}.',
        )
    return (NODE_LABEL, CHILDREN) if NODE_LABEL in first.names else None


def _are_nodes(first: FirstRows) -> bool:
    """Whether children mostly are nodes themselves; some may be empty lists, but not all."""
    children = [
        child
        for row in first.rows
        for child in (first.cells.structure(row.cells.get(CHILDREN)) or ())
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
_RECOGNISERS: dict[Kind, Callable[[FirstRows], tuple[str, ...] | None]] = {
    "molecules": _molecules,
    "strings": _sequences,
    "graphs": _graphs,
    "trees": _trees,
}


#: What objects of one column are, by what most of its cells are.
KIND_OF_TYPE: dict[CellType, Kind] = {
    "number": "vectors",
    "series": "series",
    "text": "strings",
    "other": "objects",
}


class ObjectChoice(NamedTuple):
    """The columns of the objects.

    Attributes
    ----------
    columns : tuple of str
        The columns.
    kind : str
        What the objects are.
    identifier : str or None
        The column of the names of the objects.
    empty : tuple of str
        Columns that were left out because they are empty.
    """

    columns: tuple[str, ...]
    kind: Kind
    identifier: str | None = None
    empty: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidates:
    """The columns that may hold the objects or describe them, with all that is known about them.

    Attributes
    ----------
    rows : sequence of Row
        The first rows.
    facts : dict
        The facts about each candidate.
    types : dict
        The type as which each column is read.
    options : ReadOptions
        What the caller named.
    target : str or None
        The column of the labels.
    path : str
        The file, for messages.
    complete : bool
        Whether ``rows`` are all rows of the file.
    """

    rows: Sequence[Row]
    facts: dict[str, ColumnFacts]
    types: dict[str, CellType]
    options: ReadOptions
    target: str | None
    path: str
    complete: bool

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


def choose_columns(candidates: Candidates) -> ObjectChoice:
    """Choose the columns of the objects among all that are not labels, weights or groups.

    Parameters
    ----------
    candidates : Candidates
        The columns and what is known about them.

    Returns
    -------
    ObjectChoice

    Raises
    ------
    InvalidFile
        If it is open which columns hold the objects; the advice names the choices.
    """
    kind, named = candidates.options.kind, candidates.options.columns
    everything = tuple(candidates.facts)
    if kind in (None, "distances") and not named and (matrix := find_distances(candidates)):
        return matrix
    if kind == "objects":
        return ObjectChoice(everything, kind)
    identifiers = (
        []
        if named or kind == "distances"
        else [name for name in everything if candidates.facts[name].identifies]
    )
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
    _check_names(usable, candidates.path)
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
        raise fault(path, f"column {columns.index('') + 1} has no name.", value="", advice=advice)


def _of_kind(candidates: Candidates, usable: tuple[str, ...], kind: Kind) -> tuple[str, ...]:
    """The columns of objects of a kind that the caller named: the only one that is not numbers, or
    numbers as a series.
    """
    others = tuple(name for name in usable if candidates.types[name] != "number")
    if len(usable) == 1 or (not others and kind == "series"):
        return usable
    if len(others) == 1:
        return others
    raise _open_choice(candidates, others or usable)


def _of_any_kind(candidates: Candidates, usable: tuple[str, ...]) -> ObjectChoice:
    """The objects where the caller left their kind open."""
    if len(usable) == 1:
        return ObjectChoice(usable, KIND_OF_TYPE[candidates.types[usable[0]]])
    if candidates.options.columns and all(
        candidates.types[name] in ("number", "text") for name in usable
    ):
        return ObjectChoice(usable, "vectors" if candidates.are_numbers(usable) else "rows")
    title = _title(candidates, usable)
    features = tuple(name for name in usable if name != title)
    if len(features) == 1:
        return ObjectChoice(features, KIND_OF_TYPE[candidates.types[features[0]]], title)
    objects = tuple(name for name in features if candidates.is_object(name))
    if not objects:
        return ObjectChoice(
            features, "vectors" if candidates.are_numbers(features) else "rows", title
        )
    rest = [name for name in features if name not in objects]
    labels_left = candidates.target is None and all(
        candidates.facts[name].could_be_labels for name in rest
    )
    if len(objects) == 1 and labels_left:
        return ObjectChoice(objects, KIND_OF_TYPE[candidates.types[objects[0]]], title)
    raise _open_choice(candidates, features)


def _title(candidates: Candidates, usable: tuple[str, ...]) -> str | None:
    """The column called a name whose texts name the rows; an error if they may as well be the
    objects.
    """
    titles = [name for name in usable if candidates.facts[name].names_rows]
    if len(titles) != 1:
        return None
    others = [name for name in usable if name != titles[0]]
    if len(others) == 1 and not candidates.is_object(others[0]):
        raise _open_choice(candidates, usable)
    return titles[0]


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
        candidates.path,
        f"{len(found)} columns could hold the objects: {listed(found)}. "
        f"{_reason(candidates, objects[0])}",
        value=found,
        advice=f"Name the column of the objects, {setting('column', objects[0])}, or those that "
        f"describe them, {setting('column', described)}{more}; or take whole rows: "
        f"{setting('kind', 'rows')} to compare them by columns, {setting('kind', 'objects')} as "
        "they are.",
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
    facts, declared = candidates.facts, candidates.options.kind == "distances"
    numbers = tuple(name for name, fact in facts.items() if fact.type == "number")
    texts = [name for name in facts if name not in numbers and facts[name].filled]
    if len(texts) > 1 or not numbers:
        return None
    if _is_matrix(candidates, numbers, declared):
        return ObjectChoice(numbers, "distances", texts[0] if texts else None)
    named = (
        declared and facts[numbers[0]].identifies is not None
    )  # only its name tells it from a column of distances
    if not texts and not facts[numbers[0]].repeats and _is_matrix(candidates, numbers[1:], named):
        return ObjectChoice(numbers[1:], "distances", numbers[0])
    return None


def _is_matrix(candidates: Candidates, columns: tuple[str, ...], declared: bool) -> bool:
    """Whether columns are as many as the rows, and, unless it was declared, the first rows are
    those of a distance matrix.
    """
    n_rows = len(candidates.rows)
    if n_rows > len(columns) or (candidates.complete and n_rows != len(columns)):
        return False
    if declared:
        return candidates.complete
    values = [candidates.facts[name].plain_numbers() for name in columns[:n_rows]]
    if any(numbers is None or len(numbers) != n_rows for numbers in values):
        return False
    return are_distances(np.array(values, dtype=np.float64))

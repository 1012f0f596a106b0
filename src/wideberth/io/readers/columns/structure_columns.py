"""Recognise molecules, sequences, graphs and trees in a table by the names of its columns and the contents of their cells.

A name alone is not enough: a table may count the nodes and edges of networks, or the children of families. Unless the caller
names the kind, more than half of the filled cells must have the right form.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from wideberth.io.readers.faults import fault, listed
from wideberth.io.readers.formats.json_lines import CHILDREN, EDGE_FIELDS, NODE_LABEL, NODES
from wideberth.io.readers.records import Kind
from wideberth.io.readers.tables import CellReader, Row, is_empty, majority_type
from wideberth.wording import setting

#: What a column of sequences is called, and what its cells are: letters, stops and gaps, and at least two of them.
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
    >>> FirstRows(list(table.rows), ["tree"], table.cells, None, "label", "plants.csv").mostly_structured("tree")
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
        If graphs have both edges and neighbors, or if the labels of trees are also named as the target.

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
        raise fault(first.path, f"{len(found)} columns could hold the objects: {listed(found)}.", value=found, advice=advice)
    if len(found) == 1 and (first.kind is not None or majority_type(first.rows, found[0], first.cells) == "text"):
        return (found[0],)
    return None


def _sequences(first: FirstRows) -> tuple[str, ...] | None:
    """The column called sequence, in any case, if most of its cells are letters without spaces."""
    found = [name for name in first.names if name.lower() in SEQUENCE_NAMES]
    if len(found) != 1 or first.kind is not None:  # a kind that was named finds its column by itself
        return None
    return (found[0],) if first.mostly(found[0], lambda cell: isinstance(cell, str) and bool(LETTERS.fullmatch(cell))) else None


def _graphs(first: FirstRows) -> tuple[str, ...] | None:
    """The columns of nodes and of edges or neighbors."""
    edge_fields = [name for name in EDGE_FIELDS if name in first.names]
    if NODES not in first.names or not edge_fields or not first.mostly_structured(NODES, *edge_fields):
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
        first.kind is not None or first.mostly("tree", lambda cell: _is_node(first.cells.structure(cell)))
    ):
        return ("tree",)
    if CHILDREN not in first.names or not (first.kind is not None or _are_nodes(first)):
        return None
    if first.target == NODE_LABEL:
        raise fault(
            first.path,
            f"the records are trees themselves, and {NODE_LABEL!r} is the label of their roots, not of a class.",
            value=NODE_LABEL,
            advice='Put the class into a field of another name, such as "class", or the tree: {"tree": ..., "label": ...}.',
        )
    return (NODE_LABEL, CHILDREN) if NODE_LABEL in first.names else None


def _are_nodes(first: FirstRows) -> bool:
    """Whether children mostly are nodes themselves; some may be empty lists, but not all."""
    children = [child for row in first.rows for child in (first.cells.structure(row.cells.get(CHILDREN)) or ())]
    n_nodes = sum(isinstance(child, dict) and _is_node(child) for child in children)
    return first.mostly_structured(CHILDREN) and 2 * n_nodes > len(children)


def _is_node(value: Any) -> bool:
    """Whether a value of JSON has the form of a node: a dict with a label, or a list of a label and the list of children."""
    if isinstance(value, dict):
        return NODE_LABEL in value
    return isinstance(value, list) and len(value) == 2 and isinstance(value[1], list) and not isinstance(value[0], list)


#: The functions that find the columns of the kinds which names of columns reveal.
_RECOGNISERS: dict[Kind, Callable[[FirstRows], tuple[str, ...] | None]] = {
    "molecules": _molecules,
    "strings": _sequences,
    "graphs": _graphs,
    "trees": _trees,
}

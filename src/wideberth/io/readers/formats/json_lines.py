"""Read JSON lines: one JSON value on each line, either an object with fields or the value to
classify, such as a tree.
"""

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidFile
from wideberth.io import strict_json
from wideberth.io.readers.records import (
    Cell,
    CellReader,
    RawTable,
    Row,
    Rows,
    counted,
    fault,
    numeric_array,
)
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown

#: The column of the values of lines that are not JSON objects.
BARE_FIELD = "value"
#: The fields of graphs, which have nodes and one of the fields of edges, and of the nodes of trees.
NODES, EDGE_FIELDS = "nodes", ("edges", "neighbors")
NODE_LABEL, CHILDREN = "label", "children"
TREE_ADVICE = (
    'Write a node as ["name", [child, ...]] or as {"label": "name", "children": [child, ...]}.'
)
GRAPH_ADVICE = 'Write a graph as "nodes": [label, ...] with "edges": [[0, 1], ...] or "neighbors": [[1], [0], ...].'


def json_table(lines: Iterable[str], path: str) -> RawTable:
    """Read JSON lines as a table whose columns are the fields.

    Examples
    --------
    >>> next(json_table(['{"word": "tea", "label": "en"}'], "drinks.jsonl").rows).cells["label"]
    'en'
    """
    return RawTable(json_rows(lines, path), JSON_CELLS, names_in_rows=True)


def json_rows(lines: Iterable[str], path: str) -> Rows:
    """Yield the records of JSON lines; a value that is not a JSON object becomes a record with the
    only field ``"value"``.

    Blank lines are skipped. Records need not have the same fields.

    Examples
    --------
    >>> list(json_rows(['{"word": "tea", "label": "en"}'], "drinks.jsonl"))
    [Row(line=1, cells={'word': 'tea', 'label': 'en'})]
    >>> list(json_rows(['"tea"'], "drinks.jsonl"))
    [Row(line=1, cells={'value': 'tea'})]
    """
    bare: bool | None = None
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            value = _parse_line(text.strip("\r\n"), path, line)
        except InvalidFile as error:
            yield error
            continue
        bare = not isinstance(value, dict) if bare is None else bare
        if isinstance(value, dict) is bare:
            yield _mixed_lines_error(path, line, value, bare)
            continue
        yield Row(line, {BARE_FIELD: value} if bare else value)
    if bare is None:
        raise fault(
            path,
            "no line holds a value.",
            'Write one JSON value a line, such as {"word": "tea", "label": "en"}.',
            value="",
        )


def _parse_line(text: str, path: str, line: int) -> Any:
    """The value on one line; the error shows where the JSON is wrong."""
    try:
        return strict_json.parse_data(text)
    except ValueError as broken:
        reason, position = str(broken), 0
        if isinstance(broken, json.JSONDecodeError):
            reason, position = f"column {broken.pos + 1}: {broken.msg}", max(0, broken.pos - 10)
        raise fault(
            path,
            f"not JSON ({reason}) in {shown(text[position:])}.",
            "Each line must be one whole JSON value; numbers must be finite.",
            line=line,
            value=text,
        ) from None


def _mixed_lines_error(path: str, line: int, value: Any, bare: bool) -> InvalidFile:
    """The error for a line that is an object with fields although the lines above are not
    (``bare``), or the reverse.
    """
    problem = (
        "has fields, while the lines above are bare values"
        if bare
        else "has no fields, while the lines above have some"
    )
    advice = "Write all lines as records with fields, or none."
    return fault(path, f"{shown(value)} {problem}.", advice, line=line, value=value)


def _number(cell: Cell) -> float | None:
    # a truth value is an int in Python, but not a number in JSON
    if type(cell) not in (int, float):
        return None
    try:
        return float(cell) if math.isfinite(cell) else None
    except OverflowError:
        return None


def _series(cell: Cell) -> Floats | None:
    return numeric_array(cell) if isinstance(cell, list) else None


def _with_gaps(cell: Cell) -> Floats | None:
    """The numbers of a list, NaN where it has null."""
    if not isinstance(cell, list):
        return None
    gaps = [value is None or (type(value) is float and math.isnan(value)) for value in cell]
    numbers = numeric_array(
        [0.0 if is_gap else value for value, is_gap in zip(cell, gaps, strict=True)]
    )
    return None if numbers is None or numbers.ndim > 1 else np.where(gaps, np.nan, numbers)


def _text(cell: Cell) -> str | None:
    return cell if isinstance(cell, str) and cell else None


def _members(cell: Cell) -> frozenset[Any] | None:
    plain = isinstance(cell, list) and all(isinstance(member, str | int | float) for member in cell)
    return frozenset(cell) if plain else None


def _structure(cell: Cell) -> list[Any] | dict[str, Any] | None:
    return cell if isinstance(cell, list | dict) else None


def _label(cell: Cell) -> Any:
    if isinstance(cell, bool):
        return cell
    return cell if _number(cell) is not None or (isinstance(cell, str) and cell.strip()) else None


#: Cells that are JSON values.
JSON_CELLS = CellReader(
    number=_number,
    series=_series,
    text=_text,
    members=_members,
    structure=_structure,
    label=_label,
    fallback_kind="objects",
    has_numbers=True,
    gapped=_with_gaps,
)


def as_tree(value: Any) -> list[Any]:
    """Convert a tree to nested lists ``[label, children]``.

    Examples
    --------
    >>> as_tree({"label": "A", "children": [{"label": "B"}, ["C", []]]})
    ['A', [['B', []], ['C', []]]]
    """
    root: list[Any] = []
    pending = [(value, root)]
    while pending:  # no recursion: a tree may be deeper than Python's stack
        node, place = pending.pop()
        label, children = _label_and_children(node)
        built: list[Any] = [None] * len(children)
        place[:] = [label, built]
        for position, child in enumerate(children):
            built[position] = []
            pending.append((child, built[position]))
    return root


def _label_and_children(node: Any) -> tuple[Any, list[Any]]:
    """The label and the list of children of one node, in either form."""
    if isinstance(node, dict) and NODE_LABEL in node and node.keys() <= {NODE_LABEL, CHILDREN}:
        node = [node[NODE_LABEL], node.get(CHILDREN) or []]
    if not isinstance(node, list) or len(node) != 2 or not isinstance(node[1], list):
        raise ValueError(f"{shown(node)} is not a node of a tree")
    if isinstance(node[0], list | dict):
        raise ValueError(f"{shown(node[0])} is not the label of a node")
    return node[0], node[1]


def as_graph(value: Any) -> dict[str, Any]:
    """Convert a graph to a dict of ``nodes`` and either ``edges`` or ``neighbors``.

    Examples
    --------
    >>> as_graph({"nodes": ["C", "O"], "edges": [[0, 1]], "name": "carbon monoxide"})
    {'nodes': ['C', 'O'], 'edges': [[0, 1]]}
    """
    edge_fields = [name for name in EDGE_FIELDS if isinstance(value, dict) and name in value]
    if len(edge_fields) != 1 or not isinstance(value.get(NODES), list):
        raise ValueError(f"{shown(value)} is not a graph")
    nodes, pairs = value[NODES], value[edge_fields[0]]
    if not isinstance(pairs, list):
        raise ValueError(f"{shown(pairs)} is not a list of {edge_fields[0]}")
    for entry in pairs:
        if not isinstance(entry, list) or (edge_fields[0] == "edges" and len(entry) != 2):
            raise ValueError(
                f"{shown(entry)} is not "
                f"{'an edge' if edge_fields[0] == 'edges' else 'a list of neighbors'}"
            )
    if edge_fields[0] == "neighbors" and len(pairs) != len(nodes):
        raise ValueError(
            f"{counted(len(pairs), 'list')} of neighbors for {counted(len(nodes), 'node')}"
        )
    return {NODES: nodes, edge_fields[0]: pairs}


JSON_LINES = Format(
    name="a file of JSON lines",
    endings=(".jsonl", ".ndjson"),
    of_lines=json_table,
    begins=(b"{", b"["),
    example=b'{"word": "tea", "label": "en"}\n{"word": "lait", "label": "fr"}\n',
)

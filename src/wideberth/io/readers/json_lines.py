"""JSON lines: one JSON value a line, an object with fields or the bare thing to classify, such as a tree or a graph."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from wideberth.arrays import Floats
from wideberth.errors import InvalidFile
from wideberth.io import strict_json
from wideberth.io.readers.faults import counted, fault, shown
from wideberth.io.readers.records import CellReader, RawTable, Row, numeric_array

#: The field of a line that is no object with fields.
BARE = "value"
#: The fields of graphs, which have one of those that join nodes, and of the nodes of trees.
NODES, JOINED = "nodes", ("edges", "neighbors")
ROOT, CHILDREN = "label", "children"

TREE_ADVICE = 'Write a node as ["name", [child, ...]] or as {"label": "name", "children": [child, ...]}.'
GRAPH_ADVICE = 'Write a graph as "nodes": [label, ...] with "edges": [[0, 1], ...] or "neighbors": [[1], [0], ...].'


def json_table(lines: Iterable[str], path: str) -> RawTable:
    """JSON lines as a table whose columns are the fields.

    >>> next(json_table(['{"word": "tea", "label": "en"}'], "drinks.jsonl").rows).cells["label"]
    'en'
    """
    return RawTable(json_rows(lines, path), JSON_CELLS)


def json_rows(lines: Iterable[str], path: str) -> Iterator[Row]:
    """The records of JSON lines; a bare value is a record with the one field ``"value"``. Blank lines are skipped.

    >>> list(json_rows(['{"word": "tea", "label": "en"}'], "drinks.jsonl"))
    [Row(line=1, cells={'word': 'tea', 'label': 'en'})]
    >>> list(json_rows(['"tea"'], "drinks.jsonl"))
    [Row(line=1, cells={'value': 'tea'})]
    """
    bare: bool | None = None
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        value = _parse_line(text.strip("\r\n"), path, line)
        bare = not isinstance(value, dict) if bare is None else bare
        if isinstance(value, dict) is bare:
            raise _mixed(path, line, value, bare)
        yield Row(line, {BARE: value} if bare else value)
    if bare is None:
        raise fault(
            path,
            "no line holds a value.",
            value="",
            advice='Write one JSON value a line, such as {"word": "tea", "label": "en"}.',
        )


def _parse_line(text: str, path: str, line: int) -> Any:
    try:
        return strict_json.parse(text)
    except ValueError as broken:
        reason, position = str(broken), 0
        if isinstance(broken, json.JSONDecodeError):
            reason, position = f"column {broken.pos + 1}: {broken.msg}", max(0, broken.pos - 10)
        raise fault(
            path,
            f"not JSON ({reason}) in {shown(text[position:])}.",
            line=line,
            value=text,
            advice="Each line must be one whole JSON value; numbers must be finite.",
        ) from None


def _mixed(path: str, line: int, value: Any, bare: bool) -> InvalidFile:
    problem = "has fields, while the lines above are bare values" if bare else "has no fields, while the lines above have"
    advice = "Write all lines as records with fields, or none."
    return fault(path, f"{shown(value)} {problem}.", line=line, value=value, advice=advice)


def _number(cell: Any) -> float | None:
    if type(cell) not in (int, float):  # a bool is an int in Python, not in JSON
        return None
    try:
        return float(cell) if math.isfinite(cell) else None
    except OverflowError:
        return None


def _series(cell: Any) -> Floats | None:
    return numeric_array(cell) if isinstance(cell, list) else None


def _text(cell: Any) -> str | None:
    return cell if isinstance(cell, str) and cell else None


def _members(cell: Any) -> frozenset[Any] | None:
    plain = isinstance(cell, list) and all(isinstance(member, str | int | float) for member in cell)
    return frozenset(cell) if plain else None


def _structure(cell: Any) -> list[Any] | dict[str, Any] | None:
    return cell if isinstance(cell, list | dict) else None


def _label(cell: Any) -> Any:
    if isinstance(cell, bool):
        return cell
    return cell if _number(cell) is not None or (isinstance(cell, str) and cell.strip()) else None


#: Cells that are JSON values.
JSON_CELLS = CellReader(
    number=_number, series=_series, text=_text, members=_members, structure=_structure, label=_label, widest="objects"
)


def tree(value: Any) -> list[Any]:
    """A tree as nested lists ``[label, children]``; a `ValueError` that shows the first node that is none.

    Nodes may be such lists already, or dicts with the fields ``label`` and ``children``, which a leaf may lack.

    >>> tree({"label": "A", "children": [{"label": "B"}, ["C", []]]})
    ['A', [['B', []], ['C', []]]]
    """
    whole: list[Any] = []
    waiting = [(value, whole)]
    while waiting:  # no recursion: a tree may be deeper than Python's stack
        node, place = waiting.pop()
        label, children = _label_and_children(node)
        built: list[Any] = [None] * len(children)
        place[:] = [label, built]
        for position, child in enumerate(children):
            built[position] = []
            waiting.append((child, built[position]))
    return whole


def _label_and_children(node: Any) -> tuple[Any, list[Any]]:
    if isinstance(node, dict) and ROOT in node and node.keys() <= {ROOT, CHILDREN}:
        node = [node[ROOT], node.get(CHILDREN) or []]
    if not isinstance(node, list) or len(node) != 2 or not isinstance(node[1], list):
        raise ValueError(f"{shown(node)} is not a node of a tree")
    if isinstance(node[0], list | dict):
        raise ValueError(f"{shown(node[0])} is not the label of a node")
    return node[0], node[1]


def graph(value: Any) -> dict[str, Any]:
    """A graph as a dict of ``nodes`` and either ``edges`` or ``neighbors``; a `ValueError` if its parts have other shapes.

    >>> graph({"nodes": ["C", "O"], "edges": [[0, 1]], "name": "carbon monoxide"})
    {'nodes': ['C', 'O'], 'edges': [[0, 1]]}
    """
    joined = [name for name in JOINED if isinstance(value, dict) and name in value]
    if len(joined) != 1 or not isinstance(value.get(NODES), list):
        raise ValueError(f"{shown(value)} is not a graph")
    nodes, pairs = value[NODES], value[joined[0]]
    if not isinstance(pairs, list):
        raise ValueError(f"{shown(pairs)} is not a list of {joined[0]}")
    for each in pairs:
        if not isinstance(each, list) or (joined[0] == "edges" and len(each) != 2):
            raise ValueError(f"{shown(each)} is not {'an edge' if joined[0] == 'edges' else 'a list of neighbors'}")
    if joined[0] == "neighbors" and len(pairs) != len(nodes):
        raise ValueError(f"{counted(len(pairs), 'list')} of neighbors for {counted(len(nodes), 'node')}")
    return {NODES: nodes, joined[0]: pairs}

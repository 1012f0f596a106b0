"""Trees and graphs in JSON: the shapes they may have, brought to the one that metrics read."""

from typing import Any

from wideberth.objects.readers.faults import counted, shown

NODES = "nodes"
JOINED = ("edges", "neighbors")
ROOT, CHILDREN = "label", "children"

TREE_ADVICE = 'Write a node as ["name", [child, ...]] or as {"label": "name", "children": [child, ...]}.'
GRAPH_ADVICE = 'Write a graph as "nodes": [label, ...] with "edges": [[0, 1], ...] or "neighbors": [[1], [0], ...].'


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


def _label_and_children(node: Any) -> tuple[Any, list[Any]]:
    if isinstance(node, dict) and ROOT in node and node.keys() <= {ROOT, CHILDREN}:
        node = [node[ROOT], node.get(CHILDREN) or []]
    if not isinstance(node, list) or len(node) != 2 or not isinstance(node[1], list):
        raise ValueError(f"{shown(node)} is not a node of a tree")
    if isinstance(node[0], list | dict):
        raise ValueError(f"{shown(node[0])} is not the label of a node")
    return node[0], node[1]

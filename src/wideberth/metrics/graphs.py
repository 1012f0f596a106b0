"""Undirected graphs with labelled nodes, many of them in flat arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.metrics.token_keys import token_keys
from wideberth.objects import sample

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Graphs:
    """All nodes of all graphs, one graph after another.

    ``owners``: the graph of each node. ``labels``: the key of its label (`wideberth.metrics.token_keys`). The neighbours of node
    v are ``neighbors[starts[v]:starts[v + 1]]``, each once.
    """

    count: int
    owners: Integers
    labels: Integers
    neighbors: Integers
    starts: Integers


def read_graphs(objects: Any) -> Graphs:
    """Graphs as dictionaries, or as networkx makes them.

    ``{"nodes": [label, ...], "edges": [[i, j], ...]}`` or ``{"nodes": [label, ...], "neighbors": [[j, ...], ...]}``, where i and
    j are positions in the list of labels; other entries do not matter. Labels are texts, numbers, None, or lists of them;
    without "nodes", beside "neighbors", all are None. An edge counts once, however often and in whichever direction it is
    listed, and a node may be its own neighbour. A graph of networkx has its labels in the node attribute "label", None where it
    is missing.

    >>> path = read_graphs([{"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2]]}])
    >>> path.neighbors, path.starts
    (array([1, 0, 2, 1]), array([0, 1, 3, 4]))
    """
    known: dict[Any, int] = {}
    sizes: list[int] = []
    labels: list[int] = []
    edges = [np.empty((0, 2), dtype=np.int64)]
    for position, graph in enumerate(sample.one_by_one(sample.hold(objects))):
        own_labels, own_edges = _networkx(graph, position) if hasattr(graph, "nodes") else _dictionary(graph, position)
        edges.append(own_edges + len(labels))  # nodes are numbered through all graphs
        sizes.append(len(own_labels))
        try:
            labels += token_keys(own_labels, known)
        except TypeError as problem:
            raise _refused(
                position, f"has a label that cannot be known again: {problem}", "Label nodes by texts or numbers."
            ) from None
    starts, neighbors = _adjacency(np.concatenate(edges), len(labels))
    owners = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
    return Graphs(len(sizes), owners, np.array(labels, dtype=np.int64), neighbors, starts)


def _adjacency(edges: Integers, nodes: int) -> tuple[Integers, Integers]:
    """Where the neighbours of each node begin, and the neighbours of all nodes, each once and in order."""
    codes = np.unique(np.concatenate([edges @ [nodes, 1], edges @ [1, nodes]]))
    starts = np.searchsorted(codes, np.arange(nodes + 1) * nodes)
    return starts.astype(np.int64), codes % max(1, nodes)


def _networkx(graph: Any, position: int) -> tuple[list[Any], Integers]:
    """The labels and edges of a graph that speaks like networkx's."""
    if graph.is_directed():
        raise _refused(position, "is directed", "Pass graph.to_undirected().")
    named = list(graph.nodes(data="label"))
    number_of = {name: number for number, (name, _) in enumerate(named)}
    edges = [(number_of[one], number_of[other]) for one, other in graph.edges()]
    return [label for _, label in named], np.array(edges, dtype=np.int64).reshape(-1, 2)


def _dictionary(graph: Any, position: int) -> tuple[list[Any], Integers]:
    """The labels and edges of a dictionary."""
    if isinstance(graph, Mapping) and ("neighbors" in graph or {"nodes", "edges"} <= graph.keys()):
        try:
            if "neighbors" in graph:
                return _from_neighbors(graph.get("nodes"), list(map(list, graph["neighbors"])), position)
            return _from_edges(list(graph["nodes"]), list(map(list, graph["edges"])), position)
        except TypeError as problem:  # something that should be a list is not
            raise _refused(position, f"has something else than lists: {problem}", _FORM) from None
    shown = f"has only the entries {sorted(map(str, graph))}" if isinstance(graph, Mapping) else f"is {sample.shown(graph)}"
    raise _refused(position, f"is no dictionary with 'nodes' and 'edges' or 'neighbors': it {shown}", _FORM)


def _from_edges(labels: list[Any], edges: list[list[Any]], position: int) -> tuple[list[Any], Integers]:
    for each in edges:
        if len(each) != 2:
            problem = f"has the edge {sample.shown(each)}"
            raise _refused(position, problem, "An edge is a pair of nodes, [i, j].", (position, each))
    numbers = _node_numbers(list(chain.from_iterable(edges)), len(labels), position)
    return labels, numbers.reshape(-1, 2)


def _from_neighbors(nodes: Any, lists: list[list[Any]], position: int) -> tuple[list[Any], Integers]:
    labels = [None] * len(lists) if nodes is None else list(nodes)
    if len(labels) != len(lists):
        problem = f"has {len(labels)} nodes, but {len(lists)} lists of neighbours"
        raise _refused(position, problem, "Give each node one, empty if it has none.")
    numbers = _node_numbers(list(chain.from_iterable(lists)), len(labels), position)
    edges = np.column_stack([np.repeat(np.arange(len(lists)), [len(each) for each in lists]), numbers])
    lonely = ~np.isin(edges @ [len(lists), 1], edges @ [1, len(lists)])
    if lonely.any():
        node, neighbor = edges[np.argmax(lonely)].tolist()
        raise _refused(
            position,
            f"is directed: node {node} has the neighbour {neighbor}, but node {neighbor} has not the neighbour {node}",
            "List each edge at both of its ends, or pass 'edges', which go both ways.",
            (position, node, neighbor),
        )
    return labels, edges


def _node_numbers(ends: list[Any], nodes: int, position: int) -> Integers:
    if set(map(type, ends)) <= {int}:
        if not ends or (min(ends) >= 0 and max(ends) < nodes):
            return np.array(ends, dtype=np.int64)
    elif all(isinstance(each, int | np.integer) for each in ends):
        return _node_numbers(list(map(int, ends)), nodes, position)
    wrong = next(each for each in ends if not isinstance(each, int | np.integer) or not 0 <= each < nodes)
    raise _refused(
        position,
        f"has an edge to the node {sample.shown(wrong)}, and {nodes} nodes",
        "Nodes are numbered by their positions, from 0 on: leave the edge out, or add the node.",
        (position, wrong),
    )


_FORM = 'Pass {"nodes": [label, ...], "edges": [[0, 1], ...]}; nodes without labels are [None, None, ...].'


def _refused(position: int, problem: str, advice: str, witness: Any = None) -> InvalidInput:
    witness = position if witness is None else witness
    return InvalidInput(f"Graph {position} {problem}.", advice=advice, witness=witness, value=witness)

"""Compiled steps of minimum vertex covers at all thresholds: a maximum matching of a bipartite graph
that grows edge by edge.

Left and right vertices are both numbered 0..n-1, as in
`wideberth.classifiers.margin_neighbors.kernels`; -1 means none. Alternating paths go from a free
left vertex along any edge to the right, and along the matched edge back. They reach a left vertex
iff it is free or they reach its partner, so that ``parent`` says everything: the left vertex from
which each right vertex was reached.
"""

from typing import NamedTuple

import numpy as np

from wideberth.array_types import Flags
from wideberth.classifiers.margin_neighbors.kernels import Ints, Starts
from wideberth.compilation import compiled


class GrowingGraph(NamedTuple):
    """The edges so far, a maximum matching of them, and what alternating paths reach."""

    is_left: Flags
    starts: Starts  # the neighbours of a left vertex u are neighbors[starts[u] : ends[u]]
    ends: Starts
    neighbors: Ints
    left_partner: Ints
    right_partner: Ints
    parent: Ints
    queue: Ints


def empty_graph(starts: Starts, is_left: Flags) -> GrowingGraph:
    """A graph without edges, with memory for the neighbours that ``starts`` (from `count_links`)
    announces.
    """
    left, right, parent, queue = np.full((4, len(is_left)), -1, dtype=np.int32)
    neighbors = np.empty(starts[-1], dtype=np.int32)
    return GrowingGraph(is_left, starts, starts[:-1].copy(), neighbors, left, right, parent, queue)


@compiled
def add_edges(graph: GrowingGraph, left: Ints, right: Ints, both: bool, jumps: Starts) -> int:
    """Add the edges left[e] - right[e] one by one, keep the matching maximum, and return how often
    it grew.

    ``jumps`` receives the edges at which it grew, once for each new matched pair. With ``both``
    each edge is added a second time with the roles of its ends exchanged. What is reached grows
    with the edges; it is found anew where the matching grew, which is n times at most.
    """
    gained = 0
    for edge in range(left.size):
        for turn in range(2 if both else 1):
            u, v = (left[edge], right[edge]) if turn == 0 else (right[edge], left[edge])
            graph.neighbors[graph.ends[u]] = v
            graph.ends[u] += 1
            partner = graph.left_partner[u]
            if graph.parent[v] >= 0 or (partner >= 0 and graph.parent[partner] < 0):
                continue
            free = _reach(graph, u, v)
            if free >= 0:
                _augment(graph, free)
                jumps[gained] = edge
                gained += 1
    return gained


@compiled
def _reach(graph: GrowingGraph, u: int, v: int) -> int:
    """Go on from a left vertex that is reached to v and beyond, until a free right vertex is
    reached; return it, or -1.
    """
    graph.parent[v], graph.queue[0] = u, v
    head, tail = 0, 1
    while head < tail:
        found = graph.queue[head]
        head += 1
        following = graph.right_partner[found]
        if following < 0:
            return int(found)
        for place in range(graph.starts[following], graph.ends[following]):
            neighbor = graph.neighbors[place]
            if graph.parent[neighbor] < 0:
                graph.parent[neighbor], graph.queue[tail] = following, neighbor
                tail += 1
    return -1


@compiled
def _augment(graph: GrowingGraph, free: int) -> None:
    """Match along the path that reached a free right vertex, and find anew what is reached."""
    v = free
    while v >= 0:
        u = graph.parent[v]
        graph.right_partner[v] = u
        v, graph.left_partner[u] = graph.left_partner[u], v
    graph.parent[:] = -1
    for u in range(graph.is_left.size):
        if graph.is_left[u] and graph.left_partner[u] < 0:
            for place in range(graph.starts[u], graph.ends[u]):
                if graph.parent[graph.neighbors[place]] < 0:
                    _reach(graph, u, graph.neighbors[place])

"""Undirected graphs with labelled nodes and edges, and their distance by neighbourhoods, after
Weisfeiler and Lehman.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, pairwise
from typing import Any, ClassVar

import numpy as np

from wideberth.array_types import Integers, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.elements import Elements, NumberedTokens
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.sets.multisets import Multisets, ruzicka_between
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import UNIT

#: Rounds tell no more nodes apart once there have been as many as there are nodes.
MOST_ITERATIONS = 1000
#: Bytes of the name of a label.
_NAME_BYTES = 32
#: The advice for graphs that are written in another way.
_FORM = 'Pass {"nodes": [label, ...], "edges": [[0, 1], ...]}; nodes without labels are [None, None, ...].'


@dataclass(frozen=True, eq=False)
class Graphs:
    """All nodes of all graphs, one graph after another. The neighbours of node v, each once, are
    ``neighbors[starts[v]:starts[v + 1]]``, and ``bonds`` has the labels of the edges to them;
    labels are positions in ``names`` (`name_of`).
    """

    count: int
    owners: Integers
    labels: Integers
    neighbors: Integers
    starts: Integers
    bonds: Integers
    names: list[bytes]


def read_graphs(objects: Objects) -> Graphs:
    """Read graphs from dictionaries or networkx graphs.

    A dictionary is ``{"nodes": [label, ...], "edges": [[i, j], ...]}`` or ``{"nodes": [label, ...],
    "neighbors": [[j, ...], ...]}``, where i and j are positions in the list of labels; other
    entries are ignored. Labels are texts, numbers, None, or lists of them; without "nodes", beside
    "neighbors", all are None. An edge may have a label, [i, j, label]. It counts once, however
    often and in whichever direction it is listed, but for edges with different labels; and a node
    may be its own neighbour. A networkx graph has its labels in the attributes "label" of nodes and
    edges, None where it is missing.

    Examples
    --------
    >>> path = read_graphs([{"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2]]}])
    >>> path.neighbors, path.starts
    (array([1, 0, 2, 1]), array([0, 1, 3, 4]))
    """
    tokens = NumberedTokens()
    sizes: list[int] = []
    labels: list[int] = []
    bonds: list[int] = []
    edges = [np.empty((0, 2), dtype=np.int64)]
    for position, graph in enumerate(sample.one_by_one(sample.hold(objects))):
        own_labels, own_edges, own_bonds = (
            _from_networkx(graph, position)
            if hasattr(graph, "nodes")
            else _from_dictionary(graph, position)
        )
        edges.append(own_edges + len(labels))  # nodes are numbered through all graphs
        sizes.append(len(own_labels))
        try:
            labels += tokens.of(own_labels)
            bonds += tokens.of(own_bonds or [None] * len(own_edges))
        except TypeError as problem:
            raise _invalid_graph(
                position,
                f"has a label that cannot be recognised again: {problem}",
                "Label nodes and edges by texts or numbers.",
            ) from None
    starts, neighbors, of_ends = _adjacency(
        np.concatenate(edges), np.array(bonds, dtype=np.int64), len(labels)
    )
    owners = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
    names = [name_of(b"token", written) for written in tokens.written]
    return Graphs(
        len(sizes), owners, np.array(labels, dtype=np.int64), neighbors, starts, of_ends, names
    )


class WeisfeilerLehman(Metric):
    r"""Ruzicka's distance between the histograms of all node labels that Weisfeiler and Lehman's
    refinement gives two graphs.

    .. math:: d(G, H) = 1 - \frac{\sum_c \min(\#_c G, \#_c H)}{\sum_c \max(\#_c G, \#_c H)}, \qquad
        c_{i+1}(v) = \mathrm{hash}(c_i(v), \{(c_i(w), e_{vw}) : w \sim v\})

    where :math:`\#_c G` counts the nodes v and rounds i from 0 to ``iterations`` with :math:`c_i(v)
    = c`: the histograms of the subtree kernel of Shervashidze, Schweitzer, van Leeuwen, Mehlhorn &
    Borgwardt, "Weisfeiler-Lehman graph kernels", Journal of Machine Learning Research 12, 2011. A
    label of round i represents everything that walks of i steps see. Labels are hashes of 256 bits
    (BLAKE2b), so that graphs read at different times can be compared: nobody knows two contents of
    one such hash.

    Graphs are undirected, such as ``{"nodes": ["C", "O"], "edges": [[0, 1]]}``; `read_graphs` lists
    the other forms. Labels
    :math:`e_{vw}` of edges, as in ``[0, 1, "double"]``, count from the first round on.

    It obeys the triangle inequality, is of negative type and not Hilbertian, as `Ruzicka`, because
    the histogram of a graph is a weighted set. It does not separate: two triangles and a hexagon
    are at 0, as are all regular graphs of one size and degree without labels.

    Parameters
    ----------
    iterations : int, default 3
        The number of rounds. More rounds distinguish more graphs, and put those that remain
        different farther apart.

    Examples
    --------
    >>> chain, ring = [[0, 1], [1, 2]], [[0, 1], [1, 2], [2, 0]]
    >>> metric = WeisfeilerLehman(iterations=1)
    >>> # C, C, O and the neighbourhood of one C agree
    >>> metric({"nodes": "CCO", "edges": chain}, {"nodes": "CCO", "edges": ring})
    0.5
    """

    name = "weisfeiler_lehman"
    underflow = 8 * UNIT  # it is a difference of numbers up to 1
    examples = (
        {"nodes": ["C", "O"], "edges": [[0, 1]]},
        {"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2]]},
        {"nodes": ["C", "C", "O"], "edges": [[0, 1], [2, 0]]},
        {"nodes": ["C", "O", "C"], "edges": [[0, 1]]},
        {"nodes": ["N", "N"], "edges": [[0, 1]]},
        {"nodes": ["N", "N", "C"], "edges": [[0, 1], [1, 2]]},
        {"nodes": ["N", "N", "N"], "edges": [[0, 1]]},
        {"nodes": ["N", "C", "N"], "edges": [[0, 1], [1, 2]]},
    )
    source = "Ruzicka's on neighbourhoods (Shervashidze et al. 2011)"
    counterexamples: ClassVar = {
        "hilbertian": [{"nodes": nodes, "edges": []} for nodes in ("a", "b", "ab", "abc")]
    }
    accepts: Kind = "graphs"
    parallel = "threads"
    usual_nanoseconds = 50.0
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False
    )

    def __init__(self, iterations: int = 3) -> None:
        if not is_whole(iterations, 0, MOST_ITERATIONS):
            raise InvalidInput(
                f"The number of iterations is a whole number from 0 to {MOST_ITERATIONS}, not "
                f"{iterations!r}.",
                advice="2 to 4 are usual.",
                value=iterations,
            )
        self.iterations = iterations

    def prepare(self, objects: Objects) -> Multisets:
        """Read the graphs and count the labels of all rounds."""
        if isinstance(objects, Multisets):
            return objects
        graphs = read_graphs(objects)
        labels, names = graphs.labels, graphs.names
        rounds, all_names = [labels], list(names)
        for _ in range(self.iterations):
            labels, names = _refined(labels, names, graphs)
            rounds.append(len(all_names) + labels)
            all_names += names
        letters = np.frombuffer(b"".join(all_names), dtype="<u4").astype(np.uint32)
        elements, places = Elements.of(letters, _NAME_BYTES // 4 * np.arange(len(all_names) + 1))
        found = places[np.concatenate(rounds)]
        return Multisets.collect(
            np.tile(graphs.owners, len(rounds)), elements, found, np.ones(len(found)), graphs.count
        )

    def alike_digests(self, prepared: Multisets) -> Digests:
        """Those of the histograms; see `wideberth.Metric.alike_digests`."""
        return prepared.digests()

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return ruzicka_between(left, right)


def name_of(kind: bytes, content: bytes) -> bytes:
    """32 bytes that no other content of any kind is known to have: BLAKE2b, which is made to resist
    whoever looks for one.
    """
    return blake2b(content, digest_size=_NAME_BYTES, person=kind).digest()


def _refined(labels: Integers, names: list[bytes], graphs: Graphs) -> tuple[Integers, list[bytes]]:
    """The label of each node after one more round, and the names of these labels.

    A label is that of the node before, and the multiset of those of its neighbours and of the edges
    to them. Nodes are compared by numbers of this sample, and each different label gets one name,
    made of the names that it consists of in their own order.
    """
    size = len(graphs.names)
    around = labels[graphs.neighbors] * size + graphs.bonds
    nodes = np.repeat(np.arange(len(labels)), np.diff(graphs.starts))
    around = around[np.lexsort((around, nodes))]
    starts = graphs.starts + np.arange(len(graphs.starts))
    parts = np.empty(starts[-1], dtype=np.int64)
    parts[starts[:-1]] = labels
    parts[np.arange(len(around)) + nodes + 1] = around
    different, refined = Elements.of(parts.view(np.uint32), 2 * starts)
    flat, bounds = different.letters.view(np.int64).tolist(), (different.starts // 2).tolist()
    found = []
    for first, last in pairwise(bounds):
        pairs = sorted(
            names[pair // size] + graphs.names[pair % size] for pair in flat[first + 1 : last]
        )
        found.append(name_of(b"node", names[flat[first]] + b"".join(pairs)))
    return refined, found


def _from_networkx(graph: Any, position: int) -> tuple[list[Any], Integers, list[Any]]:
    """The labels, edges and bonds of a networkx graph, or of one with the same methods;
    ``position`` is for error messages.
    """
    if graph.is_directed():
        raise _invalid_graph(position, "is directed", "Pass graph.to_undirected().")
    named = list(graph.nodes(data="label"))
    number_of = {name: number for number, (name, _) in enumerate(named)}
    joined = list(graph.edges(data="label"))
    edges = [(number_of[one], number_of[other]) for one, other, _ in joined]
    return (
        [label for _, label in named],
        np.array(edges, dtype=np.int64).reshape(-1, 2),
        [label for *_, label in joined],
    )


def _from_dictionary(graph: Any, position: int) -> tuple[list[Any], Integers, list[Any]]:
    """The labels, edges and bonds of a dictionary, or an error if it has another form; ``position``
    is for error messages.
    """
    if isinstance(graph, Mapping) and ("neighbors" in graph or {"nodes", "edges"} <= graph.keys()):
        try:
            if "neighbors" in graph:
                return (
                    *_from_neighbors(
                        graph.get("nodes"), list(map(list, graph["neighbors"])), position
                    ),
                    [],
                )
            return _from_edges(list(graph["nodes"]), list(map(list, graph["edges"])), position)
        except TypeError as problem:  # a value that should be a list is not iterable
            raise _invalid_graph(
                position, f"contains something that is not a list: {problem}", _FORM
            ) from None
    shown = (
        f"has only the entries {sorted(map(str, graph))}"
        if isinstance(graph, Mapping)
        else f"is {sample.shown(graph)}"
    )
    raise _invalid_graph(
        position, f"is no dictionary with 'nodes' and 'edges' or 'neighbors': it {shown}", _FORM
    )


def _from_edges(
    labels: list[Any], edges: list[list[Any]], position: int
) -> tuple[list[Any], Integers, list[Any]]:
    """Labels, edges and labels of edges from a list of pairs of node numbers, or of pairs with a
    label.
    """
    for edge in edges:
        if len(edge) not in (2, 3):
            problem = f"has the edge {sample.shown(edge)}"
            raise _invalid_graph(
                position,
                problem,
                "An edge is a pair of nodes, [i, j], or [i, j, label].",
                (position, edge),
            )
    numbers = _node_numbers(
        list(chain.from_iterable(edge[:2] for edge in edges)), len(labels), position
    )
    return labels, numbers.reshape(-1, 2), [edge[2] if len(edge) > 2 else None for edge in edges]


def _from_neighbors(
    nodes: Any, lists: list[list[Any]], position: int
) -> tuple[list[Any], Integers]:
    """Labels and edges from lists of neighbours, in which every edge must occur at both of its
    ends.
    """
    labels = [None] * len(lists) if nodes is None else list(nodes)
    if len(labels) != len(lists):
        problem = f"has {len(labels)} nodes, but {len(lists)} lists of neighbours"
        raise _invalid_graph(
            position, problem, "Give one list for each node, empty if it has no neighbours."
        )
    numbers = _node_numbers(list(chain.from_iterable(lists)), len(labels), position)
    edges = np.column_stack(
        [np.repeat(np.arange(len(lists)), [len(neighbors) for neighbors in lists]), numbers]
    )
    one_sided = ~np.isin(edges @ [len(lists), 1], edges @ [1, len(lists)])
    if one_sided.any():
        node, neighbor = edges[np.argmax(one_sided)].tolist()
        raise _invalid_graph(
            position,
            f"is directed: node {node} has the neighbour {neighbor}, but node {neighbor} does not "
            f"have the neighbour {node}",
            "List each edge at both of its ends, or pass 'edges', which go both ways.",
            (position, node, neighbor),
        )
    return labels, edges


def _node_numbers(ends: list[Any], nodes: int, position: int) -> Integers:
    """The ends of edges as an array, or an error if one of them is not the number of a node."""
    if set(map(type, ends)) <= {int}:
        if not ends or (min(ends) >= 0 and max(ends) < nodes):
            return np.array(ends, dtype=np.int64)
    elif all(isinstance(end, int | np.integer) for end in ends):
        return _node_numbers(list(map(int, ends)), nodes, position)
    wrong = next(
        end for end in ends if not isinstance(end, int | np.integer) or not 0 <= end < nodes
    )
    raise _invalid_graph(
        position,
        f"has an edge to the node {sample.shown(wrong)}, and {nodes} nodes",
        "Nodes are numbered by their positions, from 0 on: leave the edge out, or add the node.",
        (position, wrong),
    )


def _adjacency(edges: Integers, bonds: Integers, nodes: int) -> tuple[Integers, Integers, Integers]:
    """Where the neighbours of each node begin, all neighbours in increasing order, and the bonds to
    them, each once.
    """
    codes = np.concatenate([edges @ [nodes, 1], edges @ [1, nodes]])
    both = np.concatenate([bonds, bonds])
    order = np.lexsort((both, codes))
    codes, both = codes[order], both[order]
    first = np.ones(len(codes), dtype=bool)
    first[1:] = (np.diff(codes) > 0) | (both[1:] != both[:-1])
    codes = codes[first]
    starts = np.searchsorted(codes, np.arange(nodes + 1) * nodes)
    return starts.astype(np.int64), codes % max(1, nodes), both[first]


def _invalid_graph(position: int, problem: str, advice: str, witness: Any = None) -> InvalidInput:
    """The error for the graph at ``position``, which is its witness unless a more precise one is
    given.
    """
    witness = position if witness is None else witness
    return InvalidInput(
        f"Graph {position} {problem}.", advice=advice, witness=witness, value=witness
    )

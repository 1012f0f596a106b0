"""Undirected graphs with labelled nodes and edges, and their distance by neighbourhoods, after Weisfeiler and Lehman."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Integers
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import token_keys
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.sets.multisets import Multisets, ruzicka_between
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import UNIT

Hashes = NDArray[np.uint64]

#: Rounds tell no more nodes apart once there have been as many as there are nodes.
MOST_ITERATIONS = 1000
#: The advice for graphs that are written in another way.
_FORM = 'Pass {"nodes": [label, ...], "edges": [[0, 1], ...]}; nodes without labels are [None, None, ...].'


@dataclass(frozen=True, eq=False)
class Graphs:
    """All nodes of all graphs, one graph after another.

    Attributes
    ----------
    count : int
        The number of graphs.
    owners : ndarray of shape (nodes,)
        The graph of each node.
    labels : ndarray of shape (nodes,)
        The key of the label of each node (`wideberth.metrics.numbering`); equal labels have equal keys in all samples.
    neighbors : ndarray of shape (ends,)
        The neighbours of node v, each once, are ``neighbors[starts[v]:starts[v + 1]]``.
    starts : ndarray of shape (nodes + 1,)
        Where the neighbours of each node begin.
    bonds : ndarray of shape (ends,)
        A hash of the label of the edge to each neighbour, 0 where it has none.
    """

    count: int
    owners: Integers
    labels: Integers
    neighbors: Integers
    starts: Integers
    bonds: Hashes


def read_graphs(objects: Any) -> Graphs:
    """Read graphs from dictionaries or networkx graphs.

    A dictionary is ``{"nodes": [label, ...], "edges": [[i, j], ...]}`` or
    ``{"nodes": [label, ...], "neighbors": [[j, ...], ...]}``, where i and j are positions in the list of labels; other entries
    are ignored. Labels are texts, numbers, None, or lists of them; without "nodes", beside "neighbors", all are None. An edge
    may have a label, [i, j, label]. It counts once, however often and in whichever direction it is listed, but for edges with
    different labels; and a node may be its own neighbour. A networkx graph has its labels in the attributes "label" of nodes and
    edges, None where it is missing.

    Parameters
    ----------
    objects : sequence of dict or networkx graphs
        The graphs, all undirected.

    Returns
    -------
    Graphs
        Their nodes, labels and neighbours in flat arrays.

    Raises
    ------
    InvalidInput
        If a graph is directed, has another form, an edge to a missing node, or a label that cannot be recognised again. The
        witness names the graph and the edge.

    Examples
    --------
    >>> path = read_graphs([{"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2]]}])
    >>> path.neighbors, path.starts
    (array([1, 0, 2, 1]), array([0, 1, 3, 4]))
    """
    known: dict[Any, int] = {}
    sizes: list[int] = []
    labels: list[int] = []
    edges, bonds = [np.empty((0, 2), dtype=np.int64)], [np.empty(0, dtype=np.uint64)]
    for position, graph in enumerate(sample.one_by_one(sample.hold(objects))):
        own_labels, own_edges, own_bonds = (
            _from_networkx(graph, position) if hasattr(graph, "nodes") else _from_dictionary(graph, position)
        )
        edges.append(own_edges + len(labels))  # nodes are numbered through all graphs
        sizes.append(len(own_labels))
        try:
            labels += token_keys(own_labels, known)
            bonds.append(_bond_hashes(own_bonds, len(own_edges), known))
        except TypeError as problem:
            raise _invalid_graph(
                position, f"has a label that cannot be recognised again: {problem}", "Label nodes and edges by texts or numbers."
            ) from None
    starts, neighbors, hashes = _adjacency(np.concatenate(edges), np.concatenate(bonds), len(labels))
    owners = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
    return Graphs(len(sizes), owners, np.array(labels, dtype=np.int64), neighbors, starts, hashes)


class WeisfeilerLehman(Metric):
    r"""Ruzicka's distance between the histograms of all node labels that Weisfeiler and Lehman's refinement gives two graphs.

    .. math:: d(G, H) = 1 - \frac{\sum_c \min(\#_c G, \#_c H)}{\sum_c \max(\#_c G, \#_c H)}, \qquad
        c_{i+1}(v) = \mathrm{hash}(c_i(v), \{(c_i(w), e_{vw}) : w \sim v\})

    where :math:`\#_c G` counts the nodes v and rounds i from 0 to ``iterations`` with :math:`c_i(v) = c`: the histograms of the
    subtree kernel of Shervashidze, Schweitzer, van Leeuwen, Mehlhorn & Borgwardt, "Weisfeiler-Lehman graph kernels", Journal of
    Machine Learning Research 12, 2011. A label of round i represents everything that walks of i steps see. Labels are hashes of
    64 bits, so that graphs read at different times can be compared.

    Graphs are undirected, such as ``{"nodes": ["C", "O"], "edges": [[0, 1]]}``; `read_graphs` lists the other forms. Labels
    :math:`e_{vw}` of edges, as in ``[0, 1, "double"]``, count from the first round on.

    It obeys the triangle inequality, is of negative type and not Hilbertian, as `Ruzicka`, because the histogram of a graph is a
    weighted set. It does not separate: two triangles and a hexagon are at 0, as are all regular graphs of one size and degree
    without labels.

    Parameters
    ----------
    iterations : int, default 3
        The number of rounds. More rounds distinguish more graphs, and put those that remain different farther apart.

    Examples
    --------
    >>> chain, ring = [[0, 1], [1, 2]], [[0, 1], [1, 2], [2, 0]]
    >>> metric = WeisfeilerLehman(iterations=1)
    >>> metric({"nodes": "CCO", "edges": chain}, {"nodes": "CCO", "edges": ring})  # C, C, O and the neighbourhood of one C agree
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
    counterexamples: ClassVar = {"hilbertian": [{"nodes": nodes, "edges": []} for nodes in ("a", "b", "ab", "abc")]}
    accepts: Kind = "graphs"
    parallel = "threads"
    promises = Promises(obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False)

    def __init__(self, iterations: int = 3) -> None:
        if not is_whole(iterations, 0, MOST_ITERATIONS):
            raise InvalidInput(
                f"The number of iterations is a whole number from 0 to {MOST_ITERATIONS}, not {iterations!r}.",
                advice="2 to 4 are usual.",
                value=iterations,
            )
        self.iterations = iterations

    def prepare(self, objects: Any) -> Multisets:
        """Read the graphs and count the labels of all rounds.

        Parameters
        ----------
        objects : sequence of graphs, or Multisets
            Graphs as `read_graphs` accepts them.

        Returns
        -------
        Multisets
            The histogram of each graph, unchanged if they were prepared before.
        """
        if isinstance(objects, Multisets):
            return objects
        graphs = read_graphs(objects)
        rounds = [graphs.labels.view(np.uint64)]
        for _ in range(self.iterations):
            rounds.append(_refine_labels(rounds[-1], graphs))
        labels = np.concatenate(rounds).view(np.int64)
        return Multisets.collect(np.tile(graphs.owners, len(rounds)), labels, np.ones(len(labels)), graphs.count)

    def alike_digests(self, prepared: Multisets) -> Digests:
        """Those of the histograms; see `wideberth.Metric.alike_digests`."""
        return prepared.digests()

    def nanoseconds(self, prepared: Any) -> float:
        """The time of one distance; it hardly depends on the graphs, because distances are between prepared histograms."""
        return 50.0

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return ruzicka_between(left, right)


def _refine_labels(labels: Hashes, graphs: Graphs) -> Hashes:
    """The label of each node after one more round: a hash in 64 bits of its label and the multiset of its neighbours' labels.

    The hash of a multiset is the sum of its members' (Clarke et al. 2003, MSet-Add-Hash), which does not depend on an order.
    """
    seen = _mix_bits(labels[graphs.neighbors] + graphs.bonds) if graphs.bonds.any() else _mix_bits(labels)[graphs.neighbors]
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(seen)])  # modulo 2^64
    around = sums[graphs.starts[1:]] - sums[graphs.starts[:-1]]
    return _mix_bits(labels * np.uint64(0x9E3779B97F4A7C15) + around)


def _mix_bits(numbers: Hashes) -> Hashes:
    """The finalizer of SplitMix64 (Steele, Lea & Flood 2014): one to one, and each bit depends on all."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _from_networkx(graph: Any, position: int) -> tuple[list[Any], Integers, list[Any]]:
    """The labels, edges and bonds of a networkx graph, or of one with the same methods; ``position`` is for error messages."""
    if graph.is_directed():
        raise _invalid_graph(position, "is directed", "Pass graph.to_undirected().")
    named = list(graph.nodes(data="label"))
    number_of = {name: number for number, (name, _) in enumerate(named)}
    joined = list(graph.edges(data="label"))
    edges = [(number_of[one], number_of[other]) for one, other, _ in joined]
    return [label for _, label in named], np.array(edges, dtype=np.int64).reshape(-1, 2), [label for *_, label in joined]


def _from_dictionary(graph: Any, position: int) -> tuple[list[Any], Integers, list[Any]]:
    """The labels, edges and bonds of a dictionary, or an error if it has another form; ``position`` is for error messages."""
    if isinstance(graph, Mapping) and ("neighbors" in graph or {"nodes", "edges"} <= graph.keys()):
        try:
            if "neighbors" in graph:
                return (*_from_neighbors(graph.get("nodes"), list(map(list, graph["neighbors"])), position), [])
            return _from_edges(list(graph["nodes"]), list(map(list, graph["edges"])), position)
        except TypeError as problem:  # a value that should be a list is not iterable
            raise _invalid_graph(position, f"contains something that is not a list: {problem}", _FORM) from None
    shown = f"has only the entries {sorted(map(str, graph))}" if isinstance(graph, Mapping) else f"is {sample.shown(graph)}"
    raise _invalid_graph(position, f"is no dictionary with 'nodes' and 'edges' or 'neighbors': it {shown}", _FORM)


def _from_edges(labels: list[Any], edges: list[list[Any]], position: int) -> tuple[list[Any], Integers, list[Any]]:
    """Labels, edges and labels of edges from a list of pairs of node numbers, or of pairs with a label."""
    for edge in edges:
        if len(edge) not in (2, 3):
            problem = f"has the edge {sample.shown(edge)}"
            raise _invalid_graph(position, problem, "An edge is a pair of nodes, [i, j], or [i, j, label].", (position, edge))
    numbers = _node_numbers(list(chain.from_iterable(edge[:2] for edge in edges)), len(labels), position)
    return labels, numbers.reshape(-1, 2), [edge[2] if len(edge) > 2 else None for edge in edges]


def _from_neighbors(nodes: Any, lists: list[list[Any]], position: int) -> tuple[list[Any], Integers]:
    """Labels and edges from lists of neighbours, in which every edge must occur at both of its ends."""
    labels = [None] * len(lists) if nodes is None else list(nodes)
    if len(labels) != len(lists):
        problem = f"has {len(labels)} nodes, but {len(lists)} lists of neighbours"
        raise _invalid_graph(position, problem, "Give one list for each node, empty if it has no neighbours.")
    numbers = _node_numbers(list(chain.from_iterable(lists)), len(labels), position)
    edges = np.column_stack([np.repeat(np.arange(len(lists)), [len(neighbors) for neighbors in lists]), numbers])
    one_sided = ~np.isin(edges @ [len(lists), 1], edges @ [1, len(lists)])
    if one_sided.any():
        node, neighbor = edges[np.argmax(one_sided)].tolist()
        raise _invalid_graph(
            position,
            f"is directed: node {node} has the neighbour {neighbor}, but node {neighbor} does not have the neighbour {node}",
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
    wrong = next(end for end in ends if not isinstance(end, int | np.integer) or not 0 <= end < nodes)
    raise _invalid_graph(
        position,
        f"has an edge to the node {sample.shown(wrong)}, and {nodes} nodes",
        "Nodes are numbered by their positions, from 0 on: leave the edge out, or add the node.",
        (position, wrong),
    )


def _bond_hashes(labels: list[Any], count: int, known: dict[Any, int]) -> Hashes:
    """A hash of the label of each of ``count`` edges, 0 for None; without labels all are 0."""
    hashes = np.zeros(count, dtype=np.uint64)
    given = [place for place, label in enumerate(labels) if label is not None]
    if given:
        hashes[given] = _mix_bits(np.array(token_keys([labels[place] for place in given], known), dtype=np.int64).view(np.uint64))
    return hashes


def _adjacency(edges: Integers, bonds: Hashes, nodes: int) -> tuple[Integers, Integers, Hashes]:
    """Where the neighbours of each node begin, all neighbours in increasing order, and the bonds to them, each once."""
    codes, both = np.concatenate([edges @ [nodes, 1], edges @ [1, nodes]]), np.concatenate([bonds, bonds])
    order = np.lexsort((both, codes))
    codes, both = codes[order], both[order]
    first = np.ones(len(codes), dtype=bool)
    first[1:] = (np.diff(codes) > 0) | (both[1:] != both[:-1])
    codes = codes[first]
    starts = np.searchsorted(codes, np.arange(nodes + 1) * nodes)
    return starts.astype(np.int64), codes % max(1, nodes), both[first]


def _invalid_graph(position: int, problem: str, advice: str, witness: Any = None) -> InvalidInput:
    """The error for the graph at ``position``, which is its witness unless a more precise one is given."""
    witness = position if witness is None else witness
    return InvalidInput(f"Graph {position} {problem}.", advice=advice, witness=witness, value=witness)

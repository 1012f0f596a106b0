"""Graphs by Weisfeiler and Lehman: hashes agree with labels that say everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.weighted_sets import weisfeiler_lehman, weisfeiler_lehman_labels
from strategies import graphs

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.structures.graphs import WeisfeilerLehman, read_graphs

METRIC = WeisfeilerLehman()
TRIANGLES = {"nodes": [None] * 6, "edges": [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]]}
HEXAGON = {"nodes": [None] * 6, "edges": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]}


@pytest.mark.slow
@pytest.mark.kernels
@given(st.lists(graphs(), max_size=5), st.lists(graphs(), max_size=5), st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_graphs_read_apart_equal_the_definition(left, right, iterations):
    expected = np.array(
        [[weisfeiler_lehman(one, other, iterations) for other in right] for one in left]
    )
    measured = WeisfeilerLehman(iterations).block(left, right)
    np.testing.assert_allclose(measured, expected.reshape(measured.shape), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(WeisfeilerLehman(iterations).block(right, left), measured.T)


def test_hashes_count_what_labels_count():
    """Thousands of different labels: no two share a hash, and none has two."""
    generator = np.random.default_rng(0)
    many = [
        {
            "nodes": generator.integers(0, 3, 30).tolist(),
            "edges": generator.integers(0, 30, (40, 2)).tolist(),
        }
        for _ in range(40)
    ]
    prepared = METRIC.prepare(many)
    labels = [weisfeiler_lehman_labels(graph, 3) for graph in many]
    assert len(np.unique(prepared.numbers)) == len(set().union(*labels)) > 2000
    for position, counts in enumerate(labels):
        assert sorted(prepared.take([position]).weights) == sorted(counts.values())


def test_a_label_never_changes():
    """Model files hold hashes: these bytes are part of their format."""
    labels = METRIC.prepare([{"nodes": "CO", "edges": [[0, 1]]}]).elements.tuples()
    assert {len(label) for label in labels} == {8}  # of 32 bits: 256 bits
    assert [label[0] for label in labels][:3] == [1053514747, 4035307520, 3633577228]


@given(graphs(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_nodes_does_not_matter(graph, random):
    order = list(range(len(graph["nodes"])))
    random.shuffle(order)
    nodes = [None] * len(order)
    for old, new in enumerate(order):
        nodes[new] = graph["nodes"][old]
    edges = [[order[j], order[i]] for i, j in reversed(graph["edges"])]
    assert METRIC(graph, {"nodes": nodes, "edges": edges}) == 0


def test_it_does_not_separate_two_triangles_from_a_hexagon():
    assert METRIC(TRIANGLES, HEXAGON) == 0
    assert METRIC.separates is False


def test_more_iterations_see_farther():
    path, ring = {"nodes": [None] * 6, "edges": [[i, i + 1] for i in range(5)]}, HEXAGON
    distances = [WeisfeilerLehman(iterations)(path, ring) for iterations in range(4)]
    assert distances == pytest.approx([0, 1 - 10 / 14, 1 - 12 / 24, 1 - 12 / 36])


@pytest.mark.parametrize(
    "graph",
    [
        {"nodes": ["C", "C", "O"], "edges": [[0, 1], [1, 2]]},
        {"nodes": ("C", "C", "O"), "edges": np.array([[1, 0], [2, 1], [1, 2]]), "label": 3},
        {"nodes": np.array(["C", "C", "O"]), "edges": {(0, 1), (1, 2)}},
        {"nodes": ["C", "C", "O"], "neighbors": [[1], [0, 2], [1]]},
        {"nodes": ["C", "C", "O"], "neighbors": [{1}, (2, 0, 0), np.array([1])]},
    ],
)
def test_forms_of_one_graph(graph):
    read = read_graphs([HEXAGON, graph])
    assert (read.neighbors[-4:] - 6).tolist() == [1, 0, 2, 1]
    assert np.diff(read.starts)[-3:].tolist() == [1, 2, 1]
    assert METRIC(graph, {"nodes": "OCC", "edges": [[0, 1], [1, 2]]}) == 0


def test_nodes_without_labels_differ_by_their_neighbours():
    assert METRIC({"neighbors": [[1], [0]]}, {"nodes": [None, None], "edges": [[0, 1]]}) == 0
    assert METRIC({"neighbors": [[1], [0]]}, {"neighbors": [[], []]}) == pytest.approx(1 - 2 / 14)
    assert METRIC({"nodes": [], "edges": []}, {"neighbors": []}) == 0


def test_labels_may_be_lists_and_a_loop_counts():
    assert METRIC({"nodes": [["C", 1]], "edges": []}, {"nodes": [("C", 1.0)], "edges": []}) == 0
    assert METRIC({"nodes": ["C"], "edges": [[0, 0]]}, {"nodes": ["C"], "neighbors": [[0]]}) == 0
    assert METRIC(
        {"nodes": ["C"], "edges": [[0, 0]]}, {"nodes": ["C"], "edges": []}
    ) == pytest.approx(1 - 1 / 7)


class Networkx:
    """What the library asks of a graph of networkx."""

    def __init__(self, labels, edges, directed=False):
        self.labels, self.pairs, self.directed = labels, edges, directed

    def is_directed(self):
        return self.directed

    def nodes(self, data):
        assert data == "label"
        return self.labels.items()

    def edges(self, data):
        assert data == "label"
        return [(*pair, None) for pair in self.pairs]

    def to_undirected(self):
        return Networkx(self.labels, self.pairs)


def test_graphs_of_networkx():
    water = Networkx({"a": "O", "b": "H", "c": "H"}, [("a", "b"), ("c", "a")])
    assert METRIC(water, {"nodes": "HOH", "edges": [[0, 1], [1, 2]]}) == 0
    assert METRIC(Networkx({7: None}, []), {"neighbors": [[]]}) == 0
    directed = Networkx({1: "O", 2: "H"}, [(1, 2)], directed=True)
    with pytest.raises(InvalidInput, match=r"Graph 0 is directed\. Pass graph.to_undirected\(\)"):
        METRIC.prepare([directed])
    assert len(METRIC.prepare([directed.to_undirected()])) == 1


@pytest.mark.parametrize(
    ("graph", "message", "witness"),
    [
        (
            {"nodes": "CO", "edges": [[0, 2]]},
            "Graph 1 has an edge to the node 2, and 2 nodes",
            (1, 2),
        ),
        ({"nodes": "CO", "edges": [[0, -1]]}, "an edge to the node -1", (1, -1)),
        ({"nodes": "CO", "edges": [["C", "O"]]}, "an edge to the node 'C'", (1, "C")),
        ({"nodes": "CO", "edges": [[0, 1.0]]}, "an edge to the node 1.0", (1, 1.0)),
        (
            {"nodes": "CO", "edges": [[0, 1, 2, 3]]},
            r"has the edge \[0, 1, 2, 3\]\. An edge is a pair",
            (1, [0, 1, 2, 3]),
        ),
        (
            {"nodes": "CO", "neighbors": [[1], []]},
            "but node 1 does not have the neighbour 0",
            (1, 0, 1),
        ),
        ({"nodes": "CO", "neighbors": [[5], []]}, "an edge to the node 5, and 2 nodes", (1, 5)),
        ({"nodes": "CO", "neighbors": [[1], [0], []]}, "has 2 nodes, but 3 lists of neighbours", 1),
        ({"nodes": "CO", "neighbors": None}, "something that is not a list: 'NoneType'", 1),
        ({"nodes": 2, "edges": []}, "something that is not a list: 'int'", 1),
        ({"nodes": [object()], "edges": []}, "a label that cannot be recognised again: object", 1),
        ({"nodes": [float("nan")], "edges": []}, "NaN equals nothing", 1),
        ({"nodes": "CO"}, r"it has only the entries \['nodes'\]\. Pass", 1),
        ({"edges": [[0, 1]]}, r"it has only the entries \['edges'\]", 1),
        (None, "it is None", 1),
        ([[0, 1]] * 30, r"it is \[\[0, 1\].*\.\.\.\]\. Pass", 1),
    ],
)
def test_refused_graphs_are_named(graph, message, witness):
    with pytest.raises(InvalidInput, match=message) as refused:
        METRIC.prepare([HEXAGON, graph])
    assert refused.value.witness == witness


def test_the_advice_for_one_sided_neighbours_works():
    assert METRIC({"nodes": "CO", "edges": [[0, 1]]}, {"nodes": "CO", "neighbors": [[1], [0]]}) == 0


@pytest.mark.parametrize("iterations", [-1, 1.5, True, None])
def test_iterations_are_checked(iterations):
    with pytest.raises(InvalidInput, match="iterations is a whole number from 0 to 1000"):
        WeisfeilerLehman(iterations=iterations)


def test_a_loaded_model_reads_graphs_again(tmp_path):
    generator = np.random.default_rng(0)
    many = [
        {
            "nodes": generator.integers(0, 3, 6).tolist(),
            "edges": generator.integers(0, 6, (7, 2)).tolist(),
        }
        for _ in range(20)
    ]
    model = wideberth.NeighborsClassifier(WeisfeilerLehman(iterations=2)).fit(many, [0, 1] * 10)
    wideberth.save(model, tmp_path / "graphs.wb")
    loaded = wideberth.load(tmp_path / "graphs.wb")
    np.testing.assert_array_equal(loaded.decision_function(many), model.decision_function(many))


def _bonded(*bonds):
    return {
        "nodes": "CCO",
        "edges": [[place, place + 1, *bond] for place, bond in enumerate(bonds)],
    }


def test_labels_of_edges_count():
    metric = WeisfeilerLehman(iterations=2)
    plain, single, double = (
        _bonded((), ()),
        _bonded(("single",), ("single",)),
        _bonded(("single",), ("double",)),
    )
    assert metric(plain, _bonded((None,), ())) == 0  # no label is no label
    assert 0 < metric(single, double) <= metric(plain, double) <= 1
    assert WeisfeilerLehman(iterations=0)(single, double) == 0
    back = {"nodes": "OCC", "edges": [[1, 0, "double"], [2, 1, "single"], [1, 2, "single"]]}
    assert metric(double, back) == 0
    both = {"nodes": "CC", "edges": [[0, 1, "single"], [0, 1, "double"]]}
    assert metric(both, {"nodes": "CC", "edges": [[0, 1, "double"]]}) > 0
    check_metric(metric, [plain, single, double, both])
    assert not wideberth.diagnose([plain, single, double, both], metric).broken_promises
    with pytest.raises(
        InvalidInput, match=r"a label that cannot be recognised again.*Label nodes and edges"
    ):
        metric.prepare([_bonded(({1},), ())])

    class Bonded(Networkx):
        def edges(self, data):
            return [("a", "b", "single"), ("b", "c", "double")]

    assert metric(Bonded({"a": "C", "b": "C", "c": "O"}, []), double) == 0

"""Graphs and trees in JSON lines: known by their fields, checked in their shape, and never mistaken
for their neighbours.
"""

import json

import pytest

import wideberth


@pytest.fixture
def lines(write):
    def lines(*records, name="things.jsonl"):
        return write(name, "".join(json.dumps(record) + "\n" for record in records))

    return lines


PAIR = {"nodes": ["C", "O"], "edges": [[0, 1]]}
LISTS = {"nodes": [0, 1, 0], "neighbors": [[1], [0], []]}
TREE = ["A", [["B", []], ["C", [["D", []]]]]]
DICT_TREE = {
    "label": "A",
    "children": [{"label": "B"}, {"label": "C", "children": [{"label": "D", "children": []}]}],
}


@pytest.mark.parametrize("graph", [PAIR, LISTS])
def test_graphs_are_known_by_their_fields(lines, graph):
    records = wideberth.read(
        lines({**graph, "name": "x", "label": "a"}, {**graph, "name": "y", "label": "b"})
    )
    assert (records.kind, records.objects, records.labels) == ("graphs", [graph, graph], ["a", "b"])
    assert records.column == tuple(graph)
    assert "2 graphs from 2 columns" in repr(records)


def test_graphs_may_stand_in_one_field_if_told(lines):
    path = lines({"graph": PAIR | {"name": "x"}, "label": "a"})
    assert wideberth.read(path, kind="graphs").objects == [PAIR]
    assert wideberth.read(path).kind == "objects"


def test_graphs_without_edges_are_graphs(lines):
    empty = {"nodes": [], "edges": []}
    assert wideberth.read(lines({"nodes": [1], "edges": []}, empty)).objects == [
        {"nodes": [1], "edges": []},
        empty,
    ]


def test_graphs_in_a_table_are_json(write):
    path = write("graphs.csv", 'nodes;edges;label\n["C", "O"];[[0, 1]];a\n[1];[];b\n')
    records = wideberth.read(path)
    assert (records.kind, records.objects) == ("graphs", [PAIR, {"nodes": [1], "edges": []}])


def test_named_fields_win(lines):
    path = lines({**PAIR, "label": "a"})
    assert wideberth.read(path, column=["edges", "nodes"]).kind == "graphs"
    assert wideberth.read(path, column="edges").kind == "series"
    assert wideberth.read(path, kind="objects").objects == [PAIR]


def test_a_table_that_counts_nodes_and_edges_is_one_of_numbers(lines, write):
    assert (
        wideberth.read(write("networks.csv", "nodes,edges,label\n5,7,a\n6,8,b\n")).kind == "vectors"
    )
    assert wideberth.read(lines({"nodes": 5, "neighbors": 7})).kind == "vectors"


def test_edges_and_neighbors_are_one_too_many(lines, refused):
    path = lines({**PAIR, "neighbors": [[1], [0]], "label": "a"})
    with refused(
        path,
        "'edges' and 'neighbors' could both give",
        "column=['nodes', 'edges']",
        value=["edges", "neighbors"],
    ):
        wideberth.read(path)
    assert wideberth.read(path, column=["nodes", "edges"]).objects == [PAIR]
    path = lines({"graph": {**PAIR, "neighbors": [[1], [0]]}})
    with refused(path, "is not a graph", line=1):
        wideberth.read(path, kind="graphs")


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({"nodes": 5, "edges": []}, "is not a graph"),
        ({"nodes": [1], "edges": 5}, "5 is not a list of edges"),
        ({"nodes": [1], "edges": [5]}, "5 is not an edge"),
        ({"nodes": [1], "edges": [[0, 0, 0]]}, "[0, 0, 0] is not an edge"),
        ({"nodes": [1], "edges": None}, "column 'edges' is empty"),
        ({"nodes": [1]}, "column 'edges' is missing"),
        ({"edges": []}, "column 'nodes' is missing"),
    ],
)
def test_misshapen_graphs_are_refused(lines, refused, broken, complaint):
    path = lines({**PAIR, "label": "a"}, {**PAIR, "label": "b"}, {**broken, "label": "c"})
    with refused(path, complaint, line=3):
        wideberth.read(path)
    assert len(wideberth.read(lines(*[{**PAIR, "label": "a"}] * 3))) == 3


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({"nodes": [1], "neighbors": [5]}, "5 is not a list of neighbors"),
        ({"nodes": [1], "neighbors": [[], []]}, "2 lists of neighbors for 1 node"),
    ],
)
def test_misshapen_lists_of_neighbors_are_refused(lines, refused, broken, complaint):
    path = lines(LISTS, LISTS, broken)
    with refused(path, complaint, '"neighbors": [[1], [0], ...]', line=3, value=broken):
        wideberth.read(path)


@pytest.mark.parametrize("tree", [TREE, DICT_TREE])
def test_trees_are_known_by_their_field(lines, tree):
    records = wideberth.read(lines({"tree": tree, "label": "x"}, {"tree": ["Z", []], "label": "y"}))
    assert (records.kind, records.column, records.labels) == ("trees", "tree", ["x", "y"])
    assert records.objects == [TREE, ["Z", []]]


def test_trees_may_be_bare_or_in_any_field_if_told(lines, write):
    assert wideberth.read(lines(TREE), kind="trees").objects == [TREE]
    assert wideberth.read(lines({"glycan": DICT_TREE, "label": 1}), kind="trees").objects == [TREE]
    path = write("trees.csv", 'tree;label\n["A", [["B", []]]];x\n')
    assert (wideberth.read(path).kind, wideberth.read(path).objects) == (
        "trees",
        [["A", [["B", []]]]],
    )


def test_the_class_of_a_record_that_is_a_tree_has_another_name(lines, refused):
    path = lines({**DICT_TREE, "class": "x", "size": 3}, {"label": "Z", "class": "y"})
    records = wideberth.read(path)
    assert (records.kind, records.labels, records.target) == ("trees", ["x", "y"], "class")
    assert (records.objects, records.column) == ([TREE, ["Z", []]], ("label", "children"))
    assert wideberth.read(path, column=["label", "children"]).kind == "trees"
    assert wideberth.read(lines(DICT_TREE, {"label": "Z"})).labels is None
    with refused(
        path, "'label' is the label of their roots", '{"tree": ..., "label": ...}', value="label"
    ):
        wideberth.read(path, target="label")
    assert wideberth.read(lines({"tree": DICT_TREE, "label": "x"}), target="label").labels == ["x"]


def test_a_record_without_a_root_s_label_is_refused(lines, refused):
    path = lines(DICT_TREE, {"children": []})
    with refused(path, "column 'label' is missing", line=2):
        wideberth.read(path)


def test_children_of_families_are_no_nodes(lines, write):
    assert (
        wideberth.read(write("families.csv", "children,cars,label\n3,1,a\n2,0,b\n")).kind
        == "vectors"
    )
    records = wideberth.read(
        lines({"children": ["Ann", "Bob"], "label": "x"}, {"children": [], "label": "y"}),
        kind="sets",
    )
    assert (records.objects, records.labels) == ([{"Ann", "Bob"}, frozenset()], ["x", "y"])
    assert wideberth.read(lines({"children": ["Ann"], "label": "x"})).kind == "objects"


def test_trees_that_are_plants_or_series_are_left_alone(lines, write):
    assert wideberth.read(write("wood.csv", "tree,height,label\noak,20,a\n")).kind == "rows"
    assert (
        wideberth.read(lines({"tree": [1, 2, 3], "label": "a"}, {"tree": [4], "label": "b"})).kind
        == "series"
    )


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (["A", [["B"]]], "['B'] is not a node of a tree"),
        (["A", "B"], "['A', 'B'] is not a node of a tree"),
        (["A", [["B", []], "C"]], "'C' is not a node of a tree"),
        ([["A"], []], "['A'] is not the label of a node"),
        ({"label": "A", "children": 5}, "['A', 5] is not a node of a tree"),
        ({"label": "A", "weight": 5}, "{'label': 'A', 'weight': 5} is not a node of a tree"),
        ({"name": "A"}, "{'name': 'A'} is not a node of a tree"),
        ("oak", "'oak' is not a node of a tree"),
    ],
)
def test_misshapen_trees_are_refused(lines, refused, broken, complaint):
    path = lines(*[{"tree": TREE, "label": "x"}] * 2, {"tree": broken, "label": "y"})
    with refused(path, complaint, '["name", [child, ...]]', line=3, value=broken):
        wideberth.read(path)


def test_one_misshapen_record_does_not_turn_a_file_of_trees_into_labels(lines, refused):
    path = lines(DICT_TREE, DICT_TREE, {"label": "Z", "children": ["oops"]})
    with refused(path, "'oops' is not a node of a tree", line=3):
        wideberth.read(path)


def test_a_deep_tree_is_read(lines):
    deep = ["leaf", []]
    for _ in range(150):
        deep = ["node", [deep]]
    assert wideberth.read(lines({"tree": deep})).objects == [deep]

"""Tree edit distance: equal to its definition and to other libraries, whatever way the trees are
written, cut and prepared.
"""

import sys

import numpy as np
import pandas as pd
import pytest
import zss
from apted import APTED
from apted.helpers import Tree as AptedTree
from child_process import run_script
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.distances import levenshtein, normalized_levenshtein
from oracles.metrics.tree_edit import normalized_tree_edit, tree_edit
from strategies import one_tree, trees

import wideberth
from wideberth.checks import check_metric
from wideberth.errors import InvalidInput
from wideberth.metrics.structures.trees import TreeEdit, TreeSample, prepare_trees

LEAF = ["a", []]
CHERRY = ["a", [["b", []], ["c", []]]]
LINE = ["a", [["b", [["c", []]]]]]
LEFT_COMB = ["a", [["b", [["a", [["b", []], ["c", []]]], ["c", []]]], ["c", []]]]
RIGHT_COMB = ["a", [["c", []], ["b", [["c", []], ["a", [["c", []], ["b", []]]]]]]]
FEW = [LEAF, CHERRY, LINE, LEFT_COMB, RIGHT_COMB, ["b", [LEAF, CHERRY, LINE]]]
fast = settings(deadline=None, max_examples=60)


def chain(word):
    tree = [word[-1], []]
    for letter in word[-2::-1]:
        tree = [letter, [tree]]
    return tree


def mirrored(tree):
    return [tree[0], [mirrored(child) for child in reversed(tree[1])]]


def as_dict(tree):
    label, children = tree
    return (
        {"label": label, "children": [as_dict(child) for child in children]}
        if children
        else {"label": label}
    )


def as_tuple(tree):
    return (tree[0], tuple(map(as_tuple, tree[1])))


def random_tree(rng, size, depth):
    """A tree whose nodes hang on one of the ``depth`` nodes before them."""
    nodes = [[str(rng.integers(3)), []] for _ in range(size)]
    for position in range(1, size):
        children = nodes[rng.integers(max(0, position - depth), position)][1]
        children.insert(rng.integers(len(children) + 1), nodes[position])
    return nodes[0]


def larger_trees():
    rng = np.random.default_rng(0)
    return [random_tree(rng, size, depth) for size in (12, 25, 40) for depth in (1, 2, 40)]


def block_by(distance, left, right):
    return np.array([[distance(one, other) for other in right] for one in left], dtype=float)


def by_zss(one, other):
    def node(tree):
        return zss.Node(tree[0], [node(child) for child in tree[1]])

    return zss.simple_distance(node(one), node(other))


def by_apted(one, other):
    def node(tree):
        return AptedTree(tree[0], *map(node, tree[1]))

    return APTED(node(one), node(other)).compute_edit_distance()


@pytest.mark.kernels
def test_few_trees_equal_the_definition():
    expected = block_by(tree_edit, FEW, FEW[1:])
    np.testing.assert_array_equal(TreeEdit().block(FEW, FEW[1:]), expected)
    np.testing.assert_allclose(
        TreeEdit(normalized=True).block(FEW, FEW[1:]), block_by(normalized_tree_edit, FEW, FEW[1:])
    )


@pytest.mark.kernels
def test_obvious_distances():
    metric = TreeEdit()
    assert metric(LEAF, LEAF) == 0
    assert metric(LEAF, ["b", []]) == 1
    assert metric(CHERRY, LEAF) == 2
    assert metric(CHERRY, mirrored(CHERRY)) == 2
    assert metric(["a", [CHERRY]], CHERRY) == 1
    assert metric(["x", [["b", [CHERRY, LINE]]]], ["x", [CHERRY, LINE]]) == 1
    assert TreeEdit(normalized=True)(CHERRY, LEAF) == 2 * 2 / (3 + 1 + 2)


@fast
@given(one_sample=trees, other_sample=trees)
def test_random_trees_equal_the_definition_when_prepared_apart(one_sample, other_sample):
    np.testing.assert_array_equal(
        TreeEdit().block(one_sample, other_sample),
        block_by(tree_edit, one_sample, other_sample),
        strict=True,
    )
    np.testing.assert_array_equal(
        TreeEdit(normalized=True).block(one_sample, other_sample),
        block_by(normalized_tree_edit, one_sample, other_sample),
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("library", [by_zss, by_apted])
def test_larger_trees_equal_other_libraries(library):
    sample = larger_trees()
    np.testing.assert_array_equal(
        TreeEdit().block(sample, sample[::4]), block_by(library, sample, sample[::4])
    )


def test_both_sides_are_taken_and_agree():
    """A comb to the left is cheap from the left, its mirror image from the right: both ways are
    needed here.
    """
    sample = larger_trees()
    images = list(map(mirrored, sample))
    np.testing.assert_array_equal(
        TreeEdit().block(sample, sample), TreeEdit().block(images, images)
    )
    np.testing.assert_array_equal(
        TreeEdit().block(sample, images), TreeEdit().block(images, sample)
    )


@fast
@given(words=st.lists(st.text("ab", min_size=1, max_size=7), min_size=2, max_size=5))
def test_on_chains_it_is_the_distance_of_levenshtein(words):
    chains = list(map(chain, words))
    np.testing.assert_array_equal(
        TreeEdit().block(chains, chains), block_by(levenshtein, words, words)
    )
    np.testing.assert_array_equal(
        TreeEdit(True).block(chains, chains), block_by(normalized_levenshtein, words, words)
    )


@fast
@given(sample=trees, normalized=st.booleans())
def test_symmetric_zero_on_itself_and_the_same_pair_by_pair(sample, normalized):
    metric = TreeEdit(normalized)
    distances = metric.block(sample, sample)
    np.testing.assert_array_equal(distances, distances.T)
    np.testing.assert_array_equal(np.diag(distances), 0)
    np.testing.assert_array_equal(
        distances, [[metric(one, other) for other in sample] for one in sample]
    )


@settings(deadline=None, max_examples=30)
@given(sample=trees)
def test_normalized_keeps_its_promises(sample):
    metric = TreeEdit(normalized=True)
    check_metric(metric, sample)
    assert metric.block(sample, sample).max() <= 1
    assert wideberth.diagnose(sample, metric).broken_promises == ()


@pytest.mark.parametrize("normalized", [False, True])
def test_it_breaks_what_it_says_it_breaks(normalized):
    words = (
        ["ab", "ba", "aaa", "aab", "aba", "baa"] if normalized else ["a", "aba", "bab", "ab", "ba"]
    )
    weights = np.array([-2, -2, -3, 2, 3, 2] if normalized else [2, 2, 2, -3, -3])
    metric = TreeEdit(normalized)
    chains = list(map(chain, words))
    assert weights.sum() == 0
    assert weights @ metric.block(chains, chains) @ weights == pytest.approx(
        4 / 7 if normalized else 12
    )  # each pair twice
    found = wideberth.diagnose(chains, metric)
    assert [fact.violated for fact in found.spectrum] == [True, True]
    assert (metric.hilbertian, metric.negative_type) == (False, False)


def test_promises_depend_on_the_normalization():
    assert (TreeEdit().bounded, TreeEdit().step) == (False, 1)
    assert (TreeEdit(normalized=True).bounded, TreeEdit(normalized=True).step) == (True, None)
    with pytest.raises(InvalidInput, match="must be True or False, not 'yes'"):
        TreeEdit(normalized="yes")


@fast
@given(one=one_tree, other=one_tree)
def test_it_separates(one, other):
    assert (TreeEdit()(one, other) == 0) == (one == other)


@fast
@given(sample=trees)
def test_lists_tuples_and_dicts_are_one_tree(sample):
    forms = [sample, list(map(as_tuple, sample)), list(map(as_dict, sample))]
    forms.append(
        [(as_tuple if number % 2 else as_dict)(tree) for number, tree in enumerate(sample)]
    )
    for form in forms:
        np.testing.assert_array_equal(np.diag(TreeEdit().block(sample, form)), 0)
        assert [prepare_trees(form)[index] for index in range(len(form))] == sample


@pytest.mark.parametrize(
    "many",
    [
        (CHERRY, LEAF),
        np.array([CHERRY, LEAF], dtype=object),
        pd.Series([CHERRY, LEAF]),
        pd.DataFrame([CHERRY, LEAF], columns=["label", "children"]),
        prepare_trees([CHERRY, LEAF]),
    ],
    ids=["tuple", "array", "series", "frame", "prepared"],
)
def test_samples_come_in_many_forms(many):
    np.testing.assert_array_equal(TreeEdit().block(many, [LEAF]), [[2], [0]])


def test_labels_are_equal_as_python_says():
    metric = TreeEdit()
    assert metric([1, []], ["1", []]) == 1
    assert (
        metric([1, []], [1.0, []])
        == metric([1, []], [True, []])
        == metric([1, []], [np.int8(1), []])
        == 0
    )
    assert metric([None, []], [("a", 2), []]) == 1
    assert metric([("a", 2), []], [("a", 2.0), []]) == 0


def test_picking_keeps_the_trees():
    sample = prepare_trees(FEW)
    assert [sample.take([4, 0, 4])[index] for index in range(3)] == [FEW[4], FEW[0], FEW[4]]
    assert [*sample.take(slice(1, 3))] == FEW[1:3]
    assert [*sample.take(slice(None, None, -2))] == FEW[::-2]
    assert len(sample.take(slice(3, 1))) == len(sample.take(np.array([], dtype=int))) == 0
    assert sample[-1] == FEW[-1]
    with pytest.raises(IndexError):
        sample[len(FEW)]
    assert TreeEdit().prepare(sample) is sample


def test_a_model_file_keeps_the_trees():
    plain = prepare_trees(FEW).take([1, 3]).plain()
    assert sorted(plain["names"]) == ["a", "b", "c"]
    assert TreeSample.from_plain(plain) == [FEW[1], FEW[3]]
    assert TreeSample.from_plain(prepare_trees([]).plain()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ["a", "b"]}, "numbers of others"),
        ({"names": None}, "are needed"),
        ({"starts": np.array([0, 2])}, "do not cut"),
        ({"labels": np.array([0.5, 1, 0])}, "flat array"),
        ({"labels": np.array([-1, 1, 0])}, "numbers of others"),
        ({"n_children": np.array([0, 0, 3])}, "cannot have 3 children"),
        ({"n_children": np.array([0, -1, 2])}, "cannot have -1 children"),
        ({"n_children": np.array([0, 0, 1])}, "2 trees where one is needed"),
        ({"starts": np.array([0, 3, 3])}, "0 trees where one is needed"),
    ],
)
def test_a_broken_model_file_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        TreeSample.from_plain(prepare_trees([CHERRY]).plain() | change)


DEPTH = 5 * sys.getrecursionlimit()


@pytest.mark.slow
def test_the_time_to_read_a_tree_does_not_grow_with_the_square_of_its_depth():
    script = (
        "from wideberth.metrics.structures.trees import prepare_trees\ntree = ['a', []]\n"
        "for _ in range(50_000):\n    tree = ['a', [tree]]\n"
        # taking it apart would be recursive
        "print(prepare_trees([tree]).sizes, flush=True)\nimport os; os._exit(0)"
    )
    assert run_script(script, cpu_seconds=20).stdout == "[50001]\n"


def test_deep_trees_do_not_reach_the_end_of_the_stack():
    deep = prepare_trees([chain("ab" * (DEPTH // 2)), as_deep_dict(DEPTH)])
    assert deep.sizes.tolist() == [DEPTH, DEPTH]
    rebuilt = TreeSample.from_plain(deep.plain())
    np.testing.assert_array_equal(prepare_trees(rebuilt).labels, deep.labels)


def as_deep_dict(depth):
    tree = {"label": "a"}
    for _ in range(depth - 1):
        tree = {"label": "a", "children": [tree]}
    return tree


def test_deep_trees_are_measured():
    words = ["ab" * 1000, "ba" * 999 + "c", "c" * 1500]
    deep = list(map(chain, words))
    expected = wideberth.metric("levenshtein").block(words, words)
    np.testing.assert_array_equal(TreeEdit().block(deep, deep), expected)


@pytest.mark.parametrize(
    ("tree", "path", "message"),
    [
        ("a", (), r"Tree 1 is not a node: 'a'\. .* Wrap a single tree in a list"),
        (["a"], (), r"Tree 1 is not a node: \['a'\]"),
        (["a", "b"], (), "Tree 1 has children that are not a list: 'b'"),
        (
            ["a", [["b", []], "c"]],
            (1,),
            r"The node of tree 1 at child 1 of the root is not a node: 'c'\. A node is \[label",
        ),
        (
            ["a", [LEAF, ["b", [LEAF, ["c", None]]]]],
            (1, 1),
            "at child 1 > 1 of the root has children that are not a list: None",
        ),
        (["a", [{"name": "b"}]], (0,), "at child 0 of the root is not a node: {'name': 'b'}"),
        ({"label": "a", "childs": []}, (), "Tree 1 is not a node"),
        ({"children": []}, (), "Tree 1 is not a node"),
        ([["a"], []], (), r"has a label that is not hashable: \['a'\]\. Make labels texts"),
        (
            ["a", [[float("nan"), []]]],
            (0,),
            "at child 0 of the root has a label that does not equal itself: nan",
        ),
        (["a", [[pd.NA, []]]], (0,), "does not equal itself: <NA>"),
        (None, (), "Tree 1 is not a node: None"),
    ],
)
def test_malformed_trees_are_refused_where_they_are_malformed(tree, path, message):
    with pytest.raises(InvalidInput, match=message) as refused:
        prepare_trees([LEAF, tree])
    assert refused.value.witness == (1, path)


def test_a_fault_deep_down_is_shown_in_one_line():
    tree = ["a", "not a list"]
    for _ in range(5000):
        tree = ["a", [LEAF, tree]]
    with pytest.raises(
        InvalidInput, match=r"at child 1 > 1 > 1 > 1 > \.\.\. > 1 > 1 > 1 > 1 of the root has"
    ) as refused:
        prepare_trees([tree])
    assert refused.value.witness == (0, (1,) * 5000)
    with pytest.raises(InvalidInput, match="is not a node") as refused:
        prepare_trees([[tree, [], LEAF]])
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("form", ["list", "dict"])
def test_a_tree_that_contains_itself_is_refused(form):
    inner = ["b", [LEAF]] if form == "list" else {"label": "b", "children": [LEAF]}
    children = inner[1] if form == "list" else inner["children"]
    children.append(["c", [LEAF, inner, LEAF]])
    with pytest.raises(InvalidInput, match=r"contains itself: .* Cut the cycle"):
        prepare_trees([["a", [CHERRY, inner]]])
    children.pop()  # the advice
    assert len(prepare_trees([["a", [CHERRY, inner]]])) == 1


def test_equal_subtrees_may_be_one_object():
    many = ["a", [CHERRY] * 500]
    assert TreeEdit()(many, ["a", [CHERRY] * 499]) == 3


def test_one_tree_alone_is_not_a_sample():
    with pytest.raises(InvalidInput, match="Wrap a single tree in a list"):
        prepare_trees(CHERRY)
    assert len(prepare_trees([CHERRY])) == 1

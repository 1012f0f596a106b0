"""Trees by their paths and neighbours: counts agree with those of a recursion over nested lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.metrics.weighted_sets import tree_parts, tree_paths
from strategies import one_tree

import wideberth
from wideberth.errors import InvalidInput
from wideberth.metrics.structures.tree_paths import TreePaths

METRIC = TreePaths()


@pytest.mark.kernels
@given(st.lists(one_tree, max_size=4), st.lists(one_tree, max_size=4), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_trees_read_apart_equal_the_definition(left, right, longest):
    expected = np.array([[tree_paths(one, other, longest) for other in right] for one in left])
    measured = TreePaths(longest).block(left, right)
    np.testing.assert_allclose(measured, expected.reshape(measured.shape), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(TreePaths(longest).block(right, left), measured.T)


@given(st.lists(one_tree, min_size=1, max_size=5), st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_each_part_is_one_element(many, longest):
    prepared = TreePaths(longest).prepare(many)
    parts = [tree_parts(tree, longest) for tree in many]
    assert len(np.unique(prepared.numbers)) == len(set().union(*parts))
    for position, counts in enumerate(parts):
        assert sorted(prepared.take([position]).weights) == sorted(counts.values())


def test_the_form_of_a_part_belongs_to_it():
    """Two neighbours a, b below r are no path r, a, b, and the first child has no label before it."""
    chain, fork = ["r", [["a", [["b", []]]]]], ["r", [["a", []], ["b", []]]]
    assert METRIC(chain, fork) == pytest.approx(tree_paths(chain, fork, 3))
    assert METRIC(["r", [[None, []]]], ["r", [["none", []]]]) > 0


def test_an_element_never_changes():
    """Model files hold elements: these letters are part of their format."""
    found = sorted(
        METRIC.prepare([["a", [["b", []]]]]).elements.tuples(), key=lambda each: (len(each), each)
    )
    assert [(each[0], len(each)) for each in found] == [(1, 9), (1, 9), (2, 17), (0, 25), (0, 25)]
    assert found[0][1:3] == (3082476926, 2674031388)


def test_longer_paths_see_farther():
    one, other = METRIC.counterexamples["separates"]
    assert [TreePaths(longest)(one, other) for longest in (1, 2, 3)] == [0.0, 0.0, 0.0]
    assert TreePaths(4)(one, other) > 0


def test_deep_trees_are_read_without_recursion():
    deep = ["a", []]
    for _ in range(20_000):
        deep = ["a", [deep]]
    assert METRIC(deep, ["a", [deep]]) < 1e-3


def test_labels_are_equal_as_in_trees_or_refused():
    assert METRIC([1, []], [1.0, []]) == 0 < METRIC([1, []], ["1", []])
    with pytest.raises(
        InvalidInput, match="Tree 1 has a label that cannot be recognised again: object"
    ):
        METRIC.prepare([["a", []], ["a", [[object(), []]]]])


@pytest.mark.parametrize("longest", [0, 33, 2.5, True, "3"])
def test_the_longest_path_is_a_whole_number(longest):
    with pytest.raises(InvalidInput, match="whole number of nodes from 1 to 32"):
        wideberth.metric("tree_paths", longest=longest)

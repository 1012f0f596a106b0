"""Tree edit distance straight from its recursion on forests (Zhang & Shasha 1989, Lemmas 3 to 5),
memoised and nothing else.
"""

from functools import cache
from typing import Any

Forest = tuple[Any, ...]


def tree_edit(one: Any, other: Any) -> int:
    """The fewest insertions, deletions and renamings between two trees [label, children]."""
    return forest_edit((_frozen(one),), (_frozen(other),))


def normalized_tree_edit(one: Any, other: Any) -> float:
    edits = tree_edit(one, other)
    return 2 * edits / (size((_frozen(one),)) + size((_frozen(other),)) + edits)


@cache
def forest_edit(left: Forest, right: Forest) -> int:
    """Either the last root of a forest goes, leaving its children, or both stay and are matched
    with all that is below them.
    """
    if not left or not right:
        return size(left) + size(right)
    *others_left, (left_label, left_children) = left
    *others_right, (right_label, right_children) = right
    return min(
        forest_edit((*others_left, *left_children), right) + 1,
        forest_edit(left, (*others_right, *right_children)) + 1,
        forest_edit(tuple(others_left), tuple(others_right))
        + forest_edit(left_children, right_children)
        + (left_label != right_label),
    )


def size(forest: Forest) -> int:
    return sum(1 + size(children) for _, children in forest)


def _frozen(tree: Any) -> Forest:
    label, children = (tree["label"], tree.get("children", ())) if isinstance(tree, dict) else tree
    return (label, tuple(map(_frozen, children)))

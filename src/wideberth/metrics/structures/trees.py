"""Ordered labelled trees: read from nested nodes, checked, and kept in flat arrays; and their
edit distance, plain or normalized by their sizes."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from wideberth.array_types import Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import check_starts, mean_size, taken
from wideberth.metrics.elements import Numbers, check_numbers, in_use, renumbered
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.structures.kernels import tree_edit_block
from wideberth.objects import sample
from wideberth.wording import setting

#: A visited node: the node itself, the position of its parent in the list of visited nodes, its
#: number among the children.
Visit = tuple[Any, int, int]

#: The advice for nodes that are written in another way.
_NODE = (
    "A node is [label, [child, ...]] or {'label': label, 'children': [child, ...]}; a leaf is "
    "[label, []]."
)


@dataclass(frozen=True, eq=False)
class TreeSample:
    """Trees as numbers, node by node in postorder: children before their parent, from left to
    right. Tree t has the nodes from ``starts[t]`` to ``starts[t + 1]``, and ``names[labels[node]]``
    is the label of a node; in postorder the numbers of children determine the shape of a tree.

    Examples
    --------
    >>> prepare_trees([["a", [["b", []]]]])[0]
    ['a', [['b', []]]]
    """

    labels: Numbers
    n_children: Numbers
    starts: Numbers
    names: list[Any] = field(repr=False)
    number_of: dict[Any, int] = field(repr=False)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> list[Any]:
        """Return one tree as nested lists [label, children]."""
        tree = range(len(self))[index]
        nodes = slice(self.starts[tree], self.starts[tree + 1])
        return _nested(
            [self.names[label] for label in self.labels[nodes]], self.n_children[nodes].tolist()
        )

    @property
    def sizes(self) -> Numbers:
        """The number of nodes of each tree, shape (trees,)."""
        return np.diff(self.starts)

    def take(self, indices: Any) -> Self:
        """Select the trees at ``indices``, a slice or integers; trees from a slice share the memory
        of this sample.
        """
        nodes, starts = taken(self.starts, indices)
        return type(self)(
            self.labels[nodes], self.n_children[nodes], starts, self.names, self.number_of
        )

    def plain(self) -> dict[str, Any]:
        """Return the trees as plain values for a model file, see
        `wideberth.metrics.containers.Prepared`.

        Labels that no tree uses are left out.
        """
        names, labels = in_use(self.labels, self.number_of)
        return {
            "names": names,
            "labels": labels,
            "n_children": self.n_children,
            "starts": self.starts,
        }

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Any:
        """Read trees from the plain values that a file contains. They are nested lists, as a user
        would write them; `prepare_trees` checks them again.
        """
        match plain:
            case {
                "names": list(names),
                "labels": labels,
                "n_children": n_children,
                "starts": starts,
            }:
                check_starts(labels, starts, "iu")
                check_starts(n_children, starts, "iu")
                check_numbers(labels, names)
                spans = zip(starts.tolist(), starts[1:].tolist(), strict=False)
                return [
                    _nested(
                        [names[label] for label in labels[first:stop]],
                        n_children[first:stop].tolist(),
                    )
                    for first, stop in spans
                ]
        raise ValueError("names, labels, n_children and starts of trees are needed")


def prepare_trees(objects: Objects) -> TreeSample:
    """Read trees from nested nodes: [label, [child, ...]], tuples of the same, or dicts with
    "label" and "children".

    The witness of an error is the number of the tree and the path of child numbers from the root to
    the node.

    A leaf has an empty list of children; a dict may leave it out. Labels are hashable values that
    are equal if Python finds them equal (1 and 1.0 are, 1 and "1" are not). Trees may be deep,
    because nothing here recurses.

    Examples
    --------
    >>> trees = prepare_trees([["a", [["b", []], ["c", []]]], {"label": "a"}])
    >>> trees.labels, trees.n_children, trees.starts
    (array([2, 1, 0, 0]), array([0, 0, 2, 0]), array([0, 3, 4]))
    """
    if isinstance(objects, TreeSample):
        return objects
    held = sample.one_by_one(sample.hold(objects))
    # numpy turns a list of [label, children] into a table
    is_table = isinstance(held, np.ndarray) and held.ndim == 2
    rows = held.tolist() if is_table else held
    number_of: dict[Any, int] = {}
    labels: list[int] = []
    n_children: list[int] = []
    starts = [0]
    for index, tree in enumerate(rows):
        _append_postorder(tree, index, labels, n_children, number_of)
        starts.append(len(labels))
    return TreeSample(
        np.array(labels, dtype=np.int64),
        np.array(n_children, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        list(number_of),
        number_of,
    )


def _append_postorder(
    tree: Any, index: int, labels: list[int], n_children: list[int], number_of: dict[Any, int]
) -> None:
    """Append the nodes of a tree to ``labels`` and ``n_children``, and number its labels.

    Nodes are visited parent first and last child first, which is postorder read backwards.
    ``index`` is the number of the tree, for error messages; ``number_of`` gains the labels that are
    new.
    """
    visited: list[Visit] = []
    label_numbers, child_counts = [], []
    waiting: list[Visit] = [(tree, -1, 0)]
    while waiting:
        visit = waiting.pop()
        here = len(visited)
        visited.append(visit)
        label, children = _label_and_children(visited, index)
        label_numbers.append(_label_number(label, number_of, visited, index))
        child_counts.append(len(children))
        waiting.extend((child, here, place) for place, child in enumerate(children))
        if here >= 1024 and here & (here - 1) == 0:  # at powers of 2: often enough, and cheap
            _check_no_cycle(visited, index)
    labels.extend(reversed(label_numbers))
    n_children.extend(reversed(child_counts))


def _label_and_children(visited: list[Visit], index: int) -> tuple[Any, Any]:
    """The label and the children of the node visited last, or an error if it is not a node."""
    node = visited[-1][0]
    if isinstance(node, list | tuple) and len(node) == 2:
        label, children = node
    elif isinstance(node, dict) and "label" in node and node.keys() <= {"label", "children"}:
        label, children = node["label"], node.get("children", ())
    else:
        advice = _NODE if len(visited) > 1 else f"{_NODE} Wrap a single tree in a list: [tree]."
        raise _invalid_node(visited, index, "is not a node", node, advice)
    if not isinstance(children, list | tuple):
        raise _invalid_node(visited, index, "has children that are not a list", children, _NODE)
    return label, children


def _label_number(label: Any, number_of: dict[Any, int], visited: list[Visit], index: int) -> int:
    """The number of a label; a label that is new gets the next number."""
    try:
        number = number_of.get(label)
    except TypeError:
        raise _invalid_node(
            visited,
            index,
            "has a label that is not hashable",
            label,
            "Make labels texts, numbers, or tuples of them.",
        ) from None
    if number is not None:
        return number
    if not sample.equals_itself(label):
        raise _invalid_node(
            visited,
            index,
            "has a label that does not equal itself",
            label,
            "Name missing labels, for example None.",
        )
    number_of[label] = len(number_of)
    return number_of[label]


def _check_no_cycle(visited: list[Visit], index: int) -> None:
    """Raise an error if a tree contains itself: a node occurs twice on the way from the root to the
    node visited last.
    """
    ancestors = set()
    position = len(visited) - 1
    while position >= 0:
        node, position, _ = visited[position]
        if id(node) in ancestors:
            raise _invalid_node(
                visited,
                index,
                "contains itself",
                node,
                "Cut the cycle: a tree has an end on every branch.",
            )
        ancestors.add(id(node))


def _invalid_node(
    visited: list[Visit], index: int, problem: str, value: Any, advice: str
) -> InvalidInput:
    """The error for the node visited last, with the path to it from the root; long paths are
    shortened.
    """
    path: list[int] = []
    _, parent, place = visited[-1]
    while parent >= 0:
        path.append(place)
        _, parent, place = visited[parent]
    path.reverse()
    steps = (
        list(map(str, path))
        if len(path) <= 12
        else [*map(str, path[:4]), "...", *map(str, path[-4:])]
    )
    where = (
        f"The node of tree {index} at child {' > '.join(steps)} of the root"
        if path
        else f"Tree {index}"
    )
    return InvalidInput(
        f"{where} {problem}: {sample.shown(value)}.",
        advice=advice,
        witness=(index, tuple(path)),
        value=value,
    )


def _nested(labels: list[Any], n_children: list[int]) -> list[Any]:
    """One tree as nested lists, from its nodes in postorder; a `ValueError` if they do not make one
    tree.
    """
    roots: list[Any] = []
    for label, count in zip(labels, n_children, strict=True):
        if not 0 <= count <= len(roots):
            raise ValueError(f"a node cannot have {count} children here")
        first = len(roots) - count
        roots[first:] = [[label, roots[first:]]]
    if len(roots) != 1:
        raise ValueError(f"{len(roots)} trees where one is needed")
    root: list[Any] = roots[0]
    return root


# ---- The edit distance

#: Three words, as trees without branches, at 2 from each other, and two more that are at 1 from all
#: of them.
_CHAINS = [
    ["a", []],
    ["a", [["b", [["a", []]]]]],
    ["b", [["a", [["b", []]]]]],
    ["a", [["b", []]]],
    ["b", [["a", []]]],
]


class TreeEdit(Metric):
    r"""The smallest number of nodes to insert, delete or rename that turns one tree into the other.

    Deleting a node gives its children, in order, to its parent; inserting is the reverse.
    Equivalently, with T, U ordered trees,

    .. math:: d(T, U) = \min_M \; |T| + |U| - 2 |M| + |\{(v, w) \in M : \mathrm{label}(v) \neq
        \mathrm{label}(w)\}|

    where M matches nodes one to one and preserves which node is an ancestor of which, and which is
    left of which. Zhang & Shasha, "Simple fast algorithms for the editing distance between trees
    and related problems", SIAM Journal on Computing 18(6), 1989.

    A metric, because edits can be undone and done one after the other (Tai 1979). Zero only between
    trees of the same shape with equal labels; lists, tuples and dicts are three ways to write one
    tree. On chains, where every node has at most one child, it is the distance of Levenshtein.
    Neither Hilbertian nor of negative type: the chains a, aba and bab are at 2 from each other, so
    are ab and ba, and at 1 from those; with the weights b = (2, 2, 2, -3, -3), whose sum is zero,
    :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`.

    Normalized, it is :math:`2 d / (|T| + |U| + d)`, in [0, 1], and still a metric: Li & Zhang, "A
    metric normalization of tree edit distance", Frontiers of Computer Science in China 5(1), 2011;
    it is the transform of Marczewski & Steinhaus with the empty tree as base point. Neither
    Hilbertian nor of negative type: the chains ab, ba, aaa, aab, aba and baa with the weights b =
    (-2, -2, -3, 2, 3, 2) have :math:`\sum_{i<j} b_i b_j d_{ij} = 2/7 > 0`.

    Time grows with :math:`|T||U|` for chains and stars, with the fourth power of the size for trees
    that are bushy on both sides at all levels; memory is :math:`8 |T||U|` bytes.

    Parameters
    ----------
    normalized : bool, default False
        Compare relative to the sizes. Prefer it where trees differ in size and the size says little
        about the class: otherwise small trees are the nearest of most others.

    Examples
    --------
    >>> # delete c, insert it below b
    >>> TreeEdit()(["a", [["b", []], ["c", []]]], ["a", [["b", [["c", []]]]]])
    2.0
    >>> TreeEdit(normalized=True)(["a", []], ["b", []])  # 2 * 1 / (1 + 1 + 1)
    0.6666666666666666
    """

    name = "tree_edit"
    examples = (
        *(["+", [["x", []], ["1", []]]], ["+", [["x", []], ["y", []]]]),
        *(["-", [["x", []], ["1", []]]], ["+", [["x", []], ["*", [["y", []], ["2", []]]]]]),
        *(["and", [["p", []], ["q", []]]], ["or", [["p", []], ["q", []]]]),
        *(["not", [["p", []]]], ["and", [["p", []], ["not", [["q", []]]]]]),
    )
    source = "insert, delete, rename nodes (Tai 1979, Zhang & Shasha 1989)"
    counterexamples: ClassVar = {"hilbertian": _CHAINS, "negative_type": _CHAINS}
    accepts: Kind = "trees"
    parallel = "threads"

    def __init__(self, normalized: bool = False) -> None:
        if not isinstance(normalized, bool | np.bool_):
            raise InvalidInput(
                f"normalized of 'tree_edit' must be True or False, not {normalized!r}.",
                advice=f"{setting('normalized', True)} compares relative to the sizes of the "
                "trees.",
                value=normalized,
            )
        self.normalized = normalized
        self.unit = None if normalized else "node edit"

    @property
    def promises(self) -> Promises:
        """A metric that separates trees; bounded if it is normalized, in whole steps if not."""
        return Promises(
            obeys_triangle=True,
            hilbertian=False,
            negative_type=False,
            bounded=bool(self.normalized),
            separates=True,
            step=None if self.normalized else 1,
        )

    def prepare(self, objects: Objects) -> TreeSample:
        """Check the trees and bring them into flat arrays, see `prepare_trees`."""
        return prepare_trees(objects)

    def nanoseconds(self, prepared: TreeSample) -> float:
        """The time of one distance, which grows with the square of the mean number of nodes."""
        return 15.0 * mean_size(prepared.starts) ** 2

    def _measure(self, left: TreeSample, right: TreeSample) -> Distances:
        left_labels, right_labels = _comparable_labels(left, right)
        distances: Distances = tree_edit_block(
            left_labels, left.n_children, left.starts, right_labels, right.n_children, right.starts
        )
        if self.normalized:
            return 2 * distances / (left.sizes[:, None] + right.sizes + distances)
        return distances


def _comparable_labels(left: TreeSample, right: TreeSample) -> tuple[Numbers, Numbers]:
    """The labels of both samples in one numbering; those of the sample with fewer nodes are
    translated.
    """
    if len(left.labels) <= len(right.labels):
        return renumbered(left.labels, left.number_of, right.number_of)[0], right.labels
    return left.labels, renumbered(right.labels, right.number_of, left.number_of)[0]

"""Edit distance of ordered labelled trees."""

from typing import Any

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import Numbers, renumbered
from wideberth.metrics.tree_edit_kernels import tree_edit_block
from wideberth.metrics.trees import TreeSample, prepare_trees


class TreeEdit(Metric):
    r"""The fewest nodes to insert, delete or rename that turn one tree into the other.

    Deleting a node gives its children, in order, to its parent; inserting is the reverse. Equivalently, with T, U ordered trees,

    .. math:: d(T, U) = \min_M \; |T| + |U| - 2 |M| + |\{(v, w) \in M : \mathrm{label}(v) \neq \mathrm{label}(w)\}|

    where M matches nodes one to one and keeps who is an ancestor of whom and who is left of whom. Zhang & Shasha, "Simple fast
    algorithms for the editing distance between trees and related problems", SIAM Journal on Computing 18(6), 1989.

    A metric, because edits can be undone and done one after the other (Tai 1979). Zero only between trees of the same shape with
    equal labels; lists, tuples and dicts are three ways to write one tree. On chains, where every node has at most one child, it
    is the distance of Levenshtein. Neither Hilbertian nor of negative type: the chains a, aba and bab are at 2 from each other,
    so are ab and ba, and at 1 from those; with the weights b = (2, 2, 2, -3, -3), whose sum is zero,
    :math:`\sum_{i<j} b_i b_j d_{ij} = 6 > 0`.

    Normalized, it is :math:`2 d / (|T| + |U| + d)`, in [0, 1], and still a metric: Li & Zhang, "A metric normalization of tree
    edit distance", Frontiers of Computer Science in China 5(1), 2011; it is the transform of Marczewski & Steinhaus with the
    empty tree as base point. Neither Hilbertian nor of negative type: the chains ab, ba, aaa, aab, aba and baa with the weights
    b = (-2, -2, -3, 2, 3, 2) have :math:`\sum_{i<j} b_i b_j d_{ij} = 2/7 > 0`.

    Time grows with :math:`|T||U|` for chains and stars, with the fourth power of the size for trees that are bushy on both sides
    all the way down; memory is :math:`8 |T||U|` bytes.

    >>> TreeEdit()(["a", [["b", []], ["c", []]]], ["a", [["b", [["c", []]]]]])  # delete c, insert it below b
    2.0
    >>> TreeEdit(normalized=True)(["a", []], ["b", []])  # 2 * 1 / (1 + 1 + 1)
    0.6666666666666666

    Parameters
    ----------
    normalized : bool
        Compare relative to the sizes. Prefer it where trees differ in size and the size says little about the class: otherwise
        small trees are the nearest of most others.
    """

    name = "tree_edit"
    eats: Kind = "trees"
    parallel = "threads"

    def __init__(self, normalized: bool = False) -> None:
        if not isinstance(normalized, bool | np.bool_):
            raise InvalidInput(
                f"normalized of 'tree_edit' must be True or False, not {normalized!r}.",
                advice="normalized=True compares relative to the sizes of the trees.",
                value=normalized,
            )
        self.normalized = normalized

    @property
    def promises(self) -> Promises:
        return Promises(
            obeys_triangle=True,
            hilbertian=False,
            negative_type=False,
            bounded=bool(self.normalized),
            separates=True,
            step=None if self.normalized else 1,
        )

    def prepare(self, objects: Any) -> TreeSample:
        return prepare_trees(objects)

    def _measure(self, left: TreeSample, right: TreeSample) -> Distances:
        left_labels, right_labels = _comparable_labels(left, right)
        distances: Distances = tree_edit_block(
            left_labels, left.n_children, left.starts, right_labels, right.n_children, right.starts
        )
        if self.normalized:
            return 2 * distances / (left.sizes[:, None] + right.sizes + distances)
        return distances


def _comparable_labels(left: TreeSample, right: TreeSample) -> tuple[Numbers, Numbers]:
    """The labels of both samples in the numbers of one: those of the sample with fewer nodes are translated."""
    if len(left.labels) <= len(right.labels):
        return renumbered(left.labels, left.number_of, right.number_of)[0], right.labels
    return left.labels, renumbered(right.labels, right.number_of, left.number_of)[0]

"""The edit distance between ordered labelled trees, plain or normalized by their sizes."""

from typing import Any, ClassVar

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.containers import mean_size
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.numbering import Numbers, renumbered
from wideberth.metrics.structures.kernels import tree_edit_block
from wideberth.metrics.structures.trees import TreeSample, prepare_trees
from wideberth.wording import setting

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
    >>> TreeEdit()(
    ...     ["a", [["b", []], ["c", []]]], ["a", [["b", [["c", []]]]]]
    ... )  # delete c, insert it below b
    2.0
    >>> TreeEdit(normalized=True)(["a", []], ["b", []])  # 2 * 1 / (1 + 1 + 1)
    0.6666666666666666
    """

    name = "tree_edit"
    examples = (
        ["+", [["x", []], ["1", []]]],
        ["+", [["x", []], ["y", []]]],
        ["-", [["x", []], ["1", []]]],
        ["+", [["x", []], ["*", [["y", []], ["2", []]]]]],
        ["and", [["p", []], ["q", []]]],
        ["or", [["p", []], ["q", []]]],
        ["not", [["p", []]]],
        ["and", [["p", []], ["not", [["q", []]]]]],
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

    def prepare(self, objects: Any) -> TreeSample:
        """Check the trees and bring them into flat arrays, see `prepare_trees`.

        Parameters
        ----------
        objects : sequence of trees, or TreeSample
            Trees as nested nodes ``[label, [child, ...]]``.

        Returns
        -------
        TreeSample
            The trees, unchanged if they were prepared before.
        """
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

"""Ordered labelled trees by what they consist of: their distance by counts of paths and neighbours."""

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from wideberth.array_types import Integers, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.elements import Elements, Numbers, written_token
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.sets.multisets import Multisets, ruzicka_between
from wideberth.metrics.structures.graphs import name_of
from wideberth.metrics.structures.trees import TreeEdit, TreeSample, prepare_trees
from wideberth.objects.digests import Digests
from wideberth.rounding import UNIT

#: Longer paths are hardly ever shared, and a tree of n nodes has as many of each length as nodes.
MOST_NODES = 32
#: Letters of the name of a label, of 32 bits each.
_LETTERS = 8
#: In place of a node: above a root, before a first child, behind a last one.
_NONE = -1


class TreePaths(Metric):
    r"""Ruzicka's distance between the counts of all short paths and neighbours in two ordered trees.

    .. math:: d(T, U) = 1 - \frac{\sum_p \min(\#_p T, \#_p U)}{\sum_p \max(\#_p T, \#_p U)}

    where :math:`\#_p T` counts how often p occurs in the tree T: a *path*, the labels of up to
    ``longest`` nodes, each a child of the one before; or two *neighbours*, the labels of a parent
    and of two children of it that stand beside each other, with marks before the first and behind
    the last child. Parts of trees as features are as old as the kernels of Collins & Duffy,
    "Convolution kernels for natural language", NIPS 2001, which count whole subtrees; paths are far
    fewer, and a distance takes well under a microsecond.

    It obeys the triangle inequality, is of negative type and not Hilbertian, as `Ruzicka`, because
    the counts of a tree are a weighted set. An edit of a node may change as many
    counts as there are nodes below it, so that there is no radius in edits. It does not separate:
    where only longer paths tell which of two leaves is below which branch, the leaves may change
    places.

    Parameters
    ----------
    longest : int, default 3
        The most nodes of a path.

    Examples
    --------
    >>> # a, b, c, ab, ac agree, and that c is the last child; d and its path and neighbours do not
    >>> one = ["a", [["b", []], ["c", []]]]
    >>> round(TreePaths()(one, ["a", [["b", []], ["d", []], ["c", []]]]), 3)
    0.417
    """

    name = "tree_paths"
    underflow = 8 * UNIT  # it is a difference of numbers up to 1
    examples = TreeEdit.examples
    source = "Ruzicka's on counted paths and neighbours"
    counterexamples: ClassVar = {
        "hilbertian": [
            ["a", [*twigs, ["b", leaves]]]
            for twigs in ([], [["b", []]])
            for leaves in ([], [["a", []]])
        ],
        "separates": [
            [
                "r",
                [
                    [branch, [["p", [["q", [[leaf, []]]]]]]]
                    for branch, leaf in zip("xy", leaves, strict=True)
                ],
            ]
            for leaves in ("ab", "ba")
        ],
    }
    accepts: Kind = "trees"
    parallel = "threads"
    usual_nanoseconds = 100.0
    promises = Promises(
        obeys_triangle=True, hilbertian=False, negative_type=True, bounded=True, separates=False
    )

    def __init__(self, longest: int = 3) -> None:
        if not is_whole(longest, 1, MOST_NODES):
            raise InvalidInput(
                f"The longest path has a whole number of nodes from 1 to {MOST_NODES}, not "
                f"{longest!r}.",
                advice="2 to 4 are usual.",
                value=longest,
            )
        self.longest = longest

    def prepare(self, objects: Objects) -> Multisets:
        """Read the trees and count their paths and neighbours."""
        if isinstance(objects, Multisets):
            return objects
        trees = prepare_trees(objects)
        parents, neighbours = _parents_and_neighbours(trees.n_children)
        parts = [neighbours]  # of each length, rows of nodes
        chains = np.arange(len(parents))[:, None]
        for _ in range(self.longest):
            parts.append(chains)
            above = parents[chains[:, -1]]
            chains = np.column_stack([chains, above])[above != _NONE]
        elements, found = _elements(parts, trees)
        trees_of = np.repeat(np.arange(len(trees)), trees.sizes)
        owners = np.concatenate([trees_of[rows[:, 0]] for rows in parts])
        return Multisets.collect(owners, elements, found, np.ones(len(found)), len(trees))

    def alike_digests(self, prepared: Multisets) -> Digests:
        """Those of the counts; see `wideberth.Metric.alike_digests`."""
        return prepared.digests()

    def _measure(self, left: Multisets, right: Multisets) -> Distances:
        return ruzicka_between(left, right)


def _parents_and_neighbours(n_children: Numbers) -> tuple[Integers, Integers]:
    """The parent of each node, from trees in postorder, and a row for each two children that stand
    beside each other: their parent, the left one and the right one.

    >>> parents, neighbours = _parents_and_neighbours(np.array([0, 0, 2]))
    >>> parents.tolist(), neighbours.tolist()
    ([2, 2, -1], [[2, -1, 0], [2, 0, 1], [2, 1, -1]])
    """
    parents = np.full(len(n_children), _NONE, dtype=np.int64)
    neighbours: list[tuple[int, int, int]] = []
    roots: list[int] = []  # of what has no parent yet
    for node, count in enumerate(n_children.tolist()):
        if count:
            children = roots[-count:]
            del roots[-count:]
            parents[children] = node
            beside = pairwise([_NONE, *children, _NONE])
            neighbours.extend((node, left, right) for left, right in beside)
        roots.append(node)
    return parents, np.array(neighbours, dtype=np.int64).reshape(-1, 3)


def _elements(parts: list[Integers], trees: TreeSample) -> tuple[Elements, Integers]:
    """The different parts as elements, and the place of each part among them. Its letters are its
    form, then the names of its labels.
    """
    names = _names(trees)
    labels = np.append(trees.labels, len(names) - 1)  # _NONE finds the last
    letters: list[Any] = []
    sizes: list[int] = []
    found: list[Integers] = []
    for form, rows in enumerate(parts):
        different, places = np.unique(labels[rows], axis=0, return_inverse=True)
        spelled = names[different].reshape(-1, _LETTERS * rows.shape[1])
        first = np.full((len(different), 1), form, dtype=np.uint32)
        letters.append(np.hstack([first, spelled]).reshape(-1))
        found.append(places.reshape(-1) + len(sizes))
        sizes += [spelled.shape[1] + 1] * len(different)
    elements, places = Elements.of(np.concatenate(letters), np.cumsum([0, *sizes]))
    return elements, places[np.concatenate(found)]


def _names(trees: TreeSample) -> Any:
    """The letters of each label, the same in every sample, and behind them those of no node."""
    written = []
    for label in trees.names:
        try:
            written.append(name_of(b"token", written_token(label)))
        except TypeError as problem:
            number = trees.number_of[label]
            node = int(np.argmax(trees.labels == number))
            witness = int(np.searchsorted(trees.starts, node, side="right")) - 1
            raise InvalidInput(
                f"Tree {witness} has a label that cannot be recognised again: {problem}.",
                advice="Label nodes by texts, numbers, or tuples of them.",
                witness=witness,
                value=label,
            ) from None
    written.append(name_of(b"none", b""))
    return np.frombuffer(b"".join(written), dtype="<u4").astype(np.uint32).reshape(-1, _LETTERS)

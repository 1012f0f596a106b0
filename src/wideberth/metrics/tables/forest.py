"""The share of randomised trees that tell two rows of a table apart, learned from their labels."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.parameters import is_whole
from wideberth.metrics.tables.mixed_rows import MixedRows, Range
from wideberth.metrics.tables.row_metric import RowMetric, check_ordered, check_ranges
from wideberth.metrics.tables.tree_kernels import (
    Leaves,
    differing_leaves,
    drop_rows,
    grow_tree,
)
from wideberth.wording import setting

#: Both sides of a cut have a tenth of the rows, but no more than five, and no fewer than two.
_LEAST = 2, 5
#: Of more rows than this, so many drawn at random teach the trees.
_MOST_TAUGHT_BY = 10_000
#: So many rows without a label stand beside those of a category, with the classes in their shares:
#: a rare category says little.
_RARE = 5.0
#: The seeds of trees, which Lehmer's generator has as states: from 1 on, below this.
_SEEDS = 2_147_483_647


# ---- Trees, and the leaves in which rows end


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees one after another, as `wideberth.metrics.tables.tree_kernels.drop_rows` reads them, and
    the place of each category in the order of its column.
    """

    #: Where each tree begins, and the number of all nodes, shape (trees + 1,).
    starts: NDArray[np.int64]
    #: The column that each node asks for, those of numbers first; -1 in leaves.
    columns: NDArray[np.int32]
    thresholds: Floats
    missing_left: NDArray[np.bool_]
    #: Shape (nodes, 2), counted from the root of the tree.
    children: NDArray[np.int32]
    #: For each column of categories, these as they are written
    #: (`wideberth.metrics.elements.written_token`), in order.
    orders: tuple[tuple[bytes, ...], ...]
    #: For each column of categories the place of those that are not among them.
    unseen: Floats
    #: Whether labels had a part in them.
    labelled: bool

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def checked(cls, given: Any, n_numbers: int, n_categories: int) -> "Trees":
        """The trees that `plain` wrote, which may come from a file; an `InvalidInput` unless every
        row ends in a leaf of each of them.
        """
        try:
            trees = cls(**given)
            _check(trees, n_numbers, n_categories)
        except (TypeError, ValueError) as reason:
            raise InvalidInput(
                f"These are no trees on {n_numbers} columns of numbers and {n_categories} of "
                f"categories: {reason}.",
                advice="Leave them out, and learn them: wideberth.metric('forest').taught(rows, "
                "labels).",
                value=type(given).__name__,
            ) from None
        return trees

    def plain(self) -> dict[str, Any]:
        """The trees as a dict of arrays and bytes, a parameter of the metric."""
        return dict(vars(self))

    def leaves(self, rows: MixedRows) -> Leaves:
        """The number of the leaf in which each row ends in each tree, shape (n, trees)."""
        places = [
            places_of(rows, codes, order, unseen)
            for codes, order, unseen in zip(rows.codes, self.orders, self.unseen, strict=True)
        ]
        values = np.ascontiguousarray(np.vstack([rows.numbers, *places]).T, dtype=np.float64)
        nodes = self.columns, self.thresholds, self.missing_left, self.children
        return np.asarray(drop_rows(values, self.starts, *nodes, self._numbers()))

    def _numbers(self) -> Leaves:
        """For each leaf how many leaves of its tree are before it."""
        counted = np.cumsum(self.columns < 0)
        sizes = np.diff(self.starts)
        before = np.concatenate([[0], counted])[self.starts[:-1]]
        return np.asarray(np.maximum(counted - np.repeat(before, sizes) - 1, 0), dtype=np.uint16)


def _check(trees: Trees, n_numbers: int, n_categories: int) -> None:
    """Raise a `ValueError` unless compiled code may follow the nodes: each has a column that there
    is, and children behind it in its tree.
    """
    arrays = {"starts": "i8", "columns": "i4", "thresholds": "f8", "missing_left": "?"}
    arrays |= {"children": "i4", "unseen": "f8"}
    for name, kind in arrays.items():
        array = getattr(trees, name)
        if not isinstance(array, np.ndarray) or array.dtype != kind or not array.flags.c_contiguous:
            raise ValueError(f"{name} are an array of {np.dtype(kind)}")
    n_nodes, sizes = len(trees.columns), np.diff(trees.starts)
    if trees.starts.ndim != 1 or len(trees.starts) < 2 or sizes.min() < 1 or trees.starts[0] != 0:
        raise ValueError("each tree has a root")
    shapes = [trees.columns.shape, trees.thresholds.shape, trees.missing_left.shape]
    if shapes != [(n_nodes,)] * 3 or trees.children.shape != (n_nodes, 2):
        raise ValueError("each node has a column, a threshold and two children")
    if trees.starts[-1] != n_nodes or sizes.max() > 2**17:
        raise ValueError(f"there are {n_nodes} nodes")
    asks = trees.columns >= 0
    if trees.columns.min() < -1 or trees.columns.max() >= n_numbers + n_categories:
        raise ValueError("a node asks for a column that there is not")
    if np.isnan(trees.thresholds).any():
        raise ValueError("a threshold is a number")
    own = np.arange(n_nodes) - np.repeat(trees.starts[:-1], sizes)
    behind = trees.children > own[:, None]
    within = trees.children < np.repeat(sizes, sizes)[:, None]
    if not (behind & within)[asks].all():
        raise ValueError("children stand behind their parent in its tree")
    if not isinstance(trees.orders, tuple) or not isinstance(trees.labelled, bool):
        raise ValueError("the orders of categories are a tuple")
    if len(trees.orders) != n_categories or trees.unseen.shape != (n_categories,):
        raise ValueError(f"there are {n_categories} columns of categories")
    if not all(
        isinstance(order, tuple) and all(isinstance(each, bytes) for each in order)
        for order in trees.orders
    ):
        raise ValueError("categories are bytes")


def places_of(
    rows: MixedRows, codes: NDArray[np.int64], order: tuple[bytes, ...], unseen: float
) -> Floats:
    """The place of the category of each row in the order of the column."""
    place_of = {written: float(place) for place, written in enumerate(order)}
    known = [place_of.get(bytes(letters), unseen) for letters in rows.categories.tuples()]
    return np.array([place_of.get(_NO_VALUE, unseen), *known])[codes]


#: How a missing value is written among the categories of a column.
_NO_VALUE = b"none:"


@dataclass(frozen=True, eq=False)
class LeafRows(MixedRows):
    """Prepared rows with the leaves in which they end, which hold for the trees beside them; a
    model file keeps the rows alone.
    """

    leaves: Leaves | None = None
    trees: Trees | None = None

    def take(self, indices: Any) -> "LeafRows":
        """Return the rows at ``indices``, a slice or an integer array; see `Prepared.take`."""
        rows = super().take(indices)
        leaves = None if self.leaves is None else np.ascontiguousarray(self.leaves[indices])
        return replace(rows, leaves=leaves, trees=self.trees)


# ---- Learning


def grown(
    rows: MixedRows, codes: Indices | None, weights: Floats, n_trees: int, random_state: int
) -> Trees:
    """Trees that tell rows of different classes apart; without classes, trees that cut where they
    happen to.
    """
    rng = np.random.default_rng(random_state)
    used = np.flatnonzero(weights > 0)
    if len(used) > _MOST_TAUGHT_BY:
        used = np.sort(rng.choice(used, _MOST_TAUGHT_BY, replace=False))
    rows, weights = rows.take(used), np.ascontiguousarray(weights[used], dtype=np.float64)
    labelled = codes is not None
    classes = np.zeros(len(used), dtype=np.int64)
    if codes is not None:
        classes = np.unique(codes[used], return_inverse=True)[1].astype(np.int64)
    n_classes = int(classes.max()) + 1
    orders, unseen, places = _orders(rows, classes, weights, rng if n_classes < 2 else None)
    values = [*rows.numbers, *places]
    different = [np.unique(column[~np.isnan(column)]) for column in values]
    ranks = np.array(
        [
            np.where(np.isnan(column), -1, np.searchsorted(known, column))
            for column, known in zip(values, different, strict=True)
        ],
        dtype=np.int32,
    ).reshape(len(values), len(used))
    least = int(np.clip(len(used) // 10, *_LEAST))
    n_tried = max(1, round(len(values) ** 0.5)) if n_classes > 1 else 1
    seeds = rng.integers(1, _SEEDS, size=n_trees).tolist()
    parts = [_one_tree(ranks, classes, weights, n_classes, n_tried, least, seed) for seed in seeds]
    columns, cuts, shares, missing_left, children = (
        np.ascontiguousarray(np.concatenate(part)) for part in zip(*parts, strict=True)
    )
    starts = np.concatenate([[0], np.cumsum([len(each) for each, *_ in parts])]).astype(np.int64)
    thresholds = _thresholds(different, columns, cuts, shares)
    return Trees(starts, columns, thresholds, missing_left, children, orders, unseen, labelled)


def _one_tree(
    ranks: NDArray[np.int32],
    codes: NDArray[np.int64],
    weights: Floats,
    n_classes: int,
    n_tried: int,
    least: int,
    seed: int,
) -> list[NDArray[Any]]:
    """A tree as the columns, cuts, shares, sides of missing values and children of its nodes."""
    size = 2 * ranks.shape[1]
    nodes: list[NDArray[Any]] = [
        *(np.zeros(size, dtype=kind) for kind in (np.int32, np.int32, np.float64, np.bool_)),
        np.zeros((size, 2), dtype=np.int32),
    ]
    count = grow_tree(ranks, codes, weights, n_classes, n_tried, least, seed, *nodes)
    return [each[:count] for each in nodes]


def _thresholds(
    different: list[Floats], columns: NDArray[np.int32], cuts: NDArray[np.int32], shares: Floats
) -> Floats:
    """Where nodes cut their columns: at a share of the way between the two values that the cut
    separates, and not as far as the greater one; above all numbers where a cut sets missing values
    apart.
    """
    known = np.concatenate([*different, [0.0, 0.0]])
    starts = np.cumsum([0, *map(len, different)])
    asks = columns >= 0
    at = np.where(asks, starts[columns] + cuts, 0)
    between = (1.0 - shares) * known[at] + shares * known[at + 1]
    below = np.maximum(np.nextafter(known[at + 1], -np.inf), known[at])
    last = asks & (at + 1 == starts[columns + 1])
    found = np.clip(between, known[at], below)
    return np.where(last, np.finfo(np.float64).max, np.where(asks, found, 0.0))


def _orders(
    rows: MixedRows, classes: NDArray[np.int64], weights: Floats, rng: np.random.Generator | None
) -> tuple[tuple[tuple[bytes, ...], ...], Floats, list[Floats]]:
    """For each column of categories these in an order, the place of all others, and the places of
    the rows. A missing value is one more category.

    The order is that of the first principal component of the shares of the classes, which for two
    classes is the share of one of them: no cut is lost by it then (Breiman et al. 1984; Coppersmith,
    Hong & Hosking 1999 for more; Wright & Koenig 2019 found it as good as cuts of all kinds). Without
    classes the order is drawn by ``rng``. Categories that the sample lacks are where the shares are
    those of all rows.
    """
    letters = [_NO_VALUE, *map(bytes, rows.categories.tuples())]
    n_classes = int(classes.max(initial=0)) + 1
    usual = np.bincount(classes, weights, n_classes) / weights.sum()
    orders, unseen, places = [], [], []
    for codes in rows.codes:
        present, at = np.unique(codes, return_inverse=True)
        sums = np.zeros((len(present), n_classes))
        np.add.at(sums, (at, classes), weights)
        sizes = sums.sum(axis=1)
        shares = (sums + _RARE * usual) / (sizes + _RARE)[:, None] - usual
        if rng is None:
            direction = np.linalg.eigh((shares * sizes[:, None]).T @ shares)[1][:, -1]
            direction = direction * np.sign(direction[np.abs(direction).argmax()])
            heights = shares @ direction
        else:
            heights = rng.permutation(len(present)) - (len(present) - 1) / 2
        names = [letters[code] for code in present]
        order = sorted(range(len(present)), key=lambda each: (heights[each], names[each]))
        orders.append(tuple(names[each] for each in order))
        unseen.append(float((heights < 0).sum()) - 0.5)
        places.append(np.argsort(order)[at].astype(np.float64))
    return tuple(orders), np.array(unseen, dtype=np.float64), places


# ---- The metric


class Forest(RowMetric):
    r"""The share of randomised trees in which two rows of a table end in different leaves, in
    [0, 1].

    .. math::
        d(x, y) = \frac1T \sum_{t = 1}^T \big[\ell_t(x) \neq \ell_t(y)\big]

    where :math:`\ell_t(x)` is the leaf of x in tree t. The trees are extremely randomised (Geurts,
    Ernst & Wehenkel 2006): a node draws about :math:`\sqrt{c}` of the c columns, cuts each at random,
    and takes the cut that leaves the labels purest. So a column counts as far as it tells labels
    apart, alone or with others, in whatever unit it is, and 1 - d is the proximity of random
    forests (Breiman 2001).

    A pseudometric: each tree is a function to the leaves, and the pullback of the metric in which
    different leaves are at 1; a mean of such obeys the triangle inequality. Of negative type: each
    term is half the squared distance of unit vectors :math:`e_{\ell_t(x)}`, and sums of such are
    (Schoenberg 1938). Whether it is Hilbertian depends on the trees, and is not known in general.
    It does not separate rows that end in the same leaves.

    **It learns from labels.** Classifiers teach it the labels that they learn from themselves; each
    copy that leaves objects out, to choose or to calibrate, teaches it anew without them. Distances
    between rows that taught it are not those between new rows: rows of different classes are as far
    apart as it could make them. So certificates on such rows are void; on objects that were set
    aside they hold. Without labels, as in a search, a `wideberth.MetricSpace` or the doctor, nodes
    are cut at random columns and places, which follows the density of the sample alone (as isolation
    forests do: Liu, Ting & Zhou 2008; Ting, Zhu & Zhou 2018).

    Numbers are compared with thresholds, whose place between two values of the sample is random;
    dates and moments are numbers, in days; ordered categories are their ranks. Other categories are
    put in an order by the labels that rows with them have. A missing number goes to the side that the
    node has learned, or to the one with more rows where it has learned none; a missing category is
    one more category. Categories that the sample lacks are where labels are as in all rows.

    Parameters
    ----------
    n_trees : int
        The number of trees.
    random_state : int
        The seed of all that is drawn: the same rows and labels give the same trees.
    ranges : dict, optional
        For each column to compare, the range of its numbers, its ordered categories, or None for
        other categories, as for `gower`; learned by default.
    ordered : dict, optional
        The ordered categories of some columns, the least first, where the ranges are learned.
    trees : dict, optional
        The trees, as `taught` has learned them: arrays of numbers, and the orders of categories.

    Raises
    ------
    InvalidInput
        If ``n_trees`` is not a number from 1 on, ``random_state`` not one from 0 on, or ``ranges``,
        ``ordered`` or ``trees`` are not what they have to be.

    Examples
    --------
    >>> points = np.random.default_rng(0).random((200, 2))
    >>> metric = Forest(n_trees=50).taught(points, points[:, 0] > 0.5)  # the first column tells
    >>> metric  # doctest: +ELLIPSIS
    Forest(n_trees=50, ranges={0: ..., 1: ...}, trees=<50 that labels taught>)
    >>> metric([0.45, 0.5], [0.55, 0.5]) > 2 * metric([0.45, 0.5], [0.45, 0.6])
    True
    """

    name = "forest"
    examples = (
        {"age": 20, "city": "Ulm", "member": True},
        {"age": 22, "city": "Ulm", "member": True},
        {"age": 23.5, "city": "Bonn", "member": True},
        {"age": 31, "city": "Ulm", "member": False},
        {"age": 61, "city": "Bonn", "member": False},
        {"age": 58, "city": "Kiel", "member": False},
        {"age": 70, "city": "Bonn", "member": True},
        {"age": 44, "city": "Kiel", "member": False},
    )
    source = "the share of trees in which leaves differ (Breiman 2001)"
    counterexamples: ClassVar = {"separates": [(1.0, "a"), (2.0, "b")]}
    promises = Promises(
        obeys_triangle=True, hilbertian=None, negative_type=True, bounded=True, separates=False
    )

    def __init__(
        self,
        n_trees: int = 200,
        random_state: int = 0,
        ranges: Mapping[Hashable, Range] | None = None,
        ordered: Mapping[Hashable, tuple[Any, ...]] | None = None,
        trees: Mapping[str, Any] | None = None,
    ) -> None:
        for name, value, least in (("n_trees", n_trees, 1), ("random_state", random_state, 0)):
            if not is_whole(value, least):
                raise InvalidInput(
                    f"{setting(name, value)} is not a whole number from {least} on.",
                    advice=f"Pass {setting(name, 200 if least else 0)}.",
                    value=value,
                )
        if ranges is not None:
            check_ranges(ranges)
        if ordered is not None:
            check_ordered(ordered, ranges)
        if trees is not None and ranges is None:
            raise InvalidInput(
                "Trees without ranges: the columns that they ask for are not known.",
                advice=f"Pass {setting('ranges')} too, as the metric shows them.",
                value=None,
            )
        self.n_trees = n_trees
        self.random_state = random_state
        self.ranges = ranges
        self.ordered = ordered
        self.trees = trees
        self._trees: Trees | None = None
        if trees is not None and ranges is not None:
            n_categories = sum(width is None for width in ranges.values())
            self._trees = Trees.checked(trees, len(ranges) - n_categories, n_categories)

    @property
    def uses_labels(self) -> bool:
        """Whether labels have taught it, or will; see `wideberth.Metric.uses_labels`."""
        return self._trees is None or self._trees.labelled

    def fitted(self, objects: Objects) -> "Forest":
        """Return the metric with trees that are cut at random, and with the columns of a sample;
        this metric if it has trees already.
        """
        return self._taught(objects, None, None)

    def taught(self, objects: Objects, labels: Indices, weights: Floats | None = None) -> "Forest":
        """Return the metric with trees that tell the labels of rows apart; this metric if it has
        trees already. See `wideberth.Metric.taught`.
        """
        return self._taught(objects, np.unique(labels, return_inverse=True)[1], weights)

    def _taught(self, objects: Objects, codes: Indices | None, weights: Floats | None) -> "Forest":
        if self._trees is not None:
            return self
        ranges, taught_by = self.ranges, None
        if ranges is None:
            ranges, taught_by = self._learned(objects, self.ordered)
        made = Forest(self.n_trees, self.random_state, ranges)
        rows = made._rows(objects)
        made._taught_by = rows.digests() if taught_by is None else taught_by
        return made._with_trees(rows, codes, weights)

    def taught_anew(self, prepared: Sample, labels: Indices, weights: Floats) -> "Forest":
        """Return the metric with the trees that these rows and labels teach in the place of its
        own; see `wideberth.Metric.taught_anew`.
        """
        made = Forest(self.n_trees, self.random_state, self.ranges)
        made._taught_by = prepared.digests()
        return made._with_trees(prepared, labels, weights)

    def _with_trees(
        self, rows: MixedRows, codes: Indices | None, weights: Floats | None
    ) -> "Forest":
        """The metric with trees that rows with classes teach."""
        n = len(rows)
        weights = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        if not n or not (weights > 0).any() or (codes is not None and len(codes) != n):
            raise InvalidInput(
                f"{n} rows with {0 if codes is None else len(codes)} labels teach no trees.",
                advice="Pass some rows, and one label for each.",
                value=n,
            )
        trees = grown(rows, codes, weights, int(self.n_trees), int(self.random_state))
        made = Forest(self.n_trees, self.random_state, self.ranges, trees=trees.plain())
        made._taught_by = self._taught_by
        return made

    def _rows(self, objects: Objects) -> MixedRows:
        """The rows as all metrics on tables prepare them."""
        return super().prepare(objects)

    def prepare(self, objects: Objects) -> MixedRows:
        """Check the rows of a table, encode them, and drop them through the trees, if there are
        some.
        """
        trees = self._trees
        if isinstance(objects, LeafRows) and objects.trees is trees and objects.leaves is not None:
            return objects
        rows = self._rows(objects)
        if trees is None:
            return rows
        return LeafRows(rows.numbers, rows.codes, rows.categories, trees.leaves(rows), trees)

    def nanoseconds(self, prepared: Sample) -> float:
        """Estimate the time of one distance, by the number of trees."""
        return 10.0 + 0.2 * (self.n_trees if self._trees is None else len(self._trees))

    def _measure(self, left: Sample, right: Sample) -> Distances:
        if self._trees is None:
            raise InvalidInput(
                "'forest' has no trees yet.",
                advice="Teach it, wideberth.metric('forest').taught(rows, labels), or let a "
                "classifier do so.",
                value=None,
            )
        return np.asarray(differing_leaves(left.leaves, right.leaves))

    def __repr__(self) -> str:
        shown = {name: repr(each) for name, each in self._changed_params().items()}
        if self._trees is not None:
            how = "that labels taught" if self._trees.labelled else "cut at random"
            shown["trees"] = f"<{len(self._trees)} {how}>"
        return f"{type(self).__name__}({', '.join(f'{key}={each}' for key, each in shown.items())})"

"""The linear program of a collection: what a step needs is summed by the workers, in an order that no cluster changes."""

from functools import cached_property
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed

from wideberth.array_types import Floats
from wideberth.classifiers.linear.features.features import CountedFeatures, Vocabulary, checked_blocks, features_of_vocabularies
from wideberth.classifiers.linear.learning.robust_hinge import LinearPoint, LossSums, RobustHinge, solve_hinge
from wideberth.classifiers.linear.problem import LinearProblem
from wideberth.metrics.metric import Metric
from wideberth.metrics.vectors.minkowski import Manhattan
from wideberth.optimize.solution import Solution
from wideberth.scaleout.collections.asking import alone
from wideberth.scaleout.collections.linear.merging import MergedPieces, median_of_counts, merged_counts, sums_in_order
from wideberth.scaleout.collections.linear.pieces import count_texts, hinge_of_piece, learning_piece, moments
from wideberth.scaleout.collections.shipping import computed, persisted, shipped

#: So many partitions are summed by one task.
FAN_IN = 8


class PartitionedProblem(LinearProblem):
    """The training objects of a collection as linear scores see them; each partition stays where it is.

    Parameters
    ----------
    pieces : list of Delayed
        Partitions that were admitted, on the workers.
    merged : MergedPieces
        What each contributes.
    metric : Metric
        What is counted.
    n_coordinates : int
        The dimension of vectors.
    min_count : int
        In how many different texts a feature has to occur.
    """

    def __init__(self, pieces: list[Delayed], merged: MergedPieces, metric: Metric, n_coordinates: int, min_count: int) -> None:
        self.n_classes, self.total = len(merged.classes), merged.total
        self._pieces, self._merged = pieces, merged
        self._median, self._rarities = 0.0, np.empty(0)
        self.features = self._collected(metric, n_coordinates, min_count)
        sent, cut = shipped(self.features), dask.delayed(learning_piece)
        self._parts = persisted([cut(piece, share, sent) for piece, share in zip(pieces, merged.shares, strict=True)])
        self._pieces = []  # what was admitted is not needed any more; if a part is lost, Dask admits it again
        self._hinges: dict[bool, Any] = {}

    @property
    def median_words(self) -> float:
        """The median number of words of the different texts; 0 for vectors."""
        return self._median

    @cached_property
    def rarities(self) -> Floats:
        """How rare each feature is among the different texts; 1 for coordinates."""
        return np.ones(len(self.features)) if self.features.vocabularies is None else self._rarities

    @cached_property
    def _variances(self) -> Floats:
        found = computed([dask.delayed(moments)(part) for part in self._parts], "moments")
        mean, squares = (sums_in_order([each[place] for each in found]) for place in range(2))
        return np.asarray(squares - mean**2)

    def _collected(self, metric: Metric, n_coordinates: int, min_count: int) -> CountedFeatures:
        """The features, counted by partitions."""
        blocks = checked_blocks(metric)
        if isinstance(blocks[0].metric, Manhattan):
            return CountedFeatures(blocks, None, n_coordinates)
        count = dask.delayed(count_texts)
        counted = computed(
            [count(piece, firsts) for piece, firsts in zip(self._pieces, self._merged.firsts, strict=True)], "counts of features"
        )
        self._median = median_of_counts([each.words for each in counted])
        found = [
            merged_counts([each.elements[block] for each in counted], [each.texts[block] for each in counted])
            for block in range(len(blocks))
        ]
        frequent = [(elements.only(texts >= min_count), texts[texts >= min_count]) for elements, texts in found]
        vocabularies = [Vocabulary.of(elements.tuples()) for elements, _ in frequent]
        features = features_of_vocabularies(metric, vocabularies, self._merged.n_different, min_count)
        places = [vocabulary.places_of(elements)[0] for vocabulary, (elements, _) in zip(vocabularies, frequent, strict=True)]
        texts = np.concatenate([counts[np.argsort(place)] for place, (_, counts) in zip(places, frequent, strict=True)])
        self._rarities = np.asarray(1.0 + np.log((1.0 + self._merged.n_different) / (1.0 + texts)))
        return features

    def _hinge(self, units: Floats, *, boxed: bool, edited: bool) -> Any:
        known = self._hinges.get(boxed)
        if known is None or (edited and not known.knows_edits):
            sent, make = shipped(units), dask.delayed(hinge_of_piece)
            parts = persisted([make(part, sent, self.n_classes, edited=edited) for part in self._parts])
            self._hinges[boxed] = PartitionedHinge(parts, (len(self.features), self.n_classes), knows_edits=edited)
        return self._hinges[boxed]


class PartitionedHinge:
    """The hinge of `RobustHinge`, summed over partitions that are on workers.

    Parameters
    ----------
    parts : list of Delayed
        The hinge of each partition.
    shape : tuple of int
        The numbers of features and of classes.
    knows_edits : bool
        Whether changes by edits are listed.
    """

    def __init__(self, parts: list[Delayed], shape: tuple[int, int], *, knows_edits: bool) -> None:
        self._parts, self._shape, self.knows_edits = parts, shape, knows_edits

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of features and of classes."""
        return self._shape

    def solve(self, ridge: float, box: float, **settings: Any) -> Solution:
        """Solve the program, as `RobustHinge.solve`."""
        return solve_hinge(self, ridge, box, **settings)

    def losses(self, point: LinearPoint, edits: int, smoothing: float, factors: Floats) -> LossSums:
        """The sums of losses over all partitions."""
        return LossSums(*self._summed(losses_of_part, point, edits, smoothing, factors))

    def flow(self, point: LinearPoint, edits: int, smoothing: float) -> Floats:
        """The sums of the multipliers of each class against each other one."""
        return np.asarray(self._summed(flow_of_part, point, edits, smoothing)[0])

    def _summed(self, function: Any, point: LinearPoint, *arguments: Any) -> tuple[Any, ...]:
        """What a function says of each partition, summed by eights in the order of the partitions."""
        sent = dask.delayed(point, traverse=False)
        values = [dask.delayed(function)(part, sent, *arguments) for part in self._parts]
        add = dask.delayed(add_sums)
        while len(values) > 1:
            values = [add(values[place : place + FAN_IN]) for place in range(0, len(values), FAN_IN)]
        (found,) = computed(values, "losses")
        return tuple(found)


def losses_of_part(part: RobustHinge, point: LinearPoint, edits: int, smoothing: float, factors: Floats) -> LossSums:
    """The losses of a partition, on its worker."""
    with alone():
        return part.losses(point, edits, smoothing, factors)


def flow_of_part(part: RobustHinge, point: LinearPoint, edits: int, smoothing: float) -> tuple[Floats]:
    """The multipliers of a partition between classes, on its worker."""
    with alone():
        return (part.flow(point, edits, smoothing),)


def add_sums(parts: list[Any]) -> tuple[Any, ...]:
    """Sums of several partitions, added in their order.

    Examples
    --------
    >>> add_sums([(1.0, 2.0), (3.0, 4.0)])
    (4.0, 6.0)
    """
    total = tuple(parts[0])
    for part in parts[1:]:
        total = tuple(mine + theirs for mine, theirs in zip(total, part, strict=True))
    return total

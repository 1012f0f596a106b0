"""Sums and maxima of several metrics on the same objects."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.transforms.known import all_of, any_of, both_ways, closed, common_parallel, common_step, known_teachers
from wideberth.metrics.transforms.parts_sample import PartsSample
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects.digests import Digests

#: Kinds of object that all their metrics measure in one form, an array; others are prepared by each metric for itself.
_ONE_FORM = ("vectors", "indices")


class OfSeveralMetrics(Metric):
    """A function of several metrics on the same objects."""

    #: The function of `wideberth.transforms` that makes it, as messages and model files call it.
    call: ClassVar[str]

    def __init__(self, metrics: Sequence[Metric]) -> None:
        if not isinstance(metrics, tuple | list) or len(metrics) < 2 or not all(isinstance(each, Metric) for each in metrics):
            raise InvalidInput(
                f"{type(self).__name__} needs two metrics at least, not {metrics!r}.",
                advice=f"wideberth.transforms.{self.call}('euclidean', 'manhattan') also takes names.",
                value=metrics,
            )
        self.metrics = metrics
        self.accepts = _common_kind(metrics)
        self.parallel = cast(Any, common_parallel(metrics))

    @property
    def name(self) -> str:
        """The call that makes it."""
        return f"{self.call}({', '.join(each.name for each in self.metrics)})"

    def fitted(self, objects: Any) -> Self:
        fitted = tuple(each.fitted(part) for each, part in zip(self.metrics, self._for_each(objects), strict=True))
        if all(one is other for one, other in zip(fitted, self.metrics, strict=True)):
            return self
        made = type(self)(fitted)
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def taught_by(self) -> Digests | None:
        """What `fitted` took parameters from, or one of the metrics before."""
        return known_teachers(self._taught_by, self.metrics, same_objects=self.accepts == "vectors")

    def prepare(self, objects: Any) -> Any:
        forms = tuple(each.prepare(part) for each, part in zip(self.metrics, self._for_each(objects), strict=True))
        if self.accepts in _ONE_FORM:
            return prepare_vectors(objects) if self.accepts == "vectors" else forms[0]
        return PartsSample(forms)

    def nanoseconds(self, prepared: Any) -> float:
        return float(sum(each.nanoseconds(part) for each, part in zip(self.metrics, self._for_each(prepared), strict=True)))

    def _for_each(self, objects: Any) -> tuple[Any, ...]:
        """The objects as each metric has prepared them, or as they are."""
        if isinstance(objects, PartsSample) and self.accepts not in _ONE_FORM:
            return objects.for_metrics(len(self.metrics))
        return (objects,) * len(self.metrics)

    def _blocks(self, left: Any, right: Any) -> list[Distances]:
        if self.accepts in _ONE_FORM:
            return [each.block(left, right) for each in self.metrics]
        pairs = zip(self.metrics, left.parts, right.parts, strict=True)
        return [each._measure(one, other) for each, one, other in pairs]

    def _known(self) -> list[Promises]:
        return [closed(each.promises) for each in self.metrics]


class Sum(OfSeveralMetrics):
    r"""The sum of metrics on the same objects, :math:`\sum_i d_i(x, y)`.

    It obeys the triangle inequality and is of negative type if all do: both are kept by sums. Whether it is Hilbertian is not
    known in general (the sum of two distances along axes, `Manhattan`, is not). It separates if one of them does. What one of
    them lacks, another may make up for, so nothing but boundedness is ever refuted.

    >>> from wideberth.metrics.vectors.minkowski import Chebyshev, Manhattan
    >>> Sum([Manhattan(), Chebyshev()])([0, 0], [3, 4])
    11.0
    """

    call = "total"

    @property
    def promises(self) -> Promises:
        known = self._known()
        return Promises(
            obeys_triangle=all_of(each.obeys_triangle for each in known),
            negative_type=all_of(each.negative_type for each in known),
            bounded=both_ways(each.bounded for each in known),
            separates=any_of(each.separates for each in known),
            step=common_step(each.step for each in known),
        )

    def _measure(self, left: Any, right: Any) -> Distances:
        first, *others = self._blocks(left, right)
        total = first + others[0]
        for block in others[1:]:
            total += block
        return total


class Largest(OfSeveralMetrics):
    r"""The largest of several metrics on the same objects, :math:`\max_i d_i(x, y)`.

    It obeys the triangle inequality if all do: :math:`d_i(x, z) \le d_i(x, y) + d_i(y, z)` is at most the sum of two maxima.
    Whether it is Hilbertian or of negative type is not known in general: every finite metric is a maximum of distances on the
    line (Frechet 1910). It separates if one of them does.

    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> from wideberth.metrics.transforms.of_one import Scaled
    >>> Largest([Levenshtein(), Scaled(Levenshtein(), 2)])("tea", "tee")
    2.0
    """

    call = "largest"

    @property
    def promises(self) -> Promises:
        known = self._known()
        return Promises(
            obeys_triangle=all_of(each.obeys_triangle for each in known),
            bounded=both_ways(each.bounded for each in known),
            separates=any_of(each.separates for each in known),
            step=common_step(each.step for each in known),
        )

    def _measure(self, left: Any, right: Any) -> Distances:
        first, *others = self._blocks(left, right)
        largest = np.maximum(first, others[0])
        for block in others[1:]:
            np.maximum(largest, block, out=largest)
        return largest


def _common_kind(metrics: Sequence[Metric]) -> Kind:
    """What all of them measure; a metric that does not say takes what the others do."""
    kinds = {each.accepts for each in metrics} - {"objects"}
    return kinds.pop() if len(kinds) == 1 else "objects"

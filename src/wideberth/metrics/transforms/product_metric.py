"""The product metric: a weighted combination of metrics on the parts of an object, such as the
columns of a table.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import positive
from wideberth.metrics.tables.mixed_rows import as_numbers, read_table
from wideberth.metrics.transforms import promise_rules as rules
from wideberth.metrics.transforms.metric_preserving import Scaled
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors
from wideberth.wording import python, setting

#: How one more part is added, by the order of the norm; the length of a hypotenuse neither
#: overflows nor underflows.
_NORMS: dict[float, np.ufunc] = {1: np.add, 2: np.hypot, np.inf: np.maximum}


class Product(Metric):
    r"""A weighted combination of metrics on the parts of an object: the columns of a table, the
    values of dicts or tuples.

    Parts of the objects that have no metric are ignored. For a metric on vectors, a column of
    numbers counts as vectors of one number.

    .. math:: d(x, y) = \Big( \sum_i (w_i\, d_i(x_i, y_i))^p \Big)^{1/p}, \qquad p \in \{1, 2,
        \infty\}

    where p = inf is the largest :math:`w_i d_i`. It obeys the triangle inequality if all parts do
    (Minkowski's inequality in the norm of order p). Of negative type for p = 1 if all parts are;
    Hilbertian for p = 2 if all parts are, as the orthogonal sum of their spaces. With p = 1 and two
    parts that separate it is not Hilbertian: two values of each make a rectangle, whose diagonals
    are as long as two sides together. In other cases nothing is known about Hilbert spaces.

    Objects that differ in one part only have the distance of this part if the metrics of the others
    are 0 between equal parts. So a property that one part lacks (the triangle inequality,
    Hilbertian, negative type, separation) the product lacks too, if all others obey the triangle
    inequality; and it is bounded if and only if all parts are.

    Examples
    --------
    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> people = Product({"name": Levenshtein(), "age": Euclidean()}, weights={"age": 0.1})
    >>> people({"name": "Ann", "age": 20}, {"name": "Anna", "age": 50})  # 1 + 0.1 * 30
    4.0
    """

    call: ClassVar[str] = "product"
    accepts: Kind = "rows"

    def __init__(
        self,
        parts: Mapping[Hashable, Metric],
        weights: Mapping[Hashable, float] | None = None,
        p: float = 1,
    ) -> None:
        if (
            not isinstance(parts, Mapping)
            or not parts
            or not all(isinstance(metric, Metric) for metric in parts.values())
        ):
            raise InvalidInput(
                f"Product needs a metric for each part, not {parts!r}.",
                advice=f"{python('wideberth.transforms.product')}({{'name': 'levenshtein', 'age': "
                "'euclidean'}) also takes names.",
                value=parts,
            )
        if p not in _NORMS:
            raise InvalidInput(
                f"{setting('p', p)} is no way to combine parts.",
                advice="Take 1, 2 or numpy.inf.",
                value=p,
            )
        _check_weights(weights, parts)
        self.parts = parts
        self._from_user = type(self)._from_user or not all(
            metric.built_in for metric in parts.values()
        )
        self.weights = weights
        self.p = p
        self.takes_missing = all(metric.takes_missing for metric in parts.values())
        self.knows_missing = all(metric.knows_missing for metric in parts.values())
        self._may_overflow = weights is not None
        self.parallel = cast(Any, rules.common_parallel(parts.values()))

    @property
    def name(self) -> str:
        """The parts with their metrics."""
        return f"{self.call}({', '.join(f'{key}: {metric.name}' for key, metric in self.parts.items())})"

    @property
    def promises(self) -> Promises:
        """What follows from the promises of the parts and from ``p``; see the class."""
        known = [
            rules.closed(Scaled(metric, weight).promises) for metric, weight in self._weighted()
        ]
        if len(known) == 1:
            return known[0]
        return rules.closed(
            Promises(
                obeys_triangle=_unless_refuted(
                    "obeys_triangle", known, rules.all_of(part.obeys_triangle for part in known)
                ),
                hilbertian=_unless_refuted("hilbertian", known, self._hilbertian(known)),
                negative_type=_unless_refuted(
                    "negative_type",
                    known,
                    rules.all_of(part.negative_type for part in known) if self.p == 1 else None,
                ),
                bounded=rules.both_ways(part.bounded for part in known),
                separates=_unless_refuted(
                    "separates", known, rules.all_of(part.separates for part in known)
                ),
                step=rules.common_step(part.step for part in known) if self.p != 2 else None,
            )
        )

    def fitted(self, objects: Objects) -> Self:
        """Return the product of the metrics fitted to their parts; itself if none of them learns
        anything.
        """
        parts = zip(self.parts.values(), self._split(objects), strict=True)
        return self._of_fitted([metric.fitted(part) for metric, part in parts], objects)

    @property
    def uses_labels(self) -> bool:
        """Whether the metric of a part does; see `wideberth.Metric.uses_labels`."""
        return any(metric.uses_labels for metric in self.parts.values())

    def taught(self, objects: Objects, labels: Any, weights: Any = None) -> Self:
        """Return the product of the metrics taught by their parts of labelled objects; see
        `wideberth.Metric.taught`.
        """
        parts = zip(self.parts.values(), self._split(objects), strict=True)
        taught = [metric.taught(part, labels, weights) for metric, part in parts]
        return self._of_fitted(taught, objects)

    def taught_anew(self, prepared: Sample, labels: Any, weights: Any) -> Self:
        """Return the product with the metrics that learn from labels taught anew; see
        `wideberth.Metric.taught_anew`.
        """
        parts = zip(self.parts.values(), self._split(prepared), strict=True)
        taught = [
            metric.taught_anew(part, labels, weights) if metric.uses_labels else metric
            for metric, part in parts
        ]
        return self._of_fitted(taught, prepared)

    def _of_fitted(self, metrics: Sequence[Metric], objects: Objects) -> Self:
        """The product of metrics that objects have taught; itself if these are its own."""
        if all(one is other for one, other in zip(metrics, self.parts.values(), strict=True)):
            return self
        made = type(self)(dict(zip(self.parts, metrics, strict=True)), self.weights, self.p)
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def taught_by(self) -> Digests | None:
        """What `fitted` took parameters from, or one of the metrics of the parts before."""
        return rules.known_teachers(self._taught_by, self.parts.values(), same_objects=False)

    def prepare(self, objects: Objects) -> PartsSample:
        """Split the objects into their parts and prepare each part by its metric. An error begins
        with the name of the part.
        """
        parts = zip(self.parts.items(), self._split(objects), strict=True)
        return PartsSample(tuple(_prepared(key, metric, part) for (key, metric), part in parts))

    def moves_alone(self, column: Hashable, radii: Floats) -> Floats | None:
        """By the metric of that part, if it is a number; see `wideberth.Metric.moves_alone`."""
        part, weight = self.parts.get(column), (self.weights or {}).get(column, 1.0)
        return None if part is None else part.moves_alone(0, radii / weight)

    def as_objects(self, prepared: PartsSample) -> Sample | None:
        """The parts as dicts; see `wideberth.Metric.as_objects`."""
        parts = [
            metric.as_objects(part)
            for metric, part in zip(self.parts.values(), self._split(prepared), strict=True)
        ]
        if any(part is None for part in parts):
            return None
        rows = zip(*(map(_single, part) for part in parts), strict=True)  # type: ignore[arg-type]
        return sample.hold([dict(zip(self.parts, row, strict=True)) for row in rows])

    def distance_errors(self, prepared: PartsSample) -> DistanceErrors:
        """The largest relative error of the parts, and the sum of their absolute errors times their
        weights.
        """
        forms = zip(self._weighted(), prepared.for_metrics(len(self.parts)), strict=True)
        return DistanceErrors.added(
            [Scaled(metric, weight).distance_errors(part) for (metric, weight), part in forms]
        )

    def nanoseconds(self, prepared: PartsSample) -> float:
        """Estimate the time of one distance: the sum of the times of the parts."""
        return sum(
            metric.nanoseconds(part)
            for metric, part in zip(self.parts.values(), self._split(prepared), strict=True)
        )

    def _split(self, objects: Objects) -> tuple[Any, ...]:
        """Return the parts of the objects, one sample for each metric."""
        if isinstance(objects, PartsSample):
            return objects.for_metrics(len(self.parts))
        table = read_table(objects)
        table.require(self.parts, self.name)
        columns = (table.column(key) if table.count else [] for key in self.parts)
        return tuple(map(_objects_of, self.parts.values(), columns))

    def _weighted(self) -> list[tuple[Metric, float]]:
        """Return the metric and the weight of each part."""
        weights = self.weights or {}
        return [(metric, weights.get(key, 1)) for key, metric in self.parts.items()]

    def _measure(self, left: PartsSample, right: PartsSample) -> Distances:
        combined, add = np.zeros((len(left), len(right))), _NORMS[self.p]
        with np.errstate(over="ignore"):  # refused where it is measured
            for (metric, weight), one, other in zip(
                self._weighted(), left.parts, right.parts, strict=True
            ):
                add(combined, weight * metric._distances(one, other, infinite=True), out=combined)
        return combined

    def _hilbertian(self, known: list[Promises]) -> bool | None:
        """Tell whether the product is Hilbertian, as far as it follows from ``p`` and the promises
        of all parts.
        """
        if self.p == 2:
            return rules.all_of(part.hilbertian for part in known)
        rectangle = self.p == 1 and sum(part.separates is True for part in known) > 1
        return False if rectangle and all(part.obeys_triangle for part in known) else None


def _unless_refuted(promise: str, known: list[Promises], otherwise: bool | None) -> bool | None:
    """Return False if one part refutes a promise of the product, otherwise ``otherwise``.

    A part that lacks the property refutes it if all other metrics are 0 between equal parts, which
    is part of ``obeys_triangle``: then objects that differ in this part alone have its distances.
    """
    for position, part in enumerate(known):
        others = known[:position] + known[position + 1 :]
        if getattr(part, promise) is False and all(other.obeys_triangle for other in others):
            return False
    return otherwise


def _objects_of(metric: Metric, column: Any) -> Any:
    """Return a column as the objects of its metric: for a metric on vectors, numbers become vectors
    of one number.
    """
    if metric.accepts != "vectors":
        return column
    numbers = as_numbers(column)
    return column if numbers is None else numbers.astype(np.float64).reshape(-1, 1)


def _single(value: Any) -> Any:
    """The number of a vector of one number; any other object unchanged."""
    return value[0].item() if isinstance(value, np.ndarray) and value.shape == (1,) else value


def _prepared(key: Hashable, metric: Metric, part: Any) -> Any:
    """Prepare one part; an error of its metric is raised again with the name of the part."""
    try:
        return metric.prepare(part)
    except InvalidInput as refused:  # the same error, with the name of the part
        facts = {
            name: value
            for name, value in vars(refused).items()
            if name not in ("problem", "advice")
        }
        raise type(refused)(
            f"Part {key!r}: {refused.problem.marked}", advice=refused.advice, **facts
        ) from None


def _check_weights(weights: Any, parts: Mapping[Hashable, Metric]) -> None:
    """Raise an error unless the weights are None or a dict of positive numbers by names of
    parts.
    """
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        raise InvalidInput(
            f"{setting('weights', weights)} do not say which part they are for.",
            advice="Pass a dict: {'name': 2.0}.",
            value=weights,
        )
    for key, weight in weights.items():
        if key not in parts:
            raise InvalidInput(
                f"There is a weight for {key!r}, which is no part.",
                advice=f"The parts are {list(parts)}.",
                value=key,
            )
        positive(
            weight,
            f"weights[{key!r}]",
            "To leave a part out, give it no metric.",
            parameter="weights",
        )

"""A metric on objects made of parts, each with a metric of its own."""

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar, Self, cast

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.tables.columns import as_numbers, read_table
from wideberth.metrics.transforms.known import all_of, both_ways, closed, common_parallel, common_step, known_teachers
from wideberth.metrics.transforms.of_one import Scaled, positive
from wideberth.metrics.transforms.parts_sample import PartsSample
from wideberth.objects.digests import Digests


class Product(Metric):
    r"""A weighted combination of metrics on the parts of an object: the columns of a table, the values of dicts or tuples.

    .. math:: d(x, y) = \Big( \sum_i (w_i\, d_i(x_i, y_i))^p \Big)^{1/p}, \qquad p \in \{1, 2, \infty\}

    where p = inf is the largest :math:`w_i d_i`. It obeys the triangle inequality if all parts do (Minkowski's inequality in the
    norm of order p). Of negative type for p = 1 if all parts are; Hilbertian for p = 2 if all parts are, as the orthogonal sum of
    their spaces. With p = 1 and two parts that separate it is not Hilbertian: two values of each make a rectangle, whose
    diagonals are as long as two sides together. Otherwise nothing is known of Hilbert spaces.

    Objects that differ in one part only are as far apart as this part says if the others put equal parts at 0. So what one part
    lacks (the triangle inequality, a Hilbert space, negative type, separation) the whole lacks, if all others obey the triangle
    inequality; and it is bounded if and only if all parts are.

    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> from wideberth.metrics.vectors.minkowski import Euclidean
    >>> people = Product({"name": Levenshtein(), "age": Euclidean()}, weights={"age": 0.1})
    >>> people({"name": "Ann", "age": 20}, {"name": "Anna", "age": 50})  # 1 + 0.1 * 30
    4.0

    Parameters
    ----------
    parts : dict
        The metric of each part, by the name of the column or the position in a tuple. Other parts are ignored. A column of
        numbers counts as one of vectors of one number.
    weights : dict, optional
        The weight of each part, positive; 1 where nothing is said.
    p : {1, 2, inf}
        How the parts are combined.
    """

    call: ClassVar[str] = "product"
    accepts: Kind = "rows"

    def __init__(self, parts: Mapping[Hashable, Metric], weights: Mapping[Hashable, float] | None = None, p: float = 1) -> None:
        if not isinstance(parts, Mapping) or not parts or not all(isinstance(each, Metric) for each in parts.values()):
            raise InvalidInput(
                f"Product needs a metric for each part, not {parts!r}.",
                advice="wideberth.transforms.product({'name': 'levenshtein', 'age': 'euclidean'}) also takes names.",
                value=parts,
            )
        if p not in (1, 2, np.inf):
            raise InvalidInput(f"p={p!r} is no way to combine parts.", advice="Take 1, 2 or numpy.inf.", value=p)
        _check_weights(weights, parts)
        self.parts = parts
        self.weights = weights
        self.p = p
        self.parallel = cast(Any, common_parallel(parts.values()))

    @property
    def name(self) -> str:
        """The parts with their metrics."""
        return f"{self.call}({', '.join(f'{key}: {each.name}' for key, each in self.parts.items())})"

    @property
    def promises(self) -> Promises:
        weighted = [Scaled(each, weight) for each, weight in self._weighted()]
        known = [closed(each.promises) for each in weighted]
        if len(known) == 1:
            return known[0]
        return closed(
            Promises(
                obeys_triangle=self._seen_in_a_part(known, "obeys_triangle", all_of(each.obeys_triangle for each in known)),
                hilbertian=self._seen_in_a_part(known, "hilbertian", self._hilbertian(known)),
                negative_type=self._seen_in_a_part(
                    known, "negative_type", all_of(each.negative_type for each in known) if self.p == 1 else None
                ),
                bounded=both_ways(each.bounded for each in known),
                separates=self._seen_in_a_part(known, "separates", all_of(each.separates for each in known)),
                step=common_step(each.step for each in known) if self.p != 2 else None,
            )
        )

    def fitted(self, objects: Any) -> Self:
        parts = self._split(objects)
        fitted = {key: each.fitted(part) for (key, each), part in zip(self.parts.items(), parts, strict=True)}
        unchanged = all(fitted[key] is each for key, each in self.parts.items())
        if unchanged:
            return self
        made = type(self)(fitted, self.weights, self.p)
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def taught_by(self) -> Digests | None:
        """What `fitted` took parameters from, or one of the metrics of the parts before."""
        return known_teachers(self._taught_by, self.parts.values(), same_objects=False)

    def prepare(self, objects: Any) -> PartsSample:
        parts = self._split(objects)
        return PartsSample(tuple(_prepared(key, each, part) for (key, each), part in zip(self.parts.items(), parts, strict=True)))

    def nanoseconds(self, prepared: PartsSample) -> float:
        return sum(each.nanoseconds(part) for each, part in zip(self.parts.values(), self._split(prepared), strict=True))

    def _split(self, objects: Any) -> tuple[Any, ...]:
        if isinstance(objects, PartsSample):
            return objects.for_metrics(len(self.parts))
        table = read_table(objects)
        table.require(self.parts, self.name)
        columns = (table.column(key) if table.count else [] for key in self.parts)
        return tuple(map(_objects_of, self.parts.values(), columns))

    def _weighted(self) -> list[tuple[Metric, float]]:
        weights = self.weights or {}
        return [(each, weights.get(key, 1)) for key, each in self.parts.items()]

    def _measure(self, left: PartsSample, right: PartsSample) -> Distances:
        combined = np.zeros((len(left), len(right)))
        for (metric, weight), one, other in zip(self._weighted(), left.parts, right.parts, strict=True):
            block = weight * metric._measure(one, other)
            if self.p == np.inf:
                np.maximum(combined, block, out=combined)
            else:
                combined += block if self.p == 1 else block * block
        return np.sqrt(combined) if self.p == 2 else combined

    def _hilbertian(self, known: list[Promises]) -> bool | None:
        if self.p == 2:
            return all_of(each.hilbertian for each in known)
        rectangle = self.p == 1 and sum(each.separates is True for each in known) > 1
        return False if rectangle and all(each.obeys_triangle for each in known) else None

    def _seen_in_a_part(self, known: list[Promises], promise: str, otherwise: bool | None) -> bool | None:
        """False if a part lacks it and all others put equal parts at 0, which comes with the triangle inequality."""
        for position, each in enumerate(known):
            others = known[:position] + known[position + 1 :]
            if getattr(each, promise) is False and all(other.obeys_triangle for other in others):
                return False
        return otherwise


def _objects_of(metric: Metric, column: Any) -> Any:
    """A column as the objects of its metric: numbers become vectors of one number where it measures vectors."""
    if metric.accepts != "vectors":
        return column
    numbers = as_numbers(column)
    return column if numbers is None else numbers.astype(np.float64).reshape(-1, 1)


def _prepared(key: Hashable, metric: Metric, part: Any) -> Any:
    try:
        return metric.prepare(part)
    except InvalidInput as refused:  # the same error, with the name of the part
        facts = {name: value for name, value in vars(refused).items() if name not in ("problem", "advice")}
        raise type(refused)(f"Part {key!r}: {refused.problem}", advice=refused.advice, **facts) from None


def _check_weights(weights: Any, parts: Mapping[Hashable, Metric]) -> None:
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        raise InvalidInput(
            f"weights={weights!r} do not say which part they are for.", advice="Pass a dict: {'name': 2.0}.", value=weights
        )
    for key, weight in weights.items():
        if key not in parts:
            raise InvalidInput(
                f"There is a weight for {key!r}, which is no part.", advice=f"The parts are {list(parts)}.", value=key
            )
        positive(weight, f"weights[{key!r}]", "To leave a part out, give it no metric.")

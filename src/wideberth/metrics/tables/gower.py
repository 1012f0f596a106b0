"""The Gower distance between rows of a table that mixes numbers and categories."""

from collections.abc import Hashable, Mapping
from itertools import compress
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from wideberth.array_types import Floats, Objects
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Promises
from wideberth.metrics.parameters import positive
from wideberth.metrics.tables import mixed_rows
from wideberth.metrics.tables.kernels import gower_block, gower_block_skipping_missing
from wideberth.metrics.tables.mixed_rows import MISSING, MixedRows, Range
from wideberth.metrics.tables.row_metric import RowMetric, check_ordered, check_ranges
from wideberth.rounding import RADIUS_ERROR
from wideberth.wording import setting

Missing = Literal["far", "skip"]


class Gower(RowMetric):
    r"""The Gower distance: the mean over the columns of a table of the difference of two rows, in
    [0, 1] (Gower 1971).

    .. math::
        d(x, y) = \sum_c w_c\, d_c(x_c, y_c) \Big/ \sum_c w_c, \qquad
        d_c(s, t) = \min\{|s - t| / r_c, 1\} \text{ for numbers of range } r_c, \quad [s \neq t]
        \text{ for categories}

    with weights :math:`w_c` of 1 unless others are given. Dates and moments are numbers, in days;
    ordered categories are their ranks, so that "small" is half as far from "medium" as from "large"
    (Podani 1999 has the ranks of the sample instead). In a column of range 0, numbers are equal or
    differ by 1, like categories. Rows are given as pandas or polars data frames, dicts or tuples.
    Frames and dicts are matched by the names of their columns, whatever their order; other columns
    are ignored. Numbers outside the range and categories that the sample did not have are allowed:
    their differences are at most 1.

    A mean of metrics, so a metric that separates rows (in these columns). Of negative type: a mean
    of such distances, because :math:`1 - d_c` is a positive definite kernel, the triangular one on
    numbers (Schoenberg 1938). Not Hilbertian: two columns contain the corners of a square, of which
    opposite ones have two midpoints; in one column of numbers, 1/2 is the midpoint of 0 and 1, and
    1 that of 1/2 and 3/2, but 0 is at 1 from 3/2 (in units of the range). Only a single column of
    categories is Hilbertian: its values are the corners of a simplex.

    A missing value (None or NaN) is one more value of its column, at distance 1 from all others and
    0 from another missing one. This keeps every promise: no distance in the column exceeds 1, so a
    path through the missing value, of length 2, is never shorter; the kernel gains one more row,
    with 1 on the diagonal and 0 elsewhere; a simplex gains one more corner. With
    ``missing="skip"``, Gower's own rule, the mean is over the columns in which both rows have a
    value. This is not a metric, not of negative type, and does not separate: ("a", None) is at 0
    from ("a", "b") and from ("a", "c"), which are at 1/2 from each other.

    Parameters
    ----------
    ranges : dict, optional
        For each column to compare, the range of its numbers, in days for dates; the tuple of its
        ordered categories, the least first; or None if it holds other categories. Columns without
        names are given by their positions. By default `fitted` learns it from a sample: columns of
        numbers or dates are numbers, ordered categorical columns of pandas are ordered, and all
        others (texts, truth values, categories) are categories. Classifiers do that when they are
        fitted.
    missing : {"far", "skip"}
        What a missing value means: it differs from every value, or its column is left out of the
        comparison. Choose "skip" only to reproduce the results of other software.
    weights : dict, optional
        The weight of each column, positive; 1 for columns that are not listed.
    ordered : dict, optional
        The ordered categories of some columns, the least first, where the ranges of all columns are
        learned: files and dicts do not say that "S" is less than "M".

    Raises
    ------
    InvalidInput
        If ``ranges`` is empty or has a range that is negative or no finite number, if ``missing``
        is another value, if there is a weight that is not positive or is for no column, or if
        ``ordered`` is given beside ``ranges`` or has no categories.

    Examples
    --------
    >>> people = [
    ...     {"age": 20, "city": "Ulm"},
    ...     {"age": 60, "city": "Ulm"},
    ...     {"age": 30, "city": "Bonn"},
    ... ]
    >>> metric = Gower().fitted(people)
    >>> metric
    Gower(ranges={'age': 40.0, 'city': None})
    >>> metric.block(people[:1], people)
    array([[0.   , 0.5  , 0.625]])
    >>> sizes = Gower(ranges={"size": ("S", "M", "L"), "price": 10.0}, weights={"size": 3.0})
    >>> sizes({"size": "S", "price": 20}, {"size": "M", "price": 20})  # 3/4 of a half
    0.375
    >>> Gower(ordered={"size": ("S", "M", "L")}).fitted(
    ...     [{"size": "S", "price": 20}, {"size": "L", "price": 30}]
    ... )
    Gower(ranges={'size': ('S', 'M', 'L'), 'price': 10.0})
    """

    name = "gower"
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
    source = "the mean over the columns (Gower 1971)"
    counterexamples: ClassVar = {"hilbertian": [("a", 0), ("a", 1), ("b", 0), ("b", 1)]}
    usual_nanoseconds = 10.0

    def __init__(
        self,
        ranges: Mapping[Hashable, Range] | None = None,
        missing: Missing = "far",
        weights: Mapping[Hashable, float] | None = None,
        ordered: Mapping[Hashable, tuple[Any, ...]] | None = None,
    ) -> None:
        if ranges is not None:
            check_ranges(ranges)
        if ordered is not None:
            check_ordered(ordered, ranges)
        if missing not in get_args(Missing):
            raise InvalidInput(
                f"{setting('missing', missing)} does not say what a missing value means.",
                advice="'far' lets it differ from every value; 'skip' leaves its column out.",
                value=missing,
            )
        _check_weights(weights, ranges)
        self.ranges = ranges
        self.missing = missing
        self.weights = weights
        self.ordered = ordered

    @property
    def promises(self) -> Promises:
        """What the distance obeys: it depends on ``missing`` and on whether there is only one
        column.
        """
        held = [] if self.ranges is None else list(self.ranges.values())
        single = len(held) == 1
        simplex = single and (held[0] is None or not mixed_rows.widths_of({0: held[0]})[0])
        # rows without a value in the single column are refused
        if self.missing == "skip" and not single:
            return Promises(
                obeys_triangle=False,
                hilbertian=False,
                negative_type=False,
                bounded=True,
                separates=False,
            )
        return Promises(
            obeys_triangle=True,
            hilbertian=simplex,
            negative_type=True,
            bounded=True,
            separates=True,
        )

    def fitted(self, objects: Objects) -> "Gower":
        """Return the metric with the columns of a sample and their ranges; this metric if it has
        ranges already.
        """
        if self.ranges is not None:
            return self
        ranges, taught_by = self._learned(objects, self.ordered)
        fitted = Gower(ranges, self.missing, self.weights)
        fitted._taught_by = taught_by
        return fitted

    def moves_alone(self, column: Hashable, radii: Floats) -> Floats | None:
        r"""Where rows differ by t in column c alone, d = w_c min(t / r_c, 1) / W with the sum W of
        the weights: below the radius r for :math:`t < r W r_c / w_c`, and for any t if r > w_c / W.

        Other categories and missing values are at w_c / W. See `wideberth.Metric.moves_alone`.
        """
        ranges, weights = self._known_ranges(), self.weights or {}
        if column not in ranges or not self.obeys_triangle:
            return None
        total = sum(weights.get(name, 1.0) for name in ranges)
        # as shares of what a column may add
        shares = radii * (1.0 - RADIUS_ERROR) * total / weights.get(column, 1.0)
        width = 0.0 if ranges[column] is None else mixed_rows.widths_of({0: ranges[column]}).item()
        return np.where(shares > 1.0, np.inf, shares * width)

    def _measure(self, left: MixedRows, right: MixedRows) -> Distances:
        values = left.numbers, left.codes_like(right), right.numbers, right.codes
        columns = *values, mixed_rows.widths_of(self._known_ranges()), self._column_weights()
        if self.missing != "skip":
            return np.asarray(gower_block(*columns))
        distances = gower_block_skipping_missing(*columns, MISSING)
        undefined = np.isnan(distances)
        if undefined.any():
            raise self._without_common_column(left, right, *map(int, np.argwhere(undefined)[0]))
        return np.asarray(distances)

    def _column_weights(self) -> Floats:
        """Return the weights of the columns, those of numbers first, as `MixedRows` has them."""
        ranges, weights = self._known_ranges(), self.weights or {}
        numbers_first = sorted(ranges, key=lambda name: ranges[name] is None)
        return np.array([weights.get(name, 1.0) for name in numbers_first], dtype=np.float64)

    def _without_common_column(
        self, left: MixedRows, right: MixedRows, i: int, j: int
    ) -> InvalidInput:
        """Return the error for row i of ``left`` and row j of ``right``, which have no column with
        two values.
        """
        ranges = self._known_ranges()
        numbers_first = sorted(ranges, key=lambda name: ranges[name] is None)
        one = list(compress(numbers_first, left.present(i)))
        other = list(compress(numbers_first, right.present(j)))
        return InvalidInput(
            "Two rows have no column in which both have a value, so their distance is undefined: "
            f"one has {mixed_rows.listed(one)}, the other {mixed_rows.listed(other)} "
            f"(rows {i} and {j} of two blocks).",
            advice="Drop such rows, fill in some values, or let a missing value differ from every "
            f"other one: {setting('missing', 'far')}.",
            witness=(i, j),
            value=(one, other),
        )


def _check_weights(weights: Any, ranges: Mapping[Hashable, Range] | None) -> None:
    """Raise an error unless ``weights`` is None or has positive numbers for columns that there
    are.
    """
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        advice = "Pass a dict: {'age': 2.0}."
        raise InvalidInput(
            f"{setting('weights', weights)} do not say which column they are for.",
            advice=advice,
            value=weights,
        )
    for name, weight in weights.items():
        positive(
            weight,
            f"weights[{name!r}]",
            "To leave a column out, leave it out of ranges.",
            parameter="weights",
        )
        if ranges is not None and name not in ranges:
            raise InvalidInput(
                f"There is a weight for {name!r}, which is no column.",
                advice=f"The columns are {mixed_rows.listed(list(ranges))}.",
                value=name,
            )

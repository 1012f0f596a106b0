"""The Gower distance between rows of a table that mixes numbers and categories."""

import math
from collections.abc import Hashable, Mapping
from itertools import compress
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from wideberth.array_types import Floats, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import is_number, positive
from wideberth.metrics.tables import mixed_rows
from wideberth.metrics.tables.kernels import gower_block, gower_block_skipping_missing
from wideberth.metrics.tables.mixed_rows import MISSING, MixedRows, Range, TableColumns
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import RADIUS_ERROR
from wideberth.wording import python, setting

Missing = Literal["far", "skip"]

#: Numbers that differ by less than about this part of the range of their column count as nearly
#: equal.
_ROUNDED_TO = 2.0**-16


class Gower(Metric):
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
    accepts: Kind = "rows"
    takes_missing = True
    parallel = "threads"
    usual_nanoseconds = 10.0

    def __init__(
        self,
        ranges: Mapping[Hashable, Range] | None = None,
        missing: Missing = "far",
        weights: Mapping[Hashable, float] | None = None,
        ordered: Mapping[Hashable, tuple[Any, ...]] | None = None,
    ) -> None:
        if ranges is not None:
            _check_ranges(ranges)
        if ordered is not None:
            _check_ordered(ordered, ranges)
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
        table = mixed_rows.read_table(objects)
        if not table.count or not table.names:
            raise InvalidInput(
                "There are no rows to learn the columns and their ranges from.",
                advice="Pass some rows, or give the ranges: "
                f"{setting('ranges', {'age': 50.0, 'city': None})}.",
                value=table.count,
            )
        ordered = {} if self.ordered is None else self.ordered
        table.require(list(ordered), self.name)
        fitted = Gower(mixed_rows.learn_ranges(table, ordered), self.missing, self.weights)
        ranges = fitted._known_ranges()
        fitted._taught_by = mixed_rows.code_rows(
            table, _matched(table, list(ranges)), ranges
        ).digests()
        return fitted

    def prepare(self, objects: Objects) -> MixedRows:
        """Check the rows of a table, and encode them; see `code_rows`."""
        ranges = self._known_ranges()
        if isinstance(objects, MixedRows):
            found = (len(objects.numbers), len(objects.codes))
            expected = mixed_rows.count_columns(ranges)
            if found != expected:
                raise InvalidInput(
                    f"These rows were prepared with {found[0]} columns of numbers and {found[1]} "
                    "others.",
                    advice=f"This metric has {expected[0]} and {expected[1]}; pass the rows "
                    "themselves.",
                    value=found,
                )
            return objects
        table = mixed_rows.read_table(objects)
        return mixed_rows.code_rows(table, _matched(table, list(ranges)), ranges)

    def digests(self, X: Objects, prepared: MixedRows) -> Digests:
        """Return the digests of the prepared rows; see `MixedRows.digests` and
        `wideberth.Metric.digests`.
        """
        return prepared.digests()

    def contents(self, X: Objects, prepared: MixedRows) -> Sample:
        """The values of the rows, in the order of the columns of the metric; see
        `wideberth.Metric.contents`.
        """
        if isinstance(X, MixedRows):
            return None
        table = mixed_rows.read_table(X)
        columns = [
            mixed_rows.as_values(table.column(name))
            for name in _matched(table, list(self._known_ranges()))
        ]
        return sample.hold(list(zip(*columns, strict=True)))

    def alike_digests(self, prepared: MixedRows) -> Digests:
        """Those of the rows with their numbers rounded to a small part of the ranges; see
        `wideberth.Metric.alike_digests`.
        """
        widths = mixed_rows.widths_of(self._known_ranges())
        widths[widths == 0] = 1.0
        rounded = np.rint(prepared.numbers / (_ROUNDED_TO * widths[:, None]))
        return MixedRows(rounded, prepared.codes, prepared.categories).digests()

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

    def as_objects(self, prepared: MixedRows) -> Sample:
        """The rows as dicts by the names, or positions, of the columns; see
        `wideberth.Metric.as_objects`.
        """
        return sample.hold(mixed_rows.decoded_rows(prepared, self._known_ranges()))

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

    def _known_ranges(self) -> Mapping[Hashable, Range]:
        if self.ranges is None:
            raise InvalidInput(
                "This Gower distance does not know the columns and their ranges yet.",
                advice="Learn them from a sample, "
                f"{python('wideberth.metric')}('gower').fitted(rows), or give them: "
                f"{setting('ranges', {'age': 50.0, 'city': None})}.",
                value=None,
            )
        return self.ranges

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


def _check_ranges(ranges: Any) -> None:
    """Raise an error unless ``ranges`` is a mapping of columns to finite ranges, 0 or more, or
    None.
    """
    if not isinstance(ranges, Mapping) or not ranges:
        raise InvalidInput(
            f"{setting('ranges', ranges)} names no columns.",
            advice="Pass a dict: the range of each column of numbers, None for one of categories. "
            f"{setting('ranges', None)} learns it.",
            value=ranges,
        )
    for name, width in ranges.items():
        if (
            width is not None
            and not (is_number(width) and 0 <= width < math.inf)
            and not _are_levels(width)
        ):
            raise InvalidInput(
                f"The range of column {name!r} cannot be {width!r}.",
                advice="It is the largest minus the smallest number, such as 50.0; None means that "
                "the column holds categories; a tuple of different ones, that they are ordered.",
                witness=name,
                value=width,
            )


def _are_levels(width: Any) -> bool:
    """Whether a value is a tuple or list of different ordered categories."""
    if not isinstance(width, tuple | list) or not width:
        return False
    return all(isinstance(level, str | bool | int | float) for level in width) and len(
        set(width)
    ) == len(width)


def _check_ordered(ordered: Any, ranges: Mapping[Hashable, Range] | None) -> None:
    """Raise an error unless ``ordered`` is a mapping of columns to ordered categories, and ranges
    are learned.
    """
    if ranges is not None:
        advice = f"Give the categories there: {setting('ranges')}{{'size': ('S', 'M', 'L'), ...}}."
        raise InvalidInput("Beside ranges, ordered has no meaning.", advice=advice, value=ordered)
    if not isinstance(ordered, Mapping) or not all(map(_are_levels, ordered.values())):
        raise InvalidInput(
            f"{setting('ordered', ordered)} does not list the categories of columns.",
            advice=f"Pass a dict: {setting('ordered', {'size': ('S', 'M', 'L')})}, the least "
            "first, each once.",
            value=ordered,
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


def _matched(table: TableColumns, columns: list[Any]) -> list[Any]:
    """Return the names of the columns to measure in a table: the same names, or positions if its
    columns have no names.
    """
    if table.named or not (table.count or table.names):
        table.require(columns, Gower.name)
        return columns if table.names else []
    if len(table.names) != len(columns):
        raise InvalidInput(
            f"Rows of {len(table.names)} values, where 'gower' measures {len(columns)} columns: "
            f"{mixed_rows.listed(columns)}.",
            advice="Give every row these values in this order, or pass a data frame or dicts, "
            "which have names.",
            value=len(table.names),
        )
    return table.names

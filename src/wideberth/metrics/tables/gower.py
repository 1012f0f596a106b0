"""Gower's distance between the rows of a table that mixes numbers and categories."""

import math
from collections.abc import Hashable, Mapping
from itertools import compress
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.parameters import is_number
from wideberth.metrics.tables.columns import TableColumns, listed, read_table
from wideberth.metrics.tables.kernels import gower_block, gower_block_of_known
from wideberth.metrics.tables.mixed_rows import MISSING, MixedRows, code_rows, learn_ranges
from wideberth.objects.digests import Digests

Missing = Literal["refuse", "far", "skip"]

#: Numbers that differ by less than about this part of the range of their column count as nearly equal.
_ROUNDED_TO = 2.0**-16


class Gower(Metric):
    r"""The mean over the columns of a table of how far two rows are apart in each, in [0, 1] (Gower 1971).

    .. math::
        d(x, y) = \frac1k \sum_{c=1}^k d_c(x_c, y_c), \qquad
        d_c(s, t) = \min\{|s - t| / r_c, 1\} \text{ for numbers of range } r_c, \quad [s \neq t] \text{ for categories}

    Numbers of range 0 differ or do not, like categories. Rows come as pandas or polars data frames, dicts or tuples. Frames and
    dicts are matched by the names of their columns, whatever their order; other columns are ignored. Numbers beyond the range and
    categories that the sample did not have are allowed: they differ by 1.

    A mean of metrics, so a metric that separates rows (in these columns). Of negative type: a mean of such distances, because
    :math:`1 - d_c` is a positive definite kernel, the triangular one on numbers (Schoenberg 1938). Not Hilbertian: two columns
    hold the corners of a square, where opposite ones have two midpoints; in one column of numbers, 1/2 lies midway between 0 and
    1, and 1 between 1/2 and 3/2, but 0 is at 1 from 3/2 (in units of the range). Only a single column of categories is: its
    values are the corners of a simplex.

    A missing value (None or NaN) needs a decision. With ``missing="far"`` it is one more value of its column, at distance 1 from
    all others. That keeps every promise: no distance in the column exceeds 1, so a way through it, of length 2, is never shorter;
    and the kernel gains a row of its own, with 1 on the diagonal. With ``missing="skip"``, Gower's own rule, the mean is over the
    columns that both rows have. This is no metric, nor of negative type, and does not separate: ("a", None) is at 0 from
    ("a", "b") and from ("a", "c"), which are at 1/2 from each other.

    >>> people = [{"age": 20, "city": "Ulm"}, {"age": 60, "city": "Ulm"}, {"age": 30, "city": "Bonn"}]
    >>> metric = Gower().fitted(people)
    >>> metric
    Gower(ranges={'age': 40.0, 'city': None})
    >>> metric.block(people[:1], people)
    array([[0.   , 0.5  , 0.625]])

    Parameters
    ----------
    ranges : dict, optional
        For each column that counts, the range of its numbers, or None if it holds categories; columns of rows without names are
        known by their positions. By default `fitted` learns it from a sample: numbers are numeric columns, everything else
        (texts, truth values, pandas categories) are categories. Classifiers do that when they are fitted.
    missing : {"refuse", "far", "skip"}
        What a missing value means. Take "far" unless there is none; "skip" for values of other software.
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
    parallel = "threads"

    def __init__(self, ranges: Mapping[Hashable, float | None] | None = None, missing: Missing = "refuse") -> None:
        if ranges is not None:
            _check_ranges(ranges)
        if missing not in get_args(Missing):
            raise InvalidInput(
                f"missing={missing!r} does not say what a missing value means.",
                advice="'far' lets it differ from every value; 'skip' leaves its column out; 'refuse' raises an error.",
                value=missing,
            )
        self.ranges = ranges
        self.missing = missing

    @property
    def promises(self) -> Promises:
        widths = [] if self.ranges is None else list(self.ranges.values())
        single = len(widths) == 1
        simplex = single and not widths[0]
        if self.missing == "skip" and not single:  # rows that lack the single column are refused
            return Promises(obeys_triangle=False, hilbertian=False, negative_type=False, bounded=True, separates=False)
        return Promises(obeys_triangle=True, hilbertian=simplex, negative_type=True, bounded=True, separates=True)

    def fitted(self, objects: Any) -> "Gower":
        """The metric with the columns of a sample, and their ranges in it."""
        if self.ranges is not None:
            return self
        table = read_table(objects)
        if not table.count or not table.names:
            raise InvalidInput(
                "There are no rows to learn the columns and their ranges from.",
                advice="Pass some, or say them: ranges={'age': 50.0, 'city': None}.",
                value=table.count,
            )
        fitted = Gower(learn_ranges(table), self.missing)
        ranges = fitted._known_ranges()
        fitted._taught_by = code_rows(table, _matched(table, list(ranges)), ranges, allow_missing=True).digests()
        return fitted

    def prepare(self, objects: Any) -> MixedRows:
        ranges = self._known_ranges()
        if isinstance(objects, MixedRows):
            of_numbers = sum(width is not None for width in ranges.values())
            if (len(objects.numbers), len(objects.codes)) != (of_numbers, len(ranges) - of_numbers):
                raise InvalidInput(
                    f"These rows were prepared with {len(objects.numbers)} columns of numbers and {len(objects.codes)} others.",
                    advice=f"This metric has {of_numbers} and {len(ranges) - of_numbers}; give it the rows themselves.",
                    value=(len(objects.numbers), len(objects.codes)),
                )
            return objects
        table = read_table(objects)
        return code_rows(table, _matched(table, list(ranges)), ranges, allow_missing=self.missing != "refuse")

    def digests(self, X: Any, prepared: MixedRows) -> Digests:
        """Those of the rows as prepared; see `wideberth.Metric.digests`."""
        return prepared.digests()

    def alike_digests(self, prepared: MixedRows) -> Digests:
        """Those of the rows with their numbers rounded to a small part of the ranges; see `wideberth.Metric.alike_digests`."""
        widths = np.array([width or 1.0 for width in self._known_ranges().values() if width is not None])
        return MixedRows(np.rint(prepared.numbers / (_ROUNDED_TO * widths[:, None])), prepared.codes).digests()

    def nanoseconds(self, prepared: Any) -> float:
        return 10.0

    def _measure(self, left: MixedRows, right: MixedRows) -> Distances:
        widths = np.array([width for width in self._known_ranges().values() if width is not None], dtype=np.float64)
        if self.missing != "skip":
            return np.asarray(gower_block(left.numbers, left.codes, right.numbers, right.codes, widths))
        distances = np.asarray(gower_block_of_known(left.numbers, left.codes, right.numbers, right.codes, widths, MISSING))
        apart = np.isnan(distances)
        if apart.any():
            raise self._without_common_column(left, right, *map(int, np.argwhere(apart)[0]))
        return distances

    def _known_ranges(self) -> Mapping[Hashable, float | None]:
        if self.ranges is None:
            raise InvalidInput(
                "This Gower distance does not know the columns and their ranges yet.",
                advice="Let it learn them, wideberth.metric('gower').fitted(rows), or say them: "
                "ranges={'age': 50.0, 'city': None}.",
                value=None,
            )
        return self.ranges

    def _without_common_column(self, left: MixedRows, right: MixedRows, i: int, j: int) -> InvalidInput:
        ranges = self._known_ranges()
        numbers_first = sorted(ranges, key=lambda name: ranges[name] is None)
        one = list(compress(numbers_first, left.has(i)))
        other = list(compress(numbers_first, right.has(j)))
        return InvalidInput(
            f"Two rows have no column in common, so nothing says how far they are apart: one has {listed(one)}, "
            f"the other {listed(other)} (rows {i} and {j} of two blocks).",
            advice="Drop such rows, fill some values in, or take missing='far'.",
            witness=(i, j),
            value=(one, other),
        )


def _check_ranges(ranges: Any) -> None:
    if not isinstance(ranges, Mapping) or not ranges:
        raise InvalidInput(
            f"ranges={ranges!r} names no columns.",
            advice="Pass a dict: the range of each column of numbers, None for one of categories. Or learn it: ranges=None.",
            value=ranges,
        )
    for name, width in ranges.items():
        if width is not None and not (is_number(width) and 0 <= width < math.inf):
            raise InvalidInput(
                f"The range of column {name!r} cannot be {width!r}.",
                advice="It is the largest minus the smallest number, such as 50.0; None says that the column holds categories.",
                witness=name,
                value=width,
            )


def _matched(table: TableColumns, columns: list[Any]) -> list[Any]:
    """The names in a table of the columns that are measured: the same, or their positions if its rows name nothing."""
    if table.named or not (table.count or table.names):
        table.require(columns, Gower.name)
        return columns if table.names else []
    if len(table.names) != len(columns):
        raise InvalidInput(
            f"Rows of {len(table.names)} values, where 'gower' measures {len(columns)} columns: {listed(columns)}.",
            advice="Give every row these values in this order, or pass a data frame or dicts, which name them.",
            value=len(table.names),
        )
    return table.names

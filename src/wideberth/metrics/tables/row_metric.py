"""What metrics on rows of tables share: the columns that they learn, and rows prepared for them."""

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from wideberth.array_types import Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.parameters import is_number
from wideberth.metrics.tables import mixed_rows
from wideberth.metrics.tables.mixed_rows import MixedRows, Range, TableColumns
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.wording import python, setting

#: Numbers that differ by less than about this part of the range of their column count as nearly
#: equal.
_ROUNDED_TO = 2.0**-16


class RowMetric(Metric):
    """The base class of metrics on rows that mix numbers and categories, which know the columns by
    their ``ranges``.
    """

    accepts: Kind = "rows"
    takes_missing = True
    parallel = "threads"
    #: The columns to compare, as `wideberth.metrics.tables.gower.Gower` has them; None if they are
    #: not known yet.
    ranges: Mapping[Hashable, Range] | None

    def _learned(
        self, objects: Objects, ordered: Mapping[Hashable, tuple[Any, ...]] | None
    ) -> tuple[dict[Hashable, Range], Digests]:
        """The columns of a sample and their ranges, and the digests of its rows."""
        table = mixed_rows.read_table(objects)
        if not table.count or not table.names:
            raise InvalidInput(
                "There are no rows to learn the columns and their ranges from.",
                advice="Pass some rows, or give the ranges: "
                f"{setting('ranges', {'age': 50.0, 'city': None})}.",
                value=table.count,
            )
        ordered = {} if ordered is None else ordered
        table.require(list(ordered), self.name)
        ranges = mixed_rows.learn_ranges(table, ordered)
        rows = mixed_rows.code_rows(table, self._matched(table, list(ranges)), ranges)
        return ranges, rows.digests()

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
        return mixed_rows.code_rows(table, self._matched(table, list(ranges)), ranges)

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
            for name in self._matched(table, list(self._known_ranges()))
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

    def as_objects(self, prepared: MixedRows) -> Sample:
        """The rows as dicts by the names, or positions, of the columns; see
        `wideberth.Metric.as_objects`.
        """
        return sample.hold(mixed_rows.decoded_rows(prepared, self._known_ranges()))

    def _known_ranges(self) -> Mapping[Hashable, Range]:
        if self.ranges is None:
            raise InvalidInput(
                f"{self.name!r} does not know the columns and their ranges yet.",
                advice="Learn them from a sample, "
                f"{python('wideberth.metric')}({self.name!r}).fitted(rows), or give them: "
                f"{setting('ranges', {'age': 50.0, 'city': None})}.",
                value=None,
            )
        return self.ranges

    def _matched(self, table: TableColumns, columns: list[Any]) -> list[Any]:
        """Return the names of the columns to measure in a table: the same names, or positions if
        its columns have no names.
        """
        if table.named or not (table.count or table.names):
            table.require(columns, self.name)
            return columns if table.names else []
        if len(table.names) != len(columns):
            raise InvalidInput(
                f"Rows of {len(table.names)} values, where {self.name!r} measures "
                f"{len(columns)} columns: {mixed_rows.listed(columns)}.",
                advice="Give every row these values in this order, or pass a data frame or dicts, "
                "which have names.",
                value=len(table.names),
            )
        return table.names


def check_ranges(ranges: Any) -> None:
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


def check_ordered(ordered: Any, ranges: Mapping[Hashable, Range] | None) -> None:
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

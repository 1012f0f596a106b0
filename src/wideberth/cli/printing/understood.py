"""Say how a file was understood: one line for each column, with its use and the reason."""

from collections.abc import Iterator
from itertools import groupby

from wideberth.cli.printing.failures import in_words_of_options
from wideberth.io.readers import Records
from wideberth.io.readers.records import ColumnUse

#: The most lines about columns; neighbouring columns with the same use share a line if there are more than a few.
_MOST, _MOST_ALIKE = 30, 6
#: The most skipped records that are listed.
_MOST_SKIPPED = 10


def understood_in_words(records: Records) -> Iterator[str]:
    """Describe what each column of a file is used for, and what was skipped.

    Parameters
    ----------
    records : Records
        What was read.

    Yields
    ------
    str
        A line for each column, or for many columns of the same use.
    """
    runs = [list(run) for _, run in groupby(records.understood, key=lambda column: (column.use, column.why))]
    lines = [line for run in runs for line in _lines_of(run)]
    width = max((len(name) for name, _ in lines[:_MOST]), default=0)
    yield from (f"  {name:<{width}}  {use}" for name, use in lines[:_MOST])
    if len(lines) > _MOST:
        yield f"  and {len(lines) - _MOST:,} more columns"
    if records.skipped:
        yield f"  {len(records.skipped):,} records were skipped (--on-error skip):"
    for record in records.skipped[:_MOST_SKIPPED]:
        place = "" if record.line is None else f"line {record.line}: "
        yield f"    {place}{in_words_of_options(record.why)}"
    if len(records.skipped) > _MOST_SKIPPED:
        yield f"    and {len(records.skipped) - _MOST_SKIPPED:,} more"


def _lines_of(run: list[ColumnUse]) -> list[tuple[str, str]]:
    """The names and the use of columns with one use and reason: a line for each, or one for many."""
    use = f"{run[0].use} ({in_words_of_options(run[0].why)})" if run[0].why else run[0].use
    if len(run) > _MOST_ALIKE:
        return [(f"{run[0].name} to {run[-1].name} ({len(run):,} columns)", use)]
    return [(column.name or "''", use) for column in run]

"""Say how a file was understood: one line for each column, with its use and the reason."""

from collections.abc import Iterator
from itertools import groupby

from wideberth.cli.printing.console import in_options, remark
from wideberth.estimators.model_facts import counted
from wideberth.io.readers import Records
from wideberth.io.readers.records import ColumnUse

#: The most lines about columns; neighbouring columns with the same use share a line if there are
#: more than a few.
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
    runs = [
        list(run)
        for _, run in groupby(records.understood, key=lambda column: (column.use, column.why))
    ]
    lines = [line for run in runs for line in _lines_of(run)]
    width = max((len(name) for name, _ in lines[:_MOST]), default=0)
    yield from (f"  {name:<{width}}  {use}" for name, use in lines[:_MOST])
    if len(lines) > _MOST:
        yield f"  and {len(lines) - _MOST:,} more columns"
    yield from (f"  {line}" for line in skipped_in_words(records))


def skipped_in_words(records: Records) -> Iterator[str]:
    """Say how many records were skipped, and list the first of them.

    Parameters
    ----------
    records : Records
        What was read.

    Yields
    ------
    str
        Nothing if no record was skipped.

    Examples
    --------
    >>> from wideberth.io.readers import Skipped
    >>> skipped = [Skipped(3, "column 'drink' is empty.")]
    >>> read = Records(
    ...     ["tea"],
    ...     None,
    ...     kind="strings",
    ...     column="drink",
    ...     target=None,
    ...     path="drinks.csv",
    ...     skipped=skipped,
    ... )
    >>> print(*skipped_in_words(read), sep="\\n")
    1 record was skipped (--on-error skip):
      line 3: column 'drink' is empty.
    """
    if records.skipped:
        yield (
            f"{counted(len(records.skipped), 'record was', 'records were')} skipped (--on-error "
            "skip):"
        )
    for record in records.skipped[:_MOST_SKIPPED]:
        place = "" if record.line is None else f"line {record.line}: "
        yield f"  {place}{in_options(record.why)}"
    if len(records.skipped) > _MOST_SKIPPED:
        yield f"  and {len(records.skipped) - _MOST_SKIPPED:,} more"


def remark_skipped(records: Records) -> None:
    """Say on standard error what was skipped, where the command does not say how it understood the
    file.

    Parameters
    ----------
    records : Records
        What was read.
    """
    if records.skipped:
        remark(f"{records.path}: " + "\n".join(skipped_in_words(records)))


def _lines_of(run: list[ColumnUse]) -> list[tuple[str, str]]:
    """The names and the use of columns with one use and reason: a line for each, or one for
    many.
    """
    use = f"{run[0].use} ({in_options(run[0].why)})" if run[0].why else run[0].use
    if len(run) > _MOST_ALIKE:
        return [(f"{run[0].name} to {run[-1].name} ({len(run):,} columns)", use)]
    return [(column.name or "''", use) for column in run]

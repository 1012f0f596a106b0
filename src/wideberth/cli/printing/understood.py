"""Say how a file was understood: one line for each column, with its use and the reason."""

from collections.abc import Iterator

from wideberth.io.readers import Records

#: The most columns that have a line each; columns of one use are counted beyond that.
_MOST = 30


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
    columns = records.understood
    width = max((len(column.name) for column in columns[:_MOST]), default=0)
    for column in columns[:_MOST]:
        yield f"  {column.name:<{width}}  {column.use}{f' ({column.why})' if column.why else ''}"
    rest = columns[_MOST:]
    for use in dict.fromkeys(column.use for column in rest):
        yield f"  and {sum(column.use == use for column in rest):,} more columns: {use}"
    if records.skipped:
        yield f"  {len(records.skipped):,} records were skipped (--on-error skip), the first: {records.skipped[0]}"

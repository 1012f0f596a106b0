"""Whether the first line of a table holds data rather than the names of columns."""

from collections.abc import Sequence

from wideberth.io.readers.faults import place
from wideberth.io.readers.formats.text_cells import TEXT_CELLS
from wideberth.io.readers.named_columns import MOST_COMPARED, TARGET_NAMES
from wideberth.io.readers.tables import RawTable, Row, majority_type
from wideberth.objects.sample import shown

#: What to do about it.
_WAY_OUT = "put a line that names the columns before it"


def value_in_header(rows: Sequence[Row], names: Sequence[str], table: RawTable) -> str | None:
    r"""Find a name of a column that several of its cells repeat, while nothing else in the header can only be a name.

    A name above numbers that is none itself can only be a name. Names of one letter, and those that columns of labels have, are
    often values too: 'y' above 'y' and 'n'.

    Parameters
    ----------
    rows : sequence of Row
        The first rows.
    names : sequence of str
        The header.
    table : RawTable
        How cells are read; only texts with lines have headers that may be missing.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> table = csv_table(["5.1,setosa\n", "4.9,setosa\n", "7.0,virginica\n", "5.0,setosa\n"], "iris.csv")
    >>> value_in_header(list(table.rows), ["5.1", "setosa"], table)
    'setosa'
    """
    if not _may_lack_header(table) or len(names) > MOST_COMPARED or any(name.lower() in TARGET_NAMES for name in names):
        return None
    repeated = [name for name in names if len(name) > 1 and sum(row.cells.get(name) == name for row in rows) > 1]
    if not repeated:
        return None
    types = {name: majority_type(rows, name, table.cells) for name in names}
    fits = all(table.cells.cell_type(name) == types[name] for name in names if name and types[name] in ("number", "series"))
    texts = [name for name in repeated if types[name] == "text"]
    return texts[0] if fits and texts else None


def header_warning(value: str, path: str) -> str:
    """The warning about a header that has a value of its column.

    Examples
    --------
    >>> print(header_warning("setosa", "iris.csv"))
    iris.csv: the first line is read as the names of the columns, and 'setosa' in it is also a value of its column. ...
    """
    return (
        f"{place(path)}: the first line is read as the names of the columns, and {shown(value)} in it is also a value of its "
        f"column. If the file has no header, {_WAY_OUT}: otherwise its first object is lost."
    )


def header_hint(names: Sequence[str], table: RawTable, value: str | None) -> str:
    """What to add to the error about a column that is not there: where the names come from, if they look like data.

    Examples
    --------
    >>> from wideberth.io.readers.formats.delimited import csv_table
    >>> header_hint(["5.1", "setosa"], csv_table([], "iris.csv"), None)
    'These names are the first line of the file: if that is data, put a line that names the columns before it.'
    """
    if not _may_lack_header(table) or (value is None and all(TEXT_CELLS.number(name) is None for name in names)):
        return ""
    return f"These names are the first line of the file: if that is data, {_WAY_OUT}."


def _may_lack_header(table: RawTable) -> bool:
    return table.cells is TEXT_CELLS and table.column is None and not table.types

"""Read SMILES files (.smi): one molecule on each line, and after it, optionally, its name."""

from collections.abc import Iterable, Iterator
from itertools import chain

from wideberth.io.readers.formats.delimited import TEXT_CELLS, table_rows
from wideberth.io.readers.records import RawTable, Report, Row, fault, raised
from wideberth.objects.sample import shown

SMILES, NAME = "smiles", "name"


def smiles_table(lines: Iterable[str], path: str, report: Report = raised) -> RawTable:
    r"""Read a .smi file as a table with the columns ``smiles`` and ``name``.

    If the first line begins with "smiles", in any case, it gives the names of the columns; if that
    line has tabs, the whole file is a table separated by tabs.

    Parameters and result are those of `wideberth.io.readers.formats.delimited.csv_table`.

    Examples
    --------
    >>> [row.cells for row in smiles_table(["CCO ethyl alcohol\n", "C\n"], "drinks.smi").rows]
    [{'smiles': 'CCO', 'name': 'ethyl alcohol'}, {'smiles': 'C', 'name': ''}]
    """
    lines = iter(lines)
    first = next(lines, "")
    words = first.split()
    titled = bool(words) and words[0].lower() == SMILES
    if titled and "\t" in first.strip():
        rows = table_rows(chain([first], lines), path, delimiters="\t", report=report)
        return RawTable(rows, TEXT_CELLS, words[0], "molecules")
    columns = (words[0], " ".join(words[1:]) or NAME) if titled else (SMILES, NAME)
    rows = smiles_rows(
        lines if titled else chain([first], lines), path, columns, 2 if titled else 1, report
    )
    named = columns[1] if columns[1].lower() in (NAME, "id", "title") else None
    return RawTable(rows, TEXT_CELLS, column=columns[0], kind="molecules", identifier=named)


def smiles_rows(
    lines: Iterable[str],
    path: str,
    columns: tuple[str, str],
    start: int = 1,
    report: Report = raised,
) -> Iterator[Row]:
    """Yield the molecules of a .smi file with their names; blank lines and ``#`` comments are
    skipped.

    Whether a SMILES is valid is checked when the rows are converted.

    Parameters
    ----------
    lines : iterable of str
        The lines below the header, if there is one.
    path : str
        The file, for messages.
    columns : tuple of two str
        The names of the columns of molecules and names.
    start : int, default=1
        The number of the first line.
    report : callable
        As for `wideberth.io.readers.formats.delimited.csv_table`.

    Yields
    ------
    Row

    Raises
    ------
    InvalidFile
        If there are no molecules, or a line begins with a space.

    Examples
    --------
    >>> next(smiles_rows(["CCO ethanol"], "drinks.smi", ("smiles", "name")))
    Row(line=1, cells={'smiles': 'CCO', 'name': 'ethanol'})
    """
    found = False
    for line, written in enumerate(lines, start=start):
        text = written.rstrip()
        if not text or text.startswith("#"):
            continue
        if text[0].isspace():
            advice = "Write the SMILES at the beginning of the line, its name after it."
            report(
                fault(
                    path,
                    f"no SMILES before {shown(text.strip())}.",
                    line=line,
                    value=text,
                    advice=advice,
                )
            )
            continue
        molecule, name = [*text.split(maxsplit=1), ""][:2]
        found = True
        yield Row(line, {columns[0]: molecule, columns[1]: name})
    if not found:
        raise fault(
            path, "no molecules.", value="", advice="Write one SMILES a line, such as CCO ethanol."
        )

"""SMILES files (.smi): one molecule a line, and behind it, if anything, its name."""

from collections.abc import Iterable, Iterator
from itertools import chain

from wideberth.io.readers.delimited import WRITTEN_CELLS, table_rows
from wideberth.io.readers.faults import fault, shown
from wideberth.io.readers.records import RawTable, Row

SMILES, NAME = "smiles", "name"


def smiles_table(lines: Iterable[str], path: str) -> RawTable:
    """A .smi file as a table with the columns ``smiles`` and ``name``; a first line that begins with "smiles" names them itself.

    With tabs in that line the whole file is a table separated by tabs.

    >>> [row.cells for row in smiles_table(["CCO ethyl alcohol\\n", "C\\n"], "drinks.smi").rows]
    [{'smiles': 'CCO', 'name': 'ethyl alcohol'}, {'smiles': 'C', 'name': ''}]
    """
    lines = iter(lines)
    first = next(lines, "")
    words = first.split()
    titled = bool(words) and words[0].lower() == SMILES
    if titled and "\t" in first.strip():
        return RawTable(table_rows(chain([first], lines), path, delimiters="\t"), WRITTEN_CELLS, words[0], "molecules")
    columns = (words[0], " ".join(words[1:]) or NAME) if titled else (SMILES, NAME)
    rows = smiles_rows(lines if titled else chain([first], lines), path, columns, start=2 if titled else 1)
    return RawTable(rows, WRITTEN_CELLS, column=columns[0], kind="molecules")


def smiles_rows(lines: Iterable[str], path: str, columns: tuple[str, str], start: int = 1) -> Iterator[Row]:
    """The molecules with what stands behind them. Blank lines and ``#`` comments are skipped."""
    found = False
    for line, written in enumerate(lines, start=start):
        text = written.rstrip()
        if not text or text.startswith("#"):
            continue
        if text[0].isspace():
            advice = "Write the SMILES at the beginning of the line, its name behind it."
            raise fault(path, f"no SMILES before {shown(text.strip())}.", line=line, value=text, advice=advice)
        molecule, name = [*text.split(maxsplit=1), ""][:2]
        found = True
        yield Row(line, {columns[0]: molecule, columns[1]: name})
    if not found:
        raise fault(path, "no molecules.", value="", advice="Write one SMILES a line, such as CCO ethanol.")

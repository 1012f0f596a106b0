"""Read molecules: SMILES files (.smi), one molecule on each line and after it, optionally, its name;
and SDF files, tables of atoms and bonds, each with its name and its properties.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from wideberth.errors import InvalidFile
from wideberth.io.readers.formats.delimited import TEXT_CELLS, table_rows
from wideberth.io.readers.formats.fasta import HEADER_CELLS
from wideberth.io.readers.records import RawTable, Row, Rows, fault
from wideberth.io.readers.source import Format
from wideberth.objects.molecules import smiles_of_block
from wideberth.objects.sample import shown
from wideberth.wording import setting

# ---- SMILES files

SMILES, NAME = "smiles", "name"


def smiles_table(lines: Iterable[str], path: str) -> RawTable:
    r"""Read a .smi file as a table with the columns ``smiles`` and ``name``.

    If the first line begins with "smiles", in any case, it gives the names of the columns; if that
    line has tabs, the whole file is a table separated by tabs.

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
        rows = table_rows(chain([first], lines), path, delimiters="\t")
        return RawTable(rows, TEXT_CELLS, words[0], "molecules")
    columns = (words[0], " ".join(words[1:]) or NAME) if titled else (SMILES, NAME)
    rows = smiles_rows(
        lines if titled else chain([first], lines), path, columns, 2 if titled else 1
    )
    named = columns[1] if columns[1].lower() in (NAME, "id", "title") else None
    return RawTable(rows, TEXT_CELLS, column=columns[0], kind="molecules", identifier=named)


def smiles_rows(lines: Iterable[str], path: str, columns: tuple[str, str], start: int = 1) -> Rows:
    """Yield the molecules of a .smi file with their names; blank lines and ``#`` comments are
    skipped.

    Whether a SMILES is valid is checked when the rows are converted.

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
            problem = f"no SMILES before {shown(text.strip())}."
            yield fault(path, problem, advice, line=line, value=text)
            continue
        molecule, name = [*text.split(maxsplit=1), ""][:2]
        found = True
        yield Row(line, {columns[0]: molecule, columns[1]: name})
    if not found:
        raise fault(
            path, "no molecules.", "Write one SMILES a line, such as CCO ethanol.", value=""
        )


# ---- SDF files

_END_OF_RECORD, _END_OF_ATOMS = "$$$$", "M  END"
_PROPERTY = re.compile(r">[^<]*<([^<>]+)>.*")
#: Lines of the largest molecule; without a limit, a file without an end of a record would be kept
#: in memory as one.
MOST_LINES = 1_000_000


def sdf_table(lines: Iterable[str], path: str) -> RawTable:
    """Read an SDF file as a table with the columns ``smiles``, ``name`` and one for each property.

    rdkit, which the extra ``wideberth[molecules]`` installs, reads the atoms and bonds and writes
    them as SMILES.

    A property called smiles or name is left out.
    """
    return RawTable(
        _rows(lines, path), HEADER_CELLS, column=SMILES, kind="molecules", identifier=NAME
    )


def _rows(lines: Iterable[str], path: str) -> Rows:
    found = False
    for record in _records(lines, path):
        found = True
        try:
            row = Row(record.line, _cells(record, path))
        except InvalidFile as error:
            yield error
            continue
        yield row
    if not found:
        raise fault(
            path,
            "no molecules.",
            "Write them with rdkit.Chem.SDWriter, or as SMILES in a .smi file.",
            value="",
        )


class _Record(NamedTuple):
    """The lines of one molecule, and where it begins."""

    line: int
    lines: list[str]


def _records(lines: Iterable[str], path: str) -> Iterator[_Record]:
    start, inside = 1, []
    for line, text in enumerate(lines, start=1):
        inside.append(text.rstrip("\r\n"))
        if inside[-1].startswith(_END_OF_RECORD):
            yield _Record(start, inside[:-1])
            start, inside = line + 1, []
        elif len(inside) > MOST_LINES:
            problem = f"a molecule of more than {MOST_LINES:,} lines."
            raise fault(
                path,
                problem,
                f"End every molecule with {_END_OF_RECORD}.",
                line=start,
                value=len(inside),
            )
    if any(text.strip() for text in inside):
        yield _Record(start, inside)


def _cells(record: _Record, path: str) -> dict[str, Any]:
    """The molecule, its name and its properties."""
    end = next(
        (position for position, text in enumerate(record.lines) if text.startswith(_END_OF_ATOMS)),
        None,
    )
    if end is None:
        advice = (
            f"Close the table of atoms and bonds with {_END_OF_ATOMS!r}, or remove the molecule."
        )
        raise fault(path, f"no {_END_OF_ATOMS!r} in this molecule.", advice, line=record.line)
    smiles, problem = smiles_of_block("\n".join(record.lines[: end + 1]) + "\n")
    if smiles is None:
        name = shown(record.lines[0].strip())
        advice = f"Correct it or remove the molecule; {setting('on_error', 'skip')} leaves it out."
        raise fault(
            path,
            f"the molecule {name} cannot be read: {problem}.",
            advice,
            line=record.line,
            value=name,
        )
    own = {SMILES: smiles, NAME: record.lines[0].strip()}
    return own | {
        name: value for name, value in _properties(record.lines[end + 1 :]) if name not in own
    }


def _properties(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The properties of a molecule: a line with the name, lines with the value, an empty line."""
    name: str | None = None
    value: list[str] = []
    for text in [*lines, ""]:
        match = _PROPERTY.fullmatch(text) if name is None else None
        if match:
            name, value = match[1], []
        elif name is not None and not text.strip():
            yield name, "\n".join(value)
            name = None
        elif name is not None:
            value.append(text)


SMI = Format(
    name="a SMILES file",
    endings=(".smi",),
    of_lines=smiles_table,
    example=b"smiles\tname\tlabel\nCCO\tethanol\thard\nO\twater\tsoft\n",
)
SDF = Format(
    name="an SDF file",
    endings=(".sdf", ".sd"),
    of_lines=sdf_table,
    needs=("rdkit", "molecules"),
    example=b"".join(
        b"%b\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
        b"    0.0000    0.0000    0.0000 %b   0  0  0  0  0  0  0  0  0  0  0  0\n"
        b"M  END\n> <label>\n%b\n\n$$$$\n" % each
        for each in ((b"water", b"O", b"soft"), (b"methane", b"C", b"hard"))
    ),
)

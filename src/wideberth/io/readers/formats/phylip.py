"""Read PHYLIP files of distances: the number of objects, then a line with the name and the
distances of each.
"""

import re
from collections.abc import Iterable

import numpy as np

from wideberth.array_types import Floats
from wideberth.io.readers.formats.delimited import parse_number
from wideberth.io.readers.formats.ucr_archive import PARSED_CELLS
from wideberth.io.readers.records import RawTable, Row, Rows, counted, fault
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown
from wideberth.wording import setting

#: The columns of the table that a file is read as.
NAME, DISTANCES = "name", "distances"
#: Characters of a name where it may contain spaces.
NAME_WIDTH = 10


def phylip_table(lines: Iterable[str], path: str) -> RawTable:
    r"""Read a PHYLIP file of distances as a table with the columns ``name`` and ``distances``, one
    row of the matrix in a cell.

    The matrix is square, or only its lower triangle is written. A row may continue on further
    lines. Names end at the first space, or, if no number follows there, after ten characters.

    No row can be skipped.

    Examples
    --------
    >>> rows = phylip_table(["3\n", "ape\n", "cat 2\n", "dog 3 1\n"], "t.phy").rows
    >>> [(row.cells["name"], row.cells["distances"].tolist()) for row in rows]
    [('ape', [0.0, 2.0, 3.0]), ('cat', [2.0, 0.0, 1.0]), ('dog', [3.0, 1.0, 0.0])]
    """
    return RawTable(
        _rows(lines, path), PARSED_CELLS, column=DISTANCES, kind="distances", identifier=NAME
    )


def _rows(lines: Iterable[str], path: str) -> Rows:
    numbered = ((line, text.rstrip()) for line, text in enumerate(lines, start=1) if text.strip())
    size = _size(next(numbered, (1, "")), path)
    named: list[tuple[int, str, list[float]]] = []
    for line, text in numbered:
        if named and len(named[-1][2]) < _length(named, size):
            named[-1][2].extend(_numbers(text.split(), path, line))
        elif len(named) == size:
            problem = (
                f"{shown(text)} after the {counted(size, 'object')} that the first line announces."
            )
            raise fault(
                path, problem, "Correct the number in the first line.", line=line, value=text
            )
        else:
            named.append((line, *_name_and_numbers(text, path, line)))
        if len(named[-1][2]) > _length(named, size):
            problem = (
                f"{counted(len(named[-1][2]), 'distance')} of {shown(named[-1][1])}, but "
                f"{_length(named, size)} are needed."
            )
            raise fault(
                path,
                problem,
                "Write a square matrix or its lower triangle.",
                line=line,
                value=len(named[-1][2]),
            )
    if len(named) < size or len(named[-1][2]) < _length(named, size):
        problem = (
            f"the matrix ends within the {counted(size, 'object')} that the first line announces."
        )
        raise fault(
            path, problem, "Complete it, or correct the number in the first line.", value=len(named)
        )
    matrix = _matrix([numbers for _, _, numbers in named], size)
    for (line, name, _), row in zip(named, matrix, strict=True):
        yield Row(line, {NAME: name, DISTANCES: row})


def _size(first: tuple[int, str], path: str) -> int:
    """The number of objects in the first line."""
    line, text = first
    words = text.split()
    if len(words) == 2 and all(re.fullmatch("[0-9]{1,9}", word) for word in words):
        advice = "Write the sequences as FASTA, or their distances."
        raise fault(
            path,
            f"{shown(text)} begins an alignment, not distances.",
            advice,
            line=line,
            value=text,
        )
    if len(words) != 1 or not re.fullmatch("[0-9]{1,9}", words[0]) or not int(words[0]):
        advice = "The first line gives the number of objects."
        raise fault(
            path, f"{shown(text)} is not a number of objects.", advice, line=line, value=text
        )
    return int(words[0])


def _length(named: list[tuple[int, str, list[float]]], size: int) -> int:
    """How many distances the last object needs: all, or those to the objects before it where the
    first one has none.
    """
    return size if named[0][2] or (len(named) == 1 and size == 1) else len(named) - 1


def _name_and_numbers(text: str, path: str, line: int) -> tuple[str, list[float]]:
    """The name at the beginning of a line, and the numbers after it."""
    name, *words = text.split()
    if words and parse_number(words[0]) is None and len(text) >= NAME_WIDTH:
        name, words = text[:NAME_WIDTH].strip(), text[NAME_WIDTH:].split()
    return name, _numbers(words, path, line)


def _numbers(words: list[str], path: str, line: int) -> list[float]:
    numbers = []
    for word in words:
        number = parse_number(word)
        if number is None:
            advice = "Write finite numbers with a point before the decimals, separated by spaces."
            raise fault(path, f"{shown(word)} is not a distance.", advice, line=line, value=word)
        numbers.append(number)
    return numbers


def _matrix(rows: list[list[float]], size: int) -> Floats:
    """The square matrix; of a lower triangle, with its mirror image."""
    if len(rows[0]) == size:
        return np.array(rows, dtype=np.float64)
    matrix = np.zeros((size, size))
    for position, row in enumerate(rows):
        matrix[position, :position] = matrix[:position, position] = row
    return matrix


PHYLIP = Format(
    name="a PHYLIP file",
    endings=(".phy", ".phylip", ".dist"),
    of_lines=phylip_table,
    labels=f"Give a table of names and labels with {setting('labels_from')}.",
    example=b"3\nape 0 1 2\ncat 1 0 3\ndog 2 3 0\n",
)

"""The .tsv files of the UCR archive: no header, one series a row, its label first. Other .tsv files are tables."""

import math
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidFile
from wideberth.objects.readers.cells import Row, Table
from wideberth.objects.readers.delimited import WRITTEN_CELLS, table_rows, written_number
from wideberth.objects.readers.faults import counted, fault, shown
from wideberth.objects.readers.ts_files import CASE_CELLS, LABEL, SERIES


def tab_table(lines: Iterable[str], path: str) -> Table:
    """A .tsv file, as what its first line says it is: a UCR file if all cells are numbers, the label whole, else a table.

    >>> next(tab_table(["2\\t0.5\\t1.5\\n"], "beats.tsv").rows)
    Row(line=1, cells={'label': '2', 'series': array([0.5, 1.5])})
    >>> next(tab_table(["word\\tlabel\\n", "tea\\ten\\n"], "drinks.tsv").rows)
    Row(line=2, cells={'word': 'tea', 'label': 'en'})
    """
    lines = iter(lines)
    beginning: list[str] = []
    for line in lines:
        beginning.append(line)
        if line.strip():
            break
    whole = chain(beginning, lines)
    if beginning and _is_ucr(beginning[-1].rstrip("\r\n").split("\t")):
        return Table(ucr_rows(whole, path), CASE_CELLS, column=SERIES, kind="series")
    return Table(table_rows(whole, path, delimiters="\t"), WRITTEN_CELLS)


def ucr_rows(lines: Iterable[str], path: str) -> Iterator[Row]:
    """The series with their labels as text. Rows are equally wide: shorter series end in NaN, which is cut off."""
    width = None
    for line, written in enumerate(lines, start=1):
        if not written.strip():
            continue
        label, *numbers = written.rstrip("\r\n").split("\t")
        width = len(numbers) if width is None else width
        if len(numbers) != width:
            problem = f"{counted(len(numbers), 'number')} behind the label, the first row has {width}."
            raise fault(path, problem, line=line, value=len(numbers), advice="Pad shorter series with NaN at the end.")
        if not _is_whole(label):
            problem = f"{shown(label)} in the first column is not the number of a class."
            advice = "Write the label there; if this is a table, put a line with the names of its columns above it."
            raise fault(path, problem, line=line, value=label, advice=advice)
        yield Row(line, {LABEL: label.strip(), SERIES: _series(numbers, path, line)})


def _is_ucr(cells: list[str]) -> bool:
    label, *numbers = cells
    padded = [written_number(cell) is not None or _is_nan(cell) for cell in numbers]
    counting = any(
        cells == [str(start + position) for position in range(len(cells))] for start in (0, 1)
    )  # pandas names columns so
    return _is_whole(label) and bool(padded) and all(padded) and not counting


def _is_whole(cell: str) -> bool:
    number = written_number(cell)
    return number is not None and number.is_integer()


def _is_nan(cell: str) -> bool:
    return cell.strip().lower() == "nan"


def _series(cells: list[str], path: str, line: int) -> NDArray[np.float64]:
    try:
        values = np.array([float(cell) for cell in cells])
    except ValueError:
        values = np.array([math.inf])
    if np.isinf(values).any() or "_" in "".join(cells):
        raise _not_a_number(cells, path, line)
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        raise fault(path, "no numbers behind the label.", line=line, value=cells, advice="Remove the row.")
    values = values[: known[-1] + 1]
    if len(known) < len(values):
        position = int(np.flatnonzero(np.isnan(values))[0])
        raise fault(
            path,
            f"a missing value ({shown(cells[position])}) in column {position + 2}, inside the series.",
            line=line,
            value=cells[position],
            advice="Fill it in, for example by interpolation, or remove the row. NaN may stand only after the end of a series.",
        )
    return values


def _not_a_number(cells: list[str], path: str, line: int) -> InvalidFile:
    column, cell = next(
        (at, each) for at, each in enumerate(cells, start=2) if written_number(each) is None and not _is_nan(each)
    )
    advice = "Write finite numbers with a point before the decimals, and NaN after the end of a series."
    return fault(path, f"{shown(cell)} in column {column} is not a number.", line=line, value=cell, advice=advice)

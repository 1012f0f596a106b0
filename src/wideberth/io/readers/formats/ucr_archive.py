"""Read the .ts and .tsv files of the UCR and UEA archives of time series, and all other .tsv and
.tab files.

A .ts file is a header of tags, then one case on each line, ``channel:channel:label``. A .tsv file
of the UCR archive has no header and one series in each row, its label first; other .tsv files are
tables, whose rows `wideberth.io.readers.formats.delimited` reads as it reads those of .csv files.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidFile
from wideberth.io.readers.formats.delimited import (
    TEXT_CELLS,
    parse_number,
    table_rows,
    written_plainly,
)
from wideberth.io.readers.records import Cell, CellReader, RawTable, Row, Rows, counted, fault
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown

#: The columns of the tables that both formats are read as.
SERIES, LABEL = "series", "label"
#: First characters of comment lines, spellings of missing values, and the tags that are true or
#: false.
COMMENTS = ("#", "%")
MISSING = ("?", "nan")
_SPACES = " \t\r\n"  # what may stand around a number or a label; other spaces do not belong there
FLAGS = ("timestamps", "univariate", "equallength", "classlabel", "targetlabel")


@dataclass(frozen=True)
class Header:
    """What the tags of a .ts file declare about its cases."""

    classes: frozenset[str] = frozenset()  # empty: any
    labelled: bool = False  # whether every case ends with a label
    numeric_target: bool = False  # the label is a number to be predicted, not a class
    equal_length: bool = False  # whether all series have as many points
    dimensions: int | None = None  # the number of channels; None if it is not declared


def ts_table(lines: Iterable[str], path: str) -> RawTable:
    r"""Read a .ts file as a table with the columns ``series`` and, where it has labels, ``label``.

    Examples
    --------
    >>> next(ts_table(["@classLabel true a b\n", "@data\n", "1,2:3,4:a\n"], "beats.ts").rows)
    Row(line=3, cells={'series': array([[1., 2.], [3., 4.]]), 'label': 'a'})
    """
    return RawTable(ts_rows(lines, path), PARSED_CELLS, column=SERIES, kind="series")


def ts_rows(lines: Iterable[str], path: str) -> Rows:
    """Yield the cases of a .ts file, checked against its header; blank lines and comments are
    skipped.

    Examples
    --------
    >>> [
    ...     row.cells["series"].tolist()
    ...     for row in ts_rows(["@classLabel false", "@data", "1,2", "3"], "beats.ts")
    ... ]
    [[1.0, 2.0], [3.0]]
    """
    numbered = _numbered_lines(lines)
    header = _read_header(numbered, path)
    length = None
    for line, text in numbered:
        try:
            cells = _case(text, header, path, line)
            points = cells[SERIES].shape[-1]
            length = points if length is None else length
            if header.equal_length and points != length:
                problem = (
                    f"{counted(points, 'point')} in a file of @equalLength true, the first case "
                    f"has {length}."
                )
                raise fault(
                    path,
                    problem,
                    "Complete the case, or write @equalLength false.",
                    line=line,
                    value=points,
                )
        except InvalidFile as error:
            yield error
            continue
        yield Row(line, cells)
    if length is None:
        raise fault(
            path, "no cases below @data.", "Write one case a line, such as 1.5,2,3:label.", value=""
        )


def _numbered_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for line, written in enumerate(lines, start=1):
        text = written.strip(_SPACES)
        if text and not text.startswith(COMMENTS):
            yield line, text


def _read_header(lines: Iterator[tuple[int, str]], path: str) -> Header:
    tags: dict[str, tuple[int, list[str]]] = {}
    for line, text in lines:
        tag, *words = filter(None, re.split(f"[{_SPACES}]", text))
        if tag.lower() == "@data":
            return _checked_header(tags, path)
        if not tag.startswith("@"):
            advice = "Write the tags first, then @data, then the cases."
            raise fault(path, f"{shown(text)} is before @data.", advice, line=line, value=text)
        tags[tag[1:].lower()] = (line, words)
    raise fault(
        path, "there is no @data.", "Write the tags first, then @data, then the cases.", value=""
    )


def _checked_header(tags: dict[str, tuple[int, list[str]]], path: str) -> Header:
    """The header that the tags declare; ``tags`` has for each the line and the words after it."""
    flags = {name: _flag(name, *tags[name], path) for name in FLAGS if name in tags}
    if flags.get("timestamps"):
        advice = "Write the values alone, at even steps, and @timeStamps false."
        raise fault(
            path, "time stamps are not read.", advice, line=tags["timestamps"][0], value=True
        )
    if "classlabel" not in flags and "targetlabel" not in flags:
        advice = "Add @classLabel true and the names of the classes, or @classLabel false."
        raise fault(path, "the tags do not tell whether the cases have labels.", advice)
    numeric_target = flags.get("targetlabel", False)
    return Header(
        frozenset(tags["classlabel"][1][1:]) if flags.get("classlabel") else frozenset(),
        numeric_target or flags.get("classlabel", False),
        numeric_target,
        flags.get("equallength", False),
        1 if flags.get("univariate") else _dimensions(tags, path),
    )


def _flag(name: str, line: int, words: list[str], path: str) -> bool:
    if words and words[0].lower() in ("true", "false"):
        return words[0].lower() == "true"
    problem = f"@{name} {' '.join(words)}".strip() + " is neither true nor false."
    raise fault(path, problem, f"Write @{name} true or @{name} false.", line=line, value=words)


def _dimensions(tags: dict[str, tuple[int, list[str]]], path: str) -> int | None:
    line, words = tags.get("dimensions", (None, []))
    if line is None:
        return None
    if len(words) == 1 and re.fullmatch("[0-9]{1,9}", words[0]) and int(words[0]) >= 1:
        return int(words[0])
    problem = f"{shown(' '.join(words))} in @dimensions is not a number of channels."
    raise fault(
        path, problem, "Write @dimensions and a whole number from 1.", line=line, value=words
    )


def _case(text: str, header: Header, path: str, line: int) -> dict[str, Any]:
    """The series and the label on one line."""
    written, colon, last = text.rpartition(":") if header.labelled else (text, ":", "")
    if not colon:
        raise fault(
            path,
            "no label.",
            "End the case with ':' and its label, or write @classLabel false.",
            line=line,
            value=text,
        )
    channels = written.split(":")
    if header.dimensions not in (None, len(channels)):
        problem = (
            f"{counted(len(channels), 'channel')}, but the header declares {header.dimensions}."
        )
        raise fault(
            path,
            problem,
            "Separate channels, and the label, by ':'.",
            line=line,
            value=len(channels),
        )
    read = [
        _channel(channel, number, path, line) for number, channel in enumerate(channels, start=1)
    ]
    for one, other in pairwise(read):
        if len(one) != len(other):
            problem = f"channels of {len(one)} and {len(other)} points in one case."
            advice = "Give all channels of a case the same length."
            raise fault(path, problem, advice, line=line, value=(len(one), len(other)))
    series = read[0] if len(read) == 1 else np.array(read)
    return (
        {SERIES: series, LABEL: _case_label(last.strip(_SPACES), header, path, line)}
        if header.labelled
        else {SERIES: series}
    )


def _channel(text: str, number: int, path: str, line: int) -> Floats:
    pieces = text.split(",")
    try:
        values = np.array([float(piece) for piece in pieces])
    except ValueError:
        values = np.array([math.nan])
    if not np.isfinite(values).all() or not written_plainly(text):
        raise _channel_error(pieces, number, path, line)
    return values


def _channel_error(pieces: list[str], channel: int, path: str, line: int) -> InvalidFile:
    position, piece = next(
        (number, piece)
        for number, piece in enumerate(pieces, start=1)
        if parse_number(piece) is None
    )
    place = f"at point {position} of channel {channel}"
    if piece.strip().lower() in MISSING:
        advice = "Fill it in, for example by interpolation, or remove the case."
        return fault(
            path, f"a missing value ({shown(piece)}) {place}.", advice, line=line, value=piece
        )
    advice = "Separate finite numbers by ',' and channels, and the label, by ':'."
    return fault(path, f"{shown(piece)} {place} is not a number.", advice, line=line, value=piece)


def _case_label(text: str, header: Header, path: str, line: int) -> str | float:
    if not text:
        raise fault(
            path,
            "the label is empty.",
            "End the case with ':' and its label.",
            line=line,
            value=text,
        )
    if header.numeric_target:
        value = parse_number(text)
        if value is None:
            advice = "Correct it, or write @classLabel true and the names of the classes."
            raise fault(
                path,
                f"{shown(text)} is not a number, as @targetLabel requires.",
                advice,
                line=line,
                value=text,
            )
        return value
    if header.classes and text not in header.classes:
        advice = "Correct it, or add it to @classLabel."
        raise fault(
            path,
            f"{shown(text)} is not one of the labels in @classLabel.",
            advice,
            line=line,
            value=text,
        )
    return text


def tsv_table(lines: Iterable[str], path: str, header: bool | None = None) -> RawTable:
    r"""Read a .tsv file: a UCR file if its first line consists of numbers, the first of them whole,
    otherwise a table.

    Examples
    --------
    >>> next(tsv_table(["2\t0.5\t1.5\n"], "beats.tsv").rows)
    Row(line=1, cells={'label': '2', 'series': array([0.5, 1.5])})
    >>> next(tsv_table(["word\tlabel\n", "tea\ten\n"], "drinks.tsv").rows)
    Row(line=2, cells={'word': 'tea', 'label': 'en'})
    """
    lines = iter(lines)
    beginning: list[str] = []
    for line in lines:
        beginning.append(line)
        if line.strip():
            break
    whole = chain(beginning, lines)
    if header is None and beginning and _is_ucr(beginning[-1].rstrip("\r\n").split("\t")):
        return RawTable(ucr_rows(whole, path), PARSED_CELLS, column=SERIES, kind="series")
    return RawTable(table_rows(whole, path, "\t", header), TEXT_CELLS)


def ucr_rows(lines: Iterable[str], path: str) -> Rows:
    r"""Yield the series of a UCR file, with labels as text; rows are equally wide, and NaN at the
    end of a series is cut off.

    Examples
    --------
    >>> [
    ...     row.cells["series"].tolist()
    ...     for row in ucr_rows(["1\t0.5\t2", "2\t1.5\tNaN"], "beats.tsv")
    ... ]
    [[0.5, 2.0], [1.5]]
    """
    width = None
    for line, written in enumerate(lines, start=1):
        if not written.strip():
            continue
        label, *numbers = written.rstrip("\r\n").split("\t")
        width = len(numbers) if width is None else width
        try:
            cells = _ucr_case(label, numbers, width, path, line)
        except InvalidFile as error:
            yield error
            continue
        yield Row(line, cells)


def _ucr_case(label: str, numbers: list[str], width: int, path: str, line: int) -> dict[str, Any]:
    """The label and the series of one row."""
    if len(numbers) != width:
        problem = f"{counted(len(numbers), 'number')} after the label, the first row has {width}."
        raise fault(
            path, problem, "Pad shorter series with NaN at the end.", line=line, value=len(numbers)
        )
    if not _is_whole(label):
        problem = f"{shown(label)} in the first column is not the number of a class."
        advice = (
            "Write the label there; if this is a table, put a line with the names of its columns "
            "above it."
        )
        raise fault(path, problem, advice, line=line, value=label)
    return {LABEL: label.strip(), SERIES: _padded_series(numbers, path, line)}


def _is_ucr(cells: list[str]) -> bool:
    """Whether the cells of a first line are a label and numbers, and not the names 0, 1, 2... that
    pandas gives to columns.
    """
    label, *numbers = cells
    padded = [parse_number(cell) is not None or _is_nan(cell) for cell in numbers]
    # pandas names columns so
    counting = any(
        cells == [str(start + position) for position in range(len(cells))] for start in (0, 1)
    )
    return _is_whole(label) and bool(padded) and all(padded) and not counting


def _is_whole(cell: str) -> bool:
    number = parse_number(cell)
    return number is not None and number.is_integer()


def _is_nan(cell: str) -> bool:
    try:
        return math.isnan(float(cell)) and written_plainly(cell)
    except ValueError:
        return False


def _padded_series(cells: list[str], path: str, line: int) -> Floats:
    """The numbers of a row without the NaN at its end; a NaN between numbers is refused."""
    try:
        values = np.array([float(cell) for cell in cells])
    except ValueError:
        values = np.array([math.inf])
    if np.isinf(values).any() or not written_plainly("".join(cells)):
        raise _row_error(cells, path, line)
    finite = np.flatnonzero(np.isfinite(values))
    if not len(finite):
        raise fault(path, "no numbers after the label.", "Remove the row.", line=line, value=cells)
    values = values[: finite[-1] + 1]
    if len(finite) < len(values):
        position = int(np.flatnonzero(np.isnan(values))[0])
        raise fault(
            path,
            f"a missing value ({shown(cells[position])}) in column {position + 2}, inside the "
            "series.",
            "Fill it in, for example by interpolation, or remove the row. NaN is allowed "
            "only after the end of a series.",
            line=line,
            value=cells[position],
        )
    return values


def _row_error(cells: list[str], path: str, line: int) -> InvalidFile:
    column, cell = next(
        (number, cell)
        for number, cell in enumerate(cells, start=2)
        if parse_number(cell) is None and not _is_nan(cell)
    )
    advice = (
        "Write finite numbers with a point before the decimals, and NaN after the end of a series."
    )
    return fault(
        path, f"{shown(cell)} in column {column} is not a number.", advice, line=line, value=cell
    )


def _as_series(cell: Cell) -> Floats | None:
    return cell if isinstance(cell, np.ndarray) else None


def _as_text(cell: Cell) -> str | None:
    return cell if isinstance(cell, str) else None


def _as_label(cell: Cell) -> Any:
    return None if isinstance(cell, np.ndarray) else cell


def _not_readable(cell: Cell) -> None:
    return None


#: Cells that `ts_rows` and `ucr_rows` have parsed already: arrays of numbers, and labels.
PARSED_CELLS = CellReader(
    number=_not_readable,
    series=_as_series,
    text=_as_text,
    members=_not_readable,
    structure=_not_readable,
    label=_as_label,
    fallback_kind="series",
    has_numbers=True,
)


TSV = Format(
    name="a TSV file",
    endings=(".tsv", ".tab"),
    of_lines=tsv_table,
    has_header=True,
    example=b"word\tlabel\ntea\ten\nlait\tfr\n",
)
TS = Format(
    name="a .ts file",
    endings=(".ts",),
    of_lines=ts_table,
    example=b"@classLabel true slow fast\n@data\n1,2,3:slow\n4,6:fast\n",
)

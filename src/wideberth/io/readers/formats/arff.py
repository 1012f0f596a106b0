"""Read ARFF files, the tables of Weka and OpenML: declared attributes, then rows.

SciPy reads these files too, but no strings, and no file that has one; and it gives bytes in
structured arrays.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wideberth.errors import InvalidFile
from wideberth.io.readers.formats.delimited import TEXT_CELLS, parse_number
from wideberth.io.readers.records import CellType, RawTable, Row, Rows, counted, fault, listed
from wideberth.io.readers.source import Format
from wideberth.objects.sample import shown

_COMMENT, _MISSING = "%", "?"
#: a value in quotes, with escaped characters, or one without quotes; what surrounds it is matched
#: apart.
_VALUE = re.compile(
    r"""\s*+(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,'"{}]*+))\s*+(,|$)""", re.DOTALL
)
_ATTRIBUTE = re.compile(
    r"""@attribute\s++(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^\s'"{]++))\s*+(.*)""",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NUMERIC, _TEXT = ("numeric", "real", "integer"), ("string", "date")


class Attribute(NamedTuple):
    """A declared column."""

    name: str
    #: what its cells are read as; None if the cells tell, as those of dates do
    type: CellType | None
    values: frozenset[str] | None = None  # the values that may occur, of a nominal attribute


def arff_table(lines: Iterable[str], path: str) -> RawTable:
    r"""Read an ARFF file.

    Nominal attributes are categories even if their values are numbers; ``?`` is an empty cell.
    Sparse rows, weights of rows and relational attributes are refused.

    Examples
    --------
    >>> lines = [
    ...     "@relation t",
    ...     "@attribute name string",
    ...     "@attribute class {hot, cold}",
    ...     "@data",
    ...     "'ice tea',cold",
    ... ]
    >>> [row.cells for row in arff_table(lines, "drinks.arff").rows]
    [{'name': 'ice tea', 'class': 'cold'}]
    """
    numbered = ((line, text.strip()) for line, text in enumerate(lines, start=1))
    filled = ((line, text) for line, text in numbered if text and not text.startswith(_COMMENT))
    attributes = _attributes(filled, path)
    types = {
        attribute.name: attribute.type for attribute in attributes if attribute.type is not None
    }
    return RawTable(_rows(filled, attributes, path), TEXT_CELLS, types=types)


def _attributes(lines: Iterator[tuple[int, str]], path: str) -> list[Attribute]:
    """The declarations up to @data."""
    found: dict[str, Attribute] = {}
    for line, text in lines:
        tag = text.split(maxsplit=1)[0].lower()
        if tag == "@data":
            if not found:
                raise fault(
                    path,
                    "no attributes.",
                    "Declare them: @attribute name numeric.",
                    line=line,
                    value=text,
                )
            return list(found.values())
        if tag == "@relation":
            continue
        attribute = _attribute(text, path, line)
        if attribute.name in found:
            problem = f"2 columns are called {attribute.name!r}."
            raise fault(
                path, problem, "Give every column its own name.", line=line, value=attribute.name
            )
        found[attribute.name] = attribute
    raise fault(
        path,
        "there is no @data.",
        "Write @relation, the attributes, @data, then the rows.",
        value="",
    )


def _attribute(text: str, path: str, line: int) -> Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    name = (
        None
        if match is None
        else next(_unescaped(group) for group in match.groups()[:3] if group is not None)
    )
    declared = "" if match is None else match[4].strip()
    kind = declared.split(maxsplit=1)[0].lower() if declared else ""
    if name and declared.startswith("{") and declared.endswith("}"):
        values = _split(declared[1:-1])
        if values is not None:
            return Attribute(name, "text", frozenset(value for value, _ in values))
    if name and kind in _NUMERIC:
        return Attribute(name, "number")
    if name and kind in _TEXT:
        return Attribute(name, "text" if kind == "string" else None)
    advice = (
        "Write @attribute name numeric, string, date or {one, other}; names with spaces in quotes."
    )
    raise fault(
        path,
        f"{shown(text)} declares no attribute that can be read.",
        advice,
        line=line,
        value=text,
    )


def _rows(lines: Iterator[tuple[int, str]], attributes: list[Attribute], path: str) -> Rows:
    found = False
    for line, text in lines:
        found = True
        try:
            row = Row(line, _cells(text, attributes, path, line))
        except InvalidFile as error:
            yield error
            continue
        yield row
    if not found:
        raise fault(
            path,
            "no rows below @data.",
            "Write one row a line, its values separated by commas.",
            value="",
        )


def _cells(text: str, attributes: list[Attribute], path: str, line: int) -> dict[str, str]:
    """The cells of one row; a missing value is empty."""
    values = None if text.startswith("{") else _split(text)
    if values is None:
        sparse = text.startswith("{") or text.endswith("}")
        advice = (
            "Write all values, without braces."
            if sparse
            else "Close every quote, and put values with commas in quotes."
        )
        problem = (
            f"{shown(text)} "
            f"{'is a sparse row or has a weight' if sparse else 'cannot be split into values'}."
        )
        raise fault(path, problem, advice, line=line, value=text)
    if len(values) != len(attributes):
        problem = (
            f"{counted(len(values), 'value')} in {shown(text)}, but "
            f"{counted(len(attributes), 'attribute')} are declared."
        )
        raise fault(path, problem, "Write ? for a missing value.", line=line, value=text)
    return {
        attribute.name: _cell(value, quoted, attribute, path, line)
        for attribute, (value, quoted) in zip(attributes, values, strict=True)
    }


def _cell(value: str, quoted: bool, attribute: Attribute, path: str, line: int) -> str:
    if value == _MISSING and not quoted:
        return ""
    if attribute.values is not None and value not in attribute.values:
        problem = (
            f"{shown(value)} is not a declared value of {attribute.name!r}: "
            f"{listed(sorted(attribute.values))}."
        )
        raise fault(
            path, problem, "Correct it, or add it to the declaration.", line=line, value=value
        )
    if attribute.type == "number" and parse_number(value) is None:
        problem = f"{shown(value)} in column {attribute.name!r} is not a number, as it is declared."
        raise fault(
            path, problem, "Correct it, or write ? if it is unknown.", line=line, value=value
        )
    return value


def _split(text: str) -> list[tuple[str, bool]] | None:
    """The values between commas, and whether each is in quotes; None if quotes or braces are not
    closed.
    """
    values, position = [], 0
    while True:
        match = _VALUE.match(text, position)
        if match is None:
            return None
        single, double, bare, separator = match.groups()
        quoted = single if single is not None else double
        values.append((bare.strip() if quoted is None else _unescaped(quoted), quoted is not None))
        if not separator:
            return values
        position = match.end()


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


ARFF = Format(
    name="an ARFF file",
    endings=(".arff",),
    of_lines=arff_table,
    example=b"@relation drinks\n@attribute word string\n@attribute class {en, fr}\n@data\n"
    b"tea,en\nlait,fr\n",
)

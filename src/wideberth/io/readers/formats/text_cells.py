"""Read the cells of tables of text: numbers, series, sets and structures, written as text."""

import math
import re
import unicodedata
from typing import Any

import numpy as np

from wideberth.array_types import Floats
from wideberth.io import strict_json
from wideberth.io.readers.tables import CellReader, numeric_array

_CONTROLS = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f]")  # all but tabs and line breaks; Python counts some of them among the spaces
_MINUS = str.maketrans("\u2212", "-")


def parse_number(cell: str) -> float | None:
    """Parse a finite number.

    Parameters
    ----------
    cell : str
        A cell of a table; spaces around the number are ignored.

    Returns
    -------
    float or None
        None for any other text, also for NaN and infinities.

    Examples
    --------
    >>> parse_number(" 1.5e3 "), parse_number("1_000"), parse_number("NaN"), parse_number("١٢")
    (1500.0, None, None, None)
    """
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and written_plainly(cell) else None


def written_plainly(text: str) -> bool:
    r"""Whether numbers are written with the digits 0 to 9 and plain spaces, as the standards of all formats have it.

    Python also takes digits of other scripts, no-break spaces and control characters around a number, and underscores in it.

    Parameters
    ----------
    text : str
        One or more numbers that ``float`` takes.

    Examples
    --------
    >>> written_plainly(" 1.5"), written_plainly("١٢"), written_plainly("12\xa0"), written_plainly("1_000")
    (True, False, False, False)
    """
    return text.isascii() and "_" not in text and (text.isprintable() or not _CONTROLS.search(text))


def is_disguised_number(cell: str) -> bool:
    r"""Whether a cell is a number for a reader, but not for a program: with digits of another script or no-break spaces.

    Such cells count as numbers when the type of a column is decided, so that a column of them is not taken for text, and are
    reported when the rows are converted.

    Parameters
    ----------
    cell : str
        A cell of a table.

    Examples
    --------
    >>> is_disguised_number("١٢"), is_disguised_number("1\u202f000"), is_disguised_number("−5"), is_disguised_number("12")
    (True, True, True, False)
    """
    if cell.isascii():
        return False
    plain = "".join(cell.translate(_MINUS).split())
    return "_" not in plain and parse_number("".join(str(unicodedata.decimal(letter, letter)) for letter in plain)) is not None


def parse_structure(cell: str) -> Any:
    """Parse a JSON list or object.

    Parameters
    ----------
    cell : str
        A cell of a table.

    Returns
    -------
    list, dict or None
        None for any other text.

    Examples
    --------
    >>> parse_structure('["A", []]'), parse_structure("tea"), parse_structure("[tea")
    (['A', []], None, None)
    """
    try:
        return strict_json.parse_data(cell) if cell.lstrip()[:1] in ("[", "{") else None
    except ValueError:
        return None


def _split_cell(cell: str) -> list[str]:
    """The parts of a cell between semicolons if it has any, otherwise between spaces."""
    return [piece for piece in re.split(r"\s*;\s*" if ";" in cell else r"\s+", cell.strip()) if piece]


def _series(cell: str) -> Floats | None:
    if cell.lstrip().startswith("["):
        values = parse_structure(cell)
        return None if values is None else numeric_array(values)
    if not written_plainly(cell):  # a no-break space does not separate numbers
        return None
    numbers = [parse_number(piece) for piece in _split_cell(cell)]
    return np.array(numbers, dtype=np.float64) if numbers and None not in numbers else None


def _members(cell: str) -> frozenset[Any] | None:
    """The members of a set: of a JSON list without lists or objects in it, or the parts of the cell."""
    members = parse_structure(cell) if cell.lstrip().startswith("[") else _split_cell(cell)
    if not cell.strip() or members is None or any(isinstance(member, list | dict) for member in members):
        return None
    return frozenset(members)


def _text(cell: str) -> str | None:
    return cell or None


def _label(cell: str) -> str | None:
    return cell if cell.strip() else None


TEXT_CELLS = CellReader(
    number=parse_number,
    series=_series,
    text=_text,
    members=_members,
    structure=parse_structure,
    label=_label,
    fallback_kind="strings",
    disguised=is_disguised_number,
)

"""Read the costs of edits from a file: lists of pairs, lists of single letters, or a square table."""

import math
import re
from pathlib import Path
from typing import Any

from wideberth.errors import InvalidFile
from wideberth.objects.sample import shown


def read_costs(path: str) -> dict[Any, float]:
    r"""Read costs of substitutions or of gaps.

    Cells are separated by commas, semicolons, tabs or spaces; lines that begin with ``#`` are comments. There are three forms:

    - three cells a line, a pair and its cost: ``A,G,0.5``;
    - two cells a line, a letter and its cost: ``A,0.7``, for gaps;
    - a square table whose first line and first column name the letters.

    A first line without a number is a header.

    Parameters
    ----------
    path : str
        The file, in UTF-8.

    Returns
    -------
    dict
        The costs by pairs, or by letters.

    Raises
    ------
    InvalidFile
        With the line at which the file is none of these, or has a negative cost.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "costs.csv")
    >>> _ = file.write_text("one,other,cost\nA,G,0.5\nC,T,0.5\n")
    >>> read_costs(str(file))
    {('A', 'G'): 0.5, ('C', 'T'): 0.5}
    >>> _ = file.write_text("  A G\nA 0 0.5\nG 0.5 0\n")
    >>> read_costs(str(file))
    {('A', 'G'): 0.5, ('G', 'A'): 0.5}
    """
    lines = _cells_by_line(path)
    head = lines[0][1]
    letters = head if len(lines) == len(head) + 1 else head[1:] if len(lines) == len(head) else []
    if letters and all(cells[0] == letter for letter, (_, cells) in zip(letters, lines[1:], strict=True)):
        return _square(path, letters, lines[1:])
    if all(_number(cell) is None for cell in head):
        lines = lines[1:]
    costs: dict[Any, float] = {}
    for line, cells in lines:
        if len(cells) not in (2, 3) or len(cells) != len(lines[0][1]):
            raise _fault(path, line, f"it has {len(cells)} cells.", cells)
        costs[tuple(cells[:2]) if len(cells) == 3 else cells[0]] = _cost(path, line, cells[-1])
    return costs


def _square(path: str, letters: list[str], lines: list[tuple[int, list[str]]]) -> dict[Any, float]:
    """The costs of all pairs in a square table."""
    costs: dict[Any, float] = {}
    for line, (letter, *cells) in lines:
        if len(cells) != len(letters):
            raise _fault(path, line, f"it has {len(cells)} costs for {len(letters)} letters.", cells)
        found = {other: _cost(path, line, cell) for other, cell in zip(letters, cells, strict=True)}
        if found.pop(letter):
            raise _fault(path, line, f"{letter!r} does not turn into itself at no cost.", letter)
        costs |= {(letter, other): cost for other, cost in found.items()}
    return costs


def _cells_by_line(path: str) -> list[tuple[int, list[str]]]:
    """The cells of each line that is not empty and no comment, with its number."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as reason:
        raise InvalidFile(
            f"{path}: the costs cannot be read ({getattr(reason, 'strerror', None) or 'it is not UTF-8'}).",
            advice="Name a file with lines such as A,G,0.5.",
            path=path,
            line=None,
            value=path,
        ) from None
    numbered = [(line, content) for line, content in enumerate(text.splitlines(), start=1) if content.strip()]
    lines = [(line, _cells(content)) for line, content in numbered if not content.lstrip().startswith("#")]
    if not lines:
        raise _fault(path, None, "there are no costs in it.", None)
    return lines


def _cells(content: str) -> list[str]:
    """The cells of a line; the first one of a table may be empty."""
    separator = next((each for each in (",", ";", "\t") if each in content), None)
    cells = re.split(r"\s+", content.strip()) if separator is None else [cell.strip() for cell in content.split(separator)]
    return [cell.strip("\"'") for cell in cells]


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _cost(path: str, line: int, cell: str) -> float:
    cost = _number(cell)
    if cost is None or not math.isfinite(cost):
        raise _fault(path, line, f"{shown(cell)} is not a cost.", cell)
    if cost < 0:
        raise _fault(path, line, f"the cost {cell} is negative: these may be scores of similarity, and not costs.", cell)
    return cost


def _fault(path: str, line: int | None, problem: str, value: Any) -> InvalidFile:
    place = path if line is None else f"{path}, line {line}"
    advice = "Costs are lines such as A,G,0.5 (a pair), A,0.7 (a gap), or a square table with its letters on top and at the left."
    return InvalidFile(f"{place}: {problem}", advice=advice, path=path, line=line, value=value)

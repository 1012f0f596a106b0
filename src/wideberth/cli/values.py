"""Parse what people type: values, settings such as ``C=10``, metrics such as
``weighted_edit(gap=0.5)``. Nothing is evaluated.
"""

import ast
import inspect
import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from wideberth import transforms
from wideberth.cli.synonyms import read_synonyms
from wideberth.errors import InvalidFile, InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS, metric
from wideberth.objects.sample import shown

# ---- Read the costs of edits from a file: lists of pairs, lists of single letters, or a square
# table


def read_costs(path: str) -> dict[Any, float]:
    r"""Read costs of substitutions or of gaps.

    Cells are separated by commas, semicolons, tabs or spaces; lines that begin with ``#`` are
    comments. There are three forms:

    - three cells a line, a pair and its cost: ``A,G,0.5``;
    - two cells a line, a letter and its cost: ``A,0.7``, for gaps;
    - a square table whose first line and first column name the letters.

    A first line without a number is a header.

    Costs are by pairs, or by letters; an error names the line.

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
    if letters and all(
        cells[0] == letter for letter, (_, cells) in zip(letters, lines[1:], strict=True)
    ):
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
            raise _fault(
                path, line, f"it has {len(cells)} costs for {len(letters)} letters.", cells
            )
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
            f"{path}: the costs cannot be read "
            f"({getattr(reason, 'strerror', None) or 'it is not UTF-8'}).",
            advice="Name a file with lines such as A,G,0.5.",
            path=path,
            line=None,
            value=path,
        ) from None
    numbered = [
        (line, content)
        for line, content in enumerate(text.splitlines(), start=1)
        if content.strip()
    ]
    lines = [
        (line, _cells(content))
        for line, content in numbered
        if not content.lstrip().startswith("#")
    ]
    if not lines:
        raise _fault(path, None, "there are no costs in it.", None)
    return lines


def _cells(content: str) -> list[str]:
    """The cells of a line; the first one of a table may be empty."""
    separator = next((each for each in (",", ";", "\t") if each in content), None)
    cells = (
        re.split(r"\s+", content.strip())
        if separator is None
        else [cell.strip() for cell in content.split(separator)]
    )
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
        raise _fault(
            path,
            line,
            f"the cost {cell} is negative: these may be scores of similarity, and not costs.",
            cell,
        )
    return cost


def _fault(path: str, line: int | None, problem: str, value: Any) -> InvalidFile:
    place = path if line is None else f"{path}, line {line}"
    advice = (
        "Costs are lines such as A,G,0.5 (a pair), A,0.7 (a gap), or a square table with its "
        "letters on top and at the left."
    )
    return InvalidFile(f"{place}: {problem}", advice=advice, path=path, line=line, value=value)


#: A metric with parameters, and a setting.
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_SETTING = re.compile(r"\s*(\w+)\s*=\s*(.+?)\s*", re.DOTALL)
#: The transforms that can be written: all but those of kernels and of parts, which take more than
#: metrics and settings.
_TRANSFORMS = set(transforms.__all__) - {"metric_from_kernel", "product"}
#: What `ast.literal_eval` raises for texts that are no literals, or too deep ones.
_NOT_A_LITERAL = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)


def parse_value(text: str) -> Any:
    """Parse a value: JSON, a literal of Python, or a text without quotes.

    Examples
    --------
    >>> (
    ...     parse_value("3"),
    ...     parse_value("true"),
    ...     parse_value("'far'"),
    ...     parse_value("far"),
    ...     parse_value("{('A', 'G'): 0.5}"),
    ... )
    (3, True, 'far', 'far', {('A', 'G'): 0.5})
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text.strip())
    except _NOT_A_LITERAL:
        pass
    if text.strip()[:1] in ("[", "{", "(", '"', "'"):
        raise InvalidInput(
            f"{shown(text)} is not a value.",
            advice="Check its brackets and quotes: lists are [1, 2], texts 'far', costs of pairs "
            "{('A', 'G'): 0.5}.",
            value=text,
        )
    return text.strip()


def parse_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Parse settings of a model, as ``--param`` takes them; of synonyms the name of a file.

    Examples
    --------
    >>> parse_settings(["C=10", "separation=compression", "radial=['distance', 'gaussian']"])
    {'C': 10, 'separation': 'compression', 'radial': ['distance', 'gaussian']}
    """
    parsed = dict(_setting(text, f"--param {text}", "--param C=10") for text in settings)
    if isinstance(parsed.get("synonyms"), str):
        parsed["synonyms"] = read_synonyms(parsed["synonyms"])
    return parsed


def parse_metric(written: str) -> str | Metric:
    """Parse a metric as the command line writes it: ``name``, ``name(parameter=value, ...)`` or
    ``transform(metric, ...)``.

    Values are as in `parse_value`; for costs of edits also the name of a file (`read_costs`).
    Functions of `wideberth.transforms` take metrics first, and then their parameters. A name
    without brackets stays a name.

    Examples
    --------
    >>> (
    ...     parse_metric("levenshtein"),
    ...     parse_metric("minkowski(p=3)"),
    ...     parse_metric("gower(missing='skip')"),
    ... )
    ('levenshtein', Minkowski(p=3), Gower(missing='skip'))
    >>> parse_metric("weighted_edit(substitutions={('A', 'G'): 0.5})")("GATE", "AATE")
    0.5
    >>> parse_metric("total(levenshtein, scale(affixes, factor=0.5))").name
    'total(levenshtein, scale(affixes, 0.5))'
    """
    brackets = _CALL.fullmatch(written)
    if brackets is None and "(" in written:
        raise InvalidInput(
            f"{shown(written)} is not a metric: what follows the name is not closed.",
            advice="Write 'minkowski(p=3)', with quotes around it for the shell.",
            value=written,
        )
    if brackets is None:
        name = written.strip()
        return name if name == "precomputed" else _checked_name(name)
    name, inside = brackets.groups()
    items = [text for text in between_commas(inside) if text.strip()]
    if name in _TRANSFORMS:
        return _transformed(name, items, written)
    parameters = [
        _setting(text, f"the metric {shown(written)}", "'minkowski(p=3)'") for text in items
    ]
    return metric(
        name,
        **{parameter: _costs_in_file(name, parameter, value) for parameter, value in parameters},
    )


def _transformed(name: str, items: list[str], written: str) -> Metric:
    """What a function of `wideberth.transforms` makes of metrics and settings."""
    metrics = [parse_metric(text) for text in items if not _SETTING.fullmatch(text)]
    settings = dict(
        _setting(text, written, "factor=0.5") for text in items if _SETTING.fullmatch(text)
    )
    function = getattr(transforms, name)
    try:
        inspect.signature(function).bind(*metrics, **settings)
    except TypeError as wrong:
        raise InvalidInput(
            f"{shown(written)} cannot be made: {wrong}.",
            advice="Metrics come first, then settings by their names: 'scale(affixes, "
            "factor=0.5)'.",
            value=written,
        ) from None
    return cast(Metric, function(*metrics, **settings))


def between_commas(text: str) -> list[str]:
    """Split a text at the commas that are not inside quotes or brackets.

    Examples
    --------
    >>> between_commas("covariance=[[2, 0], [0, 1]], name='a,b'")
    ['covariance=[[2, 0], [0, 1]]', " name='a,b'"]
    """
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        else:
            depth += (letter in "[{(") - (letter in ")}]")
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _setting(text: str, where: str, example: str) -> tuple[str, Any]:
    """The name and the value of one setting."""
    named = _SETTING.fullmatch(text)
    if named is None:
        raise InvalidInput(
            f"{shown(text.strip())} in {where} is not a setting.",
            advice=f"Write name=value, for example {example}.",
            value=text,
        )
    return named[1], parse_value(named[2])


def _checked_name(name: str) -> str:
    """The name, after a check that there is such a metric."""
    return metric(name).name if METRICS.get(name) is None else name


def _costs_in_file(name: str, parameter: str, value: Any) -> Any:
    """The costs in a file, where a parameter takes costs and the name of a file is given; any other
    value as it is.
    """
    takes = inspect.signature(METRICS[name]).parameters.get(parameter) if name in METRICS else None
    if takes is None or "Mapping" not in str(takes.annotation) or not isinstance(value, str):
        return value
    return read_costs(value) if Path(value).suffix or Path(value).is_file() else value

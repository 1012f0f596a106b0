"""Objects for a command, read from a file with their labels, and the metric: named by an option, or usual for their kind."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.model_file.contents import Origin
from wideberth.io.readers import Kind, Records, read
from wideberth.metrics.kinds import USUAL_METRIC
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric

#: A metric with parameters, and one of its parameters, as the command line writes them.
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_PARAMETER = re.compile(r"\s*(\w+)\s*=\s*(.+?)\s*", re.DOTALL)
#: Files in which objects stand under no name.
_ARRAYS = (".npy", ".npz")


def read_labelled(file: str, column: str | None, target: str | None, encoding: str | None, kind: str | None) -> Records:
    """Records that have labels of classes."""
    records = read(file, column=column, target=target, kind=cast(Kind | None, kind), encoding=encoding)
    if records.labels is None:
        raise InvalidFile(
            f"{file}: no column is known to hold the labels.",
            advice="Put the files of each class into a directory of its own."
            if Path(file).is_dir()
            else "Name it with --target; one called label, class, target or y is found.",
            path=file,
            line=None,
            value=None,
        )
    measured = [label for label in records.labels if isinstance(label, float) and not label.is_integer()]
    if measured:
        raise InvalidFile(
            f"{file}: {measured[0]!r} in {records.target!r} is a measurement, not the name of a class.",
            advice="Name a column of classes with --target, or cut the numbers into classes.",
            path=file,
            line=None,
            value=measured[0],
        )
    return records


def chosen_metric(written: str | None, records: Records) -> str | Metric:
    """The metric that was named, or the usual one."""
    return usual_metric(records.kind, records.path) if written is None else parse_metric(written)


def usual_metric(kind: str, file: str) -> str:
    """The metric for objects of a kind.

    >>> usual_metric("strings", "names.csv")
    'levenshtein'
    """
    if kind not in USUAL_METRIC:
        raise InvalidInput(
            f"No metric is usual for the {kind} in {file}.",
            advice="Name one with --metric; 'wideberth metrics' lists them.",
            value=kind,
        )
    return USUAL_METRIC[kind]


def parse_metric(written: str) -> str | Metric:
    """The metric that ``name`` or ``name(parameter=value, ...)`` means; values are JSON, or else text.

    >>> parse_metric("levenshtein"), parse_metric("minkowski(p=3)"), parse_metric('gower(missing=far)')
    ('levenshtein', Minkowski(p=3), Gower(missing='far'))
    """
    brackets = _CALL.fullmatch(written)
    if brackets is None:
        return written.strip()
    name, inside = brackets.groups()
    return metric(name, **dict(_parameter(each, written) for each in _between_commas(inside) if each.strip()))


def _between_commas(inside: str) -> list[str]:
    """What is between the commas that are not inside quotes or brackets.

    >>> _between_commas("covariance=[[2, 0], [0, 1]], name=a")
    ['covariance=[[2, 0], [0, 1]]', ' name=a']
    """
    parts, depth, quoted = [""], 0, False
    for letter in inside:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "[{(") - (letter in ")}]")
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _parameter(text: str, written: str) -> tuple[str, object]:
    named = _PARAMETER.fullmatch(text)
    if named is None:
        raise InvalidInput(
            f"{text.strip()!r} in the metric {written!r} is not a parameter.",
            advice="Write name=value, for example 'minkowski(p=3)' or 'gower(missing=far)'.",
            value=text,
        )
    name, value = named.groups()
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def has_columns(file: str) -> bool:
    """Whether objects stand under a name in a file, as in all but arrays."""
    return Path(file).suffix.lower() not in _ARRAYS


def origin_of(records: Records) -> Origin:
    """How the records were read."""
    return Origin(records.kind, records.column if has_columns(records.path) else None, records.numbers)


def class_sizes(labels: list[Any]) -> str:
    """The classes and how many objects each has, the largest first.

    >>> class_sizes(["tea", "rum", "tea"])
    '2 classes: tea 2, rum 1'
    """
    sizes = Counter(labels).most_common()
    shown = ", ".join(f"{label} {count:,}" for label, count in sizes[:8])
    return f"{len(sizes)} class{'es' * (len(sizes) != 1)}: {shown}{', ...' if len(sizes) > 8 else ''}"

"""Read the objects and labels of a command from a file, and choose the metric: the one named, or the usual one for their kind."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.model_file.model_parts import Origin
from wideberth.io.readers import Kind, Records, read
from wideberth.io.readers.sources.limits import MAX_SIZE
from wideberth.io.readers.sources.source import ARRAY_FORMATS
from wideberth.metrics.kinds import USUAL_METRIC
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric
from wideberth.progress import doing

#: A metric with parameters, and one of its parameters, as the command line writes them.
_CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
_PARAMETER = re.compile(r"\s*(\w+)\s*=\s*(.+?)\s*", re.DOTALL)


@dataclass(frozen=True)
class DataOptions:
    """The options that ``fit``, ``compare`` and ``doctor`` share: where the objects are, and their metric.

    Attributes
    ----------
    file : str
        The file or directory; ``"-"`` for standard input.
    column, target, encoding, kind : str or None
        As for `wideberth.read`; found if None.
    metric : str or None
        A metric as `parse_metric` takes it; None for the usual one.
    max_size : str
        As for `wideberth.read`.

    Examples
    --------
    >>> DataOptions("names.csv", target="sex").metric is None
    True
    """

    file: str
    column: str | None = None
    target: str | None = None
    metric: str | None = None
    encoding: str | None = None
    kind: str | None = None
    max_size: str = MAX_SIZE


@doing("reading")
def read_data(data: DataOptions) -> Records:
    """Read the objects that the options of a command name.

    Parameters
    ----------
    data : DataOptions
        The file and how to read it.

    Returns
    -------
    Records

    Examples
    --------
    >>> from importlib.resources import files
    >>> names = str(files("wideberth.objects.datasets") / "first_names.csv")
    >>> len(read_data(DataOptions(names, column="name")))
    5494
    """
    return read(
        data.file,
        column=data.column,
        target=data.target,
        kind=cast(Kind | None, data.kind),
        encoding=data.encoding,
        max_size=data.max_size,
    )


def read_labelled(data: DataOptions) -> Records:
    """Read objects with labels.

    Parameters
    ----------
    data : DataOptions
        As for `read_data`.

    Returns
    -------
    Records
        Its ``labels`` are not None.

    Raises
    ------
    InvalidFile
        If the file has no labels, or if they are measurements (numbers with decimals) rather than classes.

    Examples
    --------
    >>> from importlib.resources import files
    >>> names = str(files("wideberth.objects.datasets") / "first_names.csv")
    >>> read_labelled(DataOptions(names, column="name", target="sex")).labels[:2]
    ['male', 'male']
    """
    records = read_data(data)
    if records.labels is None:
        raise InvalidFile(
            f"{data.file}: no column of labels was found.",
            advice="Put the files of each class into a directory of its own."
            if Path(data.file).is_dir()
            else "Name it with --target; one called label, class, target or y is found.",
            path=data.file,
            line=None,
            value=None,
        )
    measured = [label for label in records.labels if isinstance(label, float) and not label.is_integer()]
    if measured:
        raise InvalidFile(
            f"{data.file}: {measured[0]!r} in {records.target!r} is a measurement, not the name of a class.",
            advice="Name a column of classes with --target, or cut the numbers into classes.",
            path=data.file,
            line=None,
            value=measured[0],
        )
    return records


def chosen_metric(data: DataOptions, records: Records) -> str | Metric:
    """Choose the metric: the one that the options name, or the usual one for the kind of the objects.

    Parameters
    ----------
    data : DataOptions
        The options of the command.
    records : Records
        The objects that were read.

    Returns
    -------
    str or Metric
        A name, or a metric with parameters.

    Examples
    --------
    >>> records = Records(["tea"], None, kind="strings", column="word", target=None, path="drinks.csv")
    >>> chosen_metric(DataOptions("drinks.csv"), records), chosen_metric(DataOptions("drinks.csv", metric="indel"), records)
    ('levenshtein', 'indel')
    """
    return usual_metric(records.kind, records.path) if data.metric is None else parse_metric(data.metric)


def usual_metric(kind: str, file: str) -> str:
    """Look up the usual metric for a kind of objects.

    Parameters
    ----------
    kind : str
        The kind, as readers name it.
    file : str
        The file, for messages.

    Returns
    -------
    str
        The name of a metric.

    Raises
    ------
    InvalidInput
        If no metric is usual for objects of this kind.

    Examples
    --------
    >>> usual_metric("strings", "names.csv")
    'levenshtein'
    """
    if kind not in USUAL_METRIC:
        raise InvalidInput(
            f"There is no usual metric for the {kind} in {file}.",
            advice="Name one with --metric; 'wideberth metrics' lists them.",
            value=kind,
        )
    return USUAL_METRIC[kind]


def parse_metric(written: str) -> str | Metric:
    """Parse a metric as the command line writes it: ``name`` or ``name(parameter=value, ...)``.

    Parameters
    ----------
    written : str
        The metric. Values are JSON, and text where they are not valid JSON.

    Returns
    -------
    str or Metric
        The name alone if there are no brackets.

    Raises
    ------
    InvalidInput
        If something between the brackets is not a parameter with a value.

    Examples
    --------
    >>> parse_metric("levenshtein"), parse_metric("minkowski(p=3)"), parse_metric('gower(missing=far)')
    ('levenshtein', Minkowski(p=3), Gower(missing='far'))
    """
    brackets = _CALL.fullmatch(written)
    if brackets is None:
        return written.strip()
    name, inside = brackets.groups()
    return metric(name, **dict(_parameter(text, written) for text in _between_commas(inside) if text.strip()))


def _between_commas(inside: str) -> list[str]:
    """Split a text at the commas that are not inside quotes or brackets.

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
    """The name and the value of one parameter; ``written`` is the whole metric, for messages."""
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
    except (ValueError, RecursionError):
        return name, value


def has_columns(file: str) -> bool:
    """Whether the objects of a file are in named columns or fields, as in all formats but NumPy arrays.

    Examples
    --------
    >>> has_columns("names.csv"), has_columns("names.npy")
    (True, False)
    """
    return Path(file).suffix.lower() not in ARRAY_FORMATS


def origin_of(records: Records) -> Origin:
    """Describe how records were read, for the model file.

    Parameters
    ----------
    records : Records
        The training objects.

    Returns
    -------
    Origin
        Without columns if the file has no named ones.

    Examples
    --------
    >>> origin_of(Records(["tea"], None, kind="strings", column="word", target=None, path="drinks.csv"))
    Origin(kind='strings', column='word', numbers=None)
    """
    return Origin(records.kind, records.column if has_columns(records.path) else None, records.numbers)


def class_sizes(labels: list[Any]) -> str:
    """Describe the classes and how many objects each has, the largest first; at most eight are named.

    Parameters
    ----------
    labels : list
        One label for each object.

    Returns
    -------
    str

    Examples
    --------
    >>> class_sizes(["tea", "rum", "tea"])
    '2 classes: tea 2, rum 1'
    """
    sizes = Counter(labels).most_common()
    shown = ", ".join(f"{label} {count:,}" for label, count in sizes[:8])
    return f"{len(sizes)} class{'es' * (len(sizes) != 1)}: {shown}{', ...' if len(sizes) > 8 else ''}"

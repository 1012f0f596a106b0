"""Read labels from a second file: in the order of the objects, or by their identifiers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from wideberth.errors import InvalidFile
from wideberth.io.readers.columns import column_facts
from wideberth.io.readers.opening import format_of, locate, opened_table, with_encoding
from wideberth.io.readers.records import (
    RawTable,
    ReadOptions,
    Records,
    Row,
    Rows,
    check_exists,
    counted,
    fault,
    find_target,
    listed,
    readable,
)
from wideberth.io.readers.source import Source, decoded_lines, find_encoding
from wideberth.objects.sample import shown
from wideberth.wording import setting

ADVICE = (
    "Give one label for each object, in the order of the objects; or a table with the identifiers "
    "and the labels."
)


@dataclass(frozen=True)
class FileLabels:
    """The labels of a file."""

    path: str
    values: list[Any]  # the labels in the order of the file
    identifiers: list[Any] | None = None  # the identifier of each, if the file has a column of them
    column: str | None = None  # the name of that column


def read_labels(path: str, target: str | None, max_size: str | int) -> FileLabels:
    r"""Read a file of labels: a table, JSON lines, an array of NumPy, or a text with one label on
    each line.

    Without a ``target``, the column of the labels is found by its name, else it is the only one
    that holds no identifiers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.txt")
    >>> _ = path.write_text("en\nfr\n")
    >>> read_labels(str(path), None, "1MB").values
    ['en', 'fr']
    """
    source = locate(path, max_size, any_text=True)
    if format_of(path) is None or source.format is None:  # also what comes through a pipe
        return _lines(source)
    if source.format.of_arrays is not None:
        batches = source.format.of_arrays(source, ReadOptions(kind="objects"), 10**6)
        return FileLabels(path, [label for batch in batches for label in batch.objects.tolist()])
    options = with_encoding(source, ReadOptions(target=target))
    with opened_table(source, options) as table:
        return _column(table, list(readable(table.rows)), target, path)


def _lines(source: Source) -> FileLabels:
    """The labels of a text with one on each line; empty lines are allowed only at the end."""
    with decoded_lines(source, find_encoding(source)) as lines:
        values = [line.strip("\r\n") for line in lines]
    while values and not values[-1].strip():
        values.pop()
    for line, value in enumerate(values, start=1):
        if not value.strip():
            raise fault(source.path, "an empty line.", ADVICE, line=line, value=value)
    return FileLabels(source.path, values)


def _column(table: RawTable, rows: list[Row], target: str | None, path: str) -> FileLabels:
    """The labels of a table, with the identifiers next to them."""
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    if target is not None:
        check_exists(target, names, path)
    found = find_target(names, target, path)
    facts = {name: column_facts(rows, name, table.cells) for name in names if name != found}
    identifiers = (
        [name for name, fact in facts.items() if fact.identifies or fact.names_rows]
        if len(names) > 1
        else []
    )
    if table.identifier in facts:
        identifiers = [str(table.identifier)]
    if found is None:
        others = [name for name in names if name not in identifiers]
        if len(others) != 1:
            advice = f"Name one, for example {setting('target', names[0])}."
            raise fault(path, f"{listed(names)} could each hold the labels.", advice, value=names)
        found = others[0]
    for row in rows:
        if table.cells.label(row.cells.get(found)) is None:
            advice = "Fill it in or remove the row."
            raise fault(
                path,
                f"no label in column {found!r}.",
                advice,
                line=row.line,
                value=row.cells.get(found),
                unit=table.unit,
            )
    values = [row.cells[found] for row in rows]
    if not identifiers:
        return FileLabels(path, values)
    return FileLabels(path, values, [row.cells[identifiers[0]] for row in rows], identifiers[0])


def with_labels(table: RawTable, labels: FileLabels, path: str) -> RawTable:
    """Give each row of a table its label from a file of labels, in a further cell that is called as
    that file.
    """
    give = _in_order if labels.identifiers is None else _by_identifier
    return replace(table, rows=give(table, labels, path), labels=labels.path)


def _in_order(table: RawTable, labels: FileLabels, path: str) -> Rows:
    """A record that cannot be read has a label all the same."""
    count = 0
    for count, row in enumerate(table.rows, start=1):
        if isinstance(row, InvalidFile):
            yield row
        elif count > len(labels.values):
            raise _wrong_number(labels, path, None)
        else:
            yield Row(row.line, {**row.cells, labels.path: labels.values[count - 1]})
    if count != len(labels.values):
        raise _wrong_number(labels, path, count)


def _wrong_number(labels: FileLabels, path: str, objects: int | None) -> Exception:
    """The error for more or fewer labels than objects; ``objects`` is None if there are more than
    labels.
    """
    number = "more objects" if objects is None else counted(objects, "object")
    problem = f"{counted(len(labels.values), 'label')} for {number} in {path}."
    return fault(labels.path, problem, ADVICE, value=len(labels.values))


def _by_identifier(table: RawTable, labels: FileLabels, path: str) -> Rows:
    assert labels.identifiers is not None
    known = dict(zip(map(_key, labels.identifiers), labels.values, strict=True))
    for row in table.rows:
        if isinstance(row, InvalidFile):
            yield row
            continue
        if labels.column not in row.cells:
            problem = (
                f"the identifiers in column {labels.column!r} have no counterpart: {path} has no "
                "such column."
            )
            advice = (
                "Call the column of the identifiers alike in both files, or leave only the labels, "
                f"in order, in {labels.path}."
            )
            raise fault(labels.path, problem, advice, value=labels.column)
        name = _key(row.cells[labels.column])
        if name not in known:
            problem = f"{shown(name)} in column {labels.column!r} has no label in {labels.path}."
            advice = "Add it there, or remove the row."
            yield fault(path, problem, advice, line=row.line, value=name, unit=table.unit)
        else:
            yield Row(row.line, {**row.cells, labels.path: known[name]})


def _key(identifier: Any) -> str:
    """An identifier as text, so that 7 and "7" are the same."""
    return str(identifier).strip()


def label_in_order(batches: Iterator[Records], labels: FileLabels, path: str) -> Iterator[Records]:
    """Give the objects of arrays, which have no identifiers, their labels in order."""
    if labels.identifiers is not None:
        advice = f"Leave only the labels, in the order of the objects, in {labels.path}."
        raise fault(
            labels.path,
            f"identifiers, but the arrays of {path} have none.",
            advice,
            value=labels.column,
        )
    start = 0
    for batch in batches:
        end = start + len(batch)
        if end > len(labels.values):
            raise _wrong_number(labels, path, None)
        yield replace(batch, labels=labels.values[start:end], target=labels.path)
        start = end
    if start != len(labels.values):
        raise _wrong_number(labels, path, start)

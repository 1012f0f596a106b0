"""Read labels from a second file: in the order of the objects, or by their identifiers, which are
found by their values, whatever the columns are called.
"""

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from wideberth.errors import InvalidFile, warn_user
from wideberth.io.readers.columns import ENOUGH_ROWS, ColumnFacts, column_facts
from wideberth.io.readers.missing import MissingWords
from wideberth.io.readers.opening import ZIP, format_of, locate, opened_table, with_encoding
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
    column: str | None = None  # what is called or looks like the column of identifiers
    #: the other columns in which no value is there twice: each may be that of the identifiers
    keys: dict[str, list[Any]] = field(default_factory=dict)
    repeated: dict[str, str] = field(default_factory=dict)  # a value that others have twice


def read_labels(path: str, target: str | None, max_size: str | int) -> FileLabels:
    r"""Read a file of labels: a table, JSON lines, an array of NumPy, or a text with one label on
    each line.

    Without a ``target``, the column of the labels is found by its name, else it is the only one
    that may hold them: no identifiers, no measurements.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.txt")
    >>> _ = path.write_text("en\nfr\n")
    >>> read_labels(str(path), None, "1MB").values
    ['en', 'fr']
    """
    source = locate(path, max_size, any_text=True)
    packed = Path(path).suffix.lower() == ZIP
    # also what comes through a pipe
    if source.format is None or (format_of(path) is None and not packed):
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
        found = _only_labels([facts[name] for name in names if name not in identifiers], path)
    words = MissingWords()
    for row in rows:
        cell = row.cells.get(found)
        if table.cells.label(cell) is None and not words.in_labels(cell):
            advice = "Fill it in or remove the row."
            raise fault(
                path,
                f"no label in column {found!r}.",
                advice,
                line=row.line,
                value=row.cells.get(found),
                unit=table.unit,
            )
    values = [row.cells.get(found) for row in rows]  # None or empty: such an object is left out
    every = {name: [row.cells.get(name) for row in rows] for name in facts if name != found}
    keys = {
        name: cells for name, cells in every.items() if len(set(map(_key, cells))) == len(cells)
    }
    repeated = {
        name: Counter(map(_key, cells)).most_common(1)[0][0]
        for name, cells in every.items()
        if name not in keys
    }
    column = next((name for name in identifiers if name in keys), None)
    return FileLabels(path, values, column, keys, repeated)


def _only_labels(facts: list[ColumnFacts], path: str) -> str:
    """The only column that may hold labels: neither the same in all rows, nor all different, nor
    measurements or dates. Where several may, the one that looks most like classes is the advice.
    """
    possible = [each for each in facts if _may_be_labels(each)] or facts
    if len(possible) == 1:
        if len(facts) > 1:
            name = shown(possible[0].name)
            warn_user(
                f"{path}: the labels are taken from column {name}, the only one that may hold "
                f"them. {setting('target')} names another.",
                UserWarning,
            )
        return possible[0].name
    names = [each.name for each in possible]
    likely = max(possible, key=lambda each: (each.could_be_labels, each.type == "text"))
    advice = f"Name one, for example {setting('target', likely.name)}."
    raise fault(path, f"{listed(names)} could each hold the labels.", advice, value=names)


def _may_be_labels(facts: ColumnFacts) -> bool:
    different = len(facts.filled) >= ENOUGH_ROWS and not facts.repeats
    measured = facts.type == "number" and (facts.is_date or not facts.is_whole())
    return not (facts.is_constant or different or measured)


def with_labels(table: RawTable, labels: FileLabels, path: str) -> RawTable:
    """Give each row of a table its label from a file of labels, in a further cell that is called as
    that file.
    """
    rows = iter(table.rows)
    first = list(islice(rows, _ROWS_TO_JOIN))
    joint = _find_joint([row for row in first if isinstance(row, Row)], table, labels, path)
    table = replace(table, rows=chain(first, rows))
    given = _in_order(table, labels, path) if joint is None else _joined(table, labels, path, joint)
    return replace(table, rows=given, labels=labels.path)


#: Rows by which the columns that two files have in common are found.
_ROWS_TO_JOIN = 200


class Joint(NamedTuple):
    """The columns by which objects and labels belong together."""

    column: str  # of the file of the objects
    key: str  # of the file of the labels


def _find_joint(rows: list[Row], table: RawTable, labels: FileLabels, path: str) -> Joint | None:
    """Find the columns of two files that have the same values: those with the most in common, of
    them those of the same name, then those that name the objects. None if the labels are in order.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    scores: dict[Joint, tuple[float, bool, bool, bool]] = {}
    for key, cells in labels.keys.items():
        known = set(map(_key, cells))
        for name in names:
            written = [row.cells.get(name) for row in rows]
            shared = sum(_known_as(cell, known) is not None for cell in written)
            if shared:
                different = len(set(map(_key, written))) == len(written)
                share = round(shared / len(rows), 2)
                scores[Joint(name, key)] = (
                    share,
                    name == key,
                    name == table.identifier,
                    different,
                )
    for name in {*labels.repeated} & {*names}:
        written = [_key(row.cells.get(name)) for row in rows]
        if not scores and len(set(written)) == len(written):  # in order it would be another label
            value = labels.repeated[name]
            problem = f"{shown(value)} is there twice in {name!r}, by which {path} names objects."
            raise fault(labels.path, problem, "Give every object one label.", value=value)
    if not scores:
        if labels.column is None:
            return None
        problem = f"no column of {path} has the identifiers in {labels.column!r}, such as "
        raise fault(
            labels.path,
            f"{problem}{shown(labels.keys[labels.column][0])}.",
            "Write the same identifiers into both files, or leave only the labels, in order, in "
            f"{labels.path}.",
            value=labels.column,
        )
    best = max(scores.values())
    found = [joint for joint, score in scores.items() if score == best]
    if labels.column is None and (best[0] < 1 or not best[3]):
        return None  # what is there once by chance names no objects
    own = [joint for joint in found if joint.key == labels.column]
    found = own or found
    if len(found) > 1:
        raise fault(
            labels.path,
            f"{listed([joint.key for joint in found])} could each name the objects: their values "
            f"are in {listed([joint.column for joint in found])} of {path}.",
            f"Leave only one of them, such as {found[0].key!r}, beside the labels.",
            value=found,
        )
    return found[0]


def _known_as(identifier: Any, known: Set[str]) -> str | None:
    """An identifier as the other file writes it: alike, without its version (P1.2), or as a part
    between bars (sp|P1|X_HUMAN); None if it does not.

    >>> _known_as("sp|P1.2|X_HUMAN", {"P1"}), _known_as(7, {"7"}), _known_as("P2", {"P1"})
    ('P1', '7', None)
    """
    key = _key(identifier)
    if key in known:
        return key
    parts = [part for part in key.split("|") if part]
    parts += [re.sub(r"\.\d+$", "", part) for part in parts]
    return next((part for part in parts if part in known), None)


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


def _joined(table: RawTable, labels: FileLabels, path: str, joint: Joint) -> Rows:
    """The rows with the labels of their identifiers."""
    label_of = dict(zip(map(_key, labels.keys[joint.key]), labels.values, strict=True))
    for row in table.rows:
        if isinstance(row, InvalidFile):
            yield row
            continue
        cell = row.cells.get(joint.column)
        name = _known_as(cell, label_of.keys())
        if name is None:
            problem = (
                f"{shown(_key(cell))} in column {joint.column!r} has no label in {labels.path}."
            )
            advice = "Add it there, or remove the row."
            yield fault(path, problem, advice, line=row.line, value=_key(cell), unit=table.unit)
        else:
            yield Row(row.line, {**row.cells, labels.path: label_of[name]})


def _key(identifier: Any) -> str:
    """An identifier as text, so that 7 and "7" are the same."""
    return str(identifier).strip()


def label_in_order(batches: Iterator[Records], labels: FileLabels, path: str) -> Iterator[Records]:
    """Give the objects of arrays, which have no identifiers, their labels in order."""
    if labels.column is not None:
        advice = f"Leave only the labels, in the order of the objects, in {labels.path}."
        raise fault(
            labels.path,
            f"identifiers, but the arrays of {path} have none.",
            advice,
            value=labels.column,
        )
    words = MissingWords()
    if any(words.in_labels(label) for label in labels.values):
        where = next(at for at, label in enumerate(labels.values) if words.in_labels(label))
        problem = f"object {where} of {path} has no label."
        raise fault(labels.path, problem, ADVICE, value=labels.values[where])
    start = 0
    for batch in batches:
        end = start + len(batch)
        if end > len(labels.values):
            raise _wrong_number(labels, path, None)
        yield replace(batch, labels=labels.values[start:end], target=labels.path)
        start = end
    if start != len(labels.values):
        raise _wrong_number(labels, path, start)

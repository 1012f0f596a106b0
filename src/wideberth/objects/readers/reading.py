"""Read a file of any known format: whole, or a batch at a time."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain, islice

from wideberth.errors import InvalidInput
from wideberth.objects.readers.arrays import array_batches
from wideberth.objects.readers.cells import CellReader, Row
from wideberth.objects.readers.columns import Wish, decide_layout
from wideberth.objects.readers.conversion import Conversion
from wideberth.objects.readers.delimited import WRITTEN_CELLS, table_rows
from wideberth.objects.readers.encodings import decoded_lines, find_encoding
from wideberth.objects.readers.json_lines import JSON_CELLS, json_rows
from wideberth.objects.readers.records import Kind, Records, join
from wideberth.objects.readers.source import ARRAY_FORMATS, Source, locate

DECIDING_ROWS = 200
TEXT_READERS: dict[str, tuple[Callable[[Iterable[str], str], Iterator[Row]], CellReader]] = {
    "csv": (table_rows, WRITTEN_CELLS),
    "tsv": (partial(table_rows, delimiters="\t"), WRITTEN_CELLS),
    "jsonl": (json_rows, JSON_CELLS),
}
FileName = str | os.PathLike[str]


def read(
    path: FileName,
    *,
    column: str | Sequence[str] | None = None,
    target: str | None = None,
    kind: Kind | None = None,
    encoding: str | None = None,
) -> Records:
    """Read the objects of a file, and their labels where it has them.

    >>> import pathlib, tempfile
    >>> drinks = pathlib.Path(tempfile.mkdtemp(), "drinks.csv")
    >>> _ = drinks.write_text("word,label\\ntea,en\\nlait,fr\\n")
    >>> records = read(drinks)
    >>> records.objects, records.labels, records.kind
    (['tea', 'lait'], ['en', 'fr'], 'strings')

    Formats, by the ending of the name: ``.csv`` (separated by comma, semicolon, tab or bar), ``.tsv`` and ``.tab``, ``.jsonl``
    and ``.ndjson``, each also with ``.gz``; ``.npy`` and ``.npz``, never unpickled. ``"-"`` is standard input: JSON lines if it
    begins with ``{`` or ``[``, else a table.

    Labels are in the column ``target``, else in the one called label, labels, class, target, y or category (in any case), else
    there are none. Labels of tables are kept as text.

    Objects are in the other columns, or in those named with ``column``. A column is what most of its filled cells are in the
    first 200 rows, and every later cell must agree:

    - all are numbers: *vectors*, one row each;
    - one is not, the numbers beside it are ignored. If it is text: *strings*. If its cells are lists of numbers, ``[1, 2]``,
      ``1 2`` or ``1;2`` in a table: *series*. Any other JSON value: *objects*;
    - several are not: an error that lists them.

    In JSON lines the fields are the columns; a line without fields is read as ``{"value": line}``. Arrays are *vectors* with one
    or two axes, *series* with three, *strings* if they are text. In an NPZ file the objects are the array called X, x, data,
    objects, distances or D, or the only one beside the labels.

    Parameters
    ----------
    path : str or path
        The file.
    column, target : str, optional
        Where objects and labels are; ``column`` may be several names.
    kind : {"strings", "vectors", "series", "sets", "objects", "distances"}, optional
        What the objects are. Sets are JSON lists, or words separated by spaces or semicolons. ``"objects"`` takes the one
        remaining column as it is, and several as a dict for each row. ``"distances"`` needs as many columns as rows.
    encoding : str, optional
        By default the byte-order mark says it, else it is UTF-8; else Windows-1252 is guessed with a warning.

    Raises
    ------
    InvalidFile
        With ``path``, ``line`` and ``value`` of what is wrong, and the way out.
    """
    return join(list(_open(path, DECIDING_ROWS, _wish(column, target, kind), encoding)))


def read_batches(
    path: FileName,
    *,
    size: int = 10_000,
    column: str | Sequence[str] | None = None,
    target: str | None = None,
    kind: Kind | None = None,
    encoding: str | None = None,
    labels: bool = True,
) -> Iterator[Records]:
    """Read a file of any length ``size`` objects at a time, with the rules of `read`; the batches joined are what it returns.

    With ``labels=False`` a column of labels is left alone, whatever is in it.

    >>> import pathlib, tempfile
    >>> numbers = pathlib.Path(tempfile.mkdtemp(), "numbers.jsonl")
    >>> _ = numbers.write_text("[1, 2, 3]\\n[4]\\n[5, 6]\\n")
    >>> [len(batch) for batch in read_batches(numbers, size=2)]
    [2, 1]
    """
    if not isinstance(size, int) or size < 1:
        raise InvalidInput(f"A batch cannot hold {size!r} objects.", advice="Give size= a whole number from 1.", value=size)
    return _open(path, size, replace(_wish(column, target, kind), labels=labels), encoding)


def _wish(column: str | Sequence[str] | None, target: str | None, kind: Kind | None) -> Wish:
    columns = (column,) if isinstance(column, str) else tuple(dict.fromkeys(column or ()))
    return Wish(columns, target, kind)


def _open(path: FileName, size: int, wish: Wish, encoding: str | None) -> Iterator[Records]:
    source = locate(path)
    if source.format not in ARRAY_FORMATS.values():
        return _text_batches(source, find_encoding(source, encoding, stacklevel=4), wish, size)
    if encoding is not None:
        raise InvalidInput(f"{source.path} holds arrays, which have no encoding.", advice="Leave encoding= out.", value=encoding)
    return array_batches(source, wish, size)


def _text_batches(source: Source, encoding: str, wish: Wish, size: int) -> Iterator[Records]:
    read_rows, cells = TEXT_READERS[source.format]
    with closing(source), decoded_lines(source, encoding) as lines:
        rows = read_rows(lines, source.path)
        first = list(islice(rows, DECIDING_ROWS))
        conversion = Conversion(source.path, decide_layout(first, cells, wish, source.path), cells)
        rows = chain(first, rows)
        del first  # wide rows are heavy; the chain lets go of them when they are read
        while batch := list(islice(rows, size)):
            yield conversion.records(batch)
        conversion.check_complete()

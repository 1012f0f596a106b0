"""Read a file of any known format: whole, or a batch at a time."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice

from wideberth.errors import InvalidInput
from wideberth.io.readers.arrays import array_batches
from wideberth.io.readers.columns import Wish, decide_layout
from wideberth.io.readers.conversion import Conversion
from wideberth.io.readers.delimited import csv_table
from wideberth.io.readers.directories import directory_table
from wideberth.io.readers.fasta import fasta_table
from wideberth.io.readers.json_lines import json_table
from wideberth.io.readers.parquet import parquet_table
from wideberth.io.readers.records import Kind, RawTable, Records, join
from wideberth.io.readers.smiles import smiles_table
from wideberth.io.readers.source import ARRAY_FORMATS, BINARY_FORMATS, DIRECTORY, Source, decoded_lines, find_encoding, locate
from wideberth.io.readers.ucr_archive import tab_table, ts_table

DECIDING_ROWS = 200
TEXT_READERS: dict[str, Callable[[Iterable[str], str], RawTable]] = {
    "csv": csv_table,
    "tsv": tab_table,
    "jsonl": json_table,
    "fasta": fasta_table,
    "ts": ts_table,
    "smi": smiles_table,
}
FileName = str | os.PathLike[str]


def read(
    path: FileName,
    *,
    column: str | Sequence[str] | None = None,
    target: str | None = None,
    kind: Kind | None = None,
    numbers: Sequence[str] | None = None,
    encoding: str | None = None,
) -> Records:
    """Read the objects of a file, and their labels where it has them.

    >>> import pathlib, tempfile
    >>> drinks = pathlib.Path(tempfile.mkdtemp(), "drinks.csv")
    >>> _ = drinks.write_text("word,label\\ntea,en\\nlait,fr\\n")
    >>> records = read(drinks)
    >>> records.objects, records.labels, records.kind
    (['tea', 'lait'], ['en', 'fr'], 'strings')

    Formats, by the ending of the name, those of text each also with ``.gz``:

    - ``.csv`` (separated by comma, semicolon, tab or bar), ``.tsv`` and ``.tab``: tables with a header. A .tsv file whose first
      line consists of numbers only, the first one whole, is one of the UCR archive: its first column is the label, the others are
      the *series*, and NaN at the end is cut off. (0, 1, 2... are a header all the same: pandas calls nameless columns so.)
    - ``.jsonl``, ``.ndjson``: JSON lines. The fields are the columns; a line without fields is read as ``{"value": line}``.
    - ``.fasta``, ``.fa``, ``.fna``, ``.faa``, ``.ffn``: *strings* in the column ``sequence``; beside it ``id``, ``description``
      and one for each ``key=value`` or ``[key=value]`` in the headers, so that ``>s1 label=promoter`` has its label.
    - ``.ts``: the *series* of the UCR and UEA archives, arrays (channels, length) if there are several channels.
    - ``.smi``: *molecules*; the columns ``smiles`` and ``name``.
    - a directory: each file is one of the *strings*, and its sub-directory the label. Columns ``text`` and ``file``; hidden files
      are skipped, the line break at the end of a file is left out.
    - ``.parquet``: a table with types; needs the extra ``wideberth[tables]``.
    - ``.npy`` and ``.npz``, never unpickled: *vectors* with one or two axes, *series* with three, *strings* if they are text. In
      an NPZ file the objects are the array called X, x, data, objects, distances or D, or the only one beside the labels.
    - ``"-"`` is standard input: JSON lines if it begins with ``{`` or ``[``, FASTA if with ``>``, else a table.

    Labels are in the column ``target``, else in the one called label, labels, class, target, y or category (in any case), else
    there are none. Labels are kept as text, those of JSON lines, Parquet and arrays as they are.

    Objects are in the other columns, or in those named with ``column``. Some names say what they are, if the cells fit: a column
    called smiles (in any case) holds *molecules*; ``nodes`` with ``edges`` or ``neighbors`` are *graphs*; ``tree`` holds *trees*,
    nested lists ``[label, children]`` or dicts ``{"label": ..., "children": [...]}``; records with ``children`` of that form are
    trees themselves, and their ``label`` is that of the root, so that the class needs a field of another name. Otherwise a column
    is what most of its filled cells are in the first 200 rows, and every later cell must agree:

    - all are numbers: *vectors*, one row each;
    - one is not, the numbers beside it are ignored. If it is text: *strings*. If its cells are lists of numbers, ``[1, 2]``,
      ``1 2`` or ``1;2`` in a table: *series*. Any other JSON value: *objects*;
    - several are not: an error that lists them.

    Parameters
    ----------
    path : str or path
        The file or directory.
    column, target : str, optional
        Where objects and labels are; ``column`` may be several names.
    kind : {"strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"}, optional
        What the objects are. Sets are JSON lists, or words separated by spaces or semicolons. ``"rows"`` are dicts of all
        remaining columns: float, text (truth values too), and None where a cell is empty. ``"objects"`` takes the one remaining
        column as it is, and several as a dict for each row. ``"distances"`` needs as many columns as rows.
    numbers : list of str, optional
        Which columns of rows hold numbers; the others are text, such as classes that are called 1, 2, 3. Found if not given.
    encoding : str, optional
        By default the byte-order mark says it, else it is UTF-8; else Windows-1252 is guessed with a warning.

    Raises
    ------
    InvalidFile
        With ``path``, ``line`` (in Parquet: row) and ``value`` of what is wrong, and the way out.
    """
    return join(list(_open(path, DECIDING_ROWS, _wish(column, target, kind, numbers), encoding)))


def read_batches(
    path: FileName,
    *,
    size: int = 10_000,
    column: str | Sequence[str] | None = None,
    target: str | None = None,
    kind: Kind | None = None,
    numbers: Sequence[str] | None = None,
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
    return _open(path, size, replace(_wish(column, target, kind, numbers), labels=labels), encoding)


def _wish(column: str | Sequence[str] | None, target: str | None, kind: Kind | None, numbers: str | Sequence[str] | None) -> Wish:
    return Wish(_several(column), target, kind, numbers=None if numbers is None else _several(numbers))


def _several(names: str | Sequence[str] | None) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names or ()))


def _open(path: FileName, size: int, wish: Wish, encoding: str | None) -> Iterator[Records]:
    source = locate(path)
    if source.format in BINARY_FORMATS.values() and encoding is not None:
        raise InvalidInput(f"{source.path} is no text and has no encoding.", advice="Leave encoding= out.", value=encoding)
    if source.format in ARRAY_FORMATS.values():
        return array_batches(source, wish, size)
    if source.format == "parquet":
        return _row_batches(parquet_table(source.path, wish), wish, source.path, size)
    if source.format == DIRECTORY:
        return _row_batches(directory_table(source.path, encoding), wish, source.path, size)
    return _text_batches(source, find_encoding(source, encoding), wish, size)


def _text_batches(source: Source, encoding: str, wish: Wish, size: int) -> Iterator[Records]:
    with closing(source), decoded_lines(source, encoding) as lines:
        yield from _row_batches(TEXT_READERS[source.format](lines, source.path), wish, source.path, size)


def _row_batches(table: RawTable, wish: Wish, path: str, size: int) -> Iterator[Records]:
    first = list(islice(table.rows, DECIDING_ROWS))
    conversion = Conversion(path, decide_layout(first, table, wish, path), table.cells, table.unit)
    rows = chain(first, table.rows)
    del first  # wide rows are heavy; the chain lets go of them when they are read
    while batch := list(islice(rows, size)):
        yield conversion.records(batch)
    conversion.check_complete()

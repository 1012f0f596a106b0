"""Read a file of any known format: as a whole, or a batch at a time."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice

from wideberth.errors import InvalidInput
from wideberth.io.readers.arrays import array_batches
from wideberth.io.readers.columns import decide_layout
from wideberth.io.readers.conversion import Conversion
from wideberth.io.readers.delimited import csv_table
from wideberth.io.readers.directories import directory_table
from wideberth.io.readers.fasta import fasta_table
from wideberth.io.readers.json_lines import json_table
from wideberth.io.readers.options import ReadOptions, checked_names
from wideberth.io.readers.parquet import parquet_table
from wideberth.io.readers.records import Kind, RawTable, Records, join
from wideberth.io.readers.smiles import smiles_table
from wideberth.io.readers.sources.encoding import decoded_lines, find_encoding
from wideberth.io.readers.sources.limits import MAX_SIZE
from wideberth.io.readers.sources.source import ARRAY_FORMATS, BINARY_FORMATS, DIRECTORY, Source, locate
from wideberth.io.readers.ucr_archive import ts_table, tsv_table

DECIDING_ROWS = 200
TEXT_READERS: dict[str, Callable[[Iterable[str], str], RawTable]] = {
    "csv": csv_table,
    "tsv": tsv_table,
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
    max_size: str | int = MAX_SIZE,
) -> Records:
    r"""Read the objects of a file, and their labels where it has them.

    **Formats**, by the ending of the file name; text formats also with ``.gz``:

    - ``.csv`` (separated by comma, semicolon, tab or bar), ``.tsv`` and ``.tab``: tables with a header. A .tsv file whose first
      line consists of numbers only, the first one whole, is one of the UCR archive: its first column is the label, the others are
      the *series*, and NaN at the end is cut off. (0, 1, 2... is a header all the same: pandas names columns so.)
    - ``.jsonl``, ``.ndjson``: JSON lines. The fields are the columns; a line that is not a JSON object is read as
      ``{"value": line}``.
    - ``.fasta``, ``.fa``, ``.fna``, ``.faa``, ``.ffn``: *strings* in the column ``sequence``; further columns are ``id``,
      ``description`` and one for each ``key=value`` or ``[key=value]`` in the headers, as in ``>s1 label=promoter``.
    - ``.ts``: the *series* of the UCR and UEA archives; arrays (channels, length) if there are several channels.
    - ``.smi``: *molecules*; the columns ``smiles`` and ``name``.
    - a directory: each file is one of the *strings*, and its sub-directory the label. Columns ``text`` and ``file``; hidden files
      are skipped, and the line break at the end of a file is left out.
    - ``.parquet``: a table with types; needs the extra ``wideberth[tables]``.
    - ``.npy`` and ``.npz``, never unpickled: *vectors* with one or two axes, *series* with three, *strings* if they are text. In
      an NPZ file the objects are the array called X, x, data, objects, distances or D, or the only one besides the labels.
    - ``"-"`` is standard input: JSON lines if it begins with ``{`` or ``[``, FASTA if with ``>``, otherwise a table. So is a
      named pipe, unless its name has the ending of a text format.

    **Labels** are in the column ``target``, otherwise in the one called label, labels, class, target, y or category (in any
    case), otherwise there are none. Labels are kept as text; those of JSON lines, Parquet and arrays as they are.

    **Objects** are in the other columns, or in those named with ``column``. Some names reveal the kind, if the cells fit: one
    called smiles (in any case) holds *molecules*; ``nodes`` with ``edges`` or ``neighbors`` are *graphs*; ``tree`` holds *trees*,
    nested lists ``[label, children]`` or dicts ``{"label": ..., "children": [...]}``; records with ``children`` of that form are
    trees themselves, and their ``label`` is that of the root, so that the class needs a field of another name. Otherwise a column
    is what most of its filled cells are in the first 200 rows, and every later cell must agree:

    - all columns are numbers: *vectors*, one for each row;
    - one column is not, and columns of numbers next to it are ignored. If it is text: *strings*. If its cells are lists of
      numbers, ``[1, 2]``, ``1 2`` or ``1;2`` in a table: *series*. Any other JSON value: *objects*;
    - several columns are not: an error that lists them.

    Parameters
    ----------
    path : str or path
        The file or directory.
    column : str or list of str, optional
        The column or columns of the objects.
    target : str, optional
        The column of the labels.
    kind : {"strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"}, optional
        What the objects are. Sets are JSON lists, or words separated by spaces or semicolons. ``"rows"`` are dicts of all
        remaining columns: float, text (truth values too), and None where a cell is empty. ``"objects"`` takes the one remaining
        column as it is, and several as a dict for each row. ``"distances"`` needs as many columns as rows.
    numbers : list of str, optional
        Which columns of rows hold numbers; the others are text, such as classes that are called 1, 2, 3. Found if not given.
    encoding : str, optional
        By default that of the byte-order mark, otherwise UTF-8; if the file is not UTF-8, Windows-1252 is assumed with a warning.
    max_size : str or int, default="10GB"
        The most bytes that may come out of a compressed file (gzip, NPZ, Parquet) or a pipe, so that a small file cannot fill
        the memory; other files have no limit.

    Returns
    -------
    Records
        Objects, labels, and where they were found.

    Raises
    ------
    InvalidFile
        With the ``path``, the ``line`` (in Parquet: row) and the ``value`` of what is wrong, and how to correct it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> drinks = pathlib.Path(tempfile.mkdtemp(), "drinks.csv")
    >>> _ = drinks.write_text("word,label\ntea,en\nlait,fr\n")
    >>> records = read(drinks)
    >>> records.objects, records.labels, records.kind
    (['tea', 'lait'], ['en', 'fr'], 'strings')
    """
    return join(list(_open(path, DECIDING_ROWS, _options(column, target, kind, numbers), encoding, max_size)))


def read_batches(
    path: FileName,
    *,
    size: int = 10_000,
    column: str | Sequence[str] | None = None,
    target: str | None = None,
    kind: Kind | None = None,
    numbers: Sequence[str] | None = None,
    encoding: str | None = None,
    max_size: str | int = MAX_SIZE,
    labels: bool = True,
) -> Iterator[Records]:
    r"""Read a file of any length a batch at a time, with the rules of `read`; the batches joined are what `read` returns.

    Parameters
    ----------
    path : str or path
        The file or directory.
    size : int, default=10_000
        Objects in a batch; the last one may have fewer.
    column, target, kind, numbers, encoding, max_size : optional
        As for `read`.
    labels : bool, default=True
        If False, a column of labels is recognised but not read, whatever is in it.

    Yields
    ------
    Records
        The next batch. NPZ files and standard input are kept as a whole, in memory or in a temporary file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> numbers = pathlib.Path(tempfile.mkdtemp(), "numbers.jsonl")
    >>> _ = numbers.write_text("[1, 2, 3]\n[4]\n[5, 6]\n")
    >>> [len(batch) for batch in read_batches(numbers, size=2)]
    [2, 1]
    """
    if not isinstance(size, int) or size < 1:
        raise InvalidInput(f"A batch cannot hold {size!r} objects.", advice="Give size= a whole number from 1.", value=size)
    return _open(path, size, replace(_options(column, target, kind, numbers), labels=labels), encoding, max_size)


def _options(
    column: str | Sequence[str] | None, target: str | None, kind: Kind | None, numbers: str | Sequence[str] | None
) -> ReadOptions:
    named = None if numbers is None else checked_names("numbers", numbers)
    return ReadOptions(checked_names("column", column), target, kind, numbers=named)


def _open(path: FileName, size: int, options: ReadOptions, encoding: str | None, max_size: str | int) -> Iterator[Records]:
    """The batches of a file, read by the module of its format."""
    source = locate(path, max_size)
    if source.format in BINARY_FORMATS.values() and encoding is not None:
        raise InvalidInput(f"{source.path} is not text and has no encoding.", advice="Leave encoding= out.", value=encoding)
    if source.format in ARRAY_FORMATS.values():
        return array_batches(source, options, size)
    if source.format == "parquet":
        return _row_batches(parquet_table(source.path, options, source.max_size), options, source.path, size)
    if source.format == DIRECTORY:
        return _row_batches(directory_table(source.path, encoding, source.max_size), options, source.path, size)
    return _text_batches(source, find_encoding(source, encoding), options, size)


def _text_batches(source: Source, encoding: str, options: ReadOptions, size: int) -> Iterator[Records]:
    """The batches of a text file; the temporary copy of a pipe is deleted at the end."""
    with closing(source), decoded_lines(source, encoding) as lines:
        yield from _row_batches(TEXT_READERS[source.format](lines, source.path), options, source.path, size)


def _row_batches(table: RawTable, options: ReadOptions, path: str, size: int) -> Iterator[Records]:
    """Decide on the first rows where objects and labels are, then convert all rows, ``size`` of them at a time."""
    first = list(islice(table.rows, DECIDING_ROWS))
    conversion = Conversion(path, decide_layout(first, table, options, path), table.cells, table.unit)
    rows = chain(first, table.rows)
    del first  # wide rows take much memory; the chain releases them once they are read
    while batch := list(islice(rows, size)):
        yield conversion.records(batch)
    conversion.check_complete()

"""Read a file of any known format or a table in memory, as a whole or a batch at a time; and several
files as one: a file for each class, or the parts of one table.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

from wideberth.errors import InvalidFile, InvalidInput
from wideberth.io.readers.conversion import Conversion
from wideberth.io.readers.formats.arrow import SpeaksArrow
from wideberth.io.readers.formats.directories import DIRECTORY, text_files
from wideberth.io.readers.labels_file import FileLabels, label_in_order, read_labels, with_labels
from wideberth.io.readers.layout import FirstRows, decide_layout, sparse_columns
from wideberth.io.readers.opening import (
    BY_ENDING,
    format_of,
    locate,
    opened_table,
    stem_of,
    with_encoding,
)
from wideberth.io.readers.records import (
    BadRecords,
    ColumnUse,
    Kind,
    OnError,
    RawTable,
    ReadOptions,
    Records,
    Row,
    counted,
    fault,
    file_name,
    join,
    read_options,
    readable,
)
from wideberth.io.readers.source import MAX_SIZE, Source
from wideberth.wording import Text, setting

DECIDING_ROWS = 200
#: So many short cells are looked at for values of columns that are nearly empty in the deciding rows.
MOST_LOOKED_AT = 1_000_000
FileName = str | os.PathLike[str]
#: What the labels are called that the names of files are.
FILE = "file"


class ClassFile(NamedTuple):
    """A file and the label of its objects, unless it has labels of its own."""

    path: str
    label: str


class OtherOptions(TypedDict, total=False):
    """The options that `read_batches` shares with `read` and passes on."""

    target: str | None
    kind: Kind | None
    labels_from: FileName | None
    weight: str | None
    groups: str | None
    on_error: OnError
    exact_labels: bool
    keep_cells: bool
    sheet: str | None
    encoding: str | None
    missing: str | Sequence[str]
    keep: str | Sequence[str] | None
    header: bool | None
    keep_absent: bool


#: What is read: a file, several, or a table in memory that speaks Arrow.
Readable = FileName | Sequence[FileName] | SpeaksArrow


def read(
    path: Readable,
    *,
    column: str | Sequence[str] | None = None,
    target: str | None = None,
    kind: Kind | None = None,
    numbers: str | Sequence[str] | Mapping[str, str] | None = None,
    encoding: str | None = None,
    max_size: str | int = MAX_SIZE,
    labels_from: FileName | None = None,
    weight: str | None = None,
    groups: str | None = None,
    on_error: OnError = "raise",
    exact_labels: bool = False,
    keep_cells: bool = False,
    sheet: str | None = None,
    missing: str | Sequence[str] | None = None,
    keep: str | Sequence[str] | None = None,
    header: bool | None = None,
) -> Records:
    r"""Read the objects of a file or a frame, and their labels where it has them.

    **Formats**, by the ending of the file name; text formats also with ``.gz``, compressed with gzip
    under another name, or as the only file in a ``.zip``:

    - ``.csv`` (separated by comma, semicolon, tab or bar), ``.tsv`` and ``.tab``: tables with a
      header; ``.arff``: tables with declared columns; ``.xlsx``, ``.xlsm``: the only sheet that
      is not empty, or ``sheet``. A .tsv file whose first line consists of numbers only, the first one whole, is
      one of the UCR archive: its first column is the label, the others are the *series*, and NaN at
      the end is cut off. (0, 1, 2... is a header all the same: pandas names columns so.)
    - ``.jsonl``, ``.ndjson``: JSON lines. The fields are the columns; a line that is not a JSON
      object is read as ``{"value": line}``.
    - ``.json``: a list of records, alone or under one name, or columns as pandas writes them; JSON
      lines too.
    - ``.fasta``, ``.fa``, ``.fna``, ``.faa``, ``.ffn``: *strings* in the column ``sequence``;
      further columns are ``id``, ``description`` and one for each ``key=value`` or ``[key=value]``
      in the headers, as in ``>s1 label=promoter``. ``.fastq``, ``.fq``: the same; qualities are not
      used.
    - ``.ts``: the *series* of the UCR and UEA archives; arrays (channels, length) if there are
      several channels.
    - ``.smi``: *molecules*; the columns ``smiles`` and ``name``. ``.sdf``, ``.sd``: the same, and a
      column for each property; needs the extra ``wideberth[molecules]``.
    - ``.phy``, ``.phylip``, ``.dist``: *distances* with names, square or as a lower triangle.
    - a directory: each file is one of the *strings*, and its sub-directory the label. Columns
      ``text`` and ``file``; hidden files are skipped, and the line break at the end of a file is
      left out. Files of the formats above are read as such; their label is their sub-directory,
      else their name.
    - several files, as a list: parts of one table, or, if they have no labels, a file for each
      class, whose name is the label.
    - ``.parquet``: a table with types. It and .xlsx need the extra ``wideberth[tables]``.
    - ``.npy`` and ``.npz``, never unpickled: *vectors* with one or two axes, *series* with three,
      *strings* if they are text, *distances* if they are square, symmetric and zero on the
      diagonal, or, with ``kind="distances"``, if they are condensed. In an NPZ file the objects are
      the array called X, x, data, objects, distances or D, or the only one besides the labels.
    - a frame of pandas or polars, a table of pyarrow, or any other table in memory that has the
      Arrow interface (``__arrow_c_stream__``): as the Parquet file that it could be written to. It
      needs the same extra. Messages give the position of a row, from 0.
    - ``"-"`` is standard input: JSON lines if it begins with ``{`` or ``[``, FASTA if with ``>``,
      otherwise a table. So is a named pipe, unless its name has the ending of a text format.

    **Labels** are in the column ``target``, otherwise in the one called label, labels, class,
    target, y or category (in any case), otherwise there are none. Labels are kept as text, without
    spaces around them; those of JSON lines, Parquet, workbooks and arrays as they are. Labels that
    differ only in case are warned of.

    **Objects** are in the other columns, or in those named with ``column``. Some names reveal the
    kind, if the cells fit: one called smiles (in any case) holds *molecules*, one called sequence
    or seq *strings*; ``nodes`` with ``edges`` or ``neighbors`` are *graphs*; ``tree`` holds
    *trees*, nested lists ``[label, children]`` or dicts ``{"label": ..., "children": [...]}``;
    records with ``children`` of that form are trees themselves, and their ``label`` is that of the
    root, so that the class needs a field of another name. Otherwise a column is what most of its
    filled cells are in the first 200 rows, or where these are fewer than 20 also in later ones, and
    every other cell must agree:

    - identifiers are kept as ``names``, and are no features: columns called id, uuid or the like
      whose values are all different (or most of them, if they are called id), those without a name,
      UUIDs, whole numbers that count the rows; also texts called name beside other columns;
    - one column is left: *vectors* if it holds numbers, *strings* if text, *series* if lists of
      numbers, ``[1, 2]``, ``1 2`` or ``1;2`` in a table. Any other JSON value: *objects*;
    - several columns are left: a table. *Distances* if they are square, symmetric and zero on the
      diagonal; *vectors* if all are numbers, one for each row; else *rows*. Free text, and texts
      that differ in nearly all of many rows, are not compared as categories: they are the objects,
      joined if there are several (a title and a text), if they have ten words or more, or if
      nothing but identifiers, or columns of few values that may be labels, is next to them;
      otherwise they are left out. Series and structures beside other columns are refused until one
      is named.

    **Missing values**, in columns of numbers, dates, truth values and categories, are empty cells
    and the usual words: NA, N/A, NaN, NULL, ``<NA>`` and #N/A in their usual spellings, None,
    missing, ?, - and . (a minus beside a plus is a value). They are NaN in vectors and None in
    rows, and are counted in `Records.understood`. Rows without a label are left out, with a
    warning; a label None, -, . or missing names a class. So are rows without an object where one
    column holds the objects. In a column of texts that are the objects, such a word is a text.

    **Numbers** may have decimal commas, separated thousands, percent signs, or one unit or currency
    (60 kg, $1,037), and brackets below zero, (5); dates are days since 1970-01-01, times hours:
    8:30 is 8.5. Codes of four digits or more, as many in each row, some with zeros in front, such as
    postal codes, are texts. All cells of a column are written alike, and what is open, such as 1,234 or
    01/02/2024, is refused unless other columns or ``numbers`` tell. Words such as yes and no are
    categories. `Records.understood` says what each column is used as, and why.

    Parameters
    ----------
    path : str or path, list of them, or table
        The file, the directory, several files, or a frame in memory.
    column : str or list of str, optional
        The column or columns of the objects.
    target : str, optional
        The column of the labels.
    kind : {"strings", "vectors", "series", "sets", "molecules", "trees", "graphs", "rows", "objects", "distances"}, optional
        What the objects are. Sets are JSON lists, or words separated by spaces or semicolons.
        ``"rows"`` are dicts of all remaining columns: float, text (truth values too), and None
        where a cell is empty. ``"objects"`` takes the one remaining column as it is, and several as
        a dict for each row. ``"distances"`` needs as many columns as rows.
    numbers : list of str, or dict, optional
        Which columns of rows hold numbers; the others are text, such as classes that are called 1,
        2, 3. Found if not given. A dict says how some columns are written, by an example:
        ``{"price": "1.234,5", "day": "12/31/2024"}``.
    encoding : str, optional
        By default that of the byte-order mark, otherwise UTF-8; if the file is not UTF-8, a guess
        of charset-normalizer, with a warning.
    max_size : str or int, default="10GB"
        The most bytes that may come out of a compressed file (gzip, NPZ, Parquet, XLSX) or a pipe,
        so that a small file cannot fill the memory; other files have no limit.
    labels_from : str or path, optional
        A second file that holds the labels: one on each line in the order of the objects, an array,
        or a table, then in the column ``target``; a column of it whose values are in one of the
        file of the objects, whatever the two are called, tells which label belongs to which.
    weight, groups : str, optional
        The columns of the weights of the objects, and of the groups that belong together.
    on_error : {"raise", "skip"}, default="raise"
        Whether a record that cannot be read is an error, or is left out and listed in
        `Records.skipped`.
    exact_labels : bool, default=False
        Keep the spaces around labels.
    keep_cells : bool, default=False
        Keep the cells of each row as they are in the file, in `Records.cells`.
    sheet : str, optional
        The sheet of a workbook.
    missing : str or list of str, optional
        Words that stand for missing values, besides the usual ones: ``["unknown", "-99"]``. With
        the empty word, ``[""]``, the usual ones no longer do, but empty cells still.
    keep : str or list of str, optional
        Columns that describe the objects although they look like identifiers, or like texts that
        differ from row to row.
    header : bool, optional
        Whether the first line of a CSV or TSV file names the columns; without names they are called
        "1", "2" and so on. Seen where it is clear, with a warning if there is none.

    Returns
    -------
    Records
        Objects, labels, and where they were found.

    Raises
    ------
    InvalidFile
        With the ``path`` (of a frame: its type), the ``line`` (in Parquet, workbooks and frames:
        row) and the ``value`` of what is wrong, and how to correct it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> drinks = pathlib.Path(tempfile.mkdtemp(), "drinks.csv")
    >>> _ = drinks.write_text("word,label\ntea,en\nlait,fr\n")
    >>> records = read(drinks)
    >>> records.objects, records.labels, records.kind
    (['tea', 'lait'], ['en', 'fr'], 'strings')
    >>> _ = drinks.write_text(
    ...     "id;price;sold on;hot;label\n7;1,5;2024-12-31;yes;tea\n9;2,25;2025-01-01;no;rum\n"
    ... )
    >>> for use in read(drinks).understood:
    ...     print(*use, sep=" | ")
    id | identifier | its name and its values, all different; keep='id' makes it a feature
    price | number | decimal commas: 1,5 is 1.5
    sold on | date | dates, as days since 1970-01-01
    hot | category | truth values
    label | label | by its name
    """
    options = read_options(
        column,
        numbers,
        target=target,
        kind=kind,
        labels_from=labels_from,
        weight=weight,
        groups=groups,
        on_error=on_error,
        exact_labels=exact_labels,
        keep_cells=keep_cells,
        sheet=sheet,
        encoding=encoding,
        missing=missing or (),
        keep=keep,
        header=header,
    )
    return join(list(_open(path, DECIDING_ROWS, options, max_size)))


def read_batches(
    path: Readable,
    *,
    size: int = 10_000,
    column: str | Sequence[str] | None = None,
    numbers: str | Sequence[str] | Mapping[str, str] | None = None,
    max_size: str | int = MAX_SIZE,
    labels: bool = True,
    **others: Unpack[OtherOptions],
) -> Iterator[Records]:
    r"""Read a file of any length a batch at a time, with the rules and the parameters of `read`; the
    batches joined are what `read` returns.

    A batch has ``size`` objects; the last one of a file may have fewer, and any if records are
    skipped. With ``labels=False`` a column of labels is recognised but not read, whatever is in it.
    NPZ files and standard input are kept as a whole, in memory or in a temporary file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> numbers = pathlib.Path(tempfile.mkdtemp(), "numbers.jsonl")
    >>> _ = numbers.write_text("[1, 2, 3]\n[4]\n[5, 6]\n")
    >>> [len(batch) for batch in read_batches(numbers, size=2)]
    [2, 1]
    """
    if not isinstance(size, int) or size < 1:
        raise InvalidInput(
            f"A batch cannot hold {size!r} objects.",
            advice=f"Give {setting('size')} a whole number from 1.",
            value=size,
        )
    return _open(path, size, read_options(column, numbers, labels=labels, **others), max_size)


def read_content(
    content: bytes, written_as: Literal["csv", "jsonl"], name: str, **options: Any
) -> Records:
    r"""Read objects that are in memory, with the rules of `read`, as UTF-8.

    Examples
    --------
    >>> read_content(b"word,label\ntea,en\n", "csv", "the body").objects
    ['tea']
    """
    chosen = read_options(options.pop("column", None), options.pop("numbers", None), **options)
    source = Source(name, BY_ENDING[f".{written_as}"], content=content)
    chosen = with_encoding(source, replace(chosen, encoding="utf-8"))
    batches = list(_table_batches(source, chosen, DECIDING_ROWS, None))
    if not batches:
        raise fault(name, "it has no records.", "Send at least one object.", value=content[:20])
    return join(batches)


def _open(
    path: Readable, size: int, options: ReadOptions, max_size: str | int
) -> Iterator[Records]:
    """The batches of a file, of several files, of a directory or of a table in memory."""
    if not isinstance(path, Sequence) or isinstance(path, str | bytes):
        return _open_one(locate(path, max_size), size, options)
    files = class_files(file_name(item) for item in path)
    return _open_several(files, joined_name(files), size, options, max_size)


def _open_several(
    files: list[ClassFile], whole: str, size: int, options: ReadOptions, max_size: str | int
) -> Iterator[Records]:
    def read_one(name: str, own: ReadOptions) -> Iterator[Records]:
        return _open_one(locate(name, max_size), size, own)

    return read_files(files, options, whole, read_one)


def _open_one(source: Source, size: int, options: ReadOptions) -> Iterator[Records]:
    """The batches of one file, read by the module of its format."""
    path, max_size = source.path, source.max_size
    if source.format is DIRECTORY and (inside := known_files(path)):
        files = [
            ClassFile(name, stem_of(name) if label is None else label) for name, label in inside
        ]
        return _open_several(files, path, size, options, max_size)
    options = with_encoding(source, options)
    labels = None
    if options.labels_from is not None:
        if options.labels:
            labels = read_labels(options.labels_from, options.target, max_size)
        options = replace(options, target=None)
    if source.format is not None and source.format.of_arrays is not None:
        batches = source.format.of_arrays(source, options, size)
        return batches if labels is None else label_in_order(batches, labels, path)
    return _table_batches(source, options, size, labels)


def _table_batches(
    source: Source, options: ReadOptions, size: int, labels: FileLabels | None
) -> Iterator[Records]:
    """The batches of a file of rows."""
    bad = BadRecords(skips=options.on_error == "skip")
    with opened_table(source, options) as table:
        if labels is not None:
            table = with_labels(table, labels, source.path)
        batches = _row_batches(table, options, source.path, size, bad)
        yield from _with_skipped(batches, bad, source.path) if bad.skips else batches


def _row_batches(
    table: RawTable, options: ReadOptions, path: str, size: int, bad: BadRecords
) -> Iterator[Records]:
    """Decide on the first rows where objects and labels are, then convert all rows, ``size`` of
    them at a time.
    """
    rows = readable(table.rows, bad.report)
    first = list(islice(rows, DECIDING_ROWS))
    if not first:
        return
    complete = len(first) < DECIDING_ROWS
    beginning = FirstRows(first, table, options, path, complete)
    later, ended = ([], True) if complete else _looked_at(rows, beginning)
    layout = decide_layout(beginning._replace(later=later, ended=ended))
    conversion = Conversion(path, layout, table, options, bad)
    rows = chain(first, later, rows)
    # wide rows take much memory; the chain releases them once they are read
    del first, later, beginning
    batches = _converted(conversion, rows, size)
    yield from _with_absent(batches, conversion) if options.keep_absent else batches


def _looked_at(rows: Iterator[Row], first: FirstRows) -> tuple[list[Row], bool]:
    """The rows up to the one that fills the last sparse column often enough, within a limit of
    memory, and whether these are all that there are. Records that name their own fields may have
    further ones later, so that all are looked at, unless the columns of the objects are named.
    """
    words, lacking = first.options.missing_words, sparse_columns(first)
    later: list[Row] = []
    n_cells = 0
    vary = first.table.names_in_rows and not first.options.columns
    while (lacking or vary) and n_cells < MOST_LOOKED_AT:
        row = next(rows, None)
        if row is None:
            return later, True
        later.append(row)
        n_cells += sum(map(_size, row.cells.values()))
        for name in [name for name in lacking if not words.in_features(row.cells.get(name))]:
            lacking[name] -= 1
            if not lacking[name]:
                del lacking[name]
    return later, False


def _size(cell: Any) -> int:
    """About how much memory a cell takes, in short ones: texts may be long.

    >>> _size(2.5), _size("tea"), _size("t" * 100)
    (1, 1, 11)
    """
    return 1 + len(cell) // 10 if isinstance(cell, str | list | dict) else 1


def _converted(conversion: Conversion, rows: Iterator[Row], size: int) -> Iterator[Records]:
    while batch := list(islice(rows, size)):
        records = conversion.records(batch)
        if records is not None:
            yield records
    conversion.finish()


def _with_absent(batches: Iterator[Records], conversion: Conversion) -> Iterator[Records]:
    """Batches of which the last one, held back, has the rows without an object after its end."""
    held = next(batches, None)
    for batch in batches:
        if held is not None:
            yield held
        held = batch
    if held is not None:
        after = [each._replace(before=len(held)) for each in conversion.take_absent()]
        yield replace(held, absent=[*held.absent, *after])


def _with_skipped(batches: Iterator[Records], bad: BadRecords, path: str) -> Iterator[Records]:
    """Batches with the records that were skipped; one batch is held back, since the last must list
    those after its end.
    """
    held = next(batches, None)
    if held is None:
        raise _nothing_left(bad, path)
    for batch in batches:
        yield replace(held, skipped=bad.take())
        held = batch
    yield replace(held, skipped=bad.take())


def _nothing_left(bad: BadRecords, path: str) -> InvalidFile:
    """The error for a file without any record that could be read."""
    line, why = bad.first or (None, "it has no records.")
    problem = f"none of {counted(bad.count, 'record')} could be read. The first: {Text(why).marked}"
    return fault(
        path,
        problem,
        f"Correct it; {setting('on_error', 'raise')} shows where reading fails.",
        line=line,
        value=bad.count,
    )


# ---- Several files as one


def class_files(paths: Iterable[str]) -> list[ClassFile]:
    """Label files by their names without the ending, or by their folders if all have the same name.

    Examples
    --------
    >>> [file.label for file in class_files(["pos/1.fasta", "neg/1.fasta"])]
    ['pos', 'neg']
    >>> class_files(["data/pos.fasta", "data/neg.fasta.gz"])
    [ClassFile(path='data/pos.fasta', label='pos'), ClassFile(path='data/neg.fasta.gz', label='neg')]
    """
    files = [ClassFile(path, stem_of(path)) for path in paths]
    if not files:
        raise InvalidInput("An empty list of files.", advice="Name at least one file.", value=[])
    if len({file.label for file in files}) == 1 < len({file.path for file in files}):
        return [ClassFile(file.path, Path(file.path).resolve().parent.name) for file in files]
    return files


def read_files(
    files: list[ClassFile],
    options: ReadOptions,
    whole: str,
    read: Callable[[str, ReadOptions], Iterator[Records]],
) -> Iterator[Records]:
    """Read several files as one.

    What the objects are is decided on the first file, and all others are read alike. If the first
    file has labels, all must have them; otherwise the label of each object is that of its file.
    """
    if options.labels_from is not None and len(files) > 1:
        raise InvalidInput(
            f"{setting('labels_from', options.labels_from)} gives the labels of one file, not of "
            f"{len(files)}.",
            advice=f"Join the files to one, or leave {setting('labels_from')} out: the names of "
            "the files are the labels.",
            value=options.labels_from,
        )
    first: Records | None = None
    for file in files:
        for batch in read(file.path, options if first is None else _alike(options, first)):
            first = first or batch
            _check_alike(batch, first, file.path)
            skipped = [
                record.because(Text(f"{file.path}: {Text(record.why).marked}"))
                for record in batch.skipped
            ]
            batch = replace(batch, skipped=skipped, understood=first.understood)
            yield replace(_labelled(batch, file.label, options), path=whole)


def _alike(options: ReadOptions, first: Records) -> ReadOptions:
    """The options by which further files are read as the first one was."""
    if first.column is None:
        return replace(options, kind=first.kind)
    columns = (first.column,) if isinstance(first.column, str) else first.column
    return replace(
        options, columns=columns, kind=first.kind, numbers=first.numbers, target=first.target
    )


def _check_alike(batch: Records, first: Records, path: str) -> None:
    """Refuse files of which only some have labels, or whose arrays differ in shape."""
    if (batch.labels is None) != (first.labels is None):
        has = "no labels" if batch.labels is None else "labels"
        raise fault(
            path,
            f"it has {has}, unlike {first.path}.",
            "Give all files a column of labels, or none: then the names of the files are "
            "the labels.",
            value=batch.target,
        )
    shapes = [getattr(records.objects, "shape", ())[1:] for records in (batch, first)]
    if shapes[0] != shapes[1]:
        problem = f"objects of shape {shapes[0]}, but those of {first.path} have {shapes[1]}."
        raise fault(path, problem, "Give all files the same columns.", value=shapes[0])


def _labelled(batch: Records, label: str, options: ReadOptions) -> Records:
    """A batch with the label of its file, if it has none of its own."""
    names = [None] * len(batch) if batch.names is None else batch.names
    batch = replace(batch, names=names)
    if batch.labels is not None or not options.labels:
        return batch
    told = ColumnUse(FILE, "label", "the name of the file, or of its directory")
    return replace(
        batch, labels=[label] * len(batch), target=FILE, understood=(*batch.understood, told)
    )


def joined_name(files: list[ClassFile]) -> str:
    """What several files are called in messages.

    Examples
    --------
    >>> joined_name(class_files(["data/pos.fasta", "data/neg.fasta"]))
    'data/pos.fasta, neg.fasta'
    """
    return ", ".join([files[0].path, *(Path(file.path).name for file in files[1:])])


def known_files(path: str) -> list[tuple[str, str | None]]:
    """The files of a directory if all of them have the endings of known formats, each with its
    sub-directory as the label.

    Examples
    --------
    >>> import tempfile
    >>> genes = Path(tempfile.mkdtemp())
    >>> _ = (genes / "pos.fasta").write_text(">s1 ACGT")
    >>> [(Path(name).name, label) for name, label in known_files(str(genes))]
    [('pos.fasta', None)]
    """
    files = text_files(path)
    known = [name for name, _ in files if format_of(name)]
    if known and len(known) < len(files):
        other = next(name for name, _ in files if name not in known)
        raise fault(
            path,
            f"{other!r} next to {known[0]!r}: files of a known format are read as such, others as "
            "one text each.",
            "Put only one sort into the directory; give texts another ending, such as .txt.",
            value=other,
        )
    return [(str(Path(path, name)), label) for name, label in files] if known else []

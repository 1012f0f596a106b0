"""Find files, compressed files, pipes and standard input with their formats, and open them as
tables.
"""

import os
import select
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO

from wideberth.errors import InvalidInput, WaitingWarning, warn_user
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.io.readers.formats.arff import arff_table
from wideberth.io.readers.formats.arrow import parquet_table
from wideberth.io.readers.formats.delimited import csv_table
from wideberth.io.readers.formats.directories import directory_table
from wideberth.io.readers.formats.fasta import fasta_table
from wideberth.io.readers.formats.json_lines import json_table
from wideberth.io.readers.formats.molecules import sdf_table, smiles_table
from wideberth.io.readers.formats.phylip import phylip_table
from wideberth.io.readers.formats.ucr_archive import ts_table, tsv_table
from wideberth.io.readers.formats.workbooks import workbook_table
from wideberth.io.readers.records import (
    STANDARD_INPUT,
    RawTable,
    ReadOptions,
    Report,
    explained_os_errors,
    fault,
    file_name,
    place,
)
from wideberth.io.readers.source import (
    CHUNK,
    MAX_SIZE,
    Source,
    decoded_lines,
    find_encoding,
    within_limit,
)
from wideberth.io.whole_file import remember_input
from wideberth.wording import setting

#: Milliseconds without data after which a message says that reading waits.
PATIENCE = 2_000


def copy_of_standard_input(max_size: int) -> IO[bytes]:
    """Copy standard input to a temporary file."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        advice = "Pipe a table, JSON lines or FASTA into it, or name a file."
        raise fault(STANDARD_INPUT, "it is closed.", value=None, advice=advice)
    if sys.stdin.isatty():
        warn_user(
            "Reading from the terminal: end with Ctrl-D, or press Ctrl-C to stop.", WaitingWarning
        )
    return _copy(partial(stream.read, CHUNK), STANDARD_INPUT, max_size)


def copy_of_pipe(path: str, max_size: int) -> IO[bytes]:
    """Copy what comes through a named pipe or from a device to a temporary file, until its writers
    have closed it.

    If nothing has come after two seconds, a warning says what is waited for; there is no end to
    waiting, as in other programs.
    """
    with explained_os_errors(path):
        descriptor = os.open(
            path, os.O_RDONLY | os.O_NONBLOCK
        )  # would wait for a writer, without a word, if it could block
    try:
        _wait_for_data(descriptor, path)
        os.set_blocking(descriptor, True)
        return _copy(partial(os.read, descriptor, CHUNK), path, max_size)
    finally:
        os.close(descriptor)


def _wait_for_data(descriptor: int, path: str) -> None:
    """Wait until a pipe has data, or had a writer that closed it."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    if not poll.poll(PATIENCE):
        warn_user(
            f"{path} is a pipe, and nothing has been written to it so far. Waiting; Ctrl-C stops.",
            WaitingWarning,
        )
        poll.poll()


def _copy(read: Callable[[], bytes], path: str, max_size: int) -> IO[bytes]:
    """A temporary file with all that ``read`` returns, until that is nothing."""
    spool = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    try:
        for chunk in within_limit(_chunks(read, path), path, max_size):
            with _explained_writing(path):
                spool.write(chunk)
        with _explained_writing(path):
            spool.flush()
    except BaseException:
        spool.close()
        raise
    return spool


def _chunks(read: Callable[[], bytes], path: str) -> Iterator[bytes]:
    """What ``read`` returns, until that is nothing."""
    while True:
        with explained_os_errors(path):
            chunk = read()
        if not chunk:
            return
        yield chunk


@contextmanager
def _explained_writing(path: str) -> Iterator[None]:
    """Turn an error while the temporary file is written into an `InvalidFile`."""
    try:
        yield
    except OSError as error:
        folder = tempfile.gettempdir()
        raise fault(
            path,
            f"the temporary copy of {place(path)} in {folder} cannot be written "
            f"({error.strerror or error}).",
            value=folder,
            advice="Make room there, name another directory with the environment variable TMPDIR, "
            "or name a plain file.",
        ) from None


_ENDINGS = {  # the file name endings of each text format
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "fasta": (".fasta", ".fa", ".fna", ".faa", ".ffn"),
    "ts": (".ts",),
    "smi": (".smi",),
    "sdf": (".sdf", ".sd"),
    "arff": (".arff",),
    "phylip": (".phy", ".phylip", ".dist"),
}


TEXT_FORMATS = {ending: name for name, endings in _ENDINGS.items() for ending in endings}


ARRAY_FORMATS = {".npy": "npy", ".npz": "npz"}


BINARY_FORMATS = {".parquet": "parquet", ".xlsx": "xlsx", ".xlsm": "xlsx", **ARRAY_FORMATS}


DIRECTORY = "directory"


#: Formats of standard input and of pipes whose names have no known ending, by their first
#: character.
FORMAT_BY_START = {b"{": "jsonl", b"[": "jsonl", b">": "fasta"}


#: What begins with other bytes than text, and cannot be read from a pipe.
NOT_TEXT = {
    b"\x1f\x8b": "compressed",
    b"PAR1": "a Parquet file",
    b"\x93NUMPY": "an NPY file",
    b"PK\x03\x04": "a zip or NPZ file",
}


def locate(
    path: str | os.PathLike[str], max_size: str | int = MAX_SIZE, *, default: str | None = None
) -> Source:
    """Find a file or directory and its format, by the ending of its name; ``"-"`` is standard
    input.

    Standard input and pipes are copied to a temporary file. Their format is known by the first
    character, unless the name of a pipe has the ending of a text format.

    Examples
    --------
    >>> locate("names.docx")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: names.docx: no reader for files ending in '.docx'. Known are .csv, ... .npz, and directories.
    """
    name, limit = file_name(path), parse_memory(max_size)
    if name == STANDARD_INPUT:
        return _by_start(name, copy_of_standard_input(limit), limit)
    with explained_os_errors(name):
        if Path(name).is_dir():
            return replace(_directory(name), max_size=limit)
        if _is_pipe(name):
            return _pipe(name, limit)
        source = _by_ending(name, default)
        _check_filled(name)
    remember_input(name)
    return replace(source, max_size=limit)


def _is_pipe(name: str) -> bool:
    """Whether a path leads to a pipe, a device or a socket: to something that cannot be read twice,
    and may have no end.
    """
    return Path(name).exists() and not stat.S_ISREG(Path(name).stat().st_mode)


def _pipe(name: str, max_size: int) -> Source:
    """The source of what comes through a named pipe."""
    ending, compressed = _ending(name), name.lower().endswith(".gz")
    if ending in BINARY_FORMATS:
        advice = "Write it to a plain file first; text formats may come through a pipe."
        raise fault(
            name,
            f"a pipe cannot be read as {ending}, whose parts are read in any order.",
            value=ending,
            advice=advice,
        )
    spool = copy_of_pipe(name, max_size)
    if ending in TEXT_FORMATS:
        return Source(name, TEXT_FORMATS[ending], compressed, spool=spool, max_size=max_size)
    return _by_start(name, spool, max_size)


def _by_start(name: str, spool: IO[bytes], max_size: int) -> Source:
    """The source of a temporary copy, with the format that its beginning shows."""
    source = Source(name, "", spool=spool, max_size=max_size)
    head = source.head()
    found = next((what for start, what in NOT_TEXT.items() if head.startswith(start)), None)
    if head and not found:
        return replace(source, format=FORMAT_BY_START.get(head.lstrip()[:1], "csv"))
    source.close()
    if not head:
        raise fault(
            name, "no data.", value=b"", advice="Pipe a table, JSON lines or FASTA into it."
        )
    advice = (
        "Pipe text into it (gunzip -c FILE | ...), or name a file with the ending of its format."
    )
    raise fault(
        name, f"this is {found}, and only text comes through a pipe.", value=head[:8], advice=advice
    )


def has_known_ending(name: str) -> bool:
    """Whether the name of a file has the ending of a format that can be read.

    Examples
    --------
    >>> has_known_ending("genes.fasta.gz"), has_known_ending("genes.txt")
    (True, False)
    """
    return _ending(name) in (
        TEXT_FORMATS if name.lower().endswith(".gz") else TEXT_FORMATS | BINARY_FORMATS
    )


def has_columns(file: str) -> bool:
    """Whether the objects of a file are in named columns or fields, as in all formats but NumPy
    arrays.

    Examples
    --------
    >>> has_columns("names.csv"), has_columns("names.npy")
    (True, False)
    """
    return Path(file).suffix.lower() not in ARRAY_FORMATS


def stem_of(name: str) -> str:
    """The name of a file without its folder and the ending of its format.

    Examples
    --------
    >>> stem_of("data/pos.1.fasta.gz"), stem_of("data/pos")
    ('pos.1', 'pos')
    """
    last = Path(name).name
    last = last[:-3] if last.lower().endswith(".gz") else last
    return last.removesuffix(Path(last).suffix) or last


def _by_ending(name: str, default: str | None) -> Source:
    compressed = name.lower().endswith(".gz")
    ending = _ending(name)
    known = TEXT_FORMATS if compressed else TEXT_FORMATS | BINARY_FORMATS
    if ending in known or default is not None:
        return Source(name, known.get(ending, default or ""), compressed)
    raise fault(
        name,
        f"no reader for files ending in {ending + '.gz' * compressed!r}."
        if ending
        else "the name has no ending.",
        value=ending,
        advice=f"Known are {', '.join(TEXT_FORMATS)} (each also with .gz), "
        f"{', '.join(BINARY_FORMATS)}, and directories.",
    )


def _ending(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def _directory(name: str) -> Source:
    if _ending(name) in TEXT_FORMATS | BINARY_FORMATS:
        advice = (
            "Name a file in it; to read its files as texts, give it a name without such an ending."
        )
        raise fault(name, "this is a directory.", value=name, advice=advice)
    return Source(name, DIRECTORY)


def _check_filled(name: str) -> None:
    with Path(name).open("rb") as stream:
        if not stream.read(1):
            raise fault(
                name, "the file is empty.", value=b"", advice="Write the objects into it first."
            )


TEXT_READERS: dict[str, Callable[[Iterable[str], str, Report], RawTable]] = {
    "csv": csv_table,
    "tsv": tsv_table,
    "jsonl": json_table,
    "fasta": fasta_table,
    "ts": ts_table,
    "smi": smiles_table,
    "arff": arff_table,
    "sdf": sdf_table,
    "phylip": phylip_table,
}


def check_encoding(source: Source, encoding: str | None) -> str | None:
    """The encoding of a text file, found or checked; None for other formats, for which naming one
    is an error.

    Examples
    --------
    >>> check_encoding(Source("drinks.csv", "csv", content=b"tea"), None)
    'utf-8'
    """
    if source.format in BINARY_FORMATS.values():
        if encoding is not None:
            raise InvalidInput(
                f"{source.path} is not text and has no encoding.",
                advice=f"Leave {setting('encoding')} out.",
                value=encoding,
            )
        return None
    return encoding if source.format == DIRECTORY else find_encoding(source, encoding)


@contextmanager
def opened_table(
    source: Source, encoding: str | None, options: ReadOptions, report: Report
) -> Iterator[RawTable]:
    r"""Open a file of rows; the temporary copy of a pipe is deleted at the end.

    Examples
    --------
    >>> from wideberth.io.readers.records import raised
    >>> with opened_table(
    ...     Source("t.csv", "csv", content=b"word\ntea\n"), "utf-8", ReadOptions(), raised
    ... ) as table:
    ...     [row.cells for row in table.rows]
    [{'word': 'tea'}]
    """
    if options.sheet is not None and source.format != "xlsx":
        advice = f"Leave {setting('sheet')} out; only .xlsx files have sheets."
        raise InvalidInput(
            f"{setting('sheet', options.sheet)} for {source.path}, which has none.",
            advice=advice,
            value=options.sheet,
        )
    if source.format == "parquet":
        yield parquet_table(source.path, options, source.max_size)
    elif source.format == "xlsx":
        yield workbook_table(source.path, options.sheet, source.max_size, report)
    elif source.format == DIRECTORY:
        yield directory_table(source.path, encoding, source.max_size, report)
    else:
        with closing(source), decoded_lines(source, encoding or "utf-8") as lines:
            yield TEXT_READERS[source.format](lines, source.path, report)

"""Find files, compressed files, pipes and standard input with their formats, and open them as
tables.
"""

import os
import select
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from wideberth.errors import InvalidInput, WaitingWarning, warn_user
from wideberth.extras import import_extra
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.io.readers.formats import FORMATS
from wideberth.io.readers.formats.arrow import FRAME
from wideberth.io.readers.formats.delimited import CSV
from wideberth.io.readers.formats.directories import DIRECTORY
from wideberth.io.readers.records import (
    STANDARD_INPUT,
    RawTable,
    ReadOptions,
    explained_os_errors,
    fault,
    file_name,
    place,
)
from wideberth.io.readers.source import (
    CHUNK,
    MAX_SIZE,
    PACKED,
    Format,
    Source,
    decoded_lines,
    find_encoding,
    is_packed,
    remember_input,
    within_limit,
)
from wideberth.wording import setting

# ---- Copy standard input, named pipes and devices to a temporary file: they can be read only once,
# and from the start only

#: Milliseconds without data after which a message says that reading waits.
PATIENCE = 2_000


def copy_of_standard_input(max_size: int) -> IO[bytes]:
    """Copy standard input to a temporary file."""
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        advice = "Pipe a table, JSON lines or FASTA into it, or name a file."
        raise fault(STANDARD_INPUT, "it is closed.", advice)
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
        # would wait for a writer, without a word, if it could block
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
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
            "Make room there, name another directory with the environment variable TMPDIR, "
            "or name a plain file.",
            value=folder,
        ) from None


# ---- Find a file and its format

#: The ending of archives, which may have one file.
ZIP = ".zip"
#: The formats by the endings of the names of files.
BY_ENDING = {ending: each for each in FORMATS for ending in each.endings}
TEXT_ENDINGS = [ending for ending, each in BY_ENDING.items() if each.is_text]
OTHER_ENDINGS = [ending for ending, each in BY_ENDING.items() if not each.is_text]
#: What begins with other bytes than text, and cannot be read from a pipe.
NOT_TEXT = {b"\x1f\x8b": "compressed"} | {
    start: each.name for each in FORMATS if not each.is_text for start in each.begins
}


def locate(path: Any, max_size: str | int = MAX_SIZE, *, any_text: bool = False) -> Source:
    """Find a file or directory and its format, by the ending of its name; ``"-"`` is standard
    input, and tables in memory are sources too.

    Standard input and pipes are copied to a temporary file. Their format is known by how they begin
    (`Format.begins`), unless the name of a pipe has the ending of a text format. A file with an
    unknown ending is refused, unless any text will do.

    Examples
    --------
    >>> locate("names.docx")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: names.docx: no reader for files ending in '.docx'. Known are .csv, ... .npz, .zip ...
    """
    limit = parse_memory(max_size)
    if hasattr(path, "__arrow_c_stream__"):
        return Source(type(path).__name__, FRAME, frame=path, max_size=limit)
    name = file_name(path)
    if name == STANDARD_INPUT:
        return _by_start(name, copy_of_standard_input(limit), limit)
    with explained_os_errors(name):
        if Path(name).is_dir():
            return replace(_directory(name), max_size=limit)
        if _is_pipe(name):
            return _pipe(name, limit)
        if Path(name).suffix.lower() == ZIP and Path(name).is_file():
            _check_filled(name)
            remember_input(name)
            return _unzipped(name, limit)
        source = _by_ending(name, any_text)
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
    ending = _ending(name)
    found = BY_ENDING.get(ending)
    if found is not None and not found.is_text:
        advice = "Write it to a plain file first; text formats may come through a pipe."
        raise fault(
            name,
            f"a pipe cannot be read as {ending}, whose parts are read in any order.",
            advice,
            value=ending,
        )
    spool = copy_of_pipe(name, max_size)
    if found is None:
        return _by_start(name, spool, max_size)
    return Source(name, found, is_packed(name), spool=spool, max_size=max_size)


def _by_start(name: str, spool: IO[bytes], max_size: int) -> Source:
    """The source of a temporary copy, with the format that its beginning shows."""
    source = Source(name, spool=spool, max_size=max_size)
    head = source.head()
    found = next((what for start, what in NOT_TEXT.items() if head.startswith(start)), None)
    if head and not found:
        texts = (each for each in FORMATS if each.is_text and each.begins)
        known = (each for each in texts if head.lstrip().startswith(each.begins))
        return replace(source, format=next(known, CSV))
    source.close()
    if not head:
        raise fault(name, "no data.", "Pipe a table, JSON lines or FASTA into it.", value=b"")
    advice = (
        "Pipe text into it (gunzip -c FILE | ...), or name a file with the ending of its format."
    )
    raise fault(
        name, f"this is {found}, and only text comes through a pipe.", advice, value=head[:8]
    )


def format_of(name: str) -> Format | None:
    """The format of a file, by the ending of its name; only texts may be compressed.

    Examples
    --------
    >>> format_of("genes.fasta.gz").name, format_of("genes.txt"), format_of("genes.npy.gz")
    ('a FASTA file', None, None)
    """
    found = BY_ENDING.get(_ending(name))
    return None if found and is_packed(name) and not found.is_text else found


def has_columns(file: str) -> bool:
    """Whether the objects of a file are in named columns or fields, as in all formats but NumPy
    arrays.

    Examples
    --------
    >>> has_columns("names.csv"), has_columns("names.npy")
    (True, False)
    """
    found = format_of(file)
    return found is None or found.has_columns


def stem_of(name: str) -> str:
    """The name of a file without its folder, without .gz, and without its last ending, whether or
    not that is one of a format.

    Examples
    --------
    >>> stem_of("data/pos.1.fasta.gz"), stem_of("data/pos.1"), stem_of("data/pos")
    ('pos.1', 'pos', 'pos')
    """
    last = Path(name).name
    last = last[: -len(PACKED)] if is_packed(last) else last
    return last.removesuffix(Path(last).suffix) or last


def _by_ending(name: str, any_text: bool) -> Source:
    found, compressed, ending = format_of(name), is_packed(name), _ending(name)
    if found is not None or any_text:
        hidden = (found is None or found.is_text) and _begins_packed(name)
        return Source(name, found, compressed or hidden)
    if ending == ".xls":
        advice = "Open it in a program for tables, and save it as .xlsx or .csv."
        raise fault(name, "no reader for workbooks of Excel before 2007.", advice, value=ending)
    raise fault(
        name,
        f"no reader for files ending in {ending + PACKED * compressed!r}."
        if ending
        else "the name has no ending.",
        f"Known are {', '.join(TEXT_ENDINGS)} (each also with {PACKED}), "
        f"{', '.join(OTHER_ENDINGS)}, {ZIP} with one text in it, and directories.",
        value=ending,
    )


def _begins_packed(name: str) -> bool:
    """Whether a file is compressed with gzip, whatever its name is."""
    try:
        with Path(name).open("rb") as stream:
            return stream.read(2) == b"\x1f\x8b"
    except OSError:  # explained where it is opened
        return False


def _unzipped(name: str, max_size: int) -> Source:
    """The source of the only file in a ZIP archive, which has to be a text."""
    advice = "Unpack it, and name the file."
    try:
        with zipfile.ZipFile(name) as archive:
            inside = [
                each
                for each in archive.namelist()
                if not each.endswith("/") and not each.startswith("__MACOSX/")
            ]
            found = format_of(inside[0]) if len(inside) == 1 else None
            if found is None or not found.is_text or is_packed(inside[0]):
                what = f"{inside[0]!r}" if len(inside) == 1 else f"{len(inside)} files"
                problem = f"{what} in a ZIP archive, which may have one text of a known format."
                raise fault(name, problem, advice, value=inside[:3])
            with archive.open(inside[0]) as stream:
                spool = _copy(partial(stream.read, CHUNK), name, max_size)
            return Source(name, found, spool=spool, max_size=max_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as broken:
        raise fault(name, f"the ZIP archive cannot be unpacked ({broken}).", advice) from None


def _ending(name: str) -> str:
    return Path(name.lower().removesuffix(PACKED)).suffix


def _directory(name: str) -> Source:
    if _ending(name) in BY_ENDING:
        advice = (
            "Name a file in it; to read its files as texts, give it a name without such an ending."
        )
        raise fault(name, "this is a directory.", advice, value=name)
    return Source(name, DIRECTORY)


def _check_filled(name: str) -> None:
    with Path(name).open("rb") as stream:
        if not stream.read(1):
            raise fault(name, "the file is empty.", "Write the objects into it first.", value=b"")


# ---- Open it


def with_encoding(source: Source, options: ReadOptions) -> ReadOptions:
    """The options with the encoding of a text, found or checked; naming one is an error for other
    formats, and directories find that of each file.

    Examples
    --------
    >>> with_encoding(Source("drinks.csv", CSV, content=b"tea"), ReadOptions()).encoding
    'utf-8'
    """
    if source.format is None or source.format.is_text:
        return replace(options, encoding=find_encoding(source, options.encoding))
    if options.encoding is not None and source.format is not DIRECTORY:
        raise InvalidInput(
            f"{source.path} is not text and has no encoding.",
            advice=f"Leave {setting('encoding')} out.",
            value=options.encoding,
        )
    return options


@contextmanager
def opened_table(source: Source, options: ReadOptions) -> Iterator[RawTable]:
    r"""Open a file of rows, with the encoding that `with_encoding` found; the temporary copy of a
    pipe is deleted at the end.

    Examples
    --------
    >>> source = Source("t.csv", CSV, content=b"word\ntea\n")
    >>> with opened_table(source, ReadOptions(encoding="utf-8")) as table:
    ...     [row.cells for row in table.rows]
    [{'word': 'tea'}]
    """
    found = source.format
    assert found is not None, "only files of labels may have any format"
    if options.sheet is not None and not found.has_sheets:
        advice = f"Leave {setting('sheet')} out; only .xlsx files have sheets."
        raise InvalidInput(
            f"{setting('sheet', options.sheet)} for {source.path}, which has none.",
            advice=advice,
            value=options.sheet,
        )
    if options.header is not None and not found.has_header:
        advice = f"Leave {setting('header')} out; only .csv and .tsv files may lack one."
        raise InvalidInput(
            f"{setting('header', options.header)} for {source.path}, which is {found.name}.",
            advice=advice,
            value=options.header,
        )
    if found.needs is not None:
        import_extra(*found.needs)
    if found.of_file is not None:
        yield found.of_file(source, options)
    elif found.of_lines is not None:
        with closing(source), decoded_lines(source, options.encoding or "utf-8") as lines:
            told = {"header": options.header} if found.has_header else {}
            yield found.of_lines(lines, source.path, **told)

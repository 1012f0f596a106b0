"""Open files, compressed files and standard input as bytes, and find the encoding of text.

A source is read from the start as often as needed: once to find the encoding, once for the rows.
"""

import codecs
import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from shutil import copyfileobj
from typing import IO, BinaryIO, NamedTuple

from wideberth.errors import GuessedEncodingWarning, warn_user
from wideberth.io.readers.faults import STANDARD_INPUT, fault, place

#: Bytes read at a time, and bytes at the beginning of a file that are inspected.
CHUNK, HEAD = 1 << 16, 4096
_ENDINGS = {  # the file name endings of each text format
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "fasta": (".fasta", ".fa", ".fna", ".faa", ".ffn"),
    "ts": (".ts",),
    "smi": (".smi",),
}
TEXT_FORMATS = {ending: name for name, endings in _ENDINGS.items() for ending in endings}
ARRAY_FORMATS = {".npy": "npy", ".npz": "npz"}
BINARY_FORMATS = {".parquet": "parquet", **ARRAY_FORMATS}
DIRECTORY = "directory"
FORMAT_BY_START = {b"{": "jsonl", b"[": "jsonl", b">": "fasta"}  # of standard input, which has no name

#: Byte-order marks.
BYTE_ORDER_MARKS = {  # UTF-32 first: its mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
#: The encoding assumed, with a warning, of a text that is not UTF-8 and has no byte-order mark.
FALLBACK = "cp1252"


@dataclass(frozen=True)
class Source:
    """The bytes of a file or of standard input, and the format they are in.

    Attributes
    ----------
    path : str
        The file; ``"-"`` for standard input.
    format : str
        A value of `TEXT_FORMATS` or `BINARY_FORMATS`, or `DIRECTORY`.
    compressed : bool
        Whether the file is compressed with gzip.
    spool : binary file or None
        A temporary file with a copy of standard input.
    content : bytes or None
        The contents of a small file that is in memory already.
    """

    path: str
    format: str
    compressed: bool = False
    spool: IO[bytes] | None = None
    content: bytes | None = None  # the bytes of a small file that is in memory already

    def open(self) -> BinaryIO:
        """Open the bytes at their start, decompressed."""
        if self.content is not None:
            return io.BytesIO(self.content)
        if self.spool is not None:
            self.spool.seek(0)
            return os.fdopen(os.dup(self.spool.fileno()), "rb")  # a duplicate, so that closing it keeps the spool
        if self.compressed:
            return io.BufferedReader(gzip.open(self.path))
        return Path(self.path).open("rb")

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes, decompressed, at most `CHUNK` at a time; an `InvalidFile` if the compressed data are damaged."""
        try:
            with self.open() as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk
        except (EOFError, zlib.error, gzip.BadGzipFile) as damage:
            raise fault(
                self.path, f"the compressed file is damaged ({damage}).", advice="Compress it again, or unpack it first."
            ) from None

    def close(self) -> None:
        """Delete the temporary copy of standard input."""
        if self.spool is not None:
            self.spool.close()

    def head(self) -> bytes:
        """Return at most the first `HEAD` bytes."""
        return next(self.chunks(), b"")[:HEAD]


def locate(path: str | os.PathLike[str]) -> Source:
    """Find a file or directory and its format, by the ending of its name; ``"-"`` is standard input.

    Raises `InvalidFile` if the file does not exist, cannot be opened or is empty, or if its ending is unknown.

    Examples
    --------
    >>> locate("names.xlsx")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: names.xlsx: no reader for files ending in '.xlsx'. Known are .csv, ... .npz, and directories.
    """
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return _standard_input()
    with explained_os_errors(name):
        if Path(name).is_dir():
            return _directory(name)
        source = _by_ending(name)
        _check_filled(name)
    return source


def _by_ending(name: str) -> Source:
    compressed = name.lower().endswith(".gz")
    ending = _ending(name)
    known = TEXT_FORMATS if compressed else TEXT_FORMATS | BINARY_FORMATS
    if ending in known:
        return Source(name, known[ending], compressed)
    raise fault(
        name,
        f"no reader for files ending in {ending + '.gz' * compressed!r}." if ending else "the name has no ending.",
        value=ending,
        advice=f"Known are {', '.join(TEXT_FORMATS)} (each also with .gz), {', '.join(BINARY_FORMATS)}, and directories.",
    )


def _ending(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def _directory(name: str) -> Source:
    if _ending(name) in TEXT_FORMATS | BINARY_FORMATS:
        advice = "Name a file in it; to read its files as texts, give it a name without such an ending."
        raise fault(name, "this is a directory.", value=name, advice=advice)
    return Source(name, DIRECTORY)


def _check_filled(name: str) -> None:
    with Path(name).open("rb") as stream:
        if not stream.read(1):
            raise fault(name, "the file is empty.", value=b"", advice="Write the objects into it first.")


@contextmanager
def explained_os_errors(name: str) -> Iterator[None]:
    """Turn errors of the operating system about a file into `InvalidFile`, with the name of the file and advice."""
    try:
        yield
    except FileNotFoundError:
        where = "" if Path(name).is_absolute() else f"The working directory is {str(Path.cwd())!r}."
        raise fault(name, "there is no such file.", value=name, advice=f"Check the path. {where}".strip()) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise fault(name, f"cannot be opened ({reason}).", value=name, advice="Check that you may read it.") from None


def _standard_input() -> Source:
    """Copy standard input to a temporary file, and find its format by its first character."""
    # Finding the encoding takes one pass and reading the rows another; a pipe can be read only once.
    spool = tempfile.TemporaryFile()  # noqa: SIM115
    copyfileobj(sys.stdin.buffer, spool)
    spool.flush()
    head = Source(STANDARD_INPUT, "", spool=spool).head()
    if not head:
        spool.close()
        raise fault(STANDARD_INPUT, "no data.", value=b"", advice="Pipe a table, JSON lines or FASTA into it.")
    return Source(STANDARD_INPUT, FORMAT_BY_START.get(head.lstrip()[:1], "csv"), spool=spool)


class Undecodable(NamedTuple):
    r"""The first bytes of a file that an encoding cannot decode, and the line they are on.

    Examples
    --------
    >>> str(Undecodable(line=3, value=b"\xe9"))
    'byte 0xE9'
    """

    line: int
    value: bytes

    def __str__(self) -> str:
        return f"byte{'s' * (len(self.value) > 1)} {' '.join(f'0x{byte:02X}' for byte in self.value)}"


def find_encoding(source: Source, named: str | None = None) -> str:
    """Find the encoding of a file: as named, else by its byte-order mark, else UTF-8, else Windows-1252 with a warning.

    The file is decoded once from end to end, a chunk at a time, so that a wrong byte anywhere is found before the first row
    is used. UTF-16 without a mark is recognised by its head: ASCII characters have a NUL at every other byte.

    Examples
    --------
    >>> import tempfile
    >>> spool = tempfile.TemporaryFile()
    >>> _ = spool.write("word,label".encode("utf-16-le")); spool.flush()
    >>> find_encoding(Source("-", "csv", spool=spool))
    'utf-16-le'
    >>> spool.close()
    """
    encoding, guessed = determine_encoding(source, named)
    if guessed is not None:
        warn_guessed_encoding(source.path, guessed)
    return encoding


def determine_encoding(source: Source, named: str | None = None) -> tuple[str, Undecodable | None]:
    """Find the encoding by the rules of `find_encoding`; if it is a guess, also return the bytes that are not UTF-8."""
    encoding = _known_codec(source, named) if named is not None else _encoding_by_head(source)
    wrong = _first_undecodable(source, encoding)
    if wrong is None:
        return encoding, None
    if named is not None or encoding != "utf-8":
        raise fault(
            source.path,
            f"the {wrong} cannot be decoded as {encoding}.",
            line=wrong.line,
            value=wrong.value,
            advice="Name the encoding the file was written in with encoding=..."
            + (", or none to have it found." if named else "."),
        )
    _check_fallback(source)
    return FALLBACK, wrong


def warn_guessed_encoding(path: str, wrong: Undecodable) -> None:
    """Warn that an encoding is a guess, and show the bytes that are not UTF-8."""
    warn_user(
        f"{place(path, wrong.line)}: the {wrong} is not UTF-8; reading the file as Windows-1252. "
        f"Pass encoding='{FALLBACK}' if that is right, otherwise name the encoding it was written in.",
        GuessedEncodingWarning,
    )


@contextmanager
def decoded_lines(source: Source, encoding: str) -> Iterator[Iterator[str]]:
    r"""Open the lines of a file in a known encoding, with their line breaks and without a byte-order mark.

    Examples
    --------
    >>> with decoded_lines(Source("drinks.csv", "csv", content=b"word\ntea\n"), "utf-8") as lines:
    ...     list(lines)
    ['word\n', 'tea\n']
    """
    with io.TextIOWrapper(source.open(), encoding=encoding, newline="") as text:
        first = text.readline().removeprefix("\ufeff")
        yield chain([first] if first else [], text)


def _known_codec(source: Source, name: str) -> str:
    """The encoding that the caller named, after a check that Python can decode text with it."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name)  # refuses codecs that do not make text, such as base64
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError):
        raise fault(
            source.path,
            f"{name!r} is not a text encoding that Python knows.",
            value=name,
            advice="Common ones are 'utf-8', 'utf-16', 'cp1252', 'latin-1', 'shift_jis', 'gb18030'.",
        ) from None
    return name


def _encoding_by_head(source: Source) -> str:
    """The encoding that the first bytes suggest: that of a byte-order mark, UTF-16 by its NUL bytes, otherwise UTF-8."""
    head = source.head()
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if head.startswith(mark):
            return encoding
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if even == odd == 0:
        return "utf-8"
    if 25 * max(even, odd) >= len(head) and 3 * min(even, odd) <= max(even, odd):
        return "utf-16-le" if odd > even else "utf-16-be"
    raise fault(
        source.path,
        "the byte 0x00 does not belong in a text.",
        line=head[: head.index(0)].count(b"\n") + 1,
        value=b"\0",
        advice="Save the file as text if it is not, else name its encoding with encoding=...",
    )


def _first_undecodable(source: Source, encoding: str) -> Undecodable | None:
    """The first bytes of a whole file that an encoding cannot decode; None if it can decode all of them."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    line = 1
    for chunk in chain(source.chunks(), [b""]):  # the empty chunk ends the text, perhaps in the middle of a character
        before = decoder.getstate()
        try:
            line += decoder.decode(chunk, final=not chunk).count("\n")
        except UnicodeError as broken:
            decoder.setstate(before)
            return _locate_in_chunk(decoder, chunk, line, broken)
    return None


def _locate_in_chunk(decoder: io.IncrementalNewlineDecoder, chunk: bytes, line: int, broken: UnicodeError) -> Undecodable:
    """Find the bytes that cannot be decoded by decoding their chunk byte by byte.

    Slow, but done once, and right for every codec, also for those that keep a state. ``line`` is the line on which the chunk
    begins, and ``broken`` the error that the whole chunk raised.
    """
    for position in range(len(chunk)):
        carriage_return = decoder.getstate()[1] & 1  # held back until the next character shows whether a line feed follows
        try:
            line += decoder.decode(chunk[position : position + 1]).count("\n")
        except UnicodeError as caught:
            broken, line = caught, line + carriage_return
            break
    if isinstance(broken, UnicodeDecodeError):
        return Undecodable(line, broken.object[broken.start : broken.end])
    return Undecodable(line, chunk[:2])  # "utf-16" does not give the byte order, and the file has no mark


def _check_fallback(source: Source) -> None:
    """Refuse a file that is neither UTF-8 nor in the fallback encoding."""
    wrong = _first_undecodable(source, FALLBACK)
    if wrong is not None:
        raise fault(
            source.path,
            f"the {wrong} is neither UTF-8 nor Windows-1252.",
            line=wrong.line,
            value=wrong.value,
            advice="Name the encoding with encoding=... if this is a text file; save it as text first if it is not.",
        )

"""The bytes of a file and their text: compression, a limit on what is unpacked, and the encoding.

A source is read from the start as often as needed: once to find the encoding, once for the rows.

**A limit on what comes out of compressed files and pipes, so that a small file cannot fill the
memory or the disk.**

A kilobyte of gzip can stand for a megabyte, and a pipe may never end; a plain file is as large as
it looks, and has no limit.
"""

import codecs
import gzip
import io
import os
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, cast

from wideberth.errors import GuessedEncodingWarning, InvalidFile, warn_user
from wideberth.geometry.measure.blocks import parse_memory, show_memory
from wideberth.io.readers.records import (
    RawTable,
    ReadOptions,
    Records,
    explained_os_errors,
    fault,
    place,
)
from wideberth.objects.sample import half_character, shown
from wideberth.wording import setting

#: The limit unless the caller names another: far more than most data sets, and on most disks.
MAX_SIZE = "10GB"
#: Characters of the longest line that is read: all rows but a few are shorter by far, and a line
#: must fit in memory.
LONGEST_LINE = 1 << 28


def within_limit(chunks: Iterable[bytes], path: str, max_size: int) -> Iterator[bytes]:
    """Yield chunks of bytes as long as they are within the limit.

    Examples
    --------
    >>> b"".join(within_limit([b"tea ", b"with milk"], "drinks.csv.gz", max_size=13))
    b'tea with milk'
    """
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > max_size:
            raise too_large(path, max_size)
        yield chunk


def too_large(path: str, max_size: int, size: int | None = None) -> InvalidFile:
    """Make the error for a file that holds more than the limit.

    Examples
    --------
    >>> print(too_large("drinks.csv.gz", 1_000_000))
    drinks.csv.gz: more than 1 MB unpacked, which is the limit. If you trust it, raise the limit: max_size='2 MB'; or unpack it
    into a plain file, which has no limit.
    """
    found = (
        f"more than {show_memory(max_size)} unpacked"
        if size is None
        else f"{show_memory(size)} unpacked"
    )
    limit = "which is the limit" if size is None else f"above the limit of {show_memory(max_size)}"
    larger = show_memory(2 * max(max_size, size or 0)).replace("bytes", "B")
    return fault(
        path,
        f"{found}, {limit}.",
        f"If you trust it, raise the limit: {setting('max_size', larger)}; or unpack it "
        "into a plain file, which has no limit.",
        value=max_size if size is None else size,
    )


#: The ending of compressed files, after that of their format.
PACKED = ".gz"
#: Bytes read at a time.
CHUNK = 1 << 16
#: Bytes at the beginning of a file that are inspected.
HEAD = 4096


#: Where most formats have labels.
IN_A_COLUMN = (
    f"Name it with {setting('target')}; one called label, class, target or y is found. A file of "
    f"labels is named with {setting('labels_from')}."
)


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format of files: how one is recognised and opened, where its labels are, and an example.

    One of the functions ``of_lines``, ``of_file`` and ``of_arrays`` opens it.
    """

    name: str  # with its article, as in "this is a Parquet file"
    endings: tuple[str, ...]  # of the names of files, in lower case; none: known otherwise
    #: the content of a small file with labels, or the function that makes it
    example: bytes | Callable[[], bytes]
    #: a text, which may be compressed and come through a pipe: its lines and its path
    of_lines: Callable[..., RawTable] | None = None
    of_file: Callable[["Source", ReadOptions], RawTable] | None = None
    #: a file without columns; the number is how many objects a batch has
    of_arrays: Callable[["Source", ReadOptions, int], Iterator[Records]] | None = None
    labels: str = IN_A_COLUMN  # where they are: what to do if none were found
    #: how a file begins: a text comes through a pipe without an ending, any other is refused there
    begins: tuple[bytes, ...] = ()
    needs: tuple[str, str] | None = None  # a package, and the extra that installs it
    has_sheets: bool = False
    #: whether the first line names the columns, unless the caller says otherwise: then ``of_lines``
    #: takes ``header`` too
    has_header: bool = False

    @property
    def is_text(self) -> bool:
        """Whether a file consists of lines of text."""
        return self.of_lines is not None

    @property
    def has_columns(self) -> bool:
        """Whether the objects are in named columns or fields."""
        return self.of_arrays is None

    def content(self) -> bytes:
        """The example, as the bytes of a file."""
        return self.example if isinstance(self.example, bytes) else self.example()


@dataclass(frozen=True)
class Source:
    """The bytes of a file or of standard input, and the format they are in."""

    path: str  # the file; ``"-"`` for standard input
    format: Format | None = None  # None for any text
    compressed: bool = False  # whether the file is compressed with gzip
    spool: IO[bytes] | None = None  # a temporary file with a copy of standard input or of a pipe
    content: bytes | None = None  # the bytes of a small file that is in memory already
    frame: Any = None  # a table in memory, instead of bytes
    #: the most bytes that may come out of a compressed file or a pipe
    max_size: int = parse_memory(MAX_SIZE)

    def open(self) -> BinaryIO:
        """Open the bytes at their start, decompressed."""
        if self.content is not None:
            return io.BytesIO(self.content)
        stored = self._open_stored()
        return cast(BinaryIO, _Decompressed(stored)) if self.compressed else stored

    def _open_stored(self) -> BinaryIO:
        """The bytes as they are on disk."""
        if self.spool is None:
            return Path(self.path).open("rb")
        self.spool.seek(0)
        # a duplicate, so that closing it keeps the spool
        return os.fdopen(os.dup(self.spool.fileno()), "rb")

    def chunks(self) -> Iterator[bytes]:
        """Yield all bytes, decompressed, at most `CHUNK` at a time."""
        with reported_damage(self.path), self.open() as stream:
            chunks = iter(lambda: stream.read(CHUNK), b"")
            yield from within_limit(chunks, self.path, self.max_size) if self.compressed else chunks

    def close(self) -> None:
        """Delete the temporary copy of standard input or of a pipe."""
        if self.spool is not None:
            self.spool.close()

    def head(self) -> bytes:
        """Return at most the first `HEAD` bytes."""
        return next(self.chunks(), b"")[:HEAD]


def is_packed(name: str) -> bool:
    """Whether a file is compressed, by its name.

    >>> is_packed("drinks.csv.GZ"), is_packed("drinks.csv")
    (True, False)
    """
    return name.lower().endswith(PACKED)


class _Decompressed(io.BufferedReader):
    """What a stream of gzip decompresses to; closing it closes the stream too, which gzip leaves
    open.
    """

    def __init__(self, stored: BinaryIO) -> None:
        super().__init__(gzip.GzipFile(fileobj=stored))
        self._stored = stored

    def close(self) -> None:
        super().close()
        self._stored.close()


@contextmanager
def reported_damage(path: str) -> Iterator[None]:
    """Turn errors of reading and decompressing a file into `InvalidFile`.

    Examples
    --------
    >>> with reported_damage("drinks.csv.gz"):
    ...     gzip.decompress(b"tea")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: drinks.csv.gz: the compressed file is damaged (Not a gzipped file (b'te')). Compress it ...
    """
    with explained_os_errors(path):
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile) as damage:
            # the last one would be an OSError
            advice = "Compress it again, or unpack it first."
            raise fault(path, f"the compressed file is damaged ({damage}).", advice) from None


# ---- Data that were read are not replaced by what was made of them

#: The files of data that this process has read, the latest last: device and inode, and of which
#: version, time of change and size.
_READ: OrderedDict[tuple[int, int], tuple[int, int]] = OrderedDict()
_REMEMBERED = 10_000


def remember_input(path: str) -> None:
    """Note that data were read from a file."""
    found = Path(path).stat()
    _READ[found.st_dev, found.st_ino] = found.st_mtime_ns, found.st_size
    while len(_READ) > _REMEMBERED:
        _READ.popitem(last=False)


def refuse_to_replace_data(path: str | os.PathLike[str]) -> None:
    """Raise an `InvalidFile` if this process has read data from this very file, and it has not
    changed since.
    """
    try:
        found = Path(path).stat()
    except (OSError, ValueError):  # there is none, or it will be refused by what writes it
        return
    if _READ.get((found.st_dev, found.st_ino)) == (found.st_mtime_ns, found.st_size):
        raise InvalidFile(
            f"{os.fspath(path)} holds data that were read, and would be overwritten.",
            advice="Name another file; the usual ending of a model is .wb, that of a report .html.",
            path=os.fspath(path),
            line=None,
            value=os.fspath(path),
        )


# ---- Guess the encoding of a text that is not Unicode, with charset-normalizer

#: The encoding of texts that tell too little: that of most files which are not UTF-8.
FALLBACK = "cp1252"
#: Bytes that are looked at.
SAMPLE = 1 << 16
#: Bytes beyond ASCII from which on a text tells its encoding.
FEWEST_BYTES = 10
#: How much more like a language another encoding must look than Windows-1252: the code pages of
#: Europe differ in few letters.
COHERENCE = 0.1
#: Encodings that are in use for tables and texts; without DOS and EBCDIC, which take anything for
#: text.
ENCODINGS = (
    *(
        f"cp{number}"
        for number in (1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 932, 949, 950)
    ),
    *(
        "koi8_r",
        "koi8_u",
        "gb18030",
        "big5",
        "big5hkscs",
        "euc_jp",
        "euc_kr",
        "shift_jis",
        "iso8859_2",
        "iso8859_5",
        "iso8859_7",
    ),
)


def likely_encodings(sample: bytes) -> list[str]:
    r"""List the encodings that a text may have, the likeliest first.

    Windows-1252 comes before other encodings of the Latin alphabet unless they look clearly more
    like a language. Encodings in which most letters are capitals inside of words, or half-width
    katakana, come last: short texts tell no more.

    Examples
    --------
    >>> likely_encodings("чай,молоко,вода,русский".encode("cp1251"))[0]
    'cp1251'
    >>> likely_encodings("thé".encode("cp1252"))
    []
    """
    if sum(byte >= 0x80 for byte in sample) < FEWEST_BYTES:
        return []
    from charset_normalizer import from_bytes  # here, so that texts in UTF-8 do not wait for it

    matches = sorted(
        from_bytes(sample, cp_isolation=list(ENCODINGS), enable_fallback=False),
        key=lambda match: _is_odd(str(match)),
    )
    if not matches:
        return []
    western = [match for match in matches if FALLBACK in match.could_be_from_charset]
    if (
        western
        and matches[0].chaos >= western[0].chaos
        and matches[0].coherence - western[0].coherence <= COHERENCE
    ):
        return [FALLBACK, *(match.encoding for match in matches)]
    return [match.encoding for match in matches]


def _is_odd(text: str) -> bool:
    """Whether most letters beyond ASCII are capitals inside of words, or half-width katakana."""
    letters = odd = 0
    previous = " "
    for letter in text:
        if letter > "\x7f" and letter.isalpha():
            letters += 1
            odd += "\uff61" <= letter <= "\uff9f" or (letter.isupper() and previous.isalpha())
        previous = letter
    return 2 * odd > letters


#: Byte-order marks.
BYTE_ORDER_MARKS = {  # UTF-32 first: its mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
#: Codecs that never decode to half of a surrogate pair: no need to look for one.
_WHOLE_CHARACTERS = frozenset(
    {"utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp1252"}
)


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
        return (
            f"byte{'s' * (len(self.value) > 1)} {' '.join(f'0x{byte:02X}' for byte in self.value)}"
        )


def find_encoding(source: Source, named: str | None = None) -> str:
    """Find the encoding of a file: as named, else by its byte-order mark, else UTF-8, else a guess,
    with a warning.

    The file is decoded once from end to end, a chunk at a time, so that a wrong byte anywhere is
    found before the first row is used. UTF-16 without a mark is recognised by its head: ASCII
    characters have a NUL at every other byte.

    Examples
    --------
    >>> import tempfile
    >>> spool = tempfile.TemporaryFile()
    >>> _ = spool.write("word,label".encode("utf-16-le"))
    >>> spool.flush()
    >>> find_encoding(Source("-", spool=spool))
    'utf-16-le'
    >>> spool.close()
    """
    encoding, wrong = determine_encoding(source, named)
    if wrong is not None:
        warn_guessed_encoding(source.path, wrong, encoding)
    return encoding


def determine_encoding(source: Source, named: str | None = None) -> tuple[str, Undecodable | None]:
    """Find the encoding by the rules of `find_encoding`; if it is a guess, also return the bytes
    that are not UTF-8.
    """
    encoding = _known_codec(source, named) if named is not None else _encoding_by_head(source)
    wrong = _first_undecodable(source, encoding)
    if wrong is None:
        return encoding, None
    if named is not None or encoding != "utf-8":
        raise fault(
            source.path,
            f"the {wrong} cannot be decoded as {encoding}.",
            "Name the encoding the file was written in with "
            f"{setting('encoding', shown='...')}"
            + (", or none to have it found." if named else "."),
            line=wrong.line,
            value=wrong.value,
        )
    return _guess(source), wrong


def warn_guessed_encoding(path: str, wrong: Undecodable, encoding: str) -> None:
    """Warn that an encoding is a guess, and show the bytes that are not UTF-8."""
    shown_name = "Windows-1252" if encoding == FALLBACK else encoding
    warn_user(
        f"{place(path, wrong.line)}: the {wrong} is not UTF-8; reading the file as {shown_name}. "
        f"Pass {setting('encoding', encoding)} if that is right, otherwise name the encoding it "
        "was written in.",
        GuessedEncodingWarning,
    )


def _guess(source: Source) -> str:
    """The likeliest encoding that can decode the whole file; an error if there is none."""
    candidates = [*likely_encodings(_sample(source)), FALLBACK]
    found = next((name for name in candidates if _first_undecodable(source, name) is None), None)
    if found is not None:
        return found
    wrong = _first_undecodable(source, FALLBACK)
    assert wrong is not None, "the fallback is one of the candidates"
    raise fault(
        source.path,
        f"the {wrong} is neither UTF-8 nor Windows-1252.",
        f"Name the encoding with {setting('encoding', shown='...')} if this is a text file; "
        "save it as text first if it is not.",
        line=wrong.line,
        value=wrong.value,
    )


def _sample(source: Source) -> bytes:
    """Lines that are not ASCII, at most `SAMPLE` bytes: only these tell encodings apart."""
    lines: list[bytes] = []
    size, rest = 0, b""
    for chunk in source.chunks():
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole if len(rest) < SAMPLE else [*whole, rest]:
            if not line.isascii():
                lines.append(line[: SAMPLE - size])
                size += len(lines[-1])
        rest = rest if len(rest) < SAMPLE else b""
        if size >= SAMPLE:
            break
    return b"\n".join(lines if rest.isascii() else [*lines, rest])[:SAMPLE]


@contextmanager
def decoded_lines(source: Source, encoding: str) -> Iterator[Iterator[str]]:
    r"""Open the lines of a file in a known encoding, with their line breaks and without a
    byte-order mark.

    Examples
    --------
    >>> with decoded_lines(Source("drinks.csv", content=b"word\ntea\n"), "utf-8") as lines:
    ...     list(lines)
    ['word\n', 'tea\n']
    """
    with (
        reported_damage(source.path),
        io.TextIOWrapper(source.open(), encoding=encoding, newline="") as text,
    ):
        lines = _checked_lines(text, source.path)
        first = next(lines, "").removeprefix("\ufeff")
        yield chain([first] if first else [], lines)


def _checked_lines(text: io.TextIOWrapper, path: str) -> Iterator[str]:
    """The lines of a text that are not too long to be lines, and are text: some codecs decode to
    halves of characters.
    """
    may_be_cut = codecs.lookup(str(text.encoding)).name not in _WHOLE_CHARACTERS
    for number in count(1):
        line = text.readline(LONGEST_LINE)
        if not line:
            return
        if len(line) >= LONGEST_LINE:
            problem = (
                f"a line of more than {LONGEST_LINE:,} characters, which begins with "
                f"{shown(line[:80])}."
            )
            raise fault(
                path,
                problem,
                "Write every object on a line of its own.",
                line=number,
                value=line[:80],
            )
        if may_be_cut and (half := half_character(line)):
            raise fault(
                path,
                f"{half}.",
                "Name the encoding the file was written in.",
                line=number,
                value=line,
            )
        yield line


def _known_codec(source: Source, name: str) -> str:
    """The encoding that the caller named, after a check that Python can decode text with it."""
    try:
        # refuses codecs that do not make text, such as base64
        io.TextIOWrapper(io.BytesIO(), encoding=name)
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError):
        raise fault(
            source.path,
            f"{name!r} is not a text encoding that Python knows.",
            "Common ones are 'utf-8', 'utf-16', 'cp1252', 'latin-1', 'shift_jis', 'gb18030'.",
            value=name,
        ) from None
    return name


def _encoding_by_head(source: Source) -> str:
    """The encoding that the first bytes suggest: that of a byte-order mark, UTF-16 by its NUL
    bytes, otherwise UTF-8.
    """
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
        "Save the file as text if it is not, else name its encoding with "
        f"{setting('encoding', shown='...')}",
        line=head[: head.index(0)].count(b"\n") + 1,
        value=b"\0",
    )


def _first_undecodable(source: Source, encoding: str) -> Undecodable | None:
    """The first bytes of a whole file that an encoding cannot decode; None if it can decode all of
    them.
    """
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    line = 1
    # the empty chunk ends the text, perhaps in the middle of a character
    for chunk in chain(source.chunks(), [b""]):
        before = decoder.getstate()
        try:
            line += decoder.decode(chunk, final=not chunk).count("\n")
        except UnicodeError as broken:
            decoder.setstate(before)
            return _locate_in_chunk(decoder, chunk, line, broken)
    return None


def _locate_in_chunk(
    decoder: io.IncrementalNewlineDecoder, chunk: bytes, line: int, broken: UnicodeError
) -> Undecodable:
    """Find the bytes that cannot be decoded by decoding their chunk byte by byte.

    Slow, but done once, and right for every codec, also for those that keep a state. ``line`` is
    the line on which the chunk begins, and ``broken`` the error that the whole chunk raised.
    """
    for position in range(len(chunk)):
        # held back until the next character shows whether a line feed follows
        carriage_return = decoder.getstate()[1] & 1
        try:
            line += decoder.decode(chunk[position : position + 1]).count("\n")
        except UnicodeError as caught:
            broken, line = caught, line + carriage_return
            break
    if isinstance(broken, UnicodeDecodeError):
        return Undecodable(line, broken.object[broken.start : broken.end])
    # "utf-16" does not give the byte order, and the file has no mark
    return Undecodable(line, chunk[:2])

"""Bytes to text: which encoding a file is in, and the line and bytes where it is not."""

import codecs
import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from wideberth.errors import GuessedEncodingWarning
from wideberth.objects.readers.faults import fault, place
from wideberth.objects.readers.source import Source

MARKS = {  # UTF-32 first: its mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
FALLBACK = "cp1252"


class Undecodable(NamedTuple):
    """The first bytes that an encoding does not know, and their line."""

    line: int
    value: bytes

    def __str__(self) -> str:
        return f"byte{'s' * (len(self.value) > 1)} {' '.join(f'0x{byte:02X}' for byte in self.value)}"


def find_encoding(source: Source, named: str | None = None) -> str:
    """The encoding of a whole file: as named, else by its byte-order mark, else UTF-8, else Windows-1252 with a warning.

    The file is decoded once from end to end, a chunk at a time, so that a wrong byte anywhere is found before the first row
    is used. UTF-16 without a mark shows in its head: the ASCII characters of a table have a NUL at every other byte.

    >>> import tempfile
    >>> spool = tempfile.TemporaryFile()
    >>> _ = spool.write("word,label".encode("utf-16-le")); spool.flush()
    >>> find_encoding(Source("-", "csv", spool=spool))
    'utf-16-le'
    >>> spool.close()
    """
    encoding, guessed = settle_encoding(source, named)
    if guessed is not None:
        warn_of_guess(source.path, guessed)
    return encoding


def settle_encoding(source: Source, named: str | None = None) -> tuple[str, Undecodable | None]:
    """The encoding by the same rules and, if it is only a guess, what it was guessed from."""
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


def warn_of_guess(path: str, wrong: Undecodable) -> None:
    """Say once that an encoding is a guess, to the first caller who is not one of us."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_back.f_globals.get("__name__")).startswith("wideberth."):
        frame, level = frame.f_back, level + 1
    warnings.warn(
        f"{place(path, wrong.line)}: the {wrong} is not UTF-8; reading the file as Windows-1252. "
        f"Say encoding='{FALLBACK}' if that is right, otherwise name the encoding it was written in.",
        GuessedEncodingWarning,
        stacklevel=level + 1,
    )


@contextmanager
def decoded_lines(source: Source, encoding: str) -> Iterator[Iterator[str]]:
    """The lines of a file in a known encoding, with their endings and without a byte-order mark."""
    with io.TextIOWrapper(source.open(), encoding=encoding, newline="") as text:
        first = text.readline().removeprefix("\ufeff")
        yield chain([first] if first else [], text)


def _known_codec(source: Source, name: str) -> str:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name)  # refuses codecs that do not make text, such as base64
        codecs.getincrementaldecoder(name)
    except (LookupError, ValueError):
        raise fault(
            source.path,
            f"{name!r} is no text encoding that Python knows.",
            value=name,
            advice="Common ones are 'utf-8', 'utf-16', 'cp1252', 'latin-1', 'shift_jis', 'gb18030'.",
        ) from None
    return name


def _encoding_by_head(source: Source) -> str:
    head = source.head()
    for mark, encoding in MARKS.items():
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
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)(), translate=True)
    line = 1
    for chunk in chain(source.chunks(), [b""]):  # the empty chunk ends the text, in the middle of a character perhaps
        before = decoder.getstate()
        try:
            line += decoder.decode(chunk, final=not chunk).count("\n")
        except UnicodeError as broken:
            decoder.setstate(before)
            return _place_in_chunk(decoder, chunk, line, broken)
    return None


def _place_in_chunk(decoder: io.IncrementalNewlineDecoder, chunk: bytes, line: int, broken: UnicodeError) -> Undecodable:
    """Decode the failing chunk byte by byte: slow, once, and right for every codec, also those that keep a state."""
    for position in range(len(chunk)):
        carriage_return = decoder.getstate()[1] & 1  # held back until the next character shows whether a line feed follows
        try:
            line += decoder.decode(chunk[position : position + 1]).count("\n")
        except UnicodeError as caught:
            broken, line = caught, line + carriage_return
            break
    if isinstance(broken, UnicodeDecodeError):
        return Undecodable(line, broken.object[broken.start : broken.end])
    return Undecodable(line, chunk[:2])  # "utf-16" names no byte order and the file has no mark


def _check_fallback(source: Source) -> None:
    wrong = _first_undecodable(source, FALLBACK)
    if wrong is not None:
        raise fault(
            source.path,
            f"the {wrong} is neither UTF-8 nor Windows-1252.",
            line=wrong.line,
            value=wrong.value,
            advice="Name the encoding with encoding=... if this is a text file; save it as text first if it is not.",
        )

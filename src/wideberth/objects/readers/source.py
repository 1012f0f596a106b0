"""Where the bytes come from: a file, a compressed file or standard input, and what its name says about its format."""

import gzip
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from typing import IO, BinaryIO

from wideberth.objects.readers.faults import STANDARD_INPUT, fault

CHUNK = 1 << 16
HEAD = 4096
_ENDINGS = {  # of text files, by the format that they say
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


@dataclass(frozen=True)
class Source:
    """Bytes that can be read from the start as often as needed, and the format they are in."""

    path: str
    format: str
    compressed: bool = False
    spool: IO[bytes] | None = None
    content: bytes | None = None  # of a small file that is in memory already

    def open(self) -> BinaryIO:
        """The bytes from the start, decompressed."""
        if self.content is not None:
            return io.BytesIO(self.content)
        if self.spool is not None:
            self.spool.seek(0)
            return os.fdopen(os.dup(self.spool.fileno()), "rb")  # a duplicate, so that closing it keeps the spool
        if self.compressed:
            return io.BufferedReader(gzip.open(self.path))
        return Path(self.path).open("rb")

    def chunks(self) -> Iterator[bytes]:
        """All bytes, a piece at a time."""
        try:
            with self.open() as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk
        except (EOFError, zlib.error, gzip.BadGzipFile) as damage:
            raise fault(
                self.path, f"the compressed file is damaged ({damage}).", advice="Compress it anew, or unpack it first."
            ) from None

    def close(self) -> None:
        """Let go of what was kept from standard input."""
        if self.spool is not None:
            self.spool.close()

    def head(self) -> bytes:
        """The first few thousand bytes."""
        return next(self.chunks(), b"")[:HEAD]


def locate(path: str | os.PathLike[str]) -> Source:
    """Find a file and its format by its name, or a directory; ``"-"`` is standard input.

    >>> locate("names.xlsx")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: names.xlsx: no reader for files ending in '.xlsx'. Known are .csv, ... .npz, and directories.
    """
    name = os.fspath(path)
    if name == STANDARD_INPUT:
        return _standard_input()
    with refusals(name):
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
        f"no reader for files ending in {ending + '.gz' * compressed!r}." if ending else "no ending that says what it holds.",
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
def refusals(name: str) -> Iterator[None]:
    """What the system says about a file, as a sentence."""
    try:
        yield
    except FileNotFoundError:
        where = "" if Path(name).is_absolute() else f"The working directory is {str(Path.cwd())!r}."
        raise fault(name, "there is no such file.", value=name, advice=f"Check the path. {where}".strip()) from None
    except OSError as refusal:
        reason = refusal.strerror or str(refusal)
        raise fault(name, f"cannot be opened ({reason}).", value=name, advice="Check who may read it.") from None


def _standard_input() -> Source:
    # The encoding takes one pass, the rows another, and a pipe gives only one.
    spool = tempfile.TemporaryFile()  # noqa: SIM115
    copyfileobj(sys.stdin.buffer, spool)
    spool.flush()
    head = Source(STANDARD_INPUT, "", spool=spool).head()
    if not head:
        spool.close()
        raise fault(STANDARD_INPUT, "nothing came in.", value=b"", advice="Pipe a table, JSON lines or FASTA into it.")
    return Source(STANDARD_INPUT, FORMAT_BY_START.get(head.lstrip()[:1], "csv"), spool=spool)

"""Write a file whole or not at all."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from wideberth.errors import InvalidFile


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing under a temporary name beside ``path``, which it gets when all went well.

    Whatever goes wrong before that, an error, Ctrl-C or a full disk, leaves no half file and keeps the one that was there.

    >>> import tempfile
    >>> letter = Path(tempfile.mkdtemp(), "letter.txt")
    >>> with whole_file(letter) as stream:
    ...     _ = stream.write(b"Dear reader")
    ...     letter.exists()
    False
    >>> letter.read_bytes()
    b'Dear reader'
    """
    name, target = os.fspath(path), Path(os.path.realpath(path))  # a link keeps pointing where it did
    if target.exists() and not target.is_file() and not target.is_dir():  # a device or a pipe, which must not be replaced
        with _explained(name), target.open("wb") as stream:
            yield stream
        return
    unfinished = target.with_name(f".{target.name[:100]}.{uuid4().hex}.unfinished")
    try:
        with _explained(name), unfinished.open("w+b") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        with _explained(name):
            unfinished.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):  # there is nothing to remove where nothing could be written
            unfinished.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # the reader of a pipe has seen enough
        raise
    except OSError as reason:
        raise InvalidFile(
            f"{name}: cannot be written ({reason.strerror or reason}).",
            advice="Name a file in a directory that exists, has room, and that you may write to.",
            path=name,
            line=None,
            value=name,
        ) from reason


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a name that nothing can be written to, before hours of work are done for it."""
    target = Path(os.path.realpath(path))
    with _explained(os.fspath(path)):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no directory {str(target.parent)!r}")
        if not os.access(target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

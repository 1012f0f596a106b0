"""Write a file completely or not at all, so that no interruption leaves half a file or destroys an
old one.

Nor is a file replaced by what was made from it: commands know their inputs (`refuse_to_overwrite`),
and models and reports are not written over data that this process has read
(`wideberth.io.readers.source.refuse_to_replace_data`).
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from wideberth.atomic_write import atomic_write, remove_abandoned
from wideberth.errors import InvalidFile


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing under a temporary name in the same directory; rename it to ``path``
    after everything is written.

    If anything goes wrong before that (an error, Ctrl-C, a full disk), the temporary file is
    removed, and a file that was at ``path`` stays as it was; that of a process that was killed is
    removed by the next one that writes to ``path``. The data and the new name are on the disk at
    the end. Devices and pipes are written to directly; of a symbolic link the target is replaced.

    Examples
    --------
    >>> import tempfile
    >>> letter = Path(tempfile.mkdtemp(), "letter.txt")
    >>> with whole_file(letter) as stream:
    ...     _ = stream.write(b"Dear reader")
    ...     letter.exists()
    False
    >>> letter.read_bytes()
    b'Dear reader'
    """
    name, target = os.fspath(path), _target(path)
    # a device or a pipe, which must not be replaced
    if target.exists() and not target.is_file() and not target.is_dir():
        with _explained(name), target.open("wb") as stream:
            yield stream
        return
    with _explained(name):
        remove_abandoned(target.parent, target.name)
        with atomic_write(target) as stream:
            yield stream


def _target(path: str | os.PathLike[str]) -> Path:
    """The file to write: a symbolic link stays, and its target is replaced."""
    with _explained(os.fspath(path)):
        if "\0" in os.fsdecode(path):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return Path(os.path.realpath(path))


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    """Turn an error of the operating system into an `InvalidFile` with the name of the file and
    advice.
    """
    try:
        yield
    except BrokenPipeError:  # the reader of a pipe has closed it: not an error of the file
        raise
    except OSError as reason:
        raise InvalidFile(
            f"{name or repr(name)}: cannot be written ({reason.strerror or reason}).",
            advice="Name a file in a directory that exists, that you may write to, and on a disk "
            "with free space.",
            path=name,
            line=None,
            value=name,
        ) from reason


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file name that cannot be written, before hours of computation are spent on its
    contents.

    Examples
    --------
    >>> check_writable("no/such/directory/names.wb")
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: no/such/directory/names.wb: cannot be written (there is no directory ...
    """
    target = _target(path)
    with _explained(os.fspath(path)):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists() and not target.is_file():
            raise OSError(errno.ESPIPE, "a device or a pipe, which cannot be read again")
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no directory {str(target.parent)!r}")
        if not os.access(target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def refuse_to_overwrite(output: str | None, inputs: tuple[str, ...]) -> None:
    """Raise an `InvalidFile` if a command would replace what it reads, under whatever name: that of
    a link, or in other letters.

    Examples
    --------
    >>> import tempfile
    >>> drinks = Path(tempfile.mkdtemp(), "drinks.csv")
    >>> drinks.touch()
    >>> refuse_to_overwrite(str(drinks), (str(drinks.parent / "." / "drinks.csv"),))
    Traceback (most recent call last):
    ...
    wideberth.errors.InvalidFile: ...drinks.csv is read by this command, and would be overwritten. Name another file with -o.
    """
    if output in (None, "-") or not Path(str(output)).exists():
        return
    target = Path(os.path.realpath(str(output)))
    own, *around = (_identity(place.stat()) for place in (target, *target.parents))
    for name in inputs:
        found = _stat_of_input(name)
        if found is not None and _identity(found) in (own, *around):
            inside = "" if _identity(found) == own else f", in {name},"
            raise InvalidFile(
                f"{output}{inside} is read by this command, and would be overwritten.",
                advice="Name another file with -o.",
                path=str(output),
                line=None,
                value=output,
            )


def _stat_of_input(name: str) -> os.stat_result | None:
    """The status of a file or directory, or of standard input; None if there is none."""
    try:
        return os.fstat(sys.stdin.fileno()) if name == "-" else Path(name).stat()
    except (OSError, ValueError, AttributeError):
        # no such file, or a standard input that is closed or no file
        return None


def _identity(found: os.stat_result) -> tuple[int, int]:
    """What two names of one file have in common, as `os.path.samefile` says."""
    return found.st_dev, found.st_ino

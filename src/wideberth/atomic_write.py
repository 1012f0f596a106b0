"""Write a file completely or not at all: under a temporary name in the same folder, which is
renamed at the end.

A process that is killed meanwhile leaves its temporary file behind. Its name says that it is one,
and of which machine; a lock on it says whether somebody is still writing, since the system releases
the lock of a process that is gone. So a later process can remove what the dead have left, and never
what the living write. Where locks cannot tell, only files that have not changed for a day are
removed: on other machines, whose locks some network file systems do not show, and on file systems
without locks.
"""

import contextlib
import os
import platform
import re
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that is open
    fcntl = None  # type: ignore[assignment]

_ENDING = ".unfinished"
#: Stands for this machine in names.
_HOST = blake2b(platform.node().encode(), digest_size=4).hexdigest()
#: The names of temporary files: a point, the beginning of the name of the target, 32 hexadecimal
#: digits and the ending.
_OWN = re.compile(
    r"\.(?P<target>.{0,100})\.(?P<host>[0-9a-f]{8})[0-9a-f]{24}\.unfinished", re.DOTALL
)
#: Seconds without a change after which a temporary file is abandoned, where no lock can tell.
_ABANDONED = 24 * 3600.0

#: What this process is writing: on some network file systems, locks are those of the process and do
#: not stop it itself.
_under_way: set[Path] = set()


@contextlib.contextmanager
def atomic_write(target: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a temporary file beside ``target`` for writing and reading; it replaces ``target`` if
    the block ends without an error.

    After an error, Ctrl-C included, it is removed, and what was at ``target`` stays. With
    ``durable`` the data, and then the name in the folder, are on the disk when this returns, where
    the system can tell. Raises what the system raises, an ``OSError``.

    >>> import tempfile
    >>> letter = Path(tempfile.mkdtemp(), "letter.txt")
    >>> with atomic_write(letter) as stream:
    ...     _ = stream.write(b"Dear reader")
    ...     letter.exists()
    False
    >>> letter.read_bytes()
    b'Dear reader'
    """
    stream, unfinished = _opened(target)
    try:
        with stream:
            yield stream
            stream.flush()
            if durable:
                os.fsync(stream.fileno())
            if fcntl is not None:
                unfinished.replace(target)  # while it is locked
        if fcntl is None:
            unfinished.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):  # no file to remove if none could be written
            unfinished.unlink(missing_ok=True)
        raise
    finally:
        _under_way.discard(unfinished)
    if durable:
        _sync(target.parent)


@contextlib.contextmanager
def temporary_mark(target: Path) -> Iterator[Path]:
    """An empty temporary file beside ``target``, for as long as the block lasts; removed as those
    of `atomic_write` are.
    """
    stream, mark = _opened(target)
    try:
        with stream:
            yield mark
    finally:
        with contextlib.suppress(OSError):
            mark.unlink(missing_ok=True)
        _under_way.discard(mark)


def remove_abandoned(folder: Path, target: str | None = None) -> None:
    """Remove temporary files that `atomic_write` has left in a folder, of one target or of all, if
    nobody is writing them.

    Files of other names, links, folders and whatever the system does not let us remove stay.
    """
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.endswith(_ENDING)]
        for name in names:
            own = _OWN.fullmatch(name)
            if own and (target is None or own["target"] == _beginning(target)):
                _remove_if_abandoned(folder / name, own["host"] == _HOST)


def _remove_if_abandoned(path: Path, written_here: bool) -> None:
    if path in _under_way or path.is_symlink() or not path.is_file():
        return
    with contextlib.suppress(OSError):  # another process was faster, or somebody is writing
        if fcntl is None:
            if _is_old(path.stat()):
                path.unlink()
            return
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if _is_free(descriptor) and (written_here or _is_old(os.fstat(descriptor))):
                path.unlink()
        finally:
            os.close(descriptor)


def _opened(target: Path) -> tuple[BinaryIO, Path]:
    """A new temporary file that is locked, where the file system has locks, and its path, which is
    noted as under way.
    """
    while True:
        unfinished = target.with_name(
            f".{_beginning(target.name)}.{_HOST}{uuid4().hex[:24]}{_ENDING}"
        )
        _under_way.add(unfinished)
        try:
            stream = unfinished.open("x+b")  # never one that is there, nor through a link
            if fcntl is None or _is_locked(stream.fileno()):
                return stream, unfinished
            stream.close()
        except BaseException:
            _under_way.discard(unfinished)
            raise
        # another process has taken it for abandoned before it was locked
        _under_way.discard(unfinished)


def _is_locked(descriptor: int) -> bool:
    """Lock a new temporary file; False if another process was faster and has removed it, or is
    about to.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks, where only age tells
        return True
    return os.fstat(descriptor).st_nlink > 0


def _beginning(name: str) -> str:
    """What a temporary name has of a name: so little that it is no longer than file systems
    take.
    """
    return name.encode("utf-8", "ignore")[:100].decode("utf-8", "ignore")


def _is_free(descriptor: int) -> bool:
    """Whether nobody holds the lock of a temporary file; where there are no locks, whether it has
    not changed for long.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return _is_old(os.fstat(descriptor))
    return True


def _is_old(found: os.stat_result) -> bool:
    return time.time() - found.st_mtime > _ABANDONED


def _sync(folder: Path) -> None:
    """Write the names in a folder to the disk, where the system opens folders and the file system
    can.
    """
    if os.name == "posix":
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

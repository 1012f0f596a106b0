"""Copy standard input, named pipes and devices to a temporary file: they can be read only once, and from the start only."""

import os
import select
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import IO

from wideberth.errors import WaitingWarning, warn_user
from wideberth.io.readers.faults import STANDARD_INPUT, explained_os_errors, fault, place
from wideberth.io.readers.sources.limits import within_limit

#: Bytes read at a time.
CHUNK = 1 << 16
#: Milliseconds without data after which a message says that reading waits.
PATIENCE = 2_000


def copy_of_standard_input(max_size: int) -> IO[bytes]:
    """Copy standard input to a temporary file.

    Parameters
    ----------
    max_size : int
        The most bytes to copy.

    Returns
    -------
    binary file
        Without a name; it is deleted when it is closed.

    Raises
    ------
    InvalidFile
        If standard input is closed, or has more bytes.
    """
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        advice = "Pipe a table, JSON lines or FASTA into it, or name a file."
        raise fault(STANDARD_INPUT, "it is closed.", value=None, advice=advice)
    if sys.stdin.isatty():
        warn_user("Reading from the terminal: end with Ctrl-D, or press Ctrl-C to stop.", WaitingWarning)
    return _copy(partial(stream.read, CHUNK), STANDARD_INPUT, max_size)


def copy_of_pipe(path: str, max_size: int) -> IO[bytes]:
    """Copy what comes through a named pipe or from a device to a temporary file, until its writers have closed it.

    If nothing has come after two seconds, a warning says what is waited for; there is no end to waiting, as in other programs.

    Parameters
    ----------
    path : str
        The pipe.
    max_size : int
        The most bytes to copy.

    Returns
    -------
    binary file
        Without a name; it is deleted when it is closed.

    Raises
    ------
    InvalidFile
        If it cannot be opened or read, or if more bytes come.
    """
    with explained_os_errors(path):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # would wait for a writer, without a word, if it could block
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
        warn_user(f"{path} is a pipe, and nothing has been written to it so far. Waiting; Ctrl-C stops.", WaitingWarning)
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
            f"the temporary copy of {place(path)} in {folder} cannot be written ({error.strerror or error}).",
            value=folder,
            advice="Make room there, name another directory with the environment variable TMPDIR, or name a plain file.",
        ) from None

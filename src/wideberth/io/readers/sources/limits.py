"""A limit on what comes out of compressed files and pipes, so that a small file cannot fill the memory or the disk.

A kilobyte of gzip can stand for a megabyte, and a pipe may never end; a plain file is as large as it looks, and has no limit.
"""

from collections.abc import Iterable, Iterator

from wideberth.errors import InvalidFile
from wideberth.geometry.measure.memory_amounts import show_memory
from wideberth.io.readers.faults import fault
from wideberth.wording import setting

#: The limit unless the caller names another: far more than most data sets, and on most disks.
MAX_SIZE = "10GB"
#: Characters of the longest line that is read: all rows but a few are shorter by far, and a line must fit in memory.
LONGEST_LINE = 1 << 28


def within_limit(chunks: Iterable[bytes], path: str, max_size: int) -> Iterator[bytes]:
    """Yield chunks of bytes as long as they are within the limit.

    Parameters
    ----------
    chunks : iterable of bytes
        What was decompressed, or came through a pipe.
    path : str
        The file, for messages.
    max_size : int
        The most bytes that all chunks together may have.

    Yields
    ------
    bytes

    Raises
    ------
    InvalidFile
        At the first chunk that exceeds the limit.

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

    Parameters
    ----------
    path : str
        The file.
    max_size : int
        The limit, in bytes.
    size : int, optional
        How many bytes the file declares to hold; None if it was read until the limit was reached.

    Returns
    -------
    InvalidFile
        To be raised by the caller.

    Examples
    --------
    >>> print(too_large("drinks.csv.gz", 1_000_000))
    drinks.csv.gz: more than 1 MB unpacked, which is the limit. If you trust it, raise the limit: max_size='2 MB'; or unpack it
    into a plain file, which has no limit.
    """
    found = f"more than {show_memory(max_size)} unpacked" if size is None else f"{show_memory(size)} unpacked"
    limit = "which is the limit" if size is None else f"above the limit of {show_memory(max_size)}"
    larger = show_memory(2 * max(max_size, size or 0)).replace("bytes", "B")
    return fault(
        path,
        f"{found}, {limit}.",
        value=max_size if size is None else size,
        advice=f"If you trust it, raise the limit: {setting('max_size', larger)}; or unpack it "
        "into a plain file, which has no limit.",
    )

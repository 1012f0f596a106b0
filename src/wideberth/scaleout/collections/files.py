"""Parquet files and directories as collections: what each partition reads is decided here, and read
on the workers.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import dask
from dask.base import tokenize
from dask.delayed import Delayed

from wideberth.errors import InvalidInput
from wideberth.extras import import_extra
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.io.readers import read
from wideberth.io.readers.formats.directories import FILE, LABEL, TEXT, read_text_files, text_files
from wideberth.io.readers.reading import known_files
from wideberth.io.readers.records import Records
from wideberth.io.readers.source import MAX_SIZE
from wideberth.wording import python

#: Bytes of texts that are one partition, and the most files: each is opened by itself.
_BYTES, _FILES = 2**24, 10_000


class CollectionOfFiles(NamedTuple):
    """What a path holds.

    Attributes
    ----------
    collection : Dask data frame, or list of Delayed
        The partitions.
    column : str, sequence of str or None
        Where the objects are.
    target : str or None
        Where the labels are.
    """

    collection: Any
    column: Any
    target: str | None


def partitions_of_path(
    path: str, column: Any, target: str | None, *, labelled: bool
) -> CollectionOfFiles:
    """The partitions of a Parquet file, of a directory or pattern of them, of a directory of texts
    or of files of a known format.

    Parameters
    ----------
    path : str
        Read by every worker: a shared directory, or an address of Parquet files that ``fsspec``
        knows, such as ``s3://``.
    column : str, sequence of str or None
        Which columns hold the objects.
    target : str or None
        Which column holds the labels.
    labelled : bool
        Whether labels are needed.

    Returns
    -------
    CollectionOfFiles
        A Parquet file has a partition for each of its row groups, as Dask cuts it; texts are put
        together to partitions of about 16 MB; any other file is one.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "hot").mkdir(), (folder / "hot" / "1.txt").write_text("tea")
    >>> found = partitions_of_path(str(folder), None, None, labelled=True)
    >>> found.collection[0].compute(), found.column, found.target
    ([{'text': 'tea', 'file': 'hot/1.txt', 'label': 'hot'}], 'text', 'label')
    """
    path = path if is_address(path) else str(Path(path).absolute())  # workers may run elsewhere
    if _is_parquet(path):
        for needed in (
            "pandas",
            "pyarrow",
        ):  # Dask would say that it is missing, and not how to install it
            import_extra(needed, "dask")
        return CollectionOfFiles(
            import_extra("dask.dataframe", "dask").read_parquet(path), column, target
        )
    if not Path(path).is_dir():
        raise InvalidInput(
            f"{path!r} is neither a directory nor a Parquet file.",
            advice="Pass a directory, a .parquet file, an address of Parquet files, or a Dask "
            f"collection; files in one piece are read by {python('wideberth.read')}.",
            value=path,
        )
    known = known_files(path)
    if known:
        wanted = LABEL if labelled and target is None else target
        return CollectionOfFiles(
            [_file(name, label, column, target) for name, label in known], column, wanted
        )
    return CollectionOfFiles(_texts(path), TEXT, LABEL if target is None and labelled else target)


def read_one(path: str, label: str | None, column: Any, target: str | None) -> Records:
    """A file of a known format, with its sub-directory as the label of all its objects unless a
    column holds labels.
    """
    records = read(path, column=column, target=target)
    return Records(
        records.objects,
        records.labels if label is None or target is not None else [label] * len(records),
        kind=records.kind,
        column=records.column,
        target=records.target,
        path=path,
    )


def is_address(path: str) -> bool:
    """Whether this is an address such as ``s3://bucket/folder``, and no path.

    Examples
    --------
    >>> [is_address(each) for each in ("s3://texts", "texts", "C:/texts", str(Path("s3://texts")))]
    [True, False, False, True]
    """
    return re.match(r"[A-Za-z][\w+.-]+:[:/]", path) is not None


def _is_parquet(path: str) -> bool:
    """Whether a path, a pattern or an address names Parquet files."""
    if path.rstrip("/").endswith((".parquet", ".parq")):
        return True
    if not is_address(path):
        return any(Path(path).glob("*.parquet"))
    try:
        system, inside = import_extra("fsspec.core", "dask").url_to_fs(path)
        return bool(system.glob(f"{inside.rstrip('/')}/*.parquet"))
    except (
        ImportError,
        ValueError,
    ) as error:  # what fsspec says of addresses whose package is missing, or that it does not know
        raise InvalidInput(
            f"{path!r} cannot be read: {error}.",
            advice="Pass a path, or another address.",
            value=path,
        ) from error


def _file(name: str, label: str | None, column: Any, target: str | None) -> Delayed:
    key = f"read_one-{tokenize(_stamp(Path(name)), name, label, column, target)}"
    return dask.delayed(read_one)(name, label, column, target, dask_key_name=key)


def _stamp(file: Path) -> tuple[int, int, int]:
    """What changes with the contents of a file: a cluster that remembers a partition by its name
    must not give an old one.
    """
    noted = file.stat()
    return noted.st_size, noted.st_mtime_ns, noted.st_ino


def _texts(path: str) -> list[Delayed]:
    """The files of a directory of texts, put together to partitions."""
    parts: list[list[tuple[str, str | None]]] = [[]]
    size = 0
    for name, label in text_files(path):
        size += Path(path, name).stat().st_size
        if parts[-1] and (size > _BYTES or len(parts[-1]) >= _FILES):
            parts.append([])
            size = Path(path, name).stat().st_size
        parts[-1].append((name, label))
    return [_some_texts(path, part) for part in parts]


def _some_texts(path: str, part: list[tuple[str, str | None]]) -> Delayed:
    key = f"read_text_files-{tokenize(path, part, [_stamp(Path(path, name)) for name, _ in part])}"
    return dask.delayed(read_text_files)(path, part, parse_memory(MAX_SIZE), dask_key_name=key)


__all__ = ["FILE", "CollectionOfFiles", "is_address", "partitions_of_path", "read_one"]

"""A Dask collection, a Parquet file or a directory as a list of partitions, each of which is a
sample on some worker.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import dask
import numpy as np
from dask.bag import Bag
from dask.bag import from_delayed as bag_from
from dask.base import tokenize
from dask.delayed import Delayed

from wideberth.array_types import Indices, Sample
from wideberth.errors import InvalidInput
from wideberth.extras import import_extra
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.io.readers import read
from wideberth.io.readers.formats.directories import FILE, LABEL, TEXT, read_text_files, text_files
from wideberth.io.readers.reading import known_files
from wideberth.io.readers.records import Records
from wideberth.io.readers.source import MAX_SIZE
from wideberth.objects import sample
from wideberth.wording import at, python, setting

#: Bytes of texts that are one partition, and the most files: each is opened by itself.
_BYTES, _FILES = 2**24, 10_000


class CollectionOfFiles(NamedTuple):
    """What a path holds."""

    #: The partitions.
    collection: Any
    #: Where the objects are.
    column: Any
    #: Where the labels are.
    target: str | None


def partitions_of_path(
    path: str, column: Any, target: str | None, *, labelled: bool
) -> CollectionOfFiles:
    """The partitions of a Parquet file, of a directory or pattern of them, of a directory of texts
    or of files of a known format.

    Every worker reads the path: a shared directory, or an address of Parquet files that ``fsspec``
    knows, such as ``s3://``. A Parquet file has a partition for each of its row groups, as Dask
    cuts it; texts are put together to partitions of about 16 MB; any other file is one.

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
        # Dask would say that it is missing, and not how to install it
        for needed in ("pandas", "pyarrow"):
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
    except (ImportError, ValueError) as error:
        # what fsspec says of addresses whose package is missing, or that it does not know
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


# ---- Collections cut into partitions

Form = Literal["bag", "array", "frame"]
Columns = str | Sequence[str] | None

_KNOWN = (
    "a Dask bag, array or data frame, a list of delayed partitions, a Parquet file, or a directory"
)
_CUT = "y.rechunk of an array, y.repartition of a bag or a table"


class LabelledPiece(NamedTuple):
    """A partition where it is: its objects, their labels if they are asked for, and the rows that
    answers are about.
    """

    #: The objects.
    objects: Sample
    #: A label for each of them.
    labels: Any
    #: What the partition held: answers about a data frame get its index.
    rows: Any
    #: Where the objects are in the partition, if others were left out.
    places: Indices | None = None


@dataclass(frozen=True)
class Partitions:
    """A collection of objects, with labels or without.

    Examples
    --------
    >>> import dask.bag
    >>> drinks = Partitions.of(dask.bag.from_sequence(["tea", "rum", "ale"], npartitions=2))
    >>> len(drinks), drinks.piece(0).compute().objects
    (2, ['tea', 'rum'])
    """

    #: What each partition holds.
    parts: tuple[Delayed, ...]
    #: What answers are put together to.
    form: Form
    #: The collection itself, for its chunks or divisions.
    source: Any
    #: Which columns of a table, or which field of records, hold the objects; None for all but the
    #: labels.
    column: Columns = None
    #: Which column or field holds the labels.
    target: str | None = None
    #: The partitions of a collection of labels.
    labels: tuple[Delayed, ...] | None = None

    @classmethod
    def of(
        cls, X: Any, y: Any = None, *, column: Columns = None, labelled: bool = False
    ) -> "Partitions":
        """The partitions of X, with the labels y: a collection with the same partitions, or the
        name of a column.

        ``labelled`` says that labels are needed: those of a directory are its sub-directories,
        others must be given.
        """
        target = y if isinstance(y, str) else None
        if isinstance(X, str | os.PathLike):
            found = partitions_of_path(os.fspath(X), column, target, labelled=labelled)
            X, column, target = found.collection, found.column, found.target
        if column is not None and hasattr(X, "divisions") and X.ndim == 2:
            wanted = list(
                dict.fromkeys(
                    [
                        *([column] if isinstance(column, str) else column),
                        *([target] if target else []),
                    ]
                )
            )
            _check_columns(X.columns, wanted, "The table")
            X = X[wanted]  # so that Parquet files are asked for these alone
        parts, form = _parts(X)
        given = None if y is None or isinstance(y, str) else _parts(y)[0]
        if given is not None and len(given) != len(parts):
            raise InvalidInput(
                f"X has {len(parts)} partitions and y has {len(given)}.",
                advice=f"Pass labels with the same partitions: {_CUT}, or y as a column of the "
                "same table.",
                value=(len(parts), len(given)),
            )
        if labelled and target is None and given is None:
            raise InvalidInput(
                "There are no labels.",
                advice="Pass y: a collection with the partitions of X, or the name of a column.",
                value=y,
            )
        return cls(tuple(parts), form, X, column, target, None if given is None else tuple(given))

    def __len__(self) -> int:
        return len(self.parts)

    def piece(self, number: int) -> Delayed:
        """A partition as a `LabelledPiece`."""
        labels = None if self.labels is None else self.labels[number]
        return dask.delayed(cut_piece, pure=True)(
            self.parts[number], labels, self.column, self.target, number
        )

    def pieces(self) -> list[Delayed]:
        """All partitions."""
        return [self.piece(number) for number in range(len(self))]

    def rebuilt(self, answers: list[Delayed], dtype: np.dtype[Any], name: str) -> Any:
        """A collection like this one, with the same partitions, of an answer for each object."""
        if self.form == "bag":
            return bag_from(answers)
        if self.form == "array":
            array = import_extra("dask.array", "dask")
            sizes = self.source.chunks[0]
            return array.concatenate(
                [
                    array.from_delayed(part, (size,), dtype=dtype)
                    for part, size in zip(answers, sizes, strict=True)
                ]
            )
        pandas, frames = import_extra("pandas", "dask"), import_extra("dask.dataframe", "dask")
        empty = pandas.Series(
            np.empty(0, dtype=dtype), name=name, index=self.source._meta.index[:0]
        )
        return frames.from_delayed(
            answers, meta=empty, divisions=self.source.divisions, verify_meta=False
        )


def cut_piece(
    part: Any, labels: Any, column: Columns, target: str | None, number: int
) -> LabelledPiece:
    """The objects and labels of a partition; an error that names the partition if they do not fit
    each other.

    Examples
    --------
    >>> cut_piece([{"drink": "tea", "kind": "hot"}], None, "drink", "kind", 0)[:2]
    (['tea'], ['hot'])
    """
    if isinstance(part, LabelledPiece):
        return part
    if isinstance(part, Records):
        objects, found = part.objects, part.labels
    elif hasattr(part, "columns"):
        chosen = [name for name in part.columns if name != target] if column is None else column
        _check_columns(
            part.columns,
            [target, *([chosen] if isinstance(chosen, str) else chosen)],
            at("Partition", number),
            number,
        )
        objects, found = part[chosen], None if target is None else part[target]
    elif hasattr(part, "shape"):
        objects, found = part, None
    else:
        rows = list(part)
        objects = rows if column is None else [_field(row, column, number) for row in rows]
        found = None if target is None else [_field(row, target, number) for row in rows]
        part = rows
    given = found if labels is None else labels if hasattr(labels, "shape") else list(labels)
    size = objects.shape[0] if hasattr(objects, "shape") else len(objects)
    if given is not None and len(given) != size:
        raise InvalidInput(
            f"{at('Partition', number)} has {size} objects and {len(given)} labels.",
            advice=f"Cut X and y in the same places: take both from one table, or {_CUT}.",
            value=(size, len(given)),
            partition=number,
        )
    return LabelledPiece(objects, given, part)


def _parts(X: Any) -> tuple[list[Delayed], Form]:
    """The partitions of a collection, and its form."""
    if isinstance(X, list | tuple) and X and all(isinstance(part, Delayed) for part in X):
        return list(X), "bag"
    if isinstance(X, Bag):
        return list(X.to_delayed()), "bag"
    if hasattr(X, "chunks") and hasattr(X, "to_delayed"):
        rows = (
            X
            if X.ndim == 1 or len(X.chunks[1]) == 1
            else X.rechunk(dict.fromkeys(range(1, X.ndim), -1))
        )
        return list(rows.to_delayed().ravel()), "array"
    if hasattr(X, "divisions") and hasattr(X, "to_delayed"):
        # as they are: optimized, Dask would put several partitions together where few columns are
        # read
        return list(X.simplify().to_delayed(optimize_graph=False)), "frame"
    raise InvalidInput(
        f"{sample.shown(X)} is no collection of partitions.",
        advice=f"Pass {_KNOWN}; objects in memory go to the method of the model itself.",
        value=type(X).__name__,
    )


def _field(row: Any, name: Any, number: int) -> Any:
    """A field of a record."""
    try:
        return row[name]
    except (TypeError, KeyError, IndexError):
        raise InvalidInput(
            f"{at('Partition', number)} holds {sample.shown(row)}, which has no field {name!r}.",
            advice=f"Pass {setting('column')} and {setting('y')} as the records name them, or a "
            "bag of the objects alone.",
            value=name,
            partition=number,
        ) from None


def _check_columns(
    there: Any, wanted: Sequence[str | None], what: str, number: int | None = None
) -> None:
    """Raise an error for the first column that a table does not have."""
    for name in wanted:
        if name is not None and name not in list(there):
            raise InvalidInput(
                f"{what} has no column {name!r}: there are {sample.shown(list(there))}.",
                advice=f"Pass {setting('column')} and {setting('y')} as the table names them.",
                value=name,
                partition=number,
            )

"""Tiles: square blocks of known and missing distances, in the narrowest exact data type, within a
memory budget.

A `Tile` holds the distances between two blocks of objects. A `TileStore` keeps the tiles that were
used most recently in memory, and the others in files if there is a cache.

**Tiles of distances as files in a cache directory, which survive an interrupted run and can be
shared by several processes.**

A file is written under a temporary name and then renamed, so that no reader ever sees a part of
one. It is a zip archive with checksums: a damaged file is ignored, and its distances are computed
again. The name of a file consists of the fingerprints of the objects on its two sides, and its
folder is named by the fingerprint of the metric, so that files of other objects or of another
metric are never read. The directory is the user's to choose, but nothing inside leads elsewhere:
the folder and its files are no links.
"""

import os
import stat
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Indices
from wideberth.atomic_write import atomic_write, remove_abandoned
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import show_memory
from wideberth.metrics.metric import Distances
from wideberth.wording import setting

Stamp = tuple[int, int, int]  # identifies one version of a file: time of change, size and inode


class TileFiles:
    """The tile files of one metric in a cache directory.

    It is an `InvalidInput` if the directory cannot be created, or if the folder of the metric is a
    link.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as directory:
    ...     files = TileFiles(directory, "euclidean")
    ...     path = files.path("cups", "pots")
    ...     files.save(path, np.array([[1, 2]], dtype=np.uint8))
    ...     files.load(path, (1, 2), [np.dtype(np.uint8)])
    array([[1, 2]], dtype=uint8)
    """

    def __init__(self, directory: str | os.PathLike[str], metric_fingerprint: str) -> None:
        self.folder = Path(directory) / metric_fingerprint
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise InvalidInput(
                f"The cache {os.fspath(directory)!r} cannot be used: {reason.strerror}.",
                advice="Choose a directory that you may write to.",
                value=directory,
            ) from None
        real = os.path.realpath(self.folder)
        if real != os.path.join(os.path.realpath(directory), metric_fingerprint):  # noqa: PTH118
            raise InvalidInput(
                f"In the cache {os.fspath(directory)!r} the folder of the metric, "
                f"{metric_fingerprint}, is a link to {real!r}.",
                advice=f"Remove the link; a cache on another disk is named by {setting('cache')} "
                "itself.",
                value=directory,
            )
        remove_abandoned(self.folder)

    def path(self, rows: str, columns: str) -> Path:
        """Return where the tile of two blocks of objects is kept, by the fingerprints of the
        blocks.
        """
        return self.folder / f"{rows}-{columns}.npz"

    def stamp(self, path: Path) -> Stamp | None:
        """Return the stamp of the current version of a file; None if there is no file, or a
        link.
        """
        try:
            found = path.lstat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def load(
        self, path: Path, shape: tuple[int, int], dtypes: Sequence[Any]
    ) -> NDArray[Any] | None:
        """Read a tile.

        None if there is no file, or if it is a link, or damaged, or holds something else than a
        tile of this shape and one of these types.
        """
        if self.stamp(path) is None:
            return None
        try:
            with np.load(path, allow_pickle=False) as file:
                tile: NDArray[Any] = file["distances"]
        except Exception:  # damaged bytes make the readers of ZIP and NPY raise almost anything: the tile is measured anew
            return None
        return tile if tile.shape == shape and tile.dtype in dtypes else None

    def save(self, path: Path, tile: NDArray[Any]) -> None:
        """Write a tile completely or not at all, replacing an earlier version.

        A full disk, or a file that cannot be written, is an `InvalidInput`.
        """
        self.check_free_space(tile.nbytes)
        try:
            # what a crash of the system damages is measured again
            with atomic_write(path, durable=False) as file:
                np.savez(file, allow_pickle=False, distances=tile)
        except OSError as reason:
            raise InvalidInput(
                f"A tile of {show_memory(tile.nbytes)} could not be written to the cache "
                f"{str(self.folder)!r}: {reason}.",
                advice="Free some space and run again, it continues where it stopped; or choose "
                f"{setting('cache', None)}.",
                value=str(path),
            ) from reason

    def check_free_space(self, needed: int) -> None:
        """Raise `InvalidInput` if the disk has fewer than ``needed`` bytes free."""
        free = disk_usage(self.folder).free
        if needed > free:
            raise InvalidInput(
                f"The cache {str(self.folder.parent)!r} may need {show_memory(needed)} more; "
                f"{show_memory(free)} are free there.",
                advice="Free some space, choose a directory on another disk, or "
                f"{setting('cache', None)}, which never writes.",
                value=(needed, free),
            )

    def rename(self, old: str, new: str, others: Iterable[str]) -> None:
        """Rename the files of a block whose fingerprint changed because objects were appended to
        it.

        ``others`` are the fingerprints of all blocks whose tiles with this block may exist, ``new``
        among them.
        """
        for other in others if old != new else ():
            before = old if other == new else other
            for path, target in (
                (self.path(old, before), self.path(new, other)),
                (self.path(before, old), self.path(other, new)),
            ):
                if self.stamp(path) is not None and not target.exists():
                    path.replace(target)

    def size(self, names: set[str]) -> int:
        """Return the bytes of all files whose two blocks have fingerprints in ``names``."""
        with os.scandir(self.folder) as entries:
            tiles = [
                entry
                for entry in entries
                if names.issuperset(entry.name.partition(".")[0].split("-"))
            ]
            return sum(entry.stat(follow_symlinks=False).st_size for entry in tiles)


Key = tuple[int, int]  # the numbers of the two blocks of objects: rows and columns
Local = slice | Indices  # positions inside a tile

#: Data types from narrow to wide; every value of one is exact in the next.
DTYPES: tuple[np.dtype[Any], ...] = tuple(map(np.dtype, ("uint8", "uint16", "float32", "float64")))

#: The value that marks a missing distance: the largest integer, or minus infinity, which no
#: distance is.
MISSING = dict(zip(DTYPES, (255, 65_535, -np.inf, -np.inf), strict=True))

#: Seconds between two saves: the work that a killed process may lose although it has a cache on
#: disk.
SAVE_EVERY = 5.0


def narrowest(distances: Distances, start: np.dtype[Any] = DTYPES[0]) -> np.dtype[Any]:
    """Return the narrowest data type in which all distances are exact and none equals the mark of a
    missing distance.

    Examples
    --------
    >>> (
    ...     narrowest(np.array([3.0, 254.0])),
    ...     narrowest(np.array([255.0])),
    ...     narrowest(np.array([0.5])),
    ...     narrowest(np.array([0.1])),
    ... )
    (dtype('uint8'), dtype('uint16'), dtype('float32'), dtype('float64'))
    """
    with np.errstate(invalid="ignore", over="ignore"):  # values that do not fit are found below
        for dtype in DTYPES[DTYPES.index(start) : -1]:
            held = distances.astype(dtype)
            if dtype.kind == "u":
                exact = bool(np.all((held == distances) & (held != MISSING[dtype])))
            else:
                exact = np.array_equal(held, distances, equal_nan=True)
            if exact:
                return dtype
    return DTYPES[-1]


class Tile:
    """Distances between two blocks of objects, some of them perhaps missing.

    ``distances`` are in one of `DTYPES`; ``dirty`` is whether it holds some that no file holds,
    ``stamp`` the version of its file that it has read or written.

    Examples
    --------
    >>> tile = Tile((2, 2), zero_diagonal=True)
    >>> tile.write(slice(0, 1), slice(1, 2), np.array([[0.5]]))
    >>> out = np.empty((2, 2))
    >>> tile.read(slice(None), slice(None), out), out.tolist()
    (True, [[0.0, 0.5], [-inf, 0.0]])
    """

    def __init__(self, shape: tuple[int, int], *, zero_diagonal: bool = False) -> None:
        self.distances: NDArray[Any] = np.full(shape, MISSING[DTYPES[0]], dtype=DTYPES[0])
        self.dirty = False
        self.stamp: Stamp | None = None
        if zero_diagonal:
            np.fill_diagonal(self.distances, 0)

    @property
    def nbytes(self) -> int:
        """The bytes of memory that the distances take."""
        return self.distances.nbytes

    def read(self, rows: Local, columns: Local, out: Distances) -> bool:
        """Copy a part of the tile to ``out``, minus infinity for missing distances; return whether
        any is missing.
        """
        part = self.distances[rectangle(rows, columns)]
        gaps = part == MISSING[self.distances.dtype]
        out[...] = part
        if not gaps.any():
            return False
        out[gaps] = -np.inf
        return True

    def write(self, rows: Local, columns: Local, distances: Distances) -> None:
        """Store distances in a part of the tile, except those that are minus infinity, which stay
        as they are.

        The whole tile changes to a wider data type if its own does not represent them exactly.
        """
        known = distances != -np.inf
        everything = bool(known.all())
        self._widen(
            narrowest(distances if everything else distances[known], start=self.distances.dtype)
        )
        if not everything:
            distances = np.where(known, distances, self.distances[rectangle(rows, columns)])
        self.distances[rectangle(rows, columns)] = distances
        self.dirty = True

    def merge(self, other: NDArray[Any]) -> None:
        """Copy the distances that are known in ``other``, the tile as another process has saved
        it.
        """
        self._widen(max(self.distances.dtype, other.dtype, key=DTYPES.index))
        known = other != MISSING[other.dtype]
        np.copyto(self.distances, other, where=known, casting="same_kind")

    def _widen(self, dtype: np.dtype[Any]) -> None:
        narrow = self.distances
        if dtype != narrow.dtype:
            self.distances = narrow.astype(dtype)
            self.distances[narrow == MISSING[narrow.dtype]] = MISSING[dtype]


def is_possible(tile: NDArray[Any], *, mirrored: bool) -> bool:
    """Whether all that is known in a tile can be distances: finite, 0 or more, and the same both
    ways in a mirrored one.

    >>> is_possible(np.array([[0.0, 2.5], [-np.inf, 0.0]]), mirrored=False)
    True
    >>> (
    ...     is_possible(np.array([[0.0, 2.5], [2.0, 0.0]]), mirrored=True),
    ...     is_possible(np.array([[np.nan]]), mirrored=False),
    ... )
    (False, False)
    """
    if tile.dtype.kind == "f" and not np.all(
        (tile == MISSING[tile.dtype]) | ((tile >= 0) & (tile < np.inf))
    ):
        return False
    return not mirrored or (np.array_equal(tile, tile.T) and not np.diagonal(tile).any())


def rectangle(rows: Local, columns: Local) -> Any:
    """Return the index of the submatrix of these rows and columns, for reading or assignment.

    ``matrix[rectangle(rows, columns)]`` has shape (number of rows, number of columns), also for two
    arrays, which numpy would otherwise pair element by element.

    Examples
    --------
    >>> np.arange(9).reshape(3, 3)[rectangle(np.array([0, 2]), np.array([1, 2]))]
    array([[1, 2],
           [7, 8]])
    """
    return (
        (rows, columns)
        if isinstance(rows, slice) or isinstance(columns, slice)
        else np.ix_(rows, columns)
    )


class TileStore:
    """Tiles by key: those used most recently in memory, the others in files, or dropped if there
    are no files.

    A tile is lent to one thread at a time (`borrow`). Another thread that needs it waits, and then
    finds what the first one filled in.

    ``shape(key)`` is the shape of a tile, and ``names(key)`` are the fingerprints of its two blocks
    of objects, by which its file is found. Borrowed tiles stay in memory even if they take more
    than the budget. ``agrees(key, distances)`` tries a tile of a file that this store has not
    written, and raises an error or returns False if it cannot be used; ``may_save()`` is whether
    what was measured may be written.

    Examples
    --------
    >>> store = TileStore(1000, shape=lambda key: (2, 2), names=lambda key: ("rows", "columns"))
    >>> with store.borrow([(0, 1)]) as tiles:
    ...     tiles[0, 1].write(slice(None), slice(None), np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> store.nbytes  # four whole numbers below 255
    4
    """

    def __init__(
        self,
        budget: int,
        shape: Callable[[Key], tuple[int, int]],
        names: Callable[[Key], tuple[str, str]],
        *,
        files: TileFiles | None = None,
        zero_diagonal: bool = False,
        agrees: Callable[[Key, NDArray[Any]], bool] = lambda key, distances: True,
        may_save: Callable[[], bool] = lambda: True,
    ) -> None:
        self.budget, self.files, self.agrees, self.may_save = budget, files, agrees, may_save
        self._shape, self._names, self._zero_diagonal = shape, names, zero_diagonal
        self._kept: OrderedDict[Key, Tile] = OrderedDict()  # the most recently used one is last
        self._lent: dict[Key, Tile] = {}
        self._kept_bytes = 0
        self._tried: dict[Key, Stamp] = {}  # the versions of files that were tried, or written here
        self._returned = threading.Condition()
        self._saved_at = time.monotonic()

    @property
    def nbytes(self) -> int:
        """The bytes of all tiles in memory, borrowed ones included."""
        return self._kept_bytes + sum(tile.nbytes for tile in self._lent.values())

    @contextmanager
    def borrow(self, keys: Collection[Key]) -> Iterator[dict[Key, Tile]]:
        """Lend tiles to the caller for a ``with`` block; waits while another thread has one of
        them.

        ``keys`` are all tiles that the caller needs at the same time: borrowing further ones inside
        the block may deadlock. They come from memory, from their files, or are new and without
        distances.
        """
        with self._returned:
            self._returned.wait_for(lambda: self._lent.keys().isdisjoint(keys))
            tiles: dict[Key, Tile] = {}
            try:
                for key in keys:
                    tiles[key] = self._fetch(key)
            except BaseException:
                self._take_back(tiles)
                raise
            self._lent |= tiles
        try:
            with self._returned:
                self._shrink()
            yield tiles
        finally:
            with self._returned:
                for key in tiles:
                    del self._lent[key]
                self._take_back(tiles)
                self._returned.notify_all()
                self._shrink()

    def _take_back(self, tiles: Mapping[Key, Tile]) -> None:
        for key, tile in tiles.items():
            self._kept[key] = tile
            self._kept_bytes += tile.nbytes

    def is_sound(self, key: Key, distances: NDArray[Any]) -> bool:
        """Whether a tile that another process has measured can be used; raises an error if the
        metric measures otherwise.
        """
        mirrored = self._zero_diagonal and key[0] == key[1]
        return is_possible(distances, mirrored=mirrored) and self.agrees(key, distances)

    def refresh(self, tiles: Mapping[Key, Tile]) -> bool:
        """Merge what other processes have saved meanwhile into borrowed tiles; return whether there
        was anything.
        """
        if self.files is None:
            return False
        merged = [self._merge_file(self.files, key, tile) for key, tile in tiles.items()]
        return any(merged)

    def is_unknown(self, key: Key) -> bool:
        """Whether nothing is known of a tile, in memory or in its file."""
        with self._returned:
            in_memory = key in self._kept or key in self._lent
        return not in_memory and (
            self.files is None or self.files.stamp(self.files.path(*self._names(key))) is None
        )

    def in_memory(self) -> dict[Key, NDArray[Any]]:
        """The distances of all tiles that are in memory and not borrowed."""
        with self._returned:
            return {key: tile.distances for key, tile in self._kept.items()}

    def save(self, borrowed: Mapping[Key, Tile] | None = None) -> None:
        """Save all dirty tiles that are not borrowed, and those of ``borrowed``, which the caller
        has borrowed.
        """
        if self.files is not None:
            with self._returned:
                self._save(self.files, {**self._kept, **(borrowed or {})})
                self._saved_at = time.monotonic()

    def save_last(self) -> None:
        """Save all dirty tiles where nobody can catch an error: a cache that takes them no more is
        only warned of.
        """
        try:
            self.save()
        except (InvalidInput, OSError) as reason:
            warnings.warn(
                f"The distances measured last are not in the cache. {reason}",
                RuntimeWarning,
                stacklevel=2,
            )

    def should_save(self) -> bool:
        """Return whether there are files, and `SAVE_EVERY` seconds have passed since the last
        save.
        """
        return self.files is not None and time.monotonic() - self._saved_at >= SAVE_EVERY

    def _fetch(self, key: Key) -> Tile:
        """Take a tile out of memory, or make it and read its file."""
        tile = self._kept.pop(key, None)
        if tile is None:
            tile = Tile(self._shape(key), zero_diagonal=self._zero_diagonal and key[0] == key[1])
            self.refresh({key: tile})
        else:
            self._kept_bytes -= tile.nbytes
        return tile

    def _shrink(self) -> None:
        """Save and drop the least recently used tiles, until the others fit into the budget."""
        excess, least_used = self.nbytes - self.budget, dict[Key, Tile]()
        for key, tile in self._kept.items():
            if excess <= 0:
                break
            least_used[key] = tile
            excess -= tile.nbytes
        if self.files is not None:
            self._save(self.files, least_used)
        for key, tile in least_used.items():
            del self._kept[key]
            self._kept_bytes -= tile.nbytes

    def _save(self, files: TileFiles, tiles: Mapping[Key, Tile]) -> None:
        """Save those tiles that are dirty, merged with what other processes have saved."""
        dirty = {key: tile for key, tile in tiles.items() if tile.dirty}
        if not dirty or not self.may_save():
            return
        for key, tile in dirty.items():
            self._merge_file(files, key, tile)
            path = files.path(*self._names(key))
            files.save(path, tile.distances)
            tile.stamp, tile.dirty = files.stamp(path), False
            if tile.stamp is not None:
                self._tried[key] = tile.stamp

    def _merge_file(self, files: TileFiles, key: Key, tile: Tile) -> bool:
        """Merge the file of a tile into it if the file has changed; return whether it was
        merged.
        """
        path = files.path(*self._names(key))
        stamp = files.stamp(path)
        if stamp is None or stamp == tile.stamp:
            return False
        found = files.load(path, tile.distances.shape, DTYPES)
        if found is not None and stamp != self._tried.get(key):
            found = found if self.is_sound(key, found) else None
            self._tried[key] = stamp
        tile.stamp = stamp
        if found is not None:
            tile.merge(found)
        return found is not None

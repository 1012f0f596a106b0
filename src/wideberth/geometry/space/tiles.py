"""Tiles of distances, kept in as few bytes as hold them exactly and in as much memory as allowed."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Indices
from wideberth.geometry.space.tile_files import Stamp, TileFiles
from wideberth.metrics.metric import Distances

Key = tuple[int, int]  # numbers of the blocks of objects on the two sides
Local = slice | Indices  # positions inside a tile

#: From narrow to wide; each holds what the ones before it hold.
DTYPES: tuple[np.dtype[Any], ...] = tuple(np.dtype(each) for each in ("uint8", "uint16", "float32", "float64"))

#: What stands for a distance not measured yet: the largest whole number, or minus infinity, which no distance is.
MISSING = dict(zip(DTYPES, (255, 65_535, -np.inf, -np.inf), strict=True))

#: Seconds of work that a killed process may lose although it has a cache on disk.
SAVE_EVERY = 5.0


def narrowest(distances: Distances, start: np.dtype[Any] = DTYPES[0]) -> np.dtype[Any]:
    """The narrowest dtype, from ``start`` on, that holds these distances exactly.

    >>> narrowest(np.array([3.0, 254.0])), narrowest(np.array([255.0])), narrowest(np.array([0.5])), narrowest(np.array([0.1]))
    (dtype('uint8'), dtype('uint16'), dtype('float32'), dtype('float64'))
    """
    with np.errstate(invalid="ignore", over="ignore"):  # what does not fit is what we are asking
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
    """Distances between two blocks of objects, some of them perhaps missing."""

    def __init__(self, shape: tuple[int, int], *, zero_diagonal: bool = False) -> None:
        self.distances: NDArray[Any] = np.full(shape, MISSING[DTYPES[0]], dtype=DTYPES[0])
        self.dirty = False  # holds what no file holds
        self.stamp: Stamp | None = None  # the version of its file that it knows
        if zero_diagonal:
            np.fill_diagonal(self.distances, 0)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        return self.distances.nbytes

    def read(self, rows: Local, columns: Local, out: Distances) -> bool:
        """Copy a part to ``out``, minus infinity where it is missing; tell whether anything is."""
        part = self._part(rows, columns)
        gaps = part == MISSING[self.distances.dtype]
        out[...] = part
        if not gaps.any():
            return False
        out[gaps] = -np.inf
        return True

    def write(self, rows: Local, columns: Local, distances: Distances) -> None:
        """Keep distances, but for those that are minus infinity, in a wider dtype if this one does not hold them exactly."""
        known = distances != -np.inf
        everything = bool(known.all())
        self._widen(narrowest(distances if everything else distances[known], start=self.distances.dtype))
        if not everything:
            distances = np.where(known, distances, self._part(rows, columns))
        if isinstance(rows, np.ndarray) and isinstance(columns, np.ndarray):
            self.distances[np.ix_(rows, columns)] = distances
        else:
            self.distances[rows, columns] = distances
        self.dirty = True

    def absorb(self, other: NDArray[Any]) -> None:
        """Take over what another process has measured meanwhile."""
        self._widen(max(self.distances.dtype, other.dtype, key=DTYPES.index))
        known = other != MISSING[other.dtype]
        np.copyto(self.distances, other, where=known, casting="same_kind")

    def _part(self, rows: Local, columns: Local) -> NDArray[Any]:
        if isinstance(rows, np.ndarray) and isinstance(columns, np.ndarray):
            return self.distances[np.ix_(rows, columns)]
        return self.distances[rows, columns]

    def _widen(self, dtype: np.dtype[Any]) -> None:
        narrow = self.distances
        if dtype != narrow.dtype:
            self.distances = narrow.astype(dtype)
            self.distances[narrow == MISSING[narrow.dtype]] = MISSING[dtype]


class TileStore:
    """Tiles by key: the ones used last in memory, up to ``budget`` bytes; the others in files, if there are any, or forgotten.

    ``shape`` says how large the tile of a key is, ``names`` what the files call the two blocks of objects. If ``zero_diagonal``,
    nothing is at a distance from itself, unmeasured. A tile is lent to one thread at a time; another one that wants it waits, and
    finds it filled.
    """

    def __init__(
        self,
        budget: int,
        shape: Callable[[Key], tuple[int, int]],
        names: Callable[[Key], tuple[str, str]],
        *,
        files: TileFiles | None = None,
        zero_diagonal: bool = False,
    ) -> None:
        self.budget, self.files = budget, files
        self._shape, self._names, self._zero_diagonal = shape, names, zero_diagonal
        self._kept: OrderedDict[Key, Tile] = OrderedDict()  # the one used last is last
        self._lent: dict[Key, Tile] = {}
        self._kept_bytes = 0
        self._returned = threading.Condition()
        self._saved_at = time.monotonic()

    @property
    def nbytes(self) -> int:
        """Bytes of all tiles in memory."""
        return self._kept_bytes + sum(tile.nbytes for tile in self._lent.values())

    @contextmanager
    def borrow(self, keys: Collection[Key]) -> Iterator[dict[Key, Tile]]:
        """Lend the tiles of these keys, made or read from their files where they are not in memory."""
        with self._returned:
            self._returned.wait_for(lambda: self._lent.keys().isdisjoint(keys))
            tiles = {key: self._fetch(key) for key in keys}
            self._lent |= tiles
        try:
            with self._returned:
                self._shrink()
            yield tiles
        finally:
            with self._returned:
                for key, tile in tiles.items():
                    del self._lent[key]
                    self._kept[key] = tile
                    self._kept_bytes += tile.nbytes
                self._returned.notify_all()
                self._shrink()

    def refresh(self, tiles: Mapping[Key, Tile]) -> bool:
        """Take over what other processes have written about borrowed tiles meanwhile; tell whether they have."""
        if self.files is None:
            return False
        news = [self._absorb(self.files, self.files.path(*self._names(key)), tile) for key, tile in tiles.items()]
        return any(news)

    def save(self, borrowed: Mapping[Key, Tile] | None = None) -> None:
        """Write what is in no file yet: the tiles that nobody has borrowed, and these."""
        if self.files is not None:
            with self._returned:
                for key, tile in [*self._kept.items(), *(borrowed or {}).items()]:
                    self._save(self.files, key, tile)
                self._saved_at = time.monotonic()

    def should_save(self) -> bool:
        """Every few seconds, so that a process that is killed loses little."""
        return self.files is not None and time.monotonic() - self._saved_at >= SAVE_EVERY

    def _fetch(self, key: Key) -> Tile:
        tile = self._kept.pop(key, None)
        if tile is None:
            tile = Tile(self._shape(key), zero_diagonal=self._zero_diagonal and key[0] == key[1])
            self.refresh({key: tile})
        else:
            self._kept_bytes -= tile.nbytes
        return tile

    def _shrink(self) -> None:
        excess = self.nbytes - self.budget
        while excess > 0 and self._kept:
            key, tile = self._kept.popitem(last=False)
            self._kept_bytes -= tile.nbytes
            excess -= tile.nbytes
            if self.files is not None:
                self._save(self.files, key, tile)

    def _save(self, files: TileFiles, key: Key, tile: Tile) -> None:
        if tile.dirty:
            path = files.path(*self._names(key))
            self._absorb(files, path, tile)
            files.save(path, tile.distances)
            tile.stamp, tile.dirty = files.stamp(path), False

    def _absorb(self, files: TileFiles, path: Path, tile: Tile) -> bool:
        stamp = files.stamp(path)
        if stamp is None or stamp == tile.stamp:
            return False
        found = files.load(path, tile.distances.shape, DTYPES)
        tile.stamp = stamp
        if found is not None:
            tile.absorb(found)
        return found is not None

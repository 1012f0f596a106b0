"""Tiles as files in a directory, which an interrupted run finds again and several processes may share.

A file is written under a temporary name and renamed, so that no reader ever sees half of one. It carries a checksum: what is
damaged is measured again, not trusted. Its name is made of the fingerprints of the objects on its two sides, in a folder named by
the fingerprint of the metric, so that other objects and other metrics never meet in it.
"""

import os
import time
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from shutil import disk_usage
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory import show_memory

Stamp = tuple[int, int, int]  # of one version of a file: another one differs in it

#: Seconds after which an unfinished file belongs to a run that was killed.
_ABANDONED = 3600.0


class TileFiles:
    """The tiles of one metric in ``directory``, by the fingerprints of the objects on their two sides."""

    def __init__(self, directory: str | os.PathLike[str], metric_fingerprint: str) -> None:
        self.folder = Path(directory) / metric_fingerprint
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise InvalidInput(
                f"The cache {os.fspath(directory)!r} cannot be used: {reason.strerror}.",
                advice="Name a directory that you may write to.",
                value=directory,
            ) from None
        self._sweep()

    def path(self, rows: str, columns: str) -> Path:
        """Where the tile of two blocks of objects is kept."""
        return self.folder / f"{rows}-{columns}.npz"

    def stamp(self, path: Path) -> Stamp | None:
        """Which version of the file is there now, or None."""
        try:
            found = path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def load(self, path: Path, shape: tuple[int, int], dtypes: Sequence[Any]) -> NDArray[Any] | None:
        """The array in the file; None if there is none, or none that is whole and of this shape."""
        try:
            with np.load(path, allow_pickle=False) as file:
                tile: NDArray[Any] = file["distances"]
        except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError):
            return None
        return tile if tile.shape == shape and tile.dtype in dtypes else None

    def save(self, path: Path, tile: NDArray[Any]) -> None:
        """Write under a temporary name, then rename: the file is there as a whole or not at all."""
        self.check_room(tile.nbytes)
        unfinished = path.with_name(f"{uuid4().hex}.unfinished")
        try:
            with unfinished.open("wb") as file:
                np.savez(file, allow_pickle=False, distances=tile)
            unfinished.replace(path)
        except OSError as reason:
            unfinished.unlink(missing_ok=True)
            raise InvalidInput(
                f"A tile of {show_memory(tile.nbytes)} could not be written to the cache {str(self.folder)!r}: {reason}.",
                advice="Make room and run again, it goes on where it stopped; or choose cache=None.",
                value=str(path),
            ) from reason

    def check_room(self, needed: int) -> None:
        """Refuse to start writing what does not fit on the disk."""
        free = disk_usage(self.folder).free
        if needed > free:
            raise InvalidInput(
                f"The cache {str(self.folder.parent)!r} may need {show_memory(needed)} more; {show_memory(free)} are free there.",
                advice="Make room, name a directory on another disk, or choose cache=None, which never writes.",
                value=(needed, free),
            )

    def rename(self, old: str, new: str, others: Iterable[str]) -> None:
        """A block of objects has another name from now on: so have its tiles with all ``others`` (``new`` among them)."""
        for other in others if old != new else ():
            before = old if other == new else other
            for path, target in (
                (self.path(old, before), self.path(new, other)),
                (self.path(before, old), self.path(other, new)),
            ):
                if path.exists() and not target.exists():
                    path.replace(target)

    def size(self, names: set[str]) -> int:
        """Bytes that the tiles between blocks of these names take already."""
        with os.scandir(self.folder) as entries:
            return sum(entry.stat().st_size for entry in entries if names.issuperset(entry.name.partition(".")[0].split("-")))

    def _sweep(self) -> None:
        """Remove what runs that were killed left half-written, but nothing that may still be growing."""
        for unfinished in self.folder.glob("*.unfinished"):
            try:
                if time.time() - unfinished.stat().st_mtime > _ABANDONED:
                    unfinished.unlink()
            except OSError:  # another process was faster
                continue

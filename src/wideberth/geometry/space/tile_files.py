"""Tiles of distances as files in a cache directory, which survive an interrupted run and can be shared by several processes.

A file is written under a temporary name and then renamed, so that no reader ever sees a part of one. It is a zip archive with
checksums: a damaged file is ignored, and its distances are computed again. The name of a file consists of the fingerprints of the
objects on its two sides, and its folder is named by the fingerprint of the metric, so that files of other objects or of another
metric are never read.
"""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from shutil import disk_usage
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory_amounts import show_memory

Stamp = tuple[int, int, int]  # identifies one version of a file: time of change, size and inode

#: Seconds after which an unfinished file is considered to be left by a process that was killed.
_ABANDONED = 3600.0


class TileFiles:
    """The tile files of one metric in a cache directory.

    Parameters
    ----------
    directory : path
        The cache; it is created if it does not exist.
    metric_fingerprint : str
        Names the folder of the metric within the cache.

    Attributes
    ----------
    folder : pathlib.Path
        Where the files of this metric are.

    Raises
    ------
    InvalidInput
        If the directory cannot be created.

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
        self._remove_abandoned()

    def path(self, rows: str, columns: str) -> Path:
        """Return where the tile of two blocks of objects is kept, by the fingerprints of the blocks."""
        return self.folder / f"{rows}-{columns}.npz"

    def stamp(self, path: Path) -> Stamp | None:
        """Return the stamp of the current version of a file; None if there is no file."""
        try:
            found = path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def load(self, path: Path, shape: tuple[int, int], dtypes: Sequence[Any]) -> NDArray[Any] | None:
        """Read a tile.

        Parameters
        ----------
        path : pathlib.Path
            The file.
        shape : tuple of int
            The shape that the tile must have.
        dtypes : sequence of numpy.dtype
            The types that it may have.

        Returns
        -------
        ndarray or None
            None if there is no file, or if it is damaged or holds something else.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                tile: NDArray[Any] = file["distances"]
        except Exception:  # damaged bytes make the readers of ZIP and NPY raise almost anything: the tile is measured anew
            return None
        return tile if tile.shape == shape and tile.dtype in dtypes else None

    def save(self, path: Path, tile: NDArray[Any]) -> None:
        """Write a tile completely or not at all, replacing an earlier version.

        Raises
        ------
        InvalidInput
            If the disk is full, or if the file cannot be written.
        """
        self.check_free_space(tile.nbytes)
        unfinished = path.with_name(f"{uuid4().hex}.unfinished")
        try:
            with unfinished.open("wb") as file:
                np.savez(file, allow_pickle=False, distances=tile)
            unfinished.replace(path)
        except OSError as reason:
            unfinished.unlink(missing_ok=True)
            raise InvalidInput(
                f"A tile of {show_memory(tile.nbytes)} could not be written to the cache {str(self.folder)!r}: {reason}.",
                advice="Free some space and run again, it continues where it stopped; or choose cache=None.",
                value=str(path),
            ) from reason

    def check_free_space(self, needed: int) -> None:
        """Raise `InvalidInput` if the disk has fewer than ``needed`` bytes free."""
        free = disk_usage(self.folder).free
        if needed > free:
            raise InvalidInput(
                f"The cache {str(self.folder.parent)!r} may need {show_memory(needed)} more; {show_memory(free)} are free there.",
                advice="Free some space, choose a directory on another disk, or cache=None, which never writes.",
                value=(needed, free),
            )

    def rename(self, old: str, new: str, others: Iterable[str]) -> None:
        """Rename the files of a block whose fingerprint changed because objects were appended to it.

        Parameters
        ----------
        old, new : str
            The fingerprint of the block, before and after.
        others : iterable of str
            The fingerprints of all blocks whose tiles with this block may exist, ``new`` among them.
        """
        for other in others if old != new else ():
            before = old if other == new else other
            for path, target in (
                (self.path(old, before), self.path(new, other)),
                (self.path(before, old), self.path(other, new)),
            ):
                if path.exists() and not target.exists():
                    path.replace(target)

    def size(self, names: set[str]) -> int:
        """Return the bytes of all files whose two blocks have fingerprints in ``names``."""
        with os.scandir(self.folder) as entries:
            return sum(entry.stat().st_size for entry in entries if names.issuperset(entry.name.partition(".")[0].split("-")))

    def _remove_abandoned(self) -> None:
        """Delete unfinished files of processes that were killed, but none that another process may still be writing."""
        for unfinished in self.folder.glob("*.unfinished"):
            try:
                if time.time() - unfinished.stat().st_mtime > _ABANDONED:
                    unfinished.unlink()
            except OSError:  # another process was faster
                continue

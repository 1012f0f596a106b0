"""Tiles of distances as files in a cache directory, which survive an interrupted run and can be shared by several processes.

A file is written under a temporary name and then renamed, so that no reader ever sees a part of one. It is a zip archive with
checksums: a damaged file is ignored, and its distances are computed again. The name of a file consists of the fingerprints of the
objects on its two sides, and its folder is named by the fingerprint of the metric, so that files of other objects or of another
metric are never read. The directory is the user's to choose, but nothing inside leads elsewhere: the folder and its files are no
links.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from shutil import disk_usage
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.atomic_write import atomic_write, remove_abandoned
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.memory_amounts import show_memory
from wideberth.wording import setting

Stamp = tuple[int, int, int]  # identifies one version of a file: time of change, size and inode


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
        If the directory cannot be created, or if the folder of the metric is a link.

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
                f"In the cache {os.fspath(directory)!r} the folder of the metric, {metric_fingerprint}, is a link to {real!r}.",
                advice=f"Remove the link; a cache on another disk is named by {setting('cache')} itself.",
                value=directory,
            )
        remove_abandoned(self.folder)

    def path(self, rows: str, columns: str) -> Path:
        """Return where the tile of two blocks of objects is kept, by the fingerprints of the blocks."""
        return self.folder / f"{rows}-{columns}.npz"

    def stamp(self, path: Path) -> Stamp | None:
        """Return the stamp of the current version of a file; None if there is no file, or a link."""
        try:
            found = path.lstat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
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
            None if there is no file, or if it is a link, or damaged, or holds something else.
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

        Raises
        ------
        InvalidInput
            If the disk is full, or if the file cannot be written.
        """
        self.check_free_space(tile.nbytes)
        try:
            with atomic_write(path, durable=False) as file:  # what a crash of the system damages is measured again
                np.savez(file, allow_pickle=False, distances=tile)
        except OSError as reason:
            raise InvalidInput(
                f"A tile of {show_memory(tile.nbytes)} could not be written to the cache {str(self.folder)!r}: {reason}.",
                advice=f"Free some space and run again, it continues where it stopped; or choose {setting('cache', None)}.",
                value=str(path),
            ) from reason

    def check_free_space(self, needed: int) -> None:
        """Raise `InvalidInput` if the disk has fewer than ``needed`` bytes free."""
        free = disk_usage(self.folder).free
        if needed > free:
            raise InvalidInput(
                f"The cache {str(self.folder.parent)!r} may need {show_memory(needed)} more; {show_memory(free)} are free there.",
                advice=f"Free some space, choose a directory on another disk, or {setting('cache', None)}, which never writes.",
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
                if self.stamp(path) is not None and not target.exists():
                    path.replace(target)

    def size(self, names: set[str]) -> int:
        """Return the bytes of all files whose two blocks have fingerprints in ``names``."""
        with os.scandir(self.folder) as entries:
            tiles = [entry for entry in entries if names.issuperset(entry.name.partition(".")[0].split("-"))]
            return sum(entry.stat(follow_symlinks=False).st_size for entry in tiles)

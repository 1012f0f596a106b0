"""Whole tiles that the workers of a cluster measure, and write into the cache themselves where they share its directory."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.atomic_write import temporary_mark
from wideberth.geometry.measure.pair_table import measure_bundle
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.space.measuring_plan import Job, plan
from wideberth.geometry.space.members import Members
from wideberth.geometry.space.tile_files import TileFiles
from wideberth.geometry.space.tiles import Key, Tile, rectangle
from wideberth.metrics.metric import Metric


class WholeTile(NamedTuple):
    """A tile to be measured.

    Attributes
    ----------
    key : Key
        Its two blocks.
    path : pathlib.Path
        Its file in the cache.
    shape : tuple of int
        Its shape, with places for objects that are yet to come.
    jobs : list of Job
        What is to be measured of it; of a tile on the diagonal of a symmetric metric the upper half.
    mirrored : bool
        Whether the other half follows.
    """

    key: Key
    path: Path
    shape: tuple[int, int]
    jobs: list[Job]
    mirrored: bool


class MeasuredTile(NamedTuple):
    """What is known of a tile after a worker has measured it.

    Attributes
    ----------
    key : Key
        Its two blocks.
    calls : int
        How many distances were measured.
    seconds : float
        How long that took.
    distances : ndarray or None
        The tile; None if the worker has written its file.
    """

    key: Key
    calls: int
    seconds: float
    distances: NDArray[Any] | None


def measure_elsewhere(
    members: Members, files: TileFiles, keys: list[Key], symmetric: bool, *, n_jobs: int | None, expected: float
) -> Iterator[MeasuredTile]:
    """Measure tiles of which nothing is known yet, one a chunk of work.

    Parameters
    ----------
    members : Members
        The objects.
    files : TileFiles
        The cache. Workers that see its directory, which is tried by a file in it, write their tiles there; others send them.
    keys : list of Key
        The tiles.
    symmetric : bool
        Whether d(x, y) = d(y, x) may be assumed.
    n_jobs : int or None
        Cores to use, if they are measured here after all.
    expected : float
        The seconds that all of them take on one core.

    Yields
    ------
    MeasuredTile
        In the order of the keys.
    """
    samples: list[Any] = []
    tiles = [_planned(members, files, key, symmetric, samples) for key in keys]
    with temporary_mark(files.folder / "sign") as sign:
        work = partial(_measured, members.metric, samples, sign, symmetric)
        yield from over_chunks(work, tiles, n_jobs=n_jobs, how=members.metric.parallel, expected=expected)


def _planned(members: Members, files: TileFiles, key: Key, symmetric: bool, samples: list[Any]) -> WholeTile:
    rows, columns = (members.indices_of(block) for block in key)
    mirrored = symmetric and key[0] == key[1]
    missing = np.ones((len(rows), len(columns)), dtype=bool)
    _, bundles = plan(members, rows, columns, np.triu(missing, 1) if mirrored else missing, missing.size, samples)
    path = files.path(*map(members.name, key))
    return WholeTile(
        key, path, (members.capacity(key[0]), members.capacity(key[1])), [job for bundle in bundles for job in bundle], mirrored
    )


def _measured(metric: Metric, samples: list[Any], sign: Path, symmetric: bool, task: WholeTile) -> MeasuredTile:
    blocks, seconds = measure_bundle(metric, samples, [(job.left, job.right) for job in task.jobs])
    known = np.full(task.shape, -np.inf)
    for job, block in zip(task.jobs, blocks, strict=True):
        known[rectangle(job.rows, job.columns)] = block
    tile = Tile(task.shape, zero_diagonal=task.mirrored)
    tile.write(slice(None), slice(None), np.maximum(known, known.T) if task.mirrored else known)
    calls = sum(block.size for block in blocks)
    if not sign.exists():
        return MeasuredTile(task.key, calls, seconds, tile.distances)
    TileFiles(sign.parent.parent, sign.parent.name).save(task.path, tile.distances)
    return MeasuredTile(task.key, calls, seconds, None)

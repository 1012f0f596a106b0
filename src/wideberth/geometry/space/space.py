"""`MetricSpace`: objects with a metric, whose distances are computed when first needed, and kept;
and the decision when such a space pays.
"""

import copy
import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pickle import PicklingError
from typing import Any, Self

import numpy as np

from wideberth.array_types import Indices, Objects, Sample
from wideberth.cards.card import Card, Shown
from wideberth.cards.values import share, told
from wideberth.errors import InvalidInput, warn_user
from wideberth.geometry.measure.blocks import parse_memory, show_memory
from wideberth.geometry.measure.remembered_distances import MeasuredOnce, are_whole, plain_objects
from wideberth.geometry.measure.sampled_axioms import try_both_ways, try_promises
from wideberth.geometry.space.fingerprint import fingerprint
from wideberth.geometry.space.tiled_distances import Members, TiledDistances, agrees
from wideberth.geometry.space.tiles import TileFiles, TileStore
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.named import bind, spoken_name
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import ObjectDigests
from wideberth.rounding import DistanceErrors

#: Objects on one side of a tile. Few, because one measured row takes the memory of a whole row of
#: tiles; many, because each tile costs some microseconds, and a file.
TILE_SIZE = 256
#: The nanoseconds to look a distance up in a large block of tiles, and the objects by which those
#: of a new one are estimated.
_LOOK_UP, _TYPICAL = 10.0, 100


class MetricSpace(Shown):
    """Objects with a metric, and their distances, which are computed when first needed and kept.

    ``space.index`` and ``space.metric`` represent the objects and their metric wherever
    scikit-learn expects a table: its rows, one integer each, can be split, repeated and joined, and
    no distance is computed twice.

    If the metric promises symmetry (``obeys_triangle``, ``symmetric``), a pair is measured once, as
    (lower index, higher index), and an object not at all with itself; of other distances both
    directions are kept. Distances are kept in square tiles, which are created when their first distance is
    needed; only distances that are needed are measured. A tile uses the narrowest data type that is
    exact: one byte for a distance in edits below 255, eight bytes for most other distances.

    Copies (`copy.deepcopy`, `sklearn.base.clone` of an estimator that holds ``space.metric``) are
    the space itself, so that the distances are shared. Threads share it too. A pickled copy, as
    sent to other processes by ``n_jobs=2``, contains the objects, the metric and the name of the
    cache, but not the distances in memory: use a ``cache`` for such work.

    Parameters
    ----------
    objects : sequence
        Objects of any kind that the metric measures; for "precomputed", the matrix of distances.
    metric : str, Metric or function of two objects
        The distance.
    max_memory : str or int
        Memory for the tiles, such as "2GB" or a number of bytes; the least recently used tiles are
        dropped first. The objects and the distances returned are not counted.
    cache : path, optional
        A directory in which tiles are kept as files. What does not fit in memory is written there,
        an interrupted run continues where it stopped (it loses a few seconds of work at most), and
        several processes and spaces may share it. Files of other objects or of another metric are
        never read: of a function of yours, the code, the functions it calls, and the values of
        globals, closures and attributes that these name must be the same. What cannot be seen so
        are files, random numbers, the environment and state in compiled code; therefore eight
        distances of each file are measured again when it is read, and one that differs is an error.
        Files with impossible distances are measured anew. The directory is trusted: whoever may
        write to it decides on your distances. The disk must have space for all of them. Without a
        cache, what does not fit in memory is computed again, and nothing is written to disk.
    n_jobs : int, optional
        Cores that measure; all by default.

    Attributes
    ----------
    measured_by : Metric
        The metric on the objects themselves.

    Examples
    --------
    >>> space = MetricSpace(["tea", "tee", "coffee"], "levenshtein")
    >>> space.index.tolist()
    [[0], [1], [2]]
    >>> space.metric.block(space.index[:1], space.index)
    array([[0., 1., 5.]])
    >>> space.distance_calls  # the distance of "tea" from itself is not computed
    2
    >>> space.metric(*space.append(["toffee", "the"]))
    4.0
    """

    def __init__(
        self,
        objects: Objects,
        metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
        *,
        max_memory: str | int = "2GB",
        cache: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        objects, given = bind(objects, metric)
        # a copy: changes of its parameters must not change the distances
        self.measured_by = copy.copy(given)
        self.max_memory, self.cache, self.n_jobs = max_memory, cache, n_jobs
        self._members = members = Members(
            sample.hold(objects, rows=given.accepts == "rows"), self.measured_by, TILE_SIZE
        )
        known = "" if cache is None else fingerprint([self.measured_by, TILE_SIZE])
        files = None if cache is None else TileFiles(cache, known)
        self._store = TileStore(
            parse_memory(max_memory),
            shape=lambda key: (members.capacity(key[0]), members.capacity(key[1])),
            names=lambda key: (members.name(key[0]), members.name(key[1])),
            files=files,
            zero_diagonal=self.measured_by.is_symmetric,
            agrees=partial(agrees, members, "" if files is None else str(files.folder)),
            may_save=_Unchanged(members, known),
        )
        self._tiled = TiledDistances(members, self._store, n_jobs)
        self._growing = threading.Lock()
        self._tried = False
        self._tiled.check_disk(len(self))
        # when it is garbage collected, or at the end of the process
        weakref.finalize(self, self._store.save_last)

    @property
    def objects(self) -> Sample:
        """The objects in the order of their indices, appended ones included."""
        return self._members.objects

    @property
    def index(self) -> Indices:
        """The indices of all objects, of shape (n, 1): pass them to scikit-learn as X."""
        return np.arange(len(self)).reshape(-1, 1)

    @property
    def metric(self) -> "SpaceMetric":
        """The metric on indices: pass it to a classifier together with the index."""
        return SpaceMetric(self)

    @property
    def distance_calls(self) -> int:
        """How many distances were computed so far, without the few by which files of a cache are
        tried.
        """
        return self._tiled.calls

    def try_promises(self) -> None:
        """Try the promises of a metric of the user on the first objects, once.

        `wideberth.geometry.measure.sampled_axioms.try_promises` says how. The distances are those
        that the space keeps, of each pair one direction; between four objects all distances are
        measured besides.
        """
        if not self._tried:
            first = np.arange(self._members.first)
            objects = self.measured_by.prepare(sample.pick(self._members.objects, first))
            self._tiled.calls += try_both_ways(objects, self.measured_by)
            try_promises(first, self.metric)
            self._tried = True

    def append(self, objects: Objects) -> Indices:
        """Add objects to the space.

        Parameters
        ----------
        objects : sequence
            m objects of the same kind as the others.

        Returns
        -------
        ndarray of shape (m, 1)
            Their indices: pass them to ``predict`` of a model that was fitted on the index.

        Raises
        ------
        InvalidInput
            If the metric cannot measure them together with the others, or if the cache has no space
            for their distances. The space is not changed then.

        Examples
        --------
        >>> MetricSpace([[0.0], [3.0]]).append([[4.0]])
        array([[2]])
        """
        with self._growing:
            members, start = self._members, len(self)
            piece = members.prepare(objects)
            stop, last = piece.stop, members.blocks() - 1
            trial = None
            # objects that do not fit to the others are noticed here, before anything is changed
            if 0 < start < stop:
                trial = self.measured_by.block(
                    members.prepared_at(0), sample.pick(piece.prepared, slice(0, 1))
                )
            self._tiled.check_disk(stop)
            old = members.name(last) if self._store.files and last >= 0 else ""
            members.append(piece)
            # objects that join an unfinished block change its name, so its files are renamed
            if self._store.files and old:
                names = [members.name(block) for block in range(last + 1)]
                self._store.files.rename(old, names[-1], names)
            if trial is not None:
                self._tiled.keep_pair(0, start, trial)
            return np.arange(start, stop).reshape(-1, 1)

    def __len__(self) -> int:
        return self._members.count

    def card(self) -> Card:
        """The objects, the metric, and what was measured and is kept so far."""
        n, calls = len(self), self.distance_calls
        pairs = n * (n - 1) // 2 if self.measured_by.is_symmetric else n * n
        part = f" ({share(min(1.0, calls / pairs))} of {pairs:,} pairs)" if pairs else ""
        used = f"{show_memory(self._store.nbytes)} of {show_memory(self._store.budget)} used"
        first = [told(sample.pick_one(self.objects, place), 30) for place in range(min(n, 3))]
        return Card(
            f"{n:,} object{'s' * (n != 1)} by {spoken_name(self.measured_by)} distance",
            (
                ("objects", ", ".join([*first, "..."] if n > len(first) else first) or "none"),
                ("metric", repr(self.measured_by)),
                ("distances", f"{calls:,} measured{part}"),
                ("memory", used),
                ("cache", "none" if self.cache is None else str(self.cache)),
            ),
            notes=("space.index stands for the objects, and space.metric measures them.",),
        )

    def __repr__(self) -> str:
        used = f"{show_memory(self._store.nbytes)} of {show_memory(self._store.budget)} used"
        kept = f"{self.distance_calls:,} distances measured, {used}"
        return f"MetricSpace(<{len(self):,} objects>, {self.measured_by!r}: {kept})"

    def __copy__(self) -> Self:
        """Return the space itself, so that copies share its distances."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return the space itself, so that copies share its distances."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the objects and the settings, and save known distances to the cache, where the
        other process finds them.
        """
        self._store.save()
        held = [piece.held for piece in self._members.pieces]
        return _unpickled, (held, self.measured_by, self.max_memory, self.cache, self.n_jobs)


class SpaceMetric(Metric):
    """The metric of a `MetricSpace` on the indices of its objects; the space keeps the distances.

    Name, unit and promises are those of the metric of the space, with one exception: different
    indices may refer to equal objects, so it cannot promise to separate them.

    Examples
    --------
    >>> space = MetricSpace([[0.0, 0.0], [3.0, 4.0]])
    >>> space.metric(0, 1), space.metric.name, space.metric.hilbertian
    (5.0, 'euclidean', True)
    """

    accepts: Kind = "indices"

    def __init__(self, space: MetricSpace) -> None:
        if not isinstance(space, MetricSpace):
            raise InvalidInput(
                f"SpaceMetric needs a MetricSpace, not {type(space).__name__}.",
                advice="Make one: MetricSpace(objects, metric).metric.",
                value=space,
            )
        self.space = space
        self.unit, self._dominated = space.measured_by.unit, space.measured_by.dominated

    @property
    def name(self) -> str:
        """The name of the metric of the space, for messages."""
        return self.space.measured_by.name

    @property
    def full_name(self) -> str | None:
        """The full name of the metric of the space."""
        return self.space.measured_by.full_name

    @property
    def promises(self) -> Promises:
        """The promises of the metric of the space, except ``separates``."""
        promises = self.space.measured_by.promises
        return replace(promises, separates=promises.separates and None)

    @property
    def is_symmetric(self) -> bool:
        """Whether the metric of the space is."""
        return self.space.measured_by.is_symmetric

    @property
    def built_in(self) -> bool:
        """Whether the metric of the space is; see `wideberth.Metric.built_in`."""
        return self.space.measured_by.built_in

    def prepare(self, objects: Objects) -> Indices:
        """Check indices, of shape (n,) or (n, 1), and return them as a flat array of integers.

        They are whole numbers from 0 to ``len(space) - 1``, floats too; anything else is an
        `InvalidInput`.
        """
        given = np.asarray(objects)
        size = len(self.space)
        indices = given.reshape(-1) if given.ndim <= 1 or given.shape[1:] == (1,) else None
        if (
            indices is None
            or (given.dtype.kind not in "iuf" and given.size)
            or not np.all(indices == np.trunc(indices))
        ):
            raise InvalidInput(
                "The objects of a space are given by their indices, whole numbers; this is an "
                f"array of {given.dtype} with shape {given.shape}.",
                advice="Pass rows of space.index; new objects get theirs by space.append(objects).",
                value=objects,
            )
        outside = (indices < 0) | (indices >= size)
        if outside.any():
            raise InvalidInput(
                f"The space has {size} objects; there is no index {indices[outside][0]}.",
                advice=f"Use 0 to {size - 1}; new objects get an index by space.append(objects)."
                if size
                else "Append some first.",
                value=int(indices[outside][0]),
            )
        return indices.astype(np.intp, copy=False)

    def digests(self, X: Objects, prepared: Indices) -> Digests | None:
        """Return the digests of the objects that the indices refer to; see
        `wideberth.Metric.digests`.

        >>> words = MetricSpace(["tea", "rum"], "levenshtein")
        >>> measure, index = words.measured_by, words.metric.prepare([1])
        >>> words.metric.digests([1], index) == measure.digests(["rum"], measure.prepare(["rum"]))
        array([ True])
        """
        objects = self._picked(prepared)
        return self.space.measured_by.digests(objects, self.space.measured_by.prepare(objects))

    def contents(self, X: Objects, prepared: Indices) -> Sample:
        """The objects that the indices refer to; see `wideberth.Metric.contents`."""
        objects = self._picked(prepared)
        return self.space.measured_by.contents(objects, self.space.measured_by.prepare(objects))

    def all_digests(self, X: Objects, prepared: Indices) -> ObjectDigests | None:
        """Those of the objects, of the kind that the metric of the space measures; see
        `wideberth.Metric.all_digests`.
        """
        objects = self._picked(prepared)
        return self.space.measured_by.all_digests(objects, self.space.measured_by.prepare(objects))

    def alike_digests(self, prepared: Indices) -> Digests | None:
        """Those of the objects; see `wideberth.Metric.alike_digests`."""
        return self.space.measured_by.alike_digests(self._objects_at(prepared))

    def radii_in(self, other: str, radii: Distances, prepared: Indices) -> Distances | None:
        """Those of the objects; see `wideberth.Metric.radii_in`."""
        return self.space.measured_by.radii_in(other, radii, self._objects_at(prepared))

    def distances_after(
        self,
        other: str,
        moved: Distances,
        objects: Indices,
        references: Indices,
        distances: Distances,
    ) -> tuple[Distances, Distances] | None:
        """Those of the objects; see `wideberth.Metric.distances_after`."""
        left, right = self._objects_at(objects), self._objects_at(references)
        return self.space.measured_by.distances_after(other, moved, left, right, distances)

    def _picked(self, indices: Indices) -> Sample:
        return sample.pick(self.space.objects, indices)

    def _objects_at(self, indices: Indices) -> Sample:
        return self.space.measured_by.prepare(self._picked(indices))

    def distance_errors(self, prepared: Indices) -> DistanceErrors:
        """Those of the objects; see `wideberth.Metric.distance_errors`."""
        return self.space.measured_by.distance_errors(self._objects_at(prepared))

    @property
    def taught_by(self) -> Digests | None:
        """What the metric of the space was taught by: usually the objects with which the space
        began.
        """
        return self.space.measured_by.taught_by

    @property
    def uses_labels(self) -> bool:
        """Whether labels taught the metric of the space."""
        return self.space.measured_by.uses_labels

    def nanoseconds(self, prepared: Indices) -> float:
        """Estimate the time of one distance: that of a look-up for the share of the pairs that the
        space has measured.
        """
        measure, some = self.space.measured_by, prepared[:_TYPICAL]
        known = min(
            1.0, self.space.distance_calls / max(1, len(self.space) * (len(self.space) - 1) // 2)
        )
        anew = measure.nanoseconds(self._objects_at(some))
        return known * _LOOK_UP + (1.0 - known) * anew

    def _measure(self, left: Indices, right: Indices) -> Distances:
        return self.space._tiled.block(left, right)


class _Unchanged:
    """Whether the metric of a space still has the fingerprint by which its tiles are kept; the
    first change is warned of.
    """

    def __init__(self, members: Members, known: str) -> None:
        self._members, self._known, self._told = members, known, False

    def __call__(self) -> bool:
        metric = self._members.metric
        if metric.built_in or fingerprint([metric, self._members.block_size]) == self._known:
            return True
        if not self._told:
            self._told = True
            warn_user(
                f"{metric.name!r} names a value that has changed since the space was made (a "
                "global, a closure, an attribute): what was measured meanwhile is not kept in the "
                "cache. Make a new space after a change; a distance that counts or remembers its "
                "calls does so in a file, or in functools.lru_cache.",
                RuntimeWarning,
            )
        return False


def _unpickled(
    held: list[Sample], metric: Metric, max_memory: str | int, cache: Any, n_jobs: int | None
) -> MetricSpace:
    """Make a space again from what `MetricSpace.__reduce__` returns; ``held`` are the initial and
    the appended objects.
    """
    space = MetricSpace(held[0], metric, max_memory=max_memory, cache=cache, n_jobs=n_jobs)
    for more in held[1:]:
        space._members.append(space._members.prepare(more))
    return space


# ---- When a space pays, and what it is sent with


def themselves(objects: Sample, metric: Metric) -> tuple[Sample, Metric]:
    """Objects as they are, where they are given by their indices, and the metric that takes them
    so.

    It is for what can be told without measuring: what that metric measures is neither counted nor
    kept.

    Examples
    --------
    >>> themselves([1], MetricSpace(["tea", "tee"], "levenshtein").metric)
    (array(['tee'], dtype=object), Levenshtein())
    """
    if isinstance(metric, SpaceMetric):
        return sample.pick(metric.space.objects, metric.prepare(objects)), metric.space.measured_by
    return plain_objects(objects), metric.metric if isinstance(metric, MeasuredOnce) else metric


def space_if_it_fits(
    objects: Objects,
    metric: Metric,
    *,
    max_memory: int,
    n_jobs: int | None = None,
    appended: int = 0,
) -> MetricSpace | None:
    """A `wideberth.MetricSpace` of the objects that keeps all of their distances, or None where it
    would not pay.

    It does not pay for vectors, which are measured as fast as distances are looked up, and for
    indices into a matrix or a space and for indexed objects, which have that already; nor if
    ``max_memory`` cannot hold all distances, because some would be measured again.

    ``appended`` is how many objects will be appended. Nothing has been measured yet.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> drinks = ["tea", "tee", "coffee"]
    >>> len(space_if_it_fits(drinks, metric("levenshtein"), max_memory=1000))
    3
    >>> space_if_it_fits(drinks, metric("levenshtein"), max_memory=7) is None
    True
    >>> space_if_it_fits([[0.0], [1.0]], metric("euclidean"), max_memory=1000) is None
    True
    """
    if metric.accepts in ("vectors", "indices") or isinstance(metric, MeasuredOnce):
        return None
    if distance_bytes(sample.count(objects) + appended, metric) > max_memory:
        return None
    return MetricSpace(objects, metric, max_memory=max_memory, n_jobs=n_jobs)


def distance_bytes(n_objects: int, metric: Metric) -> int:
    """Bytes for the tiles of all distances of this many objects: on and above the diagonal if the
    metric is symmetric.

    Whole numbers, such as edits, take two bytes, other distances eight.

    >>> from wideberth.metrics.named import metric
    >>> distance_bytes(1000, metric("levenshtein")), distance_bytes(1000, metric("dtw"))
    (1250432, 8000000)
    """
    pairs = n_objects**2
    if metric.is_symmetric:  # of the tiles on the diagonal both halves are kept
        full, rest = divmod(n_objects, TILE_SIZE)
        pairs = (pairs + full * TILE_SIZE**2 + rest**2) // 2
    return (2 if are_whole(metric) else 8) * pairs


def keeps_all(metric: Metric) -> bool:
    """Whether a metric keeps distances, and has the memory for all of them.

    >>> from wideberth.metrics.named import metric
    >>> (
    ...     keeps_all(metric("levenshtein")),
    ...     keeps_all(MetricSpace(["tea", "tee"], "levenshtein").metric),
    ... )
    (False, True)
    """
    if isinstance(metric, SpaceMetric):
        return _holds_all(metric.space)
    return isinstance(metric, MeasuredOnce) and metric.table is not None


def space_with_distances(space: MetricSpace) -> tuple[Any, ...]:
    """What pickles a space with the distances that it knows: a function and its arguments, as of
    ``__reduce__``.

    It has no cache: processes elsewhere may not see the directory.

    A space whose memory does not hold all of its distances is a ``PicklingError``.

    Examples
    --------
    >>> space = MetricSpace(["tea", "tee", "coffee"], "levenshtein")
    >>> distances = space.metric.block(space.index, space.index)
    >>> make, arguments = space_with_distances(space)
    >>> make(*arguments).metric.block([0], [1, 2])
    array([[1., 5.]])
    """
    if not _holds_all(space):
        raise PicklingError("The space has more distances than its memory holds.")
    held = [piece.held for piece in space._members.pieces]
    return _with_distances, (
        held,
        space.measured_by,
        space.max_memory,
        space._store.in_memory(),
        space.distance_calls,
    )


def _holds_all(space: MetricSpace) -> bool:
    return distance_bytes(len(space), space.measured_by) <= space._store.budget


def _with_distances(
    held: list[Sample], metric: Metric, max_memory: str | int, tiles: dict[Any, Any], calls: int
) -> MetricSpace:
    space = _unpickled(held, metric, max_memory, None, 1)
    for key, distances in tiles.items():
        with space._store.borrow([key]) as borrowed:
            borrowed[key].merge(distances)
    space._tiled.calls = calls
    return space

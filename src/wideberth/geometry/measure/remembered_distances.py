"""Distances that are kept in memory while a model learns, each measured once.

`PairTable` holds those between the objects of one sample, measured when they are first asked for;
`MeasuredOnce` is the metric that looks them up there, for `IndexedSample`, objects that know their
places; `measure_once` decides when that pays. `KeptDistances` holds those from objects to references,
all measured at once. `DistanceStore` is what a table has in common with the tiles of a
`wideberth.MetricSpace`.
"""

import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Indices, Objects, Sample
from wideberth.geometry.measure.blocks import CHUNK_SECONDS, TRIAL_PAIRS, row_bands
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.progress import task
from wideberth.rounding import DistanceErrors

# ---- The distances between the objects of one sample in one matrix, each of them measured when it
# is first asked for

#: What marks a distance that was not measured yet; no distance is that. A table of 16 bits that
#: would have to hold its mark, or a fraction, becomes one of floats.
MISSING: dict[Any, float] = {np.dtype(np.float64): -np.inf, np.dtype(np.uint16): 65_535}

#: Rows that are measured together against all of their columns, where a metric of this library is
#: cheap enough to measure some pairs in vain.
_BAND = 64


class IndexedSample:
    """Prepared objects that know their indices in a `PairTable`, by which their distances are
    looked up.

    It can be counted and picked from like any prepared sample. Once the table is gone it is no more
    than its objects. A pickled copy is the plain sample, and libraries that write attributes one by
    one, such as skops, write no more than that.

    ``prepared`` are objects of the table that follow each other from the index ``first`` on, these
    among them. The table is not kept alive.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> table = PairTable(3, metric("levenshtein"), max_memory=1000, n_jobs=1)
    >>> drinks = IndexedSample(
    ...     np.array(["tea", "tee", "coffee"], dtype=object), table, np.array([0, 2])
    ... )
    >>> len(drinks), drinks.take([1]).objects
    (2, array(['coffee'], dtype=object))
    """

    def __init__(
        self, prepared: Sample, table: "PairTable", indices: Indices, first: int = 0
    ) -> None:
        self.indices, self.first = indices, first
        self._prepared = prepared
        self._table: weakref.ref[PairTable] | None = weakref.ref(table)
        self._own: Any = None  # the objects themselves, as soon as they were asked for

    @property
    def table(self) -> "PairTable | None":
        """The table, as long as it lasts."""
        return None if self._table is None else self._table()

    @property
    def objects(self) -> Sample:
        """The objects themselves, prepared by their metric."""
        if self._own is None:
            self._own = self.pick(self.indices)
        if self.table is None:
            self._prepared = None  # the other objects are not needed any more
        return self._own

    @property
    def around(self) -> Sample:
        """These objects among others of the table, a plain sample whose first one has the index
        ``first``.
        """
        return self._prepared

    def pick(self, indices: Indices) -> Sample:
        """The objects with these indices in the table, a plain sample."""
        return sample.pick(self._prepared, indices - self.first)

    def take(self, positions: Any) -> Sample:
        """Those at some positions, still indexed while the table lasts."""
        table = self.table
        if table is None:
            return sample.pick(self.objects, positions)
        return IndexedSample(self._prepared, table, self.indices[positions], self.first)

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, position: int) -> Any:
        return sample.pick_one(self.objects, position)

    def __iter__(self) -> Iterator[Any]:
        return iter(sample.one_by_one(self.objects))

    def __reduce__(self) -> tuple[Any, ...]:
        return _pair_itself, (self.objects,)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "indices": self.indices,
            "first": self.first,
            "_prepared": None,
            "_table": None,
            "_own": self.objects,
        }


def plain_objects(objects: Sample) -> Sample:
    """A prepared sample as its metric prepared it: without the indices of an `IndexedSample`.

    Examples
    --------
    >>> plain_objects(["tea"])
    ['tea']
    """
    return objects.objects if isinstance(objects, IndexedSample) else objects


class DistanceStore:
    """What stores of distances have in common: rectangles of missing pairs are measured on all cores
    and counted, and how long a distance takes is learned from that.

    ``symmetric`` is whether the metric promises that it is, so that a pair is measured in one
    direction and an object not at all with itself; ``calls`` how many distances were measured so
    far; ``seconds_a_pair`` how long one took on one core: the smallest seen, because short blocks
    and compiling take longer, and None before the first.
    """

    def __init__(self, metric: Metric, n_jobs: int | None) -> None:
        self.metric, self.n_jobs = metric, n_jobs
        self.symmetric = metric.is_symmetric
        self.calls = 0
        self.seconds_a_pair: float | None = None
        self._counting = threading.Lock()

    def count(self, pairs: int, seconds: float) -> None:
        """Add so many distances that took so long."""
        with self._counting:
            self.calls += pairs
            self.seconds_a_pair = min(self.seconds_a_pair or np.inf, seconds / pairs)

    def chunk_pairs(self, pairs: int, prepared: Sample) -> int:
        """In how many pairs a request for so many is cut: few enough that all cores have several
        chunks, and that none takes much longer than `CHUNK_SECONDS`.
        """
        rate = self.seconds_a_pair
        if rate is None and self.metric.built_in:
            rate = 1e-9 * self.metric.nanoseconds(prepared)
        if rate is None:
            return TRIAL_PAIRS
        most = 1 + int(CHUNK_SECONDS / max(rate, 1e-9))
        if pairs <= most:  # to count cores takes longer than many requests
            return most
        return min(most, max(1, pairs // (4 * effective_jobs(self.n_jobs))))

    def measured(
        self, samples: Sequence[Sample], bundles: list[list[tuple["Place", "Place"]]], pairs: int
    ) -> Iterator[list[Distances]]:
        """The blocks of each bundle of places, which hold so many pairs, in order."""
        found = over_chunks(
            partial(measure_bundle, self.metric, samples),
            bundles,
            n_jobs=self.n_jobs,
            how=self.metric.parallel,
            expected=None if self.seconds_a_pair is None else self.seconds_a_pair * pairs,
        )
        for blocks, seconds in found:
            self.count(sum(block.size for block in blocks), seconds)
            yield blocks


class Place(NamedTuple):
    """Where some objects are: the number of a sample, and their positions in it."""

    number: int
    positions: slice | Indices

    def picked(self, samples: Sequence[Sample]) -> Sample:
        """The objects themselves."""
        return sample.pick(samples[self.number], self.positions)


def measure_bundle(
    metric: Metric, samples: Sequence[Sample], bundle: list[tuple[Place, Place]]
) -> tuple[list[Distances], float]:
    """Measure the distances between objects at each pair of places; return the blocks and the
    seconds that took.
    """
    started = time.perf_counter()
    blocks = [metric.block(left.picked(samples), right.picked(samples)) for left, right in bundle]
    return blocks, time.perf_counter() - started


class PairTable(DistanceStore):
    """The distances between n objects, in a matrix that is filled as they are asked for: of two
    bytes each if a metric of this library measures whole numbers, as edits, else of eight.

    If the metric promises the axioms, a pair is measured in one direction, and an object not at all
    with itself. Of other distances both directions and the diagonal are measured. Several threads
    may use one table.

    ``known`` are distances that are known already, `MISSING` where they are not. ``tried`` is
    whether some distances were measured in both directions, to try the promise of the metric.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> table = PairTable(3, metric("levenshtein"), max_memory=1000, n_jobs=1)
    >>> drinks = IndexedSample(table.metric.prepare(["tea", "tee", "coffee"]), table, np.arange(3))
    >>> table.block(drinks, drinks)
    array([[0., 1., 5.],
           [1., 0., 4.],
           [5., 4., 0.]])
    >>> table.calls
    3
    """

    def __init__(
        self,
        n_objects: int,
        metric: Metric,
        *,
        max_memory: int,
        n_jobs: int | None,
        known: Distances | None = None,
    ) -> None:
        super().__init__(metric, n_jobs)
        self.max_memory = max_memory
        self.tried = False
        self._known: NDArray[Any] = (
            self._empty(n_objects, _narrowest(metric)) if known is None else known
        )
        self._lock = threading.RLock()

    @property
    def known(self) -> Distances:
        """All distances, `MISSING` where none was measured yet."""
        return self._known

    def __len__(self) -> int:
        return len(self._known)

    def has_place_for(self, more: int) -> bool:
        """Whether the memory holds the distances of so many more objects."""
        return table_bytes(len(self) + more, self.metric) <= self.max_memory

    def grow(self, more: int) -> Indices:
        """Make place for more objects; their indices."""
        with self._lock:
            n_before = len(self)
            known = self._empty(n_before + more, self._known.dtype)
            known[:n_before, :n_before] = self._known
            self._known = known
            return np.arange(n_before, n_before + more)

    def block(self, left: IndexedSample, right: IndexedSample) -> Distances:
        """The distances from some objects to others, in any order and perhaps with repetitions; a
        new array.
        """
        with self._lock:
            wanted = np.ix_(left.indices, right.indices)
            distances = self._known[wanted]
            missing = distances == self._mark
            if missing.any():
                rows = left.indices[missing.any(axis=1)]
                columns = right.indices[missing.any(axis=0)]
                self._fill(left, right, np.unique(rows), np.unique(columns))
                distances = self._known[wanted]
            return distances.astype(np.float64, copy=False)

    @property
    def _mark(self) -> float:
        return MISSING[self._known.dtype]

    def _empty(self, n_objects: int, dtype: Any) -> NDArray[Any]:
        known = np.full((n_objects, n_objects), MISSING[np.dtype(dtype)], dtype=dtype)
        if self.symmetric:
            np.fill_diagonal(known, 0)
        return known

    def _fill(
        self, left: IndexedSample, right: IndexedSample, rows: Indices, columns: Indices
    ) -> None:
        """Measure what is missing between these rows and columns, without repetitions, from both
        samples.
        """
        missing = self._known[np.ix_(rows, columns)] == self._mark
        if self.symmetric:
            _drop_doubles(missing, rows, columns, both_ways=not self.metric.built_in)
        in_bands = self.metric.built_in
        cover = _bands(missing) if in_bands else rectangles(missing)
        pairs = int(missing.sum())
        bundles = list(_bundled(cover, self.chunk_pairs(pairs, left.around)))
        places = [
            [
                (
                    Place(0, as_slice(rows[down] - left.first)),
                    Place(1, as_slice(columns[across] - right.first)),
                )
                for down, across in bundle
            ]
            for bundle in bundles
        ]
        measured = self.measured((left.around, right.around), places, pairs)
        with task(f"distances ({self.metric.name})", pairs) as measuring:
            for bundle, blocks in zip(bundles, measured, strict=True):
                for (down, across), block in zip(bundle, blocks, strict=True):
                    needed = missing[np.ix_(down, across)] if in_bands else None
                    self._keep(rows[down], columns[across], block, needed)
                measuring.advance(sum(block.size for block in blocks))

    def _keep(
        self, rows: Indices, columns: Indices, block: NDArray[Any], needed: Flags | None
    ) -> None:
        """Keep those distances of a block that are needed; all if None."""
        block = self._as_known(block)
        there, mirrored = np.ix_(rows, columns), np.ix_(columns, rows)
        if needed is None or needed.all():
            self._known[there] = block
            if self.symmetric:
                self._known[mirrored] = block.T
            return
        self._known[there] = np.where(needed, block, self._known[there])
        if self.symmetric:
            self._known[mirrored] = np.where(needed, block, self._known[mirrored].T).T

    def _as_known(self, block: Distances) -> NDArray[Any]:
        """Distances in the type of the matrix, which becomes wider if it cannot hold them."""
        if self._known.dtype == np.float64:
            return block
        with np.errstate(invalid="ignore"):  # what does not fit is found in the next line
            narrow = block.astype(self._known.dtype)
        if np.array_equal(narrow, block) and not (narrow == self._mark).any():
            return narrow
        unknown, self._known = self._known == self._mark, self._known.astype(np.float64)
        self._known[unknown] = self._mark
        return block


def table_bytes(n_objects: int, metric: Metric) -> int:
    """Bytes of a table of so many objects.

    >>> from wideberth.metrics.named import metric
    >>> table_bytes(1000, metric("levenshtein")), table_bytes(1000, metric("dtw"))
    (2000000, 8000000)
    """
    return _narrowest(metric).itemsize * n_objects**2


def _narrowest(metric: Metric) -> np.dtype[Any]:
    """What the distances of a metric are kept in: those of the user are not trusted to be whole."""
    return np.dtype(np.uint16 if metric.built_in and are_whole(metric) else np.float64)


def are_whole(metric: Metric) -> bool:
    """Whether all distances are promised to be whole numbers, as edits are."""
    return metric.step is not None and float(metric.step).is_integer()


def rectangles(needed: Flags) -> list[tuple[Indices, Indices]]:
    """Cover the True entries of a matrix exactly, by rectangles of rows with the same pattern.

    Equal rows share a rectangle.

    Examples
    --------
    >>> rectangles(np.array([[True, False], [True, True], [True, False]]))
    [(array([0, 2]), array([0])), (array([1]), array([0, 1]))]
    """
    if needed.all():
        return [(np.arange(needed.shape[0]), np.arange(needed.shape[1]))] if needed.size else []
    alike: dict[bytes, list[int]] = {}
    for row, pattern in enumerate(np.packbits(needed, axis=1)):
        alike.setdefault(pattern.tobytes(), []).append(row)
    found = ((np.array(rows), np.flatnonzero(needed[rows[0]])) for rows in alike.values())
    return [(rows, columns) for rows, columns in found if len(columns)]


def _bands(needed: Flags) -> list[tuple[Indices, Indices]]:
    """Cover the True entries by rectangles of neighbouring rows, with some False entries among them
    where these are few: two large blocks are measured faster than many rows.
    """
    found = []
    for start in range(0, len(needed), _BAND):
        band = needed[start : start + _BAND]
        columns = np.flatnonzero(band.any(axis=0))
        if len(band) == _BAND and 2 * band.sum() >= len(band) * len(columns) > 0:
            found.append((np.arange(start, start + len(band)), columns))
        else:
            found += [(start + rows, columns) for rows, columns in rectangles(band)]
    return found


def _bundled(
    cover: list[tuple[Indices, Indices]], most: int
) -> Iterator[list[tuple[Indices, Indices]]]:
    """Rectangles of a matrix, cut to about ``most`` entries, and small ones in bundles of that
    size.
    """
    bundle, size = [], 0
    for rows, columns in cover:
        height = max(1, most // len(columns))
        for start in range(0, len(rows), height):
            bundle.append((rows[start : start + height], columns))
            size += min(height, len(rows) - start) * len(columns)
            if size >= most:
                yield bundle
                bundle, size = [], 0
    if bundle:
        yield bundle


def as_slice(indices: Indices) -> slice | Indices:
    """Return consecutive indices as a slice, which picks without copying, and other indices
    unchanged.

    They ascend without repetition.

    Examples
    --------
    >>> as_slice(np.array([3, 4, 5])), as_slice(np.array([3, 5]))
    (slice(3, 6, None), array([3, 5]))
    """
    if len(indices) and indices[-1] - indices[0] == len(indices) - 1:
        return slice(int(indices[0]), int(indices[-1]) + 1)
    return indices


def _drop_doubles(missing: Flags, rows: Indices, columns: Indices, *, both_ways: bool) -> None:
    """Of pairs that are missing in both directions leave one, in place: that from the lower index.

    If ``both_ways``, only if the sum of the two indices is even: so both directions occur, whatever
    the order of the objects, and a distance that is not symmetric although it was promised breaks
    triangles.
    """
    both, at_rows, at_columns = np.intersect1d(
        rows, columns, assume_unique=True, return_indices=True
    )
    if len(both) > 1:
        forwards = both[:, None] < both
        if both_ways:
            forwards = ((both[:, None] + both) % 2 == 0) == forwards
        missing[np.ix_(at_rows, at_columns)] &= forwards


def _pair_itself(plain: Sample) -> Sample:
    """What a pickled `IndexedSample` becomes."""
    return plain


#: Nanoseconds from which on a distance of this library is worth keeping: about fifty are looked up
#: in that time. All distances that the user's code measures are kept: only the user knows what they
#: cost.
WORTH_KEEPING = 1_000.0


class MeasuredOnce(Metric):
    """The metric of objects whose distances are kept in a table, for as long as that lasts.

    Distances between two samples of indexed objects are looked up, and measured if they were not
    yet; all others are measured. It has the name, the promises and the bounds of its metric.
    Without its table, and in a pickled copy, it is no more than its metric; libraries that write
    attributes one by one, such as skops, leave the table out.

    The table is not kept alive: whoever made it decides how long it lasts.

    Examples
    --------
    >>> numbers, gap = (
    ...     np.array([3.0, 4.0, 9.0]),
    ...     Metric(lambda left, right: abs(left[:, None] - right)),
    ... )
    >>> table = PairTable(3, gap, max_memory=1000, n_jobs=1)
    >>> objects, metric = IndexedSample(numbers, table, np.arange(3)), MeasuredOnce(gap, table)
    >>> for _ in range(5):
    ...     distances = metric.block(objects.take([0, 1]), objects)
    >>> table.calls
    6
    """

    def __init__(self, metric: Metric, table: PairTable) -> None:
        self.metric = metric
        self.unit = metric.unit
        self._from_user = not metric.built_in
        self._table: weakref.ref[PairTable] | None = weakref.ref(table)

    @property
    def table(self) -> PairTable | None:
        """The table, as long as it lasts."""
        return None if self._table is None else self._table()

    @property
    def accepts(self) -> Kind:  # type: ignore[override]
        """What its metric accepts; while distances are kept "objects", since indexed objects are no
        vectors to be checked.
        """
        return self.metric.accepts if self.table is None else "objects"

    @property
    def parallel(self) -> Literal["threads", "processes"] | None:  # type: ignore[override]
        """How its metric runs; while distances are kept not at all: the table measures on all cores
        itself.
        """
        return self.metric.parallel if self.table is None else None

    @property
    def name(self) -> str:
        """The name of its metric."""
        return self.metric.name

    @property
    def full_name(self) -> str | None:
        """The full name of its metric."""
        return self.metric.full_name

    @property
    def promises(self) -> Promises:
        """The promises of its metric."""
        return self.metric.promises

    @property
    def is_symmetric(self) -> bool:
        """Whether its metric is."""
        return self.metric.is_symmetric

    def prepare(self, objects: Objects) -> Sample:
        """Prepare the objects as its metric does; indexed ones are prepared."""
        return objects if isinstance(objects, IndexedSample) else self.metric.prepare(objects)

    def digests(self, X: Objects, prepared: Sample) -> Digests | None:
        """Compute the digests of its metric; see `wideberth.Metric.digests`."""
        return self.metric.digests(plain_objects(X), plain_objects(prepared))

    def contents(self, X: Objects, prepared: Sample) -> Any:
        """Those of its metric; see `wideberth.Metric.contents`."""
        return self.metric.contents(plain_objects(X), plain_objects(prepared))

    def alike_digests(self, prepared: Sample) -> Digests | None:
        """Those of its metric; see `wideberth.Metric.alike_digests`."""
        return self.metric.alike_digests(plain_objects(prepared))

    @property
    def dominated(self) -> Mapping[str, float]:
        """By what its metric is bounded."""
        return self.metric.dominated

    def radii_in(self, other: str, radii: Distances, prepared: Sample) -> Distances | None:
        """What its metric knows; see `wideberth.Metric.radii_in`."""
        return self.metric.radii_in(other, radii, plain_objects(prepared))

    def distances_after(
        self,
        other: str,
        moved: Distances,
        objects: Sample,
        references: Sample,
        distances: Distances,
    ) -> tuple[Distances, Distances] | None:
        """What its metric knows; see `wideberth.Metric.distances_after`."""
        return self.metric.distances_after(
            other, moved, plain_objects(objects), plain_objects(references), distances
        )

    @property
    def taught_by(self) -> Digests | None:
        """What its metric was taught by."""
        return self.metric.taught_by

    @property
    def uses_labels(self) -> bool:
        """Whether its metric does."""
        return self.metric.uses_labels

    def distance_errors(self, prepared: Sample) -> DistanceErrors:
        """Those of its metric; see `wideberth.Metric.distance_errors`."""
        return self.metric.distance_errors(plain_objects(prepared))

    def nanoseconds(self, prepared: Sample) -> float:
        """What its metric takes for one distance: new objects are measured."""
        return self.metric.nanoseconds(plain_objects(prepared))

    def _measure(self, left: Sample, right: Sample) -> Distances:
        table = self.table
        if table is not None and _in_table(left, table) and _in_table(right, table):
            return table.block(left, right)
        return self.metric.block(plain_objects(left), plain_objects(right))

    def __copy__(self) -> "MeasuredOnce":
        copied: MeasuredOnce = object.__new__(type(self))
        vars(copied).update(vars(self))
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return _itself, (self.metric,)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_table": None}

    def __repr__(self) -> str:
        return repr(self.metric)


def measure_once(
    objects: Sample,
    metric: Metric,
    *,
    max_memory: int,
    n_jobs: int | None = None,
    again: bool = False,
) -> tuple[Sample, Metric, PairTable | None]:
    """Objects and their metric, such that each distance is measured once, if that pays and the
    memory holds all of them.

    It pays for every distance that the user's code measures, and for those of this library that
    take a microsecond or more (`Metric.nanoseconds`), except between vectors. Distances that are in
    a matrix or in a space are looked up anyway.

    If all distances are asked for ``again`` and again, as by folds, it pays for all metrics but
    those of vectors. Keep the table as long as distances are to be kept; nothing has been measured
    yet.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> measure_once(np.zeros((2, 3)), metric("euclidean"), max_memory=1000)[2] is None
    True
    """
    n = sample.count(objects)
    if (
        isinstance(metric, MeasuredOnce)
        or not _worth_keeping(objects, metric, again)
        or table_bytes(n, metric) > max_memory
    ):
        return objects, metric, None
    table = PairTable(n, metric, max_memory=max_memory, n_jobs=n_jobs)
    return IndexedSample(objects, table, np.arange(n)), MeasuredOnce(metric, table), table


def index_more(objects: Objects, metric: MeasuredOnce) -> Sample:
    """Other objects, prepared, with a place in the table of the metric if the memory holds their
    distances too.

    Such as references, which the objects of the table are measured against again and again.

    Examples
    --------
    >>> gap = Metric(lambda left, right: abs(left[:, None] - right))
    >>> objects, metric, table = measure_once(np.array([3.0, 4.0]), gap, max_memory=1000)
    >>> index_more(np.array([9.0]), metric).indices
    array([2])
    """
    table, prepared = metric.table, metric.metric.prepare(objects)
    more = sample.count(prepared)
    if table is None or not table.has_place_for(more):
        return prepared
    indices = table.grow(more)
    return IndexedSample(prepared, table, indices, first=len(table) - more)


def _worth_keeping(objects: Sample, metric: Metric, again: bool) -> bool:
    if metric.accepts == "indices":
        return False
    if metric.built_in or again:
        dear = again or metric.nanoseconds(objects) >= WORTH_KEEPING
        return metric.accepts != "vectors" and dear
    return True


def _in_table(objects: Sample, table: PairTable) -> bool:
    return isinstance(objects, IndexedSample) and objects.table is table


def _itself(metric: Metric) -> Metric:
    """What a pickled `MeasuredOnce` becomes."""
    return metric


# ---- Distances between objects and references:


class KeptDistances:
    """The distances from n objects (rows) to m references (columns), kept in memory if they fit.

    `matrix` measures all of them once and keeps them if they take at most half of ``max_memory``:
    in two bytes each where that is exact, as for edit distances, else in eight. If the references
    are the objects themselves (the same Python object, not an equal one) and the metric declares
    the axioms of a metric, only about half of the distances are measured. Several threads may use
    one instance.

    ``calls`` is how many distances the metric was asked for; that of a space may have known some of
    them.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> drinks = np.array(["tea", "coffee", "milk"], dtype=object)
    >>> kept = KeptDistances(drinks, drinks, metric("levenshtein"), max_memory=1000, n_jobs=1)
    >>> kept.matrix()
    array([[0, 5, 4],
           [5, 0, 6],
           [4, 6, 0]], dtype=uint16)
    """

    def __init__(
        self,
        objects: Sample,
        references: Sample,
        metric: Metric,
        *,
        max_memory: int,
        n_jobs: int | None,
    ) -> None:
        self.objects = objects
        self.references = references
        self.metric = metric
        self.n_jobs = n_jobs
        self.shape = sample.count(objects), sample.count(references)
        self.calls = 0
        self._room = max_memory // 2
        self._mirrored = objects is references and metric.is_symmetric
        self._dtype: Any = np.uint16 if are_whole(metric) else np.float64
        self._matrix: NDArray[Any] | None = None
        self._lock = threading.RLock()

    @property
    def fits(self) -> bool:
        """Whether all distances fit into half of the memory, so that `matrix` keeps them."""
        return self.shape[0] * self.shape[1] * int(np.dtype(self._dtype).itemsize) <= self._room

    def matrix(self) -> NDArray[Any] | None:
        """Return all distances, measured at the first call, or None if they do not fit.

        Of type uint16 or float64, and shared by all callers: do not write to it.
        """
        with self._lock:
            while self._matrix is None and self.fits:
                self._matrix = self._measure_all(np.empty(self.shape, dtype=self._dtype))
                if self._matrix is None:  # the step promised more than the distances keep
                    self._dtype = np.float64
            return self._matrix

    @cached_property
    def largest(self) -> float:
        """The largest distance of the matrix; 0 if the matrix is empty or does not fit."""
        matrix = self.matrix()
        return 0.0 if matrix is None else float(matrix.max(initial=0))

    def block(self, rows: Indices, columns: Indices) -> Distances:
        """Return the distances from some objects to some references.

        They are read from the matrix if `matrix` was called and kept it; otherwise they are
        measured again.
        """
        if self._matrix is not None:
            return self._matrix[np.ix_(rows, columns)].astype(np.float64, copy=False)
        chosen = sample.pick(self.objects, rows)
        others = sample.pick(self.references, columns)
        out = np.empty((sample.count(chosen), sample.count(others)))
        for band, measured in row_bands(self.metric, chosen, others, n_jobs=self.n_jobs):
            out[band] = measured
        self.count(out.size)
        return out

    def count(self, calls: int) -> None:
        """Add distances that were measured elsewhere on behalf of this instance."""
        with self._lock:
            self.calls += calls

    def _measure_all(self, out: NDArray[Any]) -> NDArray[Any] | None:
        """Fill ``out``; None if its type cannot hold the distances."""
        with task(f"distances ({self.metric.name})", out.size) as measuring:
            for band, measured in row_bands(
                self.metric,
                self.objects,
                self.references,
                n_jobs=self.n_jobs,
                mirrored=self._mirrored,
            ):
                self.count(measured.size)
                first = band.start if self._mirrored else 0
                kept = out[band, first:]
                with np.errstate(invalid="ignore"):  # what does not fit is found in the next line
                    kept[...] = measured
                if out.dtype != np.float64 and not np.array_equal(kept, measured):
                    return None
                if self._mirrored:
                    out[first:, band] = kept.T
                measuring.advance(measured.size)
        return out

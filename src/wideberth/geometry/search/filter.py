"""Search with signatures that bound distances from below: only objects whose bound leaves them in
question are measured.
"""

from functools import cached_property
from typing import Any

import numpy as np

from wideberth.array_types import Indices, Sample
from wideberth.errors import InvalidInput
from wideberth.geometry.search.engine import (
    Brute,
    Collector,
    CollectorEngine,
    Population,
    QueryBatch,
    even_chunk_size,
)
from wideberth.geometry.search.filter_kernels import (
    STRIP,
    Shelves,
    SpelledStrings,
    Terms,
    search_shelves,
)
from wideberth.geometry.search.pivots import measure_by_bound
from wideberth.metrics.metric import Metric
from wideberth.metrics.strings.edits import EditSignatures, EditSketch
from wideberth.metrics.strings.kernels import LONGEST, Letters
from wideberth.objects import sample
from wideberth.wording import setting

#: Most queries that are answered together.
MOST_QUERIES = 512
#: Pairs of a query and an object that are worth a chunk of work of their own: a millisecond or two.
CHUNK_PAIRS = 2**20
#: The share of the objects from which on a class has strips of its own, which a query that excludes
#: the class skips.
LARGE_CLASS = 0.05
#: What gives the bits that all of several signatures have, and those that one has.
BITS_OF_ALL = (np.bitwise_and, np.bitwise_or)


class Filter(CollectorEngine):
    r"""The engine that bounds distances from below by signatures, and measures objects by
    increasing bounds.

    A metric that offers a `wideberth.metrics.metric.Sketch` signs all objects once. A query
    compares its signature with those of all objects, at a few nanoseconds each at most, and
    measures those whose bound does not exceed the distance of the k-th nearest object found, or the
    radius. Nothing else is assumed of the metric, so it need not obey the triangle inequality.

    Strings of up to `LONGEST` letters under Levenshtein, indel and normalised Levenshtein distances
    are compared and measured in one compiled loop. All others are measured by the metric.

    A metric that offers no sketch of these objects is an `InvalidInput`.

    Examples
    --------
    >>> from wideberth import Index
    >>> drinks = Index(["tea", "tee", "coffee", "toffee"], "levenshtein", engine="filter")
    >>> drinks.nearest(["coffees"], k=1).indices
    array([[2]])
    >>> drinks.distance_calls
    1
    """

    name = "filter"

    def __init__(self, population: Population, *, max_memory: int) -> None:
        self.population = population
        self._memory = max_memory
        counted = population.counted
        sketch = counted.metric.sketch(counted.prepared)
        if sketch is None:
            raise InvalidInput(
                "The engine 'filter' needs a metric that bounds distances by signatures, and "
                f"{counted.metric.name!r} has none for these objects.",
                advice=f"Edit distances of strings have. Take {setting('engine', 'auto')}, which "
                "finds the fastest.",
                value=counted.metric,
            )
        self.sketch = sketch
        self.signatures = sketch.signatures(counted.prepared)

    @staticmethod
    def supports(metric: Metric, prepared: Sample) -> bool:
        """Return whether the metric offers a sketch of objects such as the first one."""
        return metric.sketch(sample.pick(prepared, slice(0, 1))) is not None

    @staticmethod
    def measures_itself(metric: Metric, prepared: Sample) -> bool:
        """Return whether such strings are measured in the compiled loop, not by the metric; judged
        by their mean length.
        """
        sketch = metric.sketch(sample.pick(prepared, slice(0, 1)))
        return (
            isinstance(sketch, EditSketch)
            and sketch.counts_edits
            and float(prepared.lengths.mean()) <= LONGEST
        )

    def search(self, batch: QueryBatch, collector: Collector) -> None:
        """Offer objects by increasing bounds until no other can matter; see
        `CollectorEngine.search`.
        """
        signed = (
            self.sketch.signatures(batch.prepared)
            if batch.own is None
            else sample.pick(self.signatures, batch.own)
        )
        if signed is None:  # sequences of tokens that no string has
            Brute(self.population, max_memory=self._memory).search(batch, collector)
            return
        short = np.zeros(len(batch), dtype=bool)
        if isinstance(self.sketch, EditSketch) and self.sketch.counts_edits:
            short = signed.sizes <= LONGEST
            self._search_short(batch, np.flatnonzero(short), signed, self.sketch, collector)
        self._search_by_blocks(batch, np.flatnonzero(~short), signed, collector)

    def _search_short(
        self,
        batch: QueryBatch,
        rows: Indices,
        signed: EditSignatures,
        sketch: EditSketch,
        collector: Collector,
    ) -> None:
        """Answer queries of few letters in the compiled loop."""
        if not len(rows):
            return
        alphabet, shelves = self._shelves
        queries = spelled_queries(
            signed if len(rows) == len(signed) else signed.take(rows), alphabet
        )
        terms = Terms(
            self.population.codes,
            self.population.alive,
            collector.k,
            collector.keeps_ties,
            collector.stretch,
            sketch.rule,
            sketch.form,
        )
        found, indices, distances, measured, bounded = search_shelves(
            shelves, queries, batch.excluded[rows], collector.limits[rows], terms
        )
        batch.counted.count(measured)
        batch.bounds_compared += bounded
        collector.offer(rows[found], indices, distances)

    def _search_by_blocks(
        self, batch: QueryBatch, rows: Indices, signed: Any, collector: Collector
    ) -> None:
        """Answer queries by blocks of bounds, and let the metric measure what is left."""
        n = len(self.population)
        height = max(1, self._memory // (64 * max(1, n)))
        for start in range(0, len(rows), height):
            part = rows[start : start + height]
            bounds = self.sketch.lower_bounds(sample.pick(signed, part), self.signatures)
            batch.bounds_compared += bounds.size
            for row, row_bounds in zip(part, bounds, strict=True):
                eligible = np.flatnonzero(
                    self.population.eligible(np.arange(n), batch.excluded[row])
                )
                measure_by_bound(batch, int(row), eligible, row_bounds[eligible], collector)

    @cached_property
    def _shelves(self) -> tuple[Letters, Shelves]:
        """The strings for the compiled loop; see `on_shelves`."""
        codes = self.population.codes.copy()
        codes[np.bincount(codes, minlength=1)[codes] < LARGE_CLASS * len(codes)] = -1
        return on_shelves(self.signatures, codes)

    def __getstate__(self) -> dict[str, Any]:
        # made again where it is needed
        return {name: value for name, value in vars(self).items() if name != "_shelves"}

    def chunk_size(self, n_queries: int, jobs: int) -> int:
        """Return at most 512 queries, fewer if all objects might be found for them and exceed the
        memory. See `Engine`.
        """
        n = max(1, len(self.population))
        wanted = max(even_chunk_size(n_queries, jobs), CHUNK_PAIRS // n)
        return int(max(1, min(MOST_QUERIES, wanted, self._memory // (64 * n * jobs))))


def on_shelves(
    signed: EditSignatures, codes: Indices, groups: Indices | None = None
) -> tuple[Letters, Shelves]:
    """Sort strings for the compiled loop: the code points that occur, ascending, and the shelves,
    whose letters are numbered so. Strips have strings of one of ``codes`` each, shelves strings of
    one of ``groups``, in ascending order.

    Examples
    --------
    >>> words = ["tea", "rum", "ten"]
    >>> signed = EditSketch.learned(words).signatures(words)
    >>> alphabet, shelves = on_shelves(signed, np.zeros(3, dtype=int))
    >>> "".join(map(chr, alphabet)), shelves.shelf_sizes
    ('aemnrtu', array([3]))
    """
    groups = np.zeros(len(signed), dtype=np.intp) if groups is None else groups
    order = np.lexsort((signed.words[1], signed.words[0], codes, signed.sizes, groups))
    signed, codes = signed.take(order), codes[order]
    alphabet, letters = np.unique(signed.points, return_inverse=True)
    shelves, strips = _shelves_and_strips(groups[order], signed.sizes, codes)
    common, union = (
        np.ascontiguousarray(bits.reduceat(signed.words, strips[:-1], axis=1))
        for bits in BITS_OF_ALL
    )
    strings = SpelledStrings(signed.sizes, signed.words, letters.astype(np.int32), signed.starts)
    starts = strips[:-1]
    return alphabet, Shelves(
        strings,
        order,
        strips,
        shelves,
        signed.sizes[starts[shelves[:-1]]],
        codes[starts],
        common,
        union,
        len(alphabet),
    )


def _shelves_and_strips(groups: Indices, sizes: Indices, codes: Indices) -> tuple[Indices, Indices]:
    """Cut strings, sorted by (group, size, code), into strips of one of each: the first strip of
    each group and size, and where strips start.

    >>> _shelves_and_strips(np.zeros(71), np.array([2] * 70 + [3]), np.array([0] * 69 + [1] * 2))
    (array([0, 3, 4]), array([ 0, 64, 69, 70, 71]))
    """
    new_shelf = (np.diff(groups, prepend=-1) != 0) | (np.diff(sizes, prepend=-1) != 0)
    changes = new_shelf | (np.diff(codes, prepend=-2) != 0)
    starts = np.append(np.flatnonzero(changes), len(sizes))
    counts = -(-np.diff(starts) // STRIP)
    before = np.cumsum(counts) - counts
    strips = np.repeat(starts[:-1], counts) + STRIP * (
        np.arange(counts.sum()) - np.repeat(before, counts)
    )
    shelves = np.append(np.flatnonzero(new_shelf[strips]), len(strips))
    return shelves, np.append(strips, len(sizes))


def spelled_queries(signed: EditSignatures, alphabet: Letters) -> SpelledStrings:
    """Number the letters of queries by their places in an alphabet; -1 for those that are not in
    it.
    """
    letters = np.full(len(signed.points), -1, dtype=np.int32)
    if len(alphabet):
        places = np.minimum(np.searchsorted(alphabet, signed.points), len(alphabet) - 1)
        letters = np.where(alphabet[places] == signed.points, places, -1).astype(np.int32)
    return SpelledStrings(signed.sizes, signed.words, letters, signed.starts)

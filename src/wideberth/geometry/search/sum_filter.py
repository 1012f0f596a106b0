"""Least sums of an offset and a multiple of the distance among strings, by signatures that bound
distances from below.
"""

from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices, Sample
from wideberth.compilation import is_compiled
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.search.choosing import (
    CLEARLY_FASTER,
    COMPILING_FILTER,
    MIN_BRUTE_SECONDS,
    MIN_OBJECTS,
    OVERHEADS,
    SORTING_A_PAIR,
    TRIAL_QUERIES,
    Effort,
)
from wideberth.geometry.search.filter import Filter, on_shelves, spelled_queries
from wideberth.geometry.search.filter_kernels import Offers, Shelves, least_sums_on_shelves
from wideberth.metrics.metric import Metric
from wideberth.metrics.strings.edits import EditSignatures, EditSketch
from wideberth.metrics.strings.kernels import LONGEST, Letters
from wideberth.objects import sample

#: Queries in a chunk of work: some ten milliseconds.
CHUNK_QUERIES = 256


class GroupSums(NamedTuple):
    """The least sum of each query in each group, and the first object that has it, all of shape
    (queries, groups).
    """

    #: Indices of the objects; -1 where no sum is below the limit.
    indices: Indices
    #: offset + slope * distance; the limit where there is no object.
    sums: Floats
    #: The distances of the objects; infinity where there is none.
    distances: Floats


class _Stock(NamedTuple):
    """Strings on shelves, those of each group on shelves of their own."""

    sketch: EditSketch
    #: The code points that occur, ascending.
    alphabet: Letters
    shelves: Shelves
    #: The first shelf of each group, shape (groups + 1,).
    groups: Indices


class SumFilter:
    r"""Finds :math:`\min_j (a_j + \rho\, d(x, z_j))` over each of several groups of strings, and
    measures few of them: those that bounds from signatures leave in question.

    The sums are those of all distances, to the last bit. For Levenshtein, indel and normalised
    Levenshtein distances of strings that are short on average. Nothing is built before `pays` finds
    that it will be worth it.

    Examples
    --------
    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> words = Levenshtein().prepare(["tea", "tee", "rum"])
    >>> sums = SumFilter(words, Levenshtein(), np.array([0, 0, 1]), 2, n_jobs=1)
    >>> sums.least(Levenshtein().prepare(["ten"]), np.array([0.0, -1.0, 0.0]), 0.5)
    GroupSums(indices=array([[1, 2]]), sums=array([[-0.5,  1.5]]), distances=array([[1., 3.]]))
    """

    def __init__(
        self,
        prepared: Sample,
        metric: Metric,
        codes: Indices,
        n_groups: int,
        *,
        n_jobs: int | None,
    ) -> None:
        self._prepared, self._metric, self._codes = prepared, metric, codes
        self._n_groups, self._n_jobs = n_groups, n_jobs
        self._stock: _Stock | None = None
        self._pays: bool | None = None
        self.distance_calls = 0
        self.bounds_compared = 0

    def pays(
        self, queries: Sample, offsets: Floats, slope: float, limits: Floats | None = None
    ) -> bool:
        """Whether queries should be answered here instead of by all distances.

        Settled for good at the first queries that are so many that a trial on some of them is worth
        it, by the numbers of distances and bounds that these take and by declared costs. Until then
        the answer is no. ``limits`` are those of `least`, or None.
        """
        if self._pays is None and self._is_worth_a_trial(sample.count(queries)):
            self._pays = self._tried(queries, offsets, slope, limits)
        return bool(self._pays)

    def least(
        self,
        queries: Sample,
        offsets: Floats,
        slope: float,
        limits: Floats | None = None,
        *,
        limits_others: bool = False,
        breaks_ties: bool = True,
    ) -> GroupSums:
        """Find the least sum of every query in each group, with its object: the first of equal
        ones, or any of them unless it ``breaks_ties``, which is faster.

        Only sums below ``limits`` are found, of shape (queries, groups). With ``limits_others`` the
        object found in one group limits the sums of the groups after it, to its own sum with the
        offset subtracted instead of added.
        """
        n = sample.count(queries)
        shape = n, self._n_groups
        found = GroupSums(
            np.full(shape, -1, dtype=np.intp),
            np.full(shape, np.inf) if limits is None else np.array(limits, dtype=np.float64),
            np.full(shape, np.inf),
        )
        stock = self._stocked()
        signed: EditSignatures | None = stock.sketch.signatures(queries)
        short = np.zeros(n, dtype=bool) if signed is None else signed.sizes <= LONGEST
        if signed is not None and short.any():
            self._search(
                signed,
                np.flatnonzero(short),
                stock,
                offsets,
                slope,
                found,
                limits_others,
                breaks_ties,
            )
        for row in np.flatnonzero(~short):
            self._measure(
                sample.pick(queries, slice(row, row + 1)), offsets, slope, int(row), found
            )
        return found

    @cached_property
    def _suits(self) -> bool:
        """Whether these are strings that the compiled loop measures."""
        suits = Filter.supports(self._metric, self._prepared)
        return suits and Filter.measures_itself(self._metric, self._prepared)

    def _is_worth_a_trial(self, n_queries: int) -> bool:
        n = sample.count(self._prepared)
        if n < MIN_OBJECTS or n_queries < TRIAL_QUERIES or not self._suits:
            return False
        seconds = self._by_all_distances(n_queries)
        return seconds >= MIN_BRUTE_SECONDS["filter"] and (
            seconds >= COMPILING_FILTER or is_compiled(least_sums_on_shelves)
        )

    def _by_all_distances(self, n_queries: int) -> float:
        """Seconds of one core to measure all distances of so many queries, by declared costs."""
        distance = self._metric.nanoseconds(self._prepared) + SORTING_A_PAIR
        return 1e-9 * distance * n_queries * sample.count(self._prepared)

    def _tried(self, queries: Sample, offsets: Floats, slope: float, limits: Floats | None) -> bool:
        """Whether a trial on some of the queries promises that building and answering all of them
        takes clearly less than measuring all distances.
        """
        n_queries = sample.count(queries)
        some = np.linspace(0, n_queries - 1, TRIAL_QUERIES).astype(np.intp)
        before = self.distance_calls, self.bounds_compared
        self.least(
            sample.pick(queries, some), offsets, slope, None if limits is None else limits[some]
        )
        effort = Effort(
            sample.count(self._prepared),
            built=0.0,
            calls=(self.distance_calls - before[0]) / len(some),
            bounds=(self.bounds_compared - before[1]) / len(some),
        )
        distance = self._metric.nanoseconds(self._prepared)
        expected = effort.seconds(n_queries, distance, OVERHEADS["filter"])
        if expected >= CLEARLY_FASTER * self._by_all_distances(n_queries):
            self._stock = None
            return False
        return True

    def _stocked(self) -> _Stock:
        """The strings on shelves, put there when they are asked first."""
        if self._stock is None:
            sketch: Any = self._metric.sketch(self._prepared)
            alphabet, shelves = on_shelves(
                sketch.signatures(self._prepared), np.zeros_like(self._codes), self._codes
            )
            first_strings = shelves.order[shelves.strips[shelves.shelves[:-1]]]
            groups = np.searchsorted(self._codes[first_strings], np.arange(self._n_groups + 1))
            self._stock = _Stock(sketch, alphabet, shelves, groups)
        return self._stock

    def _search(
        self,
        signed: EditSignatures,
        rows: Indices,
        stock: _Stock,
        offsets: Floats,
        slope: float,
        found: GroupSums,
        limits_others: bool,
        breaks_ties: bool,
    ) -> None:
        """Answer the short queries ``rows`` in the compiled loop, chunks of them on all cores."""
        shelves = stock.shelves
        on_them = np.ascontiguousarray(offsets[shelves.order], dtype=np.float64)
        strip_least = np.minimum.reduceat(on_them, shelves.strips[:-1])
        offers = Offers(
            stock.groups,
            on_them,
            strip_least,
            np.minimum.reduceat(strip_least, shelves.shelves[:-1]),
            float(slope),
            stock.sketch.rule,
            stock.sketch.form,
            limits_others,
            breaks_ties,
        )
        chunks = [
            rows[start : start + CHUNK_QUERIES] for start in range(0, len(rows), CHUNK_QUERIES)
        ]
        work = partial(_sums_of_chunk, stock, offers, signed, found.sums)
        parts = over_chunks(work, chunks, n_jobs=self._n_jobs, what="search")
        for chunk, (sums, calls, bounds) in zip(chunks, parts, strict=True):
            for kept, values in zip(found, sums, strict=True):
                kept[chunk] = values
            self.distance_calls += calls
            self.bounds_compared += bounds

    def _measure(
        self, query: Sample, offsets: Floats, slope: float, row: int, found: GroupSums
    ) -> None:
        """Answer one query by all distances."""
        distances = self._metric.block(query, self._prepared)[0]
        sums = slope * distances + offsets
        for group in range(self._n_groups):
            members = np.flatnonzero(self._codes == group)
            if len(members):
                least = members[sums[members].argmin()]
                if sums[least] < found.sums[row, group]:
                    for kept, values in zip(
                        found, (least, sums[least], distances[least]), strict=True
                    ):
                        kept[row, group] = values
        self.distance_calls += len(sums)

    def __getstate__(self) -> dict[str, Any]:
        # put on shelves again where it is needed
        return vars(self) | {"_stock": None, "_pays": None}


def _sums_of_chunk(
    stock: _Stock, offers: Offers, signed: EditSignatures, limits: Floats, rows: Indices
) -> tuple[GroupSums, int, int]:
    """Find the least sums of the short queries ``rows``; count distances and bounds."""
    queries = spelled_queries(signed.take(rows), stock.alphabet)
    found = GroupSums(
        np.full((len(rows), limits.shape[1]), -1, dtype=np.intp),
        limits[rows],
        np.full((len(rows), limits.shape[1]), np.inf),
    )
    calls, bounds = least_sums_on_shelves(stock.shelves, queries, offers, *found)
    return found, int(calls), int(bounds)

"""The nearest object among those that are still there, for all thresholds at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Indices
from wideberth.classifiers.margin_neighbors.search_kernels import pick_records, records_in_block, records_in_tree
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import row_spans
from wideberth.geometry.measure.memory import parse_memory, show_memory
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.kdtree_kernels import node_minima
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample

#: Queries that a kd-tree answers in one chunk, and queries that show whether it pays.
CHUNK_QUERIES, TRIAL_QUERIES = 1_000, 50
#: What a record takes while the answers are put together.
RECORD_BYTES = 64


@dataclass(frozen=True)
class LastingNeighbors:
    """The records of each query: those of query q are ``indices[starts[q]:starts[q + 1]]``, by increasing distance.

    The first one is the nearest object of all and holds for thresholds up to ``until[starts[q]]``; the next one is the nearest
    of those that last longer, and holds from there to its own ``until``; the last one lasts longest.
    """

    starts: Indices
    indices: Indices
    until: Distances

    def __len__(self) -> int:
        return len(self.starts) - 1

    def at(self, thresholds: Any) -> Indices:
        """The nearest object that lasts to each threshold: shape (queries, thresholds), -1 where none does.

        >>> found = lasting_neighbors([[1.0], [2.0], [5.0]], [0.5, 3.0, 3.0], [[0.0], [4.0]], "euclidean")
        >>> found.at([0.5, 3.0, 3.5])
        array([[ 0,  1, -1],
               [ 2,  2, -1]])
        """
        wanted = np.asarray(thresholds, dtype=np.float64)
        if wanted.ndim != 1 or np.isnan(wanted).any():
            raise InvalidInput(
                f"Thresholds are a list of numbers, none of them NaN, not {thresholds!r}.",
                advice="Write a single one as [threshold]; numpy.inf asks for what lasts for ever.",
                value=thresholds,
            )
        answers = np.empty((len(self), len(wanted)), dtype=np.intp)
        order = np.argsort(wanted)
        pick_records(self.starts, self.indices, self.until, wanted[order], order, answers)
        return answers

    def codes_at(self, thresholds: Any, codes: Any) -> Indices:
        """The class code of each query's answer at each threshold: shape (queries, thresholds), -1 where no object lasts.

        >>> found = lasting_neighbors([[1.0], [2.0], [5.0]], [0.5, 3.0, 3.0], [[0.0], [4.0]], "euclidean")
        >>> found.codes_at([0.5, 3.0, 3.5], codes=[7, 8, 9])
        array([[ 7,  8, -1],
               [ 9,  9, -1]])
        """
        return np.append(np.asarray(codes, dtype=np.intp), -1)[self.at(thresholds)]  # the answer -1 takes the last one

    def labels_at(self, threshold: float, codes: Any) -> Indices:
        """The class code of each query's answer at one threshold, -1 where no object lasts.

        >>> found = lasting_neighbors([[1.0], [2.0], [5.0]], [0.5, 3.0, 3.0], [[0.0], [4.0]], "euclidean")
        >>> found.labels_at(1.0, codes=[7, 8, 9])
        array([8, 9])
        """
        return self.codes_at([threshold], codes)[:, 0]


class _Records(NamedTuple):
    """The records of some queries, how many each has, and whether there was room for all of them."""

    indices: Indices
    until: Distances
    counts: Indices
    complete: bool = True


def lasting_neighbors(
    objects: Any,
    lasts: Any,
    queries: Any,
    metric: str | Metric | Callable[[Any, Any], float],
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> LastingNeighbors:
    r"""For each query the nearest of the objects with ``lasts`` >= t, by (distance, index), for every threshold t in one pass.

    As t grows objects drop out, and the answer only changes when it drops out itself: the answers are the objects that last
    longer than every nearer one. If ``lasts`` has nothing to do with distances, about ln(n) of n objects are; if far objects
    last longer there may be a great many, but never more than different values: `rounded_down` to the thresholds of interest
    keeps answers there, and makes them few.

    Vectors under the Minkowski metrics p = 1, 2 and infinity are searched in a kd-tree, if it rules out enough, whose nodes know
    what lasts longest in them; other objects are measured once for each query, in blocks.

    >>> found = lasting_neighbors(["tea", "tee", "rum"], [1.0, 2.0, np.inf], ["ten", "rumba"], "levenshtein")
    >>> found.indices[: found.starts[1]], found.until[: found.starts[1]]  # of "ten": "tea" up to 1, "tee" up to 2, then "rum"
    (array([0, 1, 2]), array([ 1.,  2., inf]))

    Parameters
    ----------
    objects, queries, metric
        What can be found, for whom, and how far apart things are.
    lasts : array of shape (n_objects,)
        The largest threshold at which each object is still there; infinity for ever, minus infinity never.
    max_memory : str or int
        Room for the distances of the blocks, or for the answers while they are put together.
    n_jobs : int, optional
        How many cores to use: all by default.
    """
    objects, measure = bind(objects, metric)
    prepared, asked = measure.prepare(objects), measure.prepare(queries)
    ends = _checked_lasts(lasts, sample.count(prepared))
    room = parse_memory(max_memory)
    if not (ends > -np.inf).any() or not sample.count(asked):
        return LastingNeighbors(np.zeros(sample.count(asked) + 1, np.intp), np.empty(0, np.intp), np.empty(0))
    power = kdtree.power_of(measure)
    if power is not None:
        measure.block(prepared[:1], asked[:1])  # refuses vectors of another dimension
        search = _TreeSearch(kdtree.build(prepared), ends, power)
        if search.pays(asked):
            return search.answer(asked, room, n_jobs)
    return _in_blocks(measure, prepared, ends, asked, room, n_jobs)


def rounded_down(lasts: Any, thresholds: Any) -> Distances:
    """The largest of some thresholds that each object lasts to, minus infinity if there is none.

    >>> rounded_down([0.5, 3.0, 7.0, np.inf], thresholds=[1.0, 3.0, 10.0])
    array([-inf,   3.,   3.,  10.])
    """
    grid = np.append(-np.inf, np.sort(np.asarray(thresholds, dtype=np.float64)))
    return grid[np.searchsorted(grid, np.asarray(lasts, dtype=np.float64), side="right") - 1]


class _TreeSearch:
    """A kd-tree whose nodes know what lasts longest in them."""

    def __init__(self, tree: kdtree.KdTree, lasts: Distances, power: int) -> None:
        self.tree, self.power = tree, (1,) * power
        self.lasts = lasts[tree.order]
        self.longest = -node_minima(tree, -self.lasts)

    def pays(self, queries: Any) -> bool:
        """Whether searches measure so few of the objects that blocks of distances, which measure all, would be slower."""
        n = len(self.tree.order)
        some = np.ascontiguousarray(queries[:: max(1, len(queries) // TRIAL_QUERIES)])
        if n < kdtree.FEW_POINTS:
            return True
        *_, measured = records_in_tree(self.tree, self.lasts, self.longest, some, self.power, n, np.empty(len(some), np.intp))
        return bool(measured <= kdtree.FEW_MEASURED * n * len(some))

    def answer(self, queries: Any, room: int, n_jobs: int | None) -> LastingNeighbors:
        """The records of all queries, asked in the order of a tree of their own: neighbours look at the same nodes."""
        order = kdtree.build(queries)
        n = len(queries)
        chunks = [slice(start, min(start + CHUNK_QUERIES, n)) for start in range(0, n, CHUNK_QUERIES)]
        most = max(1, room // RECORD_BYTES // min(effective_jobs(n_jobs), len(chunks)))
        parts = over_chunks(partial(self._chunk, order.points, most), chunks, n_jobs=n_jobs)
        return _reordered(_joined(parts, room), order.positions)

    def _chunk(self, queries: Any, most: int, rows: slice) -> _Records:
        counts = np.zeros(rows.stop - rows.start, dtype=np.intp)
        indices, until, answered, _ = records_in_tree(
            self.tree, self.lasts, self.longest, queries[rows], self.power, most, counts
        )
        return _Records(indices, until, counts, answered == len(counts))


def _in_blocks(measure: Metric, prepared: Any, lasts: Distances, queries: Any, room: int, n_jobs: int | None) -> LastingNeighbors:
    order = np.argsort(-lasts, kind="stable")
    order = order[lasts[order] > -np.inf]
    spans = row_spans(sample.count(queries), len(order), room // effective_jobs(n_jobs))
    work = partial(_block_records, measure, queries, sample.pick(prepared, order), order, lasts[order])
    return _joined(over_chunks(work, [rows for rows, _ in spans], n_jobs=n_jobs, how=measure.parallel), room)


def _block_records(measure: Metric, queries: Any, objects: Any, order: Indices, lasts: Distances, rows: slice) -> _Records:
    counts = np.empty(rows.stop - rows.start, dtype=np.intp)
    return _Records(*records_in_block(measure.block(sample.pick(queries, rows), objects), order, lasts, counts), counts)


def _joined(parts: Iterable[_Records], room: int) -> LastingNeighbors:
    kept, size = [], 0
    for part in parts:
        kept.append(part)
        size += len(part.indices)
        if RECORD_BYTES * size > room or not part.complete:
            n = sum(len(each.counts) for each in kept)
            raise InvalidInput(
                f"The first {n} queries alone have more than {size} answers at different thresholds, too many for a memory of "
                f"{show_memory(room)}.",
                advice="Round `lasts` down to fewer thresholds (rounded_down), ask fewer queries at once, or allow more memory.",
                value=size,
            )
    counts = np.concatenate([part.counts for part in kept])
    return LastingNeighbors(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.indices for part in kept]),
        np.concatenate([part.until for part in kept]),
    )


def _reordered(found: LastingNeighbors, positions: NDArray[np.int32]) -> LastingNeighbors:
    """The query that was at ``positions[q]`` becomes query q."""
    counts = np.diff(found.starts)[positions]
    starts = np.concatenate([[0], np.cumsum(counts)])
    source = np.repeat(found.starts[positions] - starts[:-1], counts) + np.arange(starts[-1])
    return LastingNeighbors(starts, found.indices[source], found.until[source])


def _checked_lasts(lasts: Any, n: int) -> Distances:
    ends = np.asarray(lasts, dtype=np.float64)
    if ends.shape != (n,) or np.isnan(ends).any():
        raise InvalidInput(
            f"`lasts` holds one number for each of the {n} objects, none of them NaN; this has shape {ends.shape}.",
            advice="numpy.inf is for objects that are always there.",
            value=lasts,
        )
    return ends

"""Choice of the separation with the fewest errors on objects that were set aside.

**Nearest neighbours among objects that are removed at different thresholds, for all thresholds in
one search.**

Each object has a *lifetime*: the largest threshold at which it is still present. Of the objects
sorted by (distance, index) from a query, those that live longer than all nearer ones are its
*records*: they are its nearest neighbours at some threshold.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wideberth.array_types import Flags, Indices, Objects, Sample
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors import criteria
from wideberth.classifiers.margin_neighbors.by_bound import keep_all
from wideberth.classifiers.margin_neighbors.criteria import (
    ChosenSeparation,
    CoverPath,
    RiskCurve,
    Settings,
)
from wideberth.classifiers.margin_neighbors.kernels import records_in_block, records_in_tree
from wideberth.classifiers.margin_neighbors.vertex_cover import Matching
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.geometry.classes.votes import Electorate
from wideberth.geometry.measure.blocks import parse_memory, row_spans, show_memory
from wideberth.geometry.measure.parallel import effective_jobs, over_chunks
from wideberth.geometry.search import kdtree
from wideberth.geometry.search.index import Index
from wideberth.geometry.search.kdtree_kernels import node_minima
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR

#: Queries that a kd-tree answers in one chunk, and queries that are tried to see whether it is
#: fast.
CHUNK_QUERIES, TRIAL_QUERIES = 1_000, 50
#: Memory for one record while the results are assembled, in bytes.
RECORD_BYTES = 64


@dataclass(frozen=True)
class LastingNeighbors:
    """The records of each query, which determine its nearest neighbour at every threshold.

    The first record of a query is the nearest object of all, and the answer for thresholds up to
    its lifetime. The next one is the nearest of the objects that live longer, and the answer from
    there to its own lifetime, and so on.

    Examples
    --------
    >>> found = LastingNeighbors(np.array([0, 2]), np.array([3, 1]), np.array([0.5, np.inf]))
    >>> found.at([0.5, 0.6])  # object 3 up to the threshold 0.5, then object 1
    array([[3, 1]])
    """

    starts: Indices  # the records of query q are those from starts[q] to starts[q + 1]
    indices: Indices  # the object of each record, by increasing distance
    until: Distances  # its lifetime: the last threshold at which it is the answer

    def __len__(self) -> int:
        return len(self.starts) - 1

    def at(self, thresholds: ArrayLike) -> Indices:
        """Return the nearest object that is present at each threshold, or -1: a row for each query.

        Examples
        --------
        >>> found = lasting_neighbors(
        ...     [[1.0], [2.0], [5.0]], [0.5, 3.0, 3.0], [[0.0], [4.0]], "euclidean"
        ... )
        >>> found.at([0.5, 3.0, 3.5])
        array([[ 0,  1, -1],
               [ 2,  2, -1]])
        """
        wanted = np.asarray(thresholds, dtype=np.float64)
        order = np.argsort(wanted)
        # a record answers from the lifetime of the one before it to its own; after the last one of
        # a query comes "none", for ever
        ends = np.insert(
            np.searchsorted(wanted[order], self.until, side="right"), self.starts[1:], len(wanted)
        )
        records = np.insert(self.indices, self.starts[1:], -1)
        begins = np.concatenate([[0], ends[:-1]])
        begins[self.starts[:-1] + np.arange(len(self))] = 0
        answers = np.empty((len(self), len(wanted)), dtype=np.intp)
        answers[:, order] = np.repeat(records, ends - begins).reshape(answers.shape)
        return answers

    def codes_at(self, thresholds: ArrayLike, codes: ArrayLike) -> Indices:
        """Return the class code of the nearest object that is present at each threshold.

        Examples
        --------
        >>> found = lasting_neighbors(
        ...     [[1.0], [2.0], [5.0]], [0.5, 3.0, 3.0], [[0.0], [4.0]], "euclidean"
        ... )
        >>> found.codes_at([0.5, 3.0, 3.5], codes=[7, 8, 9])
        array([[ 7,  8, -1],
               [ 9,  9, -1]])
        """
        # the index -1 selects the last one
        return np.append(np.asarray(codes, dtype=np.intp), -1)[self.at(thresholds)]


class _Records(NamedTuple):
    """The records of some queries, the number of records of each, and whether all queries were
    answered within the memory.
    """

    indices: Indices
    until: Distances
    counts: Indices
    complete: bool = True


def lasting_neighbors(
    objects: Objects,
    lifetimes: ArrayLike,
    queries: Objects,
    metric: str | Metric | Callable[[Any, Any], float],
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> LastingNeighbors:
    """Find for each query the nearest object with a lifetime >= t, by (distance, index), for every
    threshold t in one search.

    As t grows objects are removed, and the answer changes only when it is removed itself: the
    answers are the objects that live longer than every nearer one. If lifetimes are independent of
    distances, these are about ln(n) of n objects. If far objects live longer there may be many, but
    never more than there are different lifetimes: `rounded_down` to the thresholds of interest
    keeps the answers at these thresholds and makes the records few.

    Vectors under the Minkowski metrics p = 1, 2 and infinity are searched in a kd-tree that stores
    the longest lifetime in each node, if it excludes enough. Other objects are measured once for
    each query, in blocks.

    Examples
    --------
    >>> found = lasting_neighbors(
    ...     ["tea", "tee", "rum"], [1.0, 2.0, np.inf], ["ten", "rumba"], "levenshtein"
    ... )
    >>> # of "ten": "tea" up to 1, "tee" up to 2, then "rum"
    >>> (found.indices[: found.starts[1]], found.until[: found.starts[1]])
    (array([0, 1, 2]), array([ 1.,  2., inf]))
    """
    objects, measure = bind(objects, metric)
    prepared, targets = measure.prepare(objects), measure.prepare(queries)
    lasting = np.asarray(lifetimes, dtype=np.float64)
    budget = parse_memory(max_memory)
    if not (lasting > -np.inf).any() or not sample.count(targets):
        return LastingNeighbors(
            np.zeros(sample.count(targets) + 1, np.intp), np.empty(0, np.intp), np.empty(0)
        )
    if kdtree.suits(measure, len(lasting)):
        measure.block(prepared[:1], targets[:1])  # refuses vectors of another dimension
        search = _TreeSearch(kdtree.build(prepared), lasting, kdtree.power_of(measure) or 0)
        if search.is_fast(targets):
            return search.answer(targets, budget, n_jobs)
    return _search_in_blocks(measure, prepared, lasting, targets, budget, n_jobs)


def rounded_down(lifetimes: ArrayLike, thresholds: ArrayLike) -> Distances:
    """Round each lifetime down to one of some thresholds.

    This changes no answer at these thresholds, and leaves at most as many records of a query as
    there are thresholds.

    Examples
    --------
    >>> rounded_down([0.5, 3.0, 7.0, np.inf], thresholds=[1.0, 3.0, 10.0])
    array([-inf,   3.,   3.,  10.])
    """
    grid = np.append(-np.inf, np.sort(np.asarray(thresholds, dtype=np.float64)))
    return grid[np.searchsorted(grid, np.asarray(lifetimes, dtype=np.float64), side="right") - 1]


class _TreeSearch:
    """A kd-tree of the objects with the longest lifetime in each of its nodes."""

    def __init__(self, tree: kdtree.KdTree, lifetimes: Distances, power: int) -> None:
        self.tree, self.power = tree, (1,) * power
        self.lifetimes = lifetimes[tree.order]
        self.longest = -node_minima(tree, -self.lifetimes)

    def is_fast(self, queries: Objects) -> bool:
        """Whether searches measure so few objects that blocks of all distances would be slower,
        tried on some queries.
        """
        n = len(self.tree.order)
        trial = np.ascontiguousarray(queries[:: max(1, len(queries) // TRIAL_QUERIES)])
        if n < kdtree.NEVER_SLOW:
            return True
        *_, measured = records_in_tree(
            self.tree,
            self.lifetimes,
            self.longest,
            trial,
            self.power,
            n,
            np.empty(len(trial), np.intp),
        )
        return bool(measured <= kdtree.FEW_MEASURED * n * len(trial))

    def answer(self, queries: Objects, max_memory: int, n_jobs: int | None) -> LastingNeighbors:
        """Find the records of all queries, in the order of a kd-tree of the queries: neighbours
        visit the same nodes.
        """
        order = kdtree.build(queries)
        n = len(queries)
        chunks = [
            slice(start, min(start + CHUNK_QUERIES, n)) for start in range(0, n, CHUNK_QUERIES)
        ]
        most = max(1, max_memory // RECORD_BYTES // min(effective_jobs(n_jobs), len(chunks)))
        parts = over_chunks(
            partial(_records_of_chunk, self, order.points, most),
            chunks,
            n_jobs=n_jobs,
            what="neighbours",
        )
        return _reordered(_joined(parts, max_memory), order.positions)


def _records_of_chunk(search: _TreeSearch, queries: Objects, most: int, rows: slice) -> _Records:
    """Find the records of the queries ``rows``, at most ``most`` of them."""
    counts = np.zeros(rows.stop - rows.start, dtype=np.intp)
    indices, until, answered, _ = records_in_tree(
        search.tree, search.lifetimes, search.longest, queries[rows], search.power, most, counts
    )
    return _Records(indices, until, counts, answered == len(counts))


def _search_in_blocks(
    measure: Metric,
    prepared: Sample,
    lifetimes: Distances,
    queries: Objects,
    max_memory: int,
    n_jobs: int | None,
) -> LastingNeighbors:
    """Find the records in blocks of all distances.

    Objects are sorted by decreasing lifetime; those that are never present are left out.
    """
    order = np.argsort(-lifetimes, kind="stable")
    order = order[lifetimes[order] > -np.inf]
    spans = row_spans(sample.count(queries), len(order), max_memory // effective_jobs(n_jobs))
    work = partial(
        _block_records, measure, queries, sample.pick(prepared, order), order, lifetimes[order]
    )
    chunks = [rows for rows, _ in spans]
    return _joined(
        over_chunks(work, chunks, n_jobs=n_jobs, how=measure.parallel, what="neighbours"),
        max_memory,
    )


def _block_records(
    measure: Metric,
    queries: Objects,
    objects: Objects,
    order: Indices,
    lifetimes: Distances,
    rows: slice,
) -> _Records:
    """Find the records of the queries ``rows``; the columns of the block are the objects at
    ``order``, by decreasing lifetime.
    """
    counts = np.empty(rows.stop - rows.start, dtype=np.intp)
    return _Records(
        *records_in_block(
            measure.block(sample.pick(queries, rows), objects), order, lifetimes, counts
        ),
        counts,
    )


def _joined(parts: Iterable[_Records], max_memory: int) -> LastingNeighbors:
    """Concatenate the records of all parts, or raise `InvalidInput` if they do not fit in the
    memory.
    """
    kept, size = [], 0
    for part in parts:
        kept.append(part)
        size += len(part.indices)
        if RECORD_BYTES * size > max_memory or not part.complete:
            n = sum(len(records.counts) for records in kept)
            raise InvalidInput(
                f"The first {n} queries alone have more than {size} answers at different "
                f"thresholds, too many for a memory of {show_memory(max_memory)}.",
                advice="Round `lifetimes` down to fewer thresholds (rounded_down), pass fewer "
                "queries, or allow more memory.",
                value=size,
            )
    counts = np.concatenate([part.counts for part in kept])
    return LastingNeighbors(
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([part.indices for part in kept]),
        np.concatenate([part.until for part in kept]),
    )


def _reordered(found: LastingNeighbors, positions: NDArray[np.int32]) -> LastingNeighbors:
    """Undo a reordering of the queries: the query at position ``positions[q]`` becomes query q."""
    counts = np.diff(found.starts)[positions]
    starts = np.concatenate([[0], np.cumsum(counts)])
    source = np.repeat(found.starts[positions] - starts[:-1], counts) + np.arange(starts[-1])
    return LastingNeighbors(starts, found.indices[source], found.until[source])


#: Separations compared. More of them would hardly differ, and every additional one weakens the
#: bound.
CANDIDATES = 64
#: Errors are averaged over this many separations on each side.
SMOOTHING = 4
#: Covers that may be compared at the chosen separation: the greedy one, and that of the linear
#: program.
COVERS_COMPARED = 2


def choose_by_holdout(training: Training, settings: Settings) -> ChosenSeparation:
    """Learn from a part of the objects at many separations, and choose the one with the fewest
    errors on the others.

    Errors are averaged over a few neighbouring separations, whose classifiers hardly differ: that
    halves the random error of the comparison. Among equally good separations the largest is chosen.
    At most ``CANDIDATES * COVERS_COMPARED`` classifiers, one for each separation and cover, are
    determined by the objects that were not set aside. The final classifier is one of them, and the
    bound holds for all of them at once.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.arange(100.0)[:, None], np.repeat([0, 1], 50)
    >>> training = Training(
    ...     points, metric("euclidean"), codes, np.ones(100), 2, np.arange(100), 100
    ... )
    >>> choice = choose_by_holdout(
    ...     training, Settings("greedy", None, 0.0, 0.05, None, 0.2, False, 10**8, 1, 0)
    ... )
    >>> len(choice.held_out), 0 < choice.certificate.value < 1
    (20, True)
    """
    order = np.random.default_rng(settings.random_state).permutation(len(training))
    held_at, known_at = np.split(order, [int(settings.holdout * len(training))])
    if not len(held_at):
        return keep_all(
            training, settings, f"{len(training)} objects are too few to set some aside."
        )
    taught = training.taught_by(known_at)
    known, held = taught.part(known_at), taught.part(held_at)
    matching = criteria.match(known, settings)
    if not len(criteria.greedy_path(matching).spread(CANDIDATES, below=float(known.weights.sum()))):
        return keep_all(training, settings, "every object is equal to one of another class.")
    path, curve = _holdout_risks(known, held, matching, settings)
    separation = _best_separation(curve)
    covers = _candidate_covers(known, matching, separation, settings)
    kept = [
        criteria.condensed(known, np.flatnonzero(~cover), separation, settings) for cover in covers
    ]
    errors = [_holdout_error(known, answering, held, settings) for answering in kept]
    best = int(np.argmin(errors))
    candidates = len(curve) * (COVERS_COMPARED if settings.cover == "auto" else 1)
    bound = _certificate(training, held, errors[best], candidates, settings)
    choice = ChosenSeparation(
        separation, known_at[kept[best]], known_at[covers[best]], held_at, path, curve, bound
    )
    return _refitted(training, choice, best, settings) if settings.refit else choice


def _best_separation(curve: RiskCurve) -> float:
    """Return the separation with the smallest smoothed risk; the largest one among equals.

    Examples
    --------
    >>> _best_separation(RiskCurve(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.1, 0.1])))
    3.0
    """
    padded = np.pad(curve.risks, SMOOTHING, mode="edge")
    smooth = np.convolve(padded, np.ones(2 * SMOOTHING + 1), mode="valid")
    return float(curve.separations[np.flatnonzero(smooth <= smooth.min() * (1 + SUM_ERROR))[-1]])


def _holdout_risks(
    known: Training, held: Training, matching: Matching, settings: Settings
) -> tuple[CoverPath, RiskCurve]:
    """Compute the share of wrong answers for the objects set aside, at separations spread over the
    path of covers.

    Greedy covers of all separations are nested, so that one search for lasting neighbours answers
    for all of them. It knows one nearest object at each separation, the first of several that are
    as near: these risks rank the separations, and the errors of the classifier itself are counted
    afterwards, as it answers.
    """
    path = criteria.greedy_path(matching)
    separations = path.spread(CANDIDATES, below=float(known.weights.sum()))
    if settings.cover in ("lp", "exact"):
        path, covers = criteria.solved_path(known, separations, settings.cover, **settings.limits)
        errors = [_holdout_error(known, np.flatnonzero(~cover), held, settings) for cover in covers]
        return path, RiskCurve(separations, np.array(errors))
    # An object is present up to the separation that removes it, so one search finds the answers at
    # all separations.
    lifetimes = rounded_down(matching.exhausted(), separations)
    answers = lasting_neighbors(
        known.objects, lifetimes, held.objects, known.metric, **settings.limits
    )
    wrong = answers.codes_at(separations, known.codes) != held.codes[:, None]
    return path, RiskCurve(separations, held.weights @ wrong / held.weights.sum())


def _candidate_covers(
    known: Training, matching: Matching, separation: float, settings: Settings
) -> list[Flags]:
    """Compute the covers that are compared at the chosen separation: one, or with ``cover="auto"``
    up to two.
    """
    if settings.cover in ("lp", "exact"):
        return [
            np.asarray(
                criteria.solve_cover(known, separation, settings.cover, **settings.limits).point,
                dtype=bool,
            )
        ]
    greedy: Flags = matching.exhausted() < separation
    if (
        settings.cover == "greedy"
        or not criteria.equal_weights(known)
        or not criteria.few_conflicts(known, separation)
    ):
        return [greedy]
    smaller = criteria.try_cover(known, separation, "lp", **settings.limits)
    return [greedy] if smaller is None else [greedy, np.asarray(smaller.point, dtype=bool)]


def _holdout_error(known: Training, kept: Indices, held: Training, settings: Settings) -> float:
    """Compute the weighted share of the objects set aside that may get a wrong answer.

    Of several nearest objects the class that they elect answers, as it does later. With eta > 0,
    which of several neighbours answers depends on the index and on times that it measured.
    Therefore an object counts as right only if all neighbours at most 1 + eta times as far as the
    nearest have its label.
    """
    kept = criteria.sorted_by_class(known, kept)
    codes = known.codes[kept].astype(np.int64)
    index = Index(sample.pick(known.objects, kept), known.metric, labels=codes, **settings.limits)
    nearest, distances = Electorate(index, codes, known.weights[kept], known.n_classes).nearest(
        held.objects
    )
    wrong = codes[nearest] != held.codes
    if settings.eta:
        rivals = index.nearest(held.objects, excluding=held.codes)
        wrong |= rivals.distances[:, 0] <= (1.0 + settings.eta) * distances
    return float(held.weights @ wrong / held.weights.sum())


def _certificate(
    training: Training, held: Training, error: float, candidates: int, settings: Settings
) -> Certificate:
    """Build the binomial certificate for the best of ``candidates`` classifiers; none if weights
    differ.
    """
    if not criteria.equal_weights(training):
        return criteria.no_bound(
            training,
            "the binomial bound is for objects that count alike, and their weights differ.",
        )
    errors = round(error * len(held))
    subject = (
        "the classifier learned without the objects set aside"
        if settings.refit
        else "the classifier"
    )
    return Certificate.proved_by(
        "holdout",
        f"The probability that {subject} errs on a new object is at most {VALUE}.",
        delta=settings.delta,
        evidence={"errors": errors, "held_out": len(held), "candidates": candidates},
        assumptions=(criteria.INDEPENDENT,),
        guessing=criteria.error_of_guessing(training),
        void=criteria.learned_metric(training),
    )


def _refitted(
    training: Training, choice: ChosenSeparation, best: int, settings: Settings
) -> ChosenSeparation:
    """Learn again from all objects with the same separation and the same kind of cover.

    If that removes every object, the choice is returned unchanged. ``best`` is the position of the
    chosen cover.
    """
    covers = _candidate_covers(
        training,
        criteria.match(training, settings, up_to=choice.separation),
        choice.separation,
        settings,
    )
    removed = covers[min(best, len(covers) - 1)]
    kept = criteria.condensed(training, np.flatnonzero(~removed), choice.separation, settings)
    if not len(kept):
        return choice
    return replace(choice, kept=kept, removed=np.flatnonzero(removed), held_out=criteria.NO_OBJECTS)

"""What an LP machine learns from: its references, the columns of its linear programs, and a program
for each class.

**Columns are radial functions of the distances to references, computed when they are needed.**
A program on n objects with n references and several radial functions has far more entries than
memory allows. The solver needs only two operations: to price all columns, which goes through the
distances once, and to fetch a few of them.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.classifiers.lp_machine.kernels import add_rows
from wideberth.classifiers.lp_machine.program import DistanceProgram
from wideberth.classifiers.lp_machine.smoothed_path import SmoothedPath, balanced_weights
from wideberth.errors import GapWarning, InvalidInput, warn_user
from wideberth.estimators.metric_estimator import given_references, is_count
from wideberth.estimators.radial_expansions import Radial
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.measure.remembered_distances import KeptDistances, are_whole
from wideberth.geometry.shape.nets import evenly_spread, farthest_first, median_distance
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.optimize.solution import Solution
from wideberth.rounding import DISTANCE_ERROR, SOLVER_ERROR, TIE_BREAK

#: The most objects, and the most references, whose median distance is the scale.
SCALE_OBJECTS = 100
#: Distances that are worked on together: few enough for the cache of one core.
BLOCK = 2**16
#: The least and the most references in a piece of work: long rows are read faster, short ones are
#: shared better among cores.
PIECE = (1024, 4096)
#: Pairs whose distances are more than a cache holds; nanoseconds of a distance that is cheap; and
#: how often all of these may be measured before they are kept.
MANY_PAIRS, CHEAP, PATIENCE = 2**22, 10.0, 2.0
#: The number of additions from which on several cores are faster: about 50 ms of work.
WORTH_SHARING = 3e7


class RadialColumns:
    r"""The columns :math:`c_k(x_j) = g(d(x_j, z)) / \mathrm{Lip}(g)` for all radial functions g and
    references z.

    Column ``r * m + i`` belongs to the radial function r and the reference i of m. The Lipschitz
    constant of each is at most 1 where the metric obeys the triangle inequality, so that of
    :math:`\sum_k \beta_k c_k` is at most :math:`\sum_k |\beta_k|`. Distances are kept if they take
    at most half of the memory (see `wideberth.geometry.measure.remembered_distances`), and are measured
    again for every `price` if not.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points = np.array([[0.0], [1.0], [3.0]])
    >>> columns = RadialColumns(
    ...     points,
    ...     points,
    ...     metric("euclidean"),
    ...     [Radial("distance"), Radial("bounded", 1.0)],
    ...     max_memory=10**6,
    ...     n_jobs=1,
    ... )
    >>> columns.columns([0, 3])
    array([[0.  , 0.  ],
           [1.  , 0.5 ],
           [3.  , 0.75]])
    >>> columns.price(np.array([0.0, 1.0, -1.0]))[:3]
    array([-2., -2.,  2.])
    """

    def __init__(
        self,
        objects: Sample,
        references: Any,
        metric: Metric,
        radials: Sequence[Radial],
        *,
        max_memory: int,
        n_jobs: int | None,
    ) -> None:
        self._kept = KeptDistances(
            objects, references, metric, max_memory=max_memory, n_jobs=n_jobs
        )
        self._rows, self._references = (np.arange(count) for count in self._kept.shape)
        self.radials = tuple(radials)

    @property
    def n_rows(self) -> int:
        """The number of objects."""
        return len(self._rows)

    @property
    def n_references(self) -> int:
        """The number of references."""
        return len(self._references)

    @property
    def n_columns(self) -> int:
        """The number of columns: one for each radial function and reference."""
        return len(self._references) * len(self.radials)

    @property
    def distance_calls(self) -> int:
        """The number of distances measured so far, including those of other columns that share
        them.
        """
        return self._kept.calls

    @cached_property
    def scale(self) -> float:
        """The median of the positive distances between some objects and some references, 1 if there
        is none.

        At most `SCALE_OBJECTS` on either side, evenly spread over the sample; in small samples all.
        """
        rows, references = (
            some[evenly_spread(len(some), SCALE_OBJECTS)] for some in (self._rows, self._references)
        )
        return median_distance(self._kept.block(rows, references))

    def subset(self, rows: Any, references: Sample = None) -> Self:
        """Restrict the columns to some of the objects and, if given, some of the references;
        distances are shared.
        """
        part: Self = object.__new__(type(self))
        part._kept, part.radials = self._kept, self.radials
        part._rows = self._rows[rows]
        part._references = self._references if references is None else self._references[references]
        return part

    def with_radials(self, radials: Sequence[Radial]) -> Self:
        """Replace the radial functions; objects, references and distances are shared."""
        twin = self.subset(slice(None))
        twin.radials, twin.scale = tuple(radials), self.scale
        return twin

    def picked_references(self, chosen: Indices) -> Any:
        """Select some of the references by their positions; the result is a prepared sample."""
        return sample.pick(self._kept.references, self._references[chosen])

    def columns(self, indices: Any) -> Floats:
        """Compute some of the columns."""
        radials, places = np.divmod(np.asarray(indices, dtype=np.intp), self.n_references)
        needed, inverse = np.unique(places, return_inverse=True)
        distances = self._kept.block(self._rows, self._references[needed])
        out = np.empty((self.n_rows, len(places)))
        for number in np.unique(radials):
            chosen = np.flatnonzero(radials == number)
            out[:, chosen] = self.radials[number].column(distances[:, inverse[chosen]])
        return out

    def price(self, values: Floats) -> Floats:
        r"""Compute the sums :math:`\sum_j v_j c_k(x_j)` of all columns.

        Rows whose values are all zero cost nothing. The result does not depend on the number of
        cores.
        """
        table = np.ascontiguousarray(values.reshape(len(values), -1), dtype=np.float64)
        nonzero = np.flatnonzero(table.any(axis=1))
        rows, table = self._rows[nonzero], table[nonzero]
        matrix = self._kept.matrix() if len(rows) and self._worth_keeping else None
        sums = (
            self._price_measured(rows, table)
            if matrix is None
            else self._price_stored(matrix, rows, table)
        )
        return sums.T.copy() if values.ndim > 1 else sums[0]

    @property
    def _worth_keeping(self) -> bool:
        """Whether distances are kept if memory allows it. Where many are cheap, measuring all of them
        once for prices costs less than a matrix does, in time too; so it is waited for the second
        time.
        """
        kept, metric = self._kept, self._kept.metric
        pairs = math.prod(kept.shape)
        if pairs < MANY_PAIRS or kept.calls > PATIENCE * pairs:
            return True
        # what a distance costs is asked last: metrics may have to look at the objects for that
        return not metric.built_in or are_whole(metric) or metric.nanoseconds(kept.objects) > CHEAP

    def _price_stored(self, matrix: NDArray[Any], rows: Indices, values: Floats) -> Floats:
        """Sums from the stored matrix: over all of its columns if most are wanted, since
        consecutive entries are read fastest.
        """
        chosen = self._references
        if 2 * len(chosen) < matrix.shape[1]:
            matrix, rows, chosen = (
                matrix[np.ix_(rows, chosen)],
                np.arange(len(rows)),
                np.arange(len(chosen)),
            )
        work = partial(_sums_from_matrix, matrix, self._tables, self.radials, rows, values)
        shared = len(rows) * matrix.shape[1] * len(self.radials) * values.shape[1] >= WORTH_SHARING
        how: Literal["threads"] | None = "threads" if shared else None
        parts = over_chunks(
            work, _pieces(matrix.shape[1]), n_jobs=self._kept.n_jobs, how=how, expected=1.0
        )
        return _concatenated(list(parts), chosen)

    @cached_property
    def _tables(self) -> list[Floats] | None:
        """The values of each radial function for all whole numbers up to the largest distance; None
        if distances are floats.
        """
        matrix = self._kept.matrix()
        if matrix is None or matrix.dtype == np.float64:
            return None
        numbers = np.arange(int(self._kept.largest) + 1, dtype=np.float64)
        return [radial.column(numbers) for radial in self.radials]

    def _price_measured(self, rows: Indices, values: Floats) -> Floats:
        """Sums over distances that are measured for this call and not kept."""
        kept = self._kept
        picked = sample.pick(kept.objects, rows), sample.pick(kept.references, self._references)
        work = partial(_sums_from_objects, kept.metric, *picked, self.radials, values)
        width = max(16, min(BLOCK // 64, -(-self.n_references // 16)))
        pieces = [
            (start, min(start + width, self.n_references))
            for start in range(0, self.n_references, width)
        ]
        kept.count(len(rows) * self.n_references)
        parts = over_chunks(work, pieces, n_jobs=kept.n_jobs, how=kept.metric.parallel)
        return _concatenated(list(parts), np.arange(self.n_references))


def _concatenated(parts: list[Floats], chosen: Indices) -> Floats:
    """The ``chosen`` columns of pieces of shape (radials, q, columns), as sums of shape (q, radials
    * chosen).
    """
    sums = np.concatenate(parts, axis=2)[:, :, chosen]
    return np.moveaxis(sums, 0, 1).reshape(sums.shape[1], -1)


def _pieces(n_references: int) -> list[tuple[int, int]]:
    """The first and the last column (exclusive) of each piece of work."""
    least, most = PIECE
    width = max(least, min(most, n_references // 8))
    return [(start, min(start + width, n_references)) for start in range(0, n_references, width)]


def _sums_from_matrix(
    matrix: NDArray[Any],
    tables: list[Floats] | None,
    radials: Sequence[Radial],
    rows: Indices,
    values: Floats,
    piece: tuple[int, int],
) -> Floats:
    """The sums over a piece of the stored matrix, its columns from ``piece[0]`` to ``piece[1]``."""
    first, stop = piece
    out = np.zeros((len(radials), values.shape[1], stop - first))
    for place, radial in enumerate(radials):
        if tables is not None:
            add_rows(matrix, rows, values, first, out[place], tables[place])
        elif radial.name == "distance":
            add_rows(matrix, rows, values, first, out[place])
        else:
            height = max(1, BLOCK // (stop - first))
            for start in range(0, len(rows), height):
                band = matrix[rows[start : start + height], first:stop]
                _add_block(
                    radial.column(band, out=band), values[start : start + height], out[place]
                )
    return out


def _sums_from_objects(
    metric: Metric,
    objects: Sample,
    references: Sample,
    radials: Sequence[Radial],
    values: Floats,
    piece: tuple[int, int],
) -> Floats:
    """The sums over the references from ``piece[0]`` to ``piece[1]``, of shape (radials, q,
    references).

    ``values`` has a row for each of the ``objects``. Distances are measured here, in bands that fit
    into the cache.
    """
    others = sample.pick(references, slice(*piece))
    out = np.zeros((len(radials), values.shape[1], piece[1] - piece[0]))
    height = max(1, BLOCK // (piece[1] - piece[0]))
    scratch = np.empty((height, piece[1] - piece[0]))
    for start in range(0, len(values), height):
        band = values[start : start + height]
        distances = np.ascontiguousarray(
            metric.block(sample.pick(objects, slice(start, start + height)), others)
        )
        for place, radial in enumerate(radials):
            block = (
                distances
                if radial.name == "distance"
                else radial.column(distances, out=scratch[: len(distances)])
            )
            _add_block(block, band, out[place])
    return out


def _add_block(block: Floats, values: Floats, out: Floats) -> None:
    """Add the rows of ``block``, each times its row of ``values``, to ``out``."""
    add_rows(block, np.arange(len(block)), values, 0, out)


# ---- The references of an LP machine: the objects to which distances may become columns of its
# program

#: Columns that differ by no more than this share of their values are constants, as far as three
#: digits of the difference matter.
_INDISTINCT = 1e3 * DISTANCE_ERROR


@dataclass(frozen=True)
class References:
    """Prepared objects that may serve as references."""

    objects: Sample
    #: Their positions in X, or among the references that the user gave, shape (m,).
    positions: Indices


def choose_references(
    wanted: Any, training: Training, merged: Merged, *, n_jobs: int | None
) -> References:
    """Choose the references from which the program may select."""
    if wanted is not None and not is_count(wanted):
        return _given_by_user(wanted, training)
    positions = merged.positions(training)
    if wanted is None or wanted >= len(merged):
        return References(merged.objects, positions)
    net = farthest_first(merged.objects, training.metric, count=int(wanted), n_jobs=n_jobs).order
    return References(sample.pick(merged.objects, net), positions[net])


def draw_references(groups: Indices, count: int) -> Indices:
    """Draw positions at random, from each group in proportion to its size, at least one.

    The draw is always the same: two fits of the same sample have the same answer.

    Examples
    --------
    >>> len(draw_references(np.array([0, 1, 1, 1, 1]), 3)), draw_references(np.array([0, 1]), 9)
    (4, array([0, 1]))
    """
    shuffled = np.random.default_rng(0).permutation(len(groups))
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    _, starts, sizes = np.unique(groups[by_group], return_index=True, return_counts=True)
    within = np.arange(len(groups)) - np.repeat(starts, sizes)
    wanted = np.ceil(count * sizes / len(groups))
    return np.sort(by_group[within < np.repeat(wanted, sizes)])


def warn_if_indistinct(columns: RadialColumns) -> None:
    """Warn if no reference distinguishes the objects: all columns are constant, up to a millionth
    of their values.

    A distance may err by `DISTANCE_ERROR` of its size, so that of such differences not even three
    digits are known. The program takes the columns for constants, and so is its function.

    Examples
    --------
    >>> import warnings
    >>> from wideberth.estimators.radial_expansions import Radial
    >>> from wideberth.metrics.named import metric
    >>> near, far, size = (
    ...     np.array([[0.0], [1.0]]),
    ...     np.array([[1e9]]),
    ...     {"max_memory": 10**6, "n_jobs": 1},
    ... )
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_if_indistinct(
    ...         RadialColumns(near, far, metric("euclidean"), [Radial("distance")], **size)
    ...     )
    >>> print(caught[0].message)
    The references do not distinguish the objects: their columns differ by at most 1, from 999999999 to 1e+09. The function ...
    """
    values = columns.columns(np.arange(columns.n_columns))
    low, high = values.min(axis=0), values.max(axis=0)
    widest = int((high - low).argmax())
    if high[widest] - low[widest] <= _INDISTINCT * high.max():
        warn_user(
            "The references do not distinguish the objects: their columns differ by at most "
            f"{high[widest] - low[widest]:.3g}, from {low[widest]:.9g} to {high[widest]:.9g}. The "
            "function is constant, so that all objects get one label. Take references that are "
            "nearer, such as training objects, or a larger width.",
            GapWarning,
        )


def _given_by_user(objects: Sample, training: Training) -> References:
    """The references that the user gave, prepared and checked against the training objects."""
    prepared = given_references(
        objects,
        training.objects,
        training.metric,
        unlabelled="Put references that have no label into the matrix too, with sample_weight 0, "
        "and name their rows.",
    )
    return References(prepared, np.arange(sample.count(prepared)))


# ---- The linear programs of an LP machine, one for each class against the rest, and the error if one
# of them has no hard margin

#: References drawn to make smoothed functions of, altogether for all radial functions but at least
#: so many for each; and the number of columns up to which all of them are held instead.
DRAWN, DRAWN_FOR_EACH, FEW_COLUMNS = 500, 100, 1500
#: The most objects of each mixture that an error names.
_MOST_NAMED = 4


def classes_with_function(n_classes: int) -> range:
    """List the classes that have a function of their own: none of one, the second of two, all of
    more.

    Examples
    --------
    >>> (
    ...     list(classes_with_function(1)),
    ...     list(classes_with_function(2)),
    ...     list(classes_with_function(3)),
    ... )
    ([], [1], [0, 1, 2])
    """
    return range(n_classes) if n_classes > 2 else range(1, n_classes)


@dataclass(frozen=True)
class Problem:
    """What the programs of all functions have in common: the training objects and the columns on
    them.
    """

    #: The columns, with their distances.
    columns: RadialColumns
    #: The references of the columns.
    references: References
    #: The training objects with equal ones merged.
    merged: Merged
    #: The weights of the merged objects without those of the classes, shape (n,).
    given: Floats
    #: The number of classes.
    n_classes: int

    @cached_property
    def signs(self) -> Floats:
        """The side of each object for each function, -1 or 1, shape (functions, n)."""
        classes = np.array(classes_with_function(self.n_classes), dtype=np.intp)
        return np.where(self.merged.codes == classes[:, None], 1.0, -1.0)

    def smoothed_path(self, max_memory: int) -> SmoothedPath:
        """Smoothed functions of all columns, or of those of a random sample of the references where
        there are too many.
        """
        columns, n_radials = self.columns, len(self.columns.radials)
        likely = None
        if columns.n_columns > min(FEW_COLUMNS, max_memory // (8 * columns.n_rows)):
            own = columns.n_references == len(self.merged)
            groups = self.merged.codes if own else np.zeros(columns.n_references, dtype=np.intp)
            drawn = draw_references(groups, max(DRAWN_FOR_EACH, DRAWN // n_radials))
            likely = np.add.outer(columns.n_references * np.arange(n_radials), drawn).ravel()
        return SmoothedPath(
            columns, self.signs, self.merged.weights, max_memory=max_memory, likely=likely
        )

    def units(self, critical_prices: Sequence[float] | Floats) -> Floats:
        """The unit of C for each function: its critical price, corrected for the weights of the
        classes.

        The programs contain weights multiplied by ``class_weight``. These should change the price
        of errors of a class, but not the unit in which C is given, so that the critical price is
        rescaled to the weights before that.
        """
        lighter, counted = (
            np.minimum((self.signs > 0) @ weights, (self.signs < 0) @ weights)
            for weights in (self.given, self.merged.weights)
        )
        return np.asarray(critical_prices, dtype=np.float64) * counted / lighter

    def tie_breaks(self, is_constant: Flags) -> Floats:
        """Small additions to the constant functions of several classes, in proportion to the
        weights of the classes.
        """
        if self.n_classes <= 2:
            return np.zeros(len(is_constant))
        weights = np.bincount(self.merged.codes, weights=self.merged.weights)
        return np.where(is_constant, TIE_BREAK * weights / weights.sum(), 0.0)


#: Functions for which columns are priced together.
_TOGETHER = 8


def begin_together(
    problem: Problem, programs: Sequence[DistanceProgram], C: float, max_time: float | None
) -> None:
    """Price all columns once for all programs: at balanced weights, which the units of C come from,
    and, where not all columns are held, at multipliers near the optimum for this C.

    Where distances are not kept, each is measured once for all of this. With a limit of time, which
    begins with the first program, nothing is solved here.
    """
    near = None
    if max_time is None and not all(program.holds_all for program in programs):
        near = [program.first_multipliers(C) for program in programs]
    weights = problem.merged.weights
    balanced = [balanced_weights(signs, weights) for signs in problem.signs]
    for start in range(0, len(programs), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        signs, at_balance = problem.signs[part], np.array(balanced[part])
        at = at_balance if near is None else np.array(near[part])
        tables = [at_balance] if near is None else [at_balance, at]
        sums = problem.columns.price(np.vstack([table * signs for table in tables]).T).T
        for place, program in enumerate(programs[part]):
            program.begin(sums[place], at[place], sums[place - len(at)])


@dataclass(frozen=True)
class OneVsRest:
    """The exact programs of all functions."""

    #: What all programs share.
    problem: Problem
    #: One for each function.
    programs: list[DistanceProgram]
    #: The unit of C of each program, shape (functions,).
    units: Floats
    #: The labels of the classes, for error messages, shape (k,).
    labels: NDArray[Any]
    #: The positions of the objects in X, for error messages, shape (n,).
    positions: Indices

    def solve(self, C: float, max_time: float | None) -> list[Solution]:
        """Solve all programs for one value of C.

        Programs continue from their last solution; ascending values of C are cheapest.
        """
        end = math.inf if max_time is None else time.monotonic() + max_time
        found = []
        for place, (program, unit) in enumerate(zip(self.programs, self.units, strict=True)):
            now = time.monotonic()
            deadline = now + (end - now) / (len(self.programs) - place)
            found.append(
                self._hard_margin(place, deadline)
                if math.isinf(C)
                else program.solve(C * unit, deadline=deadline)
            )
        return found

    def _hard_margin(self, place: int, deadline: float) -> Solution:
        found = self.programs[place].hard_margin(deadline=deadline)
        if found.status == "infeasible":
            positive = self.problem.signs[place] > 0
            distances_only = all(
                radial.name == "distance" for radial in self.problem.columns.radials
            )
            labels = self.labels[self.problem.merged.codes]
            raise no_hard_margin_error(
                found.point.multipliers,
                positive,
                labels,
                self.positions,
                distances_only=distances_only,
            )
        return found


def no_hard_margin_error(
    multipliers: Floats,
    positive: Flags,
    labels: NDArray[Any],
    positions: Indices,
    *,
    distances_only: bool,
) -> InvalidInput:
    r"""Build the error for objects that no function of the columns separates, from the witness of
    Farkas.

    The multipliers are not negative, add up to one half on either side, and :math:`\sum_j a_j y_j
    c_k(x_j) = 0` for all columns: 2a are the shares of two mixtures, one of each side, with the
    same mean of every column. Every function of the columns then has the same mean on both
    mixtures, and cannot be positive on one side and negative on the other.
    """
    mixed = [np.flatnonzero((multipliers > SOLVER_ERROR) & side) for side in (positive, ~positive)]
    named = [_heaviest_first(side, multipliers) for side in mixed]
    pairs = zip(named, mixed, strict=True)
    first, second = (
        _mixture_in_words(shown, len(side), multipliers, labels, positions) for shown, side in pairs
    )
    mean = "mean distance" if distances_only else "mean of every radial function of the distance"
    chosen = np.concatenate(named)
    return InvalidInput(
        f"There is no hard margin: to every reference, the {mean} of {first} equals that of "
        f"{second}.",
        advice="Take a finite C, another radial function, or more references; equal objects need "
        "equal labels.",
        witness=tuple(positions[chosen].tolist()),
        value=2.0 * multipliers[chosen],
    )


def _heaviest_first(side: Indices, multipliers: Floats) -> Indices:
    """The objects of one side with the largest multipliers, in decreasing order; at most
    `_MOST_NAMED`.
    """
    return side[np.argsort(-multipliers[side], kind="stable")][:_MOST_NAMED]


def _mixture_in_words(
    named: Indices, count: int, multipliers: Floats, labels: NDArray[Any], positions: Indices
) -> str:
    """Name the objects of a mixture with labels and shares in percent; ``count`` is the number of
    all its objects.
    """
    if count == 1:
        return f"object {positions[named[0]]} ({labels[named[0]].item()!r})"
    shown = [
        f"{positions[row]} ({labels[row].item()!r}, {200.0 * multipliers[row]:.3g} %)"
        for row in named
    ]
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return f"the objects {', '.join(shown)}{more}"


def combined_solution(solutions: Sequence[Solution], points: Sequence[Any]) -> Solution:
    """Combine the solutions of programs that share no variable: values and lower bounds add up.

    Examples
    --------
    >>> both = combined_solution(
    ...     [Solution(None, 2.0, 2.0, "optimal"), Solution(None, 3.0, 1.0, "stopped")],
    ...     points=["f", "g"],
    ... )
    >>> both.point, both.value, both.gap, both.status
    (('f', 'g'), 5.0, 2.0, 'stopped')
    """
    unfinished = [solution.status for solution in solutions if solution.status != "optimal"]
    value, lower = (
        float(sum(getattr(solution, name) for solution in solutions))
        for name in ("value", "lower_bound")
    )
    return Solution(tuple(points), value, lower, unfinished[0] if unfinished else "optimal")

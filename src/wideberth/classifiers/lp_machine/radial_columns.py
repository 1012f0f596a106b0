"""Columns of a linear program on distances: radial functions of the distances to references,
computed when they are needed.

A program on n objects with n references and several radial functions has far more entries than
memory allows. The solver needs only two operations: to price all columns, which goes through the
distances once, and to fetch a few of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.classifiers.lp_machine.kernels import add_rows
from wideberth.errors import GapWarning, warn_user
from wideberth.estimators.metric_estimator import given_references, is_count
from wideberth.estimators.radial_functions import Radial
from wideberth.estimators.training import Merged, Training
from wideberth.geometry.measure.kept_distances import KeptDistances
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.geometry.shape.nets import farthest_first
from wideberth.geometry.shape.scale import evenly_spread, median_distance
from wideberth.metrics.metric import Metric
from wideberth.objects import sample
from wideberth.rounding import DISTANCE_ERROR

#: The most objects, and the most references, whose median distance is the scale.
SCALE_OBJECTS = 100
#: Distances that are worked on together: few enough for the cache of one core.
BLOCK = 2**16
#: The least and the most references in a piece of work: long rows are read faster, short ones are
#: shared better among cores.
PIECE = (1024, 4096)
#: The number of additions from which on several cores are faster: about 50 ms of work.
WORTH_SHARING = 3e7


class RadialColumns:
    r"""The columns :math:`c_k(x_j) = g(d(x_j, z)) / \mathrm{Lip}(g)` for all radial functions g and
    references z.

    Column ``r * m + i`` belongs to the radial function r and the reference i of m. The Lipschitz
    constant of each is at most 1 where the metric obeys the triangle inequality, so that of
    :math:`\sum_k \beta_k c_k` is at most :math:`\sum_k |\beta_k|`. Distances are kept if they take
    at most half of the memory (see `wideberth.geometry.measure.kept_distances`), and are measured
    again for every `price` if not.

    Parameters
    ----------
    objects, references : prepared sample
        The n objects of the rows, and the m references.
    metric : Metric
        Their metric.
    radials : sequence of Radial
        The radial functions; a width that was left open becomes the `scale`.
    max_memory : int
        Bytes, of which half may hold distances.
    n_jobs : int or None
        Cores to use.

    Attributes
    ----------
    radials : tuple of Radial
        The radial functions, all with a width.

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
        objects: Any,
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
        self.radials = tuple(
            radial.resolved(self.scale) if _has_open_width(radial) else radial for radial in radials
        )

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

    def subset(self, rows: Any, references: Any = None) -> Self:
        """Restrict the columns to some of the objects and, if given, some of the references;
        distances are shared.

        Parameters
        ----------
        rows, references : ndarray of int, slice, or None
            Which to keep; all references if None.

        Returns
        -------
        RadialColumns
            The smaller set of columns, with the same radial functions.
        """
        part: Self = object.__new__(type(self))
        part._kept, part.radials = self._kept, self.radials
        part._rows = self._rows[rows]
        part._references = self._references if references is None else self._references[references]
        return part

    def with_radials(self, radials: Sequence[Radial]) -> Self:
        """Replace the radial functions; objects, references and distances are shared.

        Parameters
        ----------
        radials : sequence of Radial
            The new radial functions, all with a width.

        Returns
        -------
        RadialColumns
            The new columns, with the same `scale`.
        """
        twin = self.subset(slice(None))
        twin.radials, twin.scale = tuple(radials), self.scale
        return twin

    def picked_references(self, chosen: Indices) -> Any:
        """Select some of the references by their positions; the result is a prepared sample."""
        return sample.pick(self._kept.references, self._references[chosen])

    def columns(self, indices: Any) -> Floats:
        """Compute some of the columns.

        Parameters
        ----------
        indices : array-like of int
            The numbers of the columns, in any order.

        Returns
        -------
        ndarray of shape (n_rows, len(indices))
            The columns.
        """
        radials, places = np.divmod(np.asarray(indices, dtype=np.intp), self.n_references)
        needed, inverse = np.unique(places, return_inverse=True)
        distances = self._kept.block(self._rows, self._references[needed])
        out = np.empty((self.n_rows, len(places)))
        for number in np.unique(radials):
            chosen = np.flatnonzero(radials == number)
            out[:, chosen] = self.radials[number].scaled(distances[:, inverse[chosen]])
        return out

    def price(self, values: Floats) -> Floats:
        r"""Compute the sums :math:`\sum_j v_j c_k(x_j)` of all columns.

        Rows whose values are all zero cost nothing. The result does not depend on the number of
        cores.

        Parameters
        ----------
        values : ndarray of shape (n,) or (n, q)
            The value v of each object, in q variants.

        Returns
        -------
        ndarray of shape (n_columns,) or (n_columns, q)
            The sums.
        """
        table = np.ascontiguousarray(values.reshape(len(values), -1), dtype=np.float64)
        nonzero = np.flatnonzero(table.any(axis=1))
        rows, table = self._rows[nonzero], table[nonzero]
        matrix = self._kept.matrix() if len(rows) else None
        sums = (
            self._price_measured(rows, table)
            if matrix is None
            else self._price_stored(matrix, rows, table)
        )
        return sums.T.copy() if values.ndim > 1 else sums[0]

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
        return [radial.scaled(numbers) for radial in self.radials]

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


def _has_open_width(radial: Radial) -> bool:
    return radial.width is None and radial.name != "distance"


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
    """The sums over a piece of the stored matrix, its columns from ``piece[0]`` to ``piece[1]``.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        Distances, stored as whole numbers if there are ``tables``.
    tables : list of ndarray, or None
        The values of each radial function for all whole numbers.
    radials : sequence of Radial
        The radial functions.
    rows : ndarray of shape (r,)
        The rows with a value.
    values : ndarray of shape (r, q)
        Their values.
    piece : tuple of (int, int)
        The first column, and the end.

    Returns
    -------
    ndarray of shape (radials, q, piece[1] - piece[0])
        The sums.
    """
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
                    radial.scaled(band, out=band), values[start : start + height], out[place]
                )
    return out


def _sums_from_objects(
    metric: Metric,
    objects: Any,
    references: Any,
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
                else radial.scaled(distances, out=scratch[: len(distances)])
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
    """Prepared objects that may serve as references.

    Attributes
    ----------
    objects : prepared sample
        The m objects.
    positions : ndarray of shape (m,)
        Their positions in X, or among the references that the user gave.
    """

    objects: Any
    positions: Indices


def choose_references(
    wanted: Any, training: Training, merged: Merged, *, n_jobs: int | None
) -> References:
    """Choose the references from which the program may select.

    Parameters
    ----------
    wanted : int, objects or None
        The parameter ``references`` of `wideberth.LPMachineClassifier`: None for all training
        objects; a number for that many of them, far from each other (farthest-first traversal); or
        the references themselves.
    training : Training
        The training objects.
    merged : Merged
        The same with equal objects merged, from which references are chosen.
    n_jobs : int or None
        Cores to use.

    Returns
    -------
    References
        The references.

    Raises
    ------
    InvalidInput
        If the given references are empty, or are rows of distances that a precomputed matrix does
        not contain.
    """
    if wanted is not None and not is_count(wanted):
        return _given_by_user(wanted, training)
    positions = merged.positions(training)
    if wanted is None or wanted >= len(merged):
        return References(merged.objects, positions)
    net = farthest_first(merged.objects, training.metric, count=int(wanted), n_jobs=n_jobs).order
    return References(sample.pick(merged.objects, net), positions[net])


def warn_if_indistinct(columns: RadialColumns) -> None:
    """Warn if no reference distinguishes the objects: all columns are constant, up to a millionth
    of their values.

    A distance may err by `DISTANCE_ERROR` of its size, so that of such differences not even three
    digits are known. The program takes the columns for constants, and so is its function.

    Parameters
    ----------
    columns : RadialColumns
        The columns of the references on the training objects.

    Warns
    -----
    GapWarning
        With the largest difference in a column, and the values between which it is.

    Examples
    --------
    >>> import warnings
    >>> from wideberth.estimators.radial_functions import Radial
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


def _given_by_user(objects: Any, training: Training) -> References:
    """The references that the user gave, prepared and checked against the training objects."""
    prepared = given_references(
        objects,
        training.objects,
        training.metric,
        unlabelled="Put references that have no label into the matrix too, with sample_weight 0, "
        "and name their rows.",
    )
    return References(prepared, np.arange(sample.count(prepared)))

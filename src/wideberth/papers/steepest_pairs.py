"""The Lipschitz constant of a function on a finite metric space, and the steepest pair of each
object.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Floats, Indices
from wideberth.geometry.measure.blocks import reduced_blocks, row_spans
from wideberth.geometry.measure.kept_distances import KeptDistances
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.metrics.metric import Metric
from wideberth.papers.kernels import steepest_in_block

#: The pairs of objects in a piece of work, which takes about a millisecond.
_PIECE_PAIRS = 2**20


class SteepestPartners(NamedTuple):
    """For each object the one to which the function changes fastest.

    Attributes
    ----------
    partners : ndarray of shape (n,)
        The number of that object; -1 if the function has the same value at all others.
    slopes : ndarray of shape (n,)
        The slope between the two, 0 if there is no partner.
    distances : ndarray of shape (n,)
        Their distance, 0 if there is no partner.
    """

    partners: Indices
    slopes: Floats
    distances: Floats


class SteepestPairs:
    r"""Find :math:`\max_z |f(x) - f(z)| / d(x, z)` for every object x of a sample, for one function
    f after the other.

    The largest of all is the Lipschitz constant of f on the sample. All pairs are examined, on all
    cores; their distances are kept if they take at most half of the memory, and measured again for
    every search if not.

    Parameters
    ----------
    objects : prepared sample
        The n objects.
    metric : Metric
        Their metric.
    max_memory : int
        Bytes, of which half may hold distances.
    n_jobs : int or None
        Cores to use.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> pairs = SteepestPairs(
    ...     np.array([[0.0], [1.0], [3.0]]), metric("euclidean"), max_memory=10**6, n_jobs=1
    ... )
    >>> found = pairs.search(np.array([0.0, 1.0, 7.0]))
    >>> found.partners, found.slopes.round(2), found.distances
    (array([2, 2, 1]), array([2.33, 3.  , 3.  ]), array([3., 2., 2.]))
    """

    def __init__(
        self, objects: Any, metric: Metric, *, max_memory: int, n_jobs: int | None
    ) -> None:
        self._kept = KeptDistances(objects, objects, metric, max_memory=max_memory, n_jobs=n_jobs)
        self._memory = max_memory

    @property
    def n_objects(self) -> int:
        """The number of objects."""
        return self._kept.shape[0]

    @property
    def distance_calls(self) -> int:
        """The number of distances measured so far."""
        return self._kept.calls

    def search(self, values: Floats, *, closest: float = 0.0) -> SteepestPartners:
        """Find the steepest pair of every object.

        Parameters
        ----------
        values : ndarray of shape (n,)
            The function at the objects.
        closest : float, default 0
            Pairs no farther apart than this are skipped, because rounding of the values would look
            like a slope.

        Returns
        -------
        SteepestPartners
            The partner of each object, with slope and distance.
        """
        matrix = self._kept.matrix()
        bands = (
            self._search_measured(values, closest)
            if matrix is None
            else self._search_stored(matrix, values, closest)
        )
        return SteepestPartners(*map(np.concatenate, zip(*bands, strict=True)))

    def _search_stored(
        self, matrix: NDArray[Any], values: Floats, closest: float
    ) -> Iterator[SteepestPartners]:
        """Search the stored matrix, in bands of rows on all cores."""
        height = max(1, _PIECE_PAIRS // self.n_objects)
        bands = [slice(start, start + height) for start in range(0, self.n_objects, height)]
        yield from over_chunks(
            partial(_in_rows, matrix, values, closest),
            bands,
            n_jobs=self._kept.n_jobs,
            what="steepest pairs",
        )

    def _search_measured(self, values: Floats, closest: float) -> Iterator[SteepestPartners]:
        """Search distances that are measured for this search and not kept."""
        kept, n = self._kept, self.n_objects
        find, spans = partial(_in_measured, values, closest), row_spans(n, n, self._memory)
        for rows, found in reduced_blocks(
            find, kept.metric, kept.objects, kept.objects, spans, n_jobs=kept.n_jobs
        ):
            yield found
            kept.count((rows.stop - rows.start) * n)


def _in_rows(matrix: NDArray[Any], values: Floats, closest: float, rows: slice) -> SteepestPartners:
    """Find the partners of some rows of a matrix of all distances."""
    return _in_block(matrix[rows], values, closest, rows.start)


def _in_measured(
    values: Floats, closest: float, rows: slice, block: NDArray[Any]
) -> SteepestPartners:
    return _in_block(block, values, closest, rows.start)


def _in_block(block: NDArray[Any], values: Floats, closest: float, first: int) -> SteepestPartners:
    """Find the partners of consecutive objects, from ``first`` on, from their distances to all."""
    n = len(block)
    found = SteepestPartners(np.empty(n, dtype=np.intp), np.empty(n), np.empty(n))
    steepest_in_block(block, first, values, closest, *found)
    return found

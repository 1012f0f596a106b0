"""Distances between objects and references: kept in one matrix if it fits in memory, otherwise
measured again at each request.
"""

import threading
import time
from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Indices
from wideberth.geometry.measure.blocks import TRIAL_PAIRS, row_chunks
from wideberth.geometry.measure.parallel import over_chunks
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample
from wideberth.progress import task


class KeptDistances:
    """The distances from n objects (rows) to m references (columns), kept in memory if they fit.

    `matrix` measures all of them once and keeps them if they take at most half of ``max_memory``:
    in two bytes each where that is exact, as for edit distances, else in eight. If the references
    are the objects themselves (the same Python object, not an equal one) and the metric declares
    the axioms of a metric, only about half of the distances are measured. Several threads may use
    one instance.

    Parameters
    ----------
    objects, references : prepared samples of n and m objects
        As ``metric.prepare`` returns them.
    metric : Metric
        The metric of both samples.
    max_memory : int
        Bytes; the kept matrix takes at most half of them.
    n_jobs : int or None
        How many cores to use; None for all.

    Attributes
    ----------
    shape : (int, int)
        n and m.
    calls : int
        How many distances the metric was asked for so far. That of a space may have known some of
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
        self, objects: Any, references: Any, metric: Metric, *, max_memory: int, n_jobs: int | None
    ) -> None:
        self.objects, self.references, self.metric, self.n_jobs = (
            objects,
            references,
            metric,
            n_jobs,
        )
        self.shape = sample.count(objects), sample.count(references)
        self.calls = 0
        self._room = max_memory // 2
        self._mirrored = objects is references and metric.obeys_triangle is True
        whole = metric.promises.step is not None and float(metric.promises.step).is_integer()
        self._dtype: Any = np.uint16 if whole else np.float64
        self._matrix: NDArray[Any] | None = None
        self._lock = threading.RLock()

    @property
    def fits(self) -> bool:
        """Whether all distances fit into half of the memory, so that `matrix` keeps them."""
        return self.shape[0] * self.shape[1] * int(np.dtype(self._dtype).itemsize) <= self._room

    def matrix(self) -> NDArray[Any] | None:
        """Return all distances, measured at the first call, or None if they do not fit.

        Returns
        -------
        ndarray of shape (n, m) or None
            Of type uint16 or float64. It is shared by all callers: do not write to it.
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

        Parameters
        ----------
        rows : ndarray of shape (r,)
            Positions of the objects.
        columns : ndarray of shape (c,)
            Positions of the references.

        Returns
        -------
        ndarray of shape (r, c)
            The distances, as float64.
        """
        if self._matrix is not None:
            return self._matrix[np.ix_(rows, columns)].astype(np.float64, copy=False)
        chosen = sample.pick(self.objects, rows)
        others = sample.pick(self.references, columns)
        out = np.empty((sample.count(chosen), sample.count(others)))
        for band, measured in self._bands(chosen, others):
            out[band] = measured
        return out

    def count(self, calls: int) -> None:
        """Add distances that were measured elsewhere on behalf of this instance."""
        with self._lock:
            self.calls += calls

    def _measure_all(self, out: NDArray[Any]) -> NDArray[Any] | None:
        """Fill ``out``; None if its type cannot hold the distances."""
        with task(f"distances ({self.metric.name})", out.size) as measuring:
            for band, measured in self._bands(
                self.objects, self.references, mirrored=self._mirrored
            ):
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

    def _bands(
        self, left: Any, right: Any, *, mirrored: bool = False
    ) -> Iterator[tuple[slice, Distances]]:
        """Bands of rows of ``left`` with their distances to ``right``, to those from the band on if
        mirrored; on all cores.
        """
        n_left, n_right = sample.count(left), sample.count(right)
        if not n_left * n_right:
            return
        work = partial(_band, self.metric, left, right, mirrored)
        trial = slice(0, max(1, min(n_left, TRIAL_PAIRS // n_right)))
        started = time.perf_counter()
        first = work(trial)
        seconds_a_row = (time.perf_counter() - started) / trial.stop
        self.count(first.size)
        yield trial, first
        bands = row_chunks(trial.stop, n_left, seconds_a_row)
        expected = seconds_a_row * (n_left - trial.stop)
        measured = over_chunks(
            work, bands, n_jobs=self.n_jobs, how=self.metric.parallel, expected=expected
        )
        for band, block in zip(bands, measured, strict=True):
            self.count(block.size)
            yield band, block


def _band(metric: Metric, left: Any, right: Any, mirrored: bool, band: slice) -> Distances:
    others = sample.pick(right, slice(band.start, None)) if mirrored else right
    return metric.block(sample.pick(left, band), others)

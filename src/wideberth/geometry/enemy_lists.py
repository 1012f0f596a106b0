"""Short lists of nearest enemies, for any metric, from blocks of distances."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.geometry.enemy_lists_kernels import offer_to_both, offer_to_rows, sort_lists
from wideberth.geometry.pair_blocks import enemy_blocks, row_spans, stream
from wideberth.metrics.metric import Distances, Metric
from wideberth.objects import sample

Indices = NDArray[np.intp]


class EnemyLists:
    """The k nearest objects of other classes of every object, by (distance, index), at distances up to ``up_to``.

    ``near`` and ``far`` have shape (n, k); free places hold the index n and the distance ``up_to``. The lists come from every
    pair of different classes, measured once; ``renew`` measures some objects again, against those still wanted.
    """

    def __init__(
        self, metric: Metric, prepared: Any, codes: Indices, k: int, *, up_to: float, memory: int, n_jobs: int | None
    ) -> None:
        n = len(codes)
        self.near = np.full((n, k), n, dtype=np.int32)
        self.far = np.full((n, k), up_to)
        self.distance_calls = 0
        self._metric, self._prepared, self._codes, self._up_to = metric, prepared, codes, up_to
        self._memory, self._n_jobs = memory, n_jobs
        for rows, columns, distances in enemy_blocks(metric, prepared, codes, memory=memory, n_jobs=n_jobs):
            offer_to_both(distances, rows, columns, codes, self.near, self.far)
            self.distance_calls += distances.size
        sort_lists(np.arange(n), self.near, self.far)

    def renew(self, rows: Indices, among: Indices) -> None:
        """Make the lists of the objects ``rows`` anew, of the objects ``among``."""
        self.near[rows], self.far[rows] = len(self.near), self._up_to
        for code in np.unique(self._codes[rows]):
            self._renew_one_class(rows[self._codes[rows] == code], among[self._codes[among] != code])
        sort_lists(rows, self.near, self.far)

    def _renew_one_class(self, rows: Indices, enemies: Indices) -> None:
        left, right = sample.pick(self._prepared, rows), sample.pick(self._prepared, enemies)
        spans = row_spans(len(rows), len(enemies), self._memory)
        for (part, _), distances in stream(self._metric, left, right, spans, memory=self._memory, n_jobs=self._n_jobs):
            offer_to_rows(distances, rows[part], enemies, self.near, self.far)
            self.distance_calls += distances.size

    def table(self) -> tuple[Indices, Distances]:
        """Indices and distances, -1 and infinity in free places."""
        free = self.near == len(self.near)
        return np.where(free, -1, self.near).astype(np.intp), np.where(free, np.inf, self.far)

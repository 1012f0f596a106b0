"""A tree of balls around sample objects, for any metric, with the range of every distance that was measured to grow it.

A geometric near-neighbour access tree (Brin, "Near neighbor search in large metric spaces", VLDB 1995), its centres nested as in
a net: the first child keeps the centre of its parent.
"""

from dataclasses import dataclass

import numpy as np

from wideberth.geometry.counting import CountedSample
from wideberth.geometry.engines.found import Indices
from wideberth.geometry.engines.rows import distances_from
from wideberth.metrics.metric import Distances

#: Centres of a split. More rule out more at once, fewer are cheaper to measure: 4 to 16 differ little.
FANOUT = 8
#: Objects that are not worth splitting.
LEAF_SIZE = 32
#: Centres are spread over a draw of so many objects: the farthest of all are often outliers, alone in their ball.
DRAWN = 4 * FANOUT


@dataclass(frozen=True)
class MetricTree:
    """Arrays with one row for each node, the root first; -1 where there is nothing.

    Node v covers the objects ``order[start[v]:stop[v]]``. Splitting it took new centres among them, ``centres[v, 1:]``, beside
    its own, ``centres[v, 0]``; every other object went to its nearest centre, ``children[v, j]`` being the child around
    ``centres[v, j]``. The distances from all objects of node w to the centres of its parent lie in ``lower[w]`` .. ``upper[w]``,
    and ``table[i]`` are those of object ``order[i]`` to the centres of the parent of its leaf. The parent of the root has one
    centre, ``order[0]``, the only object that no node covers.
    """

    order: Indices
    table: Distances
    start: Indices
    stop: Indices
    centres: Indices
    children: Indices
    lower: Distances
    upper: Distances


def grow(counted: CountedSample, n_jobs: int | None, random_state: int) -> MetricTree:
    """The tree over all objects of a sample, at least one."""
    return _Growth(counted, n_jobs, np.random.default_rng(random_state)).finished()


class _Growth:
    """A tree while it grows, node by node."""

    def __init__(self, counted: CountedSample, n_jobs: int | None, rng: np.random.Generator) -> None:
        self.counted, self.n_jobs, self.rng = counted, n_jobs, rng
        n = len(counted)
        self.order = rng.permutation(n)
        self.table = np.zeros((n, FANOUT))
        self.table[1:, 0] = distances_from(counted, int(self.order[0]), self.order[1:], n_jobs)
        self.segments: list[tuple[int, int]] = []
        self.centres: list[Indices] = []
        self.children: list[Indices] = []
        self.ranges: list[tuple[Distances, Distances]] = []

    def finished(self) -> MetricTree:
        pending = [(self._add_node(1, len(self.order), int(self.order[0]), 1), 0)]
        while pending:
            node, column = pending.pop()
            pending += self._split(node, column)
        start, stop = np.array(self.segments, dtype=np.intp).T
        lower, upper = (np.array(side) for side in zip(*self.ranges, strict=True))
        return MetricTree(self.order, self.table, start, stop, np.array(self.centres), np.array(self.children), lower, upper)

    def _add_node(self, start: int, stop: int, centre: int, n_columns: int) -> int:
        """A node around ``centre``, whose parent has ``n_columns`` centres."""
        lower, upper = np.zeros(FANOUT), np.full(FANOUT, np.inf)
        if start < stop:
            lower[:n_columns] = self.table[start:stop, :n_columns].min(axis=0)
            upper[:n_columns] = self.table[start:stop, :n_columns].max(axis=0)
        self.segments.append((start, stop))
        self.centres.append(np.concatenate(([centre], np.full(FANOUT - 1, -1))))
        self.children.append(np.full(FANOUT, -1))
        self.ranges.append((lower, upper))
        return len(self.segments) - 1

    def _split(self, node: int, column: int) -> list[tuple[int, int]]:
        """Cut a node in balls and return them with their columns; a leaf is left as it is."""
        start, stop = self.segments[node]
        to_own = self.table[start:stop, column].copy()
        if stop - start <= LEAF_SIZE or not to_own.any():  # small, or nothing but equal objects
            return []
        chosen, distances = self._spread_centres(self.order[start:stop], to_own)
        ball = distances.argmin(axis=1)
        ball[chosen] = -1  # the new centres come first: they belong to the node itself
        arranged = np.argsort(ball, kind="stable")
        arranged[: len(chosen)] = chosen
        self.centres[node][1 : len(chosen) + 1] = self.order[start + chosen]
        self.order[start:stop] = self.order[start + arranged]
        self.table[start:stop] = 0
        self.table[start:stop, : distances.shape[1]] = distances[arranged]
        ends = start + np.searchsorted(ball[arranged], np.arange(distances.shape[1] + 1))
        grown = []
        for child in np.flatnonzero(np.diff(ends)):
            self.children[node][child] = self._add_node(
                int(ends[child]), int(ends[child + 1]), int(self.centres[node][child]), distances.shape[1]
            )
            grown.append((int(self.children[node][child]), int(child)))
        return grown

    def _spread_centres(self, members: Indices, to_own: Distances) -> tuple[Indices, Distances]:
        """New centres, as positions in ``members``, each far from those before; distances of all members to all centres."""
        drawn = self.rng.permutation(len(members))[:DRAWN]
        if not to_own[drawn].any():
            drawn = np.array([to_own.argmax()])
        chosen: list[int] = []
        columns = [to_own]
        nearest = to_own
        while len(columns) < FANOUT:
            farthest = int(drawn[nearest[drawn].argmax()])
            if nearest[farthest] == 0:
                break
            chosen.append(farthest)
            columns.append(distances_from(self.counted, int(members[farthest]), members, self.n_jobs))
            nearest = np.minimum(nearest, columns[-1])
        return np.array(chosen), np.stack(columns, axis=1)

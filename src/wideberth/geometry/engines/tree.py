"""Search in a tree of balls, many queries at a time."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from wideberth.geometry.engines.bounds import certain, measure_by_bound, require_triangle
from wideberth.geometry.engines.engine import Asked, Population, SearchEngine
from wideberth.geometry.engines.found import Found, Indices
from wideberth.geometry.engines.tree_growth import FANOUT, LEAF_SIZE, grow
from wideberth.metrics.metric import Distances

#: What `Tree` knows of the objects below a node instead of the number of their class; -1 means that no class is excluded.
MIXED, EMPTY = -2, -3
#: Bytes for one visit of a query to a node, with the visits to the children that follow from it.
_BYTES_PER_VISIT = 8 * FANOUT * (4 * FANOUT + 4)


@dataclass(frozen=True)
class Visits:
    """Pairs of a query and a node it has to look into: one row each."""

    rows: Indices
    nodes: Indices
    to_centres: Distances  # from the query to the centres of the node's parent, padded with zeros
    to_own: Distances  # to the node's own centre
    bounds: Distances  # on the distance to any object of the node

    def __len__(self) -> int:
        return len(self.rows)

    def pick(self, which: NDArray[np.bool_] | Indices) -> Self:
        return type(self)(*(column[which] for column in vars(self).values()))

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        return cls(*(np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts), strict=True)))


class Tree(SearchEngine):
    r"""A tree of balls: a node whose objects are all within [l, u] of a centre c is at least
    :math:`\max(d(q, c) - u,\; l - d(q, c))` away from the query q.

    Nodes are left out when (1 + eta) times that is beyond the k-th nearest found, so the answers are (1 + eta)-nearest at every
    rank. A query first goes straight down to one leaf, to know how far it must look, and then looks into all nodes that are left,
    level by level. At each node the distances of all its queries to all its centres are one block.
    """

    name = "tree"

    def __init__(self, population: Population, *, memory: int, n_jobs: int | None, random_state: int) -> None:
        require_triangle(population.counted.metric, self.name)
        self.population = population
        self.max_visits = max(256, min(16_384, memory // (8 * _BYTES_PER_VISIT)))
        if len(population):
            self.tree = grow(population.counted, n_jobs, random_state)
            self.n_centres = (self.tree.centres >= 0).sum(axis=1)
            self.is_leaf = self.n_centres == 1
            self.sole = self._sole_classes()

    def forget(self, gone: Indices) -> None:
        if len(gone):
            self.sole = self._sole_classes()

    def _sole_classes(self) -> Indices:
        """The class of the objects alive below each node, or `MIXED` or `EMPTY`."""
        codes, alive = self.population.codes[self.tree.order], self.population.alive[self.tree.order]
        least = _reduce(np.minimum, np.where(alive, codes, len(codes)), self.tree.start, self.tree.stop)
        most = _reduce(np.maximum, np.where(alive, codes, EMPTY), self.tree.start, self.tree.stop)
        sole = np.where((least == most) | (most == EMPTY), most, MIXED)
        return np.where(self.tree.start < self.tree.stop, sole, EMPTY)

    def rows_at_once(self, n_queries: int, jobs: int) -> int:
        return max(8, min(4_096, -(-n_queries // (4 * jobs))))

    def search(self, asked: Asked, found: Found) -> None:
        if not len(self.population) or not len(asked):
            return
        _Search(self, asked, found).run()


class _Search:
    """One batch of queries on its way through the tree."""

    def __init__(self, engine: Tree, asked: Asked, found: Found) -> None:
        self.engine, self.tree, self.asked, self.found = engine, engine.tree, asked, found
        self.metric = engine.population.counted.metric
        # the way straight down: at each level the node of each query (-1: none) and its distances to the centres there
        self.passed: list[tuple[Indices, Distances]] = []

    def run(self) -> None:
        front = self._start()
        if self.found.first_batch:
            self._descend(front)
        self._sweep(front, [], level=0)

    def _start(self) -> Visits:
        rows = np.arange(len(self.asked))
        to_root = self.asked.distances(slice(None), self.tree.order[:1])
        self._offer(rows, self.tree.order[np.zeros_like(rows)], to_root[:, 0])
        to_centres = np.zeros((len(rows), FANOUT))
        to_centres[:, :1] = to_root
        return Visits(rows, np.zeros_like(rows), to_centres, to_root[:, 0], np.zeros(len(rows)))

    def _descend(self, front: Visits) -> None:
        """Every query to the nearest centre, level by level, and through its leaf: whatever is near brings the limits down."""
        while len(front := self._hopeful(front)):
            at_leaf = self.engine.is_leaf[front.nodes]
            nodes, distances = np.full(len(self.asked), -1), np.zeros((len(self.asked), FANOUT))
            nodes[front.rows] = front.nodes
            self._through_leaves(front.pick(at_leaf))
            front = front.pick(~at_leaf)
            to_centres = self._measure_centres(front)
            distances[front.rows] = to_centres
            self.passed.append((nodes, distances))
            front = self._hopeful(self._children(front, to_centres))
            nearest = np.lexsort((front.to_own, front.rows))
            front = front.pick(nearest[_first_of_equals(front.rows[nearest])])

    def _sweep(self, front: Visits, leaves: list[Visits], level: int) -> None:
        """Look into all nodes that may hold something, level by level; too many of them for the memory: half of the queries."""
        while len(front := self._hopeful(front)):
            queries = np.unique(front.rows)
            if len(front) > self.engine.max_visits and len(queries) > 1:
                self._sweep_halves(front, leaves, level, queries)
                return
            at_leaf = self.engine.is_leaf[front.nodes]
            leaves = [*leaves, front.pick(at_leaf & ~self._has_passed(front, level))]
            front = front.pick(~at_leaf)
            front = self._children(front, self._recall_or_measure(front, level))
            level += 1
        if leaves:
            self._through_leaves(Visits.join(leaves))

    def _sweep_halves(self, front: Visits, leaves: list[Visits], level: int, queries: Indices) -> None:
        # queries that went down to neighbouring leaves stay together: they look into the same nodes
        place = self.passed[-1][0][queries] if self.passed else queries
        middle = np.zeros(len(self.asked), dtype=bool)
        middle[queries[np.argsort(place, kind="stable")[: len(queries) // 2]]] = True
        for half in (middle, ~middle):
            self._sweep(front.pick(half[front.rows]), [each.pick(half[each.rows]) for each in leaves], level)

    def _hopeful(self, visits: Visits) -> Visits:
        sole = self.engine.sole[visits.nodes]
        possible = (sole != EMPTY) & (sole != self.asked.excluded[visits.rows])
        return visits.pick(possible & (visits.bounds * self.found.stretch <= self.found.limits[visits.rows]))

    def _has_passed(self, visits: Visits, level: int) -> NDArray[np.bool_]:
        if level >= len(self.passed):
            return np.zeros(len(visits), dtype=bool)
        passed: NDArray[np.bool_] = self.passed[level][0][visits.rows] == visits.nodes
        return passed

    def _recall_or_measure(self, visits: Visits, level: int) -> Distances:
        """The distances from the queries to the centres of their nodes, measured once."""
        known = self._has_passed(visits, level)
        distances = np.empty((len(visits), FANOUT))
        if known.any():
            distances[known] = self.passed[level][1][visits.rows[known]]
        distances[~known] = self._measure_centres(visits.pick(~known))
        return distances

    def _measure_centres(self, visits: Visits) -> Distances:
        distances = np.zeros((len(visits), FANOUT))
        distances[:, 0] = visits.to_own
        for entries in _groups(visits.nodes):
            node = visits.nodes[entries[0]]
            new = slice(1, self.engine.n_centres[node])
            distances[entries, new] = self.asked.distances(visits.rows[entries], self.tree.centres[node, new])
        centres = self.tree.centres[visits.nodes]
        centres[:, 0] = -1  # the parent's, offered before
        entry, column = np.nonzero(centres >= 0)
        self._offer(visits.rows[entry], centres[entry, column], distances[entry, column])
        return distances

    def _children(self, visits: Visits, to_centres: Distances) -> Visits:
        children = self.tree.children[visits.nodes]
        entry, column = np.nonzero(children >= 0)
        nodes, distances = children[entry, column], to_centres[entry]
        bounds = np.maximum(distances - self.tree.upper[nodes], self.tree.lower[nodes] - distances).max(axis=1, initial=0)
        bounds = certain(bounds, distances.max(axis=1, initial=0), self.metric)
        return Visits(visits.rows[entry], nodes, distances, to_centres[entry, column], bounds)

    def _through_leaves(self, visits: Visits) -> None:
        """Measure the objects of leaves, for each query in the order of their lower bounds."""
        visits = self._hopeful(visits)
        visits = visits.pick(np.argsort(visits.rows, kind="stable"))
        sizes = self.tree.stop[visits.nodes] - self.tree.start[visits.nodes]
        batch = np.cumsum(sizes) // (LEAF_SIZE * self.engine.max_visits)
        firsts = np.flatnonzero(_first_of_equals(visits.rows))
        for part in np.split(np.arange(len(visits)), firsts[1:][_differs(batch[firsts])]):
            self._measure_leaves(visits.pick(part))

    def _measure_leaves(self, visits: Visits) -> None:
        starts = self.tree.start[visits.nodes]
        sizes = self.tree.stop[visits.nodes] - starts
        entry = np.repeat(np.arange(len(visits)), sizes)
        position = np.arange(len(entry)) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        rows, objects = visits.rows[entry], self.tree.order[position]
        bounds = abs(self.tree.table[position] - visits.to_centres[entry]).max(axis=1, initial=0)
        bounds = certain(bounds, visits.to_centres.max(axis=1, initial=0)[entry], self.metric)
        hopeful = self.engine.population.wanted(objects, self.asked.excluded[rows])
        hopeful &= bounds * self.found.stretch <= self.found.limits[rows]
        rows, objects, bounds = rows[hopeful], objects[hopeful], bounds[hopeful]
        for part in np.split(np.arange(len(rows)), np.flatnonzero(_differs(rows)) + 1) if len(rows) else []:
            measure_by_bound(self.asked, int(rows[part[0]]), objects[part], bounds[part], self.found)

    def _offer(self, rows: Indices, objects: Indices, distances: Distances) -> None:
        wanted = self.engine.population.wanted(objects, self.asked.excluded[rows])
        self.found.offer(rows[wanted], objects[wanted], distances[wanted])


def _reduce(how: np.ufunc, values: Indices, start: Indices, stop: Indices) -> Indices:
    """``how.reduce(values[start:stop])`` for many, also overlapping, segments; those that are empty give anything."""
    padded = np.append(values, values[-1])  # reduceat takes no index behind the end
    reduced: Indices = how.reduceat(padded, np.stack([start, stop], axis=1).ravel())[::2]
    return reduced


def _differs(values: Indices) -> NDArray[np.bool_]:
    differs: NDArray[np.bool_] = values[1:] != values[:-1]
    return differs


def _first_of_equals(values: Indices) -> NDArray[np.bool_]:
    """Where a new value starts in a sorted array."""
    return np.concatenate([np.ones(min(len(values), 1), dtype=bool), _differs(values)])


def _groups(values: Indices) -> list[Indices]:
    """The positions of equal values together."""
    order = np.argsort(values, kind="stable")
    return np.split(order, np.flatnonzero(_differs(values[order])) + 1) if len(values) else []

r"""Votes of the nearest objects, with one rule for ties that all neighbour classifiers share.

Under a distance that takes few values, such as a number of edits, many objects are as near as the
k-th neighbour, and many queries have nearest objects of several classes. The objects at one
distance are a *shell*, and no object of a shell comes before another:

1. All objects nearer than the k-th vote with their weight. Those of the shell of the k-th share the
   votes that are left, in proportion to their weights: what each of them would have on average if
   chance chose among them.
2. Of classes with as many votes, the one with more votes in the nearest shell wins; if they are
   equal there too, in the next shell, and so on, beyond the k-th neighbour if need be.
3. Of classes that have as many votes in every shell, the first one wins.

For k = 1 the majority of the nearest objects wins, and if there is none the next shell decides. The
answer depends on the set of objects and not on their order, and it is always a class of the nearest
shell for k = 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices, Integers, Sample
from wideberth.geometry.classes.kernels import electing
from wideberth.geometry.search.index import Index, Neighborhoods
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR

#: Where all shells found so far are tied, so many times as many neighbours are asked for.
_FARTHER = 4


class Election(NamedTuple):
    """Those who may vote on a query, nearest first, their distances, and the share of every
    class.
    """

    voters: Indices
    distances: Floats
    shares: Floats


@dataclass(frozen=True, eq=False)
class Electorate:
    """Objects with classes and weights, the nearest of which vote on the class of a query.

    Examples
    --------
    >>> codes = np.array([0, 1, 1])
    >>> voters = Electorate(Index(["rum", "tea", "ten"], "levenshtein"), codes, np.ones(3), 2)
    >>> (
    ...     voters.shares(["tem"], np.ones(1))[0].argmax(axis=1),
    ...     voters.shares(["tum"], np.ones(1))[0].argmax(axis=1),
    ... )
    (array([1]), array([0]))
    """

    #: Finds the nearest of them.
    index: Index
    #: Their classes, numbered from 0, shape (n,).
    codes: Integers
    #: Their votes, positive numbers, shape (n,).
    weights: Floats
    #: The number of classes.
    n_classes: int

    def needed(self, size: float) -> int:
        """How many of any objects certainly have ``size`` votes: as many of the lightest ones do.

        Examples
        --------
        >>> Electorate(
        ...     Index([[0.0], [1.0], [2.0]]), np.zeros(3, dtype=int), np.array([1.0, 2.0, 0.5]), 1
        ... ).needed(1.5)
        2
        """
        return min(
            len(self.codes), int(np.searchsorted(self._lightest, size * (1 - SUM_ERROR))) + 1
        )

    def shares(
        self,
        queries: Sample,
        sizes: Floats,
        *,
        left_out: Indices | None = None,
        remaining: Floats | None = None,
    ) -> Floats:
        """The share of every class in votes of each size; tied classes that do not win are lowered
        by a tiny penalty.

        ``left_out`` is the object that each query is itself: it votes on that query with the weight
        that ``remaining`` has for it. The largest share of a row and a size is that of the winner.
        """
        shares = np.empty((sample.count(queries), len(sizes), self.n_classes))
        for rows, _, part in self._rounds(queries, sizes, left_out, remaining):
            shares[rows] = part
        return shares

    def elections(self, queries: Sample, size: float) -> list[Election]:
        """The vote of a size on each query: who votes, how far they are, and the shares of the
        classes, as in `shares`.
        """
        held: dict[int, Election] = {}
        for rows, found, shares in self._rounds(queries, np.array([size])):
            for place, row in enumerate(rows.tolist()):
                own = slice(found.starts[place], found.starts[place + 1])
                held[row] = Election(found.indices[own], found.distances[own], shares[place, 0])
        return [held[row] for row in range(len(held))]

    def votes(self, voters: Indices, distances: Floats, size: float) -> Floats:
        """The share of each of some objects in a vote of a size, in the order of their distances; 0
        beyond the last shell.

        Examples
        --------
        >>> voters = Electorate(Index([[0.0], [2.0], [3.0]]), np.array([0, 1, 1]), np.ones(3), 2)
        >>> voters.votes(np.array([1, 0, 2]), np.array([0.5, 1.5, 1.5]), 2.0)
        array([0.5 , 0.25, 0.25])
        """
        weights = self.weights[voters]
        reached = np.searchsorted(np.cumsum(weights), size * (1 - SUM_ERROR))
        farthest = distances[min(int(reached), len(distances) - 1)]
        nearer = np.where(distances < farthest, weights, 0.0)
        last = np.where(distances == farthest, weights, 0.0)
        shared = nearer + last * min(1.0, (size - nearer.sum()) / last.sum())
        shares: Floats = shared / shared.sum()
        return shares

    def nearest(self, queries: Sample) -> tuple[Indices, Floats]:
        """The nearest object of each query, and its distance; of several that are as near, the
        first of the class they elect.

        Examples
        --------
        >>> voters = Electorate(Index([[0.0], [2.0], [3.0]]), np.array([0, 1, 1]), np.ones(3), 2)
        >>> voters.nearest(np.array([[0.5], [1.0]]))  # 1 is as near to 0 as to 2, and 3 is the next
        (array([0, 1]), array([0.5, 1. ]))
        """
        n_queries = sample.count(queries)
        indices, distances = np.empty(n_queries, dtype=np.intp), np.empty(n_queries)
        for rows, found, shares in self._rounds(queries, np.array([self.weights.min()])):
            counts = np.diff(found.starts)
            elected = np.flatnonzero(
                self.codes[found.indices] == np.repeat(shares[:, 0].argmax(axis=1), counts)
            )
            firsts = elected[np.searchsorted(elected, found.starts[:-1])]
            indices[rows], distances[rows] = found.indices[firsts], found.distances[firsts]
        return indices, distances

    def _rounds(
        self,
        queries: Sample,
        sizes: Floats,
        left_out: Indices | None = None,
        remaining: Floats | None = None,
    ) -> Iterator[tuple[Indices, Neighborhoods, Floats]]:
        """Yield the positions of some queries, their neighbours and their shares; again for those
        that more neighbours decide.
        """
        n_queries, n = sample.count(queries), len(self.codes)
        open_queries = np.arange(n_queries)
        wanted = self.needed(sizes[-1] if left_out is None else sizes[-1] + 1)
        rounding = 0.0 if self.weighs_wholly else SUM_ERROR
        operations = 2 * n_queries * (wanted + 2 * len(sizes) * self.n_classes)
        while len(open_queries):
            asked = (
                queries if len(open_queries) == n_queries else sample.pick(queries, open_queries)
            )
            undecided, first, most = [], 0, wanted
            for found in self.index.nearest_with_ties(asked, wanted):
                rows = open_queries[first : first + len(found.starts) - 1]
                first += len(rows)
                own = None if left_out is None else left_out[rows]
                elect = electing(operations + len(found.indices))
                shape = len(rows), len(sizes)
                shares = np.empty((*shape, self.n_classes))
                winners = np.empty(shape, dtype=np.int64)
                elect(
                    *self._votes(found, own, remaining),
                    sizes,
                    rounding,
                    wanted >= n,
                    shares,
                    winners,
                )
                decided = (winners >= 0).all(axis=1)
                yield rows, found, shares
                undecided.append(rows[~decided])
                most = max(most, int(np.diff(found.starts)[~decided].max(initial=0)))
            open_queries, wanted = np.concatenate(undecided), min(_FARTHER * most, n)

    def _votes(
        self, found: Neighborhoods, left_out: Indices | None, remaining: Floats | None
    ) -> tuple[Indices, Floats, Integers, Floats]:
        """The neighbours of each query: where they start, their distances, classes and weights."""
        weights = self.weights[found.indices]
        if left_out is not None and remaining is not None:
            itself = found.indices == np.repeat(left_out, np.diff(found.starts))
            weights[itself] = remaining[found.indices[itself]]
        return found.starts, found.distances, self.codes[found.indices], weights

    @cached_property
    def weighs_wholly(self) -> bool:
        """Whether all weights are whole numbers, so that equal votes are equal exactly."""
        return bool((self.weights == np.round(self.weights)).all())

    @cached_property
    def _lightest(self) -> Floats:
        """The weights of the lightest objects, added up."""
        return np.asarray(np.cumsum(np.sort(self.weights)))

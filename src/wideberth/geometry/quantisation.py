"""A labelled sample in cells round 1, 2, 3... centres, for all numbers of centres in one pass."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wideberth.errors import InvalidInput
from wideberth.geometry.counting import CountedSample
from wideberth.geometry.nets import Indices, Walk
from wideberth.geometry.one_to_many import OneToMany
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects.labels import code_labels


@dataclass(frozen=True, eq=False)
class Quantisation:
    """Objects that belong to the nearest of the first m ``centres`` (to the first of equally near ones), for m = 1, 2, 3...

    ``displacements[m - 1]`` is the mean distance of an object to its centre among the first m. ``codes`` are the numbers of the
    classes, of which there are ``n_classes``. What each centre took from those before it is remembered, and nothing else: about
    n log m numbers for m centres.
    """

    centres: Indices
    displacements: Distances
    codes: Indices
    n_classes: int
    distance_calls: int
    _taken: Indices
    _ends: Indices

    def __len__(self) -> int:
        """How many centres there are."""
        return len(self.centres)

    def taken(self, place: int) -> Indices:
        """The objects that came to centre number ``place`` when it joined; all of them came to the first."""
        return self._taken[self._ends[place] : self._ends[place + 1]]

    def owners(self, sizes: Iterable[int]) -> Iterator[Indices]:
        """For each of some increasing numbers of centres the place, 0, 1, 2..., of the centre of every object.

        >>> found = quantise([[0.0], [1.0], [5.0], [9.0]], [0, 0, 1, 1])
        >>> [each.tolist() for each in found.owners([1, 2, 3])]
        [[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 2, 1]]
        """
        owner = np.zeros(len(self.codes), dtype=np.intp)
        joined = 0
        for size in sizes:
            for place in range(joined, size):
                owner[self.taken(place)] = place
            joined = size
            yield owner.copy()

    def counts(self, sizes: Iterable[int]) -> Iterator[csr_array]:
        """For each of some increasing numbers of centres the table of cells and classes: how many objects of the class it has.

        >>> found = quantise([[0.0], [1.0], [5.0], [9.0]], [0, 0, 1, 1])
        >>> [each.toarray().tolist() for each in found.counts([1, 2])]
        [[[2, 2]], [[2, 0], [0, 2]]]
        """
        held = list(sizes)
        ones = np.ones(len(self.codes), dtype=np.intp)
        for size, owner in zip(held, self.owners(held), strict=True):
            yield csr_array((ones, (owner, self.codes)), shape=(size, self.n_classes))


def quantise(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    order: Any = None,
    n_jobs: int | None = None,
) -> Quantisation:
    """Put the objects into the cells of ``count`` centres (as many as there are different objects by default).

    Centres are taken farthest first, from the first object on, or in the ``order`` given: the first ones of a shuffled sample,
    say, for prototypes that must not depend on the others. At most n distances for each centre; where the metric obeys the
    triangle inequality, objects that cannot change their centre are not measured.

    >>> found = quantise([[0.0], [1.0], [5.0], [9.0]], ["low", "low", "high", "high"])
    >>> found.centres, found.displacements
    (array([0, 3, 2, 1]), array([3.75, 1.25, 0.25, 0.  ]))
    """
    objects, measure = bind(objects, metric)
    counted = CountedSample(objects, measure)
    n = len(counted)
    coded = code_labels(labels, n)
    most = _checked_count(n, count)
    walk = Walk(OneToMany(counted, n_jobs=n_jobs), prune=measure.obeys_triangle is True)
    taken, displacements = [], []
    for centre in _farthest(walk, most) if order is None else _checked_order(order, n)[:most]:
        taken.append(walk.add(centre))
        displacements.append(float(walk.nearest.mean()))
    return Quantisation(
        centres=walk.order[: walk.size].copy(),
        displacements=np.array(displacements),
        codes=coded.codes,
        n_classes=len(coded.classes),
        distance_calls=counted.calls,
        _taken=np.concatenate(taken),
        _ends=np.cumsum([0, *map(len, taken)]),
    )


def _farthest(walk: Walk, count: int) -> Iterator[int]:
    """The next centre, as long as some object is at a distance from all of them."""
    yield 0
    while walk.size < count:
        farthest = int(walk.nearest.argmax())
        if walk.nearest[farthest] <= 0:
            break
        yield farthest


def _checked_count(n: int, count: int | None) -> int:
    if n == 0 or (count is not None and count < 1):
        raise InvalidInput(f"{n} objects cannot be put into {count!r} cells.", advice="Both are at least 1.", value=(n, count))
    return n if count is None else count


def _checked_order(order: Any, n: int) -> list[int]:
    places = np.asarray(order)
    whole = places.ndim == 1 and np.issubdtype(places.dtype, np.integer)
    if not whole or not len(places) or len(np.unique(places)) != len(places) or places.min() < 0 or places.max() >= n:
        raise InvalidInput(
            f"The order of the centres names objects by their numbers, 0 to {n - 1}, each at most once.",
            advice=f"np.arange({n}) takes all of them as they come.",
            value=order,
        )
    return [int(place) for place in places]

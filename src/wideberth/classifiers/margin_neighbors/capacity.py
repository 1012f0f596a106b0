r"""How rich the margin functions are on a given sample: their empirical Rademacher complexity, bounded by what was measured.

The objects are put into cells round 1, 2, 3... centres, for all numbers of centres in one pass (`quantise`); how far they are
from their centres, and how the classes mix in the cells, bounds the complexity (`quantised_capacity`).
`wideberth.bounds.margin.empirical_penalty` turns such a bound into one of the error, without an assumption about the dimension of
the source. A Lipschitz constant L is one per unit of the metric here, so that :math:`2 / L` is a distance.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wideberth.arrays import Floats, Indices
from wideberth.bounds.rademacher import quantised_rademacher
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.counting import CountedSample
from wideberth.geometry.measure.one_to_many import OneToMany
from wideberth.geometry.shape.nets import Walk
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels

#: How many numbers of centres are tried between one and its double.
SIZES_PER_OCTAVE = 8


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


@dataclass(frozen=True, eq=False)
class QuantisedCapacity:
    r"""The bound of `quantised_rademacher` for some numbers of centres m, ``sizes``, and any L.

    .. math:: \hat R_n(\mathcal H_L; S) \le \min_m \bigl(L\, \delta_m + \nu_m\bigr)

    ``displacements`` :math:`\delta_m` are mean distances to the centres; ``noises`` :math:`\nu_m` are what signs reach in cells
    whose objects are all at their centre. The former fall and the latter rise with m.
    """

    sizes: Indices
    displacements: Distances
    noises: Floats

    def __call__(self, lipschitz_constant: float) -> float:
        """The smallest bound over the numbers of centres, at most 1."""
        return min(1.0, float((lipschitz_constant * self.displacements + self.noises).min()))

    def centres(self, lipschitz_constant: float) -> int:
        """The number of centres that gives it."""
        return int(self.sizes[(lipschitz_constant * self.displacements + self.noises).argmin()])


def quantised_capacity(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    n_jobs: int | None = None,
) -> QuantisedCapacity:
    """Measure the bound with up to ``count`` centres taken farthest first, 9 % more at each step.

    n objects give at most n * ``count`` distances, once for all L. By default up to half of the objects are centres: from there
    on the bound is above 1/2, and says nothing about an error.

    >>> points, labels = np.repeat([[0.0], [8.0]], 50, axis=0), np.tile([0, 1], 50)
    >>> capacity = quantised_capacity(points, labels)
    >>> capacity.centres(0.001), round(capacity(0.001), 4)  # one cell: 0.001 * 4 + 2 * sqrt(50) / 100
    (1, 0.1454)
    >>> capacity.centres(1.0), capacity(1.0)  # two cells: 4 * sqrt(25) / 100
    (2, 0.2)
    """
    half = max(1, sample.count(objects) // 2)
    found = quantise(objects, labels, metric, count=half if count is None else count, n_jobs=n_jobs)
    steps = np.arange(1 + np.ceil(SIZES_PER_OCTAVE * np.log2(len(found))))
    sizes = np.unique(np.minimum(2 ** (steps / SIZES_PER_OCTAVE), len(found)).astype(np.intp))
    noises = [quantised_rademacher(0.0, counts, 0.0) for counts in found.counts(sizes.tolist())]
    return QuantisedCapacity(sizes, found.displacements[sizes - 1], np.array(noises))

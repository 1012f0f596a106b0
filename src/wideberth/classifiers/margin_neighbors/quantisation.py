"""Empirical Rademacher complexity of the margin functions on a sample, bounded by measured
quantities.

The objects are assigned to cells around 1, 2, 3... centres, for all numbers of centres in one pass
(`quantise`). Their distances from the centres, and the mixture of classes in the cells, bound the
complexity (`quantised_capacity`). `wideberth.papers.margin_bounds.empirical_penalty` turns such a
bound into one of the error, without an assumption about the dimension of the source. A Lipschitz
constant L is per unit of the metric here, so that :math:`2 / L` is a distance.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wideberth.array_types import Floats, Indices, Labels, Objects
from wideberth.bounds.margin import quantised_rademacher
from wideberth.geometry.measure.blocks import CountedSample, OneToMany
from wideberth.geometry.shape.nets import Walk
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.progress import doing

#: How many numbers of centres are tried between one and its double.
SIZES_PER_OCTAVE = 8


@dataclass(frozen=True, eq=False)
class Quantisation:
    """Assignment of objects to the nearest of the first m centres, for m = 1, 2, 3...; among
    equally near centres to the first.

    Only the objects that each new centre takes over from earlier ones are stored: about n log m
    numbers for m centres.

    Examples
    --------
    >>> found = quantise([[0.0], [1.0], [5.0], [9.0]], [0, 0, 1, 1])
    >>> len(found), found.taken(1)  # the second centre, at 9, takes over the objects at 5 and 9
    (4, array([2, 3]))
    """

    centres: Indices  # in the order in which they joined
    displacements: Distances  # at k - 1: the mean distance to the nearest of the first k centres
    codes: Indices
    n_classes: int
    distance_calls: int
    _taken: Indices
    _ends: Indices

    def __len__(self) -> int:
        """The number of centres."""
        return len(self.centres)

    def taken(self, place: int) -> Indices:
        """The objects that moved to a centre when it joined; all objects moved to the first."""
        return self._taken[self._ends[place] : self._ends[place + 1]]

    def owners(self, sizes: Iterable[int]) -> Iterator[Indices]:
        """Iterate over numbers of centres, and give for each the centre of every object.

        Examples
        --------
        >>> found = quantise([[0.0], [1.0], [5.0], [9.0]], [0, 0, 1, 1])
        >>> [owner.tolist() for owner in found.owners([1, 2, 3])]
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
        """Iterate over numbers of centres, and count for each the objects of every cell and class.

        Examples
        --------
        >>> found = quantise([[0.0], [1.0], [5.0], [9.0]], [0, 0, 1, 1])
        >>> [table.toarray().tolist() for table in found.counts([1, 2])]
        [[[2, 2]], [[2, 0], [0, 2]]]
        """
        held = list(sizes)
        ones = np.ones(len(self.codes), dtype=np.intp)
        for size, owner in zip(held, self.owners(held), strict=True):
            yield csr_array((ones, (owner, self.codes)), shape=(size, self.n_classes))


def quantise(
    objects: Objects,
    labels: Labels,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    order: Indices | None = None,
    n_jobs: int | None = None,
) -> Quantisation:
    """Assign the objects to the cells of 1, 2, ..., ``count`` centres.

    Centres join in the given order of their indices, or farthest first from the first object on. It
    measures at most n distances for each centre. If the metric obeys the triangle inequality,
    objects that cannot change their centre are not measured.

    Examples
    --------
    >>> found = quantise([[0.0], [1.0], [5.0], [9.0]], ["low", "low", "high", "high"])
    >>> found.centres, found.displacements
    (array([0, 3, 2, 1]), array([3.75, 1.25, 0.25, 0.  ]))
    """
    objects, measure = bind(objects, metric)
    counted = CountedSample(objects, measure)
    n = len(counted)
    coded = code_labels(labels, n)
    most = n if count is None else count
    walk = Walk(OneToMany(counted, n_jobs=n_jobs), prune=measure.obeys_triangle is True)
    taken, displacements = [], []
    for centre in _farthest(walk, most) if order is None else list(order)[:most]:
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
    """Yield the object that is farthest from all centres so far, up to ``count`` of them, or until
    all distances are 0.
    """
    yield 0
    while walk.size < count:
        farthest = int(walk.nearest.argmax())
        if walk.nearest[farthest] <= 0:
            break
        yield farthest


@dataclass(frozen=True, eq=False)
class QuantisedCapacity:
    r"""A bound of the empirical Rademacher complexity for every Lipschitz constant L
    (`quantised_rademacher`).

    .. math:: \hat R_n(\mathcal H_L; S) \le \min_m \bigl(L\, \delta_m + \nu_m\bigr)

    With the number of centres m the displacements :math:`\delta_m` decrease and the noises
    :math:`\nu_m` increase.

    Examples
    --------
    >>> capacity = QuantisedCapacity(np.array([1, 2]), np.array([4.0, 0.0]), np.array([0.1, 0.2]))
    >>> capacity(0.0), capacity(1.0)
    (0.1, 0.2)
    """

    sizes: Indices  # the numbers of centres m that are compared
    displacements: Distances
    noises: Floats  # the bound for objects that lie exactly at their centres

    def __call__(self, lipschitz_constant: float) -> float:
        """Return the smallest bound over the numbers of centres, at most 1."""
        return min(1.0, float((lipschitz_constant * self.displacements + self.noises).min()))

    def centres(self, lipschitz_constant: float) -> int:
        """Return the number of centres that gives the smallest bound."""
        return int(self.sizes[(lipschitz_constant * self.displacements + self.noises).argmin()])


@doing("complexity")
def quantised_capacity(
    objects: Objects,
    labels: Labels,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    n_jobs: int | None = None,
) -> QuantisedCapacity:
    """Measure the bound of the complexity with up to ``count`` centres taken farthest first.

    Numbers of centres increase by 9 % from one to the next. It measures at most n * ``count``
    distances, once for all L.

    Examples
    --------
    >>> points, labels = np.repeat([[0.0], [8.0]], 50, axis=0), np.tile([0, 1], 50)
    >>> capacity = quantised_capacity(points, labels)
    >>> capacity.centres(0.001), round(capacity(0.001), 4)  # one cell: 0.001 * 4 + sqrt(100) / 100
    (1, 0.104)
    >>> capacity.centres(1.0), round(capacity(1.0), 4)  # two cells: 2 * sqrt(50) / 100
    (2, 0.1414)
    """
    half = max(1, sample.count(objects) // 2)
    found = quantise(objects, labels, metric, count=half if count is None else count, n_jobs=n_jobs)
    steps = np.arange(1 + np.ceil(SIZES_PER_OCTAVE * np.log2(len(found))))
    sizes = np.unique(np.minimum(2 ** (steps / SIZES_PER_OCTAVE), len(found)).astype(np.intp))
    noises = [quantised_rademacher(0.0, counts, 0.0) for counts in found.counts(sizes.tolist())]
    return QuantisedCapacity(sizes, found.displacements[sizes - 1], np.array(noises))

r"""Chains of cells: the complexity of the margin functions on a sample that looks simple at several
scales at once.

A *level* moves every object :math:`x_i` to a place :math:`z_i`: the centre of its cell, or its
image in a perturbation. Theorem 7 of Kontorovich & Weiss (2014, section 5.2) bounds the complexity
from one level, and trades the displacement :math:`\alpha` for the dimension :math:`\beta` of the
places. Several levels :math:`z^0, z^1, \dots, z^J`, from coarse to fine, bound it better. Derived
here:

.. math::
    \hat R_n(\mathcal H_L; S) \le \frac1n \sum_c \nu_c
    + \frac Ln \sum_{j=1}^{J} \sum_p d(z_p^{j-1}, z_p^j)\, \nu^\pm_p + \frac Ln \sum_i d(x_i, z_i^J)

with the cells c of the first level, the groups p of objects with the same places in both levels j -
1 and j, and the noises :math:`\nu_c` and :math:`\nu^\pm_p` of
`wideberth.bounds.margin.cell_noises`.
Proof: write :math:`h(x_i, y_i)` as :math:`h(z_i^0, y_i)` plus the differences :math:`h(z_i^j, y_i)
- h(z_i^{j-1}, y_i)` plus :math:`h(x_i, y_i) - h(z_i^J, y_i)`, and bound the supremum of the sum by
the sum of suprema. The last difference is at most :math:`L\, d(x_i, z_i^J)`; the others are the
same function of the label for all objects of a cell or group, of size at most 1 and :math:`L\,
d(z_p^{j-1}, z_p^j)`.

A fine level costs the root of the number of its places times *short steps* here, not times 1 as in
a bound by a single level. In a space of intrinsic dimension D the complexity then falls like
:math:`n^{-1/\max(2, D)}`, up to logarithms, instead of :math:`n^{-1/(D + 2)}`, whatever the
dimension of the space around it. Levels may be chosen after the sample is seen, because the
complexity is that of the sample.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from wideberth.array_types import Floats, Indices, Objects
from wideberth.bounds.margin import cell_noises
from wideberth.classifiers.margin_neighbors.by_bound import choose_by_theory
from wideberth.classifiers.margin_neighbors.criteria import ChosenSeparation, Settings
from wideberth.classifiers.margin_neighbors.quantisation import Quantisation, quantise
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels, code_labels
from wideberth.papers.perturbation import MOST_OBJECTS, perturb
from wideberth.progress import doing

#: A step of a chain goes to at least this many times as many places.
FEWEST_MORE = 2


@dataclass(frozen=True, eq=False)
class Level:
    """Places of all objects.

    Attributes
    ----------
    places : ndarray of int, shape (n,)
        Object i is moved to the place of object ``places[i]``.
    displacement : float
        The mean distance of the objects to their places.
    kind : str
        Where the places come from, for reports.
    """

    places: Indices
    displacement: float
    kind: str = ""

    def __len__(self) -> int:
        """The number of different places."""
        return len(np.unique(self.places))


@dataclass(frozen=True, eq=False)
class ChainedCapacity:
    """A bound of the empirical Rademacher complexity for every Lipschitz constant: that of the best
    chain of levels.

    Attributes
    ----------
    levels : list of Level
        From coarse to fine.
    displacements, noises : ndarray of shape (s,)
        The mean distance to the places of each level, and the bound for objects that lie exactly
        there.
    steps : ndarray of shape (s, s)
        The bound for the step from a level to a finer one, with a Lipschitz constant of 1; infinite
        where there is none.

    Examples
    --------
    >>> points, labels = np.repeat([[0.0], [0.1]], 200, axis=0), np.repeat([0, 1], 200)
    >>> coarse, fine = Level(np.zeros(400, dtype=int), 0.05), Level(np.repeat([0, 200], 200), 0.0)
    >>> capacity = chained_capacity(points, labels, [coarse, fine])
    >>> # the step from one place to two is short, unless functions are steep
    >>> (capacity.chain(1.0), capacity.chain(100.0))
    (array([0, 1]), array([1]))
    """

    levels: list[Level]
    displacements: Distances
    noises: Floats
    steps: Floats

    def __call__(self, lipschitz_constant: float) -> float:
        """Return the smallest bound of all chains, at most 1."""
        return min(
            1.0,
            float(
                (
                    self._reached(lipschitz_constant)[0] + lipschitz_constant * self.displacements
                ).min()
            ),
        )

    def chain(self, lipschitz_constant: float) -> Indices:
        """Return the positions in ``levels`` of the best chain, from coarse to fine."""
        costs, before = self._reached(lipschitz_constant)
        found = [int((costs + lipschitz_constant * self.displacements).argmin())]
        while before[found[-1]] >= 0:
            found.append(int(before[found[-1]]))
        return np.array(found[::-1])

    def _reached(self, lipschitz_constant: float) -> tuple[Floats, Indices]:
        """The least bound of a chain that ends at each level, without its displacement, and the
        level before, -1 for none.
        """
        costs, before = self.noises.copy(), np.full(len(self.noises), -1)
        for level in range(1, len(costs)):
            steps = self.steps[:level, level]
            ways = np.isfinite(steps)  # where there is none, a slope of 0 does not make one
            through = costs[:level] + np.where(
                ways, lipschitz_constant * np.where(ways, steps, 0.0), np.inf
            )
            best = int(through.argmin())
            if through[best] < costs[level]:
                costs[level], before[level] = through[best], best
        return costs, before


def chained_capacity(
    objects: Any,
    labels: Any,
    levels: Sequence[Level],
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    n_jobs: int | None = None,
) -> ChainedCapacity:
    """Measure the noises of all levels, and the steps between any two of which one has at least
    twice as many places.
    """
    objects, measure = bind(objects, metric)
    objects = sample.hold(objects)
    coded = code_labels(labels, sample.count(objects))
    ordered = sorted(levels, key=lambda level: (len(level), -level.displacement))
    places = np.unique(np.concatenate([level.places for level in ordered]))
    between = pairwise_distances(sample.pick(objects, places), None, measure, n_jobs=n_jobs)
    homes = [np.searchsorted(places, level.places) for level in ordered]
    n, sizes = len(coded.codes), [len(level) for level in ordered]
    noises = [cell_noises(_counted(home, coded)[1]).sum() / n for home in homes]
    steps = np.full((len(ordered), len(ordered)), np.inf)
    for fine, home in enumerate(homes):
        for coarse in range(fine):
            if sizes[fine] >= FEWEST_MORE * sizes[coarse]:
                groups, counts = _counted(homes[coarse] * len(places) + home, coded)
                lengths = between[groups // len(places), groups % len(places)]
                steps[coarse, fine] = float(lengths @ cell_noises(counts, signed=True)) / n
    return ChainedCapacity(
        ordered, np.array([level.displacement for level in ordered]), np.array(noises), steps
    )


def _counted(cells: Indices, coded: CodedLabels) -> tuple[Indices, csr_array]:
    """The different cells, and how many objects of each class are in them."""
    different, rows = np.unique(cells, return_inverse=True)
    ones = np.ones(len(cells), dtype=np.intp)
    return different, csr_array(
        (ones, (rows, coded.codes)), shape=(len(different), len(coded.classes))
    )


# ---- Levels of several kinds, which adapt to the dimension that the sample has

#: The most cells of a level, and the most objects among which medians are looked for.
CELLS, MEDIANS_AMONG = 1024, 1000


#: The dimensions of the perturbations, and the most objects for which the linear program guides
#: them.
DIMENSIONS, MOST_RELAXED = (0.25, 0.5, 1.0), 300


@doing("complexity")
def adaptive_capacity(
    objects: Any,
    labels: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> ChainedCapacity:
    r"""Bound the complexity on a sample by the best chain of levels, for all Lipschitz constants
    (Kontorovich & Weiss, 5.2).

    Levels have 1, 2, 4, 8... places: centres taken farthest first, which leave no object far away,
    and medians, each of which shortens the distances of all objects to their places most. Up to
    2,000 objects those of the perturbations of dimension 1/4, 1/2 and 1 are levels too
    (`wideberth.papers.perturb`; the linear program guides them up to 300 objects, where it is
    solved within seconds). The trade of displacement for dimension is that of the chain: coarse
    levels are few places, fine ones are near the objects.

    Parameters
    ----------
    objects : sequence
        The sample of n objects.
    labels : array-like of shape (n,)
        Their classes.
    metric : str, Metric or callable
        The distance; without the promise of the triangle inequality there are no perturbations.
    n_jobs : int, optional
        Cores to use; None means all.
    random_state : int
        Determines among which 1,000 objects medians are looked for.

    Returns
    -------
    ChainedCapacity

    Examples
    --------
    >>> curve = np.linspace(0, 1, 100)
    >>> points = np.sin(np.outer(curve, np.arange(1.0, 21.0)))  # a curve in 20 dimensions
    >>> # several scales are better than one
    >>> len(adaptive_capacity(points, curve > 0.5).chain(0.1)) > 1
    True
    """
    objects, measure = bind(objects, metric)
    objects = sample.hold(objects)
    n = sample.count(objects)
    if not n:
        raise InvalidInput(
            "There is nothing to measure: no objects.", advice="Pass at least one object.", value=n
        )
    levels = list(
        _levels_of(
            quantise(objects, labels, measure, count=min(CELLS, n), n_jobs=n_jobs), "farthest first"
        )
    )
    chosen = np.sort(np.random.default_rng(random_state).permutation(n)[:MEDIANS_AMONG])
    medians = chosen[
        greedy_medians(
            pairwise_distances(sample.pick(objects, chosen), None, measure, n_jobs=n_jobs)
        )
    ]
    levels += _levels_of(
        quantise(objects, labels, measure, count=CELLS, order=medians, n_jobs=n_jobs), "medians"
    )
    if n <= MOST_OBJECTS and measure.obeys_triangle:
        for dimension in DIMENSIONS:
            moved = perturb(
                objects, measure, dimension, relax=n <= MOST_RELAXED, n_jobs=n_jobs
            ).point
            levels.append(
                Level(
                    moved.images, float(moved.distances.mean()), f"perturbation, b = {dimension:g}"
                )
            )
    return chained_capacity(objects, labels, levels, measure, n_jobs=n_jobs)


def adaptive_separation(
    objects: Objects,
    labels: ArrayLike,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    delta: float = 0.05,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
    random_state: int = 0,
) -> ChosenSeparation:
    """Choose the separation with the smallest structural risk, by the complexity that
    `adaptive_capacity` measures (Kontorovich & Weiss, 5.2).

    It is what ``MarginNeighborsClassifier(separation="theory")`` does with the complexity by cells
    of one size. Fit one with the separation that was found to have its answers.

    Parameters
    ----------
    objects : sequence
        The sample of n objects.
    labels : array-like of shape (n,)
        Their classes.
    metric : str, Metric or callable
        The distance.
    delta : float
        The bound of the error holds with probability 1 - delta.
    max_memory : str or int
        Memory for blocks of distances.
    n_jobs : int, optional
        Cores to use; None means all.
    random_state : int
        As in `adaptive_capacity`.

    Returns
    -------
    ChosenSeparation
        With ``separation``, ``kept`` and ``removed`` objects, ``risk_curve``, and the
        ``certificate`` of the error.

    Examples
    --------
    >>> points, labels = np.repeat([[0.0], [8.0]], 500, axis=0), np.repeat([0, 1], 500)
    >>> found = adaptive_separation(points, labels)
    >>> found.separation, len(found.removed), found.certificate.value < 0.4
    (8.0, 0, True)
    """
    objects, measure = bind(objects, metric)
    prepared = sample.hold(measure.prepare(objects))
    n = sample.count(prepared)
    coded = code_labels(labels, n)
    classes = len(coded.classes)
    training = Training(prepared, measure, coded.codes, np.ones(n), classes, np.arange(n), n)
    settings = Settings(
        cover="greedy",
        condense=None,
        eta=0.0,
        delta=delta,
        dimension=None,
        holdout=0.0,
        refit=False,
        max_memory=parse_memory(max_memory),
        n_jobs=n_jobs,
        random_state=random_state,
    )
    capacity = adaptive_capacity(
        prepared, coded.codes, measure, n_jobs=n_jobs, random_state=random_state
    )
    return choose_by_theory(training, settings, capacity)


def _levels_of(found: Quantisation, kind: str) -> Iterator[Level]:
    """The levels of 1, 2, 4, 8... centres, and of all of them."""
    sizes = [*(2**power for power in range((len(found) - 1).bit_length())), len(found)]
    for size, owners in zip(sizes, found.owners(sizes), strict=True):
        yield Level(found.centres[owners], float(found.displacements[size - 1]), kind)


def greedy_medians(distances: Distances) -> Indices:
    """Order objects so that each one shortens the sum of all distances to the nearest before it as
    much as possible.

    What an object shortens never grows as others join, so that an old value is an upper bound: only
    the objects with the largest ones are measured anew.

    Examples
    --------
    >>> points = np.array([0.0, 1.0, 2.0, 9.0])
    >>> greedy_medians(abs(points[:, None] - points))
    array([1, 3, 0, 2])
    """
    first = int(distances.sum(axis=1).argmin())
    order, nearest = [first], distances[first].copy()
    shortened = np.maximum(nearest - distances, 0).sum(axis=1)
    fresh = np.ones(len(distances), dtype=bool)
    while True:
        best = int(shortened.argmax())
        if shortened[best] <= 0:
            return np.array(order)
        if fresh[best]:
            order.append(best)
            nearest = np.minimum(nearest, distances[best])
            fresh[:] = False
        else:
            fresh[best] = True
        shortened[best] = np.maximum(nearest - distances[best], 0).sum()

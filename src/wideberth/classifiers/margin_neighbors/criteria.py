"""Steps shared by all criteria for the separation: covers of the conflicts, condensing, and
certificates.

At a *separation* t two objects of different classes are in conflict if they are closer than t. A
*cover* contains at least one object of every conflict; it is removed, and the other objects answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.kernels import update_and_find_worst
from wideberth.classifiers.margin_neighbors.vertex_cover import (
    Matching,
    exact_cover,
    greedy_matching,
    vertex_cover,
)
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training, learned_metric_doubt
from wideberth.geometry.classes.enemies import conflict_pairs
from wideberth.geometry.measure.blocks import CountedSample, OneToMany, pairwise_distances
from wideberth.geometry.shape.nets import greedy_net
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.optimize.solution import Solution
from wideberth.progress import doing, note
from wideberth.wording import setting

# ---- Condensing by pick-to-learn: few objects near the boundary on which the nearest neighbour is
# right for all objects


@doing("picking objects")
def pick_to_learn(
    objects: Objects,
    labels: Labels,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    margin: float = 0.0,
    eta: float = 0.0,
    n_jobs: int | None = None,
) -> Indices:
    r"""Pick a subset T on which the nearest neighbour gives every object its label.

    It starts with the first object, and adds the object x on which T is most wrong: the one with
    the largest

    .. math:: (1 + \eta)\, d(x, T_y) - d(x, T_{\neq y}) + \theta \ge 0

    where y is the class of x (infinite if no object of that class is in T yet; ties go to the
    smallest index), until there is none: Paccagnan, Campi & Garatti, "The pick-to-learn algorithm
    empowers compression schemes", NeurIPS 2023. An object that was not picked has no influence:
    without it the same T is found, which certificates of compression require. It measures n
    distances for each picked object, in O(n) memory.

    Examples
    --------
    >>> # the first one of each class is enough
    >>> pick_to_learn([[0.0], [1.0], [2.0], [6.0], [7.0]], [0, 0, 0, 1, 1])
    array([0, 3])
    >>> pick_to_learn([[0.0], [1.0], [6.0]], [0, 0, 0])
    array([0])
    """
    objects, measure = bind(objects, metric)
    one_to_many = OneToMany(CountedSample(objects, measure), n_jobs=n_jobs)
    n = len(one_to_many.sample)
    if not n:
        raise InvalidInput(
            "There is nothing to pick from: no objects.",
            advice="Pass at least one object.",
            value=n,
        )
    codes = code_labels(labels, n).codes
    own, other = np.full(n, np.inf), np.full(n, np.inf)
    picked: list[int] = []
    worst = 0
    while worst >= 0:
        picked.append(worst)
        note(f"{len(picked):,} picked")
        distances = one_to_many.measure(worst)
        _refuse_equal_enemies(distances, codes, worst, one_to_many.sample.prepared)
        worst = update_and_find_worst(distances, codes, worst, 1.0 + eta, float(margin), own, other)
    return np.array(picked, dtype=np.intp)


def _refuse_equal_enemies(distances: Floats, codes: Indices, picked: int, prepared: Sample) -> None:
    """Raise `InvalidInput` if an object of another class is equal to the picked one."""
    equal_enemies = np.flatnonzero((distances == 0) & (codes != codes[picked]))
    if len(equal_enemies):
        enemy = int(equal_enemies[0])
        raise InvalidInput(
            f"Objects {picked} and {enemy} are equal ({sample.pick_one(prepared, picked)!r}) and "
            "of different classes.",
            advice="Remove one of them; MarginNeighborsClassifier removes all such pairs before it "
            "condenses.",
            witness=(picked, enemy),
            value=0.0,
        )


#: How a small cover is found from a list of conflicts.
SOLVERS: dict[str, Callable[..., Solution]] = {"lp": vertex_cover, "exact": exact_cover}
#: Memory for one conflict while adjacency lists and a matching are built, in bytes.
BYTES_PER_CONFLICT = 64
#: Objects whose conflicts are counted to estimate the number of all conflicts, and how many are
#: few: in total, or per object.
PROBE, FEW_CONFLICTS, FEW_PER_OBJECT = 100, 1_000_000, 10
#: The last sentence of the statement of a bound that needs no hold-out objects.
NO_HOLDOUT = "No objects were held out to set beside it: this bound needs none."
#: What every bound of the error assumes.
INDEPENDENT = "The objects are independent and drawn like the new ones."
#: An empty list of objects.
NO_OBJECTS: Indices = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class Settings:
    """The parameters of `MarginNeighborsClassifier` that the criteria need, with the memory in
    bytes; see there.
    """

    cover: str
    condense: str | None
    eta: float
    delta: float
    dimension: float | None
    holdout: float
    refit: bool
    max_memory: int
    n_jobs: int | None
    random_state: int

    @property
    def limits(self) -> dict[str, Any]:
        """Memory and cores as keyword arguments of the functions in `wideberth.geometry`."""
        return {"max_memory": self.max_memory, "n_jobs": self.n_jobs}


@dataclass(frozen=True, eq=False)
class CoverPath:
    """The size of the cover at every separation, and a lower bound of the size of all covers.

    The values of greedy covers at a separation hold down to the next smaller one, because nothing
    changes in between; those of other covers are known at these separations alone. With weights, a
    size is a total weight.

    Attributes
    ----------
    separations : ndarray of shape (m,)
        Separations, increasing.
    lower_bounds : ndarray of shape (m,)
        No cover at this separation is smaller.
    covers : ndarray of shape (m,)
        The size of the cover that was found.

    Examples
    --------
    >>> CoverPath(np.array([1.0, 3.0]), np.array([0.0, 1.0]), np.array([0.0, 2.0])).ratios
    array([1., 2.])
    """

    separations: Floats
    lower_bounds: Floats
    covers: Floats

    def __len__(self) -> int:
        return len(self.separations)

    @property
    def ratios(self) -> Floats:
        """How many times larger than a minimum cover each one is at most; 1 where nothing has to be
        removed.
        """
        return np.divide(
            self.covers,
            self.lower_bounds,
            out=np.ones_like(self.covers),
            where=self.lower_bounds > 0,
        )

    def spread(self, most: int, below: float) -> Floats:
        """Select separations all over the path, denser where covers are small.

        Examples
        --------
        >>> CoverPath(
        ...     np.array([1.0, 3.0, np.inf]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0])
        ... ).spread(5, below=4)
        array([1., 3.])
        """
        usable = (self.separations > 0) & (self.covers < below)
        covers = self.covers[usable]
        wanted = np.linspace(0, 1, most) ** 2 * covers[-1] if len(covers) else covers
        return self.separations[usable][np.unique(np.searchsorted(covers, wanted))]


@dataclass(frozen=True, eq=False)
class RiskCurve:
    """The separations that were compared, and the risk of each according to the criterion.

    Attributes
    ----------
    separations : ndarray of shape (m,)
        Separations, increasing.
    risks : ndarray of shape (m,)
        The error on the objects set aside, or a bound of the error; for a given separation the
        share of objects removed.
    """

    separations: Floats
    risks: Floats

    def __len__(self) -> int:
        return len(self.separations)


@dataclass(frozen=True)
class ChosenSeparation:
    """The result of a criterion: a separation and what becomes of the objects.

    Attributes
    ----------
    separation : float
        The separation t.
    kept, removed, held_out : ndarray of int
        Indices of the objects that answer, of the cover, and of the objects that were set aside.
    cover_path : CoverPath
        The covers at all separations.
    risk_curve : RiskCurve
        The risks that were compared.
    certificate : Certificate
        The bound of the error.
    """

    separation: float
    kept: Indices
    removed: Indices
    held_out: Indices
    cover_path: CoverPath
    risk_curve: RiskCurve
    certificate: Certificate


def match(training: Training, settings: Settings, *, up_to: float = np.inf) -> Matching:
    """Match the objects of different classes greedily: this gives the covers for all separations up
    to ``up_to``.
    """
    return greedy_matching(
        training.objects,
        training.codes,
        training.metric,
        weights=training.weights,
        up_to=up_to,
        **settings.limits,
    )


def greedy_path(matching: Matching, *, up_to: float = np.inf) -> CoverPath:
    """Compute the sizes of the covers by both objects of each matched pair, at every separation at
    which they change.

    Examples
    --------
    >>> from wideberth.classifiers.margin_neighbors.vertex_cover import greedy_matching
    >>> path = greedy_path(
    ...     greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"])
    ... )
    >>> path.separations, path.covers, path.lower_bounds
    (array([ 1.,  3., inf]), array([0., 2., 4.]), array([0., 1., 2.]))
    """
    separations = np.append(np.unique(matching.distances[matching.distances < up_to]), up_to)
    totals = np.concatenate([[0.0], np.cumsum(matching.amounts)])
    matched = totals[np.searchsorted(matching.distances, separations)]
    return CoverPath(separations, matched, 2.0 * matched)


def solved_path(
    training: Training, separations: Floats, how: str, **limits: Any
) -> tuple[CoverPath, list[Flags]]:
    """Compute covers with a solver at some separations."""
    solutions = [
        solve_cover(training, float(separation), how, **limits) for separation in separations
    ]
    sizes = np.array([[solution.lower_bound, solution.value] for solution in solutions])
    return CoverPath(separations, sizes[:, 0], sizes[:, 1]), [
        np.asarray(found.point, dtype=bool) for found in solutions
    ]


def solve_cover(training: Training, separation: float, how: str, **limits: Any) -> Solution:
    """Compute a cover of the conflicts closer than a separation; parameters as in `solved_path`."""
    found = try_cover(training, separation, how, **limits)
    if found is None:
        raise InvalidInput(
            f"The conflicts closer than {separation:g} do not fit the memory.",
            advice=f"Raise {setting('max_memory')}, or choose {setting('cover', 'greedy')}, which "
            "needs no list of conflicts.",
            value=separation,
        )
    return found


def try_cover(
    training: Training, separation: float, how: str, *, max_memory: int, n_jobs: int | None
) -> Solution | None:
    """Compute a cover like `solve_cover`, but return None as soon as the conflicts do not fit in
    the memory.
    """
    parts, budget = [np.empty((2, 0), dtype=np.int32)], max_memory // BYTES_PER_CONFLICT
    for first, second, _ in conflict_pairs(
        training.objects,
        training.codes,
        training.metric,
        separation,
        max_memory=max_memory // 4,
        n_jobs=n_jobs,
    ):
        parts.append(np.stack([first, second]).astype(np.int32))
        budget -= len(first)
        if budget < 0:
            return None
    return SOLVERS[how](len(training), training.codes, *np.concatenate(parts, axis=1))


def few_conflicts(training: Training, separation: float) -> bool:
    """Whether a linear program over the conflicts is about as fast as the matching, judged by the
    conflicts of some objects.
    """
    n = len(training)
    probed = np.random.default_rng(0).choice(n, min(n, PROBE), replace=False)
    near = (
        pairwise_distances(sample.pick(training.objects, probed), training.objects, training.metric)
        < separation
    )
    conflicts = np.count_nonzero(near & (training.codes[probed][:, None] != training.codes))
    return bool(conflicts / len(probed) * n / 2 <= max(FEW_CONFLICTS, FEW_PER_OBJECT * n))


def condensed(
    training: Training, remaining: Indices, separation: float, settings: Settings
) -> Indices:
    r"""Select those of the remaining objects that are sufficient to answer: all of them, a net, or
    a pick-to-learn subset.

    Objects that are left out get the right label from every neighbour at most :math:`1 + \eta`
    times as far as the nearest: in a net of radius :math:`t / (1 + \eta)` such a neighbour is
    nearer than t, where there are no objects of other classes.
    """
    if settings.condense is None or not len(remaining):
        return remaining
    objects, codes = sample.pick(training.objects, remaining), training.codes[remaining]
    if settings.condense == "net":
        radius = separation / (1.0 + settings.eta)
        return remaining[
            greedy_net(objects, training.metric, radius, n_jobs=settings.n_jobs).indices
        ]
    return remaining[
        pick_to_learn(objects, codes, training.metric, eta=settings.eta, n_jobs=settings.n_jobs)
    ]


def lipschitz_constant_of(separation: float) -> float:
    """Return L = 2 / t for a separation t; infinite for t = 0.

    Examples
    --------
    >>> lipschitz_constant_of(4.0)
    0.5
    """
    return 2.0 / separation if separation else np.inf


def sorted_by_class(training: Training, kept: Indices) -> Indices:
    """Sort the objects that answer by (class, index)."""
    kept = np.sort(kept)
    return kept[np.argsort(training.codes[kept], kind="stable")]


def equal_weights(training: Training) -> bool:
    """Whether all objects have the same weight."""
    return bool(training.weights.min() == training.weights.max())


def error_of_guessing(training: Training) -> float:
    """Return the weighted share of the objects that are not of the largest class: the error of
    always guessing that class.
    """
    sizes = np.bincount(training.codes, weights=training.weights)
    return float(1.0 - sizes.max() / sizes.sum())


def learned_metric(training: Training) -> tuple[str, ...]:
    """Return why no bound of the error holds if the metric took its parameters from the objects;
    empty if it did not.
    """
    return (learned_metric_doubt(training.metric.name),) if training.metric_learned else ()


def no_bound(training: Training, reason: str) -> Certificate:
    """Return a certificate that certifies nothing, with the reason in its statement."""
    return Certificate(
        statement=f"No bound of the error: {reason}",
        value=1.0,
        kind="none",
        confidence=None,
        assumptions=(),
        evidence={},
        guessing=error_of_guessing(training),
    )

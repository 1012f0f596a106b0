"""A separation and what follows from it: what to remove so that classes are that far apart, what is kept, and what it proves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Flags, Floats, Indices
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.matching import Matching, greedy_matching
from wideberth.classifiers.margin_neighbors.pick_to_learn import pick_to_learn
from wideberth.classifiers.margin_neighbors.vertex_cover import exact_cover, vertex_cover
from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.geometry.classes.conflicts import conflict_pairs
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.shape.nets import greedy_net
from wideberth.objects import sample
from wideberth.optimize.solution import Solution

#: How a small cover is found from a list of conflicts.
SOLVERS: dict[str, Callable[..., Solution]] = {"lp": vertex_cover, "exact": exact_cover}
#: Bytes for each conflict, while they are linked and matched.
BYTES_PER_CONFLICT = 64
#: Objects whose conflicts are counted to guess how many there are in all, and how many are few: in all, or for each object.
PROBE, FEW_CONFLICTS, FEW_EACH = 100, 1_000_000, 10
#: Ends the statement of a bound that stands alone.
NO_HOLDOUT = "No objects were held out to set beside it: this bound needs none."


@dataclass(frozen=True)
class Settings:
    """What `MarginNeighborsClassifier` was told; see there."""

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
    def room(self) -> dict[str, Any]:
        """Memory and cores, as the geometry takes them."""
        return {"max_memory": self.max_memory, "n_jobs": self.n_jobs}


@dataclass(frozen=True, eq=False)
class CoverPath:
    """For each separation the size of the cover, and what no cover can be smaller than.

    The sizes hold up to the next separation below: nothing changes in between. With weights, sizes are weights.
    """

    separations: Floats
    lower_bounds: Floats
    covers: Floats

    def __len__(self) -> int:
        return len(self.separations)

    @property
    def ratios(self) -> Floats:
        """How many times larger than a minimum cover each one may be at most; 1 where nothing has to go."""
        return np.divide(self.covers, self.lower_bounds, out=np.ones_like(self.covers), where=self.lower_bounds > 0)

    def spread(self, most: int, below: float) -> Floats:
        """Up to ``most`` positive separations with covers smaller than ``below``, maybe none; more where covers are small.

        >>> CoverPath(np.array([1.0, 3.0, np.inf]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 4.0])).spread(5, below=4)
        array([1., 3.])
        """
        usable = (self.separations > 0) & (self.covers < below)
        covers = self.covers[usable]
        wanted = np.linspace(0, 1, most) ** 2 * covers[-1] if len(covers) else covers
        return self.separations[usable][np.unique(np.searchsorted(covers, wanted))]


@dataclass(frozen=True, eq=False)
class RiskCurve:
    """The separations that were compared, and the risk of each as the chosen criterion sees it."""

    separations: Floats
    risks: Floats

    def __len__(self) -> int:
        return len(self.separations)


@dataclass(frozen=True)
class ChosenSeparation:
    """A separation, why it was chosen, and the objects that answer, that were removed, and that were set aside."""

    separation: float
    kept: Indices
    removed: Indices
    held_out: Indices
    cover_path: CoverPath
    risk_curve: RiskCurve
    certificate: Certificate


def match(training: Training, settings: Settings, *, up_to: float = np.inf) -> Matching:
    """The greedy matching of objects of different classes: the covers for all separations at once."""
    return greedy_matching(
        training.objects, training.codes, training.metric, weights=training.weights, up_to=up_to, **settings.room
    )


def greedy_path(matching: Matching) -> CoverPath:
    """The covers by both ends of a greedy matching, at every separation at which they change.

    >>> from wideberth.classifiers.margin_neighbors.matching import greedy_matching
    >>> path = greedy_path(greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"]))
    >>> path.separations, path.covers, path.lower_bounds
    (array([ 1.,  3., inf]), array([0., 2., 4.]), array([0., 1., 2.]))
    """
    separations, first = np.unique(matching.distances, return_index=True)
    totals = np.concatenate([[0.0], np.cumsum(matching.amounts)])
    matched = np.append(totals[first], totals[-1])
    return CoverPath(np.append(separations, np.inf), matched, 2.0 * matched)


def solved_path(training: Training, separations: Floats, how: str, **room: Any) -> tuple[CoverPath, list[Flags]]:
    """The covers that a solver finds at some separations, and which objects they hold."""
    solutions = [solve_cover(training, float(each), how, **room) for each in separations]
    sizes = np.array([[each.lower_bound, each.value] for each in solutions])
    return CoverPath(separations, sizes[:, 0], sizes[:, 1]), [np.asarray(each.point, dtype=bool) for each in solutions]


def solve_cover(training: Training, separation: float, how: str, **room: Any) -> Solution:
    """A cover of the conflicts closer than a separation, by the linear program or a minimum one."""
    found = try_cover(training, separation, how, **room)
    if found is None:
        raise InvalidInput(
            f"The conflicts closer than {separation:g} do not fit the memory.",
            advice="Raise max_memory=, or take cover='greedy', which needs no list of conflicts.",
            value=separation,
        )
    return found


def try_cover(training: Training, separation: float, how: str, *, max_memory: int, n_jobs: int | None) -> Solution | None:
    """`solve_cover`, or None as soon as the conflicts do not fit the memory."""
    parts, free = [np.empty((2, 0), dtype=np.int32)], max_memory // BYTES_PER_CONFLICT
    for first, second, _ in conflict_pairs(
        training.objects, training.codes, training.metric, separation, max_memory=max_memory // 4, n_jobs=n_jobs
    ):
        parts.append(np.stack([first, second]).astype(np.int32))
        free -= len(first)
        if free < 0:
            return None
    return SOLVERS[how](len(training), training.codes, *np.concatenate(parts, axis=1))


def few_conflicts(training: Training, separation: float) -> bool:
    """Whether a linear program over the conflicts is about as quick as the matching: judged by those of some objects."""
    n = len(training)
    asked = np.random.default_rng(0).choice(n, min(n, PROBE), replace=False)
    near = pairwise_distances(sample.pick(training.objects, asked), training.objects, training.metric) < separation
    conflicts = np.count_nonzero(near & (training.codes[asked][:, None] != training.codes))
    return bool(conflicts / len(asked) * n / 2 <= max(FEW_CONFLICTS, FEW_EACH * n))


def condensed(training: Training, stay: Indices, separation: float, settings: Settings) -> Indices:
    r"""Those of the objects that stay which are enough to answer: all of them, a net, or what pick-to-learn picks.

    What is left out is answered rightly by every neighbour at most :math:`1 + \eta` times as far as the nearest: in a net of
    radius :math:`t / (1 + \eta)` such a neighbour is nearer than t, where there are no objects of other classes.
    """
    if settings.condense is None or not len(stay):
        return stay
    objects, codes = sample.pick(training.objects, stay), training.codes[stay]
    if settings.condense == "net":
        radius = separation / (1.0 + settings.eta)
        return stay[greedy_net(objects, training.metric, radius, n_jobs=settings.n_jobs).indices]
    return stay[pick_to_learn(objects, codes, training.metric, eta=settings.eta, n_jobs=settings.n_jobs)]


def class_by_class(training: Training, kept: Indices) -> Indices:
    """The objects that answer, in the order in which the first of equally near ones does: the first class wins a tie."""
    kept = np.sort(kept)
    return kept[np.argsort(training.codes[kept], kind="stable")]


def equal_weights(training: Training) -> bool:
    """Whether all objects count alike."""
    return bool(training.weights.min() == training.weights.max())


def error_of_guessing(training: Training) -> float:
    """The share of the objects that are not of the largest class."""
    sizes = np.bincount(training.codes, weights=training.weights)
    return float(1.0 - sizes.max() / sizes.sum())


def assumed(training: Training) -> tuple[str, ...]:
    """What every bound of the error takes for granted."""
    drawn = "The objects are independent and drawn like the new ones."
    learned = f"What {training.metric.name!r} took from these objects would be the same without any one of them."
    return (drawn, learned) if training.metric_learned else (drawn,)


def no_bound(training: Training, why: str) -> Certificate:
    """A certificate that certifies nothing, and says why."""
    return Certificate(
        statement=f"No bound of the error: {why}",
        value=1.0,
        kind="none",
        confidence=None,
        assumptions=(),
        evidence={},
        guessing=error_of_guessing(training),
    )

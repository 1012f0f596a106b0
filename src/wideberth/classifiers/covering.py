"""What to remove so that no two objects of different classes are closer than a separation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.errors import InvalidInput
from wideberth.estimators.training import Training
from wideberth.geometry.conflicts import conflict_pairs
from wideberth.geometry.distances import pairwise_distances
from wideberth.geometry.matching import Matching
from wideberth.objects import sample
from wideberth.optimize.solution import Solution
from wideberth.solvers.exact_cover import exact_cover
from wideberth.solvers.vertex_cover import vertex_cover

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Bytes for each conflict, while they are linked and matched.
BYTES_PER_CONFLICT = 64

#: Objects whose conflicts are counted to guess how many there are in all, and how many are few: in all, or for each object.
PROBE, FEW_CONFLICTS, FEW_EACH = 100, 1_000_000, 10

SOLVERS: dict[str, Callable[..., Solution]] = {"lp": vertex_cover, "exact": exact_cover}


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


def greedy_path(matching: Matching) -> CoverPath:
    """The covers by both ends of a greedy matching, at every separation at which they change.

    >>> from wideberth.geometry.matching import greedy_matching
    >>> path = greedy_path(greedy_matching([[0.0], [1.0], [5.0], [8.0]], ["rum", "tea", "rum", "tea"]))
    >>> path.separations, path.covers, path.lower_bounds
    (array([ 1.,  3., inf]), array([0., 2., 4.]), array([0., 1., 2.]))
    """
    separations, first = np.unique(matching.distances, return_index=True)
    totals = np.concatenate([[0.0], np.cumsum(matching.amounts)])
    matched = np.append(totals[first], totals[-1])
    return CoverPath(np.append(separations, np.inf), matched, 2.0 * matched)


def solved_path(training: Training, separations: Floats, how: str, **room: Any) -> tuple[CoverPath, list[Mask]]:
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
            advice="Raise memory=, or take cover='greedy', which needs no list of conflicts.",
            value=separation,
        )
    return found


def few_conflicts(training: Training, separation: float) -> bool:
    """Whether a linear program over the conflicts is about as quick as the matching: judged by those of some objects."""
    n = len(training)
    asked = np.random.default_rng(0).choice(n, min(n, PROBE), replace=False)
    near = pairwise_distances(sample.pick(training.objects, asked), training.objects, training.metric) < separation
    conflicts = np.count_nonzero(near & (training.codes[asked][:, None] != training.codes))
    return bool(conflicts / len(asked) * n / 2 <= max(FEW_CONFLICTS, FEW_EACH * n))


def try_cover(training: Training, separation: float, how: str, *, memory: int, n_jobs: int | None) -> Solution | None:
    """`solve_cover`, or None as soon as the conflicts do not fit the memory."""
    parts, free = [np.empty((2, 0), dtype=np.int32)], memory // BYTES_PER_CONFLICT
    for first, second, _ in conflict_pairs(
        training.objects, training.codes, training.metric, separation, memory=memory // 4, n_jobs=n_jobs
    ):
        parts.append(np.stack([first, second]).astype(np.int32))
        free -= len(first)
        if free < 0:
            return None
    return SOLVERS[how](len(training), training.codes, *np.concatenate(parts, axis=1))

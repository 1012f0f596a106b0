r"""The dimension that a sample seems to have. Every figure here describes the sample at some scales; none bounds anything.

The doubling dimension of a space is at least that of its samples, so no sample certifies an upper bound of it. Bounds that take
a dimension take it as an assumption.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from wideberth.errors import InvalidInput, UnknownName
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.measure.memory import parse_memory, show_memory
from wideberth.geometry.shape.nets import farthest_first, greedy_net
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample as samples

Method = Literal["twonn", "correlation", "packing", "doubling"]

#: Shares of the pairs that the two scales of the correlation dimension leave below them.
CORRELATION_QUANTILES = (0.005, 0.05)
#: The first net size whose scale counts for the packing dimension: smaller nets see the border of the sample.
FIRST_PACKING = 8
#: The doubling estimate looks at balls round so many objects, with radii at these shares of the distances.
BALL_CENTRES = 40
BALL_QUANTILES = (0.02, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class DimensionEstimate:
    """A dimension, how it was found, on how many objects and between which distances; ``nan`` where there are no two scales."""

    value: float
    method: Method
    n_sampled: int
    scales: tuple[float, float]
    distance_calls: int
    note: str = "Descriptive: it holds for these objects at these scales and is no upper bound of anything."


def intrinsic_dimension(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    method: Method = "twonn",
    *,
    n_sampled: int = 2000,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
    random_state: int = 0,
) -> DimensionEstimate:
    """The dimension that the objects seem to have, from the distances between ``n_sampled`` of them drawn at random.

    ``"twonn"``: how much farther the second neighbour is than the first (Facco, d'Errico, Rodriguez & Laio 2017).
    ``"correlation"``: how fast the number of close pairs grows with the distance (Grassberger & Procaccia 1983).
    ``"packing"``: how fast nets grow as their radius shrinks (Kegl 2002); low by nature.
    ``"doubling"``: the logarithm of the largest net of radius r/2 found in a ball of radius r. Over all balls it would lie
    between the doubling dimension of the sample and twice that; over some of them it is only below the latter.

    Pairs at distance 0 are left out. Distances with many ties, such as edits, tell little: use ``"correlation"`` there.

    >>> line = np.arange(100.0).reshape(-1, 1)
    >>> round(intrinsic_dimension(line, method="correlation").value, 1)
    1.0
    """
    if method not in METHODS:
        raise UnknownName(
            f"There is no estimate of the dimension called {method!r}.",
            advice=f"Known: {', '.join(METHODS)}.",
            value=method,
            known=list(METHODS),
        )
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    chosen = _draw(samples.count(prepared), n_sampled, parse_memory(max_memory), random_state)
    distances = pairwise_distances(samples.pick(prepared, chosen), None, measure, n_jobs=n_jobs)
    value, scales = METHODS[method](distances)
    return DimensionEstimate(value, method, len(chosen), scales, distances.size)


def _draw(n: int, n_sampled: int, room: int, random_state: int) -> np.ndarray[Any, np.dtype[np.intp]]:
    size = min(n, n_sampled)
    if size < 3:
        raise InvalidInput(
            f"{size} objects have no dimension.", advice="At least 3 are needed, some hundreds are better.", value=size
        )
    needed = 3 * 8 * size**2  # the distances, twice more while they are sorted and compared
    if needed > room:
        raise InvalidInput(
            f"The distances of {size} objects need {show_memory(needed)}, more than the memory of {show_memory(room)}.",
            advice=f"Sample fewer: n_sampled={int((room / 24) ** 0.5)} fits.",
            value=n_sampled,
        )
    return np.sort(np.random.default_rng(random_state).choice(n, size, replace=False))


def _positive(distances: Distances) -> Distances:
    pairs = distances[np.triu_indices(len(distances), 1)]
    return pairs[pairs > 0]


def _slope(rise: float, run: float) -> float:
    return float(rise / run) if run else float("nan")


def _two_nearest(distances: Distances) -> tuple[float, tuple[float, float]]:
    r"""The maximum likelihood estimate :math:`1 / \mathrm{mean} \log(r_2 / r_1)` of a locally uniform density."""
    others = np.where(distances > 0, distances, np.inf)
    nearest = np.partition(others, 1, axis=1)[:, :2]
    nearest = nearest[np.isfinite(nearest).all(axis=1)]
    if not len(nearest):
        return float("nan"), (float("nan"), float("nan"))
    growth = float(np.log(nearest[:, 1] / nearest[:, 0]).mean())
    return _slope(1.0, growth), (float(np.median(nearest[:, 0])), float(np.median(nearest[:, 1])))


def _correlation(distances: Distances) -> tuple[float, tuple[float, float]]:
    r""":math:`\log(C(s) / C(r)) / \log(s / r)`, where C is the share of pairs at most so far apart."""
    pairs = _positive(distances)
    if not len(pairs):
        return float("nan"), (float("nan"), float("nan"))
    small, large = np.quantile(pairs, CORRELATION_QUANTILES, method="higher")
    rise = np.log((pairs <= large).mean() / (pairs <= small).mean())
    return _slope(rise, np.log(large / small)), (float(small), float(large))


def _packing(distances: Distances) -> tuple[float, tuple[float, float]]:
    r"""The slope of :math:`\log m` against :math:`-\log \lambda_m`, where m objects are at least :math:`\lambda_m` apart."""
    walk = farthest_first(np.arange(len(distances)), Precomputed(distances), count=max(len(distances) // 2, 3))
    first = min(FIRST_PACKING, len(walk) // 2 + 1)
    size, separation = np.arange(first, len(walk)) + 1, walk.insertions[first:]
    if len(np.unique(separation)) < 2:
        return float("nan"), (float("nan"), float("nan"))
    slope = np.polyfit(np.log(separation), np.log(size), 1)[0]
    return float(-slope), (float(separation[-1]), float(separation[0]))


def _doubling(distances: Distances) -> tuple[float, tuple[float, float]]:
    pairs = _positive(distances)
    if not len(pairs):
        return 0.0, (0.0, 0.0)
    radii = np.quantile(pairs, BALL_QUANTILES)
    centres = np.random.default_rng(0).choice(len(distances), min(len(distances), BALL_CENTRES), replace=False)
    table = Precomputed(distances)
    largest = max(
        len(greedy_net(np.flatnonzero(distances[centre] <= radius), table, radius / 2)) for radius in radii for centre in centres
    )
    return float(np.log2(largest)), (float(radii[0]), float(radii[-1]))


METHODS: dict[Method, Callable[[Distances], tuple[float, tuple[float, float]]]] = dict(
    zip(get_args(Method), (_two_nearest, _correlation, _packing, _doubling), strict=True)
)

r"""Estimates of the intrinsic dimension of a sample. They describe the sample at some scales; none
of them bounds anything.

The doubling dimension of a space is at least that of its samples, so no sample proves an upper
bound of it. The bounds of `wideberth.bounds` that depend on a dimension take it as an assumption.

All estimates start from the same idea: in dimension D a ball of radius r holds a number of objects
proportional to :math:`r^D`, and a net of radius r a number proportional to :math:`r^{-D}`. So D is
the slope of the logarithm of a number against the logarithm of a distance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput, UnknownName
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory, show_memory
from wideberth.geometry.shape.nets import farthest_first, greedy_net
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample as samples
from wideberth.wording import setting

Method = Literal["twonn", "correlation", "packing", "doubling"]
#: A dimension, and the smallest and the largest distance that it was estimated from.
_Estimate = tuple[float, tuple[float, float]]
#: What a sample without two scales has.
_NO_ESTIMATE: _Estimate = (float("nan"), (float("nan"), float("nan")))

#: Quantiles of the distances that are the two scales of the correlation dimension.
CORRELATION_QUANTILES = (0.005, 0.05)
#: The smallest net that counts for the packing dimension: smaller nets depend on the border of the
#: sample.
FIRST_PACKING = 8
#: The number of balls per radius in the doubling estimate, and the quantiles of the distances that
#: are its radii.
BALL_CENTRES = 40
BALL_QUANTILES = (0.02, 0.05, 0.1, 0.2, 0.4)


@dataclass(frozen=True)
class DimensionEstimate:
    """An estimate of a dimension, and what it was computed from.

    Attributes
    ----------
    value : float
        The dimension; NaN if the sample has no two different scales.
    method : {"twonn", "correlation", "packing", "doubling"}
    n_sampled : int
        How many objects were used.
    scales : tuple of two float
        The two distances between which the estimate was made; for "twonn" the medians of the two
        neighbour distances.
    distance_calls : int
        How many distances were measured.
    note : str
        A warning not to use the value as a bound.
    """

    value: float
    method: Method
    n_sampled: int
    scales: tuple[float, float]
    distance_calls: int
    note: str = (
        "Descriptive: it holds for these objects at these scales and is no upper bound of anything."
    )


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
    """Estimate the dimension of a sample from the distances between some of its objects, drawn at
    random.

    Pairs at distance 0 are left out. Where many distances are equal, as numbers of edits are,
    neighbours mean little: use ``"correlation"`` there.

    Parameters
    ----------
    objects : sequence of objects, or array
        At least 3; some hundreds are better.
    metric : str, Metric or callable
        A name (`wideberth.list_metrics`), a `wideberth.Metric`, or a function of two objects.
    method : {"twonn", "correlation", "packing", "doubling"}
        - "twonn": how much farther the second neighbour is than the first (Facco, d'Errico,
          Rodriguez & Laio 2017);
        - "correlation": how fast the number of close pairs grows with the distance (Grassberger &
          Procaccia 1983);
        - "packing": how fast nets grow as their radius shrinks (Kegl 2002); its values tend to be
          low;
        - "doubling": the binary logarithm of the size of the largest net of radius r/2 found in a
          ball of radius r. Over all balls it would lie between the doubling dimension of the sample
          and twice that; over some balls only the upper limit holds.
    n_sampled : int
        How many objects to draw; all if there are fewer. All their pairs are measured.
    max_memory : str or int
        Memory for the distances: 24 n^2 bytes for n objects.
    n_jobs : int, optional
        How many cores measure distances; all by default.
    random_state : int
        Seed of the draw.

    Returns
    -------
    DimensionEstimate

    Raises
    ------
    wideberth.errors.UnknownName
        If there is no such method.
    wideberth.errors.InvalidInput
        If there are fewer than 3 objects, or the distances do not fit into ``max_memory``.

    Examples
    --------
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


def _draw(n: int, n_sampled: int, budget: int, random_state: int) -> Indices:
    """The positions of the objects to use, if their distances fit into ``budget`` bytes."""
    size = min(n, n_sampled)
    if size < 3:
        raise InvalidInput(
            f"A dimension cannot be estimated from {size} objects.",
            advice="At least 3 are needed, some hundreds are better.",
            value=size,
        )
    needed = 3 * 8 * size**2  # the distances, twice more while they are sorted and compared
    if needed > budget:
        raise InvalidInput(
            f"The distances of {size} objects need {show_memory(needed)}, more than max_memory, "
            f"{show_memory(budget)}.",
            advice=f"Sample fewer: {setting('n_sampled', shown=int((budget / 24) ** 0.5))} fits.",
            value=n_sampled,
        )
    return np.sort(np.random.default_rng(random_state).choice(n, size, replace=False))


def _positive(distances: Distances) -> Distances:
    """The distances of all pairs that are not at distance 0, each pair once."""
    pairs = distances[np.triu_indices(len(distances), 1)]
    return pairs[pairs > 0]


def _slope(rise: float, run: float) -> float:
    """``rise`` / ``run``, NaN if ``run`` is 0."""
    return float(rise / run) if run else float("nan")


def _two_nearest(distances: Distances) -> _Estimate:
    r"""The maximum likelihood estimate :math:`1 / \mathrm{mean} \log(r_2 / r_1)` for a locally
    uniform density.

    :math:`r_1, r_2` are the distances of an object to its nearest and second nearest other one.
    """
    others = np.where(distances > 0, distances, np.inf)
    nearest = np.partition(others, 1, axis=1)[:, :2]
    nearest = nearest[np.isfinite(nearest).all(axis=1)]
    if not len(nearest):
        return _NO_ESTIMATE
    growth = float(np.log(nearest[:, 1] / nearest[:, 0]).mean())
    return _slope(1.0, growth), (float(np.median(nearest[:, 0])), float(np.median(nearest[:, 1])))


def _correlation(distances: Distances) -> _Estimate:
    r""":math:`\log(C(s) / C(r)) / \log(s / r)`, where C(r) is the share of the pairs at distance r
    or less.
    """
    pairs = _positive(distances)
    if not len(pairs):
        return _NO_ESTIMATE
    small, large = np.quantile(pairs, CORRELATION_QUANTILES, method="higher")
    rise = np.log((pairs <= large).mean() / (pairs <= small).mean())
    return _slope(rise, np.log(large / small)), (float(small), float(large))


def _packing(distances: Distances) -> _Estimate:
    r"""The slope of :math:`\log m` against :math:`-\log \lambda_m`, where m objects are at least
    :math:`\lambda_m` apart.
    """
    walk = farthest_first(
        np.arange(len(distances)), Precomputed(distances), count=max(len(distances) // 2, 3)
    )
    first = min(FIRST_PACKING, len(walk) // 2 + 1)
    size, separation = np.arange(first, len(walk)) + 1, walk.insertions[first:]
    if len(np.unique(separation)) < 2:
        return _NO_ESTIMATE
    slope = np.polyfit(np.log(separation), np.log(size), 1)[0]
    return float(-slope), (float(separation[-1]), float(separation[0]))


def _doubling(distances: Distances) -> _Estimate:
    """The binary logarithm of the largest net of radius r/2 in a ball of radius r, over some balls;
    0 for equal objects.
    """
    pairs = _positive(distances)
    if not len(pairs):
        return 0.0, (0.0, 0.0)
    radii = np.quantile(pairs, BALL_QUANTILES)
    centres = np.random.default_rng(0).choice(
        len(distances), min(len(distances), BALL_CENTRES), replace=False
    )
    table = Precomputed(distances)
    largest = max(
        len(greedy_net(np.flatnonzero(distances[centre] <= radius), table, radius / 2))
        for radius in radii
        for centre in centres
    )
    return float(np.log2(largest)), (float(radii[0]), float(radii[-1]))


METHODS: dict[Method, Callable[[Distances], _Estimate]] = dict(
    zip(get_args(Method), (_two_nearest, _correlation, _packing, _doubling), strict=True)
)

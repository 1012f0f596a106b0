r"""The dimension of a sample, its covering and packing numbers, and nested nets.

Estimates of a dimension describe the sample at some scales; none of them bounds anything.

The doubling dimension of a space is at least that of its samples, so no sample proves an upper
bound of it. The bounds of `wideberth.bounds` that depend on a dimension take it as an assumption.

All estimates start from the same idea: in dimension D a ball of radius r holds a number of objects
proportional to :math:`r^D`, and a net of radius r a number proportional to :math:`r^{-D}`. So D is
the slope of the logarithm of a number against the logarithm of a distance.

Covering and packing numbers are proved at all scales by one farthest-first traversal. An r-net is
a set of objects that are pairwise at distance r or more, such that every object is closer than r to
one of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from wideberth.array_types import Indices
from wideberth.errors import InvalidInput, UnknownName
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory, show_memory
from wideberth.geometry.shape.nets import Traversal, farthest_first, greedy_net
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample as samples
from wideberth.wording import setting

# ---- Estimates of the intrinsic dimension


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


# ---- Covering and packing numbers


@dataclass(frozen=True, eq=False)
class PackingCurve:
    r"""What the first m = 1, 2, 3... objects of a farthest-first traversal prove.

    They are pairwise at distance >= ``separations[m - 1]``, :math:`\lambda_m`. Every object is
    within ``covering_radii[m - 1]``, :math:`\lambda_{m+1}`, of one of them. Bounds that need the
    triangle inequality are trivial where the metric does not promise it. Lower bounds hold for
    every space that contains the objects, upper bounds for the objects alone: a sample never bounds
    the numbers of its source from above.
    """

    sizes: Indices
    separations: Distances
    covering_radii: Distances
    n_objects: int
    obeys_triangle: bool | None
    distance_calls: int

    def covering_bounds(self, radius: float) -> tuple[int, int]:
        r"""Bounds of the covering number N(r): the least number of closed balls of this radius that
        hold all objects.

        m objects with :math:`\lambda_m > 2r` lie in m different balls; m balls are enough where
        :math:`\lambda_{m+1} \le r`.

        Examples
        --------
        >>> packing_curve([[0.0], [1.0], [10.0], [4.0]], "euclidean").covering_bounds(1.0)
        (3, 3)
        """
        lower = int((self.separations > 2 * radius).sum()) if self.obeys_triangle else 1
        return max(lower, 1), self._first(self.covering_radii <= radius)

    def packing_bounds(self, separation: float) -> tuple[int, int]:
        r"""Bounds of the packing number: the most objects that are pairwise at distance at least
        ``separation``, s.

        m objects are such a packing where :math:`\lambda_m \ge s`. Where :math:`\lambda_{m+1} <
        s/2`, m balls hold all objects, and no ball holds two objects of a packing.

        Examples
        --------
        >>> packing_curve([[0.0], [1.0], [10.0], [4.0]], "euclidean").packing_bounds(3.0)
        (3, 3)
        """
        upper = (
            self._first(self.covering_radii < separation / 2)
            if self.obeys_triangle
            else self.n_objects
        )
        return int((self.separations >= separation).sum()), upper

    def _first(self, holds: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
        """The smallest size for which the condition holds; the number of all objects if there is
        none.
        """
        return int(self.sizes[holds.argmax()]) if holds.any() else self.n_objects


def packing_curve(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    start: int = 0,
    n_jobs: int | None = None,
) -> PackingCurve:
    """Traverse the objects farthest first and keep what each prefix proves.

    Examples
    --------
    >>> packing_curve([[0.0], [1.0], [10.0], [4.0]]).covering_radii
    array([10.,  4.,  1.,  0.])
    """
    walk = farthest_first(objects, metric, count=count, start=start, n_jobs=n_jobs)
    return PackingCurve(
        sizes=np.arange(1, len(walk) + 1),
        separations=walk.insertions,
        covering_radii=np.append(walk.insertions[1:], walk.covering_radius),
        n_objects=walk.n_objects,
        obeys_triangle=walk.obeys_triangle,
        distance_calls=walk.distance_calls,
    )


@dataclass(frozen=True, eq=False)
class CoveringNumbers:
    """How many balls cover all objects: at least ``lower`` and at most ``upper`` of radius
    ``scales``.

    Between two scales the upper bound of the smaller one holds. Both bounds are proved for the
    objects; about the source of the objects a sample proves only the lower bounds.

    Attributes
    ----------
    scales : ndarray of shape (m,)
        Radii, decreasing.
    lower, upper : ndarray of shape (m,)
        Bounds of the covering number at each radius.
    """

    scales: Distances
    lower: Indices
    upper: Indices


def covering_numbers(
    objects: Any,
    metric: str | Metric | Callable[[Any, Any], float] = "euclidean",
    *,
    count: int | None = None,
    n_jobs: int | None = None,
) -> CoveringNumbers:
    """Covering numbers of a sample at all scales that one farthest-first traversal reaches.

    m balls round the first m objects cover all others if their radius is the distance of the next
    one; see `packing_curve`.

    Parameters
    ----------
    objects : sample
        The objects, or a matrix of distances.
    metric : str, Metric or callable
        How far apart they are. Without the promise of the triangle inequality, all lower bounds are
        1.
    count : int, optional
        The length of the traversal; all objects by default.
    n_jobs : int, optional
        Cores to use; None means all.

    Returns
    -------
    CoveringNumbers
        Bounds at each scale; count x n distances are measured.

    Examples
    --------
    >>> found = covering_numbers([[0.0], [1.0], [10.0], [4.0]])
    >>> found.scales.tolist(), found.upper.tolist(), found.lower.tolist()
    ([10.0, 4.0, 1.0, 0.0], [1, 2, 3, 4], [1, 2, 3, 4])
    """
    curve = packing_curve(objects, metric, count=count, n_jobs=n_jobs)
    scales, first = np.unique(-curve.covering_radii, return_index=True)
    lower = (
        np.searchsorted(-curve.separations, 2 * scales)
        if curve.obeys_triangle
        else np.ones(len(scales), dtype=np.intp)
    )
    return CoveringNumbers(-scales, np.maximum(lower, 1), curve.sizes[first])


# ---- Nested nets at radii that halve, each net point with its parent in the next coarser net


@dataclass(frozen=True, eq=False)
class NetHierarchy:
    """Nets from coarse to fine: level 0 has one object, level i the first ``sizes[i]`` objects of
    ``order``.

    Points of level i are pairwise at distance >= ``radii[i]``, and every object is within
    ``covering_radii[i]`` < ``radii[i]`` of one of them. The radii are 2, 1, 1/2, 1/4... times the
    distance of the first two objects of the order; radii that add no point are left out. ``len`` is
    the number of levels.

    Attributes
    ----------
    order : ndarray of int
        The objects in farthest-first order.
    sizes : ndarray of int, shape (levels,)
        The number of points of each net, increasing.
    radii : ndarray of float, shape (levels,)
        The radius of each net, decreasing.
    covering_radii : ndarray of float, shape (levels,)
        How far the farthest object is from the nearest point of each net.
    """

    order: Indices
    sizes: Indices
    radii: Distances
    covering_radii: Distances
    _parents: Indices
    _parent_distances: Distances

    def __len__(self) -> int:
        return len(self.sizes)

    def net(self, level: int) -> Indices:
        """The positions of the points of one net; those of the coarser nets come first.

        Examples
        --------
        >>> from wideberth.geometry.shape.nets import farthest_first
        >>> net_hierarchy(farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean")).net(1)
        array([0, 2])
        """
        return self.order[: self.sizes[level]]

    def parents(self, level: int) -> tuple[Indices, Distances]:
        """For every point of ``net(level)`` the nearest point of the next coarser net, and its
        distance.

        Examples
        --------
        >>> from wideberth.geometry.shape.nets import farthest_first
        >>> # object 3, at 4, is new
        >>> net_hierarchy(farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean")).parents(2)
        (array([0, 2, 0]), array([0., 0., 4.]))
        """
        parents, distances = self.net(level).copy(), np.zeros(self.sizes[level])
        above = self.sizes[max(level - 1, 0)] if level else 1
        parents[above:] = self._parents[above : self.sizes[level]]
        distances[above:] = self._parent_distances[above : self.sizes[level]]
        return parents, distances


def net_hierarchy(traversal: Traversal) -> NetHierarchy:
    """The hierarchy of nets that a farthest-first traversal contains; no distance is measured.

    Parameters
    ----------
    traversal : Traversal
        Of `wideberth.geometry.shape.nets.farthest_first`. If it ends early, the hierarchy ends with
        its last object.

    Returns
    -------
    NetHierarchy

    Examples
    --------
    >>> from wideberth.geometry.shape.nets import farthest_first
    >>> nets = net_hierarchy(farthest_first([[0.0], [1.0], [10.0], [4.0]], "euclidean"))
    >>> nets.radii, nets.sizes, nets.covering_radii
    (array([20.  , 10.  ,  2.5 ,  0.625]), array([1, 2, 3, 4]), array([10.,  4.,  1.,  0.]))
    >>> nets.net(3), nets.parents(3)[0]
    (array([0, 2, 3, 1]), array([0, 2, 3, 0]))
    """
    insertions = traversal.insertions
    radii, sizes = [], []
    radius = 2 * insertions[1] if len(insertions) > 1 else np.inf
    size = 1
    while True:
        radii.append(radius)
        sizes.append(size)
        if size == len(insertions):
            break
        while insertions[size] < radius:
            radius /= 2
        size = int(np.searchsorted(-insertions, -radius, side="right"))
    covering = np.append(insertions, traversal.covering_radius)[sizes]
    return NetHierarchy(
        traversal.order,
        np.array(sizes),
        np.array(radii),
        covering,
        traversal.parents,
        traversal.parent_distances,
    )

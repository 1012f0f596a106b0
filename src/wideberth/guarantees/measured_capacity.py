r"""How rich classes of functions are on a given sample, measured: discrepancies and Rademacher
averages.

.. math:: \hat R_n(F) = E_\sigma \sup_{f \in F} \frac1n \sum_i \sigma_i f(x_i)

of three balls of functions: those with a small Lipschitz constant (the dual of the Arens-Eells
embedding; von Luxburg & Bousquet 2004), the combinations of few distances (the dual of the
Kuratowski embedding) and the dual of the Hilbert embedding (Hein, Bousquet & Schoelkopf 2005). What
is measured belongs to the sample. The end ``high`` of a `Measured` is proved, with its confidence:
it may enter `wideberth.bounds.lipschitz_ball.measured_ball_risk`, which has to pay for that, if the
class was fixed before the sample was seen and the metric keeps its promises. One that does not
promise what the class needs is only tried on objects of the sample, and proves nothing about
others. Nothing else here may enter a bound.

How well a function with Lipschitz constant 1 and values within :math:`\pm h` follows given signs:
by matching or transport.

.. math:: \sup_{L(f) \le 1, \|f\|_\infty \le h} \sum_i a_i f(x_i)

is the cost of moving what is positive to where it is negative in the metric :math:`\min\{d, 2h\}`,
where a base point at distance h from all objects takes the surplus (the dual of the Arens-Eells
norm; von Luxburg & Bousquet 2004, Lemma 4). The reason: a function satisfies both conditions iff it
has Lipschitz constant 1 in that metric and is 0 at the base point. ``distances`` are assumed to be
those of a metric.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf, log, sqrt
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from wideberth.array_types import Floats, Indices
from wideberth.bounds.hilbert_ball import hilbert_rademacher
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory, show_memory
from wideberth.geometry.measure.sampled_axioms import broken_triangle
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.geometry.shape.nets import farthest_first
from wideberth.guarantees.optimal_transport import transport
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample
from wideberth.wording import python


def matching_cost(costs: Distances) -> float:
    """The cost of the cheapest matching of rows with columns that matches every object of the
    smaller side.

    Parameters
    ----------
    costs : ndarray of shape (m, n)
        The cost of each pair.

    Returns
    -------
    float
        The sum of the costs of the matched pairs; O((m + n)^3) in the worst case.

    Examples
    --------
    >>> matching_cost(np.array([[1.0, 2.0, 9.0], [1.0, 9.0, 9.0]]))
    3.0
    """
    return float(costs[linear_sum_assignment(costs)].sum())


def matched_suprema(distances: Distances, height: float, signs: Floats) -> Floats:
    r"""The supremum for each row of signs, exactly: the smaller side is matched, and each unmatched
    object costs h.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        All distances of the objects.
    height : float
        The bound h of the functions.
    signs : ndarray of shape (m, n)
        Rows of :math:`\pm 1`.

    Returns
    -------
    ndarray of shape (m,)
        The suprema.

    Examples
    --------
    >>> matched_suprema(
    ...     np.array([[0.0, 4.0], [4.0, 0.0]]), 3.0, np.array([[1.0, -1.0], [1.0, 1.0]])
    ... )
    array([4., 6.])
    """
    near = np.minimum(distances, 2 * height)
    matched = np.array([matching_cost(near[np.ix_(row > 0, row < 0)]) for row in signs])
    surplus: Floats = np.abs(signs.sum(axis=1))
    return matched + height * surplus


def moved_suprema(distances: Distances, height: float, owner: Indices, signs: Floats) -> Floats:
    r"""The supremum for each row of signs if every object is moved to one of a few centres.

    Parameters
    ----------
    distances : ndarray of shape (k, k)
        The distances of the centres.
    height : float
        The bound h of the functions.
    owner : ndarray of shape (n,)
        The number of the centre that each object is moved to.
    signs : ndarray of shape (m, n)
        Rows of :math:`\pm 1`.

    Returns
    -------
    ndarray of shape (m,)
        The suprema, by an optimal transport between centres for each row.

    Examples
    --------
    >>> moved_suprema(
    ...     np.array([[0.0, 4.0], [4.0, 0.0]]),
    ...     3.0,
    ...     np.array([0, 0, 1]),
    ...     np.array([[1.0, 1.0, -1.0]]),
    ... )
    array([7.])
    """
    near = np.minimum(distances, 2 * height)
    amounts = np.zeros((len(signs), len(near)))
    for place, row in enumerate(signs):
        amounts[place] = np.bincount(owner, weights=row, minlength=len(near))
    return np.array([_transport_cost(near, height, row) for row in amounts])


def _transport_cost(near: Distances, height: float, amounts: Floats) -> float:
    """The transport cost of signed amounts, with the base point as one more target or source that
    balances them.
    """
    sources, targets = np.flatnonzero(amounts > 0), np.flatnonzero(amounts < 0)
    surplus = float(amounts.sum())
    costs = near[np.ix_(sources, targets)]
    supplies, demands = amounts[sources], -amounts[targets]
    if surplus > 0:
        costs, demands = (
            np.column_stack([costs, np.full(len(sources), height)]),
            np.append(demands, surplus),
        )
    elif surplus < 0:
        costs, supplies = (
            np.vstack([costs, np.full(len(targets), height)]),
            np.append(supplies, -surplus),
        )
    return transport(costs, supplies, demands).value


# ---- Averages over random signs: over all sign vectors of a few objects, or over some drawn at
# random, with proved limits

#: Maps sign vectors, the rows, to :math:`\sup_f |\sum_i \sigma_i f(x_i)|` for each of them.
Suprema = Callable[[Floats], Floats]

#: Up to this number of objects all sign vectors are tried: at most 2,048, as opposite vectors have
#: the same supremum.
MOST_ENUMERATED = 12
#: The limits need signs that are independent of the sample: a stream of random numbers of their
#: own, whatever the seed.
STREAM = 0x51675


@dataclass(frozen=True)
class Measured:
    """An average over random signs: it lies between ``low`` and ``high``; ``value`` is only the
    best estimate.

    ``high`` may enter a bound that pays for the probability with which it fails; ``value`` may not.

    Attributes
    ----------
    value : float
        The mean over the sign vectors tried.
    low, high : float
        Limits of the average. They hold together with probability at least ``confidence`` over the
        draw of the signs, whatever the sample; ``high`` alone fails with at most half the remaining
        probability.
    confidence : float or None
        None if all sign vectors were tried: nothing is left to chance.
    draws : int
        How many sign vectors were tried.
    displacement : float
        How far the objects were moved on average to make the measurement cheap; the limits include
        it.

    Examples
    --------
    >>> Measured(0.2, 0.1, 0.3, confidence=0.99, draws=50).times(2.0).high
    0.6
    """

    value: float
    low: float
    high: float
    confidence: float | None
    draws: int
    displacement: float = 0.0

    def times(self, factor: float) -> "Measured":
        """The average for functions that are ``factor`` times as large."""
        return replace(
            self,
            value=factor * self.value,
            low=factor * self.low,
            high=factor * self.high,
            displacement=factor * self.displacement,
        )

    def widened(self, displacement: float) -> "Measured":
        """The limits for objects at this mean distance from those measured, and functions with
        Lipschitz constant 1.
        """
        low, high = max(0.0, self.low - displacement), self.high + displacement
        return replace(self, low=low, high=high, displacement=displacement)

    def within(self, low: float, high: float) -> "Measured":
        """The same measurement, if it is certain that the average lies between ``low`` and
        ``high``.
        """
        value = min(max(self.value, low), high)
        return replace(self, value=value, low=max(self.low, low), high=min(self.high, high))


def average_over_signs(
    suprema: Suprema, heights: Floats, *, draws: int, confidence: float, random_state: int | None
) -> Measured:
    r"""The empirical Rademacher average of a class of functions that is symmetric, :math:`f \in F
    \iff -f \in F`,

    .. math:: \hat R_n(F) = E_\sigma \sup_{f \in F} \frac1n \sum_i \sigma_i f(x_i), \qquad |f(x_i)|
        \le b_i,

    exactly for at most 12 objects, otherwise by the mean of m draws, which is off by

    .. math:: \frac1n \sqrt{\frac{2 \sum_i b_i^2 \ln(2/\delta)}{m}}

    or more with probability at most :math:`\delta = 1 -` ``confidence``. Proof: one of the n m
    independent signs changes the mean by at most :math:`2 b_i / nm`; McDiarmid's inequality (1989),
    once for each side.

    Parameters
    ----------
    suprema : callable
        Maps sign vectors, shape (m, n), to the suprema :math:`\sup_f |\sum_i \sigma_i f(x_i)|`,
        shape (m,).
    heights : ndarray of shape (n,)
        The bounds :math:`b_i`.
    draws : int
        How many sign vectors are drawn.
    confidence : float
        The probability with which both limits hold, between 0 and 1.
    random_state : int or None
        The seed of the draw.

    Returns
    -------
    Measured
        The average with its limits.

    Examples
    --------
    >>> average_over_signs(
    ...     lambda signs: np.abs(signs.sum(axis=1)),
    ...     np.ones(2),
    ...     draws=1,
    ...     confidence=0.9,
    ...     random_state=0,
    ... )
    Measured(value=0.5, low=0.5, high=0.5, confidence=None, draws=2, displacement=0.0)
    """
    _check_parameters(draws, confidence)
    n = len(heights)
    if n <= MOST_ENUMERATED:
        signs = all_signs(n)
        exact = float(suprema(signs).mean()) / n
        return Measured(exact, exact, exact, None, len(signs))
    signs = draw_signs(draws, n, random_state)
    mean = float(suprema(signs).mean()) / n
    slack = sqrt(2 * float((heights**2).sum()) * log(2 / (1 - confidence)) / draws) / n
    return Measured(
        mean, max(0.0, mean - slack), min(mean + slack, float(heights.mean())), confidence, draws
    )


def all_signs(n: int) -> Floats:
    """All vectors of n signs whose first sign is positive, one a row: of two opposite vectors, one.

    Examples
    --------
    >>> all_signs(2)
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    bits = np.arange(2 ** (n - 1))[:, None] >> np.arange(n - 1) & 1
    return np.column_stack([np.ones(len(bits)), 1.0 - 2.0 * bits])


def draw_signs(draws: int, n: int, random_state: int | None) -> Floats:
    """Rows of independent random signs, independent also of a sample that was drawn with the same
    seed.

    Parameters
    ----------
    draws, n : int
        The number of rows and of columns.
    random_state : int or None
        The seed.

    Returns
    -------
    ndarray of shape (draws, n)
        Entries are 1.0 and -1.0.

    Examples
    --------
    >>> draw_signs(2, 3, random_state=0).shape
    (2, 3)
    """
    source = np.random.SeedSequence(random_state, spawn_key=(STREAM,))
    return np.random.default_rng(source).choice([-1.0, 1.0], size=(draws, n))


def _check_parameters(draws: int, confidence: float) -> None:
    if not draws >= 1:
        raise InvalidInput(
            f"The average needs sign vectors; draws is {draws!r}.",
            advice="Draw at least 1.",
            value=draws,
        )
    if not 0 < confidence < 1:
        raise InvalidInput(
            f"A confidence lies between 0 and 1, not at {confidence!r}.",
            advice="0.99 is a usual choice.",
            value=confidence,
        )


AnyMetric = str | Metric | Callable[[Any, Any], float]

#: A matching of more objects takes seconds for each sign vector.
MOST_MATCHED = 3000
#: The number of centres that more objects are moved to.
CENTRES = 1000
#: Distances measured at a time where they are not all needed at once.
BLOCK = 2_000_000


def maximum_discrepancy(
    left: Any,
    right: Any,
    metric: AnyMetric = "euclidean",
    *,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
) -> float:
    r"""How far two samples of n objects are apart for functions with Lipschitz constant 1:

    .. math:: \sup_{L(f) \le 1} \Bigl| \frac1n \sum_i f(x_i) - \frac1n \sum_i f(x_i') \Bigr|
        = \min_\pi \frac1n \sum_i d(x_i, x'_{\pi(i)}),

    the cost of the cheapest matching (von Luxburg & Bousquet 2004, (11)), solved exactly. An
    estimate: over the draw of both samples its mean is at most twice the Rademacher average of the
    Lipschitz ball, so it bounds no error.

    Parameters
    ----------
    left, right : sample
        Two samples of equal size.
    metric : str, Metric or callable
        How far apart objects are.
    max_memory : str or int
        The memory for all distances between the two.
    n_jobs : int, optional
        Cores to use; None means all.

    Returns
    -------
    float
        The mean distance of matched objects.

    Examples
    --------
    >>> maximum_discrepancy([[0.0], [3.0]], [[4.0], [0.0]])
    0.5
    """
    measure = as_metric(metric).fitted(left)
    left, right = measure.prepare(left), measure.prepare(right)
    n = sample.count(left)
    if n != sample.count(right) or not n:
        raise InvalidInput(
            f"The discrepancy compares samples of equal size; these have {n} and "
            f"{sample.count(right)} objects.",
            advice="Leave out objects of the larger one at random.",
            value=(n, sample.count(right)),
        )
    _refuse_broken_triangle(left, measure)
    _check_memory(
        16 * n**2, max_memory, f"The distances of twice {n:,} objects", "Compare fewer objects."
    )
    return matching_cost(pairwise_distances(left, right, measure, n_jobs=n_jobs)) / n


def lipschitz_capacity(
    objects: Any,
    metric: AnyMetric = "euclidean",
    *,
    height: float | None = None,
    centres: int | None = None,
    draws: int = 100,
    confidence: float = 0.99,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Measured:
    r"""The empirical Rademacher average of the functions with Lipschitz constant 1 and values
    within :math:`\pm h`, ``height``.

    For each sign vector the supremum is the cost of the cheapest transport between the objects with
    different signs, a base point at distance h from all objects taking the surplus:

    .. math:: \sup_{L(f) \le 1, \|f\|_\infty \le h} \sum_i \sigma_i f(x_i)
        = h\, \Bigl|\sum_i \sigma_i\Bigr| + \min_{\text{matchings}} \sum_{(i, j)} \min\{d(x_i, x_j),
        2h\},

    by the duality of section 5.1 of von Luxburg & Bousquet (2004) in the space with the metric
    :math:`\min\{d, 2h\}` and the base point. The average for a classifier with Lipschitz constant L
    whose scores are cut at :math:`\pm 1` is ``lipschitz_capacity(..., height=1 / L).times(L)``;
    such an L is fixed before the sample is seen, or paid for (`wideberth.bounds.strata`). Cheaper
    and coarser, and without chance: `wideberth.bounds.lipschitz_ball.tree_rademacher` of the scales
    and upper bounds of `wideberth.guarantees.packing.covering_numbers`.

    Parameters
    ----------
    objects : sample
        The objects, or a matrix of distances.
    metric : str, Metric or callable
        How far apart they are.
    height : float, optional
        The bound h. By default the diameter of the objects, which gives their ball :math:`\|f\|_L
        \le 1`; with centres an upper bound of the diameter.
    centres : int, optional
        Objects are moved to as many centres, taken farthest first, which changes the average by at
        most the mean distance moved (added to both limits). The transport between centres is exact
        and needs ``pip install "wideberth[transport]"``. By default all objects are matched if
        there are at most 3,000 of them and their distances fit in ``max_memory``; otherwise there
        are 1,000 centres.
    draws, confidence, random_state
        See `wideberth.guarantees.measured_capacity.average_over_signs`.
    max_memory, n_jobs
        The memory for distances, and cores to use (all by default).

    Returns
    -------
    Measured
        The average with its limits.

    Examples
    --------
    >>> lipschitz_capacity(
    ...     [[0.0], [4.0]], height=3.0
    ... ).value  # half of (3 + 3) / 2 for equal signs, and of 4 / 2 for different
    2.5
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    n = _count(prepared)
    _check_height(height)
    _refuse_broken_triangle(prepared, measure)
    suprema, reach, displacement = _lipschitz_suprema(
        prepared, measure, height, centres, max_memory, n_jobs
    )
    found = average_over_signs(
        suprema, np.full(n, reach), draws=draws, confidence=confidence, random_state=random_state
    )
    return found.widened(displacement)


def kuratowski_capacity(
    objects: Any,
    metric: AnyMetric = "euclidean",
    *,
    base: int = 0,
    references: Any = None,
    draws: int = 100,
    confidence: float = 0.99,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Measured:
    r"""The empirical Rademacher average of the combinations of distances to ``references`` Z whose
    weights have absolute sum 1:

    .. math:: \hat R_n = \frac1n E_\sigma \max_{z \in Z} \Bigl| \sum_i \sigma_i \bigl(d(x_i, z) -
        d(x_0, z)\bigr) \Bigr|

    (Hein, Bousquet & Schoelkopf 2005, (15)). For references fixed before the sample was seen it is
    the capacity of the LP machine on them. `lipschitz_capacity` with its default height bounds the
    ball on the whole space from above: its functions have Lipschitz constant 1 and are 0 at the
    base. Distances are measured a few columns at a time.

    Parameters
    ----------
    objects, metric, draws, confidence, n_jobs, random_state
        As for `lipschitz_capacity`.
    base : int
        The position of :math:`x_0`.
    references : sample, optional
        Z. By default the objects themselves: then it is a lower bound for the ball on the whole
        space, and none of its limits may enter a bound of the error.

    Returns
    -------
    Measured
        The average with its limits.

    Examples
    --------
    >>> kuratowski_capacity(
    ...     [[0.0], [2.0]]
    ... ).value  # the object at 0 is the base: 2 / 2 for all signs
    1.0
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    others = prepared if references is None else measure.prepare(references)
    heights = _distances_from(base, prepared, measure)
    _refuse_broken_triangle(prepared, measure)
    width = max(1, BLOCK // _count(prepared))

    def suprema(signs: Floats) -> Floats:
        best = np.zeros(len(signs))
        for start in range(0, _count(others), width):
            columns = pairwise_distances(
                prepared, sample.pick(others, slice(start, start + width)), measure, n_jobs=n_jobs
            )
            best = np.maximum(best, np.abs(signs @ (columns - columns[base])).max(axis=1))
        return best

    return average_over_signs(
        suprema, heights, draws=draws, confidence=confidence, random_state=random_state
    )


def hilbert_capacity(
    objects: Any,
    metric: AnyMetric = "euclidean",
    *,
    base: int = 0,
    draws: int = 100,
    confidence: float = 0.99,
    max_memory: str | int = "2GB",
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Measured:
    r"""The empirical Rademacher average of the unit ball of the dual of the Hilbert embedding with
    :math:`x_0` at the origin:

    .. math:: \hat R_n = \frac1n E_\sigma \Bigl\| \sum_i \sigma_i \bigl(\Phi(x_i) - \Phi(x_0)\bigr)
        \Bigr\|
        = \frac1n E_\sigma \sqrt{ \textstyle\sum_{ij} \sigma_i \sigma_j\,
          \frac12 \bigl(d^2(x_i, x_0) + d^2(x_j, x_0) - d^2(x_i, x_j)\bigr) }

    (Hein, Bousquet & Schoelkopf 2005, section 5). It always lies between :math:`\frac1n
    \sqrt{\sum_i d^2(x_i, x_0)}`, their Theorem 6, and :math:`1/\sqrt 2` of it (Khintchine &
    Kahane): the limits use this. A metric that does not promise to be Hilbertian is tried on the
    objects, for which all distances must fit in ``max_memory``; if it fails there is no such ball,
    and an `InvalidInput` shows the eigenvalues.

    Parameters
    ----------
    objects, metric, draws, confidence, max_memory, n_jobs, random_state
        As for `lipschitz_capacity`.
    base : int
        The position of :math:`x_0`.

    Returns
    -------
    Measured
        The average with its limits.

    Examples
    --------
    >>> hilbert_capacity(
    ...     [[0.0], [2.0], [0.0]]
    ... ).value  # one object is not at the origin: 2 / 3 for all signs
    0.6666666666666666
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    n = _count(prepared)
    heights = _distances_from(base, prepared, measure)
    if measure.hilbertian is not True:
        _refuse_not_hilbertian(prepared, measure, max_memory)
    rows = max(1, BLOCK // n)

    def suprema(signs: Floats) -> Floats:
        forms = signs.sum(axis=1) * (signs @ heights**2)
        for start in range(0, n, rows):
            part = slice(start, start + rows)
            squares = (
                pairwise_distances(sample.pick(prepared, part), prepared, measure, n_jobs=n_jobs)
                ** 2
            )
            forms -= 0.5 * ((signs[:, part] @ squares) * signs).sum(axis=1)
        return np.asarray(np.sqrt(np.maximum(forms, 0.0)))

    found = average_over_signs(
        suprema, heights, draws=draws, confidence=confidence, random_state=random_state
    )
    most = hilbert_rademacher(heights, B=1.0)
    return found.within(most / sqrt(2), most)


def _lipschitz_suprema(
    prepared: Any,
    metric: Metric,
    height: float | None,
    centres: int | None,
    max_memory: str | int,
    n_jobs: int | None,
) -> tuple[Suprema, float, float]:
    """The function to average over signs, the height of Lipschitz functions, and the mean distance
    that objects were moved.
    """
    n = sample.count(prepared)
    needed = 20 * n**2  # all distances twice, and those between the signs twice
    if centres is None and n <= MOST_MATCHED and needed <= parse_memory(max_memory):
        distances = pairwise_distances(prepared, None, metric, n_jobs=n_jobs)
        reach = float(distances.max()) if height is None else height
        return partial(matched_suprema, distances, reach), reach, 0.0
    count = min(n, CENTRES if centres is None else centres)
    _check_memory(
        20 * count**2, max_memory, f"The distances of {count:,} centres", "Take fewer centres."
    )
    walk = farthest_first(prepared, metric, count=count, n_jobs=n_jobs)
    distances = pairwise_distances(sample.pick(prepared, walk.order), None, metric, n_jobs=n_jobs)
    reach = float(distances.max()) + 2 * walk.covering_radius if height is None else height
    places = np.empty(n, dtype=np.intp)
    places[walk.order] = np.arange(len(walk))
    return (
        partial(moved_suprema, distances, reach, places[walk.owner]),
        reach,
        float(walk.distances.mean()),
    )


def _count(prepared: Any) -> int:
    n = sample.count(prepared)
    if not n:
        raise InvalidInput(
            "There is nothing to measure: no objects.", advice="Pass at least one object.", value=n
        )
    return n


def _distances_from(base: int, prepared: Any, metric: Metric) -> Distances:
    n = _count(prepared)
    if not 0 <= base < n:
        raise InvalidInput(
            f"The base {base!r} is not one of the {n} objects.",
            advice="0 is the first one.",
            value=base,
        )
    return pairwise_distances(
        sample.pick(prepared, slice(base, base + 1)), prepared, metric
    ).ravel()


def _check_height(height: float | None) -> None:
    if height is not None and not (0 < height < inf):
        raise InvalidInput(
            f"Functions stay within a height that is positive and finite, not {height!r}.",
            advice="1 / L for scores with Lipschitz constant L that are cut at 1; None for the "
            "diameter.",
            value=height,
        )


def _check_memory(needed: int, max_memory: str | int, what: str, advice: str) -> None:
    budget = parse_memory(max_memory)
    if needed > budget:
        raise InvalidInput(
            f"{what} need {show_memory(needed)}, more than max_memory, {show_memory(budget)}.",
            advice=advice,
            value=needed,
        )


def _refuse_broken_triangle(prepared: Any, metric: Metric) -> None:
    """Raise an error if the triangle inequality is not promised and breaks: the cost of a transport
    would not be a supremum.
    """
    broken = broken_triangle(prepared, metric, random_state=0)
    if broken is not None:
        raise broken.error(metric.name)


def _refuse_not_hilbertian(prepared: Any, metric: Metric, max_memory: str | int) -> None:
    n = sample.count(prepared)
    _check_memory(
        32 * n**2,
        max_memory,
        f"To see whether {metric.name!r} is Hilbertian, the distances of {n:,} objects",
        "Take fewer.",
    )
    found = Spectrum.of(centred(pairwise_distances(prepared, None, metric) ** 2))
    if found.violated:
        raise InvalidInput(
            f"{metric.name!r} embeds in no Hilbert space on these objects: the eigenvalues of the "
            f"centred Gram matrix go from {found.largest:.3g} down to {found.smallest:.3g}.",
            advice="Measure lipschitz_capacity, or repair the distance: "
            f"{python('wideberth.diagnose')} names a transform that is Hilbertian.",
            value=found.smallest,
        )

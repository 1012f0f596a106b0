r"""How rich classes of functions are on a given sample, measured: discrepancies and Rademacher
averages.

.. math:: \hat R_n(F) = E_\sigma \sup_{f \in F} \frac1n \sum_i \sigma_i f(x_i)

of three balls of functions: those with a small Lipschitz constant (the dual of the Arens-Eells
embedding; von Luxburg & Bousquet 2004), the combinations of few distances (the dual of the
Kuratowski embedding) and the dual of the Hilbert embedding (Hein, Bousquet & Schoelkopf 2005). What
is measured belongs to the sample. The end ``high`` of a `Measured` is proved, with its confidence:
it may enter `wideberth.bounds.balls.measured_ball_risk`, which has to pay for that, if the
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
from functools import partial
from math import inf, sqrt
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.bounds.balls import hilbert_rademacher
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import pairwise_distances, parse_memory, show_memory
from wideberth.geometry.measure.sampled_axioms import broken_triangle
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.geometry.shape.nets import farthest_first
from wideberth.guarantees.training_sample import (
    MOST_MATCHED,
    Measured,
    Suprema,
    average_over_signs,
    matched_suprema,
    matching_cost,
)
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample
from wideberth.papers.norms import transport
from wideberth.wording import python


def moved_suprema(distances: Distances, height: float, owner: Indices, signs: Floats) -> Floats:
    r"""The supremum for each row of signs if every object is moved to one of a few centres.

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


AnyMetric = str | Metric | Callable[[Any, Any], float]

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
    such an L is fixed before the sample is seen, or paid for (`wideberth.bounds.balls`). Cheaper
    and coarser, and without chance: `wideberth.papers.capacities.tree_rademacher` of the scales
    and upper bounds of `wideberth.papers.dimension.covering_numbers`.

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
        See `wideberth.papers.measured_capacities.average_over_signs`.
    max_memory, n_jobs
        The memory for distances, and cores to use (all by default).

    Returns
    -------
    Measured
        The average with its limits.

    Examples
    --------
    >>> # half of (3 + 3) / 2 for equal signs, and of 4 / 2 for different
    >>> lipschitz_capacity([[0.0], [4.0]], height=3.0).value
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
    >>> # the object at 0 is the base: 2 / 2 for all signs
    >>> kuratowski_capacity([[0.0], [2.0]]).value
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
    >>> # one object is not at the origin: 2 / 3 for all signs
    >>> hilbert_capacity([[0.0], [2.0], [0.0]]).value
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

r"""How rich classes of functions are on a given sample, measured: covering numbers, discrepancies, Rademacher averages.

.. math:: \hat R_n(F) = E_\sigma \sup_{f \in F} \frac1n \sum_i \sigma_i f(x_i)

of three balls of functions: those with a small Lipschitz constant (the dual of the Arens-Eells embedding; von Luxburg & Bousquet
2004), the combinations of few distances (the dual of the Kuratowski embedding) and the dual of the Hilbert embedding (Hein,
Bousquet & Schoelkopf 2005). What is measured belongs to the sample. The end ``high`` of a `Measured` is proved, with its
confidence: it may enter `wideberth.bounds.lipschitz_ball.measured_ball_risk`, which has to pay for that, if the class was fixed
before the sample was seen and the metric keeps its promises. One that does not promise what the class needs is only tried on
objects of the sample, and proves nothing about others. Nothing else here may enter a bound.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, sqrt
from typing import Any

import numpy as np

from wideberth.arrays import Floats, Indices
from wideberth.bounds.hilbert_ball import hilbert_rademacher
from wideberth.errors import InvalidInput
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.measure.memory import parse_memory, show_memory
from wideberth.geometry.measure.sampled_axioms import broken_triangle
from wideberth.geometry.shape.gram import Spectrum, centred
from wideberth.geometry.shape.nets import farthest_first
from wideberth.guarantees.lipschitz_suprema import matched_suprema, matching_cost, moved_suprema
from wideberth.guarantees.packing import packing_curve
from wideberth.guarantees.signs import Measured, Suprema, average_over_signs
from wideberth.metrics.metric import Distances, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample

AnyMetric = str | Metric | Callable[[Any, Any], float]

#: Matchings of more objects take seconds for each sign vector; the objects are then moved to so many centres.
MOST_MATCHED = 3000
CENTRES = 1000
#: Distances measured at once where all of them are not needed together.
BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class CoveringNumbers:
    """How many balls hold all objects: at least ``lower`` and at most ``upper`` of radius ``scales``, which fall.

    Between two scales the upper bound of the smaller one holds. Both are proved for the objects; of the source of the objects
    a sample proves the lower bounds only.
    """

    scales: Distances
    lower: Indices
    upper: Indices


def covering_numbers(
    objects: Any, metric: AnyMetric = "euclidean", *, count: int | None = None, n_jobs: int | None = None
) -> CoveringNumbers:
    """Covering numbers of a sample at all scales that one farthest-first traversal of ``count`` objects (all by default) reaches.

    m balls round the first m objects hold all the others if their radius is the distance of the next; see
    `wideberth.guarantees.packing.packing_curve`.

    >>> found = covering_numbers([[0.0], [1.0], [10.0], [4.0]])
    >>> found.scales.tolist(), found.upper.tolist(), found.lower.tolist()
    ([10.0, 4.0, 1.0, 0.0], [1, 2, 3, 4], [1, 2, 3, 4])
    """
    curve = packing_curve(objects, metric, count=count, n_jobs=n_jobs)
    scales, first = np.unique(-curve.covering_radii, return_index=True)
    lower = np.searchsorted(-curve.separations, 2 * scales) if curve.obeys_triangle else np.ones(len(scales), dtype=np.intp)
    return CoveringNumbers(-scales, np.maximum(lower, 1), curve.sizes[first])


def maximum_discrepancy(
    left: Any, right: Any, metric: AnyMetric = "euclidean", *, max_memory: str | int = "2GB", n_jobs: int | None = None
) -> float:
    r"""How far two samples of n objects are apart for functions with Lipschitz constant 1:

    .. math:: \sup_{L(f) \le 1} \Bigl| \frac1n \sum_i f(x_i) - \frac1n \sum_i f(x_i') \Bigr|
        = \min_\pi \frac1n \sum_i d(x_i, x'_{\pi(i)}),

    the cost of the cheapest matching (von Luxburg & Bousquet 2004, (11)), solved exactly. An estimate: over the draw of both
    samples its mean is at most twice the Rademacher average of the Lipschitz ball, so it bounds no error.

    >>> maximum_discrepancy([[0.0], [3.0]], [[4.0], [0.0]])
    0.5
    """
    measure = as_metric(metric).fitted(left)
    left, right = measure.prepare(left), measure.prepare(right)
    n = sample.count(left)
    if n != sample.count(right) or not n:
        raise InvalidInput(
            f"The discrepancy compares samples of one size; these have {n} and {sample.count(right)} objects.",
            advice="Leave out objects of the larger one at random.",
            value=(n, sample.count(right)),
        )
    _refuse_no_metric(left, measure)
    _check_room(16 * n**2, max_memory, f"The distances of twice {n:,} objects", "Compare fewer objects.")
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
    r"""The empirical Rademacher average of the functions with Lipschitz constant 1 that stay within :math:`\pm h`, ``height``.

    For each sign vector the supremum is the cost of the cheapest transport between the objects with different signs, a base
    point at distance h from all objects taking the surplus:

    .. math:: \sup_{L(f) \le 1, \|f\|_\infty \le h} \sum_i \sigma_i f(x_i)
        = h\, \Bigl|\sum_i \sigma_i\Bigr| + \min_{\text{matchings}} \sum_{(i, j)} \min\{d(x_i, x_j), 2h\},

    by the duality of section 5.1 of von Luxburg & Bousquet (2004) in the space with the metric :math:`\min\{d, 2h\}` and the base
    point. By default h is the diameter of the objects: their ball :math:`\|f\|_L \le 1`. That of a classifier with Lipschitz
    constant L whose scores are cut at :math:`\pm 1` is ``lipschitz_capacity(..., height=1 / L).times(L)``; such an L is fixed
    before the sample is seen, or paid for (`wideberth.bounds.strata`).

    Up to 3,000 objects, if their distances fit the ``max_memory``, matchings are exact. Of more, or if ``centres`` are asked for,
    the objects are moved to that many centres, 1,000 by default, taken farthest first, which changes the average by at most the
    mean distance moved (added to both limits), and the transport between the centres is exact; it needs the package POT (``pip
    install "wideberth[transport]"``). The diameter is then an upper bound, from the centres. Cheaper and coarser, and without
    chance: `wideberth.bounds.lipschitz_ball.tree_rademacher` of the scales and upper bounds of `covering_numbers`.

    >>> lipschitz_capacity([[0.0], [4.0]], height=3.0).value  # half of (3 + 3) / 2 for equal signs, and of 4 / 2 for different
    2.5
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    n = _counted(prepared)
    _check_height(height)
    _refuse_no_metric(prepared, measure)
    suprema, reach, displacement = _lipschitz_suprema(prepared, measure, height, centres, max_memory, n_jobs)
    found = average_over_signs(suprema, np.full(n, reach), draws=draws, confidence=confidence, random_state=random_state)
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
    r"""The empirical Rademacher average of the combinations of distances to ``references`` Z whose weights have absolute sum 1:

    .. math:: \hat R_n = \frac1n E_\sigma \max_{z \in Z} \Bigl| \sum_i \sigma_i \bigl(d(x_i, z) - d(x_0, z)\bigr) \Bigr|

    with the object number ``base`` as :math:`x_0` (Hein, Bousquet & Schoelkopf 2005, (15)). For references fixed before the
    sample was seen it is the capacity of the LP machine on them. By default they are the objects themselves: then it is a lower
    bound for the ball on the whole space, and none of its limits may enter a bound of the error. `lipschitz_capacity` with its
    default height bounds the ball on the whole space from above: its functions have Lipschitz constant 1 and are 0 at the base.
    Distances are measured a few columns at a time.

    >>> kuratowski_capacity([[0.0], [2.0]]).value  # the object at 0 is the base: 2 / 2 for all signs
    1.0
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    others = prepared if references is None else measure.prepare(references)
    heights = _distances_from(base, prepared, measure)
    _refuse_no_metric(prepared, measure)
    width = max(1, BLOCK // _counted(prepared))

    def suprema(signs: Floats) -> Floats:
        best = np.zeros(len(signs))
        for start in range(0, _counted(others), width):
            columns = pairwise_distances(prepared, sample.pick(others, slice(start, start + width)), measure, n_jobs=n_jobs)
            best = np.maximum(best, np.abs(signs @ (columns - columns[base])).max(axis=1))
        return best

    return average_over_signs(suprema, heights, draws=draws, confidence=confidence, random_state=random_state)


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
    r"""The empirical Rademacher average of the unit ball of the dual of the Hilbert embedding with :math:`x_0` at the origin:

    .. math:: \hat R_n = \frac1n E_\sigma \Bigl\| \sum_i \sigma_i \bigl(\Phi(x_i) - \Phi(x_0)\bigr) \Bigr\|
        = \frac1n E_\sigma \sqrt{ \textstyle\sum_{ij} \sigma_i \sigma_j\,
          \frac12 \bigl(d^2(x_i, x_0) + d^2(x_j, x_0) - d^2(x_i, x_j)\bigr) },

    with the object number ``base`` as :math:`x_0` (Hein, Bousquet & Schoelkopf 2005, section 5). It always lies between
    :math:`\frac1n \sqrt{\sum_i d^2(x_i, x_0)}`, their Theorem 6, and :math:`1/\sqrt 2` of it (Khintchine & Kahane): the
    limits use this. A metric that does not promise to be Hilbertian is tried on the objects, for which all distances must fit the
    ``max_memory``; one that fails has no such ball, and an error says so.

    >>> hilbert_capacity([[0.0], [2.0], [0.0]]).value  # one object is not at the origin: 2 / 3 for all signs
    0.6666666666666666
    """
    objects, measure = bind(objects, metric)
    prepared = measure.prepare(objects)
    n = _counted(prepared)
    heights = _distances_from(base, prepared, measure)
    if measure.hilbertian is not True:
        _refuse_no_hilbertian(prepared, measure, max_memory)
    rows = max(1, BLOCK // n)

    def suprema(signs: Floats) -> Floats:
        forms = signs.sum(axis=1) * (signs @ heights**2)
        for start in range(0, n, rows):
            part = slice(start, start + rows)
            squares = pairwise_distances(sample.pick(prepared, part), prepared, measure, n_jobs=n_jobs) ** 2
            forms -= 0.5 * ((signs[:, part] @ squares) * signs).sum(axis=1)
        return np.asarray(np.sqrt(np.maximum(forms, 0.0)))

    found = average_over_signs(suprema, heights, draws=draws, confidence=confidence, random_state=random_state)
    most = hilbert_rademacher(heights, B=1.0)
    return found.within(most / sqrt(2), most)


def _lipschitz_suprema(
    prepared: Any, metric: Metric, height: float | None, centres: int | None, max_memory: str | int, n_jobs: int | None
) -> tuple[Suprema, float, float]:
    """What to average, the height of the functions and the mean distance that objects were moved."""
    n = sample.count(prepared)
    needed = 20 * n**2  # all distances twice, and those between the signs twice
    if centres is None and n <= MOST_MATCHED and needed <= parse_memory(max_memory):
        distances = pairwise_distances(prepared, None, metric, n_jobs=n_jobs)
        reach = float(distances.max()) if height is None else height
        return partial(matched_suprema, distances, reach), reach, 0.0
    count = min(n, CENTRES if centres is None else centres)
    _check_room(20 * count**2, max_memory, f"The distances of {count:,} centres", "Take fewer centres.")
    walk = farthest_first(prepared, metric, count=count, n_jobs=n_jobs)
    distances = pairwise_distances(sample.pick(prepared, walk.order), None, metric, n_jobs=n_jobs)
    reach = float(distances.max()) + 2 * walk.covering_radius if height is None else height
    places = np.empty(n, dtype=np.intp)
    places[walk.order] = np.arange(len(walk))
    return partial(moved_suprema, distances, reach, places[walk.owner]), reach, float(walk.distances.mean())


def _counted(prepared: Any) -> int:
    n = sample.count(prepared)
    if not n:
        raise InvalidInput("There is nothing to measure: no objects.", advice="Pass at least one object.", value=n)
    return n


def _distances_from(base: int, prepared: Any, metric: Metric) -> Distances:
    n = _counted(prepared)
    if not 0 <= base < n:
        raise InvalidInput(f"The base {base!r} is not one of the {n} objects.", advice="0 is the first one.", value=base)
    return pairwise_distances(sample.pick(prepared, slice(base, base + 1)), prepared, metric).ravel()


def _check_height(height: float | None) -> None:
    if height is not None and not (0 < height < inf):
        raise InvalidInput(
            f"Functions stay within a height that is positive and finite, not {height!r}.",
            advice="1 / L for scores with Lipschitz constant L that are cut at 1; None for the diameter.",
            value=height,
        )


def _check_room(needed: int, max_memory: str | int, what: str, advice: str) -> None:
    room = parse_memory(max_memory)
    if needed > room:
        raise InvalidInput(
            f"{what} need {show_memory(needed)}, more than the memory of {show_memory(room)}.", advice=advice, value=needed
        )


def _refuse_no_metric(prepared: Any, metric: Metric) -> None:
    """Raise an error with the witness if nobody promised the triangle inequality and it breaks: no cost would be a supremum."""
    broken = broken_triangle(prepared, metric, random_state=0)
    if broken is not None:
        raise broken.error(metric.name)


def _refuse_no_hilbertian(prepared: Any, metric: Metric, max_memory: str | int) -> None:
    n = sample.count(prepared)
    _check_room(
        32 * n**2, max_memory, f"To see whether {metric.name!r} is Hilbertian, the distances of {n:,} objects", "Take fewer."
    )
    found = Spectrum.of(centred(pairwise_distances(prepared, None, metric) ** 2))
    if found.violated:
        raise InvalidInput(
            f"{metric.name!r} embeds in no Hilbert space on these objects: the eigenvalues of the centred Gram matrix go from "
            f"{found.largest:.3g} down to {found.smallest:.3g}.",
            advice="Measure lipschitz_capacity, or repair the distance: wideberth.diagnose names a transform that is Hilbertian.",
            value=found.smallest,
        )

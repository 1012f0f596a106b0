"""Choices of the separation without held-out objects: by the certificate of a stable compression,
by the structural risk of Kontorovich & Weiss (2014), or as the user gives it.
"""

from collections.abc import Callable
from dataclasses import replace
from math import ceil, log, log2

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.bounds.balls import STRATA_PER_OCTAVE, stratum
from wideberth.bounds.compression import preferent_bound
from wideberth.bounds.named import BOUNDS
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors import criteria
from wideberth.classifiers.margin_neighbors.criteria import ChosenSeparation, RiskCurve, Settings
from wideberth.classifiers.margin_neighbors.quantisation import quantised_capacity
from wideberth.classifiers.margin_neighbors.vertex_cover import Matching
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.shape.nets import median_distance
from wideberth.objects import sample
from wideberth.progress import task
from wideberth.rounding import TIE_BREAK

# ---- By the certificate of a stable compression


#: Objects that are set aside to fix the scale of the grid of separations, which must not depend on
#: the other objects.
ANCHORS = 16
#: The separations compared, relative to the median distance of the anchors. None of them is a power
#: of 2 or an integer, so that rounding does not decide whether an integer distance, such as a
#: number of edits, is below one of them.
GRID = 2.0 ** ((np.arange(-40, 9) + 0.5) / 4)


def choose_by_compression(training: Training, settings: Settings) -> ChosenSeparation:
    r"""Compare the certificates at a grid of separations, and choose the smallest one.

    The objects matched at separations below t and the condensed set of the others form a
    compression that the remaining objects do not influence, once all ties are broken by a random
    order of the objects. If the nearest neighbour in the condensed set errs on a new object, that
    object would have been matched or have joined the set. Therefore the error is at most
    :math:`\varepsilon(2|M_t| + |N_t|, n, \delta / G)` at all G separations of the grid at once
    (Campi & Garatti 2023). The proof does not need the triangle inequality, and it holds for every
    neighbour that eta allows.

    The scale of the grid is the median distance of a few objects, the anchors, that are set aside.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.arange(100.0)[:, None], np.repeat([0, 1], 50)
    >>> training = Training(
    ...     points, metric("euclidean"), codes, np.ones(100), 2, np.arange(100), 100
    ... )
    >>> choice = choose_by_compression(
    ...     training, Settings("greedy", "p2l", 0.0, 0.05, None, 0.2, False, 10**8, 1, 0)
    ... )
    >>> len(choice.held_out), len(choice.removed), 0 < choice.certificate.value < 1
    (10, 0, True)
    """
    n = len(training)
    order = np.random.default_rng(settings.random_state).permutation(n)
    n_anchors = min(ANCHORS, n // 10)
    if n_anchors < 2:
        choice = certify_on_grid(training, order, order[:0], GRID * _scale(training), settings)
        reason = (
            f"{n} objects are too few to set some aside that give the scale of the separations."
        )
        return replace(choice, certificate=criteria.no_bound(training, reason))
    anchors_at, used_at = np.split(order, [n_anchors])
    return certify_on_grid(
        training, used_at, anchors_at, GRID * _scale(training.part(anchors_at)), settings
    )


def certify_on_grid(
    training: Training,
    used_at: Indices,
    held_out_at: Indices,
    grid: Floats,
    settings: Settings,
    *assumptions: str,
) -> ChosenSeparation:
    """Choose the best separation of an increasing grid and certify it.

    The objects to learn from, in the order of ``used_at``, which breaks ties, must not have
    influenced the grid.
    """
    used = training.part(used_at)
    matching = criteria.match(used, settings, up_to=float(grid[-1]))
    search = _GridSearch(used, matching, len(grid), settings)
    with task("separations", len(grid)) as trying:
        for separation in grid:
            search.add(float(separation))
            trying.advance()
    return ChosenSeparation(
        separation=search.separation,
        kept=used_at[search.kept],
        removed=used_at[matching.exhausted() < search.separation],
        held_out=held_out_at,
        cover_path=criteria.greedy_path(matching, up_to=float(grid[-1])),
        risk_curve=RiskCurve(grid, np.array(search.risks)),
        certificate=_certificate(training, search, settings, assumptions),
    )


class _GridSearch:
    """The separations tried so far, in increasing order, and the best of them."""

    def __init__(self, used: Training, matching: Matching, n_grid: int, settings: Settings) -> None:
        self.used, self.matching, self.settings = used, matching, settings
        self.exhausted = matching.exhausted()
        self.log_delta = log(settings.delta) - log(n_grid)
        self.risks: list[float] = []
        self.best, self.separation, self.kept = np.inf, 0.0, criteria.NO_OBJECTS

    def add(self, separation: float) -> None:
        """Try one more separation; its condensed set is computed only if the matched objects alone
        allow a smaller bound.
        """
        n, removed = len(self.used), 2 * self.matching.at(separation)
        risk = preferent_bound(removed, n, log_delta=self.log_delta)
        if risk < self.best * (1 - TIE_BREAK) and removed < n:
            remaining = np.flatnonzero(self.exhausted >= separation)
            kept = criteria.condensed(self.used, remaining, separation, self.settings)
            risk = preferent_bound(removed + len(kept), n, log_delta=self.log_delta)
            if risk < self.best * (1 - TIE_BREAK) or not len(self.kept):
                self.best, self.separation, self.kept = risk, separation, kept
        self.risks.append(risk)


def _scale(anchors: Training) -> float:
    """Return the median of the positive distances between the anchors, or 1 if all of them are
    equal.
    """
    return median_distance(pairwise_distances(anchors.objects, None, anchors.metric))


def _certificate(
    training: Training, search: _GridSearch, settings: Settings, more: tuple[str, ...]
) -> Certificate:
    """Build the certificate of the best separation; a net also bounds the probability of novel
    objects.
    """
    # of the properties of a metric the proof needs only d(x, z) = d(z, x)
    symmetric = (
        () if training.metric.obeys_triangle else (f"{training.metric.name!r} is symmetric.",)
    )
    failure = (
        "errs on a new object, or finds it novel,"
        if settings.condense == "net"
        else "errs on a new object"
    )
    return Certificate.proved_by(
        "preferent compression",
        f"The probability that the classifier {failure} is at most {VALUE}. {criteria.NO_HOLDOUT}",
        delta=settings.delta,
        assumptions=(criteria.INDEPENDENT, *symmetric, *more),
        evidence={
            "objects": len(search.used),
            "matched": 2 * search.matching.at(search.separation),
            "condensed": len(search.kept),
            "separations": len(search.risks),
        },
        guessing=criteria.error_of_guessing(training),
        void=criteria.learned_metric(training),
    )


# ---- By structural risk


#: The risk is evaluated at no more than this many separations.
CANDIDATES = 64
#: The complexity on the sample is measured with no more than this many centres.
CENTRES = 1024


def choose_by_theory(
    training: Training, settings: Settings, capacity: Callable[[float], float] | None = None
) -> ChosenSeparation:
    r"""Minimise :math:`Q(L) = |C_t| / n + \Delta(L)` over the covers :math:`C_t`, with L = 2 / t in
    units of the diameter.

    With a dimension, the penalty :math:`\Delta` is the smallest of those of Theorems 4 and 5, in
    versions whose constants are proved, and of one that counts labelled cells in place of Theorem
    5; all of them hold together. Without a dimension it comes from the complexity on the sample, as
    in Theorem 7: measured by assigning the objects to cells instead of perturbing them, or given as
    ``capacity``, a function of L in units of the metric. The diameter is at most twice the largest
    distance from the first object.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.arange(100.0)[:, None], np.repeat([0, 1], 50)
    >>> training = Training(
    ...     points, metric("euclidean"), codes, np.ones(100), 2, np.arange(100), 100
    ... )
    >>> choice = choose_by_theory(
    ...     training, Settings("greedy", None, 0.0, 0.05, 1.0, 0.2, False, 10**8, 1, 0)
    ... )
    >>> len(choice.removed), round(choice.certificate.value, 2)  # 100 objects prove little
    (26, 0.9)
    """
    matching = criteria.match(training, settings)
    path = criteria.greedy_path(matching)
    total = float(training.weights.sum())
    separations = path.spread(CANDIDATES, below=total)
    if not len(separations):
        return keep_all(training, settings, "every object is equal to one of another class.")
    covers = [matching.exhausted() < separation for separation in separations]
    if settings.cover in ("lp", "exact"):
        path, covers = criteria.solved_path(
            training, separations, settings.cover, **settings.limits
        )
    diameter = _diameter(training)
    evidence_at = _penalty_evidence(training, settings, diameter, capacity)
    removed = np.array([float(training.weights[cover].sum()) for cover in covers]) / total
    # no distance exceeds the diameter, so a larger separation counts as the diameter, and L is at
    # least 2
    evidence = [
        evidence_at(2.0 / min(float(separation), diameter) * diameter) for separation in separations
    ]
    bound, log_delta = BOUNDS[_bound_name(settings)], log(settings.delta)
    risks = np.array(
        [
            bound(facts | {"without_margin": share}, log_delta)
            for facts, share in zip(evidence, removed, strict=True)
        ]
    )
    best = int(np.argmin(risks))
    kept = criteria.condensed(
        training, np.flatnonzero(~covers[best]), float(separations[best]), settings
    )
    return ChosenSeparation(
        separation=float(separations[best]),
        kept=kept,
        removed=np.flatnonzero(covers[best]),
        held_out=criteria.NO_OBJECTS,
        cover_path=path,
        risk_curve=RiskCurve(separations, risks),
        certificate=_risk_certificate(training, len(kept), evidence[best], diameter, settings),
    )


def _bound_name(settings: Settings) -> str:
    """Return the name of the bound in `wideberth.bounds.named.BOUNDS`."""
    return (
        "structural risk, "
        f"{'complexity of the sample' if settings.dimension is None else 'Theorems 4 and 5'}"
    )


def _penalty_evidence(
    training: Training,
    settings: Settings,
    diameter: float,
    capacity: Callable[[float], float] | None,
) -> Callable[[float], dict[str, float]]:
    """Return a function that computes the evidence for the penalty of a Lipschitz constant L, in
    units of 1 / diameter.

    With a dimension the evidence is L and the constants of the theorems; otherwise the complexity
    measured on the sample.
    """
    n = len(training)
    if settings.dimension is not None:
        constants = {
            "dimension": settings.dimension,
            "classes": max(training.n_classes, 2),
            "eta": settings.eta,
            "objects": n,
        }
        return lambda L: {"lipschitz": L, **constants}
    capacity_at = capacity or quantised_capacity(
        training.objects,
        training.codes,
        training.metric,
        count=min(CENTRES, n),
        n_jobs=settings.n_jobs,
    )

    def measured(L: float) -> dict[str, float]:
        number, largest = stratum(L)
        # neighbours up to 1 + eta times as far cost eta / (2 + eta), less than 4 eta: see
        # wideberth.bounds.margin
        return {
            "rademacher": capacity_at(largest / diameter) + 2 * settings.eta,
            "stratum": number,
            "objects": n,
        }

    return measured


def _diameter(training: Training) -> float:
    """Bound the largest distance between two objects by the triangle inequality.

    It is rounded up to a power of :math:`2^{1/8}`, so that Lipschitz constants fall into the same
    strata for every sample.
    """
    reach = float(
        pairwise_distances(
            sample.pick(training.objects, [0]), training.objects, training.metric
        ).max()
    )
    return (
        2.0 ** (ceil(STRATA_PER_OCTAVE * log2(2.0 * reach)) / STRATA_PER_OCTAVE)
        if reach > 0
        else 1.0
    )


def _risk_certificate(
    training: Training, kept: int, evidence: dict[str, float], diameter: float, settings: Settings
) -> Certificate:
    """Build the certificate; none if weights differ or the metric does not promise the triangle
    inequality.

    ``kept`` is the number of objects that answer; all others count as lacking the margin.
    """
    if not criteria.equal_weights(training):
        return criteria.no_bound(
            training, "the theorems are about objects that count alike, and their weights differ."
        )
    if not training.metric.obeys_triangle:
        return criteria.no_bound(
            training,
            f"the theorems need the triangle inequality, which {training.metric.name!r} does not "
            "promise.",
        )
    # only the objects that answer are certain to have the margin
    missed = 1.0 - kept / len(training)
    assumed = settings.dimension
    dimension = () if assumed is None else (f"The space has doubling dimension {assumed:g}.",)
    return Certificate.proved_by(
        _bound_name(settings),
        f"The probability that the classifier errs on a new object is at most {VALUE}. "
        f"{criteria.NO_HOLDOUT}",
        delta=settings.delta,
        assumptions=(
            criteria.INDEPENDENT,
            *dimension,
            f"The space has diameter {diameter:.4g} at most, and no more than {training.n_classes} "
            "classes.",
        ),
        evidence=evidence | {"without_margin": missed},
        guessing=criteria.error_of_guessing(training),
        void=criteria.learned_metric(training),
    )


# ---- As the user gives it


def take_as_given(training: Training, settings: Settings, separation: float) -> ChosenSeparation:
    """Remove a cover at a given separation.

    A condensed set on a greedy cover is certified as a compression with a grid of one separation,
    which is valid if the separation was chosen before the objects were seen. In all other cases
    there is no bound of the error.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[0.0], [3.0], [4.0], [9.0]]), np.array([0, 0, 1, 1])
    >>> training = Training(points, metric("euclidean"), codes, np.ones(4), 2, np.arange(4), 4)
    >>> settings = Settings("greedy", None, 0.0, 0.05, None, 0.2, False, 10**8, 1, 0)
    >>> choice = take_as_given(training, settings, 2.0)
    >>> choice.removed.tolist(), choice.kept.tolist()
    ([1, 2], [0, 3])
    """
    if (
        settings.condense
        and settings.cover in ("auto", "greedy")
        and criteria.equal_weights(training)
    ):
        order = np.random.default_rng(settings.random_state).permutation(len(training))
        independent = "The separation was chosen without a look at these objects."
        return certify_on_grid(
            training, order, criteria.NO_OBJECTS, np.array([separation]), settings, independent
        )
    if settings.cover in ("auto", "greedy"):
        matching = criteria.match(training, settings, up_to=separation)
        path = criteria.greedy_path(matching, up_to=separation)
        removed = matching.exhausted() < separation
    else:
        path, covers = criteria.solved_path(
            training, np.array([separation]), settings.cover, **settings.limits
        )
        removed = covers[0]
    kept = criteria.condensed(training, np.flatnonzero(~removed), separation, settings)
    reason = "no objects were set aside, and what answers is no compression."
    advice = " Choose by separation='holdout' or 'compression', or condense a greedy cover."
    curve = RiskCurve(
        np.array([separation]),
        np.array([float(training.weights[removed].sum() / training.weights.sum())]),
    )
    return ChosenSeparation(
        separation,
        kept,
        np.flatnonzero(removed),
        criteria.NO_OBJECTS,
        path,
        curve,
        criteria.no_bound(training, reason + advice),
    )


def keep_all(training: Training, settings: Settings, reason: str) -> ChosenSeparation:
    """Remove nothing; used where there are too few objects to choose a separation.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[0.0], [3.0]]), np.array([0, 1])
    >>> training = Training(points, metric("euclidean"), codes, np.ones(2), 2, np.arange(2), 2)
    >>> settings = Settings("auto", None, 0.0, 0.05, None, 0.2, False, 10**8, 1, 0)
    >>> choice = keep_all(training, settings, "2 objects are too few.")
    >>> choice.separation, choice.kept.tolist()
    (3.0, [0, 1])
    """
    matching = criteria.match(training, settings)
    closest = float(matching.distances[0]) if len(matching) else np.inf
    path, curve = criteria.greedy_path(matching), RiskCurve(np.array([closest]), np.zeros(1))
    return ChosenSeparation(
        closest,
        np.arange(len(training)),
        criteria.NO_OBJECTS,
        criteria.NO_OBJECTS,
        path,
        curve,
        criteria.no_bound(training, reason),
    )

"""Choice of the separation with the smallest certificate of compression."""

from dataclasses import replace
from math import log

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.bounds.compression import preferent_bound
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors.criteria import (
    NO_HOLDOUT,
    NO_OBJECTS,
    ChosenSeparation,
    RiskCurve,
    Settings,
    common_assumptions,
    condensed,
    error_of_guessing,
    greedy_path,
    learned_metric,
    match,
    no_bound,
)
from wideberth.classifiers.margin_neighbors.vertex_cover import Matching
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.geometry.shape.nets import median_distance
from wideberth.progress import task
from wideberth.rounding import TIE_BREAK

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

    Parameters
    ----------
    training : Training
        The objects and their classes; all weights must be equal.
    settings : Settings
        The parameters of the classifier; ``condense`` is not None.

    Returns
    -------
    ChosenSeparation
        Without a bound of the error if there are fewer than 20 objects.

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
        return replace(choice, certificate=no_bound(training, reason))
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
    """Choose the best separation of a grid and certify it.

    Parameters
    ----------
    training : Training
        All objects.
    used_at : ndarray of shape (n,)
        Indices of the objects to learn from, in the order that breaks ties. They must not have
        influenced the grid.
    held_out_at : ndarray
        Indices of the objects that were set aside.
    grid : ndarray of shape (G,)
        Separations, increasing.
    settings : Settings
        The parameters of the classifier.
    *assumptions : str
        What the certificate assumes in addition.

    Returns
    -------
    ChosenSeparation
    """
    used = training.part(used_at)
    matching = match(used, settings, up_to=float(grid[-1]))
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
        cover_path=greedy_path(matching, up_to=float(grid[-1])),
        risk_curve=RiskCurve(grid, np.array(search.risks)),
        certificate=_certificate(training, search, settings, assumptions),
    )


class _GridSearch:
    """The separations tried so far, in increasing order, and the best of them.

    Attributes
    ----------
    risks : list of float
        The bound at each separation.
    best, separation, kept
        The smallest bound, its separation, and the indices of its condensed set.
    """

    def __init__(self, used: Training, matching: Matching, n_grid: int, settings: Settings) -> None:
        self.used, self.matching, self.settings = used, matching, settings
        self.exhausted = matching.exhausted()
        self.log_delta = log(settings.delta) - log(n_grid)
        self.risks: list[float] = []
        self.best, self.separation, self.kept = np.inf, 0.0, NO_OBJECTS

    def add(self, separation: float) -> None:
        """Try one more separation; its condensed set is computed only if the matched objects alone
        allow a smaller bound.
        """
        n, removed = len(self.used), 2 * self.matching.at(separation)
        risk = preferent_bound(removed, n, log_delta=self.log_delta)
        if risk < self.best * (1 - TIE_BREAK) and removed < n:
            remaining = np.flatnonzero(self.exhausted >= separation)
            kept = condensed(self.used, remaining, separation, self.settings)
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
        f"The probability that the classifier {failure} is at most {VALUE}. {NO_HOLDOUT}",
        delta=settings.delta,
        assumptions=(*common_assumptions(training), *symmetric, *more),
        evidence={
            "objects": len(search.used),
            "matched": 2 * search.matching.at(search.separation),
            "condensed": len(search.kept),
            "separations": len(search.risks),
        },
        guessing=error_of_guessing(training),
        void=learned_metric(training),
    )

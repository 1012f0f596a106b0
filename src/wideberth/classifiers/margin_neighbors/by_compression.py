"""The separation with the smallest certificate of compression."""

from dataclasses import replace
from math import log

import numpy as np

from wideberth.arrays import Floats, Indices
from wideberth.bounds.compression import preferent_bound
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors.matching import Matching
from wideberth.classifiers.margin_neighbors.separation import (
    NO_HOLDOUT,
    ChosenSeparation,
    RiskCurve,
    Settings,
    assumed,
    condensed,
    error_of_guessing,
    greedy_path,
    match,
    no_bound,
)
from wideberth.estimators.training import Training
from wideberth.geometry.measure.blocks import pairwise_distances
from wideberth.rounding import TIE_BREAK

#: Objects that are set aside to give the grid of separations its scale: it must not depend on the others.
ANCHORS = 16
#: The separations compared, relative to the median distance of the anchors. No power of 2 or whole number is among them, so that
#: rounding does not decide whether distances that are numbers of edits are below one.
GRID = 2.0 ** ((np.arange(-40, 9) + 0.5) / 4)


def choose_by_compression(training: Training, settings: Settings) -> ChosenSeparation:
    r"""Compare the certificates at a grid of separations, and take the smallest.

    The objects matched at separations below t and the condensed set of the others are a compression that no other object has a
    say in, once all ties are broken by a random order of the objects. If the nearest neighbour in the condensed set errs on a
    new object, that object would have been matched or have joined the set; so the error is at most
    :math:`\varepsilon(2|M_t| + |N_t|, n, \delta / G)` at all G separations of the grid at once (Campi & Garatti 2023). Nothing of
    this asks for the triangle inequality, and it holds for every neighbour that eta allows.
    """
    n = len(training)
    order = np.random.default_rng(settings.random_state).permutation(n)
    n_anchors = min(ANCHORS, n // 10)
    if n_anchors < 2:
        choice = certify_on_grid(training, order, order[:0], GRID * _scale(training), settings)
        why = f"{n} objects are too few to set some aside that give the scale of the separations."
        return replace(choice, certificate=no_bound(training, why))
    anchors_at, tagged_at = np.split(order, [n_anchors])
    return certify_on_grid(training, tagged_at, anchors_at, GRID * _scale(training.part(anchors_at)), settings)


def certify_on_grid(
    training: Training, tagged_at: Indices, aside_at: Indices, grid: Floats, settings: Settings, *also: str
) -> ChosenSeparation:
    """The best of the separations of a grid that the objects at ``tagged_at``, in their order, did not influence.

    ``also`` says what the certificate assumes besides.
    """
    tagged = training.part(tagged_at)
    matching = match(tagged, settings, up_to=float(grid[-1]))
    tried = _Tried(tagged, matching, len(grid), settings)
    for separation in grid:
        tried.add(float(separation))
    certificate = _certified(training, tried, settings, also)
    removed = tagged_at[matching.exhausted() < tried.separation]
    curve = RiskCurve(grid, np.array(tried.risks))
    return ChosenSeparation(tried.separation, tagged_at[tried.kept], removed, aside_at, greedy_path(matching), curve, certificate)


class _Tried:
    """Separations tried so far, in increasing order, and the best of them."""

    def __init__(self, tagged: Training, matching: Matching, n_grid: int, settings: Settings) -> None:
        self.tagged, self.matching, self.settings = tagged, matching, settings
        self.exhausted = matching.exhausted()
        self.log_delta = log(settings.delta) - log(n_grid)
        self.risks: list[float] = []
        self.best, self.separation, self.kept = np.inf, 0.0, np.empty(0, dtype=np.intp)

    def add(self, separation: float) -> None:
        """Try one more, unless the matched objects alone are too many already: they only become more."""
        n, removed = len(self.tagged), 2 * self.matching.at(separation)
        risk = preferent_bound(removed, n, log_delta=self.log_delta)
        if risk < self.best * (1 - TIE_BREAK) and removed < n:
            stay = np.flatnonzero(self.exhausted >= separation)
            kept = condensed(self.tagged, stay, separation, self.settings)
            risk = preferent_bound(removed + len(kept), n, log_delta=self.log_delta)
            if risk < self.best * (1 - TIE_BREAK) or not len(self.kept):
                self.best, self.separation, self.kept = risk, separation, kept
        self.risks.append(risk)


def _scale(anchors: Training) -> float:
    """The median distance of the anchors, or 1 if all of them are equal."""
    distances = pairwise_distances(anchors.objects, None, anchors.metric)
    positive = distances[distances > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def _certified(training: Training, tried: _Tried, settings: Settings, also: tuple[str, ...]) -> Certificate:
    # the proof sets d(x, z) beside d(z, x), and nothing else of a metric is needed
    symmetric = () if training.metric.obeys_triangle else (f"{training.metric.name!r} is symmetric.",)
    covers_novelty = settings.condense == "net"
    what = "errs on a new object, or finds it novel," if covers_novelty else "errs on a new object"
    return Certificate.proved_by(
        "preferent compression",
        f"The probability that the classifier {what} is at most {VALUE}. {NO_HOLDOUT}",
        delta=settings.delta,
        assumptions=(*assumed(training), *symmetric, *also),
        evidence={
            "objects": len(tried.tagged),
            "matched": 2 * tried.matching.at(tried.separation),
            "condensed": len(tried.kept),
            "separations": len(tried.risks),
        },
        guessing=error_of_guessing(training),
    )

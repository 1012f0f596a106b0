"""A separation that somebody names, and the one that needs no thought."""

import numpy as np

from wideberth.arrays import Indices
from wideberth.classifiers.margin_neighbors.by_compression import certify_on_grid
from wideberth.classifiers.margin_neighbors.separation import (
    ChosenSeparation,
    RiskCurve,
    Settings,
    condensed,
    equal_weights,
    greedy_path,
    match,
    no_bound,
    solved_path,
)
from wideberth.estimators.training import Training

_NOBODY: Indices = np.empty(0, dtype=np.intp)


def take_as_given(training: Training, settings: Settings, separation: float) -> ChosenSeparation:
    """Remove a cover at this separation.

    If the separation was known before the objects, a condensed set on a greedy cover is certified like one of a grid.
    """
    if settings.condense and settings.cover in ("auto", "greedy") and equal_weights(training):
        order = np.random.default_rng(settings.random_state).permutation(len(training))
        blind = "The separation was chosen without a look at these objects."
        return certify_on_grid(training, order, _NOBODY, np.array([separation]), settings, blind)
    if settings.cover in ("auto", "greedy"):
        matching = match(training, settings, up_to=separation)
        path, removed = greedy_path(matching), matching.exhausted() < separation
    else:
        path, covers = solved_path(training, np.array([separation]), settings.cover, **settings.room)
        removed = covers[0]
    kept = condensed(training, np.flatnonzero(~removed), separation, settings)
    why = "no objects were set aside, and what answers is no compression."
    advice = " Choose by separation='holdout' or 'compression', or condense a greedy cover."
    curve = RiskCurve(np.array([separation]), np.array([float(training.weights[removed].sum() / training.weights.sum())]))
    return ChosenSeparation(separation, kept, np.flatnonzero(removed), _NOBODY, path, curve, no_bound(training, why + advice))


def keep_all(training: Training, settings: Settings, why: str) -> ChosenSeparation:
    """Remove nothing, where there are too few objects to choose by."""
    matching = match(training, settings)
    closest = float(matching.distances[0]) if len(matching) else np.inf
    path, curve = greedy_path(matching), RiskCurve(np.array([closest]), np.zeros(1))
    return ChosenSeparation(closest, np.arange(len(training)), _NOBODY, _NOBODY, path, curve, no_bound(training, why))

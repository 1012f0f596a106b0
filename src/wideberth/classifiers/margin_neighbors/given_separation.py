"""A separation that the user gives, and the fallback that removes no objects."""

import numpy as np

from wideberth.classifiers.margin_neighbors.by_compression import certify_on_grid
from wideberth.classifiers.margin_neighbors.criteria import (
    NO_OBJECTS,
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


def take_as_given(training: Training, settings: Settings, separation: float) -> ChosenSeparation:
    """Remove a cover at a given separation.

    A condensed set on a greedy cover is certified as a compression with a grid of one separation,
    which is valid if the separation was chosen before the objects were seen. In all other cases
    there is no bound of the error.

    Parameters
    ----------
    training : Training
        The objects, their classes and weights.
    settings : Settings
        The parameters of the classifier.
    separation : float
        The separation t, positive.

    Returns
    -------
    ChosenSeparation

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
    if settings.condense and settings.cover in ("auto", "greedy") and equal_weights(training):
        order = np.random.default_rng(settings.random_state).permutation(len(training))
        independent = "The separation was chosen without a look at these objects."
        return certify_on_grid(
            training, order, NO_OBJECTS, np.array([separation]), settings, independent
        )
    if settings.cover in ("auto", "greedy"):
        matching = match(training, settings, up_to=separation)
        path, removed = greedy_path(matching, up_to=separation), matching.exhausted() < separation
    else:
        path, covers = solved_path(
            training, np.array([separation]), settings.cover, **settings.limits
        )
        removed = covers[0]
    kept = condensed(training, np.flatnonzero(~removed), separation, settings)
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
        NO_OBJECTS,
        path,
        curve,
        no_bound(training, reason + advice),
    )


def keep_all(training: Training, settings: Settings, reason: str) -> ChosenSeparation:
    """Remove nothing; used where there are too few objects to choose a separation.

    Parameters
    ----------
    training, settings
        As in `take_as_given`.
    reason : str
        Why there is no bound of the error.

    Returns
    -------
    ChosenSeparation
        The separation is the distance of the closest two objects of different classes; infinite if
        there is only one class.

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
    matching = match(training, settings)
    closest = float(matching.distances[0]) if len(matching) else np.inf
    path, curve = greedy_path(matching), RiskCurve(np.array([closest]), np.zeros(1))
    return ChosenSeparation(
        closest,
        np.arange(len(training)),
        NO_OBJECTS,
        NO_OBJECTS,
        path,
        curve,
        no_bound(training, reason),
    )

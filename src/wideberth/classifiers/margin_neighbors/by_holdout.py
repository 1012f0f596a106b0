"""Choice of the separation with the fewest errors on objects that were set aside."""

from dataclasses import replace

import numpy as np

from wideberth.array_types import Flags, Indices
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors.given_separation import keep_all
from wideberth.classifiers.margin_neighbors.neighbors_by_threshold import lasting_neighbors, rounded_down
from wideberth.classifiers.margin_neighbors.shared_by_criteria import (
    NO_OBJECTS,
    ChosenSeparation,
    CoverPath,
    RiskCurve,
    Settings,
    common_assumptions,
    condensed,
    equal_weights,
    error_of_guessing,
    few_conflicts,
    greedy_path,
    learned_metric,
    match,
    no_bound,
    solve_cover,
    solved_path,
    sorted_by_class,
    try_cover,
)
from wideberth.classifiers.margin_neighbors.vertex_cover import Matching
from wideberth.estimators.training import Training
from wideberth.geometry.classes.votes import Electorate
from wideberth.geometry.search.index import Index
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR

#: Separations compared. More of them would hardly differ, and every additional one weakens the bound.
CANDIDATES = 64
#: Errors are averaged over this many separations on each side.
SMOOTHING = 4
#: Covers that may be compared at the chosen separation: the greedy one, and that of the linear program.
COVERS_COMPARED = 2


def choose_by_holdout(training: Training, settings: Settings) -> ChosenSeparation:
    """Learn from a part of the objects at many separations, and choose the one with the fewest errors on the others.

    Errors are averaged over a few neighbouring separations, whose classifiers hardly differ: that halves the random error of the
    comparison. Among equally good separations the largest is chosen. At most ``CANDIDATES * COVERS_COMPARED`` classifiers, one
    for each separation and cover, are determined by the objects that were not set aside. The final classifier is one of them, and
    the bound holds for all of them at once.

    Parameters
    ----------
    training : Training
        The objects, their classes and weights.
    settings : Settings
        The parameters of the classifier; ``holdout`` is the share that is set aside, ``refit`` whether to learn again from all.

    Returns
    -------
    ChosenSeparation
        With nothing removed if there are too few objects, or if all of them are equal to one of another class.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.arange(100.0)[:, None], np.repeat([0, 1], 50)
    >>> training = Training(points, metric("euclidean"), codes, np.ones(100), 2, np.arange(100), 100)
    >>> choice = choose_by_holdout(training, Settings("greedy", None, 0.0, 0.05, None, 0.2, False, 10**8, 1, 0))
    >>> len(choice.held_out), 0 < choice.certificate.value < 1
    (20, True)
    """
    order = np.random.default_rng(settings.random_state).permutation(len(training))
    held_at, known_at = np.split(order, [int(settings.holdout * len(training))])
    if not len(held_at):
        return keep_all(training, settings, f"{len(training)} objects are too few to set some aside.")
    known, held = training.part(known_at), training.part(held_at)
    matching = match(known, settings)
    if not len(greedy_path(matching).spread(CANDIDATES, below=float(known.weights.sum()))):
        return keep_all(training, settings, "every object is equal to one of another class.")
    path, curve = _holdout_risks(known, held, matching, settings)
    separation = _best_separation(curve)
    covers = _candidate_covers(known, matching, separation, settings)
    kept = [condensed(known, np.flatnonzero(~cover), separation, settings) for cover in covers]
    errors = [_holdout_error(known, answering, held, settings) for answering in kept]
    best = int(np.argmin(errors))
    candidates = len(curve) * (COVERS_COMPARED if settings.cover == "auto" else 1)
    bound = _certificate(training, held, errors[best], candidates, settings)
    choice = ChosenSeparation(separation, known_at[kept[best]], known_at[covers[best]], held_at, path, curve, bound)
    return _refitted(training, choice, best, settings) if settings.refit else choice


def _best_separation(curve: RiskCurve) -> float:
    """Return the separation with the smallest smoothed risk; the largest one among equals.

    Examples
    --------
    >>> _best_separation(RiskCurve(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.1, 0.1])))
    3.0
    """
    padded = np.pad(curve.risks, SMOOTHING, mode="edge")
    smooth = np.convolve(padded, np.ones(2 * SMOOTHING + 1), mode="valid")
    return float(curve.separations[np.flatnonzero(smooth <= smooth.min() * (1 + SUM_ERROR))[-1]])


def _holdout_risks(known: Training, held: Training, matching: Matching, settings: Settings) -> tuple[CoverPath, RiskCurve]:
    """Compute the share of wrong answers for the objects set aside, at separations spread over the path of covers.

    Greedy covers of all separations are nested, so that one search for lasting neighbours answers for all of them. It knows one
    nearest object at each separation, the first of several that are as near: these risks rank the separations, and the errors of
    the classifier itself are counted afterwards, as it answers.
    """
    path = greedy_path(matching)
    separations = path.spread(CANDIDATES, below=float(known.weights.sum()))
    if settings.cover in ("lp", "exact"):
        path, covers = solved_path(known, separations, settings.cover, **settings.limits)
        errors = [_holdout_error(known, np.flatnonzero(~cover), held, settings) for cover in covers]
        return path, RiskCurve(separations, np.array(errors))
    # An object is present up to the separation that removes it, so one search finds the answers at all separations.
    lifetimes = rounded_down(matching.exhausted(), separations)
    answers = lasting_neighbors(known.objects, lifetimes, held.objects, known.metric, **settings.limits)
    wrong = answers.codes_at(separations, known.codes) != held.codes[:, None]
    return path, RiskCurve(separations, held.weights @ wrong / held.weights.sum())


def _candidate_covers(known: Training, matching: Matching, separation: float, settings: Settings) -> list[Flags]:
    """Compute the covers that are compared at the chosen separation: one, or with ``cover="auto"`` up to two."""
    if settings.cover in ("lp", "exact"):
        return [np.asarray(solve_cover(known, separation, settings.cover, **settings.limits).point, dtype=bool)]
    greedy: Flags = matching.exhausted() < separation
    if settings.cover == "greedy" or not equal_weights(known) or not few_conflicts(known, separation):
        return [greedy]
    smaller = try_cover(known, separation, "lp", **settings.limits)
    return [greedy] if smaller is None else [greedy, np.asarray(smaller.point, dtype=bool)]


def _holdout_error(known: Training, kept: Indices, held: Training, settings: Settings) -> float:
    """Compute the weighted share of the objects set aside that may get a wrong answer.

    Of several nearest objects the class that they elect answers, as it does later. With eta > 0, which of several neighbours
    answers depends on the index and on times that it measured. Therefore an object counts as right only if all neighbours at most
    1 + eta times as far as the nearest have its label.
    """
    kept = sorted_by_class(known, kept)
    codes = known.codes[kept].astype(np.int64)
    index = Index(sample.pick(known.objects, kept), known.metric, labels=codes, **settings.limits)
    nearest, distances = Electorate(index, codes, known.weights[kept], known.n_classes).nearest(held.objects)
    wrong = codes[nearest] != held.codes
    if settings.eta:
        rivals = index.nearest(held.objects, excluding=held.codes)
        wrong |= rivals.distances[:, 0] <= (1.0 + settings.eta) * distances
    return float(held.weights @ wrong / held.weights.sum())


def _certificate(training: Training, held: Training, error: float, candidates: int, settings: Settings) -> Certificate:
    """Build the binomial certificate for the best of ``candidates`` classifiers; none if weights differ."""
    if not equal_weights(training):
        return no_bound(training, "the binomial bound is for objects that count alike, and their weights differ.")
    errors = round(error * len(held))
    subject = "the classifier learned without the objects set aside" if settings.refit else "the classifier"
    return Certificate.proved_by(
        "holdout",
        f"The probability that {subject} errs on a new object is at most {VALUE}.",
        delta=settings.delta,
        evidence={"errors": errors, "held_out": len(held), "candidates": candidates},
        assumptions=common_assumptions(training),
        guessing=error_of_guessing(training),
        void=learned_metric(training),
    )


def _refitted(training: Training, choice: ChosenSeparation, best: int, settings: Settings) -> ChosenSeparation:
    """Learn again from all objects with the same separation and the same kind of cover.

    If that removes every object, the choice is returned unchanged. ``best`` is the position of the chosen cover.
    """
    covers = _candidate_covers(training, match(training, settings, up_to=choice.separation), choice.separation, settings)
    removed = covers[min(best, len(covers) - 1)]
    kept = condensed(training, np.flatnonzero(~removed), choice.separation, settings)
    if not len(kept):
        return choice
    return replace(choice, kept=kept, removed=np.flatnonzero(removed), held_out=NO_OBJECTS)

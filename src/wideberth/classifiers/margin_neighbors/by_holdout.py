"""The separation with the fewest errors on objects that were set aside."""

from dataclasses import replace

import numpy as np

from wideberth.arrays import Flags, Indices
from wideberth.certificate import VALUE, Certificate
from wideberth.classifiers.margin_neighbors.as_given import keep_all
from wideberth.classifiers.margin_neighbors.lasting_neighbors import lasting_neighbors, rounded_down
from wideberth.classifiers.margin_neighbors.matching import Matching
from wideberth.classifiers.margin_neighbors.separation import (
    ChosenSeparation,
    CoverPath,
    RiskCurve,
    Settings,
    assumed,
    class_by_class,
    condensed,
    equal_weights,
    error_of_guessing,
    few_conflicts,
    greedy_path,
    match,
    no_bound,
    solve_cover,
    solved_path,
    try_cover,
)
from wideberth.estimators.training import Training
from wideberth.geometry.search.index import Index
from wideberth.objects import sample
from wideberth.rounding import SUM_ERROR

#: Separations compared. More of them would hardly differ, and each one weakens the bound.
CANDIDATES = 64
#: Separations on each side over which errors are averaged.
NEIGHBORS = 4
#: Covers that may be compared once the separation is chosen: the greedy one, and that of the linear program.
COVERS = 2


def choose_by_holdout(training: Training, settings: Settings) -> ChosenSeparation:
    """Learn from some of the objects at many separations, and take the one that answers best for the others.

    Errors are averaged over a few neighbouring separations, whose classifiers hardly differ: that halves the chance in the
    comparison. Of equally good separations the widest is taken. What answers in the end is one of ``CANDIDATES * COVERS``
    classifiers at most, with either cover at every separation, which the objects that were not set aside have fixed: the bound
    holds for all of them together.
    """
    order = np.random.default_rng(settings.random_state).permutation(len(training))
    held_at, known_at = np.split(order, [int(settings.holdout * len(training))])
    if not len(held_at):
        return keep_all(training, settings, f"{len(training)} objects are too few to set some aside.")
    known, held = training.part(known_at), training.part(held_at)
    matching = match(known, settings)
    if not len(greedy_path(matching).spread(CANDIDATES, below=float(known.weights.sum()))):
        return keep_all(training, settings, "every object is equal to one of another class.")
    path, curve = _compare(known, held, matching, settings)
    separation = _best(curve)
    covers = _covers(known, matching, separation, settings)
    kept = [condensed(known, np.flatnonzero(~cover), separation, settings) for cover in covers]
    wrong = [_share_wrong(known, each, held, settings) for each in kept]
    best = int(np.argmin(wrong))
    candidates = len(curve) * (COVERS if settings.cover == "auto" else 1)
    bound = _certified(training, held, wrong[best], candidates, settings)
    choice = ChosenSeparation(separation, known_at[kept[best]], known_at[covers[best]], held_at, path, curve, bound)
    return _learned_again(training, choice, best, settings) if settings.refit else choice


def _best(curve: RiskCurve) -> float:
    """The separation around which the risk is smallest.

    >>> _best(RiskCurve(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.1, 0.1])))
    3.0
    """
    padded = np.pad(curve.risks, NEIGHBORS, mode="edge")
    smooth = np.convolve(padded, np.ones(2 * NEIGHBORS + 1), mode="valid")
    return float(curve.separations[np.flatnonzero(smooth <= smooth.min() * (1 + SUM_ERROR))[-1]])


def _compare(known: Training, held: Training, matching: Matching, settings: Settings) -> tuple[CoverPath, RiskCurve]:
    """The share of the objects set aside that get a wrong answer, at separations all over the path."""
    path = greedy_path(matching)
    separations = path.spread(CANDIDATES, below=float(known.weights.sum()))
    if settings.cover in ("lp", "exact"):
        path, covers = solved_path(known, separations, settings.cover, **settings.room)
        wrong = [_share_wrong(known, np.flatnonzero(~cover), held, settings) for cover in covers]
        return path, RiskCurve(separations, np.array(wrong))
    # An object is there up to the separation that removes it, so one search finds the answers at all of them.
    lasts = rounded_down(matching.exhausted(), separations)
    answers = lasting_neighbors(known.objects, lasts, held.objects, known.metric, **settings.room)
    missed = answers.codes_at(separations, known.codes) != held.codes[:, None]
    return path, RiskCurve(separations, held.weights @ missed / held.weights.sum())


def _covers(known: Training, matching: Matching, separation: float, settings: Settings) -> list[Flags]:
    """The covers that the settings allow at the chosen separation."""
    if settings.cover in ("lp", "exact"):
        return [np.asarray(solve_cover(known, separation, settings.cover, **settings.room).point, dtype=bool)]
    greedy: Flags = matching.exhausted() < separation
    if settings.cover == "greedy" or not equal_weights(known) or not few_conflicts(known, separation):
        return [greedy]
    smaller = try_cover(known, separation, "lp", **settings.room)
    return [greedy] if smaller is None else [greedy, np.asarray(smaller.point, dtype=bool)]


def _share_wrong(known: Training, kept: Indices, held: Training, settings: Settings) -> float:
    """The share of the objects set aside that may get a wrong answer.

    With eta > 0 it is left to the index, and to the time it measured, which of several neighbours answers; so an object counts
    as right only if all of them have its label.
    """
    kept = class_by_class(known, kept)
    index = Index(sample.pick(known.objects, kept), known.metric, labels=known.codes[kept], **settings.room)
    nearest = index.nearest(held.objects)
    wrong = known.codes[kept[nearest.indices[:, 0]]] != held.codes
    if settings.eta:
        rivals = index.nearest(held.objects, excluding=held.codes)
        wrong |= rivals.distances[:, 0] <= (1.0 + settings.eta) * nearest.distances[:, 0]
    return float(held.weights @ wrong / held.weights.sum())


def _certified(training: Training, held: Training, wrong: float, candidates: int, settings: Settings) -> Certificate:
    if not equal_weights(training):
        return no_bound(training, "the binomial bound is for objects that count alike, and their weights differ.")
    errors = round(wrong * len(held))
    who = "the classifier learned without the objects set aside" if settings.refit else "the classifier"
    return Certificate.proved_by(
        "holdout",
        f"The probability that {who} errs on a new object is at most {VALUE}.",
        delta=settings.delta,
        evidence={"errors": errors, "held_out": len(held), "candidates": candidates},
        assumptions=assumed(training),
        guessing=error_of_guessing(training),
    )


def _learned_again(training: Training, choice: ChosenSeparation, best: int, settings: Settings) -> ChosenSeparation:
    """The same separation and the same kind of cover, with all objects; unless these all conflict at it."""
    covers = _covers(training, match(training, settings, up_to=choice.separation), choice.separation, settings)
    removed = covers[min(best, len(covers) - 1)]
    kept = condensed(training, np.flatnonzero(~removed), choice.separation, settings)
    if not len(kept):
        return choice
    return replace(choice, kept=kept, removed=np.flatnonzero(removed), held_out=np.empty(0, dtype=np.intp))

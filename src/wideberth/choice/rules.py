r"""Which of the candidates wins, and why the others do not.

Candidates answer for the same objects, so they are compared by paired differences: with
:math:`\delta_i = [b \text{ is right on } i] - [c \text{ is right on } i]`, a mean if object i was left out several times, and
weights that add up to 1, candidate c is behind the best one b by :math:`\sum w_i \delta_i` with the standard error
:math:`\sqrt{\sum w_i^2 \delta_i^2}`. Those that are behind by at most one standard error are as good as the best, as far as the
data can tell. Those of them count as cheaper that answer at a quarter of its cost or less, if its answers cost more than a tenth
of a millisecond, or if they keep no training objects: the best of these wins. Else, if labels of the best are not proved to
stay, the best of those whose labels are, at no more cost; else itself. Of candidates with equally few errors, the one on whose
metric all families together err least is the best.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from wideberth.choice.entries import Entry
from wideberth.rounding import SUM_ERROR

Prefer = Literal["accuracy", "certified", "small"]

#: Answers count as cheaper if they cost this many times less: smaller differences are not worth an error.
_CLEARLY_CHEAPER = 4.0
#: Answers that cost no more than this, in nanoseconds, are cheap enough for everybody.
_CHEAP = 1e5


def behind(best: Entry, other: Entry, *, by_folds: bool) -> tuple[float, float]:
    """By how much one candidate is behind another, and the standard error of that.

    Parameters
    ----------
    best, other : Entry
        The candidates.
    by_folds : bool
        Compare the scores of folds, which need not be means over objects; otherwise the objects one by one.

    Returns
    -------
    difference, standard_error : float
        In shares of objects, or in the unit of the score.
    """
    if by_folds:
        differences = best.fold_scores - other.fold_scores
        folds = len(differences)
        return float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(folds)) if folds > 1 else 0.0
    differences = (best.right - other.right) * best.weights / best.weights.sum()
    return float(differences.sum()), float(np.sqrt((differences**2).sum()))


def choose(entries: Sequence[Entry], prefer: Prefer, *, by_folds: bool, floor: float) -> tuple[int, list[str]]:
    """The position of the candidate that wins, and for each of them in words why it was chosen or not.

    Parameters
    ----------
    entries : sequence of Entry
        The candidates, at least one.
    prefer : {"accuracy", "certified", "small"}
        ``"accuracy"``: the cheapest of those within a standard error of the best. ``"certified"``: the one with the largest
        certified accuracy whose accuracy is within ``floor`` of the best. ``"small"``: the one that keeps the fewest objects
        within ``floor`` of the best.
    by_folds : bool
        Whether the choice is by a score of folds (`behind`).
    floor : float
        A share of objects.
    """
    quality = [float(each.fold_scores.mean()) if by_folds and each.certified is None else -each.error for each in entries]
    of_metric = _mean_by_metric(entries, quality)
    best = max(range(len(entries)), key=lambda place: (quality[place], of_metric[place], -entries[place].trial.cost, -place))
    lags = [behind(entries[best], each, by_folds=by_folds and each.certified is None) for each in entries]
    if prefer == "accuracy":
        eligible = [place for place, (lag, error) in enumerate(lags) if lag <= error + SUM_ERROR]
        winner = max(_worthier(entries, eligible, best), key=lambda place: (quality[place], -place))
    else:
        eligible = [place for place, (lag, _) in enumerate(lags) if lag <= floor + SUM_ERROR]
        worth: dict[str, Callable[[int], float]] = {
            "certified": lambda place: -(entries[place].certified or 0.0),
            "small": lambda place: entries[place].trial.objects_kept,
        }
        winner = min(eligible, key=lambda place: (worth[prefer](place), -quality[place], place))
    return winner, [_why(place, winner, best, lags, eligible, prefer) for place in range(len(entries))]


def _mean_by_metric(entries: Sequence[Entry], quality: Sequence[float]) -> list[float]:
    """For each candidate the mean quality of all families on its metric, which decides between equal ones.

    Few objects make many candidates equal; which metric suits them is told by all families together.
    """
    grounds = [id(each.ground) for each in entries]
    return [float(np.mean([each for each, on in zip(quality, grounds, strict=True) if on == ground])) for ground in grounds]


def _worthier(entries: Sequence[Entry], eligible: list[int], best: int) -> list[int]:
    """Those that are worth more than the best although they may err a little more; the best alone if there are none."""
    costs = {place: entries[place].trial.cost for place in eligible}
    cheaper = [
        place
        for place in eligible
        if _CLEARLY_CHEAPER * costs[place] <= costs[best] and (costs[best] > _CHEAP or not entries[place].trial.objects_kept)
    ]
    if cheaper:
        least = min(costs[place] for place in cheaper)
        return [place for place in cheaper if costs[place] <= _CLEARLY_CHEAPER * least]
    if _is_certified(entries[best]):
        return [best]
    most = max(costs[best], _CHEAP)
    return [place for place in eligible if _is_certified(entries[place]) and costs[place] <= most] or [best]


def _is_certified(entry: Entry) -> bool:
    """Whether the label of most objects is proved to stay under some change: an edit, where edits are counted."""
    radius, least = entry.trial.median_radius, 1.0 if entry.trial.radius_unit == "edit" else 0.0
    return radius is not None and radius > least


def _why(place: int, winner: int, best: int, lags: list[tuple[float, float]], eligible: list[int], prefer: Prefer) -> str:
    """Why a candidate was chosen or not."""
    lag, error = lags[place]
    if place == winner:
        reasons = {"accuracy": "as good, for less", "certified": "certified more", "small": "keeps fewer objects"}
        return "chosen" if place == best else f"chosen: {reasons[prefer]}"
    if place not in eligible:
        return f"behind by {100 * lag:.1f} +- {100 * error:.1f} points"
    if prefer == "accuracy":
        return "as good, but costs more"
    return "certified less" if prefer == "certified" else "keeps more objects"

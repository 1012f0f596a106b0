r"""Which of the candidates wins, and why the others do not.

Candidates answer for the same objects, so they are compared by paired differences
(`wideberth.choice.paired`). Those that are behind the best one by at most one standard error are as
good as it, as far as the data can tell: the contenders, of each of which a trial fit tells what it
costs. Those of them count as cheaper that answer at a quarter of the cost of the best or less, if
its answers cost more than a tenth of a millisecond, or if they keep no training objects: the best
of these wins. Else, if labels of the best are not proved to stay, the best of those whose labels
are, at no more cost; else itself. Of candidates with equally few errors, the one on whose metric
all families together err least is the best.

**The error of the winner of a choice, without the bias of having been chosen.**

The best of many candidates is best on these objects partly by luck, so that its error on the
objects left out is too small. The bootstrap of the choice (Tsamardinos, Greasidou & Borboudakis,
"Bootstrapping the out-of-sample predictions for efficient and accurate cross-validation", Machine
Learning 107, 2018) repeats it on the answers that are known already: on each resample of the
objects the candidate with the fewest errors is chosen, and its error is taken on the objects that
the resample misses. The mean of these errors is that of choosing, not of one model; nothing is
fitted again. By how much it exceeds the fewest errors is the optimism of the choice, which is added
to the error of whichever candidate is taken in the end.
"""

import json
import math
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import numpy as np

from wideberth.array_types import Floats
from wideberth.cards.card import Card, Cell, ShownList, Table
from wideberth.cards.values import UNKNOWN, duration, number, share, told
from wideberth.choice.contest import Dropped
from wideberth.choice.entries import Entry, TrialFit
from wideberth.choice.paired import lag
from wideberth.classifiers.named import titled
from wideberth.errors import MissingExtra
from wideberth.estimators.model_facts import counted
from wideberth.objects.sample import shown
from wideberth.rounding import SUM_ERROR

#: Resamples: their mean is then known to a fraction of the standard error of an error rate.
_RESAMPLES = 300


def expected_error(
    taken: float, right: Floats, weights: Floats, *, random_state: int | None
) -> float:
    """The error to expect on new objects of the candidate that was taken from many. ``right`` says
    which of n objects each of m candidates, none of which has learned from them, gets right: 1 or
    0, or the mean of several answers.

    Examples
    --------
    >>> coins = np.random.default_rng(0).random((200, 400)) < 0.5  # 200 candidates that guess
    >>> lucky = 1 - coins.mean(axis=1).max()
    >>> (
    ...     bool(lucky < 0.45),
    ...     bool(0.48 < expected_error(lucky, coins, np.ones(400), random_state=0) < 0.53),
    ... )
    (True, True)
    """
    fewest = float(((1.0 - right) @ weights).min() / weights.sum())
    return taken + max(0.0, _error_of_choosing(right, weights, random_state) - fewest)


def _error_of_choosing(right: Floats, weights: Floats, random_state: int | None) -> float:
    """The mean error, on the objects that a resample misses, of the candidate with the fewest
    errors on the resample.
    """
    rng = np.random.default_rng(random_state)
    n = right.shape[1]
    drawn = rng.multinomial(n, np.full(n, 1.0 / n), size=_RESAMPLES)
    wrong = 1.0 - right
    chosen = (drawn * weights) @ wrong.T / (drawn @ weights)[:, None]
    missed = (drawn == 0) * weights
    used = missed.sum(axis=1) > 0
    if not used.any():  # one object: every resample holds it
        return float(wrong.min(axis=0).mean())
    errors = np.einsum("bn,bn->b", missed[used], wrong[chosen.argmin(axis=1)[used]]) / missed[
        used
    ].sum(axis=1)
    return float(errors.mean())


Prefer = Literal["accuracy", "certified", "small"]

#: Answers count as cheaper if they cost this many times less: smaller differences are not worth an
#: error.
_CLEARLY_CHEAPER = 4.0
#: Answers that cost no more than this, in nanoseconds, are cheap enough for everybody.
_CHEAP = 1e5


class Standing(NamedTuple):
    """The best candidate, by how much each is behind it, with the standard error of that, and which
    may win.
    """

    best: int
    lags: list[tuple[float, float]]
    contenders: list[int]


def standing(
    entries: Sequence[Entry],
    prefer: Prefer,
    *,
    by_folds: bool,
    floor: float,
    shown: Sequence[tuple[Any, float]],
) -> Standing:
    """Where the candidates stand. With ``"accuracy"`` those may win that are within a standard
    error of the best, else those whose accuracy is within ``floor`` of its accuracy. ``shown`` is
    what each candidate, also of those given up, lost on its metric.
    """
    quality = qualities(entries, by_folds=by_folds)
    on_metric = [_mean_loss_on(each.ground, shown) for each in entries]
    best = min(
        range(len(entries)),
        key=lambda place: (-quality[place], on_metric[place], _cost(entries[place]), place),
    )
    lags = [
        behind(entries[best], each, by_folds=by_folds and each.certified is None)
        for each in entries
    ]
    contenders = [
        place
        for place, (behind_by, error) in enumerate(lags)
        if behind_by <= (error if prefer == "accuracy" else floor) + SUM_ERROR
    ]
    return Standing(best, lags, contenders)


def qualities(entries: Sequence[Entry], *, by_folds: bool) -> list[float]:
    """What the best candidate has the most of: by scores of folds, or by the objects."""
    return [
        float(each.fold_scores.mean()) if by_folds and each.certified is None else -each.error
        for each in entries
    ]


def behind(best: Entry, other: Entry, *, by_folds: bool) -> tuple[float, float]:
    """By how much one candidate is behind another, and the standard error of that: by scores of
    folds, which need not be means over objects, or by the objects one by one.
    """
    if by_folds:
        differences = best.fold_scores - other.fold_scores
        folds = len(differences)
        return float(differences.mean()), float(
            differences.std(ddof=1) / math.sqrt(folds)
        ) if folds > 1 else 0.0
    return lag(best.right, other.right, best.weights)


def _mean_loss_on(ground: Any, shown: Sequence[tuple[Any, float]]) -> float:
    """The mean of what all families lost on a metric, which decides between equal candidates.

    Few objects make many candidates equal; which metric suits them is told by all families
    together.
    """
    return float(np.mean([lost for on, lost in shown if on is ground]))


def _cost(entry: Entry) -> float:
    """What an answer costs; of a candidate that was not tried out more than all others."""
    return math.inf if entry.trial is None else entry.trial.cost


def choose(
    entries: Sequence[Entry], found: Standing, prefer: Prefer, *, by_folds: bool
) -> tuple[int, list[str]]:
    """The position of the candidate that wins, and for each of them in words why it was chosen or
    not.

    With ``"accuracy"`` it is the cheapest of the contenders; with ``"certified"`` the one with the
    largest certified accuracy; with ``"small"`` the one that keeps the fewest objects. All
    contenders were tried out.
    """
    quality = qualities(entries, by_folds=by_folds)
    if prefer == "accuracy":
        winner = max(
            _worthier(entries, found.contenders, found.best),
            key=lambda place: (quality[place], -place),
        )
    else:
        worth: dict[str, Callable[[int], float]] = {
            "certified": lambda place: -(entries[place].certified or 0.0),
            "small": lambda place: _trial(entries[place]).objects_kept,
        }
        winner = min(
            found.contenders, key=lambda place: (worth[prefer](place), -quality[place], place)
        )
    return winner, [_why(entries, place, winner, found, prefer) for place in range(len(entries))]


def _trial(entry: Entry) -> TrialFit:
    assert entry.trial is not None
    return entry.trial


def _worthier(entries: Sequence[Entry], eligible: list[int], best: int) -> list[int]:
    """Those that are worth more than the best although they may err a little more; the best alone
    if there are none.
    """
    costs = {place: _trial(entries[place]).cost for place in eligible}
    cheaper = [
        place
        for place in eligible
        if _CLEARLY_CHEAPER * costs[place] <= costs[best]
        and (costs[best] > _CHEAP or not _trial(entries[place]).objects_kept)
    ]
    if cheaper:
        least = min(costs[place] for place in cheaper)
        return [place for place in cheaper if costs[place] <= _CLEARLY_CHEAPER * least]
    if is_certified(entries[best]):
        return [best]
    most = max(costs[best], _CHEAP)
    return [
        place for place in eligible if is_certified(entries[place]) and costs[place] <= most
    ] or [best]


def is_certified(entry: Entry) -> bool:
    """Whether the label of most objects is proved to stay under some change: an edit, where edits
    are counted.
    """
    trial = _trial(entry)
    radius, least = trial.median_radius, 1.0 if trial.radius_unit == "edit" else 0.0
    return radius is not None and radius > least


def _costs_more(entry: Entry, other: Entry) -> bool:
    """Whether an answer of a candidate costs clearly more than one of another, so that times which
    are measured, and differ from run to run, do not say the contrary.
    """
    return _trial(entry).cost >= _CLEARLY_CHEAPER * _trial(other).cost


def _why(entries: Sequence[Entry], place: int, winner: int, found: Standing, prefer: Prefer) -> str:
    """Why a candidate was chosen or not."""
    lag, error = found.lags[place]
    if place == winner:
        reasons = {
            "accuracy": "as good, for less"
            if _costs_more(entries[found.best], entries[place])
            else "as good, and proved to withstand more",
            "certified": "certified more",
            "small": "keeps fewer objects",
        }
        return "chosen" if place == found.best else f"chosen: {reasons[prefer]}"
    if place not in found.contenders:
        return f"behind by {100 * lag:.1f} ± {100 * error:.1f} points"
    if prefer == "accuracy":
        if _costs_more(entries[place], entries[winner]):
            return "as good, but costs more"
        if is_certified(entries[winner]) and not is_certified(entries[place]):
            return "as good, but less is proved"
        behind = f"{100 * lag:.1f}"
        if float(behind) == 0.0:
            return "as good"
        return f"behind by {behind} ± {100 * error:.1f} points, which may be chance"
    return "certified less" if prefer == "certified" else "keeps more objects"


# ---- The result of a choice as a table of plain values, and in words

#: The columns of the table, in this order.
COLUMNS = (
    "metric",
    "family",
    "settings",
    "error",
    "standard_error",
    "certified",
    "fit_seconds",
    "answer_microseconds",
    "objects_kept",
    "median_radius",
    "radius_unit",
    "why",
)


class Leaderboard(ShownList[dict[str, Any]]):
    """The table of what a choice compared, a dict for each row, the winner first.

    Examples
    --------
    >>> row = dict.fromkeys(COLUMNS) | {"metric": "words", "family": "linear", "why": "chosen"}
    >>> print(Leaderboard([row | {"error": 0.125, "standard_error": 0.01, "settings": {"C": 5.0}}]))
    1 candidate, the winner first
      model                    wrong  metric  settings  an answer  kept  proved safe  why
      linear in counts  12.5% ± 1.0%  words   C 5       -          -     -            chosen
    leaderboard_.to_frame() is the whole table, for pandas or polars.
    """

    def card(self) -> Card:
        """A row for each candidate."""
        compared = [row for row in self if row["error"] is not None]
        certified = any(row["certified"] is not None for row in self)
        table = Table.of(
            [
                *("model", "wrong", *(["right and safe"] * certified), "metric", "settings"),
                *("an answer", "kept", "proved safe", "why"),
            ],
            self,
            lambda row: _shown_row(row, certified=certified),
            most=12,
        )
        untold = len(self) - len(compared)
        less = f", {untold:,} of them without a result" if untold else ""
        return Card(
            f"{counted(len(self), 'candidate', 'candidates')}, the winner first{less}",
            tables=(table,) if self else (),
            notes=("leaderboard_.to_frame() is the whole table, for pandas or polars.",)
            if self
            else (),
            words=("wrong", "kept", "proved safe") if self else (),
        )

    def to_frame(self) -> Any:
        """The table as a frame of pandas, or of polars if only that is installed, whose columns have
        one type each: there, settings are JSON.
        """
        if find_spec("pandas") is not None:
            return import_module("pandas").DataFrame(list(self), columns=COLUMNS)
        if find_spec("polars") is None:
            raise MissingExtra(
                "A frame needs pandas or polars.",
                advice="Install one: pip install pandas. The table is a list of dicts without.",
                extra="pandas",
            )
        rows = [row | {"settings": json.dumps(row["settings"])} for row in self]
        return import_module("polars").DataFrame(rows, infer_schema_length=None, strict=False)


def _shown_row(row: dict[str, Any], *, certified: bool) -> list[str | Cell]:
    """A row in words."""
    error, micros, radius = row["error"], row["answer_microseconds"], row["median_radius"]
    unit = row["radius_unit"]
    wrong = UNKNOWN if error is None else f"{share(error)} ± {share(row['standard_error'])}"
    chosen = str(row["why"]).startswith("chosen")
    return [
        told(titled(row["family"])),
        wrong,
        *([share(row["certified"])] if certified else []),
        told(row["metric"]),
        told({name: each for name, each in (row["settings"] or {}).items() if each is not None})
        if row["settings"]
        else "",
        duration(None if micros is None else micros / 1e6),
        number(row["objects_kept"]),
        shown_median(radius, unit),
        Cell(told(row["why"], 120), "good" if chosen else ""),
    ]


def shown_median(radius: float | None, unit: str | None) -> str:
    """The change that half of the answers survive, by their median radius; of edits only whole ones
    make a difference.

    Examples
    --------
    >>> shown_median(0.4, "edit"), shown_median(2.0, "edit"), shown_median(0.4, None)
    ('0 edits', '1 edit', '0.4')
    """
    if radius is None:
        return UNKNOWN
    if unit is None:
        return number(radius)
    # nothing strictly closer than the radius has another label
    steps = radius if math.isinf(radius) else max(0, math.ceil(radius) - 1)
    shown = steps if unit == "edit" else radius
    return f"{number(shown)} {unit}{'s' * (shown != 1)}"


def leaderboard(
    entries: Sequence[Entry], reasons: Sequence[str], winner: int, dropped: Sequence[Dropped]
) -> Leaderboard:
    """A row for each family on each metric, with the columns of `COLUMNS`: the winner first, the
    others by their errors, last those without a result.
    """
    order = sorted(
        range(len(entries)), key=lambda place: (place != winner, entries[place].error, place)
    )
    rows = [_row(entries[place], reasons[place]) for place in order]
    return Leaderboard([*rows, *(_row_of_dropped(each) for each in dropped)])


def _row(entry: Entry, why: str) -> dict[str, Any]:
    known = {
        "metric": entry.ground.name,
        "family": entry.family.name,
        "settings": _plain(entry.settings),
        "error": entry.error,
        "standard_error": entry.standard_error,
        "certified": entry.certified,
        "why": why,
    }
    costs = {} if entry.trial is None else vars(entry.trial)
    return {column: known[column] if column in known else costs.get(column) for column in COLUMNS}


def _row_of_dropped(dropped: Dropped) -> dict[str, Any]:
    known = {"metric": dropped.metric, "family": dropped.family, "why": dropped.why}
    return {column: known.get(column) for column in COLUMNS}


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as numbers, texts, and lists of them."""
    return {
        name: value.item() if hasattr(value, "item") else value for name, value in settings.items()
    }


def in_words(
    winner: Any,
    *,
    expected_error: float,
    tried: int,
    others: int,
    n_compared: int,
    n_objects: int,
    dropped: Sequence[Dropped],
    largest: tuple[Any, Floats],
) -> str:
    """What was chosen, how good it is beside how many others, and what was given up; in lines of
    their own what was not tried for lack of time, and whether the winner, an `Entry` or a mean of
    several, is no better than guessing. ``largest`` is the largest class, and which of the objects
    left out are of it.
    """
    on = "" if n_compared == n_objects else f" on {n_compared:,} of the {n_objects:,} objects"
    given_up = [each for each in dropped if each.lost is not None]
    late = [each for each in dropped if each.for_time]
    beside = others + len(given_up)
    possible = beside + sum(each.families for each in late)
    compared = (
        f"{beside:,} of {counted(possible, 'other candidate', 'other candidates')}"
        if late
        else counted(beside, "other", "others")
    )
    title = f"{winner.title[0].upper()}{winner.title[1:]}"
    sentences = [
        f"{title}: compared{on} with {compared}, {winner.error:.1%} ± {winner.standard_error:.1%} "
        f"of the objects left out are wrong; {expected_error:.1%} with an allowance for having "
        f"chosen among {counted(tried, 'setting', 'settings')}."
    ]
    sentences += winner.comparisons
    if winner.certified is not None:
        sentences.append(
            f"{winner.certified:.1%} are right, and proved to stay so within the radius."
        )
    if given_up:
        sentences.append(f"Given up after some folds, clearly behind: {_named(given_up)}.")
    lines = [" ".join(sentences)]
    if late:
        found = "Nothing was compared with it: " if not beside else ""
        found = found or ("Few candidates were compared: " if 2 * beside < possible else "")
        lines.append(
            f"{found}{'for' if found else 'For'} lack of time not tried: {_named(late)}. More time "
            "compares more of them (max_time in Python, --time on the command line)."
        )
    if winner.secured is not None:
        label, of_it = largest
        ahead, error = lag(winner.secured, of_it, winner.weights)
        if ahead <= _SURELY * error:
            share = float(winner.weights @ of_it / winner.weights.sum())
            lines.append(
                f"Within the radius it is no better than guessing: always answering {shown(label)} "
                f"is right for {share:.1%}, and no change can make it answer otherwise."
            )
    return "\n".join(lines)


#: What is ahead of guessing by so many standard errors at most may owe that to chance.
_SURELY = 2.0


def _named(dropped: Sequence[Dropped]) -> str:
    """Each family and its metric, once."""
    return ", ".join(dict.fromkeys(f"{titled(each.family)} by {each.metric}" for each in dropped))

"""The result of a choice as a table of plain values, and in words."""

from collections.abc import Sequence
from typing import Any

from wideberth.choice.contest import Dropped
from wideberth.choice.entries import Entry
from wideberth.estimators.summary_phrases import counted

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


def leaderboard(
    entries: Sequence[Entry], reasons: Sequence[str], winner: int, dropped: Sequence[Dropped]
) -> list[dict[str, Any]]:
    """A row for each family on each metric: the winner first, the others by their errors, last those without a result.

    Parameters
    ----------
    entries : sequence of Entry
        Those with a result.
    reasons : sequence of str
        Why each of them was chosen or not.
    winner : int
        The position of the winner.
    dropped : sequence of Dropped
        Those without one.

    Returns
    -------
    list of dict
        The columns of `COLUMNS`, plain values; None where there is none.
    """
    order = sorted(range(len(entries)), key=lambda place: (place != winner, entries[place].error, place))
    rows = [_row(entries[place], reasons[place]) for place in order]
    return [*rows, *(_row_of_dropped(each) for each in dropped)]


def _row(entry: Entry, why: str) -> dict[str, Any]:
    trial = entry.trial
    values = (
        *(entry.ground.name, entry.family.name, _plain(entry.settings)),
        *(entry.error, entry.standard_error, entry.certified),
        *(trial.fit_seconds, trial.answer_microseconds, trial.objects_kept, trial.median_radius, trial.radius_unit),
        why,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _row_of_dropped(dropped: Dropped) -> dict[str, Any]:
    known = {"metric": dropped.metric, "family": dropped.family, "why": f"not tried: {dropped.why}"}
    return {column: known.get(column) for column in COLUMNS}


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as numbers, texts, and lists of them."""
    return {name: value.item() if hasattr(value, "item") else value for name, value in settings.items()}


def in_words(
    winner: Entry, *, expected_error: float, tried: int, n_compared: int, n_objects: int, dropped: Sequence[Dropped]
) -> str:
    """What was chosen, how good it is, and what was left out for lack of time.

    Parameters
    ----------
    winner : Entry
        What was chosen.
    expected_error : float
        Its error with an allowance for having been chosen.
    tried : int
        How many settings were compared to the end.
    n_compared, n_objects : int
        How many objects they were compared on, and how many there are.
    dropped : sequence of Dropped
        What has no result.
    """
    on = "" if n_compared == n_objects else f" on {n_compared:,} of the {n_objects:,} objects"
    sentences = [
        f"{winner.family.title[0].upper()}{winner.family.title[1:]} by {winner.ground.name}: compared{on} with all others, "
        f"{winner.error:.1%} +- {winner.standard_error:.1%} of the objects left out are wrong; {expected_error:.1%} with an "
        f"allowance for having chosen among {counted(tried, 'setting', 'settings')}."
    ]
    if winner.certified is not None:
        sentences.append(f"{winner.certified:.1%} are right, and proved to stay so within the radius.")
    late = [each for each in dropped if each.for_time]
    if late:
        named = ", ".join(dict.fromkeys(f"{each.family} by {each.metric}" for each in late))
        sentences.append(f"For lack of time there is no result of {named}.")
    return " ".join(sentences)

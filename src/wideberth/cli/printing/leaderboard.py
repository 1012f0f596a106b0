"""The table of an automatic choice, as people read it."""

from typing import Any

from wideberth.classifiers.named import CLASSIFIERS
from wideberth.cli.printing.console import say, table

#: Rows of families that have a result; the rest is in the model file and in ``--json``.
_ROWS = 12


def show_leaderboard(rows: list[dict[str, Any]]) -> None:
    """Print what was compared, the winner first.

    Parameters
    ----------
    rows : list of dict
        The ``leaderboard_`` of an `AutoClassifier`.

    Examples
    --------
    >>> show_leaderboard([])
    """
    compared = [row for row in rows if row["error"] is not None]
    if not compared:
        return
    shown = [_shown(row) for row in compared[:_ROWS]]
    say(*table(("model", "metric", "wrong", "an answer", "kept", "radius", ""), shown))
    rest = len(compared) - len(shown)
    if rest > 0:
        say(f"and {rest} more; --json prints all.")


def _shown(row: dict[str, Any]) -> tuple[str, ...]:
    """A row in words."""
    certified = "" if row["certified"] is None else f", {row['certified']:.1%} right and safe"
    radius = "" if row["median_radius"] is None else f"{row['median_radius']:.2g} {row['radius_unit'] or ''}".strip()
    return (
        CLASSIFIERS[row["family"]].title,
        row["metric"],
        f"{row['error']:.1%} +- {row['standard_error']:.1%}{certified}",
        f"{row['answer_microseconds']:.0f} us",
        f"{row['objects_kept']:,}",
        radius,
        row["why"],
    )

"""`LeaderboardDisplay`: what an automatic choice compared, with how sure the errors are."""

from typing import Any, Self

from wideberth.errors import InvalidInput
from wideberth.plots.axes import CLASS_COLOURS, axes_or_new


class LeaderboardDisplay:
    """The errors of the candidates of a choice with their standard errors, the best above, coloured
    by family.

    Parameters
    ----------
    leaderboard : list of dict
        ``AutoClassifier.leaderboard_``; rows without an error, for which there was no time, are
        left out.

    Attributes
    ----------
    rows : list of dict
        The rows that are drawn: the winner, then the others by their errors.
    points_ : list of matplotlib.container.ErrorbarContainer
        A point with its bar for each row.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last.
    figure_ : matplotlib.figure.Figure
        Their figure.

    Examples
    --------
    >>> import wideberth as wb
    >>> row = {"metric": "words", "family": "linear", "error": 0.1, "standard_error": 0.02}
    >>> worse = {
    ...     "metric": "levenshtein",
    ...     "family": "neighbors",
    ...     "error": 0.3,
    ...     "standard_error": 0.03,
    ... }
    >>> display = wb.plots.LeaderboardDisplay([row, worse]).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['linear, words', 'neighbors, levenshtein']
    """

    points_: list[Any]
    ax_: Any
    figure_: Any

    def __init__(self, leaderboard: Any) -> None:
        self.rows = [row for row in leaderboard if row.get("error") is not None]

    def plot(self, ax: Any = None, *, most: int = 20, **kwargs: Any) -> Self:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        most : int
            How many rows to draw.
        **kwargs
            What ``ax.errorbar`` takes.

        Returns
        -------
        self
            With ``points_``, ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        rows = self.rows[:most]
        families = list(dict.fromkeys(row["family"] for row in rows))
        self.points_ = []
        for place, row in enumerate(rows):
            colour = CLASS_COLOURS[families.index(row["family"]) % len(CLASS_COLOURS)]
            look = {
                "fmt": "o",
                "color": colour,
                "capsize": 3,
                "xerr": row.get("standard_error"),
            } | kwargs
            self.points_.append(ax.errorbar(row["error"], place, **look))
        if rows:
            ax.axvline(rows[0]["error"], color="0.6", linewidth=0.8, zorder=0)
        ax.set_yticks(range(len(rows)), [f"{row['family']}, {row['metric']}" for row in rows])
        ax.set(
            xlabel="error on objects left out ± its standard error", ylim=(len(rows) - 0.5, -0.5)
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the table of a fitted `wideberth.AutoClassifier`.

        Parameters
        ----------
        estimator : AutoClassifier
            A fitted one.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        LeaderboardDisplay
            Drawn.
        """
        if not hasattr(estimator, "leaderboard_"):
            raise InvalidInput(
                f"{type(estimator).__name__} has no table of candidates.",
                advice="Pass a fitted AutoClassifier.",
                value=type(estimator).__name__,
            )
        return cls(estimator.leaderboard_).plot(ax, **kwargs)

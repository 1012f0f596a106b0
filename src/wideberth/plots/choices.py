"""`LeaderboardDisplay`: what an automatic choice compared, with how sure the errors are; and
`CoverPathDisplay`: what a separation costs in removed objects, and which one was chosen.
"""

from typing import Any, Self

import numpy as np

from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import single_classifier
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


# ---- `CoverPathDisplay`: what a separation costs in removed objects, and which one was chosen.


class CoverPathDisplay:
    r"""How many objects must be removed for classes to be a separation t apart, and the risk of
    each t.

    Margin-regularised neighbours (Kontorovich & Weiss 2014) remove a vertex cover of the pairs of
    different classes closer than t. No cover is smaller than the lower bound; the shaded band
    between the two is what a better cover could still gain. The risk is what the criterion
    compares: its lowest point is the separation that was chosen.

    Parameters
    ----------
    separations : array-like of shape (m,)
        Separations, increasing.
    removed : array-like of shape (m,)
        How many objects the cover removes at each of them; with weights, how much weight.
    least_removed : array-like of shape (m,)
        No cover removes less.
    risk_separations, risks : array-like of shape (r,)
        The separations that were compared, and the risk of each.
    separation : float, optional
        The one that was chosen.
    unit : str, optional
        What separations are measured in.

    Attributes
    ----------
    line_, risk_line_ : matplotlib.lines.Line2D
        What is removed, and the risk.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last; those of the risk, ``risk_ax_``, share their horizontal
        axis.
    figure_ : matplotlib.figure.Figure
        Their figure.

    Examples
    --------
    >>> import wideberth as wb
    >>> names, sexes = wb.datasets.load_first_names()
    >>> clf = wb.MarginNeighborsClassifier("levenshtein", separation="compression").fit(
    ...     names[:200], sexes[:200]
    ... )
    >>> display = wb.plots.CoverPathDisplay.from_estimator(clf)
    >>> (
    ...     bool((display.removed >= display.least_removed).all()),
    ...     display.separation == clf.separation_,
    ... )
    (True, True)
    """

    line_: Any
    risk_line_: Any
    risk_ax_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        separations: Any,
        removed: Any,
        least_removed: Any,
        risk_separations: Any,
        risks: Any,
        separation: float | None = None,
        unit: str | None = None,
    ) -> None:
        self.separations = np.asarray(separations, dtype=np.float64)
        self.removed = np.asarray(removed, dtype=np.float64)
        self.least_removed = np.asarray(least_removed, dtype=np.float64)
        self.risk_separations = np.asarray(risk_separations, dtype=np.float64)
        self.risks = np.asarray(risks, dtype=np.float64)
        self.separation = separation
        self.unit = unit

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw both curves and the separation that was chosen.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        **kwargs
            What ``ax.step`` takes for the line of what is removed.

        Returns
        -------
        self
            With ``line_``, ``risk_line_``, ``ax_``, ``risk_ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        # the last one stands for everything beyond the others
        shown = np.isfinite(self.separations)
        path = self.separations[shown]
        removed = self.removed[shown]
        least = self.least_removed[shown]
        (self.line_,) = ax.step(
            path, removed, where="pre", **({"color": CLASS_COLOURS[0], "label": "removed"} | kwargs)
        )
        band = {"step": "pre", "alpha": 0.2, "color": self.line_.get_color(), "linewidth": 0}
        shade = ax.fill_between(path, least, removed, **band, label="a smaller cover may exist")
        self.risk_ax_ = ax.twinx()
        compared = np.isfinite(self.risk_separations)
        # a bound above 1 says nothing, and would squeeze the rest
        risks = np.minimum(self.risks[compared], 1.0)
        look = {"color": CLASS_COLOURS[1], "markersize": 3, "label": "risk"}
        (self.risk_line_,) = self.risk_ax_.plot(
            self.risk_separations[compared], risks, "o-", **look
        )
        self.risk_ax_.set(ylabel="risk by the criterion", ylim=(0, None))
        handles = [self.line_, shade, self.risk_line_]
        if self.separation is not None and np.isfinite(self.separation):
            handles.append(
                ax.axvline(
                    self.separation,
                    color="0.4",
                    linestyle="--",
                    label=f"chosen: {self.separation:.4g}",
                )
            )
        ax.set(
            xlabel=f"separation ({self.unit})" if self.unit else "separation",
            ylabel="objects removed",
            ylim=(0, None),
        )
        ax.legend(handles=handles, loc="center right")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the path of a fitted `wideberth.MarginNeighborsClassifier`.

        Parameters
        ----------
        estimator : MarginNeighborsClassifier
            A fitted one, or an estimator whose ``best_estimator_`` is one.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        CoverPathDisplay
            Drawn.
        """
        model = single_classifier(estimator)
        if not hasattr(model, "cover_path_"):
            raise InvalidInput(
                f"{type(model).__name__} has no covers.",
                advice="Pass a fitted MarginNeighborsClassifier.",
                value=type(model).__name__,
            )
        path, curve = model.cover_path_, model.risk_curve_
        return cls(
            separations=path.separations,
            removed=path.covers,
            least_removed=path.lower_bounds,
            risk_separations=curve.separations,
            risks=curve.risks,
            separation=float(model.separation_),
            unit=model.metric_.name,
        ).plot(ax, **kwargs)

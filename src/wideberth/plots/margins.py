"""`MarginDisplay`: by how much the right class leads, or trails."""

from typing import Any, Self

import numpy as np

from wideberth.array_types import Floats
from wideberth.errors import InvalidInput
from wideberth.plots.axes import CLASS_COLOURS, axes_or_new

#: Bars in the histogram.
BARS = 40
#: With more classes than this, one colour: a stack of many is a smear.
STACKED = 8


class MarginDisplay:
    r"""A histogram of the margins :math:`s_y(x) - \max_{j \ne y} s_j(x)` of labelled objects,
    stacked by class.

    s are the scores of the classifier and y is the true class, so that the bars left of 0 are the
    errors, and those far to the right are safe. In a Lipschitz classifier the margin is
    proportional to a certified radius.

    Parameters
    ----------
    margins : array-like of shape (n,)
        The margin of each object.
    labels : array-like of shape (n,), optional
        The class of each object.
    name : str, optional
        What the picture is of, for its title.

    Attributes
    ----------
    bars_ : list of matplotlib.container.BarContainer
        The bars, one container for each class that is shown.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last.
    figure_ : matplotlib.figure.Figure
        Their figure.

    Examples
    --------
    >>> import wideberth as wb
    >>> names, sexes = wb.datasets.load_first_names()
    >>> clf = wb.NeighborsClassifier("levenshtein", n_neighbors=5).fit(names[:300], sexes[:300])
    >>> display = wb.plots.MarginDisplay.from_estimator(clf, names[300:400], sexes[300:400])
    >>> bool(
    ...     abs(
    ...         (display.margins < 0).mean()
    ...         - (clf.predict(names[300:400]) != sexes[300:400]).mean()
    ...     )
    ...     < 0.05
    ... )
    True
    """

    bars_: list[Any]
    ax_: Any
    figure_: Any

    def __init__(self, *, margins: Any, labels: Any = None, name: str | None = None) -> None:
        self.margins = np.asarray(margins, dtype=np.float64)
        self.labels = None if labels is None else np.asarray(labels)
        self.name = name

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the histogram.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        name : str, optional
            The title; by default the name of the display.
        **kwargs
            What ``ax.hist`` takes, such as ``bins``.

        Returns
        -------
        self
            With ``bars_``, ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        known = np.isfinite(self.margins)
        groups, look = [self.margins[known]], {"color": CLASS_COLOURS[:1]}
        classes = (
            []
            if self.labels is None
            else list(dict.fromkeys(sorted(self.labels.tolist(), key=str)))
        )
        if 1 < len(classes) <= STACKED:
            groups = [self.margins[known & (self.labels == each)] for each in classes]
            look = {
                "color": CLASS_COLOURS[: len(classes)],  # type: ignore[dict-item]
                "label": [str(each) for each in classes],  # type: ignore[dict-item]
            }
        _, _, drawn = ax.hist(groups, **({"bins": BARS, "stacked": True, **look} | kwargs))
        self.bars_ = list(drawn) if len(groups) > 1 else [drawn]
        ax.axvline(0.0, color="black", linewidth=1)
        ax.set(
            xlabel="margin: by how much the right class leads",
            ylabel="objects",
            title=(name or self.name) or "",
        )
        if len(groups) > 1:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Ask a fitted classifier for its scores, and draw.

        Parameters
        ----------
        estimator : classifier
            A fitted one, with ``decision_function`` and ``classes_``.
        X : sample
            Objects.
        y : array-like of shape (n,)
            Their labels.
        name : str, optional
            The title; the class of the estimator by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        MarginDisplay
            Drawn.
        """
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        named = name or type(estimator).__name__
        return cls.from_predictions(
            y, scores, classes=estimator.classes_, name=named, ax=ax, **kwargs
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        classes: Any,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw scores that are known.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            The labels.
        y_score : array-like of shape (n, k) or (n,)
            A score for each object and class; of two classes the lead of the second, as
            scikit-learn gives it.
        classes : array-like of shape (k,)
            The classes in the order of the scores.
        name, ax, **kwargs
            As in `from_estimator`.

        Returns
        -------
        MarginDisplay
            Drawn.
        """
        labels = np.asarray(y_true)
        return cls(
            margins=_margins(labels, np.asarray(y_score), np.asarray(classes)),
            labels=labels,
            name=name,
        ).plot(ax, **kwargs)


def _margins(labels: Any, scores: Any, classes: Any) -> Floats:
    """The score of the class of each object less the largest other score."""
    places = {each: place for place, each in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in places]
    if unknown:
        raise InvalidInput(
            f"The label {unknown[0]!r} has no score: the classifier does not know this class.",
            advice=f"Pass objects of {', '.join(map(repr, classes.tolist()))}.",
            value=unknown[0],
        )
    codes = np.array([places[label] for label in labels.tolist()], dtype=np.intp)
    if scores.ndim == 1:  # of two classes, the lead of the second
        return np.asarray(np.where(codes == 1, scores, -scores), dtype=np.float64)
    if scores.shape != (len(codes), len(classes)):
        raise InvalidInput(
            f"There are scores of shape {scores.shape} for {len(codes)} labels and {len(classes)} "
            "classes.",
            advice="Pass a score for each object and class.",
            value=scores.shape,
        )
    rows = np.arange(len(codes))
    others = np.where(codes[:, None] == np.arange(len(classes)), -np.inf, scores)
    return np.asarray(scores[rows, codes] - others.max(axis=1), dtype=np.float64)

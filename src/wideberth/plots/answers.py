"""`CertifiedAccuracyDisplay`: how many answers are right, and proved to stay so, within a radius;
and `MarginDisplay`: by how much the right class leads, or trails.
"""

from typing import Any, Self

import numpy as np

from wideberth.array_types import Floats, Labels, Objects
from wideberth.errors import InvalidInput
from wideberth.guarantees.attacks import Attack
from wideberth.guarantees.robustness import Curve, certified_accuracy
from wideberth.plots.axes import CLASS_COLOURS, axes_or_new


class CertifiedAccuracyDisplay:
    r"""The certified accuracy :math:`A(r)` against the radius r, a line of steps that starts at the
    accuracy.

    :math:`A(r)` is the share of objects whose label is right and proved for everything at a
    distance of r or less (`wideberth.guarantees.certified_accuracy`). Attacks give a second line:
    what they did not refute lies above what is proved, and the truth lies between the two.

    Parameters
    ----------
    proved : array-like of shape (n,)
        For each object the largest radius within which its label is proved, -inf where the label is
        wrong.
    broken : array-like of shape (n,), optional
        For each object the largest radius within which no attack changed its label, -inf where it
        is wrong.
    unit : str, optional
        What radii are measured in, for the axis.
    name : str, optional
        The name of the line in the legend.

    Attributes
    ----------
    line_ : matplotlib.lines.Line2D
        What is certified.
    attacked_line_ : matplotlib.lines.Line2D or None
        What attacks left.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last.
    figure_ : matplotlib.figure.Figure
        Their figure.

    See Also
    --------
    wideberth.guarantees.certified_accuracy : The numbers.

    Examples
    --------
    >>> import wideberth as wb
    >>> clf = wb.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
    ...     ["tea", "rum"], ["soft", "hard"]
    ... )
    >>> display = wb.plots.CertifiedAccuracyDisplay.from_estimator(
    ...     clf, ["tea", "rem"], ["soft", "hard"], unit="edit"
    ... )
    >>> display.at([0, 1, 2])
    array([1. , 0.5, 0. ])
    >>> display.ax_.get_xlabel()
    'radius (edit)'
    """

    line_: Any
    attacked_line_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self, *, proved: Any, broken: Any = None, unit: str | None = None, name: str | None = None
    ) -> None:
        self.proved = np.asarray(proved, dtype=np.float64)
        self.broken = None if broken is None else np.asarray(broken, dtype=np.float64)
        self.unit = unit
        self.name = name

    def at(self, radii: Any) -> Floats:
        """The certified accuracy at some radii.

        Parameters
        ----------
        radii : array-like of float
            Radii, 0 or more.

        Returns
        -------
        ndarray
            A share for each of them.
        """
        return _share_within(self.proved, np.asarray(radii, dtype=np.float64))

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        name : str, optional
            The name in the legend; by default the one of the display.
        **kwargs
            What ``ax.step`` takes for the line of what is certified; the other line has its colour.

        Returns
        -------
        self
            With ``line_``, ``attacked_line_``, ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        name = self.name if name is None else name
        end = _end(self.proved, self.broken)
        (self.line_,) = ax.step(
            *_steps(self.proved, end), where="pre", **({"label": name} | kwargs)
        )
        self.attacked_line_ = None
        if self.broken is not None:
            label = None if name is None else f"{name}: not broken by attacks"
            style = {"color": self.line_.get_color(), "linestyle": ":", "label": label}
            (self.attacked_line_,) = ax.step(*_steps(self.broken, end), where="pre", **style)
        ax.set(
            xlabel=f"radius ({self.unit})" if self.unit else "radius",
            ylabel="certified accuracy",
            ylim=(-0.02, 1.02),
        )
        if name is not None or "label" in kwargs:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Objects,
        y: Labels,
        *,
        unit: str | None = None,
        attacks: list[Attack] | None = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Ask a fitted classifier for labels and radii, and draw.

        Parameters
        ----------
        estimator : metric classifier
            A fitted one.
        X : sample
            Objects that the classifier did not learn from.
        y : array-like of shape (n,)
            Their labels.
        unit : str, optional
            What radii are measured in, as in ``certified_radius``; by default the metric of the
            classifier.
        attacks : list of Attack, optional
            What `wideberth.guarantees.attack` gave for the same objects and unit.
        name : str, optional
            The name in the legend; the class of the estimator by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        CertifiedAccuracyDisplay
            Drawn.
        """
        curve = certified_accuracy(estimator, X, y, [0.0], unit=unit, attacks=attacks)
        shown = estimator.metric_.name if unit is None else unit
        return cls.from_curve(
            curve, unit=shown, name=name or type(estimator).__name__, ax=ax, **kwargs
        )

    @classmethod
    def from_curve(
        cls,
        curve: Curve,
        *,
        unit: str | None = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what `wideberth.guarantees.certified_accuracy` returned.

        Parameters
        ----------
        curve : Curve
            At any radii: the line shows all of them.
        unit, name, ax, **kwargs
            As in `from_estimator`.

        Returns
        -------
        CertifiedAccuracyDisplay
            Drawn.
        """
        return cls(proved=curve.proved, broken=curve.broken, unit=unit, name=name).plot(
            ax, **kwargs
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        radii: Any,
        *,
        unit: str | None = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw answers whose radii are known, of any classifier.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            The labels.
        y_pred : array-like of shape (n,)
            The answers.
        radii : array-like of shape (n,)
            Within which radius, inclusive, each answer is proved to stay.
        unit, name, ax, **kwargs
            As in `from_estimator`.

        Returns
        -------
        CertifiedAccuracyDisplay
            Drawn.
        """
        truth = np.asarray(y_true)
        answers = np.asarray(y_pred)
        known = np.asarray(radii, dtype=np.float64)
        if not truth.shape == answers.shape == known.shape or truth.ndim != 1:
            raise InvalidInput(
                f"Labels, answers and radii have the shapes {truth.shape}, {answers.shape} and "
                f"{known.shape}.",
                advice="Pass one of each for every object.",
                value=(truth.shape, answers.shape, known.shape),
            )
        return cls(proved=np.where(truth == answers, known, -np.inf), unit=unit, name=name).plot(
            ax, **kwargs
        )


def _share_within(proved: Floats, radii: Floats) -> Floats:
    """For each radius the share of objects whose label is proved at least that far."""
    below = np.searchsorted(np.sort(proved), radii, side="left")
    return 1.0 - below / max(len(proved), 1)


def _end(*radii: Floats | None) -> float:
    """Where the axis ends: behind the largest finite radius."""
    finite = np.concatenate([each[np.isfinite(each)] for each in radii if each is not None])
    return 1.05 * float(finite.max(initial=0.0)) or 1.0


def _steps(proved: Floats, end: float) -> tuple[Floats, Floats]:
    """The corners of A: it is constant up to and including each radius at which some object is no
    longer proved.
    """
    corners = np.unique(np.concatenate([[0.0], proved[np.isfinite(proved) & (proved >= 0)], [end]]))
    return corners, _share_within(proved, corners)


# ---- `MarginDisplay`: by how much the right class leads, or trails.

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

    def __init__(self, *, margins: Any, labels: Labels = None, name: str | None = None) -> None:
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
        X: Objects,
        y: Labels,
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


def _margins(labels: Labels, scores: Any, classes: Any) -> Floats:
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

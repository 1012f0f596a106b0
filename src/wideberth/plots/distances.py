"""`MetricMapDisplay`: the objects as points of the plane, as far apart as the plane allows; and
`SpectrumDisplay`: whether objects fit into a Hilbert space, seen at their eigenvalues.
"""

import warnings
from typing import Any, Self

import numpy as np

from wideberth.array_types import Labels, Objects
from wideberth.embeddings import HilbertEmbedding
from wideberth.errors import InvalidInput, NotHilbertianWarning
from wideberth.objects import sample
from wideberth.plots.axes import CLASS_COLOURS, axes_or_new, look_of_class
from wideberth.wording import python

#: With more classes than this a legend covers the map.
NAMED_CLASSES = 20


class MetricMapDisplay:
    """A map of objects under a metric: classical scaling to two coordinates, coloured by class.

    Distances on the map are too small, never too large: what the third and further coordinates hold
    is lost. ``explained`` says how much of the spread the two axes show; below a third or so,
    neighbours on the map need not be neighbours.

    Parameters
    ----------
    coordinates : array-like of shape (n, 2)
        A point for each object.
    labels : array-like of shape (n,), optional
        The class of each object.
    wrong : array-like of bool of shape (n,), optional
        Which objects get another label from a classifier; they are circled.
    explained : float, optional
        The share of the two axes in the sum of all absolute eigenvalues.
    name : str, optional
        The title.

    Attributes
    ----------
    points_ : list of matplotlib.collections.PathCollection
        The points of each class.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last.
    figure_ : matplotlib.figure.Figure
        Their figure.

    See Also
    --------
    wideberth.HilbertEmbedding : The coordinates.

    Examples
    --------
    >>> import wideberth as wb
    >>> display = wb.plots.MetricMapDisplay.from_objects(
    ...     ["tea", "teas", "rum", "rums"], list("aabb"), metric="levenshtein"
    ... )
    >>> display.coordinates.shape, len(display.points_)
    ((4, 2), 2)
    """

    points_: list[Any]
    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        coordinates: Any,
        labels: Labels = None,
        wrong: Any = None,
        explained: float | None = None,
        name: str | None = None,
    ) -> None:
        self.coordinates = np.asarray(coordinates, dtype=np.float64)
        self.labels = None if labels is None else np.asarray(labels)
        self.wrong = None if wrong is None else np.asarray(wrong, dtype=bool)
        self.explained = explained
        self.name = name

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        name : str, optional
            The title; by default the name of the display.
        **kwargs
            What ``ax.scatter`` takes.

        Returns
        -------
        self
            With ``points_``, ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        size = float(np.clip(4000 / max(len(self.coordinates), 1), 4, 30))
        labels = np.zeros(len(self.coordinates)) if self.labels is None else self.labels
        classes = list(dict.fromkeys(sorted(labels.tolist(), key=str)))
        self.points_ = []
        for place, each in enumerate(classes):
            look = {
                "s": size,
                "alpha": 0.75,
                "linewidths": 0,
                "label": str(each),
                **look_of_class(place),
            } | kwargs
            self.points_.append(ax.scatter(*self.coordinates[labels == each].T, **look))
        if self.wrong is not None and self.wrong.any():
            circle = {
                "facecolors": "none",
                "edgecolors": "black",
                "linewidths": 0.8,
                "label": "gets another label",
            }
            ax.scatter(*self.coordinates[self.wrong].T, s=3 * size, **circle)
        shares = (
            ""
            if self.explained is None
            else f"the axes show {100 * self.explained:.0f} % of the spread"
        )
        ax.set(xticks=[], yticks=[], xlabel=shares, title=(name or self.name) or "", aspect="equal")
        if self.labels is not None and len(classes) <= NAMED_CLASSES:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_objects(
        cls,
        X: Objects,
        y: Labels = None,
        *,
        metric: Any,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Place objects by a metric, and draw.

        Parameters
        ----------
        X : sample
            Objects; with ``metric="precomputed"`` their distances.
        y : array-like of shape (n,), optional
            Their labels.
        metric : str, Metric or callable
            The distance.
        name : str, optional
            The title.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        MetricMapDisplay
            Drawn.
        """
        coordinates, explained = _placed(X, metric)
        return cls(
            coordinates=coordinates,
            labels=_labels(y, len(coordinates)),
            explained=explained,
            name=name,
        ).plot(ax, **kwargs)

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
        """Place objects by the metric of a fitted classifier, circle those that get another label,
        and draw.

        Parameters
        ----------
        estimator : metric classifier
            A fitted one.
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
        MetricMapDisplay
            Drawn.
        """
        held = sample.hold(X)
        coordinates, explained = _placed(held, estimator.metric_)
        labels = _labels(y, len(coordinates))
        wrong = estimator.predict(held) != labels
        named = name or type(estimator).__name__
        return cls(
            coordinates=coordinates, labels=labels, wrong=wrong, explained=explained, name=named
        ).plot(ax, **kwargs)


def _placed(X: Objects, metric: Any) -> tuple[Any, float]:
    """Two coordinates for each object, and the share of the spread that they show."""
    embedding = HilbertEmbedding(metric, n_components=2, random_state=0)
    with warnings.catch_warnings():
        # a map in the plane is never exact; it says what it shows
        warnings.simplefilter("ignore", NotHilbertianWarning)
        coordinates = embedding.fit_transform(X)
    return coordinates, float(embedding.explained_share_.sum())


def _labels(y: Labels, n: int) -> Any:
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.shape != (n,):
        raise InvalidInput(
            f"There are {n} objects and labels of shape {labels.shape}.",
            advice="Pass one for each.",
            value=labels.shape,
        )
    return labels


# ---- `SpectrumDisplay`: whether objects fit into a Hilbert space, seen at their eigenvalues.


class SpectrumDisplay:
    r"""The eigenvalues of the centred matrix :math:`-\frac12 J D^2 J` of distances, the largest
    first.

    None is negative iff the objects are points of a Hilbert space (Schoenberg 1935; Hein, Bousquet
    & Schoelkopf 2005, Theorem 3), which is when a support vector machine on the distance is exact.
    What stands out at the left is the dimension in which the objects lie; what hangs below 0 at the
    right is how much the distance differs from a Euclidean one.

    Parameters
    ----------
    eigenvalues : array-like of shape (n,)
        The eigenvalues, in any order.
    name : str, optional
        The title.

    Attributes
    ----------
    negative_part : float
        The share of the negative eigenvalues in the sum of all absolute ones.
    bars_ : matplotlib.container.BarContainer
        The bars.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last.
    figure_ : matplotlib.figure.Figure
        Their figure.

    See Also
    --------
    wideberth.diagnose : What this means for the methods.

    Examples
    --------
    Three points on a line fit into a Hilbert space of one dimension:

    >>> import wideberth as wb
    >>> display = wb.plots.SpectrumDisplay.from_objects([[0.0], [1.0], [3.0]], metric="euclidean")
    >>> display.negative_part < 1e-12, int((display.eigenvalues > 1e-9).sum())
    (True, 1)
    """

    bars_: Any
    ax_: Any
    figure_: Any

    def __init__(self, *, eigenvalues: Any, name: str | None = None) -> None:
        self.eigenvalues = np.sort(np.asarray(eigenvalues, dtype=np.float64))[::-1]
        self.name = name

    @property
    def negative_part(self) -> float:
        """The share of the negative eigenvalues in the sum of all absolute ones."""
        total = float(np.abs(self.eigenvalues).sum())
        return float(-self.eigenvalues[self.eigenvalues < 0].sum() / total) if total else 0.0

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the eigenvalues as bars, negative ones in another colour.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        name : str, optional
            The title; by default the name of the display.
        **kwargs
            What ``ax.bar`` takes.

        Returns
        -------
        self
            With ``bars_``, ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        places = np.arange(1, len(self.eigenvalues) + 1)
        colours = np.where(self.eigenvalues < 0, CLASS_COLOURS[1], CLASS_COLOURS[0])
        self.bars_ = ax.bar(places, self.eigenvalues, **({"color": colours, "width": 1.0} | kwargs))
        ax.axhline(0.0, color="black", linewidth=0.8)
        # small eigenvalues are many and negative ones are small: a scale that shows both ends
        ax.set_yscale(
            "symlog",
            linthresh=max(float(np.abs(self.eigenvalues).max(initial=0.0)), np.finfo(float).tiny)
            / 1e3,
        )
        words = f"{100 * self.negative_part:.2g} % of the absolute sum are negative"
        ax.set(
            xlabel="eigenvalues, the largest first", ylabel=words, title=(name or self.name) or ""
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_objects(
        cls, X: Objects, *, metric: Any, name: str | None = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Measure objects, and draw; of more than 1,000, as many landmarks.

        Parameters
        ----------
        X : sample
            Objects; with ``metric="precomputed"`` their distances.
        metric : str, Metric or callable
            The distance.
        name : str, optional
            The title.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        SpectrumDisplay
            Drawn.
        """
        embedding = HilbertEmbedding(metric, n_components=None, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotHilbertianWarning)  # that is what the picture shows
            embedding.fit(X)
        return cls.from_estimator(embedding, name=name, ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, name: str | None = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the eigenvalues that a fitted `wideberth.HilbertEmbedding` found.

        Parameters
        ----------
        estimator : HilbertEmbedding
            A fitted one.
        name : str, optional
            The title; the metric by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        SpectrumDisplay
            Drawn.
        """
        if not hasattr(estimator, "spectrum_"):
            raise InvalidInput(
                f"{type(estimator).__name__} has no eigenvalues.",
                advice="Pass a fitted HilbertEmbedding, or use "
                f"{python('SpectrumDisplay.from_objects(X, metric=...)')}.",
                value=type(estimator).__name__,
            )
        return cls(
            eigenvalues=estimator.spectrum_.values, name=name or estimator.metric_.name
        ).plot(ax, **kwargs)

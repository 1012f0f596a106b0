"""`OnlineLossDisplay`: what a learner lost on a stream so far, and what it can still lose."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np

from wideberth.array_types import Floats, Indices, Labels, Objects
from wideberth.errors import InvalidInput
from wideberth.plots.axes import axes_or_new

#: At how many rounds the bound of what can still be lost is asked for: it takes longer than a
#: round.
BOUNDS = 40
#: The axis ends at so many times the loss: bounds of the first rounds are far above, and would
#: flatten the line.
TIMES_THE_LOSS = 4.0


class OnlineLossDisplay:
    """The loss of an online learner, added up over the rounds of a stream, on a logarithmic axis of
    rounds.

    A learner with a bounded total loss flattens out, one with a regret of sqrt(T) keeps growing.
    Where the learner bounds what it can still lose, a band shows how far the line can rise, however
    long the stream goes on.

    Parameters
    ----------
    losses : array-like of shape (T,)
        The loss of each round; with ``rounds``, of all rounds since the one before.
    rounds : array-like of int of shape (T,), optional
        The rounds after which losses were noted, increasing, where they are not known of each
        round.
    bound_rounds : array-like of int of shape (b,), optional
        After which of the rounds a bound is known.
    bounds : array-like of shape (b,), optional
        What all later rounds can lose together.
    name : str, optional
        The name in the legend.
    loss_name : str
        What is added up, for the axis.

    Attributes
    ----------
    line_ : matplotlib.lines.Line2D
        The loss so far.
    band_ : matplotlib.collections.PolyCollection or None
        What can still be lost.
    ax_ : matplotlib.axes.Axes
        The axes that were drawn on last.
    figure_ : matplotlib.figure.Figure
        Their figure.

    Examples
    --------
    >>> import numpy as np
    >>> import wideberth as wb
    >>> queries = np.random.default_rng(0).uniform(-1, 1, size=(50, 2))
    >>> learner = wb.OnlinePartitionClassifier(random_state=0)
    >>> display = wb.plots.OnlineLossDisplay.from_estimator(learner, queries, queries[:, 0] > 0)
    >>> len(display.losses), bool(display.losses.sum() < 20)
    (50, True)

    Of a longer stream only what was lost in the first 10, the next 90 and the next 900 rounds is
    known:

    >>> known = wb.plots.OnlineLossDisplay(losses=[4, 2, 1], rounds=[10, 100, 1000]).plot()
    >>> known.line_.get_xydata().tolist()
    [[10.0, 4.0], [100.0, 6.0], [1000.0, 7.0]]
    """

    line_: Any
    band_: Any
    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        losses: Any,
        rounds: Any = None,
        bound_rounds: Any = None,
        bounds: Any = None,
        name: str | None = None,
        loss_name: str = "mistakes",
    ) -> None:
        self.losses = np.asarray(losses, dtype=np.float64)
        self.rounds = (
            np.arange(1, len(self.losses) + 1)
            if rounds is None
            else np.asarray(rounds, dtype=np.intp)
        )
        self.bound_rounds = (
            None if bound_rounds is None else np.asarray(bound_rounds, dtype=np.intp)
        )
        self.bounds = None if bounds is None else np.asarray(bounds, dtype=np.float64)
        self.name = name
        self.loss_name = loss_name

    def plot(self, ax: Any = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the line and the band.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; new axes by default.
        name : str, optional
            The name in the legend; by default the one of the display.
        **kwargs
            What ``ax.plot`` takes.

        Returns
        -------
        self
            With ``line_``, ``band_``, ``ax_`` and ``figure_``.
        """
        ax = axes_or_new(ax)
        name = self.name if name is None else name
        total = np.cumsum(self.losses)
        (self.line_,) = ax.plot(self.rounds, total, **({"label": name} | kwargs))
        self.band_ = None
        if self.bounds is not None and self.bound_rounds is not None and len(self.bounds):
            so_far = total[np.searchsorted(self.rounds, self.bound_rounds)]
            most = np.minimum.accumulate(so_far + self.bounds)  # an earlier bound stays true
            look = {
                "color": self.line_.get_color(),
                "alpha": 0.15,
                "linewidth": 0,
                "label": "what can still be lost",
            }
            self.band_ = ax.fill_between(self.bound_rounds, so_far, most, **look)
            ax.set_ylim(
                0.0, min(TIMES_THE_LOSS * float(total[-1]), 1.05 * float(most.max())) or 1.0
            )
        ax.set(xscale="log", xlabel="rounds", ylabel=f"{self.loss_name} so far")
        if name is not None or self.band_ is not None:
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
        loss: Callable[[Any, Any, Any], float] | None = None,
        name: str | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Let a copy of a learner predict and learn one object after the other, and draw.

        Parameters
        ----------
        estimator : OnlinePartitionClassifier, or any learner with ``predict_one`` and ``learn_one``
            It goes on from what it has learned; itself it learns nothing.
        X : sequence
            The queries, in their order.
        y : sequence
            Their labels.
        loss : callable, optional
            ``loss(query, guess, label)``; by default 1 for a wrong label. The band of what can
            still be lost is drawn for a loss that the learner's bound is about, so with this
            argument only.
        name : str, optional
            The name in the legend; the class of the learner by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        **kwargs
            For `plot`.

        Returns
        -------
        OnlineLossDisplay
            Drawn.
        """
        if not (hasattr(estimator, "predict_one") and hasattr(estimator, "learn_one")):
            raise InvalidInput(
                f"{type(estimator).__name__} does not learn one object after the other.",
                advice="Pass a learner with predict_one and learn_one, such as "
                "OnlinePartitionClassifier.",
                value=type(estimator).__name__,
            )
        if len(X) != len(y):
            raise InvalidInput(
                f"There are {len(X)} queries and {len(y)} labels.",
                advice="Pass one for each.",
                value=(len(X), len(y)),
            )
        losses, rounds, bounds = _run(deepcopy(estimator), X, y, loss)
        shown = {
            "name": name or type(estimator).__name__,
            "loss_name": "mistakes" if loss is None else "loss",
        }
        return cls(losses=losses, bound_rounds=rounds, bounds=bounds, **shown).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, name: str | None = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the mistakes among guesses that were made before each label was known.

        Parameters
        ----------
        y_true : array-like of shape (T,)
            The labels, in the order of the stream.
        y_pred : array-like of shape (T,)
            The guesses.
        name, ax, **kwargs
            As in `from_estimator`.

        Returns
        -------
        OnlineLossDisplay
            Drawn.
        """
        truth, guesses = np.asarray(y_true), np.asarray(y_pred)
        if truth.shape != guesses.shape:
            raise InvalidInput(
                f"There are {truth.shape} labels and {guesses.shape} guesses.",
                advice="Pass one for each round.",
                value=truth.shape,
            )
        return cls(losses=truth != guesses, name=name).plot(ax, **kwargs)


def _run(
    learner: Any, X: Objects, y: Labels, loss: Callable[[Any, Any, Any], float] | None
) -> tuple[Floats, Indices | None, Floats | None]:
    """The loss of each round, and bounds of what is left after some rounds, if the learner has
    them.

    The round in which a label comes first is in no bound, so that bounds are asked for once all
    labels were seen.
    """
    asked = set() if loss is None else _bounded_rounds(y)
    losses, rounds, bounds = np.empty(len(X)), [], []
    for place, (query, label) in enumerate(zip(X, y, strict=True)):
        guess = learner.predict_one(query)
        losses[place] = guess != label if loss is None else loss(query, guess, label)
        learner.learn_one(query, label)
        if place + 1 in asked and hasattr(learner, "remaining_loss_bound"):
            left = float(learner.remaining_loss_bound())
            if np.isfinite(left):
                rounds.append(place + 1)
                bounds.append(left)
    return (
        (losses, np.array(rounds, dtype=np.intp), np.array(bounds))
        if rounds
        else (losses, None, None)
    )


def _bounded_rounds(y: Labels) -> set[int]:
    """Some rounds from the one on in which the last new label came, evenly on a logarithmic
    axis.
    """
    firsts: dict[Any, int] = {}
    for place, label in enumerate(y):
        firsts.setdefault(label, place + 1)
    start = max(firsts.values(), default=1)
    return set(np.geomspace(start, max(len(y), start), BOUNDS).astype(np.intp).tolist())

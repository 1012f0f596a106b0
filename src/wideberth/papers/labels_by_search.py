"""Two labels by contextual search: the reduction of classification to the guessing of values
(Theorem 8).
"""

from typing import Any, Protocol, Self


class Searching(Protocol):
    """A learner of contextual search, such as `wideberth.ContextualSearch` or one of your own."""

    def guess_one(self, query: Any) -> float:
        """Guess the value of a query."""

    def learn_one(self, query: Any, too_high: bool) -> Any:
        """Learn whether the guess for this query was too high."""


class LabelsBySearch:
    r"""Predict which of two labels a query has, by the sign of the value that a learner of
    contextual search guesses for it.

    The label is ``positive`` where :math:`\langle v, q \rangle > 0` for a hidden vector v, and a
    wrong label loses :math:`|\langle v, q \rangle|^\alpha`. The learner is told of mistakes alone:
    a guess above 0 was too high where the label is ``negative``, one from 0 down was too low where
    it is ``positive``. At a mistake 0 is between the value and the guess, so the wrong label loses
    at most what the guess loses, and a round without mistake is one that the learner never saw. So
    the labels lose at most as much as the search does, for any learner (Guruganesh, Liu, Schneider
    & Wang 2021, Theorem 8).

    `wideberth.OnlinePartitionClassifier` with two labels is the direct way, in one dimension less
    and with learning from every label.

    Parameters
    ----------
    search : object
        A learner with the methods ``guess_one(query)`` and ``learn_one(query, too_high)``; it
        learns along.
    positive, negative : object
        The two labels.

    Attributes
    ----------
    mistakes : int
        How many labels were not predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from wideberth import ContextualSearch
    >>> labels = LabelsBySearch(ContextualSearch(random_state=0), "yes", "no")
    >>> for query in np.random.default_rng(0).normal(size=(200, 2)):
    ...     _ = labels.learn_one(query, "yes" if query[0] > 0.5 * query[1] else "no")
    >>> labels.mistakes < 30, labels.predict_one([1.0, 0.0]), labels.predict_one([-1.0, 0.0])
    (True, 'yes', 'no')
    """

    def __init__(self, search: Searching, positive: Any = True, negative: Any = False) -> None:
        self.search, self.positive, self.negative = search, positive, negative
        self.mistakes = 0

    def predict_one(self, query: Any) -> Any:
        """Predict the label of a query, without changing the learner."""
        return self.positive if self.search.guess_one(query) > 0 else self.negative

    def learn_one(self, query: Any, label: Any) -> Self:
        """Learn the label of a query; the search learns if it was not predicted."""
        predicted = self.predict_one(query)
        if predicted != label:
            self.search.learn_one(query, too_high=bool(predicted == self.positive))
            self.mistakes += 1
        return self

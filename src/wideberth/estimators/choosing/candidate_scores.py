"""The candidates of a cross-validation and their scores: which one is best, and the table in the form of scikit-learn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wideberth.array_types import Flags, Floats, Integers
from wideberth.errors import InvalidInput
from wideberth.estimators import restored_values
from wideberth.estimators.choosing.scoring import FLOOR
from wideberth.metrics.parameters import is_number
from wideberth.rounding import SUM_ERROR
from wideberth.wording import setting


@dataclass(frozen=True, eq=False)
class Tried:
    r"""The parameters of each candidate, among them C, and its score in each fold.

    .. math:: \hat c = \arg\max_c \sum_f s_f(c)

    where the score :math:`s_f(c)`, such as the weighted share of right answers, is that on the objects of fold f of a model
    learned without them. Of several best candidates the one with the smallest mean loss is taken (by certified accuracy, the most
    accurate ones among them); if losses are equal, or not known, one with the smallest C, and the first of these.

    Attributes
    ----------
    params : sequence of dict
        The parameters of each candidate.
    scores : ndarray of shape (folds, candidates)
        The scores; nan where a candidate had been dropped before.
    losses : ndarray of shape (candidates,)
        The mean loss over the folds in which a candidate ran (`Answers`); nan where it is not known.
    accuracies : ndarray of shape (folds, candidates), or None
        Where the scores are certified accuracies, the accuracies beside them. Then only candidates can be best whose mean
        accuracy is at most ``floor`` behind the largest one.
    floor : float
        See there.
    largest_class : float
        The share of the largest class, which a constant would have in both; nan where it was not asked for.
    """

    params: Sequence[dict[str, Any]]
    scores: Floats
    losses: Floats
    accuracies: Floats | None = None
    floor: float = FLOOR
    largest_class: float = np.nan

    @classmethod
    def of(cls, results: dict[str, Any]) -> Self:
        """The candidates of a table that `results` made, with the usual floor.

        Examples
        --------
        >>> table = Tried([{"C": 2.0}, {"C": 5.0}], np.array([[0.5, 1.0]]), np.array([0.5, 0.0])).results()
        >>> Tried.of(table).best
        1
        """
        folds = sum(name.startswith("split") and name.endswith("_test_score") for name in results)
        scores, accuracies = (
            [results[f"split{number}_test_{what}"] for number in range(folds) if f"split{number}_test_{what}" in results]
            for what in ("score", "accuracy")
        )
        return cls(results["params"], np.array(scores), results["mean_test_loss"], np.array(accuracies) if accuracies else None)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Self:
        """The candidates that `to_plain` described; an error if there are none.

        At least one candidate has run in all folds, since the best one has.

        Examples
        --------
        >>> Tried.from_plain(Tried([{"C": 2.0}], np.array([[np.nan]]), np.array([0.1])).to_plain())
        Traceback (most recent call last):
        ...
        wideberth.errors.InvalidInput: No candidate has a score in every fold.
        """
        params, scores, losses, certified = (plain[name] for name in ("params", "scores", "losses", "certified"))
        if (
            not isinstance(params, list)
            or not params
            or not all(_is_candidate(each) and each.keys() == params[0].keys() for each in params)
        ):
            raise InvalidInput(
                "The candidates of a search are not parameters under the same names, with a positive C.", value=params
            )
        if not isinstance(scores, np.ndarray) or scores.dtype.kind != "f" or scores.ndim != 2 or scores.shape[1] != len(params):
            raise InvalidInput(f"There are not scores in every fold for {len(params)} candidates.", value=len(params))
        if not len(scores) or np.isnan(scores).any(axis=0).all():
            raise InvalidInput("No candidate has a score in every fold.", value=len(scores))
        if not isinstance(losses, np.ndarray) or losses.dtype.kind != "f" or losses.shape != (len(params),):
            raise InvalidInput(f"There are not losses of {len(params)} candidates.", value=len(params))
        if certified is None:
            return cls(params, scores, losses)
        accuracies = certified["accuracies"]
        if not isinstance(accuracies, np.ndarray) or accuracies.dtype.kind != "f" or accuracies.shape != scores.shape:
            raise InvalidInput(f"There are not accuracies in every fold for {len(params)} candidates.", value=len(params))
        floor, largest = (restored_values.number(certified, name, least=0.0, most=1.0) for name in ("floor", "largest_class"))
        return cls(params, scores, losses, accuracies, floor, largest)

    def to_plain(self) -> dict[str, Any]:
        """What a model file holds of the candidates; "certified" is None unless they were chosen by certified accuracy."""
        certified = {"accuracies": self.accuracies, "floor": self.floor, "largest_class": self.largest_class}
        return {
            "params": self.params,
            "scores": self.scores,
            "losses": self.losses,
            "certified": None if self.accuracies is None else certified,
        }

    @property
    def best(self) -> int:
        """The position of the best candidate.

        Examples
        --------
        >>> params = [{"C": C, "radial": radial} for radial in ("distance", "gaussian") for C in (9.0, 3.0)]
        >>> Tried(params, np.array([[0.5, 0.5, 1.0, 1.0]]), np.zeros(4)).best
        3
        >>> Tried(params, np.array([[0.5, 0.5, 1.0, 1.0]]), np.array([0.2, 0.2, 0.1, 0.3])).best
        2
        >>> Tried(params, np.array([[0.6, 0.5, 0.4, 0.3]]), np.zeros(4), accuracies=np.array([[0.6, 0.78, 0.8, 0.7]])).best
        1
        """
        means = np.where(self._eligible, self.scores.mean(axis=0), np.nan)  # nan also for candidates that were dropped
        leaders = np.flatnonzero(means >= np.nanmax(means) - SUM_ERROR)
        if self.accuracies is not None:
            accuracies = self.accuracies.mean(axis=0)[leaders]
            leaders = leaders[accuracies >= accuracies.max() - SUM_ERROR]
        losses = self.losses[leaders]
        if not np.isnan(losses).any():
            leaders = leaders[losses <= losses.min() + SUM_ERROR]
        return int(min(leaders.tolist(), key=lambda place: self.params[place]["C"]))

    def results(self) -> dict[str, Any]:
        """The table ``cv_results_``, with the columns of scikit-learn's GridSearchCV and a row for each candidate.

        Means and deviations are over the folds in which a candidate ran; dropped candidates rank behind those that ran in more
        folds.

        Returns
        -------
        dict
            Columns ``param_*``, ``params``, ``split*_test_score``, ``mean_test_score``, ``std_test_score``,
            ``mean_test_loss`` and ``rank_test_score``; with certified accuracies also ``split*_test_accuracy`` and
            ``mean_test_accuracy``.

        Examples
        --------
        >>> scores = np.array([[0.5, 1.0, 0.5], [0.5, np.nan, 1.0]])
        >>> table = Tried([{"C": 2.0}, {"C": 5.0}, {"C": 9.0}], scores, np.zeros(3)).results()
        >>> table["mean_test_score"], table["rank_test_score"]
        (array([0.5 , 1.  , 0.75]), array([2, 3, 1]))
        """
        columns = {f"param_{name}": _column([candidate[name] for candidate in self.params]) for name in self.params[0]}
        folds = {f"split{number}_test_score": scores for number, scores in enumerate(self.scores)}
        summary = {
            "mean_test_score": np.nanmean(self.scores, axis=0),
            "std_test_score": np.nanstd(self.scores, axis=0),
            "mean_test_loss": self.losses,
            "rank_test_score": self._ranks(),
        }
        if self.accuracies is not None:
            folds |= {f"split{number}_test_accuracy": shares for number, shares in enumerate(self.accuracies)}
            summary["mean_test_accuracy"] = self.accuracies.mean(axis=0)
        return {**columns, "params": list(self.params), **folds, **summary}

    @property
    def _eligible(self) -> Flags:
        """Which candidates can be best: all, or those whose accuracy is at most ``floor`` behind the best."""
        if self.accuracies is None:
            return np.ones(len(self.params), dtype=bool)
        means = self.accuracies.mean(axis=0)
        return np.asarray(means >= means.max() - self.floor - SUM_ERROR)

    def _ranks(self) -> Integers:
        """1 plus the number of better candidates: those that ran in more folds, or in as many with a larger mean.

        Those that cannot be best come last.
        """
        ran = np.isfinite(self.scores).sum(axis=0) * self._eligible
        means = np.nanmean(self.scores, axis=0)
        better = (ran[:, None] > ran) | ((ran[:, None] == ran) & (means[:, None] > means + SUM_ERROR))
        return np.asarray(1 + better.sum(axis=0), dtype=np.int64)


def checked_values(given: Any, usual: Floats, single: str) -> Floats:
    """The values of C to choose from, ``usual`` ones by default; an error, which names the class with a ``single`` C, for others.

    Examples
    --------
    >>> checked_values([2, 5], np.ones(1), "LipschitzClassifier")
    array([2., 5.])
    """
    values = usual if given is None else np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not (values > 0).all():
        raise InvalidInput(
            f"{setting('C', given)} is not a list of values.",
            advice=f"Pass positive numbers to choose from, such as [2, 5, 25]; {single} takes a single one.",
            value=given,
        )
    return values


def _is_candidate(params: Any) -> bool:
    return isinstance(params, dict) and is_number(params.get("C")) and params["C"] > 0


def _column(values: list[Any]) -> Any:
    """The values as scikit-learn holds them: a masked array of numbers or of objects; pairs and lists stay whole."""
    if all(isinstance(value, float) for value in values):
        return np.ma.array(values, mask=False)
    column = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        column[place] = value
    return np.ma.array(column, mask=False)

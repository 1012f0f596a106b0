"""The candidates of a cross-validation and their scores: which one is best, and the table in the form of scikit-learn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Integers
from wideberth.rounding import SUM_ERROR


@dataclass(frozen=True, eq=False)
class Tried:
    r"""The parameters of each candidate, among them C, and its score in each fold.

    .. math:: \hat c = \arg\max_c \sum_f s_f(c)

    where the score :math:`s_f(c)`, such as the weighted share of right answers, is that on the objects of fold f of a model
    learned without them. Of several best candidates those with the smallest C are taken, and the first of these.

    Attributes
    ----------
    params : sequence of dict
        The parameters of each candidate.
    scores : ndarray of shape (folds, candidates)
        The scores; nan where a candidate had been dropped before.
    """

    params: Sequence[dict[str, Any]]
    scores: Floats

    @property
    def best(self) -> int:
        """The position of the best candidate.

        Examples
        --------
        >>> params = [{"C": C, "radial": radial} for radial in ("distance", "gaussian") for C in (9.0, 3.0)]
        >>> Tried(params, np.array([[0.5, 0.5, 1.0, 1.0]])).best
        3
        """
        means = self.scores.mean(axis=0)  # nan for candidates that were dropped
        leaders = np.flatnonzero(means >= np.nanmax(means) - SUM_ERROR).tolist()
        return int(min(leaders, key=lambda place: self.params[place]["C"]))

    def results(self) -> dict[str, Any]:
        """The table ``cv_results_``, with the columns of scikit-learn's GridSearchCV and a row for each candidate.

        Means and deviations are over the folds in which a candidate ran; dropped candidates rank behind those that ran in more
        folds.

        Returns
        -------
        dict
            Columns ``param_*``, ``params``, ``split*_test_score``, ``mean_test_score``, ``std_test_score`` and
            ``rank_test_score``.

        Examples
        --------
        >>> table = Tried([{"C": 2.0}, {"C": 5.0}, {"C": 9.0}], np.array([[0.5, 1.0, 0.5], [0.5, np.nan, 1.0]])).results()
        >>> table["mean_test_score"], table["rank_test_score"]
        (array([0.5 , 1.  , 0.75]), array([2, 3, 1]))
        """
        columns = {f"param_{name}": _column([candidate[name] for candidate in self.params]) for name in self.params[0]}
        folds = {f"split{number}_test_score": scores for number, scores in enumerate(self.scores)}
        summary = {
            "mean_test_score": np.nanmean(self.scores, axis=0),
            "std_test_score": np.nanstd(self.scores, axis=0),
            "rank_test_score": self._ranks(),
        }
        return {**columns, "params": list(self.params), **folds, **summary}

    def _ranks(self) -> Integers:
        """1 plus the number of better candidates: those that ran in more folds, or in as many with a larger mean."""
        ran = np.isfinite(self.scores).sum(axis=0)
        means = np.nanmean(self.scores, axis=0)
        better = (ran[:, None] > ran) | ((ran[:, None] == ran) & (means[:, None] > means + SUM_ERROR))
        return np.asarray(1 + better.sum(axis=0), dtype=np.int64)


def _column(values: list[Any]) -> Any:
    """The values as scikit-learn holds them: a masked array of numbers or of objects; pairs and lists stay whole."""
    if all(isinstance(value, float) for value in values):
        return np.ma.array(values, mask=False)
    column = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        column[place] = value
    return np.ma.array(column, mask=False)

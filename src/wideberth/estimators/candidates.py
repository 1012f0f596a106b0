"""Candidates and their scores on folds: which is best, and the table in the form of scikit-learn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wideberth.arrays import Floats, Integers
from wideberth.rounding import SUM_ERROR


@dataclass(frozen=True, eq=False)
class Tried:
    r"""The parameters of each candidate, among them C, and its score in each fold.

    .. math:: \hat c = \arg\max_c \sum_f s_f(c)

    where the score :math:`s_f(c)`, such as the weighted share of right answers, is that on the objects of fold f of what was
    learned without them. Of several best candidates those with the smallest C are taken, and the first of these. ``scores`` has
    the shape (folds, candidates), with nan where a candidate was out of the race.
    """

    params: Sequence[dict[str, Any]]
    scores: Floats

    @property
    def best(self) -> int:
        """The place of the best candidate.

        >>> params = [{"C": C, "radial": radial} for radial in ("distance", "gaussian") for C in (9.0, 3.0)]
        >>> Tried(params, np.array([[0.5, 0.5, 1.0, 1.0]])).best
        3
        """
        means = self.scores.mean(axis=0)  # nan for those that left
        leaders = np.flatnonzero(means >= np.nanmax(means) - SUM_ERROR).tolist()
        return int(min(leaders, key=lambda place: self.params[place]["C"]))

    def results(self) -> dict[str, Any]:
        """The table of ``cv_results_``: means and deviations are over the folds that ran, and who left ranks behind who stayed.

        >>> table = Tried([{"C": 2.0}, {"C": 5.0}, {"C": 9.0}], np.array([[0.5, 1.0, 0.5], [0.5, np.nan, 1.0]])).results()
        >>> table["mean_test_score"], table["rank_test_score"]
        (array([0.5 , 1.  , 0.75]), array([2, 3, 1]))
        """
        columns = {f"param_{name}": _column([each[name] for each in self.params]) for name in self.params[0]}
        folds = {f"split{number}_test_score": each for number, each in enumerate(self.scores)}
        summary = {
            "mean_test_score": np.nanmean(self.scores, axis=0),
            "std_test_score": np.nanstd(self.scores, axis=0),
            "rank_test_score": self._ranks(),
        }
        return {**columns, "params": list(self.params), **folds, **summary}

    def _ranks(self) -> Integers:
        """1 and the number of candidates that are better: that ran in more folds, or in as many with a larger mean."""
        ran = np.isfinite(self.scores).sum(axis=0)
        means = np.nanmean(self.scores, axis=0)
        better = (ran[:, None] > ran) | ((ran[:, None] == ran) & (means[:, None] > means + SUM_ERROR))
        return np.asarray(1 + better.sum(axis=0), dtype=np.int64)


def _column(values: list[Any]) -> Any:
    """The values as scikit-learn holds them: masked arrays, of numbers or of any objects, pairs and lists too."""
    if all(isinstance(each, float) for each in values):
        return np.ma.array(values, mask=False)
    column = np.empty(len(values), dtype=object)
    for place, each in enumerate(values):
        column[place] = each
    return np.ma.array(column, mask=False)

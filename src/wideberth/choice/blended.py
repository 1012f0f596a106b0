"""A weighted mean of candidates as the winner of a choice: what it showed, what it costs, and its
parts fitted on all objects.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from wideberth.array_types import Floats
from wideberth.choice.blend import Blend, BlendPart
from wideberth.choice.entries import Entry, Sampled
from wideberth.choice.mixing import BestMean, mixed
from wideberth.choice.rules import COLUMNS, is_certified
from wideberth.choice.time_limit import Budget
from wideberth.estimators.choosing.fold_answers import Fold
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.training import Training

#: By how many standard errors the log loss of a mean has to be smaller: than that of a candidate
#: which was chosen because it costs less, or more is proved of it, and than that of the best.
_SURELY, _AGAINST_THE_BEST = 1.0, 0.5


@dataclass(frozen=True, eq=False)
class Blended:
    """The mean of some candidates that beats the single winner, beside what that showed."""

    parts: list[Entry]
    mean: BestMean
    single: Entry

    @classmethod
    def of(
        cls, entries: Sequence[Entry], place: int, folds: Sequence[Fold], random_state: int | None
    ) -> Self | None:
        """The best mean of the candidates; None if it does not beat the one at ``place``, which was
        chosen, beyond noise.

        Objects that are indices have one metric; of candidates on others there is no sum.
        """
        single = entries[place]
        by_index = any(each.ground.training.metric.accepts == "indices" for each in entries)
        able = [
            each for each in entries if not by_index or each.ground.metric is single.ground.metric
        ]
        if len(able) < 2:
            return None
        left_out = np.concatenate([fold.left_out for fold in folds])
        compared = single.ground.compared
        found = mixed(
            [each.scores for each in able],
            able.index(single),
            compared.codes[left_out],
            left_out,
            compared.weights[left_out],
            random_state=random_state,
        )
        chosen_for_more = is_certified(single) or single.error > min(each.error for each in able)
        if not found.wins(_SURELY if chosen_for_more else _AGAINST_THE_BEST):
            return None
        return cls([able[each] for each in found.places], found, single)

    @property
    def title(self) -> str:
        """The parts with their weights, in words."""
        told = ", ".join(
            f"{weight:.2f} {each.title}"
            for each, weight in zip(self.parts, self.mean.weights, strict=True)
        )
        return f"a weighted mean of {len(self.parts)} models ({told})"

    @property
    def comparisons(self) -> tuple[str, ...]:
        """What the best single candidate showed."""
        gain, error = self.mean.gain
        return (
            f"Its log loss is smaller by {gain:.3f} ± {error:.3f} than that of the best of them "
            f"alone, {self.single.title}, of whose answers {self.single.error:.1%} are wrong.",
        )

    @property
    def scores(self) -> Floats:
        """Those of the objects left out, by weights that had not seen them."""
        return self.mean.scores

    @property
    def weights(self) -> Floats:
        """Those of the objects left out."""
        return self.single.weights

    @property
    def error(self) -> float:
        """The weighted share of the objects left out that it got wrong."""
        return float(self.weights @ (1.0 - self.mean.right) / self.weights.sum())

    @property
    def standard_error(self) -> float:
        """The standard error of that share."""
        shares = self.weights / self.weights.sum()
        return float(np.sqrt(np.sum((shares * (1.0 - self.mean.right - self.error)) ** 2)))

    certified = secured = None  # only asked where certificates decide

    def seconds_on_all(self, fitted: Entry) -> float:
        """How long it takes to fit the parts on all objects, but for the one that is fitted."""
        return sum(each.seconds_on_all for each in self.parts if each is not fitted)

    def row(self) -> dict[str, Any]:
        """Its row in the table of the choice."""
        trials = [each.trial for each in self.parts if each.trial is not None]
        whole = len(trials) == len(self.parts)
        known = {
            "metric": ", ".join(dict.fromkeys(each.ground.name for each in self.parts)),
            "family": "blend",
            "settings": {
                each.title: round(float(weight), 3)
                for each, weight in zip(self.parts, self.mean.weights, strict=True)
            },
            "error": self.error,
            "standard_error": self.standard_error,
            "fit_seconds": sum(each.fit_seconds for each in trials) if whole else None,
            "answer_microseconds": sum(each.answer_microseconds for each in trials)
            if whole
            else None,
            "why": "chosen: its log loss is smaller by {:.3f} ± {:.3f}".format(*self.mean.gain),
        }
        return {column: known.get(column) for column in COLUMNS}

    def fitted(
        self,
        sampled: Sampled,
        winner: MetricClassifier,
        numbered: Callable[[Training], Training],
        budget: Budget,
    ) -> Blend | None:
        """The parts, fitted on all objects as the ``winner`` is already, as one classifier; None if
        one of them then gives one label to all, and did not on folds.
        """
        metrics: list[Any] = []
        models = []
        for each in self.parts:
            model = winner if each is self.single else each.fitted_on_all(numbered, budget)
            if each is not self.single and each.sole_label(model, sampled.X) is not None:
                return None
            models.append(model)
            if not any(each.ground.metric is known.ground.metric for known in metrics):
                metrics.append(each)
        # not as they are fitted: what metrics learned from is then known
        blend = Blend.on([each.ground.metric for each in metrics])
        training = numbered(blend.admit(sampled.X, sampled.y, sampled.sample_weight))
        places = [
            next(
                place
                for place, known in enumerate(metrics)
                if known.ground.metric is each.ground.metric
            )
            for each in self.parts
        ]
        blend.take(
            [
                BlendPart(model, each.title, float(weight), calibrator, place)
                for model, each, weight, calibrator, place in zip(
                    models,
                    self.parts,
                    self.mean.weights,
                    self.mean.calibrators,
                    places,
                    strict=True,
                )
            ],
            training,
        )
        return blend

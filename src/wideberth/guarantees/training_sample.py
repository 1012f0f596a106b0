"""The sample that a model learned from, as the bounds that are computed on it need it."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.certificate import Certificate
from wideberth.classifiers.capacity import QuantisedCapacity, quantised_capacity
from wideberth.classifiers.interface import MetricClassifier
from wideberth.guarantees.occasion import Occasion
from wideberth.metrics.distance_rows import DistanceRows
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed

DRAWN = "The objects are independent and drawn like the new ones."

#: Centres with which the complexity of the sample is measured, at most: so many times n distances.
CENTRES = 512


@dataclass(frozen=True)
class TrainingSample:
    """The objects with their labels, and the ``model`` to speak of: of one that chooses by cross-validation, the chosen one.

    ``asked`` is the model that the user holds, ``reasons`` are what makes all bounds on this sample void.
    """

    asked: MetricClassifier
    model: MetricClassifier
    X: Any
    labels: NDArray[Any]
    guessing: float
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, occasion: Occasion, *reasons: str) -> "TrainingSample":
        """The sample of an occasion at which the objects are those that the model learned from."""
        chosen: Any = getattr(occasion.model, "best_estimator_", None) or occasion.model
        return cls(occasion.model, chosen, occasion.X, occasion.labels, occasion.guessing, reasons)

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Which of the objects the model gets wrong."""
        return np.asarray(self.model.predict(self.X) != self.labels)

    @cached_property
    def _placed(self) -> tuple[Any, Metric]:
        """Prepared objects that have distances between each other: rows of a matrix are its objects, if they are all of it."""
        prepared, metric = self.model._admit_queries(self.X), self.model.metric_
        if isinstance(metric, Precomputed | DistanceRows) and np.ndim(prepared) == 2 and np.array_equal(prepared, prepared.T):
            promises = {name: getattr(metric, name) for name in ("obeys_triangle", "hilbertian", "negative_type")}
            return np.arange(len(prepared)), Precomputed(prepared, **promises)
        return prepared, metric

    @property
    def objects(self) -> Any:
        """The objects, prepared by the metric."""
        return self._placed[0]

    @property
    def metric(self) -> Metric:
        """How far apart they are."""
        return self._placed[1]

    @cached_property
    def capacity(self) -> QuantisedCapacity:
        """How rich margin functions are on the sample, by cells round some of its objects."""
        count, cores = min(CENTRES, len(self)), getattr(self.model, "n_jobs", None)
        return quantised_capacity(self.objects, self.labels, self.metric, count=count, n_jobs=cores)

    def doubts(self) -> tuple[str, ...]:
        """Why a bound that compares the sample with all that could have been drawn does not hold, if so."""
        learned = self.asked._learned_from
        doubts = list(self.reasons)
        if learned is not None and not learned.count_alike:
            doubts.append("The bounds are for objects that count alike, and the model was fitted with different weights.")
        if learned is not None and learned.metric_learned:
            doubts.append(
                f"{self.model.metric_.name!r} took its parameters from these objects, and the bound needs a metric that was "
                "fixed before they were drawn. Pass the parameters."
            )
        if self.metric.eats == "indices" and np.ndim(self.objects) == 2:
            doubts.append("The distances between these objects are not known: pass the matrix in the order of fit.")
        return tuple(doubts)

    def assumed(self) -> tuple[str, ...]:
        """What all of these bounds take for granted."""
        return (DRAWN,)

    def no_other_classes(self) -> str:
        """What the complexity of margin functions takes for granted: they are fixed, with their classes, before the sample."""
        return f"There are no more than {len(self.model.classes_)} classes."


def nothing_proved(sampled: TrainingSample, kind: str, *reasons: str) -> Certificate:
    """A certificate that is void, for these reasons."""
    return Certificate(
        statement="The training objects do not prove in this way how often the classifier errs on new ones.",
        value=1.0,
        kind=kind,
        evidence={"objects": len(sampled)},
        guessing=sampled.guessing,
        void=tuple(dict.fromkeys(reasons)),
    )


def voided(certificate: Certificate, *reasons: str) -> Certificate:
    """The certificate, void for these reasons."""
    return replace(certificate, void=(*certificate.void, *reasons))

"""A separation and what follows from it: the values that all ways to choose one share."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideberth.certificate import Certificate
from wideberth.classifiers.covering import CoverPath
from wideberth.estimators.training import Training
from wideberth.geometry.matching import Matching, greedy_matching
from wideberth.geometry.nets import greedy_net
from wideberth.geometry.pick_to_learn import pick_to_learn
from wideberth.objects import sample

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

#: Ends the statement of a bound that stands alone.
NO_HOLDOUT = "No objects were held out to set beside it: this bound needs none."


@dataclass(frozen=True)
class Settings:
    """What `MarginNeighborsClassifier` was told; see there."""

    cover: str
    condense: str | None
    eta: float
    delta: float
    dimension: float | None
    holdout: float
    refit: bool
    memory: int
    n_jobs: int | None
    random_state: int

    @property
    def room(self) -> dict[str, Any]:
        """Memory and cores, as the geometry takes them."""
        return {"memory": self.memory, "n_jobs": self.n_jobs}


@dataclass(frozen=True, eq=False)
class RiskCurve:
    """The separations that were compared, and the risk of each as the chosen criterion sees it."""

    separations: Floats
    risks: Floats

    def __len__(self) -> int:
        return len(self.separations)


@dataclass(frozen=True)
class Choice:
    """A separation, why it was chosen, and the objects that answer, that were removed, and that were set aside."""

    separation: float
    kept: Indices
    removed: Indices
    held_out: Indices
    cover_path: CoverPath
    risk_curve: RiskCurve
    certificate: Certificate


def match(training: Training, settings: Settings, *, up_to: float = np.inf) -> Matching:
    """The greedy matching of objects of different classes: the covers for all separations at once."""
    return greedy_matching(
        training.objects, training.codes, training.metric, weights=training.weights, up_to=up_to, **settings.room
    )


def condensed(training: Training, stay: Indices, separation: float, settings: Settings) -> Indices:
    r"""Those of the objects that stay which are enough to answer: all of them, a net, or what pick-to-learn picks.

    What is left out is answered rightly by every neighbour at most :math:`1 + \eta` times as far as the nearest: in a net of
    radius :math:`t / (1 + \eta)` such a neighbour is nearer than t, where there are no objects of other classes.
    """
    if settings.condense is None or not len(stay):
        return stay
    objects, codes = sample.pick(training.objects, stay), training.codes[stay]
    if settings.condense == "net":
        radius = separation / (1.0 + settings.eta)
        return stay[greedy_net(objects, training.metric, radius, n_jobs=settings.n_jobs).indices]
    return stay[pick_to_learn(objects, codes, training.metric, eta=settings.eta, n_jobs=settings.n_jobs)]


def class_by_class(training: Training, kept: Indices) -> Indices:
    """The objects that answer, in the order in which the first of equally near ones does: the first class wins a tie."""
    kept = np.sort(kept)
    return kept[np.argsort(training.codes[kept], kind="stable")]


def equal_weights(training: Training) -> bool:
    """Whether all objects count alike."""
    return bool(training.weights.min() == training.weights.max())


def error_of_guessing(training: Training) -> float:
    """The share of the objects that are not of the largest class."""
    sizes = np.bincount(training.codes, weights=training.weights)
    return float(1.0 - sizes.max() / sizes.sum())


def assumed(training: Training) -> tuple[str, ...]:
    """What every bound of the error takes for granted."""
    drawn = "The objects are independent and drawn like the new ones."
    learned = f"What {training.metric.name!r} took from these objects would be the same without any one of them."
    return (drawn, learned) if training.metric_learned else (drawn,)


def no_bound(training: Training, why: str) -> Certificate:
    """A certificate that certifies nothing, and says why."""
    return Certificate(
        statement=f"No bound of the error: {why}",
        value=1.0,
        kind="none",
        confidence=None,
        assumptions=(),
        evidence={},
        guessing=error_of_guessing(training),
    )

"""What labelled objects are to a model, the sample it learned from or new to it, and what its metric may be trusted with."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wideberth.arrays import Flags
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.capacity import QuantisedCapacity, quantised_capacity
from wideberth.errors import InvalidInput
from wideberth.estimators.base import MetricClassifier
from wideberth.estimators.targets import code_targets
from wideberth.geometry.measure.sampled_axioms import broken_axioms
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.objects import sample

NOT_REMEMBERED = (
    "It cannot be known whether the model learned from these objects: it does not remember its own, because it was saved before "
    "models did, or because objects of this kind cannot be recognised. Fit it again, on texts, numbers, or lists, sets and dicts "
    "of them."
)
DRAWN = "The objects are independent and drawn like the new ones."

#: Centres with which the complexity of the sample is measured, at most: so many times n distances.
CENTRES = 512
#: Objects whose distances are measured and whose triangles are all tried.
TRIED = 60


@dataclass(frozen=True, eq=False)
class Occasion:
    """Objects X with labels, and what they are to a model: ``"training"``, ``"new"``, or ``"neither"`` for ``reasons``.

    ``known`` of them are among the objects that it learned from.
    """

    model: MetricClassifier
    X: Any
    labels: NDArray[Any]
    kind: Literal["training", "new", "neither"]
    known: int = 0
    reasons: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def wrong(self) -> Flags:
        """Which of them the model gets wrong."""
        return np.asarray(self.model.predict(self.X) != self.labels)

    @property
    def guessing(self) -> float:
        """The share of the objects that are not of the largest class."""
        _, sizes = np.unique(self.labels, return_counts=True)
        return float(1.0 - sizes.max() / sizes.sum())


def recognise(model: MetricClassifier, X: Any, y: Any) -> Occasion:
    """Find out what X and y are to the model.

    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> [recognise(model, [each], ["soft"]).kind for each in ("tea", "milk")]
    ['neither', 'new']
    >>> recognise(model, ["rum", "tea"], ["hard", "soft"]).kind
    'training'
    """
    digests = model._digests(X)
    held = sample.hold(y)
    labels = _checked_labels(model, y, sample.count(held) if digests is None else len(digests))
    learned = model._learned_from
    if digests is None or learned is None:
        return Occasion(model, X, labels, "neither", 0, (NOT_REMEMBERED,))
    known = learned.knows(digests)
    if not known.any():
        return Occasion(model, X, labels, "new")
    if learned.is_labelled(digests, labels):
        return Occasion(model, X, labels, "training", len(labels))
    if learned.is_all(digests):
        reason = "These are the objects that the model learned from, but with other labels than it was told."
    elif known.all():
        reason = (
            f"All {len(labels):,} objects are among the {len(learned):,} that the model learned from. Pass new objects; or all "
            "of those that it learned from, for what they prove themselves."
        )
    else:
        first = int(known.argmax())
        reason = (
            f"{known.sum():,} of {len(labels):,} objects are among those that the model learned from, such as object {first}, "
            f"{_shown(X, first)}. Leave them out: what the others prove is about objects that the model has not seen."
        )
    return Occasion(model, X, labels, "neither", int(known.sum()), (reason,))


def _checked_labels(model: MetricClassifier, y: Any, n: int) -> NDArray[Any]:
    coded = code_targets(y, n)
    if not n:
        raise InvalidInput("There are no objects to certify the model on.", advice="Pass one at least.", value=0)
    labels: NDArray[Any] = coded.classes[coded.codes]
    if (labels.dtype.kind in "US") != (model.classes_.dtype.kind in "US") or not np.isin(coded.classes, model.classes_).any():
        raise InvalidInput(
            f"None of the labels is one that the model knows: {sample.shown(coded.classes.tolist())} beside "
            f"{sample.shown(model.classes_.tolist())}.",
            advice="Pass the labels in the words that it was fitted with.",
            value=coded.classes,
        )
    return labels


def _shown(X: Any, position: int) -> str:
    held = sample.one_by_one(sample.hold(X))
    each = sample.pick_one(held, position)
    return sample.shown(each.tolist() if isinstance(each, np.ndarray | np.generic) else each)


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
    def wrong(self) -> Flags:
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
        if self.metric.accepts == "indices" and np.ndim(self.objects) == 2:
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


def metric_doubts(objects: Any, metric: Metric) -> tuple[str, ...]:
    """Why a bound that needs a metric does not hold: a broken axiom, with its witness, or no promise; empty if nothing is wrong.

    Promises are tried too: a metric that breaks its word is found out if it does so often.

    >>> metric_doubts(np.array([[0.0], [1.0], [2.0]]), Metric(lambda a, b: (a - b.T) ** 2, name="squared", obeys_triangle=True))
    ("'squared' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).",)
    """
    broken = violations_on_sample(objects, metric)
    if broken:
        return tuple(each.describe(metric.name) for each in broken)
    if metric.obeys_triangle:
        return ()
    said = "does not obey" if metric.obeys_triangle is False else "does not promise to obey"
    return (f"{metric.name!r} {said} the triangle inequality, which this needs.",)


def violations_on_sample(objects: Any, metric: Metric) -> list[Violation]:
    """The axioms that prepared objects break, promised or not, tried on 60 of them drawn at random, always the same ones."""
    return broken_axioms(objects, metric, most=TRIED, random_state=0)

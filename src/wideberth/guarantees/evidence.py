"""What labelled objects are to a model, its training sample or new to it, and which assumptions
about its metric are violated.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wideberth.array_types import Flags, Floats, Indices
from wideberth.certificate import Certificate
from wideberth.classifiers.margin_neighbors.quantisation import (
    QuantisedCapacity,
    quantised_capacity,
)
from wideberth.errors import InvalidInput
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import code_targets
from wideberth.estimators.training import learned_metric_doubt
from wideberth.geometry.measure.sampled_axioms import broken_axioms
from wideberth.guarantees.newness import (
    DistancesToKept,
    Given,
    examine_newness,
    repeats_allowed,
    taught_the_metric,
    unknown_teachers,
)
from wideberth.metrics.axioms import Violation
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import DistanceRows, Precomputed
from wideberth.objects import sample

# ---- Which assumptions of a bound a metric violates on some objects

#: How many objects the axioms of a metric are tried on, in all their triangles.
TRIED = 60


def metric_doubts(objects: Any, metric: Metric, numbers: Indices | None = None) -> tuple[str, ...]:
    """The reasons why a bound that needs a metric does not hold on prepared objects: a broken axiom
    with its witness, called by its ``numbers`` if they are given, or a missing promise.

    Promises are tried too: a metric that often breaks its promise is detected.

    Examples
    --------
    >>> import numpy as np
    >>> metric_doubts(
    ...     np.array([[0.0], [1.0], [2.0]]),
    ...     Metric(lambda a, b: (a - b.T) ** 2, name="squared", obeys_triangle=True),
    ... )
    ("'squared' breaks the triangle inequality at objects 0, 1, 2: d(0, 2) = 4 > 1 + 1 = d(0, 1) + d(1, 2).",)
    """
    broken = violations_on_sample(objects, metric)
    if broken:
        named = broken if numbers is None else [violation.at(numbers) for violation in broken]
        return tuple(violation.describe(metric.name) for violation in named)
    if metric.obeys_triangle:
        return ()
    status = "does not obey" if metric.obeys_triangle is False else "does not promise to obey"
    return (f"{metric.name!r} {status} the triangle inequality, which this needs.",)


def violations_on_sample(objects: Any, metric: Metric) -> list[Violation]:
    """The axioms that prepared objects break, promised or not, tried on 60 of them that are drawn
    with a fixed seed.

    Examples
    --------
    >>> import numpy as np
    >>> squared = Metric(
    ...     lambda left, right: (left - right.T) ** 2, name="squared", obeys_triangle=True
    ... )
    >>> [
    ...     violation.axiom
    ...     for violation in violations_on_sample(np.array([[0.0], [1.0], [2.0]]), squared)
    ... ]
    ['triangle']
    """
    return broken_axioms(objects, metric, most=TRIED, random_state=0)


NOT_REMEMBERED = (
    "It cannot be known whether the model learned from these objects: it does not remember its "
    "own, because objects of this kind cannot be recognised. Fit it again, on texts, numbers, or "
    "lists, sets and dicts of them."
)
DRAWN = "The objects are independent and drawn like the new ones."
CUT = (
    "The sample was cut in two at random before anything was learned or chosen; its order means "
    "nothing."
)

#: How many centres the complexity of a sample is measured with, at most; it takes as many times n
#: distances.
CENTRES = 512


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """Objects with labels as the user passed them, and whether a model learned from them: how many
    of them are ``known``, the reasons why they are "neither", and what has to be assumed of those
    that are "new".
    """

    model: MetricClassifier
    X: Any
    labels: NDArray[Any]
    kind: Literal["training", "new", "neither"]
    known: int = 0
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def wrong(self) -> Flags:
        """Which of the objects the model gets wrong, shape (n,)."""
        return np.asarray(self.model.predict(self.X) != self.labels)

    @property
    def guessing(self) -> float:
        """The error of always guessing the largest class of the sample."""
        _, sizes = np.unique(self.labels, return_counts=True)
        return float(1.0 - sizes.max() / sizes.sum())

    def radii(self, unit: str | None) -> Floats:
        """The certified radius of each object, in a unit; `NotCertified` where the model proves
        none.
        """
        return self.model.certified_radius(self.X, unit)

    def doubts(self) -> tuple[str, ...]:
        """Why the metric of the model does not allow radii, `metric_doubts` of the objects; empty
        if it does.
        """
        return metric_doubts(self.model.admit_queries(self.X), self.model.metric_)


class Familiarity(NamedTuple):
    """What labelled objects are to a model; the fields are those of `LabelledSample`."""

    kind: Literal["training", "new", "neither"]
    known: int = 0
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def recognise(
    model: MetricClassifier, X: Any, y: Any, *, independent: bool = False
) -> LabelledSample:
    """Find out whether a model learned from the objects X with the labels y, by digests and
    distances (`examine_newness`); ``independent`` declares that all objects, the training objects
    too, were drawn independently.

    They are of the kind "training" only if all training objects are there, each as often as in fit,
    with the labels of fit, in any order. An `InvalidInput` if there are no objects, or none of the
    labels is a class of the model.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> [recognise(model, [drink], ["soft"]).kind for drink in ("tea", "milk")]
    ['neither', 'new']
    >>> recognise(model, ["rum", "tea"], ["hard", "soft"]).kind
    'training'
    """
    prepared, given = given_to(model, X)
    labels = checked_labels(model, y, sample.count(prepared))
    return LabelledSample(
        model, X, labels, *familiarity(model, labels, given, independent=independent)
    )


def given_to(model: MetricClassifier, X: Any) -> tuple[Any, Given | None]:
    """The objects as the metric of a model prepares them, and what they are recognised by; None if
    they cannot be.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> len(
    ...     given_to(
    ...         NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]), ["milk"]
    ...     )[1]
    ... )
    1
    """
    prepared, checked = model.admit_with_given(X)
    learned = model.learned_from_
    digests = None if learned is None else model.metric_.all_digests(checked, prepared)
    if digests is None or learned is None:
        return prepared, None
    return prepared, Given(
        partial(_shown, X), partial(DistancesToKept.of_some, model, prepared, len(learned)), digests
    )


def set_aside(model: MetricClassifier, X: Any, y: Any, metric: Any) -> LabelledSample:
    """Objects that the library itself cut off at random before the model was fitted: see
    `familiarity_of_cut`.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> found = set_aside(model, ["tea", "ale"], ["soft", "hard"], "levenshtein")
    >>> found.kind, found.notes[-1]
    ('new', '1 of these 2 objects also occur in the training data; that is allowed if all were drawn independently.')
    """
    prepared, given = given_to(model, X)
    labels = checked_labels(model, y, sample.count(prepared))
    return LabelledSample(model, X, labels, *familiarity_of_cut(model, given, metric))


def familiarity_of_cut(model: MetricClassifier, given: Given | None, metric: Any) -> Familiarity:
    """What objects are to a model that the library cut off at random before it was fitted: new,
    whatever they repeat.

    They are new even if they cannot be recognised, or equal training objects: the cut is disjoint
    by construction. Only a metric that took its parameters from them before the cut makes them a
    part of the model. ``metric`` is what the user passed, one or several.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> familiarity_of_cut(model, None, "levenshtein").kind
    'new'
    """
    learned = model.learned_from_
    if given is not None and learned is not None:
        found, repeats = (
            taught_the_metric(model, learned, given),
            learned.knows_in_disguise(given.digests).sum(),
        )
        notes = (CUT, *repeats_allowed(int(repeats), len(given)))
        return Familiarity("neither" if found.reasons else "new", found.known, found.reasons, notes)
    passed = metric if isinstance(metric, list | tuple) else [metric]
    if any(isinstance(each, Metric) and each.taught_by is not None for each in passed):
        return Familiarity("neither", 0, (unknown_teachers(model.metric_.name),))
    return Familiarity("new", notes=(CUT,))


def familiarity(
    model: MetricClassifier, labels: NDArray[Any], given: Given | None, *, independent: bool = False
) -> Familiarity:
    """What objects with these labels are to a model, by their digests and distances; None if they
    cannot be recognised.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> model = NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    >>> familiarity(model, np.array(["soft"]), None).kind
    'neither'
    """
    learned = model.learned_from_
    if given is None or learned is None:
        return Familiarity("neither", 0, (NOT_REMEMBERED,))
    if learned.is_labelled(given.digests.exact, labels):
        return Familiarity("training", len(labels))
    if learned.is_all(given.digests.exact):
        reason = (
            "These are the objects that the model learned from, but their labels are not those of "
            "fit."
        )
        return Familiarity("neither", len(labels), (reason,))
    found = examine_newness(model, learned, given, independent=independent)
    return Familiarity(
        "neither" if found.reasons else "new", found.known, found.reasons, found.notes
    )


def checked_labels(model: MetricClassifier, y: Any, n: int) -> NDArray[Any]:
    """The labels of n objects; at least one of them has to be a class of the model.

    Examples
    --------
    >>> from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
    >>> checked_labels(
    ...     NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"]),
    ...     ["hard", "wet"],
    ...     2,
    ... ).tolist()
    ['hard', 'wet']
    """
    coded = code_targets(y, n)
    if not n:
        raise InvalidInput(
            "There are no objects to certify the model on.", advice="Pass at least one.", value=0
        )
    labels: NDArray[Any] = coded.classes[coded.codes]
    if (labels.dtype.kind in "US") != (model.classes_.dtype.kind in "US") or not np.isin(
        coded.classes, model.classes_
    ).any():
        raise InvalidInput(
            f"None of the labels is a class of the model: {sample.shown(coded.classes.tolist())} "
            f"beside {sample.shown(model.classes_.tolist())}.",
            advice="Pass labels as they were passed to fit.",
            value=coded.classes,
        )
    return labels


def _shown(X: Any, position: int) -> str:
    """An object of X for a message."""
    held = sample.one_by_one(sample.hold(X))
    witness = sample.pick_one(held, position)
    return sample.shown(
        witness.tolist() if isinstance(witness, np.ndarray | np.generic) else witness
    )


@dataclass(frozen=True)
class TrainingSample:
    """The training objects with their labels, for bounds that a model proves on its own training
    sample; ``reasons`` make all of them void.

    Of a classifier that chooses by cross-validation, ``given``, the chosen one is the ``model``;
    otherwise they are the same.
    """

    given: MetricClassifier
    model: MetricClassifier
    X: Any
    labels: NDArray[Any]
    guessing: float
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, labelled: LabelledSample, *reasons: str) -> "TrainingSample":
        """The training sample from labelled objects of the kind "training"."""
        return cls(
            labelled.model,
            labelled.model.answering,
            labelled.X,
            labelled.labels,
            labelled.guessing,
            reasons,
        )

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def wrong(self) -> Flags:
        """Which of the objects the model gets wrong, shape (n,)."""
        return np.asarray(self.model.predict(self.X) != self.labels)

    @cached_property
    def _objects_and_metric(self) -> tuple[Any, Metric]:
        """Prepared objects that have distances between each other, and their metric.

        Rows of a symmetric matrix of distances become row numbers, with the matrix as metric.
        """
        prepared, metric = self.model.admit_queries(self.X), self.model.metric_
        if (
            isinstance(metric, Precomputed | DistanceRows)
            and np.ndim(prepared) == 2
            and np.array_equal(prepared, prepared.T)
        ):
            promises = {
                name: getattr(metric, name)
                for name in ("obeys_triangle", "hilbertian", "negative_type")
            }
            return np.arange(len(prepared)), Precomputed(prepared, **promises)
        return prepared, metric

    @property
    def objects(self) -> Any:
        """The objects, prepared by the metric."""
        return self._objects_and_metric[0]

    @property
    def metric(self) -> Metric:
        """The metric between the objects."""
        return self._objects_and_metric[1]

    @cached_property
    def capacity(self) -> QuantisedCapacity:
        """A bound of the Rademacher average of margin functions on the sample, by cells round some
        of its objects.
        """
        count, cores = min(CENTRES, len(self)), getattr(self.model, "n_jobs", None)
        return quantised_capacity(self.objects, self.labels, self.metric, count=count, n_jobs=cores)

    def doubts(self) -> tuple[str, ...]:
        """The reasons why a bound that compares the sample with other draws does not hold; empty if
        there is none.

        Such bounds need objects of equal weight, a metric that was fixed before the sample was
        drawn, and known distances between the objects.
        """
        learned = self.given.learned_from_
        doubts = list(self.reasons)
        if learned is not None and not learned.count_alike:
            doubts.append(
                "The bounds need objects of equal weight, and the model was fitted with different "
                "weights."
            )
        if learned is not None and learned.metric_learned:
            doubts.append(learned_metric_doubt(self.model.metric_.name))
        if self.metric.accepts == "indices" and np.ndim(self.objects) == 2:
            doubts.append(
                "The distances between these objects are not known: pass the matrix in the order "
                "of fit."
            )
        return tuple(doubts)

    def assumed(self) -> tuple[str, ...]:
        """The assumptions of all bounds on the training sample."""
        learned = self.given.learned_from_
        repeats = 0 if learned is None else learned.repeats()
        return (DRAWN, *repeats_allowed(repeats, len(self), "equal others of them"))

    def no_other_classes(self) -> str:
        """The assumption of bounds that measure margin functions: their classes are fixed before
        the sample is drawn.
        """
        return f"There are no more than {len(self.model.classes_)} classes."

    def metric_doubts(self) -> tuple[str, ...]:
        """The reasons why a bound that needs a metric does not hold; empty if it does
        (`metric_doubts`).
        """
        return metric_doubts(self.objects, self.metric)

    def violations(self) -> list[Violation]:
        """The axioms that the objects break (`violations_on_sample`)."""
        return violations_on_sample(self.objects, self.metric)

    def nothing_proved(self, kind: str, *reasons: str) -> Certificate:
        """A certificate of this kind that is void for the given reasons."""
        return Certificate(
            statement="The training objects do not prove in this way how often the classifier errs "
            "on new ones.",
            value=1.0,
            kind=kind,
            evidence={"objects": len(self)},
            guessing=self.guessing,
            void=tuple(dict.fromkeys(reasons)),
        )

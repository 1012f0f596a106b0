"""The training sample: checked objects, equal ones merged, a distance examined on it, and what is
remembered of it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from wideberth.array_types import Flags, Floats, Indices, Sample
from wideberth.errors import BrokenAxiomWarning, InvalidInput, warn_user
from wideberth.geometry.classes.duplicates import group_equal
from wideberth.geometry.measure.remembered_distances import (
    IndexedSample,
    MeasuredOnce,
    PairTable,
)
from wideberth.geometry.measure.sampled_axioms import broken_triangle, try_promises
from wideberth.geometry.space.space import SpaceMetric, themselves
from wideberth.metrics import axioms
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.objects.digests import Digests, joint_digest, object_digests
from wideberth.objects.disguises import ROUNDINGS, ObjectDigests, ShortDigests
from wideberth.wording import python

# ---- What a classifier remembers of its training objects, to recognise them later: digests of the
# objects and of their
#      labels


@dataclass(frozen=True, eq=False)
class Learned:
    """Digests of the objects that a classifier learned from, 8 bytes each, and one digest for all
    of them with their labels.
    """

    #: The digest of each object, sorted, shape (n,).
    objects: Digests
    #: The digest of all objects with their labels, in any order.
    all_labelled: int
    #: Whether all objects had the same weight.
    count_alike: bool
    #: Whether the metric took parameters from them.
    metric_learned: bool
    #: Whether the parameters of the classifier were chosen by cross-validation on them.
    searched: bool = False
    #: ``alike``, ``texts``, ``rounded``, ``cut``: digests by which training objects are recognised
    #: in disguise, one for each different object, sorted, as
    #: `wideberth.objects.disguises.ObjectDigests` describes them; ``rounded`` has a row for each
    #: way to round.
    alike: Digests | None = None
    texts: Digests | None = None
    rounded: ShortDigests | None = None
    cut: ShortDigests | None = None
    #: The digests, sorted, of the objects from which the metric took parameters before `fit`; None
    #: if it took none, empty if they are not known.
    metric_objects: Digests | None = None

    @classmethod
    def of(
        cls,
        digests: ObjectDigests,
        labels: NDArray[Any],
        weights: Floats,
        *,
        metric_learned: bool,
        taught_by: Digests | None = None,
    ) -> Self:
        """Remember objects by their digests."""
        count_alike = bool(weights.min() == weights.max())
        before = None if metric_learned or taught_by is None else np.unique(taught_by)
        if before is not None:
            metric_learned = not len(before) or bool(np.isin(digests.exact, before).any())
        labelled = joint_digest(digests.exact, label_digests(labels))
        different = digests[np.unique(digests.exact, return_index=True)[1]]
        return cls(
            np.sort(digests.exact),
            labelled,
            count_alike,
            metric_learned,
            alike=None if different.alike is None else np.sort(different.alike),
            texts=None if different.texts is None else np.sort(different.texts),
            rounded=None if different.rounded is None else np.sort(different.rounded.T, axis=1),
            cut=None if different.cut is None else np.sort(different.cut),
            metric_objects=before,
        )

    def __len__(self) -> int:
        return len(self.objects)

    def knows(self, digests: Digests) -> Flags:
        """Which objects were among those learned from, as they are, by their exact digests; shape
        (n,).
        """
        return np.isin(digests, self.objects)

    def knows_in_disguise(self, digests: ObjectDigests) -> Flags:
        """Which objects were among those learned from, as they are or with the same plain texts;
        shape (n,).
        """
        known = self.knows(digests.exact)
        if self.texts is None or digests.texts is None:
            return known
        return np.asarray(known | np.isin(digests.texts, self.texts))

    def repeats(self) -> int:
        """How many of the objects learned from equal another one of them, by their digests.

        Examples
        --------
        >>> digests = ObjectDigests(np.array([7, 5, 7], dtype=np.uint64))
        >>> Learned.of(
        ...     digests, np.array(["a", "b", "a"]), np.ones(3), metric_learned=False
        ... ).repeats()
        2
        """
        return repeated(self.objects)

    def is_all(self, digests: Digests) -> bool:
        """Whether they are exactly the objects learned from, each as often as in fit, in any
        order.
        """
        return np.array_equal(np.sort(digests), self.objects)

    def is_labelled(self, digests: Digests, labels: NDArray[Any]) -> bool:
        """Whether they are exactly the objects learned from, with the labels of fit."""
        return (
            self.is_all(digests)
            and joint_digest(digests, label_digests(labels)) == self.all_labelled
        )

    def plain(self) -> dict[str, Any]:
        """Plain values for a model file."""
        return vars(self) | {"all_labelled": format(self.all_labelled, "016x")}

    @classmethod
    def from_plain(cls, plain: Any) -> Self | None:
        """Restore what `plain` returned; None for None, of a model whose objects cannot be
        recognised.

        Examples
        --------
        >>> Learned.from_plain(None) is None
        True
        """
        match plain:
            case None:
                return None
            case {
                "objects": np.ndarray(ndim=1) as objects,
                "all_labelled": str(total),
                "count_alike": bool(alike),
                "metric_learned": bool(learned),
                "searched": bool(searched),
                **rest,
            } if (
                set(rest) == set(_STORED) - {"objects"}
                and len(objects)
                and _is_digest(total)
                and all(_are_sorted(plain[name], *kind) for name, kind in _STORED.items())
            ):
                others: dict[str, Any] = {str(name): value for name, value in rest.items()}
                return cls(objects, int(total, 16), alike, learned, searched, **others)
        raise InvalidInput(
            "What the model remembers of its training objects is damaged.",
            value=type(plain).__name__,
        )


def _is_digest(text: str) -> bool:
    return re.fullmatch("[0-9a-f]{16}", text) is not None


def repeated(digests: Digests | ShortDigests) -> int:
    """How many of the digests, in any order, occur more than once.

    Examples
    --------
    >>> repeated(np.array([3, 4, 3, 3], dtype=np.uint64))
    3
    """
    _, counts = np.unique(digests, return_counts=True)
    return int(counts[counts > 1].sum())


def learned_metric_doubt(name: str) -> str:
    """Why the objects from which a metric took its parameters prove nothing about it: the same
    sentence for every bound.

    Examples
    --------
    >>> learned_metric_doubt("gower").startswith("'gower' took its parameters from these objects")
    True
    """
    return (
        f"{name!r} took its parameters from these objects, and the bound needs a metric that was "
        "fixed before they were drawn. Pass the parameters."
    )


#: The digests in a model file: how many numbers tell which one it is, and their type.
_STORED: dict[str, tuple[tuple[int, ...], type]] = {
    "objects": ((), np.uint64),
    "alike": ((), np.uint64),
    "texts": ((), np.uint64),
    "rounded": ((len(ROUNDINGS),), np.uint32),
    "cut": ((), np.uint32),
    "metric_objects": ((), np.uint64),
}


def _are_sorted(digests: Any, rows: tuple[int, ...], kind: type) -> bool:
    """Whether these are digests in increasing order, in so many rows, or None."""
    return digests is None or (
        isinstance(digests, np.ndarray)
        and digests.ndim == 1 + len(rows)
        and digests.shape[:-1] == rows
        and digests.dtype == kind
        and bool((digests[..., 1:] >= digests[..., :-1]).all())
    )


def label_digests(labels: NDArray[Any]) -> Digests:
    """The digest of each label; whole numbers and floats of the same value have the same digest.

    Examples
    --------
    >>> bool((label_digests(np.array([1, 2])) == label_digests(np.array([1.0, 2.0]))).all())
    True
    """
    classes, codes = np.unique(labels, return_inverse=True)
    digests = object_digests(sample.hold(classes.tolist()))
    assert digests is not None  # labels are numbers, texts or truth values
    return digests[codes]


class Admitted(NamedTuple):
    """Objects to learn from, checked."""

    #: Prepared by the metric.
    objects: Sample
    #: The metric, bound to the objects.
    metric: Metric
    #: Whether the metric took parameters from the objects (`wideberth.Metric.fitted`).
    metric_learned: bool
    #: X after the checks of scikit-learn, not prepared.
    given: Sample


@dataclass(frozen=True)
class Training:
    """What a classifier learns from.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> training = Training(
    ...     np.eye(3), metric("euclidean"), np.array([0, 1, 1]), np.ones(3), 2, np.arange(3), 3
    ... )
    >>> training.part(np.array([0, 2])).codes
    array([0, 1])
    """

    #: Prepared objects, those of a positive weight.
    objects: Sample
    #: How far apart they are.
    metric: Metric
    #: The code of each object's class, 0 to n_classes - 1, shape (n,).
    codes: Indices
    #: Positive weights, shape (n,).
    weights: Floats
    #: The number of classes.
    n_classes: int
    #: Where each of them was in the X of fit, shape (n,).
    positions: Indices
    #: The number of objects in X, with those of weight 0.
    n_given: int
    #: Whether the metric took parameters from the objects (`wideberth.Metric.fitted`).
    metric_learned: bool = False
    #: Whether the metric took parameters from their labels too, so that whoever leaves some of them
    #: out teaches it anew (`taught_by`).
    labels_taught: bool = False
    #: Whether their distances, or those of a sample that they are part of, were examined before
    #: (`examine_distance`).
    examined: bool = False
    #: Keeps the distances for as long as this training sample, or a part of it, is in use
    #: (`measure_once`).
    table: PairTable | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def part(self, chosen: Indices) -> "Training":
        """The training sample of some of the objects, with the same classes; positions count within
        this part.
        """
        return replace(
            self,
            objects=sample.pick(self.objects, chosen),
            codes=self.codes[chosen],
            weights=self.weights[chosen],
            positions=np.arange(len(chosen)),
            n_given=len(chosen),
        )

    def taught_by(self, known: Indices) -> "Training":
        """The same objects under the metric that the labels of some of them alone have taught, so
        that it tells nothing of the others' labels; itself if no labels taught its metric.

        Examples
        --------
        >>> from wideberth.metrics.named import metric
        >>> rows, codes = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
        >>> taught = metric("forest", n_trees=5).taught(rows, codes)
        >>> training = Training(
        ...     *(taught.prepare(rows), taught, codes, np.ones(20), 2, np.arange(20), 20),
        ...     labels_taught=True,
        ... )
        >>> training.taught_by(np.arange(0, 20, 2)).metric is taught
        False
        """
        if not self.labels_taught:
            return self
        plain = self.without_table()
        some = sample.pick(plain.objects, known)
        return plain.under(plain.metric.taught_anew(some, self.codes[known], self.weights[known]))

    def without_table(self) -> "Training":
        """The same objects under their metric itself, which measures what is asked for."""
        objects, metric = themselves(self.objects, self.metric)
        return replace(self, objects=objects, metric=metric, table=None)

    def under(self, metric: Metric) -> "Training":
        """The same objects under another metric of their kind."""
        plain = self.without_table()
        return replace(plain, objects=metric.prepare(plain.objects), metric=metric)

    def in_a_table(
        self, max_memory: int, n_jobs: int | None, known: Floats | None = None
    ) -> "Training":
        """The same objects with a table that keeps their distances, or those that are known
        already.

        Examples
        --------
        >>> from wideberth.metrics.named import metric
        >>> training = Training(
        ...     np.eye(3), metric("euclidean"), np.array([0, 1, 1]), np.ones(3), 2, np.arange(3), 3
        ... )
        >>> training.in_a_table(10**6, 1, np.zeros((3, 3))).table.calls
        0
        """
        table = PairTable(len(self), self.metric, max_memory=max_memory, n_jobs=n_jobs, known=known)
        objects = IndexedSample(self.objects, table, np.arange(len(self)))
        return replace(self, objects=objects, metric=MeasuredOnce(self.metric, table), table=table)

    def at(self, positions: Indices, n_given: int) -> "Training":
        """The same sample, where X was cut out of a larger one: ``positions`` says where each
        object of X was in that.
        """
        return replace(self, positions=positions[self.positions], n_given=n_given)


@dataclass(frozen=True)
class Merged:
    """The training objects with equal objects of the same class merged into one, their weights
    added.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> points, codes = np.array([[5.0], [1.0], [5.0]]), np.array([0, 1, 0])
    >>> training = Training(points, metric("euclidean"), codes, np.ones(3), 2, np.arange(3), 3)
    >>> merged = merge_equal(training, np.array(["a", "b"]), None)
    >>> merged.objects.ravel(), merged.weights, merged.group_of
    (array([1., 5.]), array([1., 2.]), array([1, 0, 1]))
    """

    #: One object for each group of equal ones, prepared.
    objects: Sample
    #: ``codes``, ``weights``: shape (m,): the code of its class; the sum of the weights in the
    #: group, times the weight of the class.
    codes: Indices
    weights: Floats
    #: The group of each training object, shape (n,).
    group_of: Indices

    def __len__(self) -> int:
        return len(self.codes)

    def positions(self, training: Training) -> Indices:
        """For each group, where its first object was in X."""
        return training.positions[np.unique(self.group_of, return_index=True)[1]]

    def spread(self, values: Floats, training: Training) -> Floats:
        """Distribute a value of each group over the objects of X, in proportion to their weights; 0
        for objects of weight 0.
        """
        out = np.zeros(training.n_given)
        out[training.positions] = (values / self.given_weights(training))[
            self.group_of
        ] * training.weights
        return out

    def given_weights(self, training: Training) -> Floats:
        """The sum of the sample weights of each group, without the weights of the classes."""
        return np.asarray(np.bincount(self.group_of, weights=training.weights), dtype=np.float64)

    def no_hard_margin(
        self, training: Training, classes: NDArray[Any], *equal: int
    ) -> InvalidInput:
        """The error for two equal objects of different classes, which no margin separates;
        ``equal`` are their groups.
        """
        firsts = sorted(int(np.flatnonzero(self.group_of == group)[0]) for group in equal)
        one, other = (int(training.positions[first]) for first in firsts)
        labels = classes[training.codes[firsts]].tolist()
        return InvalidInput(
            f"Objects {one} ({labels[0]!r}) and {other} ({labels[1]!r}) are equal, their labels "
            "differ: there is no hard margin.",
            advice="Take a finite C, which pays for one of them, or correct the labels.",
            witness=(one, other),
            value=labels,
        )


def weigh_classes(training: Training, classes: NDArray[Any], class_weight: Any) -> Training:
    """The same training sample with weights times the weight of the class.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> training = Training(
    ...     np.eye(3), metric("euclidean"), np.array([0, 1, 1]), np.ones(3), 2, np.arange(3), 3
    ... )
    >>> weigh_classes(training, np.array(["a", "b"]), {"a": 4}).weights
    array([4., 1., 1.])
    """
    if class_weight is None:
        return training
    weights = class_weights(classes[training.codes], classes, class_weight)
    return replace(training, weights=training.weights * weights[training.codes])


def merge_equal(
    training: Training, classes: NDArray[Any], class_weight: Any, first_equal: Indices | None = None
) -> Merged:
    """Merge equal objects of the same class, and multiply weights by those of the classes.

    ``first_equal`` is a number for each object that it shares with equal objects only; without it
    they are searched for. Vectors are sorted by their coordinates, other objects stay in the order
    of the sample.
    """
    of_classes = class_weights(classes[training.codes], classes, class_weight)
    group_keys = (
        group_equal(training.objects, training.metric).group_of
        if first_equal is None
        else first_equal
    )
    keys = group_keys * training.n_classes + training.codes
    _, first, group_of = np.unique(keys, return_index=True, return_inverse=True)
    order = _canonical_order(sample.pick(training.objects, first), training.metric)
    weights = np.bincount(group_of, weights=training.weights * of_classes[training.codes])
    chosen = first[order]
    return Merged(
        sample.pick(training.objects, chosen),
        training.codes[chosen],
        np.asarray(weights[order], dtype=np.float64),
        np.argsort(order)[group_of],
    )


def class_weights(labels: NDArray[Any], classes: NDArray[Any], class_weight: Any) -> Floats:
    """The weight of each class, positive and finite: without weight a class has no price, and C no
    unit.

    Examples
    --------
    >>> class_weights(np.array(["a", "b", "b", "b"]), np.array(["a", "b"]), "balanced").round(2)
    array([2.  , 0.67])
    """
    balance: Any = compute_class_weight(class_weight, classes=classes, y=labels)
    weights = np.asarray(balance, dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(wrong):
        label, weight = classes[wrong[0]].item(), float(weights[wrong[0]])
        raise InvalidInput(
            f"class_weight leaves no weight to the class {label!r}: it is {weight:g}.",
            advice="Give it a positive finite one, or leave its objects out.",
            witness=label,
            value=class_weight,
        )
    return weights


def _canonical_order(objects: Sample, metric: Metric) -> Indices:
    """The lexicographic order of vectors; other objects stay in the order of the sample.

    So the same one of several optima is found if vectors are reordered.
    """
    objects, measure = themselves(objects, metric)
    objects = measure.prepare(objects)
    if isinstance(objects, np.ndarray) and objects.ndim == 2:
        return np.lexsort(objects.T[::-1]).astype(np.intp)
    return np.arange(sample.count(objects))


def examine_promises(objects: Sample, metric: Metric) -> None:
    """Try what the user has promised about a metric on some objects, or once on those of a space;
    raise an error if it is false. Of a matrix of distances of which nothing is promised, warn if it
    is not symmetric or not 0 on the diagonal.

    Examples
    --------
    >>> examine_promises(
    ...     np.array([[0.0], [1.0]]),
    ...     Metric(lambda left, right: abs(left - right.T), obeys_triangle=True),
    ... )
    """
    if isinstance(metric, SpaceMetric):
        metric.space.try_promises()
    else:
        try_promises(objects, metric)
    if isinstance(metric, Precomputed) and not metric.obeys_triangle:
        for find in (axioms.find_nonzero_self, axioms.find_asymmetry):
            violation = find(metric.matrix)
            if violation is not None:
                warn_user(
                    f"{violation.describe(metric.name)} The rows are taken as they are; "
                    f"{python('wideberth.diagnose')} shows what else is odd.",
                    BrokenAxiomWarning,
                )


def examine_distance(training: Training, *, random_state: int | None) -> None:
    """Raise an error for a distance that breaks a basic axiom; warn, with the witness, if only the
    triangle inequality breaks.

    `wideberth.geometry.measure.sampled_axioms.broken_triangle` explains which objects are examined.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> training = Training(
    ...     np.eye(2), metric("euclidean"), np.array([0, 1]), np.ones(2), 2, np.arange(2), 2
    ... )
    >>> examine_distance(training, random_state=0)  # promised, so nothing is tried
    """
    metric = training.metric
    if training.examined or metric.obeys_triangle:
        return
    broken = broken_triangle(training.objects, metric, random_state=random_state)
    if broken is not None:
        warn_user(
            f"{broken.describe(metric.name)} The scores are still those of the best program, and "
            "labels can be predicted; but they need not be Lipschitz, so margins mean less and no "
            "radius is certified.",
            BrokenAxiomWarning,
        )


def refuse_broken_axioms(distances: Floats, metric: Metric, positions: Indices) -> None:
    """Raise an error for distances of all pairs that are missing, negative, asymmetric, or not 0 on
    the diagonal; ``positions`` are those of the objects in X.

    A metric that promises the triangle inequality is believed; broken triangles are no obstacle to
    kernels and eigenvalues.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> refuse_broken_axioms(np.zeros((2, 2)), metric("euclidean"), np.arange(2))
    """
    if not metric.obeys_triangle:
        basic = (
            axioms.find_non_finite,
            axioms.find_negative,
            axioms.find_nonzero_self,
            axioms.find_asymmetry,
        )
        refuse_violations(distances, metric, positions, *basic)


def refuse_violations(
    distances: Floats,
    metric: Metric,
    positions: Indices,
    *finders: Callable[[Floats], axioms.Violation | None],
) -> None:
    """Raise the error for the first axiom of a distance that is broken, with its witness;
    ``finders`` look for one axiom each.
    """
    for find in finders:
        violation = find(distances)
        if violation is not None:
            raise violation.at(positions).error(metric.name)

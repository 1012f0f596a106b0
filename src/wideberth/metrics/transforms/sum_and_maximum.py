"""The sum and the maximum of several metrics on the same objects."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np
import scipy

from wideberth.array_types import Floats, Indices, Labels, Objects, Sample
from wideberth.errors import InvalidInput
from wideberth.metrics.containers import PartsSample, VectorParts
from wideberth.metrics.metric import Distances, Kind, Metric, Promises
from wideberth.metrics.transforms import promise_rules as rules
from wideberth.metrics.transforms.metric_preserving import Scaled
from wideberth.metrics.vectors.minkowski import prepare_vectors
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors
from wideberth.wording import python

# ---- Weights of metrics in a sum, learned from objects: equal shares, or the sum that agrees best
# with labels

#: So many objects are enough to compare a few matrices of distances; of more, evenly spaced ones
#: are taken.
_ENOUGH = 1_000


def aligned_weights(metrics: Sequence[Metric], objects: Objects, labels: Labels) -> Floats:
    r"""Find the weights with which a sum of metrics is small within classes and large between them.

    Returned is the factor of each metric, :math:`w_i / \bar d_i`, with :math:`\sum_i w_i = 1`; 0
    for a metric that does not help. The metrics are fitted to the objects; of more than 1,000
    objects, evenly spaced ones are taken.

    With :math:`K_i` the matrix of :math:`-d_i / \bar d_i`, centred, where :math:`\bar d_i` is the
    mean distance, and T the matrix of equal labels, centred, they minimise

    .. math:: \Big\| \sum_i w_i K_i - T \Big\|_F, \qquad w_i \ge 0

    which up to a factor is the alignment of a sum of kernels with the labels, at its largest
    (Cortes, Mohri & Rostamizadeh, "Algorithms for learning kernels based on centered alignment",
    JMLR 13, 2012, Proposition 9). For metrics of negative type the :math:`K_i` are positive
    definite kernels.

    Examples
    --------
    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> from wideberth.metrics.strings.words_and_grams import Affixes
    >>> names, sexes = ["Anna", "Petra", "Maria", "Peter", "Mario", "Hanno"], ["f"] * 3 + ["m"] * 3
    >>> weights = aligned_weights(
    ...     [Levenshtein(), Affixes(prefixes=(), suffixes=(1,))], names, sexes
    ... )
    >>> bool(weights[1] > 0)
    True
    """
    given, n_objects = np.asarray(labels), sample.count(sample.hold(objects))
    if given.shape != (n_objects,) or len(np.unique(given)) < 2:
        raise InvalidInput(
            f"Weights are learned from labels of {n_objects} objects, two classes at least, not "
            f"from shape {given.shape} with {len(np.unique(given))} classes.",
            advice="Pass one label for each object.",
            value=given.shape,
        )
    some = _some_of(n_objects)
    given = given[some]
    kernels, means = [], []
    for metric in metrics:
        distances = _between(metric, objects, some)
        means.append(float(distances.mean()) or 1.0)
        kernels.append(_centred(-distances / means[-1]).ravel())
    target = _centred((given[:, None] == given).astype(np.float64)).ravel()
    products = np.array([[one @ other for other in kernels] for one in kernels])
    root = _root(products)
    weights = scipy.optimize.nnls(
        root.T, np.linalg.pinv(root) @ np.array([each @ target for each in kernels])
    )[0]
    if not weights.any():
        weights = np.ones(len(metrics))
    return np.asarray(weights / weights.sum() / means)


def equal_shares(metrics: Sequence[Metric], objects: Objects) -> Floats:
    r"""Find the factors with which all metrics of a sum count alike: one over their mean distances.
    It is 1 if all distances are 0. Of more than 1,000 objects, evenly spaced ones are taken.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Euclidean, Manhattan
    >>> # mean distances 3.5 and 2.5
    >>> equal_shares([Manhattan(), Euclidean()], [[0.0, 0.0], [3.0, 4.0]])
    array([0.28571429, 0.4       ])
    """
    n_objects = sample.count(sample.hold(objects))
    if n_objects < 2:
        raise InvalidInput(
            "Mean distances are those of two objects at least.",
            advice="Pass more objects.",
            value=n_objects,
        )
    some = _some_of(n_objects)
    return np.array(
        [1.0 / (float(_between(metric, objects, some).mean()) or 1.0) for metric in metrics]
    )


def _some_of(n_objects: int) -> Indices:
    """The places of objects, evenly spaced if there are more than enough."""
    return np.unique(np.linspace(0, n_objects - 1, min(n_objects, _ENOUGH)).astype(np.intp))


def _between(metric: Metric, objects: Objects, some: Indices) -> Floats:
    """The distances of some of the objects from each other."""
    chosen = sample.pick(metric.prepare(objects), some)
    return np.asarray(metric._distances(chosen, chosen))


def _centred(matrix: Floats) -> Floats:
    """Subtract the means of rows and columns, so that all of them sum to 0."""
    rows = matrix - matrix.mean(axis=0)
    return np.asarray(rows - rows.mean(axis=1, keepdims=True))


def _root(products: Floats) -> Floats:
    """A symmetric matrix whose square is the matrix of inner products, which is positive
    semidefinite.
    """
    values, vectors = np.linalg.eigh(products)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)


#: Kinds of object that all their metrics prepare as the same array; of other kinds each metric
#: prepares its own sample.
_ONE_FORM = ("vectors", "indices")


class CombinedMetric(Metric):
    """The base class of functions of several metrics on the same objects, which combine their
    blocks cell by cell. If all that declare a kind of object declare the same one, the combination
    accepts that kind, otherwise any objects.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Chebyshev, Manhattan
    >>> Largest([Manhattan(), Chebyshev()]).name, Largest([Manhattan(), Chebyshev()]).accepts
    ('largest(manhattan, chebyshev)', 'vectors')
    """

    call: ClassVar[str]

    def __init__(self, metrics: Sequence[Metric]) -> None:
        if (
            not isinstance(metrics, tuple | list)
            or len(metrics) < 2
            or not all(isinstance(inner, Metric) for inner in metrics)
        ):
            example = f"wideberth.transforms.{self.call}('euclidean', 'manhattan')"
            raise InvalidInput(
                f"{type(self).__name__} needs two metrics at least, not {metrics!r}.",
                advice=f"{python(example)} also takes names.",
                value=metrics,
            )
        self.metrics = metrics
        self._from_user = type(self)._from_user or not all(inner.built_in for inner in metrics)
        self.accepts = _common_kind(metrics)
        #: Whether all metrics work on the array that they prepare.
        self._of_one_form = self.accepts in _ONE_FORM and all(
            inner.accepts == self.accepts and getattr(inner, "_of_one_form", True)
            for inner in metrics
        )
        self.takes_missing = all(inner.takes_missing for inner in metrics)
        self.knows_missing = all(inner.knows_missing for inner in metrics)
        self.parallel = cast(Any, rules.common_parallel(metrics))

    @property
    def name(self) -> str:
        """The call that makes it."""
        return f"{self.call}({', '.join(inner.name for inner in self.metrics)})"

    @property
    def full_name(self) -> str | None:
        """The call with the full names of the metrics."""
        return rules.call_in_full(self.call, self.metrics) if self.built_in else None

    def fitted(self, objects: Objects) -> Self:
        """Return the combination of the metrics fitted to the objects; itself if none of them
        learns anything.
        """
        parts = zip(self.metrics, self._for_each(objects), strict=True)
        return self._of_fitted(tuple(inner.fitted(part) for inner, part in parts), objects)

    @property
    def uses_labels(self) -> bool:
        """Whether one of the metrics does; see `wideberth.Metric.uses_labels`."""
        return any(inner.uses_labels for inner in self.metrics)

    def taught(self, objects: Objects, labels: Any, weights: Any = None) -> Self:
        """Return the combination of the metrics taught by labelled objects; see
        `wideberth.Metric.taught`.
        """
        parts = zip(self.metrics, self._for_each(objects), strict=True)
        taught = tuple(inner.taught(part, labels, weights) for inner, part in parts)
        return self._of_fitted(taught, objects)

    def taught_anew(self, prepared: Sample, labels: Any, weights: Any) -> Self:
        """Return the combination with the metrics that learn from labels taught anew; see
        `wideberth.Metric.taught_anew`.
        """
        taught = tuple(
            inner.taught_anew(inner.prepare(part), labels, weights) if inner.uses_labels else inner
            for inner, part in zip(self.metrics, self._for_each(prepared), strict=True)
        )
        return self._of_fitted(taught, prepared)

    def _of_fitted(self, metrics: tuple[Metric, ...], objects: Objects) -> Self:
        """The combination of metrics that objects have taught; itself if these are its own."""
        if all(one is other for one, other in zip(metrics, self.metrics, strict=True)):
            return self
        made = type(self)(metrics)
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def taught_by(self) -> Digests | None:
        """What `fitted` took parameters from, or one of the metrics before."""
        return rules.known_teachers(
            self._taught_by, self.metrics, same_objects=self.accepts == "vectors"
        )

    def prepare(self, objects: Objects) -> Sample:
        """Prepare the objects for every metric, which also checks them. Vectors and indices are one
        array, other objects a sample for each metric, and so are vectors that one of them prepares
        as rows.
        """
        forms = tuple(
            inner.prepare(part)
            for inner, part in zip(self.metrics, self._for_each(objects), strict=True)
        )
        if self.accepts == "indices":
            return forms[0]
        if self.accepts != "vectors":
            return PartsSample(forms)
        if isinstance(objects, VectorParts):
            return VectorParts(forms, objects.vectors)
        vectors = prepare_vectors(objects, missing=self.takes_missing)
        return vectors if self._of_one_form else VectorParts(forms, vectors)

    def distance_errors(self, prepared: Sample) -> DistanceErrors:
        """The largest relative error of the metrics, and the sum of their absolute errors."""
        forms = zip(self.metrics, self._for_each(prepared), strict=True)
        return DistanceErrors.added(
            [inner.distance_errors(inner.prepare(form)) for inner, form in forms]
        )

    def nanoseconds(self, prepared: Sample) -> float:
        """Estimate the time of one distance: the sum of the metrics' times."""
        return float(
            sum(
                inner.nanoseconds(part)
                for inner, part in zip(self.metrics, self._for_each(prepared), strict=True)
            )
        )

    def _for_each(self, objects: Objects) -> tuple[Any, ...]:
        """Return the objects for each metric: as it prepared them, or as they were passed."""
        if isinstance(objects, PartsSample) and not self._of_one_form:
            return objects.for_metrics(len(self.metrics))
        return (objects,) * len(self.metrics)

    def _measure(self, left: Sample, right: Sample) -> Distances:
        if self._of_one_form:
            blocks = [
                inner._distances(inner.prepare(left), inner.prepare(right), infinite=True)
                for inner in self.metrics
            ]
        else:
            blocks = [
                inner._distances(*pair, infinite=True)
                for inner, *pair in zip(self.metrics, left.parts, right.parts, strict=True)
            ]
        # a new array: blocks may belong to the metrics
        combined: Distances = self._combine(blocks[0], blocks[1])
        for block in blocks[2:]:
            self._combine(combined, block, out=combined)
        return combined

    #: The function of two blocks that adds one more metric, a ufunc of numpy.
    _combine: ClassVar[np.ufunc]

    @property
    def dominated(self) -> Mapping[str, float]:
        """By what dominates all metrics, with their constants combined as distances are.

        >>> from wideberth.metrics.strings.edits import Indel, Levenshtein
        >>> Sum([Levenshtein(), Indel()]).dominated
        {'levenshtein': 3.0, 'indel': 2.0, 'damerau': 4.0, 'hamming': 3.0}
        """
        known = [rules.dominating(inner) for inner in self.metrics]
        shared = [name for name in known[0] if all(name in constants for constants in known)]
        return {
            name: float(self._combine.reduce([constants[name] for constants in known]))
            for name in shared
        }

    def _shared_promises(self) -> Promises:
        """Return the promises of sums and maxima alike; negative type is left out."""
        known = [rules.closed(inner.promises) for inner in self.metrics]
        return Promises(
            obeys_triangle=rules.all_of(promises.obeys_triangle for promises in known),
            bounded=rules.both_ways(promises.bounded for promises in known),
            separates=rules.any_of(promises.separates for promises in known),
            step=rules.common_step(promises.step for promises in known),
        )


class Sum(CombinedMetric):
    r"""The sum of metrics on the same objects, :math:`\sum_i d_i(x, y)`.

    It obeys the triangle inequality and is of negative type if all metrics are: both properties are
    kept by sums. Whether it is Hilbertian is not known in general (the sum of two distances along
    axes, `Manhattan`, is not). It separates if one of them does. A property that one metric lacks
    may still hold for the sum, so only boundedness is ever promised to be False.

    Examples
    --------
    >>> from wideberth.metrics.vectors.minkowski import Chebyshev, Manhattan
    >>> Sum([Manhattan(), Chebyshev()])([0, 0], [3, 4])
    11.0
    """

    call = "total"
    _combine = np.add

    def balanced(self, objects: Objects) -> "Sum":
        """Return the sum with each metric divided by its mean distance on a sample, so that all
        count alike. Of the objects, 1,000 are enough.

        A sum of metrics in different units is that of the one with the largest distances, more or
        less; this one is not. It needs no labels, and did better than `aligned` in 33 of 58
        comparisons, worse in 22.

        Examples
        --------
        >>> from wideberth.metrics.vectors.minkowski import Euclidean, Manhattan
        >>> # twice the mean, for both
        >>> Sum([Manhattan(), Euclidean()]).balanced([[0, 0], [3, 4]])([0, 0], [3, 4])
        4.0
        """
        fitted = self.fitted(objects)
        return self._weighed(fitted, equal_shares(fitted.metrics, objects), objects)

    def aligned(self, objects: Objects, labels: Labels) -> "Sum":
        """Return the sum with the weights that fit labelled objects best, by the alignment of
        kernels (`aligned_weights`).

        It is a sum of `Scaled` metrics, without those of weight 0 as long as two are left. What it
        learned from, labels included, is known (`taught_by`): certificates on these objects are
        void, so learn from others than those that you certify with.

        Examples
        --------
        >>> from wideberth.metrics.strings.words_and_grams import Affixes
        >>> from wideberth.metrics.strings.edits import Levenshtein
        >>> names, sexes = (
        ...     ["Anna", "Petra", "Maria", "Peter", "Mario", "Hanno"],
        ...     ["f"] * 3 + ["m"] * 3,
        ... )
        >>> learned = Sum([Levenshtein(), Affixes((), (1,))]).aligned(names, sexes)
        >>> learned("Petra", "Maria") < learned("Petra", "Peter")
        True
        """
        fitted = self.fitted(objects)
        return self._weighed(fitted, aligned_weights(fitted.metrics, objects, labels), objects)

    def _weighed(self, fitted: "Sum", factors: Floats, objects: Objects) -> "Sum":
        """Return the sum of the fitted metrics times factors that the objects taught; those of
        factor 0 are left out.
        """
        kept = np.flatnonzero(factors)
        if len(kept) < 2:  # a sum has two metrics: the other one counts next to nothing
            factors = np.maximum(factors, 1e-9 * factors.max())
            kept = np.arange(len(factors))
        made = Sum(tuple(Scaled(fitted.metrics[place], float(factors[place])) for place in kept))
        made._taught_by = self.digests(objects, None)
        return made

    @property
    def promises(self) -> Promises:
        """The properties that all metrics have; separation if one of them separates."""
        of_negative_type = rules.all_of(
            rules.closed(inner.promises).negative_type for inner in self.metrics
        )
        return replace(self._shared_promises(), negative_type=of_negative_type)


class Largest(CombinedMetric):
    r"""The largest of several metrics on the same objects, :math:`\max_i d_i(x, y)`.

    It obeys the triangle inequality if all do: :math:`d_i(x, z) \le d_i(x, y) + d_i(y, z)` is at
    most the sum of two maxima. Whether it is Hilbertian or of negative type is not known in
    general: every finite metric is a maximum of distances on the line (Frechet 1910). It separates
    if one of them does.

    Examples
    --------
    >>> from wideberth.metrics.strings.edits import Levenshtein
    >>> from wideberth.metrics.transforms.metric_preserving import Scaled
    >>> Largest([Levenshtein(), Scaled(Levenshtein(), 2)])("tea", "tee")
    2.0
    """

    call = "largest"
    _combine = np.maximum

    @property
    def promises(self) -> Promises:
        """The triangle inequality, boundedness and step that all metrics have; separation if one of
        them separates.
        """
        return self._shared_promises()


def _common_kind(metrics: Sequence[Metric]) -> Kind:
    """Return the kind of objects that all metrics measure; one that accepts any objects goes with
    every kind.

    Vectors are series of one channel and one length, so a metric on vectors with one on series
    measures series. They are rows of numbers too: with a metric on rows, one on vectors measures
    vectors.
    """
    kinds = {inner.accepts for inner in metrics} - {"objects"}
    if kinds == {"vectors", "series"}:
        return "series"
    if kinds == {"vectors", "rows"}:
        return "vectors"
    return kinds.pop() if len(kinds) == 1 else "objects"

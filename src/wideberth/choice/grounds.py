"""The objects under one metric, as all classifiers that are tried on it learn from them; each
distance is measured once.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.choice.candidate_metrics import sum_of
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.training import Training, examine_distance
from wideberth.geometry.measure.remembered_distances import IndexedSample, MeasuredOnce, PairTable
from wideberth.geometry.space.space import themselves
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.named import metric as as_metric


@dataclass(frozen=True)
class Sampled:
    """The labelled objects of a fit as the user passed them, the positions of those on which
    candidates are compared, None for all of positive weight, and the limits of memory and cores for
    one metric.
    """

    X: Any
    y: Any
    sample_weight: Any
    compared: Indices | None
    max_memory: int
    n_jobs: int | None


@dataclass(frozen=True, eq=False)
class Ground:
    """The objects under one metric: all, and those on which candidates are compared, whose
    distances are kept. The holder has checked objects and labels; other classifiers inherit from
    it.
    """

    metric: Any
    holder: MetricClassifier
    training: Training
    compared: Training

    @classmethod
    def of(
        cls, holder: MetricClassifier, sampled: Sampled, training: Training | None = None
    ) -> "Ground":
        """Check the objects by a classifier that is not fitted, unless it did so before, and take
        those that are compared.
        """
        metric = holder.metric
        if training is None:
            training = holder.admit(sampled.X, sampled.y, sampled.sample_weight)
        examine_distance(training, random_state=0)
        training = replace(training, examined=True)
        part = training if sampled.compared is None else training.part(sampled.compared)
        if not holder.measures_distances or training.metric.accepts == "indices":
            return cls(metric, holder, training, part)
        compared = part if isinstance(part.metric, MeasuredOnce) else _in_a_table(part, sampled)
        return cls(metric, *_holding(holder, _learned_from(training, compared, sampled)), compared)

    @property
    def name(self) -> str:
        """What the metric is called in tables, with its parameters where they differ from the usual
        ones.
        """
        return self.metric if isinstance(self.metric, str) else short_name(as_metric(self.metric))

    @cached_property
    def distances(self) -> Floats:
        """All distances between the objects on which candidates are compared, shape (n, n)."""
        objects = self.compared.metric.prepare(self.compared.objects)
        return np.asarray(self.compared.metric.block(objects, objects))

    @property
    def median(self) -> float:
        """The median distance between different objects; 1 if that is 0."""
        above = self.distances[np.triu_indices(len(self.distances), 1)]
        median = float(np.median(above)) if len(above) else 0.0
        return median or 1.0

    def expected_seconds(self) -> float:
        """How long it takes to measure the objects that are compared, by what the metric
        declares.
        """
        pairs = len(self.compared) ** 2 * (0.5 if self.compared.metric.obeys_triangle else 1.0)
        return expected_seconds(self.compared.metric, self.compared.objects, pairs)

    def seconds_for_all(self) -> float:
        """How long it takes to measure all objects, by how long it took for those that are
        compared; 0 if these are all.
        """
        if self.compared.table is None or len(self.compared) == len(self.training):
            return 0.0
        pairs = len(self.training) ** 2 * (0.5 if self.compared.table.symmetric else 1.0)
        rate = self.compared.table.seconds_a_pair
        return (
            expected_seconds(self.training.metric, self.training.objects, pairs)
            if rate is None
            else rate * pairs
        )

    def plus(self, other: "Ground", holder: MetricClassifier, sampled: Sampled) -> "Ground":
        """The same objects under the sum of two metrics; the distances are sums of those that were
        measured.
        """
        medians = self.median, other.median
        summed = sum_of(as_metric(self.metric), as_metric(other.metric), medians)
        training = holder.set_params(metric=summed).admit(
            sampled.X, sampled.y, sampled.sample_weight
        )
        objects, measure = themselves(training.objects, training.metric)
        plain = replace(training, objects=objects, metric=measure, table=None)
        part = plain if sampled.compared is None else plain.part(sampled.compared)
        known = self.distances * (1.0 / medians[0]) + other.distances * (1.0 / medians[1])
        compared = _in_a_table(part, sampled, known)
        return Ground(
            summed, *_holding(holder, _learned_from(training, compared, sampled)), compared
        )


def expected_seconds(metric: Metric, objects: Any, pairs: float) -> float:
    """How long it takes to measure so many pairs of prepared objects on one core, by what their
    metric declares.
    """
    return metric.nanoseconds(objects) * 1e-9 * pairs


def short_name(metric: Metric) -> str:
    """A metric in a few words: its name, with the parameters that are not the usual ones.

    Examples
    --------
    >>> (
    ...     short_name(as_metric("ngrams", orders=(1, 2), form="ruzicka")),
    ...     short_name(as_metric("levenshtein")),
    ... )
    ("ngrams(orders=(1, 2), form='ruzicka')", 'levenshtein')
    >>> from wideberth import transforms
    >>> short_name(transforms.total(transforms.scale("levenshtein", 0.1), "words"))
    'levenshtein + words'
    """
    call = getattr(metric, "call", "")
    if call == "total":
        return " + ".join(short_name(each) for each in metric.metrics)  # type: ignore[attr-defined]
    if call == "scale":
        return short_name(metric.metric)  # type: ignore[attr-defined]
    settings = repr(metric).partition("(")[2] if type(metric) is METRICS.get(metric.name) else ")"
    return metric.name if settings == ")" else f"{metric.name}({settings}"


def _in_a_table(part: Training, sampled: Sampled, known: Floats | None = None) -> Training:
    """The same objects with a table that keeps their distances, or those that are known already."""
    table = PairTable(
        len(part), part.metric, max_memory=sampled.max_memory, n_jobs=sampled.n_jobs, known=known
    )
    objects = IndexedSample(part.objects, table, np.arange(len(part)))
    return replace(part, objects=objects, metric=MeasuredOnce(part.metric, table), table=table)


def _learned_from(training: Training, compared: Training, sampled: Sampled) -> Training:
    """What the winner learns from: with the distances that are known, if these are all, and worth
    looking up.
    """
    if sampled.compared is not None or training.table is None:
        return training
    return replace(training, objects=compared.objects, metric=compared.metric, table=compared.table)


def _holding(holder: MetricClassifier, training: Training) -> tuple[MetricClassifier, Training]:
    """The classifier that others inherit from, with the metric of what they learn from."""
    holder.metric_ = training.metric
    return holder, training

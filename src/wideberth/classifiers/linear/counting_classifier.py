"""What the linear classifiers share: they prepare texts with their counts, or vectors, and measure
no distance.
"""

from typing import Any, ClassVar

from wideberth.classifiers.linear.features.features import (
    SparseVectors,
    counted_blocks,
    is_sparse,
    prepared_for_features,
)
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.training import Admitted
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import ObjectDigests


class CountingClassifier(MetricClassifier):
    """Base of classifiers whose scores are functions of what a metric counts.

    Vectors may be the rows of a sparse matrix; `certify` does not recognise those among the
    training objects.
    """

    measures_distances: ClassVar[bool] = False
    _accepts_sparse: ClassVar[bool] = True

    @classmethod
    def suits(cls, metric: Any) -> bool:
        """Whether the metric counts something."""
        return metric != Precomputed.name and counted_blocks(as_metric(metric)) is not None

    def _prepare(self, objects: Any, metric: Metric) -> Any:
        return prepared_for_features(metric, objects)

    def _recognised_by(self, metric: Metric, given: Any, objects: Any) -> ObjectDigests | None:
        return None if is_sparse(given) else super()._recognised_by(metric, given, objects)

    def admit_objects(self, X: Any) -> Admitted:
        return super().admit_objects(X.matrix if isinstance(X, SparseVectors) else X)

    def admit_with_given(self, X: Any) -> tuple[Any, Any]:
        return super().admit_with_given(X.matrix if isinstance(X, SparseVectors) else X)

    def digests(self, X: Any) -> Digests | None:
        return None if is_sparse(X) else super().digests(X)

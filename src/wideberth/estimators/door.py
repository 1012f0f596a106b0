"""The one door of all estimators on a metric: it checks objects of any kind and brings them together with the metric."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from wideberth.errors import InvalidInput
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample


class Admitted(NamedTuple):
    """Prepared objects, their metric, whether it took something from them (`wideberth.Metric.fitted`), and X as checked."""

    objects: Any
    metric: Metric
    metric_learned: bool
    given: Any


class MetricEstimator(BaseEstimator):
    """Base of all estimators on a metric.

    X may be any sequence of objects the metric measures, a matrix of distances with ``metric="precomputed"`` (square at fit,
    queries x training objects later), or ``space.index`` with ``metric=space.metric`` for a `wideberth.MetricSpace`.
    """

    metric: Any
    metric_: Metric

    def _admit_objects(self, X: Any) -> Admitted:
        """Check the objects to learn from, one at least. Whoever goes on to learn from them sets ``metric_``."""
        if self._eats_vectors():
            X = validate_data(self, X, dtype=np.float64)
        given = self.metric if self._is_precomputed() else as_metric(self.metric)
        objects, metric = bind(X, given)
        objects = metric.prepare(objects)
        if not sample.count(objects):
            raise InvalidInput("There are no objects to learn from.", advice="Pass one at least.", value=0)
        return Admitted(objects, metric, metric is not given and not self._is_precomputed(), X)

    def _admit_queries(self, X: Any) -> Any:
        """Check objects that come after fit, and prepare them."""
        return self._admit_more(X)[0]

    def _admit_more(self, X: Any) -> tuple[Any, Any]:
        """Check objects that come after fit: prepared, and as they were checked."""
        check_is_fitted(self)
        if self._eats_vectors():
            X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.metric_.prepare(X), X

    def _eats_vectors(self) -> bool:
        return not self._is_precomputed() and as_metric(self.metric).eats == "vectors"

    def _is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == Precomputed.name

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.two_d_array = self._is_precomputed() or self._eats_vectors()
        tags.input_tags.string = not tags.input_tags.two_d_array and as_metric(self.metric).eats == "strings"
        return tags

"""The base class of all estimators on a metric: which X they accept, and what they leave to their children."""

from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from wideberth.errors import InvalidInput
from wideberth.estimators.reporting import CallbackSupport
from wideberth.estimators.targets import checked_vectors
from wideberth.estimators.training import Admitted
from wideberth.metrics.metric import Kind, Metric
from wideberth.metrics.named import bind
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample


class MetricEstimator(CallbackSupport, BaseEstimator):
    """Base of all estimators on a metric.

    X may be any sequence of objects that the metric measures, a matrix of distances with ``metric="precomputed"`` (square at fit,
    queries x training objects later), or ``space.index`` with ``metric=space.metric`` for a `wideberth.MetricSpace`. A subclass
    that can be saved (`wideberth.save`) implements `state` and `restore`.
    """

    metric: Any
    metric_: Metric
    #: The classes of what a fitted one holds beside what many hold; readers that have to be told what to trust need them.
    holds: ClassVar[tuple[type, ...]] = ()
    #: Whether vectors may be the rows of a sparse matrix.
    _accepts_sparse: ClassVar[bool] = False

    def admit_objects(self, X: Any) -> Admitted:
        """Check the objects to learn from, at least one. The caller sets ``metric_`` when nothing can fail any more."""
        if self._accepts_vectors():
            X = checked_vectors(self, X, reset=True, sparse=self._accepts_sparse)
        given = self.metric if self.is_precomputed() else as_metric(self.metric)
        objects, metric = bind(X, given)
        objects = self._prepare(objects, metric)
        if not sample.count(objects):
            raise InvalidInput("There are no objects to learn from.", advice="Pass at least one.", value=0)
        return Admitted(objects, metric, metric is not given and not self.is_precomputed(), X)

    def admit_queries(self, X: Any) -> Any:
        """Check objects that come after fit, and prepare them."""
        return self.admit_with_given(X)[0]

    def admit_with_given(self, X: Any) -> tuple[Any, Any]:
        """Check objects that come after fit; return them prepared, and as they were after the checks of scikit-learn."""
        check_is_fitted(self)
        if self._accepts_vectors():
            X = checked_vectors(self, X, reset=False, sparse=self._accepts_sparse)
        return self._prepare(X, self.metric_), X

    def _prepare(self, objects: Any, metric: Metric) -> Any:
        """Prepare checked objects; a child that needs more of them than distances overrides it."""
        return metric.prepare(objects)

    def state(self) -> dict[str, Any]:
        """What was learned, except parameters, metric and labels, for a model file.

        Returns
        -------
        dict
            Plain values only: numbers, texts, arrays, and lists, tuples and dicts of them; under ``"objects"`` the prepared
            training objects that predictions need.
        """
        raise NotImplementedError

    def restore(self, state: dict[str, Any]) -> None:
        """Set what was learned from the values that `state` returned.

        Parameters, ``metric_`` and the ``classes_`` of a classifier are set already. The values come from a file: those that
        compiled code trusts are checked here, by the functions of ``estimators/restored_values.py``.
        """
        raise NotImplementedError

    def accepted_kind(self) -> Kind:
        """The kind of objects that X holds; only asked if X is no matrix of distances."""
        return as_metric(self.metric).accepts

    def _accepts_vectors(self) -> bool:
        return not self.is_precomputed() and self.accepted_kind() == "vectors"

    def is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == Precomputed.name

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.is_precomputed()
        tags.input_tags.two_d_array = self.is_precomputed() or self._accepts_vectors()
        tags.input_tags.sparse = self._accepts_sparse and self._accepts_vectors()
        tags.input_tags.string = not tags.input_tags.two_d_array and self.accepted_kind() == "strings"
        return tags

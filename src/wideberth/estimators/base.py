"""The base class of all classifiers on a metric: it checks objects, labels and weights, and calls the methods of the subclass."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Floats, Indices
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.calibration import Calibrated
from wideberth.estimators.constraints import Fits, check_parameters
from wideberth.estimators.lowest_leads import LeadsNearby, lowest_leads, searched_radii
from wideberth.estimators.metric_estimator import MetricEstimator
from wideberth.estimators.radius_units import radius_unit
from wideberth.estimators.reporting import reported
from wideberth.estimators.summary_phrases import counted
from wideberth.estimators.targets import checked_weights, code_targets
from wideberth.estimators.training import Training, examine_promises
from wideberth.estimators.training_digests import Learned
from wideberth.geometry.measure.memory_amounts import parse_memory
from wideberth.geometry.measure.remembered_distances import measure_once
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.rounding import DistanceErrors, leads_within, radii_of_leads


class MetricClassifier(Calibrated, ClassifierMixin, MetricEstimator):
    """Base of all classifiers on a metric.

    A subclass implements `learn` and `scores`, and for model files `state` and `restore`; it declares in ``needs`` the
    properties of a metric without which the method is wrong. `MetricEstimator` explains what X may be.
    """

    #: The promises of a metric without which the method is wrong; the doctor reads them.
    needs: ClassVar[frozenset[str]] = frozenset()
    #: How to use the method on a metric that lacks them, for the doctor to say; empty if there is no way.
    without: ClassVar[str] = ""
    #: How the method decides, for people who have never heard of it: the end of the sentence "An object gets ...".
    decides_by: ClassVar[str] = "the label with the highest score"

    #: The constraints of parameters that not all estimators have.
    _fits: ClassVar[Mapping[str, Fits]] = {}

    #: Limits for children that do not ask for them.
    max_memory: str | int = "2GB"
    n_jobs: int | None = None

    classes_: NDArray[Any]
    #: How the training objects are recognised; None if they cannot be, or in a model saved by an earlier version.
    learned_from_: Learned | None = None
    #: Whether to remember that; the models of cross-validation folds, which are thrown away, need not.
    remembers: bool = True
    #: Whether it measures distances, which are then kept until the fit ends if that pays.
    measures_distances: ClassVar[bool] = True

    @classmethod
    def for_data(cls, metric: Any, n_objects: int, **parameters: Any) -> Self:
        """A classifier for this metric and this many objects; a child that has to adapt to them overrides it."""
        return cls(metric, **parameters)

    @classmethod
    def suits(cls, metric: Any) -> bool:
        """Whether it can learn by this metric; a child that needs more of objects than their distances overrides it."""
        return True

    def learn(self, training: Training) -> None:
        """Learn from checked objects; set the attributes that the subclass documents."""
        raise NotImplementedError

    def scores(self, objects: Any) -> Floats:
        """A score for each prepared object and each class, shape (n, k); the class with the largest score wins."""
        raise NotImplementedError

    def check_parameters(self) -> None:
        """Raise `InvalidInput` for a parameter whose value no training objects allow; also called for those from a file."""
        check_parameters(self, self._fits)

    @reported
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from objects X with labels y.

        Parameters
        ----------
        X : sample
            Objects that the metric measures, a square matrix of distances, or the index of a `wideberth.MetricSpace`.
        y : array-like of shape (n,)
            A label for each object.
        sample_weight : array-like of shape (n,), optional
            Weights, finite and not negative; objects of weight 0 are left out.

        Returns
        -------
        self
            The fitted classifier. `InvalidInput` shows the first object, label or weight that cannot be used.
        """
        self.learn(self.admit(X, y, sample_weight))
        return self

    @reported
    def decision_function(self, X: Any) -> Floats:
        """The scores of the classes.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of shape (n, k), or (n,) for two classes
            For two classes the difference of their scores, positive for ``classes_[1]``.
        """
        scores = self.scores(self.admit_queries(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @reported
    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each object; of classes with equal scores the first one in ``classes_`` wins.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of shape (n,)
            Labels from ``classes_``.
        """
        winners = self.winners(self.admit_queries(X))  # raises NotFittedError before classes_ is used
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def summary(self) -> str:
        """What was learned, in a few sentences.

        Returns
        -------
        str
            A few lines: the kind of model, the number of training objects, the metric, and the result.

        Examples
        --------
        >>> import wideberth
        >>> model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(["tea", "rum"], ["soft", "hard"])
        >>> print(model.summary())
        NeighborsClassifier by levenshtein distance, learned from 2 objects of 2 classes.
        The nearest object gives its label.
        """
        check_is_fitted(self)
        classes = counted(len(self.classes_), "class", "classes")
        n_objects = self.n_learned
        learned = classes if n_objects is None else f"{counted(n_objects, 'object', 'objects')} of {classes}"
        return "\n".join([f"{type(self).__name__} by {self.metric_.name} distance, learned from {learned}.", *self.in_words()])

    def in_words(self) -> list[str]:
        """The lines of the `summary` that are special to the method."""
        return []

    def settings(self) -> dict[str, Any]:
        """The settings that tables show: those that the fitted model has chosen itself, on folds or while it learned."""
        return {}

    @property
    def n_learned(self) -> int | None:
        """How many objects were learned from; None if that is not remembered."""
        return None if self.learned_from_ is None else len(self.learned_from_)

    def nearest_change(self, target: Any, unit: str) -> tuple[Any, float] | None:
        """The nearest object with another label and its distance in a unit, where the method can tell exactly; None elsewhere."""
        return None

    def winners(self, objects: Any) -> Indices:
        """The code of the class of each prepared object. A subclass that finds it without all scores overrides this."""
        return np.asarray(self.scores(objects).argmax(axis=1))

    def _lipschitz(self) -> Floats | None:
        """The Lipschitz constant of the score of each class, shape (k,); None if the method bounds none."""
        return None

    @reported
    def certified_radius(self, X: Any, unit: str | None = None) -> Floats:
        r"""How far each object may move before its label can change.

        .. math:: r(x) = \min_{y' \neq y} \frac{h(x, y) - h(x, y')}{L_y + L_{y'}}

        for the winning class y and scores with Lipschitz constants L: no object strictly closer than r(x) gets another label.
        Where a classifier bounds its scores near each object, it is the largest radius at which their lead stays positive.

        Parameters
        ----------
        X : sample
            Objects to classify.
        unit : str, optional
            What to measure the radius in: "edit", one character put in, taken out or replaced; or a metric that bounds the
            model's, by its `wideberth.Metric.full_name` or what it calls a distance of 1 (`wideberth.Metric.dominated`). By
            default the metric of the model itself.

        Returns
        -------
        ndarray of shape (n,)
            Radii, infinite where no change can reach another label; a little smaller than the formula, to allow for rounding.

        Raises
        ------
        NotCertified
            If the metric does not promise the triangle inequality, which the proof needs, or nothing is proved in the unit.
        """
        objects = self.admit_queries(X)
        measure = radius_unit(self.metric_, unit)
        blocks = self._leads_nearby(objects)
        return measure.converted(self._radii(objects), objects) if blocks is None else searched_radii(blocks, objects, measure)[1]

    def lowest_leads(self, objects: Any, radius: float | Floats, unit: str | None = None) -> Floats:
        """A proved lower bound of the lead of each object's label over all others, at every object within a radius of it.

        A positive bound says that no object in the closed ball gets another label, rounding included; others say nothing. The
        lead is a difference of scores if these are Lipschitz or bounded nearby (`_leads_nearby`); for other radii, and for
        Lipschitz scores in another unit, it is what is left of the radius.

        Parameters
        ----------
        objects : prepared sample
            n objects.
        radius : float or ndarray of shape (n,)
            The radius of all balls, or of each.
        unit : str or None
            What it is measured in, as in `certified_radius`.

        Returns
        -------
        ndarray of shape (n,)
            The bounds. `NotCertified` is raised where `certified_radius` does.
        """
        measure = radius_unit(self.metric_, unit)
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), (sample.count(objects),))
        blocks = self._leads_nearby(objects)
        if blocks is not None:
            return lowest_leads(blocks, radii, measure.other)
        if measure.other is not None or type(self)._radii is not MetricClassifier._radii:
            return measure.converted(self._radii(objects), objects) - radii
        return leads_within(*self._bounded_scores(objects), radii)

    def _leads_nearby(self, objects: Any) -> Iterator[tuple[slice, LeadsNearby]] | None:
        """Blocks of prepared objects, with what bounds the leads of their labels wherever they move.

        None if nothing but Lipschitz constants does, or if radii come from `_radii`. Raises `NotCertified` when called if the
        metric does not promise what the bounds need.
        """
        return None

    def _radii(self, objects: Any) -> Floats:
        """The certified radii of prepared objects in closed form: by the leads of Lipschitz scores, unless a subclass differs."""
        return radii_of_leads(*self._bounded_scores(objects))

    def scores_and_radii(self, X: Any, unit: str | None = None) -> tuple[Floats, Floats]:
        """The scores and the certified radii of objects, from one pass over the distances if scores are bounded nearby."""
        objects = self.admit_queries(X)
        measure = radius_unit(self.metric_, unit)
        blocks = self._leads_nearby(objects)
        if blocks is not None:
            return searched_radii(blocks, objects, measure)
        if type(self)._radii is not MetricClassifier._radii:
            return self.scores(objects), self.certified_radius(X, unit)
        bounded = self._bounded_scores(objects)
        return bounded[0], measure.converted(radii_of_leads(*bounded), objects)

    def _bounded_scores(self, objects: Any) -> tuple[Floats, Floats, Floats, DistanceErrors]:
        """The scores of prepared objects and what bounds them: the first four arguments of `radii_of_leads`."""
        slopes = self._lipschitz()
        self._refuse_uncertified(slopes)
        errors = self._distance_errors(objects) if np.any(slopes) else DistanceErrors.of(sample.count(objects), 0.0)
        return *self._scores_and_sizes(objects), np.asarray(slopes), errors

    def _distance_errors(self, objects: Any) -> DistanceErrors:
        """How far the distances from prepared objects to the references of the scores may be from the exact ones."""
        return self.metric_.distance_errors(objects).towards(self.metric_.distance_errors(self._references()))

    def _training_objects_kept(self) -> Any:
        """The prepared training objects that are kept for predictions, all or some of them; None if there are none."""
        return self.state().get("objects")

    def _references(self) -> Any:
        """The prepared training objects to which scores measure distances; a subclass may keep them elsewhere."""
        return self._objects

    def _scores_and_sizes(self, objects: Any) -> tuple[Floats, Floats]:
        """The scores, and for each the sum of its absolute terms, distances times their slopes among them; both of shape (n, k).

        Rounding errs in proportion to these sums. A subclass whose scores are differences of large terms overrides this.
        """
        scores = self.scores(objects)
        return scores, np.abs(scores)

    def _refuse_uncertified(self, slopes: Floats | None) -> None:
        """Raise `NotCertified` if there are no Lipschitz constants, or the metric does not promise the triangle inequality."""
        if slopes is None:
            raise NotCertified(
                f"{type(self).__name__} bounds no Lipschitz constant of its scores.",
                advice="LipschitzClassifier certifies a radius.",
                missing="lipschitz",
            )
        self.require_triangle()

    def require_triangle(self) -> None:
        if not self.metric_.obeys_triangle:
            status = "does not obey" if self.metric_.obeys_triangle is False else "does not promise"
            raise NotCertified(
                f"A radius needs the triangle inequality, which {self.metric_.name!r} {status}.",
                advice="Choose a metric that does, or repair it (wideberth.diagnose); declare obeys_triangle=True if proved.",
                missing="obeys_triangle",
            )

    def admit(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Check objects, labels and weights, set ``metric_`` and ``classes_``; return the sample of those with a weight."""
        if y is None:
            raise InvalidInput(f"{type(self).__name__} requires y to be passed, but the target y is None.", value=None)
        objects, metric, metric_learned, given = self.admit_objects(X)
        n_objects = sample.count(objects)
        labels = code_targets(y, n_objects)
        weights = checked_weights(sample_weight, n_objects)
        kept = np.flatnonzero(weights)
        self.metric_ = metric
        self.classes_, codes = np.unique(labels.classes[labels.codes[kept]], return_inverse=True)
        digests = metric.all_digests(given, objects) if self.remembers else None
        self.learned_from_ = None
        if digests is not None:
            seen = np.arange(n_objects) if metric_learned else kept  # a metric learns from objects of weight 0 too
            named = labels.classes[labels.codes[seen]]
            self.learned_from_ = Learned.of(
                *(digests[seen], named, weights[seen]), metric_learned=metric_learned, taught_by=metric.taught_by
            )
            metric_learned = self.learned_from_.metric_learned
        if len(kept) < n_objects:
            objects = sample.pick(objects, kept)
        table = None
        if self.measures_distances:
            half = parse_memory(self.max_memory) // 2  # the other half is for blocks of distances
            objects, self.metric_, table = measure_once(objects, metric, max_memory=half, n_jobs=self.n_jobs)
        if self.remembers:  # models of folds learn from objects of which some were examined
            examine_promises(objects, self.metric_)
        told = objects, self.metric_, codes.astype(np.intp), weights[kept], len(self.classes_), kept, n_objects, metric_learned
        return Training(*told, examined=not self.remembers, table=table)

    def digests(self, X: Any) -> Digests | None:
        """The digests by which the objects of X would be recognised among the training objects; None if they cannot be."""
        prepared, given = self.admit_with_given(X)
        return self.metric_.digests(given, prepared)

    def inherit(self, other: Self) -> None:
        """Copy from another model what `admit` set: for models that learn from the same objects."""
        for name in ("metric_", "classes_", "n_features_in_", "feature_names_in_", "learned_from_"):
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))

r"""The contract of a fitted model: what a family of classifiers owes, and what it gets. Read this
file first.

A *family* is a child of `MetricClassifier` in a folder of its own under ``classifiers/``, and a row
of the table in ``classifiers/named.py``. Everybody else (guarantees, the automatic choice, the
report, model files, the command line, clusters) asks a fitted model by the methods below, and never
looks inside. A classifier that chooses another one (`AnswersOfBest`) hands the questions on in one
place.

What a family **owes**:

=====================================  =========================================================================================
``learn(training)``                    learn from checked objects, and set the attributes that the class documents
``scores(objects)``                    a score for each prepared object and class, the largest wins; ``winners`` if that is faster
``kept()``                             the objects that it keeps to measure new ones against, their positions and labels
``explain(X)``                         why: an `Explanation` for each object, pushes of training objects or of features
``radius_rule()``                      how it proves radii: one of the three rules of ``radius_rules.py``
``state()``, ``restore(state)``        what a model file holds of it, and back
``in_words()``, ``decides_by``         the lines of its `summary`; how it decides, in plain words
=====================================  =========================================================================================

What it **may** say more: ``settings()`` what it chose while it learned, for tables;
``learned_in_words()``, ``measured_in_words()`` and ``proved_while_learning()`` what was learned, how
good it was found to be, and what was proved, for its card;
``certificates(evidence, delta)`` what only this family proves about itself; ``changes_withstood``
how many training labels may be wrong, and ``one_row_decides`` where that is none;
``nearest_change`` the nearest object with another label, if that can be told exactly;
``radius_unit`` and ``preferred_unit`` which units it has of its own; ``holds`` the classes of what it
holds, for skops; ``check_parameters()``, ``suits(metric)``, ``for_data(...)``, ``needs``,
``without``, ``measures_distances``, ``learns_in_parts()``. A family with a price of errors C is a
child of `PricedClassifier`: it implements ``learn_together(training, models)`` instead of
``learn``, and gets ``path``.

What it **gets**: ``fit``, ``predict``, ``decision_function``, ``predict_proba``,
``certified_radius``, ``certified_flips``, ``certified_rows``, ``answers``, ``lowest_leads``,
``summary``, checks of everything that comes from outside (`admit`, `admit_queries`), the memory of
what it learned from (``learned_from_``), so that `wideberth.certify` recognises training objects,
and each distance once.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from wideberth.array_types import Floats, Indices, Labels, Objects, Sample
from wideberth.cards.card import Card, as_html, as_text
from wideberth.cards.values import told
from wideberth.certificate import Certificate
from wideberth.errors import InvalidInput, MissingValuesWarning, NotCertified, warn_user
from wideberth.estimators import model_facts as facts
from wideberth.estimators.calibration import Calibrated, Calibrator, calibrated
from wideberth.estimators.metric_estimator import (
    Fits,
    MetricEstimator,
    check_parameters,
    checked_weights,
    code_targets,
    reported,
)
from wideberth.estimators.radius_rules import RadiusRule, RadiusUnit, radius_unit
from wideberth.estimators.training import Learned, Training, examine_promises
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.measure.remembered_distances import measure_once
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import spoken_name
from wideberth.objects import sample
from wideberth.objects.digests import Digests
from wideberth.objects.disguises import ObjectDigests
from wideberth.wording import at, python

#: The most labels that the card of a model names.
_MOST_LABELS = 8

#: What a card says where nothing is known yet, and how to find out.
NOT_MEASURED = "not measured: score(X, y) on objects that it has not seen"
NOT_PROVED = "nothing about its errors yet: wideberth.certify(model, X, y) on new objects"
RADII = "certified_radius(X) says how far each object may move before its label can change"


def _kept_in_words(kept: facts.Kept, n_learned: int | None) -> str:
    """How many objects a model keeps, of how many it learned from."""
    if not kept.own:
        return facts.counted(len(kept), "reference that was given", "references that were given")
    if n_learned is None or n_learned == len(kept):
        return facts.counted(len(kept), "object", "objects")
    return f"{len(kept):,} of {facts.counted(n_learned, 'object', 'objects')}"


class MetricClassifier(Calibrated, ClassifierMixin, MetricEstimator):
    """Base of all classifiers on a metric.

    The first lines of this file say what a subclass implements. `MetricEstimator` explains what X
    may be.
    """

    #: The promises of a metric without which the method is wrong; the doctor reads them.
    needs: ClassVar[frozenset[str]] = frozenset()
    #: How to use the method on a metric that lacks them, for the doctor to say; empty if there is
    #: no way.
    without: ClassVar[str] = ""
    #: How the method decides, for people who have never heard of it: the end of the sentence "An
    #: object gets ...".
    decides_by: ClassVar[str] = "the label with the highest score"

    #: The constraints of parameters that not all estimators have.
    _fits: ClassVar[Mapping[str, Fits]] = {}

    #: Limits for children that do not ask for them.
    max_memory: str | int = "2GB"
    n_jobs: int | None = None

    classes_: NDArray[Any]
    #: How the training objects are recognised; None if they cannot be.
    learned_from_: Learned | None = None
    #: Whether it learns from a sample of its own: then `admit` remembers the training objects and
    #: examines the promises of the metric on them. The models of cross-validation folds, which are
    #: thrown away, learn from parts of a sample that was remembered and examined before.
    remembers: bool = True
    #: Whether it may measure by several metrics before it takes one.
    measures_by_several: ClassVar[bool] = False
    #: Whether it measures distances, which are then kept until the fit ends if that pays.
    measures_distances: ClassVar[bool] = True
    #: Whether a single training row, put where an object is, can decide its label.
    one_row_decides: ClassVar[bool] = False

    @classmethod
    def for_data(cls, metric: Any, n_objects: int, **parameters: Any) -> Self:
        """A classifier for this metric and this many objects; a child that has to adapt to them
        overrides it.
        """
        return cls(metric, **parameters)

    @classmethod
    def to_compare(cls, metric: Any, n_objects: int) -> Self:
        """A classifier for this metric, to compare with those of other families and metrics on so
        many objects; a child with settings to choose that are not worth their time overrides it.
        """
        return cls(metric)

    @classmethod
    def suits(cls, metric: Any) -> bool:
        """Whether it can learn by this metric; a child that needs more of objects than their
        distances overrides it.
        """
        return True

    def learn(self, training: Training) -> None:
        """Learn from checked objects; set the attributes that the subclass documents."""
        raise NotImplementedError

    def scores(self, objects: Sample) -> Floats:
        """A score for each prepared object and each class, shape (n, k); the class with the largest
        score wins.
        """
        raise NotImplementedError

    def check_parameters(self) -> None:
        """Raise `InvalidInput` for a parameter whose value no training objects allow; also called
        for those from a file.
        """
        check_parameters(self, self._fits)

    @reported
    def fit(self, X: Objects, y: Labels, sample_weight: Any = None) -> Self:
        """Learn from objects X with labels y.

        Parameters
        ----------
        X : sample
            Objects that the metric measures, a square matrix of distances, or the index of a
            `wideberth.MetricSpace`.
        y : array-like of shape (n,)
            A label for each object.
        sample_weight : array-like of shape (n,), optional
            Weights, finite and not negative; objects of weight 0 are left out.

        Returns
        -------
        self
            The fitted classifier. `InvalidInput` shows the first object, label or weight that
            cannot be used.
        """
        self.learn(self.admit(X, y, sample_weight))
        return self

    @reported
    def decision_function(self, X: Objects) -> Floats:
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
    def predict(self, X: Objects) -> NDArray[Any]:
        """The label of each object; of classes with equal scores the first one in ``classes_``
        wins.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of shape (n,)
            Labels from ``classes_``.
        """
        # raises NotFittedError before classes_ is used
        winners = self.winners(self.admit_queries(X))
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def summary(self) -> str:
        """What was learned, in a few sentences.

        Returns
        -------
        str
            A few lines: the kind of model, the number of training objects, the metric, and the
            result.

        Examples
        --------
        >>> import wideberth
        >>> model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ...     ["tea", "rum"], ["soft", "hard"]
        ... )
        >>> print(model.summary())
        NeighborsClassifier by levenshtein distance, learned from 2 objects of 2 classes.
        The nearest object gives its label.
        """
        check_is_fitted(self)
        classes = facts.counted(len(self.classes_), "class", "classes")
        n_objects = self.n_learned
        learned = (
            classes
            if n_objects is None
            else f"{facts.counted(n_objects, 'object', 'objects')} of {classes}"
        )
        proved = self.proved_while_learning()
        return "\n".join(
            [
                f"{type(self).__name__} by {spoken_name(self.metric_)} distance, learned from {learned}.",
                *self.in_words(),
                *([] if proved is None else [str(proved)]),
                *self._lost_promise(),
            ]
        )

    def card(self) -> Card:
        """What was learned, how good it is as far as that is known, and what is proved, for
        notebooks; nothing is computed.

        Examples
        --------
        >>> import wideberth
        >>> model = wideberth.NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ...     ["tea", "rum"], ["soft", "hard"]
        ... )
        >>> print(as_text(model.card()))
        NeighborsClassifier by levenshtein distance
        learned: from 2 objects of 2 classes: hard, soft
          The nearest object gives its label.
        kept: 2 objects
        how good: not measured: score(X, y) on objects that it has not seen
        proved: nothing about its errors yet: wideberth.certify(model, X, y) on new objects
        radii: certified_radius(X) says how far each object may move before its label can change
        """
        check_is_fitted(self)
        labels = self.classes_.tolist()
        names = ", ".join(
            [*map(told, labels[:_MOST_LABELS]), *["..."] * (len(labels) > _MOST_LABELS)]
        )
        classes = f"{facts.counted(len(labels), 'class', 'classes')}: {names}"
        n_objects, kept = self.n_learned, self.kept()
        source = "" if n_objects is None else f"{facts.counted(n_objects, 'object', 'objects')} of "
        proved = self.proved_while_learning()
        no_radius = self._lost_promise()
        return Card(
            f"{type(self).__name__} by {spoken_name(self.metric_)} distance",
            (
                ("learned", f"from {source}{classes}"),
                *(("", line) for line in self.learned_in_words()),
                *([] if kept is None else [("kept", _kept_in_words(kept, n_objects))]),
                ("how good", self.measured_in_words() or NOT_MEASURED),
                *(
                    [("proved", NOT_PROVED)]
                    if proved is None
                    else [
                        ("proved" if not place else "", line)
                        for place, line in enumerate(str(proved).splitlines())
                    ]
                ),
                ("radii", no_radius[0] if no_radius else RADII),
            ),
            words=("kept", "radius", "margin"),
        )

    def _html_repr(self) -> str:
        """The diagram of scikit-learn; of a fitted model its card beside it."""
        diagram: str = super()._html_repr()
        card = self._card_if_fitted()
        return diagram if card is None else as_html(card, beside=diagram)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """What notebooks and IPython show: of a fitted model its card below the parameters."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        card = self._card_if_fitted()
        if card is not None:
            shown["text/plain"] += f"\n{as_text(card)}"
        return shown

    def _card_if_fitted(self) -> Card | None:
        """The card, None of a model that is not fitted, or whose fit has failed half-way."""
        try:
            return self.card()
        except (NotFittedError, AttributeError):
            return None

    def _lost_promise(self) -> list[str]:
        """That no radius is certified, in the words of an evaluation, where the metric lacks what
        the radii of the method need.
        """
        try:
            self.radius_rule()
        except NotCertified as reason:
            return [f"No radius is certified. {reason}"]
        return []

    def in_words(self) -> list[str]:
        """The lines of the `summary` that are special to the method."""
        return []

    def learned_in_words(self) -> list[str]:
        """Those lines of the `summary` that say what was learned."""
        return self.in_words()

    def measured_in_words(self) -> str | None:
        """How good it was found to be while it learned, or was chosen; None if nothing was left
        out.
        """
        return None

    def proved_while_learning(self) -> Certificate | None:
        """What was proved about its error while it learned; None if nothing was."""
        return None

    def settings(self) -> dict[str, Any]:
        """The settings that tables show: those that the fitted model has chosen itself, on folds or
        while it learned.
        """
        return {}

    @property
    def n_learned(self) -> int | None:
        """How many objects were learned from; None if that is not remembered."""
        return None if self.learned_from_ is None else len(self.learned_from_)

    def winners(self, objects: Sample) -> Indices:
        """The code of the class of each prepared object. A subclass that finds it without all
        scores overrides this.
        """
        return np.asarray(self.scores(objects).argmax(axis=1))

    @reported
    def certified_radius(self, X: Objects, unit: str | None = None) -> Floats:
        r"""How far each object may move before its label can change.

        .. math:: r(x) = \min_{y' \neq y} \frac{h(x, y) - h(x, y')}{L_y + L_{y'}}

        for the winning class y and scores with Lipschitz constants L: no object strictly closer
        than r(x) gets another label. Where a classifier bounds its scores near each object, it is
        the largest radius at which their lead stays positive.

        Parameters
        ----------
        X : sample
            Objects to classify.
        unit : str, optional
            What to measure the radius in: "edit", one character put in, taken out or replaced; or a
            metric that bounds the model's, by its `wideberth.Metric.full_name` or what it calls a
            distance of 1 (`wideberth.Metric.dominated`). By default the metric of the model itself.

        Returns
        -------
        ndarray of shape (n,)
            Radii, infinite where no change can reach another label; a little smaller than the
            formula, to allow for rounding.

        Raises
        ------
        NotCertified
            If the metric does not promise the triangle inequality, which the proof needs, or
            nothing is proved in the unit.
        """
        objects = self.admit_queries(X)
        measure = self.radius_unit(unit)
        return self.radius_rule().radii(objects, measure)

    @reported
    def certified_flips(self, X: Objects) -> Indices:
        r"""How many training labels may be wrong before an answer can change.

        An answer that withstands r flips is that of the classifier that learns from the same objects
        after the labels of any r of them, whichever they are, have become any others. It is a
        statement about the training data: the object stays as it is, and the metric promises
        nothing for it.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of int, shape (n,)
            For each object, the most flips that leave its label.

        Raises
        ------
        NotCertified
            If nothing is proved for this kind of model, or if its settings were chosen by the labels
            that may be wrong. `wideberth.PartitionVoteClassifier` proves it for any classifier.

        Examples
        --------
        >>> import wideberth
        >>> words = ["tea", "tee", "ten", "tear", "rum", "rom", "rim"]
        >>> clf = wideberth.NeighborsClassifier("levenshtein", n_neighbors=3).fit(
        ...     words, 4 * ["soft"] + 3 * ["hard"]
        ... )
        >>> clf.certified_flips(["tea", "rim"])  # two of the nearest three decide
        array([1, 1])
        """
        return self.changes_withstood(self.admit_queries(X), adding=False)

    @reported
    def certified_rows(self, X: Objects) -> Indices:
        r"""How many training rows may be added, removed or wrongly labelled before an answer can
        change.

        A change adds a row, with any object and any label, removes one, or flips a label; a row whose
        object is altered is one removed and one added. An answer that withstands r changes is that
        of the classifier that learns after any r of them.

        Parameters
        ----------
        X : sample
            Objects to classify.

        Returns
        -------
        ndarray of int, shape (n,)
            For each object, the most changes that leave its label; 0 where a single row, put where
            the object is, can decide.

        Raises
        ------
        NotCertified
            If nothing is proved for this kind of model, or if its settings or its metric were learned
            from the rows. `wideberth.PartitionVoteClassifier` proves it for any classifier.

        Examples
        --------
        >>> import wideberth
        >>> words, sides = ["tea", "tee", "ten", "tear", "rum"], 4 * ["soft"] + ["hard"]
        >>> single, three = (
        ...     wideberth.NeighborsClassifier("levenshtein", n_neighbors=k).fit(words, sides)
        ...     for k in (1, 3)
        ... )
        >>> # "ten" may be added once more, as "hard"
        >>> single.certified_rows(["ten"]), three.certified_rows(["ten"])
        (array([0]), array([1]))
        """
        return self.changes_withstood(self.admit_queries(X), adding=True)

    @reported
    def answers(
        self, X: Objects, unit: str | None = None, *, certified: bool = True
    ) -> facts.AnsweredObjects:
        """Everything about some objects, from one pass over the distances: labels, scores, leads,
        probabilities, radii.

        Parameters
        ----------
        X : sample
            Objects to classify.
        unit : str, optional
            What radii are measured in, as in `certified_radius`.
        certified : bool
            Whether to ask for radii.

        Returns
        -------
        AnsweredObjects
            Arrays with an entry for each object.

        Raises
        ------
        NotCertified
            If ``certified``, and there are no radii, as in `certified_radius`.

        Examples
        --------
        >>> from wideberth import NeighborsClassifier
        >>> model = NeighborsClassifier("levenshtein", n_neighbors=1).fit(
        ...     ["tea", "rum"], ["soft", "hard"]
        ... )
        >>> found = model.answers(["tee", "rom"], "edit")
        >>> found.labels, found.radii
        (array(['soft', 'hard'], dtype='<U4'), array([1., 1.]))
        """
        objects, radii = self.admit_queries(X), None
        if certified:
            measure = self.radius_unit(unit)
            scores, radii = self.radius_rule().scores_and_radii(objects, measure)
        else:
            scores = self.scores(objects)
        probabilities = (
            self.calibrator.probabilities(scores) if hasattr(self, "predict_proba") else None
        )
        return facts.AnsweredObjects(
            self.classes_[scores.argmax(axis=1)],
            scores,
            facts.leads_of(scores),
            probabilities,
            radii,
        )

    def lowest_leads(
        self, objects: Sample, radius: float | Floats, unit: str | None = None
    ) -> Floats:
        """A proved lower bound of the lead of each prepared object's label, at every object within
        a radius of it.

        A positive bound says that no object in the closed ball gets another label, rounding
        included; others say nothing. The radius is one for all or one for each, in a unit as in
        `certified_radius`, and `NotCertified` is raised where that does.
        """
        measure = self.radius_unit(unit)
        radii = np.broadcast_to(np.asarray(radius, dtype=np.float64), (sample.count(objects),))
        return self.radius_rule().lowest_leads(objects, radii, measure)

    # ---- what a family says of itself ------------------------------------------------------------

    def radius_rule(self) -> RadiusRule:
        """How it proves radii; `NotCertified` if it does not, or if the metric does not promise
        what that needs.
        """
        raise NotCertified(
            f"{type(self).__name__} bounds no Lipschitz constant of its scores.",
            advice="LipschitzClassifier certifies a radius.",
            missing="lipschitz",
        )

    def kept(self) -> facts.Kept | None:
        """The objects that it keeps to measure new ones against; None if it keeps none."""
        raise NotImplementedError(
            f"{type(self).__name__} has to say in `kept` which objects it keeps, or return None."
        )

    def explain(self, X: Objects) -> list[facts.Explanation]:
        """Why each object got its label: an `Explanation` for each."""
        raise NotImplementedError(
            f"{type(self).__name__} has to say in `explain` why objects get their labels."
        )

    def certificates(self, evidence: facts.TrainingEvidence, *, delta: float) -> list[Certificate]:
        """What only this family proves about itself on its training objects, beside what its radii
        prove.
        """
        return []

    def changes_withstood(self, objects: Sample, *, adding: bool) -> Indices:
        """How many training labels may be flipped, or with ``adding`` also rows added and removed,
        until prepared objects can get another label; `NotCertified` where nothing is proved.
        """
        if adding and self.one_row_decides:
            return np.zeros(sample.count(objects), dtype=np.intp)
        what = "rows are added or removed" if adding else "training labels are wrong"
        raise NotCertified(
            f"Nothing is proved about a {type(self).__name__} when {what}: all of them shape it.",
            advice=f"{python('wideberth.PartitionVoteClassifier')}(classifier, n_parts=50) proves it "
            "for any classifier; so does a vote of neighbours.",
            missing="changed_rows",
        )

    def nearest_change(self, target: Any, unit: str | None) -> tuple[Any, float] | None:
        """The nearest object with another label and its distance in a unit, where the method can
        tell exactly, none at an infinite distance where there is none; None elsewhere.
        """
        return None

    def radius_unit(self, unit: str | None) -> RadiusUnit:
        """What radii are measured in, by the name of a unit as in `certified_radius`; a family with
        units of its own overrides it.
        """
        return radius_unit(self.metric_, unit)

    def preferred_unit(self) -> str:
        """The unit in which people read radii of texts, if they are proved in it."""
        return "edit"

    def learns_in_parts(self) -> bool:
        """Whether it can learn from sums over parts of the sample, so that objects stay on the
        workers of a cluster.
        """
        return False

    @property
    def answering(self) -> "MetricClassifier":
        """The classifier that answers in the end: of one that has chosen another, the one that was
        chosen.
        """
        return self

    def comparison(self) -> facts.Comparison | None:
        """What it was chosen from, if kinds of models or metrics were compared; None if they were
        not.
        """
        return None

    def scores_and_absolutes(self, objects: Sample) -> tuple[Floats, Floats]:
        """The scores and their absolute values, for the rounding of scores that are not differences
        of large terms.
        """
        scores = self.scores(objects)
        return scores, np.abs(scores)

    # ---- checks ----------------------------------------------------------------------------------

    def require_triangle(self) -> None:
        """Raise `NotCertified` if the metric does not promise the triangle inequality."""
        if not self.metric_.obeys_triangle:
            status = "does not obey" if self.metric_.obeys_triangle is False else "does not promise"
            raise NotCertified(
                f"A radius needs the triangle inequality, which {self.metric_.name!r} {status}.",
                advice=f"Choose a metric that does, or repair it ({python('wideberth.diagnose')}); "
                f"{python('declare obeys_triangle=True')} if proved.",
                missing="obeys_triangle",
            )

    def admit(self, X: Objects, y: Labels, sample_weight: Any) -> Training:
        """Check objects, labels and weights, set ``metric_`` and ``classes_``; return the sample of
        those with a weight.
        """
        if y is None:
            raise InvalidInput(
                f"{type(self).__name__} requires y to be passed, but the target y is None.",
                value=None,
            )
        objects, metric, metric_learned, given = self.admit_objects(
            X, lambda checked: _codes_and_weights(y, sample_weight, len(checked))
        )
        n_objects = sample.count(objects)
        labels = code_targets(y, n_objects)
        weights = checked_weights(sample_weight, n_objects)
        kept = np.flatnonzero(weights)
        self.metric_ = metric
        self.classes_, codes = np.unique(labels.classes[labels.codes[kept]], return_inverse=True)
        labels_taught = metric_learned and metric.uses_labels
        digests = self._recognised_by(metric, given, objects) if self.remembers else None
        self.learned_from_ = None
        if digests is not None:
            # a metric learns from objects of weight 0 too
            seen = np.arange(n_objects) if metric_learned else kept
            named = labels.classes[labels.codes[seen]]
            self.learned_from_ = Learned.of(
                digests[seen],
                labels=named,
                weights=weights[seen],
                metric_learned=metric_learned,
                taught_by=metric.taught_by,
            )
            metric_learned = self.learned_from_.metric_learned
        if len(kept) < n_objects:
            objects = sample.pick(objects, kept)
        table = None
        if self.measures_distances:
            half = parse_memory(self.max_memory) // 2  # the other half is for blocks of distances
            objects, self.metric_, table = measure_once(
                objects, metric, max_memory=half, n_jobs=self.n_jobs
            )
        if self.remembers:
            examine_promises(objects, self.metric_)
        return Training(
            objects=objects,
            metric=self.metric_,
            codes=codes.astype(np.intp),
            weights=weights[kept],
            n_classes=len(self.classes_),
            positions=kept,
            n_given=n_objects,
            metric_learned=metric_learned,
            labels_taught=labels_taught,
            examined=not self.remembers,
            table=table,
        )

    def _without_missing(self, X: Floats) -> Floats:
        """The median of the objects that the model keeps in the place of each missing number.

        An object with missing numbers is then at distance 0 from the one without, which keeps
        symmetry and the triangle inequality, on which radii rest.
        """
        kept, missing = self.kept(), np.isnan(X)
        if kept is None:
            return X
        row, column = map(int, np.argwhere(missing)[0])
        names = getattr(self, "feature_names_in_", range(X.shape[1]))
        lacking = facts.counted(int(missing.any(axis=1).sum()), "object", "objects")
        warn_user(
            f"Numbers are missing in {lacking}, "
            f"first in {at('object', row)} at feature {names[column]!r}; none was missing while the model "
            "learned. The medians of the objects that it keeps are in their place.",
            MissingValuesWarning,
        )
        medians = np.median(np.asarray(kept.objects, dtype=np.float64), axis=0)
        return np.where(missing, medians, X)

    def _recognised_by(
        self, metric: Metric, given: Sample, objects: Sample
    ) -> ObjectDigests | None:
        """What is remembered of training objects; None if they cannot be recognised."""
        return metric.all_digests(given, objects)

    def digests(self, X: Objects) -> Digests | None:
        """The digests by which the objects of X would be recognised among the training objects;
        None if they cannot be.
        """
        prepared, given = self.admit_with_given(X)
        return self.metric_.digests(given, prepared)

    def inherit(self, other: Self) -> None:
        """Copy from another model what `admit` set: for models that learn from the same objects."""
        for name in ("metric_", "classes_", "n_features_in_", "feature_names_in_", "learned_from_"):
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))


def _codes_and_weights(y: Labels, sample_weight: Any, n_objects: int) -> tuple[Indices, Floats]:
    """The class of each object and its weight, for a metric that learns from them."""
    return code_targets(y, n_objects).codes, checked_weights(sample_weight, n_objects)


class PricedClassifier(MetricClassifier):
    """Base of families with a price of errors C, which learn models for several prices together:
    `fit` is a path of one.
    """

    C: float
    calibrate: int | None

    def learn_together(self, training: Training, models: Sequence[Self]) -> None:
        """Learn models that differ from this one in C alone, and whose parameters are checked."""
        raise NotImplementedError

    def learn(self, training: Training) -> None:
        self.check_parameters()
        self.learn_together(training, [self])
        if self.calibrate is not None:
            self.calibration_ = self.calibrated(training)

    def calibrated(self, training: Training) -> Calibrator:
        """The calibration of its probabilities, on folds of the objects that it learned from."""
        return calibrated(self, training)

    @reported
    def path(
        self, X: Objects, y: Labels, C: Iterable[float], sample_weight: Any = None
    ) -> list[Self]:
        """Fitted classifiers for all values of ``C``, in the order given.

        What does not depend on C, such as distances, is found once, and a program starts from the
        solution of the one before: all of them together cost little more than the hardest one.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        C : iterable of float
            The prices of errors; each of the models has one of them.

        Returns
        -------
        list of classifiers
            Of the class of this one, without ``calibrate``.

        Examples
        --------
        >>> from wideberth import LPMachineClassifier
        >>> path = LPMachineClassifier().path(
        ...     [[0.0], [1.0], [1.5], [3.0]], [0, 0, 1, 1], C=[0.5, 300]
        ... )
        >>> # a constant; a margin of 0.25 around 1.25
        >>> [model.lipschitz_bound_.round(6).tolist() for model in path]
        [[0.0], [4.0]]
        """
        training = self.admit(X, y, sample_weight)
        models: list[Self] = [clone(self).set_params(C=price, calibrate=None) for price in C]
        for model in models:
            model.check_parameters()
            model.inherit(self)
        self.learn_together(training, models)
        return models


# ---- The classifier inside of whatever was passed: a classifier of this library, or a search for
# one


def metric_classifier(
    model: Any, problem: str = "has no metric to judge objects by"
) -> MetricClassifier:
    """The fitted classifier on a metric that a model is, or that a search has found; of a class that
    chooses its own parameters the model itself. ``problem`` is what the error says of other models.

    Examples
    --------
    >>> from wideberth import NeighborsClassifier
    >>> metric_classifier(
    ...     NeighborsClassifier("levenshtein").fit(["tea", "rum"], ["soft", "hard"])
    ... ).metric
    'levenshtein'
    """
    found = model
    while not isinstance(found, MetricClassifier):
        # a search of scikit-learn, which has chosen nothing before fit
        if hasattr(found, "fit") and hasattr(found, "estimator"):
            check_is_fitted(found)
        if not hasattr(found, "best_estimator_"):
            raise _not_ours(model, problem)
        found = found.best_estimator_
    check_is_fitted(found, "metric_")
    return found


def single_classifier(model: Any) -> MetricClassifier:
    """The fitted classifier that answers in the end: of one that chooses its parameters the one
    that was chosen.

    Examples
    --------
    >>> from wideberth import LipschitzClassifierCV
    >>> drinks, kinds = ["tea", "tee", "rum", "rom"], ["soft", "soft", "hard", "hard"]
    >>> type(
    ...     single_classifier(
    ...         LipschitzClassifierCV("levenshtein", C=[2, 5], cv=2).fit(drinks, kinds)
    ...     )
    ... ).__name__
    'LipschitzClassifier'
    """
    return metric_classifier(model).answering


def class_scores(model: Any, X: Objects) -> Floats:
    """The scores of a fitted classifier, one for each class; of two classes half of their
    difference, with its sign.

    Examples
    --------
    >>> from wideberth import LipschitzClassifier
    >>> class_scores(LipschitzClassifier().fit([[0.0], [2.0]], ["low", "up"]), [[0.0]]).round(6)
    array([[ 1., -1.]])
    """
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    return scores if scores.ndim == 2 else np.column_stack([-scores / 2, scores / 2])


def usual_unit(model: Any, objects: Sample) -> str | None:
    """The unit in which people read radii of texts, edits unless the model has learned for another,
    where they are proved in it: they know these better than counted words or n-grams. None for the
    metric of the model.
    """
    if model.metric_.accepts != "strings":
        return None
    unit: str = model.preferred_unit()
    try:
        model.certified_radius(objects[:1], unit)
    except NotCertified:
        return None
    return unit if model.radius_unit(unit).step == 1 else None


def _not_ours(model: Any, problem: str) -> InvalidInput:
    return InvalidInput(
        f"A {type(model).__name__} {problem}.",
        advice="Pass a fitted classifier of wideberth on a metric, or a fitted search of "
        "scikit-learn for one.",
        value=model,
    )

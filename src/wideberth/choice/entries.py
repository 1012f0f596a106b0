"""A family of classifiers on a metric, with its best settings: what it said of the objects left
out, and what it costs.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from wideberth.array_types import Flags, Floats, Indices, Labels, Objects, Sample
from wideberth.choice.candidate_metrics import sum_of
from wideberth.choice.paired import Leader, mean_by_object
from wideberth.choice.time_limit import Budget
from wideberth.classifiers.named import NamedClassifier
from wideberth.errors import NotCertified
from wideberth.estimators.choosing.cross_validation import Examination, choose_price
from wideberth.estimators.choosing.fold_answers import (
    Answers,
    Candidates,
    Fold,
    Shared,
    TaughtByFolds,
    WithoutPrice,
    candidates_by_folds,
)
from wideberth.estimators.metric_classifier import MetricClassifier
from wideberth.estimators.metric_estimator import without_names
from wideberth.estimators.training import Training, examine_distance
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.measure.remembered_distances import MeasuredOnce
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import METRICS
from wideberth.metrics.named import metric as as_metric
from wideberth.objects import sample

# ---- The objects under one metric, as all classifiers that are tried on it learn from them; each
# distance is measured once


@dataclass(frozen=True)
class Sampled:
    """The labelled objects of a fit as the user passed them, the positions of those on which
    candidates are compared, None for all of positive weight, and the limits of memory and cores for
    one metric.
    """

    X: Objects
    y: Labels
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
    #: Of a sum the objects under both metrics, and what these are divided by.
    summed: "tuple[Ground, Ground, tuple[float, float]] | None" = None

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
        compared = (
            part
            if isinstance(part.metric, MeasuredOnce)
            else part.in_a_table(sampled.max_memory, sampled.n_jobs)
        )
        return cls(metric, *_holding(holder, _learned_from(training, compared, sampled)), compared)

    @cached_property
    def by_folds(self) -> TaughtByFolds:
        """The objects that are compared, under the metrics that folds teach where labels taught
        theirs.
        """
        quarter = parse_memory(self.holder.max_memory) // 4
        taught = None if self.summed is None else self._sum_taught_by
        return TaughtByFolds(self.compared, quarter, self.holder.n_jobs, taught)

    def _sum_taught_by(self, fold: Fold) -> Metric:
        """The sum of the metrics that a fold has taught before."""
        assert self.summed is not None
        first, second, medians = self.summed
        one, other = (part.by_folds.of(fold).without_table() for part in (first, second))
        return sum_of(one.metric, other.metric, medians)

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
        plain = training.without_table()
        part = plain if sampled.compared is None else plain.part(sampled.compared)
        known = self.distances * (1.0 / medians[0]) + other.distances * (1.0 / medians[1])
        compared = part.in_a_table(sampled.max_memory, sampled.n_jobs, known)
        holding = _holding(holder, _learned_from(training, compared, sampled))
        return Ground(summed, *holding, compared, (self, other, medians))


def expected_seconds(metric: Metric, objects: Sample, pairs: float) -> float:
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


#: How many of the objects left out show how far radii reach.
_RADII_OF = 30
#: How many objects at a time a fitted winner is asked about, until two get different labels.
_ASKED = 200
#: A family is cheap on many objects if its time grows like this power of their number, or less.
_CHEAP_TO_GROW = 1.0
#: By which a price is multiplied, one after the other, as long as that pays.
_LARGER_PRICES = (1.0, 3.0, 10.0, 30.0)
#: The least time that a fit gets.
_LEAST_SECONDS = 0.5
#: What a family without distances costs for an answer, in distances of its metric: it counts what
#: an object consists of once.
_COST_OF_COUNTING = 20


class Recorder:
    """Collects what candidates say of the objects that folds leave out, and holds them against the
    best candidate so far, if there is one; for `Examination`. What ``check`` raises after a record
    ends the comparison.
    """

    def __init__(
        self,
        folds: list[Fold],
        classes: NDArray[Any],
        codes: Indices,
        check: Callable[[], None],
        leader: Leader | None,
    ) -> None:
        self._classes, self._check, self._leader = classes, check, leader
        self._codes = [codes[fold.left_out] for fold in folds]
        self._scores: dict[tuple[int, int], dict[int, Floats]] = {}
        self._stable: dict[tuple[int, int], dict[int, Flags]] = {}

    def __call__(self, fold: int, place: int, tried: Flags, answers: Answers) -> None:
        """Record the answers of a variant in a fold, for the values of C with which it was
        tried.
        """
        columns = np.searchsorted(self._classes, answers.classes)
        for number, value in enumerate(np.flatnonzero(tried).tolist()):
            scores = np.full((answers.scores.shape[1], len(self._classes)), -np.inf)
            scores[:, columns] = answers.scores[number]
            self._scores.setdefault((place, value), {})[fold] = scores
            if answers.stable is not None:
                self._stable.setdefault((place, value), {})[fold] = answers.stable[number]
        self._check()

    def after_fold(self, fold: int) -> None:
        """Hold the best candidate so far against the leader; `GivenUp` if it is hopeless."""
        if self._leader is not None:
            self._leader.hold(max(self._right(fold + 1), key=lambda right: sum(map(np.sum, right))))

    def _right(self, n_folds: int) -> list[list[Flags]]:
        """Which objects each candidate that ran in the first folds got right, fold by fold."""
        return [
            [folds[fold].argmax(axis=1) == self._codes[fold] for fold in range(n_folds)]
            for folds in self._scores.values()
            if len(folds) >= n_folds
        ]

    def scores(self, place: int, value: int) -> Floats:
        """The scores of all objects left out, fold after fold, by a candidate that ran in all
        folds.
        """
        return np.concatenate(
            [self._scores[place, value][fold] for fold in range(len(self._codes))]
        )

    def stable(self, place: int, value: int) -> Flags | None:
        """Which of them keep their label within the radius of the choice; None if that was not
        asked.
        """
        if not self._stable:
            return None
        return np.concatenate(
            [self._stable[place, value][fold] for fold in range(len(self._codes))]
        )

    def all_right(self) -> Flags:
        """Which objects each candidate that ran in all folds got right, fold after fold, shape
        (candidates, n).
        """
        return np.array([np.concatenate(each) for each in self._right(len(self._codes))])


@dataclass(frozen=True)
class TrialFit:
    """What a model costs, by one that has learned from all folds but the first: times, training
    objects kept, and what an answer costs by what the metric declares, in nanoseconds, unlike the
    times the same in every run. The median certified radius of some of the objects left out is None
    if none is proved.
    """

    n_known: int
    fit_seconds: float
    answer_microseconds: float
    objects_kept: int
    cost: float
    median_radius: float | None
    radius_unit: str | None
    settings: dict[str, Any]


@dataclass(eq=False)
class Entry:
    """A family on a metric, with the settings that were chosen, and a classifier with them, not
    fitted, on the metric as the user would pass it.

    ``scores`` are what it said of the objects left out, fold after fold, -inf for classes that its
    fold did not know. ``right`` is the share of right answers about each object that was left out,
    ``secured`` the share that is also proved to stay so within the radius of the choice,
    ``all_right`` the same as ``right`` for each of its settings that were tried to the end.
    Settings were chosen by ``fold_scores``; those that a family chooses while it learns are told by
    the ``trial``, which only contenders have.
    """

    family: NamedClassifier
    ground: Ground
    chosen: dict[str, Any]
    single: MetricClassifier
    scores: Floats
    right: Floats
    weights: Floats
    secured: Floats | None
    fold_scores: Floats
    all_right: Floats
    trial: TrialFit | None = None
    #: What else there is to say of it beside others.
    comparisons: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The family and the metric in words."""
        return f"{self.family.title} by {self.ground.name}"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that tables show."""
        return self.chosen or (self.trial.settings if self.trial else {})

    @property
    def error(self) -> float:
        """The weighted share of the objects left out that it got wrong."""
        return float(self.weights @ (1.0 - self.right) / self.weights.sum())

    @property
    def standard_error(self) -> float:
        """The standard error of that share."""
        shares = self.weights / self.weights.sum()
        return float(np.sqrt(np.sum((shares * (1.0 - self.right - self.error)) ** 2)))

    @property
    def certified(self) -> float | None:
        """The weighted share that is right and proved to stay so; None if that was not asked."""
        return (
            None
            if self.secured is None
            else float(self.weights @ self.secured / self.weights.sum())
        )

    @property
    def lost(self) -> float:
        """What the best candidate has the least of: errors, or objects without a certificate."""
        return self.error if self.certified is None else -self.certified

    @property
    def seconds_on_all(self) -> float:
        """How long it will take to fit it on all objects, as far as the trial and the distances so
        far tell.
        """
        assert self.trial is not None
        times = len(self.ground.training) / self.trial.n_known
        return float(
            self.trial.fit_seconds * times**self.family.growth + self.ground.seconds_for_all()
        )

    def leads(self, folds: list[Fold], patience: float, floor: float) -> Leader:
        """The candidate as the one to which others are held."""
        codes = self.ground.compared.codes[np.concatenate([fold.left_out for fold in folds])]
        right = self.scores.argmax(axis=1) == codes
        return Leader(folds, right, self.ground.compared.weights, patience=patience, floor=floor)

    def try_out(self, fold: Fold, budget: Budget, unit: str | None) -> None:
        """Fit it on the known objects of a fold and see what it costs; the fit takes no longer than
        what is left, if it knows such a limit.
        """
        compared = self.ground.by_folds.of(fold)
        known = compared.part(fold.known)
        model = clone(self.single).set_params(metric=compared.metric)
        if np.isfinite(budget.left) and "max_time" in model.get_params(deep=False):
            model.set_params(max_time=max(budget.left, _LEAST_SECONDS))
        model.remembers = False
        started = budget.spent
        model.fit(known.objects, self.ground.holder.classes_[known.codes], known.weights)
        learned = budget.spent
        queries = sample.pick(compared.objects, fold.left_out)
        model.predict(queries)
        answered = budget.spent
        kept = model.kept()
        n_kept = 0 if kept is None else len(kept)
        nanoseconds = compared.metric.nanoseconds(compared.objects)
        some = sample.pick(queries, np.arange(min(len(fold.left_out), _RADII_OF)))
        self.trial = TrialFit(
            len(known),
            learned - started,
            1e6 * (answered - learned) / len(fold.left_out),
            n_kept,
            (n_kept or _COST_OF_COUNTING) * nanoseconds,
            _median_radius(model, some, unit),
            unit,
            model.settings(),
        )

    def fitted_on_all(
        self, numbered: Callable[[Training], Training], budget: Budget
    ) -> MetricClassifier:
        """The classifier, fitted on all objects, which ``numbered`` calls by their positions in the
        X of fit; if not all were compared, and time allows, with a price that suits so many.
        """
        if self.family.growth <= _CHEAP_TO_GROW and "C" in self.chosen:
            price = self._price_for_all(budget)
            self.chosen = self.chosen | {"C": price}
            self.single.set_params(C=price)
        self.single.inherit(self.ground.holder)
        self.single.learn(numbered(replace(self.ground.training, examined=True)))
        return self.single

    def _price_for_all(self, budget: Budget) -> float:
        """The price of errors for all objects: from the one that was chosen on some of them on, the
        last of those three times as large each with which fewer of a fifth of the objects are wrong
        than with the one before.

        More objects pay for finer scores: the best price on 14,000 names of 18 nationalities is
        three times as large as on 2,000 of them, and on 5,600 news as on 2,000 (0.2 to 0.4 points).
        """
        price, training = float(self.chosen["C"]), self.ground.training
        if len(training) == len(self.ground.compared):
            return price
        order = np.random.default_rng(0).permutation(len(training))
        known, rest = np.split(order, [len(order) * 4 // 5])
        part = replace(training.part(np.sort(known)), examined=True)
        queries, truth = sample.pick(training.objects, rest), training.codes[rest]
        fewest, took = np.inf, 0.0 if self.trial is None else self.seconds_on_all
        for larger in _LARGER_PRICES:
            # one more such fit, and the one on all objects, at a price that takes longer
            if 4.0 * took > budget.seconds - budget.spent:
                break
            started, model = budget.spent, clone(self.single).set_params(C=larger * price)
            model.inherit(self.ground.holder)
            model.remembers = False
            model.learn(part)
            wrong = float(training.weights[rest] @ (model.scores(queries).argmax(axis=1) != truth))
            if wrong >= fewest:
                break
            fewest, best, took = wrong, larger * price, budget.spent - started
        return price if np.isinf(fewest) else best

    def sole_label(self, fitted: MetricClassifier, X: Objects) -> Any:
        """The label that the classifier, fitted on all objects X, gives to all of them, although on
        folds it told labels apart; None if there is none.

        The LP machine can turn out so, whose functions on folds are approximate. Where distances
        are dear, only a classifier that measures none is asked.
        """
        kept, training = fitted.kept(), self.ground.training
        if training.table is not None and kept is not None and len(kept):
            return None
        on_folds = self.scores.argmax(axis=1)
        if (on_folds == on_folds[0]).all():
            return None
        # objects of all classes first: they nearly always tell at once
        firsts = np.unique(training.codes, return_index=True)[1]
        order = training.positions[np.concatenate([firsts, np.arange(len(training))])]
        held, told = sample.hold(X), set[Any]()
        for start in range(0, len(order), _ASKED):
            some = sample.pick(held, order[start : start + _ASKED])
            if isinstance(some, np.ndarray) and some.dtype == object:
                some = some.tolist()  # lists of vectors are vectors, arrays of arrays are none
            with without_names():
                told.update(fitted.predict(some).tolist())
            if len(told) > 1:
                return None
        return told.pop()


def enter(
    family: NamedClassifier,
    ground: Ground,
    examination: Examination,
    check: Callable[[], None],
    parameters: dict[str, Any],
    leader: Leader | None,
) -> Entry:
    """Choose the settings of a family on the objects that are compared, and record how good they
    are. What ``check`` raises ends the work, and so does being behind the leader (`GivenUp`). Of
    the parameters for all classifiers each takes those that it has.
    """
    chooser = family.chooser(ground.metric, len(ground.compared), **parameters)
    chooser.inherit(ground.holder)
    values, variants = _candidates(chooser, ground)
    codes = ground.compared.codes
    recorder = Recorder(examination.folds, ground.holder.classes_, codes, check, leader)
    tried = choose_price(
        ground.compared,
        values,
        variants,
        replace(examination, observer=recorder, after_fold=recorder.after_fold),
    )
    place, value = divmod(tried.best, len(values))
    left_out = np.concatenate([fold.left_out for fold in examination.folds])
    scores = recorder.scores(place, value)
    right, stable = scores.argmax(axis=1) == codes[left_out], recorder.stable(place, value)
    chooses = family.chooser_name is not None
    if chooses:
        chooser.conclude(tried)
    return Entry(
        family,
        ground,
        chooser.settings() if chooses else {},
        chooser.best_candidate() if chooses else clone(chooser),
        scores,
        mean_by_object(right, left_out),
        ground.compared.weights[np.unique(left_out)],
        None if stable is None else mean_by_object(right & stable, left_out),
        tried.scores[:, tried.best],
        mean_by_object(recorder.all_right(), left_out),
    )


def _candidates(chooser: Any, ground: Ground) -> Candidates:
    """The values of C and the variants of a family on the objects that are compared."""
    make = partial(_without_price, chooser, ground.holder.classes_)
    if hasattr(chooser, "candidates_on"):
        chooser.check_parameters()
        make = chooser.candidates_on
    return candidates_by_folds(make, ground.compared, ground.by_folds)


def _without_price(chooser: Any, classes: NDArray[Any], training: Training) -> Candidates:
    """The one candidate of a family that has no price of errors, or finds it while it learns."""
    shared = Shared(
        training.objects,
        training.metric,
        classes[training.codes],
        training.weights,
        parse_memory(chooser.max_memory),
    )
    return np.array([np.nan]), [
        WithoutPrice({}, clone(chooser).set_params(metric=training.metric), shared)
    ]


def _median_radius(model: MetricClassifier, queries: Sample, unit: str | None) -> float | None:
    """The median certified radius of some objects, in a unit; None if none is proved."""
    if hasattr(model, "exact_edits"):  # paths of three edits take a third of a second a text
        model.set_params(exact_edits=min(model.exact_edits, 1))
    try:
        return float(np.median(model.certified_radius(queries, unit)))
    except NotCertified:
        return None

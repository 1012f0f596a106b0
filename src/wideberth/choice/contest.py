"""The comparison of metrics and families of classifiers on the same folds, in stages, until the
time is over.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold, train_test_split

from wideberth import errors
from wideberth.array_types import Indices, Labels, Objects, Sample
from wideberth.cards.values import duration
from wideberth.certificate import Certificate
from wideberth.choice.candidate_metrics import candidate_metrics, kind_of
from wideberth.choice.entries import Entry, Ground, Sampled, enter, short_name
from wideberth.choice.paired import GivenUp
from wideberth.choice.time_limit import Budget, OutOfTime, work_clock
from wideberth.classifiers.named import CLASSIFIERS, NamedClassifier
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.estimators.choosing.cross_validation import Examination
from wideberth.estimators.choosing.fold_answers import Fold, cut_folds
from wideberth.estimators.choosing.scoring import FLOOR, CertifiedScore, as_scorer
from wideberth.estimators.radius_rules import radius_unit
from wideberth.estimators.training import Training, class_weights
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.geometry.measure.parallel import effective_jobs
from wideberth.guarantees.certify import certificates_of, classifier_to_certify, set_aside
from wideberth.metrics.metric import Metric
from wideberth.metrics.named import metric as as_metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.progress import task
from wideberth.wording import setting

#: The share of the time that is left which the distances under one metric may take.
_SHARE_OF_DISTANCES = 0.5
#: The prices of errors of families that choose theirs again on all objects, from the one that is
#: best on some of them on (`Entry.fitted_on_all`): larger ones take the longest.
_PRICES_ON_SOME = [0.1, 0.3, 1.0]
#: What says nothing against a candidate.
_OF_THE_CLUSTER = (errors.LostWork, errors.MissingOnWorkers)


@dataclass(frozen=True)
class Dropped:
    """A family on a metric that has no result, and why; the family is "all" if none was tried on
    the metric, and ``families`` is how many that are. Of one that was given up, ``lost`` is what it
    would have lost by what it showed.
    """

    metric: str
    family: str
    why: str
    for_time: bool = False
    ground: Ground | None = None
    lost: float | None = None
    families: int = 1


@dataclass(eq=False)
class Contest:
    """Tries families of classifiers on metrics, and keeps what came of them: ``entries`` with a
    result, and those ``dropped``.

    ``holder`` makes a classifier, not fitted, for a metric, which checks the objects; ``units`` is
    the unit in which to show radii under a metric; ``floor`` is by how much accuracies may be
    behind the best one, None if no candidate is given up because it is behind.
    """

    sampled: Sampled
    examination: Examination
    budget: Budget
    families: Sequence[str]
    parameters: dict[str, Any]
    holder: Callable[[Any], Any]
    units: Callable[[Metric], str | None]
    floor: float | None
    entries: list[Entry] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    _expected: int = 0

    def run(self, first: Ground, others: Iterable[Any]) -> None:
        """Try the families that compare metrics on each metric, the likeliest one first, which is
        ready; then on the sum of two of the best; then the other families on the best. The first
        family of the first metric is tried even if no time is left.
        """
        others = list(others)
        self._expected = steps = self._steps(1 + len(others))
        with task(f"comparing {steps} models", steps), warnings.catch_warnings():
            # it was warned of, or the time was over
            for foreseen in (errors.BrokenAxiomWarning, ConvergenceWarning):
                warnings.simplefilter("ignore", foreseen)
            grounds = [first]
            self._try_on(first, self._on_every_metric)
            for metric in others:
                ground = self._measured(metric)
                if ground is not None:
                    grounds.append(ground)
                    self._try_on(ground, self._on_every_metric)
            ranked = self._ranked(grounds)
            summed = self._sum(ranked)
            if summed is not None:
                self._try_on(summed, self._on_every_metric)
                ranked = self._ranked([*grounds, summed])
            for family in self._on_the_best:
                for ground in ranked[: family.on_metrics] or [first]:
                    self._try_on(ground, [family])

    def _steps(self, n_metrics: int) -> int:
        """About how many candidates will be tried: all on every metric and on a sum, the others on
        the best.
        """
        return len(self._on_every_metric) * (n_metrics + 1) + sum(
            family.on_metrics or 0 for family in self._on_the_best
        )

    @property
    def _wanted(self) -> list[NamedClassifier]:
        """The wanted families in the order of their trial."""
        return [each for each in CLASSIFIERS.values() if each.name in self.families]

    @property
    def _on_every_metric(self) -> list[NamedClassifier]:
        """The families that are tried on all metrics; if the user wants none of these, all that are
        wanted.

        If not all objects are compared, those whose time grows the least follow the first at once:
        what leads on some of the objects may take too long to learn from all.
        """
        found = [each for each in self._wanted if each.on_metrics is None] or self._wanted
        if self.sampled.compared is None:
            return found
        return [*found[:1], *sorted(found[1:], key=lambda family: family.growth)]

    @property
    def _on_the_best(self) -> list[NamedClassifier]:
        """The families that are tried on the best metrics only."""
        everywhere = self._on_every_metric
        return [each for each in self._wanted if each not in everywhere]

    def _try_on(self, ground: Ground, families: Sequence[NamedClassifier]) -> None:
        """Try the families that a metric suits."""
        for family in families:
            if family.suits(ground.metric):
                self._try(family, ground)

    def _try(self, family: NamedClassifier, ground: Ground) -> None:
        """Try a family on a metric: one that reads the objects themselves, on objects of its
        own.
        """
        by_distances = family.load().measures_distances
        with self._kept_as_reason(ground.name, family.name, ground if by_distances else None):
            if self.entries or self.dropped:
                self.budget.check()
            with task(f"{self._place()}, {family.title} by {ground.name}", worth=1.0):
                on = ground
                if not by_distances:
                    on = Ground.of(family.chooser(ground.metric, **self.parameters), self.sampled)
                self._require_unit(on)
                # the first one is tried to the end
                check = self.budget.check if self.entries else _never_late
                best, leader = min(self.entries, key=_lost, default=None), None
                if best is not None and self.floor is not None:
                    leader = best.leads(self.examination.folds, family.patience, self.floor)
                parameters = self.parameters
                if not by_distances and self.sampled.compared is not None:
                    parameters = parameters | {"C": _PRICES_ON_SOME}
                entry = enter(family, on, self.examination, check, parameters, leader)
            self.entries.append(entry)
            if best is None or entry.lost < best.lost:
                self.try_out(entry)
                self.budget.keep_back(entry.seconds_on_all)

    def try_out(self, entry: Entry) -> None:
        """See what a candidate costs, unless that is known."""
        if entry.trial is None:
            unit = self._unit(entry.ground)
            entry.try_out(self.examination.folds[0], self.budget, unit)

    @contextmanager
    def _kept_as_reason(
        self, metric: str, family: str, ground: Ground | None = None
    ) -> Iterator[None]:
        """What is raised because a candidate is hopeless, for lack of time, or because something
        cannot be used, is kept as the reason why it has no result.
        """
        try:
            yield
        except _OF_THE_CLUSTER:
            raise
        except GivenUp as reason:
            lost = min(map(_lost, self.entries)) + reason.behind
            why = f"given up: {reason}."
            self.dropped.append(Dropped(metric, family, why, ground=ground, lost=lost))
        except (OutOfTime, errors.WideberthError) as reason:
            for_time, families = isinstance(reason, OutOfTime), self._families_in(family)
            why = f"not tried: {reason}"
            self.dropped.append(Dropped(metric, family, why, for_time, families=families))

    def _place(self) -> str:
        """Which candidate is next, of about how many."""
        number = len(self.entries) + sum(each.families for each in self.dropped) + 1
        return f"{number} of {max(self._expected, number)}"

    def _families_in(self, family: str) -> int:
        """How many families a name stands for."""
        return len(self._on_every_metric) if family == "all" else 1

    def _require_unit(self, ground: Ground) -> None:
        """For a certified choice, a `NotCertified` if no radius is proved in its unit."""
        if self.examination.certified is not None:
            radius_unit(ground.compared.metric, self.examination.certified.unit)
            ground.holder.require_triangle()

    def _unit(self, ground: Ground) -> str | None:
        """The unit of radii."""
        certified = self.examination.certified
        return self.units(ground.compared.metric) if certified is None else certified.unit

    def _measured(self, metric: Any) -> Ground | None:
        """The objects under a metric; None if they cannot be measured, or not in time."""
        ground = None
        with self._kept_as_reason(_name(metric), "all"):
            self.budget.check()
            ground = Ground.of(self.holder(metric), self.sampled)
        return ground if ground is not None and self.affordable(ground) else None

    def affordable(self, ground: Ground) -> bool:
        """Whether there is time to measure the objects that are compared; if not, that is kept as
        the reason.
        """
        seconds = ground.expected_seconds() / effective_jobs(self.sampled.n_jobs)
        if seconds <= _SHARE_OF_DISTANCES * self.budget.left:
            return True
        why = f"not tried: its distances would take about {duration(seconds)}."
        families = self._families_in("all")
        self.dropped.append(Dropped(ground.name, "all", why, for_time=True, families=families))
        return False

    def _ranked(self, grounds: Sequence[Ground]) -> list[Ground]:
        """The metrics on which something was tried, the best one first."""
        best: dict[int, float] = {}
        for ground, lost in self.shown():
            best[id(ground)] = min(best.get(id(ground), np.inf), lost)
        return sorted(
            (each for each in grounds if id(each) in best), key=lambda each: best[id(each)]
        )

    def shown(self) -> list[tuple[Ground, float]]:
        """The metric of each candidate that has shown something, and what it lost."""
        given_up = [
            (each.ground, each.lost)
            for each in self.dropped
            if each.ground is not None and each.lost is not None
        ]
        return [(each.ground, each.lost) for each in self.entries] + given_up

    def _sum(self, ranked: Sequence[Ground]) -> Ground | None:
        """The objects under the sum of the best metric and the best one of another name; None if
        nothing can come of it.
        """
        others = [each for each in ranked[1:] if _class_name(each) != _class_name(ranked[0])]
        wanted = self.examination.certified is None and bool(self._on_every_metric)
        if not others or not wanted or self.budget.left <= 0:
            return None
        try:
            return ranked[0].plus(others[0], self.holder(ranked[0].metric), self.sampled)
        except _OF_THE_CLUSTER:
            raise
        except errors.WideberthError:  # such as metrics on indices into different spaces
            return None


def _lost(entry: Entry) -> float:
    return entry.lost


def _never_late() -> None:
    """No limit."""


def _name(metric: Any) -> str:
    return metric if isinstance(metric, str) else short_name(as_metric(metric))


def _class_name(ground: Ground) -> str:
    return as_metric(ground.metric).name


# ---- Objects that are set aside before anything is chosen, and what they prove in the end

#: X, y, sample_weight and groups, as ``fit`` takes them.
Given = tuple[Objects, Labels, Any, Any]


@dataclass(frozen=True, eq=False)
class SetAside:
    """Objects that take no part in learning, with their labels, and where the others stood in the X
    of fit.
    """

    X: Objects
    y: Labels
    learned: Indices
    n_given: int

    def numbered(self, training: Training) -> Training:
        """The objects to learn from, called by their positions in the X of fit."""
        return training.at(self.learned, self.n_given)


def hold_out(
    auto: Any, X: Objects, y: Labels, sample_weight: Any, groups: Any
) -> tuple[Given, SetAside | None]:
    """The objects to learn from, and those that are set aside with their labels, if ``holdout``
    asks for a share, with the classes in their shares where they allow it.
    """
    if auto.holdout is None:
        return (X, y, sample_weight, groups), None
    if auto.is_precomputed():
        raise errors.InvalidInput(
            "holdout cannot cut a matrix of distances.",
            advice="Cut it before fit, and certify afterwards.",
            value=auto.holdout,
        )
    held = sample.hold(X)
    labels = code_labels(y, sample.count(held))
    common = bool(np.bincount(labels.codes).min() >= 2)
    known, left = train_test_split(
        np.arange(len(labels)),
        test_size=auto.holdout,
        random_state=auto.random_state,
        stratify=labels.codes if common else None,
    )
    known.sort()
    left.sort()
    learned = tuple(
        None if each is None else sample.pick(sample.hold(each), known)
        for each in (X, y, sample_weight, groups)
    )
    aside = SetAside(sample.pick(held, left), sample.pick(sample.hold(y), left), known, len(labels))
    return learned, aside  # type: ignore[return-value]


def certify_on(auto: Any, aside: SetAside) -> Certificate:
    """What objects that took no part in anything prove about the error of a fitted classifier: the
    first certificate.
    """
    model, reasons = classifier_to_certify(auto)
    first, *_ = certificates_of(
        set_aside(model, aside.X, aside.y, auto.metric), reasons, delta=0.05, radius=None, unit=None
    )
    return first


# ---- Everything that is settled before the first candidate is tried: objects, folds, metrics

#: Candidates are compared on so many objects at most: enough to tell a point of error, and settings
#: hardly depend on more.
MOST_COMPARED = 2000
#: Few objects are cut into folds again and again, until there are so many answers about them, but
#: not more often than this.
_ANSWERS, _MOST_CUTS = 1000, 4
#: The usual unit of radii under metrics that have one in it.
_USUAL_UNIT = "edit"


def metrics_to_try(metric: Any, X: Objects, *, certified: bool) -> list[Any]:
    """The metrics that a parameter ``metric`` stands for: proposed ones for "auto", those of a
    list, or the one that it is. At least one, or an `InvalidInput`.

    Examples
    --------
    >>> metrics_to_try("levenshtein", ["tea"], certified=False)
    ['levenshtein']
    """
    if isinstance(metric, list | tuple):
        if not metric:
            raise errors.InvalidInput(
                f"{setting('metric', [])} leaves nothing to choose from.",
                advice="Name metrics, or pass 'auto'.",
                value=metric,
            )
        return list(metric)
    if not isinstance(metric, str) or metric != "auto":
        return [metric]
    kind = kind_of(X)
    found = candidate_metrics(kind, X, certified=certified)
    if not found:
        raise errors.InvalidInput(
            f"No metric is usual for {kind}.",
            advice=f"Name one: {setting('metric', shown='...')}",
            value=kind,
        )
    return list(found)


def stage(
    auto: Any, X: Objects, y: Labels, sample_weight: Any, groups: Any
) -> tuple[Contest | None, Ground, list[Any]]:
    """A contest for the parameters of an `AutoClassifier` and these objects, in which nothing has
    been tried yet, None if there are too few objects to leave some out; the objects under the first
    metric; and the other metrics.
    """
    budget = Budget(auto.max_time, work_clock(auto.n_jobs))
    metrics = metrics_to_try(auto.metric, X, certified=auto.prefer == "certified")
    limits = {"max_memory": auto.max_memory, "n_jobs": auto.n_jobs}

    def holder(metric: Any) -> NeighborsClassifier:
        return NeighborsClassifier(metric, **limits)

    checked = holder(metrics[0])
    training = checked.admit(X, y, sample_weight)
    # an error, before anything is tried
    class_weights(checked.classes_[training.codes], checked.classes_, auto.class_weight)
    sampled = Sampled(
        X,
        y,
        sample_weight,
        _compared(training, auto.random_state),
        parse_memory(auto.max_memory) // 2,
        auto.n_jobs,
    )
    first = Ground.of(checked, sampled, training)
    folds = _folds(first.compared, auto, _groups_of(groups, training, sampled.compared))
    if folds is None:
        return None, first, metrics[1:]
    certified = _certified_score(auto)
    examination = Examination(
        folds,
        as_scorer(auto.scoring),
        None
        if auto.scoring is None
        else _given(X, training, sampled.compared, matrix=checked.is_precomputed()),
        checked.is_precomputed(),
        None,
        auto.random_state,
        certified,
    )
    parameters = limits | {
        "random_state": auto.random_state,
        "class_weight": auto.class_weight,
        "verbose": -1,
        "calibrate": None,
        "scoring": None if certified is None else "certified",
        "radius": None if certified is None else certified.radius,
        "unit": None if certified is None else certified.unit,
    }
    accuracy_decides = auto.scoring is None and certified is None
    floor = {"accuracy": 0.0, "small": FLOOR}.get(auto.prefer) if accuracy_decides else None
    contest = Contest(
        sampled,
        examination,
        budget,
        _families(auto, certified),
        parameters,
        holder,
        usual_unit,
        floor,
    )
    return contest, first, metrics[1:]


def usual_unit(metric: Metric) -> str | None:
    """The unit in which people read radii under a metric: edits where these are proved, else that
    of the metric itself.

    Examples
    --------
    >>> from wideberth.metrics.named import metric
    >>> usual_unit(metric("words")), usual_unit(metric("euclidean"))
    ('edit', None)
    """
    try:
        radius_unit(metric, _USUAL_UNIT)
    except (errors.InvalidInput, errors.NotCertified):
        return None
    return _USUAL_UNIT


def _families(auto: Any, certified: CertifiedScore | None) -> Sequence[str]:
    """The short names of the families to try."""
    if auto.candidates is not None:
        return [auto.candidates] if isinstance(auto.candidates, str) else list(auto.candidates)
    return [each.name for each in CLASSIFIERS.values() if certified is None or each.for_radii]


def _certified_score(auto: Any) -> CertifiedScore | None:
    if auto.prefer != "certified":
        return None
    return CertifiedScore(float(auto.radius), auto.unit, FLOOR, balanced=False)


def _compared(training: Training, random_state: int | None) -> Indices | None:
    """The positions of the objects on which candidates are compared, with the classes in their
    shares; None for all.
    """
    if len(training) <= MOST_COMPARED:
        return None
    rng, share = np.random.default_rng(random_state), MOST_COMPARED / len(training)
    drawn = []
    for code in range(training.n_classes):
        members = np.flatnonzero(training.codes == code)
        drawn.append(rng.choice(members, max(1, round(share * len(members))), replace=False))
    return np.sort(np.concatenate(drawn))


def _groups_of(groups: Any, training: Training, compared: Indices | None) -> Any:
    """The groups of the objects that are compared."""
    if groups is None:
        return None
    held = sample.hold(groups)
    if len(held) != training.n_given:
        raise errors.InvalidInput(
            f"There are {training.n_given} objects and {len(held)} groups.",
            advice="Pass one group for each.",
            value=len(held),
        )
    kept = held[training.positions]
    return kept if compared is None else kept[compared]


def _folds(compared: Training, auto: Any, groups: Any) -> list[Fold] | None:
    """The folds; None if no class has two objects."""
    here = replace(compared, positions=np.arange(len(compared)), n_given=len(compared))
    cv, largest = auto.cv, int(np.bincount(compared.codes).max())
    if isinstance(cv, int | np.integer):
        if min(int(cv), largest) < 2 or compared.n_classes < 2:
            return None
        cv = min(int(cv), largest)
        cuts = min(_MOST_CUTS, _ANSWERS // len(compared))
        if groups is not None:
            cv = StratifiedGroupKFold(cv, shuffle=True, random_state=auto.random_state)
        elif cuts > 1 and auto.scoring is None and auto.prefer != "certified":
            cv = RepeatedStratifiedKFold(
                n_splits=cv, n_repeats=cuts, random_state=auto.random_state
            )
    # classes with fewer objects than folds
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return cut_folds(here, cv, groups, auto.random_state)


def _given(X: Objects, training: Training, compared: Indices | None, *, matrix: bool) -> Sample:
    """The objects that are compared, as the user passed them; of a matrix their distances to each
    other.
    """
    kept = training.positions if compared is None else training.positions[compared]
    if matrix:
        return np.asarray(X)[np.ix_(kept, kept)]
    return sample.pick(sample.hold(X), kept)


def is_metrics(value: Any) -> bool:
    """Whether a parameter ``metric`` is "auto", a metric, or a list of metrics.

    Examples
    --------
    >>> is_metrics("auto"), is_metrics(["levenshtein", "words"]), is_metrics(3)
    (True, True, False)
    """
    if isinstance(value, list | tuple):
        return all(is_metrics(each) and each not in ("auto", Precomputed.name) for each in value)
    return isinstance(value, str | Metric) or callable(value)

"""What is compared, on which objects and in which folds: everything that is settled before the
first candidate is tried.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold, train_test_split

from wideberth.array_types import Indices
from wideberth.certificate import Certificate
from wideberth.choice.candidate_metrics import candidate_metrics, kind_of
from wideberth.choice.contest import Contest
from wideberth.choice.entries import Budget
from wideberth.choice.grounds import Ground, Sampled
from wideberth.classifiers.named import in_order_of_trial
from wideberth.classifiers.neighbors.classifier import NeighborsClassifier
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.choosing.cross_validation import Examination
from wideberth.estimators.choosing.fold_answers import Fold, cut_folds
from wideberth.estimators.choosing.scoring import FLOOR, CertifiedScore, as_scorer
from wideberth.estimators.radius_rules import radius_unit
from wideberth.estimators.training import Training, class_weights
from wideberth.geometry.measure.blocks import parse_memory
from wideberth.guarantees.certify import certificates_of, classifier_to_certify, set_aside
from wideberth.metrics.metric import Metric
from wideberth.metrics.precomputed import Precomputed
from wideberth.objects import sample
from wideberth.objects.labels import code_labels
from wideberth.wording import setting

# ---- Objects that are set aside before anything is chosen, and what they prove in the end

#: X, y, sample_weight and groups, as ``fit`` takes them.
Given = tuple[Any, Any, Any, Any]


@dataclass(frozen=True, eq=False)
class SetAside:
    """Objects that take no part in learning, with their labels, and where the others stood in the X
    of fit.
    """

    X: Any
    y: Any
    learned: Indices
    n_given: int

    def numbered(self, training: Training) -> Training:
        """The objects to learn from, called by their positions in the X of fit."""
        return training.at(self.learned, self.n_given)


def hold_out(
    auto: Any, X: Any, y: Any, sample_weight: Any, groups: Any
) -> tuple[Given, SetAside | None]:
    """The objects to learn from, and those that are set aside with their labels, if ``holdout``
    asks for a share, with the classes in their shares where they allow it.
    """
    if auto.holdout is None:
        return (X, y, sample_weight, groups), None
    if auto.is_precomputed():
        raise InvalidInput(
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
    return certificates_of(
        set_aside(model, aside.X, aside.y, auto.metric), reasons, delta=0.05, radius=None, unit=None
    )[0]


#: Candidates are compared on so many objects at most: enough to tell a point of error, and settings
#: hardly depend on more.
MOST_COMPARED = 2000
#: Few objects are cut into folds again and again, until there are so many answers about them, but
#: not more often than this.
_ANSWERS, _MOST_CUTS = 1000, 4
#: The usual unit of radii under metrics that have one in it.
_USUAL_UNIT = "edit"


def metrics_to_try(metric: Any, X: Any, *, certified: bool) -> list[Any]:
    """The metrics that a parameter ``metric`` stands for: proposed ones for "auto", those of a
    list, or the one that it is. At least one, or an `InvalidInput`.

    Examples
    --------
    >>> metrics_to_try("levenshtein", ["tea"], certified=False)
    ['levenshtein']
    """
    if isinstance(metric, list | tuple):
        if not metric:
            raise InvalidInput(
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
        raise InvalidInput(
            f"No metric is usual for {kind}.",
            advice=f"Name one: {setting('metric', shown='...')}",
            value=kind,
        )
    return list(found)


def stage(
    auto: Any, X: Any, y: Any, sample_weight: Any, groups: Any
) -> tuple[Contest | None, Ground, list[Any]]:
    """A contest for the parameters of an `AutoClassifier` and these objects, in which nothing has
    been tried yet, None if there are too few objects to leave some out; the objects under the first
    metric; and the other metrics.
    """
    budget = Budget(auto.max_time)
    metrics = metrics_to_try(auto.metric, X, certified=auto.prefer == "certified")
    limits = {"max_memory": auto.max_memory, "n_jobs": auto.n_jobs}

    def holder(metric: Any) -> NeighborsClassifier:
        return NeighborsClassifier(metric, **limits)

    checked = holder(metrics[0])
    training = checked.admit(X, y, sample_weight)
    class_weights(
        checked.classes_[training.codes], checked.classes_, auto.class_weight
    )  # an error, before anything is tried
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
    contest = Contest(
        sampled, examination, budget, _families(auto, certified), parameters, holder, usual_unit
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
    except (InvalidInput, NotCertified):
        return None
    return _USUAL_UNIT


def _families(auto: Any, certified: CertifiedScore | None) -> Sequence[str]:
    """The short names of the families to try."""
    if auto.candidates is not None:
        return [auto.candidates] if isinstance(auto.candidates, str) else list(auto.candidates)
    return [family.name for family in in_order_of_trial() if certified is None or family.for_radii]


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
        raise InvalidInput(
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
    with warnings.catch_warnings(
        action="ignore", category=UserWarning
    ):  # classes with fewer objects than folds
        return cut_folds(here, cv, groups, auto.random_state)


def _given(X: Any, training: Training, compared: Indices | None, *, matrix: bool) -> Any:
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

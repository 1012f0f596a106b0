"""How good the model is on objects that it has not seen, how sure that is, what is proved, and how
robust the answers are.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from wideberth.array_types import Flags, Floats, Indices, Objects
from wideberth.bounds.binomial import binomial_interval
from wideberth.certificate import Certificate
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.metric_classifier import MetricClassifier, class_scores, usual_unit
from wideberth.estimators.model_facts import counted
from wideberth.estimators.radius_rules import RadiusUnit
from wideberth.guarantees.attacks import attack
from wideberth.guarantees.certify import certificates_of_recognised
from wideberth.guarantees.robustness import certified_accuracy
from wideberth.guarantees.training_sample import CENTRES
from wideberth.insight.label_issues import JudgedLabels
from wideberth.insight.out_of_fold import Refittable, cut_folds, fold_scores
from wideberth.objects import sample
from wideberth.objects.labels import CodedLabels
from wideberth.report.facts.given import SECONDS, GivenObjects, distances_an_answer, stratified

# ---- What is said of each object by a model that has not seen it: the model itself of new objects,
# copies of it of the others

#: How many copies learn, each from all folds but one.
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Judged:
    """Answers that tell of errors: those of the model itself, unless it learned from all of the
    objects or nearly all; then those of copies of it.
    """

    #: The model answers for objects that are new to it, all or partly, or copies of it for objects
    #: that they have not seen; "own" if none is possible, so that the answers say nothing about
    #: errors.
    how: Literal["new", "partly new", "out of fold", "own"]
    places: Indices  # of the objects that were judged, increasing
    scores: Floats  # (places, classes); -inf for classes that a model does not know
    told: Indices  # the codes of the labels that they got
    labels: JudgedLabels
    #: Of the labels that they got, where a calibrated model answered itself.
    probabilities: Floats | None = None

    @classmethod
    def of(cls, given: GivenObjects) -> "Judged":
        """Ask the model about objects that are new to it or partly new, and copies of it about
        others.
        """
        if given.is_for_the_model or not _can_be_cut(given):
            return _by_the_model(given)
        return _by_copies(given)

    def wrong(self, given: GivenObjects) -> Flags:
        """Which of the judged objects got another label than they have in the data."""
        return np.asarray(self.told != given.labels.codes[self.places])

    def leads(self, given: GivenObjects) -> Floats:
        """By how much the score of the label in the data leads over the best other one; negative
        where another one wins.
        """
        objects, own = np.arange(len(self.places)), given.labels.codes[self.places]
        others = self.scores.copy()
        others[objects, own] = -np.inf
        with np.errstate(invalid="ignore"):  # a class that no model knows leads over nothing
            return np.asarray(self.scores[objects, own] - others.max(axis=1))


def _can_be_cut(given: GivenObjects) -> bool:
    """Whether copies can learn from some of the objects and answer for others."""
    sizes = np.bincount(given.labels.codes[given.compared])
    return bool(
        np.count_nonzero(sizes) > 1
        and sizes.max() > 1
        and (not given.is_matrix or given.distances is not None)
    )


def _by_the_model(given: GivenObjects) -> Judged:
    known = np.searchsorted(given.labels.classes, given.classifier.classes_)
    scores = np.full((len(given), len(given.labels.classes)), -np.inf)
    scores[:, known] = class_scores(given.model, given.X)
    told = np.searchsorted(given.labels.classes, np.asarray(given.model.predict(given.X)))
    judged = JudgedLabels.by(scores, given.labels)
    how: Literal["new", "partly new", "own"] = "own"
    if given.is_for_the_model:
        how = "new" if given.is_new else "partly new"
    return Judged(
        how,
        np.arange(len(given)),
        scores,
        told.astype(np.intp),
        judged,
        _probabilities(given.classifier, scores[:, known]),
    )


def _probabilities(model: Any, scores: Floats) -> Floats | None:
    """How probable the answers of a model are; None if it was not calibrated."""
    if not hasattr(model, "predict_proba"):
        return None
    return np.asarray(model.calibrator.probabilities(scores).max(axis=1))


def _by_copies(given: GivenObjects) -> Judged:
    places = given.compared
    present, codes = np.unique(given.labels.codes[places], return_inverse=True)
    labels = CodedLabels(given.labels.classes[present], codes.astype(np.intp))
    some: Any = given.distances if given.is_matrix else given.some(places)
    changed: dict[str, Any] = (
        {"calibrate": None} if "calibrate" in given.single.get_params() else {}
    )
    # the fit of the model itself has warned
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        _, found = fold_scores(given.single, some, labels, cut_folds(labels, FOLDS, 0), **changed)
    scores = np.full((len(places), len(given.labels.classes)), -np.inf)
    for fold in found:
        scores[np.ix_(fold.left_out, present)] = fold.scores
    judged = JudgedLabels.by(scores, CodedLabels(given.labels.classes, given.labels.codes[places]))
    return Judged("out of fold", places, scores, judged.predicted, judged)


#: Intervals and certificates may each be wrong with this probability.
DELTA = 0.05
#: What is proved by more training objects takes half a minute and more, even where distances cost
#: nothing.
MOST_TRAINING = 3_000


def error_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """The share of wrong answers; ``low`` and ``high`` are an interval of the error on objects that
    the answering model has not seen. None if there are none.

    ``how``, ``sentence`` (whose answers they are), ``n``, ``errors``, ``error``, ``others`` (the
    same of the objects that it has not seen, where it has seen some), ``guessing`` and others.
    """
    wrong, own = judged.wrong(given), given.labels.codes[judged.places]
    comparison = given.classifier.comparison()
    n, errors, honest = len(wrong), int(wrong.sum()), judged.how != "own"
    unseen = given.newness.others if judged.how == "partly new" else np.arange(n)
    missed_unseen = int(wrong[unseen].sum())
    low, high = binomial_interval(missed_unseen, len(unseen), DELTA) if honest else (None, None)
    sizes = np.bincount(own, minlength=len(given.labels.classes))
    missed = np.bincount(own, weights=wrong, minlength=len(sizes)).astype(int)
    return {
        "how": judged.how,
        "sentence": whose_answers(given, judged),
        "n": n,
        "errors": errors if honest else None,
        "error": errors / n if honest else None,
        "others": {
            "n": len(unseen),
            "errors": missed_unseen,
            "error": missed_unseen / len(unseen),
        }
        if len(unseen) < n
        else None,
        "low": low,
        "high": high,
        "confidence": 1 - DELTA,
        "compared": sum(row["error"] is not None for row in comparison.rows) if comparison else 0,
        "expected": comparison.expected_error
        if comparison and not given.is_for_the_model
        else None,
        "when_chosen": float(comparison.expected_error)
        if comparison and given.is_for_the_model
        else None,
        "guessing": float(1 - sizes.max() / n),
        "known": given.newness.known,
        "by_class": [
            {"name": name, "n": size, "wrong": count}
            for name, size, count in zip(
                given.class_names, sizes.tolist(), missed.tolist(), strict=True
            )
            if size and honest
        ],
    }


def whose_answers(given: GivenObjects, judged: Judged) -> str:
    """Whose answers the errors of a report are counted in, and whether the model had seen the
    objects.
    """
    n, known = len(given), given.newness.known
    if judged.how == "new":
        return (
            f"The {counted(n, 'object', 'objects')} in this report are new to the model, as far as "
            "it can tell."
        )
    if given.newness.kind == "training":
        seen = (
            f"The {counted(n, 'object', 'objects')} in this report are the ones that the model "
            "learned from."
        )
    elif known:
        seen = (
            f"The model learned from {known:,} of the {counted(n, 'object', 'objects')} in this "
            "report."
        )
    else:
        seen = "It is not certain that the objects in this report are new to the model."
    if judged.how == "partly new":
        return f"{seen} The answers in this report are the model's own, to all of the objects."
    if judged.how == "own":
        return (
            f"{seen} Its answers to them say nothing about errors on new objects, and there are "
            "too few to leave some out."
        )
    some = "" if len(judged.places) == n else f", tried on {len(judged.places):,} of them"
    return (
        f"{seen} Its own answers to them would flatter it. So errors are counted in the answers of "
        f"{FOLDS} copies{some}: each learned from all parts of the objects but one, and answered "
        "for that one."
    )


def certificate_facts(given: GivenObjects, *, show_objects: bool) -> dict[str, Any]:
    """What the objects prove about the error of the model itself, and under which assumptions.

    ``proved``: the best valid certificate, or None; ``others``; ``together``, how surely all of
    them hold at once; ``reason`` where nothing is proved.
    """
    # for complexity and radii of training objects
    each = max(min(len(given), CENTRES), distances_an_answer(given.single))
    if given.newness.kind == "training" and min(given.affordable(each), MOST_TRAINING) < len(given):
        return {"proved": None, "others": [], "together": None, "reason": _TOO_LONG}
    found = certificates_of_recognised(given.model, given.newness, delta=DELTA)
    valid = [_certificate(each) for each in found if not each.void]
    # a bound for one class is none for new objects
    about_all = [each for each in valid if ", class " not in each["kind"]]
    useful = [each for each in about_all if not each["vacuous"]]
    best = next(iter(useful or about_all), None)
    reasons = next((each.void for each in found if each.void), ())
    return {
        "proved": best,
        "others": [each for each in valid if each is not best],
        "together": next(iter(found.together()), None),
        "reason": None if best or not reasons else reasons[0] if show_objects else _WITHOUT_WITNESS,
    }


_TOO_LONG = (
    "Bounds by so many training objects would take too long under this distance. New objects prove "
    "more, and faster."
)
_WITHOUT_WITNESS = (
    "These objects prove nothing about it: they are neither all new to it nor all of those that it "
    "learned from."
)


def _certificate(found: Certificate) -> dict[str, Any]:
    return {
        "statement": found.statement,
        "value": found.value,
        "kind": found.kind,
        "confidence": found.confidence,
        "assumptions": list(found.assumptions),
        "vacuous": found.vacuous,
        "guessing": found.guessing,
    }


# ---- Which classes are taken for which others, and by which objects

#: How many objects of a cell are listed, and the most cells of a table.
_LISTED, _MOST_CELLS = 30, 1000


def confusion_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """For each label in the data and each label told, how many objects, and the first of them, the
    most doubtful first.

    ``cells``: [true, told, count, [positions]] for every pair that occurs, the most frequent first;
    ``n``; a ``reason`` if no answer is honest.
    """
    if judged.how == "own":
        return {"reason": "Nobody has answered for these objects without having seen them."}
    own, k = given.labels.codes[judged.places], len(given.labels.classes)
    order = np.argsort(np.nan_to_num(judged.labels.quality, nan=1.0), kind="stable")
    pairs = own * k + judged.told
    found, counts = np.unique(pairs, return_counts=True)
    largest = np.argsort(-counts, kind="stable")[:_MOST_CELLS]
    cells = []
    for pair, count in zip(found[largest].tolist(), counts[largest].tolist(), strict=True):
        listed = judged.places[order[pairs[order] == pair][:_LISTED]]
        cells.append([pair // k, pair % k, count, listed.tolist()])
    return {"cells": cells, "n": len(own), "left_out": len(found) - len(cells)}


# ---- How robust the answers are: the share that is right and proved to stay so within a radius,
# and what attacks leave of it.

#: How many objects get radii, how many are attacked, and by how many questions each.
_CERTIFIED, _ATTACKED, _QUESTIONS = 1000, 24, 120
#: With fewer attacks than this there is no curve of them; texts that are longer have too many edits
#: to try.
_FEWEST, _LONGEST = 10, 400
#: Points of a curve where distances have no step, and the most steps.
_POINTS, _STEPS = 60, 12


class Unseen(NamedTuple):
    """A model, and objects with labels that it has not seen."""

    model: MetricClassifier
    objects: Objects
    labels: Any
    places: Indices


def certified_facts(given: GivenObjects, judged: Judged, asked: Unseen | None) -> dict[str, Any]:
    r"""Certified accuracy against the radius, on objects that the model has not seen, and an
    estimate of what attacks leave.

    Attacks are tried on some of the objects; the upper curve is :math:`A(r) + B_s(r) - A_s(r)`,
    with A certified on all objects, and :math:`A_s \le B_s` certified and attacked on these.

    ``radii``, ``certified``, ``attacked`` (or None, with ``no_attack``), ``unit``, ``n``,
    ``n_attacked``, ``guessing``: the share of the largest class, ``median``: the radius that half
    of all objects have; of tables, how far each column may move alone, within that radius
    (``median_moves``) and at each object (``moves``); a ``reason`` if nothing is certified.
    """
    if asked is None:
        return {"reason": "Nobody has answered for these objects without having seen them."}
    try:
        unit, measure = _unit(asked)
        first = certified_accuracy(asked.model, asked.objects, asked.labels, [0.0], unit=unit)
    except (NotCertified, InvalidInput) as reason:
        return {"reason": f"No radius is certified. {reason}"}
    radii = _grid(first.proved, measure.step)
    curve = certified_accuracy(asked.model, asked.objects, asked.labels, radii, unit=unit)
    found: dict[str, Any] = {
        "radii": radii,
        "certified": curve.certified,
        "unit": measure.measure.unit,
        "step": measure.step,
        "own_unit": unit is None,
        "n": len(asked.places),
        "guessing": float(np.unique(asked.labels, return_counts=True)[1].max() / len(asked.places)),
        "median": curve.radius(0.5),
        "how": judged.how,
        "index": asked.places,
        "proved": curve.proved,
    }
    if given.table is not None and unit is None:
        within = np.maximum([found["median"], *curve.proved], 0.0)
        moves = given.table.moves(asked.model.metric_, within)
        if moves is not None:
            found |= {"median_moves": moves[0], "moves": moves[1:]}
    return found | _attacked(given, asked, radii, unit, curve.certified)


#: How many wrong labels or changed rows the answers are counted for.
_CHANGES = (1, 2, 5, 10)


def changed_rows_facts(asked: Unseen | None) -> dict[str, Any]:
    """What the answers withstand of wrong training labels, and of rows added or removed.

    ``changes``, and for so many ``flips`` and ``rows`` the share of the answers that are right and
    proved to stay so, None where nothing is proved; ``one_row_decides``: whether a single row can
    decide.
    """
    if asked is None:
        return {"one_row_decides": False, "flips": None, "rows": None}
    right = np.asarray(asked.model.predict(asked.objects) == asked.labels)
    found: dict[str, Any] = {
        "changes": _CHANGES,
        "one_row_decides": asked.model.one_row_decides,
    }
    ways = {"flips": asked.model.certified_flips, "rows": asked.model.certified_rows}
    for name, certified in ways.items():
        try:
            withstood = certified(asked.objects)
        except NotCertified:
            found[name] = None
        else:
            found[name] = [(right & (withstood >= changes)).mean() for changes in _CHANGES]
    return found


def unseen(given: GivenObjects, judged: Judged) -> Unseen | None:
    """The model and the objects, if it answers for them itself; or a copy that learned from all folds but one, and the objects of
    that one. None if neither is possible.
    """
    if judged.how == "own":
        return None
    classes, codes = given.labels.classes, given.labels.codes
    if given.is_for_the_model:
        places = stratified(
            codes,
            min(_CERTIFIED, max(given.affordable(distances_an_answer(given.single)), _FEWEST)),
        )
        return Unseen(given.classifier, given.some(places), classes[codes[places]], places)
    chosen = given.compared
    present, coded = np.unique(codes[chosen], return_inverse=True)
    known, left_out = next(
        iter(cut_folds(CodedLabels(classes[present], coded.astype(np.intp)), FOLDS, 0))
    )
    objects = given.distances if given.is_matrix else given.some(chosen)
    changed = {"calibrate": None} if "calibrate" in given.single.get_params() else {}
    again = Refittable.of(given.single, objects, **changed)
    named = classes[codes[chosen]]
    return Unseen(
        again.learn(known, named),
        again.left_out(known, left_out),
        named[left_out],
        chosen[left_out],
    )


def _unit(asked: Unseen) -> tuple[str | None, RadiusUnit]:
    """Edits where they are proved, or what the model has learned for, which people know better than
    counted words or n-grams; else the metric itself.
    """
    unit = usual_unit(asked.model, asked.objects)
    return unit, asked.model.radius_unit(unit)


def _grid(proved: Floats, step: float | None) -> Floats:
    """Radii from 0 to where hardly any object is certified."""
    finite = proved[np.isfinite(proved)]
    largest = float(np.quantile(finite, 0.98)) if len(finite) else 0.0
    if step:
        return np.asarray(
            step * np.arange(min(max(int(largest / step) + 2, 3), _STEPS)), dtype=np.float64
        )
    return np.linspace(0.0, largest * 1.05 or 1.0, _POINTS)


def _attacked(
    given: GivenObjects, asked: Unseen, radii: Floats, unit: str | None, certified: Floats
) -> dict[str, Any]:
    most = min(
        _ATTACKED,
        given.affordable(distances_an_answer(asked.model) * _QUESTIONS, SECONDS / 2),
        len(asked.places),
    )
    if most < min(_FEWEST, len(asked.places)):
        return {"attacked": None, "no_attack": "Attacks would take too long under this distance."}
    held = sample.hold(asked.objects)
    short = np.arange(len(asked.places))
    if given.metric.accepts == "strings":
        short = np.array(
            [place for place in short.tolist() if len(held[place]) <= _LONGEST], dtype=np.intp
        )
    if len(short) < 2:
        return {
            "attacked": None,
            "no_attack": f"Texts of more than {_LONGEST} characters are not attacked.",
        }
    chosen = short[stratified(np.unique(asked.labels[short], return_inverse=True)[1], most)]
    some, labels = sample.pick(held, chosen), asked.labels[chosen]
    try:
        attacks = attack(
            asked.model, some, towards=sample.pick(held, short), unit=unit, max_questions=_QUESTIONS
        )
    except InvalidInput:
        return {"attacked": None, "no_attack": "Attacks are known on strings, vectors and series."}
    tried = certified_accuracy(asked.model, some, labels, radii, unit=unit, attacks=attacks)
    assert tried.attacked is not None
    # the true curve never rises either
    upper = np.minimum.accumulate(certified + tried.attacked - tried.certified)
    return {"attacked": upper, "n_attacked": len(chosen), "questions": _QUESTIONS}


# ---- By how much the right label leads, class by class: a histogram of the margins

#: How many bars there are, and the share of the leads on either side that is drawn in the last
#: bars.
_BARS, _TAIL = 30, 0.005
#: The most classes that get bars of their own; the largest.
_MOST_CLASSES = 10


def margin_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """How many objects of each class have which lead of their label over the best other one.

    ``edges`` of the bars; ``counts``: for each shown class its counts; ``below`` and ``ties``: how
    many leads are negative, so that the label is wrong, and how many are 0; a ``reason`` if there
    are none.
    """
    leads = judged.leads(given)
    known = np.isfinite(leads)
    if judged.how == "own" or not known.any():
        return {"reason": "There are no scores of models that have not seen the objects."}
    low, high = np.quantile(leads[known], [_TAIL, 1 - _TAIL])
    low, high = min(low, 0.0), max(high, 0.0)
    if low == high:
        return {"reason": "All labels have the same score everywhere: no label leads."}
    edges = _edges_through_zero(low, high)
    inside = np.clip(leads[known], edges[0], edges[-1])
    codes = given.labels.codes[judged.places][known]
    shown = np.argsort(-np.bincount(codes, minlength=len(given.labels.classes)), kind="stable")[
        :_MOST_CLASSES
    ]
    return {
        "edges": edges,
        "counts": [
            [int(code), np.histogram(inside[codes == code], edges)[0]]
            for code in shown
            if (codes == code).any()
        ],
        "ties": int((leads[known] == 0).sum()),
        "below": int((leads[known] < 0).sum()),
        "n": int(known.sum()),
        "all_classes": len(shown) == len(given.labels.classes),
    }


def _edges_through_zero(low: float, high: float) -> Any:
    """Edges of bars of equal width, one of them at 0: no bar holds right and wrong answers."""
    width = (high - low) / _BARS
    return width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)

"""How robust the answers are: the share that is right and proved to stay so within a radius, and
what attacks leave of it.
"""

from typing import Any, NamedTuple

import numpy as np

from wideberth.array_types import Floats, Indices
from wideberth.errors import InvalidInput, NotCertified
from wideberth.estimators.radius_rules import RadiusUnit, radius_unit
from wideberth.guarantees.robustness import attack, certified_accuracy
from wideberth.insight.label_issues import cut_folds
from wideberth.insight.out_of_fold import Refittable
from wideberth.objects import sample
from wideberth.objects.labels import Labels
from wideberth.report.facts.errors import FOLDS, Judged
from wideberth.report.facts.given import SECONDS, GivenObjects, distances_an_answer, stratified

#: How many objects get radii, how many are attacked, and by how many questions each.
_CERTIFIED, _ATTACKED, _QUESTIONS = 1000, 24, 120
#: With fewer attacks than this there is no curve of them; texts that are longer have too many edits
#: to try.
_FEWEST, _LONGEST = 10, 400
#: Points of a curve where distances have no step, and the most steps.
_POINTS, _STEPS = 60, 12


class _Asked(NamedTuple):
    """A model, and objects with labels that it has not seen."""

    model: Any
    objects: Any
    labels: Any
    places: Indices


def certified_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    r"""Certified accuracy against the radius, on objects that the model has not seen, and an
    estimate of what attacks leave.

    Attacks are tried on some of the objects; the upper curve is :math:`A(r) + B_s(r) - A_s(r)`,
    with A certified on all objects, and :math:`A_s \le B_s` certified and attacked on these.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    judged : Judged
        Honest answers.

    Returns
    -------
    dict
        ``radii``, ``certified``, ``attacked`` (or None, with ``no_attack``), ``unit``, ``n``,
        ``n_attacked``, ``median``: the radius that half of all objects have; a ``reason`` if
        nothing is certified.
    """
    if judged.how == "own":
        return {"reason": "Nobody has answered for these objects without having seen them."}
    try:
        asked = _unseen(given)
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
        "median": curve.radius(0.5),
        "how": judged.how,
        "index": asked.places,
        "proved": curve.proved,
    }
    return found | _attacked(given, asked, radii, unit, curve.certified)


def _unseen(given: GivenObjects) -> _Asked:
    """The model and new objects; or a copy that learned from all folds but one, and the objects of
    that one.
    """
    classes, codes = given.labels.classes, given.labels.codes
    if given.is_new:
        places = stratified(
            codes,
            min(_CERTIFIED, max(given.affordable(distances_an_answer(given.single)), _FEWEST)),
        )
        return _Asked(given.classifier, given.some(places), classes[codes[places]], places)
    chosen = given.compared
    present, coded = np.unique(codes[chosen], return_inverse=True)
    known, left_out = next(
        iter(cut_folds(Labels(classes[present], coded.astype(np.intp)), FOLDS, 0))
    )
    objects = given.distances if given.is_matrix else given.some(chosen)
    changed = {"calibrate": None} if "calibrate" in given.single.get_params() else {}
    again = Refittable.of(given.single, objects, **changed)
    named = classes[codes[chosen]]
    return _Asked(
        again.learn(known, named),
        again.left_out(known, left_out),
        named[left_out],
        chosen[left_out],
    )


def _unit(asked: _Asked) -> tuple[str | None, RadiusUnit]:
    """Edits where they are proved, which people know better than counted words or n-grams; else the
    metric itself.
    """
    metric = asked.model.metric_
    if metric.accepts == "strings":
        try:
            measure = radius_unit(metric, "edit")
            if measure.step == 1:
                return "edit", measure
        except NotCertified:
            pass
    return None, radius_unit(metric, None)


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
    given: GivenObjects, asked: _Asked, radii: Floats, unit: str | None, certified: Floats
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
    upper = np.minimum.accumulate(
        certified + tried.attacked - tried.certified
    )  # the true curve never rises either
    return {"attacked": upper, "n_attacked": len(chosen), "questions": _QUESTIONS}


# ---- By how much the right label leads, class by class: a histogram of the margins

#: How many bars there are, and the share of the leads on either side that is drawn in the last
#: bars.
_BARS, _TAIL = 30, 0.005
#: The most classes that get bars of their own; the largest.
_MOST_CLASSES = 10


def margin_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """How many objects of each class have which lead of their label over the best other one.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    judged : Judged
        Honest answers.

    Returns
    -------
    dict
        ``edges`` of the bars; ``counts``: for each shown class its counts; ``below`` and ``ties``:
        how many leads are negative, so that the label is wrong, and how many are 0; a ``reason`` if
        there are none.
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

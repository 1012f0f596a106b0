"""How good the model is on objects that it has not seen, how sure that is, and what is proved."""

from typing import Any

import numpy as np

from wideberth.bounds.binomial import binomial_interval
from wideberth.certificate import Certificate
from wideberth.estimators.summary_phrases import counted
from wideberth.guarantees.certify import certify
from wideberth.guarantees.evidence import CENTRES
from wideberth.report.facts.given import GivenObjects, distances_an_answer
from wideberth.report.facts.judged import FOLDS, Judged

#: Intervals and certificates may each be wrong with this probability.
DELTA = 0.05
#: What is proved by more training objects takes half a minute and more, even where distances cost nothing.
MOST_TRAINING = 3_000


def error_facts(given: GivenObjects, judged: Judged) -> dict[str, Any]:
    """The share of wrong answers with its interval, on objects that the answering model has not seen; None if there are none.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    judged : Judged
        Honest answers.

    Returns
    -------
    dict
        ``how``, ``sentence`` (whose answers they are), ``n``, ``errors``, ``error``, ``low``, ``high``, ``guessing`` and others.
    """
    wrong, own = judged.wrong(given), given.labels.codes[judged.places]
    comparison = given.classifier.comparison()
    n, errors, honest = len(wrong), int(wrong.sum()), judged.how != "own"
    low, high = binomial_interval(errors, n, DELTA) if honest else (None, None)
    sizes = np.bincount(own, minlength=len(given.labels.classes))
    missed = np.bincount(own, weights=wrong, minlength=len(sizes)).astype(int)
    return {
        "how": judged.how,
        "sentence": whose_answers(given, judged),
        "n": n,
        "errors": errors if honest else None,
        "error": errors / n if honest else None,
        "low": low,
        "high": high,
        "confidence": 1 - DELTA,
        "compared": sum(row["error"] is not None for row in comparison.rows) if comparison else 0,
        "expected": comparison.expected_error if comparison and judged.how != "new" else None,
        "when_chosen": float(comparison.expected_error) if comparison and judged.how == "new" else None,
        "guessing": float(1 - sizes.max() / n),
        "known": given.newness.known,
        "by_class": [
            {"name": name, "n": size, "wrong": count}
            for name, size, count in zip(given.class_names, sizes.tolist(), missed.tolist(), strict=True)
            if size and honest
        ],
    }


def whose_answers(given: GivenObjects, judged: Judged) -> str:
    """Whose answers the errors of a report are counted in, and whether the model had seen the objects."""
    n, known = len(given), given.newness.known
    if judged.how == "new":
        return f"The {counted(n, 'object', 'objects')} in this report are new to the model, as far as it can tell."
    if given.newness.kind == "training":
        seen = f"The {counted(n, 'object', 'objects')} in this report are the ones that the model learned from."
    elif known:
        seen = f"The model learned from {known:,} of the {counted(n, 'object', 'objects')} in this report."
    else:
        seen = "It is not certain that the objects in this report are new to the model."
    if judged.how == "own":
        return f"{seen} Its answers to them say nothing about errors on new objects, and there are too few to leave some out."
    some = "" if len(judged.places) == n else f", tried on {len(judged.places):,} of them"
    return (
        f"{seen} Its own answers to them would flatter it. So errors are counted in the answers of {FOLDS} copies{some}: each "
        "learned from all parts of the objects but one, and answered for that one."
    )


def certificate_facts(given: GivenObjects, *, show_objects: bool) -> dict[str, Any]:
    """What the objects prove about the error of the model itself, and under which assumptions.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    show_objects : bool
        Whether sentences may name objects.

    Returns
    -------
    dict
        ``proved``: the best valid certificate, or None; ``others``; ``reason`` where nothing is proved.
    """
    each = max(min(len(given), CENTRES), distances_an_answer(given.single))  # for complexity and radii of training objects
    if given.newness.kind == "training" and min(given.affordable(each), MOST_TRAINING) < len(given):
        return {"proved": None, "others": [], "reason": _TOO_LONG}
    found = certify(given.model, given.X, given.newness.labels, delta=DELTA, verbose=-1)
    valid = [_certificate(each) for each in found if not each.void]
    about_all = [each for each in valid if ", class " not in each["kind"]]  # a bound for one class is none for new objects
    useful = [each for each in about_all if not each["vacuous"]]
    best = next(iter(useful or about_all), None)
    reasons = next((each.void for each in found if each.void), ())
    return {
        "proved": best,
        "others": [each for each in valid if each is not best],
        "reason": None if best or not reasons else reasons[0] if show_objects else _WITHOUT_WITNESS,
    }


_TOO_LONG = "Bounds by so many training objects would take too long under this distance. New objects prove more, and faster."
_WITHOUT_WITNESS = "These objects prove nothing about it: they are neither all new to it nor all of those that it learned from."


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

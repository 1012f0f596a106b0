"""What to do next: rules on the facts, the three rows to check first among them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wideberth.estimators.model_facts import counted
from wideberth.report.facts.errors import Judged
from wideberth.report.facts.given import GivenObjects
from wideberth.report.facts.in_short import weakest_class

#: How many rows to check first.
_FIRST = 3
#: A distance between objects of different labels that calls for a decision: equal objects.
_FEW_NEW, _SMALL_CLASS = 200, 10


def rows_to_check(
    given: GivenObjects, judged: Judged, notable: dict[str, Any]
) -> list[dict[str, Any]]:
    """The three rows that are most worth a look, with the reason: likely wrong labels first, then
    wrong or close answers.

    Parameters
    ----------
    given : GivenObjects
        The model and the objects.
    judged : Judged
        Honest answers.
    notable : dict
        What `wideberth.report.facts.notable` found.

    Returns
    -------
    list of dict
        ``index`` and ``why``.
    """
    names, told = (
        given.class_names,
        dict(zip(judged.places.tolist(), judged.told.tolist(), strict=True)),
    )
    found: dict[int, str] = {}
    for place, rather in zip(
        *(notable["mislabelled"].get(key, ()) for key in ("index", "rather")), strict=True
    ):
        given_name = names[given.labels.codes[place]]
        found.setdefault(
            int(place), f"labelled {given_name}, but objects like it are {names[rather]}"
        )
    for place in _wrong_first(given, judged):
        found.setdefault(
            place, f"labelled {names[given.labels.codes[place]]}, and answered {names[told[place]]}"
        )
    for place in notable["doubtful"].get("index", ()):
        found.setdefault(
            int(place), "nearest to the border between two classes: the answer could go either way"
        )
    for place in notable["novel"].get("index", ()):
        found.setdefault(
            int(place),
            f"unlike all others: farther from {notable['novel']['among']} than almost any other",
        )
    return [{"index": place, "why": why} for place, why in list(found.items())[:_FIRST]]


def _wrong_first(given: GivenObjects, judged: Judged) -> list[int]:
    """Positions of wrong answers, the least probable label first."""
    if judged.how == "own":
        return []
    wrong = np.flatnonzero(judged.wrong(given))
    first = wrong[np.argsort(judged.labels.quality[wrong], kind="stable")[:_FIRST]]
    return [int(place) for place in judged.places[first]]


def next_steps(facts: dict[str, Any]) -> list[dict[str, str]]:
    """What to do next, the most useful first.

    Parameters
    ----------
    facts : dict
        The facts of a report.

    Returns
    -------
    list of dict
        ``title`` and ``text`` of each step, at least one.
    """
    return [{"title": title, "text": text} for rule in _RULES for title, text in rule(facts)] or [
        {
            "title": "Nothing stands out",
            "text": "No rule of this report has found anything to do. Try the model on new "
            "objects.",
        }
    ]


def _check_labels(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    found = facts["notable"]["mislabelled"]
    if found.get("n"):
        doubted = counted(found["n"], "label does not fit", "labels do not fit")
        yield (
            "Check doubtful labels",
            f"{doubted} the objects around ({found['n'] / found['judged']:.1%} of those judged). "
            "Some will be wrong, the others mistakes of the model: begin with the most doubtful, "
            "and go on as long as you find wrong ones.",
        )
    if facts["doctor"].get("n_conflicts"):
        yield (
            "Decide on equal objects",
            f"{counted(facts['doctor']['n_conflicts'], 'pair', 'pairs')} of equal objects among "
            "those examined have different labels. No method can get both right.",
        )


def _measure_errors(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    error = facts["error"]
    if error["how"] != "new":
        yield (
            "Measure the error on new objects",
            "Objects that took no part in learning prove a bound on the error of this very model: "
            "keep some aside, and write this report for them.",
        )
    elif error["n"] < _FEW_NEW:
        yield (
            "Collect more labelled objects",
            f"With {error['n']:,} new objects the error is only known to lie between "
            f"{error['low']:.1%} and {error['high']:.1%}.",
        )


def _beat_guessing(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    error = facts["error"]
    if (
        error["error"] is not None
        and error["low"] is not None
        and error["high"] >= error["guessing"]
    ):
        yield (
            "Do not use it yet",
            f"Always answering the largest class errs on {error['guessing']:.1%}: the model is not "
            "clearly better. Another distance may be what it takes; wideberth.AutoClassifier "
            "compares several.",
        )


def _help_the_weakest(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    weakest = weakest_class(facts["error"])
    if weakest is not None:
        share = weakest["wrong"] / weakest["n"]
        yield (
            f"Mind the class {weakest['name']}",
            f"{share:.1%} of its objects get another label, of all objects {facts['error']['error']:.1%}. More objects of this "
            'class, or class_weight="balanced", may help; where its errors are dear, do not use the answers as they are.',
        )


def _compare_methods(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if not facts["learned"]["automatic"]:
        yield (
            "Compare with other methods and distances",
            "This method was given, not chosen. wideberth.AutoClassifier, or wideberth fit without "
            "--model, compares them all.",
        )


def _grow_classes(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    small = [
        each["name"] for each in facts["learned"]["classes"] if 0 < each["size"] < _SMALL_CLASS
    ]
    if small:
        named = ", ".join(small[:5]) + (f" and {len(small) - 5} others" if len(small) > 5 else "")
        yield "Collect objects of small classes", f"Fewer than {_SMALL_CLASS} objects: {named}."


def _repair_distance(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if facts["doctor"].get("is_metric") is False:
        best = facts["doctor"].get("repairs") or [{"name": "none found"}]
        yield (
            "Mind that the distance is no metric",
            "Some guarantees need the triangle inequality. wideberth.doctor.repair mends it; first "
            f"to try: {best[0]['name']}.",
        )


def _look_at_novel(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    novel = facts["notable"]["novel"]
    if (
        facts["error"]["how"] == "new"
        and novel.get("n", 0) > 2 * novel.get("delta", 1) * facts["error"]["n"]
    ):
        yield (
            "Ask where the new objects come from",
            f"{novel['n']:,} of {facts['error']['n']:,} are farther from the training objects than "
            "those are from each other: they may come from elsewhere, and answers to them deserve "
            "less trust.",
        )


_RULES = (
    _beat_guessing,
    _help_the_weakest,
    _check_labels,
    _measure_errors,
    _look_at_novel,
    _repair_distance,
    _grow_classes,
    _compare_methods,
)

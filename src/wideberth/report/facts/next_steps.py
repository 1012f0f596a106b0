"""The opening paragraph of a report, and what to do next: rules on the facts, the three rows to check
first among them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from wideberth.estimators.model_facts import counted, some_wrong
from wideberth.insight.evaluation import better_than_guessing
from wideberth.metrics.tables.cells import moves_in_words
from wideberth.report.facts.errors import Judged
from wideberth.report.facts.given import GivenObjects
from wideberth.report.facts.learned import sizes_in_words
from wideberth.rounding import shown_bound, shown_radius

#: How many columns a sentence names.
_MOVES = 3
#: A class is called weak if its error is so many times that of all objects and so much above it, on
#: at least so many objects.
WEAK_TIMES, WEAK_POINTS, WEAK_FROM = 1.5, 0.05, 20


def in_short(facts: dict[str, Any]) -> dict[str, list[str]]:
    """Three paragraphs, each a list of sentences: ``learned`` (what was learned), ``good`` (how
    good it is and how sure that is), ``proved``.
    """
    return {
        "learned": list(_learned(facts["learned"])),
        "good": list(_good(facts["error"])),
        "proved": [
            *_proved(facts["certificate"]),
            *_robust(facts["certified"], facts["doctor"].get("spread"), moves_of_half(facts)),
            *_withstood(facts["changed_rows"]),
        ],
    }


def _learned(learned: dict[str, Any]) -> Iterator[str]:
    n = learned["n_learned"]
    many = "labelled objects" if n is None else counted(n, "labelled object", "labelled objects")
    classes = counted(learned["n_known_classes"], "class", "classes")
    article = "An" if learned["method"].startswith(("A", "LP")) else "A"
    yield (
        f"{article} {learned['method']} learned from {many} to tell {classes} apart, by the "
        f"{learned['metric']}."
    )
    yield learned["rule"]
    yield (
        f"This report looks at {counted(learned['n_given'], 'object', 'objects')}: "
        f"{sizes_in_words(learned)}."
    )


def _good(error: dict[str, Any]) -> Iterator[str]:
    yield error["sentence"]
    if error["error"] is None:
        return
    sure = f"with {error['confidence']:.0%} confidence"
    of = f"{some_wrong(error['errors'], error['n'])}, an error of {error['error']:.1%}"
    if error["how"] == "new":
        yield (
            f"{of}; {sure}, the error on all objects drawn like these is between "
            f"{error['low']:.1%} and {error['high']:.1%}."
        )
    elif error["how"] == "partly new":
        rough = f"roughly between {error['low']:.1%} and {error['high']:.1%}"
        others = error["others"]
        yield f"{of}." if others else f"{of}; {rough}, if they are like new ones."
        if others:
            yield (
                f"Of the {counted(others['n'], 'other', 'others')}, which it is not known to have "
                f"learned from, {counted(others['errors'], 'is', 'are')} wrong, "
                f"{others['error']:.1%}; {rough}, if they are like new ones."
            )
    else:
        yield (
            f"{of}; roughly between {error['low']:.1%} and {error['high']:.1%}, as if all answers "
            "were one model's."
        )
    if error["expected"] is not None and error["expected"] == error["expected"]:  # not nan
        if error["compared"] > 1:
            best = f"It is the best of {error['compared']:,} methods that were compared"
            yield f"{best}; with an allowance for that, expect {error['expected']:.1%}."
        else:
            yield (
                f"When it was chosen, with no other method beside it, {error['expected']:.1%} of "
                "objects left out were wrong."
            )
    chosen = error["when_chosen"]
    if chosen is not None and (chosen < error["low"] or chosen > error["high"]):
        yield (
            f"When it was chosen, {chosen:.1%} were expected: these objects may be unlike those "
            "that it learned from."
        )
    yield f"Always answering the most frequent class would err on {error['guessing']:.1%}."
    weakest = weakest_class(error)
    if weakest is not None:
        wrong, n = weakest["wrong"], weakest["n"]
        yield (
            f"It is weakest on {weakest['name']}, where {some_wrong(wrong, n)}, {wrong / n:.1%}."
        )


def weakest_class(error: dict[str, Any]) -> dict[str, Any] | None:
    """The class with the largest share of wrong answers, if that is far above the error of all;
    None otherwise.

    Examples
    --------
    >>> classes = [{"name": "rum", "n": 40, "wrong": 16}, {"name": "tea", "n": 160, "wrong": 4}]
    >>> weakest_class({"error": 0.1, "by_class": classes})["name"]
    'rum'
    """
    judged = [each for each in error["by_class"] if each["n"] >= WEAK_FROM]
    worst = max(judged, key=lambda each: each["wrong"] / each["n"], default=None)
    if worst is None or error["error"] is None or len(error["by_class"]) < 2:
        return None
    share = worst["wrong"] / worst["n"]
    return (
        worst
        if share >= WEAK_TIMES * error["error"] and share - error["error"] >= WEAK_POINTS
        else None
    )


def _proved(certificate: dict[str, Any]) -> Iterator[str]:
    proved = certificate["proved"]
    if proved is None:
        yield f"Nothing is proved about its error. {certificate['reason'] or ''}".strip()
    elif proved["vacuous"]:
        yield "What these objects prove about its error is no better than guessing."
    else:
        sure = (
            "" if proved["confidence"] is None else f", with {proved['confidence']:.0%} confidence"
        )
        yield (
            f"Proved{sure}: it misclassifies at most {shown_bound(proved['value'])} of new objects, if the "
            "assumptions below hold."
        )


def moves_of_half(facts: dict[str, Any]) -> dict[str, str]:
    """How far columns of a table may move, each alone, so that half of the answers are right and
    proved to stay so; those that matter most come first.
    """
    moves = facts["certified"].get("median_moves")
    if not moves:
        return {}
    table = facts["table"]
    matters = table["matters"].get("more") or [0.0] * len(moves)
    order = sorted(range(len(moves)), key=lambda place: -matters[place])
    return {table["names"][place]: moves[place] for place in order if moves[place] is not None}


def _robust(
    certified: dict[str, Any], spread: dict[str, Any] | None, moves: dict[str, str]
) -> Iterator[str]:
    if "reason" in certified:
        return
    unit = certified["unit"]
    shares = list(zip(certified["radii"], certified["certified"], strict=True))
    if certified["step"] == 1 and len(shares) > 1 and not shares[1][1]:
        yield f"No answer is proved to survive any one {unit or 'step'}."
    elif certified["step"] == 1 and len(shares) > 1:
        yield (
            f"{shares[1][1]:.1%} of the answers are right, and proved to stay so after any one "
            f"{unit or 'step'}{_beside_guessing(shares[1][1], certified)}."
        )
    elif certified["median"] > 0:
        far = (
            f"; the median distance between objects is {spread['median']:.3g}"
            if spread and certified["own_unit"]
            else ""
        )
        radius = f"under changes up to a distance of {shown_radius(certified['median'], 3)}"
        yield f"Half of the answers are right, and proved to stay so {radius}{far}."
        if moves:
            yield f"In the columns' own units, they stay if {moves_in_words(moves, _MOVES)}."


def _beside_guessing(share: float, certified: dict[str, Any]) -> str:
    """That a certified accuracy is no better than always answering the largest class, if so."""
    guessing, n = certified["guessing"], certified["n"]
    if better_than_guessing(share, guessing, n):
        return ""
    better = "not clearly better" if share > guessing else "no better"
    return (
        f"; that is {better} than guessing, since always answering the most frequent class is "
        f"right for {guessing:.1%}, whatever changes"
    )


def _withstood(changed: dict[str, Any]) -> Iterator[str]:
    """What wrong training labels and changed rows leave, where something is proved of it."""
    if changed["flips"]:
        one, few = changed["flips"][0], changed["flips"][2]
        yield (
            f"{one:.1%} of the answers are right, and proved to stay so if any one training label is "
            f"wrong, {few:.1%} if any {changed['changes'][2]} are."
        )
    if changed["one_row_decides"]:
        yield (
            "A single training row, put where an object is, can decide its label: no answer is proved "
            "to stay when rows are added."
        )
    elif changed["rows"]:
        yield (
            f"{changed['rows'][0]:.1%} stay right whichever one row is added, removed or wrongly "
            f"labelled, {changed['rows'][2]:.1%} whichever {changed['changes'][2]} are."
        )


# ---- What to do next: rules on the facts, the three rows to check first among them.

#: How many rows to check first.
_FIRST = 3
#: A distance between objects of different labels that calls for a decision: equal objects.
_FEW_NEW, _SMALL_CLASS = 200, 10


def rows_to_check(
    given: GivenObjects, judged: Judged, notable: dict[str, Any]
) -> list[dict[str, Any]]:
    """The three rows that are most worth a look, with the reason: likely wrong labels first, then
    wrong or close answers.
    """
    names = given.class_names
    told = dict(zip(judged.places.tolist(), judged.told.tolist(), strict=True))
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
    """What to do next, the most useful first: ``title`` and ``text`` of at least one step."""
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
            "Most should be wrong, some mistakes that the model makes firmly: begin with the most "
            "doubtful, and go on as long as you find wrong ones.",
        )
    if facts["doctor"].get("n_conflicts"):
        yield (
            "Decide on equal objects",
            f"{counted(facts['doctor']['n_conflicts'], 'pair', 'pairs')} of equal objects among "
            "those examined have different labels. No method can get both right.",
        )


def _measure_errors(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    error = facts["error"]
    if error["how"] == "partly new" and error["known"]:
        yield (
            "Leave out what it learned from",
            f"Without the {counted(error['known'], 'object', 'objects')} that the model learned "
            "from, the others prove a bound on its error.",
        )
    elif error["how"] != "new":
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
            f"{novel['n']:,} of {facts['error']['n']:,} {'is' if novel['n'] == 1 else 'are'} farther "
            "from the training objects than those are from each other: they may come from elsewhere, and answers to them deserve "
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

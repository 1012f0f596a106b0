"""The opening paragraph of a report: what was learned, how good it is, how sure that is, and what
is proved.
"""

from collections.abc import Iterator
from typing import Any

from wideberth.estimators.model_facts import counted
from wideberth.report.facts.learned import sizes_in_words

#: A class is called weak if its error is so many times that of all objects and so much above it, on
#: at least so many objects.
WEAK_TIMES, WEAK_POINTS, WEAK_FROM = 1.5, 0.05, 20


def in_short(facts: dict[str, Any]) -> dict[str, list[str]]:
    """Three paragraphs, sentence by sentence.

    Parameters
    ----------
    facts : dict
        The facts of a report, without this one.

    Returns
    -------
    dict
        Lists of sentences: ``learned`` (what was learned), ``good`` (how good it is and how sure
        that is), ``proved``.
    """
    return {
        "learned": list(_learned(facts["learned"])),
        "good": list(_good(facts["error"])),
        "proved": [
            *_proved(facts["certificate"]),
            *_robust(facts["certified"], facts["doctor"].get("spread")),
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
    of = (
        f"{error['errors']:,} of {error['n']:,} answers are wrong, an error of {error['error']:.1%}"
    )
    if error["how"] == "new":
        yield (
            f"{of}; {sure}, the error on all objects drawn like these is between "
            f"{error['low']:.1%} and {error['high']:.1%}."
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
            f"It is weakest on {weakest['name']}, where {wrong:,} of {n:,} answers are wrong, "
            f"{wrong / n:.1%}."
        )


def weakest_class(error: dict[str, Any]) -> dict[str, Any] | None:
    """The class with the largest share of wrong answers, if that is far above the error of all;
    None otherwise.

    Parameters
    ----------
    error : dict
        What `wideberth.report.facts.errors.error_facts` found.

    Returns
    -------
    dict or None
        ``name``, ``n`` and ``wrong`` of the class.

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
            f"Proved{sure}: it misclassifies at most {proved['value']:.1%} of new objects, if the "
            "assumptions below hold."
        )


def _robust(certified: dict[str, Any], spread: dict[str, Any] | None) -> Iterator[str]:
    if "reason" in certified:
        return
    unit = certified["unit"]
    shares = list(zip(certified["radii"], certified["certified"], strict=True))
    if certified["step"] == 1 and len(shares) > 1 and not shares[1][1]:
        yield f"No answer is proved to survive any one {unit or 'step'}."
    elif certified["step"] == 1 and len(shares) > 1:
        yield (
            f"{shares[1][1]:.1%} of the answers are right, and proved to stay so after any one "
            f"{unit or 'step'}."
        )
    elif certified["median"] > 0:
        far = (
            f"; the median distance between objects is {spread['median']:.3g}"
            if spread and certified["own_unit"]
            else ""
        )
        radius = f"under changes up to a distance of {certified['median']:.3g}"
        yield f"Half of the answers are right, and proved to stay so {radius}{far}."

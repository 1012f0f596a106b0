"""All classifiers on one set of texts: how many answers are right, and how many stay right under
any 1, 2 or 3 edits.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.certified.samples import Cut, cut
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

#: The numbers of edits, the unit of radii, and what parameters are chosen for on folds of the texts
#: to learn from.
EDITS, UNIT = (1, 2, 3), "edit"
CHOSEN_FOR: dict[str, Any] = {
    "scoring": "certified",
    "radius": 1,
    "unit": UNIT,
    "cv": 3,
    "random_state": 0,
}
#: What linear scores choose from: the edits that they learn for too, with n-grams only for sets of
#: short texts.
PRICES, LEARNED_EDITS, SHORT, SHORT_EDITS = (
    [0.1, 0.3, 1.0, 3.0],
    [2, 3],
    ("words", "names", "first names"),
    [0, 1],
)
#: Classifiers by distances learn from so many texts at most.
BY_DISTANCES = 1_000
#: Texts under attack, the first of those asked about, and questions for each.
ATTACKED, QUESTIONS = 30, 300

#: How far behind in accuracy the one that learns for an edit may be.
FLOOR = 0.1
#: The one that takes long for long texts.
EDITED_GRAMS = "linear, n-grams, within 10 points, exact to 2 edits"
#: Linear scores as the front page shows them, and whom they are set beside.
MAIN, GRAMS, NEAREST = "linear, words", "linear, n-grams, exact to 2 edits", "1-NN, levenshtein"
#: Title, whether it learns by distances, and how it is made.
METHODS: dict[str, tuple[bool, Callable[[], Any]]] = {
    "1-NN, levenshtein": (True, lambda: wb.NeighborsClassifier("levenshtein", n_neighbors=1)),
    "margin neighbours, levenshtein": (
        True,
        lambda: wb.MarginNeighborsClassifier("levenshtein", random_state=0),
    ),
    "LipschitzClassifierCV, levenshtein": (
        True,
        lambda: wb.LipschitzClassifierCV("levenshtein", **CHOSEN_FOR),
    ),
    "LPMachineClassifierCV, levenshtein": (
        True,
        lambda: wb.LPMachineClassifierCV("levenshtein", **CHOSEN_FOR),
    ),
    "HilbertSVCCV, levenshtein": (True, lambda: wb.HilbertSVCCV("levenshtein", **CHOSEN_FOR)),
    "linear, words, no edits learned": (
        False,
        lambda: wb.LinearLipschitzClassifierCV("words", C=PRICES, edits=0, cv=3, random_state=0),
    ),
    "linear, words": (
        False,
        lambda: wb.LinearLipschitzClassifierCV(
            "words", C=PRICES, edits=LEARNED_EDITS, **CHOSEN_FOR
        ),
    ),
    "linear, n-grams, exact to 2 edits": (
        False,
        lambda: wb.LinearLipschitzClassifierCV("ngrams", C=PRICES, exact_edits=2, **CHOSEN_FOR),
    ),
    EDITED_GRAMS: (
        False,
        lambda: wb.LinearLipschitzClassifierCV(
            "ngrams", C=PRICES, edits=SHORT_EDITS, exact_edits=2, floor=FLOOR, **CHOSEN_FOR
        ),
    ),
}

HEAD = [
    "classifier",
    "right",
    *(f"after any {edits} edit{'s' * (edits > 1)}" for edits in EDITS),
    "after attacks",
    "fit",
    "radius",
]


def measured(name: str) -> Facts:
    """The facts of all methods on one set."""
    found = cut(name)
    with threadpool_limits(1):
        outcomes = {
            title: outcome(title, found)
            for title in METHODS
            if name in SHORT or title != EDITED_GRAMS
        }
    methods = {title: each for title, each in outcomes.items() if each is not None}
    sizes = {
        "learned": len(found.texts),
        "asked": len(found.asked),
        "largest_class": found.largest_class,
    }
    return {"set": name, **sizes, "methods": methods}


def outcome(title: str, whole: Cut) -> Facts | None:
    """What one method reaches: shares of all texts asked about, and of those under attack; None if
    it refuses these texts.
    """
    by_distances, make = METHODS[title]
    known = whole.learned_from(BY_DISTANCES) if by_distances else whole
    started = time.process_time()
    with warnings.catch_warnings(action="ignore"):
        try:
            model = make().fit(known.texts, known.labels)
        except wb.errors.InvalidInput:  # single words hardly ever recur
            return None
    fitted = time.process_time()
    curve = wb.guarantees.certified_accuracy(
        model, known.asked, known.truth, [0, *EDITS], unit=UNIT
    )
    asked = time.process_time()
    facts = {
        "learned": len(known.texts),
        "right": curve.certified[0],
        "certified": curve.certified[1:],
        "attacked": under_attack(model, known),
        "fit_seconds": fitted - started,
        "radius_milliseconds": 1000 * (asked - fitted) / len(known.asked),
        "chosen": {name: str(value) for name, value in getattr(model, "best_params_", {}).items()},
    }
    print(title, facts, file=sys.stderr, flush=True)
    return facts


def under_attack(model: Any, known: Cut) -> list[float]:
    """The share of the attacked texts that are right and whose label no attack within 0, 1, 2, 3
    edits changed.
    """
    some, truth = known.asked[:ATTACKED], known.truth[:ATTACKED]
    attacks = wb.guarantees.attack(
        model, some, towards=known.texts[:200], unit=UNIT, max_questions=QUESTIONS
    )
    distances = np.array([found.distance for found in attacks])
    right = model.predict(some) == truth
    return [float(np.mean(right & (distances > edits))) for edits in (0, *EDITS)]


def rows_of(facts: Facts) -> Iterator[Row]:
    """Linear scores beside 1-NN by edits: right, and right after any 1 or 2 edits."""
    nearest = facts["methods"][NEAREST]
    titles = (GRAMS,) if facts["set"] in SHORT else (MAIN, GRAMS)
    for title in (each for each in titles if each in facts["methods"]):
        found = facts["methods"][title]
        for edits, (ours, theirs) in enumerate(
            zip(*([each["right"], *each["certified"]] for each in (found, nearest)), strict=True)
        ):
            if edits < EDITS[-1]:
                yield share_row(facts, f"{title}, after {edits} edits", ours, NEAREST, theirs)


def share_row(facts: Facts, what: str, ours: float, peer: str, theirs: float) -> Row:
    """Shares of the texts asked about, in percent, with the noise of two independent shares."""
    errors = [
        100 * float(np.sqrt(share * (1 - share) / facts["asked"])) for share in (ours, theirs)
    ]
    return Row(
        topic="certified accuracy",
        key=f"certified: {facts['set']}, {what}",
        ours=100 * ours,
        peer=peer,
        theirs=100 * theirs,
        unit="% right",
        noise=float(np.hypot(*errors)),
        own_noise=errors[0],
    )


def written(facts: Facts) -> str:
    """The section of one set."""
    rows = [_row(title, found) for title, found in facts["methods"].items()]
    constant = [
        "the largest class",
        *[f"{100 * facts['largest_class']:.1f}"] * (1 + len(EDITS)),
        "",
        "",
        "",
    ]
    sizes = f"{facts['learned']:,} texts learned, {facts['asked']:,} others asked about."
    if "again" in facts:
        others = [title for title in facts["methods"] if title not in facts["again"]]
        sizes += (
            f" Measured at commit {facts['kept'][:12]}, and not again since: {'; '.join(others)}."
        )
    return f"## {facts['set']}\n\n{sizes}\n\n{table(HEAD, [*rows, constant])}"


def _row(title: str, found: Facts) -> list[str]:
    fewer = (
        f" ({found['learned']:,} learned)"
        if METHODS[title][0] and found["learned"] == BY_DISTANCES
        else ""
    )
    shares = [f"{100 * share:.1f}" for share in [found["right"], *found["certified"]]]
    attacked = " / ".join(f"{100 * share:.0f}" for share in found["attacked"])
    return [
        title + fewer,
        *shares,
        attacked,
        f"{found['fit_seconds']:.0f} s",
        f"{found['radius_milliseconds']:.2g} ms",
    ]

"""What is proved about classifiers on real data: errors beside their bounds, from new objects and
from the training objects.
"""

import sys
from collections.abc import Callable
from textwrap import fill
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.guarantees.halves import Halves, halves
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.certificate import Certificate
from wideberth.errors import NotCertified

#: Objects of a set at most, and references of an LP machine.
MOST, REFERENCES = 3000, 300
#: The share of the objects from which units are taken.
ASIDE = 0.1
DELTA = 0.05
#: Characters of a line of text.
WIDTH = 130

#: All parameters are fixed, and what is in the unit of the metric is taken from the objects set
#: aside.
CLASSIFIERS: dict[str, Callable[[Halves], Any]] = {
    "1-NN": lambda data: wb.NeighborsClassifier(data.space.metric, n_neighbors=1),
    "Lipschitz": lambda data: wb.LipschitzClassifier(data.space.metric, random_state=0),
    "margin, compression": lambda data: wb.MarginNeighborsClassifier(
        data.space.metric, separation="compression", random_state=0
    ),
    "margin, hold-out": lambda data: wb.MarginNeighborsClassifier(
        data.space.metric, separation="holdout", refit=False, random_state=0
    ),
    "LP machine": lambda data: wb.LPMachineClassifier(
        data.space.metric, references=min(REFERENCES, len(data.known)), random_state=0
    ),
    "Hilbert SVM": lambda data: wb.HilbertSVC(
        data.space.metric, width=data.unit, repair="clip", random_state=0
    ),
}


def cell(data: Halves, make: Callable[[Halves], Any]) -> dict[str, Any]:
    """Everything that is proved about one classifier on one set."""
    took, found = seconds(lambda: _cell(data, make))
    return found | {"seconds": took}


def _cell(data: Halves, make: Callable[[Halves], Any]) -> dict[str, Any]:
    index, labels = data.space.index, data.labels
    model = make(data).fit(index[data.known], labels[data.known])
    asked, truths = index[data.asked], labels[data.asked]
    outside = next(
        each
        for each in wb.certify(model, asked, truths, delta=DELTA, independent=True)
        if each.kind == "holdout"
    )
    inside = best_in_sample(model, index[data.known], labels[data.known])
    try:
        radius: float | None = radius_of_half(model, asked, truths)
    except NotCertified:
        radius = None
    return {
        "error": float(np.mean(model.predict(asked) != truths)),
        "holdout": outside.value,
        "bound": inside.value,
        "kind": inside.kind,
        "vacuous": inside.vacuous,
        "void": list(inside.void),
        "radius": radius if radius is None or np.isfinite(radius) else str(radius),
        "unit": data.unit,
        "guessing": data.guessing,
    }


def radius_of_half(model: Any, asked: Any, truths: Any) -> float:
    """The certified radius that half of the objects reach with the right label; in whole steps, as
    nothing is in between.
    """
    radii, step = model.certified_radius(asked), model.metric_.step
    whole = step * np.ceil(radii / step) if step else radii
    return float(
        np.sort(np.where(model.predict(asked) == truths, whole, -np.inf))[
            -int(np.ceil(len(truths) / 2))
        ]
    )


def best_in_sample(model: Any, X: Any, y: Any) -> Certificate:
    """The smallest bound that the training objects prove, where those compared share delta."""
    found = wb.certify(model, X, y, delta=DELTA)
    valid = sum(not each.void for each in found)
    return wb.certify(model, X, y, delta=DELTA / valid)[0] if valid > 1 else found[0]


#: How kinds of certificates are named in the table.
SHORT = {
    "margin and complexity of the sample": "margin",
    "preferent compression": "compression",
    "support vector compression": "support vectors",
    "Hilbert ball": "Hilbert ball",
    "holdout": "own hold-out",
}


def shown_bound(found: dict[str, Any]) -> str:
    if found["void"]:
        return "void"
    text = f"{100 * found['bound']:.1f} ({SHORT[found['kind']]})"
    return f"{text}, vacuous" if found["vacuous"] else f"**{text}**"


def shown_radius(found: dict[str, Any]) -> str:
    """The radius, and in brackets its share of the median distance."""
    radius = found["radius"]
    if radius is None:
        return "none"
    if isinstance(radius, str):  # infinite
        return "fewer are right" if float(radius) < 0 else "any"
    return f"{radius:.3g} ({100 * radius / found['unit']:.1f} %)"


def lines_of(data: Facts) -> list[list[str]]:
    lines = []
    for place, (name, found) in enumerate(data["cells"].items()):
        about = (
            [data["name"], data["size"], f"{100 * found['guessing']:.1f}"]
            if place == 0
            else [""] * 3
        )
        numbers = [f"{100 * found[each]:.1f}" for each in ("error", "holdout")]
        lines.append([*about, name, *numbers, shown_bound(found), shown_radius(found)])
    return lines


def summary(cells: list[dict[str, Any]]) -> str:
    """What the table shows, counted."""
    valid = [each for each in cells if not each["void"]]
    telling = [each for each in valid if not each["vacuous"]]
    better = [each for each in telling if each["bound"] < each["holdout"]]
    kinds = {each["kind"] for each in telling}
    counts = {SHORT[kind]: sum(each["kind"] == kind for each in telling) for kind in kinds}
    listed = ", ".join(
        f"{name} {count}"
        for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    )
    ratio = float(np.median([each["bound"] / each["holdout"] for each in telling]))
    outside = sum(each["holdout"] < each["guessing"] for each in cells)
    below = sum(each["bound"] < each["error"] for each in valid)
    return fill(
        f"Of {len(cells)} pairs of a set and a classifier, the hold-out bound says something for "
        f"{outside}: it is below the error of guessing. The training half proves something for "
        f"{len(telling)} ({listed}); for {len(valid) - len(telling)} its bound is vacuous, and for "
        f"{len(cells) - len(valid)} it is void. Where it says something, it is smaller than the "
        f"hold-out bound in {len(better)} of {len(telling)}, and {ratio:.1f} times as large in the "
        "median. Bounds of the training half that are below the error seen on the other half: "
        f"{below}.",
        WIDTH,
        break_on_hyphens=False,
    )


def measure() -> Facts:
    sets = []
    for data in halves(MOST, ASIDE):
        name = f"{data.name}, {data.metric_name}"
        found = {
            title: kept("guarantees", f"{name}, {title}", lambda: cell(data, make))  # noqa: B023 - called at once
            for title, make in CLASSIFIERS.items()
        }
        there = {title: each for title, each in found.items() if each is not None}
        print(
            name,
            {title: round(each["seconds"], 1) for title, each in there.items()},
            file=sys.stderr,
            flush=True,
        )
        sets.append({"name": name, "size": data.size, "left_out": data.left_out, "cells": there})
    return {"sets": sets}


def page(facts: Facts) -> str:
    cells = [cell for data in facts["sets"] for cell in data["cells"].values()]
    left_out = [
        f"{data['name'].partition(',')[0]} {data['left_out']}"
        for data in facts["sets"]
        if data["left_out"]
    ]
    head = [
        "data",
        "n / classes",
        "guessing",
        "classifier",
        "error",
        "hold-out bound",
        "best bound in the sample",
    ]
    spent = sum(each["seconds"] for each in cells) / 60
    about = fill(
        ABOUT.format(MOST, REFERENCES, spent, left_out=", ".join(left_out)),
        WIDTH,
        break_on_hyphens=False,
    )
    lines = [line for data in facts["sets"] for line in lines_of(data)]
    text = [TITLE, about, WORDS, summary(cells), table([*head, "radius of 50 %"], lines)]
    return "\n\n".join(text) + "\n"


TITLE = "# What is proved on real data"
ABOUT = """\
From `make bench` (`python -m benchmarks guarantees`). Each set, or {:,} of its objects chosen at random, is cut at random: a
tenth is set aside, from which units are taken (the scale of each feature of wine and breast_cancer, the width of the kernel),
one half of the rest is learned from, and one is tested on. Objects to test on that were also learned from are left out
({left_out}). Parameters are the usual ones, the LP machine has {} references at most, margin neighbours with a hold-out do
not learn again. It took {:.0f} minutes of one core."""
WORDS = """\
All errors and bounds in %. *Guessing*: the error of who always says the largest class. *Error*: on the test half. *Hold-out
bound*: of the probability of an error, by the exact binomial bound at 95 %, from the test half. *Best bound in the sample*:
the smallest that `wideberth.certify` proves from the training half at 95 %; where it compares several, they share the 5 %;
*own hold-out* is a part of the training half that the classifier sets aside itself. *Void*: an assumption is not met, so that
nothing is proved. *Vacuous*: not below guessing; bold: below. Each holds alone, not all of the table together. *Radius*: half
of the test objects have the right label, and so has everything closer to them than this, in the unit of the metric (in
brackets: of the median distance of the objects set aside); where all distances are whole numbers, as with hamming, 1 says no
more than that they are right. *None*: the classifier certifies no radius on this metric, which promises no Hilbert space."""

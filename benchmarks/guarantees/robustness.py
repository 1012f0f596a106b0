"""Certified radii beside attacks: how much of the robustness of each classifier is proved, and how
much may be there.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import wideberth as wb
from benchmarks.data import DATA, of_file, of_the_archive
from benchmarks.folders import PAGES
from benchmarks.keeping import kept
from benchmarks.results import Facts
from benchmarks.timing import seconds, table
from wideberth.guarantees.attacks import attack
from wideberth.guarantees.robustness import Curve, certified_accuracy

PICTURE = PAGES / "robustness.svg"
#: Objects that are attacked, and the questions about each.
ATTACKED, QUESTIONS = 40, 1000
#: An attack this much farther than the radius has closed the gap.
CLOSED = 1.01


@dataclass(frozen=True)
class Case:
    """Objects to learn from and objects to attack, with their labels."""

    name: str
    metric: Any
    known: Any
    known_labels: Any
    asked: Any
    asked_labels: Any

    @classmethod
    def split(cls, name: str, metric: Any, objects: Any, labels: Any, n_known: int) -> "Case":
        order = np.random.default_rng(0).permutation(len(labels))
        known, asked = order[:n_known], order[n_known : n_known + ATTACKED]
        chosen = [
            ([objects[each] for each in part], np.asarray(labels)[part]) for part in (known, asked)
        ]
        return cls(name, metric, *chosen[0], *chosen[1])


@dataclass(frozen=True)
class Outcome:
    """One classifier on one case."""

    case: str
    model: str
    curve: Curve
    ratios: Any
    found: float
    questions: float
    time: float


def cases() -> Iterator[Case]:
    names, sexes = wb.datasets.load_first_names()
    yield Case.split("first names, levenshtein", "levenshtein", names, sexes, 1000)
    if (DATA / "promoters.csv").exists():
        promoters = of_file("promoters.csv", "hamming", None, (0, 0), 0)
        yield Case.split("promoters, hamming", "hamming", promoters.objects, promoters.labels, 46)
    digits = load_digits()
    for metric in ("euclidean", "manhattan"):
        yield Case.split(f"digits, {metric}", metric, digits.data, digits.target, 800)
    for series in of_the_archive():
        if series.name == "ItalyPowerDemand" and series.metric in ("msm", "erp"):
            n, objects, labels = series.n_train, series.objects, series.labels
            asked = slice(n, n + ATTACKED)
            name = f"{series.name}, {series.metric_name}"
            yield Case(name, series.metric, objects[:n], labels[:n], objects[asked], labels[asked])


def models(metric: str) -> dict[str, Any]:
    found = {
        "1-NN": wb.NeighborsClassifier(metric, n_neighbors=1),
        "5-NN": wb.NeighborsClassifier(metric, n_neighbors=5),
        "margin neighbours": wb.MarginNeighborsClassifier(metric, random_state=0),
        "Lipschitz": wb.LipschitzClassifier(metric),
        "LP machine": wb.LPMachineClassifier(metric, random_state=0),
    }
    promises = wb.metric(metric).promises
    return found | (
        {"SVM on the metric": wb.HilbertSVC(metric)}
        if promises.hilbertian or promises.negative_type
        else {}
    )


def outcome(case: Case, name: str, model: Any) -> Outcome:
    model.fit(case.known, case.known_labels)
    time, attacks = seconds(
        lambda: attack(model, case.asked, towards=case.known, max_questions=QUESTIONS)
    )
    curve = certified_accuracy(model, case.asked, case.asked_labels, [0.0], attacks=attacks)
    found, questions = (
        np.mean([each.found for each in attacks]),
        np.mean([each.questions for each in attacks]),
    )
    ratios = attacks_over_radii(model, case, curve, np.array([each.distance for each in attacks]))
    return Outcome(case.name, name, curve, ratios, float(found), float(questions), time)


def attacks_over_radii(model: Any, case: Case, curve: Curve, distances: Any) -> Any:
    """The distances of attacks over certified radii, in whole steps, of the objects with the right
    label that have both.
    """
    radii, step = model.certified_radius(case.asked), model.metric_.step
    whole = step * np.ceil(radii / step) if step else radii
    compared = (curve.proved >= 0) & (whole > 0) & np.isfinite(whole) & np.isfinite(distances)
    return distances[compared] / whole[compared]


def row(found: Outcome) -> list[str]:
    curve, ratios = found.curve, found.ratios
    return [
        found.case,
        found.model,
        f"{100 * curve.certified[0]:.0f} %",
        _shown(curve.radius(0.5)),
        _shown(curve.attacked_radius(0.5)),
        f"{np.median(ratios):.2f}" if len(ratios) else "-",
        f"{100 * np.mean(ratios <= CLOSED):.0f} %" if len(ratios) else "-",
        f"{ratios.min():.4f}" if len(ratios) else "-",
        f"{100 * found.found:.0f} %",
        f"{found.questions:.0f}",
        f"{found.time:.0f} s",
    ]


def _shown(radius: float) -> str:
    return "-" if np.isneginf(radius) else f"{radius:.3g}"


HEAD = [
    *(
        "data, metric",
        "model",
        "right",
        "half certified within",
        "half unbroken within",
        "attack / radius, median",
        "gap closed",
    ),
    *("smallest", "found", "questions", "time"),
]


def draw(outcomes: list[Outcome], path: Path) -> None:
    """A panel for each case: what is certified as a line, what attacks left as a dotted one of the
    same colour.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from wideberth.plots import CertifiedAccuracyDisplay

    names = list(dict.fromkeys(each.case for each in outcomes))
    colours = {
        name: f"C{place}"
        for place, name in enumerate(dict.fromkeys(each.model for each in outcomes))
    }
    with mpl.rc_context({"svg.hashsalt": "robustness", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(11, 3.4 * -(-len(names) // 3)), layout="constrained")
        panels = figure.subplots(-(-len(names) // 3), 3, squeeze=False, sharey=True).ravel()
        lines: dict[str, Any] = {}
        for panel, name in zip(panels, names, strict=False):
            panel.set_title(name, fontsize=8)
            panel.grid(alpha=0.25)
            here = [each for each in outcomes if each.case == name]
            for each in here:
                look = {"color": colours[each.model], "linewidth": 1.2}
                lines[each.model] = CertifiedAccuracyDisplay.from_curve(
                    each.curve, ax=panel, **look
                ).line_
            panel.set(
                xlim=(
                    0,
                    max(
                        np.quantile(each.curve.broken[np.isfinite(each.curve.broken)], 0.95)
                        for each in here
                    ),
                )
            )
            panel.set(xlabel="", ylabel="")
        for panel in panels[len(names) :]:
            panel.set_axis_off()
        figure.supxlabel("radius")
        figure.supylabel("right and robust: certified (line), not broken by an attack (dotted)")
        figure.legend(
            list(lines.values()), list(lines), loc="outside upper center", ncols=6, frameon=False
        )
        figure.savefig(path, metadata={"Date": None})


def measure() -> Facts:
    found = []
    for case in cases():
        for name, model in models(case.metric).items():
            run = partial(_plain_outcome, case, name, model)
            found.append(kept("robustness", f"{case.name}, {name}", run))
    return {"outcomes": [each for each in found if each is not None]}


def _plain_outcome(case: Case, name: str, model: Any) -> Facts:
    found = outcome(case, name, model)
    print(" | ".join(row(found)), flush=True)
    return asdict(found)


def stored_outcomes(facts: Facts) -> list[Outcome]:
    """What was measured, from the plain values of a result file."""
    curves = [
        Curve(**{name: np.array(values) for name, values in each["curve"].items()})
        for each in facts["outcomes"]
    ]
    return [
        Outcome(**(each | {"curve": curve, "ratios": np.array(each["ratios"])}))
        for each, curve in zip(facts["outcomes"], curves, strict=True)
    ]


def draw_from(facts: Facts) -> None:
    if facts["outcomes"]:
        draw(stored_outcomes(facts), PICTURE)


def page(facts: Facts) -> str:
    return "\n".join(
        [*INTRODUCTION, table(HEAD, [row(each) for each in stored_outcomes(facts)]), "", *PLOT]
    )


INTRODUCTION = [
    "# Certified radii beside attacks",
    "",
    "From `make bench` (`python -m benchmarks robustness`).",
    f"{ATTACKED} objects that were not learned from; an attacker who knows the training objects "
    "and may ask the model about",
    f"{QUESTIONS:,} objects for each looks for the closest one with another label "
    "(`wideberth.guarantees.robustness.attack`).",
    "Nothing strictly closer than a certified radius has another label, that is proved; at the "
    "distance of an attack something",
    "has, that is a fact. The true radius is between the two, and how far an attack is above it is "
    "not known.",
    "",
    "*half certified within*: the largest radius up to which half of the objects have the right "
    "label and are proved to keep",
    "it (- : fewer than half are right); under edit distances 1 means after any single edit, 0 as "
    "they are. *half unbroken*",
    "*within*: the same for attacks, which no certificate can exceed. *attack / radius*: over "
    "objects with the right label;",
    "radii under edit distances are rounded up to whole numbers, as nothing is in between. *gap "
    "closed*: the attack is within",
    f"{100 * (CLOSED - 1):.0f} % of the radius; *smallest*: below 1 it would be a bug.",
    "",
]
PLOT = [
    "![Share of objects that are right and robust, against the radius](robustness.svg)",
    "",
]

"""Moves inside certified radii: objects are changed by less than the radius claims, and no label
may change.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

import wideberth as wb
from benchmarks.certified.samples import FILES, cut
from benchmarks.outside_data import missing
from benchmarks.results import Facts
from benchmarks.timing import table

#: Moves of each classifier, and how many objects learn and move.
MOVES, LEARNED, MOVED = 24_000, 300, 300
#: Edits at most: a radius may allow for more.
MOST_EDITS = 6

Random = np.random.Generator


class Case(NamedTuple):
    """A classifier, its objects, and how one of them moves by less than a radius."""

    name: str
    model: Any
    known: Any
    labels: Any
    asked: Any
    unit: str | None
    move: Callable[[Random, Any, float], Any]


def strings() -> Iterator[Case]:
    """Words and messages, if they are there, else first names, under every string metric with radii
    in edits.
    """
    words, messages = (
        cut(name if not missing([FILES[name]]) else "first names") for name in ("words", "sms")
    )
    for metric in (
        "levenshtein",
        "normalized_levenshtein",
        "words",
        "ngrams",
        wb.metric("ngrams", form="ruzicka"),
    ):
        for title, model in _models(metric).items():
            known = words.texts[:LEARNED], words.labels[:LEARNED], words.asked[:MOVED]
            yield Case(f"{words.name}, {_named(metric)}, {title}", model, *known, "edit", edited)
    for metric in ("words", "ngrams") if messages.name == "sms" else ():
        model = wb.LinearLipschitzClassifier(metric)
        yield Case(
            f"sms, {metric}, linear",
            model,
            messages.texts,
            messages.labels,
            messages.asked[:MOVED],
            "edit",
            edited,
        )


def vectors() -> Iterator[Case]:
    """Digits under the norms."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    known, asked = order[:LEARNED], order[LEARNED : LEARNED + MOVED]
    for metric, norm in (("euclidean", 2), ("manhattan", 1), ("chebyshev", np.inf)):
        towards = digits.data[known]

        def move(
            random: Random, vector: Any, radius: float, towards: Any = towards, norm: float = norm
        ) -> Any:
            """Towards another digit or anywhere, by nearly the radius."""
            goal = (
                towards[random.integers(len(towards))]
                if random.random() < 0.7
                else vector + random.normal(size=len(vector))
            )
            step = goal - vector
            length = np.linalg.norm(step, norm)
            return vector + step * (
                min(radius, 1e3) * (1 - 1e-9) * random.random() ** 0.1 / max(length, 1e-300)
            )

        for title, model in _models(metric).items():
            yield Case(
                f"digits, {metric}, {title}",
                model,
                digits.data[known],
                digits.target[known],
                digits.data[asked],
                None,
                move,
            )


def _models(metric: Any) -> dict[str, Any]:
    """Every classifier that certifies radii; neighbours of the metric, functions of it, and
    repaired kernels.
    """
    found: dict[str, Any] = {
        "1-NN": wb.NeighborsClassifier(metric, n_neighbors=1),
        "5-NN": wb.NeighborsClassifier(metric, n_neighbors=5),
        "margin": wb.MarginNeighborsClassifier(metric, random_state=0),
        "Lipschitz": wb.LipschitzClassifier(metric),
        "LP": wb.LPMachineClassifier(metric, random_state=0),
        "LP, gaussian": wb.LPMachineClassifier(metric, radial="gaussian", random_state=0),
    }
    for kernel in ("distance", "gaussian", "laplace"):
        for repair in ("shift", "clip"):
            found[f"SVM, {kernel}, {repair}"] = wb.HilbertSVC(metric, kernel=kernel, repair=repair)
    if metric in ("words", "ngrams", "manhattan"):
        found["linear"] = wb.LinearLipschitzClassifier(metric)
    return found


def edited(random: Random, text: str, radius: float) -> str:
    """A text after fewer edits than the radius, half of them towards letters that occur in it."""
    edits = int(random.integers(1, min(np.ceil(radius) - 1, MOST_EDITS) + 1))
    for _ in range(edits):
        place = int(random.integers(0, len(text) + 1))
        letter = (
            text[random.integers(len(text))]
            if text and random.random() < 0.5
            else "abcdefghijklmnopqrstuvwxyz é"[random.integers(28)]
        )
        text = (
            text[:place]
            + ("" if random.random() < 0.3 else letter)
            + text[place + int(random.integers(0, 2)) :]
        )
    return text


def measure() -> Facts:
    """The number of moves and of labels that changed, for each classifier."""
    found = {}
    with threadpool_limits(1), warnings.catch_warnings(action="ignore"):
        for case in (*strings(), *vectors()):
            found[case.name] = _outcome(case)
            print(case.name, found[case.name], file=sys.stderr, flush=True)
    return found


def _outcome(case: Case) -> Facts:
    try:
        model = case.model.fit(case.known, case.labels)
        radii = model.certified_radius(case.asked, unit=case.unit)
    except (wb.errors.NotCertified, wb.errors.InvalidInput) as refused:
        return {"refused": str(refused).partition(".")[0]}
    smallest = (
        1.0 if case.unit else 0.0
    )  # an object that may move by less than one edit does not move
    moving = np.flatnonzero(radii > smallest)
    if not len(moving):
        return {"moves": 0, "changed": 0, "moving": 0.0}
    random, labels = np.random.default_rng(0), model.predict(case.asked)
    which = random.choice(moving, MOVES)
    changed = sum(
        int(
            np.sum(
                model.predict([case.move(random, case.asked[i], radii[i]) for i in part])
                != labels[part]
            )
        )
        for part in np.array_split(which, 8)
    )
    return {"moves": MOVES, "changed": changed, "moving": len(moving) / len(radii)}


def _named(metric: Any) -> str:
    return metric if isinstance(metric, str) else "ngrams (ruzicka)"


def page(facts: Facts) -> str:
    counted = [found for found in facts.values() if "moves" in found]
    total, changed = (
        sum(found["moves"] for found in counted),
        sum(found["changed"] for found in counted),
    )
    rows = [
        [name, f"{found['moves']:,}", str(found["changed"]), f"{100 * found['moving']:.0f} %"]
        if "moves" in found
        else [name, f"refused: {found['refused']}", "", ""]
        for name, found in facts.items()
    ]
    words = WORDS.format(total=f"{total:,}", changed=changed)
    head = ["objects, metric, classifier", "moves", "labels changed", "can move"]
    return f"## Moves inside radii\n\n{words}\n\n{table(head, rows)}"


WORDS = """\
Objects are changed at random, by less than their certified radius: strings by whole edits, vectors towards training objects and
in random directions, by nearly the radius. **{total} moves, {changed} labels changed.** *can move*: the share of objects whose
radius allows for a move at all (for strings: for one edit)."""

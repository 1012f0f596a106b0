"""One picture of what is certified: edits of characters, of words, synonyms and wrong rows, each
beside the best peer that was measured and beside a constant.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.certified import moved_words, news, wrong_rows
from benchmarks.certified.texts import EDITS, MAIN
from benchmarks.folders import PAGES
from benchmarks.results import Facts, stored

PICTURE = PAGES / "certified_all.svg"
#: A line: what it shows, how many changes, and the shares that stay right.
Line = tuple[str, Sequence[int], Any]


class Look(NamedTuple):
    """The colour of a line, and where its name stands: where no line is."""

    color: str
    at: tuple[float, float]
    to: str


OURS, PEER = Look("#1f6fb4", (0.96, 0.92), "right"), Look("#c0392b", (0.04, 0.04), "left")
CONSTANT = "0.55"
DIGITS = "digits"


def draw() -> None:
    """Draw it from the stored results, if all are there."""
    facts = [stored(f"certified.{name}") for name in ("news", "moved_words", "wrong_rows")]
    if all(facts):
        of_letters, of_words, of_rows = (each["facts"] for each in facts if each is not None)
        _drawn([letters(of_letters), *words(of_words), *rows(of_rows)])


def letters(facts: Facts) -> tuple[str, str, list[Line], float]:
    """AG-News under edits of characters, beside LipsLev."""
    lines = [
        (
            {MAIN: "linear, words"}.get(title, "LipsLev"),
            (0, *EDITS),
            news.shares_of(found).mean(axis=0),
        )
        for title, found in facts["cuts"].items()
    ]
    return "AG-News", "any so many characters", lines, facts["largest_class"]


def words(facts: Facts) -> list[tuple[str, str, list[Line], float]]:
    """Both sets under edits of words beside the best of randomised deletion, and synonyms."""
    panels = []
    for name, found in facts.items():
        shown = [moves for moves in moved_words.MOVES if moves <= moved_words.ATTACKS[-1]]
        means = {
            title: [moved_words.mean(outcomes, str(moves)) for moves in shown]
            for title, outcomes in found["methods"].items()
        }
        lines: list[Line] = [("linear, words", shown, means.pop(moved_words.OURS))]
        if means:
            best = max(means.values(), key=lambda shares: shares[1])
            lines.append(("randomised deletion", shown, best))
        what = f"any so many {'words' if means else 'synonyms'}"
        constant = float(np.mean(found["largest_class"]))
        panels.append((name.partition(",")[0], what, lines, constant))
    return panels


def rows(facts: Facts) -> list[tuple[str, str, list[Line], float]]:
    """Digits under wrong rows, votes beside trees on the same parts."""
    panels = []
    for case in facts["cases"]:
        if case["name"] == DIGITS:
            means = {
                title: np.mean([[each["right"], *each["certified"]] for each in found], axis=0)
                for title, found in case["methods"].items()
            }
            changes = (0, *wrong_rows.CHANGES)
            lines = [("neighbours", changes, means["neighbours"])]
            lines += [("trees on parts", changes, means["parts, tree"])]
            panels.append(
                (DIGITS, "any so many rows", lines, float(np.mean(case["largest_class"])))
            )
    return panels


def _drawn(panels: list[tuple[str, str, list[Line], float]]) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "certified", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(2.5 * len(panels), 3), layout="constrained")
        figure.patch.set_facecolor("white")
        for axes, (title, what, lines, constant) in zip(
            figure.subplots(1, len(panels), sharey=True), panels, strict=True
        ):
            for (label, changes, shares), look in zip(lines, (OURS, PEER), strict=False):
                axes.plot(changes, 100 * np.asarray(shares), "o-", color=look.color, markersize=4)
                axes.text(*look.at, label, transform=axes.transAxes, color=look.color, ha=look.to)
            axes.axhline(100 * constant, color=CONSTANT, linestyle=":")
            axes.set(title=title, xlabel=what, ylim=(0, 100))
            axes.grid(alpha=0.25)
        figure.axes[0].set_ylabel("right and proved to stay so, %")
        figure.savefig(PICTURE, metadata={"Date": None})

"""Certified answers on the set "AG-News" (`benchmarks/certified/texts.py`), beside the best that
was published, on the same texts.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.certified.samples import CUTS, cut
from benchmarks.certified.texts import EDITS, MAIN, measured, outcome, rows_of, share_row, written
from benchmarks.data import DATA
from benchmarks.folders import PAGES
from benchmarks.results import Facts
from benchmarks.rows import Row
from benchmarks.timing import table

PICTURE = PAGES / "certified.svg"
#: For each of the texts how many edits the weights certify that were published with "Certified
#: robustness under bounded Levenshtein distance" (LipsLev, ICLR 2025); -1 where the label is wrong.
#: It learned from 120,000 other texts; its edits are those of Levenshtein's distance, as ours.
RADII, LIPSLEV = "ag_news_test_lipslev_radii.npy", "LipsLev, its published weights"
#: The one that certifies most stands out.
BEST = "linear, words"


def measure() -> Facts:
    """All methods on one cut; ours and LipsLev on the same texts of other cuts too."""
    facts = measured("AG-News")
    with threadpool_limits(1):
        others = [outcome(MAIN, cut("AG-News", seed)) for seed in CUTS[1:]]
    return {**facts, "cuts": {MAIN: [facts["methods"][MAIN], *others], **lipslev(CUTS)}}


def lipslev(seeds: Sequence[int]) -> Facts:
    """What LipsLev certifies of the texts asked about, if its radii are there."""
    if not (DATA / RADII).exists():
        return {}
    radii = [np.load(DATA / RADII)[cut("AG-News", seed).places] for seed in seeds]
    return {
        LIPSLEV: [
            {
                "right": float(np.mean(each >= 0)),
                "certified": [float(np.mean(each >= edits)) for edits in EDITS],
            }
            for each in radii
        ]
    }


def shares_of(found: list[Facts]) -> Any:
    """Right, and right after any 1, 2, 3 edits: one line for each cut."""
    return np.array([[each["right"], *each["certified"]] for each in found])


def rows(facts: Facts) -> Iterator[Row]:
    """Beside 1-NN, and beside LipsLev on the same texts."""
    yield from rows_of(facts)
    if LIPSLEV in facts["cuts"]:
        both = (shares_of(facts["cuts"][title]).mean(axis=0) for title in (MAIN, LIPSLEV))
        for edits, (ours, theirs) in enumerate(zip(*both, strict=True)):
            yield share_row(
                facts, f"{MAIN}, after {edits} edits, same texts", ours, LIPSLEV, theirs
            )


def page(facts: Facts) -> str:
    head = ["AG-News", "right", *(f"after any {edits}" for edits in EDITS), "±"]
    lines = []
    for title, found in facts["cuts"].items():
        of_cuts = shares_of(found)
        spread = f"{100 * of_cuts.std(axis=0).max():.1f}" if len(found) > 1 else ""
        lines.append([title, *(f"{100 * share:.1f}" for share in of_cuts.mean(axis=0)), spread])
    picture = "![Right after any number of edits, AG-News](certified.svg)"
    number = len(facts["cuts"][MAIN])
    words = WORDS.replace("CUTS", f"{number} cuts by different seeds" if number > 1 else "one cut")
    return "\n\n".join([written(facts), words, table(head, lines), picture])


def draw_from(facts: Facts) -> None:
    """A line of steps for each classifier: the share that is right after any so many edits."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "certified", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8, 4.2), layout="constrained")
        axes = figure.subplots()
        shares = {
            title: [found["right"], *found["certified"]]
            for title, found in facts["methods"].items()
        }
        lines = [_line(axes, title, each, facts["asked"]) for title, each in shares.items()]
        look = {"where": "pre", "markersize": 4, "linewidth": 1, "label": "LipsLev"}
        for found in facts["cuts"].get(LIPSLEV, [])[:1]:  # the same texts
            theirs = shares_of([found])[0]
            lines += axes.step(range(len(theirs)), theirs, "k--s", **look)
        lines.append(
            axes.axhline(
                facts["largest_class"],
                color="0.6",
                linewidth=1,
                linestyle=":",
                label="the largest class",
            )
        )
        axes.set(xlim=(-0.05, max(EDITS) + 0.05), xlabel="any so many edits")
        axes.set_xticks([0, *EDITS])
        axes.grid(alpha=0.25)
        axes.get_legend().remove()  # it would cover the lines
        figure.legend(handles=lines, loc="outside right upper", frameon=False)
        figure.savefig(PICTURE, metadata={"Date": None})


def _line(axes: Any, title: str, shares: list[float], n: int) -> Any:
    """The display of the shares of n texts that are right after any 0, 1, ... edits."""
    from wideberth.plots import CertifiedAccuracyDisplay

    counts = np.rint(n * np.array(shares)).astype(int)
    radii = [
        -np.inf,
        *range(len(shares) - 1),
        len(shares),
    ]  # beyond the last number of edits nothing is known, and nothing shown
    display = CertifiedAccuracyDisplay(
        proved=np.repeat(radii, np.diff([0, *counts[::-1], n])[::-1]), name=title
    )
    display.plot(axes, linewidth=2.4 if title == BEST else 1.0)
    edits = np.arange(len(shares))
    axes.plot(edits, display.at(edits), "o", markersize=4, color=display.line_.get_color())
    return display.line_


WORDS = """\
The best published certificates for texts under edits are those of LipsLev (ICLR 2025), a convolutional network over letters that
learned from 120,000 other texts. Its published weights were evaluated on all 7,600 texts, of which 5,600 are learned from here
and the others asked about; its paper has 74.8 % right, 38.8 % after any one and 13.9 % after any two edits on 1,000 of them.
Below, both are asked about the same 2,000 texts, of CUTS, ± the largest standard deviation over cuts. Here scores add
up over words, which makes the worst of all edited texts a shortest path."""

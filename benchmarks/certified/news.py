"""Certified answers on the set "AG-News" (`benchmarks/certified/texts.py`), beside the best that
was published.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.certified.texts import EDITS, MAIN, measured, rows_of, share_row, written
from benchmarks.folders import PAGES
from benchmarks.results import Facts
from benchmarks.rows import Row

PICTURE = PAGES / "certified.svg"
#: Right, and right after any 1 and any 2 edits: the best of "Certified robustness under bounded
#: Levenshtein distance" (LipsLev, ICLR 2025) on AG-News. It learned from 120,000 texts and was
#: certified on a part of the 7,600 from which ours learn and are asked about; its edits are those
#: of Levenshtein's distance, as ours.
PUBLISHED = (0.748, 0.388, 0.139)
#: The one that certifies most stands out.
BEST = "linear, words"


def measure() -> Facts:
    return measured("AG-News")


def rows(facts: Facts) -> Iterator[Row]:
    """Beside 1-NN, and beside the published figures, which were measured by others."""
    yield from rows_of(facts)
    found = facts["methods"][MAIN]
    for edits, theirs in enumerate(PUBLISHED):
        ours = [found["right"], *found["certified"]][edits]
        yield share_row(
            facts, f"{MAIN}, after {edits} edits, published", ours, "LipsLev, published", theirs
        )


def page(facts: Facts) -> str:
    return (
        f"{written(facts)}\n\n{WORDS}\n\n![Right after any number of edits, AG-News](certified.svg)"
    )


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
        look = {"where": "pre", "markersize": 4, "linewidth": 1, "label": "LipsLev, published"}
        lines += axes.step(
            range(len(PUBLISHED)), PUBLISHED, "k--s", **look
        )  # three figures that were published, and no more
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


WORDS = f"""\
The best published certificates for texts under edits (LipsLev, ICLR 2025) reach {100 * PUBLISHED[0]:.1f} % right,
{100 * PUBLISHED[1]:.1f} % after any one and {100 * PUBLISHED[2]:.1f} % after any two edits on AG-News. Those numbers are quoted,
not measured again, and the protocols differ: it learned from 120,000 texts and was asked about a part of the 7,600 test texts;
here 5,600 of these 7,600 are learned from and the others asked about. It is a convolutional network over letters; here scores add
up over words, which makes the worst of all edited texts a shortest path."""

"""Certified answers on the set "AG-News" (`benchmarks/certified/texts.py`), beside the best that was published."""

from collections.abc import Iterator

from benchmarks.certified.texts import EDITS, MAIN, measured, rows_of, share_row, written
from benchmarks.folders import PAGES
from benchmarks.results import Facts
from benchmarks.rows import Row

PICTURE = PAGES / "certified.svg"
#: Right, and right after any 1 and any 2 edits: the best of "Certified robustness under bounded Levenshtein distance" (LipsLev,
#: ICLR 2025) on AG-News. It learned from 120,000 texts and was certified on a part of the 7,600 from which ours learn and are
#: asked about; its edits are those of Levenshtein's distance, as ours.
PUBLISHED = (0.748, 0.388, 0.139)


def measure() -> Facts:
    return measured("AG-News")


def rows(facts: Facts) -> Iterator[Row]:
    """Beside 1-NN, and beside the published figures, which were measured by others."""
    yield from rows_of(facts)
    found = facts["methods"][MAIN]
    for edits, theirs in enumerate(PUBLISHED):
        ours = [found["right"], *found["certified"]][edits]
        yield share_row(facts, f"{MAIN}, after {edits} edits, published", ours, "LipsLev, published", theirs)


def page(facts: Facts) -> str:
    return f"{written(facts)}\n\n{WORDS}\n\n![Right after any number of edits, AG-News](certified.svg)"


def draw_from(facts: Facts) -> None:
    """A line for each classifier: the share that is right after any so many edits."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "certified", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(8, 4.2), layout="constrained")
        axes = figure.subplots()
        for title, found in facts["methods"].items():
            shares = [100 * share for share in [found["right"], *found["certified"]]]
            axes.plot([0, *EDITS], shares, "-o", markersize=4, linewidth=1.4, label=title)
        published = [100 * share for share in PUBLISHED]
        axes.plot(range(len(published)), published, "k--s", markersize=4, linewidth=1, label="LipsLev, published")
        axes.axhline(100 * facts["largest_class"], color="0.6", linewidth=1, linestyle=":", label="the largest class")
        axes.set_xticks([0, *EDITS])
        axes.set_xlabel("any so many edits")
        axes.set_ylabel("right answers, %")
        axes.set_ylim(0, 100)
        axes.grid(alpha=0.25)
        figure.legend(loc="outside right upper", frameon=False)
        figure.savefig(PICTURE, metadata={"Date": None})


WORDS = f"""\
The best published certificates for texts under edits (LipsLev, ICLR 2025) reach {100 * PUBLISHED[0]:.1f} % right,
{100 * PUBLISHED[1]:.1f} % after any one and {100 * PUBLISHED[2]:.1f} % after any two edits on AG-News. Those numbers are quoted,
not measured again, and the protocols differ: it learned from 120,000 texts and was asked about a part of the 7,600 test texts;
here 5,600 of these 7,600 are learned from and the others asked about. It is a convolutional network over letters; here scores add
up over words, which makes the worst of all edited texts a shortest path."""

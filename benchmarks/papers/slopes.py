"""Theorem 4 of Guruganesh et al. (2021): on general convex regions the loss of every learner grows
like a power of the rounds.
"""

from math import log
from pathlib import Path

import numpy as np

from benchmarks.folders import PAGES, ROOT
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.papers.online_bounds import convex_regions_exponent

DIMENSIONS, ROUNDS = (5, 6, 8, 12), (250, 500, 1000, 2000, 4000)
PICTURE = "papers_slopes.svg"


def measure() -> Facts:
    import sys

    sys.path.insert(0, str(ROOT / "examples"))
    from convex_regions import costs, nearest_neighbor_loss, spread_points

    chance, rows = np.random.default_rng(0), []
    for d in DIMENSIONS:
        points, above = spread_points(d - 1, max(ROUNDS), chance), chance.random(max(ROUNDS)) < 0.5
        any_learner = [
            float(costs(points[:count]).sum()) / 2 for count in ROUNDS
        ]  # every other guess is wrong
        slope = float(np.polyfit([log(count) for count in ROUNDS], np.log(any_learner), 1)[0])
        lost = [nearest_neighbor_loss(points[:count], above[:count]) for count in ROUNDS]
        rows.append(
            {
                "d": d,
                "any": any_learner,
                "neighbours": lost,
                "slope": slope,
                "stated": convex_regions_exponent(d),
            }
        )
    return {"rows": rows, "rounds": list(ROUNDS)}


def page(facts: Facts) -> str:
    head = ["d", *(f"T = {count:,}" for count in facts["rounds"]), "exponent", "Theorem 4"]
    body = [
        [
            str(row["d"]),
            *(
                f"{mean:.1f} ({seen:.1f})"
                for mean, seen in zip(row["any"], row["neighbours"], strict=True)
            ),
            f"{row['slope']:.3f}",
            f"{row['stated']:.3f}",
        ]
        for row in facts["rows"]
    ]
    return f"""## General convex regions (Guruganesh et al., Theorem 4)

The adversary of the proof (`examples/convex_regions.py`): the loss that it forces on any learner in T rounds, in the mean over
its coins, and in brackets what the nearest neighbour lost in one game. The exponent of T is the slope in the picture; the theorem
states (d - 4) / (d - 2).

{table(head, body)}

![Loss against rounds, with the slopes of Theorem 4](papers_slopes.svg)
"""


def draw_from(facts: Facts) -> None:
    """Losses against rounds; dashed lines have the slope that the theorem states."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from wideberth.plots import OnlineLossDisplay

    with mpl.rc_context({"svg.hashsalt": "slopes", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(6, 4), layout="constrained")
        panel = figure.subplots()
        rounds = np.array(facts["rounds"], dtype=float)
        for place, row in enumerate(facts["rows"]):
            display = OnlineLossDisplay(
                losses=np.diff(row["any"], prepend=0), rounds=rounds, name=f"d = {row['d']}"
            )
            display.plot(panel, marker="o", color=f"C{place}", markersize=3)
            panel.plot(
                rounds,
                row["any"][0] * (rounds / rounds[0]) ** row["stated"],
                "--",
                color=f"C{place}",
                linewidth=1,
            )
        panel.set(yscale="log", xlabel="rounds T", ylabel="loss of any learner")
        panel.set_xticks(rounds, [f"{count:,.0f}" for count in rounds])
        panel.minorticks_off()
        panel.set_title("dashed: the exponent of Theorem 4", fontsize=8)
        figure.savefig(Path(PAGES) / PICTURE, metadata={"Date": None})

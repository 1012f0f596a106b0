"""What an adaptive opponent gets out of the online learner, round by round, beside what the learner
says it can still lose.
"""

from pathlib import Path
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.folders import PAGES
from benchmarks.online.online_bounds import dearest
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.papers.online_bounds import initial_potential

DIMENSIONS, ROUNDS, SEEDS = (2, 3), 40, 2
MARKS = (0, 5, 10, 20, 40)
PICTURE = "papers_adversaries.svg"


def play(d: int, seed: int) -> dict[str, list[float]]:
    """Lost so far, and lost so far plus the bound of what is left, after every round."""
    generator = np.random.default_rng([seed, d])
    center = generator.normal(size=d)
    centers = np.stack([center, -center]) / np.linalg.norm(center)
    learner: Any = wb.OnlinePartitionClassifier(
        "inner", radius=1.0, engine="exact", inconsistent="error", random_state=seed
    )
    learner.partial_fit([centers[0]], [0], classes=[0, 1])
    lost, losses, limits = 0.0, [0.0], [learner.remaining_loss_bound()]
    for _ in range(ROUNDS):
        query, loss = dearest(learner, centers, "inner", generator)
        lost += loss
        learner.learn_one(query, int((centers @ query).argmax()))
        losses.append(lost)
        limits.append(lost + learner.remaining_loss_bound())
    return {"lost": losses, "limit": limits}


def measure() -> Facts:
    rows = []
    for d in DIMENSIONS:
        games = [play(d, seed) for seed in range(SEEDS)]
        worst = max(games, key=lambda game: game["lost"][-1])
        rows.append({"d": d, "stated": initial_potential(d), **worst})
    return {"rows": rows, "rounds": ROUNDS, "seeds": SEEDS}


def page(facts: Facts) -> str:
    head = ["d", "bound of Theorem 1", *(f"round {mark}" for mark in MARKS)]
    body = [
        [
            str(row["d"]),
            f"{row['stated']:.0f}",
            *(f"{row['lost'][mark]:.2f} < {row['limit'][mark]:.3g}" for mark in MARKS),
        ]
        for row in facts["rows"]
    ]
    return f"""## Opponents (Guruganesh et al., Theorem 1)

Two labels by inner products, the exact engine: the opponent of [the bounds of online losses](online_bounds.md) chooses each round
the query that costs most of 60. What it got until then, and the total that it can get at all: that plus
`remaining_loss_bound()`. Of {facts["seeds"]} games the one with the largest loss.

{table(head, body)}

![Loss and its limit, round by round](papers_adversaries.svg)
"""


def draw_from(facts: Facts) -> None:
    """Losses against rounds, and in a band above them what can still be lost."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from wideberth.plots import OnlineLossDisplay

    with mpl.rc_context({"svg.hashsalt": "adversaries", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        for panel, row in zip(
            figure.subplots(1, len(facts["rows"]), squeeze=False)[0], facts["rows"], strict=True
        ):
            lost, limits = np.array(row["lost"]), np.array(row["limit"])
            bounds = {"bound_rounds": np.arange(1, len(lost)), "bounds": (limits - lost)[1:]}
            display = OnlineLossDisplay(
                losses=np.diff(lost), **bounds, name="lost so far", loss_name="loss"
            ).plot(panel)
            display.ax_.set(
                yscale="log", ylim=(0.1, 1.2 * limits.max()), title=f"{row['d']} dimensions"
            )
            panel.grid(alpha=0.25)
        figure.savefig(Path(PAGES) / PICTURE, metadata={"Date": None})

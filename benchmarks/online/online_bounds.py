"""Bounds of the total loss: those of the first derivation, those of today, and what opponents get out of the learner."""

from math import ceil, comb, log, log2, sqrt
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.bounds import euclidean_loss, initial_potential, partition_loss

#: Similarity, labels, dimensions, engine, rounds.
CASES = [
    ("inner", 2, 2, "exact", 60),
    ("inner", 2, 3, "exact", 60),
    ("inner", 2, 4, "exact", 40),
    ("euclidean", 2, 2, "exact", 60),
    ("euclidean", 2, 3, "exact", 40),
    ("inner", 4, 6, "sampling", 300),
    ("euclidean", 4, 6, "sampling", 300),
]
#: When the remaining loss is read.
MARKS = (0, 10, 40, 300)
SEEDS = 3


def first_bound(d: int, alpha: float, R: float, kept: float) -> float:
    """The potential that counted every scale in full, from a ball down to a ball."""
    scales = range(-ceil(log2(2 * R)), 60)
    return 2**alpha / -log(kept) * sum(2 ** (-alpha * i) * d * log(1 + 8 * d * R * 2.0**i) for i in scales)


def bounds(similarity: str, k: int, d: int, kept: float) -> tuple[float, float]:
    """Before and now, for all pairs of labels, at the price of 1."""
    if similarity == "inner":
        before, now = first_bound(d, 1.0, 2.0, kept), initial_potential(d, kept=kept)
    else:
        before, now = first_bound(d + 1, 0.5, 4 * sqrt(10) / 3, kept), euclidean_loss(d, kept=kept)
    return comb(k, 2) * before, partition_loss(now, k, price=1.0)


def dearest(learner: Any, centers: Any, similarity: str, generator: np.random.Generator) -> tuple[Any, float]:
    """Of 60 random queries and points near borders, the one that costs the learner most; the opponent sees its guesses."""
    d = centers.shape[1]
    candidates = generator.normal(size=(60, d))
    candidates /= np.linalg.norm(candidates, axis=1, keepdims=True)
    if similarity == "euclidean":
        candidates *= generator.random((60, 1)) ** (1 / d)
    pairs = generator.integers(len(centers), size=(60, 2))
    normals = centers[pairs[:, 0]] - centers[pairs[:, 1]]
    offsets = (candidates * normals).sum(axis=1)
    if similarity == "euclidean":
        offsets -= ((centers[pairs[:, 0]] ** 2).sum(axis=1) - (centers[pairs[:, 1]] ** 2).sum(axis=1)) / 2
    squares = np.maximum((normals**2).sum(axis=1), 1e-12)
    shrink = 1 - 2.0 ** -generator.integers(0, 12, size=60)
    candidates = candidates - (shrink * offsets / squares)[:, None] * normals
    candidates /= np.maximum(np.linalg.norm(candidates, axis=1, keepdims=True), 1.0)
    guesses = [learner.predict_one(query) for query in candidates]
    losses = []
    for query, guess in zip(candidates, guesses, strict=True):
        far = -centers @ query if similarity == "inner" else np.linalg.norm(centers - query, axis=1)
        losses.append(0.0 if guess is None else far[guess] - far.min())
    worst = int(np.argmax(losses))
    return candidates[worst], float(losses[worst])


def play(similarity: str, k: int, d: int, engine: str, rounds: int, seed: int) -> dict[str, Any]:
    """What one opponent gets, and the bound of what is left, along the way."""
    generator = np.random.default_rng([seed, k, d])
    centers = generator.normal(size=(k, d))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    learner = wb.OnlinePartitionClassifier(similarity, radius=1.0, engine=engine, inconsistent="error", random_state=seed)
    learner.partial_fit([centers[0]], [0], classes=range(k))
    lost, left = 0.0, {0: learner.remaining_loss_bound()}
    for number in range(1, rounds + 1):
        query, loss = dearest(learner, centers, similarity, generator)
        lost += loss
        far = -centers @ query if similarity == "inner" else np.linalg.norm(centers - query, axis=1)
        learner.learn_one(query, int(far.argmin()))
        if number in MARKS or number == rounds:
            left[number] = learner.remaining_loss_bound()
    return {"lost": lost, "left": left}


def measure() -> Facts:
    rows = []
    for similarity, k, d, engine, rounds in CASES:
        kept = 5 / 8 if engine == "exact" else 3 / 4
        before, now = bounds(similarity, k, d, kept)
        games = [play(similarity, k, d, engine, rounds, seed) for seed in range(SEEDS)]
        left = {mark: max(game["left"][mark] for game in games) for mark in games[0]["left"]}
        rows.append(
            {
                "case": [similarity, k, d, engine, rounds],
                "before": before,
                "now": now,
                "left": left,
                "lost": max(game["lost"] for game in games),
            }
        )
        print(rows[-1], flush=True)
    return {"rows": rows, "seeds": SEEDS}


def page(facts: Facts) -> str:
    header = [
        "similarity",
        "k",
        "d",
        "engine",
        "bound before",
        "bound now",
        "left after 10",
        "left after 40",
        "in the end",
        "lost",
    ]
    body = []
    for row in facts["rows"]:
        similarity, k, d, engine, rounds = row["case"]
        left = [row["left"].get(str(mark)) for mark in (10, 40)]
        shown = [row["before"], row["now"], *left, row["left"][str(rounds)]]
        body.append(
            [
                similarity,
                str(k),
                str(d),
                engine,
                *("" if value is None else f"{value:,.3g}" for value in shown),
                f"{row['lost']:.2f}",
            ]
        )
    return f"""# Bounds of the total loss

From `python -m benchmarks online_bounds`. An opponent who knows the centres and asks the learner beforehand chooses, each
round, the query that costs most of 60, random ones and ones near borders; the largest of {facts["seeds"]} games. *Before*: the
first derivation, which counted all scales in full. *Now*: scales cannot lose more than the largest loss, bodies contain a ray,
and Euclidean losses are linear in angles (`wideberth.bounds.initial_potential`, `euclidean_loss`). *Left*:
`remaining_loss_bound()` after so many rounds, from the volumes of the knowledge sets and without scales that will never be
active again; *in the end* after 40 to 300 rounds. Bounds of the engine "exact" are proved; those of "sampling" hold if its
counts are as accurate as they are likely to be. The engine "exact" uses cubes instead of balls, so that what is left can be
above the bound at first.

{table(header, body)}
"""

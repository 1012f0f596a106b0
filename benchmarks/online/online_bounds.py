"""Bounds of the total loss: those of the first derivation, those of today, and what opponents get
out of the learner.
"""

from math import ceil, comb, log, log2, sqrt
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.timing import table
from wideberth.papers import JointPartitionClassifier
from wideberth.papers.online_bounds import (
    ellipsoid_kept,
    euclidean_loss,
    initial_potential,
    partition_loss,
)

#: Similarity, labels, dimensions, engine, rounds.
CASES = [
    *(
        ("inner", 2, d, engine, 40)
        for d in (2, 3, 4)
        for engine in ("exact", "sampling", "ellipsoid", "joint")
    ),
    *(
        ("euclidean", 2, d, engine, 40)
        for d in (2, 3)
        for engine in ("exact", "sampling", "ellipsoid", "joint")
    ),
    *(("inner", 4, 6, engine, 300) for engine in ("sampling", "ellipsoid", "joint")),
    *(("euclidean", 4, 6, engine, 300) for engine in ("sampling", "ellipsoid")),
]
#: When the remaining loss is read.
MARKS = (0, 10, 40, 300)
SEEDS = 3


def first_bound(d: int, alpha: float, R: float, kept: float) -> float:
    """The potential that counted every scale in full, from a ball down to a ball."""
    scales = range(-ceil(log2(2 * R)), 60)
    return (
        2**alpha
        / -log(kept)
        * sum(2 ** (-alpha * i) * d * log(1 + 8 * d * R * 2.0**i) for i in scales)
    )


def kept_by(engine: str, dimension: int) -> float:
    """The largest share of a body that a wrong answer leaves."""
    return {"exact": 5 / 8, "sampling": 3 / 4, "ellipsoid": ellipsoid_kept(dimension)}[engine]


def bounds(similarity: str, k: int, d: int, engine: str) -> tuple[float, float] | None:
    """Before and now, for all pairs of labels, at the price of 1; none for the joint engine."""
    if engine == "joint":
        return None
    kept = kept_by(engine, d if similarity == "inner" else d + 1)
    if similarity == "inner":
        before, now = first_bound(d, 1.0, 2.0, kept), initial_potential(d, kept=kept)
    else:
        before, now = first_bound(d + 1, 0.5, 4 * sqrt(10) / 3, kept), euclidean_loss(d, kept=kept)
    return comb(k, 2) * before, partition_loss(now, k, price=1.0)


def dearest(
    learner: Any, centers: Any, similarity: str, generator: np.random.Generator
) -> tuple[Any, float]:
    """Of 60 random queries and points near borders, the one that costs the learner most; the
    opponent sees its guesses.
    """
    d = centers.shape[1]
    candidates = generator.normal(size=(60, d))
    candidates /= np.linalg.norm(candidates, axis=1, keepdims=True)
    if similarity == "euclidean":
        candidates *= generator.random((60, 1)) ** (1 / d)
    pairs = generator.integers(len(centers), size=(60, 2))
    normals = centers[pairs[:, 0]] - centers[pairs[:, 1]]
    offsets = (candidates * normals).sum(axis=1)
    if similarity == "euclidean":
        offsets -= (
            (centers[pairs[:, 0]] ** 2).sum(axis=1) - (centers[pairs[:, 1]] ** 2).sum(axis=1)
        ) / 2
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
    options: dict[str, Any] = {"radius": 1.0, "inconsistent": "error", "random_state": seed}
    learner = (
        JointPartitionClassifier(similarity, **options)
        if engine == "joint"
        else wb.OnlinePartitionClassifier(similarity, engine=engine, **options)
    )
    learner.partial_fit([centers[0]], [0], classes=range(k))
    lost, left = 0.0, {0: learner.remaining_loss_bound()}
    certain = learner.remaining_loss_bound(certain=True)
    for number in range(1, rounds + 1):
        query, loss = dearest(learner, centers, similarity, generator)
        lost += loss
        far = -centers @ query if similarity == "inner" else np.linalg.norm(centers - query, axis=1)
        learner.learn_one(query, int(far.argmin()))
        if number in MARKS or number == rounds:
            left[number] = learner.remaining_loss_bound()
    return {
        "lost": lost,
        "left": left,
        "certain": certain,
        "failure": learner.failure_probability(),
    }


def measure() -> Facts:
    rows = []
    for similarity, k, d, engine, rounds in CASES:
        derived = bounds(similarity, k, d, engine)
        games = [play(similarity, k, d, engine, rounds, seed) for seed in range(SEEDS)]
        row: dict[str, Any] = {
            "case": [similarity, k, d, engine, rounds],
            "lost": max(game["lost"] for game in games),
        }
        if derived is not None:
            row |= {
                "before": derived[0],
                "now": derived[1],
                "left": {
                    mark: max(game["left"][mark] for game in games) for mark in games[0]["left"]
                },
                "certain": max(game["certain"] for game in games),
                "failure": max(game["failure"] for game in games),
            }
        rows.append(row)
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
        "fails with",
        "in any case",
    ]
    header += ["left after 10", "left after 40", "in the end", "lost"]
    body = []
    for row in facts["rows"]:
        similarity, k, d, engine, rounds = row["case"]
        shown: list[str] = 7 * [""]
        if "before" in row:
            left = [row["left"].get(str(mark)) for mark in (10, 40, rounds)]
            numbers = [row["before"], row["now"], row["failure"], row["certain"], *left]
            shown = [f"{value:,.3g}" for value in numbers]
        body.append([similarity, str(k), str(d), engine, *shown, f"{row['lost']:.2f}"])
    return f"""# Bounds of the total loss

From `python -m benchmarks online_bounds`. An opponent who knows the centres and asks the learner beforehand chooses, each
round, the query that costs most of 60, random ones and ones near borders; the largest of {facts["seeds"]} games. *Before*: the
first derivation, which counted all scales in full. *Now*: scales cannot lose more than the largest loss, bodies contain a ray,
and Euclidean losses are linear in angles (`initial_potential` and `euclidean_loss` in `papers.online_bounds`). *Fails with*: the
probability, at most, that 10,000 further rounds lose more than what is left in the end, for queries that do not depend on
guesses, with as many points as their dispersion shows (`failure_probability()`); 0 where the bound is proved. *In any case*:
`remaining_loss_bound(certain=True)` at the start. *Left*: `remaining_loss_bound()` after so many rounds, from the volumes of the
knowledge sets and without scales that will never be active again; *in the end* after 40 rounds, with four labels after 300. The
engines "exact" and "ellipsoid" start from cubes and from ellipsoids of all scales, so that what is left can be above the bound at
first. *Joint* is
`wideberth.papers.JointPartitionClassifier`, of which no bound is known.

{table(header, body)}
"""

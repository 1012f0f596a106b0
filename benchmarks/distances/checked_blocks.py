"""What it costs to check every block of a user's metric for numbers that are no distances."""

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.results import Facts
from benchmarks.timing import duel, table
from wideberth.metrics.functions import PairFunction, unchecked
from wideberth.metrics.metric import Metric

WORDS = """\
Blocks of 1000 x 1000 distances between vectors of 10 coordinates (100 x 100 for a function of two objects), measured with and
without the check that every block of a user's metric passes; seconds of one core, the best of eleven runs, in turns."""
HEAD = ["metric", "checked ms", "unchecked ms", "price"]


def measure() -> Facts:
    points = np.random.default_rng(0).normal(size=(1000, 10))
    metrics = {
        "function of two objects, `abs(a[0] - b[0])`": (
            PairFunction(lambda one, other: abs(one[0] - other[0])),
            points[:99],
        ),
        "function of blocks, numpy": (
            Metric(lambda left, right: np.sqrt(((left[:, None] - right) ** 2).sum(-1))),
            points,
        ),
        "function of blocks, scipy's `cdist`": (Metric(cdist), points),
    }
    rows = []
    for name, (metric, objects) in metrics.items():
        trusted = unchecked(metric)
        times = duel(
            lambda metric=metric, objects=objects: metric.block(objects, objects),
            lambda trusted=trusted, objects=objects: trusted.block(objects, objects),
            rounds=11,
        )
        rows.append({"metric": name, "checked": 1e3 * times.ours, "unchecked": 1e3 * times.peer})
    return {"rows": rows}


def page(facts: Facts) -> str:
    rows = [
        [
            row["metric"],
            f"{row['checked']:.2f}",
            f"{row['unchecked']:.2f}",
            f"{100 * (row['checked'] / row['unchecked'] - 1):.1f} %",
        ]
        for row in facts["rows"]
    ]
    return f"# Checked blocks\n\n{WORDS}\n\n{table(HEAD, rows)}\n"

"""Section 5.1 of Kontorovich & Weiss (2014): neighbours up to 1 + eta times as far, what they save
and what they cost.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import wideberth as wb
from benchmarks.results import Facts
from benchmarks.samples import bell_curves, edited_names, overlapping_classes
from benchmarks.timing import seconds, table

ETAS = (0.0, 0.1, 0.5, 1.0)
QUERIES = 200
#: Pivots rule out nothing in more dimensions than this.
PIVOTS_UP_TO = 8


def cases() -> Iterator[tuple[str, str, Any, list[str]]]:
    for dimension in (2, 8, 16):
        points = overlapping_classes(10_000 + QUERIES, dimension)[0]
        engines = (
            ["brute", "kdtree", "pivots"] if dimension <= PIVOTS_UP_TO else ["brute", "kdtree"]
        )
        yield f"vectors, {dimension} dimensions", "euclidean", points, engines
    yield (
        "misspelt names",
        "levenshtein",
        np.array(edited_names(10_000 + QUERIES)[0], dtype=object),
        ["brute", "pivots"],
    )
    yield "bell curves", "msm", bell_curves(1_000 + QUERIES), ["brute", "pivots"]


def searched(objects: Any, metric: str, engine: str, eta: float) -> dict[str, Any]:
    """Calls and CPU time of the queries alone, on one core, building left out."""
    index = wb.Index(objects[QUERIES:], metric, engine=engine, eta=eta, n_jobs=1)
    index.nearest(objects[:5])
    before = index.distance_calls
    took, found = seconds(lambda: index.nearest(objects[:QUERIES]))
    return {
        "engine": index.engine,
        "calls": (index.distance_calls - before) / QUERIES,
        "seconds": took,
        "distances": found.distances[:, 0],
    }


def classified() -> list[dict[str, Any]]:
    """What a larger eta does to errors, bounds and radii of the classifier."""
    rows = []
    for dimension in (8,):
        points, labels = overlapping_classes(3_000, dimension)
        for eta in ETAS:
            model = wb.MarginNeighborsClassifier(eta=eta, n_jobs=1).fit(
                points[1_000:], labels[1_000:]
            )
            took, answers = seconds(
                lambda model=model, points=points: model.predict(points[:1_000])
            )
            rows.append(
                {
                    "dimension": dimension,
                    "eta": eta,
                    "engine": model.index_.engine,
                    "seconds": took,
                    "error": float(np.mean(answers != labels[:1_000])),
                    "bound": model.risk_bound_.value,
                    "radius": float(np.median(model.certified_radius(points[:1_000]))),
                }
            )
            print(rows[-1], flush=True)
    return rows


def measure() -> Facts:
    rows = []
    for name, metric, objects, engines in cases():
        exact = searched(objects, metric, "brute", 0.0)
        for engine in [*engines[1:], "auto"]:
            for eta in ETAS:
                found = searched(objects, metric, engine, eta)
                with np.errstate(invalid="ignore"):
                    ratios = np.nan_to_num(found["distances"] / exact["distances"], nan=1.0)
                rows.append(
                    {
                        "name": name,
                        "asked": engine,
                        "engine": found["engine"],
                        "eta": eta,
                        "calls": found["calls"],
                        "seconds": found["seconds"],
                        "brute": exact["seconds"],
                        "nearest": float(np.mean(ratios <= 1.0)),
                        "mean": float(ratios[np.isfinite(ratios)].mean()),
                    }
                )
                print(rows[-1], flush=True)
    return {"rows": rows, "classified": classified(), "queries": QUERIES}


def page(facts: Facts) -> str:
    body = []
    for row in facts["rows"]:
        exact = next(
            each
            for each in facts["rows"]
            if (each["name"], each["asked"], each["eta"]) == (row["name"], row["asked"], 0)
        )
        engine = row["engine"] if row["asked"] != "auto" else f"auto: {row['engine']}"
        body.append(
            [
                row["name"],
                engine,
                f"{row['eta']:g}",
                f"{row['calls']:,.1f}",
                f"{row['calls'] / exact['calls']:.2f}",
                f"{row['seconds'] / exact['seconds']:.2f}",
                f"{row['seconds'] / row['brute']:.3f}",
                f"{row['nearest']:.1%}",
                f"{row['mean']:.3f}",
            ]
        )
    head = [
        "data",
        "engine",
        "eta",
        "calls / query",
        "calls / exact",
        "CPU / exact",
        "CPU / brute",
        "nearest found",
        "mean ratio",
    ]
    models = [
        [
            str(row["dimension"]),
            f"{row['eta']:g}",
            row["engine"],
            f"{1000 * row['seconds']:.1f}",
            f"{row['error']:.3f}",
            f"{row['bound']:.3f}",
            f"{row['radius']:.3g}",
        ]
        for row in facts["classified"]
    ]
    return f"""## Approximate neighbours (Kontorovich & Weiss, section 5.1)

`wideberth.Index(eta=...)`: {facts["queries"]:,} queries among 10,000 vectors or names, or 1,000 curves, on one core, building
left out. *Nearest found* is how often the neighbour that is found is the nearest all the same, and *mean ratio* how far it is
beside that.

{table(head, body)}

`wideberth.MarginNeighborsClassifier(eta=...)` on 2,000 vectors of 4 overlapping classes: CPU milliseconds of 1,000 answers,
their error, the bound at 95 %, and the median certified radius, which pays for every neighbour that eta allows.

{table(["dimensions", "eta", "engine", "ms", "error", "bound", "median radius"], models)}
"""

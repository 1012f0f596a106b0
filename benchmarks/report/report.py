"""Reports of real data of every kind: their sizes, and the time that they take beside that of
learning.
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import wideberth as wb
from benchmarks.auto.sets import labelled_set
from benchmarks.data import DATA, Labels
from benchmarks.results import Facts
from benchmarks.timing import seconds, table

#: How many digits are compared by the earth mover's distance, and how many vectors the largest
#: report is about.
DIGITS, MANY = 500, 100_000
#: The most that a report may take: of 2,000 objects or fewer, and of many.
MOST_MB, MOST_MB_OF_MANY = 3.0, 6.0

Case = tuple[Any, Any, Labels]  # model, objects, labels


def neighbors(name: str) -> Case:
    """A set of the other benchmarks, and the nearest neighbours by its usual metric."""
    found = labelled_set(name)
    return wb.NeighborsClassifier(found.metric), found.objects, found.labels


def digit_images() -> Case:
    digits = load_digits()
    return wb.NeighborsClassifier("earth_mover"), digits.images[:DIGITS], digits.target[:DIGITS]


def bare_matrix() -> Case:
    digits = load_digits()
    matrix = wb.pairwise_distances(digits.data[:DIGITS], metric="euclidean")
    return wb.NeighborsClassifier("precomputed"), matrix, digits.target[:DIGITS]


def first_names() -> Case:
    names, sexes = wb.datasets.load_first_names()
    return wb.LipschitzClassifier("levenshtein"), names, np.array(sexes)


def many_vectors() -> Case:
    labels = np.arange(MANY) % 3
    return (
        wb.NeighborsClassifier("euclidean"),
        np.random.default_rng(0).normal(size=(MANY, 3)) + labels[:, None],
        labels,
    )


#: What is reported, and which files beside the repository it needs.
CASES: dict[str, tuple[str, Callable[[], Case], bool]] = {
    "first names": ("strings", first_names, False),
    "words of 6 languages": ("strings", partial(neighbors, "words"), True),
    "surnames": ("strings", partial(neighbors, "names"), True),
    "BBBP": ("molecules", partial(neighbors, "bbbp"), True),
    "GunPoint": ("series", partial(neighbors, "GunPoint"), False),
    "glycans": ("trees", partial(neighbors, "glycans"), True),
    "PROTEINS": ("graphs", partial(neighbors, "proteins"), True),
    "digits, earth mover": ("images", digit_images, False),
    "penguins": ("rows", partial(neighbors, "penguins"), False),
    "bare matrix": ("indices", bare_matrix, False),
    "normal vectors": ("vectors", many_vectors, False),
}


def row(name: str, folder: Path) -> dict[str, Any]:
    kind, load, _ = CASES[name]
    model, objects, labels = load()
    fit, _ = seconds(lambda: model.fit(objects, labels))
    path = folder / "report.html"
    took, _ = seconds(lambda: wb.write_report(model, path, objects, labels))
    metric = model.metric if isinstance(model.metric, str) else model.metric.name
    found = {
        "name": name,
        "kind": kind,
        "metric": metric,
        "n": len(labels),
        "fit": fit,
        "seconds": took,
    }
    found["megabytes"] = path.stat().st_size / 1e6
    print(found, file=sys.stderr, flush=True)
    return found


def measure() -> Facts:
    with tempfile.TemporaryDirectory() as folder:
        return {
            "rows": [
                row(name, Path(folder))
                for name, (_, _, beside) in CASES.items()
                if DATA.exists() or not beside
            ]
        }


def page(facts: Facts) -> str:
    lines = [
        [
            each["name"],
            each["kind"],
            each["metric"],
            f"{each['n']:,}",
            f"{each['fit']:.1f}",
            f"{each['seconds']:.1f}",
        ]
        for each in facts["rows"]
    ]
    sizes = [f"{each['megabytes']:.2f}" for each in facts["rows"]]
    largest = max((each["megabytes"] for each in facts["rows"] if each["n"] < MANY), default=0.0)
    return "\n".join(
        [
            "# Reports",
            "",
            "From `make bench` (`python -m benchmarks report`): `write_report` for the objects "
            "that a model was fitted to, with",
            "the nearest neighbours by the metric named, the Lipschitz classifier on first names. "
            "Seconds are processor time,",
            "for learning and for the report, which learns five times more, to answer for objects "
            "that copies of the model have",
            f"not seen. A report holds at most 2,000 objects; the largest of fewer than {MANY:,} "
            f"has {largest:.2f} MB, where",
            f"{MOST_MB:g} are allowed, and that of {MANY:,} may have {MOST_MB_OF_MANY:g}.",
            "",
            table(
                ["data", "kind", "metric", "n", "fit, s", "report, s", "MB"],
                [[*line, size] for line, size in zip(lines, sizes, strict=True)],
            ),
            "",
        ]
    )
